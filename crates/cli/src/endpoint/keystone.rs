//! Logging in with Keystone, and finding the service in its catalog.
//!
//! Knows version 3 of the identity API and the ways to show who we are that need nobody at the
//! keyboard: password, token, application credential. Left out are federation, one-time passwords
//! and keeping tokens from one command to the next.

use std::fmt;

use serde_json::{Map, Value, json};

use super::setting::Settings;
use super::{Secret, base};
use crate::error::Error;

/// The names a service of our kind has in catalogs.
const TYPES: [&str; 2] = ["baremetal", "bare-metal"];

/// How to log in.
#[derive(PartialEq, Eq)]
pub(crate) struct Login {
    /// Keystone, with its version.
    url: String,
    /// What to send; there are secrets in it.
    request: Value,
    interface: String,
    region: Option<String>,
    /// What the service is called in the catalog, if that is something of its own.
    service_type: Option<String>,
}

/// The result of a login: a token and the service catalog.
pub(crate) struct KeystoneSession {
    pub(crate) token: Secret,
    catalog: Value,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("url", &self.url)
            .field("interface", &self.interface)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

impl Login {
    pub(super) fn resolve(method: &str, settings: &Settings) -> Result<Self, Error> {
        let url = settings.get("auth_url").ok_or_else(|| {
            Error::usage(format!(
                "{method} authentication needs the address of Keystone: OS_AUTH_URL"
            ))
        })?;
        let (name, identity) = match method {
            "password" | "v3password" => ("password", json!({"user": user(settings)?})),
            "token" | "v3token" => {
                let token = needed(settings, method, "token", "OS_TOKEN")?;
                ("token", json!({"id": token}))
            }
            "v3applicationcredential" => {
                ("application_credential", application_credential(settings)?)
            }
            other => {
                return Err(Error::usage(format!(
                    "authentication type '{other}' is not supported; there are none, http_basic, \
                     password, token and v3applicationcredential"
                ))
                .with_hint(
                    "get a token elsewhere (openstack token issue) and give it with OS_TOKEN",
                ));
            }
        };
        let mut auth = json!({"identity": {"methods": [name], name: identity}});
        // An application credential is for one project already.
        if name != "application_credential"
            && let Some(scope) = scope(settings)?
        {
            auth["scope"] = scope;
        }
        let interface = settings.get("interface").unwrap_or("public");
        Ok(Self {
            url: versioned(url)?,
            request: json!({"auth": auth}),
            interface: interface.trim_end_matches("URL").to_owned(),
            region: settings.get("region_name").map(str::to_owned),
            service_type: settings.get("service_type").map(str::to_owned),
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Logs in.
    pub(crate) async fn enter(&self, http: &reqwest::Client) -> Result<KeystoneSession, Error> {
        let url = format!("{}/auth/tokens", self.url);
        let about = |error: Error| error.about(format!("Keystone at {}", self.url));
        let no_answer = |error: reqwest::Error| {
            let mut cause: &dyn std::error::Error = &error;
            while let Some(deeper) = cause.source() {
                cause = deeper;
            }
            Error::unreachable(format!("cannot reach Keystone at {}: {cause}", self.url))
                .with_hint("is OS_AUTH_URL right?")
        };
        let request = http
            .post(url)
            .header("accept", "application/json")
            .json(&self.request);
        let response = request.send().await.map_err(no_answer)?;
        let status = response.status();
        let token = response.headers().get("x-subject-token").cloned();
        let body = response.bytes().await.map_err(no_answer)?;
        if status == reqwest::StatusCode::UNAUTHORIZED {
            return Err(about(Error::refused(status.as_u16(), &body)).with_hint(
                "check user name, password, project and domains: OS_USERNAME, OS_PASSWORD, \
                 OS_PROJECT_NAME, OS_USER_DOMAIN_NAME, OS_PROJECT_DOMAIN_NAME",
            ));
        }
        if !status.is_success() {
            return Err(about(Error::refused(status.as_u16(), &body)));
        }
        let token = token
            .as_ref()
            .and_then(|token| token.to_str().ok())
            .ok_or_else(|| {
                about(Error::failed("answered without a token"))
                    .with_hint("is OS_AUTH_URL the address of Keystone?")
            })?;
        let mut body: Value = serde_json::from_slice(&body)
            .map_err(|error| about(Error::failed(format!("does not answer in JSON: {error}"))))?;
        Ok(KeystoneSession {
            token: Secret(token.to_owned()),
            catalog: body["token"]["catalog"].take(),
        })
    }

    fn is_ours(&self, kind: &str) -> bool {
        match &self.service_type {
            Some(named) => named == kind,
            None => TYPES.contains(&kind),
        }
    }

    /// The address of the service.
    pub(crate) fn find(&self, entry: &KeystoneSession) -> Result<String, Error> {
        let services = entry.catalog.as_array().map_or(&[][..], Vec::as_slice);
        if services.is_empty() {
            return Err(Error::failed("Keystone sent no catalog").with_hint(
                "say for which project you ask (OS_PROJECT_NAME), or for the whole system \
                 (OS_SYSTEM_SCOPE=all), or where the service is (OS_ENDPOINT)",
            ));
        }
        let text =
            |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let ours = services
            .iter()
            .filter(|service| text(service, "type").is_some_and(|kind| self.is_ours(&kind)))
            .filter_map(|service| service.get("endpoints")?.as_array())
            .flatten();
        let mut others = Vec::new();
        for endpoint in ours {
            let interface = text(endpoint, "interface").unwrap_or_default();
            let region = text(endpoint, "region_id").or_else(|| text(endpoint, "region"));
            let fits =
                interface == self.interface && (self.region.is_none() || self.region == region);
            match text(endpoint, "url") {
                Some(url) if fits => return base(&url),
                _ => others.push(format!("{interface} in {}", region.unwrap_or_default())),
            }
        }
        let region = self.region.as_ref().map(|region| format!(" in {region}"));
        Err(Error::failed(format!(
            "the catalog has no {} endpoint of a bare metal service{}",
            self.interface,
            region.unwrap_or_default()
        ))
        .with_hint(if others.is_empty() {
            "register one (openstack endpoint create baremetal …), or give OS_ENDPOINT".to_owned()
        } else {
            format!(
                "it has: {}; choose with OS_INTERFACE and OS_REGION_NAME",
                others.join(", ")
            )
        }))
    }
}

/// Keystone's address with the version of its API that we speak.
fn versioned(url: &str) -> Result<String, Error> {
    let url = base(url)?;
    let url = url.trim_end_matches("/v2.0").trim_end_matches("/v3");
    Ok(format!("{}/v3", url.trim_end_matches('/')))
}

fn needed<'a>(
    settings: &'a Settings,
    method: &str,
    key: &str,
    variable: &str,
) -> Result<&'a str, Error> {
    settings.get(key).ok_or_else(|| {
        Error::usage(format!(
            "{method} authentication needs {}: {variable}",
            key.replace('_', " ")
        ))
    })
}

/// The domain of a user or project, as they are named with.
fn domain(settings: &Settings, id: &str, name: &str) -> Value {
    let of = |key: &str, member: &str| settings.get(key).map(|value| json!({member: value}));
    of(id, "id")
        .or_else(|| of(name, "name"))
        .or_else(|| of("default_domain_id", "id"))
        .or_else(|| of("default_domain_name", "name"))
        .unwrap_or_else(|| json!({"id": "default"}))
}

/// Who we are, by ID or by name and domain.
fn user_name(settings: &Settings) -> Option<Map<String, Value>> {
    let mut user = Map::new();
    if let Some(id) = settings.get("user_id") {
        user.insert("id".to_owned(), json!(id));
    } else {
        user.insert("name".to_owned(), json!(settings.get("username")?));
        let domain = domain(settings, "user_domain_id", "user_domain_name");
        user.insert("domain".to_owned(), domain);
    }
    Some(user)
}

fn user(settings: &Settings) -> Result<Value, Error> {
    let mut user = user_name(settings).ok_or_else(|| {
        Error::usage("password authentication needs a user: OS_USERNAME or OS_USER_ID")
    })?;
    let password = needed(settings, "password", "password", "OS_PASSWORD")?;
    user.insert("password".to_owned(), json!(password));
    Ok(Value::Object(user))
}

fn application_credential(settings: &Settings) -> Result<Value, Error> {
    let secret = needed(
        settings,
        "v3applicationcredential",
        "application_credential_secret",
        "OS_APPLICATION_CREDENTIAL_SECRET",
    )?;
    if let Some(id) = settings.get("application_credential_id") {
        return Ok(json!({"id": id, "secret": secret}));
    }
    let name = settings.get("application_credential_name");
    match (name, user_name(settings)) {
        (Some(name), Some(user)) => Ok(json!({"name": name, "user": user, "secret": secret})),
        (Some(_), None) => Err(Error::usage(
            "an application credential's name says nothing without its user: OS_USERNAME, or give \
             OS_APPLICATION_CREDENTIAL_ID",
        )),
        (None, _) => Err(Error::usage(
            "v3applicationcredential needs OS_APPLICATION_CREDENTIAL_ID",
        )),
    }
}

/// What we want to work on.
fn scope(settings: &Settings) -> Result<Option<Value>, Error> {
    Ok(Some(if let Some(scope) = settings.get("system_scope") {
        if scope != "all" {
            return Err(Error::usage(format!(
                "OS_SYSTEM_SCOPE is all or not set, not '{scope}'"
            )));
        }
        json!({"system": {"all": true}})
    } else if let Some(id) = settings.get("trust_id") {
        json!({"OS-TRUST:trust": {"id": id}})
    } else if let Some(id) = settings.get("project_id") {
        json!({"project": {"id": id}})
    } else if let Some(name) = settings.get("project_name") {
        let domain = domain(settings, "project_domain_id", "project_domain_name");
        json!({"project": {"name": name, "domain": domain}})
    } else if let Some(id) = settings.get("domain_id") {
        json!({"domain": {"id": id}})
    } else if let Some(name) = settings.get("domain_name") {
        json!({"domain": {"name": name}})
    } else {
        return Ok(None);
    }))
}

#[cfg(test)]
mod tests;
