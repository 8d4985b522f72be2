//! Fetching images: for the first time, anew, and those that another conductor has.

use super::{ImageTrouble, Meter};
use crate::core::Core;
use image::{
    ImageError,
    checksum::{self, Checksum},
    source::{Source, shown},
    store::ImageStore,
};
use std::{sync::Arc, time::Duration};
use store::{StoreError, image::ImageFence};
use tokio::time::{MissedTickBehavior, interval};
use types::image::{ContentId, ImageContent, ImageSource, ImageState, StoredImage};

/// How often the row tells how far the work is.
const TOLD_EVERY: Duration = Duration::from_secs(1);

/// Fetches an image that waits for it, in the background. Does nothing if it is being fetched.
pub(crate) fn begin(core: &Arc<Core>, store: &Arc<ImageStore>, image: StoredImage) {
    let (core, store) = (Arc::clone(core), Arc::clone(store));
    let tasks = core.tasks.clone();
    tasks.spawn(async move {
        let Some(_running) = core.images.begin(image.id) else {
            return;
        };
        let me = core.me();
        let claimed = store::image::claim(&core.db, &image, &me, ImageState::Fetching);
        let fence = match claimed.await {
            Ok(fence) => fence,
            // Another conductor was faster.
            Err(StoreError::Stale) => return,
            Err(error) => {
                let error = types::error::chain(&error);
                tracing::warn!(image = %image.name, error, "an image cannot be taken on");
                return;
            }
        };
        tracing::info!(image = %image.name, from = image.origin, "fetching an image");
        let meter = Arc::new(Meter::default());
        let outcome = watched(&core, &store, &image, fence, &meter).await;
        meter.stop();
        settle(&core, &image, fence, outcome).await;
    });
}

/// Writes down what came of the work on an image.
pub(super) async fn settle(
    core: &Core,
    image: &StoredImage,
    fence: ImageFence,
    outcome: Result<(), ImageTrouble>,
) {
    let name = &image.name;
    let error = match outcome {
        Ok(()) => {
            tracing::info!(image = %name, "the image is ready");
            return;
        }
        Err(ImageTrouble::Unwanted) => {
            tracing::info!(image = %name, "the image is not wanted like this any more");
            return;
        }
        // The next incarnation finds the row, or another conductor does.
        Err(ImageTrouble::Interrupted) => return,
        Err(ImageTrouble::Failed(error)) => error,
    };
    tracing::warn!(image = %name, error, "the image cannot be had");
    let error = types::mask::text(&error);
    if let Err(error) = store::image::fail(&core.db, fence, &error).await {
        let error = types::error::chain(&error);
        tracing::warn!(image = %name, error, "that could not be written down");
    }
}

/// Fetches an image while its row tells how far that is.
async fn watched(
    core: &Core,
    store: &ImageStore,
    image: &StoredImage,
    fence: ImageFence,
    meter: &Arc<Meter>,
) -> Result<(), ImageTrouble> {
    let work = fetch(core, store, image, fence, meter);
    tokio::pin!(work);
    let mut told = interval(TOLD_EVERY);
    told.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = core.stop.cancelled() => return Err(ImageTrouble::Interrupted),
            done = &mut work => return done,
            _ = told.tick() => {
                let (done, total) = (meter.done(), meter.total());
                let told = store::image::progress(&core.db, fence, done, total).await;
                // What could not be written for another reason is told at the next tick.
                if let Err(StoreError::Stale | StoreError::NotFound) = told {
                    return Err(ImageTrouble::Unwanted);
                }
            }
        }
    }
}

async fn fetch(
    core: &Core,
    store: &ImageStore,
    image: &StoredImage,
    fence: ImageFence,
    meter: &Arc<Meter>,
) -> Result<(), ImageTrouble> {
    let source = store::image::source_of(&core.db, image)?;
    let Some(url) = &source.url else {
        return Err(ImageTrouble::Failed(
            "it was uploaded and has no address to be fetched from".to_owned(),
        ));
    };
    let checksum = expected(core, store, image, &source, url).await?;
    let opened = store.open(url).await?;
    let arrived = store.receive(opened, checksum, Arc::clone(meter)).await?;
    core.keep_image(store, arrived, Some(fence)).await
}

/// What an image must hash to, where that is said.
async fn expected(
    core: &Core,
    store: &ImageStore,
    image: &StoredImage,
    source: &ImageSource,
    url: &str,
) -> Result<Option<Checksum>, ImageError> {
    let allow_md5 = core.settings.images.allow_md5;
    match (&image.checksum, &source.checksum_url) {
        (Some(sum), _) => Checksum::parse(sum, None, allow_md5).map(Some),
        (None, Some(list)) => checksum::resolve(store.http(), list, None, url, allow_md5)
            .await
            .map(Some),
        (None, None) => Ok(None),
    }
}

/// Sees to it that the bytes of an image are here, from another conductor or from where the image
/// comes from. The error is a sentence.
pub(crate) async fn ensure(
    core: &Core,
    store: &ImageStore,
    image: &StoredImage,
    content: &ImageContent,
) -> Result<(), String> {
    let lock = core.images.lock_of(&content.id);
    let _alone = lock.lock().await;
    if store.library().has(&content.id).await {
        return Ok(());
    }
    let mut tried = Vec::new();
    let copies = store::image::copies_of(&core.db, &content.id).await;
    let copies = copies.map_err(|error| types::error::chain(&error))?;
    for copy in copies {
        let Some(url) = copy.url else { continue };
        let is_other = copy.conductor != core.settings.host;
        if !is_other || core.view.is_alive(&copy.conductor) == Some(false) {
            continue;
        }
        let opened = store.http().open_own(&url).await;
        let opened = opened.map(|source| Arc::new(source) as Arc<dyn Source>);
        match bring(core, store, &content.id, opened).await {
            Ok(()) => return Ok(()),
            Err(why) => tried.push(format!("conductor {}: {why}", copy.conductor)),
        }
    }
    let source = store::image::source_of(&core.db, image);
    let source = source.map_err(|error| types::error::chain(&error))?;
    if let Some(url) = &source.url {
        match bring(core, store, &content.id, store.open(url).await).await {
            Ok(()) => return Ok(()),
            Err(why) => tried.push(format!("{}: {why}", shown(url))),
        }
    } else if tried.is_empty() {
        tried.push(
            "it was uploaded, and no conductor that has it is alive and serves it".to_owned(),
        );
    }
    Err(format!(
        "image {} of the image store is not on this conductor and cannot be had ({})",
        image.name,
        tried.join("; ")
    ))
}

/// Brings a content here that is known by its sum.
async fn bring(
    core: &Core,
    store: &ImageStore,
    content: &ContentId,
    opened: Result<Arc<dyn Source>, ImageError>,
) -> Result<(), String> {
    let brought = async {
        let sum = Checksum::parse(content.as_str(), Some("sha256"), false)?;
        let arrived = store.receive(opened?, Some(sum), Arc::default()).await?;
        core.keep_image(store, arrived, None).await
    };
    brought
        .await
        .map_err(|trouble: ImageTrouble| trouble.to_string())
}
