//! Which machine has which address, and until when; the same for both families.
//!
//! A machine is known by its MAC address alone. Firmware, iPXE and the system of one machine name
//! themselves differently, and with their own identifiers each would take an address of its own.
//!
//! The table is pure: time is passed in, and what must survive a restart is handed out as changes
//! to be kept by a [`Keeper`].

mod journal;

pub use journal::Journal;

use std::{
    collections::{HashMap, HashSet},
    fmt,
    hash::Hash,
    net::{Ipv4Addr, Ipv6Addr},
    str::FromStr,
    time::Duration,
};
use tokio::{sync::watch, time::timeout};
use types::{port::MacAddress, time::Timestamp};

/// An address of either family.
pub trait Address: Copy + Eq + Ord + Hash + fmt::Debug + fmt::Display + FromStr + Send {
    /// The address so many places further, if there is one.
    fn plus(self, count: u64) -> Option<Self>;
    /// How many places further another one is, if it is.
    fn distance(self, further: Self) -> Option<u64>;
}

impl Address for Ipv4Addr {
    fn plus(self, count: u64) -> Option<Self> {
        let count = u32::try_from(count).ok()?;
        self.to_bits().checked_add(count).map(Self::from_bits)
    }
    fn distance(self, further: Self) -> Option<u64> {
        further.to_bits().checked_sub(self.to_bits()).map(u64::from)
    }
}

impl Address for Ipv6Addr {
    fn plus(self, count: u64) -> Option<Self> {
        self.to_bits()
            .checked_add(u128::from(count))
            .map(Self::from_bits)
    }
    fn distance(self, further: Self) -> Option<u64> {
        u64::try_from(further.to_bits().checked_sub(self.to_bits())?).ok()
    }
}

/// Addresses that are given to whoever comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range<A> {
    pub first: A,
    pub last: A,
}

/// Larger ranges are cut: a search must end.
const LARGEST: u64 = 65_536;

impl<A: Address> Range<A> {
    /// How many addresses are given of it.
    pub fn size(&self) -> u64 {
        self.first
            .distance(self.last)
            .map_or(0, |distance| (distance + 1).min(LARGEST))
    }

    pub fn contains(&self, address: A) -> bool {
        self.first
            .distance(address)
            .is_some_and(|distance| distance < self.size())
    }
}

/// What an address is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Offered, and not taken yet.
    Offered,
    Leased,
    /// Somebody else uses it, a client said.
    Declined,
}

/// An address and who has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease<A> {
    pub address: A,
    pub mac: MacAddress,
    pub until: Timestamp,
    pub used: Use,
    /// Whether a node had the machine when it was given. This is not kept over a restart: until
    /// they renew, all count as enrolled then.
    pub enrolled: bool,
}

/// Addresses that are kept for certain machines, one in each network at most.
#[derive(Debug, Clone)]
pub struct Fixed<A> {
    by_mac: HashMap<MacAddress, Vec<A>>,
    addresses: HashSet<A>,
}

impl<A> Default for Fixed<A> {
    fn default() -> Self {
        Self {
            by_mac: HashMap::new(),
            addresses: HashSet::new(),
        }
    }
}

impl<A: Address> Fixed<A> {
    pub fn insert(&mut self, mac: MacAddress, address: A) {
        self.by_mac.entry(mac).or_default().push(address);
        self.addresses.insert(address);
    }

    pub fn of(&self, mac: &MacAddress) -> &[A] {
        self.by_mac.get(mac).map_or(&[], Vec::as_slice)
    }

    pub fn has(&self, address: A) -> bool {
        self.addresses.contains(&address)
    }
}

/// Who wants an address.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    pub mac: &'a MacAddress,
    /// Machines of nodes may use the whole range, others leave them a share.
    pub enrolled: bool,
}

/// Keeps leases over a restart.
pub trait Keeper<A>: Send + fmt::Debug {
    /// Remembers a lease, in the place of an older one for its address.
    fn keep(&mut self, lease: &Lease<A>);
    fn forget(&mut self, address: A);
    /// What there is to wait for before an answer leaves that rests on these changes.
    fn settled(&self) -> Settled;
}

/// The end of writing what was to be kept so far.
#[derive(Debug)]
pub struct Settled(Option<(watch::Receiver<u64>, u64)>);

/// How long an answer waits for the disk at most.
const DISK_PATIENCE: Duration = Duration::from_millis(500);

impl Settled {
    /// When so many changes are written.
    fn when(written: watch::Receiver<u64>, changes: u64) -> Self {
        Self(Some((written, changes)))
    }

    /// Waits for a moment; whether all of it is written by then.
    pub async fn wait(self) -> bool {
        let Some((mut written, changes)) = self.0 else {
            return true;
        };
        let enough = written.wait_for(|count| *count >= changes);
        matches!(timeout(DISK_PATIENCE, enough).await, Ok(Ok(_)))
    }
}

/// Where nothing needs to be kept.
#[derive(Debug, Default)]
pub struct Forgetful;

impl<A> Keeper<A> for Forgetful {
    fn keep(&mut self, _: &Lease<A>) {}
    fn forget(&mut self, _: A) {}
    fn settled(&self) -> Settled {
        Settled(None)
    }
}

/// The leases.
#[derive(Debug)]
pub struct Leases<A> {
    by_address: HashMap<A, Lease<A>>,
    by_mac: HashMap<MacAddress, A>,
    keeper: Box<dyn Keeper<A>>,
    /// Raised by every change of what is leased.
    changes: u64,
}

/// How long an offer stands.
const OFFER_SECONDS: i64 = 60;
/// How long an address that is used by somebody else is left alone.
const DECLINED_SECONDS: i64 = 600;
/// How many addresses one machine can have left alone.
const DECLINED_OF_ONE: usize = 4;
/// This part of a range, a quarter, is for machines of nodes alone.
const ENROLLED_SHARE: u64 = 4;

impl<A: Address> Leases<A> {
    pub fn new(kept: Vec<Lease<A>>, keeper: Box<dyn Keeper<A>>) -> Self {
        let mut leases = Self {
            by_address: HashMap::new(),
            by_mac: HashMap::new(),
            keeper,
            changes: 0,
        };
        for lease in kept {
            leases.put(lease);
        }
        leases
    }

    /// An address for a machine: its fixed one, the one it has, the one it wishes, or a free one.
    ///
    /// While another machine still has the fixed one, because it was given before it was reserved,
    /// there is one of the ranges: two machines never have the same.
    pub fn offer(
        &mut self,
        asker: Asker<'_>,
        fixed: Option<A>,
        ranges: &[Range<A>],
        wish: Option<A>,
        reserved: &dyn Fn(A) -> bool,
        now: Timestamp,
    ) -> Option<A> {
        let mac = asker.mac;
        let address = match fixed.filter(|fixed| !self.is_with_another(*fixed, mac, now)) {
            Some(fixed) => fixed,
            None => {
                if !self.has_share(asker, ranges, now) {
                    return None;
                }
                let usable = |address: &A| {
                    ranges.iter().any(|range| range.contains(*address))
                        && !reserved(*address)
                        && self.is_free_for(*address, mac, now)
                };
                let had = self.by_mac.get(mac).copied().filter(usable);
                had.or(wish.filter(usable))
                    .or_else(|| ranges.iter().find_map(|range| search(*range, mac, usable)))?
            }
        };
        let until = now.plus_seconds(OFFER_SECONDS);
        let holds = self.by_address.get(&address);
        let holds = holds.is_some_and(|lease| {
            lease.mac == *mac && lease.until > now && lease.used == Use::Leased
        });
        if !holds {
            self.put(Lease {
                address,
                mac: *mac,
                until,
                used: Use::Offered,
                enrolled: asker.enrolled,
            });
        }
        Some(address)
    }

    /// Whether there may be an address of a range for a machine: whoever invents machines must not
    /// take the addresses of those that are enrolled.
    pub fn has_share(&self, asker: Asker<'_>, ranges: &[Range<A>], now: Timestamp) -> bool {
        if asker.enrolled {
            return true;
        }
        let is_inside = |address| ranges.iter().any(|range| range.contains(address));
        let size: u64 = ranges.iter().map(Range::size).sum();
        let (mut others, mut has_one) = (0, false);
        for lease in self.by_address.values() {
            if lease.until > now && !lease.enrolled && is_inside(lease.address) {
                others += 1;
                has_one |= lease.mac == *asker.mac && lease.used != Use::Declined;
            }
        }
        has_one || others < size - size / ENROLLED_SHARE
    }

    /// Whether a machine other than this one has an address.
    pub fn is_with_another(&self, address: A, mac: &MacAddress, now: Timestamp) -> bool {
        self.by_address.get(&address).is_some_and(|lease| {
            lease.mac != *mac && lease.used == Use::Leased && lease.until > now
        })
    }

    /// Whether a machine may have an address, without taking it.
    pub fn is_free_for(&self, address: A, mac: &MacAddress, now: Timestamp) -> bool {
        match self.by_address.get(&address) {
            None => true,
            Some(lease) if lease.used == Use::Declined => lease.until <= now,
            Some(lease) => lease.mac == *mac || lease.until <= now,
        }
    }

    /// Gives a machine an address for good, which is for so many seconds.
    pub fn take(&mut self, asker: Asker<'_>, address: A, seconds: u32, now: Timestamp) {
        let until = now.plus_seconds(i64::from(seconds));
        let lease = Lease {
            address,
            mac: *asker.mac,
            until,
            used: Use::Leased,
            enrolled: asker.enrolled,
        };
        self.changes += 1;
        self.keeper.keep(&lease);
        self.put(lease);
    }

    /// Takes over what another server gave, unless something else is known of the machine or of the
    /// address.
    pub fn adopt(&mut self, address: A, mac: MacAddress, until: Timestamp, now: Timestamp) {
        let is_known = self
            .by_address
            .get(&address)
            .is_some_and(|lease| lease.until > now);
        if is_known || self.of(&mac, now).is_some() || until <= now {
            return;
        }
        let lease = Lease {
            address,
            mac,
            until,
            used: Use::Leased,
            enrolled: true,
        };
        self.changes += 1;
        self.keeper.keep(&lease);
        self.put(lease);
    }

    /// How often what is leased was changed so far.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// What is leased, in no order.
    pub fn leased(&self) -> impl Iterator<Item = &Lease<A>> {
        let all = self.by_address.values();
        all.filter(|lease| lease.used == Use::Leased)
    }

    /// The machine gives its address back.
    pub fn release(&mut self, mac: &MacAddress, address: A) -> bool {
        let own = self
            .by_address
            .get(&address)
            .is_some_and(|lease| lease.mac == *mac && lease.used != Use::Declined);
        if own {
            self.changes += 1;
            self.by_address.remove(&address);
            self.by_mac.remove(mac);
            self.keeper.forget(address);
        }
        own
    }

    /// The machine has an address of another server: what it had of us is free.
    pub fn forget(&mut self, mac: &MacAddress) {
        if let Some(address) = self.by_mac.remove(mac) {
            self.changes += 1;
            self.by_address.remove(&address);
            self.keeper.forget(address);
        }
    }

    /// The machine found somebody else using its address.
    ///
    /// The address is left alone for a while, unless the machine says so of one after the other:
    /// a single machine must not use the range up.
    pub fn decline(&mut self, mac: &MacAddress, address: A, now: Timestamp) -> bool {
        let Some(lease) = self.by_address.get(&address).filter(|one| one.mac == *mac) else {
            return false;
        };
        let enrolled = lease.enrolled;
        let declined = self
            .by_address
            .values()
            .filter(|lease| lease.mac == *mac && lease.used == Use::Declined && lease.until > now);
        let is_believed = declined.count() < DECLINED_OF_ONE;
        self.changes += 1;
        self.by_mac.remove(mac);
        self.keeper.forget(address);
        self.by_address.remove(&address);
        if is_believed {
            let lease = Lease {
                address,
                mac: *mac,
                until: now.plus_seconds(DECLINED_SECONDS),
                used: Use::Declined,
                enrolled,
            };
            self.by_address.insert(address, lease);
        }
        true
    }

    /// What an answer waits for that rests on what was changed so far.
    pub fn settled(&self) -> Settled {
        self.keeper.settled()
    }

    /// All of them, also those that have ended.
    pub fn all(&self) -> impl Iterator<Item = &Lease<A>> {
        self.by_address.values()
    }

    /// The address of a machine, if its lease still runs.
    pub fn of(&self, mac: &MacAddress, now: Timestamp) -> Option<A> {
        let lease = self.by_address.get(self.by_mac.get(mac)?)?;
        (lease.until > now && lease.used == Use::Leased).then_some(lease.address)
    }

    /// The address that a machine was given last. Whether its lease still runs is not asked: some
    /// ramdisks never renew theirs, and nobody else was given it since.
    pub fn latest(&self, mac: &MacAddress) -> Option<A> {
        let lease = self.by_address.get(self.by_mac.get(mac)?)?;
        (lease.used == Use::Leased).then_some(lease.address)
    }

    fn put(&mut self, lease: Lease<A>) {
        if let Some(before) = self.by_address.remove(&lease.address)
            && self.by_mac.get(&before.mac) == Some(&before.address)
        {
            self.by_mac.remove(&before.mac);
        }
        // A machine has one address: what it had before is free again.
        if lease.used != Use::Declined
            && let Some(before) = self.by_mac.insert(lease.mac, lease.address)
        {
            self.by_address.remove(&before);
            self.keeper.forget(before);
        }
        self.by_address.insert(lease.address, lease);
    }
}

/// Looks for an address, beginning at a place that depends on the machine, so that the same
/// machine likely gets the same address even after everything was forgotten.
fn search<A: Address>(
    range: Range<A>,
    mac: &MacAddress,
    usable: impl Fn(&A) -> bool + Copy,
) -> Option<A> {
    let size = range.size();
    let start = mac.to_string().bytes().fold(0_u64, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    (0..size)
        .filter_map(|step| range.first.plus((start.wrapping_add(step)) % size))
        .find(usable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    fn mac(number: u8) -> MacAddress {
        [2, 0, 0, 0, 0, number].into()
    }

    fn address(last: u8) -> Ipv4Addr {
        [10, 0, 0, last].into()
    }

    const RANGE: Range<Ipv4Addr> = Range {
        first: Ipv4Addr::new(10, 0, 0, 10),
        last: Ipv4Addr::new(10, 0, 0, 14),
    };
    const T0: Timestamp = Timestamp(1_000_000_000);

    fn leases() -> Leases<Ipv4Addr> {
        Leases::new(Vec::new(), Box::new(Forgetful))
    }

    fn offer(
        leases: &mut Leases<Ipv4Addr>,
        number: u8,
        wish: Option<Ipv4Addr>,
        now: Timestamp,
    ) -> Option<Ipv4Addr> {
        leases.offer(known(&mac(number)), None, &[RANGE], wish, &|_| false, now)
    }

    fn known(mac: &MacAddress) -> Asker<'_> {
        Asker {
            mac,
            enrolled: true,
        }
    }

    #[derive(Debug, Clone)]
    enum Deed {
        Offer(u8, Option<u8>),
        Take(u8),
        Release(u8),
        Decline(u8),
        Wait(u8),
    }

    fn any_deed() -> impl Strategy<Value = Deed> {
        prop_oneof![
            (0_u8..9, proptest::option::of(8_u8..18))
                .prop_map(|(who, wish)| Deed::Offer(who, wish)),
            (0_u8..9).prop_map(Deed::Take),
            (0_u8..9).prop_map(Deed::Release),
            (0_u8..9).prop_map(Deed::Decline),
            any::<u8>().prop_map(Deed::Wait),
        ]
    }

    proptest! {
        #[test]
        fn no_address_has_two_owners(deeds in vec(any_deed(), 0..200)) {
            let mut leases = leases();
            let mut now = T0;
            for deed in deeds {
                match deed {
                    Deed::Offer(who, wish) => {
                        let before = leases.of(&mac(who), now);
                        let given = offer(&mut leases, who, wish.map(address), now);
                        if let Some(given) = given {
                            prop_assert!(RANGE.contains(given));
                            prop_assert!(before.is_none() || before == Some(given));
                        }
                    }
                    Deed::Take(who) => {
                        if let Some(given) = offer(&mut leases, who, None, now) {
                            leases.take(known(&mac(who)), given, 100, now);
                            prop_assert_eq!(leases.of(&mac(who), now), Some(given));
                        }
                    }
                    Deed::Release(who) => {
                        if let Some(given) = leases.of(&mac(who), now) {
                            prop_assert!(leases.release(&mac(who), given));
                        }
                    }
                    Deed::Decline(who) => {
                        if let Some(given) = leases.of(&mac(who), now) {
                            prop_assert!(leases.decline(&mac(who), given, now));
                            prop_assert_eq!(leases.of(&mac(who), now), None);
                        }
                    }
                    Deed::Wait(seconds) => now = now.plus_seconds(i64::from(seconds)),
                }
                let mut held: Vec<_> = (0..9).filter_map(|who| leases.of(&mac(who), now)).collect();
                let count = held.len();
                held.sort();
                held.dedup();
                prop_assert_eq!(held.len(), count);
                prop_assert!(leases.by_address.len() <= 5);
            }
        }
    }

    #[test]
    fn a_full_range_is_full_until_something_ends() {
        let mut leases = leases();
        for number in 0..5 {
            let given = offer(&mut leases, number, None, T0).unwrap();
            leases.take(known(&mac(number)), given, 100, T0);
        }
        assert_eq!(offer(&mut leases, 9, None, T0), None);
        assert!(offer(&mut leases, 9, None, T0.plus_seconds(100)).is_some());
    }

    #[test]
    fn machines_that_are_not_enrolled_leave_a_share_to_those_that_are() {
        let mut leases = leases();
        let range = Range {
            first: address(20),
            last: address(39),
        };
        let mut give = |number, enrolled, now| {
            let mac = mac(number);
            let asker = Asker {
                mac: &mac,
                enrolled,
            };
            let given = leases.offer(asker, None, &[range], None, &|_| false, now)?;
            leases.take(asker, given, 100, now);
            Some(given)
        };
        let strangers: Vec<_> = (0..20).filter_map(|n| give(n, false, T0)).collect();
        assert_eq!(strangers.len(), 15);
        // Whoever has an address keeps it, and machines of nodes get theirs.
        assert_eq!(give(0, false, T0), Some(strangers[0]));
        assert!((100..105).all(|n| give(n, true, T0).is_some()));
        assert_eq!(give(105, true, T0), None);
        assert!(give(30, false, T0.plus_seconds(100)).is_some());
    }

    #[test]
    fn one_machine_cannot_have_the_whole_range_left_alone() {
        let mut leases = leases();
        for _ in 0..20 {
            let given = offer(&mut leases, 1, None, T0).unwrap();
            leases.take(known(&mac(1)), given, 100, T0);
            assert!(leases.decline(&mac(1), given, T0));
        }
        assert!(offer(&mut leases, 2, None, T0).is_some());
    }

    #[test]
    fn a_wish_and_a_fixed_address_are_honoured() {
        let mut leases = leases();
        assert_eq!(
            offer(&mut leases, 1, Some(address(13)), T0),
            Some(address(13))
        );
        assert_ne!(
            offer(&mut leases, 2, Some(address(13)), T0),
            Some(address(13))
        );
        let fixed = leases.offer(
            known(&mac(3)),
            Some(address(200)),
            &[RANGE],
            None,
            &|_| false,
            T0,
        );
        assert_eq!(fixed, Some(address(200)));
        let avoided = leases.offer(
            known(&mac(4)),
            None,
            &[RANGE],
            Some(address(12)),
            &|a| a == address(12),
            T0,
        );
        assert_ne!(avoided, Some(address(12)));
    }

    #[test]
    fn ranges_of_the_other_family_work_the_same() {
        let range = Range {
            first: "2001:db8::10".parse().unwrap(),
            last: "2001:db8::ffff:ffff".parse().unwrap(),
        };
        let mut leases: Leases<Ipv6Addr> = Leases::new(Vec::new(), Box::new(Forgetful));
        let given = leases
            .offer(known(&mac(1)), None, &[range], None, &|_| false, T0)
            .unwrap();
        assert!(range.contains(given));
    }
}
