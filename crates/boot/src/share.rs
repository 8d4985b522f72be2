//! How much of a service one machine may take, so that others still boot.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// What each address has of something that there is only so much of.
#[derive(Debug)]
pub(crate) struct Shares {
    most: usize,
    little: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

impl Shares {
    /// An eighth of all for each address, once half of it is taken.
    pub(crate) fn of(all: usize) -> Arc<Self> {
        Arc::new(Self {
            most: (all / 8).max(1),
            little: all / 2,
            taken: Mutex::default(),
        })
    }

    /// One more for this address, unless it has as many as it may while there is little left.
    /// Otherwise anybody may have more: many machines can be behind one address.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr, left: usize) -> Option<Share> {
        let mut taken = self.taken();
        let count = taken.entry(address).or_default();
        if *count >= self.most && left < self.little {
            return None;
        }
        *count += 1;
        Some(Share {
            shares: Arc::clone(self),
            address,
        })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        // Every change is whole when the lock is given back.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of what an address has, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Arc<Shares>,
    address: IpAddr,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.shares.taken();
        if let Some(count) = taken.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn under_pressure_one_address_gets_at_most_an_eighth() {
        let shares = Shares::of(16);
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let held: Vec<_> = (0..8).map(|n| shares.take(one, 16 - n)).collect();
        assert!(held.iter().all(Option::is_some) && shares.take(one, 7).is_none());
        assert!(shares.take(other, 7).is_some());
        drop(held);
        assert!(shares.take(one, 7).is_some());
        assert!(shares.taken().is_empty());
    }
}
