//! Where commands that read and write have their block and their length.

use super::cdb::{Cdb, opcode};
use crate::field;

/// What a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Blocks {
    pub(super) first: u64,
    pub(super) count: u64,
}

impl Blocks {
    /// By the group of the opcode, which says how long the CDB is (SPC-4 §4.2.5).
    pub(super) fn decode(cdb: &Cdb) -> Option<Self> {
        let (first, count) = match cdb[0] {
            // Six bytes: 21 bits, and 0 stands for 256.
            0x00..=0x1f => {
                let first = field::be32(cdb, 0)? & 0x1f_ffff;
                let count = if cdb[4] == 0 { 256 } else { u32::from(cdb[4]) };
                (u64::from(first), count)
            }
            0x20..=0x5f => {
                let (first, count) = (field::be32(cdb, 2)?, field::be16(cdb, 7)?);
                (u64::from(first), u32::from(count))
            }
            opcode::COMPARE_AND_WRITE => (field::be64(cdb, 2)?, u32::from(cdb[13])),
            0x80..=0x9f => (field::be64(cdb, 2)?, field::be32(cdb, 10)?),
            0xa0..=0xbf => (u64::from(field::be32(cdb, 2)?), field::be32(cdb, 6)?),
            _ => return None,
        };
        Some(Self {
            first,
            count: u64::from(count),
        })
    }
}
