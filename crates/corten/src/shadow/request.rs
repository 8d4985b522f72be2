//! Which requests are asked of both services, and what of a request is passed on.
//!
//! Only reads are, and of those only such as Ironic answers from its database alone: others wake
//! conductors and BMCs, and `GET /v1/lookup` hands out a token. So the paths that may be repeated are
//! listed, and what is not listed is left alone.

use axum::http::{HeaderMap, HeaderValue, Uri, header};
use std::fmt;

/// Longer targets are not repeated.
const LONGEST: usize = 2048;
/// A path has no more parts than this.
const MOST_PARTS: usize = 6;

/// Both names of the header that names a version.
const IRONIC_VERSION: &str = "x-openstack-ironic-api-version";
const COMMON_VERSION: &str = "openstack-api-version";
const TOKEN: &str = "x-auth-token";

/// What Ironic answers from its database; `*` stands for one part.
const ROUTES: &[&str] = &[
    "nodes",
    "nodes/detail",
    "nodes/*",
    "nodes/*/states",
    "nodes/*/traits",
    "nodes/*/bios",
    "nodes/*/bios/*",
    "nodes/*/firmware",
    "nodes/*/history",
    "nodes/*/history/*",
    "nodes/*/inventory",
    "nodes/*/allocation",
    "nodes/*/children",
    "nodes/*/ports",
    "nodes/*/ports/detail",
    "nodes/*/portgroups",
    "nodes/*/portgroups/detail",
    "nodes/*/volume",
    "nodes/*/volume/connectors",
    "nodes/*/volume/targets",
    "ports",
    "ports/detail",
    "ports/*",
    "portgroups",
    "portgroups/detail",
    "portgroups/*",
    "portgroups/*/ports",
    "portgroups/*/ports/detail",
    "chassis",
    "chassis/detail",
    "chassis/*",
    "chassis/*/nodes",
    "chassis/*/nodes/detail",
    "volume",
    "volume/connectors",
    "volume/connectors/*",
    "volume/targets",
    "volume/targets/*",
    "allocations",
    "allocations/*",
    "deploy_templates",
    "deploy_templates/*",
    "runbooks",
    "runbooks/*",
    "inspection_rules",
    "inspection_rules/*",
    "shards",
];

/// Arguments by which a list depends on conductors, of which a copy has none.
const OF_CONDUCTORS: &[&str] = &["conductor", "reservation"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Verb {
    Get,
    Head,
}

impl Verb {
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name {
            "GET" => Some(Self::Get),
            "HEAD" => Some(Self::Head),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
        }
    }
}

/// A read that may be repeated.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Read {
    pub(crate) verb: Verb,
    /// From `/v1` on, with the query.
    pub(crate) target: String,
    pub(crate) version: Option<String>,
    /// The token of whoever asked: a secret, which only whoever answers gets.
    token: Option<HeaderValue>,
}

impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb.name(), self.target)
    }
}

impl Read {
    /// `None` for what is not repeated.
    pub(crate) fn new(verb: Verb, target: &str, version: Option<&str>) -> Option<Self> {
        let is_version = |text: &str| {
            let is_known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
            text.len() <= 16 && text.bytes().all(is_known)
        };
        (may_be_repeated(target) && version.is_none_or(is_version)).then(|| Self {
            verb,
            target: target.to_owned(),
            version: version.map(str::to_owned),
            token: None,
        })
    }

    /// The same of a request that somebody else made.
    pub(crate) fn of_headers(verb: Verb, target: &str, headers: &HeaderMap) -> Option<Self> {
        // What else is accepted than JSON, and what depends on an older answer, has answers of its own.
        let accept = headers.get(header::ACCEPT);
        let is_json = accept.is_none_or(|accept| {
            let accept = accept.to_str().unwrap_or_default();
            accept.contains("json") || accept.contains("*/*")
        });
        if !is_json || headers.contains_key(header::IF_NONE_MATCH) {
            return None;
        }
        let ironic = headers.get(IRONIC_VERSION).map(HeaderValue::to_str);
        let common = headers.get(COMMON_VERSION).map(HeaderValue::to_str);
        let version = match (ironic, common) {
            (Some(text), _) => Some(text.ok()?.trim()),
            (None, Some(text)) => Some(text.ok()?.trim().strip_prefix("baremetal ")?.trim()),
            (None, None) => None,
        };
        let mut read = Self::new(verb, target, version)?;
        read.token = headers.get(TOKEN).cloned();
        Some(read)
    }

    pub(crate) fn with_token(mut self, token: Option<HeaderValue>) -> Self {
        self.token = token;
        self
    }

    /// The headers to ask with; the version can be another one.
    pub(crate) fn headers(&self, version: Option<&str>, with_token: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::ACCEPT, json);
        if let Some(version) = version.and_then(|version| HeaderValue::from_str(version).ok()) {
            headers.insert(IRONIC_VERSION, version);
        }
        if let Some(token) = self.token.clone().filter(|_| with_token) {
            headers.insert(TOKEN, token);
        }
        headers
    }
}

/// The version that an answer was given in.
pub(crate) fn answered_version(headers: &HeaderMap) -> Option<String> {
    let version = headers.get(IRONIC_VERSION)?.to_str().ok()?;
    Some(version.to_owned())
}

fn may_be_repeated(target: &str) -> bool {
    if target.len() > LONGEST || !target.starts_with("/v1/") {
        return false;
    }
    // Whatever a client would write otherwise is not what was asked.
    let Some(uri) = target.parse::<Uri>().ok() else {
        return false;
    };
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\\\"<>^`{|}#".contains(&byte);
    if !target.bytes().all(is_plain) || uri.path().contains('%') {
        return false;
    }
    let path = uri.path().strip_prefix("/v1/").unwrap_or_default();
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    let is_odd = |part: &&str| matches!(*part, "" | "." | "..");
    if parts.len() > MOST_PARTS || parts.iter().any(is_odd) {
        return false;
    }
    let fits = |route: &&str| {
        let wanted = route.split('/');
        wanted.clone().count() == parts.len()
            && wanted
                .zip(&parts)
                .all(|(wanted, part)| wanted == "*" || wanted == *part)
    };
    let asks_conductors = uri.query().unwrap_or_default().split('&').any(|argument| {
        let name = argument.split('=').next().unwrap_or_default();
        OF_CONDUCTORS.contains(&name)
    });
    ROUTES.iter().any(fits) && !asks_conductors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reads_that_the_database_answers_are_repeated() {
        for (target, expected) in [
            ("/v1/nodes", true),
            ("/v1/nodes/", true),
            ("/v1/nodes?limit=3&sort_key=name", true),
            ("/v1/nodes/n1/states", true),
            ("/v1/nodes/n1/states/console", false),
            ("/v1/nodes/n1/validate", false),
            ("/v1/nodes/n1/vifs", false),
            ("/v1/nodes/n1/management/boot_device", false),
            ("/v1/lookup?addresses=52:54:00:00:00:01", false),
            ("/v1/nodes/../lookup", false),
            ("/v1/nodes/%2e%2e/lookup", false),
            ("/v1/nodes/.%2E/lookup", false),
            ("/v1//nodes", false),
            ("/v1/nodes\\..\\lookup", false),
            ("//other.example/v1/nodes", false),
            ("http://other.example/v1/nodes", false),
            ("/v1/nodes?conductor=ctl1", false),
            ("/v1/nodes#x", false),
            ("/v1/nodes\r\nx: y", false),
            ("/v1/heartbeat/n1", false),
            ("/v1", false),
            ("", false),
        ] {
            let read = Read::new(Verb::Get, target, None);
            assert_eq!(read.is_some(), expected, "{target}");
        }
        assert!(
            Read::new(
                Verb::Get,
                &format!("/v1/nodes?q={}", "x".repeat(LONGEST)),
                None
            )
            .is_none()
        );
        assert!(Read::new(Verb::Get, "/v1/nodes", Some("1.81\r\nx: y")).is_none());
    }

    #[test]
    fn a_token_is_passed_on_only_where_it_is_to_be_and_never_shown() {
        let mut headers = HeaderMap::new();
        headers.insert(TOKEN, HeaderValue::from_static("s3cret"));
        headers.insert(
            "openstack-api-version",
            HeaderValue::from_static("baremetal 1.81"),
        );
        headers.insert("cookie", HeaderValue::from_static("s3cret"));
        let read = Read::of_headers(Verb::Get, "/v1/nodes", &headers).unwrap();
        assert_eq!(read.version.as_deref(), Some("1.81"));
        assert!(!format!("{read:?}").contains("s3cret"));
        assert_eq!(read.headers(None, true).get(TOKEN).unwrap(), "s3cret");
        for headers in [read.headers(Some("1.80"), false), read.headers(None, true)] {
            assert!(headers.get("cookie").is_none());
        }
        assert!(read.headers(None, false).get(TOKEN).is_none());
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/html"));
        assert!(Read::of_headers(Verb::Get, "/v1/nodes", &headers).is_none());
    }
}
