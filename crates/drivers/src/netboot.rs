//! Boot interfaces for machines that boot from the network: `pxe`, `ipxe`, `http` and `http-ipxe`.
//!
//! They gather what a node is to boot and publish it through the boot services of this process,
//! which write the files and answer the machine. What is published is remembered there, so nothing
//! has to be done for it after a restart, unless its files are gone.

mod installer;

use crate::{
    DriverError, Failure,
    boot_image::{self, BootImages, Instance, Pair},
    boot_mode,
    iface::{
        Boot, BootFrom, InstallerOrder, InstallerSource, Interface, Machine, Ramdisk, RamdiskKind,
    },
    network::NeutronDhcp,
    storage,
};
use async_trait::async_trait;
use boot::{
    Artifact, BootError, BootMethod, BootMode, BootPort, BootServices, NodeBoot, Start,
    cmdline::Parameters, dhcp_options::dhcp_options, dnsmasq::Dnsmasq,
};
use image::store::Purpose;
use std::{path::PathBuf, sync::Arc};
use types::{
    LeaseProof, ProvisionState, Timestamp, VolumeTarget, port::MacAddress, step::OnRestart,
};

/// What the configuration says about booting from the network.
#[derive(Debug, Clone)]
pub struct NetbootSettings {
    /// `[pxe]kernel_append_params`.
    pub append: String,
    /// Whether machines whose instance is on their disk are told so by the network as well.
    pub fallback: bool,
    /// `[deploy]default_boot_mode`.
    pub default_uefi: bool,
    /// A dnsmasq that is told about nodes, if there is one.
    pub dnsmasq: Option<Dnsmasq>,
    /// Neutron, if its DHCP agents serve machines.
    pub neutron: Option<NeutronDhcp>,
    /// `[anaconda]default_ks_template`; the one that comes with the service if there is none.
    pub kickstart_template: Option<PathBuf>,
    /// `[anaconda]insecure_heartbeat`.
    pub insecure_heartbeat: bool,
}

impl Default for NetbootSettings {
    fn default() -> Self {
        Self {
            append: "nofb vga=normal".to_owned(),
            fallback: false,
            default_uefi: true,
            dnsmasq: None,
            neutron: None,
            kickstart_template: None,
            insecure_heartbeat: false,
        }
    }
}

/// Booting from the network in one of the ways.
#[derive(Debug, Clone)]
pub struct Netboot {
    pub way: BootMethod,
    pub name: &'static str,
    /// What hands files out; `None` if this process does not.
    pub services: Option<boot::Boot>,
    pub images: BootImages,
    pub settings: Arc<NetbootSettings>,
}

const PROPERTIES: &[(&str, &str)] = &[
    (
        "deploy_kernel",
        "Kernel of the ramdisk that deploys, cleans and inspects: a URL or an absolute path. Required, here or in the configuration.",
    ),
    (
        "deploy_ramdisk",
        "The ramdisk itself: a URL or an absolute path. Required, here or in the configuration.",
    ),
    (
        "rescue_kernel",
        "Kernel of the rescue ramdisk. Required for rescue mode.",
    ),
    (
        "rescue_ramdisk",
        "The rescue ramdisk. Required for rescue mode.",
    ),
    (
        "kernel_append_params",
        "Kernel parameters of the ramdisk in place of [pxe]kernel_append_params, for which %default% stands. Optional.",
    ),
    (
        "force_persistent_boot_device",
        "Whether the boot device is set for every boot: Default, Always or Never. Optional.",
    ),
];

const INCOMPLETE: &str = "Cannot validate PXE bootloader. Some parameters were missing in node's driver_info and configuration";

impl Netboot {
    fn services(&self) -> Result<&boot::Boot, DriverError> {
        self.services.as_ref().ok_or_else(|| {
            DriverError::InvalidParameter(format!(
                "Boot interface '{}' needs files that machines can fetch, and this service hands out none: set [corten]tftp_listen and [corten]http_listen, or [deploy]http_url if another server does",
                self.name
            ))
        })
    }

    /// Whether there is a way to the machine.
    fn is_reachable(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        if machine.ports.is_empty() {
            return Err(no_ports(machine));
        }
        let files = self.services.as_ref().map(boot::Boot::files);
        if self.way.by_ipxe() && files.is_some_and(|files| files.http_url.is_none()) {
            return Err(DriverError::InvalidParameter(
                "iPXE boot is enabled but no HTTP URL or HTTP root was specified".to_owned(),
            ));
        }
        Ok(())
    }

    fn has_ramdisk(&self, machine: &Machine<'_>, kind: RamdiskKind) -> Result<(), DriverError> {
        self.images.check_ramdisk(machine, kind, INCOMPLETE)
    }

    /// The folder in which the node's files are.
    fn folder(&self, machine: &Machine<'_>) -> Result<PathBuf, DriverError> {
        let files = self.services()?.files();
        let root = if self.way.in_http_root() {
            &files.http_root
        } else {
            &files.tftp_root
        };
        Ok(root.join(machine.node.id.to_string()))
    }

    /// Brings an image into the node's folder.
    async fn artifact(
        &self,
        machine: &Machine<'_>,
        name: &str,
        href: &str,
    ) -> Result<Artifact, DriverError> {
        let caller = &machine.caller;
        if self.way.by_ipxe()
            && let Some(url) = self.images.ipxe_url(name, href, caller).await?
        {
            return Ok(Artifact::Url(url));
        }
        let folder = self.folder(machine)?;
        let made = tokio::fs::create_dir_all(&folder).await;
        made.map_err(|error| {
            let tried = format!("cannot make the folder {}", folder.display());
            DriverError::Environment(Failure::because(tried, error))
        })?;
        let path = folder.join(name);
        let images = &self.images;
        images
            .fetch(Purpose::Boot, name, href, &path, caller)
            .await?;
        Ok(Artifact::File(path))
    }

    async fn artifacts(
        &self,
        machine: &Machine<'_>,
        prefix: &str,
        pair: &Pair,
    ) -> Result<(Artifact, Artifact), DriverError> {
        let kernel = format!("{prefix}kernel");
        let ramdisk = format!("{prefix}ramdisk");
        Ok((
            self.artifact(machine, &kernel, &pair.kernel).await?,
            self.artifact(machine, &ramdisk, &pair.ramdisk).await?,
        ))
    }

    /// Everything about the node but what it starts.
    async fn node_boot(
        &self,
        machine: &Machine<'_>,
        start: Start,
        append: String,
    ) -> Result<NodeBoot, DriverError> {
        let uefi = boot_mode::is_uefi(machine.node, self.settings.default_uefi)?;
        let ports = boot_ports(machine);
        if ports.is_empty() {
            return Err(no_ports(machine));
        }
        let addresses = match (&self.settings.dnsmasq, &self.settings.neutron) {
            // Without a lease there is nothing to know yet.
            (Some(dnsmasq), _) => {
                let (dnsmasq, macs) = (dnsmasq.clone(), macs(&ports));
                let found = blocking(move || dnsmasq.addresses(&macs)).await;
                found.unwrap_or_default()
            }
            // Only these look for a configuration by their address.
            (None, Some(neutron)) if self.way == BootMethod::Pxe => {
                neutron.addresses(machine).await
            }
            (None, _) => Vec::new(),
        };
        Ok(NodeBoot {
            node: machine.node.id,
            ports,
            system_uuid: None,
            way: self.way,
            mode: if uefi { BootMode::Uefi } else { BootMode::Bios },
            cpu_arch: boot_image::text(&machine.node.properties, "cpu_arch"),
            start,
            append,
            addresses,
            tells_address: false,
        })
    }

    fn parameters(&self, own: Option<&str>, agent: &[(String, String)]) -> String {
        const DEBUG: &str = "ipa-debug";
        // It has a place of its own in the line, and gives way to what the node says about it.
        let debug = agent.iter().any(|(key, _)| key == DEBUG);
        let agent = agent.iter().filter(|(key, _)| key != DEBUG);
        let parameters = Parameters {
            own,
            default: &self.settings.append,
            debug,
            agent: agent
                .map(|(key, value)| {
                    let value = (!value.is_empty()).then(|| value.clone());
                    (key.clone(), value)
                })
                .collect(),
            request_id: None,
        };
        parameters.line()
    }

    async fn publish(&self, machine: &mut Machine<'_>, boot: NodeBoot) -> Result<(), DriverError> {
        let services = self.services()?;
        services.publish(boot.clone()).await.map_err(failed)?;
        if let Some(neutron) = &self.settings.neutron {
            let options = dhcp_options(services.files(), &boot).map_err(failed)?;
            neutron.set_options(machine, &options).await?;
        }
        let Some(dnsmasq) = self.settings.dnsmasq.clone() else {
            return Ok(());
        };
        let info = &mut machine.node.driver_internal_info;
        let tag = match info.dnsmasq_tag() {
            Some(tag) => tag.to_owned(),
            None => types::NodeId::generate().to_string(),
        };
        info.set_dnsmasq_tag(&tag);
        let options = dhcp_options(services.files(), &boot).map_err(failed)?;
        blocking(move || dnsmasq.update(&boot, &tag, &options)).await
    }

    async fn withdraw(&self, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        self.take_away(machine).await?;
        machine.node.driver_internal_info.forget_dnsmasq_tag();
        Ok(())
    }

    async fn take_away(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let Some(services) = &self.services else {
            return Ok(());
        };
        let node = machine.node.id;
        services.withdraw(node).await.map_err(failed)?;
        if let Some(dnsmasq) = self.settings.dnsmasq.clone() {
            let ports = macs(&boot_ports(machine));
            blocking(move || dnsmasq.clean(node, &ports)).await?;
        }
        self.images.clean_up().await;
        Ok(())
    }

    fn network_boot(&self, persistent: bool) -> BootFrom {
        // Not every BMC has a word for HTTP, and to firmware it is booting from the network.
        let (device, instead) = match self.way.by_http_boot() {
            true => ("uefihttp", Some("pxe")),
            false => ("pxe", None),
        };
        BootFrom {
            device,
            instead,
            persistent,
        }
    }
}

/// The iSCSI volume that the instance was deployed to boot from.
fn root_volume<'m>(machine: &'m Machine<'_>) -> Result<Option<&'m VolumeTarget>, DriverError> {
    let Some(id) = machine.node.driver_internal_info.boot_volume() else {
        return Ok(None);
    };
    let mut targets = machine.volumes.targets.iter();
    let target = targets.find(|target| target.id == id).ok_or_else(|| {
        DriverError::InvalidParameter(format!(
            "Node {} boots from volume target {id}, which it does not have any more",
            machine.node.id
        ))
    })?;
    Ok(storage::is_iscsi(target).then_some(target))
}

fn boot_ports(machine: &Machine<'_>) -> Vec<BootPort> {
    let ports = machine.ports.iter().filter(|port| port.pxe_enabled);
    ports
        .map(|port| BootPort {
            infiniband: boot_image::text(&port.extra, "client-id").is_some(),
            ..BootPort::new(port.address)
        })
        .collect()
}

fn macs(ports: &[BootPort]) -> Vec<MacAddress> {
    ports.iter().map(|port| port.mac).collect()
}

fn no_ports(machine: &Machine<'_>) -> DriverError {
    let node = machine.node.id;
    DriverError::InvalidParameter(if machine.ports.is_empty() {
        format!("Node {node} does not have any port associated with it")
    } else {
        format!("No port of node {node} is enabled for PXE, so it cannot boot from the network")
    })
}

fn failed(error: BootError) -> DriverError {
    match error {
        BootError::Node { .. } => DriverError::InvalidParameter(error.to_string()),
        other => DriverError::Environment(Failure::new(types::error::chain(&other))),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BootError> + Send + 'static,
) -> Result<T, DriverError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(failed),
        Err(error) => Err(DriverError::Environment(Failure::because(
            "a worker ended early",
            error,
        ))),
    }
}

#[async_trait]
impl Interface for Netboot {
    fn name(&self) -> &'static str {
        self.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.is_reachable(machine)?;
        boot_image::check_soundness(machine.node)?;
        if self.images.needs_agent(machine.node) {
            self.has_ramdisk(machine, RamdiskKind::Deploy)?;
        }
        match self.images.check_instance(machine).await? {
            Instance::DiskByNetwork => self.check_disk_by_network(machine)?,
            Instance::Installer(_) => self.check_installer_place()?,
            _ => {}
        }
        if boot_ports(machine).is_empty() {
            return Err(no_ports(machine));
        }
        self.services().map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        // Publishing and withdrawing are done anew as often as it takes.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Boot for Netboot {
    fn boots_volumes(&self) -> bool {
        self.way.by_ipxe()
    }

    fn boots_ramdisks(&self) -> bool {
        true
    }

    fn boots_installers(&self) -> bool {
        true
    }

    fn retry_from(&self) -> Option<BootFrom> {
        Some(self.network_boot(false))
    }

    async fn fetch_installer(
        &self,
        machine: &mut Machine<'_>,
        source: &InstallerSource,
    ) -> Result<(), DriverError> {
        self.fetch_installer_files(machine, source).await.map(drop)
    }

    async fn prepare_installer(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        order: &InstallerOrder,
    ) -> Result<Option<BootFrom>, DriverError> {
        self.publish_installer(machine, order).await?;
        Ok(Some(self.network_boot(true)))
    }

    async fn validate_inspection(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        boot_image::check_soundness(machine.node)?;
        let enough = self
            .is_reachable(machine)
            .and_then(|()| self.has_ramdisk(machine, RamdiskKind::Deploy))
            .and_then(|()| self.services().map(|_| ()));
        enough.map_err(|error| DriverError::UnmanagedInspection(types::error::chain(&error)))
    }

    async fn validate_ramdisk(
        &self,
        machine: &Machine<'_>,
        kind: RamdiskKind,
    ) -> Result<(), DriverError> {
        self.has_ramdisk(machine, kind)
    }

    async fn forget(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.take_away(machine).await
    }

    async fn fetch_ramdisk(
        &self,
        machine: &Machine<'_>,
        kind: RamdiskKind,
    ) -> Result<(), DriverError> {
        let pair = self.images.ramdisk(machine, kind, INCOMPLETE)?;
        self.artifacts(machine, kind.word(), &pair).await.map(drop)
    }

    async fn prepare_ramdisk(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
    ) -> Result<Option<BootFrom>, DriverError> {
        self.publish_ramdisk(machine, ramdisk).await?;
        Ok(Some(self.network_boot(false)))
    }

    async fn restore_ramdisk(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
        _prepared: Timestamp,
    ) -> Result<bool, DriverError> {
        // Files get their names when they are complete, and another process that still serves the
        // machine serves it the same.
        self.publish_ramdisk(machine, ramdisk).await?;
        Ok(true)
    }

    async fn keeps_ramdisk(&self, machine: &Machine<'_>) -> bool {
        match &self.services {
            Some(services) => services.is_published(machine.node.id).await,
            None => true,
        }
    }

    async fn clean_up_ramdisk(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.withdraw(machine).await
    }

    async fn prepare_instance(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Option<BootFrom>, DriverError> {
        if let Some(root) = root_volume(machine)? {
            let start = Start::Volume(storage::volume_boot(machine, root)?);
            let boot = self.node_boot(machine, start, String::new()).await?;
            self.publish(machine, boot).await?;
            return Ok(Some(self.network_boot(true)));
        }
        let start = match self.images.instance(machine).await? {
            // What was installed is on the disk; the installer is booted by an order only.
            Instance::Disk | Instance::Installer(_) => return self.prepare_disk(machine).await,
            Instance::DiskByNetwork => {
                self.check_disk_by_network(machine)?;
                let identifier = machine.node.driver_internal_info.root_identifier();
                Start::Disk {
                    identifier: identifier.map(str::to_owned),
                }
            }
            Instance::Root { pair, uuid } => {
                let root = uuid.ok_or_else(|| {
                    DriverError::InvalidParameter(format!(
                        "Node {} is to boot from the network, and the root of its instance is not known",
                        machine.node.id
                    ))
                })?;
                let (kernel, ramdisk) = self.artifacts(machine, "", &pair).await?;
                Start::Root {
                    kernel,
                    ramdisk,
                    root: root_parameter(&root),
                }
            }
            Instance::Iso(iso) => Start::Iso(self.artifact(machine, "boot_iso", &iso).await?),
            Instance::Ramdisk { pair, arguments } => {
                let (kernel, ramdisk) = self.artifacts(machine, "", &pair).await?;
                Start::Ramdisk {
                    kernel,
                    ramdisk,
                    arguments,
                }
            }
        };
        let append = self.parameters(boot_image::instance_parameters(machine), &[]);
        let boot = self.node_boot(machine, start, append).await?;
        self.publish(machine, boot).await?;
        Ok(Some(self.network_boot(true)))
    }
}

/// What the kernel is told of its root: the id of a filesystem.
fn root_parameter(id: &str) -> String {
    format!("UUID={id}")
}

impl Netboot {
    /// Firmware of the new kind is told what to boot from the disk by its own entries only.
    fn check_disk_by_network(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let node = &*machine.node;
        if !boot_mode::is_uefi(node, self.settings.default_uefi)? {
            return Ok(());
        }
        Err(DriverError::InvalidParameter(format!(
            "Conflict: Whole disk image being used for deploy, but cannot be used with node {} configured to use UEFI boot with netboot option",
            node.id
        )))
    }

    async fn publish_ramdisk(
        &self,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
    ) -> Result<(), DriverError> {
        let pair = self.images.ramdisk(machine, ramdisk.kind, INCOMPLETE)?;
        let (kernel, file) = self.artifacts(machine, ramdisk.kind.word(), &pair).await?;
        let start = match ramdisk.kind {
            RamdiskKind::Deploy => Start::Agent {
                kernel,
                ramdisk: file,
            },
            RamdiskKind::Rescue => Start::Rescue {
                kernel,
                ramdisk: file,
            },
        };
        let own = self.images.agent_parameters(machine)?;
        let append = self.parameters(own, &ramdisk.parameters);
        let boot = NodeBoot {
            tells_address: ramdisk.tells_address,
            ..self.node_boot(machine, start, append).await?
        };
        self.publish(machine, boot).await
    }

    async fn prepare_disk(
        &self,
        machine: &mut Machine<'_>,
    ) -> Result<Option<BootFrom>, DriverError> {
        if self.settings.fallback {
            let identifier = machine.node.driver_internal_info.root_identifier();
            let start = Start::Disk {
                identifier: identifier.map(str::to_owned),
            };
            let append = self.parameters(boot_image::instance_parameters(machine), &[]);
            let boot = self.node_boot(machine, start, append).await?;
            self.publish(machine, boot).await?;
        } else {
            self.withdraw(machine).await?;
        }
        let uefi = boot_mode::is_uefi(machine.node, self.settings.default_uefi)?;
        let vendor = boot_image::text(&machine.node.properties, "vendor");
        // These machines take back what the installed system wrote into their boot entries when
        // the BMC changes them as well.
        let is_touchy = uefi
            && machine.node.provision_state == ProvisionState::Deploying
            && vendor.is_some_and(|vendor| vendor.eq_ignore_ascii_case("lenovo"));
        Ok((!is_touchy).then_some(BootFrom::DISK))
    }
}

#[cfg(test)]
#[path = "netboot/tests.rs"]
mod tests;
