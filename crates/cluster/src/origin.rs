//! Checks the source addresses of ramdisks, and warns about unexpected ones.

use serde_json::json;
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use store::Db;
use types::{
    Caller, Node, NodeId,
    event::{EventKind, NewEvent},
};

/// Shortest interval between two equal warnings.
const PAUSE: Duration = Duration::from_secs(600);
/// Number of remembered warnings; while it is exceeded, requests from further addresses are not
/// reported.
const MOST: usize = 1024;

/// Checks where requests of ramdisks come from.
#[derive(Debug)]
pub struct Origins {
    db: Db,
    /// Recent warnings.
    given: Mutex<HashMap<(NodeId, IpAddr), Instant>>,
}

impl Origins {
    pub fn new(db: Db) -> Self {
        Self {
            db,
            given: Mutex::default(),
        }
    }

    /// Whether a ramdisk's request comes from an address that our DHCP servers leased to its
    /// machine, if they gave it any. A refusal is logged and becomes an event.
    pub async fn judge(
        &self,
        node: &Node,
        what: &str,
        from: IpAddr,
        leased: Option<Vec<IpAddr>>,
    ) -> bool {
        let Some(leased) = leased.filter(|leased| !leased.contains(&from)) else {
            return true;
        };
        let leased: Vec<String> = leased.iter().map(ToString::to_string).collect();
        let has = match leased.as_slice() {
            [] => "no address of our DHCP server yet".to_owned(),
            some => format!("{} of our DHCP server", some.join(", ")),
        };
        let text = format!(
            "A {what} from {from} was refused: the machine has {has} ([corten]agent_proxies names \
             proxies, and networks whose addresses others give)"
        );
        self.warn(node, text, from).await;
        false
    }

    /// Writes a warning about a ramdisk to the log and to the node's events, but not for every
    /// request from the same address.
    pub async fn warn(&self, node: &Node, text: String, from: IpAddr) {
        if !self.is_due(node.id, from) {
            return;
        }
        tracing::warn!(node = %node.id, %from, "{text}");
        let data = json!({"address": from});
        let event = NewEvent::new(node, EventKind::Warning, text, data, &Caller::service());
        if let Err(error) = store::event::tell(&self.db, event).await {
            let error = types::error::chain(&error);
            tracing::warn!(node = %node.id, error, "could not write a warning to the event log");
        }
    }

    fn is_due(&self, node: NodeId, from: IpAddr) -> bool {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.retain(|_, at| at.elapsed() < PAUSE);
        if given.len() >= MOST || given.contains_key(&(node, from)) {
            return false;
        }
        given.insert((node, from), Instant::now());
        true
    }
}
