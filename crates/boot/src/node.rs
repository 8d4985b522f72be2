//! What a node is to boot: all that the files and the servers need to know of it.

use serde::{Deserialize, Serialize};
use std::{fmt, net::IpAddr, path::PathBuf};
use types::{NodeId, port::MacAddress};

/// By which means a node boots: the boot interface of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootMethod {
    /// PXELINUX or GRUB over TFTP.
    Pxe,
    /// iPXE, which fetches by HTTP.
    Ipxe,
    /// GRUB over UEFI's HTTP boot.
    Http,
    /// iPXE over UEFI's HTTP boot.
    HttpIpxe,
}

impl BootMethod {
    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pxe => "PXE",
            Self::Ipxe => "iPXE",
            Self::Http => "HTTP boot",
            Self::HttpIpxe => "iPXE by HTTP boot",
        }
    }

    pub fn by_ipxe(self) -> bool {
        matches!(self, Self::Ipxe | Self::HttpIpxe)
    }

    /// Whether the firmware itself fetches by HTTP.
    pub fn by_http_boot(self) -> bool {
        matches!(self, Self::Http | Self::HttpIpxe)
    }

    /// Whether the node's files lie under the root of HTTP.
    pub fn in_http_root(self) -> bool {
        self != Self::Pxe
    }
}

/// The firmware interface that the node is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BootMode {
    Bios,
    Uefi,
}

impl BootMode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Bios => "bios",
            Self::Uefi => "uefi",
        }
    }
}

/// A file for the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Artifact {
    /// A file here, which is linked into the folder of the node.
    File(PathBuf),
    /// A place from which the machine fetches it itself; only iPXE can.
    Url(String),
}

/// Where Anaconda gets the rest of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    Stage2(String),
    Repository(String),
}

/// What the machine starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// The agent's ramdisk, to deploy, clean, inspect or serve.
    Agent { kernel: Artifact, ramdisk: Artifact },
    /// The agent's ramdisk, to rescue: only the names of its files differ.
    Rescue { kernel: Artifact, ramdisk: Artifact },
    /// The user's own ramdisk.
    Ramdisk {
        kernel: Artifact,
        ramdisk: Artifact,
        /// `ramdisk_kernel_arguments` of the instance.
        arguments: String,
    },
    /// A root on the disk, whose kernel comes from the network.
    Root {
        kernel: Artifact,
        ramdisk: Artifact,
        /// What the kernel is told of its root, such as `UUID=…`.
        root: String,
    },
    /// The user's own ISO image, which only iPXE can start.
    Iso(Artifact),
    /// The installer of Red Hat's family.
    Anaconda {
        kernel: Artifact,
        ramdisk: Artifact,
        kickstart: String,
        source: Source,
    },
    /// What is on the disk, for firmware that insists on the network.
    Disk {
        /// The identifier of its partition table, if somebody knows it.
        identifier: Option<String>,
    },
    /// A volume on a storage network, which only iPXE can start.
    Volume(VolumeBoot),
}

/// The iSCSI volumes of a machine, the one that it boots from first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VolumeBoot {
    /// The name under which the machine logs in.
    pub initiator: Option<String>,
    pub root: IscsiVolume,
    pub others: Vec<IscsiVolume>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IscsiVolume {
    /// One URL for each way to it (`iscsi:HOST::PORT:LUN:IQN`, RFC 4173).
    pub urls: Vec<String>,
    pub login: Option<ChapLogin>,
}

/// Name and password for CHAP. The password is in the published script, as iPXE needs it there, but
/// is not shown by `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChapLogin {
    pub username: String,
    pub password: String,
}

impl fmt::Debug for ChapLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ChapLogin");
        shown.field("username", &self.username);
        shown.finish_non_exhaustive()
    }
}

/// A network interface that may boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootPort {
    pub mac: MacAddress,
    /// A port with a client id of its own is on InfiniBand, where PXELINUX looks elsewhere.
    pub infiniband: bool,
    /// Addresses that it is to have, if they are fixed.
    pub addresses: Vec<IpAddr>,
}

impl BootPort {
    pub fn new(mac: MacAddress) -> Self {
        Self {
            mac,
            infiniband: false,
            addresses: Vec::new(),
        }
    }
}

/// A node that boots from the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeBoot {
    pub node: NodeId,
    /// Those that are enabled for PXE.
    pub ports: Vec<BootPort>,
    /// The UUID that the firmware has, which PXELINUX looks for first.
    pub system_uuid: Option<String>,
    pub way: BootMethod,
    pub mode: BootMode,
    /// `cpu_arch` of the node's properties.
    pub cpu_arch: Option<String>,
    pub start: Start,
    /// Kernel parameters; see [`crate::cmdline`].
    pub append: String,
    /// Addresses that the DHCP provider reports; GRUB is also found by them.
    pub addresses: Vec<IpAddr>,
    /// Whether the ramdisk's kernel is told the address that the loader got (`ip=`). GRUB cannot.
    #[serde(default)]
    pub tells_address: bool,
}

impl NodeBoot {
    /// The files that the start needs, each with its name in the folder of the node.
    pub fn artifacts(&self) -> Vec<(&'static str, &Artifact)> {
        match &self.start {
            Start::Agent { kernel, ramdisk } => {
                vec![("deploy_kernel", kernel), ("deploy_ramdisk", ramdisk)]
            }
            Start::Rescue { kernel, ramdisk } => {
                vec![("rescue_kernel", kernel), ("rescue_ramdisk", ramdisk)]
            }
            Start::Ramdisk {
                kernel, ramdisk, ..
            }
            | Start::Root {
                kernel, ramdisk, ..
            }
            | Start::Anaconda {
                kernel, ramdisk, ..
            } => {
                vec![("kernel", kernel), ("ramdisk", ramdisk)]
            }
            Start::Iso(iso) => vec![("boot_iso", iso)],
            Start::Disk { .. } | Start::Volume(_) => Vec::new(),
        }
    }
}
