//! Who may do what.
//!
//! Every operation names a [`Rule`]; a [`Policy`] says what the rule demands of the caller and of
//! the resource. The rules come with defaults (`policy/rules.tsv`), and an operator may replace any
//! of them in a policy file, in the language of oslo.policy. A policy is loaded once and then only
//! asked: it never changes, and asking costs no input or output.
//!
//! Ironic refuses a token of the wrong scope with an internal error; here it is a refusal
//! like any other. Whether a refusal shows as 403 or as 404 depends on what else the caller may
//! see, and [`Policy::access`] decides that. Not handled here are tokens, and noticing that the file
//! has changed.

mod catalog;
#[cfg(test)]
mod coverage;
mod credentials;
pub(crate) mod expression;
mod file;
#[cfg(test)]
mod matrix;
mod node_fields;
pub(crate) mod parser;
mod program;
mod review;
mod rule;
mod show;
#[cfg(test)]
mod tests;

pub use catalog::Scopes;
pub use credentials::{Credentials, Roles, Scope, ServiceCredentials, Target};
pub use node_fields::{HiddenFields, patch_rules};
pub use review::PolicyWarning;
pub use rule::Rule;
pub use show::EffectiveRule;

use crate::error::ApiError;
use catalog::Builtin;
use expression::{Check, Expression};
use file::Override;
use parser::ParseError;
use program::Program;
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// What the names of rules that restrict single steps start with.
const STEP_RULES: &str = "baremetal:step:execute:";

/// What the operator can set besides the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyOptions {
    /// Whether what rules allowed before they knew scopes is forbidden.
    pub enforce_new_defaults: bool,
    /// The rule that stands for those that do not exist.
    pub default_rule: String,
    /// The project whose services have elevated access, if any has.
    pub service_project: Option<String>,
}

impl Default for PolicyOptions {
    fn default() -> Self {
        Self {
            enforce_new_defaults: true,
            default_rule: "default".into(),
            service_project: None,
        }
    }
}

/// Why there is no policy.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    #[error("cannot read {}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}{} is not a map of rules: {text}", path.display(), at_line(*line))]
    Malformed {
        path: PathBuf,
        line: Option<u64>,
        text: String,
    },
    #[error("{}, line {line}: the rule {rule} needs an expression in quotes", path.display())]
    NotAnExpression {
        path: PathBuf,
        line: u64,
        rule: String,
    },
    #[error("{}, line {line}: the rule {rule} cannot be read", path.display())]
    Expression {
        path: PathBuf,
        line: u64,
        rule: String,
        source: ParseError,
    },
    #[error("these rules lead back to where they start: {}", rules.join(", "))]
    Circle { rules: Vec<String> },
    #[error("the rule {rule} leads through too many others")]
    TooLong { rule: String },
    /// "Not what does not exist" would let everybody in.
    #[error("the rule {rule} negates rule:{reference}, which does not exist")]
    NegatedUnknown { rule: String, reference: String },
    /// Our own table is broken, which tests rule out.
    #[error("the default of {rule} cannot be read")]
    Builtin { rule: String },
}

fn at_line(line: Option<u64>) -> String {
    line.map(|line| format!(", line {line},"))
        .unwrap_or_default()
}

/// What a policy says to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Allowed,
    Denied,
    /// The rule is not for tokens of this scope, whatever roles come with it.
    WrongScope,
}

impl Decision {
    pub fn is_allowed(self) -> bool {
        self == Self::Allowed
    }
}

/// A rule that the caller does not satisfy, as clients are told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Access was denied to the following resource: {}", .0.name())]
pub struct Refusal(pub Rule);

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self::forbidden(refusal.to_string())
    }
}

/// Why a caller does not get at a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The caller may not even know that it exists.
    Invisible,
    Refused(Refusal),
}

impl Obstacle {
    /// The answer; `missing` is the one for a resource that does not exist.
    pub fn into_error(self, missing: impl FnOnce() -> ApiError) -> ApiError {
        match self {
            Self::Invisible => missing(),
            Self::Refused(refusal) => refusal.into(),
        }
    }
}

/// How much of a list a caller gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach<'a> {
    Everything,
    /// Only what this project has a share in.
    Project(&'a str),
}

/// Where a rule's expression comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// The default, or what was allowed before there were scopes.
    DefaultOrLegacy,
    File,
    /// The file, by overriding this rule of which it was once a part.
    FileFor(Rule),
}

/// A rule as it is in force.
#[derive(Debug, Clone)]
struct RuleInForce {
    name: String,
    /// None when any token will do.
    scopes: Option<Scopes>,
    expression: Expression,
    origin: Origin,
    operations: Vec<&'static str>,
}

/// The rules in force.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The service's rules in the order of [`Rule::ALL`], then those that only the file has.
    entries: Vec<RuleInForce>,
    program: Program,
    warnings: Vec<PolicyWarning>,
    open: bool,
    legacy: bool,
}

impl Policy {
    /// The policy where identities are not verified: everybody may do everything.
    ///
    /// Secrets stay masked nevertheless; see [`Policy::check`].
    pub fn open() -> Self {
        Self {
            open: true,
            ..Self::default()
        }
    }

    /// The defaults, with what these files say instead. Of several that speak of a rule, the last
    /// one counts.
    pub fn load<'a>(
        policy_files: impl IntoIterator<Item = &'a Path>,
        options: &PolicyOptions,
    ) -> Result<Self, PolicyError> {
        let mut overrides: Vec<Override> = Vec::new();
        for path in policy_files {
            let given = file::read(path)?;
            overrides.retain(|earlier| !given.iter().any(|later| later.name == earlier.name));
            overrides.extend(given);
        }
        Self::build(overrides, options)
    }

    /// As [`Policy::load`], from the text of a file; `path` is for messages.
    pub fn parse(text: &str, path: &Path, options: &PolicyOptions) -> Result<Self, PolicyError> {
        Self::build(file::parse(text, path)?, options)
    }

    /// The same rules where identities are not verified.
    pub fn opened(self) -> Self {
        Self { open: true, ..self }
    }

    /// The same rules where identities are verified.
    pub fn enforced(self) -> Self {
        Self {
            open: false,
            ..self
        }
    }

    fn build(overrides: Vec<Override>, options: &PolicyOptions) -> Result<Self, PolicyError> {
        let by_name: HashMap<&str, &Override> = overrides
            .iter()
            .map(|given| (given.name.as_str(), given))
            .collect();
        let mut entries: Vec<RuleInForce> = catalog::builtins()?
            .into_iter()
            .map(|builtin| effective(builtin, &by_name, options))
            .collect();
        entries.extend(
            overrides
                .iter()
                .filter(|given| Rule::of_name(&given.name).is_none())
                .map(|given| RuleInForce {
                    name: given.name.clone(),
                    scopes: None,
                    expression: given.expression.clone(),
                    origin: Origin::File,
                    operations: Vec::new(),
                }),
        );
        let fallback = entries
            .iter()
            .position(|entry| entry.name == options.default_rule);
        let known: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        if fallback.is_none() {
            overrides
                .iter()
                .try_for_each(|given| review::refuse_negated_unknown(given, &known))?;
        }
        let warnings = review::warnings(&overrides, &known, &options.default_rule);
        let rules: Vec<(&str, &Expression)> = entries
            .iter()
            .map(|entry| (entry.name.as_str(), &entry.expression))
            .collect();
        let program = Program::build(&rules, fallback, options.service_project.clone())?;
        Ok(Self {
            program,
            warnings,
            entries,
            open: false,
            legacy: !options.enforce_new_defaults,
        })
    }

    /// What is probably wrong with the file. Whoever loads a policy should log it.
    pub fn warnings(&self) -> &[PolicyWarning] {
        &self.warnings
    }

    /// Whether everybody may do everything.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether what was allowed before rules knew scopes still is.
    pub fn honours_legacy(&self) -> bool {
        self.legacy
    }

    /// What the policy says to `caller` about `target`.
    ///
    /// An open policy allows everything but to see secrets: that is for the rules to say even where
    /// nobody knows who asks.
    pub fn check(&self, rule: Rule, caller: &Credentials, target: &Target<'_>) -> Decision {
        let about_secrets = matches!(rule, Rule::ShowPassword | Rule::ShowInstanceSecrets);
        if self.open && !about_secrets {
            return Decision::Allowed;
        }
        self.decide(rule as usize, caller, target)
    }

    /// As [`Policy::check`], for those who only want to know yes or no.
    pub fn allows(&self, rule: Rule, caller: &Credentials, target: &Target<'_>) -> bool {
        self.check(rule, caller, target).is_allowed()
    }

    /// Refuses unless `rule` is satisfied.
    pub fn require(
        &self,
        rule: Rule,
        caller: &Credentials,
        target: &Target<'_>,
    ) -> Result<(), Refusal> {
        if self.allows(rule, caller, target) {
            Ok(())
        } else {
            Err(Refusal(rule))
        }
    }

    /// Refuses unless all `rules` are satisfied, and hides the resource from those who do not even
    /// satisfy `visible`.
    pub fn access(
        &self,
        visible: Rule,
        rules: &[Rule],
        caller: &Credentials,
        target: &Target<'_>,
    ) -> Result<(), Obstacle> {
        if !self.allows(visible, caller, target) {
            return Err(Obstacle::Invisible);
        }
        rules
            .iter()
            .try_for_each(|rule| self.require(*rule, caller, target))
            .map_err(Obstacle::Refused)
    }

    /// How much of a list `caller` gets: everything by the rule `all`, else what is its project's
    /// by the rule `own`. Who is restricted to a project may not have `asked_for` another one's.
    pub fn reach<'a>(
        &self,
        all: Rule,
        own: Rule,
        caller: &'a Credentials,
        asked_for: Option<&str>,
    ) -> Result<Reach<'a>, Refusal> {
        if self.allows(all, caller, &Target::NONE) {
            return Ok(Reach::Everything);
        }
        let project = caller
            .project_id
            .as_deref()
            .filter(|project| !project.is_empty())
            .ok_or(Refusal(all))?;
        let asked_for = asked_for.filter(|asked| !asked.is_empty());
        if asked_for.is_some_and(|asked| asked != project) {
            return Err(Refusal(all));
        }
        self.require(own, caller, &Target::NONE)?;
        Ok(Reach::Project(project))
    }

    /// What the policy says about executing a step. Steps that no rule speaks of are for everybody
    /// who got so far.
    pub fn check_step(
        &self,
        interface: &str,
        step: &str,
        caller: &Credentials,
        target: &Target<'_>,
    ) -> Decision {
        if self.open {
            return Decision::Allowed;
        }
        let name = format!("{STEP_RULES}{interface}.{step}");
        match self.place_of(&name) {
            Some(place) => self.decide(place, caller, target),
            None => Decision::Allowed,
        }
    }

    /// As [`Policy::check`], by the name of any rule in the policy; none when there is no such rule.
    pub fn check_named(
        &self,
        name: &str,
        caller: &Credentials,
        target: &Target<'_>,
    ) -> Option<Decision> {
        if let Some(rule) = Rule::of_name(name) {
            return Some(self.check(rule, caller, target));
        }
        let place = self.place_of(name)?;
        Some(self.decide(place, caller, target))
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.name == name)
    }

    fn decide(&self, place: usize, caller: &Credentials, target: &Target<'_>) -> Decision {
        let scopes = self.entries.get(place).and_then(|entry| entry.scopes);
        let fits = scopes.is_none_or(|scopes| match caller.scope() {
            Scope::System => scopes.system,
            Scope::Project => scopes.project,
            // Tokens without a scope have no roles in Ironic, so it never had to say.
            Scope::Domain | Scope::None => false,
        });
        if !fits {
            Decision::WrongScope
        } else if self.program.holds(place, caller, target) {
            Decision::Allowed
        } else {
            Decision::Denied
        }
    }
}

/// A rule of ours after the operator has had a say.
fn effective(
    builtin: Builtin,
    overrides: &HashMap<&str, &Override>,
    options: &PolicyOptions,
) -> RuleInForce {
    let name = builtin.rule.name();
    let whole = builtin.part_of.and_then(|rule| {
        let given = overrides.get(rule.name())?;
        // Who only wrote down the old default, or points here, has not asked for anything else.
        let means_something = builtin.legacy.as_ref() != Some(&given.expression)
            && given.expression != Expression::Check(Check::Rule(name.to_owned()));
        means_something.then_some((rule, given))
    });
    let (expression, origin) = if let Some(given) = overrides.get(name) {
        (given.expression.clone(), Origin::File)
    } else if let Some((rule, given)) = whole {
        (given.expression.clone(), Origin::FileFor(rule))
    } else {
        match builtin.legacy {
            Some(legacy) if !options.enforce_new_defaults => {
                (builtin.check.or(legacy), Origin::DefaultOrLegacy)
            }
            _ => (builtin.check, Origin::Default),
        }
    };
    RuleInForce {
        name: name.to_owned(),
        scopes: builtin.scopes,
        expression,
        origin,
        operations: builtin.operations,
    }
}
