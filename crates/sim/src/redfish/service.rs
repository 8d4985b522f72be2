//! The service as a function: a request of HTTP in, an answer out.
//!
//! What is the same for all resources is here: who may ask, which methods there are, bodies, entity
//! tags, pages. Nothing waits, so all of it is tested without sockets; what faults do to a finished
//! answer is the business of the server.

use super::{
    answer::{self, Answer, Body},
    auth,
    call::{Call, Site},
    message::Problem,
    query::Query,
    route::{self, Route},
    routes::ROUTES,
};
use crate::{fault::Write, machine::parts};
use hyper::{
    HeaderMap, Method, StatusCode,
    header::{self, HeaderName},
};
use serde_json::{Value, json};

/// The largest body that is read as JSON.
const LARGEST: usize = 1 << 20;

/// A request with all of its body.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
}

/// Answers a request. The status says whether anything was done.
pub(crate) fn answer(site: &Site, request: &Request<'_>) -> Answer {
    let mut answer = respond(site, request).unwrap_or_else(|problem| refuse(site, &problem));
    answer.headers.push((ODATA_VERSION, "4.0".to_owned()));
    answer
        .headers
        .push((header::CACHE_CONTROL, "no-cache".to_owned()));
    answer
}

const ODATA_VERSION: HeaderName = HeaderName::from_static("odata-version");

pub(crate) fn refuse(site: &Site, problem: &Problem) -> Answer {
    let mut body = problem.json();
    if site.quirks().has_dell_oem {
        // Where this maker's messages stand too, and where clients made for it look.
        body["@Message.ExtendedInfo"] = body["error"]["@Message.ExtendedInfo"].clone();
    }
    let mut answer = Answer::of(problem.status, Body::Json(body));
    if problem.status == StatusCode::UNAUTHORIZED {
        answer = answer.with(
            header::WWW_AUTHENTICATE,
            "Basic realm=\"simulator\"".to_owned(),
        );
    }
    if let Some(seconds) = problem.retry_after {
        answer = answer.with(header::RETRY_AFTER, seconds.to_string());
    }
    answer
}

fn respond(site: &Site, request: &Request<'_>) -> Result<Answer, Problem> {
    check_version(request.headers)?;
    let mut path = clean(request.path);
    if *request.method == Method::POST
        && let Some(collection) = path.strip_suffix("/Members")
    {
        path = collection.to_owned();
    }
    let missing = || Problem::new("ResourceMissingAtURI", &[request.path]);
    let found = ROUTES
        .iter()
        .find_map(|route| route.fits(&path).map(|params| (route, params)));
    let is_read = matches!(*request.method, Method::GET | Method::HEAD);
    let is_open = found.as_ref().is_some_and(|(route, _)| {
        if is_read {
            route.is_open
        } else {
            path == auth::SESSIONS && *request.method == Method::POST
        }
    });
    // Unauthenticated callers learn nothing, not even which resources exist.
    let user = if is_open {
        None
    } else {
        Some(auth::user(site, request.headers, request.path)?)
    };
    let (route, params) = found.ok_or_else(missing)?;
    let machine = route::machine(site, &params).ok_or_else(missing)?;
    let body = body_of(request)?;
    let call = Call {
        site,
        machine,
        quirks: site.quirks(),
        path: &path,
        params,
        body: &body,
        user: user.as_ref(),
        now: parts::now(),
    };
    if is_read {
        return read(&call, route, request);
    }
    if let Some(user) = &user
        && !route.is_own
        && !auth::may_change(user)
    {
        return Err(Problem::new("InsufficientPrivilege", &[]));
    }
    write(&call, route, request)
}

/// Only OData 4.0 is supported; other versions are refused.
fn check_version(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.get(&ODATA_VERSION) {
        Some(version) if version != "4.0" => {
            let words = "only version 4.0 of OData is understood";
            Err(Problem::said(StatusCode::PRECONDITION_FAILED, words))
        }
        _ => Ok(()),
    }
}

/// The path without a slash at the end, and with what was written as numbers written out.
fn clean(path: &str) -> String {
    let path = path
        .replace("%24", "$")
        .replace("%3A", ":")
        .replace("%3a", ":");
    match path.strip_suffix('/') {
        Some("") | None => path,
        Some(short) => short.to_owned(),
    }
}

fn body_of(request: &Request<'_>) -> Result<Value, Problem> {
    if matches!(*request.method, Method::GET | Method::HEAD) || request.body.is_empty() {
        return Ok(Value::Null);
    }
    let kind = request.headers.get(header::CONTENT_TYPE);
    let kind = kind
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or("application/json");
    if kind.starts_with("multipart/form-data") {
        return super::multipart::parts(kind, request.body)
            .ok_or_else(|| Problem::new("UnrecognizedRequestBody", &[]));
    }
    if kind.starts_with("application/octet-stream") {
        return Ok(json!({"length": request.body.len()}));
    }
    if !kind.starts_with("application/json") {
        let problem = Problem::said(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "only JSON is understood",
        );
        return Err(problem);
    }
    if request.body.len() > LARGEST {
        return Err(
            Problem::new("UnrecognizedRequestBody", &[]).status(StatusCode::PAYLOAD_TOO_LARGE)
        );
    }
    serde_json::from_slice(request.body).map_err(|_| Problem::new("MalformedJSON", &[]))
}

fn not_allowed(route: &Route) -> Answer {
    let body = Problem::new("OperationNotAllowed", &[]).json();
    Answer::of(StatusCode::METHOD_NOT_ALLOWED, Body::Json(body)).with(header::ALLOW, route.allow())
}

fn read(call: &Call<'_>, route: &Route, request: &Request<'_>) -> Result<Answer, Problem> {
    if let Some(raw) = route.raw {
        let is_bare = raw(call)?;
        return Ok(is_bare.with(header::ALLOW, route.allow()));
    }
    let Some(show) = route.show else {
        return Ok(not_allowed(route));
    };
    let query = Query::parse(request.query)?;
    let mut body = show(call)?;
    let tag = answer::etag(&body, call.quirks.etag.are_weak);
    let held = request
        .headers
        .get(header::IF_NONE_MATCH)
        .and_then(|held| held.to_str().ok());
    if held.is_some_and(|held| answer::matches(held, &tag)) {
        return Ok(Answer::of(StatusCode::NOT_MODIFIED, Body::None).with(header::ETAG, tag));
    }
    query.page(&mut body, call.path, call.site.options.page);
    if query.expands {
        expand(call, &mut body);
    }
    if let Some(object) = body.as_object_mut()
        && object.contains_key("@odata.id")
    {
        object.insert("@odata.etag".to_owned(), json!(tag));
    }
    let schema = schema_of(&body);
    let mut answer = Answer::ok(body);
    if let Some(schema) = schema {
        answer = answer.with(header::LINK, format!("<{schema}>; rel=describedby"));
    }
    if super::resource::task::is_pending_view(call) {
        answer.status = StatusCode::ACCEPTED;
        answer = answer.with(header::LOCATION, call.path.to_owned());
    }
    Ok(answer
        .with(header::ETAG, tag)
        .with(header::ALLOW, route.allow()))
}

/// Where the schema of a resource is published.
fn schema_of(body: &Value) -> Option<String> {
    let kind = body["@odata.type"].as_str()?.strip_prefix('#')?;
    let (namespace, _) = kind.rsplit_once('.')?;
    Some(format!(
        "http://redfish.dmtf.org/schemas/v1/{namespace}.json"
    ))
}

/// Puts the resources themselves where links to them are.
fn expand(call: &Call<'_>, body: &mut Value) {
    let members = body.get_mut("Members").and_then(Value::as_array_mut);
    for member in members.into_iter().flatten() {
        let shown = member["@odata.id"].as_str().and_then(|uri| look(call, uri));
        if let Some(shown) = shown {
            *member = shown;
        }
    }
}

/// Another resource of the same service.
pub(crate) fn look(call: &Call<'_>, uri: &str) -> Option<Value> {
    ROUTES.iter().find_map(|route| {
        let params = route.fits(uri)?;
        let call = Call {
            site: call.site,
            machine: route::machine(call.site, &params)?,
            quirks: call.quirks,
            path: uri,
            params,
            body: &Value::Null,
            user: call.user,
            now: call.now,
        };
        route.show?(&call).ok()
    })
}

fn write(call: &Call<'_>, route: &Route, request: &Request<'_>) -> Result<Answer, Problem> {
    let Some(act) = route.act(request.method) else {
        return Ok(not_allowed(route));
    };
    if *request.method == Method::PATCH {
        if call.body.is_null() {
            return Err(Problem::new("MalformedJSON", &[]));
        }
        if call.body.as_object().is_some_and(serde_json::Map::is_empty) {
            return Err(Problem::new("EmptyJSON", &[]));
        }
    }
    check_tag(call, route, request)?;
    let faults = call.host().faults();
    if faults.http.busy_in_post && !route.is_of_service && route.write != Write::Power {
        let words = "iLO.2.14.UnableToModifyDuringSystemPOST";
        return Err(Problem::said(StatusCode::BAD_REQUEST, words));
    }
    if !route.is_of_service && route.write == Write::Other && faults.ignores(Write::Other) {
        return ignored(call, route, request.method);
    }
    let answer = act(call)?;
    if *request.method == Method::PATCH
        && answer.status == StatusCode::OK
        && matches!(answer.body, Body::None)
        && let Some(show) = route.show
    {
        let body = show(call)?;
        let tag = answer::etag(&body, call.quirks.etag.are_weak);
        let shown = Answer::ok(body).with(header::ETAG, tag);
        return Ok(shown.wanting(answer.wanted));
    }
    Ok(answer)
}

/// The answer to a refused change.
fn ignored(call: &Call<'_>, route: &Route, method: &Method) -> Result<Answer, Problem> {
    match route.show {
        Some(show) if *method == Method::PATCH => Ok(Answer::ok(show(call)?)),
        Some(_) if *method == Method::POST => {
            let location = format!("{}/1", call.path);
            Ok(Answer::created(location, Value::Null))
        }
        _ => Ok(Answer::nothing()),
    }
}

/// Refuses to change what is no longer what the client has seen.
fn check_tag(call: &Call<'_>, route: &Route, request: &Request<'_>) -> Result<(), Problem> {
    let Some(show) = route.show else {
        return Ok(());
    };
    let held = request
        .headers
        .get(header::IF_MATCH)
        .and_then(|held| held.to_str().ok());
    match held {
        Some(held) => {
            let tag = answer::etag(&show(call)?, call.quirks.etag.are_weak);
            if answer::matches(held, &tag) {
                Ok(())
            } else {
                Err(Problem::new("PreconditionFailed", &[]))
            }
        }
        None if call.quirks.etag.are_needed
            && *request.method == Method::PATCH
            && call.path.starts_with("/redfish/v1/Systems/") =>
        {
            Err(Problem::new("PreconditionRequired", &[]))
        }
        None => Ok(()),
    }
}
