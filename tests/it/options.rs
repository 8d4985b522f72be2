//! Options that do nothing are not dropped in silence, as an operator sees it: the program, its
//! file and its log. That this holds for every option is tested beside the tables.

use crate::program::{Program, path};
use serde_json::{Value, json};
use std::{fs, path::Path};
use tokio::process::Command;

async fn start(folder: &Path, file: &str) -> Result<Program, String> {
    let conf = folder.join("corten.conf");
    fs::write(&conf, file).unwrap();
    let arguments = [
        "serve",
        "--config-file",
        conf.to_str().unwrap(),
        "--data-dir",
        folder.to_str().unwrap(),
        "--set",
        "api.host_ip=127.0.0.1",
        "--set",
        "api.port=0",
    ];
    Program::try_start(Command::new(path()), arguments, &folder.join("log")).await
}

const SMALLEST: &str = "[DEFAULT]\nauth_strategy = noauth\nenabled_hardware_types = fake-hardware\n\
    enabled_boot_interfaces = fake\nenabled_deploy_interfaces = fake\n";

#[tokio::test]
async fn an_option_without_effect_is_logged_once_and_one_that_promises_too_much_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let program = start(
        folder.path(),
        &format!("{SMALLEST}[api]\napi_workers = 4\n"),
    )
    .await;
    let log = program.unwrap_or_else(|log| panic!("{log}")).log();
    let remark = "corten.conf:7: [api] api_workers has no effect: one process serves";
    assert_eq!(log.matches(remark).count(), 1, "{log}");

    let folder = tempfile::tempdir().unwrap();
    let stops = format!("{SMALLEST}[json_rpc]\nunix_socket = /s\n[api]\nmiddleware = http://h/\n");
    let Err(log) = start(folder.path(), &stops).await else {
        panic!("it starts");
    };
    for refused in [
        "corten.conf:7: [json_rpc] unix_socket = /s: ",
        "corten.conf:9: [api] middleware = http://h/: ",
    ] {
        assert!(log.contains(refused), "{log}");
    }
}

#[tokio::test]
async fn network_data_is_checked_against_the_file_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.json");
    let file = format!(
        "{SMALLEST}[api]\nnetwork_data_schema = {}\n",
        schema.display()
    );
    fs::write(&schema, r#"{"type": "object", "allOf": [{}]}"#).unwrap();
    let Err(log) = start(folder.path(), &file).await else {
        panic!("it starts");
    };
    let refused = "schema.json: #/allOf: this keyword is not supported";
    assert!(
        log.contains("corten.conf:7: [api]network_data_schema") && log.contains(refused),
        "{log}"
    );

    fs::write(&schema, r#"{"type": "object", "required": ["vlan"]}"#).unwrap();
    let program = start(folder.path(), &file).await;
    let program = program.unwrap_or_else(|log| panic!("{log}"));
    let node = |data: Value| json!({"driver": "fake-hardware", "network_data": data});
    let ironics = node(json!({"links": [], "networks": [], "services": []}));
    let refused = program.client.post("/v1/nodes", ironics).await.expect(400);
    let refused = refused.fault();
    assert!(refused.contains("Schema error for node: "), "{refused}");
    let ours = node(json!({"vlan": 12}));
    program.client.post("/v1/nodes", ours).await.expect(201);
    program.stop().await;
}
