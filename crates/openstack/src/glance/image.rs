//! What Glance says about an image, and which references are Glance's.

use crate::{Reason, answer::parse_here};
use serde::Deserialize;
use types::JsonMap;

/// The longest value of a property that means something, in bytes.
const LONGEST_PROPERTY: usize = 2048;

/// An image. Members without a meaning of their own here, custom properties among them, are in
/// `properties`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Image {
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
    pub status: String,
    #[serde(default)]
    pub visibility: Option<Visibility>,
    #[serde(default)]
    pub owner: Option<String>,
    #[serde(default)]
    pub size: Option<u64>,
    #[serde(default)]
    pub disk_format: Option<String>,
    #[serde(default)]
    pub container_format: Option<String>,
    /// MD5.
    #[serde(default)]
    pub checksum: Option<String>,
    #[serde(default)]
    pub os_hash_algo: Option<String>,
    #[serde(default)]
    pub os_hash_value: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub direct_url: Option<String>,
    #[serde(flatten)]
    pub properties: JsonMap,
}

/// Who sees an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    Public,
    Community,
    Shared,
    Private,
    #[serde(other)]
    Unknown,
}

/// What an image is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageLayout {
    WholeDisk,
    Partition,
}

/// A reference to an image, as `image_source`, `kernel` and their like have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageReference {
    /// An image of Glance, by its UUID.
    Glance(String),
    /// `glance://` without a UUID behind it.
    InvalidGlance,
    /// Another scheme: not Glance's.
    Other,
    /// Neither a scheme nor a UUID. A name is not looked up.
    SchemelessName,
}

impl ImageReference {
    pub fn read(href: &str) -> Self {
        if is_uuid(href) {
            return Self::Glance(href.to_owned());
        }
        let Some((scheme, rest)) = href.split_once("://") else {
            return Self::SchemelessName;
        };
        if scheme != "glance" {
            return Self::Other;
        }
        match rest.rsplit('/').next() {
            Some(id) if is_uuid(id) => Self::Glance(id.to_owned()),
            _ => Self::InvalidGlance,
        }
    }
}

impl Image {
    /// Reads the body of Glance's answer.
    pub fn read(document: &[u8]) -> Result<Self, Reason> {
        parse_here(document)
    }

    /// Whether its contents are there.
    pub fn is_active(&self) -> bool {
        self.status == "active"
    }

    /// A custom property. Users write them, and those that are asked for are ids, addresses and
    /// words, which are kept with a node; longer ones count as none.
    pub fn property(&self, name: &str) -> Option<&str> {
        let value = self.properties.get(name)?.as_str()?;
        (1..=LONGEST_PROPERTY)
            .contains(&value.len())
            .then_some(value)
    }

    /// `img_type` wins over kernel and ramdisk, which only partition images have.
    pub fn layout(&self) -> ImageLayout {
        let is_partition = match self.property("img_type") {
            Some(layout) => layout == "partition",
            None => self.property("kernel_id").is_some() || self.property("ramdisk_id").is_some(),
        };
        if is_partition {
            ImageLayout::Partition
        } else {
            ImageLayout::WholeDisk
        }
    }
}

/// With or without hyphens, in any case, as oslo's `is_uuid_like` has it.
fn is_uuid(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let hyphens: Vec<usize> = text.match_indices('-').map(|(at, _)| at).collect();
    let hyphenated = text.len() == 36 && hyphens == [8, 13, 18, 23];
    digits == 32 && (hyphenated || text.len() == 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const ID: &str = "38982591-be80-42a3-85a5-9d43d0e9c8ec";

    /// As recorded.
    fn recorded() -> Value {
        json!({
            "os_distro": "debian", "hw_firmware_type": "uefi", "name": "lab-disk",
            "disk_format": "raw", "container_format": "bare", "visibility": "public",
            "size": 1048576, "virtual_size": 1048576, "status": "active",
            "checksum": "a971d786d4f48a112b8cde9a342e00dd", "protected": false, "min_ram": 0,
            "min_disk": 0, "owner": "d9c39ccce91f47758bb1f206445db5b3", "os_hidden": false,
            "os_hash_algo": "sha512", "os_hash_value": "eb3f", "id": ID,
            "created_at": "2026-11-16T03:07:13Z", "updated_at": "2026-11-16T03:07:13Z",
            "locations": [{"url": "file:///i", "metadata": {"store": "disk"}}],
            "direct_url": "file:///i", "tags": [], "self": "/v2/images/X",
            "file": "/v2/images/X/file", "schema": "/v2/schemas/image", "stores": "disk",
        })
    }

    fn image(changes: &Value) -> Image {
        let mut document = recorded();
        for (name, value) in changes.as_object().into_iter().flatten() {
            document[name] = value.clone();
        }
        Image::read(document.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn an_image_of_glance_is_read() {
        let image = image(&json!({}));
        assert!(image.is_active());
        assert_eq!(image.visibility, Some(Visibility::Public));
        assert_eq!(image.size, Some(1_048_576));
        assert_eq!(image.os_hash_algo.as_deref(), Some("sha512"));
        assert_eq!(image.property("os_distro"), Some("debian"));
        assert_eq!(image.properties.get("status"), None);
    }

    #[test]
    fn properties_that_are_too_long_count_as_none() {
        for (length, is_known) in [(0, false), (1, true), (2048, true), (2049, false)] {
            let image = image(&json!({"kernel_id": "k".repeat(length)}));
            assert_eq!(image.property("kernel_id").is_some(), is_known, "{length}");
        }
    }

    #[test]
    fn partition_images_are_told_from_whole_disks() {
        for (changes, layout) in [
            (json!({}), ImageLayout::WholeDisk),
            (json!({"kernel_id": "k"}), ImageLayout::Partition),
            (json!({"ramdisk_id": "r"}), ImageLayout::Partition),
            (
                json!({"kernel_id": "k", "img_type": "whole-disk"}),
                ImageLayout::WholeDisk,
            ),
            (json!({"img_type": "partition"}), ImageLayout::Partition),
        ] {
            assert_eq!(image(&changes).layout(), layout, "{changes}");
        }
        let unknown = image(&json!({"visibility": "hidden", "size": null}));
        assert_eq!(unknown.visibility, Some(Visibility::Unknown));
        assert!(!image(&json!({"status": "queued"})).is_active());
    }

    #[test]
    fn only_uuids_are_references_to_glance() {
        let glance = |id: &str| ImageReference::Glance(id.into());
        for (href, expected) in [
            (ID, glance(ID)),
            (
                "38982591be8042a385a59d43d0e9c8ec",
                glance("38982591be8042a385a59d43d0e9c8ec"),
            ),
            (&format!("glance://{ID}"), glance(ID)),
            (&format!("glance://host/{ID}"), glance(ID)),
            ("glance://lab-disk", ImageReference::InvalidGlance),
            ("http://h/image", ImageReference::Other),
            ("lab-disk", ImageReference::SchemelessName),
            ("", ImageReference::SchemelessName),
        ] {
            assert_eq!(ImageReference::read(href), expected, "{href}");
        }
    }

    proptest! {
        #[test]
        fn damaged_images_are_read_or_refused(name in "[a-z_]{2,14}", text: String, shape in 0..5) {
            let mut document = recorded();
            document[&name] = match shape {
                0 => Value::Null,
                1 => json!(text),
                2 => json!([text]),
                3 => json!({text.clone(): 1}),
                _ => json!(-1),
            };
            if let Ok(image) = Image::read(document.to_string().as_bytes()) {
                image.layout();
            }
        }

        #[test]
        fn any_reference_can_be_read(href: String) {
            if let ImageReference::Glance(id) = ImageReference::read(&href) {
                prop_assert!(crate::endpoint::is_id(&id));
            }
        }
    }
}
