//! The way of a request through the API.
//!
//! The order is that of Ironic and visible to clients: credentials, body limits, version,
//! `Accept`, path and method, handler. Headers that all answers share are added at the end.

use crate::{
    args,
    audit::{self, Trail},
    auth::{
        self, Gate,
        session::{self, PageKey},
    },
    body::{self, ContentKind},
    call::{AgentToken, Call, Handler},
    compress,
    ctx::{self, Ctx},
    error::{self, ApiError},
    health,
    kept_answer::{self, KeptAnswer, Key, Lookup},
    negotiation,
    peer::{self, Peer},
    reply::Reply,
    route::{self, Method},
    route_table::ROUTES,
    shadow, site,
    state::ApiState,
    stream::{self, StreamRequest},
    v1::{legacy, root},
    version,
    websocket::{self, Handshake},
};
use axum::{
    Router,
    body::{Body, HttpBody},
    extract::Request,
    http::{
        self, HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{
            ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
            LOCATION, RETRY_AFTER, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_PROTOCOL, SET_COOKIE,
            UPGRADE, WWW_AUTHENTICATE,
        },
        request::Parts,
    },
    response::Response,
};
use bytes::Bytes;
use std::{
    borrow::Cow,
    hash::{BuildHasher, RandomState},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tracing::{Instrument, Span, field::Empty};
use types::{ApiVersion, memory_budget, metrics};
use uuid::Uuid;

const REQUEST_ID_HEADERS: [HeaderName; 2] = [
    HeaderName::from_static("x-openstack-request-id"),
    HeaderName::from_static("openstack-request-id"),
];
const MIN_VERSION: HeaderName = HeaderName::from_static("x-openstack-ironic-api-minimum-version");
const MAX_VERSION: HeaderName = HeaderName::from_static("x-openstack-ironic-api-maximum-version");
/// On a refusal that passes by itself: after how many seconds to ask again. Not `Retry-After`, which
/// Ironic does not send, and which some HTTP libraries act on without being asked.
const PASSES: HeaderName = HeaderName::from_static("x-corten-retry-after");
const VERSION: HeaderName = HeaderName::from_static(version::HEADER);
/// What proxies call it when they are to pass everything on at once.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// How long a request is certainly waited for.
const LONGEST_WRITE: Duration = Duration::from_secs(20);
/// When whoever found too much going on may ask again, in seconds.
const LATER: HeaderValue = HeaderValue::from_static("5");
/// Handlers that take large bodies of anybody, or of whoever has any token: they look first
/// whether the caller may send one and whether there is a node for it. Small bodies are looked at
/// first everywhere, as in Ironic.
const JUDGED_FIRST: &[&str] = &[
    "continue_inspection",
    "heartbeat/{node}",
    "nodes/{node}/states/provision",
];

/// [`respond`] as a router of axum, for tests.
pub fn router(state: ApiState) -> Router {
    Router::new().fallback(move |request| respond(state.clone(), request))
}

/// The answer of the API to any request.
pub async fn respond(state: ApiState, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let span = tracing::debug_span!(
        target: "spans", "request", otel.kind = "server",
        otel.name = parts.method.as_str(), http.route = Empty,
        http.request.method = parts.method.as_str(),
        url.path = parts.uri.path(),
        http.response.status_code = Empty, otel.error = Empty, request_id = Empty,
        traceparent = parts.headers.get("traceparent").and_then(|value| value.to_str().ok()),
    );
    let answering = identified(&state, &parts, body);
    let mut response = answering.instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    if response.status().is_server_error() {
        span.record("otel.error", response.status().as_str());
    }
    if parts.method == http::Method::OPTIONS && !response.status().is_success() {
        // Browsers ask what they may do, not whether there is something.
        response = with_body(StatusCode::OK, HeaderMap::new(), None);
    }
    let permissions = state.settings.cors.headers(&parts.method, &parts.headers);
    response.headers_mut().extend(permissions);
    if parts.method == http::Method::HEAD {
        return without_body(response);
    }
    response
}

/// The answer to `HEAD`: what `GET` would get, without its body.
fn without_body(mut response: Response) -> Response {
    let length = response.body().size_hint().exact();
    if let Some(length) = length
        && !response.headers().contains_key(CONTENT_LENGTH)
    {
        response
            .headers_mut()
            .insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response.map(|_| Body::empty())
}

/// The answer under an id of its own, and what the log keeps of it.
async fn identified(state: &ApiState, parts: &Parts, body: Body) -> Response {
    let request_id = new_request_id();
    Span::current().record("request_id", &request_id);
    let mut trail = Trail::default();
    let asked = Instant::now();
    let mut response = match health::answer(state, parts).await {
        Some(response) => response,
        None => answer(state, parts, body, &request_id, &mut trail).await,
    };
    let (method, path) = (&parts.method, parts.uri.path());
    let status = response.status().as_u16();
    count(method, &trail, status, asked);
    tracing::debug!(request_id, status, "answered {method} {path}");
    if state.settings.audit.records(method) && !health::is_asked(&state.settings.health, path) {
        let peer = Peer::of(&parts.extensions);
        let believe_proxy = state.settings.parse_proxy_headers;
        let request = audit::Request {
            id: &request_id,
            method: method.as_str(),
            path,
            headers: &parts.headers,
            client: &peer::client(believe_proxy, &parts.headers, peer),
        };
        audit::record(&request, &trail, &response);
    }
    if let Ok(id) = HeaderValue::try_from(request_id) {
        for name in REQUEST_ID_HEADERS {
            response.headers_mut().insert(name, id.clone());
        }
    }
    response
}

/// An id for a request: random for whoever does not know the keys of this process, which is enough
/// for something that is no secret, and without asking the system for more.
fn new_request_id() -> String {
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let (high, low) = (KEYS.hash_one((number, 0)), KEYS.hash_one((number, 1)));
    let bits = u128::from(high) << 64 | u128::from(low);
    let id = uuid::Builder::from_random_bytes(bits.to_ne_bytes()).into_uuid();
    let mut text = String::with_capacity(40);
    text.push_str("req-");
    text.push_str(id.hyphenated().encode_lower(&mut Uuid::encode_buffer()));
    text
}

/// Paths that lead nowhere are one, so that nobody can make up more of them.
fn count(method: &http::Method, trail: &Trail, status: u16, asked: Instant) {
    let method = Method::of(method).map_or("OTHER", Method::as_str);
    let route = trail.route().unwrap_or("none");
    let class = match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    };
    metrics::REQUESTS.observe([method, route, class], asked.elapsed());
}

async fn answer(
    state: &ApiState,
    parts: &Parts,
    body: Body,
    request_id: &str,
    trail: &mut Trail,
) -> Response {
    let settings = &state.settings;
    if let Err(foreign) = site::check(settings, parts) {
        tracing::warn!(request_id, "a request is refused: {foreign}");
        let error = ApiError::service(foreign.status(), foreign.to_string());
        return failure(state, parts, None, request_id, error);
    }
    let path = parts.uri.path();
    let is_public = auth::is_public(path) || settings.legacy_ramdisk && legacy::is_path(path);
    let gate = Gate::of(state);
    let (session, identified) = match session::identify(&gate, parts).await {
        // A session that is no longer good does not keep its owner from signing in again.
        Some((_, Err(_))) if is_public => (None, auth::identify(&gate, parts, is_public).await),
        Some((session, identified)) => (Some(session), identified),
        None => (None, auth::identify(&gate, parts, is_public).await),
    };
    let identity = match identified {
        Ok(identity) => identity,
        Err(refusal) => {
            let mut response = refusal.response(&parts.headers);
            if session::is_of_page(&parts.headers) {
                response.headers_mut().remove(WWW_AUTHENTICATE);
            }
            return response;
        }
    };
    trail.identify(&identity);
    let pool = if is_public {
        &memory_budget::ANYBODY
    } else {
        &memory_budget::CLIENTS
    };
    let payload = match body::read(&settings.limits, path, &parts.headers, body, pool).await {
        Ok(payload) => payload,
        Err((status, text)) => {
            let mut headers = HeaderMap::new();
            if status == StatusCode::SERVICE_UNAVAILABLE {
                headers.insert(RETRY_AFTER, LATER);
            }
            return with_body(status, headers, Some(Bytes::from_static(text.as_bytes())));
        }
    };
    let version = match version::negotiate(&parts.headers, settings.max_version) {
        Ok(version) => version,
        Err(error) => return failure(state, parts, None, request_id, error),
    };
    let base = ctx::base_url(settings, &parts.headers);
    let asked = (&parts.method, &parts.uri, &parts.headers);
    let key = Key::new(asked, &base, version, &identity.credentials);
    let slot = match key.map(|key| state.kept.find(state, key)) {
        Some(Lookup::Kept(answer)) => {
            trail.locate(answer.route, &answer.params);
            name_span(parts, answer.route);
            return success(state, version, Reply::kept(answer.body.clone()));
        }
        Some(Lookup::Unknown(slot)) => slot,
        None => None,
    };
    let target = match resolve(parts, version) {
        Ok(target) => target,
        Err(error) => return failure(state, parts, Some(version), request_id, error),
    };
    let slot = slot.filter(|_| kept_answer::is_kept(target.route));
    let params = slot.as_ref().map(|_| target.params.clone());
    trail.locate(target.route, &target.params);
    name_span(parts, target.route);
    let mut call = Call {
        state: state.clone(),
        ctx: Ctx::new(
            version,
            identity,
            request_id.to_owned(),
            base,
            target.json_suffix,
        ),
        method: Method::of(&parts.method).unwrap_or(Method::Get),
        params: target.params,
        path_args: target.args,
        node_is_argument: false,
        query: parts.uri.query().unwrap_or_default().to_owned(),
        content: ContentKind::of(&parts.method, &parts.headers),
        body: payload,
        agent_origin: peer::agent(
            &settings.agent_proxies,
            &parts.headers,
            Peer::of(&parts.extensions),
        ),
        agent_token: AgentToken::of(&parts.headers),
        address: gate.address(parts),
        session,
        page_key: PageKey::of(&parts.headers),
        if_none_match: parts
            .headers
            .get(IF_NONE_MATCH)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned),
        handshake: Handshake::of(settings, parts),
        stream: target.stream,
    };
    let lacks_node = target.route.contains("{node}") && call.param("node").is_empty();
    let judged_first = call.body.is_large() && JUDGED_FIRST.contains(&target.route) && !lacks_node;
    if !judged_first && let Err(error) = call.prepare_body().await {
        return failure(state, parts, Some(version), request_id, error);
    }
    if lacks_node && let Err(error) = call.name_node() {
        return failure(state, parts, Some(version), request_id, error);
    }
    let is_change = call.method != Method::Get;
    if is_change && let Err(error) = shadow::refuse(&state.db, target.route).await {
        return failure(state, parts, Some(version), request_id, error);
    }
    let answered = tokio::select! {
        biased;
        answered = (target.handler)(call) => answered,
        () = waited_in_vain(state), if is_change => Err(ApiError::service(
            StatusCode::SERVICE_UNAVAILABLE,
            "Resource temporarily unavailable, please retry: the database does not answer. What was \
             asked for may still be done when it does.",
        )),
    };
    match answered {
        Ok(reply) => {
            if let (Some(slot), Some(params), Some(body)) = (slot, params, &reply.body) {
                let (route, body) = (target.route, body.clone());
                let answer = KeptAnswer {
                    route,
                    params,
                    body,
                };
                state.kept.keep(state, slot, answer);
            }
            let packable = reply.body.clone();
            let packable = packable.filter(|_| compress::is_wanted(target.route, &parts.headers));
            let mut response = success(state, version, reply);
            if response.status() == StatusCode::SWITCHING_PROTOCOLS
                && let Some(protocol) = websocket::protocol(&parts.headers)
            {
                response
                    .headers_mut()
                    .insert(SEC_WEBSOCKET_PROTOCOL, protocol);
            }
            match packable {
                Some(body) => compress::compressed(body, response),
                None => response,
            }
        }
        Err(error) => failure(state, parts, Some(version), request_id, error),
    }
}

/// Returns when a request has waited for long and the database has answered no write for as long.
/// The request is given up then; whatever it has asked of the conductor and the store goes on.
async fn waited_in_vain(state: &ApiState) {
    tokio::time::sleep(LONGEST_WRITE).await;
    state.db.stalls().await;
}

/// Names the span of this request by its route, which is the same for all nodes.
fn name_span(parts: &Parts, route: &str) {
    let span = Span::current();
    if !span.is_disabled() {
        span.record("http.route", route);
        span.record("otel.name", format!("{} {route}", parts.method));
    }
}

/// Where a request goes.
struct Target {
    /// As the route table has it.
    route: &'static str,
    handler: Handler,
    params: Vec<(&'static str, String)>,
    /// Arguments in the path.
    args: Vec<(&'static str, String)>,
    json_suffix: bool,
    stream: Option<StreamRequest>,
}

fn resolve(parts: &Parts, version: ApiVersion) -> Result<Target, ApiError> {
    let mut path = Cow::Borrowed(parts.uri.path());
    if path.contains('%') {
        // A slash that is escaped separates nothing, and stays as it is.
        path = Cow::Owned(path.replace("%2F", "%252F").replace("%2f", "%252F"));
    }
    let path =
        args::percent_decode(&path).map_err(|_| ApiError::router(StatusCode::BAD_REQUEST, ""))?;
    let mut path = path.as_ref();
    let mut json_suffix = false;
    if let Some(cut) = path.trim_end_matches('/').strip_suffix(".json")
        && version::knows_json_suffix(&parts.headers)
    {
        path = cut;
        json_suffix = true;
    }
    let elements = route::elements(path);
    let (mut stream, mut args) = (None, Vec::new());
    let (route, handler, params): (_, Handler, _) = match elements.as_slice() {
        // Every method is welcome here.
        [] => {
            check_query(parts)?;
            ("", |call| Box::pin(root::root(call)), Vec::new())
        }
        ["v1"] | ["v1", ""] => {
            if !matches!(parts.method, http::Method::GET | http::Method::HEAD) {
                return Err(ApiError::service(
                    StatusCode::METHOD_NOT_ALLOWED,
                    "The server could not comply with the request since it is either malformed or otherwise incorrect.",
                ));
            }
            check_query(parts)?;
            ("v1", |call| Box::pin(root::v1(call)), Vec::new())
        }
        ["v1", rest @ ..] | rest => {
            if route::reads_arguments(ROUTES, rest, version) {
                check_query(parts)?;
            }
            let method = Method::of(&parts.method);
            let found = route::find(ROUTES, rest, method, version).map_err(|error| {
                let is_late = error.status() == StatusCode::NOT_FOUND
                    && method == Some(Method::Get)
                    && route::is_too_long(rest, version);
                match negotiation::accepts_json(&parts.headers) {
                    Err(refused) if is_late => refused,
                    _ => error,
                }
            })?;
            route::check_detail(found.path, path)?;
            args = found.args;
            if found.path == stream::PATH {
                stream = StreamRequest::of(parts);
            }
            (found.path, found.handler, found.params)
        }
    };
    if stream.is_none() {
        negotiation::accepts_json(&parts.headers)?;
    }
    Ok(Target {
        route,
        handler,
        params,
        args,
        json_suffix,
        stream,
    })
}

/// Arguments that are no text are noticed while routing.
fn check_query(parts: &Parts) -> Result<(), ApiError> {
    let query = parts.uri.query().unwrap_or_default();
    args::percent_decode(query)
        .map(|_| ())
        .map_err(|_| ApiError::router(StatusCode::BAD_REQUEST, ""))
}

fn is_root(parts: &Parts) -> bool {
    route::elements(parts.uri.path()).is_empty()
}

fn success(state: &ApiState, version: ApiVersion, reply: Reply) -> Response {
    let mut headers = HeaderMap::with_capacity(10);
    version_headers(&mut headers, state, Some(version));
    if let Some(location) = reply.location
        && let Ok(value) = HeaderValue::try_from(location)
    {
        headers.insert(LOCATION, value);
    }
    if let Some(cookie) = reply.cookie
        && let Ok(value) = HeaderValue::try_from(cookie)
    {
        headers.insert(SET_COOKIE, value);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let Some(tag) = reply.tag
        && let Ok(value) = HeaderValue::try_from(tag)
    {
        headers.insert(ETAG, value);
    }
    if let Some(proof) = reply.websocket {
        return switching(headers, &proof);
    }
    if let Some((kind, body)) = reply.stream {
        return streaming(reply.status, headers, kind, body);
    }
    with_body(reply.status, headers, reply.body)
}

/// The connection becomes a WebSocket after this.
fn switching(mut headers: HeaderMap, proof: &str) -> Response {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(proof) = HeaderValue::try_from(proof) {
        headers.insert(SEC_WEBSOCKET_ACCEPT, proof);
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    *response.headers_mut() = headers;
    response
}

/// What has no length yet. Nobody on the way may keep it, be it to have more of it at once.
fn streaming(
    status: StatusCode,
    mut headers: HeaderMap,
    kind: &'static str,
    body: Body,
) -> Response {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(UNBUFFERED, HeaderValue::from_static("no"));
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn failure(
    state: &ApiState,
    parts: &Parts,
    version: Option<ApiVersion>,
    request_id: &str,
    error: ApiError,
) -> Response {
    let status = error.status();
    let mut headers = HeaderMap::with_capacity(10);
    let text = match &error {
        ApiError::Service {
            text,
            detail,
            passes,
            try_later,
            ..
        } => {
            version_headers(&mut headers, state, version);
            if *passes {
                headers.insert(PASSES, HeaderValue::from_static("2"));
            }
            if *try_later {
                headers.insert(RETRY_AFTER, LATER);
            } else if status.is_server_error() {
                tracing::error!(
                    request_id,
                    method = %parts.method,
                    path = parts.uri.path(),
                    status = status.as_u16(),
                    detail = detail.as_deref().unwrap_or_default(),
                    "a request failed: {text}"
                );
            }
            error.envelope()
        }
        ApiError::Router {
            allow,
            version_range,
            ..
        } => {
            if *version_range {
                version_headers(&mut headers, state, None);
            }
            if let Some(allow) = allow
                && let Ok(value) = HeaderValue::try_from(allow.as_str())
            {
                headers.insert(ALLOW, value);
            }
            if version.is_none() && is_root(parts) {
                // The root document judges the version by itself, as an operation.
                error.as_service().envelope()
            } else {
                negotiation::router_error_text(&parts.method, &parts.headers, &error)
            }
        }
    };
    with_body(status, headers, Some(error::body(&text).into()))
}

/// The supported range, and the version that was served if one was.
fn version_headers(headers: &mut HeaderMap, state: &ApiState, version: Option<ApiVersion>) {
    let mut add = |name: HeaderName, version: ApiVersion| {
        if let Some(value) = version::header_value(version) {
            headers.insert(name, value);
        }
    };
    add(MIN_VERSION, ApiVersion::MIN);
    add(MAX_VERSION, state.settings.max_version);
    if let Some(version) = version {
        add(VERSION, version);
    }
}

fn with_body(status: StatusCode, mut headers: HeaderMap, body: Option<Bytes>) -> Response {
    let length = body.as_ref().map_or(0, Bytes::len);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    let body = match body {
        Some(bytes) => {
            headers.insert(CONTENT_TYPE, JSON);
            Body::from(bytes)
        }
        None => Body::empty(),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

#[cfg(test)]
mod tests {
    use crate::{
        Settings,
        testing::{Answer, Service},
    };
    use axum::{body::Body, http::Request};
    use serde_json::{Value, json};

    const BASE: &str = "http://h:6385";

    async fn raw(service: &Service, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "h:6385");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        service.request(request.body(Body::empty()).unwrap()).await
    }

    #[tokio::test]
    async fn the_root_document_answers_every_method() {
        let service = Service::new();
        for method in ["GET", "POST", "DELETE"] {
            let answer = raw(&service, method, "/", &[]).await;
            assert_eq!(answer.status, 200);
            let document = answer.json();
            assert_eq!(document["default_version"]["version"], "1.115");
            assert_eq!(document["versions"][0], document["default_version"]);
            assert_eq!(
                document["default_version"]["links"][0]["href"],
                format!("{BASE}/v1/")
            );
        }
    }

    #[tokio::test]
    async fn the_v1_document_grows_with_the_version() {
        let service = Service::new();
        let old = service.get("/v1/", 1).await.json();
        assert!(old.get("conductors").is_none());
        assert_eq!(old["media_types"]["base"], "application/json");
        let new = service.get("/v1", 115).await.json();
        assert_eq!(
            new["inspection_rules"][1]["href"],
            format!("{BASE}/inspection_rules/")
        );
        let refused = service.send("POST", "/v1", 115, json!({})).await;
        assert_eq!(refused.status, 405);
        assert!(refused.fault().starts_with("The server could not comply"));
        assert_eq!(refused.header("x-openstack-ironic-api-version"), "1.115");
    }

    #[tokio::test]
    async fn headers_tell_versions_and_the_request_id() {
        let service = Service::new();
        let fine = service.get("/v1/nodes", 90).await;
        assert_eq!(fine.header("x-openstack-ironic-api-version"), "1.90");
        assert_eq!(fine.header("x-openstack-ironic-api-minimum-version"), "1.1");
        assert_eq!(
            fine.header("x-openstack-ironic-api-maximum-version"),
            "1.115"
        );
        assert_eq!(fine.header("content-type"), "application/json");
        let id = fine.header("x-openstack-request-id");
        assert!(id.starts_with("req-") && id.len() == 40, "{id}");
        assert_eq!(fine.header("openstack-request-id"), id);
        assert_eq!(fine.header("content-length"), fine.text.len().to_string());
        let range = service.get("/v1/nope", 116).await;
        assert_eq!(range.status, 406);
        assert_eq!(range.header("x-openstack-ironic-api-version"), "");
        assert_eq!(
            range.header("x-openstack-ironic-api-maximum-version"),
            "1.115"
        );
        let root = service.get("/", 116).await;
        assert_eq!(root.status, 406);
        assert!(root.fault().starts_with("Version 1.116 was requested"));
        assert_eq!(root.header("x-openstack-ironic-api-version"), "");
        assert_eq!(
            root.header("x-openstack-ironic-api-maximum-version"),
            "1.115"
        );
        let router = service.get("/v1/nope", 115).await;
        assert_eq!(router.status, 404);
        assert_eq!(router.header("x-openstack-ironic-api-maximum-version"), "");
        assert!(router.header("openstack-request-id").starts_with("req-"));
    }

    #[tokio::test]
    async fn head_and_options() {
        let service = Service::new();
        let options = raw(&service, "OPTIONS", "/v1/whatever", &[]).await;
        assert_eq!((options.status.as_u16(), options.text.as_str()), (200, ""));
        assert_eq!(options.header("openstack-request-id"), "");
        let head = raw(&service, "HEAD", "/v1/nodes", &[]).await;
        assert_eq!((head.status.as_u16(), head.text.as_str()), (405, ""));
        assert_eq!(head.header("allow"), "DELETE, GET, PATCH, POST");
        assert_eq!(raw(&service, "HEAD", "/v1", &[]).await.status, 200);
    }

    #[tokio::test]
    async fn pages_of_other_sites_get_what_they_may_have() {
        let mut settings = Settings::default();
        settings.cors.allowed_origin = vec!["https://a".into()];
        let service = Service::with(settings);
        let origin = ("origin", "https://a");
        let refused = raw(&service, "GET", "/v1/nope", &[origin]).await;
        assert_eq!(refused.status, 404);
        assert_eq!(refused.header("access-control-allow-origin"), "https://a");
        assert_eq!(refused.header("vary"), "Origin");
        let ask = ("access-control-request-method", "PATCH");
        let preflight = raw(&service, "OPTIONS", "/v1/nodes", &[origin, ask]).await;
        assert_eq!(preflight.status, 200);
        assert_eq!(preflight.header("access-control-allow-methods"), "PATCH");
        assert_eq!(preflight.header("openstack-request-id"), "");
        // The only document that every method gets.
        let root = raw(&service, "OPTIONS", "/", &[origin, ask]).await;
        assert!(root.text.contains("default_version"));
        assert_eq!(root.header("access-control-max-age"), "3600");
    }

    #[tokio::test]
    async fn the_version_element_and_a_final_slash_are_optional() {
        let service = Service::new();
        for path in [
            "/v1/nodes",
            "/nodes",
            "/nodes/",
            "/v1/nodes/",
            "/v1/nod%65s",
        ] {
            assert_eq!(
                service.get(path, 1).await.json(),
                json!({"nodes": []}),
                "{path}"
            );
        }
        assert_eq!(service.get("/v1/nodes.json", 90).await.status, 200);
        assert_eq!(service.get("/v1/nodes.json", 91).await.status, 404);
        assert_eq!(service.get("/v1/%ff", 91).await.status, 400);
        assert_eq!(service.get("/v1//", 90).await.status, 200);
        let nobody = service.get("/v1/nodes//", 90).await;
        assert_eq!(nobody.status, 400);
        assert_eq!(nobody.fault(), "Missing mandatory parameter: node_ident");
        assert_eq!(service.get("/v1/nodes%2F", 90).await.status, 404);
        assert_eq!(service.get("/v1%2fnodes", 90).await.status, 404);
    }

    #[tokio::test]
    async fn a_client_that_refuses_json_gets_406() {
        let service = Service::new();
        let answer = raw(
            &service,
            "GET",
            "/v1/nodes",
            &[("accept", "application/xml")],
        )
        .await;
        assert_eq!(answer.status, 406);
        let text = answer.json()["error_message"].as_str().unwrap().to_owned();
        assert!(text.starts_with("406 Not Acceptable\n\n"), "{text}");
    }

    #[tokio::test]
    async fn bodies_are_limited_before_anything_else() {
        let mut settings = Settings::default();
        settings.limits.general = 10;
        let service = Service::with(settings);
        let answer = service
            .send("POST", "/v1/nope", 116, json!({"long": "long"}))
            .await;
        assert_eq!(answer.status, 413);
        assert_eq!(
            answer.json()["faultstring"],
            "Request body is too large. Please contact the service administrator."
        );
        let deep = service.send("POST", "/v1/nope", 116, Value::Null).await;
        assert_eq!(deep.status, 406, "{deep:?}");
    }
}
