//! Activating and deactivating serial over LAN (IPMI 2.0 §24.1, §24.2).

use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

/// Activate Payload (IPMI 2.0 §24.1).
pub const ACTIVATE: u8 = 0x48;
/// Deactivate Payload (IPMI 2.0 §24.2).
pub const DEACTIVATE: u8 = 0x49;
const SOL: u8 = 1;
const INSTANCE: u8 = 1;

/// Completion code of Activate Payload: another session has the console.
pub const ALREADY_ACTIVE: u8 = 0x80;
/// Completion code of Deactivate Payload: the console is not active.
pub const ALREADY_INACTIVE: u8 = 0x80;

/// Requests the console, with the protection of the session.
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

/// Gives the console back.
pub fn deactivate() -> Request {
    Request::new(NetFn::APP, DEACTIVATE, [SOL, INSTANCE, 0, 0, 0, 0])
}

/// The answer to [`activate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activated {
    /// The largest payload that the BMC accepts, including the header.
    pub inbound_size: u16,
    pub outbound_size: u16,
    pub port: u16,
}

impl Activated {
    /// Decodes the data of the response.
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("answer to Activate Payload", data);
        let _auxiliary = reader.u32_le()?;
        Ok(Self {
            inbound_size: reader.u16_le()?,
            outbound_size: reader.u16_le()?,
            port: reader.u16_le()?,
        })
    }

    /// Encodes the data of the response; no VLAN.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; 4];
        bytes.extend(self.inbound_size.to_le_bytes());
        bytes.extend(self.outbound_size.to_le_bytes());
        bytes.extend(self.port.to_le_bytes());
        bytes.extend([0xff, 0xff]);
        bytes
    }
}
