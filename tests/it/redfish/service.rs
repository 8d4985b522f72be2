//! A node with a Redfish service, through the whole service.

use super::{
    bench::{PASSWORD, settings},
    sushy::Sushy,
};
use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use serde_json::json;
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(a_node_is_managed_over_the_api);

/// The verify steps of such a node fail as well, and the last of them is not to be blamed. A key
/// that is misspelt is told when it is set.
#[tokio::test]
async fn what_is_wrong_with_driver_info_is_told_as_such() {
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let info = json!({"redfish_address": "http://127.0.0.1:9", "redfish_verify_ca": "nope",
        "redfish_usrname": "admin"});
    let machine = lab
        .enroll(json!({"driver": "redfish", "driver_info": info}))
        .await;
    let told = lab.told(machine.id).await.join("\n");
    assert!(
        told.contains("redfish_usrname") && told.contains("did you mean redfish_username?"),
        "{told}"
    );
    machine.asks("manage").await;
    let node = machine.rests().await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.starts_with("Failed to validate power driver interface")
            && error.contains("driver_info/redfish_verify_ca"),
        "{error}"
    );
    lab.stop().await;
}

fn options() -> Options {
    let mut options = Options::default();
    options.hardware.redfish = settings();
    options.hardware.enable_hardware_types(
        ["fake-hardware", "redfish", "idrac", "ilo"]
            .map(str::to_owned)
            .to_vec(),
    );
    for (kind, names) in [
        (K::Power, vec!["fake", "redfish", "idrac-redfish", "ilo"]),
        (
            K::Management,
            vec!["fake", "redfish", "idrac-redfish", "ilo"],
        ),
        (K::Boot, vec!["fake", "ipxe"]),
        (K::Deploy, vec!["fake", "direct"]),
    ] {
        let names = names.into_iter().map(str::to_owned).collect();
        options.hardware.enable_interfaces(kind, names);
    }
    options
}

async fn a_node_is_managed_over_the_api(engine: Engine) {
    let Some(mut sushy) = Sushy::guarded() else {
        return;
    };
    let lab = Lab::with(engine, options()).await;
    let machine = lab
        .enroll(json!({"driver": "redfish", "driver_info": sushy.driver_info()}))
        .await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let node = machine.show().await;
    assert_eq!(node["power_state"], "power off");
    assert_eq!(node["properties"]["vendor"], "Sushy Emulator");
    assert_eq!(node["health"], "OK");
    assert_eq!(node["boot_mode"], "uefi");
    assert_eq!(node["secure_boot"], false);
    for (target, state) in [
        ("power on", "power on"),
        ("soft rebooting", "power on"),
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
    assert_eq!(
        sushy.told(),
        [
            "reset On",
            "reset GracefulRestart",
            "reset GracefulShutdown"
        ]
    );

    let path = machine.path("/management/boot_device");
    let body = json!({"boot_device": "pxe", "persistent": false});
    lab.client.put(&path, body).await.expect(204);
    let found = lab.client.get(&path).await.expect(200).json();
    assert_eq!(found["boot_device"], "pxe");
    let told = lab.told(machine.id).await.join("\n");
    assert!(
        told.contains("but not that it is for the next boot only"),
        "{told}"
    );

    let path = machine.path("/management/indicators");
    let lights = lab.client.get(&path).await.expect(200).json();
    let names: Vec<&str> = lights["indicators"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|light| light["name"].as_str())
        .collect();
    let light = names.iter().find(|name| name.ends_with("@system")).unwrap();
    let path = machine.path(&format!("/management/indicators/{light}"));
    lab.client
        .put(&path, json!({"state": "blinking"}))
        .await
        .expect(204);
    let found = lab.client.get(&path).await.expect(200).json();
    assert_eq!(found["state"], "blinking");

    // A failure says which BMC, what, and why; and no secret.
    machine.behave("redfish_password", Some("hidden")).await;
    let path = machine.path("/states/power");
    lab.client
        .put(&path, json!({"target": "power on"}))
        .await
        .expect(202);
    let node = machine.rests().await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("BMC http://127.0.0.1:")
            && error.contains("reading the power state failed")
            && error.contains("returned code 401"),
        "{error}"
    );
    assert!(
        !error.contains("hidden") && !error.contains(PASSWORD),
        "{error}"
    );
    lab.stop().await;
}
