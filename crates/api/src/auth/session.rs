//! Sessions of the web page: a sealed cookie that is worth nothing without the page's own key.
//!
//! Nothing is stored: what a session is stands in the cookie, sealed by the key ring under a purpose
//! of its own, so that every process of the service understands it. Browsers send cookies to every
//! port of a host and with requests that other pages cause, so the cookie alone is not enough. The
//! page makes a random key at login, whose hash is sealed in, keeps it where only pages of its own
//! origin find it, and sends it with each request ([`PageKey`]). Without the key, or with another,
//! the cookie counts as absent.

use super::{Auth, AuthRefusal, Gate, Identity};
use axum::http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{AUTHORIZATION, COOKIE, SEC_WEBSOCKET_PROTOCOL},
    request::Parts,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::digest;
use serde::{Deserialize, Serialize};
use std::fmt;
use store::{KeyRing, StoreError};
use types::{Timestamp, hex};

/// What a session is sealed for; no value in the database has this subject.
const PURPOSE: &str = "session of the web page";
/// The name of the cookie behind TLS, where browsers promise more about it, and without.
const SECURE_NAME: &str = "__Host-corten";
const NAME: &str = "corten";
/// What names the key in a list of WebSocket protocols.
const PROTOCOL: &str = "corten.key.";
/// Browsers drop longer cookies.
const LONGEST: usize = 4000;

const KEY: HeaderName = HeaderName::from_static("x-corten-key");
const TOKEN: HeaderName = HeaderName::from_static("x-auth-token");

/// The key that a page has made: 32 random bytes. Never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct PageKey([u8; 32]);

impl fmt::Debug for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PageKey").finish_non_exhaustive()
    }
}

impl PageKey {
    /// The key that a request names. Browsers cannot add headers to WebSockets, so there it is one of
    /// the protocols.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |value: &HeaderValue| value.to_str().ok().map(str::to_owned);
        let sent = headers.get(KEY).and_then(text).or_else(|| {
            let protocols = text(headers.get(SEC_WEBSOCKET_PROTOCOL)?)?;
            let mut protocols = protocols.split(',').map(str::trim);
            protocols.find_map(|name| name.strip_prefix(PROTOCOL).map(str::to_owned))
        })?;
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(sent.trim()).ok()?;
        bytes.try_into().ok().map(Self)
    }

    fn hash(&self) -> String {
        hex::encode(digest::digest(&digest::SHA256, &self.0).as_ref())
    }
}

/// Whether a request comes from the page, so that no browser is to open its own box for passwords.
pub(crate) fn is_of_page(headers: &HeaderMap) -> bool {
    headers.contains_key(KEY)
}

/// Who has signed in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub(crate) enum Who {
    HttpBasic {
        user: String,
        /// Of the user's entry in the file: a new password ends the session.
        stamp: String,
    },
    Local {
        user: String,
        /// Of the user's password: another one ends the session.
        stamp: String,
        /// What the session is for; what follows from the user's roles if unset.
        place: Option<String>,
    },
    Keystone {
        token: String,
        /// Whether we have fetched the token, so that it ends with the session.
        is_ours: bool,
    },
}

/// A session, as it is sealed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    #[serde(flatten)]
    pub(crate) who: Who,
    key: String,
    pub(crate) end: Timestamp,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(who: Who, key: &PageKey, end: Timestamp) -> Self {
        Self {
            who,
            key: key.hash(),
            end,
        }
    }

    /// The session that a request shows, if it is one of ours, has not ended, and the key is its own.
    pub(crate) fn shown(keys: &KeyRing, headers: &HeaderMap) -> Option<Self> {
        let key = PageKey::of(headers)?;
        let sealed = cookie(headers)?;
        let opened = keys.open(&sealed.into(), PURPOSE).ok()?;
        let session: Self = serde_json::from_value(opened).ok()?;
        // Of hashes: how many of their letters are equal tells nothing about the key.
        let is_same = session.key == key.hash();
        (is_same && session.end > Timestamp::now()).then_some(session)
    }

    /// The value of `Set-Cookie`; none if the session is too long for one.
    pub(crate) fn cookie(
        &self,
        keys: &KeyRing,
        is_secure: bool,
    ) -> Result<Option<String>, StoreError> {
        let value = serde_json::to_value(self).unwrap_or_default();
        let sealed = keys.seal_for(&value, PURPOSE)?;
        let seconds = self.end.seconds_since(Timestamp::now()).max(0);
        let cookie = set_cookie(&sealed, seconds, is_secure);
        Ok(Some(cookie).filter(|cookie| cookie.len() <= LONGEST))
    }
}

/// The value of `Set-Cookie` that ends a session.
pub(crate) fn no_cookie(is_secure: bool) -> String {
    set_cookie("", 0, is_secure)
}

fn set_cookie(value: &str, seconds: i64, is_secure: bool) -> String {
    let (name, secure) = match is_secure {
        true => (SECURE_NAME, "; Secure"),
        false => (NAME, ""),
    };
    format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

/// Our cookie among all of a request.
fn cookie(headers: &HeaderMap) -> Option<String> {
    let all = headers.get_all(COOKIE).into_iter();
    let all = all.filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';'));
    pairs.find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        let is_ours = matches!(name, SECURE_NAME | NAME);
        (is_ours && value.len() <= LONGEST).then(|| value.to_owned())
    })
}

/// Whether a request brings credentials of its own, which then count in place of a session.
fn brings_credentials(headers: &HeaderMap) -> bool {
    headers.contains_key(AUTHORIZATION) || headers.contains_key(TOKEN)
}

/// The identity of a request by its session; nothing if it shows none, so that it is judged as any
/// other.
pub(crate) async fn identify(
    gate: &Gate<'_>,
    parts: &Parts,
) -> Option<(Session, Result<Identity, AuthRefusal>)> {
    let auth = gate.auth;
    if matches!(auth, Auth::NoAuth) || brings_credentials(&parts.headers) {
        return None;
    }
    let session = Session::shown(gate.db.keys(), &parts.headers)?;
    let identity = match (auth, &session.who) {
        (Auth::HttpBasic(users), Who::HttpBasic { user, stamp }) => {
            match users.is_current(user, stamp).await {
                Ok(true) => Ok(Identity {
                    user: Some(user.clone()),
                    ..Identity::claimed(&parts.headers)
                }),
                Ok(false) => Err(AuthRefusal::Missing),
                Err(refusal) => Err(refusal),
            }
        }
        (Auth::Local(users), Who::Local { user, stamp, place }) => {
            let place = place.as_ref().map(|place| place.parse()).transpose().ok()?;
            let identity = users.of_session(gate.db, user, stamp, place.as_ref());
            identity.await
        }
        (Auth::Keystone(keystone), Who::Keystone { token, .. }) => {
            let mut parts = parts.clone();
            let mut token = HeaderValue::try_from(token.as_str()).ok()?;
            token.set_sensitive(true);
            parts.headers.insert(TOKEN, token);
            keystone.identify(&parts).await
        }
        // Of a time when another mode was configured.
        _ => return None,
    };
    Some((session, identity))
}

/// Ends what a session has begun elsewhere.
pub(crate) async fn end(auth: &Auth, session: &Session) {
    if let (
        Auth::Keystone(keystone),
        Who::Keystone {
            token,
            is_ours: true,
        },
    ) = (auth, &session.who)
        && let Err(error) = keystone.revoke(token).await
    {
        tracing::warn!(%error, "the token of a session that has ended was not revoked");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: [u8; 32] = [7; 32];

    fn headers(list: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            let name = HeaderName::try_from(*name).unwrap();
            headers.append(name, HeaderValue::try_from(*value).unwrap());
        }
        headers
    }

    fn session(end: i64) -> Session {
        let who = Who::HttpBasic {
            user: "ada".into(),
            stamp: "s".into(),
        };
        Session::new(who, &PageKey(BYTES), Timestamp::now().plus_seconds(end))
    }

    /// The name and value of a cookie, as a browser sends them back.
    fn sent(session: &Session, keys: &KeyRing) -> String {
        let cookie = session.cookie(keys, false).unwrap().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    #[test]
    fn a_cookie_counts_only_with_the_key_it_was_made_for() {
        let keys = KeyRing::ephemeral().unwrap();
        let good = BASE64_URL_SAFE_NO_PAD.encode(BYTES);
        let other = BASE64_URL_SAFE_NO_PAD.encode([8; 32]);
        let cookie = sent(&session(60), &keys);
        let shown = |list: &[(&str, &str)]| Session::shown(&keys, &headers(list));
        assert!(shown(&[("cookie", &cookie), ("x-corten-key", &good)]).is_some());
        let among = format!("a=b; {cookie}; c=d");
        assert!(shown(&[("cookie", &among), ("x-corten-key", &good)]).is_some());
        let protocols = format!("corten.console, corten.key.{good}");
        assert!(shown(&[("cookie", &cookie), ("sec-websocket-protocol", &protocols)]).is_some());
        for wrong in [
            vec![("cookie", cookie.as_str())],
            vec![("x-corten-key", good.as_str())],
            vec![
                ("cookie", cookie.as_str()),
                ("x-corten-key", other.as_str()),
            ],
            vec![("cookie", cookie.as_str()), ("x-corten-key", "x")],
            vec![("cookie", "corten=x"), ("x-corten-key", good.as_str())],
        ] {
            assert!(shown(&wrong).is_none(), "{wrong:?}");
        }
        let ended = sent(&session(-1), &keys);
        assert!(shown(&[("cookie", &ended), ("x-corten-key", &good)]).is_none());
        let foreign = sent(&session(60), &KeyRing::ephemeral().unwrap());
        assert!(shown(&[("cookie", &foreign), ("x-corten-key", &good)]).is_none());
        // What is sealed for a node is no session.
        let value = serde_json::to_value(session(60)).unwrap();
        let stolen = format!("corten={}", keys.seal_for(&value, "a node").unwrap());
        assert!(shown(&[("cookie", &stolen), ("x-corten-key", &good)]).is_none());
    }

    #[test]
    fn cookies_are_for_this_host_and_no_script() {
        let keys = KeyRing::ephemeral().unwrap();
        let cookie = session(60).cookie(&keys, true).unwrap().unwrap();
        assert!(
            cookie.starts_with("__Host-corten=corten:sealed:"),
            "{cookie}"
        );
        for part in ["; Path=/;", "; HttpOnly", "; SameSite=Strict", "; Secure"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert!(
            !session(60)
                .cookie(&keys, false)
                .unwrap()
                .unwrap()
                .contains("Secure")
        );
        assert!(no_cookie(false).starts_with("corten=; Path=/; Max-Age=0;"));
        let long = Session {
            who: Who::Keystone {
                token: "t".repeat(4000),
                is_ours: false,
            },
            ..session(60)
        };
        assert!(long.cookie(&keys, false).unwrap().is_none());
        assert!(!format!("{long:?}").contains("tttt"));
    }
}
