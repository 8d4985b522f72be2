//! The API in this process, on a database and without conductors, for whoever may open the database.

use api::{ApiState, Settings};
use axum::{
    body::{Body, to_bytes},
    http::{HeaderValue, Request, Response, StatusCode, header::HOST},
};
use serde_json::value::RawValue;
use std::sync::Arc;
use store::Db;
use types::{
    Caller, Fault, NodeId,
    console::{ConsoleLine, ConsoleWish, ScreenToken},
    rpc::{Carrier, Consoles, Membership, Request as Call},
};

/// No answer about users is longer.
const LONGEST: usize = 64 << 20;

/// Answers requests by the API. Changes are logged in the name of the system's user on this host.
pub(super) fn direct(db: Db, host: &str) -> anyhow::Result<cli::Direct> {
    let state = ApiState::new(db, Arc::new(NoConductor), Arc::new(Settings::default()));
    let user = rustix::process::getuid().as_raw();
    let author = HeaderValue::try_from(format!("uid {user} on {host}"))?;
    Ok(Box::new(move |request: cli::DirectRequest| {
        let asked = asked(&request, &author);
        let state = state.clone();
        Box::pin(async move {
            match asked {
                Some(asked) => answer(state, asked).await,
                None => failed("the path of the request cannot be read"),
            }
        })
    }))
}

/// A request as the API gets it; nothing if its path cannot be read.
fn asked(request: &cli::DirectRequest, author: &HeaderValue) -> Option<Request<Body>> {
    let url = request.url();
    let path = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let body = request.body().and_then(|body| body.as_bytes());
    let mut asked = Request::new(Body::from(body.unwrap_or_default().to_vec()));
    *asked.method_mut() = request.method().clone();
    *asked.uri_mut() = path.parse().ok()?;
    let headers = asked.headers_mut();
    headers.clone_from(request.headers());
    headers.insert(HOST, HeaderValue::from_static("localhost"));
    headers.insert("x-user-id", author.clone());
    Some(asked)
}

async fn answer(state: ApiState, asked: Request<Body>) -> cli::DirectAnswer {
    let (head, body) = api::respond(state, asked).await.into_parts();
    match to_bytes(body, LONGEST).await {
        Ok(body) => Response::from_parts(head, body.to_vec()).into(),
        Err(_) => failed("the answer cannot be read"),
    }
}

fn failed(text: &str) -> cli::DirectAnswer {
    let mut response = Response::new(text.as_bytes().to_vec());
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    response.into()
}

/// Stands where nothing asks a conductor.
struct NoConductor;

#[async_trait::async_trait]
impl Membership for NoConductor {
    fn owner(&self, _: NodeId, _: &str, _: &str) -> Option<String> {
        None
    }

    fn is_alive(&self, _: &str) -> Option<bool> {
        None
    }

    fn shares(&self, _: &str, _: &str) -> Vec<(String, f64)> {
        Vec::new()
    }

    fn revision(&self) -> u64 {
        0
    }
}

#[async_trait::async_trait]
impl Consoles for NoConductor {
    async fn join_console(
        &self,
        _: &Caller,
        _: NodeId,
        _: ConsoleWish,
    ) -> Result<ConsoleLine, Fault> {
        Err(none())
    }

    async fn join_screen(
        &self,
        _: &Caller,
        _: NodeId,
        _: ScreenToken,
    ) -> Result<ConsoleLine, Fault> {
        Err(none())
    }
}

#[async_trait::async_trait]
impl Carrier for NoConductor {
    async fn carry(&self, _: &Caller, _: Box<Call>) -> Result<Box<RawValue>, Fault> {
        Err(none())
    }
}

fn none() -> Fault {
    Fault::Internal("there is no conductor in this command".to_owned())
}
