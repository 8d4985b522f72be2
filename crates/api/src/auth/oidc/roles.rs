//! From what a token says about its user to roles.

use serde_json::Value;
use std::str::FromStr;
use types::account::{BadName, BadPlace, Grant};

/// A role for everybody whose token has a value among its roles or groups:
/// `VALUE=>ROLE@system` or `VALUE=>ROLE@project:NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRule {
    value: String,
    grant: Grant,
}

/// A text that is no such rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRoleRule {
    #[error("write VALUE=>ROLE@system or VALUE=>ROLE@project:NAME")]
    Form,
    #[error(transparent)]
    Role(#[from] BadName),
    #[error(transparent)]
    Place(#[from] BadPlace),
}

impl FromStr for RoleRule {
    type Err = BadRoleRule;

    fn from_str(text: &str) -> Result<Self, BadRoleRule> {
        let (value, grant) = text.split_once("=>").ok_or(BadRoleRule::Form)?;
        let (role, place) = grant.split_once('@').ok_or(BadRoleRule::Form)?;
        let value = value.trim();
        if value.is_empty() {
            return Err(BadRoleRule::Form);
        }
        Ok(Self {
            value: value.to_owned(),
            grant: Grant {
                place: place.trim().parse()?,
                role: role.trim().parse()?,
            },
        })
    }
}

/// The roles of a user. `path` leads to a text or a list of texts, by names with dots between.
pub fn grants(claims: &Value, path: &str, rules: &[RoleRule]) -> Vec<Grant> {
    // A name may have dots in it, as those of some providers do (`https://example.org/roles`).
    let found = claims.get(path).or_else(|| {
        path.split('.')
            .try_fold(claims, |value, name| value.get(name))
    });
    let values: Vec<&str> = match found {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let fitting = rules
        .iter()
        .filter(|rule| values.contains(&rule.value.as_str()));
    let mut grants: Vec<Grant> = fitting.map(|rule| rule.grant.clone()).collect();
    grants.sort();
    grants.dedup();
    grants
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_token_says_becomes_roles() {
        let rules = [
            "admins=>admin@system",
            "a=>member@project:P1",
            "a=>reader@project:P2",
        ];
        let rules: Vec<RoleRule> = rules.iter().map(|text| text.parse().unwrap()).collect();
        let found = |claims: Value, path: &str| {
            let grants = grants(&claims, path, &rules);
            let text = |grant: &Grant| format!("{} {}", grant.role, grant.place);
            grants.iter().map(text).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(
            found(json!({"groups": ["a", "x", 7]}), "groups"),
            "member project:P1, reader project:P2"
        );
        assert_eq!(found(json!({"groups": "admins"}), "groups"), "admin system");
        let nested = json!({"realm_access": {"roles": ["admins"]}});
        assert_eq!(found(nested, "realm_access.roles"), "admin system");
        let dotted = json!({"https://example.org/roles": ["admins"]});
        assert_eq!(found(dotted, "https://example.org/roles"), "admin system");
        for nothing in [json!({}), json!({"groups": {"admins": true}}), json!([])] {
            assert_eq!(found(nothing, "groups"), "");
        }
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        for bad in [
            "",
            "a",
            "a=>admin",
            "=>admin@system",
            "a=>b c@system",
            "a=>admin@nowhere",
        ] {
            assert!(bad.parse::<RoleRule>().is_err(), "{bad}");
        }
    }
}
