//! RAID volumes.

use super::machine::{Sim, clean, clean_well, enroll, lab, options, over, reboots};
use crate::{
    agent::{names, puppet::Puppet},
    database::Engine,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use sim::fault::{Faults, Ignore};
use std::time::Duration;
use types::ProvisionState as S;

every_engine!(
    volumes_are_made_and_deleted,
    an_idrac_does_it_without_a_ramdisk,
    a_restart_at_any_point_makes_no_volume_twice,
    what_cannot_be_made_is_said,
    an_agent_that_offers_raid_is_not_asked_for_a_controllers,
);

async fn wish(lab: &Lab, machine: &Machine<'_>, disks: Value) {
    let path = machine.path("/states/raid");
    let body = json!({"logical_disks": disks});
    lab.client.put(&path, body).await.expect(204);
}

fn two() -> Value {
    json!([
        {"raid_level": "1", "size_gb": 100, "is_root_volume": true, "volume_name": "root"},
        {"raid_level": "0", "size_gb": 200, "volume_name": "data"},
    ])
}

async fn volumes(sim: &Sim, storage: &str) -> Vec<Value> {
    let path = format!("/redfish/v1/Systems/{storage}/Volumes");
    let listed = sim.show(&path).await;
    let mut all = Vec::new();
    for member in listed["Members"].as_array().unwrap() {
        all.push(sim.show(member["@odata.id"].as_str().unwrap()).await);
    }
    all
}

async fn volumes_are_made_and_deleted(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "fake-hardware").await;
    wish(&lab, &machine, two()).await;
    let node = clean_well(&machine, "raid", "create_configuration", json!({})).await;
    let made = volumes(&sim, "1/Storage/1").await;
    let names: Vec<_> = made.iter().map(|v| v["Name"].as_str().unwrap()).collect();
    assert_eq!(names, ["root", "data"]);
    assert_eq!(made[0]["RAIDType"], "RAID1");
    let disks = node["raid_config"]["logical_disks"].as_array().unwrap();
    assert_eq!(disks.len(), 2, "{node:#}");
    assert_eq!(disks[0]["controller"], "1");
    assert_eq!(
        (
            &disks[0]["raid_level"],
            &disks[0]["size_gb"],
            &disks[0]["is_root_volume"]
        ),
        (&json!("1"), &json!(100), &json!(true))
    );
    assert!(node["raid_config"]["last_updated"].is_string());
    assert_eq!(node["properties"]["local_gb"], 100);
    assert_eq!(node["properties"]["capabilities"], "raid_level:1");
    assert_eq!(reboots(&lab, &machine).await, 0, "it can be done at once");

    // Again, in place of what is there.
    wish(&lab, &machine, json!([{"raid_level": "5", "size_gb": 300}])).await;
    let args = json!({"delete_existing": true});
    clean_well(&machine, "raid", "create_configuration", args).await;
    let made = volumes(&sim, "1/Storage/1").await;
    assert_eq!(made.len(), 1);
    assert_eq!(made[0]["RAIDType"], "RAID5");

    let node = clean_well(&machine, "raid", "delete_configuration", json!({})).await;
    assert_eq!(volumes(&sim, "1/Storage/1").await.len(), 0);
    assert_eq!(node["raid_config"]["logical_disks"], json!([]));
    lab.stop().await;
}

async fn an_idrac_does_it_without_a_ramdisk(engine: Engine) {
    let sim = Sim::start("dell").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "idrac").await;
    wish(&lab, &machine, two()).await;
    let steps = json!([
        {"interface": "raid", "step": "delete_configuration"},
        {"interface": "raid", "step": "create_configuration"},
    ]);
    let body = json!({"target": "clean", "clean_steps": steps, "disable_ramdisk": true});
    machine.asks_with(body).await;
    let node = over(&machine).await;
    assert_eq!(node["provision_state"], "manageable", "{node:#}");
    let disks = node["raid_config"]["logical_disks"].as_array().unwrap();
    assert_eq!(disks.len(), 2, "{node:#}");
    lab.stop().await;
}

async fn a_restart_at_any_point_makes_no_volume_twice(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "fake-hardware").await;
    let id = machine.id.to_string();
    wish(&lab, &machine, two()).await;
    let step = json!({"interface": "raid", "step": "create_configuration"});
    let body = json!({"target": "clean", "clean_steps": [step]});
    machine.asks_with(body).await;
    let mut database = lab.stop().await;
    // The conductor is stopped again and again, wherever it is by then.
    for _ in 0..5 {
        let mut hasty = options();
        hasty.conductor.graceful_shutdown_timeout = Duration::from_millis(1);
        let lab = Lab::on(database, hasty).await;
        lab.machine(&id).show().await;
        database = lab.stop().await;
    }
    let lab = Lab::on(database, options()).await;
    let node = over(&lab.machine(&id)).await;
    assert_eq!(node["provision_state"], "manageable", "{node:#}");
    let made = volumes(&sim, "1/Storage/1").await;
    assert_eq!(made.len(), 2, "{made:#?}");
    lab.stop().await;
}

async fn what_cannot_be_made_is_said(engine: Engine) {
    let sim = Sim::start("generic").await;
    let lab = lab(engine).await;
    let machine = enroll(&lab, &sim, "fake-hardware").await;
    let failed = async |disks: Value| {
        if disks.as_array().is_some_and(|disks| !disks.is_empty()) {
            wish(&lab, &machine, disks).await;
        }
        let node = clean(&machine, "raid", "create_configuration", json!({})).await;
        assert_eq!(node["provision_state"], "clean failed");
        lab.client
            .delete(&machine.path("/maintenance"))
            .await
            .expect(202);
        machine.asks("manage").await;
        over(&machine).await;
        node["last_error"].as_str().unwrap().to_owned()
    };
    let error = failed(json!([])).await;
    assert!(
        error.contains("has no target RAID configuration."),
        "{error}"
    );
    let error = failed(json!([{"raid_level": "1", "size_gb": "MAX"}])).await;
    assert!(
        error.contains("'physical_disks' is missing from logical_disk"),
        "{error}"
    );
    let error = failed(json!([{"raid_level": "6", "size_gb": 99_000}])).await;
    assert!(
        error.contains("BMC http://127.0.0.1:")
            && error.contains("failed to find matching physical disks"),
        "{error}"
    );
    assert_eq!(volumes(&sim, "1/Storage/1").await.len(), 0);
    // A service that says yes and does nothing.
    sim.break_with(Faults {
        ignore: Ignore::Everything,
        ..Faults::default()
    });
    let error = failed(two()).await;
    assert!(
        error.contains("accepted a new RAID configuration and did not keep it"),
        "{error}"
    );
    lab.stop().await;
}

/// Agents offer software RAID whatever else the machine has.
async fn an_agent_that_offers_raid_is_not_asked_for_a_controllers(engine: Engine) {
    let sim = Sim::start("generic").await;
    let mut options = options();
    options.conductor.agent_require_tls = false;
    options.conductor.automated_clean = false;
    options.conductor.ramdisk.api_url = Some("http://127.0.0.1:1".into());
    options.conductor.ramdisk.power_off_looks = 0;
    let lab = Lab::with(engine, options).await;
    let step = |interface: &str, name: &str| {
        json!({
            "step": name, "priority": 0, "interface": interface, "reboot_requested": false,
            "abortable": false,
        })
    };
    let raid = [
        "create_configuration",
        "delete_configuration",
        "apply_configuration",
    ];
    let raid = raid.map(|name| step("raid", name));
    let mut deploy = raid.to_vec();
    deploy.push(step("deploy", "write_image"));
    let agent = Puppet::start(&[("clean", json!(raid)), ("deploy", json!(deploy))]).await;
    let body = json!({
        "driver": "fake-hardware", "driver_info": sim.driver_info(),
        "power_interface": "fake", "management_interface": "noop", "boot_interface": "fake",
        "deploy_interface": "direct", "raid_interface": "redfish",
        "instance_info": {
            "image_source": "http://images.example/a.qcow2",
            "image_checksum": "00112233445566778899aabbccddeeff",
        },
    });
    let created = lab.client.post("/v1/nodes", body).await.expect(201).json();
    let machine = lab.machine(created["uuid"].as_str().unwrap());
    machine.asks("manage").await.reaches(S::Manageable).await;

    wish(&lab, &machine, two()).await;
    let steps = json!([
        {"interface": "raid", "step": "delete_configuration"},
        {"interface": "raid", "step": "create_configuration"},
    ]);
    let body = json!({"target": "clean", "clean_steps": steps});
    machine.asks_with(body).await.reaches(S::CleanWait).await;
    agent.boots(&lab, machine).await;
    let node = over(&machine).await;
    assert_eq!(node["provision_state"], "manageable", "{node:#}");
    assert_eq!(names(&agent.told()), ["clean.get_clean_steps"]);
    assert_eq!(volumes(&sim, "1/Storage/1").await.len(), 2);
    let disks = node["raid_config"]["logical_disks"].as_array().unwrap();
    assert_eq!(disks.len(), 2, "{node:#}");

    // The same as part of a deployment.
    machine.asks("provide").await.reaches(S::Available).await;
    let disk = json!({"raid_level": "5", "size_gb": 300, "is_root_volume": true});
    let config = json!({"logical_disks": [disk]});
    let steps = json!([{
        "interface": "raid", "step": "apply_configuration", "priority": 90,
        "args": {"raid_config": config, "delete_existing": true},
    }]);
    let body = json!({"target": "active", "deploy_steps": steps});
    machine.asks_with(body).await.reaches(S::DeployWait).await;
    agent.boots(&lab, machine).await;
    machine
        .until("write_image", |node| {
            let writes = node["deploy_step"]["step"] == "write_image";
            Some(writes && node["reservation"].is_null())
        })
        .await;
    let told = names(&agent.told());
    let written = "deploy.execute_deploy_step write_image";
    assert_eq!(told, ["deploy.get_deploy_steps", written]);
    let made = volumes(&sim, "1/Storage/1").await;
    assert_eq!(made.len(), 1);
    assert_eq!(made[0]["RAIDType"], "RAID5");
    lab.stop().await;
}
