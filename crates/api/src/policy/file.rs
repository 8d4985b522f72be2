//! The operator's policy file: a flat map of rule names and expressions, in YAML or JSON.
//!
//! JSON needs no reader of its own, being YAML as well. An expression is a text, or a list of
//! lists in the old syntax: any of the outer, all of the inner. Anything else is refused with its
//! line; also a name without any value, which Ironic takes for "everybody".

use super::{
    PolicyError,
    expression::Expression,
    parser::{self, ParseError},
};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::Value;
use serde_saphyr::Spanned;
use std::{fmt, path::Path};

/// A rule as the operator wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Override {
    pub(super) name: String,
    /// Counted from 1.
    pub(super) line: u64,
    pub(super) expression: Expression,
}

/// Reads a file.
#[expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]
pub(super) fn read(path: &Path) -> Result<Vec<Override>, PolicyError> {
    let text = std::fs::read_to_string(path).map_err(|source| PolicyError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    parse(&text, path)
}

/// Reads the text of a file; `path` is for messages.
pub(super) fn parse(text: &str, path: &Path) -> Result<Vec<Override>, PolicyError> {
    let document: Option<Entries> =
        serde_saphyr::from_str(text).map_err(|error| PolicyError::Malformed {
            path: path.to_owned(),
            line: error.location().map(|location| location.line()),
            text: error.without_snippet().to_string(),
        })?;
    let entries = document.map(|entries| entries.0).unwrap_or_default();
    entries
        .into_iter()
        .map(|(name, value)| {
            let line = value.referenced.line();
            let expression = expression(&value.value).map_err(|cause| match cause {
                Cause::Syntax(source) => PolicyError::Expression {
                    path: path.to_owned(),
                    line,
                    rule: name.clone(),
                    source,
                },
                Cause::NotAnExpression => PolicyError::NotAnExpression {
                    path: path.to_owned(),
                    line,
                    rule: name.clone(),
                },
            })?;
            Ok(Override {
                name,
                line,
                expression,
            })
        })
        .collect()
}

enum Cause {
    Syntax(ParseError),
    NotAnExpression,
}

fn expression(value: &Value) -> Result<Expression, Cause> {
    match value {
        Value::String(text) => parser::parse(text).map_err(Cause::Syntax),
        Value::Array(list) => alternatives(list),
        _ => Err(Cause::NotAnExpression),
    }
}

/// The old syntax. No alternatives at all allow everything; only empty ones allow nothing.
fn alternatives(list: &[Value]) -> Result<Expression, Cause> {
    if list.is_empty() {
        return Ok(Expression::Always);
    }
    let mut found = Vec::new();
    for item in list {
        let checks = match item {
            Value::String(_) => std::slice::from_ref(item),
            Value::Array(checks) => checks.as_slice(),
            _ => return Err(Cause::NotAnExpression),
        };
        let mut parts = Vec::new();
        for check in checks {
            let text = check.as_str().ok_or(Cause::NotAnExpression)?;
            parts.push(parser::parse_check(text).map_err(Cause::Syntax)?);
        }
        found.extend(match parts.len() {
            0 => None,
            1 => parts.pop(),
            _ => Some(Expression::All(parts)),
        });
    }
    Ok(match found.len() {
        0 => Expression::Never,
        1 => found.remove(0),
        _ => Expression::Any(found),
    })
}

/// The entries in the order of the file.
struct Entries(Vec<(String, Spanned<Value>)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of rule names and expressions")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<(String, String)>, String> {
        let overrides = parse(text, Path::new("policy.yaml"));
        overrides
            .map(|list| {
                list.into_iter()
                    .map(|o| (o.name, o.expression.to_string()))
                    .collect()
            })
            .map_err(|error| types::error::chain(&error))
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        assert_eq!(parsed(text), Ok(expected));
    }

    #[test]
    fn yaml_and_json_are_read_alike() {
        check("", &[]);
        check("# nothing yet\n", &[]);
        check("{}", &[]);
        check(
            "\"a:b\": \"role:x or role:y\"\nc: role:z\nd: ''\n",
            &[("a:b", "role:x or role:y"), ("c", "role:z"), ("d", "@")],
        );
        check(
            "{\"a:b\": \"!\",\n \"c\": \"\"}",
            &[("a:b", "!"), ("c", "@")],
        );
        check(
            "a: >-\n  role:x\n  or role:y\n",
            &[("a", "role:x or role:y")],
        );
    }

    #[test]
    fn the_old_syntax_is_any_of_all() {
        check(
            "a: [[\"role:x\", \"p:y\"], [\"role:z\"], \"@\"]",
            &[("a", "(role:x and p:y) or role:z or @")],
        );
        check(
            "a: []\nb: [[]]\nc: [[\"role:x\"]]",
            &[("a", "@"), ("b", "!"), ("c", "role:x")],
        );
    }

    #[track_caller]
    fn refuse(text: &str, expected: &str) {
        assert_eq!(parsed(text), Err(expected.to_owned()));
    }

    #[test]
    fn mistakes_are_found_with_their_place() {
        refuse(
            "a: role:x\nb: role:x or\n",
            "policy.yaml, line 2: the rule b cannot be read: at character 10: a check is missing",
        );
        refuse(
            "a:\n",
            "policy.yaml, line 1: the rule a needs an expression in quotes",
        );
        refuse(
            "a: 5",
            "policy.yaml, line 1: the rule a needs an expression in quotes",
        );
        refuse(
            "a:\n  - [\"role:x y:z\"]",
            "policy.yaml, line 2: the rule a cannot be read: at character 1: \"role:x y:z\" is not a check, which is written kind:value",
        );
        for text in ["- a", "a: \"b", "a: 'x:y'\na: 'x:z'", "just text"] {
            let error = parse(text, Path::new("policy.yaml")).unwrap_err();
            assert!(matches!(error, PolicyError::Malformed { .. }), "{error:?}");
        }
    }
}
