//! Sense data: why a command failed (SPC-4 §4.5).

use crate::field;
use std::fmt;

/// A sense key with its additional codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sense {
    pub key: u8,
    pub code: u8,
    pub qualifier: u8,
    /// Where on the medium or in the data, if that is known.
    pub information: Option<u32>,
}

pub mod key {
    pub const NOT_READY: u8 = 0x02;
    pub const MEDIUM_ERROR: u8 = 0x03;
    pub const HARDWARE_ERROR: u8 = 0x04;
    pub const ILLEGAL_REQUEST: u8 = 0x05;
    pub const UNIT_ATTENTION: u8 = 0x06;
    pub const DATA_PROTECT: u8 = 0x07;
    pub const ABORTED_COMMAND: u8 = 0x0b;
    pub const MISCOMPARE: u8 = 0x0e;
}

impl Sense {
    pub const NONE: Self = Self::new(0, 0, 0);
    pub const WRITE_ERROR: Self = Self::new(key::MEDIUM_ERROR, 0x0c, 0x00);
    pub const READ_ERROR: Self = Self::new(key::MEDIUM_ERROR, 0x11, 0x00);
    pub const INVALID_OPCODE: Self = Self::new(key::ILLEGAL_REQUEST, 0x20, 0x00);
    pub const OUT_OF_RANGE: Self = Self::new(key::ILLEGAL_REQUEST, 0x21, 0x00);
    pub const INVALID_FIELD: Self = Self::new(key::ILLEGAL_REQUEST, 0x24, 0x00);
    pub const NO_SUCH_UNIT: Self = Self::new(key::ILLEGAL_REQUEST, 0x25, 0x00);
    pub const INVALID_PARAMETER: Self = Self::new(key::ILLEGAL_REQUEST, 0x26, 0x00);
    pub const INVALID_RELEASE: Self = Self::new(key::ILLEGAL_REQUEST, 0x26, 0x04);
    pub const PARAMETER_LENGTH: Self = Self::new(key::ILLEGAL_REQUEST, 0x1a, 0x00);
    pub const SAVING_NOT_SUPPORTED: Self = Self::new(key::ILLEGAL_REQUEST, 0x39, 0x00);
    pub const WRITE_PROTECTED: Self = Self::new(key::DATA_PROTECT, 0x27, 0x00);
    pub const MISCOMPARE: Self = Self::new(key::MISCOMPARE, 0x1d, 0x00);
    /// Data did not come in the order that was agreed.
    pub const DATA_OFFSET: Self = Self::new(key::ABORTED_COMMAND, 0x4b, 0x05);
    /// More data came than was asked for (RFC 7143 §11.4.7.2).
    pub const UNEXPECTED_DATA: Self = Self::new(key::ABORTED_COMMAND, 0x0c, 0x0c);
    pub const RESET: Self = Self::new(key::UNIT_ATTENTION, 0x29, 0x03);
    pub const MODE_CHANGED: Self = Self::new(key::UNIT_ATTENTION, 0x2a, 0x01);
    pub const RESERVATIONS_PREEMPTED: Self = Self::new(key::UNIT_ATTENTION, 0x2a, 0x03);
    pub const RESERVATIONS_RELEASED: Self = Self::new(key::UNIT_ATTENTION, 0x2a, 0x04);
    pub const REGISTRATIONS_PREEMPTED: Self = Self::new(key::UNIT_ATTENTION, 0x2a, 0x05);

    pub const fn new(key: u8, code: u8, qualifier: u8) -> Self {
        Self {
            key,
            code,
            qualifier,
            information: None,
        }
    }

    #[must_use]
    pub fn at(self, information: u32) -> Self {
        Self {
            information: Some(information),
            ..self
        }
    }

    /// Fixed format (SPC-4 §4.5.3), current error.
    pub fn encode(self) -> [u8; 18] {
        let mut bytes = [0; 18];
        bytes[0] = 0x70;
        bytes[2] = self.key;
        bytes[7] = 10;
        (bytes[12], bytes[13]) = (self.code, self.qualifier);
        if let Some(information) = self.information {
            bytes[0] |= 0x80;
            field::put(&mut bytes, 3, &information.to_be_bytes());
        }
        bytes
    }

    /// Descriptor format (SPC-4 §4.5.2), for initiators that switched it on.
    pub(super) fn encode_descriptor(self) -> Vec<u8> {
        let mut bytes = vec![0x72, self.key, self.code, self.qualifier, 0, 0, 0, 0];
        if let Some(information) = self.information {
            bytes[7] = 12;
            bytes.extend_from_slice(&[0, 0x0a, 0x80, 0, 0, 0, 0, 0]);
            bytes.extend_from_slice(&information.to_be_bytes());
        }
        bytes
    }

    /// Either format.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let byte = |at: usize| bytes.get(at).copied();
        match byte(0)? & 0x7f {
            0x70 | 0x71 => Some(Self::new(
                byte(2)? & 0x0f,
                byte(12).unwrap_or(0),
                byte(13).unwrap_or(0),
            )),
            0x72 | 0x73 => Some(Self::new(byte(1)? & 0x0f, byte(2)?, byte(3)?)),
            _ => None,
        }
    }

    /// A condition that is reported once, before the first command that it concerns.
    pub fn is_unit_attention(self) -> bool {
        self.key == key::UNIT_ATTENTION
    }
}

impl fmt::Display for Sense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.key {
            0x00 => "NO SENSE",
            0x01 => "RECOVERED ERROR",
            key::NOT_READY => "NOT READY",
            key::MEDIUM_ERROR => "MEDIUM ERROR",
            key::HARDWARE_ERROR => "HARDWARE ERROR",
            key::ILLEGAL_REQUEST => "ILLEGAL REQUEST",
            key::UNIT_ATTENTION => "UNIT ATTENTION",
            key::DATA_PROTECT => "DATA PROTECT",
            key::ABORTED_COMMAND => "ABORTED COMMAND",
            key::MISCOMPARE => "MISCOMPARE",
            _ => "another sense key",
        };
        let (code, qualifier) = (self.code, self.qualifier);
        write!(f, "{name} (ASC {code:02x}h, ASCQ {qualifier:02x}h)")
    }
}
