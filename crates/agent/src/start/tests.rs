//! An agent from its start, with a service that only takes notes.

use super::*;
use crate::config::Args;
use axum::{
    Router,
    body::{Bytes, to_bytes},
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use rustls::pki_types::{CertificateDer, pem::PemObject as _};
use serde_json::{Value, json};
use std::{fs, net::SocketAddr};
use tempfile::TempDir;
use tokio::{sync::mpsc, task::JoinHandle};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const NODE: &str = "6f2b1c0a-0000-4000-8000-000000000001";

/// What the service was asked.
#[derive(Debug)]
struct ReceivedRequest {
    method: String,
    path: String,
    query: String,
    version: String,
    token: String,
    body: Value,
}

impl ReceivedRequest {
    /// All but the body.
    fn of(request: &Request) -> Self {
        let header = |name: &str| {
            let value = request.headers().get(name);
            value.map_or_else(String::new, |value| value.to_str().unwrap().to_owned())
        };
        Self {
            method: request.method().to_string(),
            path: request.uri().path().to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
            version: header("x-openstack-ironic-api-version"),
            token: header("x-corten-agent-token"),
            body: Value::Null,
        }
    }
}

/// A service that says yes, and what it was asked.
struct Notes {
    address: SocketAddr,
    asked: mpsc::UnboundedReceiver<ReceivedRequest>,
    serving: JoinHandle<()>,
}

impl Drop for Notes {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Notes {
    async fn start() -> Self {
        let (sender, asked) = mpsc::unbounded_channel();
        let router = Router::new().fallback(take).with_state(sender);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.unwrap();
        });
        Self {
            address,
            asked,
            serving,
        }
    }

    /// The next request for a path that begins so.
    async fn next(&mut self, path: &str) -> ReceivedRequest {
        loop {
            let asked = self.asked.recv().await.unwrap();
            if asked.path.starts_with(path) {
                return asked;
            }
        }
    }
}

async fn take(
    State(notes): State<mpsc::UnboundedSender<ReceivedRequest>>,
    request: Request,
) -> Response {
    let mut asked = ReceivedRequest::of(&request);
    let body: Bytes = to_bytes(request.into_body(), 1 << 20).await.unwrap();
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    let path = asked.path.clone();
    notes.send(asked).unwrap();
    match path.as_str() {
        "/" => json!({"default_version": {"version": "1.115"}})
            .to_string()
            .into_response(),
        "/v1/lookup" => {
            let config = json!({"heartbeat_timeout": 300, "agent_token": TOKEN});
            let found = json!({"node": {"uuid": NODE}, "config": config});
            found.to_string().into_response()
        }
        "/inspect" => (StatusCode::ACCEPTED, json!({"uuid": NODE}).to_string()).into_response(),
        _ => StatusCode::ACCEPTED.into_response(),
    }
}

/// A folder that looks like a machine with one network interface.
fn made_up() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let interface = root.path().join("sys/class/net/eth0");
    fs::create_dir_all(interface.join("device")).unwrap();
    fs::write(interface.join("address"), "52:54:00:00:00:01\n").unwrap();
    fs::create_dir_all(root.path().join("proc")).unwrap();
    fs::write(root.path().join("proc/cmdline"), "quiet").unwrap();
    root
}

fn config(root: &TempDir, urls: &str, params: &[&str]) -> Config {
    let args = Args {
        api_url: Some(urls.to_owned()),
        listen: Some("127.0.0.1:0".to_owned()),
        advertise: Some("127.0.0.1:0".to_owned()),
        param: params.iter().map(|&param| param.to_owned()).collect(),
        root: root.path().to_owned(),
        ..Args::default()
    };
    Config::read(&args, None).unwrap()
}

#[tokio::test]
async fn a_service_hears_of_the_agent_as_the_protocol_wants() {
    let root = made_up();
    let mut notes = Notes::start().await;
    // The first address is nobody's.
    let urls = format!("http://127.0.0.1:1,http://{}", notes.address);
    let agent = tokio::spawn(run(config(&root, &urls, &[]), None, Journal::default()));
    let lookup = notes.next("/v1/lookup").await;
    assert_eq!(lookup.query, "addresses=52%3A54%3A00%3A00%3A00%3A01");
    assert_eq!(lookup.version, "1.62");
    let heartbeat = notes.next("/v1/heartbeat/").await;
    assert_eq!(heartbeat.path, format!("/v1/heartbeat/{NODE}"));
    assert_eq!(
        (heartbeat.method.as_str(), heartbeat.version.as_str()),
        ("POST", "1.68")
    );
    let body = heartbeat.body.as_object().unwrap();
    let mut keys: Vec<&str> = body.keys().map(String::as_str).collect();
    keys.sort_unstable();
    // Services refuse fields that they do not know.
    let expected = [
        "agent_token",
        "agent_verify_ca",
        "agent_version",
        "callback_url",
    ];
    assert_eq!(keys, expected);
    assert_eq!(body["agent_token"], TOKEN);
    let callback = body["callback_url"].as_str().unwrap();
    assert!(callback.starts_with("https://127.0.0.1:"), "{callback}");
    // What is told is what is shown: nobody else vouches for it.
    let pem = body["agent_verify_ca"].as_str().unwrap();
    let trusted = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let tls = tls::Client::from(tls::Trust::Only(trusted)).config();
    let client = outbound::client()
        .tls_backend_preconfigured(tls.unwrap())
        .build()
        .unwrap();
    let status = client
        .get(format!("{callback}/v1/status"))
        .send()
        .await
        .unwrap();
    let status: Value = status.json().await.unwrap();
    assert_eq!(status["version"], crate::VERSION);
    agent.abort();
}

#[tokio::test]
async fn progress_is_posted_phase_by_phase() {
    let root = made_up();
    let mut notes = Notes::start().await;
    let url = format!("http://{}", notes.address);
    let config = config(&root, &url, &["ipa-corten-progress=1"]);
    assert!(config.progress);
    let service = Service::new(http::client(&config).unwrap(), &config);
    let agent = Agent::new(config, None, Managers::default(), Journal::default());
    let found = service.lookup("52:54:00:00:00:01", None).await.unwrap();
    agent.adopt(&found).unwrap();
    let reporter = {
        let agent = Arc::clone(&agent);
        tokio::spawn(async move { reporter::run(&agent, &service).await })
    };
    let progress = agent.progress();
    // The reporter has to be there before it can see anything.
    while progress.watchers() == 0 {
        tokio::task::yield_now().await;
    }
    progress.command("standby.prepare_image");
    progress.phase("writing image");
    let first = notes.next("/corten/").await;
    assert_eq!(first.path, format!("/corten/v1/agent/progress/{NODE}"));
    assert_eq!(first.token, TOKEN);
    assert_eq!(
        first.body,
        json!({"phase": "writing image", "bytes": 0, "total": null, "rate": 0,
               "command": "standby.prepare_image"})
    );
    progress.bytes(1000, Some(4000));
    let second = notes.next("/corten/").await;
    assert_eq!(
        (&second.body["bytes"], &second.body["total"]),
        (&json!(1000), &json!(4000))
    );
    assert!(second.body["rate"].as_u64().unwrap() > 0);
    progress.phase("config drive");
    let third = notes.next("/corten/").await;
    assert_eq!(third.body["phase"], "config drive");
    reporter.abort();
}

#[tokio::test]
async fn inspection_comes_before_the_lookup_and_names_the_node() {
    let root = made_up();
    let mut notes = Notes::start().await;
    let url = format!("http://{}", notes.address);
    let callback = format!("ipa-inspection-callback-url={url}/inspect");
    let params = [
        callback.as_str(),
        "ipa-inspection-collectors=default,odd,logs",
        "BOOTIF=01-52-54-00-00-00-09",
    ];
    let agent = tokio::spawn(run(config(&root, &url, &params), None, Journal::default()));
    let inspection = notes.next("/inspect").await;
    // Services take data at the oldest version, which is the one that is not named.
    assert_eq!(inspection.version, "");
    let data = &inspection.body;
    assert_eq!(
        data["inventory"]["interfaces"][0]["mac_address"],
        "52:54:00:00:00:01"
    );
    assert_eq!(data["boot_interface"], "01-52-54-00-00-00-09");
    assert_eq!(
        data["configuration"]["collectors"],
        json!(["default", "odd", "logs"])
    );
    assert_eq!(data["configuration"]["managers"][0]["version"], "1.2");
    assert!(data["logs"].as_str().unwrap().starts_with("H4sI"));
    // What is missing is told along with the rest.
    assert!(data["error"].as_str().unwrap().contains("odd"));
    let lookup = notes.next("/v1/lookup").await;
    assert!(
        lookup.query.ends_with(&format!("node_uuid={NODE}")),
        "{}",
        lookup.query
    );
    agent.abort();
}

#[tokio::test]
async fn who_was_not_told_where_to_report_says_so() {
    let root = made_up();
    let mut config = config(&root, "mdns", &[]);
    let refused = run(config.clone(), None, Journal::default())
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("mDNS"), "{refused}");
    config.api_urls.clear();
    let refused = run(config, None, Journal::default()).await.unwrap_err();
    assert!(refused.to_string().contains("ipa-api-url"), "{refused}");
}

#[tokio::test]
async fn an_agent_that_is_started_again_shows_the_same_certificate() {
    let root = made_up();
    let permit = crate::session::tests::ramdisk(root.path());
    let notes = Notes::start().await;
    let url = format!("http://{}", notes.address);
    let shown = async |address: &str| {
        let config = config(&root, &url, &[]);
        let service = Service::new(http::client(&config).unwrap(), &config);
        let permit = Some(permit.clone());
        let agent = Agent::new(config, permit, Managers::default(), Journal::default());
        let address = address.parse().unwrap();
        let identity = identity(&agent, &service, true, address).await.unwrap();
        identity.unwrap().pem
    };
    let first = shown("10.0.0.1").await;
    assert_eq!(shown("10.0.0.1").await, first);
    assert_ne!(shown("10.0.0.2").await, first);
}
