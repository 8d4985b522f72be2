//! A new password for the account that a node logs in with, by Redfish.

use super::{
    Info, Redfish, info::Login, management::put, refusal::RedfishError, resource::Resource,
    talk::Talk,
};
use crate::{
    DriverError,
    bmc_account::{Account, BmcAccount, BmcPassword, LoginAnswer},
    iface::Machine,
};
use async_trait::async_trait;
use std::time::Duration;
use types::LeaseProof;

/// How long a service may take that changes a password in its own time.
const PATIENCE: Duration = Duration::from_secs(60);

#[async_trait]
impl BmcAccount for Redfish {
    fn account(&self, machine: &Machine<'_>) -> Result<Account, DriverError> {
        let info = self.info(machine)?;
        let account = Info::account(machine.node, machine.driver_info);
        account.filter(|_| info.login.is_some()).ok_or_else(nobody)
    }

    async fn set_password(
        &self,
        _lease: &LeaseProof,
        machine: &Machine<'_>,
        new: &BmcPassword,
    ) -> Result<(), DriverError> {
        let info = self.info(machine)?;
        let user = info.login.as_ref().map(|login| login.user.clone());
        let user = user.ok_or_else(nobody)?;
        let mut talk = self.talk(&info, "changing the password").await?;
        talk.keep_secret(new.expose());
        let account = find_account(&talk, &user, new.expose().len()).await?;
        let body = put("Password", new.expose().into());
        let posted = talk.patch(&account, &body).await?;
        if let Some(task) = posted.task {
            talk.wait_task(&task, PATIENCE).await?;
        }
        Ok(())
    }

    async fn log_in(
        &self,
        machine: &Machine<'_>,
        password: &BmcPassword,
    ) -> Result<LoginAnswer, DriverError> {
        let mut info = self.info(machine)?;
        let login = info.login.take().ok_or_else(nobody)?;
        info.login = Some(Login {
            password: password.expose().to_owned(),
            ..login
        });
        let talk = self.talk(&info, "trying a password").await?;
        Ok(talk.log_in_once().await?)
    }
}

fn nobody() -> DriverError {
    DriverError::InvalidParameter("driver_info names no user of the BMC".to_owned())
}

/// The account of a user, in a service that would take a password of this length.
async fn find_account(
    talk: &Talk<'_>,
    user: &str,
    length: usize,
) -> Result<Resource, RedfishError> {
    let root = talk.root().await?;
    let service = talk.follow(&root, "AccountService").await?;
    let limit = |place: &str| service.u64(place).filter(|limit| *limit > 0);
    let length = length as u64;
    let is_short = limit("MinPasswordLength").is_some_and(|least| length < least);
    let is_long = limit("MaxPasswordLength").is_some_and(|most| length > most);
    if is_short || is_long {
        let bound = |place: &str| limit(place).map_or("any".to_owned(), |limit| limit.to_string());
        let text = format!(
            "the BMC takes passwords of {} to {} characters, and the new one has {length}",
            bound("MinPasswordLength"),
            bound("MaxPasswordLength"),
        );
        return Err(DriverError::InvalidParameter(text).into());
    }
    let Some(accounts) = service.link("Accounts") else {
        return Err(talk.lacks(&service, "Accounts/@odata.id").into());
    };
    for member in talk.members(accounts).await? {
        let account = talk.get(&member).await?;
        if account.str("UserName") == Some(user) {
            return Ok(account);
        }
    }
    let text = "none of the BMC's accounts has the user name in driver_info";
    Err(talk.rejected(text).into())
}
