//! Authentication: a session's token, or HTTP basic with every request.

use super::{call::Site, message::Problem};
use crate::machine::{
    account::{Denied, User},
    parts,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use hyper::{HeaderMap, header};
use proto::ipmi::Privilege;
use std::time::Duration;

/// The collection of sessions: the only resource that accepts unauthenticated POST requests.
pub(crate) const SESSIONS: &str = "/redfish/v1/SessionService/Sessions";

pub(crate) const TOKEN: &str = "x-auth-token";

/// The authenticated caller.
pub(crate) fn user(site: &Site, headers: &HeaderMap, path: &str) -> Result<User, Problem> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(token) = text(TOKEN) {
        return by_token(site, token);
    }
    let basic = text(header::AUTHORIZATION.as_str()).and_then(|value| value.strip_prefix("Basic "));
    let decoded = basic.and_then(|basic| STANDARD.decode(basic.trim()).ok());
    let pair = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
    let Some((name, password)) = pair.as_deref().and_then(|pair| pair.split_once(':')) else {
        return Err(Problem::new("NoValidSession", &[]));
    };
    site.host()
        .log_in(name, password)
        .map_err(|denied| refused(denied, path))
}

pub(crate) fn refused(denied: Denied, path: &str) -> Problem {
    // Do not reveal whether the name or the password is wrong.
    let why = match denied {
        Denied::Unknown | Denied::Password => "Unauthorized",
        Denied::Locked => "Locked",
    };
    Problem::new("ResourceAtUriUnauthorized", &[path, why])
}

fn by_token(site: &Site, token: &str) -> Result<User, Problem> {
    let invalid = || Problem::new("NoValidSession", &[]);
    let now = parts::now();
    let host = site.host();
    let name = host.parts(|parts| {
        let timeout = timeout(site, parts.session_timeout);
        parts.sessions.expire(now, timeout);
        parts.sessions.user_of(token, now)
    });
    let (_, name) = name.ok_or_else(invalid)?;
    let users = host.users();
    let user = users
        .into_iter()
        .find(|user| user.name == name && user.is_enabled);
    user.ok_or_else(invalid)
}

/// How long a session may be unused.
pub(crate) fn timeout(site: &Site, changed: Option<Duration>) -> Duration {
    changed.unwrap_or(site.options.session_timeout)
}

/// Whether the caller may change anything.
pub(crate) fn may_change(user: &User) -> bool {
    matches!(
        user.privilege,
        Privilege::Operator | Privilege::Administrator | Privilege::Oem
    )
}
