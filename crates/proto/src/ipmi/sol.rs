//! Serial over LAN (IPMI 2.0 §15): packets of characters, each acknowledged.
//!
//! Sequence numbers run from 1 to 15. A packet is retransmitted until it is acknowledged, so the
//! receiver drops a duplicate, which has the number of the packet before. An acknowledgement may
//! accept only some of the characters; the rest is sent under a new number.

use super::{DecodeError, Reader};

/// A packet of serial data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SolPacket {
    /// The sequence number; zero when the packet only acknowledges.
    pub number: u8,
    /// The number that is acknowledged; zero for none.
    pub acknowledged: u8,
    /// How many characters of it were accepted.
    pub accepted: u8,
    /// From the console: operations on the line. From the BMC: its status.
    pub flags: u8,
    pub characters: Vec<u8>,
}

/// From the BMC (NACK): the packet was not accepted, or not all of it.
pub const REFUSED: u8 = 0x40;
/// From the BMC: the character transfer is unavailable; the machine may be powered off.
pub const UNAVAILABLE: u8 = 0x20;
/// From the BMC: SOL was deactivated.
pub const ENDED: u8 = 0x10;
/// From the console: generate a break.
pub const BREAK: u8 = 0x10;

impl SolPacket {
    /// Decodes a SOL payload.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("SOL packet", bytes);
        let [number, acknowledged, accepted, flags] = reader.array()?;
        Ok(Self {
            number: number & 0x0f,
            acknowledged: acknowledged & 0x0f,
            accepted,
            flags,
            characters: reader.rest().to_vec(),
        })
    }

    /// Encodes a SOL payload.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![
            self.number & 0x0f,
            self.acknowledged & 0x0f,
            self.accepted,
            self.flags,
        ];
        bytes.extend(&self.characters);
        bytes
    }
}

/// One end of a console: the packet in flight, the characters waiting, the last one received.
#[derive(Debug, Clone)]
pub struct SolEnd {
    /// The most characters that fit into a packet.
    limit: usize,
    queue: std::collections::VecDeque<u8>,
    /// Send a break after so many of the waiting characters.
    break_after: Option<usize>,
    /// The packet in flight. SOL allows one: it has no window.
    flying: Option<SolPacket>,
    last_sent: u8,
    last_received: u8,
}

/// The effect of a packet from the other end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SolInput {
    /// New characters.
    pub characters: Vec<u8>,
    /// The acknowledgement to send at once.
    pub reply: Option<SolPacket>,
    pub is_ended: bool,
    pub is_unavailable: bool,
    /// The BMC did not accept everything; wait a moment before sending the rest.
    pub is_refused: bool,
}

impl SolEnd {
    /// `size` is the largest payload that the other end accepts, including the header of four
    /// bytes.
    pub fn new(size: u16) -> Self {
        Self {
            limit: usize::from(size).saturating_sub(4).clamp(1, 255),
            queue: std::collections::VecDeque::new(),
            break_after: None,
            flying: None,
            last_sent: 0,
            last_received: 0,
        }
    }

    /// Queues characters; [`SolEnd::take`] makes packets of them.
    pub fn push(&mut self, characters: &[u8]) {
        self.queue.extend(characters);
    }

    /// Queues a break after all waiting characters, unless one is queued already.
    pub fn push_break(&mut self) {
        self.break_after.get_or_insert(self.queue.len());
    }

    /// How many characters are queued.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// The next packet, unless one is in flight or nothing is queued.
    pub fn take(&mut self) -> Option<SolPacket> {
        if self.flying.is_some() {
            return None;
        }
        let is_break = self.break_after == Some(0);
        let until = self.break_after.unwrap_or(self.queue.len());
        let count = until.min(self.limit);
        if count == 0 && !is_break {
            return None;
        }
        self.break_after = match self.break_after {
            Some(after) if !is_break => Some(after - count),
            _ => None,
        };
        let packet = SolPacket {
            number: self.next_number(),
            characters: self.queue.drain(..count).collect(),
            flags: if is_break { BREAK } else { 0 },
            ..SolPacket::default()
        };
        self.flying = Some(packet.clone());
        Some(packet)
    }

    fn next_number(&mut self) -> u8 {
        self.last_sent = self.last_sent % 15 + 1;
        self.last_sent
    }

    /// The packet in flight, to retransmit after a timeout.
    pub fn repeat(&self) -> Option<&SolPacket> {
        self.flying.as_ref()
    }

    /// Takes in a packet from the other end.
    pub fn receive(&mut self, packet: &SolPacket, from_bmc: bool) -> SolInput {
        let mut input = SolInput {
            is_ended: from_bmc && packet.flags & ENDED != 0,
            is_unavailable: from_bmc && packet.flags & UNAVAILABLE != 0,
            is_refused: from_bmc && packet.flags & REFUSED != 0,
            ..SolInput::default()
        };
        self.acknowledge(packet, from_bmc);
        if packet.number == 0 {
            return input;
        }
        // A retransmission has the same number: acknowledge it again, but drop its characters.
        if packet.number != self.last_received {
            self.last_received = packet.number;
            input.characters.clone_from(&packet.characters);
        }
        input.reply = Some(SolPacket {
            acknowledged: packet.number,
            accepted: u8::try_from(packet.characters.len()).unwrap_or(u8::MAX),
            ..SolPacket::default()
        });
        input
    }

    fn acknowledge(&mut self, packet: &SolPacket, from_bmc: bool) {
        let Some(flying) = &self.flying else { return };
        if packet.acknowledged == 0 || packet.acknowledged != flying.number {
            return;
        }
        let refused = from_bmc && packet.flags & REFUSED != 0;
        let accepted = usize::from(packet.accepted).min(flying.characters.len());
        // Characters that were not accepted go back to the front, for a packet with a new number.
        let left = if refused || accepted < flying.characters.len() {
            &flying.characters[accepted..]
        } else {
            &[]
        };
        for character in left.iter().rev() {
            self.queue.push_front(*character);
        }
        if let Some(after) = &mut self.break_after {
            *after += left.len();
        }
        self.flying = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn packets_survive_the_wire() {
        let packet = SolPacket {
            number: 3,
            acknowledged: 15,
            accepted: 7,
            flags: UNAVAILABLE,
            characters: b"login: ".to_vec(),
        };
        assert_eq!(SolPacket::decode(&packet.encode()), Ok(packet));
        assert!(SolPacket::decode(&[0; 3]).is_err());
    }

    #[test]
    fn a_repeated_packet_is_heard_once() {
        let mut end = SolEnd::new(100);
        let packet = SolPacket {
            number: 4,
            characters: b"x".to_vec(),
            ..SolPacket::default()
        };
        assert_eq!(end.receive(&packet, true).characters, b"x");
        let again = end.receive(&packet, true);
        assert!(again.characters.is_empty());
        assert_eq!(again.reply.unwrap().acknowledged, 4);
    }

    #[test]
    fn a_break_keeps_its_place_among_the_characters() {
        let mut end = SolEnd::new(7);
        end.push(b"abcd");
        end.push_break();
        end.push_break();
        end.push(b"ef");
        let mut sent = Vec::new();
        let mut refusals = 1;
        while let Some(packet) = end.take() {
            assert!(end.take().is_none(), "one at a time");
            let mut reply = SolPacket {
                acknowledged: packet.number,
                accepted: u8::try_from(packet.characters.len()).unwrap(),
                ..SolPacket::default()
            };
            let mut heard = packet.characters;
            if refusals > 0 {
                refusals -= 1;
                reply.accepted = 1;
                reply.flags = REFUSED;
                heard.truncate(1);
            }
            assert_eq!(end.receive(&reply, true).is_refused, reply.flags == REFUSED);
            sent.extend(heard);
            sent.extend((packet.flags == BREAK).then_some(b'!'));
        }
        assert_eq!(sent, b"abcd!ef");
    }

    proptest! {
        /// Two ends over a line that loses, repeats and takes only parts: all characters arrive,
        /// once and in order.
        #[test]
        fn nothing_is_lost(
            text in proptest::collection::vec(any::<u8>(), 0..200),
            size in 5u16..40,
            fates in proptest::collection::vec(0u8..4, 1..50),
        ) {
            let (mut console, mut system) = (SolEnd::new(size), SolEnd::new(size));
            console.push(&text);
            let mut heard = Vec::new();
            let mut fates = fates.into_iter().chain(std::iter::repeat(3));
            for _ in 0..2000 {
                let Some(packet) = console.take().or_else(|| console.repeat().cloned()) else { break };
                match fates.next() {
                    // Lost on the way there.
                    Some(0) => {}
                    // Lost on the way back.
                    Some(1) => heard.extend(system.receive(&packet, false).characters),
                    // Taken in part.
                    Some(2) if packet.number != system.last_received => {
                        let half = packet.characters.len() / 2;
                        system.last_received = packet.number;
                        heard.extend(&packet.characters[..half]);
                        let reply = SolPacket {
                            acknowledged: packet.number,
                            accepted: u8::try_from(half).unwrap(),
                            flags: REFUSED,
                            ..SolPacket::default()
                        };
                        console.receive(&reply, true);
                    }
                    _ => {
                        let input = system.receive(&packet, false);
                        heard.extend(&input.characters);
                        console.receive(&input.reply.unwrap(), true);
                    }
                }
            }
            prop_assert_eq!(heard, text);
        }
    }
}
