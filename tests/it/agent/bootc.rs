//! Machines that are installed from a container (`bootc`), by an agent that does as the test says.

use super::{names, puppet::Puppet, waits_for};
use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    a_container_is_installed_by_the_agent,
    an_instance_in_a_registry_is_installed_from_its_container,
    what_is_no_container_is_refused,
);

const SOURCE: &str = "oci://quay.example:5000/images/os:latest";

fn options() -> Options {
    let mut options = super::without_cleaning();
    let deploy = ["bootc", "autodetect", "direct"]
        .map(str::to_owned)
        .to_vec();
    options.hardware.enable_interfaces(K::Deploy, deploy);
    options
}

async fn available<'a>(lab: &'a Lab, deploy: &str, info: Value) -> Machine<'a> {
    let machine = lab
        .enroll(json!({
            "deploy_interface": deploy, "management_interface": "noop",
            "instance_info": {"image_source": SOURCE}, "driver_info": info,
        }))
        .await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("provide").await.reaches(S::Available).await;
    machine
}

async fn agent() -> Puppet {
    let step = json!({
        "step": "execute_bootc_install", "priority": 0, "interface": "deploy",
        "reboot_requested": false,
    });
    Puppet::start(&[("deploy", json!([step]))]).await
}

async fn a_container_is_installed_by_the_agent(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let info = json!({"image_pull_secret": "user:password"});
    let machine = available(&lab, "bootc", info).await;
    let agent = agent().await;
    let drive = json!({"target": "active", "configdrive": "H4sIAAAAAAAAAwMAAAAAAAAAAAA="});
    machine.asks_with(drive).await.reaches(S::DeployWait).await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "deploy_step", "execute_bootc_install").await;
    let told = agent.told();
    let args = &told.last().unwrap().1["step"]["args"];
    assert_eq!(args["image_source"], SOURCE);
    assert!(args["configdrive"].is_string(), "{args}");
    let secret = args["oci_pull_secret"].as_str().unwrap();
    let login = BASE64_STANDARD.decode(secret).unwrap();
    assert_eq!(login, BASE64_STANDARD.encode("user:password").into_bytes());
    agent.ends(Ok(json!({})));
    agent.reports(&lab, machine).await;
    let node = machine.reaches(S::Active).await;
    assert_eq!(node["power_state"], "power on");
    let told = agent.told();
    assert_eq!(names(&told), ["standby.power_off"]);
    // The password is neither in the node nor in its events.
    let shown = format!("{node} {}", lab.told(machine.id).await.join("\n"));
    assert!(
        !shown.contains("user:password") && !shown.contains(secret),
        "{shown}"
    );

    // An agent without podman says so.
    machine.asks("deleted").await.reaches(S::Available).await;
    let source = json!([{"op": "add", "path": "/instance_info/image_source", "value": SOURCE}]);
    machine.patch(source).await.expect(200);
    machine.asks("active").await.reaches(S::DeployWait).await;
    agent.boots(&lab, machine).await;
    waits_for(machine, "deploy_step", "execute_bootc_install").await;
    agent.ends(Err("podman: No such file or directory"));
    agent.reports(&lab, machine).await;
    let node = machine
        .until("deploy failed", |node| {
            Some(node["provision_state"] == "deploy failed" && node["reservation"].is_null())
        })
        .await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("execute_bootc_install"), "{error}");
    assert!(error.contains("podman: No such file"), "{error}");
    lab.stop().await;
}

async fn an_instance_in_a_registry_is_installed_from_its_container(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let machine = available(&lab, "autodetect", json!({})).await;
    machine.asks("active").await.reaches(S::DeployWait).await;
    let node = machine.show().await;
    assert_eq!(node["deploy_interface"], "bootc");
    lab.stop().await;
}

async fn what_is_no_container_is_refused(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let machine = available(&lab, "bootc", json!({})).await;
    let source = "http://images.example/a.qcow2";
    let change = json!([{"op": "add", "path": "/instance_info/image_source", "value": source}]);
    machine.patch(change).await.expect(200);
    let refused = machine.provision(json!({"target": "active"})).await;
    let told = refused.expect(400).text();
    assert!(
        told.contains(&format!("Invalid image href {source}.")),
        "{told}"
    );
    lab.stop().await;
}
