//! Differences that are meant: `tests/scenarios/known.json`.
//!
//! A row names one request and the places at which its answer may differ. What differs elsewhere is
//! not excused, and a row whose difference is gone is an error of its own, so that the list stays
//! what it says.

use crate::difference::Difference;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::{fs, path::Path};

/// The kinds of differences that there may be; the list is closed on purpose.
const KINDS: &[&str] = &["fault", "json", "rebuild", "cache", "leak", "mistake"];

#[derive(Debug, Clone)]
struct Row {
    scenario: String,
    name: String,
    /// Places, each with everything below it.
    differs: Vec<String>,
    /// What ours answers, where the status differs.
    status: Option<u64>,
    /// Which of the places were seen to differ.
    seen: Vec<bool>,
}

/// The list, and what of it was used.
#[derive(Debug, Default)]
pub struct Known {
    rows: Vec<Row>,
}

impl Known {
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let list: Value = serde_json::from_str(&text)?;
        Self::parse(&list).with_context(|| path.display().to_string())
    }

    fn parse(list: &Value) -> Result<Self> {
        let rows = list.as_array().context("not a list")?;
        let rows = rows
            .iter()
            .map(|row| Row::parse(row).with_context(|| row.to_string()));
        let rows = rows.collect::<Result<_>>()?;
        Ok(Self { rows })
    }

    /// Removes the differences that are meant.
    pub fn excuse(&mut self, scenario: &str, name: &str, found: &mut Vec<Difference>) {
        for row in &mut self.rows {
            if row.scenario == scenario && row.name == name {
                found.retain(|difference| !row.covers(difference));
            }
        }
    }

    /// Places of these scenarios that do not differ any more.
    pub fn unused(&self, scenarios: &[&str]) -> Vec<String> {
        let rows = self
            .rows
            .iter()
            .filter(|row| scenarios.contains(&row.scenario.as_str()));
        rows.flat_map(|row| {
            let places = row.differs.iter().zip(&row.seen);
            let gone = places.filter(|(_, seen)| !**seen);
            gone.map(|(place, _)| format!("{}: {}: {place}", row.scenario, row.name))
        })
        .collect()
    }

    /// How many requests of these scenarios differ on purpose.
    pub fn count(&self, scenarios: &[&str]) -> usize {
        let rows = self.rows.iter();
        rows.filter(|row| scenarios.contains(&row.scenario.as_str()))
            .count()
    }
}

impl Row {
    fn parse(row: &Value) -> Result<Self> {
        let text = |key: &str| row[key].as_str().with_context(|| format!("no {key}"));
        let kind = text("kind")?;
        ensure!(KINDS.contains(&kind), "kind is none of {KINDS:?}");
        ensure!(!text("reason")?.is_empty(), "no reason");
        let differs: Vec<String> = row["differs"]
            .as_array()
            .context("no differs")?
            .iter()
            .filter_map(|place| place.as_str().map(str::to_owned))
            .collect();
        ensure!(!differs.is_empty(), "differs nowhere");
        let status = row["status"].as_u64();
        ensure!(
            status.is_some() == differs.iter().any(|place| place == "/status"),
            "status is given when and only when it differs"
        );
        Ok(Self {
            scenario: text("scenario")?.to_owned(),
            name: text("name")?.to_owned(),
            seen: vec![false; differs.len()],
            differs,
            status,
        })
    }

    fn covers(&mut self, difference: &Difference) -> bool {
        let under = |place: &str| {
            let rest = difference.place.strip_prefix(place);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let Some(found) = self.differs.iter().position(|place| under(place)) else {
            return false;
        };
        if difference.place == "/status"
            && difference.here.as_ref().and_then(Value::as_u64) != self.status
        {
            return false;
        }
        self.seen[found] = true;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::between;
    use serde_json::json;

    fn known() -> Known {
        let rows = json!([{
            "scenario": "s", "name": "n", "kind": "fault", "status": 400,
            "differs": ["/status", "/body_json"], "reason": "r",
        }]);
        Known::parse(&rows).unwrap()
    }

    #[test]
    fn only_what_is_listed_is_excused() {
        let recorded = json!({"status": 500, "allow": "GET", "body_json": {"a": 1}});
        let here = json!({"status": 400, "allow": "PUT", "body_json": {"a": 2}});
        let mut known = known();
        assert_eq!(known.unused(&["s"]).len(), 2);
        let mut found = between(&recorded, &here);
        known.excuse("s", "n", &mut found);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "/allow");
        assert!(known.unused(&["s"]).is_empty());
        assert!(known.unused(&["t"]).is_empty());
    }

    #[test]
    fn another_status_than_the_listed_one_is_not_excused() {
        let mut known = known();
        let mut found = between(&json!({"status": 500}), &json!({"status": 200}));
        known.excuse("s", "n", &mut found);
        assert_eq!(found.len(), 1);
    }
}
