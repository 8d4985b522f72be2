//! The image of an instance that Glance has.
//!
//! Glance is asked once a deployment. What it says is kept beside what the instance says: a rebuild
//! asks again, and finds what the user declared.

use super::publish;
use crate::{Download, progress::Awaiting, task::Task};
use drivers::{
    DriverError, Failure,
    glance::{self, GlanceImages, Permission},
};
use image::store::{ImageStore, Probed};
use openstack::swift::temp_url::TempUrl;
use serde_json::Value;
use std::sync::Arc;
use types::{
    JsonMap,
    internal_info::{GlanceImage, PreparedImage},
    pyrepr,
};

/// Sees to it that the agent will find an image of Glance.
pub(super) async fn prepare(
    task: &mut Task,
    store: &Arc<ImageStore>,
    id: &str,
) -> Result<PreparedImage, DriverError> {
    let glance = images(task)?.clone();
    let caller = task.machine().caller.clone();
    let image = {
        let _awaits = awaits(task, format!("Glance to show image {id}"));
        glance.find(id, &caller, permission(task, id)).await?
    };
    let described = glance::described(&image);
    let whole = match text(&task.node.instance_info, "image_type") {
        Some(kind) => kind == "whole-disk",
        None => described.is_whole_disk,
    };
    let info = &mut task.node.driver_internal_info;
    info.set_whole_disk_image(whole);
    info.set_glance_image(&described);
    // What the instance lacks is told before anything is fetched.
    publish::layout(task)?;
    if publish::download(task)? == Download::Swift {
        let format = described.disk_format.as_deref();
        publish::check_memory(
            task,
            &Probed {
                format: format.and_then(|format| format.parse().ok()),
                needs_conversion: false,
                size: image.size,
            },
        )?;
        let _awaits = awaits(task, format!("Swift to hand out image {id}"));
        let url = glance.temp_url(id).await?;
        glance::check_temp_url(store, &url).await?;
        return Ok(PreparedImage {
            published: false,
            disk_format: described.disk_format,
            checksum: None,
        });
    }
    let destination = publish::destination(task);
    let raw = publish::wants_raw(task);
    let wanted = glance
        .request(store, image, &caller, &destination, raw)
        .await?;
    let hash = described.os_hash.as_ref();
    let algorithm = hash.and_then(|hash| hash.algorithm.parse().ok());
    Ok(publish::publish(task, store, &wanted, algorithm).await?)
}

/// A request for the image that a deployment under way has brought to another conductor.
pub(super) async fn request_again(
    task: &mut Task,
    store: &ImageStore,
    id: &str,
) -> Result<image::cache::ImageRequest, DriverError> {
    let glance = images(task)?.clone();
    let caller = task.machine().caller.clone();
    let image = glance.find(id, &caller, permission(task, id)).await?;
    let destination = publish::destination(task);
    let raw = publish::wants_raw(task);
    glance
        .request(store, image, &caller, &destination, raw)
        .await
}

/// A deployment that goes on after a restart goes on in the name of the service, with the image that
/// was granted when it began; users may have named another one since.
fn permission(task: &Task, id: &str) -> Permission {
    let known = task.node.driver_internal_info.glance_image();
    match known.is_some_and(|known| known.id == id) {
        true => Permission::Granted,
        false => Permission::Asked,
    }
}

/// A URL by which the image is fetched from Swift. It is made when it is needed, so that it is as
/// good then as the operator wants it to be.
pub(super) async fn temp_url(task: &Task, id: &str) -> Result<TempUrl, DriverError> {
    Ok(images(task)?.temp_url(id).await?)
}

fn awaits(task: &Task, what: String) -> Awaiting {
    task.core.live.awaits(task.id(), what)
}

fn images(task: &Task) -> Result<&GlanceImages, DriverError> {
    task.core.registry.glance().ok_or_else(|| {
        DriverError::Environment(Failure::new("this service has no client of Glance"))
    })
}

/// Completes what the instance says by what Glance says. About the image itself Glance is right.
pub(super) fn complete(info: &mut JsonMap, image: &GlanceImage) {
    let (algorithm, value) = match &image.os_hash {
        Some(hash) => (Some(&hash.algorithm), Some(&hash.value)),
        None => (None, None),
    };
    for (key, known) in [
        ("image_checksum", image.checksum.as_ref()),
        ("image_os_hash_algo", algorithm),
        ("image_os_hash_value", value),
        ("image_disk_format", image.disk_format.as_ref()),
        ("image_container_format", image.container_format.as_ref()),
    ] {
        info.insert(
            key.to_owned(),
            known.map_or(Value::Null, |it| it.clone().into()),
        );
    }
    for (key, known) in [
        ("kernel", image.kernel_id.as_deref()),
        ("ramdisk", image.ramdisk_id.as_deref()),
        ("image_type", Some(image.image_type())),
    ] {
        if let (None, Some(known)) = (text(info, key), known) {
            info.insert(key.to_owned(), known.into());
        }
    }
}

fn text(info: &JsonMap, key: &str) -> Option<String> {
    let value = info.get(key).filter(|value| pyrepr::truth(value))?;
    Some(pyrepr::to_str(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::internal_info::ImageChecksum;

    #[test]
    fn glance_is_right_about_the_image_and_the_user_about_its_use() {
        let image = GlanceImage {
            id: "i".into(),
            is_whole_disk: false,
            kernel_id: Some("k".into()),
            ramdisk_id: None,
            rootfs_uuid: None,
            stage2_id: None,
            ks_template: None,
            disk_file_extension: None,
            disk_format: Some("raw".into()),
            container_format: Some("bare".into()),
            checksum: Some("m".into()),
            os_hash: Some(ImageChecksum {
                algorithm: "sha512".into(),
                value: "h".into(),
            }),
        };
        let said = json!({
            "image_source": "i", "image_checksum": "stale", "ramdisk": "own", "root_gb": 4,
        });
        let mut info = said.as_object().cloned().unwrap();
        complete(&mut info, &image);
        assert_eq!(
            Value::Object(info),
            json!({
                "image_source": "i", "root_gb": 4, "image_checksum": "m",
                "image_os_hash_algo": "sha512", "image_os_hash_value": "h",
                "image_disk_format": "raw", "image_container_format": "bare",
                "kernel": "k", "ramdisk": "own", "image_type": "partition",
            })
        );
    }
}
