//! GUIDs as partition tables store them: the first three groups little-endian, the rest as written
//! (UEFI 2.10 appendix A).

use std::{fmt, str::FromStr};

/// The id of a disk or partition, or a partition type, in the byte order of the disk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Guid(pub [u8; 16]);

/// Text that is not a GUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no GUID")]
pub struct GuidError(String);

impl Guid {
    /// From its groups; the last two are one number of 64 bits.
    pub const fn of(first: u32, second: u16, third: u16, rest: u64) -> Self {
        let (a, b, c, d) = (
            first.to_le_bytes(),
            second.to_le_bytes(),
            third.to_le_bytes(),
            rest.to_be_bytes(),
        );
        Self([
            a[0], a[1], a[2], a[3], b[0], b[1], c[0], c[1], d[0], d[1], d[2], d[3], d[4], d[5],
            d[6], d[7],
        ])
    }

    /// From the sixteen bytes of a UUID in text order.
    pub const fn from_uuid(bytes: [u8; 16]) -> Self {
        let b = bytes;
        Self([
            b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13],
            b[14], b[15],
        ])
    }

    /// The sixteen bytes of the UUID in text order.
    pub const fn to_uuid(self) -> [u8; 16] {
        // Swapping the bytes is its own inverse.
        Self::from_uuid(self.0).0
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.to_uuid().iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Guid {
    type Err = GuidError;

    fn from_str(text: &str) -> Result<Self, GuidError> {
        let wrong = || GuidError(text.to_owned());
        let digits: Vec<char> = text.chars().filter(|c| *c != '-').collect();
        let dashes = [8, 13, 18, 23];
        let shaped = text.len() == 36
            && text
                .char_indices()
                .all(|(at, c)| (c == '-') == dashes.contains(&at));
        if !shaped || digits.len() != 32 {
            return Err(wrong());
        }
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let [high, low] = pair else {
                return Err(wrong());
            };
            let value = |c: &char| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            *byte = value(high).ok_or_else(wrong)? << 4 | value(low).ok_or_else(wrong)?;
        }
        Ok(Self::from_uuid(bytes))
    }
}
