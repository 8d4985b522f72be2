//! Headers of PDUs (RFC 7143 §11): 48 bytes each.
//!
//! Every PDU of an initiator has CmdSN and ExpStatSN at the same offsets, every PDU of a target
//! StatSN, ExpCmdSN and MaxCmdSN. These numbers are set when a PDU leaves, so they are accessors
//! of [`Bhs`] and not fields of the PDUs.

use super::DecodeError;
use crate::field;

/// The length of a basic header segment.
pub const BHS_LENGTH: usize = 48;

/// The bit of the opcode byte that asks for immediate delivery.
const IMMEDIATE: u8 = 0x40;

/// The bit that closes a sequence of PDUs, in the second byte of most.
pub const FINAL: u8 = 0x80;

/// A basic header segment as it is on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bhs(pub [u8; BHS_LENGTH]);

impl Bhs {
    pub fn opcode(&self) -> u8 {
        self.0[0] & 0x3f
    }

    pub fn is_immediate(&self) -> bool {
        self.0[0] & IMMEDIATE != 0
    }

    #[must_use]
    pub fn immediate(mut self) -> Self {
        self.0[0] |= IMMEDIATE;
        self
    }

    /// The bytes of additional headers that follow.
    pub fn ahs_length(&self) -> usize {
        usize::from(self.0[4]) * 4
    }

    /// The bytes of the data segment, without padding.
    pub fn data_length(&self) -> usize {
        let [.., a, b, c] = <[u8; 4]>::get(&self.0, 4);
        usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c)
    }

    /// Lengths beyond 24 bits do not occur: segments are cut before.
    pub fn set_data_length(&mut self, length: usize) {
        let length = u32::try_from(length).unwrap_or(0) & 0xff_ffff;
        (length | u32::from(self.0[4]) << 24).put(&mut self.0, 4);
    }

    /// The initiator task tag, which all PDUs have.
    pub fn task(&self) -> u32 {
        u32::get(&self.0, 16)
    }

    pub fn cmd_sn(&self) -> u32 {
        u32::get(&self.0, 24)
    }

    pub fn set_cmd_sn(&mut self, number: u32) {
        number.put(&mut self.0, 24);
    }

    pub fn exp_stat_sn(&self) -> u32 {
        u32::get(&self.0, 28)
    }

    pub fn set_exp_stat_sn(&mut self, number: u32) {
        number.put(&mut self.0, 28);
    }

    pub fn stat_sn(&self) -> u32 {
        u32::get(&self.0, 24)
    }

    pub fn set_stat_sn(&mut self, number: u32) {
        number.put(&mut self.0, 24);
    }

    pub fn exp_cmd_sn(&self) -> u32 {
        u32::get(&self.0, 28)
    }

    pub fn max_cmd_sn(&self) -> u32 {
        u32::get(&self.0, 32)
    }

    pub fn set_window(&mut self, exp_cmd_sn: u32, max_cmd_sn: u32) {
        exp_cmd_sn.put(&mut self.0, 28);
        max_cmd_sn.put(&mut self.0, 32);
    }
}

/// What is at an offset of a header.
trait Field: Sized {
    fn get(bytes: &[u8; BHS_LENGTH], at: usize) -> Self;
    fn put(self, bytes: &mut [u8; BHS_LENGTH], at: usize);
}

macro_rules! number_fields {
    ($($kind:ty)*) => {$(
        impl Field for $kind {
            fn get(bytes: &[u8; BHS_LENGTH], at: usize) -> Self {
                field::array(bytes, at).map(<$kind>::from_be_bytes).unwrap_or_default()
            }
            fn put(self, bytes: &mut [u8; BHS_LENGTH], at: usize) {
                field::put(bytes, at, &self.to_be_bytes());
            }
        }
    )*};
}

number_fields! { u8 u16 u32 u64 }

impl<const N: usize> Field for [u8; N] {
    fn get(bytes: &[u8; BHS_LENGTH], at: usize) -> Self {
        field::array(bytes, at).unwrap_or([0; N])
    }
    fn put(self, bytes: &mut [u8; BHS_LENGTH], at: usize) {
        field::put(bytes, at, &self);
    }
}

macro_rules! pdus {
    ($($(#[$doc:meta])* $name:ident = $opcode:literal { $($field:ident @ $at:literal: $kind:ty),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
            pub struct $name {
                $(pub $field: $kind),*
            }

            impl $name {
                pub fn encode(self) -> Bhs {
                    let mut bytes = [0; BHS_LENGTH];
                    bytes[0] = $opcode;
                    $(self.$field.put(&mut bytes, $at);)*
                    Bhs(bytes)
                }

                fn decode(bhs: &Bhs) -> Self {
                    Self { $($field: Field::get(&bhs.0, $at)),* }
                }
            }
        )*

        /// A header by its opcode.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Pdu {
            $($name($name)),*
        }

        impl Pdu {
            pub fn decode(bhs: &Bhs) -> Result<Self, DecodeError> {
                match bhs.opcode() {
                    $($opcode => Ok(Self::$name($name::decode(bhs))),)*
                    other => Err(DecodeError::Opcode(other)),
                }
            }

            pub fn encode(self) -> Bhs {
                match self {
                    $(Self::$name(pdu) => pdu.encode()),*
                }
            }
        }
    };
}

pdus! {
    /// A ping, or the answer to one (§11.18).
    NopOut = 0x00 { flags @ 1: u8, lun @ 8: u64, task @ 16: u32, transfer @ 20: u32 }
    /// §11.3. The flags are R, W and the task attribute.
    ScsiCommand = 0x01 { flags @ 1: u8, lun @ 8: u64, task @ 16: u32, expected_length @ 20: u32, cdb @ 32: [u8; 16] }
    /// §11.5
    TaskRequest = 0x02 { function @ 1: u8, lun @ 8: u64, task @ 16: u32, referenced @ 20: u32 }
    /// §11.12
    LoginRequest = 0x03 { flags @ 1: u8, version_max @ 2: u8, version_min @ 3: u8, isid @ 8: [u8; 6], tsih @ 14: u16, task @ 16: u32, cid @ 20: u16 }
    /// §11.10
    TextRequest = 0x04 { flags @ 1: u8, lun @ 8: u64, task @ 16: u32, transfer @ 20: u32 }
    /// Data to the target (§11.7).
    DataOut = 0x05 { flags @ 1: u8, lun @ 8: u64, task @ 16: u32, transfer @ 20: u32, data_sn @ 36: u32, offset @ 40: u32 }
    /// §11.14
    LogoutRequest = 0x06 { reason @ 1: u8, task @ 16: u32, cid @ 20: u16 }
    /// §11.16; only for recovery levels that we do not have.
    Snack = 0x10 { flags @ 1: u8, task @ 16: u32 }
    /// A ping, or the answer to one (§11.19).
    NopIn = 0x20 { flags @ 1: u8, lun @ 8: u64, task @ 16: u32, transfer @ 20: u32 }
    /// §11.4
    ScsiResponse = 0x21 { flags @ 1: u8, response @ 2: u8, status @ 3: u8, task @ 16: u32, exp_data_sn @ 36: u32, residual @ 44: u32 }
    /// §11.6
    TaskResponse = 0x22 { flags @ 1: u8, response @ 2: u8, task @ 16: u32 }
    /// §11.13
    LoginResponse = 0x23 { flags @ 1: u8, version_max @ 2: u8, version_active @ 3: u8, isid @ 8: [u8; 6], tsih @ 14: u16, task @ 16: u32, status_class @ 36: u8, status_detail @ 37: u8 }
    /// §11.11
    TextResponse = 0x24 { flags @ 1: u8, lun @ 8: u64, task @ 16: u32, transfer @ 20: u32 }
    /// Data from the target (§11.7).
    DataIn = 0x25 { flags @ 1: u8, status @ 3: u8, lun @ 8: u64, task @ 16: u32, transfer @ 20: u32, data_sn @ 36: u32, offset @ 40: u32, residual @ 44: u32 }
    /// §11.15
    LogoutResponse = 0x26 { flags @ 1: u8, response @ 2: u8, task @ 16: u32, time2wait @ 40: u16, time2retain @ 42: u16 }
    /// Ready to transfer (§11.8).
    R2t = 0x31 { flags @ 1: u8, lun @ 8: u64, task @ 16: u32, transfer @ 20: u32, r2t_sn @ 36: u32, offset @ 40: u32, length @ 44: u32 }
    /// §11.9
    AsyncMessage = 0x32 { flags @ 1: u8, lun @ 8: u64, task @ 16: u32, event @ 36: u8, code @ 37: u8, parameter1 @ 38: u16, parameter2 @ 40: u16, parameter3 @ 42: u16 }
    /// §11.17
    Reject = 0x3f { flags @ 1: u8, reason @ 2: u8, task @ 16: u32 }
}

/// Flags of [`ScsiCommand`].
pub mod command_flags {
    pub const READ: u8 = 0x40;
    pub const WRITE: u8 = 0x20;
    pub const SIMPLE: u8 = 0x01;
}

/// Flags of [`DataIn`] and [`ScsiResponse`].
pub mod data_flags {
    /// More was there than the initiator had room for.
    pub const OVERFLOW: u8 = 0x04;
    /// Less was there than the initiator had room for.
    pub const UNDERFLOW: u8 = 0x02;
    /// [`super::DataIn`] carries the status of the command.
    pub const STATUS: u8 = 0x01;
}

/// Flags of login and text PDUs.
pub mod text_flags {
    /// To the next stage.
    pub const TRANSIT: u8 = 0x80;
    /// The text continues in the next PDU.
    pub const CONTINUE: u8 = 0x40;
}

/// Reasons of [`Reject`] (§11.17.1).
pub mod reject {
    pub const DATA_DIGEST: u8 = 0x02;
    pub const SNACK: u8 = 0x03;
    pub const PROTOCOL_ERROR: u8 = 0x04;
    pub const NOT_SUPPORTED: u8 = 0x05;
    pub const TASK_IN_PROGRESS: u8 = 0x07;
    pub const INVALID_FIELD: u8 = 0x09;
}

/// A logical unit number as a header has it (SAM-5 §4.7): one level, peripheral addressing.
pub fn encode_lun(lun: u16) -> u64 {
    let address = if lun < 256 { lun } else { lun | 0x4000 };
    u64::from(address) << 48
}

/// The number of a unit; `None` for addresses of several levels.
pub fn decode_lun(address: u64) -> Option<u16> {
    let [high, low, rest @ ..] = address.to_be_bytes();
    if rest != [0; 6] {
        return None;
    }
    match high >> 6 {
        0 if high == 0 => Some(u16::from(low)),
        1 => Some(u16::from_be_bytes([high & 0x3f, low])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lengths_are_24_bits() {
        let mut bhs = NopOut::default().encode();
        bhs.0[4] = 2;
        bhs.set_data_length(0x1_2345);
        assert_eq!((bhs.data_length(), bhs.ahs_length()), (0x1_2345, 8));
    }

    #[test]
    fn units_by_number() {
        assert_eq!(encode_lun(1), 0x0001_0000_0000_0000);
        for lun in [0, 1, 255, 256, 0x3fff] {
            assert_eq!(decode_lun(encode_lun(lun)), Some(lun));
        }
        assert_eq!(decode_lun(0x0001_0001_0000_0000), None);
    }

    proptest! {
        #[test]
        fn what_is_decoded_is_encoded_again(bytes: [u8; BHS_LENGTH]) {
            if let Ok(pdu) = Pdu::decode(&Bhs(bytes)) {
                prop_assert_eq!(Pdu::decode(&pdu.encode()), Ok(pdu));
            }
        }
    }
}
