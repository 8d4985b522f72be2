//! Our simulated Redfish services, met by clients that others wrote: Ironic's library sushy, and
//! DMTF's validator. How our own client fares with them is tested where the client is.

use crate::http::{Client, Request};
use serde_json::{Value, json};
use sim::{
    Layout, Machines, Settings,
    personality::Personality,
    redfish::{
        Options, certificate,
        server::{Server, Serving},
    },
};
use std::{
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::Output,
    sync::Arc,
};
use tokio::process::Command;

/// What all services are asked.
const ALWAYS: &[&str] = &[
    "auth",
    "power",
    "inventory",
    "sensors",
    "bios",
    "secure_boot",
    "media",
    "firmware",
    "managers",
    "events",
];

/// A machine whose service listens, for as long as the value lives.
struct Service {
    machines: Machines,
    server: Server,
}

impl Service {
    async fn of(personality: &str) -> Self {
        let settings = Settings {
            personality: Personality::of_name(personality).unwrap(),
            ..Settings::default()
        };
        let machines = sim::machines(1, &Arc::new(settings));
        let serving = Serving {
            layout: Layout::Ports {
                address: Ipv4Addr::LOCALHOST.into(),
                first: 0,
            },
            options: Arc::new(Options::default()),
            group: 1,
            tls: certificate::self_signed().unwrap(),
        };
        let server = Server::start(&machines, serving).await.unwrap();
        Self { machines, server }
    }

    fn address(&self) -> String {
        self.server.endpoint(0).unwrap().to_string()
    }
}

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

fn missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what} is not installed");
    println!("SKIPPED: {what} is not installed");
}

/// A program that a script of ours installs; none, outside of CI, if it cannot be had.
async fn installed(script: &str) -> Option<PathBuf> {
    let output = Command::new(peers().join(script)).output().await.unwrap();
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stderr));
        missing(script);
        return None;
    }
    Some(String::from_utf8(output.stdout).unwrap().trim().into())
}

fn printed(output: &Output) -> String {
    let text = [&*output.stdout, &*output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

async fn tour(personality: &str, scheme: &str, areas: &[&str]) {
    let Some(python) = installed("with-sushy").await else {
        return;
    };
    let service = Service::of(personality).await;
    let output = Command::new(python)
        .args(["-W", "ignore"])
        .arg(peers().join("sushy-tour.py"))
        .arg(format!("{scheme}://{}", service.address()))
        .args(["admin", "password"])
        .args(ALWAYS)
        .args(areas)
        .arg("restart")
        // Certificates are not checked; a bundle in the environment would have them checked all
        // the same.
        .env_remove("REQUESTS_CA_BUNDLE")
        .env_remove("CURL_CA_BUNDLE")
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    let done = printed(&output)
        .lines()
        .filter(|line| line.starts_with("ok "))
        .count();
    assert_eq!(done, ALWAYS.len() + areas.len() + 1);
    assert!(!service.machines[0].power().is_on);
}

const BOOT: &[&str] = &[
    "boot_once",
    "boot_always",
    "boot_mode",
    "boot_http",
    "lights",
    "volumes",
];

#[tokio::test]
async fn sushy_tours_a_generic_machine() {
    tour("generic", "https", BOOT).await;
}

#[tokio::test]
async fn sushy_tours_a_dell() {
    let areas = ["boot_once", "boot_always", "boot_http", "lights", "dell"];
    tour("dell", "http", &areas).await;
}

#[tokio::test]
async fn sushy_tours_an_hpe() {
    tour("hpe", "http", BOOT).await;
}

#[tokio::test]
async fn sushy_tours_a_supermicro() {
    tour("supermicro", "http", BOOT).await;
}

#[tokio::test]
async fn sushy_tours_a_lenovo() {
    tour("lenovo", "http", BOOT).await;
}

#[tokio::test]
async fn sushy_tours_a_fujitsu() {
    let areas = [
        "boot_once",
        "boot_refuses_always",
        "boot_mode",
        "lights",
        "volumes",
    ];
    tour("fujitsu", "http", &areas).await;
}

#[tokio::test]
async fn sushy_tours_an_ami() {
    tour("ami", "http", &["boot_needs_mode", "volumes"]).await;
}

/// The validator reads DMTF's schemas (the folder `csdl` of DSP8010), which are not ours to give
/// away and are not published as a package. Where they are is told in the environment.
async fn validate(personality: &str) {
    let Some(schemas) = std::env::var_os("CORTEN_REDFISH_SCHEMAS") else {
        println!("SKIPPED: CORTEN_REDFISH_SCHEMAS does not say where DMTF's schemas are");
        return;
    };
    let Some(validator) = installed("with-redfish-validator").await else {
        return;
    };
    let service = Service::of(personality).await;
    fill(&service).await;
    let logs = tempfile::tempdir().unwrap();
    let output = Command::new(&validator)
        .args(["--rhost", &format!("http://{}", service.address())])
        .args(["--user", "admin", "--password", "password", "--skipschema"])
        .arg("--schema_directory")
        .arg(&schemas)
        .arg("--logdir")
        .arg(logs.path())
        .current_dir(logs.path())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    assert!(printed(&output).contains("PASS"), "{}", printed(&output));
}

#[tokio::test]
async fn the_validator_accepts_a_generic_machine() {
    validate("generic").await;
}

#[tokio::test]
async fn the_validator_accepts_an_hpe() {
    validate("hpe").await;
}

#[tokio::test]
async fn the_validator_accepts_a_supermicro() {
    validate("supermicro").await;
}

#[tokio::test]
async fn the_validator_accepts_a_lenovo() {
    validate("lenovo").await;
}

#[tokio::test]
async fn the_validator_accepts_a_fujitsu() {
    validate("fujitsu").await;
}

#[tokio::test]
async fn the_validator_accepts_an_ami() {
    validate("ami").await;
}

/// Puts something into every collection, so that there is more to look at.
async fn fill(service: &Service) {
    let client = Client {
        address: service.server.endpoint(0).unwrap(),
    };
    let post = async |path: &str, body: Value| {
        let request = Request::bare("POST", path);
        let request = request.header("authorization", "Basic YWRtaW46cGFzc3dvcmQ=");
        let answer = client.send(request.json(&body)).await;
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
    };
    let first = async |path: &str| {
        let request = Request::bare("GET", path);
        let request = request.header("authorization", "Basic YWRtaW46cGFzc3dvcmQ=");
        let answer = client.send(request).await;
        let link = &answer.json()["Members"][0]["@odata.id"];
        link.as_str().unwrap().to_owned()
    };
    let system = first("/redfish/v1/Systems").await;
    let storage = first(&format!("{system}/Storage")).await;
    let reset = format!("{system}/Actions/ComputerSystem.Reset");
    post(&reset, json!({"ResetType": "On"})).await;
    let now = json!({"RAIDType": "RAID1", "@Redfish.OperationApplyTime": "Immediate"});
    post(&format!("{storage}/Volumes"), now).await;
    let later = json!({"RAIDType": "RAID0", "@Redfish.OperationApplyTime": "OnReset"});
    post(&format!("{storage}/Volumes"), later).await;
    let subscription = json!({
        "Destination": "http://127.0.0.1:9/",
        "Protocol": "Redfish",
        "Context": "here",
    });
    post("/redfish/v1/EventService/Subscriptions", subscription).await;
}
