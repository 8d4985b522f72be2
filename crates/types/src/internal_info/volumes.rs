//! Which volumes a machine has, as far as this service attached them.
//!
//! It is written before a volume is touched and forgotten when the last one is detached, so that
//! after a crash nothing is attached twice and nothing is left attached.

use super::{InternalInfo, key};
use crate::{JsonMap, VolumeTargetId};
use serde::{Deserialize, Serialize};

/// Volumes that are attached to a machine, or may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VolumeAttachments {
    /// Whom they are attached to: the instance, or the node where there is none.
    pub server: String,
    /// How the machine presents itself. Volumes are detached as they were attached, although the
    /// node's connectors may have changed.
    pub connector: JsonMap,
    pub volumes: Vec<String>,
    /// Those of them that somebody asked for who had to show who they are. With these the service
    /// goes on in its own name; which others it may touch is judged each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub granted: Vec<String>,
    pub progress: AttachProgress,
}

/// How far attaching came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttachProgress {
    /// Any of the volumes may be reserved or attached by now.
    Attaching,
    /// The same, and an earlier attempt was interrupted: what is reserved is reserved by us.
    Resumed,
    Attached,
}

impl InternalInfo {
    pub fn volume_attachments(&self) -> Option<VolumeAttachments> {
        VolumeAttachments::deserialize(self.0.get(key::VOLUME_ATTACHMENTS)?).ok()
    }

    pub fn set_volume_attachments(&mut self, attachments: &VolumeAttachments) {
        // Texts are always JSON.
        if let Ok(value) = serde_json::to_value(attachments) {
            self.set(key::VOLUME_ATTACHMENTS, value);
        }
    }

    pub fn forget_volume_attachments(&mut self) {
        self.remove(key::VOLUME_ATTACHMENTS);
    }

    /// The volume target that the instance boots from.
    pub fn boot_volume(&self) -> Option<VolumeTargetId> {
        self.text(key::BOOT_FROM_VOLUME)?.parse().ok()
    }

    pub fn set_boot_volume(&mut self, target: VolumeTargetId) {
        self.set(key::BOOT_FROM_VOLUME, target.to_string());
    }

    pub fn forget_boot_volume(&mut self) {
        self.remove(key::BOOT_FROM_VOLUME);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn attachments_survive_a_restart() {
        let mut info = InternalInfo::default();
        assert_eq!(info.volume_attachments(), None);
        let attachments = VolumeAttachments {
            server: "i".into(),
            connector: JsonMap::from_iter([("host".to_owned(), json!("n"))]),
            volumes: vec!["v".into()],
            granted: vec!["v".into()],
            progress: AttachProgress::Attaching,
        };
        info.set_volume_attachments(&attachments);
        let text = serde_json::to_string(&info).unwrap();
        let again: InternalInfo = serde_json::from_str(&text).unwrap();
        assert_eq!(again.volume_attachments(), Some(attachments));
        info.forget_volume_attachments();
        assert_eq!(info, InternalInfo::default());
    }

    #[test]
    fn the_boot_volume_goes_with_the_instance() {
        let mut info = InternalInfo::default();
        let target = VolumeTargetId::generate();
        info.set_boot_volume(target);
        assert_eq!(info.boot_volume(), Some(target));
        info.forget_instance();
        assert_eq!(info.boot_volume(), None);
    }
}
