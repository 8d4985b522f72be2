//! Asking a provider for its keys.
//!
//! Its description says where they are (OpenID Connect Discovery). They are kept for an hour; a token
//! that names a key which is not among them has them fetched anew, but not often, so that tokens of
//! somebody's invention do not become a flood of questions. While the provider is away its keys go
//! on to count for a day.
//!
//! A fetch is a task of its own with a time limit, which all requests share that come meanwhile: a
//! request that is given up does not take it along. A request whose key is known does not wait.

use super::{
    OidcError, OidcSettings,
    jwk::{self, PublicKey},
    jwt::Unverified,
};
use serde::Deserialize;
use std::{
    fs,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;
use types::error::chain;

const FRESH: Duration = Duration::from_secs(3600);
/// Until then keys that are not fresh count while they are fetched anew.
const LATE: Duration = Duration::from_secs(2 * 3600);
const OLD: Duration = Duration::from_secs(24 * 3600);
/// How long nothing is asked again after an answer.
const PAUSE: Duration = Duration::from_secs(30);
/// The same after the first time in vain. It doubles each time, up to the other.
const FIRST_RETRY: Duration = Duration::from_secs(5);
const LAST_RETRY: Duration = Duration::from_secs(60);
/// How long the provider may take for all that it is asked.
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
    /// Before this the provider is not asked again.
    again: Option<Instant>,
    /// How often in a row the provider was asked in vain, and why the last time.
    failures: u32,
    failed: Option<NoKeys>,
    /// Is closed when the fetch has ended.
    under_way: Option<watch::Receiver<()>>,
}

impl Cache {
    /// The keys, if they may still count.
    fn keys(&self, now: Instant) -> Result<Arc<[PublicKey]>, NoKeys> {
        match (&self.kept, &self.failed) {
            (Some(kept), _) if now.duration_since(kept.at) < OLD => Ok(Arc::clone(&kept.keys)),
            (_, Some(why)) => Err(why.clone()),
            (_, None) => Err(NoKeys("they have not been fetched".to_owned())),
        }
    }

    fn take_in(&mut self, fetched: Result<Vec<PublicKey>, NoKeys>, now: Instant) {
        match fetched {
            Ok(keys) => {
                (self.failures, self.failed) = (0, None);
                self.again = Some(now + PAUSE);
                self.kept = Some(Kept {
                    keys: keys.into(),
                    at: now,
                });
            }
            Err(why) => {
                tracing::warn!("the keys of the OpenID provider are not known: {why}");
                self.again = Some(now + retry_after(self.failures));
                self.failures = self.failures.saturating_add(1);
                self.failed = Some(why);
            }
        }
    }
}

/// How long to wait after one more failure than these.
fn retry_after(failures: u32) -> Duration {
    let factor = 2_u32.saturating_pow(failures);
    FIRST_RETRY.saturating_mul(factor).min(LAST_RETRY)
}

#[derive(Debug)]
pub(super) struct Provider(Arc<Source>);

#[derive(Debug)]
struct Source {
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
        Ok(Self(Arc::new(Source {
            issuer: settings.issuer.clone(),
            http: builder.build().map_err(OidcError::Setup)?,
            cache: Mutex::default(),
        })))
    }

    /// The keys that a token may be signed with.
    pub(super) async fn keys(&self, token: &Unverified<'_>) -> Result<Arc<[PublicKey]>, NoKeys> {
        let under_way = {
            let mut cache = self.0.cache();
            let now = Instant::now();
            let kept = cache.kept.clone();
            let known = kept.filter(|kept| token.finds_key(&kept.keys));
            let age = known.as_ref().map(|kept| now.duration_since(kept.at));
            if age.is_some_and(|age| age < FRESH) {
                return cache.keys(now);
            }
            let under_way = fetch_once(&self.0, &mut cache, now);
            if age.is_some_and(|age| age < LATE) {
                return cache.keys(now);
            }
            under_way
        };
        if let Some(mut end) = under_way {
            // Nothing is ever sent: the channel is closed at the end of the fetch.
            let _ = end.changed().await;
        }
        self.0.cache().keys(Instant::now())
    }

    /// As if the last question had been long ago.
    #[cfg(test)]
    pub(super) fn forget_pause(&self) {
        self.0.cache().again = None;
    }
}

/// The fetch that is under way, which is begun if it is time.
fn fetch_once(
    source: &Arc<Source>,
    cache: &mut Cache,
    now: Instant,
) -> Option<watch::Receiver<()>> {
    let under_way = cache.under_way.as_ref();
    if let Some(end) = under_way.filter(|end| end.has_changed().is_ok()) {
        return Some(end.clone());
    }
    if cache.again.is_some_and(|at| now < at) {
        return None;
    }
    let (done, end) = watch::channel(());
    cache.under_way = Some(end.clone());
    let source = Arc::clone(source);
    tokio::spawn(async move {
        let _done = done;
        let fetched = tokio::time::timeout(PATIENCE, source.fetch()).await;
        let fetched = fetched.unwrap_or_else(|_| {
            let seconds = PATIENCE.as_secs();
            Err(NoKeys(format!("timeout: no keys after {seconds} seconds")))
        });
        source.cache().take_in(fetched, Instant::now());
    });
    Some(end)
}

impl Source {
    fn cache(&self) -> MutexGuard<'_, Cache> {
        // Nothing is left half-written when a holder panics.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_that_is_away_is_asked_less_and_less() {
        let seconds = |failures| retry_after(failures).as_secs();
        assert_eq!([0, 1, 2, 3, 4].map(seconds), [5, 10, 20, 40, 60]);
        assert_eq!(seconds(u32::MAX), 60);
        let (mut cache, now) = (Cache::default(), Instant::now());
        for wait in [5, 10, 20] {
            cache.take_in(Err(NoKeys("away".to_owned())), now);
            assert_eq!(cache.again, Some(now + Duration::from_secs(wait)));
        }
        assert_eq!(cache.keys(now).unwrap_err(), NoKeys("away".to_owned()));
        cache.take_in(Ok(Vec::new()), now);
        assert_eq!((cache.failures, cache.again), (0, Some(now + PAUSE)));
        // Keys go on to count for a day.
        cache.take_in(Err(NoKeys("away".to_owned())), now);
        assert!(cache.keys(now + LATE).is_ok());
        assert!(cache.keys(now + OLD).is_err());
    }
}
