//! Who is asking: `noauth` and `http_basic`.
//!
//! Under both strategies every identity passes every policy; what the headers say about the
//! project and the scope is not verified, and still decides who becomes the owner of a new node.
//! Keystone tokens are not handled here.

pub mod basic;

use crate::policy::{Credentials, Roles};
use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
pub use basic::{AuthFileError, HttpBasic};
use serde_json::json;
use std::sync::Arc;

/// How requests are authenticated.
#[derive(Debug, Clone)]
pub enum Auth {
    /// Everybody may do everything; identity headers are believed.
    NoAuth,
    /// User names and passwords from a file.
    HttpBasic(Arc<HttpBasic>),
}

/// The identity of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// Whom records name: the user's name under http_basic, else the user's id.
    pub user: Option<String>,
    /// What rules are asked with. Shared, because verified ones are kept for the next request.
    pub credentials: Arc<Credentials>,
}

impl Identity {
    /// What the headers claim. Empty values count as absent.
    fn claimed(headers: &HeaderMap) -> Self {
        let text = |name: &str| {
            let value = headers.get(name)?.to_str().ok()?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let roles = text("x-roles").unwrap_or_default();
        let roles = roles.split(',').map(str::trim).filter(|r| !r.is_empty());
        let user = text("x-user-id");
        Self {
            user: user.clone(),
            credentials: Arc::new(Credentials {
                roles: Roles::listed(roles),
                user_id: user,
                project_id: text("x-project-id"),
                system_scope: text("openstack-system-scope"),
                ..Credentials::default()
            }),
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
}

impl AuthRefusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Missing | Self::Wrong => StatusCode::UNAUTHORIZED,
            Self::Scheme(_) | Self::Header | Self::Token => StatusCode::BAD_REQUEST,
            Self::Broken(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for AuthRefusal {
    fn into_response(self) -> Response {
        let status = self.status();
        // This layer stands outside of the API proper and has an envelope of its own.
        let body = json!({"error": {"message": self.to_string(), "code": status.as_u16()}});
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Basic realm=\"Baremetal API\""),
            );
        }
        response
    }
}

/// The identity behind a request for `path`, or why it is refused.
pub async fn authenticate(
    auth: &Auth,
    headers: &HeaderMap,
    path: &str,
) -> Result<Identity, AuthRefusal> {
    let mut identity = Identity::claimed(headers);
    if let Auth::HttpBasic(users) = auth
        && !is_public(path)
    {
        let user = users.verify(headers.get(header::AUTHORIZATION)).await?;
        identity.user = Some(user);
    }
    Ok(identity)
}

/// Whether a path is open to everybody: the version documents and what ramdisks call.
///
/// Only the spelling with `/v1` is; `/lookup` needs credentials though it leads to the same place.
fn is_public(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let path = [".json", ".xml"]
        .iter()
        .find_map(|suffix| path.strip_suffix(suffix))
        .unwrap_or(path);
    match path {
        "" | "/" | "/v1" | "/v1/lookup" | "/v1/continue_inspection" | "/corten/v1/openapi" => true,
        _ => path.strip_prefix("/v1/heartbeat/").is_some_and(|ident| {
            let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            !ident.is_empty() && ident.bytes().all(allowed)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                let name = header::HeaderName::from_static(name);
                (name, HeaderValue::from_str(value).unwrap())
            })
            .collect()
    }

    #[tokio::test]
    async fn noauth_believes_the_headers() {
        let sent = headers(&[
            ("x-project-id", "p1"),
            ("x-user-id", "u1"),
            ("x-roles", "admin, reader,"),
            ("openstack-system-scope", "all"),
        ]);
        assert_eq!(
            authenticate(&Auth::NoAuth, &sent, "/v1/nodes")
                .await
                .unwrap(),
            Identity {
                user: Some("u1".into()),
                credentials: Arc::new(Credentials {
                    roles: Roles::listed(["admin", "reader"]),
                    user_id: Some("u1".into()),
                    project_id: Some("p1".into()),
                    system_scope: Some("all".into()),
                    ..Credentials::default()
                }),
            }
        );
        let nobody = authenticate(&Auth::NoAuth, &HeaderMap::new(), "/v1/nodes").await;
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
            "/v1/nope",
        ] {
            assert!(!is_public(path), "{path}");
        }
    }

    #[tokio::test]
    async fn refusals_have_their_own_envelope() {
        let check = async |refusal: AuthRefusal, status: u16, challenge: bool, text: &str| {
            let response = refusal.into_response();
            assert_eq!(response.status().as_u16(), status);
            let asked = response.headers().get(header::WWW_AUTHENTICATE);
            assert_eq!(
                asked.map(|value| value.to_str().unwrap()),
                challenge.then_some("Basic realm=\"Baremetal API\"")
            );
            assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(body, text.as_bytes());
        };
        check(
            AuthRefusal::Missing,
            401,
            true,
            r#"{"error":{"message":"Authorization required","code":401}}"#,
        )
        .await;
        check(
            AuthRefusal::Scheme("Bearer".into()),
            400,
            false,
            r#"{"error":{"message":"Unsupported authorization type \"Bearer\"","code":400}}"#,
        )
        .await;
    }
}
