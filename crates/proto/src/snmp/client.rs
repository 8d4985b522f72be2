//! The side that asks.
//!
//! A [`Client`] makes the datagram of a question and judges what comes back. In version 3 it has to
//! learn the agent's engine first, and its clock: whoever sends and receives does as [`Heard`] says
//! and sends what [`Client::ask`] makes anew. Time, ids and salts are passed in.

use super::{
    DecodeError, Pdu, PduKind,
    message::{
        Community, CommunityMessage, Flags, Message, ScopedPdu, Security, UsmMessage, Version,
    },
    usm::{self, Keys, Level, MasterKeys, OpenError, Refusal, User},
};

/// What an agent is told about who asks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Access {
    Community {
        version: Version,
        read: Community,
        write: Community,
    },
    User {
        user: User,
        /// Whose objects are meant; nothing for the agent's own.
        engine_id: Option<Vec<u8>>,
        context: Vec<u8>,
    },
}

/// What came of a datagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// The answer to what was asked.
    Answer(Pdu),
    /// Something was learned that the question needs: it is to be sent anew.
    Again,
    /// The agent did not look at the question.
    Refused(Refusal),
    /// Not the answer; the answer may still come.
    Nothing(Noise),
}

/// Why a datagram is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Noise {
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

/// By how many seconds clocks may differ.
const WINDOW: i64 = 150;
/// What the standard allows as an engine's id; one byte is let pass for the sake of odd agents.
const ENGINE_ID: std::ops::RangeInclusive<usize> = 1..=32;

/// The agent's engine, as far as it is known.
#[derive(Debug, Clone)]
struct Engine {
    id: Vec<u8>,
    boots: i32,
    time: i32,
    /// When that was its time, by the caller's clock.
    at: u64,
    keys: Option<Keys>,
}

impl Engine {
    fn time_at(&self, now: u64) -> i32 {
        let passed = i32::try_from(now.saturating_sub(self.at)).unwrap_or(i32::MAX);
        self.time.saturating_add(passed)
    }

    /// Takes over a clock that a signed message shows. False if the message is too old.
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

/// One who asks one agent.
#[derive(Debug)]
pub struct Client {
    access: Access,
    master: Option<MasterKeys>,
    engine: Option<Engine>,
}

impl Client {
    /// Hashes some megabytes where the access has passwords.
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

    /// Forgets the engine, which may have been replaced or have lost its clock.
    pub fn forget(&mut self) {
        self.engine = None;
    }

    /// The datagram that asks a question, or one that has to be asked before. `now` is in seconds
    /// of any clock that goes evenly; `salt` must be another one each time.
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

    /// Judges a datagram that came after the question `asked` was sent.
    pub fn hear(&mut self, asked: &Pdu, datagram: &[u8], now: u64) -> Heard {
        match self.judge(asked, datagram, now) {
            Ok(heard) => heard,
            Err(noise) => Heard::Nothing(noise),
        }
    }

    fn judge(&mut self, asked: &Pdu, datagram: &[u8], now: u64) -> Result<Heard, Noise> {
        match (Message::decode(datagram)?, &self.access) {
            (Message::Community(message), Access::Community { version, .. })
                if message.version == *version =>
            {
                answer_to(asked, message.pdu)
            }
            (Message::Usm(message), Access::User { .. }) if message.id == asked.id => {
                self.judge_signed(asked, datagram, &message, now)
            }
            (Message::Usm(_), Access::User { .. }) => Err(Noise::OtherQuestion),
            _ => Err(Noise::OtherVersion),
        }
    }

    fn judge_signed(
        &mut self,
        asked: &Pdu,
        datagram: &[u8],
        message: &UsmMessage,
        now: u64,
    ) -> Result<Heard, Noise> {
        let security = &message.security;
        let Some(engine) = &mut self.engine else {
            // Nothing can be signed yet: this is the answer to the question who is there.
            if !ENGINE_ID.contains(&security.engine_id.len()) {
                return Err(Noise::OtherEngine);
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
            return Ok(Heard::Again);
        };
        let is_report = |pdu: &Pdu| pdu.kind == PduKind::Report;
        if message.flags.is_signed {
            if security.engine_id != engine.id {
                return Err(Noise::OtherEngine);
            }
            let scoped = usm::open(datagram, message, engine.keys.as_ref())?;
            if !engine.follow(security, now) {
                return Err(Noise::Old);
            }
            if is_report(&scoped.pdu) {
                return Ok(match refusal(&scoped.pdu) {
                    Refusal::Clock => Heard::Again,
                    other => Heard::Refused(other),
                });
            }
            let level = engine.keys.as_ref().map_or(Level::Plain, Keys::level);
            if message.flags.level() < level {
                return Err(Noise::Unprotected);
            }
            return answer_to(asked, scoped.pdu);
        }
        let scoped = usm::open(datagram, message, None)?;
        if is_report(&scoped.pdu) {
            let refusal = refusal(&scoped.pdu);
            if refusal == Refusal::Engine {
                // Another device answers at this address now.
                self.engine = None;
                return Ok(Heard::Again);
            }
            return Ok(Heard::Refused(refusal));
        }
        if engine.keys.is_some() {
            return Err(Noise::Unprotected);
        }
        answer_to(asked, scoped.pdu)
    }
}

/// A question that nobody is meant by: the answer says who is there.
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

fn answer_to(asked: &Pdu, pdu: Pdu) -> Result<Heard, Noise> {
    if pdu.kind == PduKind::Response && pdu.id == asked.id {
        Ok(Heard::Answer(pdu))
    } else {
        Err(Noise::OtherQuestion)
    }
}

#[cfg(test)]
#[path = "client/tests.rs"]
mod tests;
