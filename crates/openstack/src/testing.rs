//! A cloud in this process: a Keystone whose catalogue leads to scripted services on the same
//! socket, and the faults that real ones have.

use crate::{Deadline, Secret, ServiceSettings, Services, ServicesSettings, login::AuthOptions};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    HeaderMap, Request, Response, body::Frame, body::Incoming, server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};

pub(crate) const PROJECT: &str = "d5f20490ecac44f0a2a8d3c3ac15d86a";
pub(crate) const PASSWORD: &str = "hunter2";

/// A request that arrived.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) method: String,
    /// With the query.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// How many requests of this method and path came before.
    pub(crate) earlier: usize,
}

impl Received {
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Answer {
        status: u16,
        headers: Vec<(&'static str, String)>,
        body: Bytes,
    },
    /// The connection is closed without an answer.
    Closed,
    /// Nothing ever comes.
    Silence,
    /// Another reply, when it is let go.
    Held(Arc<Notify>, Box<Reply>),
    /// Data without end.
    Endless,
    /// Fewer bytes than announced, and then the connection is closed.
    CutOff { announced: usize, body: Bytes },
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", &body.to_string())
    }

    pub(crate) fn text(status: u16, content_type: &str, body: &str) -> Self {
        Self::Answer {
            status,
            headers: vec![("content-type", content_type.to_owned())],
            body: Bytes::from(body.to_owned()),
        }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::Answer {
            status,
            headers: Vec::new(),
            body: Bytes::new(),
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }
}

type Script = dyn Fn(&Received) -> Reply + Send + Sync;

/// Keystone and all services.
pub(crate) struct Cloud {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
    accepting: JoinHandle<()>,
    /// How many seconds tokens last.
    pub(crate) lifetime: Arc<AtomicU64>,
}

impl Drop for Cloud {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Cloud {
    /// Every request but logins is answered by the script; logins too, if it answers them by
    /// anything but 599.
    pub(crate) async fn start(script: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let lifetime = Arc::new(AtomicU64::new(3600));
        let script: Arc<Script> = Arc::new(script);
        let shared = (url.clone(), Arc::clone(&received), Arc::clone(&lifetime));
        let accepting = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    return;
                };
                let (script, shared) = (Arc::clone(&script), shared.clone());
                tokio::spawn(async move {
                    let service = service_fn(move |request| {
                        answer(request, Arc::clone(&script), shared.clone())
                    });
                    let connection = http1::Builder::new();
                    let served = connection.serve_connection(TokioIo::new(stream), service);
                    // Scripts close connections on purpose.
                    let _ = served.await;
                });
            }
        });
        Self {
            url,
            received,
            accepting,
            lifetime,
        }
    }

    /// A section that logs in here.
    pub(crate) fn section(&self) -> ServiceSettings {
        ServiceSettings {
            auth: AuthOptions {
                auth_type: Some("password".into()),
                auth_url: Some(self.url.clone()),
                username: Some("ironic".into()),
                password: Some(Secret::from(PASSWORD)),
                project_name: Some("service".into()),
                ..AuthOptions::default()
            },
            connect_retry_delay: Some(Duration::from_millis(1)),
            status_code_retry_delay: Some(Duration::from_millis(1)),
            ..ServiceSettings::default()
        }
    }

    pub(crate) fn services(&self) -> Services {
        services(&self.section())
    }

    /// Requests that arrived, as lines; logins left out.
    pub(crate) fn lines(&self) -> Vec<String> {
        let received = self.received();
        let calls = received.iter().filter(|request| !is_login(request));
        calls.map(Received::line).collect()
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn logins(&self) -> usize {
        self.received().iter().filter(|one| is_login(one)).count()
    }

    /// The last request that was not a login.
    pub(crate) fn last(&self) -> Received {
        let received = self.received();
        let mut calls = received.into_iter().filter(|request| !is_login(request));
        calls.next_back().unwrap()
    }
}

/// The same section for every service.
pub(crate) fn services(section: &ServiceSettings) -> Services {
    Services::from_settings(&ServicesSettings {
        glance: section.clone(),
        swift: section.clone(),
        neutron: section.clone(),
        cinder: section.clone(),
        nova: section.clone(),
        service_catalog: section.clone(),
        keystone_authtoken: section.clone(),
    })
    .unwrap()
}

pub(crate) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

fn is_login(request: &Received) -> bool {
    request.path == "/v3/auth/tokens"
}

/// The answer of a script that leaves a login to the cloud.
pub(crate) fn by_the_cloud() -> Reply {
    Reply::status(599)
}

async fn answer(
    request: Request<Incoming>,
    script: Arc<Script>,
    (url, received, lifetime): (String, Arc<Mutex<Vec<Received>>>, Arc<AtomicU64>),
) -> io::Result<Response<UnsyncBoxBody<Bytes, io::Error>>> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let request = {
        let mut all = received.lock().unwrap();
        let (method, path) = (parts.method.to_string(), parts.uri.to_string());
        let is_same = |one: &&Received| one.method == method && one.path == path;
        let request = Received {
            earlier: all.iter().filter(is_same).count(),
            method,
            path,
            headers: parts.headers,
            body,
        };
        all.push(request.clone());
        request
    };
    let mut reply = script(&request);
    while let Reply::Held(gate, then) = reply {
        gate.notified().await;
        reply = *then;
    }
    if is_login(&request) && matches!(reply, Reply::Answer { status: 599, .. }) {
        reply = login(&url, request.earlier, lifetime.load(Ordering::Relaxed));
    }
    let response = Response::builder();
    let announced = |bytes: Bytes| {
        Full::new(bytes)
            .map_err(|never| match never {})
            .boxed_unsync()
    };
    match reply {
        Reply::Answer {
            status,
            headers,
            body,
        } => {
            let mut response = response.status(status);
            for (name, value) in headers {
                response = response.header(name, value);
            }
            response.body(announced(body)).map_err(io::Error::other)
        }
        Reply::Closed => Err(io::Error::other("closed")),
        Reply::Silence | Reply::Held(..) => std::future::pending().await,
        Reply::Endless => {
            let piece = Bytes::from(vec![b' '; 1 << 16]);
            let pieces = stream::repeat(piece).map(|piece| Ok(Frame::data(piece)));
            let body = BodyExt::boxed_unsync(StreamBody::new(pieces));
            response.body(body).map_err(io::Error::other)
        }
        Reply::CutOff {
            announced: length,
            body,
        } => {
            let data = stream::iter([Ok(Frame::data(body))]);
            let cut = stream::once(async {
                // What was written before is sent while this waits.
                tokio::task::yield_now().await;
                Err(io::Error::other("cut off"))
            });
            let pieces = data.chain(cut);
            let body = BodyExt::boxed_unsync(StreamBody::new(pieces));
            response
                .header("content-length", length)
                .body(body)
                .map_err(io::Error::other)
        }
    }
}

fn login(url: &str, number: usize, lifetime: u64) -> Reply {
    let service = |service_type: &str, path: &str| {
        let endpoint = json!({
            "interface": "internal", "region": "RegionOne", "region_id": "RegionOne",
            "url": format!("{url}{path}"),
        });
        json!({"type": service_type, "name": service_type, "endpoints": [endpoint]})
    };
    let issued = types::Timestamp::now();
    let lifetime = i64::try_from(lifetime).unwrap();
    let body = json!({"token": {
        "issued_at": issued.zulu(),
        "expires_at": issued.plus_seconds(lifetime).zulu(),
        "project": {"id": PROJECT, "name": "service"},
        "catalog": [
            service("network", "/network"),
            service("image", "/image"),
            service("block-storage", &format!("/volume/v3/{PROJECT}")),
            service("object-store", &format!("/v1/AUTH_{PROJECT}")),
            service("compute", "/compute/v2.1"),
            service("baremetal", "/baremetal/"),
        ],
    }});
    Reply::json(201, &body).with("x-subject-token", format!("own-token-{number}"))
}
