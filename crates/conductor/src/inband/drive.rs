//! Config drives: the small volume that an instance reads its name, keys and network from.
//!
//! They come as text (an image, packed), as the address of such a text, or as an object. An object
//! becomes a text before the deployment begins, because agents know texts and addresses.

use crate::task::Task;
use drivers::DriverError;
use image::{ImageError, configdrive};
use serde_json::Value;
use types::pyrepr;

const KEY: &str = "configdrive";

/// What the instance has, opened.
fn given(task: &Task) -> Result<Option<Value>, DriverError> {
    let Some(sealed) = task.node.instance_info.get(KEY) else {
        return Ok(None);
    };
    let opened = match task.core.db.keys().open(sealed, &task.id().to_string()) {
        Ok(opened) => opened,
        // What was just asked for is not sealed yet.
        Err(_) if !sealed.is_object() || is_description(sealed) => sealed.clone(),
        Err(_) => {
            return Err(DriverError::Failed(
                "the config drive of the instance cannot be opened; see the log".to_owned(),
            ));
        }
    };
    Ok(Some(opened).filter(pyrepr::truth))
}

/// Whether an object describes a drive.
fn is_description(value: &Value) -> bool {
    let known = ["meta_data", "user_data", "network_data", "vendor_data"];
    let mut keys = value.as_object().into_iter().flat_map(|map| map.keys());
    keys.any(|key| known.contains(&key.as_str()))
}

/// Makes a text of a config drive that is an object.
pub(super) async fn build(task: &mut Task) -> Result<(), DriverError> {
    let Some(Value::Object(object)) = given(task)? else {
        return Ok(());
    };
    let (id, name) = (task.id().to_string(), task.node.name.clone());
    let built = tokio::task::spawn_blocking(move || {
        let stamp = drivers::redfish::disc_time();
        let image = configdrive::build(&object, &id, name.as_deref(), stamp)?;
        configdrive::encode(&image)
    });
    let text = match built.await {
        Ok(built) => built.map_err(|error| failed(&error))?,
        Err(error) => {
            return Err(DriverError::Failed(format!(
                "a worker ended early: {error}"
            )));
        }
    };
    let info = &mut task.node.instance_info;
    info.insert(KEY.into(), text.into());
    Ok(())
}

/// The image of the drive itself, fetched if it is elsewhere.
pub(super) async fn image(task: &Task) -> Result<Option<Vec<u8>>, DriverError> {
    let text = match given(task)? {
        None => return Ok(None),
        Some(Value::String(text)) => text,
        Some(_) => {
            return Err(DriverError::Failed(
                "the config drive of the instance is no text".to_owned(),
            ));
        }
    };
    if !configdrive::is_address(&text) {
        return configdrive::decode(&text)
            .map(Some)
            .map_err(|error| failed(&error));
    }
    let Some(images) = task.core.registry.images() else {
        return Err(DriverError::Failed(
            "the config drive cannot be fetched: this service has no image cache".to_owned(),
        ));
    };
    // As text it is a third larger than what it holds.
    let bytes = images
        .http()
        .bytes(&text, 2 * configdrive::MOST_BYTES)
        .await;
    let bytes = bytes.map_err(|error| failed(&error))?;
    configdrive::decode_fetched(bytes)
        .map(Some)
        .map_err(|error| failed(&error))
}

fn failed(error: &ImageError) -> DriverError {
    DriverError::Failed(format!(
        "the config drive cannot be used: {}",
        types::error::chain(error)
    ))
}
