//! The legs: which machine, over which BMC, boots how, and gets what.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Firmware {
    Bios,
    Uefi,
    /// UEFI that runs signed programs only.
    SecureUefi,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bmc {
    /// `corten sim`, spoken to by IPMI.
    SimIpmi,
    /// `corten sim`, spoken to by Redfish.
    SimRedfish,
    /// pyghmi's server.
    Pyghmi,
    /// sushy-tools.
    Sushy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Card {
    Virtio,
    E1000e,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bus {
    Virtio,
    Ahci,
    Megasas,
}

/// Which ramdisk the machine boots for its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Virt,
    Server,
    /// ironic-python-agent in Debian.
    Stock,
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Virt => "virt",
            Self::Server => "server",
            Self::Stock => "stock",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Load {
    /// An image of a whole disk.
    Whole,
    /// An image of one filesystem.
    Partition,
    /// What `corten image build` makes: a whole disk.
    BuiltWhole,
    /// What `corten image build` makes: one filesystem.
    BuiltPartition,
}

impl Load {
    pub(crate) fn is_partition(self) -> bool {
        matches!(self, Self::Partition | Self::BuiltPartition)
    }

    pub(crate) fn is_built(self) -> bool {
        matches!(self, Self::BuiltWhole | Self::BuiltPartition)
    }
}

/// What a leg does besides the usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    /// Rescued and back; people log in to the rescue system and to the installed one.
    Rescue,
    /// Rebuilt twice from each kind of source.
    Rebuild,
    /// Volumes are made by the BMC, while an agent runs that offers software RAID.
    RedfishRaid,
    SoftwareRaid,
    Kexec,
    /// Nobody answers the machine's requests for an address.
    NoDhcp,
    /// The machine loses its power while the image is written.
    PowerLost,
    /// The instance boots from the network, also after the conductor was killed; installed again, it
    /// boots from its disk.
    Netboot,
    /// The same, installed by the bash ramdisk of releases up to 5.
    BashRamdisk,
    /// Installed again, the instance keeps its ephemeral partition and nothing else.
    Ephemeral,
    /// Two cards in a bond that carries one VLAN, with an address in it, as the node's `network_data`
    /// says; there is no DHCP server.
    BondByNetworkData,
    /// The same by kernel parameters, with an address by DHCP.
    BondByParameters,
}

#[derive(Debug, Clone)]
pub(crate) struct Leg {
    pub(crate) name: &'static str,
    pub(crate) firmware: Firmware,
    /// The boot interface.
    pub(crate) boot: &'static str,
    /// The deploy interface.
    pub(crate) deploy: &'static str,
    /// A driver name of old releases, which says what both are.
    pub(crate) old_name: Option<&'static str>,
    pub(crate) bmc: Bmc,
    pub(crate) card: Card,
    pub(crate) bus: Bus,
    pub(crate) memory: u32,
    pub(crate) profile: Profile,
    pub(crate) load: Load,
    pub(crate) extra: Option<Extra>,
}

/// The usual machine, of which each leg is a variant.
const USUAL: Leg = Leg {
    name: "",
    firmware: Firmware::Bios,
    boot: "ipxe",
    deploy: "direct",
    old_name: None,
    bmc: Bmc::SimIpmi,
    card: Card::Virtio,
    bus: Bus::Virtio,
    memory: 512,
    profile: Profile::Virt,
    load: Load::Whole,
    extra: None,
};

/// The usual machine of the time when the conductor wrote disks over iSCSI.
const OLD: Leg = Leg {
    boot: "pxe",
    deploy: "iscsi",
    old_name: Some("pxe_ipmitool"),
    ..USUAL
};

/// The leg that is quick enough for every change.
pub(crate) const QUICK: &str = "bios-ipxe";

/// All legs, longest first as far as is known: two run at a time.
pub(crate) fn all() -> Vec<Leg> {
    use {Bmc::*, Firmware::*};
    vec![
        Leg {
            name: "raid-uefi-http-ipxe",
            firmware: Uefi,
            boot: "http-ipxe",
            extra: Some(Extra::SoftwareRaid),
            ..USUAL
        },
        Leg {
            name: "rebuild-bios-ipxe",
            extra: Some(Extra::Rebuild),
            ..USUAL
        },
        Leg {
            name: "rescue-uefi-ipxe",
            firmware: Uefi,
            extra: Some(Extra::Rescue),
            ..USUAL
        },
        Leg {
            name: "redfish-raid-bios-ipxe",
            bmc: SimRedfish,
            extra: Some(Extra::RedfishRaid),
            ..USUAL
        },
        Leg {
            name: "partition-bios-pxe",
            boot: "pxe",
            load: Load::Partition,
            ..USUAL
        },
        Leg {
            // The conductor writes the disk, which the agent exports.
            name: "iscsi-partition-bios-pxe",
            boot: "pxe",
            deploy: "iscsi",
            load: Load::Partition,
            ..USUAL
        },
        Leg {
            name: "iscsi-uefi-ipxe",
            firmware: Uefi,
            deploy: "iscsi",
            ..USUAL
        },
        Leg {
            name: "old-bash-bios-pxe",
            load: Load::Partition,
            extra: Some(Extra::BashRamdisk),
            ..OLD
        },
        Leg {
            name: "old-netboot-bios-pxe",
            load: Load::Partition,
            extra: Some(Extra::Netboot),
            ..OLD
        },
        Leg {
            name: "old-netboot-uefi-pxe",
            firmware: Uefi,
            load: Load::Partition,
            extra: Some(Extra::Netboot),
            ..OLD
        },
        Leg {
            name: "old-ephemeral-bios-pxe",
            load: Load::Partition,
            extra: Some(Extra::Ephemeral),
            ..OLD
        },
        Leg {
            name: "old-whole-bios-pxe",
            ..OLD
        },
        Leg {
            name: "old-whole-uefi-pxe",
            firmware: Uefi,
            ..OLD
        },
        Leg {
            name: "built-netboot-bios-ipxe",
            deploy: "iscsi",
            load: Load::BuiltPartition,
            extra: Some(Extra::Netboot),
            ..USUAL
        },
        Leg {
            name: "built-secure-boot-pxe",
            firmware: SecureUefi,
            boot: "pxe",
            bmc: SimRedfish,
            load: Load::BuiltWhole,
            ..USUAL
        },
        Leg {
            name: "stock-agent-bios-ipxe",
            profile: Profile::Stock,
            memory: 3072,
            ..USUAL
        },
        Leg {
            name: "partition-uefi-pxe",
            firmware: Uefi,
            boot: "pxe",
            load: Load::Partition,
            ..USUAL
        },
        Leg {
            name: "vmedia",
            firmware: Uefi,
            boot: "redfish-virtual-media",
            bmc: SimRedfish,
            ..USUAL
        },
        Leg {
            name: "vmedia-sushy",
            firmware: Uefi,
            boot: "redfish-virtual-media",
            bmc: Sushy,
            ..USUAL
        },
        Leg {
            // The kernel of virtual machines has no driver for the drive that the disc is in.
            name: "bond-vlan-vmedia",
            firmware: Uefi,
            boot: "redfish-virtual-media",
            bmc: SimRedfish,
            profile: Profile::Server,
            memory: 1024,
            extra: Some(Extra::BondByNetworkData),
            ..USUAL
        },
        Leg {
            name: "bond-vlan-dhcp-vmedia",
            firmware: Uefi,
            boot: "redfish-virtual-media",
            bmc: SimRedfish,
            extra: Some(Extra::BondByParameters),
            ..USUAL
        },
        Leg {
            // OVMF has no driver for this controller; SeaBIOS has.
            name: "megasas-bios-ipxe",
            bus: Bus::Megasas,
            profile: Profile::Server,
            memory: 1024,
            ..USUAL
        },
        Leg {
            name: "e1000e-ahci-bios-ipxe",
            card: Card::E1000e,
            bus: Bus::Ahci,
            profile: Profile::Server,
            memory: 1024,
            ..USUAL
        },
        Leg {
            name: "secure-boot-pxe",
            firmware: SecureUefi,
            boot: "pxe",
            bmc: SimRedfish,
            ..USUAL
        },
        Leg {
            name: "uefi-pxe",
            firmware: Uefi,
            boot: "pxe",
            ..USUAL
        },
        Leg {
            name: "uefi-ipxe-sushy",
            firmware: Uefi,
            bmc: Sushy,
            ..USUAL
        },
        Leg {
            name: "uefi-http-ipxe",
            firmware: Uefi,
            boot: "http-ipxe",
            bmc: SimRedfish,
            ..USUAL
        },
        Leg {
            name: "bios-pxe-pyghmi",
            boot: "pxe",
            bmc: Pyghmi,
            ..USUAL
        },
        Leg {
            name: "kexec-bios-ipxe",
            extra: Some(Extra::Kexec),
            ..USUAL
        },
        Leg {
            name: "bios-pxe-256m",
            boot: "pxe",
            memory: 256,
            ..USUAL
        },
        Leg {
            name: "fault-power-lost",
            extra: Some(Extra::PowerLost),
            ..USUAL
        },
        Leg {
            name: "fault-no-dhcp",
            extra: Some(Extra::NoDhcp),
            ..USUAL
        },
        Leg {
            name: QUICK,
            ..USUAL
        },
    ]
}

impl Leg {
    pub(crate) fn is_uefi(&self) -> bool {
        self.firmware != Firmware::Bios
    }

    pub(crate) fn speaks_redfish(&self) -> bool {
        matches!(self.bmc, Bmc::SimRedfish | Bmc::Sushy)
    }

    /// Whether the machine is to boot from the network, and not from a virtual CD.
    pub(crate) fn boots_by_network(&self) -> bool {
        self.boot != "redfish-virtual-media"
    }

    /// Whether the switch talks to the machine by a bond and in a VLAN only.
    pub(crate) fn is_bonded(&self) -> bool {
        matches!(
            self.extra,
            Some(Extra::BondByNetworkData | Extra::BondByParameters)
        )
    }

    /// Network cards.
    pub(crate) fn cards(&self) -> usize {
        if self.is_bonded() { 2 } else { 1 }
    }

    pub(crate) fn disks(&self) -> usize {
        if self.extra == Some(Extra::SoftwareRaid) {
            2
        } else {
            1
        }
    }

    /// Whether the agent is told which disk is meant. An array has no name before it is made, and the
    /// bash ramdisk looks for serial numbers with a `grep` that busybox does not have.
    pub(crate) fn has_hint(&self) -> bool {
        !matches!(self.extra, Some(Extra::SoftwareRaid | Extra::BashRamdisk))
    }

    /// Whether cleaning makes every byte of the disk zero; where disks are large, tables and
    /// signatures only.
    pub(crate) fn erases_all(&self) -> bool {
        self.load == Load::Whole && self.extra != Some(Extra::SoftwareRaid)
    }

    /// In bytes. A partition image asks for a gibibyte at least, an agent without hints for four.
    pub(crate) fn disk_size(&self) -> u64 {
        let mebibytes = match (self.load, self.extra) {
            _ if !self.has_hint() => 5120,
            (_, Some(Extra::Ephemeral)) => 3072,
            (Load::Partition | Load::BuiltPartition, _) => 2048,
            (Load::Whole | Load::BuiltWhole, _) => 384,
        };
        mebibytes * 1024 * 1024
    }
}
