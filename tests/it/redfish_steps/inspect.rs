//! Inspection without a ramdisk.

use super::machine::{Sim, enroll, lab};
use crate::database::Engine;
use serde_json::json;
use sim::fault::Faults;
use types::ProvisionState as S;

every_engine!(
    a_machine_is_inspected_by_its_bmc,
    an_idrac_tells_more,
    a_bmc_that_is_silent_fails_the_inspection,
);

async fn a_machine_is_inspected_by_its_bmc(engine: Engine) {
    let sim = Sim::start("generic").await;
    let mut options = super::machine::options();
    options.conductor.inspection.add_ports = conductor::inspection::AddPorts::All;
    let lab = crate::lab::Lab::with(engine, options).await;
    let machine = enroll(&lab, &sim, "redfish").await;
    let node = machine.asks("inspect").await.reaches(S::Manageable).await;
    assert_eq!(node["last_error"], json!(null));
    let properties = &node["properties"];
    assert_eq!(properties["cpu_arch"], "x86_64", "{node:#}");
    assert!(properties["memory_mb"].as_u64().unwrap() > 0);
    assert_eq!(properties["local_gb"], 240_057_409_536_u64 / (1 << 30) - 1);
    let capabilities = properties["capabilities"].as_str().unwrap();
    assert!(capabilities.contains("boot_mode:"), "{capabilities}");
    let path = machine.path("/inventory");
    let stored = lab.client.get(&path).await.expect(200).json();
    let inventory = &stored["inventory"];
    let interfaces = inventory["interfaces"].as_array().unwrap();
    assert!(!interfaces.is_empty(), "{inventory:#}");
    assert_eq!(inventory["disks"].as_array().unwrap().len(), 5);
    assert_eq!(
        inventory["storage_controllers"].as_array().unwrap().len(),
        2
    );
    assert_eq!(
        inventory["system_vendor"]["product_name"],
        "Simulated Machine"
    );
    assert_eq!(inventory["memory"]["physical_mb"], properties["memory_mb"]);
    let path = format!("/v1/ports?node={}", machine.id);
    let ports = lab.client.get(&path).await.expect(200).json();
    let mut addresses: Vec<_> = ports["ports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|port| port["address"].clone())
        .collect();
    let mut told: Vec<_> = interfaces
        .iter()
        .map(|i| i["mac_address"].clone())
        .collect();
    addresses.sort_by_key(ToString::to_string);
    told.sort_by_key(ToString::to_string);
    assert_eq!(addresses, told);
    lab.stop().await;
}

async fn an_idrac_tells_more(engine: Engine) {
    let sim = Sim::start("dell").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "idrac").await;
    machine.asks("inspect").await.reaches(S::Manageable).await;
    let path = machine.path("/inventory");
    let stored = lab.client.get(&path).await.expect(200).json();
    let system = sim.show("/redfish/v1/Systems/System.Embedded.1").await;
    let serial = &stored["inventory"]["system_vendor"]["serial_number"];
    let expected = system.get("SKU").unwrap_or(&system["SerialNumber"]);
    assert_eq!(serial, expected);
    lab.stop().await;
}

async fn a_bmc_that_is_silent_fails_the_inspection(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "redfish").await;
    sim.break_with(Faults {
        garbage: true,
        ..Faults::default()
    });
    machine.asks("inspect").await;
    let node = machine
        .until("'inspect failed'", |node| {
            Some(node["provision_state"] == "inspect failed" && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.starts_with("Failed to inspect hardware. Reason: ")
            && error.contains("inspection failed. BMC http://127.0.0.1:"),
        "{error}"
    );
    assert!(!error.contains("password"), "{error}");
    lab.stop().await;
}
