//! Whether conductors of Ironic serve the source: two services must not drive one machine.

use crate::{
    layout,
    row::{Places, SourceRow},
};
use std::time::Duration;
use store::{
    StoreError,
    ironic::{Limit, Snapshot},
};
use types::Timestamp;

/// A conductor of Ironic that was heard of lately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alive {
    pub host: String,
    /// In lower case; empty where it has none.
    pub group: String,
    /// For how long it has been silent, in seconds.
    pub silent: i64,
}

/// Those that Ironic itself would take for alive, with this time-out.
pub(crate) fn take(
    snapshot: &mut Snapshot,
    now: Timestamp,
    timeout: Duration,
) -> Result<Vec<Alive>, StoreError> {
    const PAGE: Limit = Limit {
        rows: 1000,
        bytes: 4 << 20,
    };
    let places = Places::of(&layout::CONDUCTORS);
    let mut ignored = crate::Findings::default();
    let (mut alive, mut after) = (Vec::new(), i64::MIN);
    loop {
        let page = snapshot.page(&layout::CONDUCTORS, after, PAGE)?;
        if page.is_empty() {
            return Ok(alive);
        }
        for cells in page {
            let mut row = SourceRow::new(&places, cells, &mut ignored);
            after = row.key();
            alive.extend(of(&mut row, now, timeout));
        }
    }
}

fn of(row: &mut SourceRow<'_>, now: Timestamp, timeout: Duration) -> Option<Alive> {
    const SECOND: i64 = 1_000_000;
    if !row.flag_or("online", false) {
        return None;
    }
    // A clock that is ahead of ours counts as no silence.
    let silent = now.0.saturating_sub(row.time("updated_at")?.0).max(0) / SECOND;
    let is_alive = u64::try_from(silent).is_ok_and(|silent| silent <= timeout.as_secs());
    is_alive.then(|| Alive {
        host: row.text("hostname").unwrap_or_default(),
        group: row
            .text("conductor_group")
            .unwrap_or_default()
            .to_lowercase(),
        silent,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::ironic::Cell;

    #[test]
    fn a_conductor_is_alive_for_as_long_as_ironic_takes_it_for_that() {
        let now = Timestamp::from_naive("2026-03-01T12:00:00").unwrap();
        let alive = |online: i64, updated: Cell| {
            let places = Places::of(&layout::CONDUCTORS);
            let name = |text: &str| Cell::Text(text.to_owned());
            let cells = vec![
                Cell::Int(1),
                name("ctl1"),
                Cell::Int(online),
                name("Rack-B"),
                updated,
            ];
            let mut findings = crate::Findings::default();
            let mut row = SourceRow::new(&places, cells, &mut findings);
            of(&mut row, now, Duration::from_secs(60)).map(|alive| (alive.group, alive.silent))
        };
        let at = |time: &str| Cell::Text(format!("2026-03-01 {time}"));
        let group = "rack-b".to_owned();
        assert_eq!(alive(1, at("11:59:48")), Some((group.clone(), 12)));
        assert_eq!(alive(1, at("11:59:00")), Some((group.clone(), 60)));
        assert_eq!(alive(1, at("12:00:30.5")), Some((group, 0)));
        assert_eq!(alive(1, at("11:58:58")), None);
        assert_eq!(alive(0, at("11:59:59")), None);
        assert_eq!(alive(1, Cell::Null), None);
    }
}
