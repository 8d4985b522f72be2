//! Keys of `driver_info`, `instance_info` and `properties` that look like known ones, and are not.
//!
//! Ironic takes any key, since interfaces of vendors have keys of their own, and so does this
//! service. But a key that differs from a known one by a letter or two is a slip of the hand, and
//! whoever made it is told before the machine is found not to answer.

use types::{JsonMap, Node};

/// What `instance_info` may hold, for any deploy or boot interface, and what Nova writes there.
const INSTANCE_KEYS: &[&str] = &[
    "boot_iso",
    "capabilities",
    "configdrive",
    "deploy_boot_mode",
    "display_name",
    "ephemeral_format",
    "ephemeral_gb",
    "ephemeral_mb",
    "force_persistent_boot_device",
    "ignore_bootloader_failure",
    "image_checksum",
    "image_container_format",
    "image_disk_format",
    "image_download_source",
    "image_http_proxy",
    "image_https_proxy",
    "image_no_proxy",
    "image_os_hash_algo",
    "image_os_hash_value",
    "image_properties",
    "image_pull_secret",
    "image_request_authorization_secret",
    "image_rootfs_uuid",
    "image_server_auth_strategy",
    "image_server_password",
    "image_server_user",
    "image_source",
    "image_type",
    "image_url",
    "kernel",
    "kernel_append_params",
    "ks_cfg",
    "ks_template",
    "local_gb",
    "memory_mb",
    "nova_host_id",
    "preserve_ephemeral",
    "project_id",
    "ramdisk",
    "ramdisk_kernel_arguments",
    "rescue_password",
    "root_device",
    "root_gb",
    "root_mb",
    "secure_boot",
    "stage2",
    "swap_mb",
    "traits",
    "user_id",
];

/// What `properties` may hold.
const PROPERTY_KEYS: &[&str] = &[
    "boot_mode",
    "capabilities",
    "cpu_arch",
    "cpus",
    "local_gb",
    "memory_mb",
    "root_device",
    "skip_block_devices",
    "vendor",
];

/// Nobody slips more often in one request; clients may write keys by the thousand.
const MOST: usize = 8;

/// A key that is probably meant to be another.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Slip {
    /// The field of the node that has it.
    pub(crate) field: &'static str,
    pub(crate) key: String,
    pub(crate) meant: String,
}

/// The slips in a node whose driver knows these keys of `driver_info`, each with a description.
pub(crate) fn slips(node: &Node, known: &[(String, String)]) -> Vec<Slip> {
    let known: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
    let fields = [
        ("driver_info", &node.driver_info, known.as_slice()),
        ("instance_info", &node.instance_info, INSTANCE_KEYS),
        ("properties", &node.properties, PROPERTY_KEYS),
    ];
    let found = fields.into_iter().map(|(field, given, known)| {
        let slips = misspelt(given, known).into_iter();
        slips.map(move |(key, meant)| Slip { field, key, meant })
    });
    found.flatten().take(MOST).collect()
}

/// The keys that are probably meant to be others, and those others.
fn misspelt(given: &JsonMap, known: &[&str]) -> Vec<(String, String)> {
    // Beyond this it is no list that somebody typed.
    const TYPED: usize = 100;
    given
        .keys()
        .take(TYPED)
        .filter(|key| key.len() > 5 && !known.contains(&key.as_str()))
        .filter_map(|key| {
            // Others differ by more letters than that, and keys of clients may be very long.
            let near = known
                .iter()
                .filter(|name| name.len().abs_diff(key.len()) <= 2)
                .map(|name| (distance(key, name), *name));
            let (letters, name) = near.min_by_key(|(letters, _)| *letters)?;
            // What is there under its right name is not missing.
            let is_slip = letters <= 2 && !given.contains_key(name);
            is_slip.then(|| (key.clone(), name.to_owned()))
        })
        .collect()
}

/// How many letters have to be added, left out or exchanged to make one word of another.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, left) in from.chars().enumerate() {
        let mut diagonal = row.first().copied().unwrap_or_default();
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
        let mut beside = line + 1;
        for (cell, right) in row.iter_mut().skip(1).zip(&to) {
            let exchanged = diagonal + usize::from(left != *right);
            diagonal = *cell;
            *cell = exchanged.min(diagonal + 1).min(beside + 1);
            beside = *cell;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn distances_count_letters() {
        for (from, to, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("ipmi_adress", "ipmi_address", 1),
            ("ipmi_adderss", "ipmi_address", 2),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn a_slip_is_told_from_a_key_of_somebody_else() {
        let known = ["ipmi_address", "ipmi_port", "deploy_kernel"];
        let known = known.map(|name| (name.to_owned(), String::new()));
        let mut node = Node::new(types::NodeId::generate(), "ipmi");
        let map = |value: serde_json::Value| value.as_object().unwrap().clone();
        node.driver_info = map(
            json!({"ipmi_adress": "h", "ipmi_port": 623, "ipmi_ports": 1, "rack": "r1",
            "vendor_key": 1, "image_sorce": 1, "x".repeat(100_000): 1}),
        );
        node.instance_info =
            map(json!({"image_sorce": "s", "root_gb": 1, "root_gbs": 1, "tenant": "t"}));
        node.properties = map(json!({"memory_gb": 1, "cpu_arch": "x86_64", "site_name": 1}));
        let found: Vec<_> = slips(&node, &known)
            .into_iter()
            .map(|slip| (slip.field, slip.key, slip.meant))
            .collect();
        let expected = [
            ("driver_info", "ipmi_adress", "ipmi_address"),
            ("instance_info", "image_sorce", "image_source"),
            ("properties", "memory_gb", "memory_mb"),
        ];
        let expected =
            expected.map(|(field, key, meant)| (field, key.to_owned(), meant.to_owned()));
        assert_eq!(found, expected);
    }
}
