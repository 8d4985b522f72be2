//! For which place a request speaks: the whole system, or one project.
//!
//! Like a token of Keystone, a request has one scope. A client names it in a header, or it follows
//! from the roles that the user has.

use crate::{
    auth::AuthRefusal,
    policy::{Credentials, Roles},
};
use axum::http::HeaderMap;
use types::account::{Grant, RoleName, RoleScope};

const PROJECT: &str = "x-project-id";
const SYSTEM: &str = "openstack-system-scope";
/// How many projects a refusal names.
const MOST_NAMED: usize = 5;

/// The place that a request names.
pub(crate) fn wished(headers: &HeaderMap) -> Result<Option<RoleScope>, AuthRefusal> {
    let text = |name: &str| {
        let value = headers.get(name)?.to_str().unwrap_or("?").trim();
        (!value.is_empty()).then_some(value)
    };
    match (text(SYSTEM), text(PROJECT)) {
        (Some(_), Some(_)) => Err(AuthRefusal::BadPlace(
            "Name one of OpenStack-System-Scope and X-Project-Id.".to_owned(),
        )),
        (Some("all"), None) => Ok(Some(RoleScope::System)),
        (Some(_), None) => Err(AuthRefusal::BadPlace(
            "OpenStack-System-Scope can only be all.".to_owned(),
        )),
        (None, Some(project)) => match project.parse() {
            Ok(project) => Ok(Some(RoleScope::Project(project))),
            Err(error) => Err(AuthRefusal::BadPlace(format!("X-Project-Id: {error}"))),
        },
        (None, None) => Ok(None),
    }
}

/// What rules are asked with for a user who has these roles. `cap` is the role beyond which a token
/// has none.
pub(crate) fn credentials(
    user: &str,
    grants: &[Grant],
    wished: Option<&RoleScope>,
    cap: Option<&RoleName>,
) -> Result<Credentials, AuthRefusal> {
    let place = match wished {
        Some(place) if grants.iter().any(|grant| grant.place == *place) => Some(place),
        Some(place) => {
            let place = match place {
                RoleScope::System => "the whole system".to_owned(),
                RoleScope::Project(project) => format!("project {project}"),
            };
            let text = format!("User {user} has no role in {place}.");
            return Err(AuthRefusal::NoPlace(text));
        }
        None => only_place(user, grants)?,
    };
    let mut credentials = Credentials {
        user_id: Some(user.to_owned()),
        ..Credentials::default()
    };
    let Some(place) = place else {
        return Ok(credentials);
    };
    let roles = grants.iter().filter(|grant| grant.place == *place);
    let roles = Roles::with_implied(roles.map(|grant| grant.role.as_str()));
    credentials.roles = match cap {
        None => roles,
        Some(cap) => {
            let most = Roles::with_implied([cap.as_str()]);
            let both = most.names().iter();
            Roles::listed(both.filter(|role| roles.contains(&role.to_lowercase())))
        }
    };
    match place {
        RoleScope::System => credentials.system_scope = Some("all".to_owned()),
        RoleScope::Project(project) => {
            credentials.project_id = Some(project.as_str().to_owned());
            credentials.project_name = Some(project.as_str().to_owned());
        }
    }
    Ok(credentials)
}

/// The place of a request that names none: the system if the user has a role there, else the only
/// project.
fn only_place<'g>(user: &str, grants: &'g [Grant]) -> Result<Option<&'g RoleScope>, AuthRefusal> {
    let mut places: Vec<&RoleScope> = grants.iter().map(|grant| &grant.place).collect();
    places.sort();
    places.dedup();
    match places.as_slice() {
        [] => Ok(None),
        [only] | [only @ RoleScope::System, ..] => Ok(Some(only)),
        several => {
            let named = several
                .iter()
                .take(MOST_NAMED)
                .filter_map(|place| match place {
                    RoleScope::Project(project) => Some(project.as_str()),
                    RoleScope::System => None,
                });
            let named = named.collect::<Vec<_>>().join(", ");
            let more = if several.len() > MOST_NAMED {
                ", …"
            } else {
                ""
            };
            Err(AuthRefusal::BadPlace(format!(
                "User {user} has roles in several projects ({named}{more}): name one in \
                 X-Project-Id, or use a token for one."
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(list: &[(&str, &str)]) -> Vec<Grant> {
        let grant = |(place, role): &(&str, &str)| Grant {
            place: place.parse().unwrap(),
            role: role.parse().unwrap(),
        };
        list.iter().map(grant).collect()
    }

    fn ask(list: &[(&str, &str)], wished: Option<&str>, cap: Option<&str>) -> Result<String, u16> {
        let wished: Option<RoleScope> = wished.map(|text| text.parse().unwrap());
        let cap: Option<RoleName> = cap.map(|text| text.parse().unwrap());
        let made = credentials("ada", &grants(list), wished.as_ref(), cap.as_ref());
        let made = made.map_err(|refusal| refusal.response(&HeaderMap::new()).status().as_u16())?;
        let place = made.system_scope.or(made.project_id).unwrap_or_default();
        Ok(format!("{place}: {}", made.roles.names().join(",")))
    }

    #[test]
    fn a_request_speaks_for_one_place() {
        let one = [("project:P1", "member")];
        let two = [("project:P1", "admin"), ("project:P2", "reader")];
        let all = [("system", "reader"), ("project:P1", "admin")];
        let fine = |text: &str| Ok(text.to_owned());
        assert_eq!(ask(&[], None, None), fine(": "));
        assert_eq!(ask(&one, None, None), fine("P1: member,reader"));
        assert_eq!(ask(&two, None, None), Err(400));
        assert_eq!(ask(&two, Some("project:P2"), None), fine("P2: reader"));
        assert_eq!(ask(&all, None, None), fine("all: reader"));
        assert_eq!(
            ask(&all, Some("project:P1"), None),
            fine("P1: admin,manager,member,reader")
        );
        assert_eq!(ask(&two, Some("system"), None), Err(403));
        assert_eq!(ask(&two, Some("project:P3"), None), Err(403));
    }

    #[test]
    fn a_token_is_no_wider_than_its_owner() {
        let member = [("project:P1", "member")];
        let admin = [("system", "admin"), ("system", "service")];
        let fine = |text: &str| Ok(text.to_owned());
        assert_eq!(ask(&member, None, Some("admin")), fine("P1: member,reader"));
        assert_eq!(ask(&admin, None, Some("reader")), fine("all: reader"));
        assert_eq!(ask(&admin, None, Some("service")), fine("all: service"));
        assert_eq!(ask(&member, None, Some("service")), fine("P1: "));
    }

    #[test]
    fn headers_name_a_place() {
        let wish = |list: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in list {
                headers.insert(*name, value.parse().unwrap());
            }
            wished(&headers)
        };
        assert_eq!(wish(&[]), Ok(None));
        assert_eq!(wish(&[(SYSTEM, "all")]), Ok(Some(RoleScope::System)));
        assert_eq!(
            wish(&[(PROJECT, "P1")]),
            Ok(Some("project:P1".parse().unwrap()))
        );
        assert!(wish(&[(SYSTEM, "some")]).is_err());
        assert!(wish(&[(SYSTEM, "all"), (PROJECT, "P1")]).is_err());
    }
}
