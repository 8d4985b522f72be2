//! Finds differences, collects them and shows them in one table.

use crate::Known;
use serde_json::Value;
use std::fmt::Write;

/// Differences of one request that are shown; more of them are seldom news.
const SHOWN: usize = 6;

/// One place at which two answers differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Keys and numbers, each after a slash.
    pub place: String,
    /// What Ironic said.
    pub there: Option<Value>,
    /// What ours says.
    pub here: Option<Value>,
}

/// What was found in a play.
#[derive(Debug, Default)]
pub struct Report {
    known: Known,
    rows: Vec<(String, String, Vec<Difference>)>,
    compared: usize,
    scenarios: Vec<String>,
}

impl Report {
    pub fn new(known: Known) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// Compares what counts of two answers to one request.
    pub fn compare(&mut self, scenario: &str, entry: &Value, there: &Value, here: &Value) {
        if !self.scenarios.iter().any(|known| known == scenario) {
            self.scenarios.push(scenario.to_owned());
        }
        self.compare_sample(scenario, entry, there, here);
    }

    /// The same for requests that are not played in every run: nobody misses the known differences
    /// of those that were not.
    pub fn compare_sample(&mut self, scenario: &str, entry: &Value, there: &Value, here: &Value) {
        let name = entry["name"].as_str().unwrap_or_default();
        self.compared += 1;
        let mut found = between(there, here);
        if entry.get("varies").is_some() {
            found.retain(|difference| difference.place == "/status");
        }
        self.known.excuse(scenario, name, &mut found);
        if found.is_empty() {
            return;
        }
        // What is about the whole answer says most.
        found.sort_by_key(|difference| difference.place.starts_with("/body_json"));
        let text = |key: &str| entry[key].as_str().unwrap_or("-").to_owned();
        let mut line = format!("{} {} @{}", text("method"), text("path"), text("version"));
        if let Some(body) = entry.get("body") {
            let _ = write!(line, " {}", shortened(&body.to_string(), 300));
        }
        self.rows.push((format!("{scenario}: {name}"), line, found));
    }

    /// The count of answers that were compared and of those that differ on purpose, or the table of
    /// what is wrong.
    pub fn finish(&self) -> Result<(usize, usize), String> {
        let scenarios: Vec<&str> = self.scenarios.iter().map(String::as_str).collect();
        let unused = self.known.unused(&scenarios);
        if self.rows.is_empty() && unused.is_empty() {
            return Ok((self.compared, self.known.count(&scenarios)));
        }
        let mut table = format!("{} of {} answers differ:\n", self.rows.len(), self.compared);
        for (what, request, differences) in &self.rows {
            let _ = writeln!(table, "\n* {what}\n  {request}");
            for difference in differences.iter().take(SHOWN) {
                let _ = writeln!(table, "    - {}", difference.shown());
            }
            if differences.len() > SHOWN {
                let _ = writeln!(table, "    - and {} more", differences.len() - SHOWN);
            }
        }
        for place in unused {
            let _ = writeln!(table, "\n* listed as known, but equal: {place}");
        }
        Err(table)
    }
}

impl Difference {
    fn shown(&self) -> String {
        let text = |value: &Option<Value>| match value {
            Some(value) => shortened(&value.to_string(), 700),
            None => "nothing".to_owned(),
        };
        let (there, here) = (text(&self.there), text(&self.here));
        format!("{}: {there} there, {here} here", self.place)
    }
}

/// The places at which two documents differ.
pub fn between(there: &Value, here: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    collect("", Some(there), Some(here), &mut found);
    found
}

fn collect(place: &str, there: Option<&Value>, here: Option<&Value>, out: &mut Vec<Difference>) {
    match (there, here) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            for (key, value) in a {
                collect(&format!("{place}/{key}"), Some(value), b.get(key), out);
            }
            for (key, value) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
                collect(&format!("{place}/{key}"), None, Some(value), out);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                collect(&format!("{place}/{i}"), Some(a), Some(b), out);
            }
        }
        (a, b) if a == b => {}
        (a, b) => out.push(Difference {
            place: place.to_owned(),
            there: a.cloned(),
            here: b.cloned(),
        }),
    }
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
