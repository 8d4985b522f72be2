//! A new password for the account that a node logs in with, by IPMI.
//!
//! Users have numbers there; the one that is meant is found by its name. Everything goes to the BMC
//! that the session is with, also where the node's other requests are bridged to another controller.

use super::{Info, Ipmi, Talk, talk::Again};
use crate::{
    DriverError,
    bmc_account::{Account, BmcAccount, BmcPassword, LoginAnswer},
    iface::Machine,
};
use async_trait::async_trait;
use proto::ipmi::{
    command::user::{self, SHORT_PASSWORD, UserId},
    crypto::Key,
    message::{Completion, Route},
};
use types::LeaseProof;

#[async_trait]
impl BmcAccount for Ipmi {
    fn account(&self, machine: &Machine<'_>) -> Result<Account, DriverError> {
        self.info(machine)?;
        super::info::account(machine.driver_info).ok_or_else(|| {
            DriverError::InvalidParameter("driver_info names no account for IPMI".to_owned())
        })
    }

    async fn set_password(
        &self,
        _lease: &LeaseProof,
        machine: &Machine<'_>,
        new: &BmcPassword,
    ) -> Result<(), DriverError> {
        let info = Info {
            route: Route::Direct,
            ..self.info(machine)?
        };
        let bytes = new.expose().as_bytes();
        if info.is_version_15() && bytes.len() > SHORT_PASSWORD {
            return Err(DriverError::InvalidParameter(format!(
                "a password of {} characters is too long for IPMI 1.5, which has room for \
                 {SHORT_PASSWORD}",
                bytes.len()
            )));
        }
        let talk = self.talk(&info, "user set password").await?;
        let user = find_user(&talk, info.credentials.user.as_bytes()).await?;
        let Some(request) = user::set_password(user, bytes) else {
            return Err(DriverError::InvalidParameter(
                "IPMI has no room for a password of this length".to_owned(),
            ));
        };
        // A session that is opened after the change would be refused for the old password.
        talk.ask_once(&request).await.map(|_| ())
    }

    async fn log_in(
        &self,
        machine: &Machine<'_>,
        password: &BmcPassword,
    ) -> Result<LoginAnswer, DriverError> {
        let mut info = self.info(machine)?;
        let Some(key) = Key::new(password.expose().as_bytes()) else {
            return Err(DriverError::InvalidParameter(
                "IPMI has no room for a password of this length".to_owned(),
            ));
        };
        info.credentials.password = key;
        match self.open_and_close(&info, "session open").await {
            Ok(()) => Ok(LoginAnswer::Accepted),
            Err(refused @ DriverError::Refused(_)) => Ok(LoginAnswer::Refused(refused)),
            Err(error) => Err(error),
        }
    }
}

/// The number of the user who has this name.
async fn find_user(talk: &Talk<'_>, name: &[u8]) -> Result<UserId, DriverError> {
    if name.is_empty() {
        return Ok(UserId::NAMELESS);
    }
    let first = user::get_access(UserId::NAMELESS);
    let limit = talk.read(&first, user::decode_limit).await?;
    for id in UserId::up_to(limit) {
        let (code, data) = talk.try_ask(&user::get_name(id), Again::Yes).await?;
        // Some BMCs refuse to name users that were never set up.
        if code == Completion::OK && user::decode_name(&data) == name {
            return Ok(id);
        }
    }
    Err(talk.rejected("none of the BMC's users has the name in ipmi_username".to_owned()))
}
