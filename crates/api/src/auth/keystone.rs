//! Tokens of Keystone: who sent a request, as the identity service says.
//!
//! A token is checked by asking Keystone with a token of our own, and the verdict counts for a
//! while: that is also how long a revoked token is still good. Requests with the same unknown token
//! share one question. If Keystone gives no clear answer, nobody is let in: callers are asked to
//! come back (503). Bad tokens are not remembered, as Ironic does not either, because one
//! that Keystone does not know may reach its next replica a moment later.
//!
//! What a client claims about itself in headers does not count here. A service that passes a user's
//! request on may add a token of its own; it keeps its scope to itself, while in Ironic it
//! replaces that of the user. What a user's token is restricted to ends only with a service that
//! has a role for that.

mod cache;
mod client;
mod settings;
mod sign_in;
#[cfg(test)]
mod tests;
mod token;

pub use client::KeystoneError;
pub use settings::{
    Binding, Credential, Domain, KeystoneSettings, Login, LoginScope, Method, Named, Secret,
    TlsFiles,
};
pub(crate) use sign_in::{SignIn, SignInScope};

use super::{AuthRefusal, Identity, Proof};
use crate::args;
use axum::http::{HeaderMap, HeaderValue, request::Parts};
use cache::{Cache, Key};
use client::{Client, Failure};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use token::Token;
use tokio::sync::watch;
use types::{Timestamp, UserToken};

/// No token is longer; whatever is comes from somebody who is trying things.
const LONGEST_TOKEN: usize = 16 * 1024;

/// Questions under way, those that wait for their turn among them. They outlive the requests that
/// asked them, so connections do not bound them.
const MOST_QUESTIONS: usize = 4096;

/// What a question about a token will come to.
type Verdict = watch::Receiver<Option<Result<Arc<Token>, Failure>>>;

/// Whoever knows which tokens are good.
#[derive(Debug)]
pub struct Keystone {
    settings: Arc<KeystoneSettings>,
    /// The value of `WWW-Authenticate`.
    challenge: HeaderValue,
    inner: Arc<Inner>,
}

/// What outlives the request that asked first.
#[derive(Debug)]
struct Inner {
    client: Client,
    cache: Mutex<Cache>,
    /// Questions under way, by token and by whether it may have expired.
    asked: Mutex<HashMap<(Key, bool), Verdict>>,
}

impl Keystone {
    /// Reads the files for TLS. Keystone itself is not asked for anything yet.
    pub fn new(settings: KeystoneSettings) -> Result<Self, KeystoneError> {
        let settings = Arc::new(settings);
        let uri = settings.www_authenticate_uri.as_ref();
        let uri = uri.unwrap_or(&settings.auth_url);
        let challenge = HeaderValue::try_from(format!("Keystone uri=\"{uri}\""))
            .unwrap_or(HeaderValue::from_static("Keystone"));
        Ok(Self {
            challenge,
            inner: Arc::new(Inner {
                client: Client::new(Arc::clone(&settings))?,
                cache: Mutex::new(Cache::new(settings.cache_time)),
                asked: Mutex::default(),
            }),
            settings,
        })
    }

    /// Logs in and says in the log if that does not work, for operators to see at the start rather
    /// than with the first request.
    pub async fn try_login(&self) {
        let uri = &self.settings.auth_url;
        match self.inner.client.log_in().await {
            Ok(()) => tracing::info!("logged in to Keystone at {uri}"),
            Err(failure) => tracing::warn!(
                "cannot log in to Keystone at {uri}: {failure}; until that works requests with a \
                 token are answered by 503"
            ),
        }
    }

    /// Who sent a request.
    pub(super) async fn identify(&self, parts: &Parts) -> Result<Identity, AuthRefusal> {
        match self.verify(parts).await {
            Ok(identity) => Ok(identity),
            Err(_) if self.settings.delay_auth_decision => Ok(Identity::default()),
            Err(Failure::Invalid) => Err(AuthRefusal::NoToken(self.challenge.clone())),
            Err(Failure::Broken(_)) => Err(AuthRefusal::NoKeystone),
        }
    }

    /// A token for a user who signs in, and when it ends; `NoToken` if Keystone refuses.
    pub(crate) async fn sign_in(
        &self,
        sign_in: &SignIn,
    ) -> Result<(String, Timestamp), AuthRefusal> {
        let fetched =
            match sign_in {
                SignIn::Token(token) => {
                    let value = HeaderValue::try_from(token.as_str()).map_err(|_| Failure::Invalid);
                    match value {
                        Ok(value) => self.inner.token(&value, false).await.and_then(|known| {
                            match known.has_expired() {
                                true => Err(Failure::Invalid),
                                false => Ok((token.clone(), known.expires)),
                            }
                        }),
                        Err(failure) => Err(failure),
                    }
                }
                other => self.inner.client.sign_in(&other.body()).await,
            };
        fetched.map_err(|failure| match failure {
            Failure::Invalid => AuthRefusal::NoToken(self.challenge.clone()),
            Failure::Broken(why) => {
                tracing::warn!("a user cannot sign in: {why}");
                AuthRefusal::NoKeystone
            }
        })
    }

    /// Has Keystone forget a token.
    pub(crate) async fn revoke(&self, token: &str) -> Result<(), String> {
        let value = HeaderValue::try_from(token).map_err(|error| error.to_string())?;
        lock(&self.inner.cache).forget(Key::of(&value));
        let revoked = self.inner.client.revoke(&value).await;
        revoked.map_err(|failure| failure.to_string())
    }

    async fn verify(&self, parts: &Parts) -> Result<Identity, Failure> {
        let service = match header(&parts.headers, "x-service-token") {
            Some(token) => Some(self.service(token).await?),
            None => None,
        };
        let token = header(&parts.headers, "x-auth-token")
            // An older name, which Swift's clients use.
            .or_else(|| header(&parts.headers, "x-storage-token"))
            .ok_or(Failure::Invalid)?;
        let passed_on = service.as_ref().is_some_and(|(_, privileged)| *privileged);
        let user = self.inner.token(token, passed_on).await?;
        let settings = &self.settings;
        let our_type = settings.service_type.as_deref();
        // As the router reads it: an escaped slash parts elements as well.
        let path = args::percent_decode(parts.uri.path()).map_err(|_| Failure::Invalid)?;
        // Ironic asks only whether there is a second token, be it the user's own once more.
        let good = (passed_on || !user.has_expired())
            && user.covers(our_type, &parts.method, &path, passed_on)
            && (passed_on || user.fits(&settings.binding));
        if !good {
            return Err(Failure::Invalid);
        }
        let system_scope = user.credentials.system_scope.as_deref() == Some("all");
        let secret = token.to_str().ok();
        let is_admin = user.credentials.roles.contains("admin");
        Ok(Identity {
            proof: Proof::Other,
            token: secret
                .map(|secret| UserToken::new(secret, system_scope).with_admin_role(is_admin)),
            user: user.credentials.user_id.clone(),
            credentials: match service {
                Some((service, _)) => user.spoken_for_by(&service),
                None => Arc::clone(&user.credentials),
            },
        })
    }

    /// The token of a service, and whether it may pass on expired ones.
    async fn service(&self, token: &HeaderValue) -> Result<(Arc<Token>, bool), Failure> {
        let token = self.inner.token(token, false).await?;
        let settings = &self.settings;
        let privileged = token
            .roles
            .iter()
            .any(|r| settings.service_roles.contains(r));
        let good = !token.has_expired()
            && token.fits(&settings.binding)
            && (privileged || !settings.service_roles_required);
        if good {
            Ok((token, privileged))
        } else {
            Err(Failure::Invalid)
        }
    }
}

impl Inner {
    /// What is known about a token. The caller looks whether it has expired.
    async fn token(
        self: &Arc<Self>,
        token: &HeaderValue,
        old: bool,
    ) -> Result<Arc<Token>, Failure> {
        if token.len() > LONGEST_TOKEN {
            return Err(Failure::Invalid);
        }
        let key = Key::of(token);
        if let Some(known) = lock(&self.cache).get(key, Instant::now()) {
            return Ok(known);
        }
        let mut verdict = self.question(key, token, old)?;
        match verdict.wait_for(Option::is_some).await {
            Ok(verdict) => verdict.clone().unwrap_or(Err(Failure::Invalid)),
            Err(_) => Err(Failure::Broken("the check of a token broke off".into())),
        }
    }

    /// Asks Keystone, unless somebody has just done so. The question goes on without those who
    /// asked it, because others may have come to wait for the answer.
    fn question(
        self: &Arc<Self>,
        key: Key,
        token: &HeaderValue,
        old: bool,
    ) -> Result<Verdict, Failure> {
        let mut asked = lock(&self.asked);
        if let Some(verdict) = asked.get(&(key, old))
            // The sender is gone only if the check panicked.
            && verdict.has_changed().is_ok()
        {
            return Ok(verdict.clone());
        }
        if asked.len() >= MOST_QUESTIONS {
            tracing::warn!("too many tokens wait for Keystone's word");
            return Err(Failure::Broken("too many tokens wait to be checked".into()));
        }
        let (answer, verdict) = watch::channel(None);
        asked.insert((key, old), verdict.clone());
        let (inner, mut token) = (Arc::clone(self), token.clone());
        token.set_sensitive(true);
        tokio::spawn(async move {
            let outcome = inner.client.check(&token, old).await.map(Arc::new);
            match &outcome {
                Ok(token) => lock(&inner.cache).keep(key, Arc::clone(token), Instant::now()),
                Err(Failure::Invalid) => tracing::info!("a token is not known to Keystone"),
                Err(failure) => tracing::error!("a token cannot be checked: {failure}"),
            }
            lock(&inner.asked).remove(&(key, old));
            answer.send_replace(Some(outcome));
        });
        Ok(verdict)
    }
}

/// The last value of a header, as Ironic's web server has it; empty is as good as none.
fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a HeaderValue> {
    let value = headers.get_all(name).iter().next_back()?;
    (!value.is_empty()).then_some(value)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is left half-written when a holder panics: every change is one insertion.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
