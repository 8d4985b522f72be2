//! Images that clients send, in parts.
//!
//! An upload belongs to the conductor that began it, in memory: its parts come in order, each names
//! where it begins, and one that came already is not taken twice. An upload that the conductor or
//! the client does not survive fails, and its file is gone.

use super::{ImageTrouble, fetch::settle, locked};
use crate::core::Core;
use base64::{Engine, engine::general_purpose::STANDARD};
use image::{checksum::Checksum, library::Part, store::ImageStore};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use store::{StoreError, image::ImageFence};
use types::{
    Fault, ImageId,
    image::{ImageState, StoredImage},
    rpc::HostName,
};

/// An upload of which nothing was heard for so long is given up.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often the row tells how far an upload is.
const TOLD_EVERY: Duration = Duration::from_secs(1);
/// How many uploads a conductor takes at a time.
const MOST: usize = 16;

/// An image that a client sends.
#[derive(Debug)]
pub(crate) struct Upload {
    image: StoredImage,
    fence: ImageFence,
    size: u64,
    /// Gone when the upload is over.
    part: Option<Part>,
    last_part: Instant,
    last_told: Instant,
}

impl Core {
    /// Begins to take an upload; says which conductor the parts are for.
    pub(crate) async fn begin_upload(&self, id: ImageId) -> Result<HostName, Fault> {
        let store = self.image_files()?;
        let found = store::image::find(&self.db, id).await.map_err(fault)?;
        let image = found.ok_or(Fault::NotFound)?;
        if image.state != ImageState::Uploading || image.holder.is_some() {
            return Err(Fault::InvalidState(format!(
                "Image {} does not wait for an upload.",
                image.name
            )));
        }
        if locked(&self.images.uploads).len() >= MOST {
            return Err(Fault::NotNow(format!(
                "This conductor takes {MOST} uploads at a time."
            )));
        }
        let (part, size) = match self.first_part(&store, &image).await {
            Ok(begun) => begun,
            Err(trouble) => {
                let fence = ImageFence {
                    id,
                    version: image.version,
                };
                return Err(self.give_up(&image, fence, trouble).await);
            }
        };
        // It is known here before the row says that it is here: an upload in the row that this
        // process does not know counts as abandoned.
        let now = Instant::now();
        let upload = Upload {
            fence: ImageFence {
                id,
                version: image.version + 1,
            },
            image: image.clone(),
            size,
            part: Some(part),
            last_part: now,
            last_told: now,
        };
        let upload = Arc::new(tokio::sync::Mutex::new(upload));
        locked(&self.images.uploads).insert(id, upload);
        let me = self.me();
        let claimed = store::image::claim(&self.db, &image, &me, ImageState::Uploading).await;
        match claimed {
            Ok(_) => Ok(HostName(self.settings.host.clone())),
            Err(error) => {
                locked(&self.images.uploads).remove(&id);
                Err(fault(error))
            }
        }
    }

    async fn first_part(
        &self,
        store: &ImageStore,
        image: &StoredImage,
    ) -> Result<(Part, u64), ImageTrouble> {
        let (Some(sum), Some(size)) = (&image.checksum, image.total_bytes) else {
            let text = "an upload needs its size and its checksum";
            return Err(ImageTrouble::Failed(text.to_owned()));
        };
        let sum = Checksum::parse(sum, None, false)?;
        let shown = image.name.as_str();
        let part = store.begin_part(Some(size), Some(sum), shown).await?;
        Ok((part, size))
    }

    /// Takes a part of an upload, in base64; how many bytes there are now. The last one completes
    /// the image.
    pub(crate) async fn upload_part(
        &self,
        host: HostName,
        id: ImageId,
        offset: u64,
        data: String,
    ) -> Result<u64, Fault> {
        let store = self.image_files()?;
        let Some(upload) = self.images.upload(id) else {
            return Err(Fault::InvalidState(format!(
                "Conductor {} has no upload of image {id} under way: begin again.",
                host.0
            )));
        };
        let mut upload = upload.lock().await;
        let Some(part) = upload.part.take() else {
            return Err(Fault::InvalidState("The upload is over.".to_owned()));
        };
        let bytes = STANDARD.decode(data);
        let received = part.received();
        let refusal = match &bytes {
            Err(_) => Some("data is no base64".to_owned()),
            Ok(bytes) => {
                let end = offset.saturating_add(bytes.len() as u64);
                if end > upload.size {
                    Some(format!("the image was to have {} bytes", upload.size))
                } else if end == received && offset < received {
                    // Its answer was lost.
                    upload.part = Some(part);
                    return Ok(received);
                } else if offset == received {
                    None
                } else {
                    Some(format!(
                        "the next part begins at {received}, not at {offset}"
                    ))
                }
            }
        };
        let (None, Ok(bytes)) = (&refusal, bytes) else {
            upload.part = Some(part);
            let why = refusal.unwrap_or_default();
            return Err(Fault::InvalidParameter(format!(
                "The part is refused: {why}."
            )));
        };
        let size = upload.size;
        let added = self.add(&store, &mut upload, part, bytes).await;
        match added {
            Ok(received) => {
                if received == size {
                    locked(&self.images.uploads).remove(&id);
                }
                Ok(received)
            }
            Err(trouble) => {
                let fault = self.give_up(&upload.image, upload.fence, trouble).await;
                locked(&self.images.uploads).remove(&id);
                Err(fault)
            }
        }
    }

    async fn add(
        &self,
        store: &Arc<ImageStore>,
        upload: &mut Upload,
        mut part: Part,
        bytes: Vec<u8>,
    ) -> Result<u64, ImageTrouble> {
        let writing = tokio::task::spawn_blocking(move || {
            part.write(&bytes)?;
            Ok::<_, image::ImageError>(part)
        });
        let part = joined(writing.await)??;
        let received = part.received();
        upload.last_part = Instant::now();
        if received < upload.size {
            upload.part = Some(part);
            if upload.last_told.elapsed() >= TOLD_EVERY {
                upload.last_told = Instant::now();
                let total = Some(upload.size);
                store::image::progress(&self.db, upload.fence, received, total).await?;
            }
            return Ok(received);
        }
        let rules = store.rules().clone();
        let finishing = tokio::task::spawn_blocking(move || part.finish(&rules));
        let arrived = joined(finishing.await)??;
        self.keep_image(store, arrived, Some(upload.fence)).await?;
        tracing::info!(image = %upload.image.name, "the image is ready");
        Ok(received)
    }

    async fn give_up(
        &self,
        image: &StoredImage,
        fence: ImageFence,
        trouble: ImageTrouble,
    ) -> Fault {
        let fault = match &trouble {
            ImageTrouble::Failed(why) => Fault::InvalidParameter(format!(
                "Image {} is refused: {}",
                image.name,
                types::mask::text(why)
            )),
            ImageTrouble::Unwanted => {
                Fault::InvalidState(format!("Image {} was removed.", image.name))
            }
            ImageTrouble::Interrupted => Fault::Unavailable,
        };
        settle(self, image, fence, Err(trouble)).await;
        fault
    }

    /// Gives an upload up that its client has left, or that the row does not know any more.
    pub(crate) async fn end_stale_upload(&self, image: &StoredImage) {
        let Some(upload) = self.images.upload(image.id) else {
            return;
        };
        // The task that holds the lock is at work on it.
        let Ok(upload) = upload.try_lock() else {
            return;
        };
        if upload.last_part.elapsed() < PATIENCE {
            return;
        }
        let why = format!(
            "the client sent nothing for {} minutes",
            PATIENCE.as_secs() / 60
        );
        let trouble = ImageTrouble::Failed(why);
        settle(self, image, upload.fence, Err(trouble)).await;
        locked(&self.images.uploads).remove(&image.id);
    }

    /// Forgets uploads of images that do not wait for one any more.
    pub(crate) fn forget_uploads(&self, waiting: &[StoredImage]) {
        let is_waiting = |id: &ImageId| {
            let mut rows = waiting.iter();
            rows.any(|image| image.id == *id && image.state == ImageState::Uploading)
        };
        // One that just began may be younger than the list, and is at its first part.
        let is_young = |upload: &Arc<tokio::sync::Mutex<Upload>>| {
            let young = |upload: &Upload| upload.last_part.elapsed() < Duration::from_secs(60);
            upload.try_lock().map_or(true, |upload| young(&upload))
        };
        locked(&self.images.uploads).retain(|id, upload| is_waiting(id) || is_young(upload));
    }

    fn image_files(&self) -> Result<Arc<ImageStore>, Fault> {
        let store = self.registry.images().cloned();
        store.ok_or_else(|| Fault::InvalidState("This conductor keeps no images.".to_owned()))
    }
}

fn joined<T>(ended: Result<T, tokio::task::JoinError>) -> Result<T, ImageTrouble> {
    ended.map_err(|error| ImageTrouble::Failed(format!("a worker ended early: {error}")))
}

fn fault(error: StoreError) -> Fault {
    match error {
        StoreError::NotFound => Fault::NotFound,
        StoreError::Stale => {
            Fault::InvalidState("The image was changed by another request meanwhile.".to_owned())
        }
        StoreError::Unavailable(_) => Fault::Unavailable,
        other => {
            let error = types::error::chain(&other);
            tracing::error!(error, "the database failed us");
            Fault::Internal("the database could not serve an image".to_owned())
        }
    }
}
