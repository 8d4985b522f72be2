//! The image of an instance as the agent is told of it.

use super::{drive, glance, image_peers, prepared, publish};
use crate::task::Task;
use base64::{Engine, engine::general_purpose::STANDARD};
use drivers::{DriverError, boot_mode, glance::Reference};
use serde_json::{Value, json};
use types::{JsonMap, Node, Timestamp, pyrepr};

/// What a partition image needs to know besides.
const PARTITION_KEYS: &[&str] = &[
    "kernel",
    "ramdisk",
    "root_gb",
    "root_mb",
    "swap_mb",
    "ephemeral_mb",
    "ephemeral_format",
    "configdrive",
    "image_type",
    "preserve_ephemeral",
];

/// `image_info` and the config drive, as `write_image` takes them.
pub(super) async fn described(task: &mut Task) -> Result<(Value, Value), DriverError> {
    let id = task.id();
    let opened = task
        .core
        .db
        .keys()
        .open_map(&task.node.instance_info, &id.to_string());
    let mut info = opened.map_err(|error| task.closed("the instance", &error))?;
    let prepared = prepared::image_of(&task.node, &info, &publish::place(task));
    let of_glance = task.node.driver_internal_info.glance_image();
    if let Some(image) = &of_glance {
        glance::complete(&mut info, image);
    }
    let given = |key: &str| info.get(key).filter(|value| pyrepr::truth(value));
    let source = given("image_source").map(pyrepr::to_str).ok_or_else(|| {
        DriverError::InvalidParameter("the instance has no image_source".to_owned())
    })?;
    let url = match (&prepared, &of_glance) {
        (Some(prepared), _) if prepared.published => publish::url(task)?,
        (Some(_), Some(image)) => {
            let url = glance::temp_url(task, &image.id).await?;
            let info = &mut task.node.driver_internal_info;
            info.set_image_url_expires(url.expires());
            url.expose().to_owned()
        }
        (Some(_), None) => match Reference::read(&source)? {
            Reference::Address(address) => address,
            // These are published, or Glance hands out an address.
            Reference::Glance(_) | Reference::Stored(_) => source.clone(),
        },
        // Without an image store nobody looked at it.
        (None, _) => source.clone(),
    };
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return Err(DriverError::InvalidParameter(format!(
            "an agent cannot fetch image {source}: only http and https are served"
        )));
    }
    let name = source.rsplit('/').next().unwrap_or(&source);
    let found = prepared.as_ref().and_then(|p| p.disk_format.clone());
    let disk_format = found.map(Value::String);
    let disk_format = disk_format.or_else(|| info.get("image_disk_format").cloned());
    let mut image = json!({
        "id": name,
        "urls": [url],
        "disk_format": disk_format,
        "container_format": info.get("image_container_format"),
        "stream_raw_images": task.settings().ramdisk.stream_raw_images,
        "node_uuid": id,
    });
    let drive = match given("configdrive").cloned() {
        Some(given) => drive::told(task, given).await?,
        None => Value::Null,
    };
    if let Some(image) = image.as_object_mut() {
        let peers = prepared
            .as_ref()
            .and_then(|prepared| image_peers::told(task, prepared));
        if let Some(peers) = peers {
            image.insert("image_peers".into(), peers);
        }
        match prepared.and_then(|prepared| prepared.checksum) {
            Some(sum) => {
                let known = of_glance.as_ref();
                // What is served is what Glance has, and so is its other sum.
                if let Some(known) = known.filter(|known| known.os_hash.as_ref() == Some(&sum)) {
                    image.insert("checksum".into(), known.checksum.clone().into());
                }
                image.insert("os_hash_algo".into(), sum.algorithm.into());
                image.insert("os_hash_value".into(), sum.value.into());
            }
            None => checksum(&info, image),
        }
        complete(task, &info, image)?;
        if !drive.is_null() {
            image.insert("configdrive".into(), drive.clone());
        }
    }
    Ok((image, drive))
}

/// Why an agent could not write the image, with what it cannot know: that the address it was given has
/// run out meanwhile.
pub(super) fn complaint(node: &Node, why: String, now: Timestamp) -> String {
    let info = &node.driver_internal_info;
    match (info.glance_image(), info.image_url_expires()) {
        (Some(image), Some(expires)) if expires <= now => format!(
            "{why}; the temporary URL of image {} in Swift, which the agent was given, expired at \
             {}; set a longer swift_temp_url_duration in [glance], then deploy again",
            image.id,
            expires.zulu()
        ),
        _ => why,
    }
}

/// The checksum that the instance gives.
fn checksum(info: &JsonMap, image: &mut JsonMap) {
    let given = |key: &str| info.get(key).filter(|value| pyrepr::truth(value));
    if let Some(sum) = given("image_checksum") {
        image.insert("checksum".into(), sum.clone());
    }
    if let (Some(algorithm), Some(value)) =
        (given("image_os_hash_algo"), given("image_os_hash_value"))
    {
        image.insert("os_hash_algo".into(), algorithm.clone());
        image.insert("os_hash_value".into(), value.clone());
    }
}

fn complete(task: &Task, info: &JsonMap, image: &mut JsonMap) -> Result<(), DriverError> {
    let given = |key: &str| info.get(key).filter(|value| pyrepr::truth(value));
    if let Some(secret) = given("image_request_authorization_secret") {
        let encoded = STANDARD.encode(pyrepr::to_str(secret));
        image.insert("image_request_authorization".into(), encoded.into());
    }
    let url = image.get("urls").and_then(|urls| urls[0].as_str());
    let credentials = task.settings().images.credentials.as_ref();
    if let (Some(credentials), Some(url)) = (credentials, url)
        && credentials.are_for_address(url)
    {
        for (key, value) in [
            ("image_server_auth_strategy", "http_basic"),
            ("image_server_user", &credentials.user),
            ("image_server_password", &credentials.password),
        ] {
            image.insert(key.into(), value.into());
        }
    }
    let driver_info = task.driver_info();
    let mut proxies = JsonMap::new();
    for scheme in ["http", "https"] {
        if let Some(proxy) = driver_info.get(&format!("image_{scheme}_proxy")) {
            proxies.insert(scheme.into(), proxy.clone());
        }
    }
    if !proxies.is_empty() {
        image.insert("proxies".into(), Value::Object(proxies));
        if let Some(none) = driver_info.get("image_no_proxy") {
            image.insert("no_proxy".into(), none.clone());
        }
    }
    if !task.node.driver_internal_info.is_whole_disk_image() {
        for key in PARTITION_KEYS {
            image.insert((*key).into(), info.get(*key).cloned().unwrap_or_default());
        }
        let uefi = boot_mode::is_uefi(&task.node, task.settings().ramdisk.default_uefi)?;
        let mode = if uefi { "uefi" } else { "bios" };
        image.insert("deploy_boot_mode".into(), mode.into());
        image.insert("boot_option".into(), "local".into());
        if let Some(label) = boot_mode::capability(&task.node, "disk_label") {
            image.insert("disk_label".into(), label.into());
        }
    }
    Ok(())
}
