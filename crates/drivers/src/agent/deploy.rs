//! Deploy interfaces whose work an agent does: `direct`, `bootc` and `custom-agent`, and `iscsi` of
//! Ironic up to version 17, where the agent exports the disk and the conductor writes it.
//!
//! They are tables. The conductor boots the ramdisk, carries out the steps of these lists with the
//! other interfaces of the node, and puts the agent's own steps between them; so the methods that
//! other deploy interfaces do their work in have nothing to do here.

use super::iscsi_check;
use crate::{
    DriverError, boot_image,
    glance::Reference,
    iface::{Deploy, DeployBy, ImageWriter, Interface, Machine},
};
use async_trait::async_trait;
use types::{
    Node, oci, pyrepr,
    step::{OnRestart, StepKind, StepSpec},
};

/// Deployment by an agent.
#[derive(Debug, Clone, Copy)]
pub struct AgentDeploy {
    name: &'static str,
    writer: ImageWriter,
}

/// Whose being done twice is harmless unless the agent is at it already.
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

const DEPLOY: StepSpec = step("deploy", 100, OnRestart::Repeat);
const WRITE_IMAGE: StepSpec = step("write_image", 80, OnRestart::Reattach);
const PREPARE_BOOT: StepSpec = step("prepare_instance_boot", 60, OnRestart::Repeat);
const TEAR_DOWN: StepSpec = step("tear_down_agent", 40, OnRestart::Repeat);
const SWITCH: StepSpec = step("switch_to_tenant_network", 30, OnRestart::Repeat);
const BOOT: StepSpec = step("boot_instance", 20, OnRestart::Repeat);

/// The steps of interfaces that have but the one.
pub(crate) const ONE: &[StepSpec] = &[DEPLOY];

const DIRECT: &[StepSpec] = &[DEPLOY, WRITE_IMAGE, PREPARE_BOOT, TEAR_DOWN, SWITCH, BOOT];
// A half written disk is written from the start.
const WRITE_OVER_ISCSI: StepSpec = step("write_image", 80, OnRestart::Repeat);
const ISCSI: &[StepSpec] = &[
    DEPLOY,
    WRITE_OVER_ISCSI,
    PREPARE_BOOT,
    TEAR_DOWN,
    SWITCH,
    BOOT,
];
const BOOTC: &[StepSpec] = &[
    DEPLOY,
    step("execute_bootc_install", 80, OnRestart::Reattach),
    PREPARE_BOOT,
    step("set_boot_to_disk", 60, OnRestart::Repeat),
    TEAR_DOWN,
    SWITCH,
    BOOT,
];
const CUSTOM: &[StepSpec] = &[DEPLOY, PREPARE_BOOT, TEAR_DOWN, SWITCH, BOOT];

/// What `driver_info` may say to every interface of this kind.
const PROPERTIES: &[(&str, &str)] = &[
    (
        "deploy_forces_oob_reboot",
        "Whether the machine is switched off through its BMC, not by the agent, when the deployment is done. Optional.",
    ),
    (
        "agent_verify_ca",
        "Whom to trust where an agent sends no certificate: a file of authorities, true for the system's, false for anybody. Optional.",
    ),
    (
        "image_download_source",
        "How the agent gets the image: http (from where it is), local (through the conductor), swift (an image of Glance by a temporary URL). Optional.",
    ),
    ("image_http_proxy", "Proxy for images by HTTP. Optional."),
    ("image_https_proxy", "Proxy for images by HTTPS. Optional."),
    (
        "image_no_proxy",
        "Hosts that need no proxy, separated by commas. Optional.",
    ),
];

impl AgentDeploy {
    pub const DIRECT: Self = Self {
        name: "direct",
        writer: ImageWriter::Agent,
    };
    pub const CUSTOM: Self = Self {
        name: "custom-agent",
        writer: ImageWriter::Nobody,
    };
    pub const BOOTC: Self = Self {
        name: "bootc",
        writer: ImageWriter::Container,
    };
    pub const ISCSI: Self = Self {
        name: "iscsi",
        writer: ImageWriter::Conductor,
    };
}

#[async_trait]
impl Interface for AgentDeploy {
    fn name(&self) -> &'static str {
        self.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        boot_image::check_capabilities(machine.node)?;
        if machine.root_volume().is_some() {
            return Ok(());
        }
        match self.writer {
            ImageWriter::Nobody | ImageWriter::Playbook => Ok(()),
            ImageWriter::Agent => check_image(machine),
            ImageWriter::Conductor => iscsi_check::check(machine),
            ImageWriter::Container => check_container(machine),
        }
    }

    fn steps(&self) -> &'static [StepSpec] {
        match self.writer {
            ImageWriter::Nobody | ImageWriter::Playbook => CUSTOM,
            ImageWriter::Agent => DIRECT,
            ImageWriter::Conductor => ISCSI,
            ImageWriter::Container => BOOTC,
        }
    }

    fn on_restart(&self) -> OnRestart {
        // Preparing and putting back are done anew as often as it takes.
        OnRestart::Repeat
    }
}

/// Whether the instance names a container.
fn check_container(machine: &Machine<'_>) -> Result<(), DriverError> {
    let named = boot_image::text(&machine.node.instance_info, "image_source");
    match named {
        Some(source) if oci::name(&source).is_some() => Ok(()),
        other => Err(DriverError::InvalidParameter(format!(
            "Invalid image href {}. A container is oci://HOST[:PORT]/PATH[:TAG][@ALGORITHM:SUM].",
            other.as_deref().unwrap_or("None")
        ))),
    }
}

/// Whether the instance says enough about its image.
fn check_image(machine: &Machine<'_>) -> Result<(), DriverError> {
    let info = &machine.node.instance_info;
    let given = |key: &str| {
        let value = info.get(key)?;
        pyrepr::truth(value).then(|| pyrepr::to_str(value))
    };
    let invalid = |text: String| Err(DriverError::InvalidParameter(text));
    let node = machine.node.id;
    let Some(source) = given("image_source") else {
        return invalid(format!(
            "Node {node} failed to validate deploy image info. Some parameters were missing. Missing are: ['instance_info.image_source']"
        ));
    };
    if let Some(kind) = given("image_type")
        && !["whole-disk", "partition"].contains(&kind.as_str())
    {
        return invalid(format!(
            "Invalid image_type \"{kind}\", valid are whole-disk, partition"
        ));
    }
    match Reference::read(&source)? {
        // Glance knows the sum of its image, and this service that of its own.
        Reference::Glance(_) | Reference::Stored(_) => return Ok(()),
        // The sum of a file is computed when it is copied.
        Reference::Address(_) if source.starts_with("file://") => return Ok(()),
        Reference::Address(_) => {}
    }
    let has_sum = given("image_checksum").is_some();
    match (given("image_os_hash_algo"), given("image_os_hash_value")) {
        (Some(_), Some(_)) => Ok(()),
        (None, None) if has_sum => Ok(()),
        _ => invalid(format!(
            "image_source's \"image_checksum\", or \"image_os_hash_algo\" and \"image_os_hash_value\" must be provided in instance_info for node {node}"
        )),
    }
}

#[async_trait]
impl Deploy for AgentDeploy {
    fn by(&self) -> DeployBy {
        DeployBy::Agent
    }

    fn image_writer(&self) -> ImageWriter {
        self.writer
    }

    fn takes_heartbeats(&self, _node: &Node) -> bool {
        true
    }

    /// What is in a registry is a container to us: images of disks in registries are not served.
    fn suits(&self, node: &Node) -> bool {
        let source = boot_image::text(&node.instance_info, "image_source");
        let is_container = source.is_some_and(|source| source.starts_with(oci::SCHEME));
        is_container || self.writer != ImageWriter::Container
    }
}
