//! What a user sends to sign in by Keystone, and what Keystone is sent.

use serde_json::{Value, json};
use std::fmt;

/// Credentials for a token. Never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum SignIn {
    Token(String),
    Application {
        id: String,
        secret: String,
    },
    Password {
        user: String,
        password: String,
        user_domain: String,
        scope: SignInScope,
    },
}

impl fmt::Debug for SignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignIn").finish_non_exhaustive()
    }
}

/// For what a token is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SignInScope {
    System,
    Project { name: String, domain: String },
}

impl SignIn {
    /// The body of the request for a token; empty where there is one already.
    pub(super) fn body(&self) -> Value {
        match self {
            Self::Token(_) => Value::Null,
            Self::Application { id, secret } => json!({"auth": {"identity": {
                "methods": ["application_credential"],
                "application_credential": {"id": id, "secret": secret},
            }}}),
            Self::Password {
                user,
                password,
                user_domain,
                scope,
            } => {
                let scope = match scope {
                    SignInScope::System => json!({"system": {"all": true}}),
                    SignInScope::Project { name, domain } => {
                        json!({"project": {"name": name, "domain": {"name": domain}}})
                    }
                };
                json!({"auth": {
                    "identity": {"methods": ["password"], "password": {"user": {
                        "name": user, "password": password, "domain": {"name": user_domain},
                    }}},
                    "scope": scope,
                }})
            }
        }
    }
}
