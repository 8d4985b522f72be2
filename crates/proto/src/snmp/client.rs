//! The manager's side of an exchange.
//!
//! A [`Client`] encodes a request and judges what comes back. In version 3 it has to discover the
//! agent's engine id and clock first (RFC 3414 §4): when a datagram is judged [`ResponseVerdict::SendAgain`], the
//! caller calls [`Client::ask`] again and sends the new datagram. Time, ids and salts are
//! arguments.

use super::{
    DecodeError, Pdu, PduKind,
    message::{
        Community, CommunityMessage, Flags, Message, ScopedPdu, Security, UsmMessage, Version,
    },
    usm::{self, Keys, Level, MasterKeys, OpenError, Refusal, User},
};

/// The credentials for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Access {
    Community {
        version: Version,
        read: Community,
        write: Community,
    },
    User {
        user: User,
        /// The context engine of the objects; `None` for the agent's own engine.
        engine_id: Option<Vec<u8>>,
        context: Vec<u8>,
    },
}

/// How a datagram was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseVerdict {
    /// The response to the request.
    Answer(Pdu),
    /// The client learned the engine or its clock: encode and send the request again.
    SendAgain,
    /// The agent rejected the request with a Report.
    Refused(Refusal),
    /// Not the response, which may still arrive: keep waiting until the timeout.
    Ignored(IgnoreReason),
}

/// Why a datagram is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IgnoreReason {
    #[error("a datagram cannot be read: {0}")]
    Decode(#[from] DecodeError),
    #[error("a message cannot be trusted: {0}")]
    Open(#[from] OpenError),
    #[error("a message is the answer to another question")]
    OtherQuestion,
    #[error("a message is of another version")]
    OtherVersion,
    #[error("a message is from another engine")]
    OtherEngine,
    #[error("a message is not protected as well as the question was")]
    Unprotected,
    #[error("a message is too old")]
    Old,
}

/// The time window: messages older than 150 seconds are replays (RFC 3414 §2.2.3, §3.2 step 7).
const WINDOW: i64 = 150;
/// The length of an engine id. RFC 3411 §5 demands at least 5; odd agents send as little as 1.
const ENGINE_ID: std::ops::RangeInclusive<usize> = 1..=32;

/// What the client has learned of the agent's engine.
#[derive(Debug, Clone)]
struct Engine {
    id: Vec<u8>,
    boots: i32,
    time: i32,
    /// When the engine had that time, by the caller's clock.
    at: u64,
    keys: Option<Keys>,
}

impl Engine {
    fn time_at(&self, now: u64) -> i32 {
        let passed = i32::try_from(now.saturating_sub(self.at)).unwrap_or(i32::MAX);
        self.time.saturating_add(passed)
    }

    /// Checks the time window of an authentic message and follows the engine's clock forward
    /// (RFC 3414 §3.2 step 7b). False if the message is too old.
    fn follow(&mut self, security: &Security, now: u64) -> bool {
        let ours = i64::from(self.time_at(now));
        let is_old = security.boots < self.boots
            || security.boots == self.boots && i64::from(security.time) < ours - WINDOW;
        if is_old {
            return false;
        }
        if security.boots > self.boots || i64::from(security.time) > ours {
            (self.boots, self.time, self.at) = (security.boots, security.time, now);
        }
        true
    }
}

/// The manager's state for one agent.
#[derive(Debug)]
pub struct Client {
    access: Access,
    master: Option<MasterKeys>,
    engine: Option<Engine>,
}

impl Client {
    /// Derives the user's keys, which hashes a megabyte for each password.
    pub fn new(access: Access) -> Self {
        let master = match &access {
            Access::User { user, .. } => user.signing.as_ref().map(usm::Signing::master),
            Access::Community { .. } => None,
        };
        Self {
            access,
            master,
            engine: None,
        }
    }

    /// Forgets the engine, so that the next request discovers it again: the device may have been
    /// replaced or have lost its clock.
    pub fn forget(&mut self) {
        self.engine = None;
    }

    /// Encodes a request, or the discovery request that has to come first. `now` is in seconds of
    /// any monotonic clock; `salt` must be different each time.
    pub fn ask(&self, pdu: &Pdu, now: u64, salt: u64) -> Vec<u8> {
        let (user, engine_id, context) = match &self.access {
            Access::Community {
                version,
                read,
                write,
            } => {
                let community = match pdu.kind {
                    PduKind::Set => write,
                    _ => read,
                };
                let message = CommunityMessage {
                    version: *version,
                    community: community.clone(),
                    pdu: pdu.clone(),
                };
                return message.encode();
            }
            Access::User {
                user,
                engine_id,
                context,
            } => (user, engine_id, context),
        };
        let Some(engine) = &self.engine else {
            return discovery(pdu.id);
        };
        let level = engine.keys.as_ref().map_or(Level::Plain, Keys::level);
        let is_signed = engine.keys.is_some();
        let security = Security {
            engine_id: engine.id.clone(),
            boots: if is_signed { engine.boots } else { 0 },
            time: if is_signed { engine.time_at(now) } else { 0 },
            user: user.name.clone(),
            ..Security::default()
        };
        let scoped = ScopedPdu {
            engine_id: engine_id.clone().unwrap_or_else(|| engine.id.clone()),
            context: context.clone(),
            pdu: pdu.clone(),
        };
        let flags = Flags::of_level(level, true);
        let keys = engine.keys.as_ref();
        usm::seal(pdu.id, flags, &security, keys, &scoped, salt)
    }

    /// Judges a datagram that arrived after the request `asked` was sent.
    pub fn hear(&mut self, asked: &Pdu, datagram: &[u8], now: u64) -> ResponseVerdict {
        match self.judge(asked, datagram, now) {
            Ok(heard) => heard,
            Err(noise) => ResponseVerdict::Ignored(noise),
        }
    }

    fn judge(
        &mut self,
        asked: &Pdu,
        datagram: &[u8],
        now: u64,
    ) -> Result<ResponseVerdict, IgnoreReason> {
        match (Message::decode(datagram)?, &self.access) {
            (Message::Community(message), Access::Community { version, .. })
                if message.version == *version =>
            {
                answer_to(asked, message.pdu)
            }
            (Message::Usm(message), Access::User { .. }) if message.id == asked.id => {
                self.judge_signed(asked, datagram, &message, now)
            }
            (Message::Usm(_), Access::User { .. }) => Err(IgnoreReason::OtherQuestion),
            _ => Err(IgnoreReason::OtherVersion),
        }
    }

    fn judge_signed(
        &mut self,
        asked: &Pdu,
        datagram: &[u8],
        message: &UsmMessage,
        now: u64,
    ) -> Result<ResponseVerdict, IgnoreReason> {
        let security = &message.security;
        let Some(engine) = &mut self.engine else {
            // The Report of discovery (RFC 3414 §4). It cannot be authenticated, since the keys
            // depend on the engine id in it.
            if !ENGINE_ID.contains(&security.engine_id.len()) {
                return Err(IgnoreReason::OtherEngine);
            }
            self.engine = Some(Engine {
                id: security.engine_id.clone(),
                boots: security.boots,
                time: security.time,
                at: now,
                keys: self
                    .master
                    .as_ref()
                    .map(|m| m.for_engine(&security.engine_id)),
            });
            return Ok(ResponseVerdict::SendAgain);
        };
        let is_report = |pdu: &Pdu| pdu.kind == PduKind::Report;
        if message.flags.is_signed {
            if security.engine_id != engine.id {
                return Err(IgnoreReason::OtherEngine);
            }
            let scoped = usm::open(datagram, message, engine.keys.as_ref())?;
            if !engine.follow(security, now) {
                return Err(IgnoreReason::Old);
            }
            if is_report(&scoped.pdu) {
                return Ok(match refusal(&scoped.pdu) {
                    Refusal::Clock => ResponseVerdict::SendAgain,
                    other => ResponseVerdict::Refused(other),
                });
            }
            let level = engine.keys.as_ref().map_or(Level::Plain, Keys::level);
            if message.flags.level() < level {
                return Err(IgnoreReason::Unprotected);
            }
            return answer_to(asked, scoped.pdu);
        }
        let scoped = usm::open(datagram, message, None)?;
        if is_report(&scoped.pdu) {
            let refusal = refusal(&scoped.pdu);
            if refusal == Refusal::Engine {
                // Another device has this address now: discover its engine. A forged Report costs
                // an exchange and reveals nothing.
                self.engine = None;
                return Ok(ResponseVerdict::SendAgain);
            }
            return Ok(ResponseVerdict::Refused(refusal));
        }
        if engine.keys.is_some() {
            return Err(IgnoreReason::Unprotected);
        }
        answer_to(asked, scoped.pdu)
    }
}

/// A discovery request (RFC 3414 §4 step 1): no user, no engine id; the Report names the engine.
fn discovery(id: i32) -> Vec<u8> {
    let scoped = ScopedPdu {
        engine_id: Vec::new(),
        context: Vec::new(),
        pdu: Pdu::ask(PduKind::Get, id, []),
    };
    let flags = Flags::of_level(Level::Plain, true);
    usm::seal(id, flags, &Security::default(), None, &scoped, 0)
}

fn refusal(report: &Pdu) -> Refusal {
    let first = report.bindings.first();
    first.map_or(Refusal::Other, |(oid, _)| Refusal::of_oid(oid))
}

fn answer_to(asked: &Pdu, pdu: Pdu) -> Result<ResponseVerdict, IgnoreReason> {
    if pdu.kind == PduKind::Response && pdu.id == asked.id {
        Ok(ResponseVerdict::Answer(pdu))
    } else {
        Err(IgnoreReason::OtherQuestion)
    }
}

#[cfg(test)]
#[path = "client/tests.rs"]
mod tests;
