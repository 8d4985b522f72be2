//! The `ramdisk` deploy interface: the instance is a kernel with a ramdisk, or a disc.
//!
//! Nothing is written to the machine. The conductor puts it on its networks, lets its boot interface
//! serve what the instance says, and switches it on.

use crate::{
    DriverError,
    agent::deploy::ONE,
    boot_image,
    iface::{Deploy, DeployBy, Interface, Machine},
};
use async_trait::async_trait;
use types::{
    Node,
    step::{OnRestart, StepSpec},
};

/// Deployment of what is not installed.
#[derive(Debug, Clone, Copy)]
pub struct RamdiskDeploy;

#[async_trait]
impl Interface for RamdiskDeploy {
    fn name(&self) -> &'static str {
        "ramdisk"
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        boot_image::check_capabilities(machine.node)
    }

    fn steps(&self) -> &'static [StepSpec] {
        ONE
    }

    fn on_restart(&self) -> OnRestart {
        // Publishing and switching on are done anew as often as it takes.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Deploy for RamdiskDeploy {
    fn by(&self) -> DeployBy {
        DeployBy::Ramdisk
    }

    fn takes_heartbeats(&self, _node: &Node) -> bool {
        // The agent still cleans the machine.
        true
    }

    /// Whoever lets the interface be chosen must also say that the instance is meant to be one of
    /// its kind: images on disks name kernels and ramdisks too.
    fn suits(&self, node: &Node) -> bool {
        let info = &node.instance_info;
        let given = |key: &str| boot_image::text(info, key).is_some();
        given("ironic_ramdisk_deploy") && (given("boot_iso") || given("kernel") && given("ramdisk"))
    }
}
