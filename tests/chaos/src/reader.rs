//! Readers that follow the event log all the time, whatever happens to the APIs.

use crate::http::{self, Request};
use anyhow::{Context, Result, bail};
use scenario::random::Random;
use serde_json::Value;
use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::sleep;

/// What stands for an event: two with the same mark are the same.
pub(crate) fn mark(cursor: i64, node: &str, kind: &str, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (cursor, node, kind, text).hash(&mut hasher);
    hasher.finish()
}

/// One reader, and what it has seen.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) name: String,
    endpoints: Vec<String>,
    /// Marks of all events, the first of which has the cursor 1.
    seen: Mutex<Vec<u64>>,
    /// The first thing that was wrong with the log.
    wrong: Mutex<Option<String>>,
    interruptions: AtomicU64,
}

impl Reader {
    /// A reader that asks one of these APIs, another one at times.
    pub(crate) fn new(name: impl Into<String>, endpoints: Vec<String>) -> Arc<Self> {
        Arc::new(Self {
            name: name.into(),
            endpoints,
            seen: Mutex::default(),
            wrong: Mutex::default(),
            interruptions: AtomicU64::new(0),
        })
    }

    pub(crate) fn seen(&self) -> Vec<u64> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone()
    }

    pub(crate) fn position(&self) -> usize {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.len()
    }

    pub(crate) fn wrong(&self) -> Option<String> {
        let wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.clone()
    }

    pub(crate) fn interruptions(&self) -> u64 {
        self.interruptions.load(Ordering::Relaxed)
    }

    /// Follows the log until told to stop.
    pub(crate) async fn follow(self: Arc<Self>, mut random: Random, stop: Arc<AtomicBool>) {
        while !stop.load(Ordering::Relaxed) && self.wrong().is_none() {
            if self.look(&mut random).await.is_err() {
                self.interruptions.fetch_add(1, Ordering::Relaxed);
                sleep(Duration::from_millis(100)).await;
            }
        }
    }

    /// Reads on from where it is; an error means that nothing was read.
    async fn look(&self, random: &mut Random) -> Result<()> {
        let after = self.position();
        let path = format!("/corten/v1/events?after={after}&limit=500&wait=2");
        let endpoint = random.pick(&self.endpoints);
        let answer = http::send(endpoint, &Request::new("GET", path)).await?;
        if answer.status != 200 {
            bail!("{} {}", answer.status, answer.text());
        }
        let page: Value = serde_json::from_slice(&answer.body)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for event in page["events"]
            .as_array()
            .context("the answer has no events")?
        {
            let cursor = event["cursor"]
                .as_i64()
                .context("the answer has no cursor")?;
            let expected = i64::try_from(seen.len())? + 1;
            if cursor != expected {
                let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
                *wrong = Some(format!("event {cursor} comes where {expected} should"));
                return Ok(());
            }
            let word = |key: &str| event[key].as_str().unwrap_or_default();
            seen.push(mark(cursor, word("node"), word("kind"), word("text")));
        }
        Ok(())
    }
}
