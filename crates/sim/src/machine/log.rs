//! The system event log, as the BMC keeps it.

use super::Machine;
use crate::fault::Write;
use proto::ipmi::command::sel::SelEntry;
use types::time::Timestamp;

/// Entries, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct EventLog {
    pub entries: Vec<SelEntry>,
    pub last_addition: u32,
    pub last_erase: u32,
    /// Whether entries were dropped because the log was full.
    pub has_overflown: bool,
    next: u16,
}

/// How many entries fit.
pub const CAPACITY: usize = 512;

/// Seconds since 1970, as IPMI counts them.
pub(crate) fn now() -> u32 {
    let since = Timestamp::now().seconds_since(Timestamp(0));
    u32::try_from(since).unwrap_or(u32::MAX)
}

impl Machine {
    pub fn event_log(&self) -> EventLog {
        let state = self.state();
        state.log.as_deref().cloned().unwrap_or_default()
    }

    /// Adds an entry; its id and, unless it has one, its time are given here. None when the log is
    /// full.
    pub fn log_event(&self, mut entry: SelEntry) -> Option<u16> {
        let mut state = self.state();
        let log = state.log.get_or_insert_default();
        if log.entries.len() >= CAPACITY {
            log.has_overflown = true;
            return None;
        }
        log.next = log
            .next
            .checked_add(1)
            .filter(|id| *id != u16::MAX)
            .unwrap_or(1);
        log.last_addition = now();
        entry.id = log.next;
        if entry.time == 0 {
            entry.time = log.last_addition;
        }
        log.entries.push(entry);
        Some(log.next)
    }

    /// Deletes an entry; `None` when there is no entry with this id.
    pub fn delete_event(&self, id: u16) -> Option<u16> {
        let mut state = self.state();
        let entries = &mut state.log.as_mut()?.entries;
        let at = match id {
            0 => 0,
            u16::MAX => entries.len().checked_sub(1)?,
            id => entries.iter().position(|entry| entry.id == id)?,
        };
        let deleted = entries.get(at)?.id;
        entries.remove(at);
        Some(deleted)
    }

    pub fn clear_event_log(&self) {
        if self.ignores(Write::Other) {
            return;
        }
        let mut state = self.state();
        let log = state.log.get_or_insert_default();
        log.entries.clear();
        log.has_overflown = false;
        log.last_erase = now();
    }
}
