//! The server side of a conductor, for calls of other processes.
//!
//! The head of a call is authenticated before its body is read. A call is carried out only by the
//! conductor that owns its node; another conductor answers whom it takes for the owner, and does
//! nothing. Authorization is not decided here: the API did that.

use crate::{
    adjacent,
    call::{Answer, Call, CallTarget},
    console,
    seal::{Keys, Name, Refusal, SealError, Secret, Session, StreamKeys},
    view::View,
};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::State,
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{CONNECTION, CONTENT_LENGTH, UPGRADE},
        request::Parts,
    },
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use std::{
    fmt,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use store::Db;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use types::{Conductor, Fault, rpc::dispatch};

pub(crate) const CALL: &str = "/corten/cluster/v1/call";
pub(crate) const STREAM: &str = "/corten/cluster/v1/stream";
pub(crate) const SESSION: &str = "/corten/cluster/v1/session";
/// Protocol name of the HTTP upgrade for consoles.
pub(crate) const PROTOCOL: &str = "corten-stream";

pub(crate) static SESSION_HEADER: HeaderName = HeaderName::from_static("corten-session");
pub(crate) static CALLER_HEADER: HeaderName = HeaderName::from_static("corten-caller");
pub(crate) static NUMBER_HEADER: HeaderName = HeaderName::from_static("corten-number");
pub(crate) static PROOF_HEADER: HeaderName = HeaderName::from_static("corten-proof");

/// Size limit of a call: a little more than the largest body that the API accepts.
pub(crate) const LARGEST: usize = 96 * 1024 * 1024;

/// How much of the body of a rejected call is read, so that its sender sees the answer.
const SKIPPED: usize = 1024 * 1024;
/// Timeout for reading the body of a call.
const SLOWEST: Duration = Duration::from_secs(60);

/// The source address of a call. The listener puts it into the extensions of requests.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// A conductor and what decides about calls to it.
#[derive(Clone)]
pub struct Endpoint {
    conductor: Arc<dyn Conductor>,
    view: Arc<View>,
    db: Db,
    host: Arc<str>,
    session: Arc<Session>,
    leaving: CancellationToken,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// `leaving` is cancelled when the conductor accepts no further work.
    pub fn new(
        conductor: Arc<dyn Conductor>,
        view: Arc<View>,
        db: Db,
        host: &str,
        secret: Secret,
        leaving: CancellationToken,
    ) -> Result<Self, SealError> {
        Ok(Self {
            conductor,
            view,
            db,
            host: host.into(),
            session: Arc::new(Session::new(secret)?),
            leaving,
        })
    }

    pub fn router(self) -> Router {
        Router::new()
            .route(CALL, post(take_call))
            .route(STREAM, post(take_stream))
            .route(SESSION, get(tell_session))
            .with_state(self)
    }

    /// Whether a call is for this conductor; if not, the owner.
    async fn admits(&self, place: &CallTarget) -> Result<(), Option<String>> {
        // A status report is answered even while the conductor is stopping.
        if let CallTarget::Host(host) = place {
            return match **host == *self.host {
                true => Ok(()),
                false => Err(None),
            };
        }
        if self.leaving.is_cancelled() {
            return Err(None);
        }
        let CallTarget::Node {
            node,
            driver,
            group,
        } = place
        else {
            return Ok(());
        };
        if self.view.is_owner(&self.host, *node, driver, group) {
            return Ok(());
        }
        // The caller may know of a membership change that we have not read yet.
        if let Err(error) = self.view.refresh_since(Instant::now()).await {
            tracing::warn!(error = %types::error::chain(&error), "cannot read the list of conductors from the database");
        }
        match self.view.owner(*node, driver, group) {
            Some(owner) if *owner == *self.host => Ok(()),
            owner => Err(owner),
        }
    }
}

async fn tell_session(State(endpoint): State<Endpoint>) -> Response {
    let name = BASE64.encode(endpoint.session.name());
    ([(SESSION_HEADER.clone(), name)], ()).into_response()
}

async fn take_call(State(endpoint): State<Endpoint>, request: axum::extract::Request) -> Response {
    let (parts, body) = request.into_parts();
    let genuine = match open(&endpoint, CALL, &parts, body).await {
        Ok(genuine) => genuine,
        Err(refused) => return refused,
    };
    let answer = match endpoint.admits(&genuine.call.place).await {
        Err(owner) => Answer::NotMine { owner },
        Ok(()) => {
            let Call {
                who,
                request,
                trace,
                ..
            } = genuine.call;
            let span = tracing::debug_span!(
                target: "spans", "call", otel.kind = "server", request_id = who.request_id,
                traceparent = trace,
            );
            // In its own task: when the caller disconnects, the work is not cancelled halfway.
            let conductor = Arc::clone(&endpoint.conductor);
            let work = async move { dispatch(conductor.as_ref(), &who, request).await };
            match tokio::spawn(work.instrument(span)).await {
                Ok(outcome) => outcome.into(),
                Err(_) => Answer::Refused(Fault::Internal(
                    "the handler of a cluster call panicked".into(),
                )),
            }
        }
    };
    seal(&genuine.keys, genuine.number, CALL, &answer)
}

async fn take_stream(
    State(endpoint): State<Endpoint>,
    request: axum::extract::Request,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let upgrade = parts.extensions.remove::<OnUpgrade>();
    let genuine = match open(&endpoint, STREAM, &parts, body).await {
        Ok(genuine) => genuine,
        Err(refused) => return refused,
    };
    let (keys, number) = (genuine.keys, genuine.number);
    let refuse = |answer| seal(&keys, number, STREAM, &answer);
    if let Err(owner) = endpoint.admits(&genuine.call.place).await {
        return refuse(Answer::NotMine { owner });
    }
    let (true, Some(upgrade)) = (console::is_stream(&genuine.call.request), upgrade) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let (who, request) = (genuine.call.who, *genuine.call.request);
    let line = match console::join(&*endpoint.conductor, &who, request).await {
        Ok(line) => line,
        Err(fault) => return refuse(Answer::Refused(fault)),
    };
    let secret = endpoint.session.secret();
    let keys = StreamKeys::new(secret, &genuine.session, &genuine.caller, number);
    tokio::spawn(async move {
        if let Ok(stream) = upgrade.await {
            console::serve(TokioIo::new(stream), keys, line).await;
        }
    });
    let headers = [
        (CONNECTION, HeaderValue::from_static("upgrade")),
        (UPGRADE, HeaderValue::from_static(PROTOCOL)),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

/// An authenticated call.
struct Genuine {
    call: Call,
    keys: Arc<Keys>,
    session: Name,
    caller: Name,
    number: u64,
}

async fn open(
    endpoint: &Endpoint,
    path: &str,
    parts: &Parts,
    body: Body,
) -> Result<Genuine, Response> {
    let peer = Origin(parts.extensions.get().copied());
    let head = Head::read(&parts.headers).ok_or_else(|| {
        tracing::warn!(%peer, "rejected a malformed cluster call");
        StatusCode::BAD_REQUEST.into_response()
    })?;
    let about = about(path, head.length);
    let admitted = endpoint.session.admit(
        &head.session,
        &head.caller,
        head.number,
        about.as_bytes(),
        &head.proof,
    );
    let keys = match admitted {
        Ok(keys) => keys,
        Err(refusal) => {
            // Some clients do not see an answer that is sent before they finished the body.
            let _ = tokio::time::timeout(SLOWEST, to_bytes(body, SKIPPED)).await;
            return Err(unauthorized(refusal, &peer));
        }
    };
    if head.length > LARGEST {
        return Err(StatusCode::PAYLOAD_TOO_LARGE.into_response());
    }
    let sealed = tokio::time::timeout(SLOWEST, to_bytes(body, head.length)).await;
    let sealed = sealed.map_err(|_| StatusCode::REQUEST_TIMEOUT.into_response())?;
    let sealed = sealed.map_err(|_| StatusCode::BAD_REQUEST.into_response())?;
    let opened = keys
        .request
        .open(head.number, path.as_bytes(), sealed.into());
    let text = opened.map_err(|_| unauthorized(Refusal::NotGenuine, &peer))?;
    let call = adjacent::read(&endpoint.db, &text).await.map_err(|error| {
        let error = types::error::chain(&error);
        tracing::error!(%peer, error, "cannot decode a cluster call: does the caller run another version?");
        let text = "The conductor is of another version than the API and does not know this call, \
                    please retry when both are upgraded.";
        seal(&keys, head.number, path, &Answer::Refused(Fault::NotNow(text.into())))
    })?;
    Ok(Genuine {
        call,
        keys,
        session: head.session,
        caller: head.caller,
        number: head.number,
    })
}

/// Associated data of the head's proof.
pub(crate) fn about(path: &str, length: usize) -> String {
    format!("{path} {length}")
}

fn unauthorized(refusal: Refusal, peer: &Origin) -> Response {
    match refusal {
        // The caller used the session of an earlier incarnation: tell it the new one.
        Refusal::OtherSession(name) => {
            let name = [(SESSION_HEADER.clone(), BASE64.encode(name))];
            (StatusCode::UNAUTHORIZED, name).into_response()
        }
        Refusal::Repeated => {
            tracing::warn!(%peer, "rejected a replayed cluster call");
            StatusCode::CONFLICT.into_response()
        }
        Refusal::NotGenuine => {
            tracing::warn!(%peer, "rejected a cluster call: wrong cluster secret");
            StatusCode::UNAUTHORIZED.into_response()
        }
    }
}

fn seal(keys: &Keys, number: u64, path: &str, answer: &Answer) -> Response {
    let sealed = serde_json::to_vec(answer)
        .ok()
        .and_then(|text| keys.answer.seal(number, path.as_bytes(), text).ok());
    match sealed {
        Some(sealed) => sealed.into_response(),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The head of a call.
struct Head {
    session: Name,
    caller: Name,
    number: u64,
    proof: Vec<u8>,
    length: usize,
}

impl Head {
    fn read(headers: &HeaderMap) -> Option<Self> {
        let text = |name: &HeaderName| headers.get(name)?.to_str().ok();
        let bytes = |name: &HeaderName| BASE64.decode(text(name)?).ok();
        Some(Self {
            session: bytes(&SESSION_HEADER)?.try_into().ok()?,
            caller: bytes(&CALLER_HEADER)?.try_into().ok()?,
            number: text(&NUMBER_HEADER)?.parse().ok()?,
            proof: bytes(&PROOF_HEADER)?,
            length: text(&CONTENT_LENGTH)?.parse().ok()?,
        })
    }
}

/// Where a call came from, for the log.
struct Origin(Option<Peer>);

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Peer(address)) => address.fmt(f),
            None => f.write_str("a local socket"),
        }
    }
}
