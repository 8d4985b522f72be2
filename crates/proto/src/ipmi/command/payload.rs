//! Switching serial-over-LAN on and off.

use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

pub const ACTIVATE: u8 = 0x48;
pub const DEACTIVATE: u8 = 0x49;
const SOL: u8 = 1;
const INSTANCE: u8 = 1;

/// The completion code that says that somebody else has the console.
pub const ALREADY_ACTIVE: u8 = 0x80;
/// The completion code that says that there is no console to end.
pub const ALREADY_INACTIVE: u8 = 0x80;

/// Asks for the console, protected as the session is.
pub fn activate(encrypted: bool, authenticated: bool) -> Request {
    let mut options = 0;
    if encrypted {
        options |= 0x80;
    }
    if authenticated {
        options |= 0x40;
    }
    Request::new(NetFn::APP, ACTIVATE, [SOL, INSTANCE, options, 0, 0, 0])
}

pub fn deactivate() -> Request {
    Request::new(NetFn::APP, DEACTIVATE, [SOL, INSTANCE, 0, 0, 0, 0])
}

/// The answer to [`activate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activated {
    /// How much the BMC takes at once, the header included.
    pub inbound_size: u16,
    pub outbound_size: u16,
    pub port: u16,
}

impl Activated {
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("answer to Activate Payload", data);
        let _auxiliary = reader.u32()?;
        Ok(Self {
            inbound_size: reader.u16()?,
            outbound_size: reader.u16()?,
            port: reader.u16()?,
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; 4];
        bytes.extend(self.inbound_size.to_le_bytes());
        bytes.extend(self.outbound_size.to_le_bytes());
        bytes.extend(self.port.to_le_bytes());
        bytes.extend([0xff, 0xff]);
        bytes
    }
}
