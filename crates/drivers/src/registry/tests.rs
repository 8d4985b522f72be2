//! Configurations: what they come to when everything is implemented, and in this build.

use super::{
    selection::{Implemented, select},
    *,
};
use crate::hardware_type;
use InterfaceKind as K;
use types::{NodeId, error::chain};

/// As if every name of every table had an implementation.
fn everything() -> Implemented {
    let mut all = Implemented::new();
    for hardware_type in hardware_type::all() {
        for &kind in K::ALL {
            let names = all.entry(kind).or_default();
            names.extend(hardware_type.supported(kind));
        }
    }
    for names in all.values_mut() {
        names.sort_unstable();
        names.dedup();
    }
    all
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

/// A configuration for fake hardware that this build serves.
fn fake_settings() -> RegistrySettings {
    let mut settings = RegistrySettings::default();
    settings.enable_hardware_types(names(&["fake-hardware"]));
    settings.enable_interfaces(K::Boot, names(&["fake"]));
    settings.enable_interfaces(K::Deploy, names(&["fake"]));
    settings
}

/// What a file has that names Neutron and no interface.
fn beside_neutron() -> RegistrySettings {
    let mut sections = openstack::ServicesSettings::default();
    sections.neutron.auth.auth_type = Some("none".to_owned());
    sections.neutron.endpoint_override = Some("http://neutron.example".to_owned());
    let services = openstack::Services::from_settings(&sections).unwrap();
    RegistrySettings {
        openstack: Some(Arc::new(services)),
        ..RegistrySettings::default()
    }
}

#[track_caller]
fn check_stock(driver: &str, expected: &[(K, &str)]) {
    let (catalog, reductions) = select(&beside_neutron(), &everything(), &[]).unwrap();
    assert_eq!(reductions, []);
    let defaults = catalog.defaults(driver).unwrap();
    let defaults: Vec<_> = defaults.iter().collect();
    assert_eq!(defaults, expected);
}

#[test]
fn the_stock_configuration_gives_ipmi_its_defaults() {
    check_stock(
        "ipmi",
        &[
            (K::Bios, "no-bios"),
            (K::Boot, "ipxe"),
            (K::Console, "no-console"),
            (K::Deploy, "autodetect"),
            (K::Firmware, "no-firmware"),
            (K::Inspect, "no-inspect"),
            (K::Management, "ipmitool"),
            (K::Network, "flat"),
            (K::Power, "ipmitool"),
            (K::Raid, "no-raid"),
            (K::Rescue, "no-rescue"),
            (K::Storage, "noop"),
            (K::Vendor, "ipmitool"),
        ],
    );
}

#[test]
fn without_a_login_to_neutron_no_node_gets_its_networks_unasked() {
    let (catalog, reductions) = select(&RegistrySettings::default(), &everything(), &[]).unwrap();
    let defaults = catalog.defaults("ipmi").unwrap();
    assert_eq!(defaults.get(K::Network), "noop");
    let told: Vec<String> = reductions.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["enabled_network_interfaces without flat"]);
}

#[test]
fn the_stock_configuration_gives_redfish_its_defaults() {
    check_stock(
        "redfish",
        &[
            (K::Bios, "redfish"),
            (K::Boot, "ipxe"),
            (K::Console, "no-console"),
            (K::Deploy, "autodetect"),
            (K::Firmware, "no-firmware"),
            (K::Inspect, "redfish"),
            (K::Management, "redfish"),
            (K::Network, "flat"),
            (K::Power, "redfish"),
            (K::Raid, "redfish"),
            (K::Rescue, "no-rescue"),
            (K::Storage, "noop"),
            (K::Vendor, "redfish"),
        ],
    );
}

#[test]
fn an_empty_list_enables_the_best_of_each_type() {
    let mut settings = RegistrySettings::default();
    settings.enable_hardware_types(names(&["idrac", "ipmi", "intel-ipmi", "", "ipmi"]));
    settings.enable_interfaces(K::Boot, Vec::new());
    let (catalog, _) = select(&settings, &everything(), &[]).unwrap();
    assert_eq!(catalog.enabled(K::Power), ["idrac-redfish", "ipmitool"]);
    assert_eq!(
        catalog.enabled(K::Management),
        ["idrac-redfish", "intel-ipmitool", "ipmitool"]
    );
    assert_eq!(catalog.enabled(K::Boot), ["ipxe"]);
    assert_eq!(catalog.hardware_types().len(), 3);
}

#[test]
fn a_stock_list_is_cut_down_to_what_this_build_has() {
    let registry = Registry::new(&fake_settings()).unwrap();
    assert_eq!(registry.enabled(K::Bios), ["no-bios", "redfish"]);
    assert_eq!(registry.enabled(K::Network), ["noop"]);
    assert_eq!(registry.enabled(K::Power), ["fake"]);
    let reductions: Vec<String> = registry
        .reductions()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        reductions.contains(&"enabled_network_interfaces without flat".to_owned()),
        "{reductions:?}"
    );
    let without_redfish = reductions.iter().filter(|one| one.contains("redfish"));
    assert_eq!(without_redfish.count(), 0, "{reductions:?}");
}

#[test]
fn nothing_is_served_when_the_stock_types_are_not_in_this_build() {
    let (catalog, reductions) =
        select(&RegistrySettings::default(), &Implemented::new(), &[]).unwrap();
    assert!(catalog.hardware_types().is_empty());
    assert_eq!(catalog.offered(), []);
    assert!(reductions.contains(&Reduction {
        option: "enabled_hardware_types".to_owned(),
        names: names(&["ipmi", "redfish"]),
    }));
}

#[test]
fn a_type_of_the_stock_list_that_is_left_without_an_interface_is_left_out() {
    let mut settings = beside_neutron();
    settings.enable_interfaces(K::Power, names(&["redfish"]));
    let (catalog, reductions) = select(&settings, &everything(), &[]).unwrap();
    let left: Vec<_> = catalog.hardware_types().iter().map(|t| t.name).collect();
    assert_eq!(left, ["redfish"]);
    assert_eq!(
        reductions[0].to_string(),
        "enabled_hardware_types without ipmi"
    );
}

#[track_caller]
fn refused(settings: &RegistrySettings) -> String {
    chain(&Registry::new(settings).unwrap_err())
}

#[test]
fn what_the_operator_wrote_is_served_or_refused_by_name() {
    let mut settings = fake_settings();
    settings.enable_interfaces(K::Rescue, names(&["fake", "nonsense"]));
    assert_eq!(
        refused(&settings),
        "the option [DEFAULT]enabled_rescue_interfaces names 'nonsense', which this build does not have (it has: agent, fake, no-rescue)"
    );
    let mut settings = fake_settings();
    settings.enable_hardware_types(names(&["fake-hardware", "nonsense"]));
    assert!(refused(&settings).starts_with(
        "the option [DEFAULT]enabled_hardware_types names 'nonsense', which this build does not have (it has: cisco-ucs-managed, cisco-ucs-standalone, fake-hardware, "
    ));
}

#[test]
fn a_type_that_the_operator_wrote_must_have_every_interface() {
    let mut settings = fake_settings();
    settings.enable_interfaces(K::Management, names(&["noop"]));
    let text = refused(&settings);
    assert!(text.starts_with(
        "the option [DEFAULT]enabled_management_interfaces leaves hardware type 'fake-hardware' with nothing to use (this build has: cimc, fake, "
    ));
    assert!(text.ends_with(
        "For hardware type 'fake-hardware', no default value found for management interface could be determined. Please ensure the interfaces are enabled."
    ));
    // The forced default has to be enabled as well.
    let mut settings = fake_settings();
    settings.enable_interfaces(K::Storage, names(&["fake"]));
    assert!(refused(&settings).contains("entrypoint: noop. Valid interfaces are ['fake']."));
    settings.set_default(K::Storage, None);
    let registry = Registry::new(&settings).unwrap();
    let defaults = registry.defaults("fake-hardware").unwrap();
    assert_eq!(defaults.get(K::Storage), "fake");
}

#[test]
fn a_journal_that_cannot_be_written_is_refused() {
    let mut settings = fake_settings();
    settings.fake.journal = Some("/nonexistent/journal".into());
    assert!(refused(&settings).starts_with("the journal of the fake hardware cannot be opened: "));
}

#[test]
fn a_node_gets_the_implementations_that_it_names() {
    let mut settings = fake_settings();
    settings.enable_interfaces(K::Management, names(&["fake", "noop"]));
    settings.enable_interfaces(K::Raid, names(&["fake", "no-raid"]));
    let registry = Registry::new(&settings).unwrap();
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.interfaces.set(K::Management, "noop");
    node.interfaces.set(K::Raid, "no-raid");
    // Also before its interfaces are filled in.
    for _ in 0..2 {
        let hardware = registry.hardware(&node).unwrap();
        assert_eq!(hardware.interface(K::Management).name(), "noop");
        assert_eq!(hardware.interface(K::Raid).name(), "no-raid");
        assert_eq!(hardware.interface(K::Power).name(), "fake");
        assert_eq!(hardware.interface(K::Network).name(), "noop");
        registry.fill_interfaces(&mut node).unwrap();
    }
    node.interfaces.set(K::Power, "ipmitool");
    assert!(matches!(
        registry.hardware(&node),
        Err(InterfaceError::NotEnabled { kind: K::Power, .. })
    ));
}

#[test]
fn every_implementation_answers_to_its_name_and_kind() {
    let implementations =
        Implementations::new(&RegistrySettings::default(), &Recorder::default()).unwrap();
    for (kind, names) in implementations.names() {
        for name in names {
            let found = implementations.interface(kind, name).unwrap();
            assert_eq!(found.name(), name);
            for step in found.steps() {
                assert!(step.kind.scans(kind), "{kind}.{}", step.step);
            }
        }
    }
}

#[test]
fn properties_are_those_of_the_default_interfaces() {
    let mut settings = fake_settings();
    let keys = |settings: &RegistrySettings| -> Vec<String> {
        let registry = Registry::new(settings).unwrap();
        let properties = registry.driver_properties("fake-hardware").unwrap();
        properties.into_iter().map(|(key, _)| key).collect()
    };
    assert_eq!(keys(&settings), Vec::<String>::new());
    settings.enable_interfaces(K::Vendor, names(&["no-vendor", "fake"]));
    assert_eq!(keys(&settings), ["B1", "B2"]);

    let registry = Registry::new(&settings).unwrap();
    let raid = registry.raid_properties("fake-hardware").unwrap();
    assert_eq!(raid.len(), 10);
    assert_eq!(raid[0].0, "raid_level");
    assert!(matches!(
        registry.raid_properties("ipmi"),
        Err(InterfaceError::UnknownHardwareType(_))
    ));
}

#[test]
fn hardware_without_a_bmc_is_served() {
    let mut settings = RegistrySettings::default();
    settings.enable_hardware_types(names(&[
        "snmp",
        "staging-amt",
        "staging-wol",
        "manual-management",
    ]));
    let registry = Registry::new(&settings).unwrap();
    let power = |driver| registry.defaults(driver).unwrap().get(K::Power).to_owned();
    assert_eq!(power("snmp"), "snmp");
    assert_eq!(power("staging-amt"), "staging-amt");
    assert_eq!(power("staging-wol"), "staging-wol");
    assert_eq!(power("manual-management"), "agent");
}

#[test]
fn an_old_name_that_is_enabled_means_what_it_always_meant() {
    let mut settings = RegistrySettings::default();
    settings.enable_hardware_types(names(&["ipmi", "agent_ipmitool"]));
    settings.set_default(K::Boot, Some("ipxe".into()));
    let registry = Registry::new(&settings).unwrap();
    let old = registry.defaults("agent_ipmitool").unwrap();
    assert_eq!(old.get(K::Boot), "pxe");
    assert_eq!(old.get(K::Deploy), "direct");
    assert_eq!(old.get(K::Power), "ipmitool");
    let modern = registry.defaults("ipmi").unwrap();
    assert_eq!(modern.get(K::Boot), "ipxe");
    assert!(registry.offered().iter().any(|offered| {
        offered.hardware_type == "agent_ipmitool" && offered.name == "direct" && offered.is_default
    }));
    // Nobody asked for this one.
    assert!(registry.defaults("agent_pyghmi").is_err());
}

#[test]
fn an_old_name_that_cannot_be_served_says_why() {
    let mut settings = fake_settings();
    settings.enable_hardware_types(names(&["fake-hardware", "staging-ovirt"]));
    let reason = "names what is no hardware type any more: Driver 'staging-ovirt' cannot be served: it speaks oVirt's interface, which this build does not. Use hardware type 'redfish' or 'ipmi' with a virtual BMC.";
    assert_eq!(
        Registry::new(&settings).unwrap_err().to_string(),
        format!("the option [DEFAULT]enabled_hardware_types {reason}")
    );
    settings.enable_hardware_types(names(&["fake-hardware"]));
    settings.enable_old_names(names(&["staging-ovirt"]));
    assert_eq!(
        Registry::new(&settings).unwrap_err().to_string(),
        format!("the option [DEFAULT]enabled_drivers {reason}")
    );
    settings.enable_old_names(names(&["ipmi"]));
    let refused = Registry::new(&settings).unwrap_err().to_string();
    assert!(refused.contains("enabled_drivers"), "{refused}");
}

#[test]
fn an_old_name_enables_what_it_stands_for() {
    let mut settings = fake_settings();
    settings.enable_old_names(names(&["pxe_ipmitool", "iscsi_ilo"]));
    let registry = Registry::new(&settings).unwrap();
    let old = registry.defaults("pxe_ipmitool").unwrap();
    for (kind, name) in [
        (K::Boot, "pxe"),
        (K::Deploy, "iscsi"),
        (K::Power, "ipmitool"),
        (K::Management, "ipmitool"),
    ] {
        assert_eq!(old.get(kind), name, "{kind}");
    }
    let virtual_media = registry.defaults("iscsi_ilo").unwrap();
    assert_eq!(virtual_media.get(K::Boot), "ilo-virtual-media");
    assert_eq!(virtual_media.get(K::Deploy), "iscsi");
    // The hardware type itself was not asked for.
    assert!(registry.defaults("ipmi").is_err());
}

/// The table of docs/operate/older-deploy.md, with what the hardware types add.
#[test]
fn every_old_name_that_is_served_has_its_interfaces() {
    const MEDIA: [&str; 2] = ["ilo-virtual-media", "irmc-virtual-media"];
    let table: &[(&str, [&str; 4])] = &[
        ("agent_amt", ["pxe", "direct", "staging-amt", "staging-amt"]),
        ("agent_iboot", ["pxe", "direct", "staging-iboot", "noop"]),
        ("agent_ilo", [MEDIA[0], "direct", "ilo", "ilo"]),
        ("agent_ipmitool", ["pxe", "direct", "ipmitool", "ipmitool"]),
        (
            "agent_ipmitool_socat",
            ["pxe", "direct", "ipmitool", "ipmitool"],
        ),
        ("agent_irmc", [MEDIA[1], "direct", "irmc", "irmc"]),
        ("agent_pyghmi", ["pxe", "direct", "ipmitool", "ipmitool"]),
        ("agent_ssh", ["pxe", "direct", "ssh", "ssh"]),
        ("agent_ucs", ["pxe", "direct", "ucsm", "ucsm"]),
        ("fake", ["fake", "fake", "fake", "fake"]),
        ("fake_agent", ["pxe", "direct", "fake", "fake"]),
        ("fake_amt", ["fake", "fake", "staging-amt", "staging-amt"]),
        ("fake_cimc", ["fake", "fake", "cimc", "cimc"]),
        ("fake_drac", ["fake", "fake", "idrac-wsman", "idrac-wsman"]),
        ("fake_iboot", ["fake", "fake", "staging-iboot", "fake"]),
        ("fake_inspector", ["fake", "fake", "ipmitool", "ipmitool"]),
        ("fake_ipminative", ["fake", "fake", "ipmitool", "ipmitool"]),
        ("fake_ipmitool", ["fake", "fake", "ipmitool", "ipmitool"]),
        ("fake_msftocs", ["fake", "fake", "msftocs", "msftocs"]),
        ("fake_pxe", ["pxe", "iscsi", "fake", "fake"]),
        ("fake_seamicro", ["fake", "fake", "seamicro", "seamicro"]),
        ("fake_snmp", ["fake", "fake", "snmp", "fake"]),
        ("fake_ssh", ["fake", "fake", "ssh", "ssh"]),
        ("fake_ucs", ["fake", "fake", "ucsm", "ucsm"]),
        ("fake_wol", ["fake", "fake", "staging-wol", "fake"]),
        ("iscsi_ilo", [MEDIA[0], "iscsi", "ilo", "ilo"]),
        ("iscsi_irmc", [MEDIA[1], "iscsi", "irmc", "irmc"]),
        ("pxe_agent_cimc", ["pxe", "direct", "cimc", "cimc"]),
        ("pxe_amt", ["pxe", "iscsi", "staging-amt", "staging-amt"]),
        ("pxe_drac", ["pxe", "iscsi", "idrac-wsman", "idrac-wsman"]),
        (
            "pxe_drac_inspector",
            ["pxe", "iscsi", "idrac-wsman", "idrac-wsman"],
        ),
        ("pxe_iboot", ["pxe", "iscsi", "staging-iboot", "noop"]),
        ("pxe_ilo", ["ilo-pxe", "iscsi", "ilo", "ilo"]),
        ("pxe_ipminative", ["pxe", "iscsi", "ipmitool", "ipmitool"]),
        ("pxe_ipmitool", ["pxe", "iscsi", "ipmitool", "ipmitool"]),
        (
            "pxe_ipmitool_socat",
            ["pxe", "iscsi", "ipmitool", "ipmitool"],
        ),
        ("pxe_irmc", ["irmc-pxe", "iscsi", "irmc", "irmc"]),
        ("pxe_iscsi_cimc", ["pxe", "iscsi", "cimc", "cimc"]),
        ("pxe_msftocs", ["pxe", "iscsi", "msftocs", "msftocs"]),
        ("pxe_seamicro", ["pxe", "iscsi", "seamicro", "seamicro"]),
        ("pxe_snmp", ["pxe", "iscsi", "snmp", "noop"]),
        ("pxe_ssh", ["pxe", "iscsi", "ssh", "ssh"]),
        ("pxe_ucs", ["pxe", "iscsi", "ucsm", "ucsm"]),
        ("pxe_wol", ["pxe", "iscsi", "staging-wol", "noop"]),
    ];
    let listed: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, hardware_type::old_names().collect::<Vec<_>>());
    for (name, expected) in table {
        let mut settings = fake_settings();
        settings.enable_old_names(names(&[name]));
        let (catalog, _) = select(&settings, &everything(), &[]).unwrap();
        let defaults = catalog.defaults(name).unwrap();
        let found = [K::Boot, K::Deploy, K::Power, K::Management].map(|kind| defaults.get(kind));
        assert_eq!(found, *expected, "{name}");
        let console = defaults.get(K::Console);
        assert_eq!(
            console == "ipmitool-socat",
            name.ends_with("_socat"),
            "{name}"
        );
        let vendor = defaults.get(K::Vendor);
        assert_eq!(vendor == "seamicro", name.ends_with("_seamicro"), "{name}");
        let inspect = defaults.get(K::Inspect);
        assert_eq!(inspect == "agent", name.ends_with("_inspector"), "{name}");
    }
}

#[test]
fn an_old_name_uses_what_is_enabled() {
    let mut settings = fake_settings();
    settings.enable_hardware_types(names(&["ipmi"]));
    for (kind, enabled) in [
        (K::Network, "noop"),
        (K::Boot, "ipxe"),
        (K::Deploy, "direct"),
        (K::Power, "ipmitool"),
        (K::Management, "ipmitool"),
        (K::Inspect, "no-inspect"),
        (K::Rescue, "no-rescue"),
    ] {
        settings.enable_interfaces(kind, names(&[enabled]));
    }
    settings.enable_old_names(names(&["pxe_ipmitool"]));
    let registry = Registry::new(&settings).unwrap();
    let old = registry.defaults("pxe_ipmitool").unwrap();
    assert_eq!(old.get(K::Network), "noop");
    assert_eq!(old.get(K::Inspect), "no-inspect");
    // What it cannot do without is enabled with it, and nothing else.
    assert_eq!(registry.enabled(K::Network), ["noop"]);
    assert_eq!(registry.enabled(K::Deploy), ["direct", "iscsi"]);
    assert_eq!(registry.enabled(K::Boot), ["ipxe", "pxe"]);
    assert_eq!(registry.defaults("ipmi").unwrap().get(K::Network), "noop");
}

#[test]
fn what_is_to_be_asked_for_is_not_enabled_with_everything_else() {
    let mut settings = fake_settings();
    settings.enable_supported_interfaces(K::Deploy);
    let registry = Registry::new(&settings).unwrap();
    assert!(
        registry
            .enabled(K::Deploy)
            .iter()
            .any(|name| name == "direct")
    );
    for asked_for in ["iscsi", "ansible"] {
        let enabled = registry.enabled(K::Deploy);
        assert!(!enabled.iter().any(|name| name == asked_for), "{enabled:?}");
    }
    settings = fake_settings();
    settings.enable_interfaces(K::Deploy, names(&["fake", "iscsi"]));
    let registry = Registry::new(&settings).unwrap();
    assert_eq!(registry.enabled(K::Deploy), ["fake", "iscsi"]);
}
