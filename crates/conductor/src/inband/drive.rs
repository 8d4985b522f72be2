//! Config drives: the small volume that an instance reads its name, keys and network from.
//!
//! They come as text (an image, packed), as the address of such a text, or as an object. An object
//! becomes a text before the deployment begins, because agents know texts and addresses.

use crate::{
    objects::{self, Container},
    task::{Attempt, Task},
};
use drivers::{
    DriverError, Failure,
    agent::{Inserted, Source},
};
use image::{ImageError, configdrive};
use openstack::swift::ObjectName;
use serde_json::Value;
use std::{collections::BTreeMap, future::Future, io, pin::Pin, sync::Arc};
use store::{
    Db,
    config_drive::{self, DriveRef},
};
use types::{NodeId, internal_info::objects::ObjectPurpose, pyrepr};

const KEY: &str = "configdrive";

/// What the instance has, opened. A large drive is a [`DriveRef`].
fn given(task: &Task) -> Result<Option<Value>, DriverError> {
    let Some(sealed) = task.node.instance_info.get(KEY) else {
        return Ok(None);
    };
    let opened = match task.core.db.keys().open(sealed, &task.id().to_string()) {
        Ok(opened) => opened,
        // What was just asked for is not sealed yet.
        Err(_) if !sealed.is_object() || is_description(sealed) => sealed.clone(),
        Err(_) => {
            return Err(DriverError::Environment(Failure::new(
                "the config drive of the instance cannot be opened; see the log",
            )));
        }
    };
    Ok(Some(opened).filter(pyrepr::truth))
}

/// The same, read from the database if it is there in parts.
async fn loaded(task: &Task) -> Result<Option<Value>, DriverError> {
    let given = given(task)?;
    match given.as_ref().and_then(DriveRef::of) {
        Some(stored) => config_drive::read(&task.core.db, task.id(), &stored)
            .await
            .map(Some)
            .map_err(|error| unreadable(&error)),
        None => Ok(given),
    }
}

fn unreadable(error: &store::StoreError) -> DriverError {
    DriverError::Environment(Failure::new(format!(
        "the config drive cannot be read from the database: {}",
        types::error::chain(error)
    )))
}

/// A stored drive as the agent's command takes it: read while the command is sent.
pub(super) fn inserted(task: &Task, drive: &Value) -> Option<Inserted> {
    let stored = DriveRef::of(drive)?;
    Some(Inserted {
        mark: stored.to_string(),
        length: stored.bytes(),
        source: Arc::new(Stored {
            db: task.core.db.clone(),
            node: task.id(),
            drive: stored,
        }),
    })
}

#[derive(Debug)]
struct Stored {
    db: Db,
    node: NodeId,
    drive: DriveRef,
}

impl Source for Stored {
    fn part(
        &self,
        number: u64,
    ) -> Pin<Box<dyn Future<Output = io::Result<Option<String>>> + Send + '_>> {
        Box::pin(async move {
            let part = config_drive::part(&self.db, self.node, &self.drive, number).await;
            part.map_err(|error| io::Error::other(unreadable(&error)))
        })
    }
}

/// Whether an object describes a drive.
fn is_description(value: &Value) -> bool {
    let known = ["meta_data", "user_data", "network_data", "vendor_data"];
    let mut keys = value.as_object().into_iter().flat_map(|map| map.keys());
    keys.any(|key| known.contains(&key.as_str()))
}

/// The drive as it was given: its text, or the address of that.
pub(super) async fn text(task: &Task) -> Result<Option<String>, DriverError> {
    match loaded(task).await? {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(DriverError::Environment(Failure::new(
            "the config drive of the instance is no text",
        ))),
    }
}

/// Makes a text of a config drive that is an object.
pub(super) async fn build(task: &mut Task) -> Result<(), DriverError> {
    let (db, node) = (task.core.db.clone(), task.id());
    if let Some(stored) = given(task)?.as_ref().and_then(DriveRef::of) {
        let start = config_drive::part(&db, node, &stored, 0).await;
        let start = start.map_err(|error| unreadable(&error))?;
        if start.is_some_and(|start| !start.starts_with('{')) {
            return Ok(());
        }
    }
    let Some(Value::Object(object)) = loaded(task).await? else {
        return Ok(());
    };
    let (id, name) = (node.to_string(), task.node.name.clone());
    let text = blocking(move || {
        let stamp = drivers::redfish::disc_time();
        let image = configdrive::build(object, &id, name.as_deref(), stamp)?;
        configdrive::encode(&image)
    })
    .await?;
    let kept = config_drive::put(&db, node, text.into()).await;
    let kept = kept.map_err(|error| unreadable(&error))?;
    task.node.instance_info.insert(KEY.into(), kept);
    Ok(())
}

/// Puts the drive where the agent fetches it by a temporary URL, if drives are kept there. What is
/// an address already stays one.
pub(super) async fn upload(task: &mut Task) -> Attempt {
    let Some(container) = task.settings().objects.config_drives.clone() else {
        return Ok(Ok(()));
    };
    let text = match loaded(task).await {
        Ok(Some(Value::String(text))) if !configdrive::is_address(&text) => text,
        Ok(_) => return Ok(Ok(())),
        Err(error) => return Ok(Err(error)),
    };
    let object = objects::config_drive(&container.name, task.id());
    objects::note(task, std::slice::from_ref(&object)).await?;
    let name = ObjectName::new(&object.container, &object.object);
    let lifetime = Some(container.lifetime);
    let what = "Swift to take the config drive".to_owned();
    let _awaits = task.core.live.awaits(task.id(), what);
    let stored = objects::put(&task.core, &name, text.into_bytes(), lifetime).await;
    Ok(stored.map_err(|why| {
        DriverError::Environment(Failure::new(format!(
            "Failed to upload the configdrive to Swift: {why}"
        )))
    }))
}

/// The drive as the agent is told of it: itself, or where it was put.
pub(super) async fn told(task: &Task, given: Value) -> Result<Value, DriverError> {
    let Some(Container { lifetime, .. }) = &task.settings().objects.config_drives else {
        return Ok(given);
    };
    let mut objects = task.node.driver_internal_info.stored_objects().into_iter();
    let Some(object) = objects.find(|object| object.purpose == ObjectPurpose::ConfigDrive) else {
        return Ok(given);
    };
    let url = objects::temp_url(&task.core, &object, *lifetime).await;
    url.map(Value::String)
        .map_err(|why| DriverError::Environment(Failure::new(why)))
}

/// Nobody needs the uploaded drive any more.
pub(super) async fn withdraw(task: &mut Task) {
    objects::remove(task, ObjectPurpose::ConfigDrive).await;
}

/// Runs what takes long for a large drive on a thread that may wait.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ImageError> + Send + 'static,
) -> Result<T, DriverError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| failed(&error)),
        Err(error) => Err(DriverError::Environment(Failure::new(format!(
            "a worker ended early: {error}"
        )))),
    }
}

/// The image of the drive itself, fetched if it is elsewhere.
pub(super) async fn image(task: &Task) -> Result<Option<Vec<u8>>, DriverError> {
    let Some(text) = text(task).await? else {
        return Ok(None);
    };
    if !configdrive::is_address(&text) {
        return blocking(move || configdrive::decode(&text)).await.map(Some);
    }
    let Some(images) = task.core.registry.images() else {
        return Err(DriverError::Environment(Failure::new(
            "the config drive cannot be fetched: this service has no image cache",
        )));
    };
    // As text it is a third larger than what it holds.
    let bytes = images
        .http()
        .bytes(&text, 2 * configdrive::MOST_BYTES)
        .await;
    let bytes = bytes.map_err(|error| failed(&error))?;
    blocking(move || configdrive::decode_fetched(bytes))
        .await
        .map(Some)
}

/// The files of the drive by path; none if there is no drive.
pub(super) async fn files(task: &Task) -> Result<BTreeMap<String, Vec<u8>>, DriverError> {
    match image(task).await? {
        None => Ok(BTreeMap::new()),
        Some(image) => blocking(move || configdrive::files(&image)).await,
    }
}

fn failed(error: &ImageError) -> DriverError {
    DriverError::Environment(Failure::new(format!(
        "the config drive cannot be used: {}",
        types::error::chain(error)
    )))
}
