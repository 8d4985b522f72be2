//! The chassis: power, and the light that tells which machine it is.

use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

pub const GET_STATUS: u8 = 0x01;
pub const CONTROL: u8 = 0x02;
pub const IDENTIFY: u8 = 0x04;

/// What to do with the power.
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

pub fn status() -> Request {
    Request::new(NetFn::CHASSIS, GET_STATUS, [])
}

pub fn control(control: Control) -> Request {
    Request::new(NetFn::CHASSIS, CONTROL, [control as u8])
}

/// For how long the light is to blink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blink {
    Off,
    Seconds(u8),
    /// Until it is switched off.
    Forever,
}

pub fn identify(blink: Blink) -> Request {
    let data = match blink {
        Blink::Off => vec![0],
        Blink::Seconds(seconds) => vec![seconds],
        Blink::Forever => vec![0, 1],
    };
    Request::new(NetFn::CHASSIS, IDENTIFY, data)
}

impl Blink {
    /// What a request to identify asks for.
    pub fn decode(data: &[u8]) -> Self {
        match data {
            // What ipmitool sends when no time is given.
            [] => Self::Seconds(15),
            [_, 1, ..] => Self::Forever,
            [0, ..] => Self::Off,
            [seconds, ..] => Self::Seconds(*seconds),
        }
    }
}

/// What the light does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Light {
    Off,
    /// For a limited time.
    Temporary,
    Indefinite,
    /// The BMC does not tell.
    Unknown,
}

/// The answer to [`status`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    pub is_on: bool,
    /// Power fault, interlock, overload: the bits of the standard.
    pub faults: u8,
    pub light: Light,
}

impl Status {
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

    pub fn encode(&self) -> Vec<u8> {
        let light = match self.light {
            Light::Off => 0x40,
            Light::Temporary => 0x50,
            Light::Indefinite => 0x60,
            Light::Unknown => 0,
        };
        // The policy after a power failure is to stay off.
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
