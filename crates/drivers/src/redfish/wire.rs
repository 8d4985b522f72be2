//! One exchange with a Redfish service: a request, and its answer.
//!
//! Every exchange passes through [`Wire::exchange`], whoever it is for. It knows nothing of
//! sessions or retries: it sends once, reads no more than it must, and says what went wrong in a
//! way that tells whether the request can have arrived.
//!
//! Redirects are not followed, since a password must not travel to a host that nobody named; the
//! one exception is the same path with or without a slash at its end, which some services insist
//! on.

use super::{
    address::Origin,
    info::{Login, Tls},
    tls,
};
use crate::{
    DriverError,
    answer::{AnswerError, Arriving},
    error::Variant,
};
use ::tls::{TlsError, Trust};
use bytes::Bytes;
use outbound::Policy;
use reqwest::{
    Method, RequestBuilder, Response,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use std::{
    collections::HashMap,
    error::Error,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};
use types::{JsonMap, memory_budget::Claim};

/// More than any resource has; attribute registries have a few megabytes.
const LARGEST_RESOURCE: usize = 8 * 1024 * 1024;
/// More than anything else that is answered has: complaints, and what became of a request.
const LARGEST_ANSWER: usize = 1024 * 1024;

/// BMCs have few connections, and often forget to tell that they closed one.
const IDLE_CONNECTION: Duration = Duration::from_secs(2);

/// Ways to speak TLS that are kept ready; nodes can name as many as they like.
const MOST_CLIENTS: usize = 256;

/// Who is asking.
#[derive(Debug, Clone, Copy)]
pub enum Ticket<'a> {
    Nobody,
    Password(&'a Login),
    Token(&'a HeaderValue),
}

/// A request.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    pub method: Method,
    pub path: &'a str,
    pub body: Option<&'a JsonMap>,
    pub ticket: Ticket<'a>,
    pub if_match: Option<&'a str>,
    /// Whether the answer must come as it is; a few services refuse that.
    pub identity: bool,
    /// How long an answer may take at most, where that is less than usual.
    pub limit: Option<Duration>,
}

/// An answer, be it good or bad.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The memory that it takes.
    _claims: Arc<Vec<Claim>>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// How long the service wants to be left alone, if it says so in seconds.
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds = self.header("retry-after")?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds))
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The request has not been sent.
    #[error("{0}")]
    Unsent(String),
    /// Nobody knows whether the request arrived.
    #[error("{0}")]
    Lost(String),
    /// Trying again would come to the same.
    #[error("{0}")]
    Wrong(String),
}

impl WireError {
    /// What it means for whoever asked.
    pub fn variant(&self) -> Variant {
        match self {
            Self::Unsent(_) | Self::Lost(_) => DriverError::Unreachable,
            Self::Wrong(_) => DriverError::Protocol,
        }
    }
}

impl From<TlsError> for WireError {
    fn from(error: TlsError) -> Self {
        if let TlsError::Unusable { path, reason } = &error {
            tracing::warn!(path, reason, "authorities that a node names cannot be read");
        }
        Self::Wrong(error.to_string())
    }
}

/// The HTTP clients, one for each way to speak TLS.
#[derive(Debug)]
pub struct Wire {
    connect: Duration,
    read: Duration,
    /// Where services may be.
    outbound: Policy,
    /// The key of `driver_info` that says whom to trust.
    verify_key: &'static str,
    clients: Mutex<HashMap<ClientKey, Kept>>,
}

#[derive(Debug)]
struct Kept {
    client: reqwest::Client,
    used: Instant,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ClientKey {
    /// `None` where nothing is encrypted.
    tls: Option<Tls>,
    is_loopback: bool,
    /// Whether something of ours listens on the port.
    own_port: bool,
    /// When the file of authorities was written, so that a new one is read.
    written: Option<SystemTime>,
}

impl Wire {
    pub fn new(connect: Duration, read: Duration, outbound: Policy) -> Self {
        Self {
            connect,
            read,
            outbound,
            verify_key: "redfish_verify_ca",
            clients: Mutex::default(),
        }
    }

    /// The same for nodes that say by another key whom to trust.
    pub(crate) fn with_verify_key(self, verify_key: &'static str) -> Self {
        Self { verify_key, ..self }
    }

    pub async fn exchange(
        &self,
        origin: &Origin,
        tls: &Tls,
        ask: &Ask<'_>,
    ) -> Result<Answer, WireError> {
        let answer = self.send(origin, tls, ask, ask.path).await?;
        match slashed(origin, ask, &answer)? {
            Some(path) => self.send(origin, tls, ask, &path).await,
            None => Ok(answer),
        }
    }

    async fn send(
        &self,
        origin: &Origin,
        tls: &Tls,
        ask: &Ask<'_>,
        path: &str,
    ) -> Result<Answer, WireError> {
        let usual = self.connect + self.read;
        let limit = ask.limit.map_or(usual, |limit| limit.min(usual));
        let request = self.begin(origin, tls, &ask.method, path).await?;
        let mut request = request
            .timeout(limit)
            .header("OData-Version", "4.0")
            .header("Accept", "application/json");
        if ask.identity {
            request = request.header("Accept-Encoding", "identity");
        }
        request = match ask.ticket {
            Ticket::Nobody => request,
            Ticket::Password(login) => request.basic_auth(&login.user, Some(&login.password)),
            Ticket::Token(token) => {
                request.header(HeaderName::from_static("x-auth-token"), token.clone())
            }
        };
        if let Some(etag) = ask.if_match {
            request = request.header("If-Match", etag);
        }
        if let Some(body) = ask.body {
            request = request.json(body);
        }
        let response = request.send().await;
        let response = response.map_err(|error| self.why(error, limit))?;
        let is_resource = ask.method == Method::GET && response.status().is_success();
        let largest = if is_resource {
            LARGEST_RESOURCE
        } else {
            LARGEST_ANSWER
        };
        self.read(response, largest, limit).await
    }

    async fn begin(
        &self,
        origin: &Origin,
        tls: &Tls,
        method: &Method,
        path: &str,
    ) -> Result<RequestBuilder, WireError> {
        let url = origin
            .url(path)
            .ok_or_else(|| WireError::Wrong(format!("{path} is no path")))?;
        if let Err(refused) = self.outbound.check(&url) {
            return Err(WireError::Wrong(refused.to_string()));
        }
        let client = self.client(origin, tls, self.outbound.is_own_port(&url));
        Ok(client.await?.request(method.clone(), url))
    }

    /// Sends what is no request of Redfish; `dress` gives it its headers and its body. Nothing that
    /// redirects is followed.
    pub(crate) async fn other(
        &self,
        origin: &Origin,
        tls: &Tls,
        method: &Method,
        path: &str,
        dress: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Answer, WireError> {
        let limit = self.connect + self.read;
        let request = self.begin(origin, tls, method, path).await?;
        let response = dress(request.timeout(limit)).send().await;
        let response = response.map_err(|error| self.why(error, limit))?;
        self.read(response, LARGEST_ANSWER, limit).await
    }

    async fn read(
        &self,
        mut response: Response,
        largest: usize,
        limit: Duration,
    ) -> Result<Answer, WireError> {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        if headers
            .get("content-encoding")
            .is_some_and(|encoding| encoding != "identity")
        {
            let text = "its answer is compressed, which was not asked for";
            return Err(WireError::Wrong(text.into()));
        }
        let refused = |error: AnswerError| match error {
            // What others use now is free again later.
            AnswerError::NoMemory => WireError::Lost(error.to_string()),
            _ => WireError::Wrong(format!("its answer is refused: {error}")),
        };
        let mut arriving = Arriving::new(largest);
        loop {
            let piece = arriving.piece(response.chunk()).await.map_err(refused)?;
            let Some(piece) = piece.map_err(|error| self.why(error, limit))? else {
                break;
            };
            arriving.add(&piece).await.map_err(refused)?;
        }
        let arrived = arriving.finish();
        Ok(Answer {
            status,
            headers,
            body: arrived.bytes,
            _claims: Arc::new(arrived.claims),
        })
    }

    /// The client for a way to speak TLS. Files of authorities are read when they are new, and not
    /// while others wait for a lock.
    async fn client(
        &self,
        origin: &Origin,
        tls: &Tls,
        own_port: bool,
    ) -> Result<reqwest::Client, WireError> {
        let tls = origin.is_secure().then_some(tls);
        let key = ClientKey {
            tls: tls.cloned(),
            is_loopback: outbound::is_loopback(origin.host()),
            own_port,
            written: match tls {
                Some(tls) => tls.verify.written().await?,
                None => None,
            },
        };
        if let Some(client) = self.kept(&key) {
            return Ok(client);
        }
        let setup = match tls {
            Some(tls) => tls::load(tls).await?,
            None => {
                tls::load(&Tls {
                    verify: Trust::Nobody,
                    minimum: None,
                    ciphers: None,
                })
                .await?
            }
        };
        let builder = match key.is_loopback {
            true => outbound::client(),
            false => outbound::client_by_proxy(),
        };
        let builder = builder
            .connect_timeout(self.connect)
            .pool_idle_timeout(IDLE_CONNECTION)
            .pool_max_idle_per_host(1)
            .tls_backend_preconfigured(setup);
        let client = self
            .outbound
            .guard(builder, own_port)
            .build()
            .map_err(|error| WireError::Wrong(format!("HTTP cannot be set up: {error}")))?;
        self.keep(key, &client);
        Ok(client)
    }

    fn kept(&self, key: &ClientKey) -> Option<reqwest::Client> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = clients.get_mut(key)?;
        kept.used = Instant::now();
        Some(kept.client.clone())
    }

    fn keep(&self, key: ClientKey, client: &reqwest::Client) {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        // An earlier state of the same file is of no more use.
        let aspects = |key: &ClientKey| (key.tls.clone(), key.is_loopback, key.own_port);
        clients.retain(|known, _| aspects(known) != aspects(&key));
        if clients.len() >= MOST_CLIENTS {
            let oldest = clients.iter().min_by_key(|(_, kept)| kept.used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                clients.remove(&oldest);
            }
        }
        let kept = Kept {
            client: client.clone(),
            used: Instant::now(),
        };
        clients.insert(key, kept);
    }

    fn why(&self, error: reqwest::Error, limit: Duration) -> WireError {
        if let Some(refused) = outbound::refusal(&error) {
            return WireError::Wrong(refused.to_string());
        }
        let (is_connect, is_timeout) = (error.is_connect(), error.is_timeout());
        let error = error.without_url();
        if let Some(cause) = ::tls::failure(&error) {
            return WireError::Wrong(tls_failed(cause, self.verify_key));
        }
        match (is_connect, is_timeout) {
            (true, true) => WireError::Unsent(format!(
                "no connection within {} s",
                self.connect.min(limit).as_secs_f32()
            )),
            (true, false) => WireError::Unsent(root_cause(&error)),
            (false, true) => WireError::Lost(format!("no answer within {} s", limit.as_secs_f32())),
            (false, false) => {
                WireError::Lost(format!("the answer breaks off: {}", root_cause(&error)))
            }
        }
    }
}

/// Where an answer sends us, if that is the same place; an error if it is another.
fn slashed(origin: &Origin, ask: &Ask<'_>, answer: &Answer) -> Result<Option<String>, WireError> {
    if !(300..400).contains(&answer.status) || answer.status == 304 {
        return Ok(None);
    }
    let location = answer.header("location").unwrap_or_default();
    let path = origin.path(location);
    let is_same = |path: &String| path.trim_end_matches('/') == ask.path.trim_end_matches('/');
    match path.filter(is_same) {
        Some(path) if ask.method == Method::GET && path != ask.path => Ok(Some(path)),
        _ => Err(WireError::Wrong(format!(
            "it redirects {} {} elsewhere, which is not followed",
            ask.method, ask.path
        ))),
    }
}

/// What TLS complains about, and what to do where the certificate is the reason: most BMCs come with
/// one that they have signed themselves.
fn tls_failed(error: &rustls::Error, key: &str) -> String {
    let certificate = format!(
        "; set {key} in driver_info to a file or directory on the conductor with the certificate \
         that signed the BMC's (or with the BMC's own), or to False to accept any certificate"
    );
    let advice = ::tls::advice(error, &certificate);
    format!("TLS failed: {error}{advice}")
}

/// The last of a chain of causes, which is the one that says something.
fn root_cause(error: &dyn Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

#[cfg(test)]
#[path = "wire/tests.rs"]
mod tests;
