//! How far a machine came: its timeline since it was last published, in a few words.

use crate::log::{BootLogEntry, Event, Role, Unanswered};
use std::{collections::BTreeSet, net::Ipv4Addr};
use types::time::Timestamp;

/// A transfer that ended before its time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stall<'a> {
    pub(super) path: &'a str,
    pub(super) role: Role,
    pub(super) bytes: u64,
    pub(super) size: u64,
    pub(super) block_size: u16,
}

#[derive(Debug, Default)]
pub(super) struct Journey<'a> {
    pub(super) published: Option<Timestamp>,
    /// The last sign of the machine itself.
    pub(super) last: Option<Timestamp>,
    pub(super) seen: bool,
    pub(super) ipxe: bool,
    pub(super) offered: bool,
    pub(super) taken: bool,
    pub(super) other_server: Option<Ipv4Addr>,
    /// Its last question was not answered.
    pub(super) ignored: Option<Unanswered>,
    pub(super) mismatch: Option<(&'a str, &'a str)>,
    pub(super) asked: BTreeSet<Role>,
    got: BTreeSet<Role>,
    pub(super) missing: Option<(&'a str, Role)>,
    pub(super) stalled: Option<Stall<'a>>,
    pub(super) to_disk: bool,
    /// What it was booted for is over.
    pub(super) withdrawn: bool,
    pub(super) agent: Option<&'a str>,
}

impl<'a> Journey<'a> {
    pub(super) fn of(timeline: &'a [BootLogEntry]) -> Self {
        let start = timeline
            .iter()
            .rposition(|entry| matches!(entry.event, Event::Published { .. }));
        let mut journey = Self::default();
        for entry in &timeline[start.unwrap_or_default()..] {
            journey.add(entry);
        }
        journey
    }

    /// Whether the machine has a file of that kind.
    pub(super) fn reached(&self, role: Role) -> bool {
        self.got.contains(&role)
    }

    fn add(&mut self, entry: &'a BootLogEntry) {
        match &entry.event {
            Event::Published { .. } => {
                self.published = Some(entry.at);
                return;
            }
            Event::SwitchedToDisk => {
                self.to_disk = true;
                return;
            }
            Event::Withdrawn => {
                self.withdrawn = true;
                return;
            }
            // From here on it is the machine's own system that asks; the one thing that matters is
            // whether it gets an address.
            Event::Offer { .. } | Event::Ack { .. } if self.withdrawn => {
                self.ignored = None;
                return;
            }
            Event::Ignored { why } if self.withdrawn => {
                self.ignored = Some(*why);
                return;
            }
            _ if self.withdrawn => return,
            Event::Discover { ipxe, .. } => {
                self.seen = true;
                if *ipxe && !self.ipxe {
                    // iPXE asks for an address of its own.
                    self.taken = false;
                }
                self.ipxe |= ipxe;
            }
            Event::Ignored { why } => {
                self.seen = true;
                self.ignored = Some(*why);
            }
            Event::WrongFirmware { machine, node } => self.mismatch = Some((machine, node)),
            Event::Offer { .. } => {
                self.seen = true;
                self.offered = true;
                self.ignored = None;
                self.other_server = None;
            }
            Event::TookOther { server } => self.other_server = Some(*server),
            Event::Ack { .. } => {
                self.seen = true;
                self.offered = true;
                self.taken = true;
                self.ignored = None;
                self.other_server = None;
            }
            Event::Nak { .. } | Event::Declined { .. } | Event::Released { .. } => {}
            Event::Asked { role, .. } => {
                self.asked.insert(*role);
            }
            Event::Refused { path, .. } => self.missing = Some((path, Role::Other)),
            Event::NotFound { role, path, .. } => {
                // Loaders look for their configuration under several names, and for modules that
                // they can do without.
                let again = self.missing.is_some() || self.reached(*role);
                match role {
                    Role::Other => {}
                    Role::Config if again => {}
                    _ => self.missing = Some((path, *role)),
                }
            }
            Event::Sent { role, .. } => {
                self.got.insert(*role);
                if self.missing.is_some_and(|(_, missing)| missing <= *role) {
                    self.missing = None;
                }
                self.stalled = None;
            }
            Event::Stalled {
                role,
                path,
                bytes,
                size,
                block_size,
                ..
            } => {
                self.stalled = Some(Stall {
                    path,
                    role: *role,
                    bytes: *bytes,
                    size: *size,
                    block_size: *block_size,
                });
            }
            Event::Aborted { .. } => {}
            Event::Agent { what } => self.agent = Some(what),
        }
        self.last = Some(entry.last);
        self.seen = true;
    }
}
