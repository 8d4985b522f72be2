//! The API version to speak: major 1, and the minor number this client knows.

use std::fmt;
use std::str::FromStr;

/// A version of the bare metal API, `1.N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ApiVersion(u16);

impl ApiVersion {
    /// The newest version this client was written for, which is what the stock client knows too.
    pub(crate) const NEWEST: Self = Self(115);
}

impl FromStr for ApiVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.strip_prefix("1.")
            .filter(|minor| minor.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|minor| minor.parse().ok())
            .map(Self)
            .ok_or_else(|| {
                format!("'{text}' is no API version; write 1.N, such as 1.80, or latest")
            })
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_as_numbers() {
        let version = |text: &str| text.parse::<ApiVersion>().unwrap();
        assert!(version("1.9") < version("1.80"));
        assert_eq!(version("1.115").to_string(), "1.115");
        for wrong in ["1", "2.1", "1.", "1.+5", "1.x", "1.99999"] {
            assert!(wrong.parse::<ApiVersion>().is_err(), "{wrong}");
        }
    }
}
