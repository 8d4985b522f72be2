//! The API as the service meets it.

use super::*;
use crate::{
    config::Config,
    exchange::Exchanges,
    hardware::{Context, Managers},
    journal::Journal,
    progress::Progress,
};
use axum::http::Method;
use tower::ServiceExt as _;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

async fn agent() -> Arc<Agent> {
    let config = Config::from_parameters(&format!("ipa-agent-token={TOKEN}")).unwrap();
    let context = Context {
        config: Arc::new(config.clone()),
        permit: None,
        progress: Progress::default(),
        exchanges: Exchanges::default(),
    };
    let managers = Managers::load(&context).await;
    Agent::new(config, None, managers, Journal::default())
}

struct Client(Router);

impl Client {
    async fn new() -> Self {
        Self(router(agent().await, true))
    }

    async fn ask(&self, method: Method, path: &str, body: &str) -> (u16, Value) {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "h:1")
            .body(Body::from(body.to_owned()))
            .unwrap();
        let answer = self.0.clone().oneshot(request).await.unwrap();
        let status = answer.status().as_u16();
        let body = to_bytes(answer.into_body(), BODY).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap())
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.ask(Method::GET, path, "").await
    }

    async fn begin(&self, name: &str, params: Value) -> (u16, Value) {
        let path = format!("/v1/commands/?wait=true&agent_token={TOKEN}");
        let body = json!({"name": name, "params": params});
        self.ask(Method::POST, &path, &body.to_string()).await
    }
}

/// An agent with a manager whose step lasts until a file appears, and the folder for the file.
async fn slow() -> (Client, tempfile::TempDir) {
    let root = tempfile::tempdir().unwrap();
    (slow_at(root.path()).await, root)
}

/// The same in a folder that is there, as if it were started again.
async fn slow_at(root: &std::path::Path) -> Client {
    use std::{fs, os::unix::fs::PermissionsExt as _};
    let managers = root.join("etc/corten-agent/managers.d");
    fs::create_dir_all(&managers).unwrap();
    let text = format!(
        r#"#!/bin/sh
while read -r call; do
  case $call in
  *'"method":"hello"'*) echo '{{"id": 1, "result": {{"protocol": 1, "support": 3}}}}' ;;
  *'"method":"manager.steps"'*) echo '{{"id": 2, "result": {{"steps": []}}}}' ;;
  *) while ! [ -e {}/go ]; do sleep 0.01; done
     echo '{{"id": 2, "result": {{"value": "gone"}}}}' ;;
  esac
done
"#,
        root.display()
    );
    let program = managers.join("slow");
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut config = Config::from_parameters(&format!("ipa-agent-token={TOKEN}")).unwrap();
    config.root = root.to_owned();
    // Only the program above is ever asked to do something with it.
    let permit = Some(crate::session::tests::ramdisk(root));
    let context = Context {
        config: Arc::new(config.clone()),
        permit: permit.clone(),
        progress: Progress::default(),
        exchanges: Exchanges::default(),
    };
    let managers = Managers::load(&context).await;
    let agent = Agent::new(config, permit, managers, Journal::default());
    Client(router(agent, false))
}

#[tokio::test]
async fn one_command_runs_at_a_time() {
    let (client, root) = slow().await;
    let path = format!("/v1/commands?agent_token={TOKEN}");
    let params = json!({"step": {"step": "wait"}, "node": {"uuid": "u"}, "ports": []});
    let order = json!({"name": "clean.execute_clean_step", "params": params});
    let (status, begun) = client.ask(Method::POST, &path, &order.to_string()).await;
    assert_eq!((status, &begun["command_status"]), (200, &json!("RUNNING")));
    let (status, fault) = client.begin("standby.sync", json!({})).await;
    assert_eq!(status, 409);
    let busy = "Agent is busy: executing command execute_clean_step";
    assert_eq!(fault["faultstring"], busy);
    let id = begun["id"].as_str().unwrap();
    let shown = client
        .get(&format!("/v1/commands/{id}?agent_token={TOKEN}"))
        .await;
    assert_eq!(shown, (200, begun.clone()));
    std::fs::write(root.path().join("go"), "").unwrap();
    let waited = format!("/v1/commands/{id}?wait=true&agent_token={TOKEN}");
    let (_, ended) = client.get(&waited).await;
    assert_eq!(ended["command_status"], "SUCCEEDED");
    assert_eq!(ended["command_result"]["clean_result"], "gone");
    assert_eq!(client.begin("standby.sync", json!({})).await.0, 200);
    let (_, list) = client.get(&path).await;
    assert_eq!(list["commands"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn documents_are_the_originals() {
    let client = Client::new().await;
    let (status, root) = client.get("/").await;
    assert_eq!(status, 200);
    assert_eq!(root["default_version"]["id"], "v1");
    assert_eq!(root["versions"][0]["links"][0]["href"], "https://h:1/v1");
    for path in ["/v1", "/v1/"] {
        let (_, v1) = client.get(path).await;
        assert_eq!(v1["commands"][0]["href"], "https://h:1/v1/commands");
        assert_eq!(v1["status"][1]["href"], "https://h:1/status");
    }
    for path in ["/v1/status", "/status"] {
        let (status, body) = client.get(path).await;
        assert_eq!(status, 200);
        assert!(body["started_at"].as_f64().unwrap() > 1e9);
        assert_eq!(body["version"], crate::VERSION);
    }
}

#[tokio::test]
async fn who_has_no_token_is_told_so() {
    let client = Client::new().await;
    let order = r#"{"name": "standby.sync", "params": {}}"#;
    for path in [
        "/v1/commands/",
        "/commands",
        "/v1/commands/?agent_token=wrong",
    ] {
        for (method, body) in [(Method::GET, ""), (Method::POST, order)] {
            let (status, fault) = client.ask(method, path, body).await;
            assert_eq!(status, 401);
            assert_eq!(fault["faultcode"], "Client");
            assert_eq!(fault["faultstring"], "401 Unauthorized: Token invalid.");
        }
    }
    let (status, _) = client.get("/v1/commands/x?agent_token=").await;
    assert_eq!(status, 401);
    let (status, list) = client.get(&format!("/commands?agent_token={TOKEN}")).await;
    assert_eq!((status, &list["commands"]), (200, &json!([])));
}

#[tokio::test]
async fn nonsense_is_refused_and_leaves_no_trace() {
    let client = Client::new().await;
    let path = format!("/v1/commands/?agent_token={TOKEN}");
    for body in [
        "",
        "{",
        "3",
        "[]",
        "{}",
        r#"{"name": "a.b"}"#,
        r#"{"name": 1, "params": {}}"#,
    ] {
        let (status, fault) = client.ask(Method::POST, &path, body).await;
        assert_eq!(status, 400, "{body}: {fault}");
        assert_eq!(fault["faultcode"], "Client");
    }
    let (status, fault) = client.begin("nothing.at_all", json!({})).await;
    assert_eq!(status, 404);
    assert_eq!(
        fault["faultstring"],
        "Not found: Extension with id nothing not found."
    );
    let (status, fault) = client.begin("standby.nothing", json!({})).await;
    assert_eq!(status, 400);
    assert_eq!(
        fault["faultstring"],
        "Invalid command: Unknown command: nothing"
    );
    let (status, _) = client.begin("nothing", json!({})).await;
    assert_eq!(status, 400);
    let (status, _) = client
        .begin("standby.prepare_image", json!({"image_info": {}}))
        .await;
    assert_eq!(status, 400);
    let (status, _) = client.ask(Method::DELETE, &path, "").await;
    assert_eq!(status, 405);
    assert_eq!(client.get("/other").await.0, 404);
    let (status, fault) = client
        .get(&format!("/v1/commands/x?agent_token={TOKEN}"))
        .await;
    assert_eq!(status, 404);
    assert_eq!(
        fault["faultstring"],
        "Not found: Command Result with id x not found."
    );
    assert_eq!(client.get(&path).await.1["commands"], json!([]));
}

#[tokio::test]
async fn results_have_the_originals_shape_and_order() {
    let client = Client::new().await;
    let node = json!({"uuid": "u", "properties": {}});
    let (status, steps) = client
        .begin("clean.get_clean_steps", json!({"node": node, "ports": []}))
        .await;
    assert_eq!(status, 200);
    assert_eq!(steps["command_name"], "get_clean_steps");
    assert_eq!(steps["command_status"], "SUCCEEDED");
    let result = &steps["command_result"];
    assert_eq!(
        result["hardware_manager_version"],
        json!({"generic_hardware_manager": "1.2"})
    );
    let offered = result["clean_steps"]["GenericHardwareManager"].as_array();
    assert_eq!(offered.unwrap().len(), 12);
    let (_, synced) = client.begin("standby.sync", json!({})).await;
    assert_eq!(synced["command_result"], Value::Null);
    // Without a permit nothing is destroyed, and the reason is told.
    let step = json!({"step": "erase_devices", "interface": "deploy"});
    let params = json!({"step": step, "node": node, "ports": []});
    let (status, erase) = client.begin("clean.execute_clean_step", params).await;
    assert_eq!((status, &erase["command_status"]), (200, &json!("FAILED")));
    let details = erase["command_error"]["details"].as_str().unwrap();
    assert!(details.contains("--allow-destructive"), "{details}");
    let params = json!({"step": step, "node": node, "ports": [],
                        "clean_version": {"generic_hardware_manager": "1.0"}});
    let (_, other) = client.begin("clean.execute_clean_step", params).await;
    assert_eq!(other["command_status"], "CLEAN_VERSION_MISMATCH");
    assert_eq!(other["command_error"]["type"], "VersionMismatch");
    assert_eq!(
        other["command_error"]["details"],
        "Current versions: {'generic_hardware_manager': '1.2'}, versions used by ironic: \
         {'generic_hardware_manager': '1.0'}"
    );
    let (_, list) = client
        .get(&format!("/v1/commands?agent_token={TOKEN}"))
        .await;
    let names: Vec<&str> = list["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| command["command_name"].as_str().unwrap())
        .collect();
    let expected = [
        "get_clean_steps",
        "sync",
        "execute_clean_step",
        "execute_clean_step",
    ];
    assert_eq!(names, expected);
    let path = format!(
        "/v1/commands/{}?agent_token={TOKEN}&wait=True",
        erase["id"].as_str().unwrap()
    );
    assert_eq!(client.get(&path).await, (200, erase));
}

#[tokio::test]
async fn what_ends_the_machine_needs_a_permit() {
    let client = Client::new().await;
    for (command, params) in [
        ("standby.run_image", json!({})),
        ("standby.power_off", json!({})),
        ("system.lockdown", json!({})),
        (
            "rescue.finalize_rescue",
            json!({"rescue_password": "$6$x", "hashed": true}),
        ),
        ("image.install_bootloader", json!({"root_uuid": null})),
        (
            "standby.execute_bootc_install",
            json!({"image_source": "oci://x"}),
        ),
        (
            "standby.prepare_image",
            json!({"image_info": {"id": "i", "urls": ["u"], "checksum": "a".repeat(64)}}),
        ),
        (
            "flow.start_flow",
            json!({"flow": [{"standby.power_off": {}}]}),
        ),
    ] {
        let (status, result) = client.begin(command, params).await;
        assert_eq!(
            (status, &result["command_status"]),
            (200, &json!("FAILED")),
            "{command}"
        );
        let details = result["command_error"]["details"].as_str().unwrap();
        assert!(
            details.contains("--allow-destructive"),
            "{command}: {details}"
        );
    }
    let info = json!({"node_info": {"node": {}, "config": {}}});
    assert_eq!(client.begin("poll.set_node_info", info).await.0, 400);
}

#[tokio::test]
async fn an_agent_that_died_at_a_command_says_so_when_it_is_back() {
    let (client, root) = slow().await;
    let path = format!("/v1/commands?agent_token={TOKEN}");
    let params = json!({"step": {"step": "wait"}, "node": {"uuid": "u"}, "ports": []});
    let order = json!({"name": "clean.execute_clean_step", "params": params});
    let (_, begun) = client.ask(Method::POST, &path, &order.to_string()).await;
    let last = async |client: &Client| {
        let (_, list) = client.get(&path).await;
        list["commands"].as_array().unwrap().last().unwrap().clone()
    };
    // As if the first had been killed: it leaves no word behind.
    let shown = last(&slow_at(root.path()).await).await;
    assert_eq!(shown["id"], begun["id"]);
    assert_eq!(shown["command_name"], "execute_clean_step");
    assert_eq!(shown["command_status"], "FAILED");
    let details = shown["command_error"]["details"].as_str().unwrap();
    assert!(details.contains("crashed"), "{details}");
    std::fs::write(root.path().join("go"), "").unwrap();
    let id = begun["id"].as_str().unwrap();
    let wait = format!("/v1/commands/{id}?wait=true&agent_token={TOKEN}");
    assert_eq!(client.get(&wait).await.1["command_status"], "SUCCEEDED");
    // One that was done is still done.
    let shown = last(&slow_at(root.path()).await).await;
    assert_eq!(shown["command_status"], "SUCCEEDED");
    assert_eq!(shown["command_result"]["clean_result"], "gone");
}
