//! Answers requests on the network: with the answer of the service, or with an injected fault.

use super::{
    answer::{Answer, Body},
    call::Site,
    fetch::fetch,
    message::Problem,
    service::{self, Request},
};
use crate::fault::{Delivery, Faults};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::{BodyExt, Full, Limited, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    HeaderMap, Method, Response, StatusCode,
    body::{Frame, Incoming},
    header::{self, HeaderValue},
};
use std::{io, time::Duration};
use tokio::time::sleep;

/// The largest body that is read: firmware images are sent whole.
const LARGEST: usize = 64 << 20;
/// How long half an answer has to leave.
const FLUSHED: Duration = Duration::from_millis(20);
/// How long a service hangs; clients give up long before.
const FOREVER: Duration = Duration::from_secs(3600);

type Sent = Response<UnsyncBoxBody<Bytes, io::Error>>;

/// The connection is closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("connection dropped without an answer (injected fault)")]
pub(crate) struct ConnectionDropped;

/// Answers a request, as far as faults let it.
pub(crate) async fn answer(
    site: &Site,
    request: hyper::Request<Incoming>,
) -> Result<Sent, ConnectionDropped> {
    let (head, body) = request.into_parts();
    let host = site.host();
    let faults = host.faults();
    let Delivery::Sent { after, as_garbage } = host.delivery() else {
        if faults.silent {
            sleep(FOREVER).await;
        }
        return Err(ConnectionDropped);
    };
    let method = head.method.clone();
    let Ok(body) = Limited::new(body, LARGEST).collect().await else {
        sleep(after).await;
        let problem = Problem::new("UnrecognizedRequestBody", &[]);
        return Ok(plain(
            problem.status(StatusCode::PAYLOAD_TOO_LARGE),
            &method,
        ));
    };
    let body = body.to_bytes();
    let path = head.uri.path().to_owned();
    forget_tokens(site, &faults);
    let is_hit = faults.http.hits(method.as_str(), &path);
    let mut answer = match forced(&faults, is_hit) {
        Some(problem) => service::refuse(site, &problem),
        None => {
            let request = Request {
                method: &method,
                path: &path,
                query: head.uri.query().unwrap_or_default(),
                headers: &head.headers,
                body: &body,
            };
            service::answer(site, &request)
        }
    };
    if let Some(wanted) = answer.wanted.take()
        && let Some(machine) = site
            .machines
            .iter()
            .find(|machine| machine.index() == wanted.machine)
        && let Err(problem) = fetch(&wanted, machine).await
    {
        answer = service::refuse(site, &problem);
    }
    sleep(after).await;
    if is_hit && faults.http.hang {
        sleep(FOREVER).await;
        return Err(ConnectionDropped);
    }
    Ok(written(
        answer,
        &method,
        as_garbage,
        is_hit && faults.http.truncate,
    ))
}

/// The error of an injected fault; the request is not carried out.
fn forced(faults: &Faults, is_hit: bool) -> Option<Problem> {
    if let Some(status) = faults.http.status.filter(|_| is_hit) {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        return Some(Problem::said(
            status,
            "injected fault: the simulator was configured to answer with this status",
        ));
    }
    // Codes of IPMI that mean that it may work later.
    const BUSY: [u8; 4] = [0xc0, 0xc3, 0xce, 0xd2];
    let code = faults.completion?;
    Some(if BUSY.contains(&code) {
        Problem::new("ServiceTemporarilyUnavailable", &["1"]).retry_after(1)
    } else {
        Problem::new("InternalError", &[])
    })
}

fn forget_tokens(site: &Site, faults: &Faults) {
    let every = faults.http.forget_tokens_every;
    if every == 0 {
        return;
    }
    site.host().parts(|parts| {
        parts.requests = parts.requests.wrapping_add(1);
        if parts.requests.is_multiple_of(every) {
            parts.sessions.forget();
        }
    });
}

fn plain(problem: Problem, method: &Method) -> Sent {
    let answer = Answer::of(problem.status, Body::Json(problem.json()));
    written(answer, method, false, false)
}

fn written(answer: Answer, method: &Method, as_garbage: bool, truncates: bool) -> Sent {
    let mut headers = HeaderMap::new();
    for (name, value) in answer.headers {
        // What cannot be written as a header is left out; a client has no use for half of it.
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.append(name, value);
        }
    }
    let (kind, mut bytes) = match answer.body {
        Body::None => (None, Bytes::new()),
        Body::Json(value) => (Some("application/json"), Bytes::from(value.to_string())),
        Body::Text(kind, text) => (Some(kind), Bytes::from(text)),
    };
    if let Some(kind) = kind {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    if as_garbage && !bytes.is_empty() {
        bytes = bytes.iter().map(|byte| byte ^ 0xa5).collect();
    }
    let is_empty = *method == Method::HEAD || bytes.is_empty();
    let body = if is_empty {
        whole(Bytes::new())
    } else if truncates {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        let half = bytes.slice(..bytes.len() / 2);
        let sent = stream::once(async { Ok(Frame::data(half)) });
        // The half is on its way before the connection breaks.
        let broken = stream::once(async {
            sleep(FLUSHED).await;
            Err(io::Error::from(io::ErrorKind::ConnectionAborted))
        });
        StreamBody::new(sent.chain(broken)).boxed_unsync()
    } else {
        whole(bytes)
    };
    let mut response = Response::new(body);
    *response.status_mut() = answer.status;
    *response.headers_mut() = headers;
    response
}

fn whole(bytes: Bytes) -> UnsyncBoxBody<Bytes, io::Error> {
    Full::new(bytes)
        .map_err(|never| match never {})
        .boxed_unsync()
}
