//! The same devices through the whole service, under every name that their drivers have.

use super::bench::{
    Kind, PASSWORD, Stand, amt_settings, chassis_settings, cisco_settings, iboot_settings,
    seamicro_settings,
};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(nodes_of_all_names_are_managed);

/// Names, and whether their management is the device's.
const NAMES: [(Kind, &[&str]); 7] = [
    (
        Kind::Iboot,
        &["staging-iboot", "pxe_iboot", "agent_iboot", "fake_iboot"],
    ),
    (Kind::MsftOcs, &["msftocs", "pxe_msftocs", "fake_msftocs"]),
    (
        Kind::Ucsm,
        &["cisco-ucs-managed", "pxe_ucs", "agent_ucs", "fake_ucs"],
    ),
    (
        Kind::Cimc,
        &[
            "cisco-ucs-standalone",
            "pxe_iscsi_cimc",
            "pxe_agent_cimc",
            "fake_cimc",
        ],
    ),
    (
        Kind::SeaMicro,
        &["seamicro", "pxe_seamicro", "fake_seamicro"],
    ),
    (
        Kind::Amt,
        &["staging-amt", "pxe_amt", "agent_amt", "fake_amt"],
    ),
    (
        Kind::Drac,
        &["idrac", "pxe_drac", "pxe_drac_inspector", "fake_drac"],
    ),
];

fn options() -> Options {
    let owned = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
    let mut options = Options::default();
    let hardware = &mut options.hardware;
    let (modern, old): (Vec<&str>, Vec<&str>) = NAMES
        .iter()
        .flat_map(|(_, names)| names.iter().copied())
        .partition(|name| !name.contains('_'));
    hardware.enable_hardware_types(owned(&modern));
    hardware.enable_old_names(owned(&old));
    for (kind, names) in [
        (
            K::Power,
            &[
                "staging-iboot",
                "msftocs",
                "ucsm",
                "cimc",
                "staging-amt",
                "idrac-wsman",
                "seamicro",
            ][..],
        ),
        (
            K::Management,
            &[
                "noop",
                "fake",
                "msftocs",
                "ucsm",
                "cimc",
                "staging-amt",
                "idrac-wsman",
                "seamicro",
            ],
        ),
        (K::Boot, &["fake", "pxe"]),
        (K::Deploy, &["fake", "direct", "iscsi"]),
        (K::Inspect, &["no-inspect", "fake", "agent", "idrac-wsman"]),
        (K::Vendor, &["no-vendor", "fake", "idrac-wsman", "seamicro"]),
    ] {
        hardware.enable_interfaces(kind, owned(names));
    }
    hardware.iboot = iboot_settings();
    hardware.chassis = chassis_settings();
    hardware.cisco = cisco_settings(chassis_settings());
    hardware.seamicro = seamicro_settings(chassis_settings());
    hardware.amt = amt_settings(chassis_settings());
    options
}

async fn asks_for(lab: &Lab, machine: &Machine<'_>, target: &str) -> Value {
    let path = machine.path("/states/power");
    lab.client
        .put(&path, json!({"target": target}))
        .await
        .expect(202);
    machine.rests().await
}

/// A method of the driver's own, and what it writes into the node.
async fn sets_its_vlan(lab: &Lab, machine: &Machine<'_>) {
    let path = machine.path("/vendor_passthru/methods");
    let methods = lab.client.get(&path).await.expect(200).json();
    assert!(methods["attach_volume"].is_object(), "{methods}");
    let path = machine.path("/vendor_passthru?method=set_node_vlan_id");
    let refused = lab.client.post(&path, json!({"vlan_id": 4095})).await;
    refused.expect(400);
    lab.client
        .post(&path, json!({"vlan_id": 12}))
        .await
        .expect(202);
    let node = machine.rests().await;
    assert_eq!(node["properties"]["seamicro_vlan_id"], 12);
}

async fn nodes_of_all_names_are_managed(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    for (kind, names) in NAMES {
        let stand = Stand::of(kind).await;
        for name in names {
            let shown = lab.client.get(&format!("/v1/drivers/{name}")).await;
            let shown = shown.expect(200).json();
            assert_eq!(shown["name"], *name);
            let info = kind.driver_info(stand.address);
            let properties = lab
                .client
                .get(&format!("/v1/drivers/{name}/properties"))
                .await;
            let properties = properties.expect(200).json();
            for key in info.as_object().unwrap().keys() {
                assert!(properties[key].is_string(), "{name}: {key}");
            }
            let body = json!({"driver": name, "driver_info": {}});
            let created = lab.client.post("/v1/nodes", body).await.expect(201).json();
            let machine = lab.machine(created["uuid"].as_str().unwrap());
            let path = machine.path("/validate");
            let valid = lab.client.get(&path).await.expect(200).json();
            assert_eq!(valid["power"]["result"], false, "{name}");
            let change = json!([{"op": "add", "path": "/driver_info", "value": info}]);
            let shown = machine.patch(change).await.expect(200).json();
            assert!(!shown.to_string().contains(PASSWORD), "{shown}");
            let valid = lab.client.get(&path).await.expect(200).json();
            for interface in ["power", "management"] {
                assert_eq!(valid[interface]["result"], true, "{name}: {valid:#}");
            }
            machine.asks("manage").await.reaches(S::Manageable).await;
            for (target, state) in [
                ("power on", "power on"),
                ("rebooting", "power on"),
                ("power off", "power off"),
            ] {
                let node = asks_for(&lab, &machine, target).await;
                assert_eq!(node["last_error"], json!(null), "{name}: {target}");
                assert_eq!(node["power_state"], state, "{name}: {target}");
            }
            if kind != Kind::Iboot {
                let path = machine.path("/management/boot_device");
                let device = json!({"boot_device": "pxe", "persistent": false});
                lab.client.put(&path, device).await.expect(204);
                let found = lab.client.get(&path).await.expect(200).json();
                // A SeaMicro chassis is not asked, as in Ironic.
                let told = match kind {
                    Kind::SeaMicro => json!(null),
                    _ => json!("pxe"),
                };
                assert_eq!(found["boot_device"], told, "{name}");
            }
            if kind == Kind::SeaMicro {
                sets_its_vlan(&lab, &machine).await;
            }
        }
    }
    lab.stop().await;
}
