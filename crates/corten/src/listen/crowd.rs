//! Limits of connections and of concurrent requests, and which connections are closed to make room.
//!
//! A connection costs a place from the moment it is accepted. When all places are taken, the
//! connection on which nothing has been asked for the longest time is closed, first of all one of
//! the address that has the most of them: whoever opens thousands of connections closes their own.
//!
//! A connection with a request under way is never closed for others. Therefore the requests of one
//! address that are under way may take a quarter of the places only, those of one IPv6 network half,
//! those of all clients seven eighths, and the rest is for what agents report: machines go on when
//! clients have gone mad.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Where agents report.
const OF_AGENTS: &[&str] = &[
    "/v1/heartbeat/",
    "/v1/lookup",
    "/v1/continue_inspection",
    "/corten/v1/agent/",
];

/// All open connections.
#[derive(Debug)]
pub(super) struct OpenConnections {
    places: usize,
    /// How many requests of one address may be under way.
    of_one_address: usize,
    /// The same for one network of IPv6 (/64), in which one machine can have every address, and
    /// thousands may have one each.
    of_one_network: usize,
    /// How many requests may be under way that are not of agents.
    of_clients: usize,
    guests: Mutex<Guests>,
    /// Notified when a connection closes or becomes idle.
    changed: Notify,
}

#[derive(Debug, Default)]
struct Guests {
    /// Logical clock: grows with each connection and each request that ends.
    clock: u64,
    connected: HashMap<u64, Guest>,
    busy_clients: usize,
    /// By address, and by network of IPv6.
    busy_by_address: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct Guest {
    address: Option<IpAddr>,
    /// Since when nothing is under way; nothing while something is.
    idle_since: Option<u64>,
    leave: CancellationToken,
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Crowded {
    #[error("Too many requests of this address are under way. Please try again later.")]
    Address,
    #[error("Too many requests are under way. Please try again later.")]
    Everybody,
}

impl OpenConnections {
    /// With so many places. Where all clients come by one proxy, addresses tell nothing.
    pub(super) fn new(places: usize, by_proxy: bool) -> Self {
        let share = |share: usize| match by_proxy {
            true => usize::MAX,
            false => share.max(1),
        };
        Self {
            places,
            of_one_address: share(places / 4),
            of_one_network: share(places / 2),
            of_clients: (places - places / 8).max(1),
            guests: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// A place for a new connection, once there is one.
    pub(super) async fn enter(self: &Arc<Self>, address: Option<IpAddr>) -> ConnectionSlot {
        loop {
            if let Some(place) = self.try_enter(address) {
                return place;
            }
            self.dismiss_one();
            self.changed.notified().await;
        }
    }

    fn try_enter(self: &Arc<Self>, address: Option<IpAddr>) -> Option<ConnectionSlot> {
        let mut guests = self.guests();
        if guests.connected.len() >= self.places {
            return None;
        }
        let now = guests.tick();
        let leave = CancellationToken::new();
        let guest = Guest {
            address,
            idle_since: Some(now),
            leave: leave.clone(),
        };
        guests.connected.insert(now, guest);
        Some(ConnectionSlot {
            crowd: Arc::clone(self),
            id: now,
            leave,
            busy: Arc::default(),
        })
    }

    /// Closes a connection on which nothing is under way, if there is one.
    fn dismiss_one(&self) {
        let mut guests = self.guests();
        let mut by_address: HashMap<Option<IpAddr>, usize> = HashMap::new();
        for guest in guests.connected.values() {
            *by_address.entry(guest.address).or_default() += 1;
            if let Some(network) = guest.address.and_then(network) {
                *by_address.entry(Some(network)).or_default() += 1;
            }
        }
        let crowd = |address: &Option<IpAddr>| {
            let network = address.and_then(network);
            by_address.get(&network.or(*address)).copied()
        };
        let idle = guests
            .connected
            .iter()
            .filter_map(|(id, guest)| Some((*id, guest.address, guest.idle_since?)));
        // Of the address or network with the most connections, that which has been idle for the longest time.
        let chosen =
            idle.max_by_key(|(_, address, since)| (crowd(address), std::cmp::Reverse(*since)));
        if let Some((id, ..)) = chosen
            && let Some(guest) = guests.connected.get_mut(&id)
        {
            // Not chosen again while it goes.
            guest.idle_since = None;
            guest.leave.cancel();
        }
    }

    fn guests(&self) -> MutexGuard<'_, Guests> {
        // Every change is whole when the lock is given back.
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The network that a machine gives itself as many addresses in as it likes; none for IPv4.
fn network(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V6(v6) => Some(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64)).into()),
        IpAddr::V4(_) => None,
    }
}

impl Guests {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

/// The slot of one connection; freed when dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    crowd: Arc<OpenConnections>,
    id: u64,
    /// Cancelled when the connection is to be closed to make room.
    pub(super) leave: CancellationToken,
    busy: Arc<AtomicUsize>,
}

impl ConnectionSlot {
    /// Handle for the requests on this connection.
    pub(super) fn door(&self) -> ConnectionPass {
        ConnectionPass {
            crowd: Arc::clone(&self.crowd),
            id: self.id,
            busy: Arc::clone(&self.busy),
        }
    }

    /// Whether a request is under way.
    pub(super) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed) > 0
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.crowd.guests().connected.remove(&self.id);
        self.crowd.changed.notify_one();
    }
}

#[derive(Debug, Clone)]
pub(super) struct ConnectionPass {
    crowd: Arc<OpenConnections>,
    id: u64,
    busy: Arc<AtomicUsize>,
}

impl ConnectionPass {
    /// Lets a request in, unless there are too many already.
    pub(super) fn begin(&self, path: &str) -> Result<Busy, Crowded> {
        let is_agent = OF_AGENTS.iter().any(|start| path.starts_with(start));
        let mut guests = self.crowd.guests();
        let guest = guests.connected.get_mut(&self.id);
        let address = guest.and_then(|guest| {
            guest.idle_since = None;
            guest.address
        });
        if !is_agent && guests.busy_clients >= self.crowd.of_clients {
            return Err(Crowded::Everybody);
        }
        let busy = |known: IpAddr| guests.busy_by_address.get(&known).copied().unwrap_or(0);
        let network = address.and_then(network);
        let is_crowded = address.is_some_and(|address| busy(address) >= self.crowd.of_one_address)
            || network.is_some_and(|network| busy(network) >= self.crowd.of_one_network);
        if is_crowded {
            return Err(Crowded::Address);
        }
        for one in address.into_iter().chain(network) {
            *guests.busy_by_address.entry(one).or_default() += 1;
        }
        if !is_agent {
            guests.busy_clients += 1;
        }
        self.busy.fetch_add(1, Ordering::Relaxed);
        Ok(Busy {
            door: self.clone(),
            address,
            is_agent,
        })
    }
}

/// A request that is under way until this is dropped.
#[derive(Debug)]
pub(super) struct Busy {
    door: ConnectionPass,
    address: Option<IpAddr>,
    is_agent: bool,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.door.busy.fetch_sub(1, Ordering::Relaxed);
        let crowd = &self.door.crowd;
        {
            let mut guests = crowd.guests();
            if !self.is_agent {
                guests.busy_clients = guests.busy_clients.saturating_sub(1);
            }
            let network = self.address.and_then(network);
            for one in self.address.into_iter().chain(network) {
                if let Some(busy) = guests.busy_by_address.get_mut(&one) {
                    *busy -= 1;
                    if *busy == 0 {
                        guests.busy_by_address.remove(&one);
                    }
                }
            }
            let now = guests.tick();
            if let Some(guest) = guests.connected.get_mut(&self.door.id)
                && !guest.leave.is_cancelled()
            {
                guest.idle_since = Some(now);
            }
        }
        crowd.changed.notify_one();
    }
}

/// The body of an answer, whose request is under way until all of it is sent.
#[derive(Debug)]
pub(super) struct Held<B> {
    body: B,
    _busy: Option<Busy>,
}

impl<B> Held<B> {
    pub(super) fn new(body: B, busy: Option<Busy>) -> Self {
        Self { body, _busy: busy }
    }
}

impl<B: hyper::body::Body + Unpin> hyper::body::Body for Held<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([10, 0, 0, last]))
    }

    #[test]
    fn the_address_with_the_most_connections_makes_room_first() {
        let crowd = Arc::new(OpenConnections::new(4, false));
        let modest = crowd.try_enter(address(1)).unwrap();
        let greedy: Vec<ConnectionSlot> = (0..3)
            .map(|_| crowd.try_enter(address(2)).unwrap())
            .collect();
        assert!(crowd.try_enter(address(3)).is_none());
        // The first one has been idle for the longest time, were it not for a request.
        let busy = greedy[0].door().begin("/v1/nodes").unwrap();
        crowd.dismiss_one();
        assert!(greedy[1].leave.is_cancelled());
        crowd.dismiss_one();
        assert!(greedy[2].leave.is_cancelled());
        // Nobody is chosen twice, and nobody who is being served.
        crowd.dismiss_one();
        assert!(modest.leave.is_cancelled() && !greedy[0].leave.is_cancelled());
        drop(busy);
        drop(greedy);
        assert!(crowd.try_enter(address(3)).is_some());
    }

    #[test]
    fn nobody_takes_all_that_there_is() {
        let crowd = Arc::new(OpenConnections::new(16, false));
        let places: Vec<ConnectionSlot> = [1, 2, 3, 4, 5, 6, 7]
            .map(|last| crowd.try_enter(address(last)).unwrap())
            .into();
        let begin = |last: usize, path: &str| places[last - 1].door().begin(path);
        let mut under_way: Vec<Busy> = (0..4).map(|_| begin(1, "/v1/nodes").unwrap()).collect();
        assert!(matches!(begin(1, "/v1/nodes"), Err(Crowded::Address)));
        for last in [2, 2, 2, 2, 3, 3, 3, 3, 4, 4] {
            under_way.push(begin(last, "/v1/nodes").unwrap());
        }
        // What is left is for agents.
        assert!(matches!(begin(5, "/v1/nodes"), Err(Crowded::Everybody)));
        let heartbeat = begin(6, "/v1/heartbeat/1be26c0b-03f2-4d2e-ae87-c02d7f33c123");
        assert!(heartbeat.is_ok());
        assert!(begin(7, "/v1/lookup").is_ok());
        under_way.clear();
        drop(heartbeat);
        assert!(begin(1, "/v1/nodes").is_ok());
        assert!(crowd.guests().busy_by_address.is_empty());
    }

    #[test]
    fn one_machine_with_many_addresses_takes_half_at_most() {
        let crowd = Arc::new(OpenConnections::new(16, false));
        let enter = |text: &str| crowd.try_enter(text.parse().ok()).unwrap();
        let places: Vec<ConnectionSlot> = (1..12)
            .map(|n| enter(&format!("2001:db8:0:1::{n}")))
            .collect();
        let begun = places.iter().map(|place| place.door().begin("/v1/nodes"));
        let begun: Vec<_> = begun.collect();
        assert_eq!(begun.iter().filter(|begun| begun.is_ok()).count(), 8);
        for other in ["2001:db8:0:2::1", "192.0.2.1"] {
            assert!(enter(other).door().begin("/v1/nodes").is_ok(), "{other}");
        }
        drop(begun);
        assert!(crowd.guests().busy_by_address.is_empty());
        // Those who have no request under way make room, and not the only one of another network.
        let modest = enter("2001:db8:0:2::1");
        crowd.dismiss_one();
        assert!(places[0].leave.is_cancelled() && !modest.leave.is_cancelled());
    }

    #[test]
    fn behind_a_proxy_all_have_one_address() {
        let crowd = Arc::new(OpenConnections::new(16, true));
        let place = crowd.try_enter(address(1)).unwrap();
        let under_way: Vec<_> = (0..14).map(|_| place.door().begin("/v1/nodes")).collect();
        assert!(under_way.iter().all(Result::is_ok));
        assert!(place.is_busy());
        drop(under_way);
        assert!(!place.is_busy());
    }
}
