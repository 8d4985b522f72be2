//! Storage interfaces: machines whose disks are volumes of a storage network.
//!
//! `cinder` asks Cinder to attach and detach them. `external` takes what the targets of a node say,
//! for volumes that somebody else manages. Either way a machine without an image boots from the
//! volume whose boot index is 0.

mod attach;
mod cinder;
mod detach;
mod external;
mod iscsi;
mod requirements;

pub use cinder::{CinderSettings, CinderStorage};
pub use external::ExternalStorage;

pub(crate) use iscsi::{is_iscsi, volume_boot};

use crate::{boot_image, iface::Machine};
use std::fmt;
use types::{VolumeConnector, VolumeTarget};

/// What a node says about its remote volumes.
#[derive(Clone, PartialEq)]
pub struct Volumes {
    pub connectors: Vec<VolumeConnector>,
    /// In the order of their boot index, with opened secrets. Never to be stored or logged.
    pub targets: Vec<VolumeTarget>,
    /// Whether the node's boot interface can boot from an iSCSI volume.
    pub are_bootable: bool,
}

/// Of a node without volumes, or whose storage interface does not look at them.
pub static NO_VOLUMES: Volumes = Volumes {
    connectors: Vec::new(),
    targets: Vec::new(),
    are_bootable: false,
};

impl fmt::Debug for Volumes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Volumes")
            .field("connectors", &self.connectors.len())
            .field("targets", &self.targets.len())
            .finish_non_exhaustive()
    }
}

impl Machine<'_> {
    /// The volume that the instance boots from, in place of an image on a disk.
    pub fn root_volume(&self) -> Option<&VolumeTarget> {
        if boot_image::text(&self.node.instance_info, "image_source").is_some() {
            return None;
        }
        let mut targets = self.volumes.targets.iter();
        targets.find(|target| target.boot_index == 0)
    }
}
