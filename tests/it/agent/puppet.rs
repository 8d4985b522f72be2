//! An agent that does as the test says: it keeps the protocol and touches nothing.

use crate::{
    http::{Client, Request},
    lab::{Lab, Machine},
};
use agent::{
    disk::export::{self, Export},
    safety::Permit,
};
use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Query, State},
    http::StatusCode,
    routing::get,
};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};
use types::NodeId;

/// What the agent was told, and how it answers.
#[derive(Default)]
struct Mind {
    token: String,
    /// As the agent remembers them.
    commands: Vec<Value>,
    /// What it was told, with arguments.
    told: Vec<(String, Value)>,
    /// Steps by kind.
    steps: HashMap<String, Value>,
    /// What it says it is.
    version: String,
    /// Commands that it fails at.
    refused: Vec<String>,
    /// The command that it takes and never answers.
    silent_at: Option<String>,
    knows_no_tokens: bool,
    /// The disk that it exports over iSCSI.
    disk: Option<ExportedDisk>,
}

#[derive(Clone)]
struct ExportedDisk {
    path: PathBuf,
    /// Somewhere else than it is told to.
    port: Option<u16>,
    /// Instead of what it is told.
    password: Option<&'static str>,
    export: Arc<Export>,
}

/// "logs of a ramdisk".
const LOGS: &str = "bG9ncyBvZiBhIHJhbWRpc2s=";

type Shared = Arc<Mutex<Mind>>;

/// A running agent.
pub(crate) struct Puppet {
    url: String,
    mind: Shared,
    silence: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

impl Drop for Puppet {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Puppet {
    /// An agent that offers these steps: kind to list.
    pub(crate) async fn start(steps: &[(&str, Value)]) -> Self {
        let mind = Shared::default();
        let offered = steps.iter().map(|(k, v)| ((*k).to_owned(), v.clone()));
        mind.lock().unwrap().steps = offered.collect();
        mind.lock().unwrap().version = "13.0.0".to_owned();
        let silence = watch::Sender::new(false);
        let router = Router::new()
            .route("/v1/commands/", get(list).post(run))
            // Config drives are large.
            .layer(DefaultBodyLimit::disable())
            .with_state((Arc::clone(&mind), silence.clone()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.unwrap();
        });
        Self {
            url,
            mind,
            silence,
            serving,
        }
    }

    /// Finds its node and reports for the first time.
    pub(crate) async fn boots(&self, lab: &Lab, machine: Machine<'_>) {
        self.boots_at(&lab.client, machine.id).await;
    }

    /// The same where somebody else than a lab is the service.
    pub(crate) async fn boots_at(&self, client: &Client, id: NodeId) {
        let path = format!("/v1/lookup?node_uuid={id}");
        let found = client.get(&path).await.expect(200).json();
        let token = found["config"]["agent_token"].as_str().unwrap().to_owned();
        assert_ne!(token, "******", "a fresh ramdisk gets a token of its own");
        {
            let mut mind = self.mind.lock().unwrap();
            mind.token = token;
            mind.commands.clear();
        }
        self.reports_to(client, id).await;
    }

    /// Tells how far it is, and returns the status of the answer.
    pub(crate) async fn tells(&self, lab: &Lab, machine: Machine<'_>, body: Value) -> u16 {
        let token = self.mind.lock().unwrap().token.clone();
        let path = format!("/corten/v1/agent/progress/{}", machine.id);
        let request = Request::new("POST", &path)
            .header("x-corten-agent-token", &token)
            .json(&body);
        lab.client.send(request).await.status
    }

    /// Takes the next command of this name and does not answer.
    pub(crate) fn falls_silent_at(&self, command: &str) {
        self.mind.lock().unwrap().silent_at = Some(command.to_owned());
    }

    /// Waits until it has fallen silent.
    pub(crate) async fn is_silent(&self) {
        let mut silence = self.silence.subscribe();
        silence.wait_for(|silent| *silent).await.unwrap();
    }

    /// Whether a command runs.
    pub(crate) fn works(&self) -> bool {
        let mind = self.mind.lock().unwrap();
        let last = mind.commands.last();
        last.is_some_and(|command| command["command_status"] == "RUNNING")
    }

    /// Has its token from elsewhere.
    pub(crate) fn knows(&self, token: String) {
        self.mind.lock().unwrap().token = token;
    }

    /// Knows no tokens, as agents of old releases.
    pub(crate) fn knows_no_tokens(&self) {
        self.mind.lock().unwrap().knows_no_tokens = true;
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Calls itself this.
    pub(crate) fn is(&self, version: &str) {
        self.mind.lock().unwrap().version = version.to_owned();
    }

    /// Exports this file when it is told to export its disk.
    pub(crate) fn exports(&self, path: PathBuf) {
        self.has(path, None);
    }

    pub(crate) fn exports_at(&self, path: PathBuf, port: u16) {
        self.has(path, Some(port));
    }

    /// Wants another password than it was told.
    pub(crate) fn has_another_password(&self) {
        if let Some(disk) = &mut self.mind.lock().unwrap().disk {
            disk.password = Some("not what it was told");
        }
    }

    fn has(&self, path: PathBuf, port: Option<u16>) {
        self.mind.lock().unwrap().disk = Some(ExportedDisk {
            path,
            port,
            password: None,
            export: Arc::default(),
        });
    }

    /// Fails at a command from now on.
    pub(crate) fn refuses(&self, command: &str) {
        self.mind.lock().unwrap().refused.push(command.to_owned());
    }

    pub(crate) async fn reports(&self, lab: &Lab, machine: Machine<'_>) {
        self.reports_to(&lab.client, machine.id).await;
    }

    /// Reports until it is heard: a machine that is being taken over has no time for it.
    pub(crate) async fn reports_to(&self, client: &Client, id: NodeId) {
        let body = {
            let mind = self.mind.lock().unwrap();
            json!({
                "callback_url": self.url, "agent_version": mind.version,
                "agent_token": mind.token,
            })
        };
        let path = format!("/v1/heartbeat/{id}");
        loop {
            let answer = client.post(&path, body.clone()).await;
            if answer.status != 409 {
                answer.expect(202);
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    /// What the agent was told since the last time somebody asked.
    pub(crate) fn told(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.mind.lock().unwrap().told)
    }

    /// Ends the command that runs.
    pub(crate) fn ends(&self, outcome: Result<Value, &str>) {
        let mut mind = self.mind.lock().unwrap();
        let last = mind.commands.last_mut().unwrap();
        assert_eq!(last["command_status"], "RUNNING");
        match outcome {
            Ok(result) => {
                last["command_status"] = json!("SUCCEEDED");
                for (key, value) in result.as_object().into_iter().flatten() {
                    last["command_result"][key] = value.clone();
                }
            }
            Err(text) => {
                last["command_status"] = json!("FAILED");
                last["command_error"] =
                    json!({"type": "X", "code": 500, "message": text, "details": text});
            }
        }
    }
}

async fn list(
    State((mind, _)): State<(Shared, watch::Sender<bool>)>,
    Query(query): Query<HashMap<String, String>>,
) -> Result<Json<Value>, (StatusCode, Json<Value>)> {
    let mind = mind.lock().unwrap();
    check(&mind, &query)?;
    Ok(Json(json!({"commands": mind.commands})))
}

fn check(mind: &Mind, query: &HashMap<String, String>) -> Result<(), (StatusCode, Json<Value>)> {
    if mind.knows_no_tokens {
        // As the framework of those agents does.
        let Some(odd) = query.keys().find(|key| *key != "wait") else {
            return Ok(());
        };
        let text = format!("Unknown argument: \"{odd}\"");
        let fault = json!({"faultcode": "Client", "faultstring": text, "debuginfo": null});
        return Err((StatusCode::BAD_REQUEST, Json(fault)));
    }
    if query.get("agent_token") == Some(&mind.token) {
        return Ok(());
    }
    let fault = json!({"faultcode": "Client", "faultstring": "Token invalid."});
    Err((StatusCode::UNAUTHORIZED, Json(fault)))
}

async fn run(
    State((mind, silence)): State<(Shared, watch::Sender<bool>)>,
    Query(query): Query<HashMap<String, String>>,
    Json(body): Json<Value>,
) -> Result<Json<Value>, (StatusCode, Json<Value>)> {
    let short = body["name"].as_str().unwrap().split_once('.').unwrap().1;
    let falls_silent = {
        let mut mind = mind.lock().unwrap();
        let meant = mind.silent_at.as_deref() == Some(short);
        meant && mind.silent_at.take().is_some()
    };
    let disk = mind.lock().unwrap().disk.clone();
    if let Some(disk) = disk {
        match short {
            "start_iscsi_target" => disk.start(&body["params"]).await,
            "stop_iscsi_target" | "install_bootloader" => disk.export.stop().await.unwrap(),
            _ => {}
        }
    }
    let answer = obey(&mut mind.lock().unwrap(), &query, &body);
    if falls_silent {
        silence.send_replace(true);
        std::future::pending::<()>().await;
    }
    answer
}

impl ExportedDisk {
    /// By the code of our own agent.
    async fn start(&self, params: &Value) {
        let mut params = params.as_object().unwrap().clone();
        if let Some(port) = self.port {
            params.insert("portal_port".into(), port.into());
        }
        if let Some(password) = self.password {
            params.insert("chap_password".into(), password.into());
        }
        let request = export::Request::read(&params).unwrap();
        let permit = Permit::from_operator();
        self.export
            .start(&permit, &self.path, request)
            .await
            .unwrap();
    }
}

/// Does what it is told.
fn obey(
    mind: &mut Mind,
    query: &HashMap<String, String>,
    body: &Value,
) -> Result<Json<Value>, (StatusCode, Json<Value>)> {
    check(mind, query)?;
    let busy = |command: &Value| command["command_status"] == "RUNNING";
    let name = body["name"].as_str().unwrap().to_owned();
    let short = name.split_once('.').unwrap().1.to_owned();
    let is_step = short.starts_with("execute_");
    if is_step && mind.commands.last().is_some_and(busy) {
        let fault = json!({"faultcode": "Client", "faultstring": "Agent is busy"});
        return Err((StatusCode::CONFLICT, Json(fault)));
    }
    mind.told.push((name.clone(), body["params"].clone()));
    if mind.knows_no_tokens && short == "get_deploy_steps" {
        let fault = json!({"faultcode": "Client", "faultstring": "Extension not found"});
        return Err((StatusCode::NOT_FOUND, Json(fault)));
    }
    let kind = name.split_once('.').unwrap().0.to_owned();
    let result = match short.as_str() {
        "collect_system_logs" => json!({"system_logs": LOGS}),
        "get_partition_uuids" => json!({"root uuid": "0xdeadbeef", "partitions": {}}),
        "start_iscsi_target" => json!({"iscsi_target_iqn": body["params"]["iqn"]}),
        _ if short.starts_with("get_") => json!({
            format!("{kind}_steps"): {"GenericHardwareManager": mind.steps.get(&kind)},
            "hardware_manager_version": {"generic_hardware_manager": "1.2"},
        }),
        _ if is_step => json!({
            format!("{kind}_step"): body["params"]["step"], format!("{kind}_result"): null,
        }),
        _ => json!({"result": "ok"}),
    };
    let refused = mind.refused.contains(&short);
    let (status, error) = match (refused, is_step) {
        (true, _) => (
            "FAILED",
            json!({"type": "X", "code": 500, "message": "no", "details": "no"}),
        ),
        (_, true) => ("RUNNING", json!(null)),
        _ => ("SUCCEEDED", json!(null)),
    };
    let command = json!({
        "id": mind.commands.len().to_string(), "command_name": short,
        "command_status": status, "command_error": error, "command_result": result,
    });
    mind.commands.push(command.clone());
    Ok(Json(command))
}
