//! The user-based security model of version 3 (USM, RFC 3414): keys from passwords,
//! authentication, encryption.
//!
//! A user's keys are localized for one agent (RFC 3414 §2.6: [`Signing::master`], which is slow on
//! purpose, then [`MasterKeys::for_engine`]), so that a compromised agent does not reveal the keys
//! for another. [`seal`] and [`open`] are the two directions. Clocks and user names are checked by
//! the caller, because RFC 3414 §3.2 step 7 has different rules for the two sides.

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

/// A password or a key. Its `Debug` output hides the value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(pub Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A user of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct User {
    pub name: Vec<u8>,
    /// `None` for the security level noAuthNoPriv.
    pub signing: Option<Signing>,
}

/// How a user's messages are authenticated.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Signing {
    pub auth: Auth,
    pub password: Secret,
    pub hiding: Option<Hiding>,
}

/// How a user's messages are encrypted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Hiding {
    pub privacy: Privacy,
    pub password: Secret,
}

impl Signing {
    /// The keys of the user before localization. Each hashes a megabyte (RFC 3414 §2.6).
    ///
    /// The privacy password goes through the hash of the authentication protocol; USM has no other.
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

/// A user's keys before localization.
#[derive(Debug, Clone)]
pub struct MasterKeys {
    auth: Auth,
    signing: Secret,
    hiding: Option<(Privacy, Secret)>,
}

impl MasterKeys {
    /// Localizes the keys for one agent (RFC 3414 §2.6).
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

/// A user's localized keys: for one agent.
#[derive(Debug, Clone)]
pub struct Keys {
    auth: Auth,
    signing: Secret,
    hiding: Option<(Privacy, Secret)>,
}

/// The security level of a message: noAuthNoPriv, authNoPriv, authPriv (RFC 3411 §3.4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Plain,
    Signed,
    Hidden,
}

impl Keys {
    /// The highest security level that these keys allow.
    pub fn level(&self) -> Level {
        match self.hiding {
            None => Level::Signed,
            Some(_) => Level::Hidden,
        }
    }
}

impl Flags {
    /// The flags for a security level.
    pub fn of_level(level: Level, wants_report: bool) -> Self {
        Self {
            is_signed: level >= Level::Signed,
            is_hidden: level >= Level::Hidden,
            wants_report,
        }
    }

    /// The security level that the flags stand for.
    pub fn level(self) -> Level {
        match (self.is_signed, self.is_hidden) {
            (_, true) => Level::Hidden,
            (true, false) => Level::Signed,
            (false, false) => Level::Plain,
        }
    }
}

/// Encodes a message, authenticated and encrypted as its flags say and the keys allow (RFC 3414
/// §3.1). `security` gives the engine, its clock and the user.
///
/// `salt` must never be used twice with one key: with AES in CFB mode a repeated salt reveals the
/// XOR of two messages.
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
    // RFC 3414 §6.3.1: the code is computed over the whole message with zeros in its place.
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

/// Why a message is not authentic or cannot be decrypted.
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

/// Authenticates and decrypts a message. `message` is the decoded form of `datagram`, which is
/// needed as well because the code covers its bytes.
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
            // USM does not tell a wrong privacy key: the plaintext is noise that does not decode.
            ScopedPdu::decode_prefix(&text).map_err(|_| OpenError::Hidden)
        }
    }
}

/// Why an engine rejected a message: the counters of RFC 3414 §5 that a Report names.
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

/// `usmStats` (RFC 3414 §5): 1.3.6.1.6.3.15.1.1.
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

    /// The object that a Report names for it.
    pub fn oid(self) -> Option<Oid> {
        let (_, number) = Self::ALL.into_iter().find(|(known, _)| *known == self)?;
        let mut path = [0; 11];
        path[..9].copy_from_slice(&STATISTICS);
        path[9] = number;
        Oid::new(&path)
    }

    /// The reason that a Report's object stands for.
    pub fn of_oid(oid: &Oid) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| known.oid().as_ref() == Some(oid))
            .map_or(Self::Other, |(known, _)| known)
    }
}

#[cfg(test)]
#[path = "usm/tests.rs"]
mod tests;
