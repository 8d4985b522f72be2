//! A node with a real BMC, through the whole service.

use super::peer::{self, Bmc, unhurried};
use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use serde_json::json;
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(a_node_is_managed_over_the_api);

fn options() -> Options {
    let mut options = Options::default();
    options.hardware.ipmi = unhurried();
    let ports = 42000..42999;
    options.hardware.ipmi.console_ports = Some(vec![ports]);
    for (kind, names) in [
        (K::Power, vec!["fake", "ipmitool"]),
        (K::Management, vec!["fake", "ipmitool", "intel-ipmitool"]),
        (K::Vendor, vec!["fake", "ipmitool", "no-vendor"]),
        (K::Console, vec!["fake", "ipmitool-socat", "no-console"]),
    ] {
        let names = names.into_iter().map(str::to_owned).collect();
        options.hardware.enable_interfaces(kind, names);
    }
    options
}

async fn a_node_is_managed_over_the_api(engine: Engine) {
    let Some(mut bmc) = Bmc::sim() else { return };
    let lab = Lab::with(engine, options()).await;
    let machine = lab
        .enroll(json!({
            "driver_info": bmc.driver_info(),
            "power_interface": "ipmitool", "management_interface": "ipmitool",
            "vendor_interface": "ipmitool", "console_interface": "ipmitool-socat",
        }))
        .await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let node = machine.show().await;
    assert_eq!(node["power_state"], "power off");
    assert_eq!(node["properties"]["vendor"], "unknown (0x1291)");
    for (target, state) in [
        ("power on", "power on"),
        ("rebooting", "power on"),
        ("soft power off", "power off"),
    ] {
        let path = machine.path("/states/power");
        lab.client
            .put(&path, json!({"target": target}))
            .await
            .expect(202);
        let node = machine.rests().await;
        assert_eq!(node["last_error"], json!(null), "{target}");
        assert_eq!(node["power_state"], state, "{target}");
    }
    let told = bmc.told();
    assert_eq!(
        told,
        ["power 1", "power 0", "power 1", "shutdown 1"],
        "what the machine was told"
    );

    let path = machine.path("/management/boot_device");
    let body = json!({"boot_device": "pxe", "persistent": true});
    lab.client.put(&path, body).await.expect(204);
    let found = lab.client.get(&path).await.expect(200).json();
    assert_eq!(found["boot_device"], "pxe");
    let told = lab.told(machine.id).await.join("\n");
    assert!(told.contains("warning BMC 127.0.0.1:"), "{told}");

    let path = machine.path("/vendor_passthru/methods");
    let methods = lab.client.get(&path).await.expect(200).json();
    assert!(methods["send_raw"].is_object() && methods["bmc_reset"].is_object());

    let path = machine.path("/states/console");
    lab.client
        .put(&path, json!({"enabled": true}))
        .await
        .expect(202);
    machine.rests().await;
    let console = lab.client.get(&path).await.expect(200).json();
    let url = console["console_info"]["url"].as_str().unwrap();
    assert!(url.starts_with("tcp://127.0.0.1:42"), "{console}");

    // A failure says which BMC, what, and why; and no secret.
    machine.behave("ipmi_password", Some("hidden")).await;
    let path = machine.path("/states/power");
    lab.client
        .put(&path, json!({"target": "power on"}))
        .await
        .expect(202);
    let node = machine.rests().await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains(&format!("BMC 127.0.0.1:{}", bmc.port))
            && error.contains("power status")
            && error.contains("no session"),
        "{error}"
    );
    assert!(
        !error.contains("hidden") && !error.contains(peer::PASSWORD),
        "{error}"
    );
    lab.stop().await;
}
