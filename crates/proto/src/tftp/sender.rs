//! The side that has the file.
//!
//! A duplicate acknowledgement is ignored. If each one triggered a retransmission, one duplicated
//! packet would double all that follow (the "sorcerer's apprentice" bug, RFC 1123 §4.2.3.1). With
//! windows (RFC 7440) a duplicate also means that the first block of a window was lost, so one
//! duplicate in each window triggers a retransmission; that can double one window, and nothing
//! after it.

use super::packet::Request;
use std::time::Duration;

/// The largest values that the server agrees to in option negotiation, and its timeouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub block_size: u16,
    pub window: u16,
    /// How long to wait for an acknowledgement unless the client asks for another timeout.
    pub timeout: Duration,
    /// How many timeouts in a row end the transfer.
    pub retries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // What fits into an Ethernet frame with the headers of IP, UDP and TFTP: boot firmware
            // may not reassemble fragments.
            block_size: 1468,
            window: 16,
            timeout: Duration::from_secs(1),
            retries: 8,
        }
    }
}

/// How often the first packet is retransmitted. The source address of a request can be forged, and
/// its owner must not get many packets for one (amplification); a real client that got no answer
/// retransmits its request.
const UNHEARD_RETRIES: u32 = 1;

/// The smallest block of RFC 2348, and the block size without negotiation.
const BLOCK_MINIMUM: u16 = 8;
const BLOCK_USUAL: u16 = 512;

/// What to do next: the caller does it and asks again, until the step is to wait or to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Send the option acknowledgement (OACK).
    OptionAck(Vec<(String, String)>),
    /// Send a part of the file.
    Block {
        number: u16,
        offset: u64,
        length: usize,
    },
    /// Wait for a packet, or for the timeout.
    Wait,
    /// The client has everything.
    Done,
    /// Too many timeouts in a row.
    GaveUp,
}

/// One transfer.
#[derive(Debug, Clone)]
pub struct Sender {
    size: u64,
    block_size: u16,
    window: u16,
    timeout: Duration,
    retries: u32,
    /// The negotiated options, until the client has acknowledged them (block 0).
    agreed: Option<Vec<(String, String)>>,
    /// Blocks that the client has acknowledged.
    acked: u64,
    /// The last block sent; goes back to `acked` when blocks must be retransmitted.
    sent: u64,
    to_send: Sending,
    /// Timeouts since the last progress.
    silent: u32,
    /// Whether the client ever answered.
    heard: bool,
    /// Whether a duplicate acknowledgement already triggered a retransmission in this window.
    believed: bool,
    resent: u64,
    highest: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    Options,
    Blocks,
    Nothing,
}

impl Sender {
    /// Starts a transfer of `size` bytes.
    pub fn new(request: &Request, size: u64, limits: Limits) -> Self {
        let mut agreed = Vec::new();
        let mut sender = Self {
            size,
            block_size: BLOCK_USUAL,
            window: 1,
            timeout: limits.timeout,
            retries: limits.retries,
            agreed: None,
            acked: 0,
            sent: 0,
            to_send: Sending::Blocks,
            silent: 0,
            heard: false,
            believed: false,
            resent: 0,
            highest: 0,
        };
        for (name, value) in &request.options {
            let number: Option<u64> = value.parse().ok();
            match (name.as_str(), number) {
                ("blksize", Some(wanted)) if wanted >= u64::from(BLOCK_MINIMUM) => {
                    let most = u64::from(limits.block_size.max(BLOCK_MINIMUM));
                    sender.block_size = u16::try_from(wanted.min(most)).unwrap_or(BLOCK_USUAL);
                    agreed.push((name.clone(), sender.block_size.to_string()));
                }
                ("windowsize", Some(wanted)) if wanted >= 1 => {
                    let most = u64::from(limits.window.max(1));
                    sender.window = u16::try_from(wanted.min(most)).unwrap_or(1);
                    agreed.push((name.clone(), sender.window.to_string()));
                }
                // RFC 2349: the server accepts the client's value or ignores the option; it must
                // not answer with another value.
                ("timeout", Some(seconds @ 1..=255)) => {
                    sender.timeout = Duration::from_secs(seconds);
                    agreed.push((name.clone(), seconds.to_string()));
                }
                ("tsize", Some(_)) => agreed.push((name.clone(), size.to_string())),
                _ => {}
            }
        }
        if !agreed.is_empty() {
            sender.agreed = Some(agreed);
            sender.to_send = Sending::Options;
        }
        sender
    }

    /// How long to wait for an acknowledgement.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The negotiated block size.
    pub fn block_size(&self) -> u16 {
        self.block_size
    }

    /// The negotiated window: how many blocks are sent before an acknowledgement.
    pub fn window(&self) -> u16 {
        self.window
    }

    /// How many bytes of the file the client has acknowledged.
    pub fn acknowledged(&self) -> u64 {
        (self.acked * u64::from(self.block_size)).min(self.size)
    }

    /// How many packets were retransmitted.
    pub fn resent(&self) -> u64 {
        self.resent
    }

    /// The number of blocks. RFC 1350 §6: a block that is not full ends the transfer, so a file
    /// whose size is a multiple of the block size ends with an empty block.
    fn blocks(&self) -> u64 {
        self.size / u64::from(self.block_size) + 1
    }

    /// The next thing to do.
    pub fn next_step(&mut self) -> Step {
        if self.acked == self.blocks() {
            return Step::Done;
        }
        if self.silent > self.retries {
            return Step::GaveUp;
        }
        match self.to_send {
            Sending::Nothing => Step::Wait,
            Sending::Options => {
                self.to_send = Sending::Nothing;
                Step::OptionAck(self.agreed.clone().unwrap_or_default())
            }
            Sending::Blocks => {
                let end = (self.acked + u64::from(self.window)).min(self.blocks());
                if self.sent >= end {
                    self.to_send = Sending::Nothing;
                    return Step::Wait;
                }
                let offset = self.sent * u64::from(self.block_size);
                let length = (self.size - offset).min(u64::from(self.block_size));
                self.sent += 1;
                if self.sent > self.highest {
                    self.highest = self.sent;
                } else {
                    self.resent += 1;
                }
                Step::Block {
                    number: short(self.sent),
                    offset,
                    length: usize::try_from(length).unwrap_or_default(),
                }
            }
        }
    }

    /// The client has everything up to a block.
    pub fn acknowledge(&mut self, number: u16) {
        if self.agreed.is_some() {
            // RFC 2347: the client acknowledges the options with block 0 before data is sent.
            if number == 0 {
                self.agreed = None;
                self.progress();
            }
            return;
        }
        let ahead = u64::from(number.wrapping_sub(short(self.acked)));
        if ahead == 0 {
            let whole_window_is_out = self.to_send == Sending::Nothing && self.sent > self.acked;
            if self.window > 1 && whole_window_is_out && !self.believed {
                self.believed = true;
                self.sent = self.acked;
                self.to_send = Sending::Blocks;
            }
        } else if ahead <= self.highest - self.acked {
            self.acked += ahead;
            self.sent = self.acked;
            self.progress();
        }
    }

    /// No packet arrived within [`Sender::timeout`].
    pub fn timed_out(&mut self) {
        self.silent += 1;
        if !self.heard && self.silent > UNHEARD_RETRIES {
            return;
        }
        self.sent = self.acked;
        self.to_send = if self.agreed.is_some() {
            self.resent += 1;
            Sending::Options
        } else {
            Sending::Blocks
        };
    }

    fn progress(&mut self) {
        self.heard = true;
        self.silent = 0;
        self.believed = false;
        self.to_send = Sending::Blocks;
    }
}

/// The block number on the wire. RFC 1350 does not say what follows block 65,535; clients expect 0.
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
    use crate::tftp::packet::Mode;

    fn sender(options: &[(&str, &str)], size: u64) -> Sender {
        let options = options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let request = Request {
            write: false,
            file: "f".to_owned(),
            mode: Mode::Octet,
            options: options.collect(),
        };
        Sender::new(&request, size, Limits::default())
    }

    fn block(number: u16, offset: u64, length: usize) -> Step {
        Step::Block {
            number,
            offset,
            length,
        }
    }

    #[test]
    fn without_options_the_first_block_is_the_answer() {
        let mut sender = sender(&[], 700);
        assert_eq!(sender.next_step(), block(1, 0, 512));
        assert_eq!(sender.next_step(), Step::Wait);
        sender.acknowledge(1);
        assert_eq!(sender.next_step(), block(2, 512, 188));
        sender.acknowledge(2);
        assert_eq!(sender.next_step(), Step::Done);
        assert_eq!((sender.acknowledged(), sender.resent()), (700, 0));
    }

    #[test]
    fn a_file_that_fills_its_blocks_ends_with_an_empty_one() {
        let mut sender = sender(&[], 512);
        sender.next_step();
        sender.acknowledge(1);
        assert_eq!(sender.next_step(), block(2, 512, 0));
        sender.acknowledge(2);
        assert_eq!(sender.next_step(), Step::Done);
    }

    #[test]
    fn options_are_agreed_within_the_limits() {
        let wanted = [
            ("blksize", "9000"),
            ("windowsize", "64"),
            ("tsize", "0"),
            ("timeout", "3"),
            ("x", "1"),
        ];
        let mut sender = sender(&wanted, 100);
        let agreed = [
            ("blksize", "1468"),
            ("windowsize", "16"),
            ("tsize", "100"),
            ("timeout", "3"),
        ];
        let agreed = agreed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(sender.next_step(), Step::OptionAck(agreed.to_vec()));
        assert_eq!(sender.timeout(), Duration::from_secs(3));
        assert_eq!(sender.next_step(), Step::Wait);
        sender.acknowledge(1);
        assert_eq!(sender.next_step(), Step::Wait);
        sender.acknowledge(0);
        assert_eq!(sender.next_step(), block(1, 0, 100));
    }

    #[test]
    fn options_that_are_no_numbers_are_not_agreed_to() {
        let wanted = [
            ("blksize", "4"),
            ("windowsize", "0"),
            ("timeout", "0"),
            ("tsize", "-"),
        ];
        assert_eq!(sender(&wanted, 9).next_step(), block(1, 0, 9));
    }

    #[test]
    fn a_doubled_acknowledgement_sends_nothing() {
        let mut sender = sender(&[], 2000);
        sender.next_step();
        sender.acknowledge(1);
        assert_eq!(sender.next_step(), block(2, 512, 512));
        for _ in 0..3 {
            sender.acknowledge(1);
            assert_eq!(sender.next_step(), Step::Wait);
        }
        // Nor does one for a block that was never sent.
        sender.acknowledge(9);
        assert_eq!(sender.next_step(), Step::Wait);
    }

    #[test]
    fn a_window_goes_on_after_the_block_that_arrived() {
        let mut sender = sender(&[("windowsize", "4")], 5000);
        sender.next_step();
        sender.acknowledge(0);
        let steps: Vec<_> = (0..5).map(|_| sender.next_step()).collect();
        assert_eq!(steps[3], block(4, 1536, 512));
        assert_eq!(steps[4], Step::Wait);
        sender.acknowledge(2);
        assert_eq!(sender.next_step(), block(3, 1024, 512));
        assert_eq!(sender.next_step(), block(4, 1536, 512));
        assert_eq!(sender.next_step(), block(5, 2048, 512));
        assert_eq!(sender.resent(), 2);
        sender.next_step();
        assert_eq!(sender.next_step(), Step::Wait);
        // The first block of the window was lost: said twice, heard once.
        sender.acknowledge(2);
        assert_eq!(sender.next_step(), block(3, 1024, 512));
        while sender.next_step() != Step::Wait {}
        sender.acknowledge(2);
        assert_eq!(sender.next_step(), Step::Wait);
    }

    #[test]
    fn silence_is_answered_and_then_given_up() {
        let mut sender = sender(&[("tsize", "0")], 600);
        while sender.next_step() != Step::Wait {}
        sender.acknowledge(0);
        for _ in 0..=Limits::default().retries {
            assert_eq!(sender.next_step(), block(1, 0, 512));
            assert_eq!(sender.next_step(), Step::Wait);
            sender.timed_out();
        }
        assert_eq!(sender.next_step(), Step::GaveUp);
    }

    #[test]
    fn whoever_never_answered_gets_the_first_packet_twice_at_most() {
        for options in [[].as_slice(), &[("tsize", "0")]] {
            let mut sender = sender(options, 100_000);
            let mut packets = 0;
            loop {
                match sender.next_step() {
                    Step::Wait => sender.timed_out(),
                    Step::GaveUp => break,
                    _ => packets += 1,
                }
            }
            assert_eq!(packets, 2, "{options:?}");
        }
        // A slow client is waited for as long as any other.
        let mut sender = sender(&[], 100_000);
        for _ in 0..Limits::default().retries {
            while sender.next_step() != Step::Wait {}
            sender.timed_out();
        }
        sender.acknowledge(1);
        assert_eq!(sender.next_step(), block(2, 512, 512));
    }

    #[test]
    fn block_numbers_go_round() {
        let mut sender = sender(&[], 512 * 70_000);
        for number in 1..=70_000_u64 {
            assert!(
                matches!(sender.next_step(), Step::Block { number: n, .. } if n == short(number))
            );
            sender.acknowledge(short(number));
        }
        assert_eq!(sender.next_step(), block(short(70_001), 512 * 70_000, 0));
        sender.acknowledge(short(70_001));
        assert_eq!(sender.next_step(), Step::Done);
    }
}
