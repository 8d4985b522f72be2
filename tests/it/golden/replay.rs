//! Sends recorded requests and compares the answers.

use super::{difference::Report, known, later, normal::Normal};
use crate::{
    http::{Answer, Request},
    lab::{HOST, Lab},
};
use serde_json::{Value, json};
use std::path::Path;

/// The text of a recording.
fn text(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("golden/{name}.json"));
    std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

pub(super) fn read(name: &str) -> Value {
    serde_json::from_str(&text(name)).unwrap()
}

pub(super) struct Replay<'a> {
    lab: &'a Lab,
    normal: Normal,
}

impl<'a> Replay<'a> {
    pub(super) fn new(lab: &'a Lab) -> Self {
        let requests = [text("setup"), text("faults"), text("answers")].concat();
        let base = format!("http://{}", lab.client.address);
        Self {
            lab,
            normal: Normal::new(base, HOST, &requests),
        }
    }

    /// Builds the objects that the other recordings are about.
    pub(super) async fn set_up(&self) {
        for entry in read("setup").as_array().unwrap() {
            let mut entry = entry.clone();
            if later::reason(&entry).is_some() {
                continue;
            }
            let group = entry
                .get_mut("body")
                .and_then(Value::as_object_mut)
                .and_then(|body| body.remove("portgroup_uuid"));
            let answer = self.send(&entry).await;
            assert!(answer.status < 300, "{entry}: {}", answer.text());
            self.wait(&entry).await;
            if let Some(group) = group {
                self.put_into_group(&entry, group.as_str().unwrap());
            }
        }
    }

    /// Port groups cannot be created yet, but the column that refers to them is there.
    fn put_into_group(&self, entry: &Value, group: &str) {
        let port = entry["body"]["uuid"].as_str().unwrap();
        let sql = format!("UPDATE ports SET portgroup_uuid = '{group}' WHERE uuid = '{port}'");
        self.lab.database.execute(&sql);
    }

    pub(super) async fn send(&self, entry: &Value) -> Answer {
        let path = entry["path"].as_str().unwrap().replace("<host>", HOST);
        let mut request = Request::bare(entry["method"].as_str().unwrap(), &path);
        if let Some(version) = entry["version"].as_str() {
            request = request.version(version);
        }
        for (name, value) in entry["headers"].as_object().into_iter().flatten() {
            request = request.header(name, value.as_str().unwrap());
        }
        if let Some(body) = entry.get("body") {
            request = request.json(body);
        } else if let Some(raw) = entry["raw_body"].as_str() {
            request = request.raw(raw.as_bytes().to_vec());
        }
        self.lab.client.send(request).await
    }

    async fn wait(&self, entry: &Value) {
        let Some(wait) = entry.get("wait") else {
            return;
        };
        let path = wait["path"].as_str().unwrap();
        let id = path.split('/').nth(3).unwrap();
        let until = wait["until"].as_object().unwrap();
        self.lab
            .machine(id)
            .until(&wait["until"].to_string(), |node| {
                Some(until.iter().all(|(key, value)| &node[key] == value))
            })
            .await;
    }

    /// The body as the recordings hold it, with the text inside `error_message` opened.
    pub(super) fn body(&self, answer: &Answer) -> Value {
        if answer.body.is_empty() {
            return Value::Null;
        }
        let Ok(mut value) = serde_json::from_slice::<Value>(&answer.body) else {
            return json!({"not JSON": answer.text()});
        };
        let opened = value["error_message"]
            .as_str()
            .and_then(|text| serde_json::from_str(text).ok());
        if let Some(opened) = opened {
            value["error_message"] = opened;
        }
        self.normal.value(&value, "")
    }

    /// Replays a recording and compares; returns how many answers were compared.
    pub(super) async fn compare(&self, name: &str) -> usize {
        let mut report = Report::default();
        let mut compared = 0;
        let mut excused = Vec::new();
        let recorded = read(name);
        for entry in recorded.as_array().unwrap() {
            if later::reason(entry).is_some() {
                continue;
            }
            let answer = self.send(entry).await;
            self.wait(entry).await;
            compared += 1;
            let what = entry["name"].as_str().unwrap();
            if let Some(expected) = known::status(name, what) {
                excused.push(what);
                report.status(what, entry, expected, answer.status);
                continue;
            }
            self.compare_one(&mut report, entry, &answer);
        }
        known::check_all_used(name, &excused);
        report.finish(compared);
        compared
    }

    fn compare_one(&self, report: &mut Report, entry: &Value, answer: &Answer) {
        let what = entry["name"].as_str().unwrap();
        if entry["status"] == 500 {
            let mended = (400..500).contains(&answer.status);
            let complaint = format!("500 recorded, must be a 4xx, is {}", answer.status);
            report.check(what, entry, mended, &complaint);
            return;
        }
        report.status(
            what,
            entry,
            entry["status"].as_u64().unwrap(),
            answer.status,
        );
        if entry.get("varies").is_some() {
            return;
        }
        let headers = ["minimum-version", "maximum-version", "version"]
            .iter()
            .filter(|name| {
                answer
                    .header(&format!("x-openstack-ironic-api-{name}"))
                    .is_some()
            })
            .count();
        let sent = match headers {
            0 => "none",
            2 => "range",
            3 => "all",
            _ => "some",
        };
        let optional = |name: &str| answer.header(name).map(|v| self.normal.text(v));
        let found = json!({
            "version_headers": sent, "allow": optional("allow"), "location": optional("location"),
            "body": self.body(answer),
        });
        let expected = json!({
            "version_headers": entry["version_headers"], "allow": entry["allow"],
            "location": entry["location"], "body": known::document(&entry["body_json"]),
        });
        report.compare(what, entry, &expected, &found);
    }

    /// Every object, without the times at which it was last touched.
    pub(super) async fn everything(&self) -> Value {
        let mut all = Vec::new();
        for path in [
            "/v1/nodes/detail?include_children=true",
            "/v1/ports/detail",
            "/v1/chassis/detail",
        ] {
            let mut list = self.lab.client.get(path).await.expect(200).json();
            for items in list.as_object_mut().unwrap().values_mut() {
                for item in items.as_array_mut().into_iter().flatten() {
                    item.as_object_mut().unwrap().remove("updated_at");
                }
            }
            all.push(list);
        }
        Value::Array(all)
    }
}
