//! The two requests we send to Keystone: one for a token of our own, one about somebody else's.
//!
//! Our own is renewed before it expires and when Keystone no longer takes it. One deadline covers
//! everything a check needs, answers have a largest size, and redirects are not followed, because
//! tokens must not travel to a host that nobody named. Whatever goes wrong is [`Failure::Broken`]:
//! only a clear word of Keystone makes a token good or bad.

use super::{
    settings::{KeystoneSettings, TlsFiles},
    token::Token,
};
use axum::http::{HeaderValue, StatusCode};
use bytes::{Bytes, BytesMut};
use reqwest::{Identity, RequestBuilder, Response, tls::Certificate};
use serde::Deserialize;
use serde_json::Value;
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::{Mutex, Semaphore};
use types::{Timestamp, error::chain};

/// Far more than any catalog has.
const LARGEST_ANSWER: usize = 2 * 1024 * 1024;

/// Checks at a time: a flood of unknown tokens must not become one of connections.
const CHECKS: usize = 64;

/// Our token is renewed when it has less left, so that it does not expire on the way.
const RENEWAL_S: i64 = 30;

/// How long a failed login is not repeated: accounts are locked after too many.
const BACK_OFF: Duration = Duration::from_secs(1);

const SUBJECT_TOKEN: &str = "x-subject-token";

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("Keystone does not know the token")]
    Invalid,
    /// Nobody knows whether the token is good. The text is for the log.
    #[error("{0}")]
    Broken(String),
}

impl Failure {
    fn broken(what: &str, error: reqwest::Error) -> Self {
        // The address may hold what others should not read.
        Self::Broken(format!("{what}: {}", chain(&error.without_url())))
    }
}

/// Why Keystone cannot even be asked.
#[derive(Debug, thiserror::Error)]
pub enum KeystoneError {
    #[error("{} cannot be read", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{} holds nothing of use", path.display())]
    Unusable {
        path: PathBuf,
        #[source]
        source: reqwest::Error,
    },
    #[error("HTTP cannot be set up")]
    Setup(#[source] reqwest::Error),
}

#[derive(Debug)]
pub(super) struct Client {
    settings: Arc<KeystoneSettings>,
    http: reqwest::Client,
    own: Mutex<Own>,
    room: Semaphore,
}

/// Our own login.
#[derive(Debug, Default)]
struct Own {
    session: Option<Session>,
    failed: Option<(Instant, Failure)>,
}

#[derive(Debug, Clone)]
struct Session {
    token: HeaderValue,
    expires: Timestamp,
    /// Where tokens are checked.
    address: String,
}

impl Client {
    pub(super) fn new(settings: Arc<KeystoneSettings>) -> Result<Self, KeystoneError> {
        // There is one in this process anyway; only the first to come installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let secure = settings.auth_url.starts_with("https:");
        let builder = outbound::client_for(&settings.auth_url);
        let builder = with_files(builder, &settings.tls, secure)?;
        Ok(Self {
            http: builder.build().map_err(KeystoneError::Setup)?,
            settings,
            own: Mutex::default(),
            room: Semaphore::new(CHECKS),
        })
    }

    /// What Keystone says about a token, which may have expired only if a service passes it on.
    pub(super) async fn check(
        &self,
        token: &HeaderValue,
        allow_expired: bool,
    ) -> Result<Token, Failure> {
        let check = async {
            let _room = self.room.acquire().await;
            let session = self.session(None).await?;
            match self.ask(&session, token, allow_expired).await? {
                Some(verdict) => verdict,
                // Our own token is no longer taken, be it for a restart of Keystone or a new key.
                None => {
                    let session = self.session(Some(&session)).await?;
                    let again = self.ask(&session, token, allow_expired).await?;
                    again.unwrap_or_else(|| {
                        let text = "Keystone does not take the token it has just given to us";
                        Err(Failure::Broken(text.into()))
                    })
                }
            }
        };
        self.in_time(check).await
    }

    /// Logs in unless we are, to find out at the start whether that works.
    pub(super) async fn log_in(&self) -> Result<(), Failure> {
        self.in_time(self.session(None)).await.map(|_| ())
    }

    /// A token for these credentials, and when it ends.
    pub(super) async fn sign_in(&self, body: &Value) -> Result<(String, Timestamp), Failure> {
        self.in_time(async {
            let _room = self.room.acquire().await;
            let url = format!(
                "{}/auth/tokens?nocatalog",
                versioned(&self.settings.auth_url)
            );
            let response = self.send(self.http.post(url).json(body)).await?;
            match response.status() {
                StatusCode::CREATED => {}
                // What was sent is no login, or its user may not have this scope.
                status if status.is_client_error() => return Err(Failure::Invalid),
                status => {
                    return Err(Failure::Broken(format!(
                        "Keystone answers a login by {status}"
                    )));
                }
            }
            let token = response.headers().get(SUBJECT_TOKEN);
            let token = token.and_then(|token| Some(token.to_str().ok()?.to_owned()));
            let token = token.ok_or_else(|| {
                Failure::Broken("Keystone answers a login without a token".into())
            })?;
            let body = read(response).await?;
            let Document { token: login } = serde_json::from_slice(&body).map_err(|_| {
                Failure::Broken("Keystone answers a login by no JSON we know".into())
            })?;
            let end = Timestamp::parse(&login.expires_at)
                .ok_or_else(|| Failure::Broken("the token has no expiry".into()))?;
            Ok((token, end))
        })
        .await
    }

    /// Has Keystone forget a token, which is asked with that token itself.
    pub(super) async fn revoke(&self, token: &HeaderValue) -> Result<(), Failure> {
        self.in_time(async {
            let url = format!("{}/auth/tokens", versioned(&self.settings.auth_url));
            let request = self
                .http
                .delete(url)
                .header("x-auth-token", token.clone())
                .header(SUBJECT_TOKEN, token.clone());
            let status = self.send(request).await?.status();
            match status {
                // It has ended already.
                StatusCode::UNAUTHORIZED | StatusCode::NOT_FOUND => Ok(()),
                status if status.is_success() => Ok(()),
                status => Err(Failure::Broken(format!("Keystone answers by {status}"))),
            }
        })
        .await
    }

    async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let deadline = self.settings.deadline;
        match tokio::time::timeout(deadline, work).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Failure::Broken(format!("no answer within {deadline:?}"))),
        }
    }

    /// Our login. `refused` is one that Keystone does not take any more.
    async fn session(&self, refused: Option<&Session>) -> Result<Session, Failure> {
        // Those who come meanwhile wait for the same login.
        let mut own = self.own.lock().await;
        if let Some(session) = &own.session
            && refused.is_none_or(|refused| refused.token != session.token)
            && session.expires > Timestamp::now().plus_seconds(RENEWAL_S)
        {
            return Ok(session.clone());
        }
        if let Some((when, failure)) = &own.failed
            && when.elapsed() < BACK_OFF
        {
            return Err(failure.clone());
        }
        own.session = None;
        match self.new_session().await {
            Ok(session) => {
                own.failed = None;
                own.session = Some(session.clone());
                Ok(session)
            }
            Err(failure) => {
                own.failed = Some((Instant::now(), failure.clone()));
                Err(failure)
            }
        }
    }

    async fn new_session(&self) -> Result<Session, Failure> {
        let url = format!("{}/auth/tokens", versioned(&self.settings.auth_url));
        let request = self.http.post(url).json(&self.settings.login.body());
        let response = self.send(request).await?;
        let status = response.status();
        if status == StatusCode::UNAUTHORIZED {
            let text = "Keystone refuses the credentials in [keystone_authtoken]";
            return Err(Failure::Broken(text.into()));
        }
        if status != StatusCode::CREATED {
            return Err(Failure::Broken(format!(
                "Keystone answers a login by {status}"
            )));
        }
        let mut token = response
            .headers()
            .get(SUBJECT_TOKEN)
            .cloned()
            .ok_or_else(|| Failure::Broken("Keystone answers a login without a token".into()))?;
        token.set_sensitive(true);
        let body = read(response).await?;
        let Document { token: login } = serde_json::from_slice(&body)
            .map_err(|_| Failure::Broken("Keystone answers a login by no JSON we know".into()))?;
        let expires = Timestamp::parse(&login.expires_at)
            .ok_or_else(|| Failure::Broken("our token has no expiry".into()))?;
        let address = login.address(&self.settings);
        let address = versioned(address.unwrap_or(&self.settings.auth_url));
        tracing::debug!(address, "logged in to Keystone");
        Ok(Session {
            token,
            expires,
            address,
        })
    }

    /// The verdict on a token; nothing if Keystone refuses ours.
    async fn ask(
        &self,
        session: &Session,
        token: &HeaderValue,
        allow_expired: bool,
    ) -> Result<Option<Result<Token, Failure>>, Failure> {
        let mut url = format!("{}/auth/tokens", session.address);
        let mut mark = '?';
        for (name, wanted) in [
            ("nocatalog", !self.settings.catalog),
            ("allow_expired", allow_expired),
        ] {
            if wanted {
                url.extend([&mark.to_string(), name, "=1"]);
                mark = '&';
            }
        }
        let request = self
            .http
            .get(url)
            .header("x-auth-token", session.token.clone())
            .header(SUBJECT_TOKEN, token.clone())
            // Without it Keystone hides tokens that are good for some requests only.
            .header("openstack-identity-access-rules", "1");
        let response = self.send(request).await?;
        match response.status() {
            StatusCode::OK => {
                let body = read(response).await?;
                let token = Token::read(&body)
                    .map_err(|what| Failure::Broken(format!("Keystone's answer has {what}")))?;
                Ok(Some(Ok(token)))
            }
            StatusCode::NOT_FOUND => Ok(Some(Err(Failure::Invalid))),
            StatusCode::UNAUTHORIZED => Ok(None),
            status => Err(Failure::Broken(format!(
                "Keystone answers a question about a token by {status}"
            ))),
        }
    }

    /// Sends a request, again if it did not get through.
    async fn send(&self, request: RequestBuilder) -> Result<Response, Failure> {
        let unsent = || Failure::Broken("a request cannot be repeated".into());
        let mut pause = Duration::from_millis(50);
        for _ in 0..self.settings.retries {
            match request.try_clone().ok_or_else(unsent)?.send().await {
                Err(error) if error.is_connect() => {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                outcome => return outcome.map_err(|e| Failure::broken("Keystone is silent", e)),
            }
        }
        let outcome = request.send().await;
        outcome.map_err(|error| Failure::broken("Keystone cannot be reached", error))
    }
}

/// The body of an answer, unless it is too large.
async fn read(mut response: Response) -> Result<Bytes, Failure> {
    let mut body = BytesMut::new();
    loop {
        let piece = response.chunk().await;
        match piece.map_err(|e| Failure::broken("Keystone's answer breaks off", e))? {
            None => return Ok(body.freeze()),
            Some(piece) if body.len() + piece.len() > LARGEST_ANSWER => {
                return Err(Failure::Broken("Keystone's answer has no end".into()));
            }
            Some(piece) => body.extend_from_slice(&piece),
        }
    }
}

/// The root of the Identity API v3 at an address that may or may not name a version.
fn versioned(address: &str) -> String {
    let address = address.trim_end_matches('/');
    let root = ["/v3", "/v2.0"]
        .iter()
        .find_map(|version| address.strip_suffix(version))
        .unwrap_or(address);
    format!("{root}/v3")
}

fn with_files(
    mut builder: reqwest::ClientBuilder,
    files: &TlsFiles,
    secure: bool,
) -> Result<reqwest::ClientBuilder, KeystoneError> {
    if let Some(path) = &files.authorities {
        let authorities = Certificate::from_pem_bundle(&contents(path)?).map_err(unusable(path))?;
        builder = builder.tls_certs_only(authorities);
    } else if !secure {
        // Reading the machine's authorities takes longer than the rest of the start.
        builder = builder.tls_certs_only([]);
    }
    if let Some(path) = &files.certificate {
        let mut pem = contents(path)?;
        if let Some(key) = &files.key {
            pem.push(b'\n');
            pem.extend(contents(key)?);
        }
        builder = builder.identity(Identity::from_pem(&pem).map_err(unusable(path))?);
    }
    if files.insecure {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    Ok(builder)
}

#[expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]
fn contents(path: &Path) -> Result<Vec<u8>, KeystoneError> {
    fs::read(path).map_err(|source| KeystoneError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn unusable(path: &Path) -> impl FnOnce(reqwest::Error) -> KeystoneError {
    let path = path.to_owned();
    |source| KeystoneError::Unusable { path, source }
}

#[derive(Deserialize)]
struct Document {
    token: OwnToken,
}

#[derive(Deserialize)]
struct OwnToken {
    expires_at: String,
    #[serde(default)]
    catalog: Vec<Service>,
}

#[derive(Deserialize)]
struct Service {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

#[derive(Deserialize)]
struct Endpoint {
    interface: String,
    region: Option<String>,
    url: String,
}

impl OwnToken {
    /// Keystone's own address in its catalog, of the interface and in the region we want.
    fn address(&self, settings: &KeystoneSettings) -> Option<&str> {
        let services = self.catalog.iter().filter(|s| s.kind == "identity");
        let mut endpoints = services.flat_map(|service| &service.endpoints);
        let wanted = endpoints.find(|endpoint| {
            let here = settings.region.is_none() || endpoint.region == settings.region;
            endpoint.interface == settings.interface && here
        });
        wanted.map(|endpoint| endpoint.url.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_leads_to_v3() {
        for (written, expected) in [
            ("http://k:5000", "http://k:5000/v3"),
            ("http://k:5000/", "http://k:5000/v3"),
            ("http://k/identity", "http://k/identity/v3"),
            ("http://k/identity/v3/", "http://k/identity/v3"),
            ("http://k/v2.0", "http://k/v3"),
        ] {
            assert_eq!(versioned(written), expected);
        }
    }
}
