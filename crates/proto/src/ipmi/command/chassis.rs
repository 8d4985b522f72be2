//! Chassis commands (IPMI 2.0 §28): power, and the identify light.

use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

/// Get Chassis Status (IPMI 2.0 §28.2).
pub const GET_STATUS: u8 = 0x01;
/// Chassis Control (IPMI 2.0 §28.3).
pub const CONTROL: u8 = 0x02;
/// Chassis Identify (IPMI 2.0 §28.5).
pub const IDENTIFY: u8 = 0x04;

/// Power actions of Chassis Control (IPMI 2.0 §28.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    Off = 0,
    On = 1,
    Cycle = 2,
    Reset = 3,
    /// A diagnostic interrupt (NMI).
    Diagnostic = 4,
    /// Asks the operating system to shut down.
    Soft = 5,
}

impl Control {
    /// The action with this code.
    pub fn of_code(code: u8) -> Option<Self> {
        [
            Self::Off,
            Self::On,
            Self::Cycle,
            Self::Reset,
            Self::Diagnostic,
            Self::Soft,
        ]
        .into_iter()
        .find(|control| *control as u8 == code)
    }
}

/// Asks for the chassis status.
pub fn status() -> Request {
    Request::new(NetFn::CHASSIS, GET_STATUS, [])
}

/// Requests a power action.
pub fn control(control: Control) -> Request {
    Request::new(NetFn::CHASSIS, CONTROL, [control as u8])
}

/// How long the identify light blinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blink {
    Off,
    Seconds(u8),
    /// Until it is switched off.
    Forever,
}

/// Switches the identify light.
pub fn identify(blink: Blink) -> Request {
    let data = match blink {
        Blink::Off => vec![0],
        Blink::Seconds(seconds) => vec![seconds],
        Blink::Forever => vec![0, 1],
    };
    Request::new(NetFn::CHASSIS, IDENTIFY, data)
}

impl Blink {
    /// Decodes the data of Chassis Identify.
    pub fn decode(data: &[u8]) -> Self {
        match data {
            // Without an interval the default is 15 seconds. ipmitool sends no data then.
            [] => Self::Seconds(15),
            [_, 1, ..] => Self::Forever,
            [0, ..] => Self::Off,
            [seconds, ..] => Self::Seconds(*seconds),
        }
    }
}

/// The state of the identify light.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Light {
    Off,
    /// For a limited time.
    Temporary,
    Indefinite,
    /// The BMC does not report it.
    Unknown,
}

/// The answer to [`status`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    pub is_on: bool,
    /// Power fault, interlock, overload: bits 1 to 4 of the current power state.
    pub faults: u8,
    pub light: Light,
}

impl Status {
    /// Decodes the data of the response.
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("chassis status", data);
        let [power, _last_event, misc] = reader.array()?;
        let light = if misc & 0x40 == 0 {
            Light::Unknown
        } else {
            match misc >> 4 & 3 {
                0 => Light::Off,
                1 => Light::Temporary,
                2 => Light::Indefinite,
                _ => Light::Unknown,
            }
        };
        Ok(Self {
            is_on: power & 1 == 1,
            faults: power & 0x1e,
            light,
        })
    }

    /// Encodes the data of the response.
    pub fn encode(&self) -> Vec<u8> {
        let light = match self.light {
            Light::Off => 0x40,
            Light::Temporary => 0x50,
            Light::Indefinite => 0x60,
            Light::Unknown => 0,
        };
        // Power restore policy 0: stay off after a power failure.
        vec![u8::from(self.is_on) | self.faults, 0, light, 0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_survive_the_wire() {
        for is_on in [false, true] {
            for light in [
                Light::Off,
                Light::Temporary,
                Light::Indefinite,
                Light::Unknown,
            ] {
                let status = Status {
                    is_on,
                    faults: 8,
                    light,
                };
                assert_eq!(Status::decode(&status.encode()), Ok(status));
            }
        }
        assert!(Status::decode(&[1, 0]).is_err());
    }

    #[test]
    fn blinking_is_understood() {
        for blink in [Blink::Off, Blink::Seconds(30), Blink::Forever] {
            assert_eq!(Blink::decode(&identify(blink).data), blink);
        }
    }
}
