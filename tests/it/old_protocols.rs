//! Drivers of older protocols: against our simulators, against devices that do wrong, through the
//! whole service, and the makers' own clients against the simulators.

mod bench;
mod clients;
mod faults;
mod service;
mod ssh;
mod wsman;

use bench::{Bench, Stand};
use proto::msftocs::NextBoot;
use serde_json::json;
use sim::device::Fault;
use types::{PowerState, PowerTarget};

/// Every change of power, from off.
async fn every_power_action(bench: &mut Bench) {
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::Off));
    for target in [
        PowerTarget::On,
        PowerTarget::Reboot,
        PowerTarget::Off,
        PowerTarget::Off,
    ] {
        bench.switch(target).await.unwrap();
        let found = bench.state().await.unwrap();
        assert_eq!(found, Some(target.end_state()), "{target}");
    }
    for target in [PowerTarget::SoftOff, PowerTarget::SoftReboot] {
        assert!(!bench.power().supported().contains(&target));
        assert_eq!(bench.switch(target).await.unwrap_err().kind(), "invalid");
    }
}

#[tokio::test]
async fn relays_of_an_iboot_are_switched() {
    let (stand, device) = Stand::iboot().await;
    let mut bench = stand.bench(json!({"iboot_relay_id": 3}));
    every_power_action(&mut bench).await;
    let expected = [true, false, true, false, false];
    assert_eq!(device.orders(), expected.map(|on| (3, on)));
    // It is off, which a reboot need not find it.
    bench.switch(PowerTarget::Reboot).await.unwrap();
    assert!(device.is_on(3) && !device.is_on(1));
    bench.node.disable_power_off = Some(true);
    let refused = bench.switch(PowerTarget::Reboot).await.unwrap_err();
    assert!(refused.to_string().contains("must never be without power"));
    // There are four.
    let mut bench = stand.bench(json!({"iboot_relay_id": 5}));
    assert_eq!(
        bench.switch(PowerTarget::On).await.unwrap_err().kind(),
        "rejected"
    );
}

#[tokio::test]
async fn blades_of_a_chassis_are_switched_and_booted() {
    let (stand, manager) = Stand::msftocs().await;
    let mut bench = stand.bench(json!({}));
    every_power_action(&mut bench).await;
    assert_eq!(
        manager.orders(),
        [
            "SetBladeOn 2",
            "SetBladeActivePowerCycle 2",
            "SetBladeOff 2",
            "SetBladeOff 2"
        ]
    );
    // A blade that is off is not cycled but switched on.
    bench.switch(PowerTarget::Reboot).await.unwrap();
    assert_eq!(manager.orders()[4..], ["SetBladeOn 2"]);
    let device = bench.device().await.unwrap();
    assert_eq!(device.device.as_deref(), Some("disk"), "nothing is set");
    for (name, next) in [
        ("pxe", NextBoot::Pxe),
        ("disk", NextBoot::Disk),
        ("bios", NextBoot::Setup),
    ] {
        bench.boot_from(name, true).await.unwrap();
        let blade = manager.blade(2).unwrap();
        assert_eq!((blade.next, blade.is_persistent), (next, true));
        assert!(!blade.is_uefi);
        let device = bench.device().await.unwrap();
        assert_eq!(device.device.as_deref(), Some(name));
        assert_eq!(device.persistent, None);
    }
    let mut staying = stand.bench(json!({}));
    staying.node.disable_power_off = Some(true);
    let refused = staying.switch(PowerTarget::Reboot).await.unwrap_err();
    assert!(refused.to_string().contains("must never be without power"));
    let capabilities = json!("boot_mode:uefi,a:b");
    bench
        .node
        .properties
        .insert("capabilities".into(), capabilities);
    bench.boot_from("pxe", false).await.unwrap();
    let blade = manager.blade(2).unwrap();
    assert!(blade.is_uefi && !blade.is_persistent);
    assert_eq!(
        bench.boot_from("cdrom", false).await.unwrap_err().kind(),
        "invalid"
    );
    let bench = stand.bench(json!({"msftocs_blade_id": 9}));
    let error = types::error::chain(&bench.state().await.unwrap_err());
    assert!(error.contains("ParameterOutOfRange: bladeId"), "{error}");
}

#[tokio::test]
async fn service_profiles_of_ucs_manager_are_switched_and_booted() {
    let (stand, device) = Stand::ucsm().await;
    let mut bench = stand.bench(json!({}));
    every_power_action(&mut bench).await;
    bench.switch(PowerTarget::Reboot).await.unwrap();
    assert_eq!(bench.state().await.unwrap(), Some(PowerState::On));
    // Before there is a policy of its own, the profile's definition counts.
    assert_eq!(
        bench.device().await.unwrap().device.as_deref(),
        Some("disk")
    );
    let order = |rn: &str| device.attribute(&format!("org-root/boot-policy-node2/{rn}"), "order");
    for (name, rn) in [
        ("pxe", "lan"),
        ("disk", "storage"),
        ("cdrom", "read-only-vm"),
        ("pxe", "lan"),
        ("pxe", "lan"),
    ] {
        bench.boot_from(name, true).await.unwrap();
        let found = bench.device().await.unwrap();
        assert_eq!(
            (found.device.as_deref(), found.persistent),
            (Some(name), None)
        );
        assert_eq!(order(rn).as_deref(), Some("1"));
    }
    let mut places: Vec<_> = ["lan", "storage", "read-only-vm"]
        .into_iter()
        .map(order)
        .collect();
    places.sort_unstable();
    let expected = ["1", "2", "3"].map(|place| Some(place.to_owned()));
    assert_eq!(places, expected, "each has a place of its own");
    let policy = device.attribute("org-root/ls-node2", "bootPolicyName");
    assert_eq!(policy.as_deref(), Some("node2"));
    let path = "org-root/boot-policy-node2/lan/path-primary";
    assert_eq!(device.attribute(path, "vnicName").as_deref(), Some("eth0"));
    let missing = stand.bench(json!({"ucs_service_profile": "org-root/ls-none"}));
    for error in [
        missing.state().await.map(|_| ()),
        missing.device().await.map(|_| ()),
    ] {
        let error = types::error::chain(&error.unwrap_err());
        assert!(error.contains("it has no such service profile"), "{error}");
    }
    // Whatever came of it, no session stays open.
    assert_eq!(device.sessions(), 0);
}

#[tokio::test]
async fn a_server_with_an_imc_is_switched_and_booted() {
    let (stand, device) = Stand::cimc().await;
    let mut bench = stand.bench(json!({}));
    every_power_action(&mut bench).await;
    let unit = |name: &str| device.attribute("sys/rack-unit-1", name);
    assert_eq!(unit("adminPower").as_deref(), Some("policy"));
    assert_eq!(
        bench.device().await.unwrap().device.as_deref(),
        Some("disk")
    );
    for (name, rn) in [
        ("pxe", "lan-read-only"),
        ("cdrom", "vm-read-only"),
        ("disk", "storage-read-write"),
    ] {
        bench.boot_from(name, false).await.unwrap();
        let found = bench.device().await.unwrap();
        assert_eq!(found.device.as_deref(), Some(name));
        assert_eq!(found.persistent, Some(true));
        let dn = format!("sys/rack-unit-1/boot-policy/{rn}");
        assert_eq!(device.attribute(&dn, "order").as_deref(), Some("1"));
    }
    let refused = bench.boot_from("bios", false).await.unwrap_err();
    assert_eq!(refused.kind(), "invalid");
    assert_eq!(bench.management().supported_boot_devices().len(), 3);
    assert_eq!(device.sessions(), 0);
}

#[tokio::test]
async fn servers_of_a_seamicro_chassis_are_switched_and_booted() {
    let (stand, chassis) = Stand::seamicro().await;
    let mut bench = stand.bench(json!({}));
    every_power_action(&mut bench).await;
    assert_eq!(
        chassis.orders(),
        [
            "PUT /servers/2/0 power-on",
            "PUT /servers/2/0 reset",
            "PUT /servers/2/0 power-off",
            "PUT /servers/2/0 power-off",
        ]
    );
    // A server that is off has nothing to reset.
    bench.switch(PowerTarget::Reboot).await.unwrap();
    assert_eq!(chassis.orders()[4..], ["PUT /servers/2/0 power-on"]);
    assert!(!chassis.server(1).unwrap().is_on);
    for (device, order) in [("pxe", "pxe,hd0"), ("disk", "hd0")] {
        bench.boot_from(device, false).await.unwrap();
        assert_eq!(chassis.server(2).unwrap().boot_order, order);
        let told = bench.device().await.unwrap();
        assert_eq!((told.device, told.persistent), (None, None));
    }
    let refused = bench.boot_from("cdrom", false).await.unwrap_err();
    assert_eq!(refused.kind(), "invalid");
    let missing = stand.bench(json!({"seamicro_server_id": "9/0"}));
    let error = types::error::chain(&missing.state().await.unwrap_err());
    assert!(error.contains("there is no /servers/9/0"), "{error}");
}

#[tokio::test]
async fn servers_of_a_seamicro_chassis_get_vlans_and_volumes() {
    let (stand, chassis) = Stand::seamicro().await;
    let mut bench = stand.bench(json!({}));
    for vlan in [12_u16, 13] {
        let arguments = json!({ "vlan_id": vlan });
        bench.call("set_node_vlan_id", arguments).await.unwrap();
        let server = chassis.server(2).unwrap();
        assert_eq!(server.vlans, [Some(vlan.into()); 2]);
        assert_eq!(bench.node.properties["seamicro_vlan_id"], vlan);
    }
    let unknown = json!({"volume_id": "0/ironic-p0/none"});
    let refused = bench.call("attach_volume", unknown).await.unwrap_err();
    let text = types::error::chain(&refused);
    assert!(text.contains("it has no volume 0/ironic-p0/none"), "{text}");
    let made = json!({"volume_size": 10});
    bench.call("attach_volume", made.clone()).await.unwrap();
    let volume = chassis.server(2).unwrap().volume.unwrap();
    assert!(volume.starts_with("0/ironic-p0/"), "{volume}");
    assert_eq!(bench.node.properties["seamicro_volume_id"], *volume);
    assert_eq!(chassis.volumes()[&volume], "10");
    // A second one would be nobody's if this is a repetition.
    let refused = bench.call("attach_volume", made).await.unwrap_err();
    let text = types::error::chain(&refused);
    assert!(text.contains("was made for this node before"), "{text}");
    let again = json!({ "volume_id": volume });
    bench.call("attach_volume", again).await.unwrap();
    assert_eq!(chassis.server(2).unwrap().volume, Some(volume));
    assert_eq!(chassis.volumes().len(), 1);
}

/// What a server does not do is said to it again, so often and no oftener.
#[tokio::test]
async fn servers_of_a_seamicro_chassis_are_told_again() {
    let (stand, chassis) = Stand::seamicro().await;
    chassis.break_with(Fault::Stuck);
    let mut bench = stand.bench(json!({}));
    let error = bench.switch(PowerTarget::On).await.unwrap_err();
    assert_eq!(error.kind(), "unfinished");
    assert_eq!(chassis.orders(), ["PUT /servers/2/0 power-on"; 3]);
}
