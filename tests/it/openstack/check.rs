//! `corten openstack check`, as an operator runs it.

use crate::{
    cloud::{Cloud, ImageRecord, Outage, PASSWORD, Peer, TEMP_URL_KEY, TOKEN},
    program,
};
use serde_json::Value;
use std::{fs, path::PathBuf};
use tempfile::TempDir;
use tokio::process::Command;

const KERNEL: &str = "38982591-be80-42a3-85a5-9d43d0e9c8ec";
const SECTIONS: [&str; 6] = [
    "keystone_authtoken",
    "glance",
    "swift",
    "neutron",
    "cinder",
    "nova",
];

/// A configuration file that uses everything.
struct Site {
    folder: TempDir,
    file: PathBuf,
}

struct Verdict {
    code: Option<i32>,
    text: String,
}

impl Site {
    fn new(cloud: &Cloud) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut text = format!(
            "[DEFAULT]\nenabled_network_interfaces = flat,neutron,noop\n\
             enabled_storage_interfaces = cinder,noop\n\
             [conductor]\ndeploy_kernel = {KERNEL}\n\
             [deploy]\nconfigdrive_use_object_store = true\n"
        );
        for section in SECTIONS {
            text += &format!(
                "[{section}]\nauth_type = password\nauth_url = {}\nusername = ironic\n\
                 password = {PASSWORD}\nuser_domain_id = default\nproject_name = service\n\
                 project_domain_id = default\n",
                cloud.url
            );
        }
        text = text.replace(
            "[neutron]\n",
            "[neutron]\ncleaning_network = cleaning\nprovisioning_network = provisioning\n",
        );
        let file = folder.path().join("ironic.conf");
        fs::write(&file, text).unwrap();
        Self { folder, file }
    }

    async fn check(&self, more: &[&str]) -> Verdict {
        let output = Command::new(program::path())
            .args(["openstack", "check", "--config-file"])
            .arg(&self.file)
            .arg("--data-dir")
            .arg(self.folder.path())
            .args(more)
            .kill_on_drop(true)
            .output()
            .await
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (printed, noted) = (text(&output.stdout), text(&output.stderr));
        for secret in [PASSWORD, TOKEN, TEMP_URL_KEY] {
            assert!(!printed.contains(secret), "{printed}");
            assert!(!noted.contains(secret), "{noted}");
        }
        assert_ne!(printed, "", "{noted}");
        Verdict {
            code: output.status.code(),
            text: printed,
        }
    }

    async fn json(&self, more: &[&str]) -> (Option<i32>, Value) {
        let verdict = self.check(&[&["--format", "json"], more].concat()).await;
        let parsed = serde_json::from_str(&verdict.text);
        (verdict.code, parsed.unwrap())
    }
}

async fn complete() -> Cloud {
    let cloud = Cloud::start().await;
    cloud.add_image(ImageRecord::new(KERNEL, b"kernel"));
    cloud.add_network("cleaning");
    cloud.add_network("provisioning");
    cloud
}

fn service<'a>(report: &'a Value, name: &str) -> &'a Value {
    let mut services = report["services"].as_array().unwrap().iter();
    services.find(|service| service["service"] == name).unwrap()
}

#[tokio::test]
async fn a_complete_cloud_is_shown_as_a_table() {
    let cloud = complete().await;
    let verdict = Site::new(&cloud).check(&[]).await;
    assert_eq!(verdict.code, Some(0), "{}", verdict.text);
    for line in [
        format!(
            "Glance      [glance]              ok              ironic in service  {}/image/v2",
            cloud.url
        ),
        "Bare Metal  [service_catalog]     not configured".to_owned(),
        "Nothing is missing.".to_owned(),
    ] {
        assert!(verdict.text.contains(&line), "{line}\n{}", verdict.text);
    }
    assert!(
        verdict
            .text
            .contains("container ironic_configdrive_container does not exist yet")
    );
    // Only lookups, and one event about nobody.
    let writes = |line: &&String| !line.starts_with("GET") && !line.starts_with("HEAD");
    for peer in [Peer::Glance, Peer::Swift, Peer::Neutron, Peer::Cinder] {
        assert_eq!(cloud.lines(peer).iter().find(writes), None);
    }
    assert_eq!(
        cloud.lines(Peer::Nova),
        ["POST /compute/v2.1/os-server-external-events"]
    );
}

#[tokio::test]
async fn what_is_missing_comes_with_the_command_that_adds_it() {
    let cloud = Cloud::start().await;
    cloud.set_roles(&["member"]);
    cloud.set_temp_url_key(None);
    cloud.add_network("cleaning");
    let (code, report) = Site::new(&cloud).json(&[]).await;
    assert_eq!(code, Some(1));
    assert_eq!(report["complete"], false);
    for (name, what, command) in [
        (
            "Keystone",
            "the role service",
            "openstack role add --user ironic --project service service",
        ),
        (
            "Neutron",
            "the role admin",
            "openstack role add --user ironic --project service admin",
        ),
        (
            "Neutron",
            "network provisioning ",
            "openstack network create provisioning",
        ),
        (
            "Swift",
            "no key for temporary URLs",
            "openstack object store account set --property Temp-URL-Key=",
        ),
        (
            "Glance",
            KERNEL,
            "openstack image create --public --disk-format aki",
        ),
    ] {
        let missing = service(&report, name)["missing"].as_array().unwrap();
        let found = missing.iter().any(|finding| {
            let fits = finding["what"].as_str().unwrap().contains(what);
            let mut commands = finding["commands"].as_array().unwrap().iter();
            fits && commands.any(|line| line.as_str().unwrap().starts_with(command))
        });
        assert!(found, "{name}: {what}: {missing:?}");
    }
    assert_eq!(service(&report, "Neutron")["state"], "incomplete");
    assert_eq!(service(&report, "Cinder")["user"], "ironic");
}

#[tokio::test]
async fn services_that_fail_are_told_apart_and_do_not_hold_up_the_others() {
    let cloud = complete().await;
    cloud.fail(Peer::Glance, Outage::Silent);
    cloud.fail(Peer::Swift, Outage::Status(403));
    cloud.fail(Peer::Neutron, Outage::Garbage);
    cloud.fail(Peer::Cinder, Outage::Down);
    cloud.fail(Peer::Nova, Outage::Unlisted);
    let (code, report) = Site::new(&cloud).json(&["--timeout", "2"]).await;
    assert_eq!(code, Some(1));
    for (name, what) in [
        ("Glance", "timeout: no answer within"),
        ("Swift", "HTTP 403"),
        ("Neutron", "unexpected answer"),
        ("Cinder", "cannot connect"),
        ("Nova", "endpoint for compute service not found"),
    ] {
        let shown = service(&report, name);
        assert_eq!(shown["state"], "unusable", "{name}");
        let missing = shown["missing"].to_string();
        assert!(missing.contains(what), "{name}: {missing}");
    }
    assert_eq!(service(&report, "Keystone")["state"], "ok");
}

#[tokio::test]
async fn what_is_needed_and_not_configured_is_missing() {
    let cloud = complete().await;
    let site = Site::new(&cloud);
    fs::write(
        &site.file,
        "[DEFAULT]\nauth_strategy = noauth\nenabled_storage_interfaces = cinder\n",
    )
    .unwrap();
    let (code, report) = site.json(&[]).await;
    assert_eq!(code, Some(1));
    assert_eq!(
        service(&report, "Cinder")["state"],
        "not configured, but needed"
    );
    assert_eq!(service(&report, "Glance")["state"], "not configured");
    fs::write(&site.file, "[DEFAULT]\nauth_strategy = noauth\n").unwrap();
    let (code, report) = site.json(&[]).await;
    assert_eq!((code, &report["complete"]), (Some(0), &Value::Bool(true)));
}
