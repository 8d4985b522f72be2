//! The API in this process, on a database and without conductors, for whoever may open the database.

use anyhow::bail;
use api::{ApiState, Settings};
use axum::{
    body::{Body, to_bytes},
    http::{
        HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
        header::{CONTENT_TYPE, HOST},
    },
};
use serde_json::{json, value::RawValue};
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
    let state = state(db);
    let author = author(host)?;
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

/// Makes a user who is administrator of the whole system.
pub(crate) async fn add_administrator(
    db: Db,
    host: &str,
    name: &str,
    password: &str,
) -> anyhow::Result<()> {
    let (state, author) = (state(db), author(host)?);
    let requests = [
        (
            Method::POST,
            "/corten/v1/users",
            json!({"name": name, "password": password}),
        ),
        (
            Method::PUT,
            "/corten/v1/roles",
            json!({"user": name, "role": "admin", "system": true}),
        ),
    ];
    for (method, path, body) in requests {
        let mut asked = Request::new(Body::from(body.to_string()));
        *asked.method_mut() = method;
        *asked.uri_mut() = path.parse()?;
        let headers = asked.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        address(headers, &author);
        let (head, body) = api::respond(state.clone(), asked).await.into_parts();
        if !head.status.is_success() {
            let body = to_bytes(body, LONGEST).await?;
            let text = String::from_utf8_lossy(&body);
            bail!("cannot make the user {name}: {text}");
        }
    }
    Ok(())
}

fn state(db: Db) -> ApiState {
    ApiState::new(db, Arc::new(NoConductor), Arc::new(Settings::default()))
}

fn author(host: &str) -> anyhow::Result<HeaderValue> {
    let user = rustix::process::getuid().as_raw();
    Ok(HeaderValue::try_from(format!("uid {user} on {host}"))?)
}

fn address(headers: &mut HeaderMap, author: &HeaderValue) {
    headers.insert(HOST, HeaderValue::from_static("localhost"));
    headers.insert("x-user-id", author.clone());
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
    address(headers, author);
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
