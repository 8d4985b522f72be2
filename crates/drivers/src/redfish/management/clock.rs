//! The clock of a BMC.

use super::put;
use crate::{
    DriverError,
    redfish::{Info, Redfish, Resource, Talk},
};
use serde_json::Value;
use types::{JsonMap, Timestamp, pyrepr};

/// How far a clock may be off, and how long a change may take to be seen.
const TOLERANCE_S: i64 = 1;
const CHANGE_S: i64 = 5;

const UTC: &str = "+00:00";

/// A time that a service or a person wrote: with an offset, or in UTC.
fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}Z")))
}

/// A time as services take it: in UTC, with parts of a second only where they have them.
fn written(at: Timestamp, like: &str) -> String {
    let text = at.naive();
    let whole = text.split('.').next().unwrap_or_default();
    if like.contains('.') {
        format!("{text}{UTC}")
    } else {
        format!("{whole}{UTC}")
    }
}

/// Sets the clock to a time, or to ours.
pub(super) async fn set(
    redfish: &Redfish,
    info: &Info,
    arguments: &JsonMap,
) -> Result<(), DriverError> {
    let text = |key: &str| {
        let given = arguments.get(key).filter(|given| !given.is_null());
        given.map(pyrepr::to_str)
    };
    let target = match text("target_datetime") {
        Some(given) => Some(parse(&given).ok_or_else(|| {
            DriverError::InvalidParameter(format!(
                "target_datetime {given:?} is not a date and time in ISO 8601 format"
            ))
        })?),
        None => None,
    };
    let talk = redfish.talk(info, "setting the BMC clock").await?;
    let manager = manager(&talk).await?;
    let target = target.unwrap_or_else(Timestamp::now);
    change(&talk, &manager, target, text("datetime_local_offset")).await
}

/// Sets the clock where it is wrong.
pub(super) async fn verify(redfish: &Redfish, info: &Info) -> Result<(), DriverError> {
    let talk = redfish.talk(info, "verifying the BMC clock").await?;
    let manager = manager(&talk).await?;
    let Some(found) = manager.str("DateTime").and_then(parse) else {
        return Err(talk.lacks(&manager, "DateTime"));
    };
    let now = Timestamp::now();
    if found.seconds_since(now).abs() <= TOLERANCE_S {
        return Ok(());
    }
    let offset = manager.str("DateTimeLocalOffset") != Some(UTC);
    change(&talk, &manager, now, offset.then(|| UTC.to_owned())).await
}

async fn manager(talk: &Talk<'_>) -> Result<Resource, DriverError> {
    let system = talk.system().await?;
    Ok(talk.manager(&system).await?)
}

async fn change(
    talk: &Talk<'_>,
    manager: &Resource,
    target: Timestamp,
    offset: Option<String>,
) -> Result<(), DriverError> {
    let target = written(target, manager.str("DateTime").unwrap_or_default());
    let mut body = put("DateTime", target.clone().into());
    if let Some(offset) = offset {
        body.insert("DateTimeLocalOffset".into(), Value::String(offset));
    }
    talk.patch(manager, &body).await?;
    let found = talk.get(&manager.path).await?;
    let kept = found.str("DateTime").and_then(parse);
    // The clock goes on while it is looked at.
    let is_kept = match (kept, parse(&target)) {
        (Some(kept), Some(target)) => {
            (-TOLERANCE_S..=CHANGE_S).contains(&kept.seconds_since(target))
        }
        _ => false,
    };
    if is_kept {
        return Ok(());
    }
    Err(DriverError::NotKept {
        peer: talk.peer().to_owned(),
        what: "time",
        asked: target,
        found: found.str("DateTime").unwrap_or("none").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        let at = parse("2026-11-15T10:00:00.250000+02:00").unwrap();
        assert_eq!(
            written(at, "2020-01-01T00:00:00Z"),
            "2026-11-15T08:00:00+00:00"
        );
        assert_eq!(
            written(at, "2020-01-01T00:00:00.000Z"),
            "2026-11-15T08:00:00.250000+00:00"
        );
        assert_eq!(parse("2026-11-15T08:00:00"), parse("2026-11-15T08:00:00Z"));
        assert_eq!(parse("soon"), None);
    }
}
