//! How long a new password of a BMC is.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A length that every BMC has room for and that nobody guesses.
///
/// IPMI 2.0 has room for 20 bytes, IPMI 1.5 for 16, and BMCs use one account for IPMI and Redfish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct PasswordLength(u8);

/// A number that is no such length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the length of a BMC's password is a number from 12 to 20, not {0}")]
pub struct WrongLength(pub u64);

impl PasswordLength {
    pub const SHORTEST: u8 = 12;
    pub const LONGEST: u8 = 20;

    pub fn new(length: u64) -> Result<Self, WrongLength> {
        let fits = u8::try_from(length).ok();
        let fits = fits.filter(|length| (Self::SHORTEST..=Self::LONGEST).contains(length));
        fits.map(Self).ok_or(WrongLength(length))
    }

    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for PasswordLength {
    /// What fits everywhere.
    fn default() -> Self {
        Self(16)
    }
}

impl TryFrom<u8> for PasswordLength {
    type Error = WrongLength;

    fn try_from(length: u8) -> Result<Self, WrongLength> {
        Self::new(length.into())
    }
}

impl From<PasswordLength> for u8 {
    fn from(length: PasswordLength) -> Self {
        length.0
    }
}

impl fmt::Display for PasswordLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lengths_that_fit_are_lengths() {
        for length in [0, 11, 21, 256 + 16, u64::MAX] {
            assert_eq!(PasswordLength::new(length), Err(WrongLength(length)));
        }
        for length in [12, 16, 20] {
            assert_eq!(
                PasswordLength::new(length).unwrap().to_string(),
                length.to_string()
            );
        }
        assert_eq!(
            serde_json::to_string(&PasswordLength::default()).unwrap(),
            "16"
        );
        assert!(serde_json::from_str::<PasswordLength>("8").is_err());
    }
}
