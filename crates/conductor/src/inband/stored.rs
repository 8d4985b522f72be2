//! The image of an instance that the image store has.
//!
//! The store knows its sum and its format, so the instance says neither. The file as it is is linked
//! to where agents fetch it: our agent writes every format of it. Where images are to come through
//! this service as raw disks (`image_download_source = local`), the cache converts it once.

use super::{iscsi, publish};
use crate::{Download, images::fetch, task::Task};
use drivers::{DriverError, Failure};
use image::{Format, cache::ImageRequest, checksum::Algorithm, store::ImageStore, store::Probed};
use std::sync::Arc;
use types::{
    image::{ImageContent, ImageKind, StoredImage},
    internal_info::{ImageChecksum, PreparedImage},
};

/// Sees to it that the agent will find an image of the store.
pub(super) async fn prepare(
    task: &mut Task,
    store: &Arc<ImageStore>,
) -> Result<PreparedImage, DriverError> {
    let (image, content) = found(task).await?;
    let said = task.node.instance_info.get("image_type");
    if !said.is_some_and(types::pyrepr::truth) {
        let whole = content.survey.kind != ImageKind::Partition;
        task.node.driver_internal_info.set_whole_disk_image(whole);
    }
    // What the instance lacks is told before anything is fetched.
    publish::layout(task)?;
    publish::check_memory(
        task,
        &Probed {
            format: content.survey.format.parse().ok(),
            needs_conversion: false,
            size: Some(content.size),
        },
    )?;
    bring(task, store, &image, &content).await?;
    if is_converted(task, &content)? {
        let wanted = converted(task, store, &content).await?;
        return Ok(publish::publish(task, store, &wanted, Some(Algorithm::Sha256)).await?);
    }
    publish::publish_file(task, store, &content.id).await?;
    // A file that is compressed as a whole has no format that an agent could be told.
    let packed = content.survey.packing.is_some();
    Ok(PreparedImage {
        published: !iscsi::is_writer(task),
        disk_format: (!packed).then_some(content.survey.format),
        checksum: Some(ImageChecksum {
            algorithm: Algorithm::Sha256.as_str().to_owned(),
            value: content.id.as_str().to_owned(),
        }),
    })
}

/// Brings the image of a deployment under way here once more. What it is then must be what it was.
pub(super) async fn again(
    task: &mut Task,
    store: &Arc<ImageStore>,
    sum: &ImageChecksum,
) -> Result<Option<ImageRequest>, DriverError> {
    let (image, content) = found(task).await?;
    bring(task, store, &image, &content).await?;
    if is_converted(task, &content)? {
        return converted(task, store, &content).await.map(Some);
    }
    if content.id.as_str() != sum.value {
        return Err(DriverError::Environment(Failure::new(format!(
            "image {} of the image store is not what it was when the deployment began",
            image.name
        ))));
    }
    publish::publish_file(task, store, &content.id).await?;
    Ok(None)
}

async fn found(task: &Task) -> Result<(StoredImage, ImageContent), DriverError> {
    let found = task.core.stored_image(&task.node).await;
    let found = found.map_err(|fault| DriverError::InvalidParameter(fault.to_string()))?;
    found
        .ok_or_else(|| DriverError::InvalidParameter("the instance has no image_source".to_owned()))
}

async fn bring(
    task: &Task,
    store: &ImageStore,
    image: &StoredImage,
    content: &ImageContent,
) -> Result<(), DriverError> {
    let what = format!("image {} to come to this conductor", image.name);
    let _awaits = task.core.live.awaits(task.id(), what);
    let here = fetch::ensure(&task.core, store, image, content).await;
    here.map_err(|why| DriverError::Environment(Failure::new(why)))
}

/// Whether the cache makes a raw disk of it first.
fn is_converted(task: &Task, content: &ImageContent) -> Result<bool, DriverError> {
    let format: Option<Format> = content.survey.format.parse().ok();
    let is_raw = format.is_some_and(|format| format.is_raw() || format == Format::Iso);
    let is_ready = is_raw && content.survey.packing.is_none();
    Ok(publish::download(task)? == Download::Local && publish::wants_raw(task) && !is_ready)
}

async fn converted(
    task: &Task,
    store: &ImageStore,
    content: &ImageContent,
) -> Result<ImageRequest, DriverError> {
    let source = store.library().source(&content.id).await;
    let source = source
        .map_err(|error| DriverError::Environment(Failure::new(types::error::chain(&error))))?;
    Ok(ImageRequest {
        href: format!("{}{}", types::image::SCHEME, content.id),
        source: Some(source),
        destination: publish::destination(task),
        raw: true,
        declared: None,
        checksum: None,
    })
}
