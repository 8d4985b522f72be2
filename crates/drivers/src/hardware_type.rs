//! Hardware types as tables: which implementations of each interface a type supports.
//!
//! The order of a list is its priority: a node that names no implementation gets the first one of
//! the list that is enabled. The tables are those of Ironic and name more than this
//! build implements; what can really be served is decided in [`crate::registry`]. Of the hardware
//! types that Ironic has dropped, those are here that this build serves: machines that speak
//! Redfish under what their interfaces were called, power strips, and older protocols. So is the deploy interface
//! `iscsi`, last in every list and only where an operator names it ([`OPT_IN`]). Older names for drivers are in
//! [`old_name`].

mod old_name;

pub use old_name::{lack, modern, refusal};
pub(crate) use old_name::{names as old_names, served as old_name};

use std::collections::BTreeMap;
use types::InterfaceKind;

/// A family of hardware, and what it supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HardwareType {
    /// The name in `enabled_hardware_types` and in a node's `driver`.
    pub name: &'static str,
    /// What error texts of Ironic call the type.
    pub class: &'static str,
    /// Whether nodes may use implementations outside of the lists, which then only rank defaults.
    pub accepts_any: bool,
    /// The hardware type that an old name stands for. Such a name also fixes what configured
    /// defaults would otherwise choose.
    pub stands_for: Option<&'static str>,
    bios: &'static [&'static str],
    boot: &'static [&'static str],
    console: &'static [&'static str],
    deploy: &'static [&'static str],
    firmware: &'static [&'static str],
    inspect: &'static [&'static str],
    management: &'static [&'static str],
    network: &'static [&'static str],
    power: &'static [&'static str],
    raid: &'static [&'static str],
    rescue: &'static [&'static str],
    storage: &'static [&'static str],
    vendor: &'static [&'static str],
}

impl HardwareType {
    /// The supported implementations of a kind, best first.
    pub const fn supported(&self, kind: InterfaceKind) -> &'static [&'static str] {
        match kind {
            InterfaceKind::Bios => self.bios,
            InterfaceKind::Boot => self.boot,
            InterfaceKind::Console => self.console,
            InterfaceKind::Deploy => self.deploy,
            InterfaceKind::Firmware => self.firmware,
            InterfaceKind::Inspect => self.inspect,
            InterfaceKind::Management => self.management,
            InterfaceKind::Network => self.network,
            InterfaceKind::Power => self.power,
            InterfaceKind::Raid => self.raid,
            InterfaceKind::Rescue => self.rescue,
            InterfaceKind::Storage => self.storage,
            InterfaceKind::Vendor => self.vendor,
        }
    }

    /// A type that a driver from outside declares: of the kinds that it does not list, it has what
    /// every type has.
    pub(crate) fn declared(
        name: &'static str,
        lists: &BTreeMap<InterfaceKind, &'static [&'static str]>,
    ) -> Self {
        let list = |kind| {
            let listed = lists.get(&kind).copied();
            listed.unwrap_or_else(|| GENERIC.supported(kind))
        };
        use InterfaceKind as K;
        Self {
            name,
            class: name,
            accepts_any: false,
            stands_for: None,
            bios: list(K::Bios),
            boot: list(K::Boot),
            console: list(K::Console),
            deploy: list(K::Deploy),
            firmware: list(K::Firmware),
            inspect: list(K::Inspect),
            management: list(K::Management),
            network: list(K::Network),
            power: list(K::Power),
            raid: list(K::Raid),
            rescue: list(K::Rescue),
            storage: list(K::Storage),
            vendor: list(K::Vendor),
        }
    }

    /// Whether a node of this type may use the implementation.
    pub fn accepts(&self, kind: InterfaceKind, name: &str) -> bool {
        self.accepts_any || self.supported(kind).contains(&name)
    }
}

/// Implementations that are enabled by their name only, never because everything is: one for the
/// sake of old nodes, and one that runs programs of the operator.
pub const OPT_IN: &[(InterfaceKind, &str)] = &[
    (InterfaceKind::Deploy, "iscsi"),
    (InterfaceKind::Deploy, "ansible"),
];

/// The hardware type of this name.
pub fn find(name: &str) -> Option<&'static HardwareType> {
    all().find(|hardware_type| hardware_type.name == name)
}

/// Every hardware type, old names last.
pub fn all() -> impl Iterator<Item = &'static HardwareType> {
    ALL.iter().chain(old_name::SERVED)
}

/// What every type has in common; not a type of its own.
const GENERIC: HardwareType = HardwareType {
    name: "",
    class: "GenericHardware",
    accepts_any: false,
    stands_for: None,
    bios: &["no-bios"],
    boot: &["ipxe", "pxe", "http-ipxe", "http"],
    console: &["no-console", "fake-graphical"],
    deploy: &[
        "autodetect",
        "direct",
        "ansible",
        "ramdisk",
        "anaconda",
        "bootc",
        "custom-agent",
        "iscsi",
    ],
    firmware: &["no-firmware"],
    inspect: &["agent", "no-inspect"],
    management: &[],
    network: &["flat", "neutron", "ironic-networking", "noop"],
    power: &[],
    raid: &["no-raid", "agent"],
    rescue: &["no-rescue", "agent"],
    storage: &["noop", "cinder", "external"],
    vendor: &["no-vendor"],
};

const FAKE: HardwareType = HardwareType {
    name: "fake-hardware",
    class: "FakeHardware",
    accepts_any: true,
    bios: &["fake", "no-bios"],
    boot: &["fake", "ipxe", "pxe", "http-ipxe", "http"],
    console: &["fake", "no-console", "fake-graphical"],
    deploy: &[
        "fake",
        "autodetect",
        "direct",
        "ansible",
        "ramdisk",
        "anaconda",
        "bootc",
        "custom-agent",
        "iscsi",
    ],
    firmware: &["fake", "no-firmware"],
    inspect: &["fake", "agent", "no-inspect"],
    management: &["fake"],
    power: &["fake"],
    raid: &["fake", "no-raid", "agent"],
    rescue: &["fake", "no-rescue", "agent"],
    storage: &["fake", "noop", "cinder", "external"],
    vendor: &["fake", "no-vendor"],
    ..GENERIC
};

const IPMI: HardwareType = HardwareType {
    name: "ipmi",
    class: "IPMIHardware",
    console: &["ipmitool-socat", "no-console", "fake-graphical"],
    management: &["ipmitool", "noop"],
    power: &["ipmitool"],
    vendor: &["ipmitool", "no-vendor"],
    ..GENERIC
};

const REDFISH: HardwareType = HardwareType {
    name: "redfish",
    class: "RedfishHardware",
    bios: &["redfish", "no-bios"],
    boot: &[
        "ipxe",
        "pxe",
        "http-ipxe",
        "http",
        "redfish-virtual-media",
        "redfish-https",
    ],
    console: &[
        "redfish-graphical",
        "ipmitool-socat",
        "no-console",
        "fake-graphical",
    ],
    firmware: &["redfish", "no-firmware"],
    inspect: &["redfish", "agent", "no-inspect"],
    management: &["redfish", "noop"],
    power: &["redfish"],
    raid: &["redfish", "no-raid", "agent"],
    vendor: &["redfish", "no-vendor"],
    ..GENERIC
};

/// HPE's machines, as releases up to 35 had them.
const ILO: HardwareType = HardwareType {
    name: "ilo",
    class: "IloHardware",
    bios: &["ilo", "redfish", "no-bios"],
    boot: &[
        "ilo-virtual-media",
        "ilo-pxe",
        "ilo-ipxe",
        "redfish-virtual-media",
        "ipxe",
        "pxe",
        "http-ipxe",
        "http",
        "redfish-https",
    ],
    console: &["ilo", "ipmitool-socat", "no-console", "fake-graphical"],
    inspect: &["ilo", "redfish", "agent", "no-inspect"],
    management: &["ilo", "redfish"],
    power: &["ilo", "redfish"],
    vendor: &["ilo", "redfish", "no-vendor"],
    ..REDFISH
};

/// Fujitsu's machines, as releases up to 35 had them.
const IRMC: HardwareType = HardwareType {
    name: "irmc",
    class: "IRMCHardware",
    bios: &["irmc", "redfish", "no-bios"],
    boot: &[
        "irmc-virtual-media",
        "irmc-pxe",
        "ipxe",
        "pxe",
        "http-ipxe",
        "http",
        "redfish-virtual-media",
        "redfish-https",
    ],
    console: &["ipmitool-socat", "no-console", "fake-graphical"],
    inspect: &["irmc", "redfish", "agent", "no-inspect"],
    management: &["irmc", "redfish", "ipmitool"],
    power: &["irmc", "redfish", "ipmitool"],
    raid: &["irmc", "redfish", "no-raid", "agent"],
    vendor: &["irmc", "redfish", "no-vendor"],
    ..REDFISH
};

/// Power strips, as releases up to 35 had them.
const SNMP: HardwareType = HardwareType {
    name: "snmp",
    class: "SNMPHardware",
    management: &["noop", "fake"],
    power: &["snmp"],
    ..GENERIC
};

/// Virtual machines of hypervisors, which never were a hardware type of Ironic.
const SSH: HardwareType = HardwareType {
    name: "ssh",
    class: "SSHHardware",
    management: &["ssh", "noop"],
    power: &["ssh"],
    ..GENERIC
};

const IBOOT: HardwareType = HardwareType {
    name: "staging-iboot",
    class: "IBootHardware",
    management: &["noop", "fake"],
    power: &["staging-iboot"],
    ..GENERIC
};

/// Blades of Microsoft's Open CloudServer, which never were a hardware type of Ironic.
const MSFTOCS: HardwareType = HardwareType {
    name: "msftocs",
    class: "MsftOcsHardware",
    management: &["msftocs", "noop"],
    power: &["msftocs"],
    ..GENERIC
};

/// Servers of SeaMicro's chassis, which never were a hardware type of Ironic.
const SEAMICRO: HardwareType = HardwareType {
    name: "seamicro",
    class: "SeaMicroHardware",
    management: &["seamicro", "noop"],
    power: &["seamicro"],
    vendor: &["seamicro", "no-vendor"],
    ..GENERIC
};

/// Cisco's servers below UCS Manager, as releases up to 12 had them.
const UCS: HardwareType = HardwareType {
    name: "cisco-ucs-managed",
    class: "CiscoUCSManaged",
    management: &["ucsm", "noop"],
    power: &["ucsm"],
    ..GENERIC
};

/// Those with a controller of their own.
const CIMC: HardwareType = HardwareType {
    name: "cisco-ucs-standalone",
    class: "CiscoUCSStandalone",
    management: &["cimc", "noop"],
    power: &["cimc"],
    ..GENERIC
};

/// Machines with Intel AMT, as drivers outside of Ironic had them.
const AMT: HardwareType = HardwareType {
    name: "staging-amt",
    class: "AMTHardware",
    management: &["staging-amt", "noop"],
    power: &["staging-amt"],
    ..GENERIC
};

const WOL: HardwareType = HardwareType {
    name: "staging-wol",
    class: "WOLHardware",
    management: &["noop", "fake"],
    power: &["staging-wol"],
    ..GENERIC
};

/// Every hardware type that has its own name, by name.
const ALL: &[HardwareType] = &[
    UCS,
    CIMC,
    FAKE,
    HardwareType {
        name: "idrac",
        class: "IDRACHardware",
        bios: &["idrac-redfish", "redfish", "no-bios"],
        boot: &[
            "ipxe",
            "pxe",
            "http-ipxe",
            "http",
            "idrac-redfish-virtual-media",
            "redfish-https",
        ],
        inspect: &["idrac-redfish", "idrac-wsman", "agent", "no-inspect"],
        management: &["idrac-redfish", "idrac-wsman"],
        power: &["idrac-redfish", "redfish", "idrac-wsman"],
        raid: &["idrac-redfish", "no-raid", "agent"],
        vendor: &["idrac-redfish", "redfish", "idrac-wsman", "no-vendor"],
        ..REDFISH
    },
    ILO,
    HardwareType {
        name: "ilo5",
        class: "Ilo5Hardware",
        boot: &[
            "ilo-virtual-media",
            "ilo-pxe",
            "ilo-ipxe",
            "ilo-uefi-https",
            "redfish-virtual-media",
            "ipxe",
            "pxe",
            "http-ipxe",
            "http",
            "redfish-https",
        ],
        management: &["ilo5", "ilo", "redfish"],
        raid: &["ilo5", "redfish", "no-raid", "agent"],
        ..ILO
    },
    HardwareType {
        name: "intel-ipmi",
        class: "IntelIPMIHardware",
        management: &["intel-ipmitool"],
        ..IPMI
    },
    IPMI,
    IRMC,
    HardwareType {
        name: "manual-management",
        class: "ManualManagementHardware",
        deploy: &[
            "autodetect",
            "direct",
            "ansible",
            "ramdisk",
            "anaconda",
            "bootc",
            "custom-agent",
            "iscsi",
            "noop",
        ],
        management: &["noop", "fake"],
        power: &["agent", "fake"],
        ..GENERIC
    },
    MSFTOCS,
    REDFISH,
    SEAMICRO,
    SNMP,
    SSH,
    AMT,
    IBOOT,
    WOL,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lead_to_their_type() {
        for hardware_type in all() {
            assert_eq!(find(hardware_type.name), Some(hardware_type));
        }
        assert_eq!(find(GENERIC.name), None);
    }

    #[test]
    fn every_list_has_an_entry_and_none_names_one_twice() {
        for hardware_type in all() {
            for &kind in InterfaceKind::ALL {
                let mut names = hardware_type.supported(kind).to_vec();
                assert!(!names.is_empty(), "{} {kind}", hardware_type.name);
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), hardware_type.supported(kind).len());
            }
        }
    }

    #[test]
    fn idrac_takes_from_redfish_only_what_it_does_not_replace() {
        let idrac = find("idrac").unwrap();
        assert_eq!(
            idrac.supported(InterfaceKind::Firmware),
            ["redfish", "no-firmware"]
        );
        assert!(!idrac.accepts(InterfaceKind::Boot, "redfish-virtual-media"));
        assert!(!idrac.accepts(InterfaceKind::Management, "redfish"));
    }

    #[test]
    fn fake_hardware_accepts_what_it_does_not_list() {
        let fake = find("fake-hardware").unwrap();
        assert!(fake.accepts(InterfaceKind::Power, "ipmitool"));
        assert!(!find("ipmi").unwrap().accepts(InterfaceKind::Power, "fake"));
    }
}
