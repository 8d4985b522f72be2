//! What the rules say by default: `rules.tsv`, spelled out with the named checks of `checks.tsv`.
//!
//! Both files are compiled in. They are read anew for each policy that is loaded, which is rare.

use super::{PolicyError, expression::Expression, parser, rule::Rule};
use std::collections::HashMap;

const RULES: &str = include_str!("rules.tsv");
const CHECKS: &str = include_str!("checks.tsv");

/// Which tokens a rule is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scopes {
    pub system: bool,
    pub project: bool,
}

/// A rule as it comes with the service.
#[derive(Debug, Clone)]
pub(super) struct Builtin {
    pub(super) rule: Rule,
    /// None when any token will do.
    pub(super) scopes: Option<Scopes>,
    pub(super) check: Expression,
    /// What the rule was before it knew scopes.
    pub(super) legacy: Option<Expression>,
    /// The rule that this one was once a part of. Who overrides that one means this one too.
    pub(super) part_of: Option<Rule>,
    /// Methods and paths, as in `GET /nodes`.
    pub(super) operations: Vec<&'static str>,
}

/// All rules, in the order of [`Rule::ALL`].
pub(super) fn builtins() -> Result<Vec<Builtin>, PolicyError> {
    let names = named_checks();
    let mut rows = rows(RULES);
    let mut found = Vec::with_capacity(Rule::ALL.len());
    for &rule in Rule::ALL {
        let broken = || PolicyError::Builtin {
            rule: rule.name().to_owned(),
        };
        let row: Vec<&'static str> = rows.next().ok_or_else(broken)?.split('\t').collect();
        let [name, scopes, check, legacy, part_of, operations] = row[..] else {
            return Err(broken());
        };
        if name != rule.name() {
            return Err(broken());
        }
        let read = |text: &str| parser::parse(&spell_out(text, &names)).map_err(|_| broken());
        let dash = |text: &'static str| (text != "-").then_some(text);
        found.push(Builtin {
            rule,
            scopes: dash(scopes).map(|letters| Scopes {
                system: letters.contains('S'),
                project: letters.contains('P'),
            }),
            check: read(check)?,
            legacy: dash(legacy).map(read).transpose()?,
            part_of: dash(part_of)
                .map(|name| Rule::of_name(name).ok_or_else(broken))
                .transpose()?,
            operations: dash(operations)
                .map(|list| list.split("; ").collect())
                .unwrap_or_default(),
        });
    }
    Ok(found)
}

fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

/// The named checks, each spelled out with those above it.
fn named_checks() -> HashMap<&'static str, String> {
    let mut names = HashMap::new();
    for (name, check) in rows(CHECKS).filter_map(|row| row.split_once('\t')) {
        let spelled = spell_out(check, &names);
        names.insert(name, spelled);
    }
    names
}

/// The check with every name replaced by what it stands for.
fn spell_out(check: &str, names: &HashMap<&str, String>) -> String {
    let words: Vec<String> = check
        .split(' ')
        .map(|word| match names.get(word) {
            Some(meaning) => format!("({meaning})"),
            None => word.to_owned(),
        })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_sound_row_for_every_rule() {
        let all = builtins().unwrap();
        // Those of Ironic, and our own.
        assert_eq!(all.len(), 133 + 38);
        assert_eq!(rows(RULES).count(), Rule::ALL.len());
        for builtin in &all {
            assert_eq!(Rule::of_name(builtin.rule.name()), Some(builtin.rule));
            for operation in &builtin.operations {
                let (method, path) = operation.split_once(' ').unwrap();
                assert!(["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method));
                assert!(path.starts_with('/'), "{operation}");
            }
        }
    }

    #[test]
    fn every_named_check_is_used_or_part_of_another() {
        let text = format!("{RULES}{CHECKS}");
        let words: Vec<&str> = text.split(['\t', ' ', '\n']).collect();
        for name in named_checks().keys() {
            let uses = words.iter().filter(|word| *word == name).count();
            assert!(uses >= 2, "{name}");
        }
    }

    #[test]
    fn no_name_is_left_unexplained() {
        let shouted = |word: &str| word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        for builtin in builtins().unwrap() {
            let text = builtin.check.to_string();
            assert!(
                !text
                    .split([' ', '(', ')'])
                    .any(|w| w.len() > 1 && shouted(w)),
                "{text}"
            );
        }
    }
}
