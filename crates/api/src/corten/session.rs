//! `/corten/v1/session`: signing in to the web page, and out.
//!
//! Credentials are traded for a sealed cookie ([`crate::auth::session`]). Nothing is stored here.

use crate::{
    auth::{
        Auth, AuthRefusal, LocalUsers,
        keystone::{SignIn, SignInScope},
        local::{place, stamp_of},
        session::{self, Session, Who},
    },
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    reply::Reply,
    schema::{self, session::SIGN_IN},
};
use axum::http::StatusCode;
use serde_json::{Value, json};
use types::{
    Timestamp,
    account::{BadName, RoleScope},
};

/// `GET`: which credentials are needed to sign in, and whether the caller has signed in.
pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let auth = &call.state.settings.auth;
    let document = json!({
        "mode": mode(auth),
        "is_signed_in": matches!(auth, Auth::NoAuth) || call.session.is_some(),
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

/// `POST`: signs in.
pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &SIGN_IN)?;
    let settings = &call.state.settings;
    if matches!(settings.auth, Auth::NoAuth) {
        return Ok(Reply::no_content());
    }
    // Before Keystone is asked for a token, which would be left over there.
    let Some(key) = &call.page_key else {
        return Err(ApiError::invalid(
            "X-Corten-Key must name a key of 32 bytes, in base64url without padding.",
        ));
    };
    let (who, end) = match &settings.auth {
        Auth::NoAuth => return Ok(Reply::no_content()),
        Auth::HttpBasic(users) => {
            let (Some(user), Some(password)) = (text(&body, "username"), text(&body, "password"))
            else {
                return Err(ApiError::invalid("username and password are needed here."));
            };
            let stamp = users.log_in(user, password, &call.address).await;
            let stamp = stamp.map_err(refused)?;
            let user = user.to_owned();
            (Who::HttpBasic { user, stamp }, None)
        }
        Auth::Local(users) => (local(&call, users, &body).await?, None),
        Auth::Keystone(keystone) => {
            let sign_in = sign_in(&body)?;
            let (token, end) = keystone.sign_in(&sign_in).await.map_err(refused)?;
            let is_ours = !matches!(sign_in, SignIn::Token(_));
            (Who::Keystone { token, is_ours }, Some(end))
        }
    };
    let latest = Timestamp::now().plus_seconds(settings.session_seconds);
    let session = Session::new(who, key, end.map_or(latest, |end| end.min(latest)));
    let cookie = session.cookie(call.state.db.keys(), is_secure(&call))?;
    let cookie = cookie.ok_or_else(|| {
        ApiError::invalid("This token is too long for a cookie; use one of another scope.")
    })?;
    Ok(Reply::no_content().with_cookie(cookie))
}

/// `DELETE`: signs out.
pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    if let Some(session) = &call.session {
        session::end(&call.state.settings.auth, session).await;
    }
    Ok(Reply::no_content().with_cookie(session::no_cookie(is_secure(&call))))
}

/// Who signs in by the name and the password of a local user, for the place that it names.
async fn local(call: &Call, users: &LocalUsers, body: &Value) -> Result<Who, ApiError> {
    let (Some(user), Some(password)) = (text(body, "username"), text(body, "password")) else {
        return Err(ApiError::invalid("username and password are needed here."));
    };
    let is_system = body.get("system").and_then(Value::as_bool) == Some(true);
    let place = match (is_system, text(body, "project")) {
        (true, Some(_)) => {
            return Err(ApiError::invalid("Name one of project and system."));
        }
        (true, None) => Some(RoleScope::System),
        (false, Some(project)) => {
            let project = project.parse();
            let project = project.map_err(|error: BadName| ApiError::invalid(error.to_string()))?;
            Some(RoleScope::Project(project))
        }
        (false, None) => None,
    };
    let (db, password) = (&call.state.db, password.as_bytes().to_vec());
    let verified = users.verify(db, user, password, &call.address).await;
    let standing = verified.map_err(refused)?;
    // A session that is for nothing would be of no use.
    place::credentials(user, &standing.grants, place.as_ref(), None).map_err(refused)?;
    Ok(Who::Local {
        user: user.to_owned(),
        stamp: stamp_of(&standing).unwrap_or_default(),
        place: place.map(|place| place.to_string()),
    })
}

/// How requests are authenticated.
pub(super) fn mode(auth: &Auth) -> &'static str {
    match auth {
        Auth::NoAuth => "noauth",
        Auth::HttpBasic(_) => "http_basic",
        Auth::Local(_) => "local",
        Auth::Keystone(_) => "keystone",
    }
}

/// Whether the browser speaks TLS, to us or to a proxy.
fn is_secure(call: &Call) -> bool {
    call.ctx.base.starts_with("https:")
}

fn text<'a>(body: &'a Value, key: &str) -> Option<&'a str> {
    body.get(key)?.as_str().filter(|text| !text.is_empty())
}

fn sign_in(body: &Value) -> Result<SignIn, ApiError> {
    if let Some(token) = text(body, "token") {
        return Ok(SignIn::Token(token.to_owned()));
    }
    let owned = |value: &Value, key: &str| text(value, key).map(str::to_owned);
    if let Some(application) = body.get("application_credential") {
        let (id, secret) = (owned(application, "id"), owned(application, "secret"));
        let (Some(id), Some(secret)) = (id, secret) else {
            return Err(ApiError::invalid(
                "An application credential has id and secret.",
            ));
        };
        return Ok(SignIn::Application { id, secret });
    }
    let (Some(user), Some(password)) = (owned(body, "username"), owned(body, "password")) else {
        return Err(ApiError::invalid(
            "username and password, a token or an application credential are needed here.",
        ));
    };
    let domain = |key: &str| owned(body, key).unwrap_or_else(|| "Default".to_owned());
    let is_system = body.get("system").and_then(Value::as_bool) == Some(true);
    let scope = match (is_system, owned(body, "project")) {
        (true, None) => SignInScope::System,
        (false, Some(name)) => SignInScope::Project {
            name,
            domain: domain("project_domain"),
        },
        _ => {
            return Err(ApiError::invalid(
                "Either project or system is needed here.",
            ));
        }
    };
    Ok(SignIn::Password {
        user,
        password,
        user_domain: domain("user_domain"),
        scope,
    })
}

/// In the form of every other refusal, and without a challenge: no browser is to open its own box.
fn refused(refusal: AuthRefusal) -> ApiError {
    match refusal {
        AuthRefusal::Missing
        | AuthRefusal::Wrong
        | AuthRefusal::NoToken(_)
        | AuthRefusal::BadToken => {
            ApiError::service(StatusCode::UNAUTHORIZED, "These credentials are not right.")
        }
        AuthRefusal::Busy => ApiError::busy("Too many passwords are being verified."),
        AuthRefusal::BadPlace(text) => ApiError::invalid(text),
        AuthRefusal::NoPlace(text) => ApiError::forbidden(text),
        AuthRefusal::TooMany(_) => {
            ApiError::service(StatusCode::TOO_MANY_REQUESTS, refusal.to_string())
        }
        AuthRefusal::NoDatabase => ApiError::busy("The database of users does not answer."),
        AuthRefusal::NoKeystone => ApiError::busy("Keystone does not answer."),
        other => ApiError::internal(other.to_string()),
    }
}

#[cfg(test)]
#[path = "session/tests.rs"]
mod tests;
