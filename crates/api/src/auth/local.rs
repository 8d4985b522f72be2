//! Users that the service itself knows (`auth_strategy = local`).
//!
//! They prove who they are by a name and a password (HTTP Basic), by a token of ours (as a bearer,
//! in `X-Auth-Token`, or in place of the password), or by a session of the web page. What they may do
//! is read from the database for every request, so that a change counts at once. A right password
//! is remembered for a while, by a hash that covers the user's bcrypt hash.

pub(crate) mod limit;
pub(crate) mod place;
pub(crate) mod secret;

use super::{
    AuthRefusal, Identity, Proof, basic,
    oidc::{Oidc, OidcError, OidcSettings},
    passwords::{PASSWORDS, USUAL_COST, unmatched},
};
use axum::http::{HeaderMap, header::AUTHORIZATION};
use limit::Attempts;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use store::{Db, StoreError, account};
use types::{
    AccessTokenId, Timestamp,
    account::{AccessToken, RoleScope, Standing, UserName},
    error::chain,
};

/// How long a right password is remembered.
const REMEMBERED: Duration = Duration::from_secs(300);
/// Of how many users.
const MOST_REMEMBERED: usize = 8192;
/// How exactly is noted when a token was used, in seconds.
const USE_NOTED_AFTER: i64 = 300;
const TOKEN: &str = "x-auth-token";

/// Whoever knows the local users. Its `Debug` shows nothing of them.
#[derive(Default)]
pub struct LocalUsers {
    attempts: Mutex<Attempts>,
    /// User to the hash of the password that was right, and until when that counts.
    verified: Mutex<HashMap<UserName, (u128, Instant)>>,
    /// Passwords that are being verified: requests with the same one wait for each other.
    under_way: Mutex<HashMap<u128, Arc<tokio::sync::Mutex<()>>>>,
    /// Tokens whose use is being noted.
    noting: Arc<Mutex<HashSet<AccessTokenId>>>,
    /// Where tokens of others come from, if they are accepted.
    oidc: Option<Oidc>,
}

impl std::fmt::Debug for LocalUsers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalUsers").finish_non_exhaustive()
    }
}

/// What a request shows to prove who sends it.
enum Shown {
    Password(String, Vec<u8>),
    Token(Vec<u8>),
}

impl LocalUsers {
    /// Local users, and those of a provider of OpenID Connect. It is not asked for anything yet.
    pub fn with_provider(settings: OidcSettings) -> Result<Self, OidcError> {
        Ok(Self {
            oidc: Some(Oidc::new(settings)?),
            ..Self::default()
        })
    }

    /// Who sent a request from an address.
    pub(super) async fn identify(
        &self,
        db: &Db,
        headers: &HeaderMap,
        address: &str,
    ) -> Result<Identity, AuthRefusal> {
        let wished = place::wished(headers)?;
        match (shown(headers)?, &self.oidc) {
            (Shown::Token(token), Some(oidc)) if oidc.is_token(&token) => {
                oidc.identify(&token, wished.as_ref()).await
            }
            (Shown::Token(token), _) => self.identify_token(db, &token, None, wished).await,
            // For clients that have a field for a password and none for a token.
            (Shown::Password(user, token), _) if secret::is_token(&token) => {
                self.identify_token(db, &token, Some(&user), wished).await
            }
            (Shown::Password(user, password), _) => {
                let standing = self.verify(db, &user, password, address).await?;
                identity(&standing, wished.as_ref(), Proof::Password)
            }
        }
    }

    /// The standing of a user whose password this is.
    pub(crate) async fn verify(
        &self,
        db: &Db,
        user: &str,
        password: Vec<u8>,
        address: &str,
    ) -> Result<Standing, AuthRefusal> {
        let name = user.parse::<UserName>().ok();
        // What cannot be a name may be of any length, and counts as one user.
        let user = name.as_ref().map_or("", UserName::as_str);
        // Judged before anything is known about the password, so that nothing tells about it.
        lock(&self.attempts)
            .check(address, user, Instant::now())
            .map_err(AuthRefusal::TooMany)?;
        let standing = match &name {
            Some(name) => account::standing(db, name).await.map_err(unreachable)?,
            None => None,
        };
        let known = standing
            .filter(|standing| standing.enabled)
            .and_then(|standing| Some((standing.password.clone()?, standing)));
        let Some((hash, standing)) = known else {
            self.attempt(address, user)?;
            // Takes as long as a wrong password: timing must not tell which users exist.
            let hash = unmatched(USUAL_COST);
            PASSWORDS.matches(address, password, hash).await?;
            tracing::info!(
                address,
                "a user who is unknown, disabled or without a password is refused"
            );
            return Err(AuthRefusal::Wrong);
        };
        let digest = PASSWORDS.digest(user, hash.expose(), &password);
        if self.is_remembered(&standing.user, digest) {
            return Ok(standing);
        }
        let turn = Arc::clone(lock(&self.under_way).entry(digest).or_default());
        let verdict = {
            let _turn = turn.lock().await;
            match self.is_remembered(&standing.user, digest) {
                true => Ok(true),
                false => self.check(address, user, password, hash.expose()).await,
            }
        };
        drop(turn);
        lock(&self.under_way).retain(|_, turn| Arc::strong_count(turn) > 1);
        if !verdict? {
            tracing::info!(user, address, "wrong password");
            return Err(AuthRefusal::Wrong);
        }
        lock(&self.attempts).give_back(address, user, Instant::now());
        self.remember(&standing.user, digest);
        Ok(standing)
    }

    async fn check(
        &self,
        address: &str,
        user: &str,
        password: Vec<u8>,
        hash: &str,
    ) -> Result<bool, AuthRefusal> {
        self.attempt(address, user)?;
        PASSWORDS.matches(address, password, hash.to_owned()).await
    }

    fn attempt(&self, address: &str, user: &str) -> Result<(), AuthRefusal> {
        lock(&self.attempts)
            .take(address, user, Instant::now())
            .map_err(|seconds| {
                tracing::warn!(address, "an address has tried too many passwords");
                AuthRefusal::TooMany(seconds)
            })
    }

    fn is_remembered(&self, user: &UserName, digest: u128) -> bool {
        let verified = lock(&self.verified);
        let known = verified.get(user);
        known.is_some_and(|(known, until)| *known == digest && Instant::now() < *until)
    }

    fn remember(&self, user: &UserName, digest: u128) {
        let mut verified = lock(&self.verified);
        if verified.len() >= MOST_REMEMBERED {
            verified.clear();
        }
        // Not longer for being used: what is remembered is verified anew from time to time.
        let now = Instant::now();
        let is_newer = |(known, until): &(u128, Instant)| *known != digest || *until <= now;
        if verified.get(user).is_none_or(is_newer) {
            verified.insert(user.clone(), (digest, now + REMEMBERED));
        }
    }

    async fn identify_token(
        &self,
        db: &Db,
        token: &[u8],
        named: Option<&str>,
        wished: Option<RoleScope>,
    ) -> Result<Identity, AuthRefusal> {
        if !secret::is_token(token) {
            return Err(AuthRefusal::BadToken);
        }
        let found = account::standing_of_token(db, &secret::hash(token)).await;
        let now = Timestamp::now();
        let (token, owner) = found
            .map_err(unreachable)?
            .filter(|(token, _)| token.expires_at.is_none_or(|end| now < end))
            .filter(|(_, owner)| owner.enabled)
            .filter(|(_, owner)| named.is_none_or(|named| named == owner.user.as_str()))
            .ok_or(AuthRefusal::BadToken)?;
        let wished = match (&token.place, wished) {
            (Some(place), Some(wished)) if *place != wished => {
                let text = format!("Token {} is for {place} only.", token.name);
                return Err(AuthRefusal::NoPlace(text));
            }
            (place, wished) => wished.or_else(|| place.clone()),
        };
        let user = owner.user.as_str();
        let cap = token.role.as_ref();
        let credentials = place::credentials(user, &owner.grants, wished.as_ref(), cap)?;
        self.note_use(db, &token, now);
        Ok(Identity {
            user: Some(user.to_owned()),
            credentials: Arc::new(credentials),
            token: None,
            proof: Proof::Token,
        })
    }

    /// Notes that a token was used, unless that was done a moment ago.
    fn note_use(&self, db: &Db, token: &AccessToken, now: Timestamp) {
        let is_noted = |at: Timestamp| now.seconds_since(at) < USE_NOTED_AFTER;
        if token.last_used_at.is_some_and(is_noted) || !lock(&self.noting).insert(token.id) {
            return;
        }
        let (db, noting, id) = (db.clone(), Arc::clone(&self.noting), token.id);
        tokio::spawn(async move {
            if let Err(error) = account::token::used(&db, id, now).await {
                tracing::warn!("the use of a token is not noted: {}", chain(&error));
            }
            lock(&noting).remove(&id);
        });
    }

    /// The identity of a session that a user began with this password; none if the user has another
    /// one by now.
    pub(super) async fn of_session(
        &self,
        db: &Db,
        user: &str,
        stamp: &str,
        place: Option<&RoleScope>,
    ) -> Result<Identity, AuthRefusal> {
        let name: UserName = user.parse().map_err(|_| AuthRefusal::Missing)?;
        let standing = account::standing(db, &name).await.map_err(unreachable)?;
        let standing = standing
            .filter(|standing| standing.enabled && stamp_of(standing).as_deref() == Some(stamp))
            .ok_or(AuthRefusal::Missing)?;
        identity(&standing, place, Proof::Password)
    }
}

/// Says which password a user has, and nothing about it.
pub(crate) fn stamp_of(standing: &Standing) -> Option<String> {
    let hash = standing.password.as_ref()?;
    Some(basic::stamp(standing.user.as_str(), hash.expose()))
}

/// Who a user is that has proven to be itself.
fn identity(
    standing: &Standing,
    wished: Option<&RoleScope>,
    proof: Proof,
) -> Result<Identity, AuthRefusal> {
    let user = standing.user.as_str();
    let credentials = place::credentials(user, &standing.grants, wished, None)?;
    Ok(Identity {
        user: Some(user.to_owned()),
        credentials: Arc::new(credentials),
        token: None,
        proof,
    })
}

fn shown(headers: &HeaderMap) -> Result<Shown, AuthRefusal> {
    if let Some(token) = headers.get(TOKEN) {
        return Ok(Shown::Token(token.as_bytes().trim_ascii().to_vec()));
    }
    let authorization = headers.get(AUTHORIZATION);
    let bearer = authorization.and_then(|value| {
        let (scheme, token) = value.to_str().ok()?.trim().split_once(' ')?;
        let is_bearer = scheme.eq_ignore_ascii_case("bearer");
        is_bearer.then(|| token.trim().as_bytes().to_vec())
    });
    if let Some(token) = bearer {
        return Ok(Shown::Token(token));
    }
    let (user, password) = basic::credentials(authorization)?;
    Ok(Shown::Password(user, password))
}

fn unreachable(error: StoreError) -> AuthRefusal {
    tracing::error!("the users cannot be read: {}", chain(&error));
    AuthRefusal::NoDatabase
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is left half-written when a holder panics: every change is one insertion.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
