//! What a handler knows about its request besides the arguments.
//!
//! Everything here is settled before the handler runs: version, identity, and what links start
//! with. Handlers read it; they never look at headers.

use crate::{
    auth::{Identity, Proof},
    policy::Credentials,
    settings::Settings,
};
use axum::http::{HeaderMap, header::HOST};
use std::sync::Arc;
use types::{ApiVersion, Caller};

/// The circumstances of one request.
#[derive(Debug, Clone)]
pub struct Ctx {
    pub version: ApiVersion,
    pub caller: Caller,
    /// What rules are asked with.
    pub credentials: Arc<Credentials>,
    /// Whether the caller speaks for the whole system, not for a project.
    pub system_scope: bool,
    /// How the caller has proven who it is.
    pub proof: Proof,
    /// What links start with, without a final slash.
    pub base: String,
    /// Whether `.json` was cut from the end of the path; the last element may really end so.
    pub json_suffix: bool,
}

impl Ctx {
    pub fn new(
        version: ApiVersion,
        identity: Identity,
        request_id: String,
        base: String,
        json_suffix: bool,
    ) -> Self {
        Self {
            version,
            caller: Caller {
                user: identity.user,
                project: identity.credentials.project_id.clone(),
                request_id,
                token: identity.token,
            },
            system_scope: identity.credentials.system_scope.as_deref() == Some("all"),
            credentials: identity.credentials,
            proof: identity.proof,
            base,
            json_suffix,
        }
    }

    /// The address of something below `/v1`.
    pub fn url(&self, path: &str) -> String {
        format!("{}/v1/{path}", self.base)
    }
}

/// What links start with.
pub(crate) fn base_url(settings: &Settings, headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|value| value.to_str().ok());
    let host = host.unwrap_or("localhost");
    let scheme = if settings.tls { "https" } else { "http" };
    if !settings.parse_proxy_headers {
        return match &settings.public_endpoint {
            Some(endpoint) => endpoint.clone(),
            None => [scheme, "://", host].concat(),
        };
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    proxied(&text, scheme, host)
}

/// The address as a proxy says the client wrote it. The configured one is not used then: the proxy
/// knows better.
fn proxied<'a>(text: &dyn Fn(&str) -> Option<&'a str>, scheme: &str, host: &str) -> String {
    if let Some(forwarded) = text("forwarded") {
        // Only the first hop saw the client.
        let first = forwarded.split(',').next().unwrap_or_default();
        let part = |name: &str| {
            first.split(';').find_map(|pair| {
                let (key, value) = pair.split_once('=')?;
                key.trim()
                    .eq_ignore_ascii_case(name)
                    .then(|| value.trim().trim_matches('"'))
            })
        };
        return format!(
            "{}://{}",
            part("proto").unwrap_or(scheme),
            part("host").unwrap_or(host)
        );
    }
    let scheme = text("x-forwarded-proto").unwrap_or(scheme);
    let mut host = text("x-forwarded-host").unwrap_or(host).to_owned();
    if let Some(port) = text("x-forwarded-port") {
        let default = (scheme == "http" && port == "80") || (scheme == "https" && port == "443");
        let bare = match host.rfind(':') {
            // A colon inside brackets belongs to an IPv6 address.
            Some(at) if !host[at..].contains(']') => &host[..at],
            _ => &host,
        };
        host = if default {
            bare.to_owned()
        } else {
            format!("{bare}:{port}")
        };
    }
    let prefix = text("x-forwarded-prefix").unwrap_or_default();
    format!("{scheme}://{host}{}", prefix.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[track_caller]
    fn check(
        settings: impl FnOnce(&mut Settings),
        list: &[(&'static str, &'static str)],
        expected: &str,
    ) {
        let mut s = Settings::default();
        settings(&mut s);
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        assert_eq!(base_url(&s, &headers), expected);
    }

    #[test]
    fn links_start_with_what_the_client_can_reach() {
        let host = ("host", "h:6385");
        let proto = ("x-forwarded-proto", "https");
        check(|_| (), &[host, proto], "http://h:6385");
        check(|s| s.tls = true, &[host], "https://h:6385");
        check(
            |s| s.public_endpoint = Some("https://pub/bm".into()),
            &[host],
            "https://pub/bm",
        );
        let proxy = |s: &mut Settings| {
            s.parse_proxy_headers = true;
            s.public_endpoint = Some("https://unused".into());
        };
        check(proxy, &[host], "http://h:6385");
        check(proxy, &[host, proto], "https://h:6385");
        check(
            proxy,
            &[
                host,
                proto,
                ("x-forwarded-host", "p"),
                ("x-forwarded-port", "8443"),
                ("x-forwarded-prefix", "/bm/"),
            ],
            "https://p:8443/bm",
        );
        check(
            proxy,
            &[host, ("forwarded", "for=1.2.3.4;proto=https;host=f, for=x")],
            "https://f",
        );
    }
}
