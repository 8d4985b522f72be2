//! Persistent reservations (SPC-4 §5.13): who registered a key, and who holds the disk.
//!
//! Registrations are kept by initiator port, so they survive a session; they do not survive the
//! target (no APTPL).

use super::{Refused, Sense, cdb::action};
use crate::field;

/// How many initiators may register: untrusted sessions must not grow the list without end.
const REGISTRANT_LIMIT: usize = 128;

/// Who may do what beside the holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ReservationType {
    WriteExclusive = 1,
    ExclusiveAccess = 3,
    WriteExclusiveRegistrantsOnly = 5,
    ExclusiveAccessRegistrantsOnly = 6,
    WriteExclusiveAllRegistrants = 7,
    ExclusiveAccessAllRegistrants = 8,
}

impl ReservationType {
    pub fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::WriteExclusive,
            3 => Self::ExclusiveAccess,
            5 => Self::WriteExclusiveRegistrantsOnly,
            6 => Self::ExclusiveAccessRegistrantsOnly,
            7 => Self::WriteExclusiveAllRegistrants,
            8 => Self::ExclusiveAccessAllRegistrants,
            _ => return None,
        })
    }

    fn is_all_registrants(self) -> bool {
        matches!(
            self,
            Self::WriteExclusiveAllRegistrants | Self::ExclusiveAccessAllRegistrants
        )
    }

    fn admits_registrants(self) -> bool {
        !matches!(self, Self::WriteExclusive | Self::ExclusiveAccess)
    }

    fn admits_readers(self) -> bool {
        matches!(
            self,
            Self::WriteExclusive
                | Self::WriteExclusiveRegistrantsOnly
                | Self::WriteExclusiveAllRegistrants
        )
    }
}

/// What a command does, as far as reservations are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MediumAccess {
    /// Nothing that a reservation forbids.
    None,
    Read,
    Write,
}

#[derive(Debug)]
struct Registrant {
    port: String,
    key: u64,
}

#[derive(Debug)]
struct Held {
    /// With the types for all registrants, everybody who is registered.
    port: String,
    kind: ReservationType,
}

/// What other ports are told at their next command.
pub(super) type Notices = Vec<(String, Sense)>;

#[derive(Debug, Default)]
pub(super) struct Reservations {
    generation: u32,
    registrants: Vec<Registrant>,
    held: Option<Held>,
}

impl Reservations {
    pub(super) fn is_empty(&self) -> bool {
        self.registrants.is_empty()
    }

    /// Whether a port may do this (SPC-4 table 46).
    pub(super) fn admits(&self, port: &str, access: MediumAccess) -> bool {
        let Some(held) = &self.held else { return true };
        let registered = self.key(port).is_some();
        match access {
            MediumAccess::None => true,
            _ if self.holds(port) => true,
            _ if registered && held.kind.admits_registrants() => true,
            MediumAccess::Read => held.kind.admits_readers(),
            MediumAccess::Write => false,
        }
    }

    fn key(&self, port: &str) -> Option<u64> {
        let found = self.registrants.iter().find(|one| one.port == port);
        found.map(|one| one.key)
    }

    fn holds(&self, port: &str) -> bool {
        self.held.as_ref().is_some_and(|held| {
            if held.kind.is_all_registrants() {
                self.key(port).is_some()
            } else {
                held.port == port
            }
        })
    }

    /// PERSISTENT RESERVE IN (§6.13).
    pub(super) fn read(&self, service_action: u8) -> Result<Vec<u8>, Refused> {
        let mut body = Vec::new();
        match service_action {
            0 => {
                for one in &self.registrants {
                    body.extend_from_slice(&one.key.to_be_bytes());
                }
            }
            1 => {
                if let Some(held) = &self.held {
                    body = self.describe(held);
                }
            }
            2 => {
                // No APTPL and no other options; all six types.
                return Ok(vec![0, 8, 0, 0x80, 0xea, 0x01, 0, 0]);
            }
            3 => {
                for one in &self.registrants {
                    self.describe_fully(one, &mut body);
                }
            }
            _ => return Err(Refused::Check(Sense::INVALID_FIELD)),
        }
        let mut data = self.generation.to_be_bytes().to_vec();
        let length = u32::try_from(body.len()).unwrap_or(0);
        data.extend_from_slice(&length.to_be_bytes());
        data.extend_from_slice(&body);
        Ok(data)
    }

    fn describe(&self, held: &Held) -> Vec<u8> {
        let mut data = vec![0; 16];
        if !held.kind.is_all_registrants() {
            let key = self.key(&held.port).unwrap_or(0);
            field::put(&mut data, 0, &key.to_be_bytes());
        }
        data[13] = held.kind as u8;
        data
    }

    fn describe_fully(&self, one: &Registrant, data: &mut Vec<u8>) {
        let mut descriptor = vec![0; 24];
        field::put(&mut descriptor, 0, &one.key.to_be_bytes());
        if let Some(held) = self.held.as_ref().filter(|_| self.holds(&one.port)) {
            (descriptor[12], descriptor[13]) = (0x01, held.kind as u8);
        }
        field::put(&mut descriptor, 18, &1u16.to_be_bytes());
        // TransportID of an iSCSI initiator port (SPC-4 §7.6.4.6).
        let mut name = one.port.clone().into_bytes();
        name.push(0);
        name.resize(name.len().next_multiple_of(4).max(20), 0);
        let length = u16::try_from(name.len()).unwrap_or(0);
        let mut transport = vec![0x45, 0];
        transport.extend_from_slice(&length.to_be_bytes());
        transport.extend_from_slice(&name);
        let length = u32::try_from(transport.len()).unwrap_or(0);
        field::put(&mut descriptor, 20, &length.to_be_bytes());
        data.extend_from_slice(&descriptor);
        data.extend_from_slice(&transport);
    }

    /// PERSISTENT RESERVE OUT (§6.14).
    pub(super) fn change(
        &mut self,
        port: &str,
        service_action: u8,
        scope_and_type: u8,
        data: &[u8],
    ) -> Result<Notices, Refused> {
        let check = |sense| Err(Refused::Check(sense));
        if data.len() != 24 {
            return check(Sense::PARAMETER_LENGTH);
        }
        let key = field::be64(data, 0).unwrap_or(0);
        let service_key = field::be64(data, 8).unwrap_or(0);
        // Neither SPEC_I_PT nor ALL_TG_PT nor APTPL is supported.
        if data.get(20).is_some_and(|flags| flags & 0x0d != 0) {
            return check(Sense::INVALID_PARAMETER);
        }
        let registering = matches!(
            service_action,
            action::REGISTER | action::REGISTER_AND_IGNORE
        );
        if registering {
            return self.register(port, service_action, key, service_key);
        }
        if self.key(port) != Some(key) {
            return Err(Refused::Conflict);
        }
        if service_action == action::CLEAR {
            return Ok(self.clear(port));
        }
        let kind = ReservationType::from_number(scope_and_type & 0x0f);
        let scope_is_unit = scope_and_type >> 4 == 0;
        let Some(kind) = kind.filter(|_| scope_is_unit) else {
            return check(Sense::INVALID_FIELD);
        };
        match service_action {
            action::RESERVE => self.reserve(port, kind),
            action::RELEASE => self.release(port, kind),
            action::PREEMPT | action::PREEMPT_AND_ABORT => self.preempt(port, kind, service_key),
            _ => check(Sense::INVALID_FIELD),
        }
    }

    fn register(
        &mut self,
        port: &str,
        service_action: u8,
        key: u64,
        new: u64,
    ) -> Result<Notices, Refused> {
        let ignores = service_action == action::REGISTER_AND_IGNORE;
        let registered = self.key(port);
        if !ignores && key != registered.unwrap_or(0) {
            return Err(Refused::Conflict);
        }
        match registered {
            None if new == 0 => return Ok(Notices::new()),
            None if self.registrants.len() >= REGISTRANT_LIMIT => {
                return Err(Refused::Check(Sense::new(0x05, 0x55, 0x04)));
            }
            None => self.registrants.push(Registrant {
                port: port.to_owned(),
                key: new,
            }),
            Some(_) if new == 0 => {
                self.generation = self.generation.wrapping_add(1);
                return Ok(self.unregister(port));
            }
            Some(_) => {
                for one in self.registrants.iter_mut().filter(|one| one.port == port) {
                    one.key = new;
                }
            }
        }
        self.generation = self.generation.wrapping_add(1);
        Ok(Notices::new())
    }

    fn unregister(&mut self, port: &str) -> Notices {
        let held = self.holds(port);
        self.registrants.retain(|one| one.port != port);
        let Some(kind) = self.held.as_ref().map(|held| held.kind).filter(|_| held) else {
            return Notices::new();
        };
        if kind.is_all_registrants() && !self.registrants.is_empty() {
            return Notices::new();
        }
        self.held = None;
        if kind.admits_registrants() {
            return self.notify_all_but(port, Sense::RESERVATIONS_RELEASED);
        }
        Notices::new()
    }

    fn notify_all_but(&self, port: &str, sense: Sense) -> Notices {
        let others = self.registrants.iter().filter(|one| one.port != port);
        others.map(|one| (one.port.clone(), sense)).collect()
    }

    fn clear(&mut self, port: &str) -> Notices {
        let notices = self.notify_all_but(port, Sense::RESERVATIONS_PREEMPTED);
        self.registrants.clear();
        self.held = None;
        self.generation = self.generation.wrapping_add(1);
        notices
    }

    fn reserve(&mut self, port: &str, kind: ReservationType) -> Result<Notices, Refused> {
        match &self.held {
            None => {
                self.held = Some(Held {
                    port: port.to_owned(),
                    kind,
                });
                Ok(Notices::new())
            }
            Some(held) if self.holds(port) && held.kind == kind => Ok(Notices::new()),
            Some(_) => Err(Refused::Conflict),
        }
    }

    fn release(&mut self, port: &str, kind: ReservationType) -> Result<Notices, Refused> {
        let Some(held) = self.held.as_ref().filter(|_| self.holds(port)) else {
            return Ok(Notices::new());
        };
        if held.kind != kind {
            return Err(Refused::Check(Sense::INVALID_RELEASE));
        }
        self.held = None;
        if kind.admits_registrants() {
            return Ok(self.notify_all_but(port, Sense::RESERVATIONS_RELEASED));
        }
        Ok(Notices::new())
    }

    /// §5.13.11.4: removes the registrations with a key; takes the reservation if it was theirs.
    fn preempt(
        &mut self,
        port: &str,
        kind: ReservationType,
        victim: u64,
    ) -> Result<Notices, Refused> {
        let held = self.held.as_ref();
        let all = held.is_some_and(|held| held.kind.is_all_registrants());
        let holder_key = held.and_then(|held| self.key(&held.port));
        let takes = held.is_some() && (all && victim == 0 || !all && holder_key == Some(victim));
        if victim == 0 && !takes {
            return Err(Refused::Check(Sense::INVALID_PARAMETER));
        }
        let doomed =
            |one: &Registrant| one.port != port && (one.key == victim || all && victim == 0);
        if !takes && !self.registrants.iter().any(|one| one.key == victim) {
            return Err(Refused::Conflict);
        }
        let removed = self.registrants.iter().filter(|one| doomed(one));
        let mut notices: Notices = removed
            .map(|one| (one.port.clone(), Sense::REGISTRATIONS_PREEMPTED))
            .collect();
        self.registrants.retain(|one| !doomed(one));
        if takes {
            let changed = self.held.as_ref().is_some_and(|held| held.kind != kind);
            self.held = Some(Held {
                port: port.to_owned(),
                kind,
            });
            if changed {
                notices.extend(self.notify_all_but(port, Sense::RESERVATIONS_RELEASED));
            }
        }
        self.generation = self.generation.wrapping_add(1);
        Ok(notices)
    }
}
