//! The answer to a login: how long the token lasts, whose it is, and where services are.

use crate::{Reason, answer::parse_here, service::types_of};
use serde::Deserialize;
use std::time::Duration;
use types::Timestamp;

/// What Keystone says about a token that it has just given.
#[derive(Debug, Clone)]
pub struct TokenDocument {
    /// From Keystone's two stamps, so that its clock and ours need not agree.
    pub lifetime: Duration,
    /// The project that the token is for.
    pub project_id: Option<String>,
    /// For people.
    pub project_name: Option<String>,
    pub user_name: Option<String>,
    /// The names of the roles that the user has there.
    pub roles: Vec<String>,
    pub catalogue: Catalogue,
}

/// The addresses of services.
#[derive(Debug, Clone, Default)]
pub struct Catalogue(Vec<CatalogueService>);

#[derive(Debug, Clone, Deserialize)]
struct CatalogueService {
    #[serde(rename = "type")]
    service_type: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    endpoints: Vec<Endpoint>,
}

#[derive(Debug, Clone, Deserialize)]
struct Endpoint {
    interface: String,
    #[serde(default)]
    region: Option<String>,
    #[serde(default)]
    region_id: Option<String>,
    url: String,
}

/// Which address is looked for. What is not set matches everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointQuery {
    pub service_type: String,
    pub service_name: Option<String>,
    pub region: Option<String>,
    /// In the order of preference.
    pub interfaces: Vec<String>,
}

#[derive(Deserialize)]
struct Document {
    token: Token,
}

#[derive(Deserialize)]
struct Token {
    expires_at: String,
    #[serde(default)]
    issued_at: Option<String>,
    #[serde(default)]
    project: Option<Project>,
    #[serde(default)]
    user: Option<NamedObject>,
    #[serde(default)]
    roles: Vec<NamedObject>,
    #[serde(default)]
    catalog: Vec<CatalogueService>,
}

#[derive(Deserialize)]
struct Project {
    id: String,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Deserialize)]
struct NamedObject {
    #[serde(default)]
    name: String,
}

impl TokenDocument {
    /// Reads the body of Keystone's answer.
    pub fn read(document: &[u8]) -> Result<Self, Reason> {
        let Document { token } = parse_here(document)?;
        let expires = Timestamp::parse(&token.expires_at)
            .ok_or_else(|| Reason::Protocol("a token without an expiry".into()))?;
        let issued = token.issued_at.as_deref().and_then(Timestamp::parse);
        let seconds = expires.seconds_since(issued.unwrap_or_else(Timestamp::now));
        let (project_id, project_name) = match token.project {
            Some(project) => (Some(project.id), project.name),
            None => (None, None),
        };
        Ok(Self {
            lifetime: Duration::from_secs(u64::try_from(seconds).unwrap_or_default()),
            project_id,
            project_name,
            user_name: token.user.map(|user| user.name),
            roles: token.roles.into_iter().map(|role| role.name).collect(),
            catalogue: Catalogue(token.catalog),
        })
    }
}

impl Catalogue {
    /// The address of a service: of the first interface that has one, of the type itself rather than
    /// of its aliases.
    pub fn find(&self, query: &EndpointQuery) -> Option<&str> {
        let types = types_of(&query.service_type);
        query.interfaces.iter().find_map(|interface| {
            types.iter().find_map(|service_type| {
                self.services(service_type, query).find_map(|service| {
                    let mut endpoints = service.endpoints.iter();
                    let endpoint = endpoints.find(|endpoint| endpoint.fits(interface, query));
                    endpoint.map(|endpoint| endpoint.url.as_str())
                })
            })
        })
    }

    fn services<'a, 'q>(
        &'a self,
        service_type: &'q str,
        query: &'q EndpointQuery,
    ) -> impl Iterator<Item = &'a CatalogueService> {
        self.0.iter().filter(move |service| {
            let named = query.service_name.is_none() || service.name == query.service_name;
            service.service_type == service_type && named
        })
    }
}

impl Endpoint {
    fn fits(&self, interface: &str, query: &EndpointQuery) -> bool {
        let region = self.region_id.as_ref().or(self.region.as_ref());
        let here = query.region.is_none() || region == query.region.as_ref();
        self.interface.trim_end_matches("URL") == interface && here
    }
}

#[cfg(test)]
#[path = "catalogue/tests.rs"]
mod tests;
