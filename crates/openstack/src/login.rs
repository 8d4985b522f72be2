//! How to log in: keystoneauth's options, what they mean, and the request for a token.
//!
//! There are those ways of the Identity API v3 that need no browser and no further party, and the
//! two ways to do without Keystone.

use crate::{Secret, settings::SettingsError};
use serde_json::{Value, json};

/// The options of a section that are about logging in, as they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthOptions {
    pub auth_type: Option<String>,
    pub auth_url: Option<String>,
    pub username: Option<String>,
    pub user_id: Option<String>,
    pub password: Option<Secret>,
    pub user_domain_id: Option<String>,
    pub user_domain_name: Option<String>,
    pub project_id: Option<String>,
    pub project_name: Option<String>,
    pub project_domain_id: Option<String>,
    pub project_domain_name: Option<String>,
    pub default_domain_id: Option<String>,
    pub default_domain_name: Option<String>,
    pub system_scope: Option<String>,
    pub domain_id: Option<String>,
    pub domain_name: Option<String>,
    pub trust_id: Option<String>,
    pub token: Option<Secret>,
    pub application_credential_id: Option<String>,
    pub application_credential_name: Option<String>,
    pub application_credential_secret: Option<Secret>,
    /// Of `none` and `http_basic`, which have no catalogue.
    pub endpoint: Option<String>,
}

/// What a section says about logging in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// `auth_type` is not set: every call fails.
    Unset,
    Keystone(Login),
    HttpBasic {
        username: String,
        password: Secret,
    },
    /// `auth_type = none`.
    Disabled,
}

/// A login to Keystone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// Where we log in, with or without `/v3`.
    pub auth_url: String,
    pub method: Method,
    pub scope: Scope,
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
pub enum Scope {
    /// Whatever Keystone decides.
    Default,
    System,
    Project(Named),
    Domain(Domain),
    Trust(String),
}

impl AuthOptions {
    /// What the options mean; an error names the option that is missing or wrong.
    pub fn read(&self, section: &'static str) -> Result<Auth, SettingsError> {
        let missing = |option| SettingsError::Missing { section, option };
        let Some(auth_type) = self.auth_type.as_deref() else {
            return Ok(Auth::Unset);
        };
        let method = match auth_type {
            "none" => return Ok(Auth::Disabled),
            "http_basic" => {
                return Ok(Auth::HttpBasic {
                    username: self.username.clone().ok_or(missing("username"))?,
                    password: self.password.clone().ok_or(missing("password"))?,
                });
            }
            "password" | "v3password" => Method::Password {
                user: self.user().ok_or(missing("username"))?,
                password: self.password.clone().ok_or(missing("password"))?,
            },
            "token" | "v3token" => Method::Token(self.token.clone().ok_or(missing("token"))?),
            "v3applicationcredential" => Method::ApplicationCredential {
                credential: self.credential(section)?,
                secret: self
                    .application_credential_secret
                    .clone()
                    .ok_or(missing("application_credential_secret"))?,
            },
            other => {
                return Err(SettingsError::AuthType {
                    section,
                    auth_type: other.to_owned(),
                });
            }
        };
        let auth_url = self.auth_url.clone().ok_or(missing("auth_url"))?;
        let scope = match method {
            // Such a credential is for one project already, and Keystone refuses a scope with it.
            Method::ApplicationCredential { .. } => Scope::Default,
            _ => self.scope(),
        };
        Ok(Auth::Keystone(Login {
            auth_url,
            method,
            scope,
        }))
    }

    fn user(&self) -> Option<Named> {
        if let Some(id) = &self.user_id {
            return Some(Named::Id(id.clone()));
        }
        let name = self.username.clone()?;
        let domain = self.domain(self.user_domain_id.as_ref(), self.user_domain_name.as_ref());
        Some(Named::Name { name, domain })
    }

    /// The domain that a name is from: `default`, the domain that every Keystone is set up with,
    /// where no option says so.
    fn domain(&self, id: Option<&String>, name: Option<&String>) -> Domain {
        let candidates = [
            id.cloned().map(Domain::Id),
            name.cloned().map(Domain::Name),
            self.default_domain_id.clone().map(Domain::Id),
            self.default_domain_name.clone().map(Domain::Name),
        ];
        let first = candidates.into_iter().flatten().next();
        first.unwrap_or_else(|| Domain::Id("default".into()))
    }

    fn credential(&self, section: &'static str) -> Result<Credential, SettingsError> {
        if let Some(id) = &self.application_credential_id {
            return Ok(Credential::Id(id.clone()));
        }
        let missing = |option| SettingsError::Missing { section, option };
        let name = self.application_credential_name.clone();
        Ok(Credential::Name {
            name: name.ok_or(missing("application_credential_id"))?,
            user: self.user().ok_or(missing("username"))?,
        })
    }

    fn scope(&self) -> Scope {
        if let Some(trust) = &self.trust_id {
            return Scope::Trust(trust.clone());
        }
        if self.system_scope.as_deref() == Some("all") {
            return Scope::System;
        }
        if let Some(id) = &self.project_id {
            return Scope::Project(Named::Id(id.clone()));
        }
        if let Some(name) = self.project_name.clone() {
            let (id, domain_name) = (&self.project_domain_id, &self.project_domain_name);
            let domain = self.domain(id.as_ref(), domain_name.as_ref());
            return Scope::Project(Named::Name { name, domain });
        }
        let domain = self.domain_id.clone().map(Domain::Id);
        let domain = domain.or(self.domain_name.clone().map(Domain::Name));
        domain.map_or(Scope::Default, Scope::Domain)
    }
}

impl Login {
    /// What of the request is nobody's to see.
    pub(crate) fn secrets(&self) -> [&str; 1] {
        [match &self.method {
            Method::Password { password, .. } => password.expose(),
            Method::Token(token) => token.expose(),
            Method::ApplicationCredential { secret, .. } => secret.expose(),
        }]
    }

    /// The body of the request for a token.
    pub(crate) fn body(&self) -> Value {
        let identity = match &self.method {
            Method::Password { user, password } => {
                let mut user = user.json();
                user["password"] = json!(password.expose());
                json!({"methods": ["password"], "password": {"user": user}})
            }
            Method::Token(token) => json!({"methods": ["token"], "token": {"id": token.expose()}}),
            Method::ApplicationCredential { credential, secret } => {
                let mut shown = match credential {
                    Credential::Id(id) => json!({"id": id}),
                    Credential::Name { name, user } => json!({"name": name, "user": user.json()}),
                };
                shown["secret"] = json!(secret.expose());
                json!({"methods": ["application_credential"], "application_credential": shown})
            }
        };
        let mut auth = json!({"identity": identity});
        let scope = match &self.scope {
            Scope::Default => None,
            Scope::System => Some(json!({"system": {"all": true}})),
            Scope::Project(project) => Some(json!({"project": project.json()})),
            Scope::Domain(domain) => Some(json!({"domain": domain.json()})),
            Scope::Trust(id) => Some(json!({"OS-TRUST:trust": {"id": id}})),
        };
        if let Some(scope) = scope {
            auth["scope"] = scope;
        }
        json!({"auth": auth})
    }

    /// Whom we log in as, for errors.
    pub(crate) fn who(&self) -> String {
        match &self.method {
            Method::Password { user, .. } => format!("log in user {}", user.text()),
            Method::Token(_) => "log in with a token".to_owned(),
            Method::ApplicationCredential { credential, .. } => match credential {
                Credential::Id(id) => format!("log in with application credential {id}"),
                Credential::Name { name, .. } => {
                    format!("log in with application credential {name}")
                }
            },
        }
    }
}

impl Named {
    fn json(&self) -> Value {
        match self {
            Self::Id(id) => json!({"id": id}),
            Self::Name { name, domain } => json!({"name": name, "domain": domain.json()}),
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Id(text) | Self::Name { name: text, .. } => text,
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
#[path = "login/tests.rs"]
mod tests;
