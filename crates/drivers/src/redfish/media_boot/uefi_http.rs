//! Booting a disc by HTTP: `redfish-https`.
//!
//! The disc is the one that virtual media would hold. No drive is needed for it: the BMC gives its
//! address to the firmware (`HttpBootUri`), which fetches the disc and boots it, once an address of
//! its own came by DHCP. There is nothing to eject afterwards and no second medium: neither
//! parameters (`config_via_removable`) nor a config drive can come beside the disc. Firmware that is
//! to fetch from a server with TLS must trust that server's certificate; this service enrols none.

use super::{DiscRole, DiscState, RedfishMediaBoot, is_up, kind_of, no_network};
use crate::{
    DriverError,
    boot_image::{self, Instance},
    boot_mode,
    iface::{Boot, BootFrom, Interface, Machine, Ramdisk, RamdiskKind},
    redfish::management::boot_device::{self, UEFI_HTTP_DEVICE},
};
use async_trait::async_trait;
use types::{LeaseProof, Timestamp, internal_info::objects::StoredObject, step::OnRestart};

/// A boot by HTTP of the discs that are made for virtual media.
#[derive(Debug, Clone)]
pub struct RedfishHttpBoot(pub RedfishMediaBoot);

/// Those of virtual media that say what is to be booted.
const PROPERTIES: &[(&str, &str)] = super::PROPERTIES.split_at(3).0;

impl RedfishHttpBoot {
    /// Whether the machine is to boot by UEFI: no other firmware fetches anything by HTTP.
    fn check_mode(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        if boot_mode::is_uefi(machine.node, self.0.settings.default_uefi)? {
            return Ok(());
        }
        Err(DriverError::InvalidParameter(format!(
            "boot interface '{}' needs UEFI, and node {} is to boot by BIOS: set boot_mode to uefi in its capabilities",
            self.0.name, machine.node.id
        )))
    }

    /// Whether the node says enough to boot its ramdisk for deployment.
    fn check_ramdisk(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.0.has_ramdisk(machine, RamdiskKind::Deploy)?;
        self.0.redfish.info(machine)?;
        self.check_mode(machine)?;
        self.0.discs(machine).check_place(machine)
    }
}

#[async_trait]
impl Interface for RedfishHttpBoot {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    /// As in Ironic the BMC is asked whether the firmware can do this: nothing else tells.
    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let media = &self.0;
        let info = media.redfish.info(machine)?;
        if media.images.needs_agent(machine.node) {
            media.has_ramdisk(machine, RamdiskKind::Deploy)?;
        }
        boot_image::check_soundness(machine.node)?;
        self.check_mode(machine)?;
        if let Instance::DiskByNetwork | Instance::Root { .. } | Instance::Installer(_) =
            media.images.check_instance(machine).await?
        {
            return Err(no_network(media.name));
        }
        media.discs(machine).check_place(machine)?;
        match boot_device::boots_by_http(&media.redfish, &info).await? {
            true => Ok(()),
            false => Err(DriverError::InvalidParameter(format!(
                "Node {} hardware does not support feature UefiHttp boot, which is required based upon the requested configuration.",
                machine.node.id
            ))),
        }
    }

    fn on_restart(&self) -> OnRestart {
        // Discs are made and addresses told anew as often as it takes.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Boot for RedfishHttpBoot {
    fn boots_ramdisks(&self) -> bool {
        true
    }

    fn objects(&self, machine: &Machine<'_>) -> Vec<StoredObject> {
        self.0.discs(machine).objects(&[DiscRole::Boot])
    }

    async fn forget(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.0.forget(machine).await
    }

    fn takes_token(&self, machine: &Machine<'_>) -> bool {
        self.0.own_disc(machine, kind_of(machine)).is_none()
    }

    async fn fetch_ramdisk(
        &self,
        machine: &Machine<'_>,
        kind: RamdiskKind,
    ) -> Result<(), DriverError> {
        self.0.fetch_ramdisk(machine, kind).await
    }

    async fn prepare_ramdisk(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
    ) -> Result<Option<BootFrom>, DriverError> {
        self.check_mode(machine)?;
        let parameters = self.0.parameters(machine, ramdisk);
        let publish = self.0.publish_disc(machine, ramdisk, parameters, None);
        let url = publish.await?;
        machine.node.driver_internal_info.set_redfish_http_url(&url);
        Ok(Some(BootFrom::once(UEFI_HTTP_DEVICE)))
    }

    async fn restore_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
        prepared: Timestamp,
    ) -> Result<bool, DriverError> {
        let media = &self.0;
        if is_up(machine) || !media.makes_disc(machine, ramdisk.kind) {
            return Ok(false);
        }
        let info = media.redfish.info(machine)?;
        let told = boot_device::http_address(&media.redfish, &info).await?;
        let told: Vec<&str> = told.as_deref().into_iter().collect();
        match media
            .look(machine, &[DiscRole::Boot], &told, prepared)
            .await?
        {
            DiscState::Whole => Ok(false),
            // The firmware looks in the right place, so what it finds there is enough.
            DiscState::Unpublished(name) => {
                let parameters = media.parameters(machine, ramdisk);
                let publish = media.publish_disc(machine, ramdisk, parameters, Some(name));
                publish.await?;
                Ok(true)
            }
            // The address is part of what the BMC is told to boot from, so it is told anew.
            DiscState::Lost => {
                self.prepare_ramdisk(lease, machine, ramdisk).await?;
                let device = UEFI_HTTP_DEVICE;
                boot_device::set(&media.redfish, lease, machine, &info, device, false).await?;
                Ok(true)
            }
        }
    }

    async fn keeps_ramdisk(&self, machine: &Machine<'_>) -> bool {
        self.0.keeps_ramdisk(machine).await
    }

    async fn ramdisk_called(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.0.ramdisk_called(machine).await
    }

    async fn clean_up_ramdisk(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.0.remove_discs(machine).await
    }

    async fn prepare_instance(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Option<BootFrom>, DriverError> {
        let instance = self.0.images.instance(machine).await?;
        self.0.remove_discs(machine).await?;
        if instance != Instance::Disk {
            self.check_mode(machine)?;
            for object in self.objects(machine) {
                machine.node.driver_internal_info.note_object(object);
            }
        }
        let Some(url) = self.0.publish_instance(machine, instance).await? else {
            return Ok(Some(BootFrom::DISK));
        };
        machine.node.driver_internal_info.set_redfish_http_url(&url);
        Ok(Some(BootFrom::always(UEFI_HTTP_DEVICE)))
    }

    async fn validate_inspection(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.check_ramdisk(machine)
    }

    async fn validate_ramdisk(
        &self,
        machine: &Machine<'_>,
        kind: RamdiskKind,
    ) -> Result<(), DriverError> {
        self.0.has_ramdisk(machine, kind)?;
        self.check_mode(machine)
    }
}
