//! Verifying and hashing passwords, which takes tens of milliseconds each on purpose: off the
//! threads that serve requests, a bounded number at a time, and what was right is remembered by a
//! keyed hash. No address takes all places: whoever floods this from one leaves room to others.

use super::AuthRefusal;
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
};
use tokio::{sync::Semaphore, task::spawn_blocking};
use types::account::PasswordHash;

/// How many verifications wait for others.
pub(super) const LONGEST_QUEUE: usize = 64;
/// How many of one address run or wait.
pub(super) const MOST_OF_ONE: usize = LONGEST_QUEUE / 2;
/// What verifying costs where no user tells: the cost that bcrypt itself proposes.
pub(super) const USUAL_COST: u32 = 12;
/// bcrypt looks no further, so a longer password would be cut without a word.
pub(crate) const LONGEST_PASSWORD: usize = 72;

/// Where the passwords of local users are verified and hashed, all of this process.
pub(crate) static PASSWORDS: LazyLock<Passwords> = LazyLock::new(Passwords::new);

#[derive(Debug)]
pub(crate) struct Passwords {
    /// Two keys of this process, so that the remembered hashes have 128 bits.
    keys: (RandomState, RandomState),
    /// As many verifications at a time as there are cores: a flood of wrong passwords must not
    /// take every thread.
    pub(super) room: Arc<Semaphore>,
    /// Verifications that run or wait to run. Beyond that, requests get 503 with `Retry-After`.
    pub(super) queue: Arc<Semaphore>,
    lanes: Lanes,
    /// How many of one address may run at a time: where there are several cores, not all.
    of_one: usize,
}

type Lanes = Arc<Mutex<HashMap<String, Lane>>>;

/// The verifications of one address.
#[derive(Debug)]
struct Lane {
    room: Arc<Semaphore>,
    count: usize,
}

/// A place in the lane of an address.
struct LaneSlot {
    lanes: Lanes,
    address: String,
    room: Arc<Semaphore>,
}

impl Drop for LaneSlot {
    fn drop(&mut self) {
        let mut lanes = locked(&self.lanes);
        let Some(lane) = lanes.get_mut(&self.address) else {
            return;
        };
        lane.count -= 1;
        if lane.count == 0 {
            lanes.remove(&self.address);
        }
    }
}

fn locked(lanes: &Lanes) -> MutexGuard<'_, HashMap<String, Lane>> {
    // Nothing is left half-written when a holder panics.
    lanes.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Passwords {
    pub(super) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            keys: (RandomState::new(), RandomState::new()),
            room: Arc::new(Semaphore::new(cores)),
            queue: Arc::new(Semaphore::new(cores + LONGEST_QUEUE)),
            lanes: Lanes::default(),
            of_one: cores.saturating_sub(1).max(1),
        }
    }

    /// A place for one more verification of an address, unless it has too many.
    fn enter(&self, address: &str) -> Option<LaneSlot> {
        let mut lanes = locked(&self.lanes);
        let lane = lanes.entry(address.to_owned()).or_insert_with(|| Lane {
            room: Arc::new(Semaphore::new(self.of_one)),
            count: 0,
        });
        if lane.count >= MOST_OF_ONE {
            return None;
        }
        lane.count += 1;
        Some(LaneSlot {
            lanes: Arc::clone(&self.lanes),
            address: address.to_owned(),
            room: Arc::clone(&lane.room),
        })
    }

    /// Whether a password that came from an address has this bcrypt hash.
    pub(super) async fn matches(
        &self,
        address: &str,
        password: Vec<u8>,
        hash: String,
    ) -> Result<bool, AuthRefusal> {
        let work = move || bcrypt::verify(password, &hash);
        self.work(address, work).await
    }

    /// The bcrypt hash of a new password that came from an address.
    pub(crate) async fn hash(
        &self,
        address: &str,
        password: String,
    ) -> Result<PasswordHash, AuthRefusal> {
        let work = move || bcrypt::hash(password, USUAL_COST);
        let hashed = self.work(address, work).await?;
        Ok(PasswordHash::new(hashed))
    }

    async fn work<T: Send + 'static>(
        &self,
        address: &str,
        work: impl FnOnce() -> bcrypt::BcryptResult<T> + Send + 'static,
    ) -> Result<T, AuthRefusal> {
        let broken = |error: &dyn std::error::Error| {
            tracing::error!(%error, "a password cannot be verified");
            AuthRefusal::Broken("Problem verifying a password".into())
        };
        let own = self.enter(address).ok_or_else(|| {
            tracing::warn!(
                address,
                "a request is refused: too many passwords of this address"
            );
            AuthRefusal::Busy
        })?;
        let place = Arc::clone(&self.queue).try_acquire_owned().map_err(|_| {
            tracing::warn!("a request is refused: too many passwords are being verified");
            AuthRefusal::Busy
        })?;
        let turn = Arc::clone(&own.room).acquire_owned();
        let turn = turn.await.map_err(|e| broken(&e))?;
        let room = Arc::clone(&self.room).acquire_owned();
        let room = room.await.map_err(|e| broken(&e))?;
        let work = spawn_blocking(move || {
            // Held by the work and not by the request, which its client may give up.
            let _held = (own, place, turn, room);
            work()
        });
        let done = work.await.map_err(|e| broken(&e))?;
        done.map_err(|e| broken(&e))
    }

    /// The hash under which a right password is remembered. It covers the bcrypt hash, so that it
    /// stops to match as soon as the user has another one.
    pub(super) fn digest(&self, user: &str, hash: &str, password: &[u8]) -> u128 {
        let parts = (user, hash, password);
        let (first, second) = &self.keys;
        u128::from(first.hash_one(parts)) << 64 | u128::from(second.hash_one(parts))
    }
}

/// How much work a hash asks for.
pub(super) fn cost_of(hash: &str) -> Option<u32> {
    let cost = hash.split('$').nth(2)?.parse().ok()?;
    (4..=31).contains(&cost).then_some(cost)
}

/// A hash that costs as much as another and that no password has.
pub(super) fn unmatched(cost: u32) -> String {
    format!("$2b${cost:02}${}", ".".repeat(53))
}
