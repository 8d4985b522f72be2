//! Clients that never rest while versions change, and what they saw.
//!
//! Each worker counts what was accepted and done. Being told to wait (409, 503) is part of life, and
//! so is an API that has just gone; everything else is noted as wrong.

use super::super::PATIENCE;
use crate::http::{Answer, Client, Request};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

/// What each worker does.
const WORKERS: &[&str] = &["changes", "changes", "rows", "life", "life", "reader"];

/// How much each of them is to get done between two looks.
const ENOUGH: u64 = 5;

#[derive(Default)]
struct Shared {
    apis: RwLock<Vec<Client>>,
    turn: AtomicUsize,
    over: AtomicBool,
    done: Vec<AtomicU64>,
    wrong: Mutex<Vec<String>>,
}

/// The workers; they stop when they are told to.
pub(super) struct Traffic {
    shared: Arc<Shared>,
    workers: JoinSet<()>,
}

impl Traffic {
    pub(super) fn start(api: &Client) -> Self {
        let shared = Arc::new(Shared {
            apis: RwLock::new(vec![api.clone()]),
            done: WORKERS.iter().map(|_| AtomicU64::new(0)).collect(),
            ..Shared::default()
        });
        let mut workers = JoinSet::new();
        for (index, work) in WORKERS.iter().enumerate() {
            let worker = Worker {
                shared: Arc::clone(&shared),
                index,
            };
            workers.spawn(async move {
                match *work {
                    "changes" => worker.changes().await,
                    "rows" => worker.rows().await,
                    "life" => worker.life().await,
                    _ => worker.reader().await,
                }
            });
        }
        Self { shared, workers }
    }

    /// From now on these are asked, in turn.
    pub(super) fn ask(&self, apis: &[&Client]) {
        let mut known = self
            .shared
            .apis
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *known = apis.iter().copied().cloned().collect();
    }

    pub(super) fn wrong(&self) -> Vec<String> {
        let wrong = self.shared.wrong.lock();
        wrong.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until every worker got more done; fails on the first thing that is wrong.
    pub(super) async fn goes_on(&self, when: &str) {
        if let Err(wrong) = self.try_go_on(when).await {
            panic!("{wrong}");
        }
    }

    /// The same, or what is wrong.
    pub(super) async fn try_go_on(&self, when: &str) -> Result<(), String> {
        let counts = || -> Vec<u64> {
            let done = self.shared.done.iter();
            done.map(|count| count.load(Ordering::Relaxed)).collect()
        };
        let before = counts();
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(wrong) = self.wrong().first() {
                return Err(format!("{when}: {wrong}"));
            }
            let now = counts();
            if before.iter().zip(&now).all(|(a, b)| *b >= a + ENOUGH) {
                println!("{when}: {now:?}");
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(format!("{when}: {before:?} became {now:?} and no more"));
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Ends, with everything that was wrong.
    pub(super) async fn stop(self) -> Vec<String> {
        self.shared.over.store(true, Ordering::Relaxed);
        let wrong = Arc::clone(&self.shared);
        let ended = tokio::time::timeout(PATIENCE, self.workers.join_all()).await;
        ended.expect("the workers do not end");
        let wrong = wrong.wrong.lock();
        wrong.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct Worker {
    shared: Arc<Shared>,
    index: usize,
}

impl Worker {
    fn is_over(&self) -> bool {
        self.shared.over.load(Ordering::Relaxed)
    }

    fn done(&self) {
        self.shared.done[self.index].fetch_add(1, Ordering::Relaxed);
    }

    fn wrong(&self, what: String) {
        let wrong = self.shared.wrong.lock();
        wrong.unwrap_or_else(PoisonError::into_inner).push(what);
        // One is enough, and the next ones would only follow from it.
        self.shared.over.store(true, Ordering::Relaxed);
    }

    fn client(&self) -> Client {
        let turn = self.shared.turn.fetch_add(1, Ordering::Relaxed);
        let apis = self
            .shared
            .apis
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        apis[turn % apis.len()].clone()
    }

    /// Sends a request until somebody accepts or refuses it; `None` when it is over.
    async fn ask(&self, request: &Request, good: &[u16]) -> Option<Answer> {
        // Whether an earlier attempt may have been accepted, so that this one is not.
        let mut is_repeated = false;
        while !self.is_over() {
            match self.client().try_send(request).await {
                Ok(answer) if good.contains(&answer.status) => return Some(answer),
                Ok(answer) if answer.status == 409 && is_repeated && good == [201] => {
                    return Some(answer);
                }
                Ok(answer) if answer.status == 409 => {}
                Ok(answer) if answer.status == 503 => is_repeated = true,
                Ok(answer) => {
                    let text = answer.text();
                    self.wrong(format!("{} {request:?}: {text}", answer.status));
                    return None;
                }
                // An API that stops; another one is there.
                Err(_) => is_repeated = true,
            }
            sleep(Duration::from_millis(20)).await;
        }
        None
    }

    async fn get(&self, path: &str) -> Option<Value> {
        let answer = self.ask(&Request::new("GET", path), &[200]).await?;
        Some(answer.json())
    }

    async fn enroll(&self, name: &str) -> Option<String> {
        let uuid = uuid::Uuid::new_v4().to_string();
        let body = json!({"driver": "fake-hardware", "uuid": uuid, "name": name});
        let request = Request::new("POST", "/v1/nodes").json(&body);
        self.ask(&request, &[201]).await?;
        Some(uuid)
    }

    /// Writes numbers into one node; none that was accepted may be lost.
    async fn changes(&self) {
        let name = format!("changes-{}", self.index);
        let Some(node) = self.enroll(&name).await else {
            return;
        };
        let path = format!("/v1/nodes/{node}");
        for number in 1u64.. {
            let change = json!([{"op": "add", "path": "/extra/number", "value": number}]);
            let request = Request::new("PATCH", &path).json(&change);
            if self.ask(&request, &[200]).await.is_none() {
                return;
            }
            let Some(shown) = self.get(&path).await else {
                return;
            };
            let stored = shown["extra"]["number"].as_u64();
            if stored != Some(number) {
                return self.wrong(format!(
                    "{name}: {number} was accepted, {stored:?} is stored"
                ));
            }
            self.done();
        }
    }

    /// Makes rows of several kinds, and removes them.
    async fn rows(&self) {
        for number in 0.. {
            if self.round_of_rows(number).await.is_none() {
                return;
            }
            self.done();
        }
    }

    async fn round_of_rows(&self, number: u64) -> Option<()> {
        let node = self.enroll(&format!("rows-{number}")).await?;
        let address = format!(
            "52:54:00:00:{:02x}:{:02x}",
            number / 256 % 256,
            number % 256
        );
        let rows = [
            (
                "/v1/portgroups",
                json!({"node_uuid": node, "name": format!("g{number}")}),
            ),
            ("/v1/ports", json!({"node_uuid": node, "address": address})),
            (
                "/v1/volume/connectors",
                json!({"node_uuid": node, "type": "iqn", "connector_id": format!("iqn.{number}")}),
            ),
            ("/v1/chassis", json!({"description": "short-lived"})),
            (
                "/v1/deploy_templates",
                json!({"name": format!("CUSTOM_T{number}"), "steps": [{
                    "interface": "deploy", "step": "deploy", "args": {}, "priority": 10
                }]}),
            ),
        ];
        let mut made = Vec::new();
        for (path, mut body) in rows {
            let uuid = uuid::Uuid::new_v4().to_string();
            body["uuid"] = json!(uuid);
            let request = Request::new("POST", path).json(&body);
            self.ask(&request, &[201]).await?;
            made.push(format!("{path}/{uuid}"));
        }
        let traits = Request::new("PUT", &format!("/v1/nodes/{node}/traits"));
        let traits = traits.json(&json!({"traits": ["CUSTOM_ROLLING"]}));
        self.ask(&traits, &[204]).await?;
        made.push(format!("/v1/nodes/{node}"));
        for path in made.iter().rev() {
            // The node takes its own with it; a second attempt may find nothing.
            self.ask(&Request::new("DELETE", path), &[204, 404]).await?;
        }
        Some(())
    }

    /// Takes one machine through its life, again and again.
    async fn life(&self) {
        let name = format!("life-{}", self.index);
        let Some(node) = self.enroll(&name).await else {
            return;
        };
        if self.moves(&node, "manage", "manageable").await.is_none()
            || self.moves(&node, "provide", "available").await.is_none()
        {
            return;
        }
        loop {
            if self.moves(&node, "active", "active").await.is_none()
                || self.moves(&node, "deleted", "available").await.is_none()
            {
                return;
            }
            self.done();
        }
    }

    async fn moves(&self, node: &str, verb: &str, to: &str) -> Option<()> {
        let path = format!("/v1/nodes/{node}/states/provision");
        let request = Request::new("PUT", &path).json(&json!({"target": verb}));
        // 400: an answer was lost, and what was asked for has happened.
        self.ask(&request, &[202, 400]).await?;
        loop {
            let shown = self.get(&format!("/v1/nodes/{node}")).await?;
            let state = shown["provision_state"].as_str()?;
            if state == to && shown["reservation"].is_null() {
                return Some(());
            }
            if state.ends_with("failed") {
                self.wrong(format!("{node} {state}: {}", shown["last_error"]));
                return None;
            }
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Follows the log of events, which has no gaps.
    async fn reader(&self) {
        let mut last = 0;
        while !self.is_over() {
            let path = format!("/corten/v1/events?after={last}&wait=1");
            let Some(page) = self.get(&path).await else {
                return;
            };
            for event in page["events"].as_array().into_iter().flatten() {
                let cursor = event["cursor"].as_i64().unwrap_or_default();
                if cursor != last + 1 {
                    return self.wrong(format!("event {cursor} follows {last}"));
                }
                last = cursor;
                self.done();
            }
        }
    }
}
