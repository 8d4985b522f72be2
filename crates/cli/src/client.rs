//! Talking to the service: one request and its answer, the API version, and trying again.
//!
//! The newest version this client knows is asked for first; a service that does not know it says
//! which one it does, and that one is used from then on. A version somebody insists on is never
//! changed. Answers are kept as JSON values: what is printed is what the service sent.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::time::Duration;

use ::tls::Failure;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::Value;

use crate::console::{Notes, printable};
use crate::endpoint::keystone::Login;
use crate::endpoint::{Auth, Endpoint, Global, Tls};
use crate::error::Error;
use crate::tls;
use crate::version::ApiVersion;

const VERSION: &str = "x-openstack-ironic-api-version";
/// On a refusal that passes by itself, with the seconds to wait. Ironic has nothing of the kind.
const PASSES: &str = "x-corten-retry-after";
pub(crate) const NEWEST_VERSION: &str = "x-openstack-ironic-api-maximum-version";

/// A request that is answered in this process, and its answer.
pub type DirectRequest = reqwest::Request;
pub type DirectAnswer = reqwest::Response;

/// Answers requests in this process, in place of a service that is reached over HTTP.
pub type Direct = Box<dyn Fn(DirectRequest) -> Pin<Box<dyn Future<Output = DirectAnswer>>>>;

pub(crate) struct Client {
    http: reqwest::Client,
    direct: Option<Direct>,
    base: String,
    auth: RefCell<Auth>,
    /// How to get another token when the one we have is no longer good.
    login: Option<(Login, reqwest::Client)>,
    version: Cell<ApiVersion>,
    may_lower: Cell<bool>,
    max_retries: u32,
    retry_interval: Duration,
    notes: Notes,
}

/// A request to be made.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    method: Method,
    path: String,
    /// The node it is about, by the name it was given.
    node: Option<String>,
    query: Vec<(String, String)>,
    body: Option<Value>,
    accept: &'static str,
}

/// What is accepted unless a call says otherwise.
const JSON: &str = "application/json";
const EVENT_STREAM: &str = "text/event-stream";
/// The same request gets a document from a service that has no stream.
const STREAM_OR_JSON: &str = "text/event-stream, application/json;q=0.5";
/// No stream ends by time.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 86400);

/// What came to somebody who would have a stream.
pub(crate) enum Followed {
    Stream(reqwest::Response),
    Document(Value),
}

impl Call {
    /// A request about a resource of the bare metal API, named by the segments of its path.
    pub(crate) fn new(method: Method, segments: &[&str]) -> Result<Self, Error> {
        Self::under("/v1", method, segments)
    }

    /// A request about something of our own.
    pub(crate) fn own(method: Method, segments: &[&str]) -> Result<Self, Error> {
        Self::under("/corten/v1", method, segments)
    }

    pub(crate) fn get(segments: &[&str]) -> Result<Self, Error> {
        Self::new(Method::GET, segments)
    }

    fn under(prefix: &str, method: Method, segments: &[&str]) -> Result<Self, Error> {
        let mut path = prefix.to_owned();
        for segment in segments {
            path.push('/');
            path.push_str(&encoded(segment)?);
        }
        let node = match segments {
            ["nodes", node, ..] => Some((*node).to_owned()),
            _ => None,
        };
        Ok(Self {
            method,
            path,
            node,
            query: Vec::new(),
            body: None,
            accept: JSON,
        })
    }

    pub(crate) fn query(mut self, key: &str, value: impl ToString) -> Self {
        self.query.push((key.to_owned(), value.to_string()));
        self
    }

    pub(crate) fn query_if<V: ToString>(self, key: &str, value: Option<V>) -> Self {
        match value {
            Some(value) => self.query(key, value),
            None => self,
        }
    }

    /// Asks for these fields only; for all if there are none.
    pub(crate) fn fields<S: AsRef<str>>(self, fields: &[S]) -> Self {
        let joined = fields
            .iter()
            .map(AsRef::as_ref)
            .collect::<Vec<&str>>()
            .join(",");
        self.query_if("fields", (!fields.is_empty()).then_some(joined))
    }

    pub(crate) fn body(mut self, body: impl Into<Value>) -> Self {
        self.body = Some(body.into());
        self
    }

    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    pub(crate) fn sent(&self) -> Option<&Value> {
        self.body.as_ref()
    }

    /// The same request for the page that a link leads to.
    pub(crate) fn at(self, link: &str) -> Option<Self> {
        let (path, query) = next_page(link)?;
        Some(Self {
            path,
            query,
            ..self
        })
    }
}

/// A name as one segment of a path. Names come from the command line, and one like `../chassis`
/// must not end up as a request about something else.
fn encoded(segment: &str) -> Result<String, Error> {
    if matches!(segment, "" | "." | "..") {
        return Err(Error::usage(format!("'{segment}' is no name")));
    }
    let mut encoded = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b':' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    Ok(encoded)
}

impl Client {
    pub(crate) async fn new(
        endpoint: Endpoint,
        global: &Global,
        notes: Notes,
    ) -> Result<Self, Error> {
        let tls = &endpoint.tls;
        let (base, auth, login) = match (endpoint.auth, endpoint.address) {
            (Auth::Keystone(login), address) => {
                let http = tls::http_client(login.url(), tls)?;
                let entry = login.enter(&http).await?;
                let base = match address {
                    Some(address) => address,
                    None => login.find(&entry)?,
                };
                (base, Auth::Token(entry.token), Some((*login, http)))
            }
            (auth, address) => (address.unwrap_or_default(), auth, None),
        };
        Ok(Self {
            http: tls::http_client(&base, tls)?,
            direct: None,
            base,
            auth: RefCell::new(auth),
            login,
            version: Cell::new(endpoint.version.unwrap_or(ApiVersion::NEWEST)),
            may_lower: Cell::new(endpoint.version.is_none()),
            max_retries: global.max_retries,
            retry_interval: Duration::from_secs(global.retry_interval.into()),
            notes,
        })
    }

    /// A client whose requests are answered in this process.
    pub(crate) fn direct(direct: Direct, notes: Notes) -> Result<Self, Error> {
        let base = "http://localhost".to_owned();
        Ok(Self {
            http: tls::http_client(&base, &Tls::default())?,
            direct: Some(direct),
            base,
            auth: RefCell::new(Auth::None),
            login: None,
            version: Cell::new(ApiVersion::NEWEST),
            may_lower: Cell::new(true),
            max_retries: 0,
            retry_interval: Duration::ZERO,
            notes,
        })
    }

    /// Makes a request, again if what stands in its way may pass. An answer without a body is
    /// `null`.
    pub(crate) async fn send(&self, call: &Call) -> Result<Value, Error> {
        let mut tries = 0;
        let mut said = String::new();
        loop {
            let outcome = match self.send_once(call).await {
                Err(error) => Err(self.judged(call, error).await),
                done => done,
            };
            match outcome {
                Err(error) if error.may_pass() && tries < self.max_retries => {
                    tries += 1;
                    if said != error.message() {
                        error.message().clone_into(&mut said);
                        self.notes.say(&printable(&said));
                    }
                    self.notes
                        .say(&format!("trying again ({tries} of {})", self.max_retries));
                    self.pause().await;
                }
                other => return other,
            }
        }
    }

    /// A conflict that passes, told apart from one that stays. Corten says which it is in
    /// a header; of Ironic, which has one status for both, the node's reservation is asked.
    async fn judged(&self, call: &Call, error: Error) -> Error {
        let Some(node) = call.node.as_deref().filter(|_| error.status() == Some(409)) else {
            return error;
        };
        if error.may_pass() {
            return error;
        }
        let Ok(reservation) = Call::get(&["nodes", node]) else {
            return error;
        };
        let answer = self.send_once(&reservation.fields(&["reservation"])).await;
        match answer
            .ok()
            .as_ref()
            .and_then(|node| node.get("reservation"))
        {
            Some(Value::String(_)) => error.passing(),
            _ => error,
        }
    }

    /// Leaves the service alone for as long as was asked for between two tries.
    pub(crate) async fn pause(&self) {
        tokio::time::sleep(self.retry_interval).await;
    }

    /// Makes a request, once.
    pub(crate) async fn send_once(&self, call: &Call) -> Result<Value, Error> {
        let response = self.respond(call).await?;
        self.document(response).await
    }

    /// Makes a request, once, whose answer may be a stream.
    pub(crate) async fn follow(&self, call: &Call) -> Result<Followed, Error> {
        let call = Call {
            accept: STREAM_OR_JSON,
            ..call.clone()
        };
        let answered = async {
            let response = self.respond(&call).await?;
            let kind = response.headers().get("content-type");
            let kind = kind.and_then(|kind| kind.to_str().ok());
            if kind.is_some_and(|kind| kind.starts_with(EVENT_STREAM)) {
                return Ok(Followed::Stream(response));
            }
            self.document(response).await.map(Followed::Document)
        };
        // Only a stream may take for ever.
        let limited = tokio::time::timeout(tls::PATIENCE, answered).await;
        limited.unwrap_or_else(|_| {
            let text = format!("cannot reach {}: no answer in time", self.base);
            Err(Error::unreachable(text))
        })
    }

    /// Whatever the service answers, refusals included; only a token that has ended is renewed.
    pub(crate) async fn answer(&self, call: &Call) -> Result<reqwest::Response, Error> {
        let response = self.exchange(call).await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let Some((login, http)) = &self.login
        {
            // Tokens end, and a command that waits may outlive its own.
            let entry = login.enter(http).await?;
            self.auth.replace(Auth::Token(entry.token));
            return self.exchange(call).await;
        }
        Ok(response)
    }

    /// Speaks this version from now on.
    pub(crate) fn speak(&self, version: ApiVersion) {
        self.version.set(version);
    }

    pub(crate) fn has_token(&self) -> bool {
        matches!(*self.auth.borrow(), Auth::Token(_))
    }

    pub(crate) fn version(&self) -> ApiVersion {
        self.version.get()
    }

    /// An answer that is none of refusal, whose body has still to come.
    async fn respond(&self, call: &Call) -> Result<reqwest::Response, Error> {
        let mut response = self.answer(call).await?;
        if response.status() == StatusCode::NOT_ACCEPTABLE && self.lower_version(response.headers())
        {
            response = self.exchange(call).await?;
        }
        let status = response.status();
        if status.is_redirection() {
            let place = response.headers().get("location");
            let place = place.and_then(|place| place.to_str().ok());
            return Err(Error::failed(format!(
                "{} sends us on to {}; name the right address with --os-endpoint",
                self.base,
                place.unwrap_or("nowhere")
            )));
        }
        if !status.is_success() {
            let passes = response.headers().contains_key(PASSES);
            let body = response.bytes().await;
            let body = body.map_err(|error| self.no_answer(&error))?;
            let error = Error::refused(status.as_u16(), &body);
            return Err(if passes { error.passing() } else { error });
        }
        Ok(response)
    }

    async fn document(&self, response: reqwest::Response) -> Result<Value, Error> {
        let body = response.bytes().await;
        let body = body.map_err(|error| self.no_answer(&error))?;
        if body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&body).map_err(|error| {
            Error::failed(format!("{} does not answer in JSON: {error}", self.base))
                .with_hint("is this the address of a bare metal service?")
        })
    }

    /// Everything in a collection, page by page. Without a limit that is what the service gives
    /// in one page, as the stock client has it, with a remark if there is more; zero is no limit.
    pub(crate) async fn list(
        &self,
        call: &Call,
        key: &str,
        limit: Option<usize>,
    ) -> Result<Vec<Value>, Error> {
        let mut items = Vec::new();
        let mut page = call
            .clone()
            .query_if("limit", limit.filter(|&limit| limit > 0));
        loop {
            let mut answer = self.send(&page).await?;
            let Some(Value::Array(found)) = answer.get_mut(key).map(Value::take) else {
                return Err(Error::failed(format!(
                    "{} sent a list without {key}",
                    self.base
                )));
            };
            items.extend(found);
            let next = answer
                .get("next")
                .and_then(Value::as_str)
                .and_then(next_page);
            match (next, limit) {
                (None, _) => return Ok(items),
                (Some(_), None) => {
                    let many = items.len();
                    self.notes.say(&format!(
                        "these are the first {many}; --limit 0 gets all of them"
                    ));
                    return Ok(items);
                }
                (Some(_), Some(limit)) if limit > 0 && items.len() >= limit => {
                    items.truncate(limit);
                    return Ok(items);
                }
                (Some((path, query)), Some(_)) => {
                    page = Call {
                        path,
                        query,
                        ..page
                    }
                }
            }
        }
    }

    /// Makes a request whose connection becomes a WebSocket.
    pub(crate) async fn upgrade(&self, call: &Call) -> Result<reqwest::Upgraded, Error> {
        let mut response = self.knock(call).await?;
        if response.status() == StatusCode::UNAUTHORIZED
            && let Some((login, http)) = &self.login
        {
            let entry = login.enter(http).await?;
            self.auth.replace(Auth::Token(entry.token));
            response = self.knock(call).await?;
        }
        let status = response.status();
        if status != StatusCode::SWITCHING_PROTOCOLS {
            let body = response.bytes().await;
            let body = body.map_err(|error| self.no_answer(&error))?;
            return Err(Error::refused(status.as_u16(), &body));
        }
        let upgraded = response.upgrade().await;
        upgraded.map_err(|error| self.no_answer(&error))
    }

    /// The first request of a WebSocket. The key is there for servers and caches between that do
    /// not know what they are asked; the status tells us apart from those.
    async fn knock(&self, call: &Call) -> Result<reqwest::Response, Error> {
        let mut key = [0; 16];
        rustls::crypto::ring::default_provider()
            .secure_random
            .fill(&mut key)
            .map_err(|_| Error::failed("there is no randomness to be had"))?;
        let request = self.request(call)?;
        request
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", BASE64_STANDARD.encode(key))
            .send()
            .await
            .map_err(|error| self.no_answer(&error))
    }

    async fn exchange(&self, call: &Call) -> Result<reqwest::Response, Error> {
        let request = self.request(call)?;
        if let Some(direct) = &self.direct {
            let request = request.build().map_err(|error| self.no_answer(&error))?;
            return Ok(direct(request).await);
        }
        let response = request.send().await;
        response.map_err(|error| self.no_answer(&error))
    }

    /// The address that a request goes to.
    pub(crate) fn url(&self, call: &Call) -> Result<reqwest::Url, Error> {
        let mut url = reqwest::Url::parse(&format!("{}{}", self.base, call.path))
            .map_err(|error| Error::usage(format!("{}{}: {error}", self.base, call.path)))?;
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&call.query);
        }
        Ok(url)
    }

    /// A request with all that every request has.
    fn request(&self, call: &Call) -> Result<reqwest::RequestBuilder, Error> {
        let mut request = self
            .http
            .request(call.method.clone(), self.url(call)?)
            .header("accept", call.accept)
            .header(VERSION, self.version.get().to_string());
        request = match &*self.auth.borrow() {
            Auth::None | Auth::Keystone(_) => request,
            Auth::Basic { username, password } => {
                request.basic_auth(username, Some(password.reveal()))
            }
            Auth::Token(token) => {
                let mut value = HeaderValue::from_str(token.reveal())
                    .map_err(|_| Error::usage("the token has characters no token has"))?;
                value.set_sensitive(true);
                request.header("x-auth-token", value)
            }
        };
        if call.accept == STREAM_OR_JSON {
            request = request.timeout(FOREVER);
        }
        if let Some(body) = &call.body {
            request = request.json(body);
        }
        Ok(request)
    }

    /// Goes down to what the service knows. Only once: if the version it named itself is refused
    /// as well, then what was asked for does not exist in it.
    fn lower_version(&self, headers: &HeaderMap) -> bool {
        let newest: Option<ApiVersion> = headers
            .get(NEWEST_VERSION)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.parse().ok());
        match newest {
            Some(newest) if newest < self.version.get() && self.may_lower.replace(false) => {
                self.version.set(newest);
                true
            }
            _ => false,
        }
    }

    fn no_answer(&self, error: &reqwest::Error) -> Error {
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        let cause = if error.is_timeout() {
            "no answer in time".to_owned()
        } else {
            cause.to_string()
        };
        let unreachable = Error::unreachable(format!("cannot reach {}: {cause}", self.base));
        let failure = ::tls::failure(error).map(Failure::of);
        if failure == Some(Failure::Certificate) {
            unreachable.with_hint(
                "name the certificate authority with --os-cacert, or accept any with --insecure",
            )
        } else if failure == Some(Failure::NotTls) {
            unreachable.with_hint("does the service speak https? try http:// instead")
        } else if error.is_request() && !error.is_connect() && self.base.starts_with("http://") {
            // A TLS server answers plain HTTP with an alert, which is no HTTP at all.
            unreachable.with_hint(format!(
                "does the service speak https? try {} instead",
                self.base.replacen("http://", "https://", 1)
            ))
        } else if error.is_connect() {
            unreachable.with_hint(
                "is the service running? start it with `corten serve`, or name another endpoint \
                 with --os-endpoint",
            )
        } else {
            unreachable
        }
    }
}

/// Path and query of the next page. The host the service names is ignored: it may be known to us
/// under another name, and credentials only go where they were meant to.
fn next_page(link: &str) -> Option<(String, Vec<(String, String)>)> {
    let url = reqwest::Url::parse(link).ok()?;
    let start = url.path().find("/v1/")?;
    let query = url
        .query_pairs()
        .map(|(key, value)| (key.into_owned(), value.into_owned()));
    Some((url.path().get(start..)?.to_owned(), query.collect()))
}

#[cfg(test)]
mod tests;
