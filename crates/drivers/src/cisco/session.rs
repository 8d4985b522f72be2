//! A session of the XML API: one login, some requests, one logout, whatever they come to. There are
//! few sessions at a time, so none is kept.

use super::Login;
use crate::{
    DriverError,
    chassis::{Ask, MASK, ManagerAddress, Managers, Talk},
    error::Variant,
    iface::Machine,
};
use proto::{
    nuova::{self, Refusal, Reply},
    xml::Element,
};
use reqwest::Method;

/// Where a request stands in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Login,
    Question,
    Logout,
}

pub(super) struct Session<'m> {
    talk: Talk<'m>,
    cookie: String,
}

impl<'m> Session<'m> {
    pub(super) async fn open(
        managers: &'m Managers,
        machine: &Machine<'_>,
        place: ManagerAddress,
        operation: String,
        login: &Login,
    ) -> Result<Self, DriverError> {
        let talk = managers.talk(machine, place, operation, &login.password);
        let mut session = Self {
            talk: talk.await?,
            cookie: String::new(),
        };
        let asked = nuova::login(&login.user, &login.password);
        let noted = nuova::login(&login.user, MASK);
        let reply = session.post(&asked, &noted, Part::Login).await?;
        let Some(cookie) = reply.cookie() else {
            return Err(session.error(DriverError::Protocol, "its login gives no cookie"));
        };
        cookie.clone_into(&mut session.cookie);
        session.talk.hide(cookie);
        Ok(session)
    }

    /// Asks for something; `ask` is given the cookie.
    pub(super) async fn ask(&self, ask: impl Fn(&str) -> Element) -> Result<Reply, DriverError> {
        let (asked, noted) = (ask(&self.cookie), ask(MASK));
        self.post(&asked, &noted, Part::Question).await
    }

    /// Ends the session. What it was for is done, so that it is no error if this fails.
    pub(super) async fn close(self) {
        let (asked, noted) = (nuova::logout(&self.cookie), nuova::logout(MASK));
        if let Err(error) = self.post(&asked, &noted, Part::Logout).await {
            tracing::debug!(error = %types::error::chain(&error), "a session does not end");
        }
    }

    pub(super) fn error(&self, variant: Variant, cause: &str) -> DriverError {
        self.talk.error(variant, cause)
    }

    /// What a device says, short enough for a log and without secrets.
    pub(super) fn quoted(&self, said: &str) -> String {
        self.talk.quoted(said)
    }

    async fn post(
        &self,
        asked: &Element,
        noted: &Element,
        part: Part,
    ) -> Result<Reply, DriverError> {
        let ask = Ask {
            method: Method::POST,
            path: nuova::PATH,
            basic: None,
            body: Some((nuova::CONTENT_TYPE, asked.to_xml())),
            noted: Some(noted.to_xml()),
            is_secret: part == Part::Login,
            is_farewell: part == Part::Logout,
        };
        let text = self.talk.ask(&ask).await?;
        match Reply::parse(&asked.name, &text) {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(refusal)) => {
                let text = format!("it answers {}", self.talk.quoted(&refusal.to_string()));
                Err(self.error(meaning(&refusal), &text))
            }
            Err(error) => {
                let text = self.talk.quoted(&error.to_string());
                let text = format!("its answer to {} makes no sense: {text}", asked.name);
                Err(self.error(DriverError::Protocol, &text))
            }
        }
    }
}

fn meaning(refusal: &Refusal) -> Variant {
    /// Too many sessions.
    const QUOTA: u32 = 572;
    match refusal.code {
        nuova::AUTHENTICATION_FAILED => DriverError::Refused,
        // Somebody else ended it, or there are too many.
        nuova::AUTHORIZATION_REQUIRED | nuova::SESSION_NOT_FOUND | QUOTA => DriverError::Busy,
        _ => DriverError::Rejected,
    }
}
