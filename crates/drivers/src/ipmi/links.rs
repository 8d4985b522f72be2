//! All the BMCs that are being talked to.
//!
//! There is one link for each address, because a BMC has one conversation at a time; a link whose
//! credentials are not those asked for any more makes place for a new one. Sessions that nobody
//! has needed for a while are closed, and so are the oldest idle ones when there are too many.

use super::{
    link::{Link, Patience, Peer},
    wire::Wire,
};
use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};
use tokio::time::Instant;

/// How often idle sessions are looked for.
const SWEEP: Duration = Duration::from_secs(5);
/// How many BMCs may have a session at once.
const LIMIT: usize = 16 * 1024;

/// The links, by the address of their BMC.
#[derive(Debug)]
pub struct Links {
    wire: Arc<Wire>,
    patience: Patience,
    limit: usize,
    known: Arc<Known>,
}

#[derive(Debug, Default)]
struct Known {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    links: HashMap<SocketAddr, KeptLink>,
    is_swept: bool,
}

#[derive(Debug)]
struct KeptLink {
    link: Arc<Link>,
    used: Instant,
}

impl Known {
    /// No code panics while it holds the table.
    fn locked(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Links {
    pub fn new(patience: Patience) -> Self {
        Self {
            wire: Arc::default(),
            patience,
            limit: LIMIT,
            known: Arc::default(),
        }
    }

    /// The link to a BMC. Whoever holds the gate in front of the BMC may use it.
    pub fn of(&self, peer: &Peer) -> Arc<Link> {
        let mut table = self.known.locked();
        if !table.is_swept {
            table.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(&self.known)));
        }
        if let Some(entry) = table.links.get_mut(&peer.address)
            && entry.link.is_to(peer)
        {
            entry.used = Instant::now();
            return Arc::clone(&entry.link);
        }
        let wire = Arc::clone(&self.wire);
        let link = Arc::new(Link::new(wire, peer.clone(), self.patience.clone()));
        let entry = KeptLink {
            link: Arc::clone(&link),
            used: Instant::now(),
        };
        let replaced = table.links.insert(peer.address, entry);
        let oldest = if table.links.len() > self.limit {
            table.take_oldest_idle(peer.address)
        } else {
            None
        };
        for gone in [replaced, oldest].into_iter().flatten() {
            // A link that somebody still uses ends its session by itself, or the BMC does.
            tokio::spawn(async move { gone.link.hang_up().await });
        }
        link
    }

    /// A link that shares nothing with others, for conversations that go on beside them.
    pub fn apart(&self, peer: &Peer) -> Link {
        Link::new(Arc::default(), peer.clone(), self.patience.clone())
    }
}

impl Table {
    fn take_oldest_idle(&mut self, except: SocketAddr) -> Option<KeptLink> {
        let idle = self
            .links
            .iter()
            .filter(|(address, entry)| **address != except && Arc::strong_count(&entry.link) == 1);
        let oldest = idle
            .min_by_key(|(_, entry)| entry.used)
            .map(|(address, _)| *address)?;
        self.links.remove(&oldest)
    }
}

/// Closes idle sessions for as long as somebody has the links.
async fn sweep(known: Weak<Known>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let Some(known) = known.upgrade() else { return };
        let all: Vec<Arc<Link>> = {
            let table = known.locked();
            table.links.values().map(|e| Arc::clone(&e.link)).collect()
        };
        for link in all {
            if !link.let_go().await {
                continue;
            }
            let mut table = known.locked();
            let address = link.address();
            // Ours and the table's: nobody else has it.
            let is_idle = Arc::strong_count(&link) == 2;
            let is_same = |entry: &KeptLink| Arc::ptr_eq(&entry.link, &link);
            if is_idle && table.links.get(&address).is_some_and(is_same) {
                table.links.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::ipmi::{Privilege, client::Credentials, crypto::Key, handshake::UserName};

    fn peer(port: u16, password: &str) -> Peer {
        Peer {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            credentials: Credentials {
                user: UserName::default(),
                password: Key::new(password.as_bytes()).unwrap(),
                bmc_key: Key::default(),
                privilege: Privilege::User,
            },
            versions: Vec::new(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_is_found_again_until_the_password_changes() {
        let links = Links::new(Patience::default());
        let first = links.of(&peer(1, "a"));
        assert!(Arc::ptr_eq(&first, &links.of(&peer(1, "a"))));
        assert!(!Arc::ptr_eq(&first, &links.of(&peer(2, "a"))));
        assert!(!Arc::ptr_eq(&first, &links.of(&peer(1, "b"))));
    }

    #[tokio::test(start_paused = true)]
    async fn idle_links_are_forgotten_and_used_ones_are_not() {
        let links = Links::new(Patience::default());
        let used = links.of(&peer(1, "a"));
        links.of(&peer(2, "a"));
        tokio::time::sleep(3 * SWEEP).await;
        let left: Vec<SocketAddr> = links.known.locked().links.keys().copied().collect();
        assert_eq!(left, [used.address()]);
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_never_too_many() {
        let links = Links {
            limit: 2,
            ..Links::new(Patience::default())
        };
        let used = links.of(&peer(1, "a"));
        for port in 2..6 {
            links.of(&peer(port, "a"));
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        let table = links.known.locked();
        assert_eq!(table.links.len(), 2);
        assert!(table.links.contains_key(&used.address()), "in use");
        assert!(
            table.links.contains_key(&peer(5, "a").address),
            "the newest"
        );
    }
}
