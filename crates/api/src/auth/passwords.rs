//! Verifying and hashing passwords, which takes tens of milliseconds each on purpose: off the
//! threads that serve requests, a bounded number at a time, and what was right is remembered by a
//! keyed hash.

use super::AuthRefusal;
use std::{
    hash::{BuildHasher, RandomState},
    sync::{Arc, LazyLock},
};
use tokio::{sync::Semaphore, task::spawn_blocking};
use types::account::PasswordHash;

/// How many verifications wait for others.
pub(super) const LONGEST_QUEUE: usize = 64;
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
}

impl Passwords {
    pub(super) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            keys: (RandomState::new(), RandomState::new()),
            room: Arc::new(Semaphore::new(cores)),
            queue: Arc::new(Semaphore::new(cores + LONGEST_QUEUE)),
        }
    }

    /// Whether a password has this bcrypt hash.
    pub(super) async fn matches(
        &self,
        password: Vec<u8>,
        hash: String,
    ) -> Result<bool, AuthRefusal> {
        self.work(move || bcrypt::verify(password, &hash)).await
    }

    /// The bcrypt hash of a new password.
    pub(crate) async fn hash(&self, password: String) -> Result<PasswordHash, AuthRefusal> {
        let hashed = self
            .work(move || bcrypt::hash(password, USUAL_COST))
            .await?;
        Ok(PasswordHash::new(hashed))
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> bcrypt::BcryptResult<T> + Send + 'static,
    ) -> Result<T, AuthRefusal> {
        let broken = |error: &dyn std::error::Error| {
            tracing::error!(%error, "a password cannot be verified");
            AuthRefusal::Broken("Problem verifying a password".into())
        };
        let place = Arc::clone(&self.queue).try_acquire_owned().map_err(|_| {
            tracing::warn!("a request is refused: too many passwords are being verified");
            AuthRefusal::Busy
        })?;
        let room = Arc::clone(&self.room).acquire_owned();
        let room = room.await.map_err(|e| broken(&e))?;
        let work = spawn_blocking(move || {
            // Held by the work and not by the request, which its client may give up.
            let _held = (place, room);
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
