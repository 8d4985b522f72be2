//! A command under way.

use crate::iscsi::{
    pdu::{ScsiCommand, command_flags, data_flags},
    scsi::{Deferred, Range, Sense},
};
use bytes::Bytes;

/// A command that waits for the disk or for data.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) lun: u64,
    pub(super) transfer: Transfer,
    /// Jobs of the disk under way.
    pub(super) jobs: u32,
    /// It will not be answered.
    pub(super) aborted: bool,
    /// Data-In and R2T PDUs that were sent.
    pub(super) data_sn: u32,
    pub(super) residual: Residual,
    /// Bytes of data that were asked for or are held for it.
    pub(super) held: u64,
}

#[derive(Debug)]
pub(super) enum Transfer {
    /// What is left to read, and how much was sent.
    Read {
        rest: Range,
        sent: u32,
    },
    Write(Write),
    /// One job.
    Single,
}

/// Data that comes from the initiator.
#[derive(Debug)]
pub(super) struct Write {
    /// Where on the medium it begins.
    pub(super) offset: u64,
    /// How much of it is used.
    pub(super) total: u32,
    /// How much came; an initiator may have more than is used.
    pub(super) received: u32,
    pub(super) burst: Option<Burst>,
    /// Pieces that were not given to the disk yet.
    pub(super) gathered: Vec<Bytes>,
    pub(super) gathered_bytes: u32,
    pub(super) sink: DataSink,
    pub(super) failed: Option<Sense>,
}

/// Data that was asked for, or that comes without having been asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Burst {
    /// `None` for data that was not asked for.
    pub(super) transfer: Option<u32>,
    pub(super) end: u32,
    pub(super) data_sn: u32,
}

/// What data is for.
#[derive(Debug)]
pub(super) enum DataSink {
    Medium {
        sync: bool,
    },
    Compare,
    /// `None` once the command went on.
    Parameters(Option<Deferred>),
}

impl Write {
    pub(super) fn is_complete(&self) -> bool {
        self.burst.is_none() && (self.received >= self.total || self.failed.is_some())
    }
}

/// How much more or less data there was than the initiator expected (RFC 7143 §11.4.5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Residual {
    pub(super) flags: u8,
    pub(super) count: u32,
}

impl Residual {
    pub(super) fn new(expected: u32, actual: u64) -> Self {
        let expected = u64::from(expected);
        let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        if actual > expected {
            return Self {
                flags: data_flags::OVERFLOW,
                count: count(actual - expected),
            };
        }
        if actual < expected {
            return Self {
                flags: data_flags::UNDERFLOW,
                count: count(expected - actual),
            };
        }
        Self::default()
    }
}

/// How much data the initiator takes, and how much it has.
pub(super) fn expected_lengths(command: &ScsiCommand) -> (u32, u32) {
    let when = |flag: u8| {
        if command.flags & flag != 0 {
            command.expected_length
        } else {
            0
        }
    };
    (when(command_flags::READ), when(command_flags::WRITE))
}
