//! Which version of the API to speak.
//!
//! Without a wish it is 1.9, the default of the client until 2017: scripts of that time expect a
//! node they create to be available, which later versions have it not. The newest version is the
//! newest that the old client knew, because its tables know no later field.

use super::Failure;
use super::python;
use crate::version::ApiVersion;

/// What a user asks for without asking.
const DEFAULT: &str = "1.9";
/// The newest version that the old client knew.
pub(super) const NEWEST: &str = "1.58";

/// A version somebody wishes for, and what may become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// This one and no other.
    Exactly(ApiVersion),
    /// This one, or the newest below it that the service knows.
    AtMost(ApiVersion),
}

impl Wish {
    pub(super) fn read(text: Option<&str>) -> Result<Self, Failure> {
        let known = |text: &str| {
            let parsed = text.parse::<ApiVersion>();
            parsed.map_err(|error| Failure::failed(error.to_string()))
        };
        let text = match text {
            None | Some("1" | "1.0") => return known(DEFAULT).map(Self::AtMost),
            Some("latest") => return known(NEWEST).map(Self::AtMost),
            Some(text) => text,
        };
        let parts: Vec<Option<u32>> = text
            .split('.')
            .map(|part| part.trim().parse().ok())
            .collect();
        match parts.as_slice() {
            [Some(1), Some(minor)] => known(&format!("1.{minor}")).map(Self::Exactly),
            [Some(major)] | [Some(major), Some(_)] => Err(Failure::failed(format!(
                "Invalid client version '{major}'. Major part must be one of: '1'"
            ))),
            _ => Err(Failure::failed(format!(
                "The requested API version {text} is an unexpected format. Acceptable formats are \
                 'X', 'X.Y', or the literal string 'latest'."
            ))),
        }
    }

    pub(super) fn version(self) -> ApiVersion {
        match self {
            Self::Exactly(version) | Self::AtMost(version) => version,
        }
    }
}

/// The versions a service says that it knows.
pub(super) struct Supported {
    pub(super) oldest: ApiVersion,
    pub(super) newest: ApiVersion,
}

impl Supported {
    /// The version to speak instead of one that was refused; an error if there is none.
    pub(super) fn instead_of(&self, wish: Wish, lowered: bool) -> Result<ApiVersion, Failure> {
        let newest = NEWEST
            .parse()
            .map_or(self.newest, |ours| self.newest.min(ours));
        let asked = wish.version();
        let range = format!("{} to {newest}", self.oldest);
        let text = match wish {
            Wish::Exactly(_) => format!(
                "Requested API version {asked} is not supported by the server, client, or the \
                 requested operation is not supported by the requested version. Supported version \
                 range is {range}"
            ),
            Wish::AtMost(_) if lowered => format!(
                "No API version was specified or the requested operation was not supported by the \
                 client's negotiated API version {asked}.  Supported version range is: {range}"
            ),
            Wish::AtMost(_) => return Ok(asked.min(newest).max(self.oldest)),
        };
        Err(Failure::failed(python::fill(&text, 70)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> ApiVersion {
        text.parse().unwrap()
    }

    #[test]
    fn versions_are_read_as_they_always_were() {
        for (text, expected) in [
            (None, Wish::AtMost(version("1.9"))),
            (Some("1"), Wish::AtMost(version("1.9"))),
            (Some("latest"), Wish::AtMost(version("1.58"))),
            (Some("1.11"), Wish::Exactly(version("1.11"))),
            (Some("1.200"), Wish::Exactly(version("1.200"))),
        ] {
            assert_eq!(Wish::read(text).unwrap(), expected, "{text:?}");
        }
        for wrong in ["2", "2.1", "1.2.3", "one", "", "1.x", "1.99999"] {
            assert!(Wish::read(Some(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_a_version_nobody_insists_on_is_lowered_and_only_once() {
        let supported = Supported {
            oldest: version("1.1"),
            newest: version("1.6"),
        };
        let wish = Wish::AtMost(version("1.9"));
        assert_eq!(supported.instead_of(wish, false).unwrap(), version("1.6"));
        assert!(supported.instead_of(wish, true).is_err());
        let error = supported.instead_of(Wish::Exactly(version("1.9")), false);
        let text = error.unwrap_err().text();
        assert!(text.contains("range is 1.1 to 1.6"), "{text}");
    }
}
