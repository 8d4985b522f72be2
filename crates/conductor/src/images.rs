//! The image store as a conductor works on it: images that operators gave a name.
//!
//! The row of an image is written by the API; a conductor that finds it waiting takes it on, fetches
//! the bytes, checks them, and writes what they are ([`fetch`]). The bytes are files of the conductor
//! that fetched them. Another one gets its own copy when it deploys the image for the first time:
//! from a conductor that has it, else from where the image comes from, and only if the sum is right.
//! What clients send themselves comes in parts to one conductor ([`upload`]).
//!
//! A conductor that dies while it works on an image leaves a row that names it; it, or another one,
//! begins anew ([`crate::passes::images`]).

mod copy;
pub(crate) mod fetch;
pub(crate) mod upload;

use crate::{core::Core, lock};
use image::library::Meter;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use store::StoreError;
use types::{
    Fault, ImageId, JsonMap, Node,
    image::{BadImageName, ContentId, ImageContent, ImageName, ImageState, StoredImage, reference},
    lease::Holder,
};
use upload::Upload;

/// What this conductor does about images at the moment.
#[derive(Debug, Default)]
pub(crate) struct ImageWork {
    running: Mutex<HashSet<ImageId>>,
    uploads: Mutex<HashMap<ImageId, Arc<tokio::sync::Mutex<Upload>>>>,
    /// Contents that are being brought here, so that two deployments share one download.
    bringing: Mutex<HashMap<ContentId, Weak<tokio::sync::Mutex<()>>>>,
    /// Held while a content gets its name and its row, and while unwanted ones are removed.
    keeping: tokio::sync::Mutex<()>,
}

impl ImageWork {
    /// Notes that an image is being fetched; `None` if it is already.
    fn begin(&self, id: ImageId) -> Option<Running<'_>> {
        let is_new = locked(&self.running).insert(id);
        is_new.then(|| Running { work: self, id })
    }

    fn is_running(&self, id: ImageId) -> bool {
        locked(&self.running).contains(&id)
    }

    fn upload(&self, id: ImageId) -> Option<Arc<tokio::sync::Mutex<Upload>>> {
        locked(&self.uploads).get(&id).cloned()
    }

    fn lock_of(&self, content: &ContentId) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = locked(&self.bringing);
        locks.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = locks.get(content).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        locks.insert(content.clone(), Arc::downgrade(&lock));
        lock
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An image that is being fetched; forgotten when dropped.
struct Running<'a> {
    work: &'a ImageWork,
    id: ImageId,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        locked(&self.work.running).remove(&self.id);
    }
}

impl Core {
    /// Whether the conductor that the row names does not work on the image any more.
    pub(crate) fn is_abandoned(&self, image: &StoredImage) -> bool {
        let Some(Holder { host, epoch }) = &image.holder else {
            // A client that wants to send an image has not begun yet.
            return image.state != ImageState::Uploading;
        };
        if *host != self.settings.host {
            return self.view.is_alive(host) == Some(false);
        }
        let is_here = match image.state {
            ImageState::Uploading => self.images.upload(image.id).is_some(),
            _ => self.images.is_running(image.id),
        };
        *epoch != self.me().epoch || !is_here
    }

    /// The image of the store that an instance is of, if it is of one; refused where that cannot be
    /// deployed.
    pub(crate) async fn stored_image(
        &self,
        node: &Node,
    ) -> Result<Option<(StoredImage, ImageContent)>, Fault> {
        let Some(named) = named(&node.instance_info) else {
            return Ok(None);
        };
        let name = named.map_err(|error| Fault::InvalidParameter(error.to_string()))?;
        let found = store::image::named(&self.db, &name).await;
        let found = found.map_err(|error| lock::fault(error, node.id))?;
        let refuse = |text: String| Err(Fault::InvalidParameter(text));
        let Some(image) = found else {
            return refuse(format!(
                "The image store has no image {name}; 'corten image list' tells which it has."
            ));
        };
        let Some(content) = image.content.clone() else {
            let why = image.last_error.as_deref().map(|why| format!(": {why}"));
            return refuse(format!(
                "Image {name} of the image store cannot be deployed: it is {}{}",
                image.state,
                why.unwrap_or_default()
            ));
        };
        let arch = node.properties.get("cpu_arch").and_then(Value::as_str);
        let known = &content.survey.architectures;
        if let Some(arch) = arch.and_then(architecture)
            && !known.is_empty()
            && !known.iter().any(|one| one == arch)
        {
            return refuse(format!(
                "Image {name} of the image store is for {}, and cpu_arch of the node is {arch}.",
                known.join(", ")
            ));
        }
        Ok(Some((image, content)))
    }
}

/// The name of the image that an instance is of, if it is one of the store.
fn named(info: &JsonMap) -> Option<Result<ImageName, BadImageName>> {
    reference(info.get("image_source")?.as_str()?)
}

/// What an architecture is called by those that boot loaders of images are for; `None` for others.
fn architecture(word: &str) -> Option<&'static str> {
    Some(match word {
        "x86_64" | "amd64" => "x86_64",
        "aarch64" | "arm64" => "aarch64",
        "riscv64" => "riscv64",
        "loongarch64" => "loongarch64",
        _ => return None,
    })
}

/// Why work on an image ended without the image.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImageTrouble {
    /// It failed, told in a sentence.
    #[error("{0}")]
    Failed(String),
    /// The row was changed or removed by a request.
    #[error("the image was changed or removed meanwhile")]
    Unwanted,
    /// The conductor stops, or the database is away; the row stays as it is.
    #[error("the conductor stops, or the database is not reachable")]
    Interrupted,
}

impl From<image::ImageError> for ImageTrouble {
    fn from(error: image::ImageError) -> Self {
        Self::Failed(types::error::chain(&error))
    }
}

impl From<StoreError> for ImageTrouble {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Stale | StoreError::NotFound => Self::Unwanted,
            StoreError::Unavailable(_) => Self::Interrupted,
            other => Self::Failed(types::error::chain(&other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_references_to_the_store_are_looked_up() {
        let of = |source: Value| named(json!({"image_source": source}).as_object().unwrap());
        assert!(of(json!("http://h/i")).is_none() && of(json!(7)).is_none());
        assert!(of(json!("image://debian-13")).unwrap().is_ok());
        assert!(of(json!("image://../x")).unwrap().is_err());
    }

    #[test]
    fn a_content_is_brought_here_once_at_a_time() {
        let work = ImageWork::default();
        let content: ContentId = "ab".repeat(32).parse().unwrap();
        let (one, two) = (work.lock_of(&content), work.lock_of(&content));
        assert!(Arc::ptr_eq(&one, &two));
        let id = ImageId::generate();
        let running = work.begin(id);
        assert!(running.is_some() && work.begin(id).is_none());
        drop(running);
        assert!(!work.is_running(id));
    }
}
