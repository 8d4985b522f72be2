//! The bytes of images on this conductor: where they are served, and which of them go.

#![expect(
    clippy::disallowed_methods,
    reason = "files are only touched in `spawn_blocking`"
)]

use super::ImageTrouble;
use crate::core::Core;
use image::{
    library::{Arrived, told},
    store::ImageStore,
};
use std::{fs, io, path::PathBuf};
use store::image::ImageFence;
use types::{
    Timestamp,
    image::{ContentId, ImageContent, ImageCopy},
};

impl Core {
    /// Keeps a content that is here. With a fence, the image is this from now on.
    ///
    /// In this order: the row that names the conductor, its file, the image's row. Whatever is there
    /// when a process dies is completed or removed by [`Self::tidy_images`].
    pub(super) async fn keep_image(
        &self,
        store: &ImageStore,
        arrived: Arrived,
        fence: Option<ImageFence>,
    ) -> Result<(), ImageTrouble> {
        let content = ImageContent {
            id: arrived.content.clone(),
            size: arrived.size,
            survey: told(&arrived.survey),
            fetched_at: Timestamp::now(),
        };
        let _alone = self.images.keeping.lock().await;
        self.note_copy(&content.id).await?;
        store.library().keep(arrived).await?;
        self.serve_copy(store, &content.id).await;
        if let Some(fence) = fence {
            store::image::finish(&self.db, fence, content).await?;
        }
        Ok(())
    }

    async fn note_copy(&self, content: &ContentId) -> Result<(), store::StoreError> {
        let images = &self.settings.images;
        let url = images.http_url.as_ref();
        let copy = ImageCopy {
            content: content.clone(),
            conductor: self.settings.host.clone(),
            url: url.map(|url| format!("{url}/{}/{content}", images.subdir)),
            created_at: Timestamp::now(),
        };
        store::image::add_copy(&self.db, copy).await
    }

    /// Makes a content known to the image server, for the other conductors.
    async fn serve_copy(&self, store: &ImageStore, content: &ContentId) {
        if self.settings.images.http_url.is_none() {
            return;
        }
        let (link, target) = (self.served_as(content), store.library().path(content));
        let linked = tokio::task::spawn_blocking(move || {
            let folder = link.parent().map(fs::create_dir_all);
            folder.transpose()?;
            match std::os::unix::fs::symlink(target, &link) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                linked => linked,
            }
        });
        if let Ok(Err(error)) = linked.await {
            // It is of use here all the same.
            tracing::warn!(%content, %error, "an image is not served to other conductors");
        }
    }

    fn served_as(&self, content: &ContentId) -> PathBuf {
        let images = &self.settings.images;
        images.http_root.join(&images.subdir).join(content.as_str())
    }

    /// Removes contents that no image has any more, and makes rows and files agree.
    pub(crate) async fn tidy_images(&self, store: &ImageStore) -> Result<u64, ImageTrouble> {
        let (library, me) = (store.library(), &self.settings.host);
        let _alone = self.images.keeping.lock().await;
        let here = library.contents().await?;
        let mut held = store::image::held_by(&self.db, me).await?;
        if here.is_empty() && held.is_empty() {
            return Ok(0);
        }
        let wanted = store::image::wanted(&self.db).await?;
        let mut removed = 0;
        for content in here {
            let is_held = held.remove(&content);
            if wanted.contains(&content) {
                if !is_held {
                    self.note_copy(&content).await?;
                }
                self.serve_copy(store, &content).await;
                continue;
            }
            let link = self.served_as(&content);
            let unlinked = tokio::task::spawn_blocking(move || fs::remove_file(link));
            // There need not be one.
            let _ = unlinked.await;
            library.remove(&content).await?;
            store::image::remove_copy(&self.db, &content, me).await?;
            tracing::info!(%content, "removed the bytes of an image that no row names any more");
            removed += 1;
        }
        for gone in held {
            store::image::remove_copy(&self.db, &gone, me).await?;
        }
        Ok(removed)
    }
}
