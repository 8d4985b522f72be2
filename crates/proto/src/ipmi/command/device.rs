//! The BMC itself: its maker and capabilities, resets, and the end of a session.

use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

/// Get Device ID (IPMI 2.0 §20.1).
pub const GET_ID: u8 = 0x01;
/// Cold Reset (IPMI 2.0 §20.2).
pub const COLD_RESET: u8 = 0x02;
/// Warm Reset (IPMI 2.0 §20.3).
pub const WARM_RESET: u8 = 0x03;
/// Get System GUID (IPMI 2.0 §22.14).
pub const GET_GUID: u8 = 0x37;
/// Close Session (IPMI 2.0 §22.19).
pub const CLOSE_SESSION: u8 = 0x3c;

/// Asks for the device id.
pub fn id() -> Request {
    Request::new(NetFn::APP, GET_ID, [])
}

/// Asks for the GUID of the machine, which a BMC tells before a login as well.
pub fn guid() -> Request {
    Request::new(NetFn::APP, GET_GUID, [])
}

/// Resets the BMC, not the machine.
pub fn reset(warm: bool) -> Request {
    let command = if warm { WARM_RESET } else { COLD_RESET };
    Request::new(NetFn::APP, command, [])
}

/// Closes the session with the BMC's id `system`.
pub fn close_session(system: u32) -> Request {
    Request::new(NetFn::APP, CLOSE_SESSION, system.to_le_bytes())
}

/// The response to Get Device ID (IPMI 2.0 §20.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceId {
    pub device: u8,
    pub revision: u8,
    pub firmware_major: u8,
    /// In BCD.
    pub firmware_minor: u8,
    pub ipmi_version: (u8, u8),
    /// Additional device support: sensors, SDR, SEL, FRU, bridging, …
    pub support: u8,
    /// The maker's IANA enterprise number.
    pub manufacturer: u32,
    pub product: u16,
    pub is_updating: bool,
}

impl DeviceId {
    /// Decodes the data of the response.
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("device id", data);
        let [device, revision, major, minor, version, support] = reader.array()?;
        let [a, b, c] = reader.array()?;
        Ok(Self {
            device,
            revision: revision & 0x0f,
            firmware_major: major & 0x7f,
            firmware_minor: minor,
            ipmi_version: (version & 0x0f, version >> 4),
            support,
            manufacturer: u32::from_le_bytes([a, b, c & 0x0f, 0]),
            product: reader.u16_le()?,
            is_updating: major & 0x80 != 0,
        })
    }

    /// Encodes the data of the response.
    pub fn encode(&self) -> Vec<u8> {
        let [a, b, c, _] = self.manufacturer.to_le_bytes();
        let [low, high] = self.product.to_le_bytes();
        vec![
            self.device,
            self.revision,
            self.firmware_major & 0x7f | u8::from(self.is_updating) << 7,
            self.firmware_minor,
            self.ipmi_version.0 & 0x0f | self.ipmi_version.1 << 4,
            self.support,
            a,
            b,
            c & 0x0f,
            low,
            high,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_the_wire() {
        let id = DeviceId {
            device: 0x20,
            revision: 1,
            firmware_major: 3,
            firmware_minor: 0x45,
            ipmi_version: (2, 0),
            support: 0xbf,
            manufacturer: 10876,
            product: 2137,
            is_updating: false,
        };
        assert_eq!(DeviceId::decode(&id.encode()), Ok(id));
        assert!(DeviceId::decode(&[0; 10]).is_err());
    }
}
