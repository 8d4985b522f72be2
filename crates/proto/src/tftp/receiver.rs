//! The side that fetches the file: for simulated machines and for tests.
//!
//! It accepts blocks in order only, acknowledges a window when its last block arrived, and when a
//! block is missing it acknowledges the last block in order, so that the sender goes back to it
//! (RFC 7440 §4).

use super::packet::{Packet, Request};

/// What to do after a packet arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiverStep {
    /// The packet changes nothing: there is nothing to send.
    Ignored,
    /// The bytes continue the file; acknowledge the block in `answer`, if any.
    Bytes { answer: Option<u16>, last: bool },
    /// Acknowledge this block; the packet brought no data.
    Answer(u16),
    /// The server sent an error, or broke the protocol.
    Refused(String),
}

/// One transfer.
#[derive(Debug, Clone)]
pub struct Receiver {
    block_size: u16,
    window: u16,
    /// Blocks accepted so far.
    taken: u64,
    /// Blocks accepted since the last acknowledgement.
    unanswered: u16,
    /// Whether a missing block was already reported in this window.
    complained: bool,
    size: Option<u64>,
}

impl Receiver {
    /// A transfer with the defaults of RFC 1350: blocks of 512 bytes, one at a time.
    pub fn new() -> Self {
        Self {
            block_size: 512,
            window: 1,
            taken: 0,
            unanswered: 0,
            complained: false,
            size: None,
        }
    }

    /// The size of the file, if the server sent `tsize` (RFC 2349).
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// The acknowledgement to retransmit after a timeout; `None` before the first block, when the
    /// request itself is retransmitted.
    pub fn repeat(&self) -> Option<u16> {
        (self.taken > 0).then(|| short(self.taken))
    }

    /// Takes a packet of the server in.
    pub fn receive(&mut self, request: &Request, packet: &Packet<'_>) -> ReceiverStep {
        match packet {
            Packet::OptionAck(options) if self.taken == 0 => {
                for (name, value) in options {
                    // RFC 2347: the server must not acknowledge an option that was not requested.
                    if request.option(name).is_none() {
                        return ReceiverStep::Refused(format!("nobody asked for {name}"));
                    }
                    match name.as_str() {
                        "blksize" => self.block_size = value.parse().unwrap_or(self.block_size),
                        "windowsize" => self.window = value.parse().unwrap_or(self.window),
                        "tsize" => self.size = value.parse().ok(),
                        _ => {}
                    }
                }
                ReceiverStep::Answer(0)
            }
            Packet::Data { block, bytes } => self.data(*block, bytes),
            Packet::Error { code, message } => ReceiverStep::Refused(format!("{code}: {message}")),
            _ => ReceiverStep::Ignored,
        }
    }

    fn data(&mut self, block: u16, bytes: &[u8]) -> ReceiverStep {
        if block != short(self.taken + 1) {
            // A block from ahead means that one was lost. A block from behind is a duplicate, or a
            // retransmission because our acknowledgement was lost; within a window we have not sent
            // one yet. Acknowledge the last block in order, but once per window: an acknowledgement
            // for each duplicate would make the sender retransmit the window again and again.
            let behind = short(self.taken).wrapping_sub(block) < u16::MAX / 2;
            if behind && self.unanswered > 0 {
                return ReceiverStep::Ignored;
            }
            if self.complained {
                return ReceiverStep::Ignored;
            }
            self.complained = true;
            self.unanswered = 0;
            return ReceiverStep::Answer(short(self.taken));
        }
        self.taken += 1;
        self.unanswered += 1;
        self.complained = false;
        let last = bytes.len() < usize::from(self.block_size);
        let answer = (last || self.unanswered == self.window).then(|| {
            self.unanswered = 0;
            short(self.taken)
        });
        ReceiverStep::Bytes { answer, last }
    }
}

impl Default for Receiver {
    fn default() -> Self {
        Self::new()
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "the number on the wire is the lower half"
)]
fn short(block: u64) -> u16 {
    block as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tftp::{
        packet::Mode,
        sender::{Limits, Sender, Step},
    };
    use proptest::{collection::vec, prelude::*};
    use std::collections::VecDeque;

    /// What the network does to one packet.
    #[derive(Debug, Clone, Copy)]
    enum ReceiverFate {
        Arrives,
        IsLost,
        IsDoubled,
        IsOvertaken,
    }

    fn any_fate() -> impl Strategy<Value = ReceiverFate> {
        prop_oneof![
            6 => Just(ReceiverFate::Arrives),
            1 => Just(ReceiverFate::IsLost),
            1 => Just(ReceiverFate::IsDoubled),
            1 => Just(ReceiverFate::IsOvertaken),
        ]
    }

    struct Wire<'a> {
        queue: VecDeque<Vec<u8>>,
        fates: &'a mut dyn Iterator<Item = ReceiverFate>,
        carried: usize,
    }

    impl Wire<'_> {
        fn carry(&mut self, bytes: Vec<u8>) {
            self.carried += 1;
            match self.fates.next().unwrap_or(ReceiverFate::Arrives) {
                ReceiverFate::Arrives => self.queue.push_back(bytes),
                ReceiverFate::IsLost => {}
                ReceiverFate::IsDoubled => {
                    self.queue.push_back(bytes.clone());
                    self.queue.push_back(bytes);
                }
                ReceiverFate::IsOvertaken => {
                    let before = self.queue.pop_back();
                    self.queue.push_back(bytes);
                    self.queue.extend(before);
                }
            }
        }
    }

    /// Runs a whole transfer; gives what arrived, and how many blocks were sent.
    fn transfer(file: &[u8], block: u16, window: u16, fates: &[ReceiverFate]) -> (Vec<u8>, usize) {
        let request = Request {
            write: false,
            file: "f".to_owned(),
            mode: Mode::Octet,
            options: vec![
                ("blksize".to_owned(), block.to_string()),
                ("windowsize".to_owned(), window.to_string()),
                ("tsize".to_owned(), "0".to_owned()),
            ],
        };
        let limits = Limits {
            retries: 1000,
            ..Limits::default()
        };
        let mut sender = Sender::new(&request, file.len() as u64, limits);
        let mut receiver = Receiver::new();
        let mut fates = fates.iter().copied();
        let mut there = Wire {
            queue: VecDeque::new(),
            fates: &mut fates,
            carried: 0,
        };
        let mut back = VecDeque::new();
        let mut got = Vec::new();
        loop {
            loop {
                match sender.next_step() {
                    Step::OptionAck(options) => there.carry(Packet::OptionAck(options).encode()),
                    Step::Block {
                        number,
                        offset,
                        length,
                    } => {
                        let offset = usize::try_from(offset).unwrap();
                        let bytes = &file[offset..offset + length];
                        there.carry(
                            Packet::Data {
                                block: number,
                                bytes,
                            }
                            .encode(),
                        );
                    }
                    Step::Wait => break,
                    Step::Done => return (got, there.carried),
                    Step::GaveUp => panic!("the network is not that bad"),
                }
            }
            while let Some(bytes) = there.queue.pop_front() {
                let packet = Packet::decode(&bytes).unwrap();
                match receiver.receive(&request, &packet) {
                    ReceiverStep::Ignored => {}
                    ReceiverStep::Answer(number) => back.push_back(number),
                    ReceiverStep::Bytes { answer, .. } => {
                        let Packet::Data { bytes, .. } = packet else {
                            unreachable!()
                        };
                        got.extend_from_slice(bytes);
                        back.extend(answer);
                    }
                    ReceiverStep::Refused(why) => panic!("{why}"),
                }
            }
            if back.is_empty() {
                sender.timed_out();
                // Clients may retransmit the last acknowledgement; the sender ignores the
                // duplicate. A client that got no block retransmits its request.
                match receiver.repeat() {
                    Some(number) => back.push_back(number),
                    None => sender = Sender::new(&request, file.len() as u64, limits),
                }
            }
            // Acknowledgements are lost and duplicated as well.
            let mut answers = Wire {
                queue: VecDeque::new(),
                fates: &mut *there.fates,
                carried: 0,
            };
            for number in back.drain(..) {
                answers.carry(number.to_be_bytes().to_vec());
            }
            for number in answers.queue {
                sender.acknowledge(u16::from_be_bytes([number[0], number[1]]));
            }
        }
    }

    proptest! {
        #[test]
        fn a_file_arrives_whole_over_any_network(
            file in vec(any::<u8>(), 0..3000),
            block in 8_u16..600,
            window in 1_u16..20,
            fates in vec(any_fate(), 0..300),
        ) {
            let (got, _) = transfer(&file, block, window, &fates);
            prop_assert_eq!(got, file);
        }

        #[test]
        fn doubled_packets_do_not_double_what_follows(
            blocks in 20_usize..60,
            window in 1_u16..8,
        ) {
            let file = vec![7; blocks * 8 + 3];
            let fates = vec![ReceiverFate::IsDoubled; 10_000];
            let (got, carried) = transfer(&file, 8, window, &fates);
            prop_assert_eq!(got, file);
            // Everything may be sent once more because of a window, but not again and again.
            prop_assert!(carried <= 2 * (blocks + 1) + 2, "{} packets", carried);
        }
    }

    #[test]
    fn nothing_is_sent_twice_over_a_good_network() {
        let (got, carried) = transfer(&[1; 100], 10, 4, &[]);
        assert_eq!((got.len(), carried), (100, 12));
    }
}
