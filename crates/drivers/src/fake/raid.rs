//! Fake RAID: accepts a configuration to aim at, and like Ironic's has no steps to build it.

use super::Fake;
use crate::{iface::Raid, logical_disk::LOGICAL_DISK_PROPERTIES};
use async_trait::async_trait;

#[async_trait]
impl Raid for Fake {
    fn logical_disk_properties(&self) -> &'static [(&'static str, &'static str)] {
        LOGICAL_DISK_PROPERTIES
    }
}
