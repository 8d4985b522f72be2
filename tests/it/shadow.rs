//! `corten shadow` beside an Ironic that goes on.
//!
//! Ironic is pretended: its database is a file as Ironic writes it, and its API another service of ours on
//! an import of that file, which passes all it is asked, and can be made to answer something else.

use crate::{
    database::{Database, Engine},
    http::{Client, Request},
    import::{ACTIVE, import_for, ironic},
    program::{self, Program},
};
use api::ApiState;
use axum::{
    body::{Body, to_bytes},
    extract::Request as Asked,
    response::Response,
};
use cluster::{Remote, RemoteSettings, Secret, View, view::ViewSettings};
use serde_json::{Value, json};
use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use store::{Location, load::Purpose};
use tempfile::TempDir;
use tokio::{net::TcpListener, process::Command};

/// Between two looks at a counter.
const MOMENT: Duration = Duration::from_millis(100);
/// No healthy wait takes that long.
const PATIENCE: Duration = Duration::from_secs(120);
const TOKEN: &str = "t0p-s3cret-token";

/// What the pretended Ironic answers instead of the truth.
#[derive(Debug, Clone)]
enum Trick {
    None,
    /// This text is another one wherever it stands.
    Planted(&'static str, &'static str),
    /// A node gets another name, in its database too, whenever it was asked for often.
    Renamed,
}

struct Pretended {
    address: SocketAddr,
    source: PathBuf,
    trick: Mutex<Trick>,
    names: AtomicU64,
    /// Method, path with query, and token of all it was asked.
    seen: Mutex<Vec<(String, String, String)>>,
    _database: Database,
}

impl Pretended {
    async fn start() -> Arc<Self> {
        let database = Database::create(Engine::Sqlite);
        let source = ironic(database.directory(), "");
        import_for(source.clone(), &database, Purpose::Move)
            .await
            .unwrap();
        let db = database.open();
        let nobody = RemoteSettings {
            secret: Secret::new(&"x".repeat(32)).unwrap(),
            tls: Default::default(),
            timeout: Duration::from_secs(1),
            patience: Duration::ZERO,
        };
        let view = View::shared(db.clone(), ViewSettings::default());
        let nobody = Remote::new(db.clone(), view, nobody, None).unwrap();
        let state = ApiState::new(db, Arc::new(nobody), Arc::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let Location::Sqlite(source) = source else {
            panic!("not a file");
        };
        let pretended = Arc::new(Self {
            address: listener.local_addr().unwrap(),
            source,
            trick: Mutex::new(Trick::None),
            names: AtomicU64::new(0),
            seen: Mutex::default(),
            _database: database,
        });
        let asked = Arc::clone(&pretended);
        let router = axum::Router::new().fallback(move |request: Asked| {
            let (pretended, state) = (Arc::clone(&asked), state.clone());
            async move { pretended.answer(state, request).await }
        });
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        pretended
    }

    async fn answer(&self, state: ApiState, request: Asked) -> Response {
        let token = request.headers().get("x-auth-token");
        let token = token.map_or("", |token| token.to_str().unwrap()).to_owned();
        let (method, target) = (request.method().to_string(), request.uri().to_string());
        let is_node = target.contains(ACTIVE);
        self.seen.lock().unwrap().push((method, target, token));
        let trick = self.trick.lock().unwrap().clone();
        let (before, after) = match trick {
            Trick::None => return api::respond(state, request).await,
            Trick::Planted(before, after) => (before, after.to_owned()),
            Trick::Renamed if is_node => {
                let asked = self.names.fetch_add(1, Ordering::SeqCst);
                let name = format!("web-{}", 2 + asked / 400);
                if asked.is_multiple_of(400) {
                    self.execute(&format!(
                        "UPDATE nodes SET name = '{name}' WHERE uuid = '{ACTIVE}'"
                    ));
                }
                ("web-1", name)
            }
            Trick::Renamed => return api::respond(state, request).await,
        };
        let (mut parts, body) = api::respond(state, request).await.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        parts.headers.remove("content-length");
        Response::from_parts(parts, Body::from(body.replace(before, &after)))
    }

    fn execute(&self, sql: &str) {
        let connection = rusqlite::Connection::open(&self.source).unwrap();
        connection.execute_batch(sql).unwrap();
    }

    fn seen(&self) -> Vec<(String, String, String)> {
        self.seen.lock().unwrap().clone()
    }

    fn set(&self, trick: Trick) {
        *self.trick.lock().unwrap() = trick;
    }
}

/// A shadow of a pretended Ironic.
struct Shadow {
    program: Program,
    folder: TempDir,
}

fn words(ironic: &Pretended, folder: &TempDir, more: &[&str]) -> Vec<String> {
    let of = format!("http://{}", ironic.address);
    let source = format!("sqlite:///{}", ironic.source.display());
    let data = folder.path().join("data");
    let data = data.display().to_string();
    let words = [
        "shadow",
        "--of",
        &of,
        "--source",
        &source,
        "--data-dir",
        &data,
        "--every",
        "1",
        "--pace",
        "50",
        "--set",
        "api.host_ip=127.0.0.1",
        "--set",
        "api.port=0",
        "--set",
        "DEFAULT.auth_strategy=noauth",
    ];
    words
        .iter()
        .chain(more)
        .map(|&word| word.to_owned())
        .collect()
}

impl Shadow {
    async fn start(ironic: &Pretended, more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let words = words(ironic, &folder, more);
        let program = Program::start(words, &folder.path().join("log")).await;
        Self { program, folder }
    }

    /// One that repeats the requests of a log.
    async fn replaying(ironic: &Pretended, log: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("requests");
        std::fs::write(&file, log).unwrap();
        let words = words(ironic, &folder, &["--replay", file.to_str().unwrap()]);
        let program = Program::start(words, &folder.path().join("log")).await;
        Self { program, folder }
    }

    fn client(&self) -> &Client {
        &self.program.client
    }

    async fn report(&self) -> Value {
        let answer = self.client().get("/corten/v1/shadow").await.expect(200);
        answer.json()["shadow"].clone()
    }

    /// The report as soon as it is as expected.
    async fn reports(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let wait = async {
            loop {
                let report = self.report().await;
                if is_so(&report) {
                    return report;
                }
                tokio::time::sleep(MOMENT).await;
            }
        };
        match tokio::time::timeout(PATIENCE, wait).await {
            Ok(report) => report,
            Err(_) => panic!("never {what}: {:#}", self.report().await),
        }
    }
}

fn node() -> String {
    format!("/v1/nodes/{ACTIVE}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_finds_no_difference_and_nothing_can_be_changed() {
    let ironic = Pretended::start().await;
    let shadow = Shadow::start(&ironic, &[]).await;
    let report = shadow
        .reports("compared", |report| report["compared"].as_u64() > Some(200))
        .await;
    assert_eq!(
        (&report["differ"], &report["pending"]),
        (&json!(0), &json!(0)),
        "{report:#}"
    );
    assert_eq!(report["import"]["nodes"], 5);
    assert!(
        report["load"]["statements"].as_u64() > Some(10),
        "{report:#}"
    );
    assert!(
        report["load"]["requests"].as_u64() > Some(200),
        "{report:#}"
    );
    for (method, target, _) in ironic.seen() {
        assert_eq!(method, "GET", "{target}");
    }

    let client = shadow.client();
    for answer in [
        client
            .post("/v1/nodes", json!({"driver": "fake-hardware"}))
            .await,
        client.delete(&node()).await,
        client
            .put(
                &format!("{}/states/power", node()),
                json!({"target": "power off"}),
            )
            .await,
        client
            .post(
                &format!("/v1/heartbeat/{ACTIVE}"),
                json!({"callback_url": "http://x"}),
            )
            .await,
    ] {
        let answer = answer.expect(403);
        assert!(answer.fault().contains("copy of an Ironic"), "{answer:?}");
    }
    let name = client.get(&node()).await.json()["name"].clone();
    assert_eq!(name, "web-1");
    shadow.program.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_copy_follows_and_what_is_only_newer_does_not_count() {
    let ironic = Pretended::start().await;
    ironic.set(Trick::Renamed);
    let shadow = Shadow::replaying(&ironic, format!("GET {} 1.81", node()).as_bytes()).await;
    let report = shadow
        .reports("newer", |report| report["newer"].as_u64() > Some(0))
        .await;
    assert_eq!(report["differ"], 0, "{report:#}");
    assert!(report["import"]["imports"].as_u64() > Some(1), "{report:#}");
    let name = shadow.client().get(&node()).await.json()["name"].clone();
    assert_ne!(name, "web-1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_planted_difference_is_found_and_told_without_secrets() {
    let ironic = Pretended::start().await;
    ironic.set(Trick::Planted("web-1", "planted"));
    let log = format!("GET {} 1.81\nGET /v1/nodes/detail\nGET /v1/ports\n", node());
    let shadow = Shadow::replaying(&ironic, log.as_bytes()).await;
    let report = shadow
        .reports("different", |report| report["differ"].as_u64() > Some(1))
        .await;
    let found = report["differences"].as_array().unwrap();
    let one = found.iter().find(|one| one["path"] == node()).unwrap();
    assert_eq!(
        (&one["place"], &one["ironic"], &one["here"], &one["version"]),
        (
            &json!("/name"),
            &json!("\"planted\""),
            &json!("\"web-1\""),
            &json!("1.81")
        )
    );
    assert!(
        found.iter().all(|one| one["path"] != "/v1/ports"),
        "{found:#?}"
    );

    ironic.set(Trick::Planted("admin", "n0t-for-logs"));
    let shadow = Shadow::replaying(&ironic, log.as_bytes()).await;
    let report = shadow
        .reports("different", |report| report["differ"].as_u64() > Some(0))
        .await;
    let place = report["differences"][0]["place"].as_str().unwrap();
    assert!(place.ends_with("/driver_info/ipmi_username"), "{report:#}");
    let text = report.to_string() + &shadow.program.log();
    assert!(
        !text.contains("n0t-for-logs") && !text.contains("\"admin\""),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_lines_of_a_log_ask_for_nothing() {
    let ironic = Pretended::start().await;
    let mut log = b"GET /v1/lookup?node_uuid=x\nDELETE /v1/nodes/n1\nGET /v1/nodes/../lookup\n\
        GET http://192.0.2.1/v1/drivers\n\xff\xfe\x00\nGET /v1/nodes\r\n\
        1.2.3.4 - - [x] \"POST /v1/nodes HTTP/1.1\" 201 1 \"GET /v1/lookup x\"\n\
        1.2.3.4 - - [x] \"GET /v1/ports HTTP/1.1\" 200 1 \"-\" \"x\"\n"
        .to_vec();
    log.extend(vec![b'A'; 1 << 20]);
    let shadow = Shadow::replaying(&ironic, &log).await;
    let report = shadow
        .reports("compared", |report| report["compared"].as_u64() > Some(20))
        .await;
    assert_eq!(report["not_compared"], json!({"line-left-out": 7}));
    let mut targets: Vec<String> = ironic.seen().into_iter().map(|seen| seen.1).collect();
    targets.sort();
    targets.dedup();
    assert_eq!(targets, ["/", "/v1/nodes", "/v1/ports"]);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("requests");
    std::fs::write(&file, "DELETE /v1/nodes/n1\n").unwrap();
    let words = words(&ironic, &folder, &["--replay", file.to_str().unwrap()]);
    let output = Command::new(program::path()).args(words).output().await;
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && text.contains("no line of it asks"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_of_the_proxy_notice_nothing() {
    let ironic = Pretended::start().await;
    let shadow = Shadow::start(&ironic, &["--listen", "127.0.0.1:0"]).await;
    let proxy = shadow.report().await["proxy"].as_str().unwrap().to_owned();
    let through = Client {
        address: proxy.trim_start_matches("http://").parse().unwrap(),
    };
    let direct = Client {
        address: ironic.address,
    };
    let large = json!({"description": "x".repeat(200), "extra": {"a": "b".repeat(100_000)}});
    let host = ironic.address.to_string();
    let chassis = "/v1/chassis/10000000-0000-4000-8000-0000000000c1";
    for request in [
        Request::new("GET", &node()),
        Request::new("HEAD", "/v1/nodes"),
        Request::new("GET", "/v1/nodes/detail?limit=2"),
        Request::new("GET", "/v1/nodes/nobody"),
        Request::new("GET", "/v1/nodes/nobody/validate"),
        Request::new("GET", "/"),
        Request::new("DELETE", chassis),
        Request::new("POST", "/v1/chassis").raw(b"{".to_vec()),
        Request::new("PATCH", &node()).json(&large),
        Request::bare("GET", "/v1/nodes").version("9.9"),
    ] {
        // Links name the host that was asked.
        let request = request.header("Host", &host).header("X-Auth-Token", TOKEN);
        let (there, here) = (
            direct.send(request.clone()).await,
            through.send(request).await,
        );
        assert_eq!(there.status, here.status);
        assert_eq!(there.body, here.body);
        let version = |answer: &crate::http::Answer| {
            answer
                .header("x-openstack-ironic-api-version")
                .map(str::to_owned)
        };
        assert_eq!(version(&there), version(&here));
    }
    // What is changed through it is changed there, and only there.
    let new = Request::new("POST", "/v1/chassis").json(&large);
    let made = through.send(new).await.expect(201).json();
    let made = format!("/v1/chassis/{}", made["uuid"].as_str().unwrap());
    direct.get(&made).await.expect(200);
    shadow.client().get(&made).await.expect(404);

    let report = shadow
        .reports("compared", |report| report["compared"].as_u64() > Some(4))
        .await;
    assert_eq!(report["differ"], 0, "{report:#}");
    // Reads of clients are not asked for again: only the root was, at the start.
    assert_eq!(report["load"]["requests"], 1, "{report:#}");
    let with_token = ironic
        .seen()
        .into_iter()
        .filter(|seen| seen.2 == TOKEN)
        .count();
    assert_eq!(with_token, 20);
    let everything = shadow.program.log() + &report.to_string();
    assert!(!everything.contains(TOKEN), "{everything}");
    let mut database = std::fs::read(shadow.folder.path().join("data/shadow.db")).unwrap();
    let log = std::fs::read(shadow.folder.path().join("data/shadow.db-wal"));
    database.extend(log.unwrap_or_default());
    let token = TOKEN.as_bytes();
    assert!(!database.windows(token.len()).any(|piece| piece == token));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_followed_is_refused_with_its_reason() {
    let ironic = Pretended::start().await;
    let of = format!("http://{}", ironic.address);
    let nowhere = "sqlite:////nowhere/ironic.sqlite";
    let source = format!("sqlite:///{}", ironic.source.display());
    for (of, source, more, expected) in [
        ("ftp://x", &*source, &[][..], "--of: expected"),
        ("http://u:hunter2@h", &source, &[], "--of: expected"),
        ("http://127.0.0.1:1", &source, &[], "no Ironic answers"),
        (&of, nowhere, &[], "/nowhere/ironic.sqlite"),
        (&of, &source, &["--listen", "here"], "--listen: expected"),
        (
            &of,
            &source,
            &["--set", "DEFAULT.auth_strategy=local"],
            "auth_strategy=local",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let output = Command::new(program::path())
            .args(["shadow", "--of", of, "--source", source])
            .args(["--set", "api.port=0", "--data-dir", data.to_str().unwrap()])
            .args(more)
            .output()
            .await;
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && text.contains(expected),
            "{text}"
        );
        assert!(!text.contains("hunter2"), "{text}");
    }
}
