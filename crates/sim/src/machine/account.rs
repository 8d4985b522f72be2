//! Accounts of a BMC: names, passwords and rights, and when they are locked.

use super::Machine;
use proto::ipmi::Privilege;
use std::{
    fmt,
    time::{Duration, Instant},
};

/// A user account.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    pub name: String,
    pub password: String,
    pub privilege: Privilege,
    pub is_enabled: bool,
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the password.
        f.debug_struct("User")
            .field("name", &self.name)
            .field("privilege", &self.privilege)
            .field("is_enabled", &self.is_enabled)
            .finish_non_exhaustive()
    }
}

impl User {
    pub fn new(name: &str, password: &str, privilege: Privilege) -> Self {
        Self {
            name: name.to_owned(),
            password: password.to_owned(),
            privilege,
            is_enabled: true,
        }
    }

    pub fn administrator(name: &str, password: &str) -> Self {
        Self::new(name, password, Privilege::Administrator)
    }
}

/// Accounts that are no longer what they were at first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Accounts {
    /// `None` as long as no account was changed.
    users: Option<Vec<User>>,
    failures: Vec<Failures>,
}

#[derive(Debug, Clone)]
struct Failures {
    name: String,
    count: u8,
    last: Instant,
}

/// Why a login is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    #[error("unknown user")]
    Unknown,
    #[error("wrong password")]
    Password,
    #[error("the account is locked")]
    Locked,
}

impl Machine {
    /// The accounts, in the order of their ids (the first is user 2 over IPMI).
    pub fn users(&self) -> Vec<User> {
        let state = self.state();
        let own = state.accounts.as_ref().and_then(|all| all.users.as_ref());
        own.map_or_else(|| self.settings().users.to_vec(), Clone::clone)
    }

    /// Changes the accounts.
    pub fn change_users<T>(&self, change: impl FnOnce(&mut Vec<User>) -> T) -> T {
        let mut users = self.users();
        let result = change(&mut users);
        self.state().accounts.get_or_insert_default().users = Some(users);
        result
    }

    /// Finds an account, for protocols that verify the password themselves.
    pub fn user(&self, name: &str) -> Result<User, Denied> {
        if self.is_locked(name) {
            return Err(Denied::Locked);
        }
        self.users()
            .into_iter()
            .find(|user| user.is_enabled && user.name == name)
            .ok_or(Denied::Unknown)
    }

    /// Logs in with a plain password.
    pub fn log_in(&self, name: &str, password: &str) -> Result<User, Denied> {
        let user = self.user(name)?;
        if user.password == password {
            self.note_good_password(name);
            Ok(user)
        } else {
            self.note_bad_password(name);
            Err(Denied::Password)
        }
    }

    pub fn note_good_password(&self, name: &str) {
        if let Some(accounts) = &mut self.state().accounts {
            accounts.failures.retain(|failures| failures.name != name);
        }
    }

    pub fn note_bad_password(&self, name: &str) {
        let mut state = self.state();
        if self.faults_in(&state).lockout_after.is_none() {
            return;
        }
        let failures = &mut state.accounts.get_or_insert_default().failures;
        let now = Instant::now();
        match failures.iter_mut().find(|known| known.name == name) {
            Some(known) => {
                known.count = known.count.saturating_add(1);
                known.last = now;
            }
            None => failures.push(Failures {
                name: name.to_owned(),
                count: 1,
                last: now,
            }),
        }
    }

    fn is_locked(&self, name: &str) -> bool {
        let state = self.state();
        let faults = self.faults_in(&state);
        let Some(limit) = faults.lockout_after else {
            return false;
        };
        let known = state
            .accounts
            .iter()
            .flat_map(|accounts| &accounts.failures)
            .find(|failures| failures.name == name && failures.count >= limit);
        known.is_some_and(|failures| {
            faults.lockout_seconds == 0
                || failures.last.elapsed() < Duration::from_secs(faults.lockout_seconds.into())
        })
    }
}
