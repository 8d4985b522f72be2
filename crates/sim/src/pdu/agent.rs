//! The answering side of SNMP.
//!
//! Communities in versions 1 and 2c: a wrong one is met with silence. Users in version 3: whoever
//! is wrong about engine, user, keys or clock gets the report that the standard has for it.

use super::strip::Strip;
use proto::snmp::{
    ErrorStatus, Oid, Pdu, PduKind, Value,
    message::{CommunityMessage, Flags, Message, ScopedPdu, Security, UsmMessage, Version},
    usm::{self, Keys, Level, OpenError, Refusal, User},
};
use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Instant,
};

/// By how many seconds clocks may differ.
const WINDOW: i64 = 150;
/// How many objects a bulk answer has at most.
const BULK: usize = 64;

/// Communities and users: who may read, and who may write.
#[derive(Debug, Clone)]
pub struct Accounts {
    /// Community that may ask.
    pub read: Vec<u8>,
    /// Community that may ask and switch.
    pub write: Vec<u8>,
    /// Users, all of whom may switch.
    pub users: Vec<User>,
}

/// A strip that can be asked.
#[derive(Debug)]
pub struct Agent {
    strip: Mutex<Strip>,
    read: Vec<u8>,
    write: Vec<u8>,
    users: Vec<(Vec<u8>, Option<Keys>)>,
    engine_id: Vec<u8>,
    /// How often the engine was restarted.
    boots: i32,
    started: Instant,
    salt: AtomicU64,
    reports: AtomicU32,
}

impl Agent {
    /// Makes the keys of all users, which takes a moment. `boots` is how often the engine claims to
    /// have been restarted, `salt` where its salts begin.
    pub fn new(strip: Strip, accounts: Accounts, engine_id: &[u8], boots: i32, salt: u64) -> Self {
        let users = accounts.users.into_iter().map(|user| {
            let keys = user.signing.map(|s| s.master().for_engine(engine_id));
            (user.name, keys)
        });
        Self {
            users: users.collect(),
            strip: Mutex::new(strip),
            read: accounts.read,
            write: accounts.write,
            engine_id: engine_id.to_vec(),
            boots,
            started: Instant::now(),
            salt: AtomicU64::new(salt),
            reports: AtomicU32::new(0),
        }
    }

    /// The strip, to be looked at or spoiled. No code panics while it holds it.
    pub fn strip(&self) -> MutexGuard<'_, Strip> {
        self.strip.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a datagram, if it deserves one.
    pub fn answer(&self, datagram: &[u8]) -> Option<Vec<u8>> {
        if self.strip().faults.silent {
            return None;
        }
        match Message::decode(datagram).ok()? {
            Message::Community(message) => self.answer_community(message),
            Message::Usm(message) => self.answer_user(datagram, &message),
        }
    }

    fn answer_community(&self, message: CommunityMessage) -> Option<Vec<u8>> {
        let may_write = message.community.0 == self.write;
        let may_read = may_write || message.community.0 == self.read;
        if !may_read {
            return None;
        }
        let is_v1 = message.version == Version::V1;
        let pdu = self.process(&message.pdu, may_write, is_v1)?;
        Some(CommunityMessage { pdu, ..message }.encode())
    }

    fn answer_user(&self, datagram: &[u8], message: &UsmMessage) -> Option<Vec<u8>> {
        let security = &message.security;
        if security.engine_id != self.engine_id {
            return self.report(message, None, Refusal::Engine);
        }
        let Some((_, keys)) = self.users.iter().find(|(name, _)| *name == security.user) else {
            return self.report(message, None, Refusal::User);
        };
        let level = keys.as_ref().map_or(Level::Plain, Keys::level);
        if message.flags.level() > level {
            return self.report(message, None, Refusal::Level);
        }
        let scoped = match usm::open(datagram, message, keys.as_ref()) {
            Ok(scoped) => scoped,
            Err(OpenError::Hidden) => return self.report(message, None, Refusal::Hidden),
            Err(OpenError::Forged) => return self.report(message, None, Refusal::Signature),
            Err(OpenError::NoKeys | OpenError::Decode(_)) => return None,
        };
        let time = i64::from(self.time());
        let differs = (i64::from(security.time) - time).abs() > WINDOW;
        if message.flags.is_signed && (security.boots != self.boots || differs) {
            return self.report(message, keys.as_ref(), Refusal::Clock);
        }
        let pdu = if message.flags.level() < level {
            Pdu {
                kind: PduKind::Response,
                status: ErrorStatus::AUTHORIZATION,
                ..scoped.pdu
            }
        } else {
            self.process(&scoped.pdu, true, false)?
        };
        let answer = ScopedPdu { pdu, ..scoped };
        Some(self.seal(message, message.flags.level(), keys.as_ref(), &answer))
    }

    fn time(&self) -> i32 {
        i32::try_from(self.started.elapsed().as_secs()).unwrap_or(i32::MAX)
    }

    fn seal(
        &self,
        to: &UsmMessage,
        level: Level,
        keys: Option<&Keys>,
        scoped: &ScopedPdu,
    ) -> Vec<u8> {
        let security = Security {
            engine_id: self.engine_id.clone(),
            boots: self.boots,
            time: self.time(),
            user: to.security.user.clone(),
            ..Security::default()
        };
        let salt = self.salt.fetch_add(1, Ordering::Relaxed);
        let flags = Flags::of_level(level, false);
        usm::seal(to.id, flags, &security, keys, scoped, salt)
    }

    /// An SNMPv3 Report: why a message was rejected, if its sender requested reports. Signed if
    /// there are keys.
    fn report(&self, to: &UsmMessage, keys: Option<&Keys>, refusal: Refusal) -> Option<Vec<u8>> {
        if !to.flags.wants_report {
            return None;
        }
        let count = self.reports.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let scoped = ScopedPdu {
            engine_id: self.engine_id.clone(),
            context: Vec::new(),
            pdu: Pdu {
                bindings: vec![(refusal.oid()?, Value::Counter32(count))],
                ..Pdu::ask(PduKind::Report, 0, [])
            },
        };
        let level = if keys.is_some() {
            Level::Signed
        } else {
            Level::Plain
        };
        Some(self.seal(to, level, keys, &scoped))
    }

    /// The answer to a request; `None` for messages that are not requests.
    fn process(&self, asked: &Pdu, may_write: bool, is_v1: bool) -> Option<Pdu> {
        let mut strip = self.strip();
        let bindings = asked.bindings.iter();
        let outcome = match asked.kind {
            PduKind::Get => read(bindings, is_v1, |oid| match strip.get(oid) {
                Some(value) => (oid.clone(), value),
                None => (oid.clone(), Value::NoSuchInstance),
            }),
            PduKind::GetNext => read(bindings, is_v1, |oid| match strip.next(oid) {
                Some(found) => found,
                None => (oid.clone(), Value::EndOfMib),
            }),
            PduKind::GetBulk if !is_v1 => Ok(bulk(&strip, asked)),
            PduKind::Set if !may_write => Err((ErrorStatus::NO_ACCESS, 1)),
            PduKind::Set => write(&mut strip, &asked.bindings),
            _ => return None,
        };
        let (status, index, bindings) = match outcome {
            Ok(bindings) => (ErrorStatus::NONE, 0, bindings),
            Err((status, index)) => {
                let status = if is_v1 { old(status) } else { status };
                (status, index, asked.bindings.clone())
            }
        };
        Some(Pdu {
            kind: PduKind::Response,
            id: asked.id,
            status,
            index,
            bindings,
        })
    }
}

type Outcome = Result<Vec<(Oid, Value)>, (ErrorStatus, i32)>;

/// Which of the objects of a question it is, from one on.
fn index(place: usize) -> i32 {
    i32::try_from(place + 1).unwrap_or(i32::MAX)
}

fn read<'a>(
    bindings: impl Iterator<Item = &'a (Oid, Value)>,
    is_v1: bool,
    look: impl Fn(&Oid) -> (Oid, Value),
) -> Outcome {
    let found = bindings.enumerate().map(|(place, (oid, _))| {
        let (oid, value) = look(oid);
        // Version 1 has no words for it in a value.
        if is_v1 && value.is_absent() {
            return Err((ErrorStatus::NO_SUCH_NAME, index(place)));
        }
        Ok((oid, value))
    });
    found.collect()
}

fn bulk(strip: &Strip, asked: &Pdu) -> Vec<(Oid, Value)> {
    let once = usize::try_from(asked.status.0).unwrap_or(0);
    let times = usize::try_from(asked.index).unwrap_or(0);
    let step = |oid: &Oid| match strip.next(oid) {
        Some(found) => found,
        None => (oid.clone(), Value::EndOfMib),
    };
    let mut found: Vec<(Oid, Value)> = Vec::new();
    let first = asked.bindings.iter().take(once);
    found.extend(first.map(|(oid, _)| step(oid)).take(BULK));
    let mut rest: Vec<Oid> = asked
        .bindings
        .iter()
        .skip(once)
        .map(|(oid, _)| oid.clone())
        .collect();
    for _ in 0..times {
        let mut is_end = true;
        for oid in &mut rest {
            if found.len() >= BULK {
                return found;
            }
            let next = step(oid);
            *oid = next.0.clone();
            is_end &= next.1 == Value::EndOfMib;
            found.push(next);
        }
        if is_end {
            break;
        }
    }
    found
}

/// All or nothing.
fn write(strip: &mut Strip, bindings: &[(Oid, Value)]) -> Outcome {
    let orders = bindings.iter().enumerate().map(|(place, (oid, value))| {
        let checked = strip.check(oid, value);
        checked.map_err(|status| (status, index(place)))
    });
    let orders: Result<Vec<_>, _> = orders.collect();
    for order in orders? {
        strip.switch(order);
    }
    Ok(bindings.to_vec())
}

/// What version 1 calls a failure.
fn old(status: ErrorStatus) -> ErrorStatus {
    match status {
        ErrorStatus::WRONG_TYPE | ErrorStatus::WRONG_VALUE => ErrorStatus::BAD_VALUE,
        ErrorStatus::NO_SUCH_NAME | ErrorStatus::GENERAL | ErrorStatus::TOO_BIG => status,
        _ => ErrorStatus::NO_SUCH_NAME,
    }
}
