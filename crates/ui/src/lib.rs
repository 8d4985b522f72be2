//! The web page, as files that were built beforehand and are part of the program.
//!
//! `ui/dist` is committed, so that building the program needs no Node; [`table`] names its files and
//! is written together with them (`make ui`). The page is a client of the public API like any other:
//! this crate knows nothing of the service, and the API knows nothing of it.
//!
//! Below `/ui/` everything that is no file of the page answers its one document, because the page
//! reads the address itself. `/ui/vnc` is another document, which shows the screen of a machine. Names of assets carry a hash of their content and never change.

mod headers;
mod table;

use axum::{
    body::Body,
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode,
        header::{
            ACCEPT, ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH,
            CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION, VARY,
        },
    },
    response::Response,
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    fmt::Write as _,
    io::Write as _,
    sync::{LazyLock, OnceLock},
};

/// Where the page is.
pub const PATH: &str = "/ui/";

const DOCUMENT: &str = "index.html";
/// The document with the screen of a machine.
const SCREEN: &str = "vnc.html";
/// Assets are named by their content.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// The document names the assets of this version, so it is asked for each time.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// One file of the page.
struct File {
    /// Below `/ui/`.
    name: &'static str,
    bytes: &'static [u8],
}

/// A file and what is made of it at the first request.
struct Prepared {
    file: &'static File,
    etag: HeaderValue,
    gzip: OnceLock<Bytes>,
}

impl Prepared {
    fn new(file: &'static File) -> Self {
        let mut tag = String::from("\"");
        for byte in Sha256::digest(file.bytes).iter().take(12) {
            // Writing to a string does not fail.
            let _ = write!(tag, "{byte:02x}");
        }
        tag.push('"');
        Self {
            file,
            etag: HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"page\"")),
            gzip: OnceLock::new(),
        }
    }

    fn gzip(&self) -> Bytes {
        let bytes = self.gzip.get_or_init(|| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            let packed = encoder
                .write_all(self.file.bytes)
                .and_then(|()| encoder.finish());
            // Memory takes every write; if it did not, the answer goes out as it is.
            packed.map(Bytes::from).unwrap_or_default()
        });
        bytes.clone()
    }
}

static FILES: LazyLock<HashMap<&'static str, Prepared>> = LazyLock::new(|| {
    let prepared = table::FILES
        .iter()
        .map(|file| (file.name, Prepared::new(file)));
    prepared.collect()
});

/// The answer to a request for the page; `None` for all others, which are the API's.
///
/// `is_secure` says whether clients speak TLS with this process.
pub fn answer<B>(request: &Request<B>, is_secure: bool) -> Option<Response> {
    let path = request.uri().path();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    if path == "/" {
        let wants_page = is_read && prefers_html(request.headers());
        return wants_page.then(|| redirect(StatusCode::FOUND));
    }
    if path == "/ui" {
        return Some(redirect(StatusCode::PERMANENT_REDIRECT));
    }
    let name = path.strip_prefix(PATH)?;
    let mut response = if is_read {
        file(name, request)
    } else {
        let mut refusal = empty(StatusCode::METHOD_NOT_ALLOWED);
        let allowed = HeaderValue::from_static("GET, HEAD");
        refusal.headers_mut().insert(ALLOW, allowed);
        refusal
    };
    let asked = request.headers();
    headers::guard(response.headers_mut(), asked, is_secure, is_screen(name));
    Some(response)
}

fn is_screen(name: &str) -> bool {
    matches!(name, "vnc" | SCREEN)
}

fn file<B>(name: &str, request: &Request<B>) -> Response {
    let is_asset = name.starts_with("assets/");
    let found = FILES
        .get(name)
        .filter(|_| ![DOCUMENT, SCREEN].contains(&name));
    let document = if is_screen(name) { SCREEN } else { DOCUMENT };
    let document = || FILES.get(document).filter(|_| !is_asset);
    let Some(prepared) = found.or_else(document) else {
        // Of another version, during an upgrade: the page notices and loads itself anew.
        return empty(StatusCode::NOT_FOUND);
    };
    let known = request.headers().get(IF_NONE_MATCH);
    let mut response = if known.is_some_and(|known| matches(known, &prepared.etag)) {
        empty(StatusCode::NOT_MODIFIED)
    } else {
        whole(prepared, request)
    };
    let headers = response.headers_mut();
    headers.insert(ETAG, prepared.etag.clone());
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(CACHE_CONTROL, if is_asset { FOREVER } else { ASK_AGAIN });
    response
}

/// The file with its bytes, packed if the client takes that.
fn whole<B>(prepared: &Prepared, request: &Request<B>) -> Response {
    let packed = takes_gzip(request.headers())
        .then(|| prepared.gzip())
        .filter(|packed| !packed.is_empty());
    let is_packed = packed.is_some();
    let bytes = packed.unwrap_or(Bytes::from_static(prepared.file.bytes));
    let length = HeaderValue::from(bytes.len());
    let body = match *request.method() {
        Method::HEAD => Body::empty(),
        _ => Body::from(bytes),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, kind(prepared.file.name));
    headers.insert(CONTENT_LENGTH, length);
    if is_packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn kind(name: &str) -> HeaderValue {
    let kind = match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "text/html; charset=utf-8",
    };
    HeaderValue::from_static(kind)
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn redirect(status: StatusCode) -> Response {
    let mut response = empty(status);
    let headers = response.headers_mut();
    headers.insert(LOCATION, HeaderValue::from_static(PATH));
    headers.insert(VARY, HeaderValue::from_static("accept"));
    response
}

/// Whether one of the tags that a client knows is this one.
fn matches(known: &HeaderValue, etag: &HeaderValue) -> bool {
    let (Ok(known), Ok(etag)) = (known.to_str(), etag.to_str()) else {
        return false;
    };
    let tags = known
        .split(',')
        .map(|tag| tag.trim().trim_start_matches("W/"));
    tags.into_iter().any(|tag| tag == etag || tag == "*")
}

/// Browsers ask for HTML by name; programs do not.
fn prefers_html(headers: &HeaderMap) -> bool {
    let html = quality(headers, &ACCEPT, "text/html");
    let json = quality(headers, &ACCEPT, "application/json");
    html > 0.0 && html > json
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    quality(headers, &ACCEPT_ENCODING, "gzip") > 0.0
}

/// How much a client wants something that it names; zero if it does not.
fn quality(headers: &HeaderMap, header: &HeaderName, wanted: &str) -> f32 {
    let values = headers.get_all(header).into_iter();
    let entries = values.filter_map(|value| value.to_str().ok());
    let mut found = 0.0;
    for entry in entries.flat_map(|value| value.split(',')) {
        let mut parts = entry.split(';').map(str::trim);
        if !parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(wanted))
        {
            continue;
        }
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        let weight = weight.map_or(Some(1.0), |weight| weight.trim().parse().ok());
        found = f32::max(found, weight.unwrap_or(0.0));
    }
    found
}

#[cfg(test)]
mod tests;
