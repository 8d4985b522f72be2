//! System boot options (IPMI 2.0 §28.12, §28.13): where the machine boots from next, or always.
//!
//! Parameter 5 holds the boot flags. Parameter 3 says when the BMC clears their valid bit by
//! itself; by default it does so when the machine does not reset within 60 seconds (Table 28-14).

use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

/// Set System Boot Options (IPMI 2.0 §28.12).
pub const SET_OPTIONS: u8 = 0x08;
/// Get System Boot Options (IPMI 2.0 §28.13).
pub const GET_OPTIONS: u8 = 0x09;

const SET_IN_PROGRESS: u8 = 0;
const VALID_BIT_CLEARING: u8 = 3;
const ACKNOWLEDGE: u8 = 4;
const FLAGS: u8 = 5;
const VERSION: u8 = 1;

/// Boot device selectors of parameter 5 (IPMI 2.0 Table 28-14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device(pub u8);

impl Device {
    pub const NONE: Self = Self(0);
    pub const PXE: Self = Self(1);
    pub const DISK: Self = Self(2);
    pub const SAFE: Self = Self(3);
    pub const DIAGNOSTIC: Self = Self(4);
    pub const CDROM: Self = Self(5);
    pub const SETUP: Self = Self(6);
    pub const REMOTE_DISK: Self = Self(11);
    pub const FLOPPY: Self = Self(15);
}

/// The boot flags: parameter 5 (IPMI 2.0 Table 28-14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags {
    /// Unless it is set, the firmware ignores the other flags.
    pub is_valid: bool,
    pub is_persistent: bool,
    pub is_efi: bool,
    pub device: Device,
    /// Which of several disks or interfaces; zero leaves the choice to the machine.
    pub instance: u8,
}

impl Flags {
    const VALID: u8 = 0x80;
    const PERSISTENT: u8 = 0x40;
    const EFI: u8 = 0x20;

    /// Valid flags for a device.
    pub fn new(device: Device, is_persistent: bool, is_efi: bool) -> Self {
        Self {
            is_valid: true,
            is_persistent,
            is_efi,
            device,
            instance: 0,
        }
    }

    /// The five bytes of the parameter.
    pub fn encode(&self) -> [u8; 5] {
        let mut first = 0;
        for (is_set, bit) in [
            (self.is_valid, Self::VALID),
            (self.is_persistent, Self::PERSISTENT),
            (self.is_efi, Self::EFI),
        ] {
            if is_set {
                first |= bit;
            }
        }
        [
            first,
            (self.device.0 & 0x0f) << 2,
            0,
            0,
            self.instance & 0x1f,
        ]
    }

    /// Decodes the five bytes of the parameter.
    pub fn decode(parameter: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("boot flags", parameter);
        let [first, second, _, _, instance] = reader.array()?;
        Ok(Self {
            is_valid: first & Self::VALID != 0,
            is_persistent: first & Self::PERSISTENT != 0,
            is_efi: first & Self::EFI != 0,
            device: Device(second >> 2 & 0x0f),
            instance: instance & 0x1f,
        })
    }
}

fn set(parameter: u8, data: &[u8]) -> Request {
    let mut all = vec![parameter];
    all.extend(data);
    Request::new(NetFn::CHASSIS, SET_OPTIONS, all)
}

/// Sets the boot flags.
pub fn set_flags(flags: &Flags) -> Request {
    set(FLAGS, &flags.encode())
}

/// Sets the flags as raw bytes, for firmware that differs from the standard.
pub fn set_raw_flags(bytes: [u8; 5]) -> Request {
    set(FLAGS, &bytes)
}

/// Keeps the BMC from clearing the flags when the machine is not reset within 60 seconds: switching
/// a machine on can take longer.
pub fn keep_flags() -> Request {
    set(VALID_BIT_CLEARING, &[0x08])
}

/// Clears the boot info acknowledge: the BIOS has not handled these flags yet.
pub fn forget_acknowledgement() -> Request {
    set(ACKNOWLEDGE, &[0x01, 0x01])
}

/// Parameter 0: announces that several parameters are about to change.
pub fn begin_setting() -> Request {
    set(SET_IN_PROGRESS, &[0x01])
}

/// Parameter 0: the change is complete.
pub fn end_setting() -> Request {
    set(SET_IN_PROGRESS, &[0x00])
}

/// Asks for the boot flags.
pub fn get_flags() -> Request {
    get(FLAGS)
}

fn get(parameter: u8) -> Request {
    Request::new(NetFn::CHASSIS, GET_OPTIONS, [parameter, 0, 0])
}

/// The response to Get System Boot Options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub number: u8,
    pub is_invalid: bool,
    pub data: Vec<u8>,
}

impl Parameter {
    /// Decodes the data of the response.
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("boot option", data);
        let [_version, number] = reader.array()?;
        Ok(Self {
            number: number & 0x7f,
            is_invalid: number & 0x80 != 0,
            data: reader.rest().to_vec(),
        })
    }

    /// Encodes the data of the response.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION, self.number | u8::from(self.is_invalid) << 7];
        bytes.extend(&self.data);
        bytes
    }

    /// The boot flags, from the answer to [`get_flags`].
    pub fn flags(&self) -> Result<Flags, DecodeError> {
        if self.number != FLAGS {
            return Err(DecodeError::Value {
                what: "boot option",
                value: self.number,
            });
        }
        Flags::decode(&self.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_those_of_ipmitool() {
        let sent = |flags: Flags| set_flags(&flags).data;
        // raw 0x00 0x08 0x05 0xe0 0x04 0x00 0x00 0x00: PXE, always, by UEFI.
        assert_eq!(
            sent(Flags::new(Device::PXE, true, true)),
            [0x05, 0xe0, 0x04, 0, 0, 0]
        );
        assert_eq!(
            sent(Flags::new(Device::CDROM, false, true)),
            [0x05, 0xa0, 0x14, 0, 0, 0]
        );
        assert_eq!(
            sent(Flags::new(Device::SETUP, false, false)),
            [0x05, 0x80, 0x18, 0, 0, 0]
        );
        assert_eq!(keep_flags().data, [0x03, 0x08]);
    }

    #[test]
    fn flags_survive_the_wire() {
        for byte in 0..=255u8 {
            let flags = Flags {
                is_valid: byte & 1 != 0,
                is_persistent: byte & 2 != 0,
                is_efi: byte & 4 != 0,
                device: Device(byte >> 4),
                instance: byte & 0x1f,
            };
            let answer = Parameter {
                number: 5,
                is_invalid: false,
                data: flags.encode().to_vec(),
            };
            let read = Parameter::decode(&answer.encode()).unwrap();
            assert_eq!(read.flags(), Ok(flags));
        }
    }
}
