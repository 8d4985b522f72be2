//! One play of scenarios against one service: what to send, and what of an answer counts.

use crate::{Answer, file::Scenario, normal::Normal};
use serde_json::{Map, Value, json};

const VERSION: &str = "X-OpenStack-Ironic-API-Version";
const RANGE: (&str, &str) = ("1.1", "1.115");

/// Headers that are compared as they are, besides those of versions, types and request ids.
const HEADERS: &[&str] = &[
    "allow",
    "location",
    "retry-after",
    "vary",
    "www-authenticate",
];

/// A request with all of its variables filled in.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
}

#[derive(Debug)]
pub struct Session {
    normal: Normal,
}

impl Session {
    /// `base` is where the service is, `host` the name of its conductor.
    pub fn new(base: &str, host: &str) -> Self {
        Self {
            normal: Normal::new(base, host),
        }
    }

    /// Forgets what the last scenario saved and saw.
    pub fn begin(&mut self, scenario: &Scenario) {
        self.normal.begin(&scenario.text);
    }

    /// The request of an entry.
    pub fn request(&self, entry: &Value) -> Request {
        let text = |key: &str| entry[key].as_str().unwrap_or_default();
        let mut headers: Vec<(String, String)> = Vec::new();
        if let Some(version) = entry["version"].as_str() {
            headers.push((VERSION.to_owned(), version.to_owned()));
        }
        for (name, value) in entry["headers"].as_object().into_iter().flatten() {
            headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
            // Null means that the header is not sent.
            if let Some(value) = value.as_str() {
                headers.push((name.clone(), self.normal.filled(value)));
            }
        }
        let body = match (entry.get("body"), entry.get("raw_body")) {
            (Some(body), _) => Some(self.normal.filled(&body.to_string())),
            (_, Some(raw)) => raw.as_str().map(str::to_owned),
            _ => None,
        };
        let named = entry["headers"].as_object();
        let typed = named.is_some_and(|named| {
            named
                .keys()
                .any(|name| name.eq_ignore_ascii_case("content-type"))
        });
        if body.is_some() && !typed {
            headers.push(("Content-Type".into(), "application/json".into()));
        }
        Request {
            method: text("method").to_owned(),
            path: self.normal.filled(text("path")),
            headers,
            body: body.map(String::into_bytes),
        }
    }

    /// Keeps what the entry wants to be saved, and returns what of the answer counts.
    pub fn answer(&mut self, entry: &Value, answer: &Answer) -> Value {
        let body = body(answer);
        for (name, place) in entry["save"].as_object().into_iter().flatten() {
            let value = place.as_str().and_then(|place| body.pointer(place));
            if let Some(value) = value.and_then(Value::as_str) {
                self.normal.save(name, value);
            }
        }
        let what = entry["name"].as_str().unwrap_or_default();
        let mut all = Map::new();
        all.insert("status".into(), answer.status.into());
        all.insert("version_headers".into(), versions(entry, answer).into());
        for (name, value) in &answer.headers {
            if HEADERS.contains(&name.as_str()) || name.starts_with("access-control-") {
                all.insert(name.clone(), self.normal.text(value, what).into());
            }
        }
        let usual = (!answer.body.is_empty()).then_some("application/json");
        let kind = answer.header("content-type");
        if kind != usual && answer.header("content-length") != Some("0") {
            all.insert("content-type".into(), json!(kind));
        }
        let id = answer.header("openstack-request-id").unwrap_or_default();
        if !id.starts_with("req-") {
            all.insert("openstack-request-id".into(), json!(null));
        }
        all.insert("body_json".into(), self.normal.value(&body, "", what));
        Value::Object(all)
    }
}

/// `all` for the range and the version asked for, `range` for the range, `none`, or what was sent.
fn versions(entry: &Value, answer: &Answer) -> String {
    let sent = |name: &str| answer.header(&format!("x-openstack-ironic-api-{name}"));
    let range = (sent("minimum-version"), sent("maximum-version"));
    let asked = entry["version"].as_str().unwrap_or(RANGE.0);
    match (range, sent("version")) {
        ((None, None), None) => "none".into(),
        ((Some(low), Some(high)), None) if (low, high) == RANGE => "range".into(),
        ((Some(low), Some(high)), Some(v)) if (low, high) == RANGE && v == asked => "all".into(),
        ((low, high), version) => [low, high, version]
            .map(|text| text.unwrap_or("-"))
            .join(" "),
    }
}

/// The body as JSON, with the JSON text inside `error_message` opened too.
fn body(answer: &Answer) -> Value {
    if answer.body.is_empty() {
        return Value::Null;
    }
    let Ok(mut value) = serde_json::from_slice::<Value>(&answer.body) else {
        return json!({"not JSON": answer.text()});
    };
    let opened = value
        .get("error_message")
        .and_then(Value::as_str)
        .and_then(|text| serde_json::from_str(text).ok());
    if let Some(opened) = opened {
        value["error_message"] = opened;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(headers: &[(&str, &str)], body: &str) -> Answer {
        let headers = headers.iter().map(|(n, v)| ((*n).into(), (*v).into()));
        Answer {
            status: 200,
            headers: headers.collect(),
            body: body.into(),
        }
    }

    #[test]
    fn saved_values_come_back_in_requests_and_are_named_in_answers() {
        let mut session = Session::new("http://127.0.0.1:1", "lab");
        let entry = json!({"name": "lookup", "save": {"token": "/config/agent_token"}});
        let seen = session.answer(
            &entry,
            &answer(&[], r#"{"config": {"agent_token": "abc"}}"#),
        );
        assert_eq!(seen["body_json"]["config"]["agent_token"], "<token>");
        let next = json!({"method": "POST", "path": "/x?t=<token>&h=<host>", "body": ["<token>"]});
        let request = session.request(&next);
        assert_eq!(request.path, "/x?t=abc&h=lab");
        assert_eq!(request.body.unwrap(), br#"["abc"]"#);
    }

    #[test]
    fn what_is_usual_about_headers_is_not_written_down() {
        let mut session = Session::new("http://127.0.0.1:1", "lab");
        let entry = json!({"version": "1.30"});
        let sent = [
            ("x-openstack-ironic-api-minimum-version", "1.1"),
            ("x-openstack-ironic-api-maximum-version", "1.115"),
            ("x-openstack-ironic-api-version", "1.30"),
            ("content-type", "application/json"),
            ("openstack-request-id", "req-1"),
            ("vary", "Accept"),
        ];
        let expected = json!({
            "status": 200, "version_headers": "all", "vary": "Accept", "body_json": {},
        });
        assert_eq!(session.answer(&entry, &answer(&sent, "{}")), expected);
        let seen = session.answer(&json!({}), &answer(&sent[1..3], "x"));
        assert_eq!(seen["version_headers"], "- 1.115 1.30");
        assert_eq!(seen.get("content-type"), Some(&Value::Null));
        assert_eq!(seen.get("openstack-request-id"), Some(&Value::Null));
        assert_eq!(seen["body_json"], json!({"not JSON": "x"}));
    }
}
