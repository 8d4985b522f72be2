//! Each hook on small inventories; LLDP against what Ironic's own parser makes of the same
//! bytes (`measured.json`).

use super::{
    super::{
        settings::{AddPorts, KeepPorts},
        subject::tests::{mac, map, subject},
    },
    *,
};
use proptest::prelude::*;
use serde_json::json;

const ID: &str = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123";

fn with(hooks: &str) -> InspectionSettings {
    InspectionSettings {
        hooks: Hook::list(hooks).unwrap(),
        ..InspectionSettings::default()
    }
}

/// Two interfaces: eth0, which is the node's port, and eth1.
fn two() -> Value {
    json!([
        {"name": "eth0", "mac_address": "52:54:00:00:00:01", "ipv4_address": "192.0.2.5"},
        {"name": "eth1", "mac_address": "52:54:00:00:00:02", "client_id": "c2"},
    ])
}

fn run_on(subject: &mut Subject, settings: &InspectionSettings) -> Result<(), String> {
    run(subject, settings)
}

#[test]
fn lists_of_hooks_are_checked() {
    let all: Vec<&str> = Hook::ALL.iter().map(|hook| hook.name()).collect();
    assert_eq!(all.len(), 16);
    assert_eq!(
        Hook::list(" memory , ,cpus").unwrap(),
        [Hook::Memory, Hook::Cpus]
    );
    assert_eq!(
        Hook::list("memory,nope").unwrap_err().to_string(),
        "The following hook(s) are missing or failed to load: nope"
    );
    for hook in ["ports", "physical-network", "local-link-connection"] {
        assert_eq!(
            Hook::list(&format!("{hook},validate-interfaces"))
                .unwrap_err()
                .to_string(),
            format!(
                "Hook {hook} requires these missing hooks to be enabled before it: validate-interfaces"
            )
        );
        assert!(Hook::list(&format!("validate-interfaces,{hook}")).is_ok());
    }
}

#[test]
fn complaints_of_all_hooks_are_told_in_the_originals_words() {
    let prefix = "Failed to inspect hardware. Reason: failed to run inspection hooks: Failed to inspect hardware. Reason: ";
    let settings = InspectionSettings::default();
    for (inventory, data, expected) in [
        (
            json!({"interfaces": two()}),
            json!({"error": "boom"}),
            format!(
                "The following failures happened while running preprocess hooks for node {ID}:\nError in preprocess hook ramdisk-error: Failed to inspect hardware. Reason: Ramdisk reported error: boom"
            ),
        ),
        (
            json!({"interfaces": [{"mac_address": "52:54:00:00:00:01"}]}),
            json!({"error": "boom"}),
            format!(
                "The following failures happened while running preprocess hooks for node {ID}:\nError in preprocess hook ramdisk-error: Failed to inspect hardware. Reason: Ramdisk reported error: boom\nUnexpected exception InvalidNodeInventory during preprocess hook validate-interfaces: Inventory for node {ID} is invalid: no valid network interfaces"
            ),
        ),
        (
            json!({"interfaces": [{"mac_address": "52:54:00:00:00:01", "name": "lo"}]}),
            json!({}),
            format!(
                "The following failures happened while running preprocess hooks for node {ID}:\nUnexpected exception InvalidNodeInventory during preprocess hook validate-interfaces: Inventory for node {ID} is invalid: no network interfaces match the configuration (add_ports set to \"pxe\")"
            ),
        ),
        (
            json!({"interfaces": two()}),
            json!({}),
            format!(
                "Unexpected exception InvalidNodeInventory during processing for node: {ID}. Error: Inventory for node {ID} is invalid: Inventory has malformed or missing CPU architecture information: None for node {ID}."
            ),
        ),
        (
            json!({"interfaces": two(), "cpu": {"count": 1}}),
            json!({}),
            format!(
                "Unexpected exception InvalidNodeInventory during processing for node: {ID}. Error: Inventory for node {ID} is invalid: Inventory has malformed or missing CPU architecture information: {{'count': 1}} for node {ID}."
            ),
        ),
    ] {
        let mut subject = subject(inventory, data);
        assert_eq!(
            run_on(&mut subject, &settings),
            Err(format!("{prefix}{expected}"))
        );
    }
}

#[test]
fn interfaces_are_noted_as_the_original_notes_them() {
    let inventory = json!({
        "interfaces": [
            {"name": "eth0", "mac_address": "52:54:00:00:00:01", "ipv4_address": "10.0.0.5"},
            {"name": "eth1", "mac_address": "52:54:00:00:00:55", "client_id": "cid",
             "ipv6_address": "fd00::1%eth1"},
            {"mac_address": "52:54:00:00:00:56"},
            {"name": "bad", "mac_address": "zz"},
            {"name": "lo", "mac_address": "00:00:00:00:00:00", "ipv4_address": "127.0.0.1"},
        ],
        "boot": {"pxe_interface": "01-52-54-00-00-00-55"},
    });
    let mut subject = subject(inventory, json!({}));
    run_on(&mut subject, &with("validate-interfaces")).unwrap();
    let eth1 = json!({"name": "eth1", "mac_address": "52:54:00:00:00:55", "client_id": "cid",
        "ipv6_address": "fd00::1", "pxe_enabled": true});
    assert_eq!(
        Value::Object(subject.plugin_data),
        json!({
            "all_interfaces": {
                "eth0": {"name": "eth0", "mac_address": "52:54:00:00:00:01",
                    "ipv4_address": "10.0.0.5", "pxe_enabled": false, "ipv6_address": null},
                "eth1": eth1,
                "lo": {"name": "lo", "mac_address": "00:00:00:00:00:00",
                    "ipv4_address": "127.0.0.1", "pxe_enabled": false, "ipv6_address": null},
            },
            "valid_interfaces": {"eth1": eth1},
            "macs": ["52:54:00:00:00:55"],
        })
    );
}

/// Which addresses end up as ports, and which of them are for network boot.
#[track_caller]
fn check_ports(settings: &InspectionSettings, pxe: Option<&str>, expected: &[(u8, bool)]) {
    let mut inventory = json!({"interfaces": two()});
    if let Some(pxe) = pxe {
        inventory["boot"] = json!({"pxe_interface": pxe});
    }
    let mut subject = subject(inventory, json!({}));
    subject.ports.push(types::Port::new(
        types::PortId::generate(),
        subject.node.id,
        mac(9),
    ));
    run_on(&mut subject, settings).unwrap();
    let found: Vec<_> = subject
        .ports
        .iter()
        .map(|p| (p.address, p.pxe_enabled))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(last, on)| (mac(*last), *on))
        .collect();
    assert_eq!(found, expected, "{settings:?}");
}

#[test]
fn ports_follow_the_interfaces() {
    let base = || with("validate-interfaces,ports");
    let second = Some("52:54:00:00:00:02");
    check_ports(&base(), None, &[(1, false), (9, false), (2, false)]);
    check_ports(&base(), second, &[(1, false), (9, false), (2, true)]);
    let add = |add_ports| InspectionSettings {
        add_ports,
        ..base()
    };
    check_ports(&add(AddPorts::Active), second, &[(1, false), (9, false)]);
    check_ports(
        &add(AddPorts::All),
        None,
        &[(1, false), (9, false), (2, false)],
    );
    check_ports(&add(AddPorts::Disabled), second, &[(1, false), (9, false)]);
    let keep = |keep_ports| InspectionSettings {
        keep_ports,
        ..base()
    };
    check_ports(&keep(KeepPorts::Present), second, &[(1, false), (2, true)]);
    check_ports(&keep(KeepPorts::Added), second, &[(2, true)]);
    let still = InspectionSettings {
        update_pxe_enabled: false,
        ..base()
    };
    check_ports(&still, second, &[(1, true), (9, true), (2, true)]);
}

#[test]
fn client_identifiers_are_kept_up_to_date() {
    let mut subject = subject(json!({"interfaces": two()}), json!({}));
    run_on(&mut subject, &with("validate-interfaces,ports")).unwrap();
    assert_eq!(subject.ports[1].extra, map(json!({"client-id": "c2"})));
    assert!(subject.ports[0].extra.is_empty());
    subject.ports[1].extra = map(json!({"client-id": "old", "k": 1}));
    run_on(&mut subject, &with("validate-interfaces,ports")).unwrap();
    assert_eq!(
        subject.ports[1].extra,
        map(json!({"client-id": "c2", "k": 1}))
    );
}

/// Properties after one hook.
#[track_caller]
fn check(
    hook: &str,
    settings: InspectionSettings,
    inventory: Value,
    data: Value,
    expected: Result<Value, &str>,
) {
    let settings = InspectionSettings {
        hooks: Hook::list(hook).unwrap(),
        ..settings
    };
    let mut subject = subject(inventory, data);
    subject.node.properties = map(json!({"capabilities": "a:b"}));
    let outcome = run_on(&mut subject, &settings);
    match expected {
        Ok(mut properties) => {
            outcome.unwrap();
            if properties.get("capabilities").is_none() {
                properties["capabilities"] = json!("a:b");
            }
            assert_eq!(subject.node.properties, map(properties), "{hook}");
        }
        Err(text) => {
            let error = outcome.unwrap_err();
            assert!(error.contains(text), "{hook}: {error}");
        }
    }
}

#[test]
fn simple_facts_become_properties() {
    let plain = InspectionSettings::default;
    check(
        "architecture",
        plain(),
        json!({"cpu": {"architecture": "arm64"}}),
        json!({}),
        Ok(json!({"cpu_arch": "arm64"})),
    );
    check(
        "memory",
        plain(),
        json!({"memory": {"physical_mb": 1024}}),
        json!({}),
        Ok(json!({"memory_mb": 1024})),
    );
    check(
        "memory",
        plain(),
        json!({"memory": {}}),
        json!({}),
        Err("Inventory has missing memory information: {} for node"),
    );
    check(
        "memory",
        plain(),
        json!({}),
        json!({}),
        Err("missing memory information: None"),
    );
    check(
        "cpus",
        plain(),
        json!({"cpu": {"count": "8"}}),
        json!({}),
        Ok(json!({"cpus": 8})),
    );
    check(
        "cpus",
        plain(),
        json!({"cpu": {"count": 0}}),
        json!({}),
        Ok(json!({})),
    );
    check("cpus", plain(), json!({}), json!({}), Ok(json!({})));
    check(
        "cpus",
        plain(),
        json!({"cpu": {"count": "many"}}),
        json!({}),
        Err("TypeError"),
    );
    check(
        "boot-mode",
        plain(),
        json!({"boot": {"current_boot_mode": "uefi"}}),
        json!({}),
        Ok(json!({"capabilities": "a:b,boot_mode:uefi"})),
    );
    check("boot-mode", plain(), json!({}), json!({}), Ok(json!({})));
    check(
        "boot-mode",
        plain(),
        json!({"boot": 5}),
        json!({}),
        Err("expected an object, got 5"),
    );
    check(
        "cpu-capabilities",
        plain(),
        json!({"cpu": {"flags": ["vmx", "aes", "sse"]}}),
        json!({}),
        Ok(json!({"capabilities": "a:b,cpu_aes:true,cpu_vt:true"})),
    );
    check(
        "cpu-capabilities",
        plain(),
        json!({"cpu": {}}),
        json!({}),
        Ok(json!({})),
    );
}

#[test]
fn pci_devices_are_counted_and_recognised() {
    let plain = InspectionSettings::default;
    let devices = json!({"pci_devices": [
        {"vendor_id": "10de", "product_id": "2236", "bus": "0000:01:00.0"},
        {"vendor_id": "8086", "product_id": "1572", "bus": "0000:02:00.0"},
        {"vendor_id": "8086", "product_id": "1572", "bus": "0000:02:00.1"},
    ]});
    let a10 = json!({"vendor_id": "10de", "device_id": "2236", "type": "GPU",
        "device_info": "NVIDIA Corporation A10", "pci_address": "0000:01:00.0"});
    check(
        "accelerators",
        plain(),
        json!({}),
        devices.clone(),
        Ok(json!({"accelerators": [a10]})),
    );
    check(
        "accelerators",
        plain(),
        devices.clone(),
        json!({}),
        Ok(json!({"accelerators": [a10]})),
    );
    check("accelerators", plain(), json!({}), json!({}), Ok(json!({})));
    check(
        "accelerators",
        plain(),
        json!({}),
        json!({"pci_devices": [{"vendor_id": "1", "product_id": "2"}]}),
        Ok(json!({"accelerators": []})),
    );
    check(
        "accelerators",
        plain(),
        json!({}),
        json!({"pci_devices": [{"vendor_id": "1"}]}),
        Err("KeyError during processing"),
    );
    let aliased = || InspectionSettings {
        pci_device_alias: vec![
            r#"{"vendor_id": "8086", "product_id": "1572", "name": "nic"}"#.into(),
            "nonsense".into(),
        ],
        ..plain()
    };
    check(
        "pci-devices",
        aliased(),
        json!({}),
        devices.clone(),
        Ok(json!({"capabilities": "a:b,nic:2"})),
    );
    check("pci-devices", plain(), json!({}), devices, Ok(json!({})));
    check(
        "pci-devices",
        aliased(),
        json!({}),
        json!({}),
        Ok(json!({})),
    );
}

#[test]
fn accelerators_may_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("known.yaml");
    let settings = || InspectionSettings {
        known_accelerators: Some(file.clone()),
        ..InspectionSettings::default()
    };
    let devices = json!({"pci_devices": [{"vendor_id": "1", "product_id": "2", "bus": "b"}]});
    check(
        "accelerators",
        settings(),
        json!({}),
        devices.clone(),
        Err("RuntimeError"),
    );
    std::fs::write(
        &file,
        "pci_devices:\n- {vendor_id: \"1\", device_id: \"2\", type: FPGA}\n",
    )
    .unwrap();
    let found = json!([{"vendor_id": "1", "device_id": "2", "type": "FPGA", "pci_address": "b"}]);
    check(
        "accelerators",
        settings(),
        json!({}),
        devices.clone(),
        Ok(json!({"accelerators": found})),
    );
    std::fs::write(&file, "pci_devices:\n- {vendor_id: \"1\"}\n").unwrap();
    check(
        "accelerators",
        settings(),
        json!({}),
        devices.clone(),
        Err("missing vendor_id or device_id"),
    );
    std::fs::write(&file, "other: 1\n").unwrap();
    check(
        "accelerators",
        settings(),
        json!({}),
        devices,
        Err("should contain a list"),
    );
}

#[test]
fn extra_hardware_becomes_a_tree() {
    for (strict, data, expected) in [
        (
            false,
            json!({"data": [["disk", "logical", "count", "1"], ["cpu", "p", "n", "x"], [], ["short"]]}),
            json!({"extra": {"disk": {"logical": {"count": 1}}, "cpu": {"p": {"n": "x"}}}}),
        ),
        (
            true,
            json!({"data": [["a", "b", "c", "2"]]}),
            json!({"extra": {"a": {"b": {"c": 2}}}}),
        ),
        (true, json!({"data": [["a", "b", "c"]]}), json!({})),
        (false, json!({"data": {"a": 1}}), json!({"data": {"a": 1}})),
        (true, json!({"data": "x"}), json!({})),
        (false, json!({"k": 1}), json!({"k": 1})),
    ] {
        let settings = InspectionSettings {
            extra_hardware_strict: strict,
            ..with("extra-hardware")
        };
        let mut subject = subject(json!({}), data);
        run_on(&mut subject, &settings).unwrap();
        assert_eq!(Value::Object(subject.plugin_data), expected);
    }
}

#[test]
fn physical_networks_follow_addresses() {
    let hooks = "validate-interfaces,ports,physical-network";
    let mapped = |entries: &[&str]| InspectionSettings {
        physical_network_cidr_map: entries.iter().map(|e| (*e).to_owned()).collect(),
        ..with(hooks)
    };
    let inventory = json!({"interfaces": two()});
    let mut machine = subject(inventory.clone(), json!({}));
    run_on(
        &mut machine,
        &mapped(&["198.51.100.0/24:b", "192.0.2.0/24:a", "2001:db8::/64:c"]),
    )
    .unwrap();
    let named: Vec<_> = machine
        .ports
        .iter()
        .map(|p| p.physical_network.as_deref())
        .collect();
    assert_eq!(named, [Some("a"), None]);
    for bad in ["nonsense", "192.0.2.1/24:a", "x/8:a"] {
        let mut machine = subject(inventory.clone(), json!({}));
        assert!(
            run_on(&mut machine, &mapped(&[bad]))
                .unwrap_err()
                .contains("ValueError")
        );
    }
}

#[test]
fn the_root_device_is_found_by_its_hints() {
    let disks = json!([{"name": "/dev/sda", "size": 64_i64 << 30}, {"name": "/dev/sdb", "size": 8_i64 << 30}]);
    let run_with = |properties: Value, inventory: Value, data: Value| {
        let mut subject = subject(inventory, data);
        subject.node.properties = map(properties);
        let outcome = run_on(&mut subject, &with("root-device"));
        outcome.map(|()| {
            (
                subject.node.properties["local_gb"].clone(),
                subject.plugin_data.get("root_disk").cloned(),
            )
        })
    };
    let hinted = json!({"root_device": {"size": "< 10"}});
    let found = run_with(hinted.clone(), json!({"disks": disks}), json!({})).unwrap();
    assert_eq!(found, (json!(7), Some(disks[1].clone())));
    let skipping =
        json!({"root_device": {"size": "> 1"}, "skip_block_devices": [{"name": "/dev/sda"}]});
    let found = run_with(skipping, json!({"disks": disks}), json!({})).unwrap();
    assert_eq!(found.0, json!(7));
    let given = run_with(json!({}), json!({}), json!({"root_disk": {"size": 1}})).unwrap();
    assert_eq!(given.0, json!(0));
    assert_eq!(
        run_with(json!({}), json!({}), json!({})).unwrap(),
        (json!(0), None)
    );
    let error = run_with(
        json!({"root_device": {"size": 5}}),
        json!({"disks": disks}),
        json!({}),
    )
    .unwrap_err();
    assert!(
        error.ends_with(&format!(
            "No disks satisfied root device hints for node {ID}"
        )),
        "{error}"
    );
    let error = run_with(
        json!({"root_device": {"size": "x"}}),
        json!({"disks": disks}),
        json!({}),
    )
    .unwrap_err();
    assert!(
        error.contains("because they failed to validate. Error: Root device hint \"size\""),
        "{error}"
    );
    let error = run_with(hinted, json!({}), json!({})).unwrap_err();
    assert!(error.contains("KeyError during processing"), "{error}");
}

#[test]
fn a_new_disk_is_the_root_device() {
    let disks = |serials: &[&str]| {
        let disks: Vec<Value> = serials.iter().map(|s| json!({"serial": s})).collect();
        json!({"disks": disks})
    };
    for (now, before, expected) in [
        (
            disks(&["a", "b"]),
            Some(disks(&["a"])),
            Some(json!({"serial": "b"})),
        ),
        (disks(&["a", "b", "c"]), Some(disks(&["a"])), None),
        (disks(&["a"]), Some(disks(&["a"])), None),
        (disks(&["a"]), None, None),
        (json!({}), Some(disks(&["a"])), None),
    ] {
        let mut subject = subject(now, json!({}));
        subject.previous = before.map(map);
        run_on(&mut subject, &with("raid-device")).unwrap();
        assert_eq!(
            subject.node.properties.get("root_device"),
            expected.as_ref()
        );
    }
}

#[test]
fn lldp_is_read_like_the_original_reads_it() {
    let table: Vec<(u64, String, Value)> =
        serde_json::from_str(include_str!("measured.json")).unwrap();
    for (kind, hex, expected) in table {
        let mut told = JsonMap::new();
        tlv::describe(kind, &tlv::unhex(&hex).unwrap(), &mut told);
        assert_eq!(Value::Object(told), expected, "{kind} {hex}");
    }
}

#[test]
fn switches_are_noted_at_ports_and_in_the_data() {
    let mut inventory = json!({"interfaces": two()});
    inventory["interfaces"][1]["lldp"] = json!([[2, "056574682f32"], [1, "zz"]]);
    let raw = json!({"lldp_raw": {"eth0": [
        [1, "04112233aabbcc"], [2, "054769312f302f31"], [5, "737769746368"], [4, "64657363"], "odd",
    ]}});
    let mut subject = subject(inventory, raw);
    subject.ports[0].local_link_connection = map(json!({"switch_info": "mine"}));
    let hooks = "validate-interfaces,ports,local-link-connection,parse-lldp";
    run_on(&mut subject, &with(hooks)).unwrap();
    assert_eq!(
        subject.ports[0].local_link_connection,
        map(json!({"switch_info": "mine", "switch_id": "11:22:33:aa:bb:cc", "port_id": "Gi1/0/1"}))
    );
    assert!(
        subject.ports[1].local_link_connection.is_empty(),
        "a garbled packet says nothing"
    );
    assert_eq!(
        subject.plugin_data["parsed_lldp"],
        json!({
            "eth0": {"switch_chassis_id": "11:22:33:aa:bb:cc", "switch_port_id": "Gi1/0/1",
                "switch_system_name": "switch", "switch_port_description": "desc"},
            "eth1": {"switch_port_id": "eth/2"},
        })
    );
}

/// Any JSON, for data that a broken ramdisk might send.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z0-9:.%-]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("name|mac_address|size|lldp|flags|count|bus", inner, 0..4)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_data_makes_a_hook_panic(
        interfaces in anything(), cpu in anything(), disks in anything(), boot in anything(),
        lldp in anything(), data in anything(), pci in anything(), error in anything(),
    ) {
        let inventory = json!({"interfaces": interfaces, "cpu": cpu, "disks": disks, "boot": boot});
        let plugin_data = json!({"lldp_raw": lldp, "data": data, "pci_devices": pci, "error": error});
        let names: Vec<&str> = Hook::ALL.iter().map(|hook| hook.name()).collect();
        let all = format!("validate-interfaces,{}", names.join(","));
        for hook in with(&all).hooks {
            let mut subject = subject(inventory.clone(), plugin_data.clone());
            let settings = InspectionSettings {
                hooks: vec![Hook::ValidateInterfaces, hook],
                ..InspectionSettings::default()
            };
            let _ = run_on(&mut subject, &settings);
        }
    }

    #[test]
    fn no_bytes_panic(kind in prop_oneof![0_u64..10, Just(127)], bytes: Vec<u8>) {
        tlv::describe(kind, &bytes, &mut JsonMap::new());
        let _ = (tlv::chassis_id(&bytes), tlv::port_id(&bytes));
    }

    #[test]
    fn hexadecimal_is_read_back(bytes: Vec<u8>) {
        let text: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        prop_assert_eq!(tlv::unhex(&text), Some(bytes));
    }
}
