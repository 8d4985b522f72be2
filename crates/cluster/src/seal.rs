//! Encryption and authentication of calls between processes, with the secret that the processes of
//! a cluster share.
//!
//! Calls carry nodes with what clients wrote into them, possibly a new password, so a signature is
//! not enough; and TLS is optional. AES-256-GCM gives both. Keys are derived from the secret for
//! each pair of a caller and an incarnation of a conductor; the number of a call is the nonce, so
//! no nonce is ever used twice.
//!
//! Replayed messages are rejected: a conductor accepts each number of a caller once ([`Window`]),
//! and forgets callers only together with its own [`Session`], whose keys do not open old messages.
//! No clock is involved.

use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, Prk, Salt},
    rand::{SecureRandom, SystemRandom},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Length of the shortest accepted secret: shorter ones can be guessed.
pub const SHORTEST: usize = 16;
/// Callers that a session remembers; a process has one name for as long as it runs.
const CALLERS: usize = 10_000;

/// A random name of a process or a session.
pub(crate) type Name = [u8; 16];

/// Deliberately without details: an attacker learns nothing from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("the operating system provides no random numbers")]
    NoRandomness,
    #[error("message authentication failed (wrong cluster secret, or tampered message)")]
    NotGenuine,
}

/// The shared secret of a cluster.
#[derive(Clone)]
pub struct Secret(Arc<Prk>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// `None` when the text is too short.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let salt = Salt::new(HKDF_SHA256, b"corten cluster 1");
        (text.len() >= SHORTEST).then(|| Self(Arc::new(salt.extract(text.as_bytes()))))
    }

    /// The key for one purpose.
    fn key(&self, purpose: &[u8], session: &Name, caller: &Name, call: u64) -> Key {
        let call = call.to_be_bytes();
        let info = [purpose, session, caller, &call];
        // Lengths are right by construction; otherwise the key would be `None` and open nothing.
        let key = self.0.expand(&info, &AES_256_GCM).ok();
        Key(key.map(|okm| LessSafeKey::new(UnboundKey::from(okm))))
    }
}

/// A key for messages of one direction; the user of the key numbers them.
pub(crate) struct Key(Option<LessSafeKey>);

impl Key {
    fn cipher(&self) -> Result<&LessSafeKey, SealError> {
        self.0.as_ref().ok_or(SealError::NotGenuine)
    }

    /// Encrypts a message; `about` is associated data and must be the same for decryption.
    pub(crate) fn seal(
        &self,
        number: u64,
        about: &[u8],
        mut text: Vec<u8>,
    ) -> Result<Vec<u8>, SealError> {
        let aad = Aad::from(about);
        self.cipher()?
            .seal_in_place_append_tag(nonce(number), aad, &mut text)
            .map_err(|_| SealError::NotGenuine)?;
        Ok(text)
    }

    pub(crate) fn open(
        &self,
        number: u64,
        about: &[u8],
        mut sealed: Vec<u8>,
    ) -> Result<Vec<u8>, SealError> {
        let aad = Aad::from(about);
        let length = self
            .cipher()?
            .open_in_place(nonce(number), aad, &mut sealed)
            .map_err(|_| SealError::NotGenuine)?
            .len();
        sealed.truncate(length);
        Ok(sealed)
    }
}

fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; 12];
    bytes[4..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(bytes)
}

pub(crate) fn fresh_name() -> Result<Name, SealError> {
    let mut name = Name::default();
    let filled = SystemRandom::new().fill(&mut name);
    filled.map_err(|_| SealError::NoRandomness)?;
    Ok(name)
}

/// The keys that a caller and a session share.
pub(crate) struct Keys {
    /// Authenticates the head of a call, before its body is read.
    pub(crate) head: Key,
    pub(crate) request: Key,
    pub(crate) answer: Key,
}

impl Keys {
    pub(crate) fn new(secret: &Secret, session: &Name, caller: &Name) -> Self {
        let key = |purpose: &[u8]| secret.key(purpose, session, caller, 0);
        Self {
            head: key(b"head"),
            request: key(b"request"),
            answer: key(b"answer"),
        }
    }
}

/// The keys of a stream that a call became, from the caller's side.
pub(crate) struct StreamKeys {
    pub(crate) up: Key,
    pub(crate) down: Key,
}

impl StreamKeys {
    pub(crate) fn new(secret: &Secret, session: &Name, caller: &Name, call: u64) -> Self {
        Self {
            up: secret.key(b"stream up", session, caller, call),
            down: secret.key(b"stream down", session, caller, call),
        }
    }
}

/// Replay window: which numbers of a caller were used. Numbers far below the highest count as used.
#[derive(Debug)]
struct Window {
    highest: u64,
    /// Bit `n` stands for the number `highest - n`.
    taken: [u64; Self::WORDS],
}

impl Window {
    const WORDS: usize = 64;
    const WIDTH: u64 = 64 * Self::WORDS as u64;

    fn new() -> Self {
        Self {
            highest: 0,
            taken: [0; Self::WORDS],
        }
    }

    /// Marks a number as used; false if it was used before.
    fn take(&mut self, number: u64) -> bool {
        if number > self.highest {
            self.advance(number - self.highest);
            self.highest = number;
        }
        let behind = self.highest - number;
        let Ok(index) = usize::try_from(behind / 64) else {
            return false;
        };
        let bit = 1u64 << (behind % 64);
        match self.taken.get_mut(index) {
            Some(word) if *word & bit == 0 => {
                *word |= bit;
                true
            }
            _ => false,
        }
    }

    fn advance(&mut self, by: u64) {
        if by >= Self::WIDTH {
            self.taken = [0; Self::WORDS];
            return;
        }
        let words = usize::try_from(by / 64).unwrap_or(Self::WORDS);
        let bits = by % 64;
        for index in (0..Self::WORDS).rev() {
            let from = |back: usize| index.checked_sub(back).map_or(0, |at| self.taken[at]);
            let mut word = from(words) << bits;
            if bits > 0 {
                word |= from(words + 1) >> (64 - bits);
            }
            self.taken[index] = word;
        }
    }
}

/// An authenticated caller.
struct Caller {
    keys: Arc<Keys>,
    window: Window,
}

/// Why a call is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is for another session, such as an earlier incarnation of this conductor.
    OtherSession(Name),
    /// Authentication failed: wrong cluster secret.
    NotGenuine,
    /// Replay: the number was used before, or is too old to tell.
    Repeated,
}

/// The callers of a conductor, since its start or since there were too many of them.
pub(crate) struct Session {
    secret: Secret,
    inner: Mutex<Inner>,
}

struct Inner {
    name: Name,
    callers: HashMap<Name, Caller>,
}

impl Session {
    pub(crate) fn new(secret: Secret) -> Result<Self, SealError> {
        let inner = Inner {
            name: fresh_name()?,
            callers: HashMap::new(),
        };
        Ok(Self {
            secret,
            inner: Mutex::new(inner),
        })
    }

    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }

    pub(crate) fn name(&self) -> Name {
        self.inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .name
    }

    /// Admits a call with an authentic head, once.
    pub(crate) fn admit(
        &self,
        session: &Name,
        caller: &Name,
        number: u64,
        about: &[u8],
        proof: &[u8],
    ) -> Result<Arc<Keys>, Refusal> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if *session != inner.name {
            return Err(Refusal::OtherSession(inner.name));
        }
        let known = inner.callers.get(caller).map(|c| Arc::clone(&c.keys));
        let keys = known.unwrap_or_else(|| Arc::new(Keys::new(&self.secret, session, caller)));
        let genuine = keys.head.open(number, about, proof.to_vec());
        genuine.map_err(|_| Refusal::NotGenuine)?;
        if !inner.callers.contains_key(caller) && inner.callers.len() >= CALLERS {
            // Forgetting a single caller would allow replays, so begin a new session; without
            // random numbers reject new callers.
            let name = fresh_name().map_err(|_| Refusal::NotGenuine)?;
            inner.callers.clear();
            inner.name = name;
            return Err(Refusal::OtherSession(name));
        }
        let entry = inner.callers.entry(*caller).or_insert_with(|| Caller {
            keys,
            window: Window::new(),
        });
        if entry.window.take(number) {
            Ok(Arc::clone(&entry.keys))
        } else {
            Err(Refusal::Repeated)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text).unwrap()
    }

    const GOOD: &str = "correct horse battery staple";

    #[test]
    fn short_secrets_are_none() {
        assert!(Secret::new("  123456789012345\n").is_none());
        assert!(Secret::new("1234567890123456").is_some());
        assert_eq!(format!("{:?}", secret(GOOD)), "Secret");
    }

    #[test]
    fn only_the_same_secret_number_and_subject_open() {
        let (session, caller) = ([1; 16], [2; 16]);
        let keys = |text| Keys::new(&secret(text), &session, &caller);
        let sealed = keys(GOOD)
            .request
            .seal(7, b"/call", b"hello".to_vec())
            .unwrap();
        let open =
            |keys: Keys, number, about: &[u8]| keys.request.open(number, about, sealed.clone());
        assert_eq!(open(keys(GOOD), 7, b"/call").unwrap(), b"hello");
        assert!(open(keys(GOOD), 8, b"/call").is_err());
        assert!(open(keys(GOOD), 7, b"/console").is_err());
        assert!(open(keys("another secret that is long"), 7, b"/call").is_err());
        let others = Keys::new(&secret(GOOD), &[3; 16], &caller);
        assert!(open(others, 7, b"/call").is_err());
        assert!(keys(GOOD).answer.open(7, b"/call", sealed.clone()).is_err());
        assert!(keys(GOOD).request.open(7, b"/call", Vec::new()).is_err());
    }

    #[test]
    fn a_number_is_taken_once_in_whatever_order() {
        let mut window = Window::new();
        for number in [5, 3, 64, 4, 200, 199, 1, 70_000, 69_999] {
            assert!(window.take(number), "{number}");
            assert!(!window.take(number), "{number} again");
        }
        // Too far behind to know.
        assert!(!window.take(70_000 - Window::WIDTH));
        assert!(window.take(70_001 - Window::WIDTH));
        assert!(!window.take(200));
        let mut window = Window::new();
        let numbers: Vec<u64> = (0..Window::WIDTH).rev().collect();
        assert!(numbers.iter().all(|&number| window.take(number)));
        assert!(numbers.iter().all(|&number| !window.take(number)));
    }

    #[test]
    fn a_session_lets_a_genuine_call_in_once() {
        let session = Session::new(secret(GOOD)).unwrap();
        let (name, caller) = (session.name(), [9; 16]);
        let proof = |text: &str, name: &Name, number| {
            let keys = Keys::new(&secret(text), name, &caller);
            keys.head.seal(number, b"/call 5", Vec::new()).unwrap()
        };
        let admit = |name: &Name, number, about: &[u8], proof: &[u8]| {
            session
                .admit(name, &caller, number, about, proof)
                .map(|_| ())
        };
        let good = proof(GOOD, &name, 1);
        assert_eq!(admit(&name, 1, b"/call 6", &good), Err(Refusal::NotGenuine));
        assert_eq!(admit(&name, 1, b"/call 5", &good), Ok(()));
        assert_eq!(admit(&name, 1, b"/call 5", &good), Err(Refusal::Repeated));
        assert_eq!(admit(&name, 2, b"/call 5", &good), Err(Refusal::NotGenuine));
        let wrong = proof("another secret that is long", &name, 3);
        assert_eq!(
            admit(&name, 3, b"/call 5", &wrong),
            Err(Refusal::NotGenuine)
        );
        assert_eq!(
            admit(&[0; 16], 4, b"/call 5", &good),
            Err(Refusal::OtherSession(name))
        );
    }
}
