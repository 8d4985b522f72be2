//! REPORT SUPPORTED OPERATION CODES (SPC-4 §6.35).

use super::{Refused, Sense, cdb::action, cdb::opcode as op};
use crate::field;

/// A command of the disk.
struct Supported {
    opcode: u8,
    action: Option<u8>,
    /// Which bits of the CDB mean something, after the opcode. The length is that of the CDB.
    usage: &'static [u8],
}

const SIX: &[u8] = &[0x1f, 0xff, 0xff, 0xff, 0x00];
const READ_TEN: &[u8] = &[0x18, 0xff, 0xff, 0xff, 0xff, 0x00, 0xff, 0xff, 0x00];
const VERIFY_TEN: &[u8] = &[0x12, 0xff, 0xff, 0xff, 0xff, 0x00, 0xff, 0xff, 0x00];
const READ_TWELVE: &[u8] = &[
    0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
];
const VERIFY_TWELVE: &[u8] = &[
    0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
];
const READ_SIXTEEN: &[u8] = &[
    0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
];
const VERIFY_SIXTEEN: &[u8] = &[
    0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
];
const SAME_SIXTEEN: &[u8] = &[
    0x09, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
];
const COMPARE: &[u8] = &[
    0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00,
];
const CAPACITY_SIXTEEN: &[u8] = &[
    0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
];
const LONG_TEN: &[u8] = &[0x1f, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0x00];
const RESERVE_IN: &[u8] = &[0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0x00];
const RESERVE_OUT: &[u8] = &[0x1f, 0x0f, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x00];
const LUNS: &[u8] = &[
    0x00, 0xff, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
];
const OPCODES: &[u8] = &[
    0x1f, 0x87, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00,
];

const fn plain(opcode: u8, usage: &'static [u8]) -> Supported {
    Supported {
        opcode,
        action: None,
        usage,
    }
}

const fn with_action(opcode: u8, action: u8, usage: &'static [u8]) -> Supported {
    Supported {
        opcode,
        action: Some(action),
        usage,
    }
}

const ALL: &[Supported] = &[
    plain(op::TEST_UNIT_READY, &[0, 0, 0, 0, 0]),
    plain(op::REQUEST_SENSE, &[0x01, 0, 0, 0xff, 0]),
    plain(op::READ_6, SIX),
    plain(op::WRITE_6, SIX),
    plain(op::INQUIRY, &[0x01, 0xff, 0xff, 0xff, 0]),
    plain(op::MODE_SELECT_6, &[0x11, 0, 0, 0xff, 0]),
    plain(op::RESERVE_6, &[0, 0, 0, 0, 0]),
    plain(op::RELEASE_6, &[0, 0, 0, 0, 0]),
    plain(op::MODE_SENSE_6, &[0x08, 0xff, 0xff, 0xff, 0]),
    plain(op::START_STOP_UNIT, &[0x01, 0, 0, 0x03, 0]),
    plain(op::READ_CAPACITY_10, &[0, 0, 0, 0, 0, 0, 0, 0, 0]),
    plain(op::READ_10, READ_TEN),
    plain(op::WRITE_10, READ_TEN),
    plain(op::WRITE_AND_VERIFY_10, VERIFY_TEN),
    plain(op::VERIFY_10, VERIFY_TEN),
    plain(op::PREFETCH_10, VERIFY_TEN),
    plain(op::SYNCHRONIZE_CACHE_10, VERIFY_TEN),
    plain(
        op::WRITE_SAME_10,
        &[0x08, 0xff, 0xff, 0xff, 0xff, 0x00, 0xff, 0xff, 0x00],
    ),
    plain(op::UNMAP, &[0, 0, 0, 0, 0, 0, 0xff, 0xff, 0x00]),
    plain(op::MODE_SELECT_10, LONG_TEN),
    plain(op::RESERVE_10, LONG_TEN),
    plain(op::RELEASE_10, LONG_TEN),
    plain(
        op::MODE_SENSE_10,
        &[0x08, 0xff, 0xff, 0, 0, 0, 0xff, 0xff, 0],
    ),
    with_action(op::PERSISTENT_RESERVE_IN, 0, RESERVE_IN),
    with_action(op::PERSISTENT_RESERVE_IN, 1, RESERVE_IN),
    with_action(op::PERSISTENT_RESERVE_IN, 2, RESERVE_IN),
    with_action(op::PERSISTENT_RESERVE_IN, 3, RESERVE_IN),
    with_action(op::PERSISTENT_RESERVE_OUT, action::REGISTER, RESERVE_OUT),
    with_action(op::PERSISTENT_RESERVE_OUT, action::RESERVE, RESERVE_OUT),
    with_action(op::PERSISTENT_RESERVE_OUT, action::RELEASE, RESERVE_OUT),
    with_action(op::PERSISTENT_RESERVE_OUT, action::CLEAR, RESERVE_OUT),
    with_action(op::PERSISTENT_RESERVE_OUT, action::PREEMPT, RESERVE_OUT),
    with_action(
        op::PERSISTENT_RESERVE_OUT,
        action::PREEMPT_AND_ABORT,
        RESERVE_OUT,
    ),
    with_action(
        op::PERSISTENT_RESERVE_OUT,
        action::REGISTER_AND_IGNORE,
        RESERVE_OUT,
    ),
    plain(op::READ_16, READ_SIXTEEN),
    plain(op::COMPARE_AND_WRITE, COMPARE),
    plain(op::WRITE_16, READ_SIXTEEN),
    plain(op::WRITE_AND_VERIFY_16, VERIFY_SIXTEEN),
    plain(op::VERIFY_16, VERIFY_SIXTEEN),
    plain(op::PREFETCH_16, VERIFY_SIXTEEN),
    plain(op::SYNCHRONIZE_CACHE_16, VERIFY_SIXTEEN),
    plain(op::WRITE_SAME_16, SAME_SIXTEEN),
    with_action(
        op::SERVICE_ACTION_IN_16,
        action::READ_CAPACITY_16,
        CAPACITY_SIXTEEN,
    ),
    plain(op::REPORT_LUNS, LUNS),
    with_action(
        op::MAINTENANCE_IN,
        action::REPORT_SUPPORTED_OPCODES,
        OPCODES,
    ),
    plain(op::READ_12, READ_TWELVE),
    plain(op::WRITE_12, READ_TWELVE),
    plain(op::WRITE_AND_VERIFY_12, VERIFY_TWELVE),
    plain(op::VERIFY_12, VERIFY_TWELVE),
];

impl Supported {
    fn length(&self) -> u16 {
        u16::try_from(self.usage.len() + 1).unwrap_or(0)
    }
}

/// Timeouts that are not known (SPC-4 §6.35.4).
const TIMEOUTS: [u8; 12] = [0, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

pub(super) fn report(cdb: &[u8; 16]) -> Result<Vec<u8>, Refused> {
    let (timeouts, option) = (cdb[2] & 0x80 != 0, cdb[2] & 0x07);
    let action = u8::try_from(field::be16(cdb, 4).unwrap_or(0)).ok();
    let opcode = cdb[3];
    let mut matching = ALL.iter().filter(|one| one.opcode == opcode).peekable();
    let has_actions = matching.peek().is_some_and(|one| one.action.is_some());
    let wrong = Err(Refused::Check(Sense::INVALID_FIELD));
    match option {
        0 => Ok(all(timeouts)),
        1 if has_actions => wrong,
        2 if matching.peek().is_some() && !has_actions => wrong,
        1..=3 => {
            let found = matching.find(|one| !has_actions || one.action == action);
            Ok(one(found, timeouts))
        }
        _ => wrong,
    }
}

fn all(timeouts: bool) -> Vec<u8> {
    let mut data = vec![0; 4];
    for one in ALL {
        let [action_high, action_low] = u16::from(one.action.unwrap_or(0)).to_be_bytes();
        let [length_high, length_low] = one.length().to_be_bytes();
        let flags = u8::from(one.action.is_some()) | if timeouts { 0x02 } else { 0 };
        let descriptor = [
            one.opcode,
            0,
            action_high,
            action_low,
            0,
            flags,
            length_high,
            length_low,
        ];
        data.extend_from_slice(&descriptor);
        if timeouts {
            data.extend_from_slice(&TIMEOUTS);
        }
    }
    let length = u32::try_from(data.len() - 4).unwrap_or(0);
    field::put(&mut data, 0, &length.to_be_bytes());
    data
}

fn one(found: Option<&Supported>, timeouts: bool) -> Vec<u8> {
    let Some(found) = found else {
        // Not supported.
        return vec![0, 0x01, 0, 0];
    };
    let timeouts: &[u8] = if timeouts { &TIMEOUTS } else { &[] };
    let flags = 0x03 | if timeouts.is_empty() { 0 } else { 0x80 };
    let [high, low] = found.length().to_be_bytes();
    let mut data = vec![0, flags, high, low, found.opcode];
    data.extend_from_slice(found.usage);
    if let (Some(action), Some(byte)) = (found.action, data.get_mut(5)) {
        *byte = action;
    }
    data.extend_from_slice(timeouts);
    data
}
