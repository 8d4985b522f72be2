//! Objects in Swift that belong to a node: its config drive, what inspection found, logs.
//!
//! What must be deleted again is noted in the node's row before it is made ([`note`]), and stays
//! there until it is gone. All names follow from the node, so everything can be done twice. Logs
//! outlive their node and expire by themselves.

use crate::{
    core::Core,
    progress::Awaiting,
    task::{Stop, Task},
};
use drivers::DriverError;
use openstack::{
    Deadline, Error,
    swift::{ObjectData, ObjectName, Swift},
};
use std::time::Duration;
use types::{
    Inventory, Node, NodeId,
    internal_info::objects::{ObjectPurpose, StoredObject},
};

/// How long one operation may take with everything that it needs.
const PATIENCE: Duration = Duration::from_secs(120);
/// Somebody waits for the answer while a node is deleted.
const PATIENCE_OF_REQUESTS: Duration = Duration::from_secs(20);

/// A container, and how long Swift keeps what is put into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    pub name: String,
    pub lifetime: Duration,
}

/// What is kept in Swift.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectSettings {
    /// Config drives on their way to agents (`[deploy]configdrive_use_object_store`).
    pub config_drives: Option<Container>,
    /// Logs of ramdisks (`[agent]deploy_logs_storage_backend`).
    pub logs: Option<Container>,
    /// What inspection found (`[inventory]data_backend`). It does not expire.
    pub inspection_data: Option<String>,
}

/// Something that Swift did not do; the text names the object and says what can be done.
fn failed(operation: &str, error: &Error) -> String {
    let (why, remedy) = (types::error::chain(error), error.remedy());
    format!("Swift operation '{operation}' failed: {why}; {remedy}")
}

fn swift(core: &Core) -> Result<&Swift, String> {
    let services = core.registry.openstack();
    let services = services.ok_or_else(|| "this service has no client of Swift".to_owned())?;
    Ok(services.swift())
}

fn name_of(object: &StoredObject) -> ObjectName {
    ObjectName::new(&object.container, &object.object)
}

/// Writes down that there will be these objects.
pub(crate) async fn note(task: &mut Task, objects: &[StoredObject]) -> Result<(), Stop> {
    let info = &mut task.node.driver_internal_info;
    let mut is_news = false;
    for object in objects {
        is_news |= info.note_object(object.clone());
    }
    if is_news {
        let story = task.story();
        task.save(story).await?;
    }
    Ok(())
}

/// Writes down what the boot interface may make for the machine, and says what the work waits for
/// while it makes it.
pub(crate) async fn note_media(task: &mut Task) -> Result<Option<Awaiting>, DriverError> {
    let boot = task.hardware.boot.clone();
    let objects = boot.objects(&task.machine());
    if objects.is_empty() {
        return Ok(None);
    }
    // Nothing may be made that is not noted, and whoever has the node now goes on.
    let noted = note(task, &objects).await;
    noted.map_err(|_| DriverError::LeaseLapsed)?;
    let what = "Swift to take the virtual media".to_owned();
    Ok(Some(task.core.live.awaits(task.id(), what)))
}

/// Makes an object, or replaces it.
pub(crate) async fn put(
    core: &Core,
    name: &ObjectName,
    data: Vec<u8>,
    lifetime: Option<Duration>,
) -> Result<(), String> {
    let deadline = Deadline::after(PATIENCE);
    let stored = swift(core)?
        .put(name, ObjectData::Bytes(data.into()), lifetime, deadline)
        .await;
    stored.map_err(|error| failed("put object", &error))
}

/// A URL by which anybody reads an object for a while.
pub(crate) async fn temp_url(
    core: &Core,
    object: &StoredObject,
    lifetime: Duration,
) -> Result<String, String> {
    let deadline = Deadline::after(PATIENCE);
    let url = swift(core)?
        .temp_url(&name_of(object), lifetime, deadline)
        .await;
    let url = url.map_err(|error| failed("get temporary URL", &error))?;
    Ok(url.expose().to_owned())
}

/// Deletes the objects of a node that are for this. Those that cannot be deleted stay noted, and go
/// when the next of their kind goes, when the node is deleted, or when they expire.
pub(crate) async fn remove(task: &mut Task, purpose: ObjectPurpose) {
    for object in task.node.driver_internal_info.stored_objects() {
        if object.purpose != purpose {
            continue;
        }
        let what = format!("Swift to delete object {}", object.object);
        let _awaits = task.core.live.awaits(task.id(), what);
        match delete(&task.core, &object, PATIENCE).await {
            Ok(()) => task.node.driver_internal_info.forget_object(&object),
            Err(why) => {
                tracing::warn!(node = %task.id(), error = why, "an object stays in Swift");
                task.warn(vec![format!("an object stays in Swift for now: {why}")]);
            }
        }
    }
}

/// Deletes all objects of a node that goes. What cannot be deleted is named in the log.
pub(crate) async fn remove_all(core: &Core, node: &Node) {
    for object in node.driver_internal_info.stored_objects() {
        if let Err(why) = delete(core, &object, PATIENCE_OF_REQUESTS).await {
            tracing::warn!(
                node = %node.id, container = object.container, object = object.object, error = why,
                "an object of a deleted node stays in Swift; delete it by hand"
            );
        }
    }
}

async fn delete(core: &Core, object: &StoredObject, patience: Duration) -> Result<(), String> {
    let deadline = Deadline::after(patience);
    let deleted = swift(core)?.delete(&name_of(object), deadline).await;
    deleted
        .map(drop)
        .map_err(|error| failed("delete object", &error))
}

/// The config drive of a node.
pub(crate) fn config_drive(container: &str, node: NodeId) -> StoredObject {
    StoredObject {
        purpose: ObjectPurpose::ConfigDrive,
        container: container.to_owned(),
        object: format!("configdrive-{node}"),
    }
}

/// What inspection found in a node: the inventory, and everything else.
pub(crate) fn inspection_data(container: &str, node: NodeId) -> [StoredObject; 2] {
    types::inventory::object_names(node).map(|object| StoredObject {
        purpose: ObjectPurpose::InspectionData,
        container: container.to_owned(),
        object,
    })
}

/// Keeps what inspection found; both objects must have been noted.
pub(crate) async fn put_inspection_data(
    core: &Core,
    container: &str,
    node: NodeId,
    data: &Inventory,
) -> Result<(), String> {
    let parts = [&data.inventory, &data.plugin_data];
    for (object, part) in inspection_data(container, node).iter().zip(parts) {
        let text = serde_json::to_vec(part).map_err(|error| error.to_string())?;
        put(core, &name_of(object), text, None).await?;
    }
    Ok(())
}
