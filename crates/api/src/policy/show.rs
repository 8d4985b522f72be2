//! A policy for people to read.

use super::{Credentials, Decision, Origin, Policy, Rule, Scopes, Target};
use std::fmt;

/// A rule as it is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveRule<'a> {
    pub name: &'a str,
    /// What it demands, in the language of policy files.
    pub expression: String,
    pub origin: Origin,
    /// None when any token will do.
    pub scopes: Option<Scopes>,
    /// Methods and paths that ask for it, as in `GET /nodes`.
    pub operations: &'a [&'static str],
}

impl Policy {
    /// All rules: those of the service first, then those that only the policy file has. An open
    /// policy that was not loaded has none.
    pub fn effective_rules(&self) -> impl Iterator<Item = EffectiveRule<'_>> {
        self.entries.iter().map(|entry| EffectiveRule {
            name: &entry.name,
            expression: entry.expression.to_string(),
            origin: entry.origin,
            scopes: entry.scopes,
            operations: &entry.operations,
        })
    }

    /// What the policy says to `caller` under each rule, by name.
    pub fn check_all<'a>(
        &'a self,
        caller: &'a Credentials,
        target: &'a Target<'a>,
    ) -> impl Iterator<Item = (&'a str, Decision)> {
        self.entries
            .iter()
            .enumerate()
            .map(move |(place, entry)| (entry.name.as_str(), self.at(place, caller, target)))
    }

    fn at(&self, place: usize, caller: &Credentials, target: &Target<'_>) -> Decision {
        match Rule::ALL.get(place) {
            Some(rule) => self.check(*rule, caller, target),
            None => self.decide(place, caller, target),
        }
    }
}

/// An entry of a policy file, with what an operator wants to know about it as comments.
impl fmt::Display for EffectiveRule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for operation in self.operations {
            writeln!(f, "# {operation}")?;
        }
        if let Some(scopes) = self.scopes {
            writeln!(f, "# {scopes}")?;
        }
        match self.origin {
            Origin::Default => {}
            Origin::DefaultOrLegacy => writeln!(f, "# the default or what it was before scopes")?,
            Origin::File => writeln!(f, "# from the policy file")?,
            Origin::FileFor(rule) => writeln!(f, "# from the policy file, by {}", rule.name())?,
        }
        writeln!(f, "{}: {}", Quoted(self.name), Quoted(&self.expression))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.system, self.project) {
            (true, true) => "for tokens of the system or a project",
            (true, false) => "for tokens of the system",
            (false, true) => "for tokens of a project",
            (false, false) => "for no tokens",
        })
    }
}

/// A text in double quotes, as YAML and JSON both read it.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::Value::from(self.0).to_string())
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::{Credentials, Policy, PolicyOptions, Roles, Target};
    use std::path::Path;

    fn load(text: &str, enforce_new_defaults: bool) -> Policy {
        let options = PolicyOptions {
            enforce_new_defaults,
            ..PolicyOptions::default()
        };
        Policy::parse(text, Path::new("policy.yaml"), &options).unwrap()
    }

    #[test]
    fn what_is_shown_can_be_loaded_again() {
        let text = "\"baremetal:node:get\": \"not 'a\\\"b':%(node.owner)s\"\nmine: '@'";
        for enforce in [true, false] {
            let policy = load(text, enforce);
            let shown: String = policy.effective_rules().map(|r| r.to_string()).collect();
            let again = load(&shown, true);
            let expressions = |policy: &Policy| -> Vec<(String, String)> {
                let rules = policy.effective_rules();
                rules.map(|r| (r.name.into(), r.expression)).collect()
            };
            assert_eq!(expressions(&policy), expressions(&again));
        }
    }

    #[test]
    fn an_entry_says_where_it_comes_from() {
        let policy = load("\"baremetal:node:get\": role:x", false);
        let shown = |name: &str| {
            let mut rules = policy.effective_rules();
            rules.find(|rule| rule.name == name).unwrap().to_string()
        };
        assert_eq!(
            shown("baremetal:node:get"),
            "# GET /nodes/{node_ident}\n\
             # for tokens of the system or a project\n\
             # from the policy file\n\
             \"baremetal:node:get\": \"role:x\"\n"
        );
        assert_eq!(
            shown("baremetal:node:inventory:get"),
            "# GET /nodes/{node_ident}/inventory\n\
             # for tokens of the system or a project\n\
             # from the policy file, by baremetal:node:get\n\
             \"baremetal:node:inventory:get\": \"role:x\"\n"
        );
        assert_eq!(
            shown("baremetal:node:delete"),
            "# DELETE /nodes/{node_ident}\n\
             # for tokens of the system or a project\n\
             # the default or what it was before scopes\n\
             \"baremetal:node:delete\": \"(role:admin and system_scope:all) or rule:is_admin\"\n"
        );
    }

    #[test]
    fn all_rules_can_be_asked_at_once() {
        let policy = load("mine: role:x", true);
        let caller = Credentials {
            roles: Roles::listed(["X"]),
            project_id: Some("p".into()),
            ..Credentials::default()
        };
        let allowed: Vec<&str> = policy
            .check_all(&caller, &Target::NONE)
            .filter(|(_, decision)| decision.is_allowed())
            .map(|(name, _)| name)
            .collect();
        assert_eq!(
            allowed,
            [
                "baremetal:node:ipa_heartbeat",
                "baremetal:driver:ipa_lookup",
                "baremetal:driver:ipa_continue_inspection",
                "mine"
            ]
        );
    }
}
