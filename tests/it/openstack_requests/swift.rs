//! Objects in Swift: temporary URLs of images, config drives, logs and what inspection found.

use super::{Theatre, available, fails, set_instance};
use crate::{
    agent,
    database::Engine,
    lab::{Lab, Machine, Options},
    program::Program,
};
use conductor::objects::Container;
use serde_json::{Value, json};
use std::time::Duration;
use types::{InterfaceKind as K, ProvisionState as S};

const RECORDING: &str = include_str!("../../golden/openstack/swift.jsonl");
const GLANCE: &str = include_str!("../../golden/openstack/glance.jsonl");

const DISK: &str = "38982591-be80-42a3-85a5-9d43d0e9c8ec";

fn container(name: &str, seconds: u64) -> Container {
    Container {
        name: name.to_owned(),
        lifetime: Duration::from_secs(seconds),
    }
}

async fn deploys_by_swift(machine: Machine<'_>, image: &str) {
    let info = json!({"image_source": image, "image_download_source": "swift"});
    set_instance(machine, info).await;
    machine.asks("active").await;
}

#[tokio::test]
async fn images_get_temporary_urls_as_from_ironic() {
    for (scene, image, reason) in [
        ("s01", DISK, None),
        ("s02", DISK, None),
        ("s03", DISK, Some("require a shared secret")),
        (
            "s04",
            "44774e00-36a0-4752-a88b-7308c633c0d0",
            Some("Got HTTP code 404 instead of 200"),
        ),
        ("s05", DISK, Some("Swift")),
    ] {
        // The key of an account is remembered for a while.
        let theatre = Theatre::open().await;
        let lab = theatre.lab().await;
        let machine = available(&lab, json!({})).await;
        theatre.stage.plays(RECORDING, scene);
        theatre.stage.knows(GLANCE, "a-lab-disk");
        theatre.stage.knows(GLANCE, "a-lab-community");
        deploys_by_swift(machine, image).await;
        match reason {
            None => drop(machine.reaches(S::DeployWait).await),
            Some(reason) => {
                let error = fails(machine, S::DeployFailed).await;
                assert!(error.contains(reason), "{scene}: {error}");
            }
        }
        theatre.stage.is_as_ironic(scene);
        lab.stop().await;
    }
}

fn with_objects(theatre: &Theatre) -> Options {
    let mut options = theatre.options();
    let objects = &mut options.conductor.objects;
    objects.config_drives = Some(container("ironic_configdrive_container", 1920));
    objects.logs = Some(container("ironic_deploy_logs_container", 2_592_000));
    objects.inspection_data = Some("introspection_data_container".into());
    options
}

/// An image on a disk, which asks nothing of Glance.
async fn has_image(theatre: &Theatre, machine: Machine<'_>) {
    std::fs::write(theatre.home.path("disk.raw"), vec![0; 4096]).unwrap();
    let source = theatre.home.file("disk.raw");
    set_instance(
        machine,
        json!({"image_source": source, "image_disk_format": "raw"}),
    )
    .await;
}

#[tokio::test]
async fn config_drives_and_logs_become_objects_as_with_ironic() {
    let theatre = Theatre::open().await;
    let mut options = with_objects(&theatre);
    options.conductor.ramdisk.logs = conductor::CollectLogs::Always;
    let lab = Lab::with(Engine::Sqlite, options).await;
    let body = json!({"uuid": "9c306ece-9213-4eed-87a4-dc0a1a023a10", "name": "rec-2"});
    let machine = available(&lab, body).await;
    has_image(&theatre, machine).await;
    theatre.stage.plays(RECORDING, "c01");
    let drive = json!({"meta_data": {"hostname": "h1"}});
    let ask = json!({"target": "active", "configdrive": drive});
    machine.asks_with(ask).await.reaches(S::DeployWait).await;
    let agent = agent::puppet().await;
    agent.boots(&lab, machine).await;
    machine
        .until("write_image", |node| {
            Some(node["deploy_step"]["step"] == "write_image" && node["reservation"].is_null())
        })
        .await;
    let told = agent.told();
    let args = &told.last().unwrap().1["step"]["args"];
    let drive = args["configdrive"].as_str().unwrap();
    assert!(
        drive.contains("/ironic_configdrive_container/configdrive-9c306ece"),
        "{drive}"
    );
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Active).await;
    theatre.stage.is_as_ironic("c01");
    lab.stop().await;
}

#[tokio::test]
async fn a_config_drive_of_the_user_becomes_an_object_as_with_ironic() {
    let theatre = Theatre::open().await;
    let lab = Lab::with(Engine::Sqlite, with_objects(&theatre)).await;
    let body = json!({"uuid": "9c306ece-9213-4eed-87a4-dc0a1a023a10", "name": "rec-2"});
    let machine = available(&lab, body).await;
    has_image(&theatre, machine).await;
    theatre.stage.plays(RECORDING, "c02");
    let ask = json!({"target": "active", "configdrive": "H4sIAAAAAAAAA0vOzyvJzEvVTcksSlUoSCzJAAAJ0mBYEwAAAA=="});
    machine.asks_with(ask).await.reaches(S::DeployWait).await;
    let agent = agent::puppet().await;
    agent.boots(&lab, machine).await;
    machine
        .until("write_image", |node| {
            Some(node["deploy_step"]["step"] == "write_image" && node["reservation"].is_null())
        })
        .await;
    theatre.stage.is_as_ironic("c02");
    lab.stop().await;
}

#[tokio::test]
async fn a_config_drive_that_is_in_swift_already_is_sent_once_more() {
    let theatre = Theatre::open().await;
    let lab = Lab::with(Engine::Sqlite, with_objects(&theatre)).await;
    let body = json!({"uuid": "9c306ece-9213-4eed-87a4-dc0a1a023a10", "name": "rec-2"});
    let machine = available(&lab, body).await;
    has_image(&theatre, machine).await;
    theatre.stage.plays(RECORDING, "c03");
    let ask = json!({"target": "active", "configdrive": "H4sIAAAAAAAAA0vOzyvJzEvVTcksSlUoSCzJAAAJ0mBYEwAAAA=="});
    machine.asks_with(ask).await.reaches(S::DeployWait).await;
    let agent = agent::puppet().await;
    agent.boots(&lab, machine).await;
    machine
        .until("write_image", |node| {
            Some(node["deploy_step"]["step"] == "write_image" && node["reservation"].is_null())
        })
        .await;
    theatre.stage.is_as_ironic("c03");
    lab.stop().await;
}

#[tokio::test]
async fn inspection_data_become_objects_as_with_ironic_and_go_with_the_node() {
    let theatre = Theatre::open().await;
    let mut options = with_objects(&theatre);
    options
        .hardware
        .enable_interfaces(K::Inspect, vec!["agent".into()]);
    options.hardware.agent.require_managed_boot = false;
    let lab = Lab::with(Engine::Sqlite, options).await;
    let body = json!({
        "uuid": "bd3f4ea2-e7f6-4de7-a90d-33de349dd227", "inspect_interface": "agent",
        "driver_info": {},
    });
    let machine = lab.enroll(body).await;
    let port = json!({"address": "52:54:00:00:10:09", "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("inspect").await.reaches(S::InspectWait).await;
    theatre.stage.plays(RECORDING, "v01");
    let sent = sent_inventory();
    lab.client
        .post("/v1/continue_inspection", sent)
        .await
        .expect(202);
    machine.reaches(S::Manageable).await;
    theatre.stage.is_as_ironic("v01");
    // The recording has another node, and Ironic looks in the wrong place.
    theatre.stage.plays(RECORDING, "v04");
    lab.client.delete(&machine.path("")).await.expect(204);
    theatre.stage.is_as_ironic("v04");
    lab.stop().await;
}

/// The program itself reads what inspection found, as its API has no conductor to ask.
#[tokio::test]
async fn inspection_data_are_read_from_swift_as_by_ironic() {
    let theatre = Theatre::open().await;
    let folder = theatre.home.path("data");
    let mut arguments = vec!["serve".to_owned(), "--data-dir".to_owned()];
    arguments.push(folder.display().to_string());
    for setting in [
        "api.port=0".to_owned(),
        "inventory.data_backend=swift".to_owned(),
        "swift.auth_type=password".to_owned(),
        format!("swift.auth_url={}/v3", theatre.stage.url()),
        "swift.username=ironic".to_owned(),
        "swift.password=secret".to_owned(),
        "swift.project_name=service".to_owned(),
        "swift.default_domain_id=default".to_owned(),
    ] {
        arguments.extend(["--set".to_owned(), setting]);
    }
    let program = Program::start(arguments, &theatre.home.path("service.log")).await;
    for (scene, id, status) in [
        ("v02", "bd3f4ea2-e7f6-4de7-a90d-33de349dd227", 200),
        ("v03", "9c306ece-9213-4eed-87a4-dc0a1a023a10", 404),
    ] {
        let node = json!({"uuid": id, "driver": "fake-hardware"});
        program.client.post("/v1/nodes", node).await.expect(201);
        theatre.stage.plays(RECORDING, scene);
        let path = format!("/v1/nodes/{id}/inventory");
        let answer = program.client.get(&path).await.expect(status);
        if status == 200 {
            let found = answer.json();
            assert_eq!(found["inventory"], sent_inventory()["inventory"]);
            assert_eq!(found["plugin_data"]["extra"], json!({"a": 1}));
        }
        theatre.stage.is_as_ironic(scene);
    }
    program.stop().await;
}

/// The inventory of the recording.
fn sent_inventory() -> Value {
    let first = RECORDING
        .lines()
        .find(|line| line.contains("-inventory\", \"body\""));
    let line: Value = serde_json::from_str(first.unwrap()).unwrap();
    json!({"inventory": line["body"], "extra": {"a": 1}})
}
