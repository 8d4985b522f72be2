//! Tokens that were found good, for a while.
//!
//! The keys are hashes, so that a dump of our memory is no bunch of keys to the cloud. There are two
//! generations: when the young one is full the old one is dropped, which bounds the memory whatever
//! callers send and keeps what is used, without any list of who was used when.

use super::token::Token;
use axum::http::HeaderValue;
use ring::digest::{SHA256, digest};
use std::{
    collections::HashMap,
    mem,
    sync::Arc,
    time::{Duration, Instant},
};

/// Tokens in one generation; about a kilobyte each.
const GENERATION: usize = 8192;

/// What a token is kept under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key([u8; 32]);

impl Key {
    pub(super) fn of(token: &HeaderValue) -> Self {
        let mut key = [0; 32];
        key.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
        Self(key)
    }
}

#[derive(Debug)]
struct KnownToken {
    token: Arc<Token>,
    until: Instant,
}

#[derive(Debug)]
pub(super) struct Cache {
    /// Nothing is kept without it.
    time: Option<Duration>,
    generation: usize,
    young: HashMap<Key, KnownToken>,
    old: HashMap<Key, KnownToken>,
}

impl Cache {
    pub(super) fn new(time: Option<Duration>) -> Self {
        Self {
            time,
            generation: GENERATION,
            young: HashMap::new(),
            old: HashMap::new(),
        }
    }

    pub(super) fn get(&mut self, key: Key, now: Instant) -> Option<Arc<Token>> {
        if let Some(entry) = self.young.get(&key) {
            return (now < entry.until).then(|| Arc::clone(&entry.token));
        }
        let entry = self.old.remove(&key).filter(|entry| now < entry.until)?;
        let token = Arc::clone(&entry.token);
        self.insert(key, entry);
        Some(token)
    }

    pub(super) fn keep(&mut self, key: Key, token: Arc<Token>, now: Instant) {
        if let Some(time) = self.time {
            let until = now + time;
            self.insert(key, KnownToken { token, until });
        }
    }

    /// Of a token that was revoked.
    pub(super) fn forget(&mut self, key: Key) {
        self.young.remove(&key);
        self.old.remove(&key);
    }

    fn insert(&mut self, key: Key, entry: KnownToken) {
        if self.young.len() >= self.generation && !self.young.contains_key(&key) {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn token() -> Arc<Token> {
        let document = br#"{"token": {"user": {"id": "u", "domain": {"id": "d"}},
            "expires_at": "2036-01-01T00:00:00Z"}}"#;
        Arc::new(Token::read(document).unwrap())
    }

    fn key(number: usize) -> Key {
        Key::of(&HeaderValue::from(number))
    }

    #[test]
    fn entries_count_for_a_while() {
        let (mut cache, now) = (Cache::new(Some(MINUTE)), Instant::now());
        assert_eq!(cache.get(key(1), now), None);
        cache.keep(key(1), token(), now);
        assert!(cache.get(key(1), now).is_some());
        assert!(cache.get(key(2), now).is_none());
        assert!(cache.get(key(1), now + MINUTE).is_none());
        // A newer verdict starts a new while.
        cache.keep(key(1), token(), now + MINUTE);
        assert!(cache.get(key(1), now + MINUTE).is_some());
    }

    #[test]
    fn without_time_nothing_is_kept() {
        let (mut cache, now) = (Cache::new(None), Instant::now());
        cache.keep(key(1), token(), now);
        assert!(cache.get(key(1), now).is_none());
    }

    #[test]
    fn a_flood_pushes_out_only_what_is_not_used() {
        let (mut cache, now) = (Cache::new(Some(MINUTE)), Instant::now());
        cache.generation = 10;
        for number in 0..1000 {
            cache.keep(key(number), token(), now);
            assert!(cache.get(key(0), now).is_some(), "{number}");
            assert!(cache.young.len() + cache.old.len() <= 20);
        }
        assert!(cache.get(key(1), now).is_none());
        // Being pushed around does not prolong anything.
        assert!(cache.get(key(0), now + MINUTE).is_none());
    }
}
