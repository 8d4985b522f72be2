//! The contents of an image, as the cache reads images.

use super::GlanceError;
use image::{
    ImageError,
    source::{Source, Stat, piped},
};
use openstack::{
    Caller, Deadline,
    glance::{Glance, Image},
};
use std::{
    io::Read,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::runtime::Handle;

/// A download may take as long as one at a mebibyte a second would, and some minutes more. Whether
/// anything comes at all is watched besides, by the timeout of each read.
const SLOWEST_RATE: u64 = 1 << 20;
const GRACE: Duration = Duration::from_secs(600);
/// For images whose size Glance does not tell.
const UNKNOWN_SIZE: u64 = 50 << 30;

/// An image of Glance.
#[derive(Debug)]
pub(super) struct GlanceSource {
    glance: Glance,
    image: Arc<Image>,
    caller: Caller,
    runtime: Handle,
    shown: String,
    stat: Stat,
}

impl GlanceSource {
    /// Must run within the runtime.
    pub(super) fn new(glance: Glance, image: Image, caller: Caller) -> Self {
        let sum = image.os_hash_value.as_ref().or(image.checksum.as_ref());
        let stat = Stat {
            size: image.size,
            etag: sum.cloned(),
            // The id stands for the contents, which never change.
            modified: Some(SystemTime::UNIX_EPOCH),
            ..Stat::default()
        };
        Self {
            glance,
            shown: format!("glance://{}", image.id),
            image: Arc::new(image),
            caller,
            runtime: Handle::current(),
            stat,
        }
    }
}

impl Source for GlanceSource {
    fn shown(&self) -> &str {
        &self.shown
    }

    fn stat(&self) -> &Stat {
        &self.stat
    }

    fn stream(&self) -> Result<Box<dyn Read + Send>, ImageError> {
        let (glance, image) = (self.glance.clone(), Arc::clone(&self.image));
        let (caller, shown) = (self.caller.clone(), self.shown.clone());
        let seconds = image.size.unwrap_or(UNKNOWN_SIZE) / SLOWEST_RATE;
        let limit = Duration::from_secs(seconds).saturating_add(GRACE);
        let reader = piped::reader(&self.runtime, async move |parts| {
            let failed = |error| ImageError::Service {
                image: shown.clone(),
                source: Box::new(GlanceError::of(&image.id, error)),
            };
            let deadline = Deadline::after(limit);
            let download = glance.download(&image, &caller, deadline).await;
            let mut download = download.map_err(failed)?;
            while let Some(part) = download.chunk().await.map_err(failed)? {
                if parts.send(part).await.is_break() {
                    break;
                }
            }
            Ok(())
        });
        Ok(Box::new(reader))
    }

    fn read_at(&self, _offset: u64, _length: usize) -> Result<Vec<u8>, ImageError> {
        // A part could not be compared with the checksum.
        Err(ImageError::NoRanges {
            image: self.shown.clone(),
        })
    }
}
