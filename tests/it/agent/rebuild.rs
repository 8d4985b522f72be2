//! Instances that are deployed again: what the user declared counts each time, and what cannot work
//! is known before the machine is touched.

use super::{Puppet, place::AgentHome, puppet, waits_for};
use crate::{
    agent::netboot::qcow2,
    database::Engine,
    lab::{Lab, Machine, Options},
};
use axum::{Router, routing::get};
use image::checksum::{Algorithm, Hasher};
use serde_json::{Value, json};
use std::fs;
use tokio::{net::TcpListener, task::JoinHandle};
use types::ProvisionState as S;

every_engine!(
    an_image_behind_a_server_without_ranges_is_rebuilt_twice,
    an_image_in_a_file_is_rebuilt_twice,
    an_image_that_agents_fetch_is_rebuilt_twice_and_replaced,
    a_rebuild_that_cannot_work_leaves_the_machine_running,
    what_an_older_version_wrote_over_the_instance_is_understood,
    an_image_whose_deploy_failed_leaves_the_cache_where_that_is_wanted,
);

pub(crate) fn options(place: &AgentHome) -> Options {
    let mut options = place.options();
    options.conductor.automated_clean = false;
    options.hardware.boot_images.automated_clean = false;
    options
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(bytes);
    hasher.finish()
}

async fn set(machine: Machine<'_>, values: Value) {
    let values = values.as_object().unwrap().clone();
    let add = |(key, value)| json!({"op": "add", "path": format!("/instance_info/{key}"), "value": value});
    let patch: Vec<Value> = values.into_iter().map(add).collect();
    machine.patch(json!(patch)).await.expect(200);
}

/// A machine that can be deployed, with this on its instance.
pub(crate) async fn available<'l>(lab: &'l Lab, instance: Value) -> Machine<'l> {
    available_at(lab, "52:54:00:bb:00:02", instance).await
}

/// The same with a network card of this address.
pub(crate) async fn available_at<'l>(lab: &'l Lab, mac: &str, instance: Value) -> Machine<'l> {
    let machine = lab
        .enroll(json!({
            "boot_interface": "ipxe", "deploy_interface": "direct", "management_interface": "noop",
        }))
        .await;
    let port = json!({"address": mac, "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    set(machine, instance).await;
    machine
}

/// Has the agent deploy what was asked for; the image as the agent was told of it.
pub(crate) async fn deployed(lab: &Lab, machine: Machine<'_>, agent: &Puppet) -> Value {
    machine.reaches(S::DeployWait).await;
    agent.boots(lab, machine).await;
    waits_for(machine, "deploy_step", "write_image").await;
    let (_, told) = agent.told().pop().unwrap();
    agent.ends(Ok(json!({})));
    agent.reports(lab, machine).await;
    machine.reaches(S::Active).await;
    agent.told();
    told["step"]["args"]["image_info"].clone()
}

/// Deploys, and rebuilds twice: the agent is told the same each time, and the instance stays what
/// the user made it.
async fn rebuilds_twice(lab: &Lab, machine: Machine<'_>, agent: &Puppet) -> Value {
    let said = machine.show().await["instance_info"].clone();
    machine.asks("active").await;
    let first = deployed(lab, machine, agent).await;
    for _ in 0..2 {
        machine.asks("rebuild").await;
        assert_eq!(deployed(lab, machine, agent).await, first);
    }
    let mut left = machine.show().await["instance_info"].clone();
    // Ironic's clients find it there as well.
    left.as_object_mut().unwrap().remove("image_type");
    assert_eq!(left, said);
    first
}

/// `[conductor]clear_image_cache_on_deploy_failure`.
async fn an_image_whose_deploy_failed_leaves_the_cache_where_that_is_wanted(engine: Engine) {
    for (wanted, left) in [(false, 1), (true, 0)] {
        let place = AgentHome::make().await;
        let mut options = options(&place);
        options.conductor.clear_image_cache_on_deploy_failure = wanted;
        let lab = Lab::with(engine, options).await;
        let disk = qcow2(b"the instance", false);
        let sum = sha256(&disk);
        let (url, serving) = serve(disk).await;
        let instance = json!({"image_source": url, "image_checksum": sum});
        let machine = available(&lab, instance).await;
        let agent = puppet().await;
        machine.asks("active").await.reaches(S::DeployWait).await;
        let cached = || {
            fs::read_dir(place.path("masters/instance"))
                .unwrap()
                .count()
        };
        assert_eq!(cached(), 1);
        agent.boots(&lab, machine).await;
        waits_for(machine, "deploy_step", "write_image").await;
        agent.ends(Err("no disk"));
        agent.reports(&lab, machine).await;
        machine.reaches(S::DeployFailed).await;
        assert_eq!(cached(), left, "wanted: {wanted}");
        serving.abort();
        lab.stop().await;
    }
}

/// An HTTP server that knows no ranges, as Python's.
async fn serve(image: Vec<u8>) -> (String, JoinHandle<()>) {
    let router = Router::new().route("/disk.qcow2", get(async move || image.clone()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/disk.qcow2", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, serving)
}

async fn an_image_behind_a_server_without_ranges_is_rebuilt_twice(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let disk = qcow2(b"the instance", false);
    let sum = sha256(&disk);
    let (url, serving) = serve(disk).await;
    let instance = json!({"image_source": url, "image_checksum": sum});
    let machine = available(&lab, instance).await;
    let agent = puppet().await;
    let told = rebuilds_twice(&lab, machine, &agent).await;
    let here = format!("{}/agent_images/{}", place.url(), machine.id);
    assert_eq!(told["urls"], json!([here]));
    assert_eq!(told["disk_format"], "raw");
    serving.abort();
    lab.stop().await;
}

async fn an_image_in_a_file_is_rebuilt_twice(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let disk = qcow2(b"the instance", false);
    fs::write(place.path("disk.qcow2"), &disk).unwrap();
    let instance = json!({
        "image_source": place.file("disk.qcow2"), "image_os_hash_algo": "sha256",
        "image_os_hash_value": sha256(&disk), "image_disk_format": "qcow2",
    });
    let machine = available(&lab, instance).await;
    let agent = puppet().await;
    let told = rebuilds_twice(&lab, machine, &agent).await;
    assert_eq!(told["disk_format"], "raw");
    assert_ne!(told["os_hash_value"], sha256(&disk));
    lab.stop().await;
}

async fn an_image_that_agents_fetch_is_rebuilt_twice_and_replaced(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let (disk, raw) = (qcow2(b"the instance", false), vec![7; 1 << 20]);
    fs::create_dir_all(place.path("http")).unwrap();
    fs::write(place.path("http/disk.qcow2"), &disk).unwrap();
    fs::write(place.path("http/disk.raw"), &raw).unwrap();
    let source = |name: &str| format!("{}/{name}", place.url());
    let instance = json!({"image_source": source("disk.qcow2"), "image_checksum": sha256(&disk)});
    let machine = available(&lab, instance).await;
    let agent = puppet().await;
    let told = rebuilds_twice(&lab, machine, &agent).await;
    assert_eq!(told["urls"], json!([source("disk.qcow2")]));
    assert_eq!(told["disk_format"], "qcow2");
    assert_eq!(told["checksum"], sha256(&disk));

    // Another image of another format: nobody declared one. Its address has a password, which is
    // for the agent and for nobody who reads the database.
    let guarded = source("disk.raw").replace("://", "://user:h-u-s-h@");
    let other = json!({"image_source": guarded, "image_checksum": sha256(&raw)});
    set(machine, other).await;
    machine.asks("rebuild").await;
    let told = deployed(&lab, machine, &agent).await;
    assert_eq!(told["urls"], json!([guarded]));
    let bytes = lab.database.raw();
    let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    assert!(has(b"disk.raw") && !has(b"h-u-s-h"));
    assert_eq!(told["disk_format"], "raw");
    assert_eq!(told["checksum"], sha256(&raw));
    lab.stop().await;
}

/// Waits for a rebuild to be refused while the machine runs on; the reason.
async fn refused(lab: &Lab, machine: Machine<'_>) -> String {
    let before = lab.told(machine.id).await.len();
    machine.asks("rebuild").await;
    let node = machine
        .until("deploy failed", |node| {
            Some(node["provision_state"] == "deploy failed" && node["reservation"].is_null())
        })
        .await;
    assert_eq!(node["power_state"], "power on");
    let told = lab.told(machine.id).await;
    let power = told[before..].iter().find(|text| text.contains("power"));
    assert_eq!(power, None, "nothing was done to its power");
    node["last_error"].as_str().unwrap().to_owned()
}

async fn a_rebuild_that_cannot_work_leaves_the_machine_running(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let disk = qcow2(b"the instance", false);
    fs::write(place.path("disk.qcow2"), &disk).unwrap();
    let good = json!({
        "image_source": place.file("disk.qcow2"), "image_checksum": sha256(&disk),
    });
    let machine = available(&lab, good.clone()).await;
    let agent = puppet().await;
    machine.asks("active").await;
    deployed(&lab, machine, &agent).await;

    set(machine, json!({"image_checksum": "0".repeat(64)})).await;
    let error = refused(&lab, machine).await;
    assert!(error.contains("checksum of"), "{error}");
    set(machine, json!({"image_source": place.file("missing")})).await;
    let error = refused(&lab, machine).await;
    assert!(error.contains("missing"), "{error}");
    set(machine, good).await;
    let lost = json!([
        {"op": "add", "path": "/driver_info/deploy_kernel", "value": place.file("no-kernel")},
        {"op": "add", "path": "/driver_info/deploy_ramdisk", "value": place.file("ramdisk")},
    ]);
    machine.patch(lost).await.expect(200);
    let error = refused(&lab, machine).await;
    assert!(error.contains("no-kernel"), "{error}");

    // And what was mended is deployed.
    let found = json!([
        {"op": "remove", "path": "/driver_info/deploy_kernel"},
        {"op": "remove", "path": "/driver_info/deploy_ramdisk"},
    ]);
    machine.patch(found).await.expect(200);
    machine.asks("rebuild").await;
    deployed(&lab, machine, &agent).await;
    lab.stop().await;
}

async fn what_an_older_version_wrote_over_the_instance_is_understood(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let disk = qcow2(b"the instance", false);
    fs::write(place.path("disk.qcow2"), &disk).unwrap();
    let source = json!({"image_source": place.file("disk.qcow2")});
    let machine = available(&lab, source).await;
    let agent = puppet().await;
    machine.asks("active").await;
    let first = deployed(&lab, machine, &agent).await;
    let left = json!({
        "image_checksum": null, "image_os_hash_algo": "sha256",
        "image_os_hash_value": first["os_hash_value"], "image_disk_format": "raw",
    });
    set(machine, left).await;
    for _ in 0..2 {
        machine.asks("rebuild").await;
        assert_eq!(deployed(&lab, machine, &agent).await, first);
    }

    // Whether another image is the right one cannot be told.
    fs::write(place.path("disk.qcow2"), qcow2(b"another", false)).unwrap();
    let error = refused(&lab, machine).await;
    assert!(error.contains("Set image_checksum"), "{error}");
    lab.stop().await;
}
