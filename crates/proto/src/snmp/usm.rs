//! The security model of version 3: keys out of passwords, signing, hiding.
//!
//! A user's keys are made for one agent ([`Signing::master`], which is slow on purpose, then
//! [`MasterKeys::for_engine`]), so that no agent learns those of another. [`seal`] and [`open`] are
//! the two directions; who checks clocks and users is for the caller to know, since the two sides
//! of a conversation do it differently.

pub mod auth;
pub mod privacy;

pub use auth::Auth;
pub use privacy::Privacy;

use super::{
    DecodeError, Oid,
    message::{Body, Flags, ScopedPdu, Security, UsmMessage},
};
use crate::ipmi::crypto::is_same;
use std::fmt;

/// A password or a key. Says nothing when printed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(pub Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Somebody whom agents know.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct User {
    pub name: Vec<u8>,
    /// Nothing for a user whose messages nobody can trust.
    pub signing: Option<Signing>,
}

/// How a user's messages are signed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Signing {
    pub auth: Auth,
    pub password: Secret,
    pub hiding: Option<Hiding>,
}

/// How a user's messages are hidden.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hiding {
    pub privacy: Privacy,
    pub password: Secret,
}

impl Signing {
    /// The keys of the user, for no agent yet. Each hashes a megabyte.
    pub fn master(&self) -> MasterKeys {
        MasterKeys {
            auth: self.auth,
            signing: Secret(self.auth.key_of_password(&self.password.0)),
            hiding: self.hiding.as_ref().map(|hiding| {
                let key = self.auth.key_of_password(&hiding.password.0);
                (hiding.privacy, Secret(key))
            }),
        }
    }
}

/// A user's keys, for no agent yet.
#[derive(Debug, Clone)]
pub struct MasterKeys {
    auth: Auth,
    signing: Secret,
    hiding: Option<(Privacy, Secret)>,
}

impl MasterKeys {
    /// The keys for one agent.
    pub fn for_engine(&self, engine_id: &[u8]) -> Keys {
        let localize = |key: &Secret| self.auth.localize(&key.0, engine_id);
        Keys {
            auth: self.auth,
            signing: Secret(localize(&self.signing)),
            hiding: self.hiding.as_ref().map(|(privacy, key)| {
                let key = privacy.extend(self.auth, localize(key), engine_id);
                (*privacy, Secret(key))
            }),
        }
    }
}

/// A user's keys for one agent.
#[derive(Debug, Clone)]
pub struct Keys {
    auth: Auth,
    signing: Secret,
    hiding: Option<(Privacy, Secret)>,
}

/// How well a message is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Plain,
    Signed,
    Hidden,
}

impl Keys {
    /// The best protection that these keys allow.
    pub fn level(&self) -> Level {
        match self.hiding {
            None => Level::Signed,
            Some(_) => Level::Hidden,
        }
    }
}

impl Flags {
    pub fn of_level(level: Level, wants_report: bool) -> Self {
        Self {
            is_signed: level >= Level::Signed,
            is_hidden: level >= Level::Hidden,
            wants_report,
        }
    }

    pub fn level(self) -> Level {
        match (self.is_signed, self.is_hidden) {
            (_, true) => Level::Hidden,
            (true, false) => Level::Signed,
            (false, false) => Level::Plain,
        }
    }
}

/// The datagram of a message, signed and hidden as its flags say and the keys allow. Of `security`
/// the engine, its clock and the user are taken. `salt` must never be used twice with one key.
pub fn seal(
    id: i32,
    flags: Flags,
    security: &Security,
    keys: Option<&Keys>,
    scoped: &ScopedPdu,
    salt: u64,
) -> Vec<u8> {
    let mut security = Security {
        code: Vec::new(),
        salt: Vec::new(),
        ..security.clone()
    };
    let keys = keys.filter(|_| flags.is_signed);
    let hiding = keys.and_then(|keys| keys.hiding.as_ref());
    let body = match hiding.filter(|_| flags.is_hidden) {
        None => Body::Plain(scoped.clone()),
        Some((privacy, key)) => {
            let salt = privacy.salt(salt, security.boots);
            let text = scoped.encode();
            let clock = (security.boots, security.time);
            let hidden = privacy.encrypt(&key.0, salt, clock, &text);
            security.salt = salt.to_vec();
            Body::Hidden(hidden)
        }
    };
    if let Some(keys) = keys {
        security.code = vec![0; keys.auth.code_length()];
    }
    let flags = Flags {
        is_signed: keys.is_some(),
        is_hidden: matches!(body, Body::Hidden(_)),
        ..flags
    };
    let mut datagram = UsmMessage::new(id, flags, security, body).encode();
    if let Some(keys) = keys {
        let code = keys.auth.code(&keys.signing.0, &[&datagram]);
        if let Ok(place) = UsmMessage::code_place(&datagram) {
            datagram[place].copy_from_slice(&code);
        }
    }
    datagram
}

/// Why a message cannot be believed or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    #[error("the authentication code does not fit")]
    Forged,
    #[error("there are no keys for this kind of protection")]
    NoKeys,
    #[error("what was hidden cannot be read")]
    Hidden,
    #[error(transparent)]
    Decode(#[from] DecodeError),
}

/// What a message says, if it is from somebody with the same keys. `message` is what the datagram
/// was decoded to.
pub fn open(
    datagram: &[u8],
    message: &UsmMessage,
    keys: Option<&Keys>,
) -> Result<ScopedPdu, OpenError> {
    if message.flags.is_signed {
        let keys = keys.ok_or(OpenError::NoKeys)?;
        let place = UsmMessage::code_place(datagram)?;
        let (before, rest) = datagram.split_at(place.start);
        let (code, after) = rest.split_at(place.len());
        if code.len() != keys.auth.code_length() {
            return Err(OpenError::Forged);
        }
        let zeros = vec![0; code.len()];
        let expected = keys.auth.code(&keys.signing.0, &[before, &zeros, after]);
        if !is_same(&expected, code) {
            return Err(OpenError::Forged);
        }
    }
    match &message.body {
        Body::Plain(scoped) => Ok(scoped.clone()),
        Body::Hidden(bytes) => {
            let hiding = keys.and_then(|keys| keys.hiding.as_ref());
            let (privacy, key) = hiding.ok_or(OpenError::NoKeys)?;
            let clock = (message.security.boots, message.security.time);
            let text = privacy.decrypt(&key.0, &message.security.salt, clock, bytes);
            let text = text.ok_or(OpenError::Hidden)?;
            // Keys that do not fit make nonsense out of it.
            ScopedPdu::decode_prefix(&text).map_err(|_| OpenError::Hidden)
        }
    }
}

/// Why an engine did not look at what a message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it does not allow this user the protocols (security level) that the node names")]
    Level,
    #[error("it says that our clocks do not agree")]
    Clock,
    #[error("it does not know the user")]
    User,
    #[error("it says that it is another engine than the one asked")]
    Engine,
    #[error("it says that the signature is wrong: authentication key or protocol do not fit")]
    Signature,
    #[error("it cannot read what was hidden: privacy key or protocol do not fit")]
    Hidden,
    #[error("it refused the message for a reason that is not known here")]
    Other,
}

/// The branch of the counters that reports name.
const STATISTICS: [u32; 9] = [1, 3, 6, 1, 6, 3, 15, 1, 1];

impl Refusal {
    const ALL: [(Self, u32); 6] = [
        (Self::Level, 1),
        (Self::Clock, 2),
        (Self::User, 3),
        (Self::Engine, 4),
        (Self::Signature, 5),
        (Self::Hidden, 6),
    ];

    /// The counter that stands for it.
    pub fn oid(self) -> Option<Oid> {
        let (_, number) = Self::ALL.into_iter().find(|(known, _)| *known == self)?;
        let mut path = [0; 11];
        path[..9].copy_from_slice(&STATISTICS);
        path[9] = number;
        Oid::new(&path)
    }

    pub fn of_oid(oid: &Oid) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| known.oid().as_ref() == Some(oid))
            .map_or(Self::Other, |(known, _)| known)
    }
}

#[cfg(test)]
#[path = "usm/tests.rs"]
mod tests;
