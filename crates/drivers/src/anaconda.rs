//! The `anaconda` deploy interface: the installer of Red Hat's family installs the machine.
//!
//! The conductor boots the installer through the node's boot interface, with a kickstart file that is
//! made for the machine, and waits. The installer reports by itself when it begins, fails and ends;
//! no agent takes part. Machines are cleaned and rescued by the agent all the same.

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

pub const NAME: &str = "anaconda";

/// Deployment by an installer.
#[derive(Debug, Clone, Copy)]
pub struct AnacondaDeploy;

#[async_trait]
impl Interface for AnacondaDeploy {
    fn name(&self) -> &'static str {
        NAME
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
impl Deploy for AnacondaDeploy {
    fn by(&self) -> DeployBy {
        DeployBy::Installer
    }

    fn takes_heartbeats(&self, _node: &Node) -> bool {
        true
    }
}
