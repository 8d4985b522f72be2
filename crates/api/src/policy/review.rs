//! What is probably wrong with a policy file, though it can be read.
//!
//! Names that mean nothing make their check fail, so they let nobody in and are only reported. The
//! exception is their negation, which would let everybody in: that is an error.

use super::{
    PolicyError, STEP_RULES,
    credentials::{Attribute, Variable},
    expression::{Check, Expression, Part, Subject, Template},
    file::Override,
    rule::Rule,
};
use std::collections::HashSet;

/// Something in a policy file that is probably a mistake and does no harm: it lets nobody in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyWarning {
    #[error("line {line}: nothing asks for the rule {rule}")]
    UnknownRule { rule: String, line: u64 },
    #[error("line {line}: the rule {rule} refers to rule:{reference}, which does not exist")]
    UnknownReference {
        rule: String,
        reference: String,
        line: u64,
    },
    #[error("line {line}: the rule {rule} compares {name}, which no caller has")]
    UnknownAttribute {
        rule: String,
        name: String,
        line: u64,
    },
    #[error("line {line}: the rule {rule} asks for %({name})s, which nothing has")]
    UnknownVariable {
        rule: String,
        name: String,
        line: u64,
    },
}

/// What an operator should know. `known` are the names of all rules.
pub(super) fn warnings(
    overrides: &[Override],
    known: &HashSet<&str>,
    default_rule: &str,
) -> Vec<PolicyWarning> {
    let mut referenced = HashSet::new();
    let mut found = Vec::new();
    let has_default = known.contains(default_rule);
    for given in overrides {
        let (rule, line) = (&given.name, given.line);
        given.expression.for_each_check(&mut |check| {
            let template: &Template = match check {
                Check::Rule(name) => {
                    referenced.insert(name.clone());
                    if !known.contains(name.as_str()) && !has_default {
                        found.push(PolicyWarning::UnknownReference {
                            rule: rule.clone(),
                            reference: name.clone(),
                            line,
                        });
                    }
                    return;
                }
                Check::Role(name) => name,
                Check::Same { left, right } => {
                    if let Subject::Caller(name) = left
                        && Attribute::of_name(name).is_none()
                    {
                        found.push(PolicyWarning::UnknownAttribute {
                            rule: rule.clone(),
                            name: name.clone(),
                            line,
                        });
                    }
                    right
                }
            };
            for part in &template.0 {
                if let Part::Variable(name) = part
                    && Variable::of_name(name).is_none()
                {
                    found.push(PolicyWarning::UnknownVariable {
                        rule: rule.clone(),
                        name: name.clone(),
                        line,
                    });
                }
            }
        });
    }
    let asked_for = |name: &str| {
        Rule::of_name(name).is_some()
            || name.starts_with(STEP_RULES)
            || name == default_rule
            || referenced.contains(name)
    };
    found.extend(
        overrides
            .iter()
            .filter(|given| !asked_for(&given.name))
            .map(|given| PolicyWarning::UnknownRule {
                rule: given.name.clone(),
                line: given.line,
            }),
    );
    found
}

/// Refuses "not what does not exist".
pub(super) fn refuse_negated_unknown(
    given: &Override,
    known: &HashSet<&str>,
) -> Result<(), PolicyError> {
    let mut unknown = None;
    for_each_negated_check(&given.expression, &mut |check| {
        if let Check::Rule(name) = check
            && !known.contains(name.as_str())
        {
            unknown = Some(name.clone());
        }
    });
    match unknown {
        None => Ok(()),
        Some(reference) => Err(PolicyError::NegatedUnknown {
            rule: given.name.clone(),
            reference,
        }),
    }
}

fn for_each_negated_check(expression: &Expression, visit: &mut dyn FnMut(&Check)) {
    match expression {
        Expression::Not(inner) => inner.for_each_check(visit),
        Expression::All(parts) | Expression::Any(parts) => parts
            .iter()
            .for_each(|part| for_each_negated_check(part, visit)),
        Expression::Always | Expression::Never | Expression::Check(_) => {}
    }
}
