//! The two that are asked: Ironic, over HTTP, and this service, without a socket.

use super::{
    difference::Answer,
    request::{Read, Verb, answered_version},
    tally::Tally,
};
use anyhow::Context;
use api::ApiState;
use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
};
use reqwest::{Client, ClientBuilder, Url};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;

/// Larger answers are not compared.
pub(crate) const LARGEST: usize = 8 << 20;
/// How long Ironic may take for an answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// So many questions are under way at a time.
const AT_ONCE: usize = 4;
/// Where the service believes to be asked.
const HOST: &str = "127.0.0.1";

/// Why there is nothing to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    Unreachable,
    TooLarge,
}

/// What Ironic answered.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Taken {
    /// The version to ask this service in: what is latest differs between releases.
    pub(crate) fn version(&self, read: &Read) -> Option<String> {
        match read.version.as_deref() {
            Some("latest") => answered_version(&self.headers),
            version => version.map(str::to_owned),
        }
    }
}

/// The Ironic whose copy is shown.
pub(crate) struct Ironic {
    client: Client,
    /// Without a slash at its end.
    pub(crate) url: String,
    /// What stands before `/v1` in its links.
    prefix: String,
    room: Semaphore,
    tally: Arc<Tally>,
}

impl std::fmt::Debug for Ironic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ironic")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// The address of an API, without a slash at its end.
pub(crate) fn address(url: &str) -> anyhow::Result<Url> {
    let url: Url = url.parse().context("--of: not a URL")?;
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    anyhow::ensure!(
        matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain,
        "--of: expected the address of Ironic's API, such as http://10.0.0.1:6385"
    );
    Ok(url)
}

/// How clients of Ironic begin.
pub(crate) async fn client(url: &str) -> anyhow::Result<ClientBuilder> {
    let trust = match url.starts_with("https:") {
        true => tls::Trust::Machine,
        false => tls::Trust::Nobody,
    };
    let tls = tls::Client {
        trust,
        certificate: None,
    };
    Ok(outbound::client_for(url)
        .tls_backend_preconfigured(tls.load().await?)
        .connect_timeout(CONNECT))
}

impl Ironic {
    pub(crate) async fn find(url: &Url, tally: Arc<Tally>) -> anyhow::Result<Self> {
        let url = url.as_str().trim_end_matches('/').to_owned();
        let mut ironic = Self {
            client: client(&url).await?.build()?,
            prefix: path_of(&url).to_owned(),
            url,
            room: Semaphore::new(AT_ONCE),
            tally,
        };
        let root = ironic.send("/", HeaderMap::new(), Verb::Get).await;
        let root = root
            .ok()
            .with_context(|| format!("no Ironic answers at {}", ironic.url))?;
        let root: serde_json::Value = serde_json::from_slice(&root.body).unwrap_or_default();
        let link = &root["default_version"]["links"][0]["href"];
        let link = link.as_str().with_context(|| {
            format!("{} answers, but not as the API of Ironic does", ironic.url)
        })?;
        let path = path_of(link).trim_end_matches('/');
        ironic.prefix = path.strip_suffix("/v1").unwrap_or(path).to_owned();
        Ok(ironic)
    }

    async fn send(&self, target: &str, headers: HeaderMap, verb: Verb) -> Result<Taken, NoAnswer> {
        let _room = self
            .room
            .acquire()
            .await
            .map_err(|_| NoAnswer::Unreachable)?;
        let began = Instant::now();
        let method = match verb {
            Verb::Get => reqwest::Method::GET,
            Verb::Head => reqwest::Method::HEAD,
        };
        let request = self.client.request(method, format!("{}{target}", self.url));
        let request = request.headers(headers).timeout(PATIENCE);
        let taken = async {
            let mut response = request.send().await.map_err(|_| NoAnswer::Unreachable)?;
            let mut body = Vec::new();
            while let Some(piece) = response.chunk().await.map_err(|_| NoAnswer::Unreachable)? {
                if body.len() + piece.len() > LARGEST {
                    return Err(NoAnswer::TooLarge);
                }
                body.extend_from_slice(&piece);
            }
            Ok(Taken {
                status: response.status().as_u16(),
                headers: response.headers().clone(),
                body: body.into(),
            })
        };
        let taken = taken.await;
        self.tally.asked_ironic(began.elapsed());
        taken
    }

    pub(crate) async fn ask(&self, read: &Read) -> Result<Taken, NoAnswer> {
        let headers = read.headers(read.version.as_deref(), true);
        self.send(&read.target, headers, read.verb).await
    }

    /// What counts of an answer of Ironic.
    pub(crate) fn answer(&self, taken: &Taken) -> Result<Answer, NoAnswer> {
        let answer = Answer::new(taken.status, &taken.body, &self.prefix);
        answer.map_err(|_| NoAnswer::TooLarge)
    }
}

/// What stands behind the host.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/')
        .and_then(|at| rest.get(at..))
        .unwrap_or_default()
}

/// This service, asked in the name of whoever asked Ironic.
pub(crate) struct Here {
    state: ApiState,
    /// Whether callers are told apart by their tokens.
    takes_tokens: bool,
}

impl std::fmt::Debug for Here {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Here").finish_non_exhaustive()
    }
}

impl Here {
    pub(crate) fn new(state: ApiState, takes_tokens: bool) -> Self {
        Self {
            state,
            takes_tokens,
        }
    }

    pub(crate) async fn ask(&self, read: &Read, version: Option<&str>) -> Result<Answer, NoAnswer> {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = match read.verb {
            Verb::Get => axum::http::Method::GET,
            Verb::Head => axum::http::Method::HEAD,
        };
        *request.uri_mut() = read.target.parse().map_err(|_| NoAnswer::Unreachable)?;
        *request.headers_mut() = read.headers(version, self.takes_tokens);
        let host = HeaderValue::from_static(HOST);
        request.headers_mut().insert(header::HOST, host);
        let (parts, body) = api::respond(self.state.clone(), request).await.into_parts();
        if parts.status == StatusCode::SERVICE_UNAVAILABLE {
            return Err(NoAnswer::Unreachable);
        }
        let body = to_bytes(body, LARGEST)
            .await
            .map_err(|_| NoAnswer::TooLarge)?;
        let answer = Answer::new(parts.status.as_u16(), &body, "");
        answer.map_err(|_| NoAnswer::TooLarge)
    }

    /// Rows were replaced.
    pub(crate) async fn forget(&self) {
        self.state.rows_were_replaced().await;
    }
}
