//! Asking a provider for its keys.
//!
//! Its description says where they are (OpenID Connect Discovery). They are kept for an hour; a token
//! that names a key which is not among them has them fetched anew, but not often, so that tokens of
//! somebody's invention do not become a flood of questions. While the provider is away its keys go
//! on to count for a day.

use super::{
    OidcError, OidcSettings,
    jwk::{self, PublicKey},
    jwt::Unverified,
};
use serde::Deserialize;
use std::{
    fs,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Mutex;
use types::error::chain;

const FRESH: Duration = Duration::from_secs(3600);
const OLD: Duration = Duration::from_secs(24 * 3600);
/// How long nothing is asked again, be it in vain or not.
const PAUSE: Duration = Duration::from_secs(30);
/// How long the provider may take for one answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why the keys are not known. For the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoKeys(String);

#[derive(Deserialize)]
struct Description {
    issuer: String,
    jwks_uri: String,
}

#[derive(Debug, Clone)]
struct Kept {
    keys: Arc<[PublicKey]>,
    at: Instant,
}

#[derive(Debug, Default)]
struct Cache {
    kept: Option<Kept>,
    /// When the provider was asked for the last time.
    asked: Option<Instant>,
    failed: Option<NoKeys>,
}

#[derive(Debug)]
pub(super) struct Provider {
    issuer: String,
    http: reqwest::Client,
    cache: Mutex<Cache>,
}

impl Provider {
    /// Reads the file for TLS. The provider itself is not asked for anything yet.
    #[expect(
        clippy::disallowed_methods,
        reason = "only called before anything is served"
    )]
    pub(super) fn new(settings: &OidcSettings) -> Result<Self, OidcError> {
        // There is one in this process anyway; only the first to come installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = outbound::client_for(&settings.issuer)
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none());
        if let Some(path) = &settings.ca_file {
            let pem = fs::read(path).map_err(|source| OidcError::Unreadable {
                path: path.clone(),
                source,
            })?;
            let authorities = reqwest::Certificate::from_pem_bundle(&pem);
            let authorities = authorities.map_err(|source| OidcError::Unusable {
                path: path.clone(),
                source,
            })?;
            builder = builder.tls_certs_only(authorities);
        }
        Ok(Self {
            issuer: settings.issuer.clone(),
            http: builder.build().map_err(OidcError::Setup)?,
            cache: Mutex::default(),
        })
    }

    /// The keys that a token may be signed with.
    pub(super) async fn keys(&self, token: &Unverified<'_>) -> Result<Arc<[PublicKey]>, NoKeys> {
        // Whoever comes meanwhile waits for the same answer.
        let mut cache = self.cache.lock().await;
        let now = Instant::now();
        if let Some(kept) = &cache.kept
            && now.duration_since(kept.at) < FRESH
            && token.finds_key(&kept.keys)
        {
            return Ok(Arc::clone(&kept.keys));
        }
        if cache.asked.is_none_or(|at| now.duration_since(at) >= PAUSE) {
            cache.asked = Some(now);
            match self.fetch().await {
                Ok(keys) => {
                    cache.failed = None;
                    cache.kept = Some(Kept {
                        keys: keys.into(),
                        at: now,
                    });
                }
                Err(why) => {
                    tracing::warn!("the keys of the OpenID provider are not known: {why}");
                    cache.failed = Some(why);
                }
            }
        }
        match (&cache.kept, &cache.failed) {
            (Some(kept), _) if now.duration_since(kept.at) < OLD => Ok(Arc::clone(&kept.keys)),
            (_, Some(why)) => Err(why.clone()),
            (_, None) => Err(NoKeys("they have not been fetched".to_owned())),
        }
    }

    /// As if the last question had been long ago.
    #[cfg(test)]
    pub(super) async fn forget_pause(&self) {
        self.cache.lock().await.asked = None;
    }

    async fn fetch(&self) -> Result<Vec<PublicKey>, NoKeys> {
        let base = self.issuer.trim_end_matches('/');
        let place = format!("{base}/.well-known/openid-configuration");
        let description = self.get(&place).await?;
        let description: Description = serde_json::from_slice(&description)
            .map_err(|error| NoKeys(format!("{place} is no description of a provider: {error}")))?;
        if description.issuer != self.issuer {
            return Err(NoKeys(format!(
                "{place} describes another issuer, {}",
                types::mask::text(&description.issuer)
            )));
        }
        if !is_safe(&description.jwks_uri) {
            return Err(NoKeys(format!("{place} names keys at no https address")));
        }
        let keys = self.get(&description.jwks_uri).await?;
        jwk::parse(&keys).map_err(|error| NoKeys(error.to_string()))
    }

    async fn get(&self, url: &str) -> Result<Vec<u8>, NoKeys> {
        let failed = |error: reqwest::Error| {
            NoKeys(format!(
                "no answer from {url}: {}",
                chain(&error.without_url())
            ))
        };
        let mut response = self.http.get(url).send().await.map_err(failed)?;
        if !response.status().is_success() {
            let status = response.status();
            return Err(NoKeys(format!("{url} answers {status}")));
        }
        let mut body = Vec::new();
        while let Some(part) = response.chunk().await.map_err(failed)? {
            if body.len() + part.len() > jwk::LONGEST {
                return Err(NoKeys(format!("{url} answers too much")));
            }
            body.extend_from_slice(&part);
        }
        Ok(body)
    }
}

/// Whether what comes from an address can be believed: over TLS, or from this machine.
pub(super) fn is_safe(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else {
        return false;
    };
    let is_here = url.host_str().is_some_and(outbound::is_loopback);
    url.scheme() == "https" || (url.scheme() == "http" && is_here)
}
