//! The power reading of DCMI (Data Center Manageability Interface 1.5 §6.6.1).
//!
//! Commands of DCMI are a group extension of IPMI (IPMI 2.0 §5.1): the first byte of every request and
//! answer names the group.

use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

/// The group of DCMI's commands.
pub const GROUP: u8 = 0xdc;
/// Get Power Reading.
pub const GET_POWER: u8 = 0x02;
/// The mode that asks for statistics since the BMC began to count.
pub const STATISTICS: u8 = 0x01;
const IS_MEASURING: u8 = 0x40;

/// Asks what the machine draws.
pub fn power() -> Request {
    Request::new(NetFn::GROUP, GET_POWER, [GROUP, STATISTICS, 0, 0])
}

/// The answer to [`power`], in watts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerReading {
    pub current: u16,
    pub minimum: u16,
    pub maximum: u16,
    pub average: u16,
    /// The time that minimum, maximum and average are of, in milliseconds.
    pub period: u32,
    /// Without it the numbers mean nothing.
    pub is_measuring: bool,
}

impl PowerReading {
    /// Decodes the data of the response.
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let what = "power reading";
        let mut reader = Reader::new(what, data);
        match reader.u8()? {
            GROUP => {}
            value => return Err(DecodeError::Value { what, value }),
        }
        let current = reader.u16_le()?;
        let minimum = reader.u16_le()?;
        let maximum = reader.u16_le()?;
        let average = reader.u16_le()?;
        let _time = reader.u32_le()?;
        Ok(Self {
            current,
            minimum,
            maximum,
            average,
            period: reader.u32_le()?,
            is_measuring: reader.u8()? & IS_MEASURING != 0,
        })
    }

    /// Encodes the data of the response. `time` is in seconds since 1970.
    pub fn encode(&self, time: u32) -> Vec<u8> {
        let mut bytes = vec![GROUP];
        for watts in [self.current, self.minimum, self.maximum, self.average] {
            bytes.extend(watts.to_le_bytes());
        }
        bytes.extend(time.to_le_bytes());
        bytes.extend(self.period.to_le_bytes());
        bytes.push(u8::from(self.is_measuring) * IS_MEASURING);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn another_group_is_refused() {
        let mut bytes = vec![0; 18];
        assert_eq!(
            PowerReading::decode(&bytes),
            Err(DecodeError::Value {
                what: "power reading",
                value: 0
            })
        );
        bytes[0] = GROUP;
        assert!(!PowerReading::decode(&bytes).unwrap().is_measuring);
        assert!(PowerReading::decode(&bytes[..17]).is_err());
    }

    proptest! {
        #[test]
        fn readings_survive_the_wire(
            watts: [u16; 4], period: u32, is_measuring: bool, time: u32,
        ) {
            let [current, minimum, maximum, average] = watts;
            let reading = PowerReading { current, minimum, maximum, average, period, is_measuring };
            prop_assert_eq!(PowerReading::decode(&reading.encode(time)), Ok(reading));
        }

        #[test]
        fn any_bytes_are_a_reading_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            let _ = PowerReading::decode(&bytes);
        }
    }
}
