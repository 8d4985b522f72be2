//! A cloud that plays scenes: it answers as real services answered Ironic, and notes what it is asked.

use super::recording::{Asked, Bearer, Line, compare, count, passes_write, scene, worded};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, Response, Uri},
};
use openstack::{Secret, ServiceSettings, Services, ServicesSettings, login::AuthOptions};
use ring::digest::{SHA512, digest};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, task::JoinHandle};
use types::{Timestamp, hex};

/// The project that Ironic logged in to.
pub(super) const PROJECT: &str = "d5f20490ecac44f0a2a8d3c3ac15d86a";

/// A token of a user; ours is what a login gives.
pub(super) const USER_TOKEN: &str = "token-of-a-user";
const OWN_TOKEN: &str = "a-token";

#[derive(Default)]
struct Play {
    lines: Vec<Line>,
    /// How far the scene is.
    next: usize,
    /// What is answered besides, and not compared.
    besides: Vec<Line>,
    /// What our own addresses are called in recordings.
    aliases: Vec<(String, &'static str)>,
    asked: Vec<Asked>,
    logins: usize,
}

type Shared = (Arc<Mutex<Play>>, String);

/// Keystone and all services on one socket.
pub(super) struct Stage {
    url: String,
    play: Arc<Mutex<Play>>,
    serving: JoinHandle<()>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Stage {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let play = Arc::new(Mutex::new(Play::default()));
        let state: Shared = (Arc::clone(&play), url.clone());
        let router = Router::new().fallback(answer).with_state(state);
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.unwrap();
        });
        Self { url, play, serving }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn services(&self) -> Arc<Services> {
        let section = ServiceSettings {
            auth: AuthOptions {
                auth_type: Some("password".into()),
                auth_url: Some(format!("{}/v3", self.url)),
                username: Some("ironic".into()),
                password: Some(Secret::from("secret")),
                project_name: Some("service".into()),
                ..AuthOptions::default()
            },
            connect_retry_delay: Some(Duration::from_millis(1)),
            status_code_retry_delay: Some(Duration::from_millis(1)),
            ..ServiceSettings::default()
        };
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

    /// Plays this scene from now on.
    pub(super) fn plays(&self, recording: &str, name: &str) {
        let mut play = self.play.lock().unwrap();
        play.lines = scene(recording, name);
        play.next = 0;
        play.besides.clear();
        play.asked.clear();
    }

    /// Answers this scene as well, which is not compared.
    pub(super) fn knows(&self, recording: &str, name: &str) {
        let lines = scene(recording, name);
        self.play.lock().unwrap().besides.extend(lines);
    }

    /// An address of ours is called so in recordings.
    pub(super) fn calls(&self, address: String, name: &'static str) {
        self.play.lock().unwrap().aliases.push((address, name));
    }

    /// The same for the contents of an image, which Ironic had in its cache.
    pub(super) fn has_file(&self, image: &str) {
        let asked = Asked {
            bearer: Bearer::Service,
            service: "glance".into(),
            request: format!("GET /v2/images/{image}/file"),
            body: None,
        };
        self.play.lock().unwrap().besides.push(Line {
            asked,
            names_bearer: false,
            status: 200,
            headers: Vec::new(),
            answer: Some(json!({})),
        });
    }

    /// Everything was asked as Ironic asks it.
    pub(super) fn is_as_ironic(&self, name: &str) {
        let play = self.play.lock().unwrap();
        let differences = compare(name, &play.lines, &play.asked);
        let asked: Vec<String> = play.asked.iter().map(ToString::to_string).collect();
        assert!(
            differences.is_empty(),
            "{}\nwe asked:\n  {}",
            differences.join("\n"),
            asked.join("\n  ")
        );
        let (ours, theirs) = (count(name, &play.asked), play.lines.len());
        assert!(
            ours <= theirs,
            "{name}: {ours} requests, {theirs} of Ironic"
        );
        println!("{name}: {ours} requests, {theirs} of Ironic");
    }

    /// Nothing was asked of any service.
    pub(super) fn was_left_alone(&self) {
        let play = self.play.lock().unwrap();
        assert!(play.asked.is_empty(), "{:?}", play.asked);
    }

    pub(super) fn logins(&self) -> usize {
        self.play.lock().unwrap().logins
    }

    /// Waits until so many requests have come.
    pub(super) async fn was_asked(&self, requests: usize) {
        for _ in 0..1000 {
            if self.play.lock().unwrap().asked.len() >= requests {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("waited in vain for {requests} requests");
    }
}

/// Which service a path is of, and the path there.
fn service_of(path: &str) -> (&str, &str) {
    for (prefix, service) in [
        ("/image", "glance"),
        ("/volume", "cinder"),
        ("/network", "neutron"),
        ("/compute", "nova"),
    ] {
        if let Some(rest) = path.strip_prefix(prefix) {
            return (service, rest);
        }
    }
    ("swift", path)
}

async fn answer(
    State((play, url)): State<Shared>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let path = uri.path_and_query().unwrap().as_str();
    if path == "/v3/auth/tokens" {
        play.lock().unwrap().logins += 1;
        return login(&url);
    }
    let (service, path) = service_of(path);
    let mut text = String::from_utf8_lossy(&body).into_owned();
    for (address, name) in &play.lock().unwrap().aliases {
        text = text.replace(address, name);
    }
    let sent = match serde_json::from_str(&worded(&text)) {
        Ok(json) => Some(json),
        Err(_) => (!body.is_empty()).then(|| Value::from("bytes")),
    };
    let asked = Asked {
        bearer: bearer(&headers),
        service: service.to_owned(),
        request: format!("{method} {}", worded(path)),
        body: sent,
    };
    let line = {
        let mut play = play.lock().unwrap();
        let rest = &play.lines[play.next..];
        // A read that comes early leaves the scene where it is.
        let ahead = rest.iter().position(|line| line.is(&asked));
        let ahead = ahead.filter(|&at| !passes_write(&rest[..at], &asked));
        if let Some(skipped) = ahead {
            play.next += skipped + 1;
        }
        let besides = play.besides.iter().find(|line| line.is(&asked)).cloned();
        if ahead.is_none() && besides.is_some() {
            besides
        } else {
            let at = match ahead {
                Some(_) => Some(play.next - 1),
                // Sooner than Ironic asks; or more, which is told at the end: then the answer is the
                // one before.
                None => {
                    let mut later = play.lines[play.next..].iter();
                    let later = later.position(|line| line.is(&asked));
                    let before = play.lines.iter().rposition(|line| line.is(&asked));
                    later.map(|at| play.next + at).or(before)
                }
            };
            play.asked.push(asked);
            at.map(|at| play.lines[at].clone())
        }
    };
    let Some(line) = line else {
        return unrecorded(&method, path);
    };
    let data = content_of(&line, path);
    response(line.status, &line.headers, data)
}

/// Whose token came. A user's is worth nothing without ours beside it, should it expire.
fn bearer(headers: &HeaderMap) -> Bearer {
    let has = |name: &str, token: &str| headers.get(name).is_some_and(|found| found == token);
    if has("x-auth-token", USER_TOKEN) {
        assert!(has("x-service-token", OWN_TOKEN), "{headers:?}");
        return Bearer::User;
    }
    assert!(!headers.contains_key("x-service-token"), "{headers:?}");
    Bearer::Service
}

/// What is answered to what Ironic does not ask.
fn unrecorded(method: &Method, path: &str) -> Response<Body> {
    match (method.as_str(), path) {
        ("DELETE", _) => response(204, &[], Vec::new()),
        ("PUT", path) if path.starts_with("/v1/AUTH_") => response(201, &[], Vec::new()),
        ("GET", "/info") => {
            let digests = json!({"tempurl": {"allowed_digests": ["sha1", "sha256", "sha512"]}});
            response(200, &[], digests.to_string().into_bytes())
        }
        _ => response(
            404,
            &[],
            format!("Ironic does not ask {method} {path}").into(),
        ),
    }
}

/// What a line answers. Contents of images are made up, and their checksums with them.
fn content_of(line: &Line, path: &str) -> Vec<u8> {
    let image = path.strip_prefix("/v2/images/");
    let file = image.and_then(|rest| rest.strip_suffix("/file"));
    if let (Some(id), 200, None | Some(Value::Object(_))) = (file, line.status, &line.answer) {
        return bytes_of(id);
    }
    match (image, &line.answer) {
        (Some(id), Some(Value::Object(answer))) => {
            let mut answer = answer.clone();
            if answer.get("size").is_some_and(Value::is_u64) {
                let bytes = bytes_of(id);
                answer.insert("size".into(), bytes.len().into());
                answer.insert("checksum".into(), Value::Null);
                let hash = hex::encode(digest(&SHA512, &bytes).as_ref());
                answer.insert("os_hash_value".into(), hash.into());
            }
            Value::Object(answer).to_string().into_bytes()
        }
        (_, Some(Value::String(text))) => text.clone().into_bytes(),
        (_, Some(answer)) => answer.to_string().into_bytes(),
        (_, None) => Vec::new(),
    }
}

fn bytes_of(id: &str) -> Vec<u8> {
    format!("the bytes of {id}, and more of them ")
        .repeat(1000)
        .into_bytes()
}

fn response(status: u16, headers: &[(String, String)], body: Vec<u8>) -> Response<Body> {
    let mut response = Response::builder().status(match status {
        // A connection that was closed.
        0 => 502,
        status => status,
    });
    for (key, value) in headers {
        response = response.header(key, value);
    }
    response.body(Body::from(body)).unwrap()
}

fn login(url: &str) -> Response<Body> {
    let service = |kind: &str, path: &str| {
        let endpoint = json!({
            "interface": "internal", "region": "RegionOne", "region_id": "RegionOne",
            "url": format!("{url}{path}"),
        });
        json!({"type": kind, "name": kind, "endpoints": [endpoint]})
    };
    let issued = Timestamp::now();
    let body = json!({"token": {
        "issued_at": issued.zulu(), "expires_at": issued.plus_seconds(3600).zulu(),
        "project": {"id": PROJECT, "name": "service"},
        "catalog": [
            service("image", "/image"),
            service("block-storage", "/volume/v3"),
            service("network", "/network"),
            service("compute", "/compute/v2.1"),
            service("object-store", &format!("/v1/AUTH_{PROJECT}")),
            service("baremetal", "/baremetal"),
        ],
    }});
    let token = [("x-subject-token".to_owned(), OWN_TOKEN.to_owned())];
    response(201, &token, body.to_string().into_bytes())
}
