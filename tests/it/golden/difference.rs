//! Collects differences and shows them in one table.

use serde_json::Value;
use std::fmt::Write;

/// Differences of one request that are shown; more of them are seldom news.
const SHOWN: usize = 6;

#[derive(Default)]
pub(super) struct Report {
    rows: Vec<(String, String, Vec<String>)>,
}

impl Report {
    pub(super) fn check(&mut self, what: &str, request: &Value, fine: bool, complaint: &str) {
        if !fine {
            self.add(what, request, vec![complaint.to_owned()]);
        }
    }

    pub(super) fn status(&mut self, what: &str, request: &Value, expected: u64, found: u16) {
        let complaint = format!("status: {expected} recorded, {found} here");
        self.check(what, request, expected == u64::from(found), &complaint);
    }

    pub(super) fn compare(&mut self, what: &str, request: &Value, expected: &Value, found: &Value) {
        let mut differences = Vec::new();
        collect("", Some(expected), Some(found), &mut differences);
        if !differences.is_empty() {
            self.add(what, request, differences);
        }
    }

    fn add(&mut self, what: &str, request: &Value, differences: Vec<String>) {
        let text = |key: &str| request[key].as_str().unwrap_or("-").to_owned();
        let mut line = format!("{} {} @{}", text("method"), text("path"), text("version"));
        if let Some(body) = request.get("body") {
            let _ = write!(line, " {}", shortened(&body.to_string(), 300));
        }
        match self.rows.last_mut() {
            Some(last) if last.0 == what && last.1 == line => last.2.extend(differences),
            _ => self.rows.push((what.to_owned(), line, differences)),
        }
    }

    /// Fails with the table if there is anything in it.
    pub(super) fn finish(self, compared: usize) {
        if self.rows.is_empty() {
            return;
        }
        let mut table = String::new();
        for (what, request, differences) in &self.rows {
            let _ = writeln!(table, "\n* {what}\n  {request}");
            for difference in differences.iter().take(SHOWN) {
                let _ = writeln!(table, "    - {difference}");
            }
            if differences.len() > SHOWN {
                let _ = writeln!(table, "    - and {} more", differences.len() - SHOWN);
            }
        }
        let count = self.rows.len();
        panic!("{count} of {compared} answers differ from the recordings:\n{table}");
    }
}

/// Lists the places at which two documents differ.
fn collect(place: &str, expected: Option<&Value>, found: Option<&Value>, out: &mut Vec<String>) {
    match (expected, found) {
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
        (a, b) => {
            let text = |value: Option<&Value>| {
                value.map_or("nothing".into(), |v| shortened(&v.to_string(), 700))
            };
            let place = if place.is_empty() { "body" } else { place };
            out.push(format!("{place}: {} recorded, {} here", text(a), text(b)));
        }
    }
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
