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
}

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Virt => "virt",
            Self::Server => "server",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Load {
    /// An image of a whole disk.
    Whole,
    /// An image of one filesystem.
    Partition,
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
}

#[derive(Debug, Clone)]
pub(crate) struct Leg {
    pub(crate) name: &'static str,
    pub(crate) firmware: Firmware,
    /// The boot interface.
    pub(crate) boot: &'static str,
    /// The deploy interface.
    pub(crate) deploy: &'static str,
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
    bmc: Bmc::SimIpmi,
    card: Card::Virtio,
    bus: Bus::Virtio,
    memory: 512,
    profile: Profile::Virt,
    load: Load::Whole,
    extra: None,
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

    pub(crate) fn disks(&self) -> usize {
        if self.extra == Some(Extra::SoftwareRaid) {
            2
        } else {
            1
        }
    }

    /// In bytes. A partition image asks for a gibibyte at least, an array without hints for four.
    pub(crate) fn disk_size(&self) -> u64 {
        let mebibytes = match (self.load, self.extra) {
            (_, Some(Extra::SoftwareRaid)) => 5120,
            (Load::Partition, _) => 2048,
            (Load::Whole, _) => 384,
        };
        mebibytes * 1024 * 1024
    }
}
