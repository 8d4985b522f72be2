//! Identifiers. A bare `Uuid` never crosses a function boundary: the compiler refuses a port where
//! a node is meant.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use uuid::Uuid;

/// A UUID as its owner spells it. The same digits with and without hyphens are two identifiers:
/// the API keeps what a client chose, and finds a thing by nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Spelled {
    uuid: Uuid,
    /// Without hyphens.
    plain: bool,
}

impl fmt::Display for Spelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.plain {
            self.uuid.simple().fmt(f)
        } else {
            self.uuid.hyphenated().fmt(f)
        }
    }
}

impl FromStr for Spelled {
    type Err = uuid::Error;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self {
            uuid: text.parse()?,
            plain: text.len() == uuid::fmt::Simple::LENGTH,
        })
    }
}

macro_rules! uuid_id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Spelled);

        impl $name {
            /// A fresh random identifier.
            pub fn generate() -> Self {
                Self(Spelled { uuid: Uuid::new_v4(), plain: false })
            }
            /// The sixteen bytes, for hashing and seeding.
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.uuid.as_bytes()
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(s: &str) -> Result<Self, Self::Err> {
                s.parse().map(Self)
            }
        }
        impl TryFrom<String> for $name {
            type Error = uuid::Error;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    )*};
}

uuid_id! {
    /// A machine under management.
    NodeId,
    /// A network interface of a machine.
    PortId,
    /// A group of machines that stand in one enclosure.
    ChassisId,
    /// One entry of a node's history.
    HistoryId,
    /// Several ports of a machine that act as one.
    PortgroupId,
    /// How a machine presents itself to a storage network.
    VolumeConnectorId,
    /// A remote volume that a machine uses.
    VolumeTargetId,
    /// A named list of deploy steps.
    DeployTemplateId,
    /// A named list of steps that operators approve for use.
    RunbookId,
    /// What a ramdisk sent and nobody has processed yet.
    InspectionDataId,
    /// An address that events are posted to.
    WebhookId,
    /// An image that the service keeps.
    ImageId,
    /// A verb for many nodes.
    BatchId,
    /// A token that a local user made.
    AccessTokenId,
    /// What a test of a machine showed.
    ReportId,
    /// What says how disks of a machine were erased.
    CertificateId,
}

macro_rules! text_id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A fresh random identifier.
            pub fn generate() -> Self {
                Self(Uuid::new_v4().hyphenated().to_string())
            }
            /// The text as the client gave it.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl FromStr for $name {
            type Err = std::convert::Infallible;
            fn from_str(s: &str) -> Result<Self, Self::Err> {
                Ok(Self(s.to_owned()))
            }
        }
    )*};
}

// Ironic takes any text as the UUID of these two and gives it back unchanged.
text_id! {
    /// A claim on a machine.
    AllocationId,
    /// A rule about what inspection found.
    InspectionRuleId,
}

/// Whether a text counts as a UUID for the API: 32 hex digits with or without hyphens, in any
/// case, optionally in braces or with the `urn:uuid:` prefix.
pub fn is_uuid_like(text: &str) -> bool {
    let text = text.replace("urn:", "").replace("uuid:", "");
    let text = text.trim_matches(|c| c == '{' || c == '}').replace('-', "");
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The identifier whose canonical spelling is exactly `text`.
///
/// Ironic validates loosely but looks up the text as given, so that a UUID in another
/// spelling is well-formed and yet never found; its clients see 404, and so must ours.
pub fn canonical<T: FromStr + fmt::Display>(text: &str) -> Option<T> {
    let id: T = text.parse().ok()?;
    (id.to_string() == text).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_are_uuid_like_but_not_canonical() {
        let plain = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123";
        let upper = plain.to_uppercase();
        let braced = format!("{{{plain}}}");
        for text in [plain, &upper, &braced, &plain.replace('-', "")] {
            assert!(is_uuid_like(text), "{text}");
        }
        assert!(!is_uuid_like("node-1"));
        assert!(!is_uuid_like(&plain[1..]));
        assert!(canonical::<NodeId>(plain).is_some());
        assert!(canonical::<NodeId>(&upper).is_none());
        let bare = plain.replace('-', "");
        let id = canonical::<NodeId>(&bare).unwrap();
        assert_ne!(Some(id), canonical::<NodeId>(plain));
        let sent = serde_json::to_string(&id).unwrap();
        assert_eq!(sent, format!("\"{bare}\""));
        assert_eq!(serde_json::from_str::<NodeId>(&sent).unwrap(), id);
        assert!(canonical::<NodeId>(&braced).is_none());
    }
}
