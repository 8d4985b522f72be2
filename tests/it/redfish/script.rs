//! A Redfish service in this process that does what a test tells it to, right or wrong.
//!
//! It has one machine, sessions and tags, and remembers every request. A rule of the test may
//! answer a request in its place.

use super::bench::{Bench, PASSWORD, settings};
use axum::{
    Router,
    body::{Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    serve::Listener,
};
use drivers::redfish::RedfishSettings;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    },
    server::TlsStream,
};
use types::JsonMap;

pub(super) const SYSTEM: &str = "/redfish/v1/Systems/1";

/// What a rule sees of a request.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
    /// How many requests of this method and path there were before.
    pub(super) before: usize,
}

impl Seen {
    pub(super) fn is(&self, method: &str, path: &str) -> bool {
        self.method == method && self.path == path
    }
}

/// Answers a request, or leaves it to the service.
type Rule = Box<dyn FnMut(&Seen, &mut World) -> Option<Response> + Send>;

/// What the service is made of.
pub(super) struct World {
    pub(super) resources: HashMap<String, Value>,
    /// `METHOD /path`.
    pub(super) log: Vec<String>,
    pub(super) tokens: Vec<String>,
    /// Every login there was.
    pub(super) logins: usize,
    /// Whether strangers are turned away.
    pub(super) guarded: bool,
}

struct Inner {
    world: Mutex<World>,
    rule: Mutex<Rule>,
}

pub(super) struct Script {
    inner: Arc<Inner>,
    address: String,
    server: JoinHandle<()>,
}

impl Drop for Script {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn world() -> World {
    let link = |path: &str| json!({"@odata.id": path});
    let resources = [
        (
            "/redfish/v1/",
            json!({
                "Systems": link("/redfish/v1/Systems"),
                "Managers": link("/redfish/v1/Managers"),
                "Links": {"Sessions": link("/redfish/v1/SessionService/Sessions")},
            }),
        ),
        ("/redfish/v1/Systems", json!({"Members": [link(SYSTEM)]})),
        (
            SYSTEM,
            json!({
                "Id": "1", "UUID": "u-1", "PowerState": "Off", "Manufacturer": "Test",
                "Status": {"Health": "Warning"},
                "Boot": {
                    "BootSourceOverrideTarget": "None",
                    "BootSourceOverrideEnabled": "Disabled",
                    "BootSourceOverrideMode": "UEFI",
                },
                "SecureBoot": link("/redfish/v1/Systems/1/SecureBoot"),
                "Links": {"ManagedBy": [link("/redfish/v1/Managers/1")]},
                "Actions": {"#ComputerSystem.Reset": {
                    "target": "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset",
                }},
            }),
        ),
        (
            "/redfish/v1/Systems/1/SecureBoot",
            json!({"SecureBootEnable": false}),
        ),
        (
            "/redfish/v1/Managers/1",
            json!({"Id": "1", "DateTime": "2020-01-01T00:00:00Z"}),
        ),
    ];
    World {
        resources: resources
            .into_iter()
            .map(|(path, body)| (path.to_owned(), body))
            .collect(),
        log: Vec::new(),
        tokens: Vec::new(),
        logins: 0,
        guarded: true,
    }
}

impl Script {
    /// A service where the rule of the test comes first.
    pub(super) async fn start(
        rule: impl FnMut(&Seen, &mut World) -> Option<Response> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        Self::serve(listener, address, rule)
    }

    /// One that does everything right.
    pub(super) async fn good() -> Self {
        Self::start(|_, _| None).await
    }

    /// One that does everything right over TLS, with a certificate of the tests.
    pub(super) async fn secure(certificate: &str) -> Self {
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("https://{}", tcp.local_addr().unwrap());
        let chain = CertificateDer::from_pem_file(tls(&format!("{certificate}.pem"))).unwrap();
        let key = PrivateKeyDer::from_pem_file(tls(&format!("{certificate}.key"))).unwrap();
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![chain], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Self::serve(Secure { tcp, acceptor }, address, |_, _| None)
    }

    fn serve<L>(
        listener: L,
        address: String,
        rule: impl FnMut(&Seen, &mut World) -> Option<Response> + Send + 'static,
    ) -> Self
    where
        L: Listener,
        L::Addr: std::fmt::Debug,
    {
        let inner = Arc::new(Inner {
            world: Mutex::new(world()),
            rule: Mutex::new(Box::new(rule)),
        });
        let app = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&inner));
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, app).await;
        });
        Self {
            inner,
            address,
            server,
        }
    }

    pub(super) fn driver_info(&self) -> JsonMap {
        let Value::Object(info) = json!({
            "redfish_address": self.address,
            "redfish_username": "admin", "redfish_password": PASSWORD,
        }) else {
            unreachable!()
        };
        info
    }

    pub(super) fn bench(&self) -> Bench {
        self.bench_with(settings())
    }

    pub(super) fn bench_with(&self, settings: RedfishSettings) -> Bench {
        Bench::new(self.driver_info(), settings)
    }

    pub(super) fn with<T>(&self, look: impl FnOnce(&mut World) -> T) -> T {
        look(&mut self.inner.world.lock().unwrap())
    }

    /// How often a request was seen.
    pub(super) fn count(&self, request: &str) -> usize {
        self.with(|world| world.log.iter().filter(|seen| *seen == request).count())
    }

    /// The paths of all requests of a method.
    pub(super) fn seen(&self, method: &str) -> Vec<String> {
        self.with(|world| {
            let own = |seen: &String| {
                let (first, path) = seen.split_once(' ')?;
                (first == method).then(|| path.to_owned())
            };
            world.log.iter().filter_map(own).collect()
        })
    }
}

pub(super) fn tls(file: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/redfish/tls");
    folder.join(file)
}

struct Secure {
    tcp: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for Secure {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let Ok((stream, peer)) = self.tcp.accept().await else {
                continue;
            };
            // Those who do not like the certificate hang up.
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, peer);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.tcp.local_addr()
    }
}

/// A refusal as the standard has it.
pub(super) fn refusal(status: u16, id: &str, text: &str) -> Response {
    let body = json!({"error": {
        "code": "Base.1.0.GeneralError", "message": "See the details.",
        "@Message.ExtendedInfo": [{"MessageId": id, "Message": text, "Severity": "Critical"}],
    }});
    (StatusCode::from_u16(status).unwrap(), body.to_string()).into_response()
}

async fn answer(State(inner): State<Arc<Inner>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body: Bytes = to_bytes(body, usize::MAX).await.unwrap();
    let path = parts.uri.path_and_query().unwrap().to_string();
    let line = format!("{} {path}", parts.method);
    let mut world = inner.world.lock().unwrap();
    let seen = Seen {
        method: parts.method.to_string(),
        path,
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
        before: world.log.iter().filter(|seen| **seen == line).count(),
    };
    world.log.push(line);
    let own = (inner.rule.lock().unwrap())(&seen, &mut world);
    own.unwrap_or_else(|| world.answer(&seen))
}

impl World {
    fn answer(&mut self, seen: &Seen) -> Response {
        let sessions = "/redfish/v1/SessionService/Sessions";
        if seen.is("POST", sessions) {
            if seen.body["UserName"] != "admin" || seen.body["Password"] != PASSWORD {
                let text = format!("The password {} is wrong", seen.body["Password"]);
                return refusal(401, "Base.1.0.ResourceAtUriUnauthorized", &text);
            }
            self.logins += 1;
            let token = format!("token-{}", self.logins);
            self.tokens.push(token.clone());
            let location = format!("{sessions}/{}", self.logins);
            let headers = [("X-Auth-Token", token), ("Location", location)];
            return (StatusCode::CREATED, headers, "{}").into_response();
        }
        if self.guarded && seen.path != "/redfish/v1/" && !self.knows(&seen.headers) {
            return refusal(401, "Base.1.0.NoValidSession", "There is no valid session.");
        }
        if seen.method == "DELETE" && seen.path.starts_with(sessions) {
            self.tokens.clear();
            return StatusCode::NO_CONTENT.into_response();
        }
        match seen.method.as_str() {
            "GET" => self.show(&seen.path),
            "PATCH" => self.change(seen),
            "POST" => self.act(seen),
            _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
        }
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let token = headers.get("x-auth-token").and_then(|t| t.to_str().ok());
        let has_password = headers.contains_key(header::AUTHORIZATION);
        has_password || token.is_some_and(|token| self.tokens.iter().any(|known| known == token))
    }

    /// A tag that changes with the resource.
    fn tag(body: &Value) -> String {
        let sum = body.to_string().bytes().map(u64::from).sum::<u64>();
        format!("\"{sum}\"")
    }

    fn show(&self, path: &str) -> Response {
        match self.resources.get(path) {
            Some(body) => ([("ETag", Self::tag(body))], body.to_string()).into_response(),
            None => refusal(404, "Base.1.0.ResourceMissingAtURI", "There is nothing."),
        }
    }

    fn change(&mut self, seen: &Seen) -> Response {
        let Some(resource) = self.resources.get_mut(&seen.path) else {
            return StatusCode::NOT_FOUND.into_response();
        };
        let tag = Self::tag(resource);
        let given = seen.headers.get("if-match");
        if given.is_some_and(|given| given != tag.as_str()) {
            return StatusCode::PRECONDITION_FAILED.into_response();
        }
        merge(resource, &seen.body);
        StatusCode::NO_CONTENT.into_response()
    }

    fn act(&mut self, seen: &Seen) -> Response {
        let kind = seen.body["ResetType"].as_str().unwrap_or_default();
        let state = match kind {
            "On" | "ForceOn" | "ForceRestart" | "GracefulRestart" => "On",
            "ForceOff" | "GracefulShutdown" => "Off",
            _ => return StatusCode::NO_CONTENT.into_response(),
        };
        self.resources.get_mut(SYSTEM).unwrap()["PowerState"] = json!(state);
        StatusCode::NO_CONTENT.into_response()
    }
}

/// Lays one value over another.
pub(super) fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}
