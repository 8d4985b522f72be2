//! Sends recorded requests and compares the answers.

use crate::{
    http::Request,
    lab::{HOST, Lab},
};
use scenario::{
    Report, Session,
    file::{self, Scenario},
};
use serde_json::Value;
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// No healthy wait takes that long.
const PATIENCE: Duration = Duration::from_secs(90);

pub(super) struct Replay<'a> {
    lab: &'a Lab,
    pub(super) session: Session,
}

impl<'a> Replay<'a> {
    pub(super) fn new(lab: &'a Lab) -> Self {
        let base = format!("http://{}", lab.client.address);
        Self {
            lab,
            session: Session::new(&base, HOST),
        }
    }

    /// Builds the objects that the recordings are about.
    pub(super) async fn set_up(lab: &'a Lab) -> Self {
        let mut replay = Self::new(lab);
        let setup = Scenario::read(&super::path("golden/setup.json")).unwrap();
        replay.session.begin(&setup);
        for entry in setup.requests().unwrap() {
            let answer = replay.play(entry).await;
            let status = answer["status"].as_u64().unwrap();
            assert!(status < 300, "{entry}: {answer}");
            replay.wait(entry).await;
        }
        replay
    }

    /// Sends the request of an entry and returns what counts of the answer.
    pub(super) async fn play(&mut self, entry: &Value) -> Value {
        let wanted = self.session.request(entry);
        let mut request = Request::bare(&wanted.method, &wanted.path);
        for (name, value) in &wanted.headers {
            request = request.header(name, value);
        }
        if let Some(body) = wanted.body {
            request = request.undeclared(body);
        }
        let answer = self.lab.client.send(request).await;
        self.session.answer(entry, &answer.0)
    }

    /// Waits for what the entry says. Follows the event log, as nothing changes without an event.
    async fn wait(&self, entry: &Value) {
        let Some(wait) = entry.get("wait") else {
            return;
        };
        let path = wait["path"].as_str().unwrap();
        let until = wait["until"].as_object().unwrap();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = store::event::newest(&self.lab.db).await.unwrap();
            let document = self.lab.client.get(path).await.json();
            if until
                .iter()
                .all(|(key, value)| document.get(key) == Some(value))
            {
                return;
            }
            assert!(Instant::now() < deadline, "{entry}: {document}");
            // A lease may be given back without an event, so the wait is short and repeated.
            let pause = Duration::from_millis(200);
            store::event::wait(&self.lab.db, seen, pause).await.unwrap();
        }
    }

    /// Plays a file and compares.
    pub(super) async fn compare(&mut self, path: &Path, report: &mut Report) {
        let scenario = Scenario::read(path).unwrap();
        self.session.begin(&scenario);
        for entry in scenario.requests().unwrap() {
            let found = self.play(entry).await;
            report.compare(&scenario.name, entry, &file::recorded(entry), &found);
            self.wait(entry).await;
        }
    }

    /// Every object, without the times at which it was last touched.
    pub(super) async fn everything(&self) -> Value {
        let mut all = Vec::new();
        for path in [
            "/v1/nodes/detail?include_children=true",
            "/v1/ports/detail",
            "/v1/portgroups/detail",
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
