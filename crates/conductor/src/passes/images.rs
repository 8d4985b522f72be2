//! Images that wait to be fetched, whose work an earlier process did not finish, and bytes that no
//! image has any more.

use super::round::Round;
use crate::{core::Core, images::fetch};
use std::{sync::Arc, time::Duration};
use types::image::{ImageState, StoredImage};

/// How soon an image is taken on.
pub(super) const WORK_EVERY: Duration = Duration::from_secs(1);
/// How soon unwanted bytes go.
pub(super) const TIDY_EVERY: Duration = Duration::from_secs(5);

/// Takes on images that no conductor works on.
pub(super) async fn work(core: Arc<Core>) -> Round {
    let Some(store) = core.registry.images() else {
        return Round::default();
    };
    let waiting = match store::image::unsettled(&core.db).await {
        Ok(waiting) => waiting,
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::warn!(error, "the images that wait cannot be read");
            return Round::FAILED;
        }
    };
    core.forget_uploads(&waiting);
    let mut round = Round::default();
    for image in waiting {
        round.visited += 1;
        match image.state {
            ImageState::Queued => fetch::begin(&core, store, image),
            ImageState::Fetching if core.is_abandoned(&image) => {
                tracing::info!(image = %image.name, "an image that was not finished is fetched anew");
                fetch::begin(&core, store, image);
            }
            ImageState::Uploading if core.is_abandoned(&image) || is_old(&image) => {
                abandon(&core, &image).await;
            }
            ImageState::Uploading => core.end_stale_upload(&image).await,
            ImageState::Fetching | ImageState::Ready | ImageState::Failed => {}
        }
    }
    round
}

/// Whether a client asked to send an image and never began.
fn is_old(image: &StoredImage) -> bool {
    const PATIENCE_S: i64 = 600;
    let limit = types::Timestamp::now().plus_seconds(-PATIENCE_S);
    image.holder.is_none() && image.created_at < limit
}

/// An upload cannot be taken up again: the client must begin anew.
async fn abandon(core: &Core, image: &StoredImage) {
    let fence = store::image::ImageFence {
        id: image.id,
        version: image.version,
    };
    let why = "the upload was not completed: the client or the conductor that took it is gone";
    match store::image::fail(&core.db, fence, why).await {
        Ok(()) => tracing::info!(image = %image.name, why, "an upload is given up"),
        // Another conductor was faster, or it is tried again.
        Err(error) => {
            tracing::debug!(image = %image.name, error = %types::error::chain(&error), "not given up")
        }
    }
}

/// Removes bytes that no image has any more.
pub(super) async fn tidy(core: Arc<Core>) -> Round {
    let Some(store) = core.registry.images() else {
        return Round::default();
    };
    match core.tidy_images(store).await {
        Ok(visited) => Round { visited, failed: 0 },
        Err(trouble) => {
            tracing::warn!(error = %trouble, "the image store cannot be tidied");
            Round::FAILED
        }
    }
}
