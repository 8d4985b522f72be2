//! What counts of two answers to one request, and where they differ.
//!
//! Links differ by their host. Rows in lists are found by their UUID, so that a row that only one side
//! has does not make all later ones different; and every difference knows its row, because it counts
//! only while Ironic's row stays as it is. Values leave this module as short texts, and those of fields
//! that hold settings of drivers and instances not at all.

use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};
use types::{
    json_shape::{Shape, TooManyValues},
    mask::MASK,
};

/// One place at which two answers differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Keys, UUIDs and numbers, each behind a slash.
    pub(crate) place: String,
    /// The UUID of the innermost row; empty outside of rows.
    pub(crate) row: String,
    /// What Ironic says.
    pub(crate) ironic: Option<String>,
    pub(crate) here: Option<String>,
    /// Why it is meant to be, if it is.
    pub(crate) reason: Option<Reason>,
}

/// Why answers differ on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// Locks of conductors are not imported.
    Lock,
    /// No conductor serves a copy.
    Conductor,
    /// A secret that Ironic shows is masked here.
    Masked,
    /// Ironic fails where nothing is wrong, or the request is.
    IronicFails,
    /// The import has reported that the row could not be taken as it is.
    Import,
}

impl Reason {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::Conductor => "conductor",
            Self::Masked => "masked",
            Self::IronicFails => "ironic-fails",
            Self::Import => "import",
        }
    }
}

/// Values below these keys are never told.
const HIDDEN: &[&str] = &[
    "driver_info",
    "instance_info",
    "driver_internal_info",
    "internal_info",
    "properties",
    "extra",
    "raid_config",
    "target_raid_config",
    "clean_step",
    "deploy_step",
    "service_step",
    "inventory",
    "plugin_data",
    "actions",
    "steps",
];
/// A longer value is cut.
const LONGEST: usize = 80;
/// So many differences of two answers are looked at.
const MOST: usize = 200;
/// As deep as answers of Ironic are nested at most, and more.
const DEEPEST: usize = 64;

/// An answer, with what both sides say of themselves taken out.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    /// `prefix` is what stands between host and `/v1` in links of this side. Fails where
    /// the values would take far more memory than the text, which clients of Ironic can bring about.
    pub(crate) fn new(status: u16, body: &[u8], prefix: &str) -> Result<Self, TooManyValues> {
        Shape::within_bounds(body)?;
        let mut body = serde_json::from_slice(body).unwrap_or_else(|_| match body {
            [] => Value::Null,
            text => Value::String(String::from_utf8_lossy(text).into_owned()),
        });
        strip(&mut body, prefix, 0);
        unpack(&mut body);
        Ok(Self { status, body })
    }
}

/// Links are the same behind their host.
fn strip(value: &mut Value, prefix: &str, depth: usize) {
    match value {
        Value::Object(map) if depth < DEEPEST => {
            for (key, value) in map {
                if let ("href" | "next", Value::String(link)) = (&**key, &mut *value)
                    && let Some((_, rest)) = link.split_once("://")
                {
                    let path = rest.find('/').and_then(|at| rest.get(at..));
                    let path = path.unwrap_or_default();
                    *link = path.strip_prefix(prefix).unwrap_or(path).to_owned();
                } else {
                    strip(value, prefix, depth + 1);
                }
            }
        }
        Value::Array(items) if depth < DEEPEST => {
            for item in items {
                strip(item, prefix, depth + 1);
            }
        }
        _ => {}
    }
}

/// An error has its fault as a text of JSON within JSON, whose keys have no order.
fn unpack(body: &mut Value) {
    if let Some(Value::String(text)) = body.get("error_message")
        && let Ok(fault) = serde_json::from_str::<Value>(text)
    {
        body["error_message"] = fault;
    }
}

/// Where two answers differ, each with the reason if there is one. `damaged` are the rows that the import
/// has reported.
pub(crate) fn between(
    ironic: &Answer,
    here: &Answer,
    is_damaged: &dyn Fn(&str) -> bool,
) -> Vec<Difference> {
    let mut walk = Walk {
        found: Vec::new(),
        is_damaged,
    };
    if ironic.status != here.status {
        let status = |answer: &Answer| Value::from(answer.status);
        walk.add("/status", "", Some(&status(ironic)), Some(&status(here)));
        if ironic.status == 500 {
            for difference in &mut walk.found {
                difference.reason = Some(Reason::IronicFails);
            }
            return walk.found;
        }
    }
    walk.values("", "", Some(&ironic.body), Some(&here.body), 0);
    walk.found
}

struct Walk<'a> {
    found: Vec<Difference>,
    is_damaged: &'a dyn Fn(&str) -> bool,
}

impl Walk<'_> {
    fn values(
        &mut self,
        place: &str,
        row: &str,
        ironic: Option<&Value>,
        here: Option<&Value>,
        depth: usize,
    ) {
        if self.found.len() >= MOST || ironic == here {
            return;
        }
        match (ironic, here) {
            (Some(Value::Object(a)), Some(Value::Object(b))) if depth < DEEPEST => {
                let row = uuid(a).filter(|_| uuid(a) == uuid(b)).unwrap_or(row);
                let more = b.keys().filter(|key| !a.contains_key(*key));
                for key in a.keys().chain(more) {
                    let place = format!("{place}/{key}");
                    self.values(&place, row, a.get(key), b.get(key), depth + 1);
                }
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) if depth < DEEPEST => {
                match (rows(a), rows(b)) {
                    (Some(a), Some(b)) => self.rows(place, row, &a, &b, depth),
                    _ if a.len() == b.len() => {
                        for (at, (a, b)) in a.iter().zip(b).enumerate() {
                            let place = format!("{place}/{at}");
                            self.values(&place, row, Some(a), Some(b), depth + 1);
                        }
                    }
                    _ => self.add(place, row, ironic, here),
                }
            }
            _ => self.add(place, row, ironic, here),
        }
    }

    /// Lists of rows, found by their UUIDs.
    fn rows(
        &mut self,
        place: &str,
        row: &str,
        ironic: &[(&str, &Value)],
        here: &[(&str, &Value)],
        depth: usize,
    ) {
        let there: BTreeMap<&str, &Value> = ironic.iter().copied().collect();
        let ours: BTreeMap<&str, &Value> = here.iter().copied().collect();
        let more = ours.keys().filter(|uuid| !there.contains_key(*uuid));
        for uuid in there.keys().chain(more) {
            let (a, b) = (there.get(uuid).copied(), ours.get(uuid).copied());
            self.values(&format!("{place}/{uuid}"), uuid, a, b, depth + 1);
        }
        let order = |of: &[(&str, &Value)], with: &BTreeMap<&str, &Value>| -> Value {
            let common = of.iter().filter(|(uuid, _)| with.contains_key(uuid));
            common.map(|(uuid, _)| Value::from(*uuid)).collect()
        };
        let (a, b) = (order(ironic, &ours), order(here, &there));
        if a != b {
            self.add(&format!("{place}/order"), row, Some(&a), Some(&b));
        }
    }

    fn add(&mut self, place: &str, row: &str, ironic: Option<&Value>, here: Option<&Value>) {
        let last = place.rsplit('/').next().unwrap_or_default();
        let is_null = |value: Option<&Value>| value.is_none_or(Value::is_null);
        let reason = match last {
            "reservation" if is_null(here) => Some(Reason::Lock),
            "conductor" if is_null(here) => Some(Reason::Conductor),
            _ if here.and_then(Value::as_str) == Some(MASK) => Some(Reason::Masked),
            _ if (self.is_damaged)(row) => Some(Reason::Import),
            _ => None,
        };
        let shown = |value: Option<&Value>| value.map(|value| shown(place, value));
        self.found.push(Difference {
            place: place.to_owned(),
            row: row.to_owned(),
            ironic: shown(ironic),
            here: shown(here),
            reason,
        });
    }
}

fn uuid(row: &Map<String, Value>) -> Option<&str> {
    row.get("uuid").and_then(Value::as_str)
}

/// The rows of a list, if all of it are rows, each once.
fn rows(list: &[Value]) -> Option<Vec<(&str, &Value)>> {
    let rows = list
        .iter()
        .map(|item| Some((uuid(item.as_object()?)?, item)));
    let rows: Vec<(&str, &Value)> = rows.collect::<Option<_>>()?;
    let names: std::collections::BTreeSet<&str> = rows.iter().map(|(uuid, _)| *uuid).collect();
    (names.len() == rows.len()).then_some(rows)
}

/// A value as it may be told.
fn shown(place: &str, value: &Value) -> String {
    if place.split('/').any(|key| HIDDEN.contains(&key)) {
        return "(not shown)".to_owned();
    }
    match value {
        Value::Object(map) => format!("an object of {} keys", map.len()),
        Value::Array(items) => format!("a list of {}", items.len()),
        other => match other.to_string() {
            text if text.chars().count() > LONGEST => {
                text.chars().take(LONGEST).chain(['…']).collect()
            }
            text => text,
        },
    }
}

/// What Ironic says of a row: as long as this stays, the row was not changed. Without a row, of the whole
/// answer.
pub(crate) fn fingerprint(answer: &Answer, row: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    match find(&answer.body, row, 0).filter(|_| !row.is_empty()) {
        Some(found) => found.to_string().hash(&mut hasher),
        None => {
            answer.status.hash(&mut hasher);
            answer.body.to_string().hash(&mut hasher);
        }
    }
    hasher.finish()
}

fn find<'a>(value: &'a Value, row: &str, depth: usize) -> Option<&'a Value> {
    match value {
        Value::Object(map) if uuid(map) == Some(row) => Some(value),
        Value::Object(map) if depth < DEEPEST => {
            map.values().find_map(|value| find(value, row, depth + 1))
        }
        Value::Array(items) if depth < DEEPEST => {
            items.iter().find_map(|value| find(value, row, depth + 1))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(body: &Value) -> Answer {
        Answer::new(200, body.to_string().as_bytes(), "").unwrap()
    }

    fn found(ironic: &Value, here: &Value) -> Vec<(String, Option<Reason>)> {
        let found = between(&answer(ironic), &answer(here), &|row| row == "damaged");
        let found = found.into_iter();
        found.map(|one| (one.place, one.reason)).collect()
    }

    #[test]
    fn hosts_of_links_and_the_order_of_keys_make_no_difference() {
        let link = |base: &str| {
            format!(
                r#"{{"next": "{base}/v1/nodes?marker=1", "links": [{{"href": "{base}/nodes/1"}}]}}"#
            )
        };
        let a = Answer::new(200, link("http://a:1").as_bytes(), "").unwrap();
        let b = Answer::new(200, link("https://b/bm").as_bytes(), "/bm").unwrap();
        assert_eq!(between(&a, &b, &|_| false), []);
        let fault = |text: &str| answer(&json!({"error_message": text}));
        let (a, b) = (fault(r#"{"a": 1, "b": 2}"#), fault(r#"{"b": 2, "a": 1}"#));
        assert_eq!(between(&a, &b, &|_| false), []);
    }

    #[test]
    fn a_row_that_one_side_lacks_leaves_the_others_alone() {
        let row = |uuid: &str, name: &str| json!({"uuid": uuid, "name": name});
        let ironic = json!({"nodes": [row("1", "a"), row("2", "b"), row("3", "c")]});
        let here = json!({"nodes": [row("3", "c"), row("2", "x"), row("4", "d")]});
        let places = ["/nodes/1", "/nodes/2/name", "/nodes/4", "/nodes/order"];
        assert_eq!(
            found(&ironic, &here),
            places.map(|place| (place.to_owned(), None))
        );
        let all = between(&answer(&ironic), &answer(&here), &|_| false);
        let rows: Vec<&str> = all.iter().map(|one| &*one.row).collect();
        assert_eq!(rows, ["1", "2", "4", ""]);
    }

    #[test]
    fn what_is_meant_has_its_reason_and_nothing_else_does() {
        let node = |uuid: &str, field: &str, value: Value| json!({"uuid": uuid, field: value});
        for (uuid, field, ironic, here, reason) in [
            (
                "1",
                "reservation",
                json!("ctl1"),
                Value::Null,
                Some(Reason::Lock),
            ),
            ("1", "reservation", json!("ctl1"), json!("ctl2"), None),
            (
                "1",
                "conductor",
                json!("ctl1"),
                Value::Null,
                Some(Reason::Conductor),
            ),
            (
                "1",
                "driver_info",
                json!("a"),
                json!("******"),
                Some(Reason::Masked),
            ),
            ("1", "driver_info", json!("******"), json!("a"), None),
            (
                "damaged",
                "name",
                json!("a"),
                json!("b"),
                Some(Reason::Import),
            ),
            ("1", "name", json!("a"), Value::Null, None),
        ] {
            let found = found(&node(uuid, field, ironic), &node(uuid, field, here));
            assert_eq!(found, [(format!("/{field}"), reason)]);
        }
    }

    #[test]
    fn values_are_short_and_those_of_drivers_are_never_told() {
        let (a, b) = (
            json!({"driver_info": {"x": "s3cret"}, "name": "n".repeat(500), "list": [1]}),
            json!({"driver_info": {"x": "0ther"}, "name": "m", "list": []}),
        );
        let found = between(&answer(&a), &answer(&b), &|_| false);
        let text = format!("{found:?}");
        assert!(
            !text.contains("s3cret") && !text.contains("0ther"),
            "{text}"
        );
        assert!(text.len() < 1000, "{text}");
    }

    #[test]
    fn values_that_would_take_far_more_than_their_text_are_no_answer() {
        let dense = format!("[{}0]", "[0],".repeat(1 << 20));
        assert!(Answer::new(200, dense.as_bytes(), "").is_err());
    }

    #[test]
    fn a_row_is_changed_when_anything_of_it_is() {
        let list = |name: &str, other: &str| {
            answer(&json!({"nodes": [{"uuid": "1", "name": name}, {"uuid": "2", "name": other}]}))
        };
        let before = fingerprint(&list("a", "b"), "1");
        assert_eq!(before, fingerprint(&list("a", "c"), "1"));
        assert_ne!(before, fingerprint(&list("x", "b"), "1"));
        assert_ne!(
            fingerprint(&list("a", "b"), ""),
            fingerprint(&list("a", "c"), "")
        );
    }
}
