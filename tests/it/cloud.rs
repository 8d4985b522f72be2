//! A cloud in this process: Keystone, Glance, Swift, Neutron, Cinder and Nova as far as a Bare Metal
//! service uses them, on one socket, with the faults that real ones have.
//!
//! Objects are kept, volumes have states, temporary URLs are checked; everything that arrives is
//! remembered. How real services behave is tested against real ones elsewhere.

mod cinder;
mod glance;
mod swift;

pub(crate) use cinder::{CHAP_PASSWORD, VolumeRecord};
pub(crate) use glance::ImageRecord;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Request, StatusCode},
    response::{IntoResponse, Response},
};
use openstack::{Secret, ServiceSettings, Services, ServicesSettings, login::AuthOptions};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use swift::StoredObject;
use tokio::{net::TcpListener, task::JoinHandle};

pub(crate) const PROJECT: &str = "d5f20490ecac44f0a2a8d3c3ac15d86a";
pub(crate) const PASSWORD: &str = "hunter2-of-the-cloud";
/// What Keystone hands out; it must appear in no log.
pub(crate) const TOKEN: &str = "token-of-the-cloud";
pub(crate) const TEMP_URL_KEY: &str = "key-of-temporary-urls";

/// A service of the cloud, as the path says that it is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Peer {
    Keystone,
    Glance,
    Swift,
    Neutron,
    Cinder,
    Nova,
}

impl Peer {
    fn of(path: &str) -> Option<Self> {
        Some(match path.split('/').nth(1)? {
            "v3" => Self::Keystone,
            "image" => Self::Glance,
            "v1" | "info" => Self::Swift,
            "network" => Self::Neutron,
            "volume" => Self::Cinder,
            "compute" => Self::Nova,
            _ => return None,
        })
    }

    fn service_type(self) -> &'static str {
        match self {
            Self::Keystone => "identity",
            Self::Glance => "image",
            Self::Swift => "object-store",
            Self::Neutron => "network",
            Self::Cinder => "block-storage",
            Self::Nova => "compute",
        }
    }

    fn endpoint(self, url: &str) -> String {
        match self {
            Self::Keystone => format!("{url}/v3"),
            Self::Glance => format!("{url}/image"),
            Self::Swift => format!("{url}/v1/AUTH_{PROJECT}"),
            Self::Neutron => format!("{url}/network"),
            Self::Cinder => format!("{url}/volume/v3/{PROJECT}"),
            Self::Nova => format!("{url}/compute/v2.1"),
        }
    }
}

/// What is wrong with a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outage {
    /// Nobody listens where the catalogue says. Only before the first login.
    Down,
    /// The catalogue does not have it. Only before the first login.
    Unlisted,
    /// It never answers.
    Silent,
    Status(u16),
    /// Success, and no JSON.
    Garbage,
}

/// A request that arrived.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
}

/// What the cloud holds.
pub(super) struct Contents {
    url: String,
    received: Vec<Received>,
    outages: BTreeMap<Peer, Outage>,
    roles: Vec<String>,
    pub(super) images: BTreeMap<String, ImageRecord>,
    pub(super) containers: BTreeMap<String, BTreeMap<String, StoredObject>>,
    pub(super) temp_url_key: Option<String>,
    pub(super) volumes: BTreeMap<String, VolumeRecord>,
    networks: BTreeSet<String>,
    pub(crate) events: Vec<Value>,
}

/// A cloud; it ends with this.
pub(crate) struct Cloud {
    pub(crate) url: String,
    contents: Arc<Mutex<Contents>>,
    serving: JoinHandle<()>,
}

impl Drop for Cloud {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Cloud {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let contents = Arc::new(Mutex::new(Contents {
            url: url.clone(),
            received: Vec::new(),
            outages: BTreeMap::new(),
            roles: ["admin", "service"].map(str::to_owned).to_vec(),
            images: BTreeMap::new(),
            containers: BTreeMap::new(),
            temp_url_key: Some(TEMP_URL_KEY.to_owned()),
            volumes: BTreeMap::new(),
            networks: BTreeSet::new(),
            events: Vec::new(),
        }));
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&contents));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            contents,
            serving,
        }
    }

    pub(super) fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap()
    }

    pub(crate) fn fail(&self, peer: Peer, outage: Outage) {
        self.contents().outages.insert(peer, outage);
    }

    pub(crate) fn heal(&self, peer: Peer) {
        self.contents().outages.remove(&peer);
    }

    pub(crate) fn set_roles(&self, roles: &[&str]) {
        self.contents().roles = roles.iter().map(|&role| role.to_owned()).collect();
    }

    pub(crate) fn set_temp_url_key(&self, key: Option<&str>) {
        self.contents().temp_url_key = key.map(str::to_owned);
    }

    pub(crate) fn add_network(&self, name: &str) {
        self.contents().networks.insert(name.to_owned());
    }

    /// What arrived at a service, as lines.
    pub(crate) fn lines(&self, peer: Peer) -> Vec<String> {
        let contents = self.contents();
        let received = contents.received.iter();
        received
            .filter(|request| Peer::of(&request.path) == Some(peer))
            .map(|request| format!("{} {}", request.method, request.path))
            .collect()
    }

    /// A section that logs in here and does not wait long.
    pub(crate) fn section(&self) -> ServiceSettings {
        ServiceSettings {
            auth: AuthOptions {
                auth_type: Some("password".into()),
                auth_url: Some(self.url.clone()),
                username: Some("ironic".into()),
                password: Some(Secret::from(PASSWORD)),
                user_domain_id: Some("default".into()),
                project_name: Some("service".into()),
                project_domain_id: Some("default".into()),
                ..AuthOptions::default()
            },
            timeout: Some(Duration::from_secs(1)),
            connect_retries: Some(0),
            status_code_retries: Some(0),
            ..ServiceSettings::default()
        }
    }

    pub(crate) fn services(&self) -> Arc<Services> {
        let section = self.section();
        let settings = ServicesSettings {
            glance: section.clone(),
            swift: section.clone(),
            neutron: section.clone(),
            cinder: section.clone(),
            nova: section.clone(),
            service_catalog: section,
            ..ServicesSettings::default()
        };
        Arc::new(Services::from_settings(&settings).unwrap())
    }
}

/// An answer without contents.
pub(super) fn status(code: u16) -> Response {
    StatusCode::from_u16(code).unwrap().into_response()
}

pub(super) fn document(code: u16, body: &Value) -> Response {
    let code = StatusCode::from_u16(code).unwrap();
    let kind = [("content-type", "application/json")];
    (code, kind, body.to_string()).into_response()
}

async fn answer(State(shared): State<Arc<Mutex<Contents>>>, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let path = parts.uri.path().to_owned();
    let received = Received {
        method: parts.method.to_string(),
        path: path.clone(),
        headers: parts.headers,
    };
    let peer = Peer::of(&path);
    let outage = {
        let mut contents = shared.lock().unwrap();
        contents.received.push(received.clone());
        peer.and_then(|peer| contents.outages.get(&peer).copied())
    };
    match outage {
        Some(Outage::Silent) => return std::future::pending().await,
        Some(Outage::Status(code)) => {
            let body = json!({"message": "the cloud is out of sorts", "code": code});
            return document(code, &body);
        }
        Some(Outage::Garbage) => {
            let html = [("content-type", "text/html")];
            return (html, "<html>welcome to the proxy").into_response();
        }
        Some(Outage::Down | Outage::Unlisted) | None => {}
    }
    let query = parts.uri.query().unwrap_or_default();
    let mut contents = shared.lock().unwrap();
    match peer {
        Some(Peer::Keystone) => contents.keystone(&received, &body),
        Some(Peer::Swift) => contents.swift(&received, query, body),
        // Everybody else wants a token.
        _ if !is_known(&received) => status(401),
        Some(Peer::Glance) => contents.glance(&received),
        Some(Peer::Cinder) => contents.cinder(&received, &body),
        Some(Peer::Neutron) => contents.neutron(&received, query),
        Some(Peer::Nova) => contents.nova(&body),
        None => status(404),
    }
}

/// Whether a request carries our token.
pub(super) fn is_known(request: &Received) -> bool {
    let token = request.headers.get("x-auth-token");
    token.is_some_and(|token| token == TOKEN)
}

impl Contents {
    fn keystone(&self, request: &Received, body: &Bytes) -> Response {
        if request.method != "POST" {
            return document(200, &json!({"version": {"id": "v3.14"}}));
        }
        let login: Value = serde_json::from_slice(body).unwrap();
        if login["auth"]["identity"]["password"]["user"]["password"] != PASSWORD {
            let message = "The request you have made requires authentication.";
            return document(401, &json!({"error": {"code": 401, "message": message}}));
        }
        let peers = [
            Peer::Keystone,
            Peer::Glance,
            Peer::Swift,
            Peer::Neutron,
            Peer::Cinder,
            Peer::Nova,
        ];
        let listed = |peer: &Peer| self.outages.get(peer) != Some(&Outage::Unlisted);
        let catalogue = peers.into_iter().filter(listed).map(|peer| {
            let url = match self.outages.get(&peer) {
                // Nobody listens there.
                Some(Outage::Down) => peer.endpoint("http://127.0.0.1:1"),
                _ => peer.endpoint(&self.url),
            };
            let name = peer.service_type();
            json!({"type": name, "name": name, "endpoints": [
                {"interface": "internal", "region": "RegionOne", "region_id": "RegionOne",
                 "url": url}]})
        });
        let now = types::Timestamp::now();
        let roles = self
            .roles
            .iter()
            .map(|name| json!({"id": name, "name": name}));
        let token = json!({"token": {
            "issued_at": now.zulu(),
            "expires_at": now.plus_seconds(3600).zulu(),
            "user": {"id": "u1", "name": "ironic", "domain": {"id": "default", "name": "Default"}},
            "project": {"id": PROJECT, "name": "service"},
            "roles": roles.collect::<Vec<_>>(),
            "catalog": catalogue.collect::<Vec<_>>(),
        }});
        let mut answer = document(201, &token);
        let headers = answer.headers_mut();
        headers.insert("x-subject-token", TOKEN.parse().unwrap());
        answer
    }

    fn neutron(&self, request: &Received, query: &str) -> Response {
        let path = request.path.strip_prefix("/network/v2.0");
        let path = path.unwrap_or_default();
        let network = |name: &String| json!({"id": format!("id-of-{name}"), "name": name});
        if path == "/networks" {
            let name = query.split('&').find_map(|pair| pair.strip_prefix("name="));
            let networks = self.networks.iter();
            let fitting = networks.filter(|network| name.is_none_or(|name| *network == name));
            let fitting: Vec<Value> = fitting.map(network).collect();
            return document(200, &json!({"networks": fitting}));
        }
        let id = path.strip_prefix("/networks/").unwrap_or_default();
        let mut networks = self.networks.iter();
        match networks.find(|name| format!("id-of-{name}") == id) {
            Some(name) => document(200, &json!({"network": network(name)})),
            None => status(404),
        }
    }

    fn nova(&mut self, body: &Bytes) -> Response {
        let sent: Value = serde_json::from_slice(body).unwrap();
        let event = sent["events"][0].clone();
        let is_nobody = event["server_uuid"] == "00000000-0000-0000-0000-000000000000";
        if !is_nobody {
            self.events.push(event);
        }
        let (code, event) = if is_nobody { (207, 404) } else { (200, 200) };
        document(code, &json!({"events": [{"code": event}]}))
    }
}
