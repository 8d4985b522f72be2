//! Booting from virtual media: a disc is made for the machine, published, and put into its drive.
//!
//! The BMC fetches the disc by HTTP, from this process or from Swift, so its address is one that the
//! BMC reaches. A disc that is made here carries all that the agent must know, a token included; one that an operator made cannot,
//! unless a second medium does (`config_via_removable`). Discs go when they are no longer needed.

mod disc;
mod objects;
mod uefi_http;

pub use disc::{DiscSettings, now as disc_time};
pub use objects::DiscContainer;
pub use uefi_http::RedfishHttpBoot;

use super::{Info, Redfish, management::media};
use crate::{
    DriverError, Failure,
    boot_image::{self, BootImages, Instance},
    boot_mode,
    iface::{Boot, BootFrom, Interface, Machine, Ramdisk, RamdiskKind},
};
use async_trait::async_trait;
use disc::{Disc, DiscRole, Discs};
use image::bootiso::{Inject, parameters_floppy};
use openstack::Services;
use serde_json::Value;
use std::sync::Arc;
use types::{
    LeaseProof, ProvisionState as S, Timestamp, internal_info::objects::StoredObject,
    step::OnRestart, words,
};

/// Virtual media by Redfish, under one of its names.
#[derive(Debug, Clone)]
pub struct RedfishMediaBoot {
    pub redfish: Arc<Redfish>,
    pub images: BootImages,
    pub settings: Arc<DiscSettings>,
    /// For discs in Swift.
    pub openstack: Option<Arc<Services>>,
    pub name: &'static str,
}

const PROPERTIES: &[(&str, &str)] = &[
    (
        "deploy_kernel",
        "Kernel of the ramdisk that deploys, cleans and inspects: a URL or an absolute path. Required, here or in the configuration, if deploy_iso is not set.",
    ),
    (
        "deploy_ramdisk",
        "The ramdisk itself: a URL or an absolute path. Required, here or in the configuration, if deploy_iso is not set.",
    ),
    (
        "deploy_iso",
        "A disc with a ramdisk that deploys, cleans and inspects: a URL or an absolute path. Required if deploy_kernel and deploy_ramdisk are not set.",
    ),
    (
        "rescue_kernel",
        "Kernel of the rescue ramdisk. Required for rescue mode if rescue_iso is not set.",
    ),
    (
        "rescue_ramdisk",
        "The rescue ramdisk. Required for rescue mode if rescue_iso is not set.",
    ),
    (
        "rescue_iso",
        "A disc with the rescue ramdisk. Required for rescue mode if rescue_kernel and rescue_ramdisk are not set.",
    ),
    (
        "config_via_removable",
        "Whether the agent's parameters are also put on a virtual USB or floppy disk. Optional.",
    ),
    (
        "kernel_append_params",
        "Kernel parameters of the ramdisk in place of [redfish]kernel_append_params, for which %default% stands. Optional.",
    ),
    (
        "bootloader",
        "Image of an EFI system partition to boot discs by UEFI: a URL or an absolute path. Optional.",
    ),
    (
        "external_http_url",
        "Where the BMC reaches what this service publishes, in place of [deploy]external_http_url and [deploy]http_url. Optional.",
    ),
    (
        "vmedia_transport_protocol",
        "How the BMC is to fetch discs: HTTP or HTTPS, whichever they are published by; others are refused. Optional.",
    ),
    (
        "force_persistent_boot_device",
        "Whether the boot device is set for every boot: Default, Always or Never. Optional.",
    ),
];

const INCOMPLETE: &str =
    "Error validating Redfish virtual media. Some parameters were missing in node's driver_info";
const CD: &str = "cdrom";

impl RedfishMediaBoot {
    fn discs<'a>(&'a self, machine: &Machine<'_>) -> Discs<'a> {
        Discs {
            settings: &self.settings,
            images: &self.images,
            node: machine.node.id,
            caller: machine.caller.clone(),
            swift: self.openstack.as_ref().map(|services| services.swift()),
            noted: machine.node.driver_internal_info.stored_objects(),
        }
    }

    /// The disc that the operator made for a kind of ramdisk. Where nothing is said about rescue,
    /// the one for deployment has a rescue system as well.
    fn own_disc(&self, machine: &Machine<'_>, kind: RamdiskKind) -> Option<String> {
        let info = machine.driver_info;
        let disc = |kind: RamdiskKind| {
            let key = format!("{}iso", kind.word());
            let old = format!("redfish_{key}");
            boot_image::text(info, &key).or_else(|| boot_image::text(info, &old))
        };
        let lent = || {
            let lends = kind == RamdiskKind::Rescue && !self.images.has_own_rescue(machine);
            lends.then(|| disc(RamdiskKind::Deploy)).flatten()
        };
        disc(kind).or_else(lent)
    }

    fn wants_removable(machine: &Machine<'_>) -> bool {
        let info = machine.driver_info;
        let said = info
            .get("config_via_removable")
            .or_else(|| info.get("config_via_floppy"));
        said.and_then(words::boolean_value) == Some(true)
    }

    fn has_ramdisk(&self, machine: &Machine<'_>, kind: RamdiskKind) -> Result<(), DriverError> {
        if let Some(disc) = self.own_disc(machine, kind) {
            return self
                .images
                .check_address(&format!("{}iso", kind.word()), &disc);
        }
        self.images.check_ramdisk(machine, kind, INCOMPLETE)
    }

    /// Empties the drives and removes what was in them.
    async fn remove_all(&self, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        let mut devices = vec![CD.to_owned()];
        if has_config_drive(machine) || Self::wants_removable(machine) {
            devices.push("disk".to_owned());
        }
        if Self::wants_removable(machine) {
            devices.push("floppy".to_owned());
        }
        media::eject_all(&self.redfish, &info, Some(&devices)).await?;
        self.remove_discs(machine).await
    }

    async fn remove_discs(&self, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        let deleted = self.discs(machine).remove().await?;
        for object in &deleted {
            machine.node.driver_internal_info.forget_object(object);
        }
        Ok(())
    }

    /// Keeps the objects in the row that are about to be made again.
    fn note(&self, machine: &mut Machine<'_>) {
        for object in self.objects(machine) {
            machine.node.driver_internal_info.note_object(object);
        }
    }

    async fn insert(
        &self,
        machine: &Machine<'_>,
        info: &Info,
        device: &str,
        url: &str,
    ) -> Result<(), DriverError> {
        media::insert(&self.redfish, machine, info, device, url).await
    }

    /// What the agent is told, by a disc of ours or by a second medium.
    fn parameters(&self, machine: &Machine<'_>, ramdisk: &Ramdisk) -> Vec<(String, String)> {
        const CALLBACK: &str = "ipa-inspection-callback-url";
        const ENDPOINT: &str = "/v1/continue_inspection";
        let mut parameters = ramdisk.parameters.clone();
        if let Some(url) = &self.settings.callback_url {
            // Machines that boot this way may be on a network of their own.
            for (key, value) in &mut parameters {
                match key.as_str() {
                    "ipa-api-url" => url.clone_into(value),
                    CALLBACK if value.ends_with(ENDPOINT) => *value = format!("{url}{ENDPOINT}"),
                    _ => {}
                }
            }
        }
        if let Some(port) = machine.ports.iter().find(|port| has_vif(port)) {
            parameters.push(("BOOTIF".to_owned(), port.address.to_string()));
        }
        parameters.push(("boot_method".to_owned(), "vmedia".to_owned()));
        parameters
    }

    /// Puts the parameters on a second medium, where the machine has a drive for one.
    async fn insert_parameters(
        &self,
        machine: &mut Machine<'_>,
        info: &Info,
        parameters: &[(String, String)],
    ) -> Result<(), DriverError> {
        let drives = media::list(&self.redfish, info).await?;
        let takes = |word: &str| {
            drives.iter().any(|drive| {
                let types = drive.get("media_types").and_then(Value::as_array);
                types.is_some_and(|types| types.iter().any(|kind| kind == word))
            })
        };
        let device = if takes("USBStick") {
            "disk"
        } else if takes("Floppy") {
            "floppy"
        } else {
            machine.found.warnings.push(
                "parameters for the ramdisk were to come by a removable medium, but the machine has no drive for one".to_owned(),
            );
            return Ok(());
        };
        let floppy = parameters_floppy(parameters, disc::now()).map_err(disc::failed)?;
        let url = self
            .discs(machine)
            .publish_parameters(machine, floppy)
            .await?;
        self.insert(machine, info, device, &url).await
    }

    /// Makes the disc with a ramdisk, or passes on the operator's; where the BMC finds it.
    async fn publish_disc(
        &self,
        machine: &Machine<'_>,
        ramdisk: &Ramdisk,
        parameters: Vec<(String, String)>,
        name: Option<String>,
    ) -> Result<String, DriverError> {
        let discs = self.discs(machine);
        if let Some(disc) = self.own_disc(machine, ramdisk.kind) {
            return discs.publish_own(machine, &disc, None, name).await;
        }
        let disc = Disc {
            pair: self.images.ramdisk(machine, ramdisk.kind, INCOMPLETE)?,
            line: discs.line(self.images.agent_parameters(machine)?, parameters),
            inject: self.injected(machine),
            uefi: boot_mode::is_uefi(machine.node, self.settings.default_uefi)?,
        };
        discs.publish(machine, disc, name).await
    }

    /// Makes the disc of an instance, or passes on the user's; `None` for one on the disk.
    async fn publish_instance(
        &self,
        machine: &Machine<'_>,
        instance: Instance,
    ) -> Result<Option<String>, DriverError> {
        let discs = self.discs(machine);
        let url = match instance {
            Instance::Disk => return Ok(None),
            Instance::DiskByNetwork | Instance::Root { .. } | Instance::Installer(_) => {
                return Err(no_network(self.name));
            }
            Instance::Iso(iso) => {
                let key = "ramdisk_image_download_source";
                let source = boot_image::text(&machine.node.instance_info, key);
                let source = source.as_deref();
                discs.publish_own(machine, &iso, source, None).await?
            }
            Instance::Ramdisk { pair, arguments } => {
                let disc = Disc {
                    pair,
                    line: disc::Line::plain(format!("root=/dev/ram0 text {arguments}")),
                    inject: Vec::new(),
                    uefi: boot_mode::is_uefi(machine.node, self.settings.default_uefi)?,
                };
                discs.publish(machine, disc, None).await?
            }
        };
        Ok(Some(url))
    }

    /// Whether the disc with a ramdisk is one that we publish.
    fn makes_disc(&self, machine: &Machine<'_>, kind: RamdiskKind) -> bool {
        let own = self.own_disc(machine, kind);
        own.is_none_or(|disc| self.discs(machine).is_copied(&disc, None))
    }

    /// What has become of files that a BMC was told of, and is told of by these addresses now.
    async fn look(
        &self,
        machine: &Machine<'_>,
        wanted: &[DiscRole],
        images: &[&str],
        prepared: Timestamp,
    ) -> Result<DiscState, DriverError> {
        let discs = self.discs(machine);
        for &kind in wanted {
            let found = images
                .iter()
                .find_map(|&image| Some((image, discs.name_in(kind, image)?)));
            let Some((there, name)) = found else {
                return Ok(DiscState::Lost);
            };
            if self.settings.swift.is_some() {
                // An object is there as long as its address is good.
                if !discs.has_object(kind).await {
                    return Ok(DiscState::Lost);
                }
                continue;
            }
            if there != discs.url(machine, name)? {
                if !self.images.can_be_fetched(there).await {
                    return Ok(DiscState::Lost);
                }
            } else if !discs.is_made_since(name, prepared).await {
                return Ok(match kind {
                    DiscRole::Boot => DiscState::Unpublished(name.to_owned()),
                    DiscRole::Parameters | DiscRole::ConfigDrive => DiscState::Lost,
                });
            }
        }
        Ok(DiscState::Whole)
    }

    /// What is put on a disc besides the ramdisk.
    fn injected(&self, machine: &Machine<'_>) -> Vec<(String, Inject)> {
        let mut inject = Vec::new();
        if let Some(file) = &self.settings.ca_file {
            const PLACE: &str = "etc/ironic-python-agent/ironic.crt";
            let config = format!("[DEFAULT]\ncafile = /{PLACE}\n");
            inject.push((PLACE.to_owned(), Inject::File(file.clone())));
            inject.push((
                "etc/ironic-python-agent.d/ironic-tls.conf".to_owned(),
                Inject::Bytes(config.into_bytes()),
            ));
        }
        let inspecting = matches!(machine.node.provision_state, S::Inspecting | S::InspectWait);
        let own = &machine.node.network_data;
        // What Neutron says, where the operator says nothing.
        let data = match (&machine.network_data, own.is_empty()) {
            (Some(found), true) => found,
            _ => own,
        };
        let unwanted = inspecting && self.settings.force_dhcp;
        if !data.is_empty() && !unwanted {
            let text = Value::Object(data.clone()).to_string();
            inject.push((
                "openstack/latest/network_data.json".to_owned(),
                Inject::Bytes(text.into_bytes()),
            ));
        }
        inject
    }
}

/// Whether an instance that is a ramdisk has a config drive beside it.
fn has_config_drive(machine: &Machine<'_>) -> bool {
    let info = &machine.node.instance_info;
    boot_image::boots_ramdisk(machine.node) && info.contains_key("configdrive")
}

/// What is left of a disc that a machine was to boot from.
enum DiscState {
    /// The BMC can read it.
    Whole,
    /// The BMC looks for it here under this name, and there is none or only an older one.
    Unpublished(String),
    /// The drive is empty, or names a place that is gone.
    Lost,
}

/// Whether the ramdisk has called since the machine was started: it is all in memory then, and the
/// disc may be in use by nobody but itself.
fn is_up(machine: &Machine<'_>) -> bool {
    machine.node.driver_internal_info.has_agent()
}

/// The ramdisk that a node is about to boot, or runs.
fn kind_of(machine: &Machine<'_>) -> RamdiskKind {
    if machine.node.provision_state.is_rescue_family() {
        RamdiskKind::Rescue
    } else {
        RamdiskKind::Deploy
    }
}

/// Whether a port is on one of the networks that machines are put on for our work.
fn has_vif(port: &types::Port) -> bool {
    let info = &port.internal_info;
    [
        "cleaning_vif_port_id",
        "provisioning_vif_port_id",
        "rescuing_vif_port_id",
        "inspection_vif_port_id",
        "servicing_vif_port_id",
        "tenant_vif_port_id",
    ]
    .iter()
    .any(|key| boot_image::text(info, key).is_some())
}

fn no_network(name: &str) -> DriverError {
    DriverError::InvalidParameter(format!(
        "boot interface '{name}' boots no instances from the network: set boot_option to local in the capabilities of instance_info"
    ))
}

#[async_trait]
impl Interface for RedfishMediaBoot {
    fn name(&self) -> &'static str {
        self.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let node = &machine.node;
        if self.images.needs_agent(node) {
            self.has_ramdisk(machine, RamdiskKind::Deploy)?;
        }
        self.redfish.info(machine)?;
        media::check_transport(machine, None)?;
        boot_image::check_soundness(node)?;
        if let Instance::DiskByNetwork | Instance::Root { .. } | Instance::Installer(_) =
            self.images.check_instance(machine).await?
        {
            return Err(no_network(self.name));
        }
        self.discs(machine).check_place(machine)
    }

    fn on_restart(&self) -> OnRestart {
        // Discs are made and drives filled anew as often as it takes.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Boot for RedfishMediaBoot {
    fn boots_from_network(&self) -> bool {
        false
    }

    fn boots_ramdisks(&self) -> bool {
        true
    }

    fn takes_config_drive(&self) -> bool {
        true
    }

    fn objects(&self, machine: &Machine<'_>) -> Vec<StoredObject> {
        let mut kinds = vec![DiscRole::Boot];
        if Self::wants_removable(machine) {
            kinds.push(DiscRole::Parameters);
        }
        if has_config_drive(machine) {
            kinds.push(DiscRole::ConfigDrive);
        }
        self.discs(machine).objects(&kinds)
    }

    async fn forget(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        // Objects are in Swift for whoever serves the node.
        self.discs(machine).remove_files().await
    }

    fn takes_token(&self, machine: &Machine<'_>) -> bool {
        Self::wants_removable(machine) || self.own_disc(machine, kind_of(machine)).is_none()
    }

    async fn fetch_ramdisk(
        &self,
        machine: &Machine<'_>,
        kind: RamdiskKind,
    ) -> Result<(), DriverError> {
        // A disc of the operator's is fetched under the name that a machine may be reading.
        if self.own_disc(machine, kind).is_some() {
            return Ok(());
        }
        let pair = self.images.ramdisk(machine, kind, INCOMPLETE)?;
        self.discs(machine).fetch(&pair).await
    }

    async fn prepare_ramdisk(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
    ) -> Result<Option<BootFrom>, DriverError> {
        let info = self.redfish.info(machine)?;
        let parameters = self.parameters(machine, ramdisk);
        if Self::wants_removable(machine) {
            self.insert_parameters(machine, &info, &parameters).await?;
        }
        let url = self
            .publish_disc(machine, ramdisk, parameters, None)
            .await?;
        self.insert(machine, &info, CD, &url).await?;
        Ok(Some(BootFrom::once(CD)))
    }

    async fn restore_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
        prepared: Timestamp,
    ) -> Result<bool, DriverError> {
        if is_up(machine) {
            return Ok(false);
        }
        let info = self.redfish.info(machine)?;
        let drives = media::list(&self.redfish, &info).await?;
        let images: Vec<&str> = drives
            .iter()
            .filter_map(|drive| drive.get("image")?.as_str())
            .collect();
        let mut wanted = Vec::new();
        if Self::wants_removable(machine) {
            wanted.push(DiscRole::Parameters);
        }
        if self.makes_disc(machine, ramdisk.kind) {
            wanted.push(DiscRole::Boot);
        }
        match self.look(machine, &wanted, &images, prepared).await? {
            DiscState::Whole => Ok(false),
            // The address in the drive is right, so what is to be read there is enough.
            DiscState::Unpublished(name) => {
                let parameters = self.parameters(machine, ramdisk);
                self.publish_disc(machine, ramdisk, parameters, Some(name))
                    .await?;
                Ok(true)
            }
            DiscState::Lost => {
                self.prepare_ramdisk(lease, machine, ramdisk).await?;
                Ok(true)
            }
        }
    }

    async fn keeps_ramdisk(&self, machine: &Machine<'_>) -> bool {
        // A disc that the operator serves is not ours to lose.
        is_up(machine)
            || !self.makes_disc(machine, kind_of(machine))
            || self.discs(machine).has_boot().await
    }

    async fn ramdisk_called(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let mut kinds = vec![DiscRole::Parameters];
        // A disc of the operator holds no token, and a system may run from it.
        if self.own_disc(machine, kind_of(machine)).is_none() {
            kinds.push(DiscRole::Boot);
        }
        self.discs(machine).remove_kinds(&kinds).await.map(drop)
    }

    async fn clean_up_ramdisk(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.remove_all(machine).await
    }

    async fn prepare_instance(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Option<BootFrom>, DriverError> {
        let instance = self.images.instance(machine).await?;
        self.remove_all(machine).await?;
        if instance != Instance::Disk {
            self.note(machine);
        }
        let Some(url) = self.publish_instance(machine, instance).await? else {
            return Ok(Some(BootFrom::DISK));
        };
        let info = self.redfish.info(machine)?;
        self.insert(machine, &info, CD, &url).await?;
        if let Some(drive) = machine.config_drive.take() {
            let discs = self.discs(machine);
            let url = discs.publish_config_drive(machine, drive).await?;
            let inserted = self.insert(machine, &info, "disk", &url).await;
            inserted.map_err(|error| match error {
                DriverError::InvalidParameter(_) => DriverError::Rejected(Failure::new(format!(
                    "Cannot attach configdrive for node {}: no suitable virtual USB slot has been found",
                    machine.node.id
                ))),
                other => other,
            })?;
        }
        Ok(Some(BootFrom::always(CD)))
    }

    async fn validate_inspection(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        // Nobody else puts discs into drives, so what is missing here is an error.
        self.has_ramdisk(machine, RamdiskKind::Deploy)?;
        self.redfish.info(machine)?;
        media::check_transport(machine, None)?;
        self.discs(machine).check_place(machine)
    }

    async fn validate_ramdisk(
        &self,
        machine: &Machine<'_>,
        kind: RamdiskKind,
    ) -> Result<(), DriverError> {
        self.has_ramdisk(machine, kind)
    }
}
