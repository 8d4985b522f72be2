//! Images that the service keeps under a name of the operator's (`image://debian-13`).
//!
//! The row says where an image comes from and what it is; its bytes are files of the conductors,
//! called by their SHA-256. An image that is fetched again keeps what it had until the new bytes
//! are complete, so its content and the work on it are told apart.

use crate::{ImageId, Timestamp, lease::Holder, wire_enum};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt, str::FromStr};

/// How a reference to an image of the store begins.
pub const SCHEME: &str = "image://";

/// The name of an image: lower case, so that no database takes two names for one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ImageName(String);

/// A name that no image can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' cannot be the name of an image: a name has 1 to 64 lower-case letters, digits, dots, \
     hyphens and underscores, begins with a letter or digit, and is no UUID"
)]
pub struct BadImageName(String);

impl ImageName {
    pub const MOST: usize = 64;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ImageName {
    type Err = BadImageName;

    fn from_str(text: &str) -> Result<Self, BadImageName> {
        let is_inner =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte);
        let is_name = text.len() <= Self::MOST
            && text.bytes().all(is_inner)
            && text
                .bytes()
                .next()
                .is_some_and(|byte| byte.is_ascii_alphanumeric())
            && text.parse::<ImageId>().is_err();
        match is_name {
            true => Ok(Self(text.to_owned())),
            // What was given may be anything, of any length.
            false => Err(BadImageName(text.chars().take(80).collect())),
        }
    }
}

impl fmt::Display for ImageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ImageName {
    type Error = BadImageName;

    fn try_from(text: String) -> Result<Self, BadImageName> {
        text.parse()
    }
}

impl From<ImageName> for String {
    fn from(name: ImageName) -> Self {
        name.0
    }
}

/// What bytes are called: their SHA-256, as 64 lower-case digits. It is the name of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ContentId(String);

/// A text that is no SHA-256.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is no SHA-256 of 64 hexadecimal digits")]
pub struct BadContentId;

impl ContentId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ContentId {
    type Err = BadContentId;

    fn from_str(text: &str) -> Result<Self, BadContentId> {
        let is_sum = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_sum
            .then(|| Self(text.to_ascii_lowercase()))
            .ok_or(BadContentId)
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ContentId {
    type Error = BadContentId;

    fn try_from(text: String) -> Result<Self, BadContentId> {
        text.parse()
    }
}

impl From<ContentId> for String {
    fn from(id: ContentId) -> Self {
        id.0
    }
}

/// What an image must hash to, as operators write it: `sha256:…`, or the digits alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageSum(String);

/// A text that is no checksum that images are checked by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is no checksum: give sha256:, sha384: or sha512: and the hexadecimal digits")]
pub struct BadImageSum;

impl ImageSum {
    /// As `algorithm:value`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The content that has this sum, where the sum is what contents are called by.
    pub fn content(&self) -> Option<ContentId> {
        self.0.strip_prefix("sha256:")?.parse().ok()
    }
}

impl FromStr for ImageSum {
    type Err = BadImageSum;

    fn from_str(text: &str) -> Result<Self, BadImageSum> {
        const KNOWN: [(&str, usize); 3] = [("sha256", 64), ("sha384", 96), ("sha512", 128)];
        let (named, value) = match text.split_once(':') {
            Some((name, value)) => (Some(name), value),
            None => (None, text),
        };
        let is_meant = |(name, digits): &&(&str, usize)| {
            value.len() == *digits && named.is_none_or(|named| named == *name)
        };
        let (name, _) = KNOWN.iter().find(is_meant).ok_or(BadImageSum)?;
        match value.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(Self(format!("{name}:{}", value.to_ascii_lowercase()))),
            false => Err(BadImageSum),
        }
    }
}

wire_enum! {
    /// What is being done about an image.
    pub enum ImageState {
        /// A conductor is to fetch it.
        Queued = "queued",
        /// A conductor fetches it.
        Fetching = "fetching",
        /// A client sends it.
        Uploading = "uploading",
        /// It can be deployed.
        Ready = "ready",
        /// It could not be had, and there is no older content.
        Failed = "failed",
    }
}

wire_enum! {
    /// What kind of thing an image is.
    pub enum ImageKind {
        Disk = "disk",
        /// One filesystem without a partition table.
        Partition = "partition",
        Disc = "disc",
        Unknown = "unknown",
    }
}

wire_enum! {
    /// Whether a firmware starts something from an image.
    pub enum Boots {
        Yes = "yes",
        No = "no",
        Unknown = "unknown",
    }
}

/// Whether one kind of firmware starts something, and by what or why not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootVerdict {
    pub boots: Boots,
    pub reason: String,
}

/// What an image was found to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSurvey {
    pub kind: ImageKind,
    /// What the content is, in Ironic's words; of a compressed file, as far as its beginning tells.
    pub format: String,
    /// How the whole file is compressed.
    pub packing: Option<String>,
    /// The size of the disk that the image describes.
    pub disk_size: Option<u64>,
    /// Of which processors it has a boot loader, in the words of `properties.cpu_arch`.
    pub architectures: Vec<String>,
    pub bios: BootVerdict,
    pub uefi: BootVerdict,
}

/// The bytes of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageContent {
    pub id: ContentId,
    pub size: u64,
    pub survey: ImageSurvey,
    pub fetched_at: Timestamp,
}

/// Where an image comes from; an uploaded one has no address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSource {
    pub url: Option<String>,
    /// A file that lists checksums, the image's among them.
    pub checksum_url: Option<String>,
}

/// A row of the image store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredImage {
    pub id: ImageId,
    /// Raised by every change but that of how far the work is: who works on an image names the
    /// version, and learns by it that a request changed the image.
    pub version: i64,
    pub name: ImageName,
    /// The address without what may be a secret in it.
    pub origin: Option<String>,
    pub checksum_origin: Option<String>,
    /// What it must hash to, as `algorithm:value`.
    pub checksum: Option<String>,
    /// An [`ImageSource`], sealed with the UUID as subject.
    pub source: Value,
    pub state: ImageState,
    pub content: Option<ImageContent>,
    /// Who fetches it or takes the upload.
    pub holder: Option<Holder>,
    pub done_bytes: u64,
    pub total_bytes: Option<u64>,
    pub last_error: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

/// Where a conductor has the bytes of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageCopy {
    pub content: ContentId,
    pub conductor: String,
    /// Where its image server serves them, if it has one.
    pub url: Option<String>,
    pub created_at: Timestamp,
}

/// The name in a reference such as `image://debian-13`, if it is one to the store.
pub fn reference(href: &str) -> Option<Result<ImageName, BadImageName>> {
    href.strip_prefix(SCHEME).map(str::parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_a_path_a_url_and_a_database_agree_about() {
        for name in ["debian-13", "a", "9", "ubuntu_24.04", &"x".repeat(64)] {
            assert_eq!(name.parse::<ImageName>().unwrap().as_str(), name);
        }
        for wrong in [
            "",
            "Debian",
            "a b",
            "../etc",
            ".hidden",
            "-x",
            "a/b",
            "a\0",
            "é",
            "a%2f",
            "0b1b8a5e-7d7b-4c3e-8a7e-2f1f4d1f0a11",
            "0b1b8a5e7d7b4c3e8a7e2f1f4d1f0a11",
            &"x".repeat(65),
        ] {
            assert!(wrong.parse::<ImageName>().is_err(), "{wrong}");
        }
        let long = "A".repeat(1 << 20).parse::<ImageName>().unwrap_err();
        assert!(long.to_string().len() < 400);
    }

    #[test]
    fn a_reference_has_a_scheme_and_a_name() {
        assert_eq!(reference("http://h/debian-13"), None);
        assert_eq!(reference("image://debian-13"), Some("debian-13".parse()));
        assert!(reference("image://").unwrap().is_err());
        assert!(reference("image://a/../b").unwrap().is_err());
    }

    #[test]
    fn sums_are_named_and_weak_ones_are_refused() {
        let sum: ImageSum = "AB".repeat(32).parse().unwrap();
        assert_eq!(sum.as_str(), format!("sha256:{}", "ab".repeat(32)));
        assert!(sum.content().is_some());
        let long: ImageSum = format!("sha512:{}", "0".repeat(128)).parse().unwrap();
        assert_eq!(long.content(), None);
        for wrong in [
            "",
            "ab",
            "md5:d41d8cd98f00b204e9800998ecf8427e",
            "d41d8cd98f00b204e9800998ecf8427e",
            &format!("sha512:{}", "0".repeat(64)),
            &"x".repeat(64),
        ] {
            assert!(wrong.parse::<ImageSum>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn contents_are_called_by_their_sum_alone() {
        let sum = "AB".repeat(32);
        assert_eq!(sum.parse::<ContentId>().unwrap().as_str(), "ab".repeat(32));
        for wrong in [
            "",
            "ab",
            &"g".repeat(64),
            &"a".repeat(65),
            "../../etc/passwd",
        ] {
            assert!(wrong.parse::<ContentId>().is_err(), "{wrong}");
        }
    }
}
