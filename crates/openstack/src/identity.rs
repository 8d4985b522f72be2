//! Our own login, shared by all calls of the sections that log in alike.
//!
//! A token is used until shortly before it expires. When a service refuses it earlier (Keystone has
//! other keys, or the token was revoked), it is replaced once. A login belongs to nobody: those who
//! need a token meanwhile wait for it as long as they can, and it goes on when they leave. A refused
//! login is not repeated at once: accounts are locked after too many.

use crate::{
    Deadline, Error, ErrorAnswer, Reason, RequestContext, Secret, Service, answer,
    call::ANSWER_LIMIT,
    catalogue::TokenDocument,
    endpoint,
    login::{Auth, Login},
    retry::RetryPolicy,
    transport::{Transport, TransportSettings},
    watch::observe,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::{
    Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue},
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};
use types::mask::MASK;

/// A token is replaced when it has less left, so that it does not expire on the way.
const RENEWAL: Duration = Duration::from_secs(60);
/// How long a login may take, whoever waits for it.
const LOGIN: Duration = Duration::from_secs(120);
/// How long a failed login is not repeated.
const BACK_OFF: Duration = Duration::from_secs(1);
/// How old a catalogue must be to be fetched again when it lacks a service, and a token to be
/// replaced when it was refused together with a user's.
const STALE: Duration = Duration::from_secs(60);

pub(crate) const AUTH_TOKEN: HeaderName = HeaderName::from_static("x-auth-token");
const SUBJECT_TOKEN: HeaderName = HeaderName::from_static("x-subject-token");

/// A user of Keystone, or what stands for one.
#[derive(Debug)]
pub(crate) struct Identity {
    auth: Auth,
    section: &'static str,
    /// For logins; calls have that of their section.
    retry: RetryPolicy,
    pub(crate) transport: Transport,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    token: Option<Arc<Token>>,
    failed: Option<(Instant, Error)>,
    under_way: Option<Awaited>,
}

/// A login under way, and then what came of it.
type Awaited = watch::Receiver<Option<Result<Arc<Token>, Error>>>;

/// A login that succeeded.
#[derive(Debug)]
pub(crate) struct Token {
    /// The header that shows who we are.
    pub(crate) header: (HeaderName, HeaderValue),
    /// What Keystone says about it; nothing where there is no Keystone.
    pub(crate) document: Option<TokenDocument>,
    /// When it is to be replaced.
    renewal: Option<Instant>,
    since: Instant,
}

impl Token {
    fn is_fresh(&self) -> bool {
        self.renewal.is_none_or(|renewal| Instant::now() < renewal)
    }

    pub(crate) fn has_stale_catalogue(&self) -> bool {
        self.document.is_some() && self.is_old()
    }

    pub(crate) fn is_old(&self) -> bool {
        self.since.elapsed() > STALE
    }
}

impl Identity {
    pub(crate) fn new(
        section: &'static str,
        auth: Auth,
        settings: TransportSettings,
        retry: RetryPolicy,
    ) -> Self {
        Self {
            auth,
            section,
            retry,
            transport: Transport::new(settings),
            state: Mutex::default(),
        }
    }

    /// Whether two sections can share this.
    pub(crate) fn is_same(&self, auth: &Auth, settings: &TransportSettings) -> bool {
        self.auth == *auth && self.transport.settings() == settings
    }

    /// Whether there is a way to log in, or none is needed.
    pub(crate) fn is_set(&self) -> bool {
        self.auth != Auth::Unset
    }

    /// Whether a refused token can be replaced by another one.
    pub(crate) fn is_renewable(&self) -> bool {
        matches!(self.auth, Auth::Keystone(_))
    }

    /// Our token. `refused` is one that a service does not accept any more, or whose catalogue is
    /// too old.
    pub(crate) async fn token(
        self: &Arc<Self>,
        refused: Option<&Arc<Token>>,
        deadline: Deadline,
    ) -> Result<Arc<Token>, Error> {
        let patience = deadline.remaining();
        let mut login = {
            let mut state = self.state();
            if let Some(token) = &state.token
                && token.is_fresh()
                && refused.is_none_or(|refused| !Arc::ptr_eq(refused, token))
            {
                return Ok(Arc::clone(token));
            }
            if let Some((when, error)) = &state.failed
                && when.elapsed() < BACK_OFF
            {
                return Err(error.clone());
            }
            // One that broke off without an outcome is closed.
            let going_on = |login: &&Awaited| login.has_changed().is_ok();
            match state.under_way.as_ref().filter(going_on) {
                Some(login) => login.clone(),
                None => {
                    let login = self.begin_login();
                    state.under_way = Some(login.clone());
                    login
                }
            }
        };
        let late = Reason::Timeout {
            after: patience,
            was_sent: false,
        };
        match deadline.limit(login.wait_for(Option::is_some)).await {
            Some(Ok(outcome)) => match &*outcome {
                Some(outcome) => outcome.clone(),
                None => Err(self.error(late)),
            },
            Some(Err(_)) => Err(self.error(Reason::Protocol("the login was broken off".into()))),
            None => Err(self.error(late)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A task of its own: whoever asked first may leave, or have less time than the others.
    fn begin_login(self: &Arc<Self>) -> Awaited {
        let (done, login) = watch::channel(None);
        let identity = Arc::clone(self);
        tokio::spawn(async move {
            let outcome = match identity.log_in(Deadline::after(LOGIN)).await {
                Ok(token) => Ok(Arc::new(token)),
                Err(reason) => Err(identity.error(reason)),
            };
            let mut state = identity.state();
            state.under_way = None;
            match &outcome {
                Ok(token) => {
                    state.failed = None;
                    state.token = Some(Arc::clone(token));
                }
                Err(error) => state.failed = Some((Instant::now(), error.clone())),
            }
            done.send_replace(Some(outcome));
        });
        login
    }

    async fn log_in(&self, deadline: Deadline) -> Result<Token, Reason> {
        let header = match &self.auth {
            Auth::Unset => {
                let text = format!("auth_type is not set in [{}]", self.section);
                return Err(Reason::NotConfigured(text));
            }
            Auth::Keystone(login) => return self.ask(login, deadline).await,
            Auth::HttpBasic { username, password } => {
                let pair = format!("{username}:{}", password.expose());
                let value = format!("Basic {}", BASE64_STANDARD.encode(pair));
                (AUTHORIZATION, Secret::from(value))
            }
            // What keystoneauth sends.
            Auth::Disabled => (AUTH_TOKEN, Secret::from("notused")),
        };
        let value = header.1.header().ok_or_else(|| {
            Reason::NotConfigured("the password has characters that no HTTP header may have".into())
        })?;
        Ok(Token {
            header: (header.0, value),
            document: None,
            renewal: None,
            since: Instant::now(),
        })
    }

    async fn ask(&self, login: &Login, deadline: Deadline) -> Result<Token, Reason> {
        let began = Instant::now();
        let asked = self.post(login, deadline).await;
        observe(Service::Keystone, asked.as_ref().err(), began);
        asked
    }

    async fn post(&self, login: &Login, deadline: Deadline) -> Result<Token, Reason> {
        let root = endpoint::api_root(Service::Keystone, &login.auth_url, None)
            .map_err(|error| Reason::NotConfigured(format!("auth_url: {error}")))?;
        let url = format!("{root}/auth/tokens");
        let body = login.body().to_string();
        let started = Instant::now();
        let response = self
            .transport
            .exchange(
                |client| {
                    let request = client.post(&url).header(CONTENT_TYPE, "application/json");
                    request.body(body.clone())
                },
                // A second token does no harm.
                true,
                &self.retry,
                deadline,
            )
            .await?;
        if response.status() != StatusCode::CREATED {
            return Err(failed_answer(response, &login.secrets(), deadline).await);
        }
        let mut value = response
            .headers()
            .get(SUBJECT_TOKEN)
            .cloned()
            .ok_or_else(|| Reason::Protocol("a login without X-Subject-Token".into()))?;
        value.set_sensitive(true);
        let body = answer::read(response, ANSWER_LIMIT, deadline).await?;
        let document = TokenDocument::read(&body.bytes)?;
        // Short-lived tokens are used for half of their life.
        let margin = RENEWAL.min(document.lifetime / 2);
        let renewal = started.checked_add(document.lifetime.saturating_sub(margin));
        tracing::debug!(section = self.section, url, "logged in to Keystone");
        Ok(Token {
            header: (AUTH_TOKEN, value),
            document: Some(document),
            renewal,
            since: Instant::now(),
        })
    }

    fn error(&self, reason: Reason) -> Error {
        let (action, url) = match &self.auth {
            Auth::Keystone(login) => {
                let root = endpoint::api_root(Service::Keystone, &login.auth_url, None);
                let url = root.map(|root| ("POST".to_owned(), format!("{root}/auth/tokens")));
                (login.who(), url.ok())
            }
            _ => ("log in".to_owned(), None),
        };
        let request = RequestContext {
            service: Service::Keystone,
            section: self.section,
            action,
            url,
            is_write: false,
        };
        Error::new(&request, reason)
    }
}

/// What an answer without success means. Pages that help to find errors repeat the request: `secrets`
/// of it are not shown.
pub(crate) async fn failed_answer(
    response: Response,
    secrets: &[&str],
    deadline: Deadline,
) -> Reason {
    /// Messages are shorter.
    const LIMIT: usize = 64 << 10;
    let status = response.status().as_u16();
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    // The status counts, even if its explanation cannot be read.
    let body = answer::read(response, LIMIT, deadline).await.ok();
    let bytes = body.as_ref().map_or(&[][..], |body| &body.bytes);
    let mut text = String::from_utf8_lossy(bytes);
    for secret in secrets {
        if !secret.is_empty() && text.contains(secret) {
            text = text.replace(secret, MASK).into();
        }
    }
    Reason::of(ErrorAnswer::read(status, &content_type, text.as_bytes()))
}
