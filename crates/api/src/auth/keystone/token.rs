//! What Keystone says about a token, and what follows from it for a request.
//!
//! Everything that decides about access must be there and make sense; a document that leaves open
//! whose the token is, what it is good for or how long is as good as none. What we have no use for
//! is not looked at.

use super::settings::Binding;
use crate::policy::{Credentials, Roles, ServiceCredentials};
use axum::http::Method;
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};
use types::Timestamp;

/// A token that Keystone knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) credentials: Arc<Credentials>,
    /// The names of its roles as Keystone spells them: the roles of services are compared so.
    pub(super) roles: Vec<String>,
    pub(super) expires: Timestamp,
    /// What the token is bound to, by kind.
    bound_to: Vec<String>,
    restriction: Option<Restriction>,
}

/// The requests a token is good for, if not for all.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Restriction {
    rules: Vec<AccessRule>,
    /// The types of the services in the token's catalog.
    services: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct AccessRule {
    method: String,
    path: String,
    service: String,
}

impl Token {
    /// Reads Keystone's answer. The error is for the log and quotes nothing of it.
    pub(super) fn read(document: &[u8]) -> Result<Self, String> {
        let Document { token } = serde_json::from_slice(document)
            .map_err(|error| format!("no token document ({:?})", error.classify()))?;
        let expires = Timestamp::parse(&token.expires_at).ok_or("no expiry that is a time")?;
        let system = token.system.is_some_and(|system| system.all);
        let scopes = [system, token.project.is_some(), token.domain.is_some()];
        // Rules compare ids with those of owners, who may be nobody.
        let project = token.project.as_ref().map(|project| &project.id);
        let domain = token.domain.as_ref().map(|domain| &domain.id);
        let ids = [Some(&token.user.id), project, domain];
        let nameless = ids.into_iter().flatten().any(String::is_empty);
        if nameless || scopes.iter().filter(|&&scope| scope).count() > 1 {
            return Err("neither one user nor one scope".into());
        }
        let roles: Vec<String> = token.roles.into_iter().map(|role| role.name).collect();
        let (project_id, project_name, project_domain_id) = match token.project {
            Some(project) => (
                Some(project.id),
                Some(project.name),
                Some(project.domain.id),
            ),
            None => (None, None, None),
        };
        let services = token
            .catalog
            .into_iter()
            .flatten()
            .map(|s| s.kind)
            .collect();
        Ok(Self {
            credentials: Arc::new(Credentials {
                roles: Roles::listed(roles.iter().map(String::as_str)),
                user_id: Some(token.user.id),
                user_domain_id: Some(token.user.domain.id),
                project_id,
                project_name,
                project_domain_id,
                domain_id: token.domain.map(|domain| domain.id),
                system_scope: system.then(|| "all".to_owned()),
                is_admin_project: token.is_admin_project.unwrap_or(true),
                is_public_api: false,
                service: ServiceCredentials::default(),
            }),
            roles,
            expires,
            bound_to: token.bind.unwrap_or_default().into_keys().collect(),
            restriction: token
                .application_credential
                .and_then(|credential| credential.access_rules)
                .map(|rules| Restriction { rules, services }),
        })
    }

    /// This token's user with a service that speaks for them.
    pub(super) fn spoken_for_by(&self, service: &Self) -> Arc<Credentials> {
        let own = &service.credentials;
        Arc::new(Credentials {
            service: ServiceCredentials {
                user_id: own.user_id.clone(),
                user_domain_id: own.user_domain_id.clone(),
                project_id: own.project_id.clone(),
                project_domain_id: own.project_domain_id.clone(),
                roles: own.roles.clone(),
            },
            ..Credentials::clone(&self.credentials)
        })
    }

    pub(super) fn has_expired(&self) -> bool {
        self.expires <= Timestamp::now()
    }

    /// Whether what the token is bound to is there. Kerberos ends in the web server, and we have
    /// none before us that we could believe, so a token bound to a ticket is never good here.
    pub(super) fn fits(&self, binding: &Binding) -> bool {
        if *binding == Binding::Disabled {
            return true;
        }
        if self.bound_to.is_empty() {
            return matches!(binding, Binding::Permissive | Binding::Strict);
        }
        *binding == Binding::Permissive && self.bound_to.iter().all(|kind| kind != "kerberos")
    }

    /// Whether the token is good for this request. One that a service passes on was good where the
    /// user sent it.
    pub(super) fn covers(
        &self,
        our_type: Option<&str>,
        method: &Method,
        path: &str,
        passed_on: bool,
    ) -> bool {
        let Some(restriction) = &self.restriction else {
            return true;
        };
        let Some(our_type) = our_type else {
            tracing::warn!(
                "a token with access rules was refused: [keystone_authtoken]service_type is not set"
            );
            return false;
        };
        if !restriction.services.iter().any(|kind| kind == our_type) {
            tracing::warn!(
                "a token with access rules was refused: its catalog has no service of the type \
                 {our_type}"
            );
            return false;
        }
        passed_on
            || restriction.rules.iter().any(|rule| {
                rule.service == our_type
                    && rule.method == method.as_str()
                    && matches(&rule.path, path)
            })
    }
}

/// A part of the pattern of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Letter(u8),
    /// Any but a slash.
    One,
    /// Any number of them, slashes among them or not.
    Many {
        slashes: bool,
    },
}

/// Whether a path is one of a pattern's. `*` and `{name}` stand for one or more characters but
/// slashes, `**` for any number of any.
///
/// Whoever makes a credential writes the pattern, so the time may not grow faster than both.
fn matches(pattern: &str, path: &str) -> bool {
    let Some(pieces) = pieces(pattern) else {
        return false;
    };
    // How far into the pattern one can be after the path so far.
    let mut reached = vec![false; pieces.len() + 1];
    reached[0] = true;
    for byte in path.bytes() {
        skip_optional(&pieces, &mut reached);
        let mut next = vec![false; pieces.len() + 1];
        for (at, piece) in pieces.iter().enumerate().filter(|(at, _)| reached[*at]) {
            match *piece {
                Piece::Letter(letter) => next[at + 1] |= letter == byte,
                Piece::One => next[at + 1] |= byte != b'/',
                Piece::Many { slashes } => next[at] |= slashes || byte != b'/',
            }
        }
        reached = next;
    }
    skip_optional(&pieces, &mut reached);
    reached[pieces.len()]
}

fn skip_optional(pieces: &[Piece], reached: &mut [bool]) {
    for (at, piece) in pieces.iter().enumerate() {
        if matches!(piece, Piece::Many { .. }) && reached[at] {
            reached[at + 1] = true;
        }
    }
}

/// The parts of a pattern, unless a brace has no end.
fn pieces(pattern: &str) -> Option<Vec<Piece>> {
    const SEGMENT: [Piece; 2] = [Piece::One, Piece::Many { slashes: false }];
    let mut pieces = Vec::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**") {
            pieces.push(Piece::Many { slashes: true });
            rest = after;
        } else if let Some(after) = rest.strip_prefix('*') {
            pieces.extend(SEGMENT);
            rest = after;
        } else if let Some(name) = rest.strip_prefix('{') {
            pieces.extend(SEGMENT);
            rest = name.split_once('}')?.1;
        } else {
            let (bytes, after) = rest.split_at(letter.len_utf8());
            pieces.extend(bytes.bytes().map(Piece::Letter));
            rest = after;
        }
    }
    Some(pieces)
}

#[derive(Deserialize)]
struct Document {
    token: Content,
}

#[derive(Deserialize)]
struct Content {
    user: User,
    expires_at: String,
    #[serde(default)]
    roles: Vec<Role>,
    project: Option<Project>,
    domain: Option<Id>,
    system: Option<System>,
    is_admin_project: Option<bool>,
    bind: Option<BTreeMap<String, serde::de::IgnoredAny>>,
    application_credential: Option<ApplicationCredential>,
    catalog: Option<Vec<Service>>,
}

#[derive(Deserialize)]
struct User {
    id: String,
    domain: Id,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

#[derive(Deserialize)]
struct Role {
    name: String,
}

#[derive(Deserialize)]
struct Project {
    id: String,
    name: String,
    domain: Id,
}

#[derive(Deserialize)]
struct System {
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize)]
struct ApplicationCredential {
    access_rules: Option<Vec<AccessRule>>,
}

#[derive(Deserialize)]
struct Service {
    #[serde(rename = "type")]
    kind: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn document(more: Value) -> Value {
        let mut token = json!({
            "user": {"id": "u1", "name": "ada", "domain": {"id": "d1", "name": "D"}},
            "expires_at": "2036-01-01T00:00:00.000000Z",
            "methods": ["password"],
            "audit_ids": ["x"],
        });
        for (name, value) in more.as_object().unwrap() {
            token[name] = value.clone();
        }
        json!({"token": token})
    }

    #[track_caller]
    fn token(more: Value) -> Token {
        Token::read(document(more).to_string().as_bytes()).unwrap()
    }

    fn project() -> Value {
        json!({"id": "p1", "name": "rack", "domain": {"id": "d2", "name": "E"}})
    }

    #[test]
    fn a_scope_becomes_credentials() {
        let system = token(json!({
            "system": {"all": true},
            "roles": [{"id": "1", "name": "Admin"}, {"id": "2", "name": "reader"}],
        }));
        let expected = Credentials {
            roles: Roles::listed(["Admin", "reader"]),
            user_id: Some("u1".into()),
            user_domain_id: Some("d1".into()),
            system_scope: Some("all".into()),
            ..Credentials::default()
        };
        assert_eq!(*system.credentials, expected);
        let scoped = token(json!({
            "project": project(), "is_admin_project": false, "roles": [{"name": "member"}],
        }));
        let expected = Credentials {
            roles: Roles::listed(["member"]),
            user_id: Some("u1".into()),
            user_domain_id: Some("d1".into()),
            project_id: Some("p1".into()),
            project_name: Some("rack".into()),
            project_domain_id: Some("d2".into()),
            is_admin_project: false,
            ..Credentials::default()
        };
        assert_eq!(*scoped.credentials, expected);
        let domain = token(json!({"domain": {"id": "d3", "name": "F"}, "system": {"all": false}}));
        assert_eq!(domain.credentials.domain_id.as_deref(), Some("d3"));
        assert_eq!(domain.credentials.system_scope, None);
        assert!(token(json!({})).credentials.roles.is_empty());
    }

    #[test]
    fn a_service_comes_beside_the_user_and_gives_no_scope_away() {
        let user = token(json!({"project": project(), "roles": [{"name": "member"}]}));
        let service = token(json!({"system": {"all": true}, "roles": [{"name": "service"}]}));
        let both = user.spoken_for_by(&service);
        assert_eq!(both.system_scope, None);
        assert_eq!(both.project_id.as_deref(), Some("p1"));
        assert_eq!(both.service.roles, Roles::listed(["service"]));
        assert_eq!(both.service.user_id.as_deref(), Some("u1"));
        assert_eq!(both.service.project_id, None);
    }

    #[test]
    fn what_leaves_something_open_is_no_token() {
        let broken = |change: fn(&mut Value)| {
            let mut document = document(json!({"project": project()}));
            change(&mut document["token"]);
            Token::read(document.to_string().as_bytes()).unwrap_err()
        };
        broken(|token| token["user"]["id"] = json!(""));
        broken(|token| token["user"]["id"] = json!(5));
        broken(|token| token["project"]["id"] = json!(""));
        broken(|token| token["user"] = json!(null));
        broken(|token| token["expires_at"] = json!("soon"));
        broken(|token| token["expires_at"] = json!(null));
        broken(|token| token["system"] = json!({"all": true}));
        broken(|token| token["domain"] = json!({"id": "d"}));
        broken(|token| token["roles"] = json!(["admin"]));
        broken(|token| token["project"] = json!({"id": "p"}));
        for text in ["", "{}", "[]", "null", "<html>", "{\"token\": {}}"] {
            Token::read(text.as_bytes()).unwrap_err();
        }
    }

    #[test]
    fn tokens_expire() {
        assert!(!token(json!({})).has_expired());
        assert!(token(json!({"expires_at": "2020-01-01T00:00:00.000000Z"})).has_expired());
    }

    #[test]
    fn bound_tokens_need_what_they_are_bound_to() {
        let [free, ticket, other] = [
            json!({}),
            json!({"bind": {"kerberos": "ada@X"}}),
            json!({"bind": {"x509": "ada"}}),
        ]
        .map(token);
        for (binding, expected) in [
            (Binding::Disabled, [true, true, true]),
            (Binding::Permissive, [true, false, true]),
            (Binding::Strict, [true, false, false]),
            (Binding::Required, [false, false, false]),
            (Binding::Named("kerberos".into()), [false, false, false]),
        ] {
            let fit = [&free, &ticket, &other].map(|token| token.fits(&binding));
            assert_eq!(fit, expected, "{binding:?}");
        }
    }

    #[test]
    fn restricted_tokens_are_good_for_some_requests() {
        let restricted = token(json!({
            "application_credential": {"id": "a", "access_rules": [
                {"id": "1", "method": "GET", "path": "/v1/nodes/*/states", "service": "baremetal"},
                {"id": "2", "method": "GET", "path": "/v1/ports/**", "service": "baremetal"},
                {"id": "3", "method": "PUT", "path": "/v1/{kind}", "service": "baremetal"},
                {"id": "4", "method": "GET", "path": "/v1/chassis", "service": "compute"},
            ]},
            "catalog": [{"type": "baremetal"}, {"type": "identity"}],
        }));
        let covers =
            |method: Method, path: &str| restricted.covers(Some("baremetal"), &method, path, false);
        assert!(covers(Method::GET, "/v1/nodes/n/states"));
        assert!(covers(Method::GET, "/v1/ports/a/b"));
        assert!(covers(Method::PUT, "/v1/x"));
        assert!(!covers(Method::PUT, "/v1/nodes/n/states"));
        assert!(!covers(Method::GET, "/v1/nodes/a/b/states"));
        assert!(!matches(&"{x}".repeat(501), &"a".repeat(500)));
        assert!(!matches("/v1/{open", "/v1/{open"));
        assert!(!covers(Method::GET, "/v1/nodes//states"));
        assert!(!covers(Method::GET, "/v1/ports"));
        assert!(!covers(Method::GET, "/v1/chassis"));
        assert!(!covers(Method::PUT, "/v1/"));
        let get = Method::GET;
        assert!(restricted.covers(Some("baremetal"), &get, "/v1/chassis", true));
        assert!(!restricted.covers(Some("compute"), &get, "/v1/ports/a", true));
        assert!(!restricted.covers(None, &get, "/v1/ports/a", true));
        let nothing = token(json!({"application_credential": {"access_rules": []}}));
        assert!(!nothing.covers(Some("baremetal"), &get, "/v1/ports/a", false));
        let all = token(json!({"application_credential": {"id": "a"}}));
        assert!(all.covers(None, &get, "/v1/ports/a", false));
    }
}
