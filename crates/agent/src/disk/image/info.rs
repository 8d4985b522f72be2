//! What the service says about an image.

use crate::{AgentError, config::Config, exchange::Order};
use image::{
    ImageError,
    checksum::{self, Checksum},
    layout::{Firmware, Label},
    source::Http,
};
use serde_json::Value;
use types::JsonMap;

pub(super) struct Info {
    pub(super) id: String,
    pub(super) urls: Vec<String>,
    pub(super) disk_format: Option<String>,
    pub(super) config_drive: Option<String>,
    /// For an image of one partition: which others are made beside it.
    pub(super) partitions: Option<Partitions>,
    pub(super) is_uefi: bool,
    /// Where it may come from other agents too: how.
    pub(super) order: Option<Order>,
    checksum: Option<String>,
    hash: Option<(String, String)>,
    allow_md5: bool,
}

#[derive(Debug)]
pub(super) struct Partitions {
    pub(super) firmware: Firmware,
    pub(super) label: Label,
    pub(super) root_mib: u64,
    pub(super) swap_mib: u64,
    pub(super) ephemeral_mib: u64,
    pub(super) ephemeral_format: String,
    pub(super) preserve_ephemeral: bool,
}

/// Whether an image could be written, as far as can be said before it is looked for.
pub fn validate(image_info: &JsonMap, config: &Config) -> Result<(), AgentError> {
    Info::parse(image_info, config).map(|_| ())
}

impl Info {
    pub(super) fn parse(map: &JsonMap, config: &Config) -> Result<Self, AgentError> {
        for field in ["id", "urls"] {
            if !map.contains_key(field) {
                return Err(refused(format!("Image is missing '{field}' field.")));
            }
        }
        let urls = map.get("urls").and_then(Value::as_array);
        let urls: Option<Vec<String>> = urls.and_then(|urls| {
            let texts = urls.iter().map(|url| url.as_str().map(str::to_owned));
            texts.collect()
        });
        let urls = urls.filter(|urls| !urls.is_empty()).ok_or_else(|| {
            refused("Image 'urls' must be a list with at least one element.".to_owned())
        })?;
        let id = map.get("id").and_then(Value::as_str);
        let id = id.ok_or_else(|| refused("Image 'id' must be a string.".to_owned()))?;
        let md5 = config.adopted.md5_enabled;
        let checksum = text(map, "checksum")?;
        // What is no longer than MD5 is MD5, which counts only where it is allowed.
        let counts = checksum
            .as_ref()
            .is_some_and(|sum| is_address(sum) || sum.len() > 32 || md5);
        let mut hash = None;
        if is_set(map, "os_hash_algo") || is_set(map, "os_hash_value") {
            let both = ["os_hash_algo", "os_hash_value"].map(|key| required(map, key));
            let [algorithm, value] = both;
            hash = Some((algorithm?, value?));
        }
        if !counts && hash.is_none() {
            return Err(refused(
                "Image checksum is not available, either the 'checksum' field or the \
                 'os_hash_algo' and 'os_hash_value' fields pair must be set for image verification."
                    .to_owned(),
            ));
        }
        let mode = map.get("deploy_boot_mode").and_then(Value::as_str);
        let is_uefi = match mode {
            Some(mode) => mode == "uefi",
            None => config.root.join("sys/firmware/efi").exists(),
        };
        let is_partition = map.get("image_type").and_then(Value::as_str) == Some("partition");
        Ok(Self {
            id: id.to_owned(),
            urls,
            disk_format: text(map, "disk_format")?,
            config_drive: text(map, "configdrive")?,
            partitions: is_partition
                .then(|| Partitions::parse(map, is_uefi))
                .transpose()?,
            is_uefi,
            order: Order::read(map)?,
            checksum: checksum.filter(|_| counts),
            hash,
            allow_md5: md5,
        })
    }

    /// What the image must hash to, unless that is found elsewhere, where it may change.
    pub(super) fn hash_text(&self) -> Option<String> {
        let of_glance = self.hash.as_ref().map(|(_, value)| value);
        let text = of_glance.or(self.checksum.as_ref())?;
        (!is_address(text)).then(|| text.clone())
    }

    /// What the image must hash to, fetched if it is an address.
    pub(super) async fn checksum(&self, http: &Http) -> Result<Checksum, ImageError> {
        let image = self.urls.first().map_or("", String::as_str);
        let (text, beside) = match (&self.hash, &self.checksum) {
            (Some((algorithm, value)), _) => (value.as_str(), Some(algorithm.as_str())),
            (None, checksum) => (checksum.as_deref().unwrap_or_default(), None),
        };
        let found = checksum::resolve(http, text, beside, image, self.allow_md5).await;
        match (found, &self.checksum) {
            // An algorithm that is not known here does no harm where there is another checksum.
            (Err(ImageError::BadChecksum { .. }), Some(other)) if self.hash.is_some() => {
                checksum::resolve(http, other, None, image, self.allow_md5).await
            }
            (found, _) => found,
        }
    }
}

impl Partitions {
    fn parse(map: &JsonMap, is_uefi: bool) -> Result<Self, AgentError> {
        let firmware = match std::env::consts::ARCH {
            _ if is_uefi => Firmware::Uefi,
            "powerpc64" => Firmware::Power,
            _ => Firmware::Bios,
        };
        let label = match text(map, "disk_label")?.as_deref() {
            None => Label::usual(firmware),
            Some("gpt") => Label::Gpt,
            Some("msdos") => Label::Msdos,
            Some(other) => return Err(refused(format!("Image 'disk_label' cannot be '{other}'."))),
        };
        let root_mib = match number(map, "root_mb")? {
            Some(mib) => mib,
            None => number(map, "root_gb")?.unwrap_or(0).saturating_mul(1024),
        };
        if root_mib == 0 {
            return Err(refused(
                "Image 'root_mb' must be a positive number for a partition image.".to_owned(),
            ));
        }
        Ok(Self {
            firmware,
            label,
            root_mib,
            swap_mib: number(map, "swap_mb")?.unwrap_or(0),
            ephemeral_mib: number(map, "ephemeral_mb")?.unwrap_or(0),
            ephemeral_format: text(map, "ephemeral_format")?.unwrap_or_else(|| "ext4".to_owned()),
            preserve_ephemeral: map
                .get("preserve_ephemeral")
                .is_some_and(|value| match value {
                    Value::Bool(on) => *on,
                    Value::String(text) => text.eq_ignore_ascii_case("true"),
                    _ => false,
                }),
        })
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

fn is_set(map: &JsonMap, key: &str) -> bool {
    map.get(key)
        .is_some_and(|value| !value.is_null() && value.as_str() != Some(""))
}

/// A text that may be missing but not be something else. Empty is missing, but for the checksum.
fn text(map: &JsonMap, key: &str) -> Result<Option<String>, AgentError> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() && key != "checksum" => Ok(None),
        Some(_) => required(map, key).map(Some),
    }
}

fn required(map: &JsonMap, key: &str) -> Result<String, AgentError> {
    let text = map.get(key).and_then(Value::as_str);
    let text = text.filter(|text| !text.is_empty());
    text.map(str::to_owned)
        .ok_or_else(|| refused(format!("Image '{key}' must be a non-empty string.")))
}

/// A number, which may come as text.
fn number(map: &JsonMap, key: &str) -> Result<Option<u64>, AgentError> {
    let wrong = || {
        refused(format!(
            "Image '{key}' must be a number that is not negative."
        ))
    };
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => text.trim().parse().map(Some).map_err(|_| wrong()),
        Some(value) => value.as_u64().map(Some).ok_or_else(wrong),
    }
}

fn refused(details: String) -> AgentError {
    AgentError::refused(
        "InvalidCommandParamsError",
        "Invalid command parameters",
        details,
    )
}
