//! Sessions: sealing what is sent, and opening only what the other side has sealed.
//!
//! A session knows two ids: ours, which packets to us carry, and theirs. It does not matter which
//! side is the BMC, so clients and simulators use the same type.

use super::{
    DecodeError,
    crypto::{self, Key},
    handshake::Keys,
    packet::{Packet, PayloadType, V15, V15Auth, V20},
    suite::{Algorithms, Confidentiality, Integrity},
};
use std::borrow::Cow;

/// Which numbers of packets were seen already.
///
/// Datagrams overtake each other, so a few old numbers are good as long as they are new to us.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    newest: u32,
    /// Bit n is set when `newest - n` was seen.
    seen: u32,
}

impl Window {
    /// How far behind the newest a packet may be.
    const REACH: u32 = u32::BITS;

    /// A window in which everything up to `newest` counts as seen.
    pub fn from(newest: u32) -> Self {
        Self {
            newest,
            seen: u32::MAX,
        }
    }

    /// Whether a number is new; it is not any more afterwards. Zero is never a number.
    pub fn admit(&mut self, number: u32) -> bool {
        if number == 0 {
            return false;
        }
        let ahead = number.wrapping_sub(self.newest);
        if ahead == 0 {
            return self.mark(0);
        }
        if ahead < u32::MAX / 2 {
            // Nothing reasonable skips far; what does is an attacker or a BMC that has lost count.
            self.seen = self.seen.checked_shl(ahead).unwrap_or(0) | 1;
            self.newest = number;
            return true;
        }
        let behind = self.newest.wrapping_sub(number);
        behind < Self::REACH && self.mark(behind)
    }

    fn mark(&mut self, bit: u32) -> bool {
        let is_new = self.seen & (1 << bit) == 0;
        self.seen |= 1 << bit;
        is_new
    }
}

/// An open session of either version.
#[derive(Debug, Clone)]
pub enum Session {
    V15(V15Session),
    V20(V20Session),
}

impl Session {
    /// The datagram that brings a message to the other side. `iv` must be random.
    pub fn seal(&mut self, message: &[u8], iv: [u8; 16]) -> Vec<u8> {
        match self {
            Self::V15(session) => session.seal(message),
            Self::V20(session) => session.seal(PayloadType::Ipmi, message, iv),
        }
    }

    /// What a datagram brings us, if it is for this session, unchanged and new.
    pub fn open<'a>(
        &mut self,
        datagram: &'a [u8],
    ) -> Result<(PayloadType, Cow<'a, [u8]>), DecodeError> {
        match (self, Packet::decode(datagram)?) {
            (Self::V15(session), Packet::V15(packet)) => session
                .open(&packet)
                .map(|payload| (PayloadType::Ipmi, Cow::Borrowed(payload))),
            (Self::V20(session), Packet::V20(packet)) => {
                session.open(&packet).map(|payload| (packet.kind, payload))
            }
            _ => Err(DecodeError::OtherSession),
        }
    }
}

/// An open session of version 2.0.
#[derive(Debug, Clone)]
pub struct V20Session {
    pub ours: u32,
    pub theirs: u32,
    pub algorithms: Algorithms,
    keys: Keys,
    sent: u32,
    received: Window,
}

impl V20Session {
    pub fn new(ours: u32, theirs: u32, algorithms: Algorithms, keys: Keys) -> Self {
        Self {
            ours,
            theirs,
            algorithms,
            keys,
            sent: 0,
            received: Window::default(),
        }
    }

    /// The datagram that brings a payload to the other side. `iv` must be random.
    pub fn seal(&mut self, kind: PayloadType, payload: &[u8], iv: [u8; 16]) -> Vec<u8> {
        self.sent = match self.sent.wrapping_add(1) {
            0 => 1,
            next => next,
        };
        let hidden = match self.algorithms.confidentiality {
            Confidentiality::None => None,
            Confidentiality::AesCbc128 => {
                Some(crypto::encrypt(&self.keys.confidentiality, iv, payload))
            }
        };
        let packet = V20 {
            kind,
            encrypted: hidden.is_some(),
            session: self.theirs,
            sequence: self.sent,
            payload: hidden.as_deref().unwrap_or(payload),
            trailer: None,
        };
        let integrity = self.algorithms.integrity;
        let protect =
            |covered: &[u8]| crypto::integrity_code(integrity, &self.keys.integrity, covered);
        packet.encode(match integrity {
            Integrity::None => None,
            _ => Some(&protect),
        })
    }

    /// The payload of a packet of this session, if it is unchanged and new.
    pub fn open<'a>(&mut self, packet: &V20<'a>) -> Result<Cow<'a, [u8]>, DecodeError> {
        if packet.session != self.ours {
            return Err(DecodeError::OtherSession);
        }
        let integrity = self.algorithms.integrity;
        if integrity != Integrity::None {
            // A packet without protection in a protected session is a forged one.
            let trailer = packet.trailer.as_ref().ok_or(DecodeError::Forged)?;
            let (covered, theirs) = trailer.split(crypto::integrity_code_length(integrity))?;
            let ours = crypto::integrity_code(integrity, &self.keys.integrity, covered);
            if !crypto::is_same(&ours, theirs) {
                return Err(DecodeError::Forged);
            }
        }
        let payload = match (self.algorithms.confidentiality, packet.encrypted) {
            (Confidentiality::None, false) => Cow::Borrowed(packet.payload),
            (Confidentiality::AesCbc128, true) => {
                crypto::decrypt(&self.keys.confidentiality, packet.payload)
                    .map(Cow::Owned)
                    .ok_or(DecodeError::Forged)?
            }
            // The BMC must not decide alone what is worth hiding, and cannot hide without a key.
            (Confidentiality::AesCbc128, false) | (Confidentiality::None, true) => {
                return Err(DecodeError::Forged);
            }
        };
        // Last, because only a packet that is known to be theirs may move the window.
        if self.received.admit(packet.sequence) {
            Ok(payload)
        } else {
            Err(DecodeError::Replayed)
        }
    }
}

/// An open session of version 1.5. Both sides use one id.
#[derive(Debug, Clone)]
pub struct V15Session {
    pub id: u32,
    auth: V15Auth,
    password: [u8; 16],
    next: u32,
    received: Window,
}

impl V15Session {
    /// `next` is the number of the first packet that we send, `expected` that of the first we get.
    pub fn new(id: u32, auth: V15Auth, password: &Key, next: u32, expected: u32) -> Self {
        Self {
            id,
            auth,
            password: short_password(password),
            next,
            received: Window::from(expected.wrapping_sub(1)),
        }
    }

    /// The datagram that brings a message to the other side.
    pub fn seal(&mut self, message: &[u8]) -> Vec<u8> {
        let sequence = self.next;
        self.next = match self.next.wrapping_add(1) {
            0 => 1,
            next => next,
        };
        seal_v15(self.auth, self.id, sequence, &self.password, message)
    }

    /// The message in a packet of this session, if it is unchanged and new.
    pub fn open<'a>(&mut self, packet: &V15<'a>) -> Result<&'a [u8], DecodeError> {
        if packet.session != self.id {
            return Err(DecodeError::OtherSession);
        }
        if packet.auth != self.auth {
            return Err(DecodeError::Forged);
        }
        if let Some(theirs) = packet.code {
            let ours = v15_code(
                self.auth,
                &self.password,
                self.id,
                packet.sequence,
                packet.payload,
            );
            if !ours.is_some_and(|ours| crypto::is_same(&ours, &theirs)) {
                return Err(DecodeError::Forged);
            }
        }
        if self.received.admit(packet.sequence) {
            Ok(packet.payload)
        } else {
            Err(DecodeError::Replayed)
        }
    }
}

/// A packet of version 1.5 outside of a session, or of one that is just being made.
pub fn seal_v15(
    auth: V15Auth,
    session: u32,
    sequence: u32,
    password: &[u8; 16],
    message: &[u8],
) -> Vec<u8> {
    V15 {
        auth,
        sequence,
        session,
        code: v15_code(auth, password, session, sequence, message),
        payload: message,
    }
    .encode()
}

/// Whether a packet outside of a session shows that its sender knows the password.
pub fn is_genuine_v15(packet: &V15<'_>, password: &[u8; 16]) -> bool {
    let ours = v15_code(
        packet.auth,
        password,
        packet.session,
        packet.sequence,
        packet.payload,
    );
    match (ours, packet.code) {
        (Some(ours), Some(theirs)) => crypto::is_same(&ours, &theirs),
        (None, None) => packet.auth == V15Auth::None,
        _ => false,
    }
}

/// The first sixteen bytes of a password: all that version 1.5 has room for.
pub fn short_password(password: &Key) -> [u8; 16] {
    let mut short = [0; 16];
    if let Some(bytes) = password.as_bytes().first_chunk() {
        short = *bytes;
    }
    short
}

/// None where there is no code, or none that we can make: MD2 is not worth having.
fn v15_code(
    auth: V15Auth,
    password: &[u8; 16],
    session: u32,
    sequence: u32,
    message: &[u8],
) -> Option<[u8; 16]> {
    match auth {
        V15Auth::Md5 => Some(crypto::md5(&[
            password,
            &session.to_le_bytes(),
            message,
            &sequence.to_le_bytes(),
            password,
        ])),
        V15Auth::Straight => Some(*password),
        V15Auth::None | V15Auth::Md2 | V15Auth::Oem => None,
    }
}

#[cfg(test)]
#[path = "session/tests.rs"]
mod tests;
