//! What machines asked for and got: a timeline for each MAC address.
//!
//! It lives in memory and is bounded twice: so many events a machine, so many machines. A machine
//! that repeats itself adds to the count of its last event, not to the list. Files are asked for by
//! addresses, so the log also remembers which machine was given which.

mod event;

pub use event::{Event, Protocol, Role, Unanswered, mac_in, role};

use serde::Serialize;
use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};
use types::{port::MacAddress, time::Timestamp};

/// Events that one machine may have; a boot has about thirty.
const EVENTS: usize = 200;
/// Machines that are remembered.
const MACHINES: usize = 4096;
/// Addresses that are remembered of one machine.
const ADDRESSES: usize = 8;

/// Something that happened, perhaps several times in a row.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BootLogEntry {
    pub at: Timestamp,
    /// When it happened last.
    pub last: Timestamp,
    pub times: u32,
    #[serde(flatten)]
    pub event: Event,
}

/// The timelines.
#[derive(Debug, Default)]
pub struct BootLog {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    timelines: HashMap<MacAddress, Timeline>,
    addresses: HashMap<IpAddr, MacAddress>,
}

#[derive(Debug, Default)]
struct Timeline {
    entries: VecDeque<BootLogEntry>,
    addresses: VecDeque<IpAddr>,
}

impl Timeline {
    fn last(&self) -> Option<Timestamp> {
        self.entries.back().map(|entry| entry.last)
    }
}

impl BootLog {
    pub fn note(&self, mac: &MacAddress, event: Event) {
        self.note_at(mac, event, Timestamp::now());
    }

    pub(crate) fn note_at(&self, mac: &MacAddress, event: Event, at: Timestamp) {
        tracing::debug!(%mac, ?event, "boot");
        let mut inner = self.lock();
        inner.make_room(mac);
        let timeline = inner.timelines.entry(*mac).or_default();
        if let Some(before) = timeline.entries.back_mut()
            && before.event == event
        {
            before.last = at;
            before.times = before.times.saturating_add(1);
            return;
        }
        if timeline.entries.len() == EVENTS {
            timeline.entries.pop_front();
        }
        timeline.entries.push_back(BootLogEntry {
            at,
            last: at,
            times: 1,
            event,
        });
    }

    /// The same for a machine that is known by its address only; others are none of ours.
    pub fn note_address(&self, address: IpAddr, event: Event) {
        let mac = self.lock().addresses.get(&address.to_canonical()).copied();
        match mac {
            Some(mac) => self.note(&mac, event),
            None => tracing::debug!(%address, ?event, "boot of a machine that is not known here"),
        }
    }

    /// The same, where the name of the file tells who asks if nothing else does: behind a DHCP
    /// server of others, the configuration's name is the first that is heard of a machine.
    pub fn note_file(&self, address: IpAddr, path: &str, event: Event) {
        let address = address.to_canonical();
        if self.mac_of(address).is_none()
            && let Some(mac) = mac_in(path)
        {
            self.learn(address, &mac);
        }
        self.note_address(address, event);
    }

    /// Remembers which machine has an address now.
    pub fn learn(&self, address: IpAddr, mac: &MacAddress) {
        let mut guard = self.lock();
        let inner = &mut *guard;
        inner.make_room(mac);
        if let Some(before) = inner.addresses.insert(address, *mac)
            && before != *mac
            && let Some(timeline) = inner.timelines.get_mut(&before)
        {
            timeline.addresses.retain(|known| *known != address);
        }
        let timeline = inner.timelines.entry(*mac).or_default();
        if !timeline.addresses.contains(&address) {
            timeline.addresses.push_back(address);
            if timeline.addresses.len() > ADDRESSES
                && let Some(old) = timeline.addresses.pop_front()
            {
                inner.addresses.remove(&old);
            }
        }
    }

    /// The machine that has an address.
    pub fn mac_of(&self, address: IpAddr) -> Option<MacAddress> {
        self.lock().addresses.get(&address.to_canonical()).copied()
    }

    /// What is known of a machine, oldest first.
    pub fn timeline(&self, mac: &MacAddress) -> Vec<BootLogEntry> {
        let inner = self.lock();
        let timeline = inner.timelines.get(mac);
        timeline
            .map(|timeline| timeline.entries.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// What is known of several ports of one machine, as one list.
    pub fn timeline_of_all(&self, macs: &[MacAddress]) -> Vec<(MacAddress, BootLogEntry)> {
        let lists = macs.iter().flat_map(|mac| {
            self.timeline(mac)
                .into_iter()
                .map(move |entry| (*mac, entry))
        });
        let mut all: Vec<_> = lists.collect();
        all.sort_by_key(|(_, entry)| entry.at);
        all
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Forgets the machine that was silent longest, if another comes and there are too many.
    fn make_room(&mut self, mac: &MacAddress) {
        if self.timelines.len() < MACHINES || self.timelines.contains_key(mac) {
            return;
        }
        let oldest = self
            .timelines
            .iter()
            .min_by_key(|(_, timeline)| timeline.last());
        if let Some(oldest) = oldest.map(|(mac, _)| *mac) {
            let gone = self.timelines.remove(&oldest).unwrap_or_default();
            for address in gone.addresses {
                self.addresses.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mac(number: u16) -> MacAddress {
        let [a, b] = number.to_be_bytes();
        [2, 0, 0, 0, a, b].into()
    }

    #[test]
    fn repetitions_are_counted() {
        let log = BootLog::default();
        for second in 0..3 {
            log.note_at(&mac(1), Event::Withdrawn, Timestamp(second));
        }
        log.note_at(
            &mac(1),
            Event::Agent {
                what: "heartbeat".to_owned(),
            },
            Timestamp(9),
        );
        let timeline = log.timeline(&mac(1));
        assert_eq!(timeline.len(), 2);
        assert_eq!(
            (timeline[0].at, timeline[0].last, timeline[0].times),
            (Timestamp(0), Timestamp(2), 3)
        );
    }

    #[test]
    fn both_bounds_hold() {
        let log = BootLog::default();
        for second in 0..500 {
            let what = second.to_string();
            log.note_at(&mac(1), Event::Agent { what }, Timestamp(second));
        }
        assert_eq!(log.timeline(&mac(1)).len(), EVENTS);
        for number in 0..=u16::try_from(MACHINES).unwrap() {
            log.learn(
                IpAddr::from([10, 0, number.to_be_bytes()[0], number.to_be_bytes()[1]]),
                &mac(number + 10),
            );
            log.note_at(
                &mac(number + 10),
                Event::Withdrawn,
                Timestamp(1000 + i64::from(number)),
            );
        }
        assert!(log.timeline(&mac(1)).is_empty());
        assert!(log.lock().timelines.len() <= MACHINES && log.lock().addresses.len() <= MACHINES);
    }

    #[test]
    fn an_address_leads_to_who_had_it_last() {
        let log = BootLog::default();
        let address = IpAddr::from([10, 0, 0, 1]);
        log.note_address(address, Event::Withdrawn);
        log.learn(address, &mac(1));
        log.learn(address, &mac(2));
        log.note_address("::ffff:10.0.0.1".parse().unwrap(), Event::Withdrawn);
        assert!(log.timeline(&mac(1)).is_empty());
        assert_eq!(log.timeline(&mac(2)).len(), 1);
        assert_eq!(log.mac_of(address), Some(mac(2)));
    }
}
