//! Who asked for something.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The identity behind a request, as far as logs, history and events need it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// User id, or user name under http_basic.
    pub user: Option<String>,
    /// Project of the token, or of the header under noauth.
    pub project: Option<String>,
    /// The request id that was answered to the client.
    pub request_id: String,
    /// What other services know the caller by. Never stored: work that survives a restart goes on
    /// in the name of the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<UserToken>,
}

/// A token of Keystone that came with a request. Its `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserToken {
    secret: String,
    /// Whether it is for the whole system, not for a project.
    pub system_scope: bool,
    /// Whether its user has the role `admin`.
    #[serde(default)]
    pub is_admin: bool,
}

impl UserToken {
    pub fn new(secret: impl Into<String>, system_scope: bool) -> Self {
        Self {
            secret: secret.into(),
            system_scope,
            is_admin: false,
        }
    }

    /// The same token of a user with or without the role `admin`.
    pub fn with_admin_role(mut self, is_admin: bool) -> Self {
        self.is_admin = is_admin;
        self
    }

    pub fn expose(&self) -> &str {
        &self.secret
    }
}

impl fmt::Debug for UserToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserToken")
            .field("system_scope", &self.system_scope)
            .finish_non_exhaustive()
    }
}

impl Caller {
    /// Work that the service started by itself.
    pub fn service() -> Self {
        Self::default()
    }
}
