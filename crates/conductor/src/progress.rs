//! How far work is, by the word of agents and of our own workers.
//!
//! Of a node only the newest word is kept, in memory, until its operation is over: bytes change by
//! the second and would drown the event log. A change of phase is worth an event; there are few of
//! them, and an agent that makes them up by the thousand is not listened to any more.

use crate::{core::Core, inband, steps};
use drivers::iface::DeployBy;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use types::{
    Caller, Fault, Node, NodeId, ProvisionState as S, Timestamp,
    event::{EventKind, NewEvent},
    progress::{Live, Progress},
};

/// As many nodes as a conductor could have in operation at once, and then some.
const MOST_NODES: usize = 10_000;
/// Phases that are told of one operation.
const MOST_PHASES: u32 = 500;

/// What is known beyond the rows.
#[derive(Debug, Default)]
pub(crate) struct LiveBook(Mutex<HashMap<NodeId, LiveProgress>>);

#[derive(Debug, Default)]
struct LiveProgress {
    live: Live,
    told: u32,
}

impl LiveBook {
    pub(crate) fn read(&self, node: NodeId) -> Live {
        let book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.get(&node)
            .map(|entry| entry.live.clone())
            .unwrap_or_default()
    }

    pub(crate) fn forget(&self, node: NodeId) {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.remove(&node);
    }

    /// Keeps the newest word of an agent; true when it has begun something else.
    fn note(&self, node: NodeId, progress: Progress, at: Timestamp) -> bool {
        self.change(node, |entry| {
            let before = entry.live.progress.replace((progress.clone(), at));
            let same = before.is_some_and(|(before, _)| {
                before.phase == progress.phase && before.command == progress.command
            });
            if same || entry.told >= MOST_PHASES {
                return false;
            }
            entry.told += 1;
            true
        })
        .unwrap_or(false)
    }

    /// What a worker waits for, as long as the answer is kept.
    pub(crate) fn awaits(self: &Arc<Self>, node: NodeId, what: String) -> Awaiting {
        self.change(node, |entry| {
            entry.live.awaits = Some((what, Timestamp::now()));
        });
        Awaiting {
            book: Arc::clone(self),
            node,
        }
    }

    /// Changes what is known of a node, unless there is no room for another one.
    fn change<T>(&self, node: NodeId, change: impl FnOnce(&mut LiveProgress) -> T) -> Option<T> {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if book.len() >= MOST_NODES && !book.contains_key(&node) {
            return None;
        }
        Some(change(book.entry(node).or_default()))
    }
}

/// A wait that is over when this is dropped.
#[derive(Debug)]
pub(crate) struct Awaiting {
    book: Arc<LiveBook>,
    node: NodeId,
}

impl Drop for Awaiting {
    fn drop(&mut self) {
        let mut book = self.book.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = book.get_mut(&self.node) {
            entry.live.awaits = None;
            if entry.live.progress.is_none() {
                book.remove(&self.node);
            }
        }
    }
}

impl Core {
    pub(crate) async fn note_progress(
        &self,
        id: NodeId,
        token: Option<String>,
        progress: Progress,
    ) -> Result<(), Fault> {
        let node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        self.check_token(&node, token.as_deref())?;
        let waited_for = self.expects_report(&node) || node.provision_state == S::InspectWait;
        if !waited_for {
            return Ok(());
        }
        let (phase, command) = (progress.phase.clone(), progress.command.clone());
        if self.live.note(id, progress, Timestamp::now()) {
            let data = serde_json::json!({"phase": phase, "command": command});
            let caller = Caller::service();
            let text = format!("the agent: {phase}");
            let event = NewEvent::new(&node, EventKind::Step, text, data, &caller);
            if let Err(error) = store::event::tell(&self.db, event).await {
                let error = types::error::chain(&error);
                tracing::warn!(node = %id, error, "a phase of an agent cannot be told");
            }
        }
        Ok(())
    }

    /// A worker of ours has begun something that takes long.
    pub(crate) async fn begins(&self, node: &Node, phase: &str, command: &str) {
        let progress = Progress {
            phase: phase.to_owned(),
            command: Some(command.to_owned()),
            ..Progress::default()
        };
        if self.live.note(node.id, progress, Timestamp::now()) {
            let data = serde_json::json!({"phase": phase, "command": command});
            let text = format!("the conductor: {phase}");
            let caller = Caller::service();
            let event = NewEvent::new(node, EventKind::Step, text, data, &caller);
            if let Err(error) = store::event::tell(&self.db, event).await {
                let error = types::error::chain(&error);
                tracing::warn!(node = %node.id, error, "a phase of a deployment cannot be told");
            }
        }
    }

    /// It goes on with it.
    pub(crate) fn goes_on(&self, node: NodeId, progress: Progress) {
        self.live.note(node, progress, Timestamp::now());
    }

    /// What a node that waited for too long waited for, how far its agent was, and why its machine
    /// may not have booted, in sentences.
    pub(crate) async fn awaited(&self, node: &Node) -> Option<(String, Option<String>)> {
        let hardware = self.hardware(node).ok()?;
        let by_agent = match node.provision_state {
            S::InspectWait => hardware.inspect.takes_report(),
            S::RescueWait => hardware.rescue.by_agent(),
            S::DeployWait if hardware.deploy.by() == DeployBy::Installer => {
                return Some((format!("Waited for {}.", inband::installer::REPORT), None));
            }
            _ => hardware.deploy.by().has_agent(inband::steps::kind_of(node)),
        };
        if !by_agent {
            return None;
        }
        let is_up = node.driver_internal_info.has_agent();
        let kind = inband::steps::kind_of(node);
        let what = match (node.provision_state, steps::current(node, kind)) {
            (S::InspectWait, _) => "the ramdisk's inspection data".to_owned(),
            (_, Some(step)) if is_up => inband::steps::working_on(&step.step),
            _ if is_up => "the agent's next heartbeat".to_owned(),
            _ => inband::FIRST_REPORT.to_owned(),
        };
        let mut text = format!("Waited for {what}.");
        if let Some((progress, at)) = self.live.read(node.id).progress {
            text.push_str(&format!(" The agent was last heard at {at}: {progress}."));
        }
        let mut cause = None;
        if !is_up && let Some(found) = self.boot_finding(node.id).await {
            text.push_str(&format!(" Boot log: {}", found.finding));
            cause = Some(found.cause);
        }
        Some((text, cause))
    }

    /// What the boot services make of how a machine boots.
    async fn boot_finding(&self, id: NodeId) -> Option<BootFinding> {
        self.registry.boot()?;
        let report = self.boot_log(id).await.ok()?;
        let diagnosis = report.get("diagnosis")?;
        let part = |key: &str| diagnosis.get(key).and_then(serde_json::Value::as_str);
        // A machine that boots its disk was not told to boot a ramdisk by us.
        if matches!(part("cause"), Some("booted" | "from_disk")) {
            return None;
        }
        Some(BootFinding {
            cause: part("cause")?.to_owned(),
            finding: part("finding")?.to_owned(),
        })
    }
}

/// What the boot services make of how a machine boots.
struct BootFinding {
    cause: String,
    finding: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(phase: &str, bytes: u64) -> Progress {
        Progress {
            phase: phase.into(),
            bytes,
            ..Progress::default()
        }
    }

    #[test]
    fn only_changes_of_phase_are_told() {
        let book = LiveBook::default();
        let node = NodeId::generate();
        let at = Timestamp::now();
        assert!(book.note(node, progress("writing image", 0), at));
        assert!(!book.note(node, progress("writing image", 10), at));
        assert!(book.note(node, progress("config drive", 0), at));
        assert_eq!(book.read(node).progress.unwrap().0.phase, "config drive");
        book.forget(node);
        assert_eq!(book.read(node), Live::default());
    }

    #[test]
    fn an_agent_cannot_fill_the_log() {
        let book = LiveBook::default();
        let node = NodeId::generate();
        let told = (0..MOST_PHASES + 10)
            .filter(|n| book.note(node, progress(&n.to_string(), 0), Timestamp::now()));
        assert_eq!(told.count(), MOST_PHASES as usize);
    }

    #[test]
    fn a_wait_ends_with_its_guard() {
        let book = Arc::new(LiveBook::default());
        let node = NodeId::generate();
        let waiting = book.awaits(node, "BMC to power on".into());
        assert_eq!(book.read(node).awaits.unwrap().0, "BMC to power on");
        drop(waiting);
        assert!(book.0.lock().unwrap().is_empty());
    }

    #[test]
    fn memory_is_bounded() {
        let book = LiveBook::default();
        for _ in 0..MOST_NODES {
            book.note(NodeId::generate(), progress("x", 0), Timestamp::now());
        }
        let one_more = NodeId::generate();
        assert!(!book.note(one_more, progress("x", 0), Timestamp::now()));
        assert_eq!(book.read(one_more), Live::default());
    }
}
