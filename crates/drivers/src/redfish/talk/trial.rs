//! A login for its own sake: whether a name and a password are right.
//!
//! Nothing is kept of it, and a wrong password is sent once: services lock accounts after a few.

use super::{Talk, sending::sessions_body};
use crate::{
    DriverError,
    bmc_account::LoginAnswer,
    redfish::{
        info::Auth,
        refusal::RedfishError,
        wire::{Answer, Ask, Ticket},
    },
};
use reqwest::Method;

/// A resource that services show to nobody who has not logged in.
const GUARDED: &str = "Systems";

impl Talk<'_> {
    /// Logs in once with the name and the password of this talk, in a session that is closed again.
    pub async fn log_in_once(&self) -> Result<LoginAnswer, RedfishError> {
        let Some(login) = self.bmc.login() else {
            let text = "driver_info names no user of the BMC".to_owned();
            return Err(DriverError::InvalidParameter(text).into());
        };
        if self.info.auth == Auth::Basic {
            return self.log_in_by_password().await;
        }
        let path = self.sessions_path().await?;
        let body = sessions_body(login);
        let ask = Ask {
            body: Some(&body),
            ..self.plain(Method::POST, &path, Ticket::Nobody)
        };
        let answer = self.tried(ask).await?;
        if answer.is_good() {
            self.close_session(&answer).await;
            return Ok(LoginAnswer::Accepted);
        }
        let is_refused = matches!(answer.status, 401 | 403);
        let error = self.accept(&Method::POST, &path, answer).err();
        match error {
            Some(error) if is_refused => Ok(LoginAnswer::Refused(error.into())),
            // No sessions, or no room for one: that says nothing about the password.
            Some(_) if self.info.auth == Auth::Auto => self.log_in_by_password().await,
            Some(error) => Err(error),
            None => Ok(LoginAnswer::Accepted),
        }
    }

    /// Reads something in the name of the node, without a session.
    async fn log_in_by_password(&self) -> Result<LoginAnswer, RedfishError> {
        let root = self.root().await?;
        let Some(reference) = root.link(GUARDED) else {
            return Err(self.lacks(&root, "Systems/@odata.id").into());
        };
        let path = self.path(reference)?;
        let ticket = self.bmc.login().map_or(Ticket::Nobody, Ticket::Password);
        let answer = self.tried(self.plain(Method::GET, &path, ticket)).await?;
        let is_refused = matches!(answer.status, 401 | 403);
        match self.accept(&Method::GET, &path, answer) {
            Ok(_) => Ok(LoginAnswer::Accepted),
            Err(error) if is_refused => Ok(LoginAnswer::Refused(error.into())),
            Err(error) => Err(error),
        }
    }

    /// Best effort: a service ends a session that nobody uses by itself.
    async fn close_session(&self, answer: &Answer) {
        let token = answer.headers.get("x-auth-token");
        let location = answer.header("location");
        let location = location.and_then(|reference| self.info.origin.path(reference));
        if let (Some(token), Some(path)) = (token, location) {
            let ask = self.plain(Method::DELETE, &path, Ticket::Token(token));
            if let Err(error) = self.tried(ask).await {
                let error = types::error::chain(&DriverError::from(error));
                tracing::debug!(bmc = self.peer(), error, "a session was not closed");
            }
        }
    }
}
