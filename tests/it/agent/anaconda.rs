//! Machines that an installer installs (`anaconda`): what it finds, what its reports lead to, and that
//! nothing is served longer than it is needed. The test plays the installer.

use super::{place::AgentHome, puppet, waits_for};
use crate::{
    database::Engine,
    http::{Answer, Request},
    lab::{Lab, Machine, Options},
};
use axum::{Router, response::Html, routing::get};
use serde_json::{Value, json};
use std::{fs, time::Duration};
use tokio::net::TcpListener;
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    an_installer_installs_a_machine,
    an_installer_is_led_to_a_tree_of_packages,
    an_installer_that_fails_fails_the_deploy,
    an_installer_that_says_nothing_is_not_waited_for_forever,
    an_installer_is_served_by_the_next_conductor,
    what_an_installer_lacks_is_told_before_the_machine_is_touched,
    a_machine_that_cannot_be_restarted_after_its_installation_tells_why,
);

const MAC: &str = "52:54:00:bb:00:02";
const CONFIG: &str = "/pxelinux.cfg/52-54-00-bb-00-02";

fn options(place: &AgentHome) -> Options {
    for name in ["os.tar.gz", "squashfs.img"] {
        fs::write(place.path(name), format!("the {name}")).unwrap();
    }
    let mut options = place.options();
    let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let hardware = &mut options.hardware;
    hardware.enable_interfaces(K::Deploy, named(&["anaconda", "direct"]));
    options.conductor.automated_clean = false;
    options
}

async fn enrolled<'a>(lab: &'a Lab, place: &AgentHome, more: Value) -> Machine<'a> {
    let mut instance = json!({
        "image_source": place.file("os.tar.gz"),
        "kernel": place.file("kernel"), "ramdisk": place.file("ramdisk"),
        "stage2": place.file("squashfs.img"),
    });
    for (key, value) in more.as_object().unwrap() {
        instance[key] = value.clone();
    }
    let machine = lab
        .enroll(json!({
            "boot_interface": "ipxe", "deploy_interface": "anaconda",
            "management_interface": "noop", "instance_info": instance,
        }))
        .await;
    let port = json!({"address": MAC, "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    machine
}

/// The kickstart file of a machine, as its installer fetches it.
async fn kickstart(place: &AgentHome, machine: Machine<'_>) -> Option<String> {
    place.text(&format!("/{}/ks.cfg", machine.id)).await
}

/// The token in a kickstart file.
fn token(kickstart: &str) -> String {
    let (_, rest) = kickstart.split_once("\"agent_token\": \"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

async fn says_at(
    lab: &Lab,
    machine: Machine<'_>,
    version: &str,
    token: &str,
    status: &str,
) -> Answer {
    let body = json!({
        "callback_url": "", "agent_token": token, "agent_status": status,
        "agent_status_message": format!("{status}: said by the installer"),
    });
    let path = format!("/v1/heartbeat/{}", machine.id);
    let request = Request::new("POST", &path).version(version).json(&body);
    lab.client.send(request).await
}

async fn says(lab: &Lab, machine: Machine<'_>, token: &str, status: &str) {
    let answer = says_at(lab, machine, "1.72", token, status).await;
    answer.expect(202);
}

async fn failed(machine: Machine<'_>) -> Value {
    machine
        .until("deploy failed", |node| {
            Some(node["provision_state"] == "deploy failed" && node["reservation"].is_null())
        })
        .await
}

async fn an_installer_installs_a_machine(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let machine = enrolled(&lab, &place, json!({})).await;
    let drive =
        json!({"meta_data": {"hostname": "h1"}, "user_data": "#!/bin/sh\necho it's here\n"});
    machine
        .asks_with(json!({"target": "active", "configdrive": drive}))
        .await
        .reaches(S::DeployWait)
        .await;
    let id = machine.id.to_string();
    let url = place.url();

    // What the machine boots, and everything that it is led to.
    let config = place.text(CONFIG).await.unwrap();
    let line = format!("inst.ks={url}/{id}/ks.cfg inst.stage2={url}/{id}");
    assert!(config.contains(&line), "{config}");
    assert!(config.contains("goto boot_anaconda"), "{config}");
    for (path, content) in [
        ("kernel", "the kernel"),
        ("ramdisk", "the ramdisk"),
        ("LiveOS/squashfs.img", "the squashfs.img"),
        ("liveimg.tar.gz", "the os.tar.gz"),
    ] {
        let found = place.text(&format!("/{id}/{path}")).await;
        assert_eq!(found.as_deref(), Some(content), "{path}");
    }
    let file = kickstart(&place, machine).await.unwrap();
    for line in [
        format!("liveimg --url {url}/{id}/liveimg.tar.gz\n"),
        format!(" http://127.0.0.1:1/v1/heartbeat/{id} "),
        "> '/var/lib/cloud/seed/config_drive/openstack/latest/user_data'".to_owned(),
        "> '/var/lib/cloud/seed/config_drive/openstack/latest/meta_data.json'".to_owned(),
    ] {
        assert!(file.contains(&line), "{line} in {file}");
    }
    let token = token(&file);
    let node = machine.show().await;
    assert_eq!(node["power_state"], "power on");
    assert_eq!(
        node["driver_internal_info"]["stage2"],
        place.file("squashfs.img")
    );

    // Others and older clients say nothing.
    let wrong = says_at(&lab, machine, "1.72", "wrong", "end")
        .await
        .expect(400);
    let told = wrong.text();
    assert!(
        told.contains("Invalid or missing agent token received."),
        "{told}"
    );
    let old = says_at(&lab, machine, "1.71", &token, "end")
        .await
        .expect(400);
    let told = old.text();
    assert!(told.contains("not recognised."), "{told}");

    says(&lab, machine, &token, "start").await;
    let node = machine.reaches(S::DeployWait).await;
    assert_eq!(node["driver_internal_info"]["agent_status"], "start");
    assert!(kickstart(&place, machine).await.is_some());
    says(&lab, machine, &token, "end").await;
    let node = machine.reaches(S::Active).await;
    assert_eq!(node["power_state"], "power on");
    for key in ["stage2", "ks_template", "agent_url", "agent_secret_token"] {
        assert_eq!(node["driver_internal_info"].get(key), None, "{key}");
    }
    assert_eq!(kickstart(&place, machine).await, None);
    assert_eq!(place.get(CONFIG).await, None);
    assert!(!place.exists(&format!("http/{id}")));

    // It is cleaned by the agent like any other.
    machine.asks("deleted").await.reaches(S::Available).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let agent = puppet().await;
    let steps = json!([{"interface": "deploy", "step": "erase_devices_metadata"}]);
    machine
        .asks_with(json!({"target": "clean", "clean_steps": steps}))
        .await
        .reaches(S::CleanWait)
        .await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Manageable).await;
    lab.stop().await;
}

/// A web server with a folder of packages, which leads elsewhere first.
async fn mirror() -> String {
    let router = Router::new()
        .route(
            "/os/",
            get(|| async { Html("<a href=\"Packages/\">Packages</a>") }),
        )
        .route(
            "/moved",
            get(|| async { axum::response::Redirect::permanent("/os/") }),
        );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

async fn an_installer_is_led_to_a_tree_of_packages(engine: Engine) {
    let (place, mirror) = (AgentHome::make().await, mirror().await);
    let mut options = options(&place);
    let own = place.path("own.ks");
    fs::write(&own, "# by the operator\n{{ ks_options.agent_token }} {{ ks_options.heartbeat_url }}\n{% if 'is_source_a_path' in ks_options %}url --url {{ ks_options.liveimg_url }}{% else %}liveimg --url {{ ks_options.liveimg_url }}{% endif %} {% if 'insecure_heartbeat' in ks_options %}--insecure{% endif %}\n").unwrap();
    options.hardware.netboot.kickstart_template = Some(own);
    options.hardware.netboot.insecure_heartbeat = true;
    let lab = Lab::with(engine, options).await;
    let source = json!({"image_source": format!("{mirror}/moved"), "stage2": ""});
    let machine = enrolled(&lab, &place, source).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    let config = place.text(CONFIG).await.unwrap();
    assert!(
        config.contains(&format!(" inst.repo={mirror}/os/")),
        "{config}"
    );
    let file = kickstart(&place, machine).await.unwrap();
    assert!(file.starts_with("# by the operator\n"), "{file}");
    assert!(
        file.contains(&format!("url --url {mirror}/os/ --insecure")),
        "{file}"
    );
    let node = machine.show().await;
    assert_eq!(node["driver_internal_info"]["is_source_a_path"], true);
    // What is given up leaves nothing behind.
    machine.asks("deleted").await;
    let node = machine.reaches(S::Available).await;
    assert_eq!(kickstart(&place, machine).await, None);
    assert_eq!(node["driver_internal_info"].get("is_source_a_path"), None);
    lab.stop().await;
}

async fn an_installer_that_fails_fails_the_deploy(engine: Engine) {
    let place = AgentHome::make().await;
    let mut settings = options(&place);
    // Agents must listen with TLS; an installer listens nowhere.
    settings.conductor.agent_require_tls = true;
    let lab = Lab::with(engine, settings).await;
    let machine = enrolled(&lab, &place, json!({})).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    let file = kickstart(&place, machine).await.unwrap();
    says(&lab, machine, &token(&file), "error").await;
    let node = failed(machine).await;
    assert_eq!(node["last_error"], "error: said by the installer");
    assert_eq!(node["power_state"], "power off");
    assert_eq!(kickstart(&place, machine).await, None);

    // The next attempt begins anew, with a token of its own.
    machine.asks("active").await.reaches(S::DeployWait).await;
    let again = kickstart(&place, machine).await.unwrap();
    assert_ne!(token(&again), token(&file));
    let stale = says_at(&lab, machine, "1.72", &token(&file), "end").await;
    stale.expect(400);
    says(&lab, machine, &token(&again), "end").await;
    machine.reaches(S::Active).await;
    lab.stop().await;
}

async fn an_installer_that_says_nothing_is_not_waited_for_forever(engine: Engine) {
    let place = AgentHome::make().await;
    let mut options = options(&place);
    options.conductor.deploy_callback_timeout = Duration::from_secs(1);
    options.conductor.check_provision_state_interval = Duration::from_millis(50);
    let lab = Lab::with(engine, options).await;
    let machine = enrolled(&lab, &place, json!({})).await;
    machine.asks("active").await;
    let node = failed(machine).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("Timeout reached while waiting for callback for node"),
        "{error}"
    );
    assert!(
        error.contains("Waited for the installer's report."),
        "{error}"
    );
    assert_eq!(kickstart(&place, machine).await, None);
    lab.stop().await;
}

/// The conductor is killed between two reports, and another one goes on with what it left.
async fn an_installer_is_served_by_the_next_conductor(engine: Engine) {
    let (here, there) = (AgentHome::make().await, AgentHome::make().await);
    let lab = Lab::with(engine, options(&here)).await;
    let machine = enrolled(&lab, &here, json!({})).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    let id = machine.id;
    let first = token(&kickstart(&here, machine).await.unwrap());
    says(&lab, machine, &first, "start").await;
    machine.reaches(S::DeployWait).await;
    let database = lab.stop().await;

    let mut elsewhere = options(&there);
    elsewhere.conductor.host = "second".to_owned();
    // The images are where they were.
    elsewhere.hardware.images = options(&here).hardware.images;
    let lab = Lab::on(database, elsewhere).await;
    super::discs::affinity(&lab, id, "second").await;
    let machine = lab.machine(&id.to_string());
    let served = kickstart(&there, machine).await.unwrap();
    assert_eq!(token(&served), first, "the installer holds this one");
    assert!(there.get(CONFIG).await.is_some());
    says(&lab, machine, &first, "end").await;
    machine.reaches(S::Active).await;
    assert_eq!(kickstart(&there, machine).await, None);
    let database = lab.stop().await;

    // A conductor that takes an installed machine over does not install it again.
    let last = AgentHome::make().await;
    let mut elsewhere = options(&last);
    elsewhere.conductor.host = "third".to_owned();
    let lab = Lab::on(database, elsewhere).await;
    super::discs::affinity(&lab, id, "third").await;
    assert_eq!(last.get(CONFIG).await, None);
    lab.stop().await;
}

async fn what_an_installer_lacks_is_told_before_the_machine_is_touched(engine: Engine) {
    let place = AgentHome::make().await;
    let mut settings = options(&place);
    let boot = ["ipxe", "fake"].map(str::to_owned).to_vec();
    settings.hardware.enable_interfaces(K::Boot, boot);
    let lab = Lab::with(engine, settings).await;
    let broken = place.path("broken.ks");
    fs::write(
        &broken,
        "{{ ks_options.liveimg_url }} {{ ks_options.agent_token }}",
    )
    .unwrap();
    let machine = enrolled(&lab, &place, json!({})).await;
    let set = async |key: &str, value: String| {
        let path = format!("/instance_info/{key}");
        let change = json!([{"op": "add", "path": path, "value": value}]);
        machine.patch(change).await.expect(200);
    };
    // What can be seen from the node alone is refused at once.
    let boots = async |interface: &str| {
        let change = json!([{"op": "add", "path": "/boot_interface", "value": interface}]);
        machine.patch(change).await.expect(200);
    };
    boots("fake").await;
    let refused = machine
        .provision(json!({"target": "active"}))
        .await
        .expect(400);
    let told = refused.text();
    assert!(
        told.contains("needs a boot interface that boots from the network"),
        "{told}"
    );
    boots("ipxe").await;
    for (key, value, told) in [
        (
            "stage2",
            String::new(),
            "'stage2_id' is missing from the properties of the OS image file://",
        ),
        (
            "ks_template",
            place.file("broken.ks"),
            "Following required kickstart option variables are missing from the kickstart template: heartbeat_url.",
        ),
    ] {
        set(key, value).await;
        machine.asks("active").await;
        let node = failed(machine).await;
        let error = node["last_error"].as_str().unwrap();
        assert!(error.contains(told), "{told} in {error}");
        assert_ne!(node["power_state"], "power on");
        set("stage2", place.file("squashfs.img")).await;
    }
    set("kernel", String::new()).await;
    let refused = machine
        .provision(json!({"target": "active"}))
        .await
        .expect(400);
    let told = refused.text();
    assert!(
        told.contains("is missing the following properties: kernel, ramdisk"),
        "{told}"
    );
    lab.stop().await;
}

async fn a_machine_that_cannot_be_restarted_after_its_installation_tells_why(engine: Engine) {
    let place = AgentHome::make().await;
    let lab = Lab::with(engine, options(&place)).await;
    let machine = enrolled(&lab, &place, json!({})).await;
    // It knows how to boot from the network, and nothing else.
    let fake = json!([{"op": "add", "path": "/management_interface", "value": "fake"}]);
    machine.patch(fake).await.expect(200);
    machine.asks("active").await.reaches(S::DeployWait).await;
    let file = kickstart(&place, machine).await.unwrap();
    says(&lab, machine, &token(&file), "end").await;
    let node = failed(machine).await;
    let error = node["last_error"].as_str().unwrap();
    let told = format!(
        "Deploy step deploy.deploy failed: An error occurred after deployment, while preparing to reboot the node {}: ",
        machine.id
    );
    assert!(error.starts_with(&told), "{error}");
    assert_eq!(kickstart(&place, machine).await, None);
    lab.stop().await;
}
