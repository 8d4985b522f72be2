//! How requests are sent: the login, and the rules for retries.
//!
//! What did not get through is sent again, unless it may have arrived and must not happen twice. A
//! question that the service failed to answer for reasons of its own is asked again for a while. A
//! session that the service no longer knows is renewed, once.

use super::Talk;
use crate::{
    DriverError, recorder,
    redfish::{
        bmcs::Access,
        info::{Auth, Login},
        refusal::RedfishError,
        resource,
        wire::{Answer, Ask, Ticket, WireError},
    },
};
use reqwest::{
    Method,
    header::{HeaderName, HeaderValue},
};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use tracing::Instrument;
use types::{
    JsonMap,
    recording::{self, Exchange, HttpAnswer, HttpQuestion, Question},
};

/// How long a service that has not answered yet may take for its first answer, and for how long it is
/// asked: twice, if it says nothing.
const FIRST_ANSWER: Duration = Duration::from_secs(25);
const FIRST_CONTACT: Duration = Duration::from_secs(55);

/// The longest that a service is believed that it wants to be left alone.
const LONGEST_REST: Duration = Duration::from_secs(30);

impl Talk<'_> {
    pub(super) fn plain<'b>(&self, method: Method, path: &'b str, ticket: Ticket<'b>) -> Ask<'b> {
        Ask {
            method,
            path,
            body: None,
            ticket,
            if_match: None,
            identity: true,
            limit: None,
        }
    }

    /// A request in the name of the node, and its answer, whatever that is.
    pub(in crate::redfish) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&JsonMap>,
        if_match: Option<&str>,
    ) -> Result<Answer, RedfishError> {
        let (mut access, mut is_new) = self.access().await?;
        loop {
            let ticket = match (&access, self.bmc.login()) {
                (Access::Session { token, .. }, _) => Ticket::Token(token),
                (Access::Password, Some(login)) => Ticket::Password(login),
                _ => Ticket::Nobody,
            };
            let ask = Ask {
                body,
                if_match,
                ..self.plain(method.clone(), path, ticket)
            };
            let answer = self.tried(ask).await?;
            let is_session = matches!(access, Access::Session { .. });
            let is_refused = matches!(answer.status, 401 | 403);
            if is_refused && access == Access::Password && self.info.auth == Auth::Auto {
                // Next time a session may be had after all.
                self.bmc.memory().access = Access::Unknown;
            }
            if !(is_refused && is_session && !is_new) {
                return Ok(answer);
            }
            // The session has expired, or the BMC has been restarted.
            tracing::debug!(bmc = self.named.peer, "a session is renewed");
            self.bmc.memory().access = Access::Unknown;
            (access, is_new) = self.access().await?;
        }
    }

    /// How to authorise requests, and whether that was found out just now.
    async fn access(&self) -> Result<(Access, bool), RedfishError> {
        let known = self.bmc.memory().access.clone();
        if known != Access::Unknown {
            return Ok((known, false));
        }
        let access = Box::pin(self.log_in()).await?;
        self.bmc.memory().access = access.clone();
        Ok((access, true))
    }

    async fn log_in(&self) -> Result<Access, RedfishError> {
        let Some(login) = self.bmc.login() else {
            return Ok(Access::Nobody);
        };
        let may_fall_back = self.info.auth == Auth::Auto;
        let path = self.sessions_path().await?;
        let body = sessions_body(login);
        let ask = Ask {
            body: Some(&body),
            ..self.plain(Method::POST, &path, Ticket::Nobody)
        };
        let answer = self.tried(ask).await?;
        let status = answer.status;
        match self.accept(&Method::POST, &path, answer) {
            Ok(answer) => {
                if let Some(token) = answer.headers.get("x-auth-token") {
                    let mut token = token.clone();
                    token.set_sensitive(true);
                    let own = |reference: &str| self.info.origin.path(reference);
                    let body = resource::decode(&answer.body).unwrap_or_default();
                    let told = || resource::at(&body, "@odata.id")?.as_str().and_then(own);
                    let location = answer.header("location").and_then(own).or_else(told);
                    return Ok(Access::Session { token, location });
                }
                if may_fall_back {
                    return Ok(Access::Password);
                }
                let text = format!("the answer to POST {path} has no X-Auth-Token");
                Err(self.protocol(text).into())
            }
            Err(_) if may_fall_back => {
                tracing::debug!(
                    bmc = self.named.peer,
                    status,
                    "no session; the password goes with every request"
                );
                Ok(Access::Password)
            }
            Err(error) => Err(error),
        }
    }

    /// Where sessions are created.
    pub(super) async fn sessions_path(&self) -> Result<String, RedfishError> {
        let usual = || {
            format!(
                "{}/SessionService/Sessions",
                self.info.root.trim_end_matches('/')
            )
        };
        let ask = self.plain(Method::GET, &self.info.root, Ticket::Nobody);
        let known = self.bmc.memory().root.clone();
        let root = match known {
            Some(root) => root,
            None => {
                let answer = self.tried(ask).await?;
                if !answer.is_good() {
                    return Ok(usual());
                }
                let root = Arc::new(self.resource(self.info.root.clone(), &answer).await?);
                self.bmc.memory().root = Some(Arc::clone(&root));
                root
            }
        };
        if let Some(sessions) = root.link("Links/Sessions") {
            return self.path(sessions);
        }
        match root.link("SessionService") {
            Some(service) => Ok(format!(
                "{}/Sessions",
                self.path(service)?.trim_end_matches('/')
            )),
            None => Ok(usual()),
        }
    }

    /// Sends a request until there is an answer that is worth having.
    pub(super) async fn tried(&self, mut ask: Ask<'_>) -> Result<Answer, RedfishError> {
        let mut attempts = 1;
        let mut retries = 0;
        // Whoever has never answered is given up sooner: it is a wrong address more often than a
        // slow BMC.
        let is_first = !self.bmc.memory().was_heard;
        ask.limit = is_first.then_some(FIRST_ANSWER);
        let began = Instant::now();
        loop {
            let outcome = self.once(&ask).await?;
            let pause = match outcome {
                Ok(answer) if answer.status == 406 && ask.identity && ask.method == Method::GET => {
                    ask.identity = false;
                    continue;
                }
                Ok(answer)
                    if retries < self.settings.server_retries && is_passing(&ask, &answer) =>
                {
                    retries += 1;
                    let told = answer.retry_after().unwrap_or_default().min(LONGEST_REST);
                    tracing::debug!(
                        bmc = self.named.peer,
                        path = ask.path,
                        status = answer.status,
                        "asking a service again that failed"
                    );
                    told.max(self.settings.server_retry_pause)
                }
                Ok(answer) => return Ok(answer),
                Err(error) => {
                    let may_repeat = match &error {
                        WireError::Unsent(_) => true,
                        WireError::Lost(_) => ask.method != Method::POST,
                        WireError::Wrong(_) => false,
                    };
                    let tried = began.elapsed() + self.settings.attempt_pause;
                    let is_over = is_first && tried >= FIRST_CONTACT;
                    if !may_repeat || is_over || attempts >= self.settings.attempts {
                        self.bmc.forget();
                        let tries = match attempts {
                            1 => String::new(),
                            tries => format!(" (tried {tries} times)"),
                        };
                        let text = format!("{}{tries}", lost(&ask, &error));
                        let failure = self.named.no_conversation(text);
                        return Err(error.variant()(failure).into());
                    }
                    attempts += 1;
                    tracing::debug!(
                        bmc = self.named.peer,
                        path = ask.path,
                        %error,
                        "sending a request again"
                    );
                    self.settings.attempt_pause
                }
            };
            self.within(tokio::time::sleep(pause)).await?;
        }
    }

    /// One try. The outer error ends the talk.
    async fn once(&self, ask: &Ask<'_>) -> Result<Result<Answer, WireError>, RedfishError> {
        let wire = &self.bmcs.wire;
        let exchange = wire.exchange(&self.info.origin, &self.info.tls, ask);
        let began = Instant::now();
        let span = tracing::debug_span!(
            target: "spans", "redfish", otel.kind = "client",
            otel.name = format!("{} {}", ask.method, ask.path),
            server.address = self.named.peer, operation = self.named.operation,
            http.response.status_code = tracing::field::Empty,
            otel.error = tracing::field::Empty,
        );
        let outcome = self.within(exchange).instrument(span.clone()).await;
        match &outcome {
            Ok(Ok(answer)) => {
                span.record("http.response.status_code", answer.status);
            }
            Ok(Err(error)) => {
                span.record("otel.error", error.to_string());
            }
            Err(error) => {
                span.record("otel.error", types::error::chain(error));
            }
        }
        if self.tape.is_running() {
            self.tape.note(self.noted(ask, &outcome), began.elapsed());
        }
        let outcome = outcome?;
        let Some(permit) = &self.permit else {
            return Ok(outcome);
        };
        match &outcome {
            Err(error @ (WireError::Unsent(_) | WireError::Lost(_))) => {
                if let Err(rest) = permit.silent() {
                    tracing::warn!(bmc = self.named.peer, error = %rest, "a BMC does not answer");
                    self.bmc.forget();
                    let text = format!("{}; {rest}", lost(ask, error));
                    let failure = self.named.no_conversation(text);
                    return Err(DriverError::Unreachable(failure).into());
                }
            }
            Ok(_) | Err(WireError::Wrong(_)) => permit.heard(),
        }
        if outcome.is_ok() {
            self.bmc.memory().was_heard = true;
        }
        Ok(outcome)
    }

    /// An exchange as the flight recorder keeps it.
    fn noted(
        &self,
        ask: &Ask<'_>,
        outcome: &Result<Result<Answer, WireError>, RedfishError>,
    ) -> Exchange {
        let tag = ask
            .if_match
            .map(|tag| ("if-match".to_owned(), tag.to_owned()));
        let body = ask.body.map(|body| serde_json::Value::Object(body.clone()));
        let question = HttpQuestion {
            protocol: None,
            method: ask.method.to_string().into(),
            path: ask.path.to_owned(),
            headers: tag.into_iter().collect(),
            body: body.and_then(|body| recorder::body(body.to_string().as_bytes())),
        };
        let (answer, failure) = match outcome {
            Ok(Ok(answer)) => (Some(answer), None),
            Ok(Err(error)) => (None, Some(error.to_string())),
            Err(error) => (None, Some(types::error::chain(error))),
        };
        let header = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.to_string(), value.to_str().ok()?.to_owned()))
        };
        let answer = answer.map(|answer| HttpAnswer {
            status: answer.status,
            headers: answer.headers.iter().filter_map(header).collect(),
            body: recorder::body(&answer.body),
        });
        Exchange {
            peer: self.named.peer.clone(),
            operation: self.named.operation.into(),
            question: Question::Http(question),
            answer: answer.map(recording::Answer::Http),
            failure,
        }
    }

    async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T, RedfishError> {
        match &self.permit {
            Some(permit) => {
                let done = permit.within(work).await;
                Ok(done.map_err(|error| self.named.gate(&error))?)
            }
            None => Ok(work.await),
        }
    }
}

/// What asks for a session.
pub(super) fn sessions_body(login: &Login) -> JsonMap {
    let mut body = JsonMap::new();
    body.insert("UserName".into(), login.user.clone().into());
    body.insert("Password".into(), login.password.clone().into());
    body
}

/// What is said about a request without an answer.
fn lost(ask: &Ask<'_>, error: &WireError) -> String {
    let doubt = match error {
        WireError::Lost(_) if ask.method == Method::POST => {
            "; nobody knows whether the request arrived, so it is not repeated"
        }
        _ => "",
    };
    format!("{} {}: {error}{doubt}", ask.method, ask.path)
}

/// Whether the same request may be answered differently in a moment.
fn is_passing(ask: &Ask<'_>, answer: &Answer) -> bool {
    if ask.method == Method::GET {
        return matches!(answer.status, 500 | 502 | 503 | 504);
    }
    if !(answer.status == 400 || answer.status >= 500) {
        return false;
    }
    // Two makers' words for "not yet".
    let text = String::from_utf8_lossy(&answer.body);
    text.contains("SYS518")
        || text.contains("iLO") && text.contains("InvalidOperationForSystemState")
}
