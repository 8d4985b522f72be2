//! The boot interface: what a machine boots, and from where.

use super::{Interface, Machine};
use crate::DriverError;
use async_trait::async_trait;
use std::{collections::BTreeMap, fmt};
use types::{LeaseProof, Timestamp, internal_info::objects::StoredObject};

/// Which of a node's ramdisks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RamdiskKind {
    /// The one that deploys, cleans, services and inspects.
    Deploy,
    Rescue,
}

impl RamdiskKind {
    /// What the names of its options and files begin with.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Deploy => "deploy_",
            Self::Rescue => "rescue_",
        }
    }
}

/// A ramdisk that a machine is to boot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ramdisk {
    pub kind: RamdiskKind,
    /// Kernel parameters for the agent, besides those of the configuration.
    pub parameters: Vec<(String, String)>,
    /// Whether its kernel is told the address that the loader got, for ramdisks that do not ask.
    pub tells_address: bool,
}

/// What a machine is to boot from next; the conductor tells its BMC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BootFrom {
    pub device: &'static str,
    /// What to do where the BMC does not know the device.
    pub instead: Option<&'static str>,
    pub persistent: bool,
}

impl BootFrom {
    pub const DISK: Self = Self::always("disk");

    pub const fn once(device: &'static str) -> Self {
        Self {
            persistent: false,
            ..Self::always(device)
        }
    }

    pub const fn always(device: &'static str) -> Self {
        Self {
            device,
            instead: None,
            persistent: true,
        }
    }
}

/// What an installer is told.
#[derive(Clone)]
pub struct InstallerOrder {
    pub source: InstallerSource,
    /// What its reports show.
    pub token: String,
    pub heartbeat_url: String,
    /// The files of the config drive, by path.
    pub config_drive: BTreeMap<String, Vec<u8>>,
}

impl fmt::Debug for InstallerOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("InstallerOrder");
        shown.field("source", &self.source);
        shown.field("heartbeat_url", &self.heartbeat_url);
        shown.finish_non_exhaustive()
    }
}

/// What an installer installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallerSource {
    /// Packages in a tree of files, which knows the rest of the installer too.
    Tree(String),
    /// An image that the installer fetches from where it is.
    Url(String),
    /// The image of the instance, which comes through this service.
    Published,
}

#[async_trait]
pub trait Boot: Interface {
    /// Whether an instance may be an iSCSI volume.
    fn boots_volumes(&self) -> bool {
        false
    }

    /// Whether ramdisks are booted from the network; then only ports that do so need one.
    fn boots_from_network(&self) -> bool {
        true
    }

    /// Whether an instance may be a ramdisk or a disc.
    fn boots_ramdisks(&self) -> bool {
        false
    }

    /// Whether the installer of an operating system can be booted.
    fn boots_installers(&self) -> bool {
        false
    }

    /// Whether such an instance can have a config drive beside it.
    fn takes_config_drive(&self) -> bool {
        false
    }

    /// Whether the ramdisk can be told its token before it asks for one.
    fn takes_token(&self, _machine: &Machine<'_>) -> bool {
        false
    }

    /// What a machine boots a ramdisk from over the network, where it may be tried again.
    fn retry_from(&self) -> Option<BootFrom> {
        None
    }

    /// The objects in Swift that this may make for the machine. They are in the node's row before
    /// anything is prepared or restored.
    fn objects(&self, _machine: &Machine<'_>) -> Vec<StoredObject> {
        Vec::new()
    }

    /// Brings here what a ramdisk is made of, before the machine is touched for its sake: what cannot
    /// be fetched is then known while the machine still does what it did.
    async fn fetch_ramdisk(
        &self,
        _machine: &Machine<'_>,
        _kind: RamdiskKind,
    ) -> Result<(), DriverError> {
        Ok(())
    }

    /// Makes a ramdisk available to the machine. `None` leaves the boot device as it is.
    async fn prepare_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        ramdisk: &Ramdisk,
    ) -> Result<Option<BootFrom>, DriverError>;
    async fn clean_up_ramdisk(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError>;
    /// Makes the machine boot its instance. `None` leaves the boot device as it is.
    async fn prepare_instance(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Option<BootFrom>, DriverError>;
    /// What was made for an instance goes as what was made for a ramdisk does.
    async fn clean_up_instance(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.clean_up_ramdisk(lease, machine).await
    }
    /// Brings here what an installer is made of and looks at what it will be told, before the machine
    /// is touched for its sake.
    async fn fetch_installer(
        &self,
        _machine: &mut Machine<'_>,
        _source: &InstallerSource,
    ) -> Result<(), DriverError> {
        Err(DriverError::Unsupported {
            what: "fetch_installer",
        })
    }
    /// Makes the machine boot an installer. `None` leaves the boot device as it is.
    async fn prepare_installer(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _order: &InstallerOrder,
    ) -> Result<Option<BootFrom>, DriverError> {
        Err(DriverError::Unsupported {
            what: "prepare_installer",
        })
    }
    /// Makes available again what [`Boot::prepare_ramdisk`] made at `prepared`, because another
    /// process did that, or because it is gone here. Whether anything had to be made.
    ///
    /// The machine may be booting from what is left of it, or run its ramdisk by now: neither is
    /// disturbed, and what it boots from next stays as it is.
    async fn restore_ramdisk(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _ramdisk: &Ramdisk,
        _prepared: Timestamp,
    ) -> Result<bool, DriverError> {
        Ok(false)
    }
    /// Whether this process still keeps all that a machine needs which waits for its ramdisk. Only
    /// what is here is looked at, and nobody is asked.
    async fn keeps_ramdisk(&self, _machine: &Machine<'_>) -> bool {
        true
    }
    /// Takes away what the machine needs no more, because its ramdisk runs and has reported, and
    /// what others should not read. The machine itself is not touched; before it is started again,
    /// [`Boot::keeps_ramdisk`] tells that something is missing.
    async fn ramdisk_called(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }
    /// Takes away what this process keeps for the machine to boot from, because another one serves
    /// it now. The machine itself is not touched.
    async fn forget(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }
    /// Whether the node says enough to boot it into a ramdisk that inspects it. What is unsupported
    /// here may still be inspected where an operator's own network boot serves the ramdisk.
    async fn validate_inspection(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Err(DriverError::Unsupported {
            what: "validate_inspection",
        })
    }
    /// Whether the node says enough to boot a ramdisk of this kind. Nothing is fetched.
    async fn validate_ramdisk(
        &self,
        _machine: &Machine<'_>,
        kind: RamdiskKind,
    ) -> Result<(), DriverError> {
        match kind {
            RamdiskKind::Deploy => Ok(()),
            RamdiskKind::Rescue => Err(DriverError::Unsupported {
                what: "validate_rescue",
            }),
        }
    }
}
