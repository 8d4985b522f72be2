//! Sessions: logging in, looking at them, logging out.

use crate::redfish::{
    answer::Answer,
    auth,
    body::Fields,
    call::{Call, add, healthy, link},
    message::Problem,
};
use hyper::header::HeaderName;
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) fn service(call: &Call<'_>) -> Result<Value, Problem> {
    let changed = call.host().parts(|parts| parts.session_timeout);
    let timeout = auth::timeout(call.site, changed);
    let mut body = call.resource(
        "#SessionService.v1_1_9.SessionService",
        "SessionService",
        "Session Service",
    );
    add(
        &mut body,
        json!({
            "Status": healthy(),
            "ServiceEnabled": true,
            "SessionTimeout": timeout.as_secs(),
            "Sessions": link(auth::SESSIONS),
        }),
    );
    Ok(body)
}

pub(crate) fn change_service(call: &Call<'_>) -> Result<Answer, Problem> {
    let mut fields = Fields::of(call.body)?;
    let seconds = fields.number("SessionTimeout")?;
    fields.end(&service(call)?)?;
    if let Some(seconds) = seconds {
        if !(30..=86_400).contains(&seconds) {
            let text = seconds.to_string();
            let problem = Problem::new("PropertyValueOutOfRange", &[&text, "SessionTimeout"]);
            return Err(problem.about("SessionTimeout"));
        }
        let timeout = Duration::from_secs(seconds);
        call.host()
            .parts(|parts| parts.session_timeout = Some(timeout));
    }
    Ok(Answer::ok(service(call)?))
}

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let numbers = call.host().parts(|parts| {
        parts
            .sessions
            .expire(call.now, auth::timeout(call.site, parts.session_timeout));
        let open = parts.sessions.open().iter();
        open.map(|session| session.number).collect::<Vec<_>>()
    });
    Ok(call.collection("SessionCollection", "Session Collection", numbers))
}

pub(crate) fn log_in(call: &Call<'_>) -> Result<Answer, Problem> {
    let mut fields = Fields::of(call.body)?;
    let name = fields
        .text("UserName")?
        .ok_or_else(|| Problem::missing("UserName"))?;
    let password = fields
        .text("Password")?
        .ok_or_else(|| Problem::missing("Password"))?;
    let host = call.host();
    let user = host
        .log_in(&name, &password)
        .map_err(|denied| auth::refused(denied, call.path))?;
    let limit = usize::from(host.session_limit());
    let opened = host.parts(|parts| {
        parts
            .sessions
            .expire(call.now, auth::timeout(call.site, parts.session_timeout));
        parts.sessions.log_in(&user.name, call.now, limit)
    });
    let (number, token) = opened.ok_or_else(|| Problem::new("SessionLimitExceeded", &[]))?;
    let uri = format!("{}/{number}", call.path);
    let body = session(&uri, number, &user.name);
    Ok(Answer::created(uri, body).with(HeaderName::from_static(auth::TOKEN), token))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let found = call.host().parts(|parts| {
        let mut open = parts.sessions.open().iter();
        let found = open.find(|session| session.number.to_string() == call.param("session"));
        found.map(|session| (session.number, session.user.clone()))
    });
    let (number, user) = found.ok_or_else(|| call.absent())?;
    Ok(session(call.path, number, &user))
}

pub(crate) fn log_out(call: &Call<'_>) -> Result<Answer, Problem> {
    let number = call.param("session").parse().map_err(|_| call.absent())?;
    if call.host().parts(|parts| parts.sessions.log_out(number)) {
        Ok(Answer::nothing())
    } else {
        Err(call.absent())
    }
}

fn session(uri: &str, number: u32, user: &str) -> Value {
    json!({
        "@odata.id": uri,
        "@odata.type": "#Session.v1_7_0.Session",
        "Id": number.to_string(),
        "Name": "User Session",
        "UserName": user,
        "Password": null,
    })
}
