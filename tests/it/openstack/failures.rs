//! What becomes of a node when another service fails: its state, what is said about it, and that
//! nothing is left behind.
//!
//! Real services fail in these ways; each is tried on a cloud of its own, because a catalogue is
//! kept as long as the login.

use crate::{
    agent::{place::AgentHome, puppet, waits_for},
    cloud::{CHAP_PASSWORD, Cloud, ImageRecord, Outage, PASSWORD, Peer, TEMP_URL_KEY, TOKEN},
    database::Engine,
    lab::{Lab, Machine, Options},
    logs,
};
use conductor::objects::Container;
use drivers::storage::CinderSettings;
use serde_json::{Value, json};
use std::{fs, time::Duration};
use types::{InterfaceKind as K, ProvisionState as S, Timestamp};

const IMAGE: &str = "38982591-be80-42a3-85a5-9d43d0e9c8ec";
const VOLUME: &str = "6fa52cf1-19ab-4b0e-8d8a-4d5f0f1a4f5e";

/// Every way to fail, with what an error says about it and what to do.
const OUTAGES: &[(Outage, &str, &str)] = &[
    (Outage::Down, "cannot connect", "check that"),
    (Outage::Silent, "", "check the health and the logs of"),
    (Outage::Status(401), "401", "the roles that"),
    (Outage::Status(409), "409", "nobody else works on it"),
    (Outage::Status(413), "413", "check the quotas"),
    (
        Outage::Status(500),
        "500",
        "check the health and the logs of",
    ),
    (Outage::Garbage, "unexpected answer", "check that the URL"),
    (
        Outage::Unlisted,
        "not found",
        "register the endpoint in Keystone",
    ),
];

/// A service beside a cloud.
struct Site {
    cloud: Cloud,
    place: AgentHome,
    lab: Lab,
}

impl Site {
    async fn new(change: impl FnOnce(&mut Options)) -> Self {
        logs::listen_to_all();
        let (cloud, place) = (Cloud::start().await, AgentHome::make().await);
        let mut options = place.options();
        options.conductor.automated_clean = false;
        options.hardware.openstack = Some(cloud.services());
        options.hardware.cinder = CinderSettings {
            action_retries: 1,
            action_retry_interval: Duration::from_millis(5),
        };
        let storage = vec!["noop".to_owned(), "cinder".to_owned()];
        options.hardware.enable_interfaces(K::Storage, storage);
        change(&mut options);
        let lab = Lab::with(Engine::Sqlite, options).await;
        Self { cloud, place, lab }
    }

    async fn available(&self, more: Value) -> Machine<'_> {
        let mut node = json!({
            "deploy_interface": "direct", "management_interface": "noop", "boot_interface": "fake",
            "storage_interface": "noop",
        });
        for (key, value) in more.as_object().unwrap() {
            node[key] = value.clone();
        }
        let machine = self.lab.enroll(node).await;
        let id = machine.id.to_string();
        let port = json!({"node_uuid": id, "address": "52:54:00:00:00:01"});
        self.lab.client.post("/v1/ports", port).await.expect(201);
        machine.asks("manage").await.reaches(S::Manageable).await;
        machine.asks("provide").await.reaches(S::Available).await;
        machine
    }

    async fn has_image(&self, machine: Machine<'_>, image: &str) {
        let path = "/instance_info/image_source";
        let changes = json!([{"op": "add", "path": path, "value": image}]);
        machine.patch(changes).await.expect(200);
    }

    /// Deploys in vain; what is said about it.
    async fn fails(&self, machine: Machine<'_>, body: Value) -> String {
        machine.asks_with(body).await;
        let node = machine
            .until("deploy failed", |node| {
                Some(node["provision_state"] == "deploy failed" && node["reservation"].is_null())
            })
            .await;
        node["last_error"].as_str().unwrap().to_owned()
    }

    /// The instance goes, and the node can be used again; nothing secret was said.
    async fn ends(&self, machine: Machine<'_>) {
        machine.asks("deleted").await.reaches(S::Available).await;
        let told = self.lab.told(machine.id).await.join("\n");
        let logged = logs::lines().join("\n");
        for secret in [PASSWORD, TOKEN, TEMP_URL_KEY, CHAP_PASSWORD] {
            assert!(!told.contains(secret), "{told}");
            let line = logged.lines().find(|line| line.contains(secret));
            assert_eq!(line, None);
        }
    }
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
}

fn is_empty(folder: std::path::PathBuf) -> bool {
    fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}

#[tokio::test]
async fn images_are_not_deployed_without_glance() {
    let more = [
        (Outage::Status(403), "Not authorized for image", IMAGE),
        (Outage::Status(404), "could not be found", IMAGE),
    ];
    for (outage, what, remedy) in OUTAGES.iter().chain(&more) {
        let site = Site::new(|_| {}).await;
        site.cloud.add_image(ImageRecord::new(IMAGE, b"disk"));
        site.cloud.fail(Peer::Glance, *outage);
        let machine = site.available(json!({})).await;
        site.has_image(machine, IMAGE).await;
        let error = site.fails(machine, json!({"target": "active"})).await;
        contains(&error, &["Failed to prepare to deploy: ", what, remedy]);
        if !matches!(outage, Outage::Status(403 | 404)) {
            let lower = error.to_lowercase();
            contains(&lower, &["glance", IMAGE]);
        }
        assert!(is_empty(site.place.path("masters/instance")), "{outage:?}");
        site.ends(machine).await;
        site.lab.stop().await;
    }
}

#[tokio::test]
async fn images_that_cannot_be_used_are_named() {
    let image = || ImageRecord::new(IMAGE, b"disk");
    let wrong = "0".repeat(128);
    for (record, what) in [
        (
            image().with("status", json!("deactivated")),
            "is unacceptable: The image is required to be in an active state.",
        ),
        (
            image()
                .with("visibility", json!("private"))
                .with("owner", json!("somebody else")),
            "could not be found.",
        ),
        (
            image()
                .with("visibility", json!("shared"))
                .with("owner", json!("somebody else")),
            "could not be found.",
        ),
        (
            image().with("os_hash_value", json!(wrong)),
            "corrupt image data",
        ),
    ] {
        let site = Site::new(|_| {}).await;
        site.cloud.add_image(record);
        let machine = site.available(json!({})).await;
        site.has_image(machine, IMAGE).await;
        let error = site.fails(machine, json!({"target": "active"})).await;
        contains(&error, &["Failed to prepare to deploy: ", IMAGE, what]);
        assert!(is_empty(site.place.path("masters/instance")), "{what}");
        site.ends(machine).await;
        site.lab.stop().await;
    }
}

#[tokio::test]
async fn a_ramdisk_needs_the_properties_that_say_what_to_boot() {
    let site = Site::new(|_| {}).await;
    // Without this, an image that has neither property is one of a whole disk.
    let image = ImageRecord::new(IMAGE, b"disk").with("img_type", json!("partition"));
    site.cloud.add_image(image);
    let machine = site
        .available(json!({"deploy_interface": "ramdisk", "boot_interface": "ipxe"}))
        .await;
    site.has_image(machine, IMAGE).await;
    let verdicts = site.lab.client.get(&machine.path("/validate")).await;
    let verdicts = verdicts.expect(200).json();
    let reason = verdicts["deploy"]["reason"].as_str().unwrap();
    let missing = format!(
        "Image {IMAGE} is missing the following properties: kernel_id, ramdisk_id; set them in Glance"
    );
    assert!(reason.contains(&missing), "{reason}");
    let refused = machine.provision(json!({"target": "active"})).await;
    assert_eq!(refused.status, 400);
    site.lab.stop().await;
}

#[tokio::test]
async fn a_temporary_url_that_leads_nowhere_is_found_out_before_the_agent_boots() {
    for (lifetime, stored, status) in [(0, true, "401"), (600, false, "404")] {
        let site = Site::new(|options| {
            let store = &mut options.hardware.glance.store;
            store.temp_url_duration = Duration::from_secs(lifetime);
        })
        .await;
        site.cloud.add_image(ImageRecord::new(IMAGE, b"disk"));
        if stored {
            site.cloud.add_object("glance", IMAGE, b"disk");
        }
        let machine = site.available(json!({})).await;
        site.has_image(machine, IMAGE).await;
        let source = json!([
            {"op": "add", "path": "/instance_info/image_download_source", "value": "swift"},
        ]);
        machine.patch(source).await.expect(200);
        let error = site.fails(machine, json!({"target": "active"})).await;
        let what = format!("Got HTTP code {status} instead of 200 in response to HEAD request.");
        contains(
            &error,
            &["Validation of image href secreturl failed", &what],
        );
        site.ends(machine).await;
        site.lab.stop().await;
    }
}

#[tokio::test]
async fn an_agent_that_comes_too_late_for_its_temporary_url_is_told_apart() {
    for (lifetime, is_late) in [(2, true), (600, false)] {
        let site = Site::new(|options| {
            let store = &mut options.hardware.glance.store;
            store.temp_url_duration = Duration::from_secs(lifetime);
        })
        .await;
        site.cloud.add_image(ImageRecord::new(IMAGE, b"disk"));
        site.cloud.add_object("glance", IMAGE, b"disk");
        let agent = puppet().await;
        let machine = site.available(json!({})).await;
        site.has_image(machine, IMAGE).await;
        let source = json!([
            {"op": "add", "path": "/instance_info/image_download_source", "value": "swift"},
        ]);
        machine.patch(source).await.expect(200);
        machine.asks("active").await.reaches(S::DeployWait).await;
        agent.boots(&site.lab, machine).await;
        waits_for(machine, "deploy_step", "write_image").await;
        if is_late {
            until_it_expires(&agent.told()).await;
        }
        agent.ends(Err("the server answers 401"));
        agent.reports(&site.lab, machine).await;
        let node = machine.until("deploy failed", |node| {
            Some(node["provision_state"] == "deploy failed" && node["reservation"].is_null())
        });
        let node = node.await;
        let error = node["last_error"].as_str().unwrap();
        contains(
            error,
            &["Deploy step deploy.write_image failed: ", "answers 401"],
        );
        let remedy = "; set a longer swift_temp_url_duration in [glance]";
        let expired = format!("the temporary URL of image {IMAGE} in Swift");
        for part in [remedy, &expired] {
            assert_eq!(error.contains(part), is_late, "{error}");
        }
        site.ends(machine).await;
        site.lab.stop().await;
    }
}

/// Waits until Swift refuses the address of the image that an agent was told.
async fn until_it_expires(told: &[(String, Value)]) {
    let (_, params) = told
        .iter()
        .rfind(|(_, p)| p["step"]["step"] == "write_image")
        .unwrap();
    let url = params["step"]["args"]["image_info"]["urls"][0]
        .as_str()
        .unwrap();
    let expires = url.split_once("temp_url_expires=").unwrap().1;
    // Nothing but the clock tells.
    let left = Timestamp(expires.parse::<i64>().unwrap() * 1_000_000).0 - Timestamp::now().0;
    let left = u64::try_from(left).unwrap_or_default() + 1_000_000;
    tokio::time::sleep(Duration::from_micros(left)).await;
}

#[tokio::test]
async fn config_drives_are_not_half_stored() {
    let more = [(Outage::Status(403), "403", "the roles that")];
    // What Swift says to a PUT is in the status alone.
    let all = OUTAGES.iter().chain(&more);
    for (outage, what, remedy) in all.filter(|(outage, ..)| *outage != Outage::Garbage) {
        let site = Site::new(|options| {
            options.conductor.objects.config_drives = Some(Container {
                name: "drives".into(),
                lifetime: Duration::from_secs(60),
            });
        })
        .await;
        site.cloud.add_image(ImageRecord::new(IMAGE, b"disk"));
        site.cloud.fail(Peer::Swift, *outage);
        let machine = site.available(json!({})).await;
        site.has_image(machine, IMAGE).await;
        let body = json!({"target": "active", "configdrive": {"meta_data": {"a": "b"}}});
        let error = site.fails(machine, body).await;
        let tried = "Failed to upload the configdrive to Swift: ";
        contains(&error, &[tried, what, remedy]);
        site.cloud.heal(Peer::Swift);
        let cloud_objects = site.cloud.objects();
        assert_eq!(cloud_objects, Vec::<String>::new(), "{outage:?}");
        site.ends(machine).await;
        site.lab.stop().await;
    }
}

async fn with_volume(site: &Site) -> Machine<'_> {
    let machine = site
        .available(json!({
            "storage_interface": "cinder", "boot_interface": "ipxe",
            "properties": {"capabilities": "iscsi_boot:True"},
        }))
        .await;
    let node = machine.id.to_string();
    let connector = json!({"node_uuid": node, "type": "iqn", "connector_id": "iqn.x:machine"});
    let client = &site.lab.client;
    client
        .post("/v1/volume/connectors", connector)
        .await
        .expect(201);
    let target = json!({
        "node_uuid": node, "volume_type": "iscsi", "volume_id": VOLUME, "boot_index": 1,
    });
    client.post("/v1/volume/targets", target).await.expect(201);
    site.cloud.add_image(ImageRecord::new(IMAGE, b"disk"));
    let instance = json!([
        {"op": "add", "path": "/instance_uuid", "value": "2d1c6b35-5d5a-4b41-9a5c-0f6f1a3a9f10"},
    ]);
    machine.patch(instance).await.expect(200);
    site.has_image(machine, IMAGE).await;
    machine
}

async fn targets(site: &Site, machine: Machine<'_>) -> usize {
    let path = format!("/v1/volume/targets?node={}", machine.id);
    let list = site.lab.client.get(&path).await.expect(200).json();
    list["targets"].as_array().unwrap().len()
}

#[tokio::test]
async fn volumes_are_attached_or_left_alone() {
    let more = [
        (Outage::Status(403), "403", "the roles that"),
        (Outage::Status(404), "404", "compare the identifiers"),
    ];
    for (outage, what, remedy) in OUTAGES.iter().chain(&more) {
        let site = Site::new(|_| {}).await;
        site.cloud.add_volume(VOLUME, "available");
        site.cloud.fail(Peer::Cinder, *outage);
        let machine = with_volume(&site).await;
        let error = site.fails(machine, json!({"target": "active"})).await;
        contains(&error, &["cinder", VOLUME, what, remedy]);
        let volume = site.cloud.volume(VOLUME);
        assert_eq!((&*volume.status, volume.is_connected), ("available", false));
        // Where the catalogue has no Cinder, it has none until the next login.
        if !matches!(outage, Outage::Down | Outage::Unlisted) {
            site.cloud.heal(Peer::Cinder);
            site.ends(machine).await;
        }
        site.lab.stop().await;
    }
}

#[tokio::test]
async fn a_volume_of_somebody_else_is_not_taken() {
    let site = Site::new(|_| {}).await;
    site.cloud.add_volume(VOLUME, "in-use");
    let machine = with_volume(&site).await;
    let error = site.fails(machine, json!({"target": "active"})).await;
    let reserve = format!(
        "Failed to reserve volume {VOLUME} for node {}: ",
        machine.id
    );
    let status = "Volume status must be available to reserve, but the status is in-use.";
    contains(&error, &[&reserve, status]);
    assert_eq!(site.cloud.volume(VOLUME).status, "in-use");
    site.ends(machine).await;
    site.lab.stop().await;
}

/// Nova cleans nothing up when it deletes an instance: whatever it set must go here.
#[tokio::test]
async fn an_instance_leaves_nothing_when_it_is_deleted() {
    let site = Site::new(|_| {}).await;
    site.cloud.add_volume(VOLUME, "available");
    let machine = with_volume(&site).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    let volume = site.cloud.volume(VOLUME);
    let instance = "2d1c6b35-5d5a-4b41-9a5c-0f6f1a3a9f10";
    assert_eq!(
        (&*volume.status, volume.server.as_deref()),
        ("in-use", Some(instance))
    );
    machine.asks("deleted").await.reaches(S::Available).await;
    let node = machine.show().await;
    assert_eq!(node["instance_uuid"], Value::Null);
    assert_eq!(node["instance_info"], json!({}));
    assert_eq!(targets(&site, machine).await, 0);
    let volume = site.cloud.volume(VOLUME);
    assert_eq!((&*volume.status, volume.server), ("available", None));
    assert!(!volume.is_connected);
    site.lab.stop().await;
}

#[tokio::test]
async fn a_volume_that_is_gone_does_not_keep_an_instance() {
    let site = Site::new(|_| {}).await;
    site.cloud.add_volume(VOLUME, "available");
    let machine = with_volume(&site).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    site.cloud.remove_volume(VOLUME);
    machine.asks("deleted").await.reaches(S::Available).await;
    assert_eq!(targets(&site, machine).await, 0);
    site.lab.stop().await;
}

#[tokio::test]
async fn machines_are_switched_without_nova() {
    for (outage, ..) in OUTAGES {
        let site = Site::new(|_| {}).await;
        site.cloud.fail(Peer::Nova, *outage);
        let machine = site.available(json!({})).await;
        let server = "2d1c6b35-5d5a-4b41-9a5c-0f6f1a3a9f10";
        let instance = json!([{"op": "add", "path": "/instance_uuid", "value": server}]);
        machine.patch(instance).await.expect(200);
        let earlier = logs::lines().len();
        let body = json!({"target": "power on"});
        let path = machine.path("/states/power");
        site.lab.client.put(&path, body).await.expect(202);
        let node = machine
            .until("power on", |node| {
                Some(node["power_state"] == "power on" && node["reservation"].is_null())
            })
            .await;
        assert_eq!(node["last_error"], Value::Null, "{outage:?}");
        // It is tried in the background, and what came of it is in the log.
        let told = async {
            loop {
                let lines = logs::lines();
                let mut later = lines.iter().skip(earlier);
                if later.any(|line| line.contains(server) && line.contains("ova")) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let told = tokio::time::timeout(Duration::from_secs(60), told).await;
        assert!(told.is_ok(), "{outage:?}: {:?}", logs::lines());
        site.lab.stop().await;
    }
}

#[tokio::test]
async fn a_service_that_is_away_is_shown_until_it_answers() {
    let site = Site::new(|_| {}).await;
    site.cloud.add_image(ImageRecord::new(IMAGE, b"disk"));
    site.cloud.fail(Peer::Glance, Outage::Status(500));
    let machine = site.available(json!({})).await;
    site.has_image(machine, IMAGE).await;
    site.fails(machine, json!({"target": "active"})).await;
    let status = async || {
        let answer = site.lab.client.get("/corten/v1/status").await;
        answer.expect(200).json()
    };
    let problems = status().await["problems"].to_string();
    contains(
        &problems,
        &["service_away", "Glance does not answer", "500"],
    );
    let metrics = site.lab.client.get("/corten/v1/metrics").await.expect(200);
    let metrics = String::from_utf8_lossy(&metrics.body).into_owned();
    let count = "corten_openstack_call_duration_seconds_count";
    contains(
        &metrics,
        &[
            &format!("{count}{{service=\"glance\",outcome=\"unavailable\"}}"),
            &format!("{count}{{service=\"keystone\",outcome=\"ok\"}}"),
        ],
    );
    site.cloud.heal(Peer::Glance);
    machine.asks("active").await.reaches(S::DeployWait).await;
    let problems = status().await["problems"].to_string();
    assert!(!problems.contains("service_away"), "{problems}");
    site.ends(machine).await;
    site.lab.stop().await;
}
