//! Discs as objects in Swift, for BMCs that cannot reach this process.
//!
//! An object has the name that Ironic gives it, which follows from the node, so that making and
//! deleting it can be repeated. It is in the node's row before it is made, expires by itself, and
//! can be read by its temporary URL only. What cannot be deleted stays in the row, and goes with the
//! node or by its expiry.

use super::disc::{DiscRole, Discs};
use crate::{DriverError, Failure};
use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream, stream::BoxStream};
use openstack::{
    Deadline, Error,
    swift::{ObjectData, ObjectName, Swift, Upload},
};
use std::{io, path::PathBuf, sync::Arc, time::Duration};
use tokio::{fs::File, io::AsyncReadExt};
use types::internal_info::objects::{ObjectPurpose, StoredObject};

/// A disc has hundreds of megabytes.
const UPLOAD: Duration = Duration::from_secs(900);
/// For everything else.
const PATIENCE: Duration = Duration::from_secs(20);
/// How much of a file is in memory.
const PIECE: usize = 1 << 18;

/// Where discs are put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscContainer {
    /// `[redfish]swift_container`.
    pub name: String,
    /// How long a BMC may fetch them (`[redfish]swift_object_expiry_timeout`).
    pub lifetime: Duration,
}

/// A file that is sent, piece by piece.
struct FileUpload {
    path: PathBuf,
    length: u64,
}

impl Upload for FileUpload {
    fn length(&self) -> u64 {
        self.length
    }

    fn open(&self) -> BoxStream<'static, io::Result<Bytes>> {
        let path = self.path.clone();
        let opened = stream::once(File::open(path));
        let pieces = opened.flat_map(|opened| match opened {
            Err(error) => stream::iter([Err(error)]).boxed(),
            Ok(file) => stream::try_unfold(file, async |mut file| {
                let mut piece = BytesMut::with_capacity(PIECE);
                let read = file.read_buf(&mut piece).await?;
                Ok((read > 0).then(|| (piece.freeze(), file)))
            })
            .boxed(),
        });
        pieces.boxed()
    }
}

impl Discs<'_> {
    pub(super) fn client(&self) -> Result<&Swift, DriverError> {
        self.swift.ok_or_else(|| {
            DriverError::Environment("this process has no clients of OpenStack services".into())
        })
    }

    fn object(&self, container: &DiscContainer, kind: DiscRole) -> StoredObject {
        StoredObject {
            purpose: ObjectPurpose::VirtualMedia,
            container: container.name.clone(),
            object: format!("{}-{}{}", kind.word(), self.node, kind.ending()),
        }
    }

    /// The objects that discs of these kinds become.
    pub(super) fn objects(&self, kinds: &[DiscRole]) -> Vec<StoredObject> {
        let container = self.settings.swift.iter();
        container
            .flat_map(|container| kinds.iter().map(|kind| self.object(container, *kind)))
            .collect()
    }

    /// Puts a file into Swift, and says where a BMC reads it.
    pub(super) async fn store(
        &self,
        container: &DiscContainer,
        kind: DiscRole,
        name: &str,
    ) -> Result<String, DriverError> {
        let swift = self.client()?;
        let path = self.path(name);
        let length = match tokio::fs::metadata(&path).await {
            Ok(about) => about.len(),
            Err(error) => {
                let tried = format!("cannot read {}", path.display());
                return Err(DriverError::Environment(Failure::because(tried, error)));
            }
        };
        let object = self.object(container, kind);
        let at = ObjectName::new(&object.container, &object.object);
        let data = ObjectData::Upload {
            source: Arc::new(FileUpload { path, length }),
            md5: None,
        };
        let deadline = Deadline::after(UPLOAD);
        let stored = swift.put(&at, data, Some(container.lifetime), deadline);
        stored.await.map_err(|error| failed("put object", &error))?;
        let deadline = Deadline::after(PATIENCE);
        let url = swift.temp_url(&at, container.lifetime, deadline).await;
        let url = url.map_err(|error| failed("get temporary URL", &error))?;
        Ok(url.with_filename(&object.object).expose().to_owned())
    }

    /// Whether a disc of this kind can be fetched from Swift.
    pub(super) async fn has_object(&self, kind: DiscRole) -> bool {
        let Some((container, swift)) = self.settings.swift.as_ref().zip(self.swift) else {
            return false;
        };
        let object = self.object(container, kind);
        let at = ObjectName::new(&object.container, &object.object);
        swift.head(&at, Deadline::after(PATIENCE)).await.is_ok()
    }

    /// Deletes the noted objects of some kinds; those that are gone now.
    pub(super) async fn delete(&self, kinds: &[DiscRole]) -> Vec<StoredObject> {
        let mut gone = Vec::new();
        let Some(swift) = self.swift else { return gone };
        let noted = self.noted.iter().filter(|object| {
            object.purpose == ObjectPurpose::VirtualMedia
                && kinds
                    .iter()
                    .any(|kind| kind.is_of(self.node, &object.object))
        });
        for object in noted {
            let at = ObjectName::new(&object.container, &object.object);
            match swift.delete(&at, Deadline::after(PATIENCE)).await {
                Ok(_) => gone.push(object.clone()),
                Err(error) => {
                    let error = types::error::chain(&error);
                    tracing::warn!(
                        node = %self.node, container = object.container, object = object.object,
                        error, "a virtual medium stays in Swift until it expires"
                    );
                }
            }
        }
        gone
    }
}

/// In Ironic's words, then what can be done about it.
fn failed(operation: &str, error: &Error) -> DriverError {
    let (why, remedy) = (types::error::chain(error), error.remedy());
    DriverError::Environment(Failure::new(format!(
        "Swift operation '{operation}' failed: {why}; {remedy}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::TryStreamExt;

    #[tokio::test]
    async fn a_file_is_sent_whole_and_as_often_as_it_takes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("disc");
        let contents: Vec<u8> = (0..=250).cycle().take(PIECE * 2 + 7).collect();
        std::fs::write(&path, &contents).unwrap();
        let upload = FileUpload {
            path: path.clone(),
            length: contents.len() as u64,
        };
        for _ in 0..2 {
            let sent: Vec<Bytes> = upload.open().try_collect().await.unwrap();
            assert!(sent.concat() == contents);
        }
        std::fs::remove_file(path).unwrap();
        let sent: Result<Vec<Bytes>, _> = upload.open().try_collect().await;
        assert!(sent.is_err());
    }
}
