//! Command descriptor blocks: their opcodes, and those that our initiator sends.

use super::reservation::ReservationType;

/// Opcodes by their names in SPC-4 and SBC-3.
pub mod opcode {
    pub const TEST_UNIT_READY: u8 = 0x00;
    pub const REQUEST_SENSE: u8 = 0x03;
    pub const READ_6: u8 = 0x08;
    pub const WRITE_6: u8 = 0x0a;
    pub const INQUIRY: u8 = 0x12;
    pub const MODE_SELECT_6: u8 = 0x15;
    pub const RESERVE_6: u8 = 0x16;
    pub const RELEASE_6: u8 = 0x17;
    pub const MODE_SENSE_6: u8 = 0x1a;
    pub const START_STOP_UNIT: u8 = 0x1b;
    pub const PREVENT_ALLOW: u8 = 0x1e;
    pub const READ_CAPACITY_10: u8 = 0x25;
    pub const READ_10: u8 = 0x28;
    pub const WRITE_10: u8 = 0x2a;
    pub const WRITE_AND_VERIFY_10: u8 = 0x2e;
    pub const VERIFY_10: u8 = 0x2f;
    pub const PREFETCH_10: u8 = 0x34;
    pub const SYNCHRONIZE_CACHE_10: u8 = 0x35;
    pub const WRITE_SAME_10: u8 = 0x41;
    pub const UNMAP: u8 = 0x42;
    pub const MODE_SELECT_10: u8 = 0x55;
    pub const RESERVE_10: u8 = 0x56;
    pub const RELEASE_10: u8 = 0x57;
    pub const MODE_SENSE_10: u8 = 0x5a;
    pub const PERSISTENT_RESERVE_IN: u8 = 0x5e;
    pub const PERSISTENT_RESERVE_OUT: u8 = 0x5f;
    pub const READ_16: u8 = 0x88;
    pub const COMPARE_AND_WRITE: u8 = 0x89;
    pub const WRITE_16: u8 = 0x8a;
    pub const WRITE_AND_VERIFY_16: u8 = 0x8e;
    pub const VERIFY_16: u8 = 0x8f;
    pub const PREFETCH_16: u8 = 0x90;
    pub const SYNCHRONIZE_CACHE_16: u8 = 0x91;
    pub const WRITE_SAME_16: u8 = 0x93;
    pub const SERVICE_ACTION_IN_16: u8 = 0x9e;
    pub const REPORT_LUNS: u8 = 0xa0;
    pub const MAINTENANCE_IN: u8 = 0xa3;
    pub const READ_12: u8 = 0xa8;
    pub const WRITE_12: u8 = 0xaa;
    pub const WRITE_AND_VERIFY_12: u8 = 0xae;
    pub const VERIFY_12: u8 = 0xaf;
}

/// Service actions.
pub mod action {
    pub const READ_CAPACITY_16: u8 = 0x10;
    pub const REPORT_SUPPORTED_OPCODES: u8 = 0x0c;
    pub const REGISTER: u8 = 0;
    pub const RESERVE: u8 = 1;
    pub const RELEASE: u8 = 2;
    pub const CLEAR: u8 = 3;
    pub const PREEMPT: u8 = 4;
    pub const PREEMPT_AND_ABORT: u8 = 5;
    pub const REGISTER_AND_IGNORE: u8 = 6;
}

pub type Cdb = [u8; 16];

pub fn test_unit_ready() -> Cdb {
    [0; 16]
}

/// A vital product data page, or the standard data if `None`.
pub fn inquiry(page: Option<u8>, length: u16) -> Cdb {
    let mut cdb = [0; 16];
    cdb[0] = opcode::INQUIRY;
    if let Some(page) = page {
        (cdb[1], cdb[2]) = (1, page);
    }
    put(&mut cdb, 3, &length.to_be_bytes());
    cdb
}

pub fn report_luns(length: u32) -> Cdb {
    let mut cdb = [0; 16];
    cdb[0] = opcode::REPORT_LUNS;
    put(&mut cdb, 6, &length.to_be_bytes());
    cdb
}

pub fn read_capacity_16(length: u32) -> Cdb {
    let mut cdb = [0; 16];
    cdb[0] = opcode::SERVICE_ACTION_IN_16;
    cdb[1] = action::READ_CAPACITY_16;
    put(&mut cdb, 10, &length.to_be_bytes());
    cdb
}

pub fn read_16(block: u64, blocks: u32) -> Cdb {
    transfer(opcode::READ_16, block, blocks)
}

pub fn write_16(block: u64, blocks: u32) -> Cdb {
    transfer(opcode::WRITE_16, block, blocks)
}

/// Writes the cache of the whole disk to the medium.
pub fn synchronize_cache() -> Cdb {
    transfer(opcode::SYNCHRONIZE_CACHE_16, 0, 0)
}

/// One block of data goes to many; `unmap` allows the target to unmap blocks that would be zero.
pub fn write_same_16(block: u64, blocks: u32, unmap: bool) -> Cdb {
    let mut cdb = transfer(opcode::WRITE_SAME_16, block, blocks);
    cdb[1] = if unmap { 0x08 } else { 0 };
    cdb
}

/// One range to unmap, with its parameters.
pub fn unmap(block: u64, blocks: u32) -> (Cdb, [u8; 24]) {
    let mut cdb = [0; 16];
    cdb[0] = opcode::UNMAP;
    put(&mut cdb, 7, &24u16.to_be_bytes());
    let mut list = [0; 24];
    put(&mut list, 0, &22u16.to_be_bytes());
    put(&mut list, 2, &16u16.to_be_bytes());
    put(&mut list, 8, &block.to_be_bytes());
    put(&mut list, 16, &blocks.to_be_bytes());
    (cdb, list)
}

pub fn persistent_reserve_in(action: u8, length: u16) -> Cdb {
    let mut cdb = [0; 16];
    (cdb[0], cdb[1]) = (opcode::PERSISTENT_RESERVE_IN, action);
    put(&mut cdb, 7, &length.to_be_bytes());
    cdb
}

/// A change of reservations, with its parameters: our key, and the new key or that of another.
pub fn persistent_reserve_out(
    action: u8,
    kind: Option<ReservationType>,
    key: u64,
    service_key: u64,
) -> (Cdb, [u8; 24]) {
    let mut cdb = [0; 16];
    (cdb[0], cdb[1]) = (opcode::PERSISTENT_RESERVE_OUT, action);
    cdb[2] = kind.map_or(0, |kind| kind as u8);
    put(&mut cdb, 5, &24u32.to_be_bytes());
    let mut list = [0; 24];
    put(&mut list, 0, &key.to_be_bytes());
    put(&mut list, 8, &service_key.to_be_bytes());
    (cdb, list)
}

fn transfer(opcode: u8, block: u64, blocks: u32) -> Cdb {
    let mut cdb = [0; 16];
    cdb[0] = opcode;
    put(&mut cdb, 2, &block.to_be_bytes());
    put(&mut cdb, 10, &blocks.to_be_bytes());
    cdb
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    crate::field::put(bytes, at, value);
}
