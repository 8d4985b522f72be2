//! The agent's HTTP API: the status is public, commands require the token.
//!
//! The token comes in the query. It is checked before the body is read, so only the service can
//! make the agent hold a large body. A command continues when its client disconnects.

mod document;

use crate::{AgentError, agent::Agent, config::Token, exchange};
use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Path, Request, State},
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::get,
};
use reqwest::Url;
use serde_json::{Value, json};
use std::{borrow::Cow, sync::Arc};
use types::JsonMap;

/// The largest body: a config drive of 64 MiB, in base64, and some.
const BODY: usize = 128 << 20;

/// What the routes need.
#[derive(Debug, Clone)]
struct Host {
    agent: Arc<Agent>,
    scheme: &'static str,
}

/// A request that fails, with IPA's fault.
#[derive(Debug)]
struct Fault(StatusCode, String);

impl Fault {
    /// One that concerns HTTP rather than a command.
    fn http(status: StatusCode, text: &str) -> Self {
        Self(status, format!("{status}: {text}"))
    }
}

impl From<AgentError> for Fault {
    fn from(error: AgentError) -> Self {
        let status = StatusCode::from_u16(error.code);
        Self(
            status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            error.to_string(),
        )
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let Self(status, text) = self;
        let code = if status.is_server_error() {
            "Server"
        } else {
            "Client"
        };
        answer(status, &json!({"faultcode": code, "faultstring": text}))
    }
}

/// All routes, with and without the version, with and without a slash at the end.
pub(crate) fn router(agent: Arc<Agent>, is_secure: bool) -> Router {
    let peers = exchange::router(agent.exchanges().clone());
    let host = Host {
        agent,
        scheme: if is_secure { "https" } else { "http" },
    };
    let mut router = Router::new().route("/", get(root));
    for path in ["/v1", "/v1/"] {
        router = router.route(path, get(v1));
    }
    for prefix in ["", "/v1"] {
        for slash in ["", "/"] {
            router = router
                .route(&format!("{prefix}/status{slash}"), get(status))
                .route(&format!("{prefix}/commands{slash}"), get(list).post(begin))
                .route(&format!("{prefix}/commands/{{id}}{slash}"), get(show));
        }
    }
    router
        .fallback(async || {
            Fault::http(
                StatusCode::NOT_FOUND,
                "Not found: there is nothing at this URL.",
            )
        })
        .method_not_allowed_fallback(async || {
            Fault::http(
                StatusCode::METHOD_NOT_ALLOWED,
                "The method is not allowed for the requested URL.",
            )
        })
        .with_state(host)
        .merge(peers)
}

async fn root(State(host): State<Host>, headers: HeaderMap) -> Response {
    answer(StatusCode::OK, &document::root(&host.url(&headers)))
}

async fn v1(State(host): State<Host>, headers: HeaderMap) -> Response {
    answer(StatusCode::OK, &document::v1(&host.url(&headers)))
}

async fn status(State(host): State<Host>) -> Response {
    answer(StatusCode::OK, &host.agent.status())
}

async fn list(State(host): State<Host>, uri: Uri) -> Result<Response, Fault> {
    host.check(&Query::of(uri.query()))?;
    let commands: Vec<Value> = host
        .agent
        .commands()
        .list()
        .iter()
        .map(|command| command.document())
        .collect();
    Ok(answer(StatusCode::OK, &json!({ "commands": commands })))
}

async fn show(
    State(host): State<Host>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Fault> {
    let query = Query::of(uri.query());
    host.check(&query)?;
    let command = host.agent.commands().find(&id)?;
    if query.wait {
        command.join().await;
    }
    Ok(answer(StatusCode::OK, &command.document()))
}

async fn begin(State(host): State<Host>, uri: Uri, request: Request) -> Result<Response, Fault> {
    let query = Query::of(uri.query());
    host.check(&query)?;
    let body = to_bytes(request.into_body(), BODY).await.map_err(|_| {
        Fault::http(
            StatusCode::BAD_REQUEST,
            "The request body is truncated or too large.",
        )
    })?;
    let (name, params) = order(&body)?;
    let agent = Arc::clone(&host.agent);
    let begun = tokio::spawn(async move { agent.commands().begin(&agent, &name, params).await });
    let command = begun.await.map_err(|_| {
        Fault::http(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Internal error (panic) in the agent: see the agent's log.",
        )
    })??;
    if query.wait {
        command.join().await;
    }
    Ok(answer(StatusCode::OK, &command.document()))
}

/// Parses name and parameters of a command from the body.
fn order(body: &Bytes) -> Result<(String, JsonMap), Fault> {
    let bad = |text: &str| Fault::http(StatusCode::BAD_REQUEST, text);
    let body: Value =
        serde_json::from_slice(body).map_err(|_| bad("The request body is not JSON."))?;
    match (body.get("name"), body.get("params")) {
        (Some(Value::String(name)), Some(Value::Object(params))) => {
            Ok((name.clone(), params.clone()))
        }
        _ => Err(bad("Missing or invalid name or params")),
    }
}

impl Host {
    fn check(&self, query: &Query) -> Result<(), Fault> {
        let token = self.agent.token();
        let given = query.token.as_deref().unwrap_or_default();
        if token.is_some_and(|token: Token| token.is(given)) {
            return Ok(());
        }
        Err(Fault::http(StatusCode::UNAUTHORIZED, "Token invalid."))
    }

    /// The base URL that the client used, for links.
    fn url(&self, headers: &HeaderMap) -> String {
        let name = headers
            .get(header::HOST)
            .and_then(|name| name.to_str().ok());
        format!("{}://{}", self.scheme, name.unwrap_or("localhost"))
    }
}

/// Query parameters.
#[derive(Debug, Default)]
struct Query {
    token: Option<String>,
    wait: bool,
}

impl Query {
    fn of(text: Option<&str>) -> Self {
        let mut query = Self::default();
        let Ok(mut url) = Url::parse("http://agent") else {
            return query;
        };
        url.set_query(text);
        let first = |name: &str| -> Option<Cow<'_, str>> {
            url.query_pairs()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value)
        };
        query.token = first("agent_token").map(Cow::into_owned);
        query.wait = first("wait").is_some_and(|wait| wait.eq_ignore_ascii_case("true"));
        query
    }
}

fn answer(status: StatusCode, body: &Value) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, Body::from(body.to_string())).into_response()
}

#[cfg(test)]
mod tests;
