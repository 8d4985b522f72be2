//! Which web pages may make a browser ask us, and under which names we are asked.
//!
//! Where a browser proves by itself who its user is (`http_basic`, or a session of the web page), or
//! no proof is asked for (`noauth`), any page that the user opens could send requests. Browsers tell
//! where a request comes from; programs do not, and notice nothing of this. So a request that a
//! browser says another site caused is refused in every mode, be it to read or to change, unless the
//! operator allows the site (`[cors]`).
//!
//! A page can also have the name of its own site resolve to this machine, and is then of the same
//! origin for the browser. What gives it away is that name. A service that everybody may use because
//! only this machine reaches it therefore answers only under names of this machine.

use crate::{Auth, ctx, settings::Settings};
use axum::http::{
    HeaderMap, Method, StatusCode,
    header::{HOST, ORIGIN},
    request::Parts,
};
use std::net::IpAddr;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Foreign {
    /// A page of another site asks.
    #[error(
        "Pages of {0} may not ask anything here. The operator can allow them by \
         [cors]allowed_origin."
    )]
    Page(String),
    /// We are asked under a name that is not ours.
    #[error(
        "This service is asked without authentication, and answers only under names of its own \
         machine, not as {0}. The operator can allow more by [corten]allowed_hosts or \
         [api]public_endpoint."
    )]
    Name(String),
}

impl Foreign {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Page(_) => StatusCode::FORBIDDEN,
            Self::Name(_) => StatusCode::MISDIRECTED_REQUEST,
        }
    }
}

/// Refuses what pages of other sites have their visitors' browsers ask.
pub(crate) fn check(settings: &Settings, parts: &Parts) -> Result<(), Foreign> {
    check_name(settings, parts)?;
    // What a page may do is asked by this; the answer is up to `[cors]`.
    if parts.method == Method::OPTIONS {
        return Ok(());
    }
    check_page(settings, parts)
}

fn check_page(settings: &Settings, parts: &Parts) -> Result<(), Foreign> {
    let headers = &parts.headers;
    let shown = |text: &str| types::mask::text(text).into_owned();
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().unwrap_or("an unreadable origin");
        let everybody = settings.cors.allowed_origin.iter().any(|name| name == "*");
        if everybody || is_welcome(settings, headers, origin) {
            return Ok(());
        }
        if !is_read_of_ironic(parts) {
            return Err(Foreign::Page(shown(origin)));
        }
    }
    let relation = headers.get("sec-fetch-site").map(|value| value.as_bytes());
    match relation {
        None | Some(b"same-origin" | b"none") => Ok(()),
        // A link to our own page; the page with the link cannot read anything of it.
        Some(_) if is_visit(parts) => Ok(()),
        Some(_) => Err(Foreign::Page("another site".to_owned())),
    }
}

/// Whether something of Ironic is only read. Ironic answers such a request whatever origin it names;
/// that of a browser has the header below besides.
fn is_read_of_ironic(parts: &Parts) -> bool {
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    is_read && !parts.uri.path().starts_with("/corten/")
}

/// Whether a user opens the web page itself.
fn is_visit(parts: &Parts) -> bool {
    let path = parts.uri.path();
    let is_page = path == "/" || path == "/ui" || path.starts_with("/ui/");
    let mode = parts.headers.get("sec-fetch-mode");
    parts.method == Method::GET && is_page && mode.is_none_or(|mode| mode.as_bytes() == b"navigate")
}

fn check_name(settings: &Settings, parts: &Parts) -> Result<(), Foreign> {
    if !settings.is_local_only || !matches!(settings.auth, Auth::NoAuth) {
        return Ok(());
    }
    // A name in the request line counts more than the header.
    let asked = match parts.uri.authority() {
        Some(authority) => authority.as_str(),
        None => match parts.headers.get(HOST).map(|host| host.to_str()) {
            None => return Ok(()),
            Some(Err(_)) => "an unreadable name",
            Some(Ok(host)) => host,
        },
    };
    let name = without_port(asked);
    let public = settings.public_endpoint.as_deref().and_then(place);
    let is_host = !name.is_empty() && settings.host.eq_ignore_ascii_case(name);
    let is_ours = is_host
        || is_local(name)
        || public.is_some_and(|(host, _)| without_port(&host).eq_ignore_ascii_case(name))
        || settings
            .allowed_hosts
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name));
    is_ours
        .then_some(())
        .ok_or_else(|| Foreign::Name(types::mask::text(asked).into_owned()))
}

/// Whether a page of this origin is one of ours: it was served under the address that it asks, or
/// the operator named its site.
pub(crate) fn is_welcome(settings: &Settings, headers: &HeaderMap, origin: &str) -> bool {
    let base = ctx::base_url(settings, headers);
    let is_ours = place(&base).is_some_and(|ours| place(origin) == Some(ours));
    let named = &settings.cors.allowed_origin;
    is_ours || named.iter().any(|name| name == origin)
}

/// Host and port of an address, with the port that its scheme means.
fn place(address: &str) -> Option<(String, u16)> {
    let url = reqwest::Url::parse(address).ok()?;
    Some((url.host_str()?.to_owned(), url.port_or_known_default()?))
}

/// The name or address before the port.
fn without_port(host: &str) -> &str {
    if let Some(inside) = host.strip_prefix('[') {
        return inside.split(']').next().unwrap_or_default();
    }
    host.split(':').next().unwrap_or_default()
}

/// Whether a name is this machine's for certain, without asking anybody.
fn is_local(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if let Ok(address) = name.parse::<IpAddr>() {
        return address.to_canonical().is_loopback();
    }
    // Browsers resolve everything below it by themselves.
    let is_below = name.ends_with(".localhost");
    is_below
        || matches!(
            name.as_str(),
            "localhost" | "localhost.localdomain" | "ip6-localhost"
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use axum::{body::Body, http::Request};

    async fn ask(settings: &Settings, method: &str, headers: &[(&str, &str)]) -> u16 {
        let service = Service::with(settings.clone());
        let mut request = Request::builder().method(method).uri("/v1/nodes");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Body::from(r#"{"driver": "fake-hardware"}"#);
        let answer = service.request(request.body(body).unwrap()).await;
        answer.status.as_u16()
    }

    const JSON: (&str, &str) = ("content-type", "application/json");
    const PLAIN: (&str, &str) = ("content-type", "text/plain");
    const HERE: (&str, &str) = ("host", "127.0.0.1:6385");

    #[tokio::test]
    async fn pages_of_other_sites_change_nothing() {
        let mut settings = Settings::default();
        let evil = ("origin", "https://evil.example");
        let cross = ("sec-fetch-site", "cross-site");
        for kind in [JSON, PLAIN] {
            assert_eq!(ask(&settings, "POST", &[HERE, kind, evil]).await, 403);
            assert_eq!(ask(&settings, "POST", &[HERE, kind, cross]).await, 403);
        }
        let null = ("origin", "null");
        assert_eq!(ask(&settings, "POST", &[HERE, JSON, null]).await, 403);
        let neighbour = ("origin", "http://127.0.0.1:8080");
        assert_eq!(ask(&settings, "POST", &[HERE, JSON, neighbour]).await, 403);
        // Programs say nothing of the kind; our own pages name us.
        assert_eq!(ask(&settings, "POST", &[HERE, JSON]).await, 201);
        let own = ("origin", "http://127.0.0.1:6385");
        let same = ("sec-fetch-site", "same-origin");
        assert_eq!(ask(&settings, "POST", &[HERE, JSON, own, same]).await, 201);
        // Whether its answer could be read is not left to the browser.
        assert_eq!(ask(&settings, "GET", &[HERE, cross]).await, 403);
        assert_eq!(ask(&settings, "GET", &[HERE, evil, cross]).await, 403);
        // No browser: Ironic answers this.
        assert_eq!(ask(&settings, "GET", &[HERE, evil]).await, 200);
        assert_eq!(ask(&settings, "OPTIONS", &[HERE, evil, cross]).await, 200);
        settings.cors.allowed_origin = vec!["https://evil.example".into()];
        assert_eq!(
            ask(&settings, "POST", &[HERE, JSON, evil, cross]).await,
            201
        );
        settings.cors.allowed_origin = vec!["*".into()];
        assert_eq!(ask(&settings, "POST", &[HERE, JSON, null]).await, 201);
    }

    #[tokio::test]
    async fn an_open_service_answers_only_under_names_of_its_machine() {
        let mut settings = Settings {
            is_local_only: true,
            host: "rack-7".to_owned(),
            ..Settings::default()
        };
        for name in [
            "127.0.0.1:6385",
            "localhost:6385",
            "[::1]:6385",
            "a.localhost",
            "rack-7:6385",
            "LOCALHOST.",
        ] {
            assert_eq!(
                ask(&settings, "GET", &[("host", name)]).await,
                200,
                "{name}"
            );
        }
        for name in [
            "rebind.evil.example:6385",
            "10.0.0.1",
            "localhost.evil.example",
            "",
        ] {
            assert_eq!(
                ask(&settings, "GET", &[("host", name)]).await,
                421,
                "{name}"
            );
        }
        assert_eq!(ask(&settings, "GET", &[]).await, 200);
        settings.allowed_hosts = vec!["lab".into()];
        assert_eq!(ask(&settings, "GET", &[("host", "lab:80")]).await, 200);
        settings.public_endpoint = Some("https://metal.example/v1".into());
        assert_eq!(
            ask(&settings, "GET", &[("host", "metal.example")]).await,
            200
        );
        // Beyond this machine there is no telling which names lead here.
        settings.is_local_only = false;
        assert_eq!(ask(&settings, "GET", &[("host", "anything")]).await, 200);
    }
}
