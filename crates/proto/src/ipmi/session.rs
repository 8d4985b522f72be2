//! Sessions: authenticating and encrypting what is sent, and accepting only authentic packets that
//! are not replays.
//!
//! A session has two ids: ours, which is in packets to us, and theirs. It does not matter which
//! side is the BMC, so clients and simulators use the same type.

use super::{
    DecodeError,
    crypto::{self, Key},
    handshake::Keys,
    packet::{Packet, PayloadType, V15, V15Auth, V20},
    suite::{Algorithms, Confidentiality, Integrity},
};
use std::borrow::Cow;

/// The replay window: which session sequence numbers were received already (IPMI 2.0 §6.12.13).
///
/// Datagrams can be reordered, so a number slightly behind the newest is accepted, once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    newest: u32,
    /// Bit n is set when `newest - n` was seen.
    seen: u32,
}

impl Window {
    /// How far behind the newest a number may be.
    const REACH: u32 = u32::BITS;

    /// A window in which everything up to `newest` counts as seen.
    pub fn from(newest: u32) -> Self {
        Self {
            newest,
            seen: u32::MAX,
        }
    }

    /// Whether a number is new, which marks it as received. Zero is the number of packets outside a
    /// session and is never accepted.
    pub fn admit(&mut self, number: u32) -> bool {
        if number == 0 {
            return false;
        }
        let ahead = number.wrapping_sub(self.newest);
        if ahead == 0 {
            return self.mark(0);
        }
        if ahead < u32::MAX / 2 {
            // A gap of any size is accepted: the packet is authentic, and a BMC may have sent
            // packets that were lost. Half of the number space counts as ahead, so that the counter
            // may wrap.
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
    /// Encodes a datagram with the next sequence number. `iv` must be random.
    pub fn seal(&mut self, message: &[u8], iv: [u8; 16]) -> Vec<u8> {
        match self {
            Self::V15(session) => session.seal(message),
            Self::V20(session) => session.seal(PayloadType::Ipmi, message, iv),
        }
    }

    /// The payload of a datagram, if it belongs to this session, is authentic and not a replay.
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
    /// A session whose first packets have sequence number 1 in both directions.
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

    /// Encodes a datagram with the next sequence number. `iv` must be random.
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

    /// The payload of a packet, if it belongs to this session, is authentic and not a replay.
    pub fn open<'a>(&mut self, packet: &V20<'a>) -> Result<Cow<'a, [u8]>, DecodeError> {
        if packet.session != self.ours {
            return Err(DecodeError::OtherSession);
        }
        let integrity = self.algorithms.integrity;
        if integrity != Integrity::None {
            // A packet without AuthCode in an authenticated session is forged.
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
            // The algorithms were negotiated: reject plaintext in an encrypted session (a
            // downgrade), and ciphertext where there is no key.
            (Confidentiality::AesCbc128, false) | (Confidentiality::None, true) => {
                return Err(DecodeError::Forged);
            }
        };
        // Last, because only an authentic packet may move the replay window.
        if self.received.admit(packet.sequence) {
            Ok(payload)
        } else {
            Err(DecodeError::Replayed)
        }
    }
}

/// An open session of version 1.5. Both sides use the same id.
#[derive(Debug, Clone)]
pub struct V15Session {
    pub id: u32,
    auth: V15Auth,
    password: [u8; 16],
    next: u32,
    received: Window,
}

impl V15Session {
    /// `next` is the sequence number of our first packet, `expected` that of their first.
    pub fn new(id: u32, auth: V15Auth, password: &Key, next: u32, expected: u32) -> Self {
        Self {
            id,
            auth,
            password: short_password(password),
            next,
            received: Window::from(expected.wrapping_sub(1)),
        }
    }

    /// Encodes a datagram with the next sequence number.
    pub fn seal(&mut self, message: &[u8]) -> Vec<u8> {
        let sequence = self.next;
        self.next = match self.next.wrapping_add(1) {
            0 => 1,
            next => next,
        };
        seal_v15(self.auth, self.id, sequence, &self.password, message)
    }

    /// The message in a packet, if it belongs to this session, is authentic and not a replay.
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

/// Encodes a packet of version 1.5 outside a session, or of one that is being activated.
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

/// Whether the AuthCode of a packet outside a session shows that its sender knows the password.
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

/// The first sixteen bytes of a password: version 1.5 uses no more.
pub fn short_password(password: &Key) -> [u8; 16] {
    let mut short = [0; 16];
    if let Some(bytes) = password.as_bytes().first_chunk() {
        short = *bytes;
    }
    short
}

/// The AuthCode of version 1.5; `None` for `none`, and for MD2 and OEM, which are not implemented.
fn v15_code(
    auth: V15Auth,
    password: &[u8; 16],
    session: u32,
    sequence: u32,
    message: &[u8],
) -> Option<[u8; 16]> {
    match auth {
        // MD5(password, session id, message, sequence number, password).
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
