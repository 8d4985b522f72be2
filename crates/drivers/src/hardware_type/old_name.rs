//! Names that drivers had before there were hardware types (releases up to 10), and those of
//! drivers that were kept outside.
//!
//! A name stood for a whole set of interfaces. One whose set this build has is a hardware type like
//! any other, with lists of one, that is served where `enabled_drivers` or `enabled_hardware_types`
//! names it; a node keeps the name it was given. The others are known well enough to say why they are
//! not served.

use super::{
    AMT, CIMC, FAKE, GENERIC, HardwareType, IBOOT, ILO, IPMI, IRMC, MSFTOCS, SEAMICRO, SNMP, SSH,
    UCS, WOL,
};

/// Old names that can be served.
pub(super) const SERVED: &[HardwareType] = &[
    // Virtual media by Redfish stands in where the maker's own is not there.
    HardwareType {
        name: "agent_amt",
        stands_for: Some("staging-amt"),
        boot: &["pxe"],
        deploy: &["direct"],
        ..AMT
    },
    HardwareType {
        name: "agent_iboot",
        stands_for: Some("staging-iboot"),
        boot: &["pxe"],
        deploy: &["direct"],
        ..IBOOT
    },
    HardwareType {
        name: "agent_ilo",
        stands_for: Some("ilo"),
        boot: &["ilo-virtual-media", "redfish-virtual-media"],
        deploy: &["direct"],
        ..ILO
    },
    HardwareType {
        name: "agent_ipmitool",
        stands_for: Some("ipmi"),
        boot: &["pxe"],
        deploy: &["direct"],
        ..IPMI
    },
    HardwareType {
        name: "agent_ipmitool_socat",
        stands_for: Some("ipmi"),
        boot: &["pxe"],
        deploy: &["direct"],
        console: &["ipmitool-socat"],
        ..IPMI
    },
    HardwareType {
        name: "agent_irmc",
        stands_for: Some("irmc"),
        boot: &["irmc-virtual-media", "redfish-virtual-media"],
        deploy: &["direct"],
        ..IRMC
    },
    HardwareType {
        name: "agent_pyghmi",
        stands_for: Some("ipmi"),
        boot: &["pxe"],
        deploy: &["direct"],
        ..IPMI
    },
    HardwareType {
        name: "agent_ssh",
        stands_for: Some("ssh"),
        boot: &["pxe"],
        deploy: &["direct"],
        ..SSH
    },
    HardwareType {
        name: "agent_ucs",
        stands_for: Some("cisco-ucs-managed"),
        boot: &["pxe"],
        deploy: &["direct"],
        ..UCS
    },
    HardwareType {
        name: "fake",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        ..FAKE
    },
    HardwareType {
        name: "fake_agent",
        stands_for: Some("fake-hardware"),
        boot: &["pxe"],
        deploy: &["direct"],
        ..FAKE
    },
    HardwareType {
        name: "fake_amt",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        management: &["staging-amt"],
        power: &["staging-amt"],
        ..FAKE
    },
    HardwareType {
        name: "fake_cimc",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        management: &["cimc"],
        power: &["cimc"],
        ..FAKE
    },
    HardwareType {
        name: "fake_drac",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        management: &["idrac-wsman"],
        power: &["idrac-wsman"],
        vendor: &["idrac-wsman"],
        ..FAKE
    },
    HardwareType {
        name: "fake_iboot",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        power: &["staging-iboot"],
        ..FAKE
    },
    HardwareType {
        name: "fake_inspector",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        inspect: &["agent"],
        ..FAKE_IPMI
    },
    HardwareType {
        name: "fake_ipminative",
        ..FAKE_IPMI
    },
    HardwareType {
        name: "fake_ipmitool",
        ..FAKE_IPMI
    },
    HardwareType {
        name: "fake_msftocs",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        management: &["msftocs"],
        power: &["msftocs"],
        ..FAKE
    },
    HardwareType {
        name: "fake_pxe",
        stands_for: Some("fake-hardware"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..FAKE
    },
    HardwareType {
        name: "fake_seamicro",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        management: &["seamicro"],
        power: &["seamicro"],
        vendor: &["seamicro"],
        ..FAKE
    },
    HardwareType {
        name: "fake_snmp",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        power: &["snmp"],
        ..FAKE
    },
    HardwareType {
        name: "fake_ssh",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        management: &["ssh"],
        power: &["ssh"],
        ..FAKE
    },
    HardwareType {
        name: "fake_ucs",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        management: &["ucsm"],
        power: &["ucsm"],
        ..FAKE
    },
    HardwareType {
        name: "fake_wol",
        stands_for: Some("fake-hardware"),
        boot: &["fake"],
        deploy: &["fake"],
        power: &["staging-wol"],
        ..FAKE
    },
    HardwareType {
        name: "iscsi_ilo",
        stands_for: Some("ilo"),
        boot: &["ilo-virtual-media", "redfish-virtual-media"],
        deploy: &["iscsi"],
        ..ILO
    },
    HardwareType {
        name: "iscsi_irmc",
        stands_for: Some("irmc"),
        boot: &["irmc-virtual-media", "redfish-virtual-media"],
        deploy: &["iscsi"],
        ..IRMC
    },
    HardwareType {
        name: "pxe_agent_cimc",
        stands_for: Some("cisco-ucs-standalone"),
        boot: &["pxe"],
        deploy: &["direct"],
        ..CIMC
    },
    HardwareType {
        name: "pxe_amt",
        stands_for: Some("staging-amt"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..AMT
    },
    HardwareType {
        name: "pxe_drac",
        ..DRAC
    },
    HardwareType {
        name: "pxe_drac_inspector",
        inspect: &["agent"],
        ..DRAC
    },
    HardwareType {
        name: "pxe_iboot",
        stands_for: Some("staging-iboot"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..IBOOT
    },
    HardwareType {
        name: "pxe_ilo",
        stands_for: Some("ilo"),
        boot: &["ilo-pxe", "pxe"],
        deploy: &["iscsi"],
        ..ILO
    },
    HardwareType {
        name: "pxe_ipminative",
        stands_for: Some("ipmi"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..IPMI
    },
    HardwareType {
        name: "pxe_ipmitool",
        stands_for: Some("ipmi"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..IPMI
    },
    HardwareType {
        name: "pxe_ipmitool_socat",
        stands_for: Some("ipmi"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        console: &["ipmitool-socat"],
        ..IPMI
    },
    HardwareType {
        name: "pxe_irmc",
        stands_for: Some("irmc"),
        boot: &["irmc-pxe", "pxe"],
        deploy: &["iscsi"],
        ..IRMC
    },
    HardwareType {
        name: "pxe_iscsi_cimc",
        stands_for: Some("cisco-ucs-standalone"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..CIMC
    },
    HardwareType {
        name: "pxe_msftocs",
        stands_for: Some("msftocs"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..MSFTOCS
    },
    HardwareType {
        name: "pxe_seamicro",
        stands_for: Some("seamicro"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        vendor: &["seamicro"],
        ..SEAMICRO
    },
    HardwareType {
        name: "pxe_snmp",
        stands_for: Some("snmp"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..SNMP
    },
    HardwareType {
        name: "pxe_ssh",
        stands_for: Some("ssh"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..SSH
    },
    HardwareType {
        name: "pxe_ucs",
        stands_for: Some("cisco-ucs-managed"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..UCS
    },
    HardwareType {
        name: "pxe_wol",
        stands_for: Some("staging-wol"),
        boot: &["pxe"],
        deploy: &["iscsi"],
        ..WOL
    },
];

/// Dell's servers by WS-Management; not a name of its own.
const DRAC: HardwareType = HardwareType {
    class: "IDRACHardware",
    stands_for: Some("idrac"),
    boot: &["pxe"],
    deploy: &["iscsi"],
    inspect: &["idrac-wsman"],
    management: &["idrac-wsman"],
    power: &["idrac-wsman"],
    vendor: &["idrac-wsman"],
    ..GENERIC
};

/// Power and boot order by IPMI; not a name of its own.
const FAKE_IPMI: HardwareType = HardwareType {
    stands_for: Some("fake-hardware"),
    boot: &["fake"],
    deploy: &["fake"],
    management: &["ipmitool"],
    power: &["ipmitool"],
    ..FAKE
};

/// What a name means that this build does not have.
struct Lack {
    names: &'static [&'static str],
    /// The protocol, as in "it speaks …".
    protocol: &'static str,
    instead: &'static str,
}

const LACKS: &[Lack] = &[
    Lack {
        names: &["pxe_vbox", "agent_vbox", "fake_vbox"],
        protocol: "VirtualBox's web service",
        instead: "hardware type 'ipmi' with a virtual BMC",
    },
    Lack {
        names: &["fake_ilo"],
        protocol: "HP's RIBCL",
        instead: "hardware type 'ilo' or 'redfish'",
    },
    Lack {
        names: &["fake_irmc"],
        protocol: "Fujitsu's SCCI",
        instead: "hardware type 'irmc' or 'redfish'",
    },
    Lack {
        names: &["staging-libvirt"],
        protocol: "libvirt",
        instead: "hardware type 'ipmi' with VirtualBMC, or 'redfish' with sushy-tools",
    },
    Lack {
        names: &["staging-ovirt"],
        protocol: "oVirt's interface",
        instead: "hardware type 'redfish' or 'ipmi' with a virtual BMC",
    },
    Lack {
        names: &["staging-nm"],
        protocol: "Intel Node Manager's commands",
        instead: "hardware type 'intel-ipmi'",
    },
];

/// The hardware type of an old name that can be served.
pub(crate) fn served(name: &str) -> Option<&'static HardwareType> {
    SERVED.iter().find(|known| known.name == name)
}

/// The old names that can be served.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SERVED.iter().map(|known| known.name)
}

/// The hardware type that a name stands for: another one for an old name, else itself.
pub fn modern(name: &str) -> &str {
    let served = served(name);
    served.and_then(|known| known.stands_for).unwrap_or(name)
}

/// Why a name that Ironic once had is not served, where it is not.
pub fn refusal(name: &str) -> Option<String> {
    if let Some(known) = served(name) {
        return Some(format!(
            "Driver '{name}' is an old name for hardware type '{}' with deploy interface '{}' and boot interface '{}'. It is served where the option enabled_drivers names it.",
            known.stands_for.unwrap_or_default(),
            known.deploy.first().copied().unwrap_or_default(),
            known.boot.first().copied().unwrap_or_default(),
        ));
    }
    lack(name)
}

/// Why a name that Ironic once had cannot be served.
pub fn lack(name: &str) -> Option<String> {
    let lack = LACKS.iter().find(|lack| lack.names.contains(&name))?;
    Some(format!(
        "Driver '{name}' cannot be served: it speaks {}, which this build does not. Use {}.",
        lack.protocol, lack.instead
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware_type::find;

    #[test]
    fn old_names_stand_for_types_that_are_there() {
        for old in SERVED {
            let modern = find(old.stands_for.unwrap()).unwrap();
            assert!(modern.stands_for.is_none());
            assert_eq!(find(old.name), Some(old));
            assert!(refusal(old.name).unwrap().contains("enabled_drivers"));
        }
    }

    #[test]
    fn reasons_name_what_is_missing() {
        let reason = |name| refusal(name).unwrap();
        assert!(reason("staging-ovirt").contains("oVirt's interface"));
        assert!(reason("pxe_ipmitool").contains("deploy interface 'iscsi'"));
        assert_eq!(modern("agent_ilo"), "ilo");
        assert_eq!(modern("ilo"), "ilo");
        assert_eq!(refusal("ipmi"), None);
        assert_eq!(refusal("nonsense"), None);
    }

    #[test]
    fn a_name_has_one_reason() {
        let lacking = LACKS.iter().flat_map(|lack| lack.names.iter().copied());
        let mut names: Vec<&str> = names().collect();
        names.extend(lacking);
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    /// Every name of the Liberty release, by what it deploys with.
    const LIBERTY: [(&str, &[&str]); 3] = [
        (
            "direct",
            &[
                "agent_ilo agent_ipmitool agent_irmc agent_pyghmi agent_ssh agent_ucs agent_vbox",
                "fake_agent pxe_agent_cimc",
            ],
        ),
        (
            "fake",
            &[
                "fake fake_amt fake_cimc fake_drac fake_iboot fake_ilo fake_inspector",
                "fake_ipminative fake_ipmitool fake_irmc fake_msftocs fake_seamicro fake_snmp",
                "fake_ssh fake_ucs fake_vbox fake_wol",
            ],
        ),
        (
            "iscsi",
            &[
                "fake_pxe iscsi_ilo iscsi_irmc pxe_amt pxe_drac pxe_iboot pxe_ilo",
                "pxe_ipminative pxe_ipmitool pxe_irmc pxe_iscsi_cimc pxe_msftocs pxe_seamicro",
                "pxe_snmp pxe_ssh pxe_ucs pxe_vbox pxe_wol",
            ],
        ),
    ];

    #[test]
    fn all_names_of_liberty_resolve_or_say_why_not() {
        let mut count = 0;
        for (deploy, lines) in LIBERTY {
            for name in lines.iter().flat_map(|line| line.split(' ')) {
                count += 1;
                match served(name) {
                    Some(known) => assert_eq!(known.deploy, [deploy], "{name}"),
                    None => assert!(lack(name).unwrap().contains("it speaks "), "{name}"),
                }
            }
        }
        assert_eq!(count, 44);
    }
}
