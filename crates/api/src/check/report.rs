//! The long report on a value that does not fit its schema.
//!
//! Where Ironic puts its validator's error into a fault as a whole, the text has the message,
//! the part of the schema that was violated and the part of the value that violates it, each with
//! its place. Our tables do not keep Ironic's order of keywords and its descriptions, so the
//! schema to print is handed in beside the table that is checked.

use super::pprint::pretty;
use crate::schema::{self, Schema, Step, Violation};
use serde_json::Value;
use types::pyrepr::repr_str;

/// Lines of the quoted parts are this long at most, without their indentation.
const WIDTH: usize = 72;

/// The report on the most telling violation, if there is any. `printed` is `schema` as clients
/// know it.
pub(crate) fn report(value: &Value, schema: &Schema, printed: &Value) -> Option<String> {
    let worst = schema::violation(value, schema)?;
    let whole = Part {
        value,
        schema,
        printed,
        place: String::new(),
    };
    let found = whole
        .of_violation(&worst)
        .or_else(|| whole.of_alternative(&worst));
    Some(match found {
        Some(part) => part.describe(&worst),
        None => worst.message,
    })
}

/// A part of the value with the part of the schema that it has to fit.
struct Part<'a> {
    value: &'a Value,
    schema: &'a Schema,
    printed: &'a Value,
    /// Where in the schema, as indexes.
    place: String,
}

impl<'a> Part<'a> {
    /// The part that a violation speaks of, unless it comes from inside an `anyOf`.
    fn of_violation(&self, violation: &Violation) -> Option<Part<'a>> {
        let direct = schema::violations(self.value, self.schema);
        direct
            .iter()
            .any(|known| is_same(known, violation))
            .then(|| self.at(&violation.path))?
    }

    /// The part that a violation inside an `anyOf` speaks of. Its places are counted from there.
    fn of_alternative(&self, violation: &Violation) -> Option<Part<'a>> {
        let direct = schema::violations(self.value, self.schema);
        let outer = direct
            .iter()
            .find(|known| known.context.iter().any(|inner| is_same(inner, violation)))?;
        let parent = self.at(&outer.path)?;
        let (index, schema) = parent.schema.any_of.iter().enumerate().find(|(_, inner)| {
            let inside = schema::violations(parent.value, inner);
            inside.iter().any(|known| is_same(known, violation))
        })?;
        let alternative = Part {
            value: parent.value,
            schema,
            printed: parent.printed.get("anyOf")?.get(index)?,
            place: format!("[{index}]"),
        };
        alternative.at(&violation.path)
    }

    /// The part at the end of a path.
    fn at(&self, path: &[Step]) -> Option<Part<'a>> {
        let mut part = Part {
            value: self.value,
            schema: self.schema,
            printed: self.printed,
            place: self.place.clone(),
        };
        for step in path {
            match step {
                Step::Index(index) => {
                    part.value = part.value.get(index)?;
                    part.schema = part.schema.items?;
                    part.printed = part.printed.get("items")?;
                    part.place.push_str("['items']");
                }
                Step::Key(key) => {
                    part.value = part.value.get(key)?;
                    part.schema = part
                        .schema
                        .properties
                        .iter()
                        .find(|(name, _)| name == key)
                        .map(|(_, schema)| schema)?;
                    part.printed = part.printed.get("properties")?.get(key)?;
                    part.place.push_str("['properties']");
                    part.place.push_str(&index_of(step));
                }
            }
        }
        Some(part)
    }

    fn describe(&self, violation: &Violation) -> String {
        let instance: String = violation.path.iter().map(index_of).collect();
        format!(
            "{}\n\nFailed validating '{}' in schema{}:\n{}\n\nOn instance{instance}:\n{}",
            violation.message,
            violation.keyword,
            self.place,
            indented(self.printed),
            indented(self.value),
        )
    }
}

fn is_same(one: &Violation, other: &Violation) -> bool {
    (one.keyword, &one.path, &one.message) == (other.keyword, &other.path, &other.message)
}

fn index_of(step: &Step) -> String {
    match step {
        Step::Index(index) => format!("[{index}]"),
        Step::Key(key) => format!("[{}]", repr_str(key)),
    }
}

fn indented(value: &Value) -> String {
    let lines: Vec<String> = pretty(value, WIDTH)
        .lines()
        .map(|line| format!("    {line}"))
        .collect();
    lines.join("\n")
}
