//! What playbooks are told, under the names that those of Ironic's operators know: one object,
//! `ironic`.

use crate::{DriverError, boot_image, boot_mode};
use serde_json::{Value, json};
use types::{JsonMap, Node, pyrepr};

/// How much of a disk a config drive gets, in MiB.
const CONFIG_DRIVE: i64 = 64;

/// The machine that a playbook works on.
pub fn nodes(node: &Node, address: &str, user: &str) -> Value {
    json!([{
        "name": node.id, "ip": address, "user": user, "extra": node.extra,
    }])
}

/// The image: what the instance says of it, completed by what is told to agents.
pub fn image(said: &JsonMap, told: &JsonMap) -> JsonMap {
    let mut image = JsonMap::new();
    for (key, value) in said {
        if let Some(key) = key.strip_prefix("image_") {
            image.insert(key.to_owned(), value.clone());
        }
    }
    for key in [
        "disk_format",
        "container_format",
        "checksum",
        "os_hash_algo",
        "os_hash_value",
    ] {
        if let Some(value) = told.get(key) {
            image.insert(key.to_owned(), value.clone());
        }
    }
    let url = told.get("urls").and_then(|urls| urls.get(0));
    if let Some(url) = url {
        image.insert("url".to_owned(), url.clone());
    }
    let checksum = match image.get("checksum").filter(|sum| pyrepr::truth(sum)) {
        Some(sum) => {
            let sum = pyrepr::to_str(sum);
            // As Glance tells it.
            match sum.contains(':') {
                true => Some(sum),
                false => Some(format!("md5:{sum}")),
            }
        }
        // What modules of Ansible know.
        None => {
            let part = |key: &str| {
                image
                    .get(key)
                    .filter(|v| pyrepr::truth(v))
                    .map(pyrepr::to_str)
            };
            part("os_hash_algo")
                .zip(part("os_hash_value"))
                .map(|(algo, sum)| format!("{algo}:{sum}"))
        }
    };
    match checksum {
        Some(sum) => image.insert("checksum".to_owned(), sum.into()),
        None => image.remove("checksum"),
    };
    image
}

/// The partitions of a disk that gets an image of a root partition.
pub fn partitions(node: &Node, has_drive: bool) -> Result<Value, DriverError> {
    let info = &node.instance_info;
    let number = |key: &str| -> Result<i64, DriverError> {
        let text = boot_image::text(info, key).unwrap_or_else(|| "0".to_owned());
        text.trim().parse().map_err(|_| {
            DriverError::InvalidParameter(format!(
                "Invalid parameter {key}: {text} is not an integer value."
            ))
        })
    };
    let mebibytes = |mb: &str, gb: &str| -> Result<i64, DriverError> {
        Ok(match number(mb)? {
            0 => number(gb)?.saturating_mul(1024),
            size => size,
        })
    };
    let asked = boot_mode::instance_capabilities(node);
    let label = asked.get("disk_label").map(pyrepr::to_str);
    let label = label.or_else(|| boot_mode::capability(node, "disk_label"));
    let label = label.unwrap_or_else(|| "msdos".to_owned());
    let is_gpt = label == "gpt";
    let mut partitions = JsonMap::new();
    let mut end = 1_i64;
    let mut add = |name: &str, size: i64, flags: &[&str]| {
        let start = end;
        end = end.saturating_add(size);
        let mut partition = json!({
            "number": partitions.len() + 1,
            "part_start": format!("{start}MiB"),
            "part_end": format!("{end}MiB"),
        });
        if is_gpt {
            partition["name"] = name.into();
        }
        if !flags.is_empty() {
            partition["flags"] = json!(flags);
        }
        partitions.insert(name.to_owned(), partition);
    };
    let mut about = JsonMap::new();
    if is_gpt {
        add("bios", 1, &["bios_grub"]);
    }
    let ephemeral = mebibytes("ephemeral_mb", "ephemeral_gb")?;
    if ephemeral > 0 {
        add("ephemeral", ephemeral, &[]);
        let format = info.get("ephemeral_format").cloned().unwrap_or_default();
        about.insert("ephemeral_format".into(), format);
        let preserve = info.get("preserve_ephemeral").is_some_and(pyrepr::truth);
        let preserve = if preserve { "yes" } else { "no" };
        about.insert("preserve_ephemeral".into(), preserve.into());
    }
    let swap = number("swap_mb")?;
    if swap > 0 {
        add("swap", swap, &[]);
    }
    if has_drive {
        add("configdrive", CONFIG_DRIVE, &[]);
    }
    // Last, so that the instance can let it grow.
    let root = mebibytes("root_mb", "root_gb")?;
    add("root", root, if is_gpt { &[] } else { &["boot"] });
    about.insert("label".into(), label.into());
    about.insert("partitions".into(), Value::Object(partitions));
    Ok(Value::Object(about))
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::NodeId;

    fn map(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn images_have_the_names_that_playbooks_know() {
        let said = map(json!({
            "image_source": "http://h/i", "image_checksum": "abc", "image_tags": ["a"], "root_gb": 4,
        }));
        let told = map(json!({"urls": ["http://here/i"], "disk_format": "raw", "checksum": "abc"}));
        assert_eq!(
            Value::Object(image(&said, &told)),
            json!({
                "source": "http://h/i", "checksum": "md5:abc", "tags": ["a"], "disk_format": "raw",
                "url": "http://here/i",
            })
        );
        let told = map(
            json!({"urls": ["u"], "checksum": null, "os_hash_algo": "sha256", "os_hash_value": "d"}),
        );
        assert_eq!(image(&JsonMap::new(), &told)["checksum"], "sha256:d");
        let none = map(json!({"urls": ["u"], "checksum": null}));
        assert_eq!(image(&JsonMap::new(), &none).get("checksum"), None);
    }

    #[test]
    fn partitions_follow_each_other() {
        let mut node = Node::new(NodeId::generate(), "ipmi");
        node.instance_info = map(json!({
            "root_gb": 4, "swap_mb": 512, "ephemeral_gb": "1", "ephemeral_format": "ext4",
        }));
        let dos = partitions(&node, true).unwrap();
        assert_eq!(
            dos,
            json!({
                "label": "msdos", "ephemeral_format": "ext4", "preserve_ephemeral": "no",
                "partitions": {
                    "ephemeral": {"number": 1, "part_start": "1MiB", "part_end": "1025MiB"},
                    "swap": {"number": 2, "part_start": "1025MiB", "part_end": "1537MiB"},
                    "configdrive": {"number": 3, "part_start": "1537MiB", "part_end": "1601MiB"},
                    "root": {"number": 4, "part_start": "1601MiB", "part_end": "5697MiB", "flags": ["boot"]},
                },
            })
        );
        let gpt = json!({"disk_label": "gpt"});
        node.instance_info = map(json!({"root_gb": 1, "capabilities": gpt}));
        let gpt = partitions(&node, false).unwrap();
        assert_eq!(
            gpt["partitions"],
            json!({
                "bios": {"number": 1, "part_start": "1MiB", "part_end": "2MiB", "name": "bios", "flags": ["bios_grub"]},
                "root": {"number": 2, "part_start": "2MiB", "part_end": "1026MiB", "name": "root"},
            })
        );
        node.instance_info = map(json!({"root_gb": "four"}));
        assert!(partitions(&node, false).is_err());
    }
}
