//! The boot log through the whole service: a machine asks, the API tells what it means.

use crate::{
    database::Engine,
    http::Client,
    lab::{Lab, Options},
    program::Program,
};
use boot::{
    Artifact, Boot, BootFiles, BootMethod, BootMode, BootPort, BootServices, NodeBoot, Settings,
    Start, http::Settings as HttpSettings,
};
use serde_json::json;
use std::net::SocketAddr;
use tokio_util::sync::CancellationToken;

every_engine!(the_log_follows_a_machine, without_services_the_log_says_so);

const MAC: &str = "52:54:00:77:00:01";

/// What is served, and where by HTTP.
async fn services(dir: &std::path::Path) -> (Boot, SocketAddr, CancellationToken) {
    for name in ["kernel", "ramdisk"] {
        std::fs::write(dir.join(name), name).unwrap();
    }
    let files = BootFiles {
        tftp_root: dir.join("tftp"),
        http_root: dir.join("http"),
        http_url: Some("http://h".to_owned()),
        ..BootFiles::default()
    };
    let boot = Boot::open(files, &dir.join("state")).unwrap();
    let http = HttpSettings {
        listeners: vec!["127.0.0.1:0".parse().unwrap()],
        ..HttpSettings::default()
    };
    let stop = CancellationToken::new();
    let settings = Settings {
        http: Some(http),
        ..Settings::default()
    };
    let running = boot.start(&settings, stop.clone()).await.unwrap();
    let address = running.http[0];
    tokio::spawn(running.wait());
    (boot, address, stop)
}

async fn fetch(address: SocketAddr, path: &str) -> u16 {
    Client { address }.get(path).await.status
}

async fn the_log_follows_a_machine(engine: Engine) {
    let dir = tempfile::tempdir().unwrap();
    let (boot, address, stop) = services(dir.path()).await;
    let mut options = Options::default();
    options.hardware.boot = Some(boot.clone());
    let lab = Lab::with(engine, options).await;
    let machine = lab.enroll(json!({"name": "m1"})).await;
    let id = machine.id.to_string();
    let port = json!({"node_uuid": id, "address": MAC});
    lab.client.post("/v1/ports", port).await.expect(201);

    let cause = async || {
        let answer = lab.client.get("/corten/v1/nodes/m1/boot-log").await;
        let report = answer.expect(200).json();
        assert_eq!(report["node_uuid"], json!(id));
        report["diagnosis"]["cause"].as_str().unwrap().to_owned()
    };
    assert_eq!(cause().await, "nothing_seen");
    let file = |name: &str| Artifact::File(dir.path().join(name));
    let published = NodeBoot {
        node: machine.id,
        ports: vec![BootPort::new(MAC.parse().unwrap())],
        system_uuid: None,
        way: BootMethod::Ipxe,
        mode: BootMode::Uefi,
        cpu_arch: None,
        start: Start::Agent {
            kernel: file("kernel"),
            ramdisk: file("ramdisk"),
        },
        append: String::new(),
        addresses: Vec::new(),
        tells_address: false,
    };
    boot.publish(published).await.unwrap();
    assert_eq!(cause().await, "under_way");
    // The name of the configuration tells who asks; from then on the address does.
    let config = format!("/pxelinux.cfg/{}", MAC.replace(':', "-"));
    assert_eq!(fetch(address, &config).await, 200);
    assert_eq!(fetch(address, &format!("/{id}/deploy_kernel")).await, 200);
    assert_eq!(fetch(address, &format!("/{id}/deploy_ramdisc")).await, 404);
    assert_eq!(cause().await, "under_way");
    boot.note_agent(machine.id, "heartbeat");
    assert_eq!(cause().await, "booted");
    stop.cancel();
}

async fn without_services_the_log_says_so(engine: Engine) {
    let lab = Lab::start(engine).await;
    lab.enroll(json!({"name": "m1"})).await;
    let answer = lab.client.get("/corten/v1/nodes/m1/boot-log").await;
    let text = answer.expect(409).text();
    assert!(text.contains("[corten]http_listen"), "{text}");
}

/// Operators see at the start what is served to machines, and where.
#[tokio::test]
async fn the_log_says_which_services_run_and_where() {
    let dir = tempfile::tempdir().unwrap();
    let mut arguments = vec!["serve".to_owned(), "--data-dir".to_owned()];
    arguments.push(dir.path().join("data").display().to_string());
    let http = SocketAddr::from(([127, 0, 0, 1], crate::port::free()));
    let tftp = SocketAddr::from(([127, 0, 0, 1], crate::port::free()));
    for set in [
        "api.port=0".to_owned(),
        format!("corten.http_listen={http}"),
        format!("corten.tftp_listen={tftp}"),
        format!("deploy.http_url=http://{http}"),
    ] {
        arguments.extend(["--set".to_owned(), set]);
    }
    let program = Program::start(arguments, &dir.path().join("log")).await;
    let log = program.log();
    let told = |words: &str| assert!(log.contains(words), "{words}: {log}");
    told(&format!(
        "TFTP is served at {tftp}, from {}",
        dir.path().display()
    ));
    told(&format!(
        "boot files are served by HTTP at {http}, from {}",
        dir.path().display()
    ));
    program.stop().await;
}
