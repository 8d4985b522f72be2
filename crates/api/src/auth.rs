//! Who is asking: `noauth`, `http_basic`, `keystone` and `local`.
//!
//! Under the first two every identity passes every policy; what the headers say about the project
//! and the scope is not verified, and still decides who becomes the owner of a new node. Under
//! Keystone only what its token says counts, and for local users only what roles they have.

mod basic;
pub mod keystone;
pub(crate) mod local;
pub mod oidc;
pub(crate) mod passwords;
pub(crate) mod session;
pub mod users;

use crate::{
    negotiation,
    peer::{self, Peer},
    policy::{Credentials, Roles},
    settings::Settings,
    state::ApiState,
};
use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
};
pub use basic::{AuthFileError, HttpBasic};
pub use keystone::Keystone;
pub use local::LocalUsers;
use serde_json::json;
use std::sync::Arc;
use store::Db;
use types::UserToken;

/// How requests are authenticated.
#[derive(Debug, Clone)]
pub enum Auth {
    /// Everybody may do everything; identity headers are believed.
    NoAuth,
    /// User names and passwords from a file.
    HttpBasic(Arc<HttpBasic>),
    /// Tokens that the identity service vouches for.
    Keystone(Arc<Keystone>),
    /// Users in the database, with passwords and tokens.
    Local(Arc<LocalUsers>),
}

impl Auth {
    /// Whether rules decide what a caller may do: not everybody who gets in may do everything.
    pub fn has_rules(&self) -> bool {
        matches!(self, Self::Keystone(_) | Self::Local(_))
    }
}

/// How somebody has proven who it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Proof {
    /// By what is no matter of ours: a token of Keystone, a file of users, or not at all.
    #[default]
    Other,
    /// By a password, now or when a session began.
    Password,
    /// By a token of ours, which may be narrower than its owner.
    Token,
}

/// What it takes to find out who is asking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gate<'a> {
    pub(crate) auth: &'a Auth,
    pub(crate) db: &'a Db,
    believe_proxy: bool,
}

impl<'a> Gate<'a> {
    pub(crate) fn of(state: &'a ApiState) -> Self {
        let settings: &Settings = &state.settings;
        Self {
            auth: &settings.auth,
            db: &state.db,
            believe_proxy: settings.parse_proxy_headers,
        }
    }

    /// The address whose attempts are counted together.
    pub(crate) fn address(&self, parts: &Parts) -> String {
        let peer = Peer::of(&parts.extensions);
        peer::counted(self.believe_proxy, &parts.headers, peer)
    }
}

/// The identity of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Whom records name: the user's name under http_basic, else the user's id.
    pub user: Option<String>,
    /// What rules are asked with. Shared, because verified ones are kept for the next request.
    pub credentials: Arc<Credentials>,
    /// The verified token, for calls of other services in the caller's name.
    pub token: Option<UserToken>,
    pub proof: Proof,
}

const ROLES: HeaderName = HeaderName::from_static("x-roles");
const USER: HeaderName = HeaderName::from_static("x-user-id");
const PROJECT: HeaderName = HeaderName::from_static("x-project-id");
const SYSTEM: HeaderName = HeaderName::from_static("openstack-system-scope");

impl Identity {
    /// What the headers claim. Empty values count as absent.
    fn claimed(headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| {
            let value = headers.get(name)?.to_str().ok()?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let roles = text(ROLES).unwrap_or_default();
        let roles = roles.split(',').map(str::trim).filter(|r| !r.is_empty());
        let user = text(USER);
        Self {
            user: user.clone(),
            credentials: Arc::new(Credentials {
                roles: Roles::listed(roles),
                user_id: user,
                project_id: text(PROJECT),
                system_scope: text(SYSTEM),
                ..Credentials::default()
            }),
            token: None,
            proof: Proof::Other,
        }
    }
}

/// Why a request was turned away before it reached any resource.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthRefusal {
    #[error("Authorization required")]
    Missing,
    #[error("Incorrect username or password")]
    Wrong,
    #[error("Unsupported authorization type \"{0}\"")]
    Scheme(String),
    #[error("Could not parse Authorization header")]
    Header,
    #[error("Could not decode authorization token")]
    Token,
    /// The file of users cannot be read or used; details are in the log.
    #[error("Invalid configuration file. {0}")]
    Broken(String),
    /// More passwords are being verified than there is time for.
    #[error("Too many passwords are being verified. Please try again later.")]
    Busy,
    /// No token, or one that Keystone does not vouch for; with what to tell of where to get one.
    #[error("The request you have made requires authentication.")]
    NoToken(HeaderValue),
    /// Nobody knows whether the token is good; details are in the log.
    #[error("The Keystone service is temporarily unavailable.")]
    NoKeystone,
    /// A token of ours that is unknown, or of no use any more.
    #[error("This token is not known, has ended or was revoked.")]
    BadToken,
    /// Too many wrong passwords; with the seconds after which one more may be tried.
    #[error("Too many wrong passwords. Please try again in {0} seconds.")]
    TooMany(u64),
    /// It is not clear, or makes no sense, which project or scope a request is for.
    #[error("{0}")]
    BadPlace(String),
    /// The caller has nothing to do with the project or scope that it names.
    #[error("{0}")]
    NoPlace(String),
    /// The users cannot be read; details are in the log.
    #[error("The database of users does not answer. Please try again later.")]
    NoDatabase,
    /// The keys of the OpenID provider are not known; details are in the log.
    #[error("The OpenID provider does not answer. Please try again later.")]
    NoProvider,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

impl AuthRefusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Missing | Self::Wrong | Self::NoToken(_) | Self::BadToken => {
                StatusCode::UNAUTHORIZED
            }
            Self::Scheme(_) | Self::Header | Self::Token | Self::BadPlace(_) => {
                StatusCode::BAD_REQUEST
            }
            Self::NoPlace(_) => StatusCode::FORBIDDEN,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::NoKeystone | Self::Busy | Self::NoDatabase | Self::NoProvider => {
                StatusCode::SERVICE_UNAVAILABLE
            }
        }
    }

    /// The answer to a request with these headers. These layers stand outside of the API proper,
    /// and each has an envelope of its own.
    pub fn response(&self, headers: &HeaderMap) -> Response {
        let (status, text) = (self.status(), self.to_string());
        let (kind, body) = match self {
            Self::NoToken(_) => {
                let body = format!(
                    r#"{{"error": {{"code": 401, "title": "Unauthorized", "message": "{text}"}}}}"#
                );
                (JSON, body)
            }
            Self::NoKeystone => negotiation::framework_error(
                headers,
                status,
                "The server is currently unavailable. Please try again at a later time.",
                &text,
            ),
            _ => {
                let body = json!({"error": {"message": text, "code": status.as_u16()}});
                (JSON, body.to_string())
            }
        };
        let challenge = match self {
            Self::NoToken(challenge) => Some(challenge.clone()),
            Self::Missing | Self::Wrong => {
                Some(HeaderValue::from_static("Basic realm=\"Baremetal API\""))
            }
            Self::BadToken => Some(HeaderValue::from_static("Bearer realm=\"Baremetal API\"")),
            _ => None,
        };
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, kind);
        if let Some(challenge) = challenge {
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        match self {
            Self::Busy | Self::NoDatabase | Self::NoProvider => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
            }
            Self::TooMany(seconds) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(*seconds));
            }
            _ => {}
        }
        response
    }
}

/// The identity behind a request, or why it is refused.
pub(crate) async fn authenticate(gate: &Gate<'_>, parts: &Parts) -> Result<Identity, AuthRefusal> {
    let public = is_public(parts.uri.path());
    identify(gate, parts, public).await
}

/// The same, where it is known whether the path is open to everybody.
pub(crate) async fn identify(
    gate: &Gate<'_>,
    parts: &Parts,
    public: bool,
) -> Result<Identity, AuthRefusal> {
    match gate.auth {
        Auth::Keystone(_) | Auth::Local(_) if public => Ok(Identity {
            credentials: Arc::new(Credentials {
                is_public_api: true,
                ..Credentials::default()
            }),
            ..Identity::default()
        }),
        Auth::Keystone(keystone) => keystone.identify(parts).await,
        Auth::Local(users) => {
            let address = gate.address(parts);
            users.identify(gate.db, &parts.headers, &address).await
        }
        Auth::HttpBasic(users) if !public => {
            let authorization = parts.headers.get(header::AUTHORIZATION);
            let user = users.verify(authorization, &gate.address(parts)).await?;
            Ok(Identity {
                user: Some(user),
                ..Identity::claimed(&parts.headers)
            })
        }
        Auth::NoAuth | Auth::HttpBasic(_) => Ok(Identity::claimed(&parts.headers)),
    }
}

/// What agents call about their node; they show a token of their own.
const OF_AGENTS: &[&str] = &["/v1/heartbeat/", "/corten/v1/agent/progress/"];

/// Screens are for whoever has the token of their console.
const SCREEN: [&str; 2] = ["/corten/v1/nodes/", "/screen"];

/// Whether a path is open to everybody: the version documents, what ramdisks call, and screens.
///
/// Only the spelling with `/v1` is; `/lookup` needs credentials though it leads to the same place.
pub(crate) fn is_public(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let path = [".json", ".xml"]
        .iter()
        .find_map(|suffix| path.strip_suffix(suffix))
        .unwrap_or(path);
    match path {
        ""
        | "/"
        | "/v1"
        | "/v1/lookup"
        | "/v1/continue_inspection"
        | "/corten/v1/openapi"
        | "/corten/v1/session" => true,
        _ => OF_AGENTS
            .iter()
            .find_map(|start| path.strip_prefix(start))
            .or_else(|| path.strip_prefix(SCREEN[0])?.strip_suffix(SCREEN[1]))
            .is_some_and(|ident| {
                let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
                !ident.is_empty() && ident.bytes().all(allowed)
            }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{authenticate, parts};
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn noauth_believes_the_headers() {
        let sent = parts(
            "/v1/nodes",
            &[
                ("x-project-id", "p1"),
                ("x-user-id", "u1"),
                ("x-roles", "admin, reader,"),
                ("openstack-system-scope", "all"),
            ],
        );
        assert_eq!(
            authenticate(&Auth::NoAuth, &sent).await.unwrap(),
            Identity {
                user: Some("u1".into()),
                credentials: Arc::new(Credentials {
                    roles: Roles::listed(["admin", "reader"]),
                    user_id: Some("u1".into()),
                    project_id: Some("p1".into()),
                    system_scope: Some("all".into()),
                    ..Credentials::default()
                }),
                token: None,
                proof: Proof::Other,
            }
        );
        let nobody = authenticate(&Auth::NoAuth, &parts("/v1/nodes", &[])).await;
        assert_eq!(nobody.unwrap(), Identity::default());
    }

    #[test]
    fn public_paths_are_exactly_these() {
        for path in [
            "/",
            "/v1",
            "/v1/",
            "/v1.json",
            "/v1/lookup",
            "/v1/lookup/",
            "/v1/continue_inspection",
            "/v1/heartbeat/1be26c0b-03f2-4d2e-ae87-c02d7f33c123",
            "/v1/heartbeat/node-1.json",
            "/corten/v1/openapi.json",
            "/corten/v1/session",
            "/corten/v1/agent/progress/1be26c0b-03f2-4d2e-ae87-c02d7f33c123",
        ] {
            assert!(is_public(path), "{path}");
        }
        for path in [
            "/lookup",
            "/v1/nodes",
            "/v1/heartbeat",
            "/v1/heartbeat/",
            "/v1/heartbeat/Node",
            "/v1/heartbeat/a.b",
            "/v1/heartbeat/a/b",
            "/v1/heartbeat/a%2fb",
            "/v1/heartbeat/..",
            "/v1/lookup/..",
            "/v1/lookup/../nodes",
            "/v1/./lookup",
            "//v1/lookup",
            "/v1//lookup",
            "/v1/%6cookup",
            "/V1/lookup",
            "/v1/lookup;x",
            "/v1/lookup/x",
            "/v1/lookupx",
            "/corten/v1/events",
            "/corten/v1/agent/progress/",
            "/corten/v1/agent/progress/a/b",
            "/corten/v1/nodes/a/timeline",
            "/v1/nope",
        ] {
            assert!(!is_public(path), "{path}");
        }
    }

    #[tokio::test]
    async fn refusals_have_their_own_envelopes() {
        let check =
            async |refusal: AuthRefusal, status: u16, challenge: Option<&str>, text: &str| {
                let response = refusal.response(&HeaderMap::new());
                assert_eq!(response.status().as_u16(), status);
                let asked = response.headers().get(header::WWW_AUTHENTICATE);
                assert_eq!(asked.map(|value| value.to_str().unwrap()), challenge);
                assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
                let body = response.into_body().collect().await.unwrap().to_bytes();
                assert_eq!(body, text.as_bytes());
            };
        check(
            AuthRefusal::Missing,
            401,
            Some("Basic realm=\"Baremetal API\""),
            r#"{"error":{"message":"Authorization required","code":401}}"#,
        )
        .await;
        check(
            AuthRefusal::Scheme("Bearer".into()),
            400,
            None,
            r#"{"error":{"message":"Unsupported authorization type \"Bearer\"","code":400}}"#,
        )
        .await;
        check(
            AuthRefusal::NoToken(HeaderValue::from_static("Keystone uri=\"http://k/v3\"")),
            401,
            Some("Keystone uri=\"http://k/v3\""),
            r#"{"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}"#,
        )
        .await;
    }
}
