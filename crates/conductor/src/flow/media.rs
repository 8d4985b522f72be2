//! Virtual media: images that look like discs in a machine's drives.

use super::reason;
use crate::task::{Stop, Task};
use drivers::DriverError;
use serde_json::json;
use types::{event::EventKind, pyrepr, rpc::VirtualMedia};

pub(crate) async fn attach(task: &mut Task, media: &VirtualMedia) -> Result<(), Stop> {
    let hardware = task.hardware.clone();
    // The row holds the password of the address sealed.
    let keys = task.core.db.keys();
    let opened = keys.open_address(&media.image_url, &task.id().to_string());
    let outcome = match (opened, task.hands()) {
        (Ok(image_url), Ok((lease, mut machine))) => {
            let management = &hardware.management;
            let opened = VirtualMedia {
                image_url,
                ..media.clone()
            };
            management
                .attach_virtual_media(lease, &mut machine, &opened)
                .await
        }
        (Err(error), _) => Err(task.closed("the medium", &error)),
        (_, Err(error)) => Err(error),
    };
    let failed = format!(
        "Could not attach device {} to node {}",
        media.device,
        task.id()
    );
    finish(
        task,
        outcome,
        &failed,
        &format!("{} attached", media.device),
    )
    .await
}

pub(crate) async fn detach(task: &mut Task, devices: Option<&[String]>) -> Result<(), Stop> {
    let hardware = task.hardware.clone();
    let outcome = match task.hands() {
        Ok((lease, mut machine)) => {
            let management = &hardware.management;
            management
                .detach_virtual_media(lease, &mut machine, devices)
                .await
        }
        Err(error) => Err(error),
    };
    let named = devices.map_or_else(
        || "None".to_owned(),
        |devices| pyrepr::repr_list(devices.iter().map(String::as_str)),
    );
    let failed = format!("Could not detach device(s) {named} from node {}", task.id());
    finish(task, outcome, &failed, "virtual media detached").await
}

async fn finish(
    task: &mut Task,
    outcome: Result<(), DriverError>,
    failed: &str,
    done: &str,
) -> Result<(), Stop> {
    let mut story = task.story();
    match outcome {
        Ok(()) => story.tell(&task.node, EventKind::Updated, done, json!({})),
        Err(error) => {
            let why = reason(&task.node, &error);
            let text = format!("{failed}: {why}");
            task.error(&mut story, "UNKNOWN", &text);
        }
    }
    task.end(story).await
}
