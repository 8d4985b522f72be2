//! The `ansible` deploy interface: playbooks of the operator deploy and clean the machine.
//!
//! The conductor boots a ramdisk that the operator made (with an SSH server, Python and an agent that
//! reports) and runs `ansible-playbook` against it. Which playbooks, with which user and key, a node
//! may say for itself; the folder it names must be one that the operator allows, because playbooks run
//! programs as this service. [`Playbooks`] runs them, [`hints`] and [`variables`] make what they are
//! told. IPv6 works, unlike in Ironic, which cuts addresses at the first colon.

pub mod bundled;
pub mod hints;
mod lock;
mod playbooks;
pub mod variables;
mod vars;
mod watch;

pub use lock::sweep;
pub use playbooks::{Action, AnsibleSettings, PlaybookInput, Playbooks, Remote};
pub use vars::is_host;
pub use watch::{WATCH_WORD, Watch};

use crate::{
    DriverError, boot_image,
    iface::{Deploy, DeployBy, ImageWriter, Interface, Machine},
};
use async_trait::async_trait;
use std::sync::Arc;
use types::{
    Node,
    step::{OnRestart, StepKind, StepSpec},
};

pub const NAME: &str = "ansible";

/// Deployment by playbooks.
#[derive(Debug, Clone)]
pub struct AnsibleDeploy(pub Arc<Playbooks>);

const UNKNOWN: &str = "a playbook was under way, and it cannot be told how far it came";

const fn step(step: &'static str, priority: i64, on_restart: OnRestart) -> StepSpec {
    StepSpec {
        kind: StepKind::Deploy,
        step,
        priority,
        abortable: false,
        requires_ramdisk: true,
        args: &[],
        on_restart,
    }
}

const STEPS: &[StepSpec] = &[
    step("deploy", 100, OnRestart::Repeat),
    step("write_image", 80, OnRestart::Fail(UNKNOWN)),
    step("tear_down_agent", 40, OnRestart::Repeat),
    step("switch_to_tenant_network", 30, OnRestart::Repeat),
    step("boot_instance", 20, OnRestart::Repeat),
];

const PROPERTIES: &[(&str, &str)] = &[
    (
        "ansible_username",
        "User of the ramdisk that playbooks log in as; it may become root without a password. Optional.",
    ),
    (
        "ansible_key_file",
        "File with the private SSH key of that user; in a folder that the configuration allows. Optional.",
    ),
    (
        "ansible_playbooks_path",
        "Folder with the playbooks for this node; one that the configuration allows. Optional.",
    ),
    (
        "ansible_deploy_playbook",
        "Name of the playbook in that folder that deploys. Optional.",
    ),
    (
        "ansible_shutdown_playbook",
        "Name of the playbook in that folder that shuts the machine down. Optional.",
    ),
    (
        "ansible_clean_playbook",
        "Name of the playbook in that folder that cleans. Optional.",
    ),
    (
        "ansible_clean_steps_config",
        "Name of the file in that folder with the steps of a cleaning. Optional.",
    ),
    (
        "ansible_python_interpreter",
        "Path of Python in the ramdisk. Optional.",
    ),
    (
        "deploy_forces_oob_reboot",
        "Whether the machine is switched off through its BMC, not by a playbook, when the deployment is done. Optional.",
    ),
];

#[async_trait]
impl Interface for AnsibleDeploy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        boot_image::check_capabilities(machine.node)?;
        if boot_image::text(&machine.node.instance_info, "image_source").is_none() {
            return Err(DriverError::InvalidParameter(format!(
                "Node {} failed to validate deploy image info. Some parameters were missing. Missing are: ['instance_info.image_source']",
                machine.node.id
            )));
        }
        self.0.check(machine).await
    }

    fn steps(&self) -> &'static [StepSpec] {
        STEPS
    }

    fn on_restart(&self) -> OnRestart {
        // Preparing and putting back are done anew as often as it takes.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Deploy for AnsibleDeploy {
    fn by(&self) -> DeployBy {
        DeployBy::Agent
    }

    fn image_writer(&self) -> ImageWriter {
        ImageWriter::Playbook
    }

    fn playbooks(&self) -> Option<&Playbooks> {
        Some(&self.0)
    }

    fn takes_heartbeats(&self, _node: &Node) -> bool {
        true
    }

    fn suits(&self, node: &Node) -> bool {
        node.driver_info
            .keys()
            .any(|key| key.starts_with("ansible_"))
    }
}
