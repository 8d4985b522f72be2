//! What the operator says about Keystone: where it is, who we are there, and what to make of the
//! tokens of others.
//!
//! Plain data; the binary fills it from `[keystone_authtoken]`. Of the ways to log in there are
//! those of the Identity API v3 that need no browser and no further party.

use serde_json::{Value, json};
use std::{fmt, path::PathBuf, time::Duration};

/// Everything the operator can set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeystoneSettings {
    /// Where we log in, with or without `/v3`.
    pub auth_url: String,
    /// Where clients are sent to log in; `auth_url` if unset.
    pub www_authenticate_uri: Option<String>,
    pub login: Login,
    /// Which of Keystone's addresses in its catalog tokens are checked at.
    pub interface: String,
    pub region: Option<String>,
    pub tls: TlsFiles,
    /// How long checking one token may take, whatever it needs.
    pub deadline: Duration,
    /// How often to try again when Keystone cannot be reached.
    pub retries: u32,
    /// How long the result of a check counts. A token that is revoked is good until then.
    pub cache_time: Option<Duration>,
    /// Any of these makes a token one of a service.
    pub service_roles: Vec<String>,
    /// Whether tokens without such a role are refused where a service's is expected.
    pub service_roles_required: bool,
    /// What we are called in the catalog, for tokens that are good for some requests only.
    pub service_type: Option<String>,
    /// Whether Keystone sends its catalog along, which those tokens need.
    pub catalog: bool,
    pub binding: Binding,
    /// Whether requests without a good token go on, as nobody's.
    pub delay_auth_decision: bool,
}

impl KeystoneSettings {
    /// With the defaults of Ironic.
    pub fn new(auth_url: impl Into<String>, login: Login) -> Self {
        Self {
            auth_url: auth_url.into(),
            www_authenticate_uri: None,
            login,
            interface: "internal".into(),
            region: None,
            tls: TlsFiles::default(),
            deadline: Duration::from_secs(30),
            retries: 3,
            cache_time: Some(Duration::from_secs(300)),
            service_roles: vec!["service".into()],
            service_roles_required: true,
            service_type: None,
            catalog: true,
            binding: Binding::Permissive,
            delay_auth_decision: false,
        }
    }
}

/// Files for a Keystone behind TLS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// Authorities to trust instead of the machine's.
    pub authorities: Option<PathBuf>,
    /// Our own certificate, and its key unless that is in the same file.
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// Take any certificate.
    pub insecure: bool,
}

/// What to make of tokens that are bound to something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// Do not look.
    Disabled,
    /// Ignore kinds that we do not know.
    Permissive,
    /// Refuse kinds that we do not know.
    Strict,
    /// Refuse unbound tokens as well.
    Required,
    /// Refuse tokens that are not bound in this way.
    Named(String),
}

/// Something that must not be seen in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// How we log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    pub method: Method,
    pub scope: LoginScope,
}

/// How we show who we are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    Password {
        user: Named,
        password: Secret,
    },
    /// Another token, which we cannot renew.
    Token(Secret),
    ApplicationCredential {
        credential: Credential,
        secret: Secret,
    },
}

/// An application credential. By name it needs its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    Id(String),
    Name { name: String, user: Named },
}

/// A user or a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    Id(String),
    Name { name: String, domain: Domain },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Domain {
    Id(String),
    Name(String),
}

/// What our token is to be good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginScope {
    /// Whatever Keystone decides.
    Default,
    System,
    Project(Named),
    Domain(Domain),
    Trust(String),
}

impl Login {
    /// The body of the request for a token.
    pub(super) fn body(&self) -> Value {
        let identity = match &self.method {
            Method::Password { user, password } => {
                let mut user = user.json();
                user["password"] = json!(password.0);
                json!({"methods": ["password"], "password": {"user": user}})
            }
            Method::Token(token) => json!({"methods": ["token"], "token": {"id": token.0}}),
            Method::ApplicationCredential { credential, secret } => {
                let mut wanted = match credential {
                    Credential::Id(id) => json!({"id": id}),
                    Credential::Name { name, user } => json!({"name": name, "user": user.json()}),
                };
                wanted["secret"] = json!(secret.0);
                json!({"methods": ["application_credential"], "application_credential": wanted})
            }
        };
        let mut auth = json!({"identity": identity});
        let scope = match &self.scope {
            LoginScope::Default => None,
            LoginScope::System => Some(json!({"system": {"all": true}})),
            LoginScope::Project(project) => Some(json!({"project": project.json()})),
            LoginScope::Domain(domain) => Some(json!({"domain": domain.json()})),
            LoginScope::Trust(id) => Some(json!({"OS-TRUST:trust": {"id": id}})),
        };
        if let Some(scope) = scope {
            auth["scope"] = scope;
        }
        json!({"auth": auth})
    }
}

impl Named {
    fn json(&self) -> Value {
        match self {
            Self::Id(id) => json!({"id": id}),
            Self::Name { name, domain } => json!({"name": name, "domain": domain.json()}),
        }
    }
}

impl Domain {
    fn json(&self) -> Value {
        match self {
            Self::Id(id) => json!({"id": id}),
            Self::Name(name) => json!({"name": name}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ironic() -> Named {
        Named::Name {
            name: "ironic".into(),
            domain: Domain::Id("default".into()),
        }
    }

    #[track_caller]
    fn check(method: Method, scope: LoginScope, expected: &Value) {
        let login = Login { method, scope };
        assert_eq!(login.body()["auth"], *expected);
        assert!(!format!("{login:?}").contains("hunter2"), "{login:?}");
    }

    #[test]
    fn every_way_of_logging_in_has_its_body() {
        check(
            Method::Password {
                user: ironic(),
                password: "hunter2".into(),
            },
            LoginScope::Project(Named::Name {
                name: "service".into(),
                domain: Domain::Name("Default".into()),
            }),
            &json!({
                "identity": {"methods": ["password"], "password": {"user": {
                    "name": "ironic", "domain": {"id": "default"}, "password": "hunter2"}}},
                "scope": {"project": {"name": "service", "domain": {"name": "Default"}}},
            }),
        );
        check(
            Method::Password {
                user: Named::Id("u1".into()),
                password: "hunter2".into(),
            },
            LoginScope::System,
            &json!({
                "identity": {"methods": ["password"], "password": {"user": {
                    "id": "u1", "password": "hunter2"}}},
                "scope": {"system": {"all": true}},
            }),
        );
        check(
            Method::ApplicationCredential {
                credential: Credential::Name {
                    name: "key".into(),
                    user: ironic(),
                },
                secret: "hunter2".into(),
            },
            LoginScope::Default,
            &json!({"identity": {
                "methods": ["application_credential"],
                "application_credential": {
                    "name": "key", "secret": "hunter2",
                    "user": {"name": "ironic", "domain": {"id": "default"}}},
            }}),
        );
        check(
            Method::Token("hunter2".into()),
            LoginScope::Trust("t1".into()),
            &json!({
                "identity": {"methods": ["token"], "token": {"id": "hunter2"}},
                "scope": {"OS-TRUST:trust": {"id": "t1"}},
            }),
        );
    }
}
