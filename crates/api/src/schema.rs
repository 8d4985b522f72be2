//! Checks of JSON values against declared shapes, with the messages that Python's jsonschema gives.
//!
//! Clients print those messages and tests compare them, so the engine follows that library in which
//! of several errors it reports and how it words it. It knows the keywords that our tables need and
//! no others; patterns are functions, with the text of the regular expression kept for the message.
//! A schema that an operator wrote is made into such a shape when the service starts ([`file`]).

pub(crate) mod account;
pub(crate) mod baseline;
pub(crate) mod batch;
pub mod file;
pub(crate) mod format;
pub(crate) mod image;
pub(crate) mod inspection;
pub(crate) mod inspection_rule;
pub(crate) mod network;
pub mod node;
pub(crate) mod port;
pub(crate) mod portgroup;
pub(crate) mod progress;
pub(crate) mod session;
pub(crate) mod steps;
pub(crate) mod webhook;

use crate::error::ApiError;
use regex::Regex;
use serde_json::Value;
use std::cmp::Ordering;
use types::pyrepr::{repr, repr_list, repr_str};

/// A JSON type by its schema name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Array,
    Boolean,
    Integer,
    Null,
    Number,
    Object,
    String,
}

impl Type {
    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Null => "null",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }

    fn holds(self, value: &Value) -> bool {
        match self {
            Self::Array => value.is_array(),
            Self::Boolean => value.is_boolean(),
            // 1.0 is a whole number too.
            Self::Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|f| f.fract() == 0.0)
            }
            Self::Null => value.is_null(),
            Self::Number => value.is_number(),
            Self::Object => value.is_object(),
            Self::String => value.is_string(),
        }
    }
}

/// A test of texts, and the words in which a failure is reported.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    /// The regular expression that `test` stands for.
    pub text: &'static str,
    pub test: fn(&str) -> bool,
}

/// A named kind of text, such as `uuid`.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    pub name: &'static str,
    pub test: fn(&str) -> bool,
}

/// The shape of a value. Absent keywords do not restrict it: start from [`Schema::ANY`].
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    pub types: &'static [Type],
    /// The texts that are allowed (`enum`).
    pub options: &'static [&'static str],
    pub properties: &'static [(&'static str, Schema)],
    pub required: &'static [&'static str],
    /// No properties but the listed ones (`additionalProperties: false`).
    pub closed: bool,
    /// Of several violations that say as much, the first is reported; some of Ironic's
    /// schemas have `required` behind everything else.
    pub required_last: bool,
    /// Properties that need others beside them (`dependentRequired`).
    pub dependent: &'static [(&'static str, &'static [&'static str])],
    pub min_length: usize,
    pub max_length: usize,
    pub pattern: Option<Pattern>,
    /// A pattern that an operator wrote.
    pub regex: Option<&'static Regex>,
    pub format: Option<Format>,
    pub minimum: Option<i64>,
    /// Whether the minimum itself is too little.
    pub exclusive_minimum: bool,
    pub maximum: Option<i64>,
    pub items: Option<&'static Schema>,
    pub min_items: usize,
    pub any_of: &'static [Schema],
    pub one_of: &'static [Schema],
}

impl Schema {
    /// Anything at all.
    pub const ANY: Self = Self {
        types: &[],
        options: &[],
        properties: &[],
        required: &[],
        closed: false,
        required_last: false,
        dependent: &[],
        min_length: 0,
        max_length: usize::MAX,
        pattern: None,
        regex: None,
        format: None,
        minimum: None,
        exclusive_minimum: false,
        maximum: None,
        items: None,
        min_items: 0,
        any_of: &[],
        one_of: &[],
    };

    /// Any value of these types.
    pub const fn of(types: &'static [Type]) -> Self {
        Self { types, ..Self::ANY }
    }

    /// The names of the declared properties.
    pub fn property_names(&self) -> impl Iterator<Item = &'static str> {
        self.properties.iter().map(|(name, _)| *name)
    }
}

/// A step on the way to a value inside another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Index(usize),
    Key(String),
}

/// One way in which a value is not as it should be.
#[derive(Debug, Clone)]
pub struct Violation {
    pub message: String,
    /// The schema keyword that is violated.
    pub keyword: &'static str,
    /// Where, relative to the value that was checked, outermost first.
    pub path: Vec<Step>,
    /// What is wrong under each alternative of `anyOf` or `oneOf`.
    pub context: Vec<Violation>,
    /// Whether the value at least has a type that the schema names.
    type_fits: bool,
}

impl Violation {
    /// Orders by how much a violation says; the greatest is reported.
    fn relevance(&self, other: &Self) -> Ordering {
        let weak = |v: &Self| matches!(v.keyword, "anyOf" | "oneOf");
        other
            .path
            .len()
            .cmp(&self.path.len())
            .then_with(|| self.path.cmp(&other.path))
            .then_with(|| weak(other).cmp(&weak(self)))
            .then_with(|| other.type_fits.cmp(&self.type_fits))
    }

    /// The message, and what may have caused it.
    pub fn explain(&self) -> String {
        let mut cause = None;
        let mut current = self.clone();
        while let Some(inner) = best_match(current.context) {
            cause = Some(inner.message.clone());
            current = inner;
        }
        match cause {
            Some(cause) => format!("{}. Possible root cause: {cause}", self.message),
            None => self.message.clone(),
        }
    }
}

/// The violation that says most. Among alternatives, the one that came closest to fitting.
fn best_match(violations: Vec<Violation>) -> Option<Violation> {
    // The first of several equals wins, hence the strict comparison.
    let mut best = violations.into_iter().reduce(|best, next| {
        if next.relevance(&best) == Ordering::Greater {
            next
        } else {
            best
        }
    })?;
    loop {
        let mut context: Vec<&Violation> = best.context.iter().collect();
        context.sort_by(|a, b| a.relevance(b));
        best = match context.as_slice() {
            [] => return Some(best),
            [first, second, ..] if first.relevance(second) == Ordering::Equal => return Some(best),
            [first, ..] => (*first).clone(),
        };
    }
}

/// The most telling violation, if there is any.
pub fn violation(value: &Value, schema: &Schema) -> Option<Violation> {
    best_match(violations(value, schema))
}

/// 400 `Schema error for {name}: …` unless the value has the shape. What is not there has no name.
pub fn check(name: &str, value: &Value, schema: &Schema) -> Result<(), ApiError> {
    match violation(value, schema) {
        None => Ok(()),
        Some(_) if value.is_null() => check_unnamed(value, schema),
        Some(v) => Err(ApiError::invalid(format!(
            "Schema error for {name}: {}",
            v.explain()
        ))),
    }
}

/// 400 `Schema error: …` unless the value has the shape. Of several violations, Ironic names
/// the first here, and not the one that says most.
pub fn check_unnamed(value: &Value, schema: &Schema) -> Result<(), ApiError> {
    match violations(value, schema).into_iter().next() {
        None => Ok(()),
        Some(v) => Err(ApiError::invalid(format!("Schema error: {}", v.explain()))),
    }
}

/// Every violation there is.
pub fn violations(value: &Value, schema: &Schema) -> Vec<Violation> {
    let mut found = Violations {
        list: Vec::new(),
        type_fits: schema.types.iter().any(|t| t.holds(value)),
    };
    if !schema.types.is_empty() && !found.type_fits {
        let names: Vec<String> = schema.types.iter().map(|t| repr_str(t.name())).collect();
        found.add(
            "type",
            format!("{} is not of type {}", repr(value), names.join(", ")),
        );
    }
    if !schema.options.is_empty() && !value.as_str().is_some_and(|v| schema.options.contains(&v)) {
        let options = repr_list(schema.options.iter().copied());
        found.add("enum", format!("{} is not one of {options}", repr(value)));
    }
    match value {
        Value::String(text) => check_text(text, schema, &mut found),
        Value::Number(_) => check_number(value, schema, &mut found),
        Value::Array(items) => check_items(value, items, schema, &mut found),
        Value::Object(map) => check_object(map, schema, &mut found),
        Value::Null | Value::Bool(_) => {}
    }
    check_alternatives(value, schema, &mut found);
    found.list
}

/// Violations of one value, as they are found.
struct Violations {
    list: Vec<Violation>,
    type_fits: bool,
}

impl Violations {
    fn add(&mut self, keyword: &'static str, message: String) {
        self.add_with_context(keyword, message, Vec::new());
    }

    fn add_with_context(
        &mut self,
        keyword: &'static str,
        message: String,
        context: Vec<Violation>,
    ) {
        self.list.push(Violation {
            message,
            keyword,
            path: Vec::new(),
            context,
            type_fits: self.type_fits,
        });
    }

    /// Takes over what is wrong with a part of the value.
    fn below(&mut self, step: &Step, inner: Vec<Violation>) {
        self.list.extend(inner.into_iter().map(|mut v| {
            v.path.insert(0, step.clone());
            v
        }));
    }
}

fn check_text(text: &str, schema: &Schema, found: &mut Violations) {
    let length = text.chars().count();
    if length < schema.min_length {
        let what = if schema.min_length == 1 {
            "should be non-empty"
        } else {
            "is too short"
        };
        found.add("minLength", format!("{} {what}", repr_str(text)));
    }
    if length > schema.max_length {
        found.add("maxLength", format!("{} is too long", repr_str(text)));
    }
    if let Some(pattern) = schema.pattern
        && !(pattern.test)(text)
    {
        found.add(
            "pattern",
            format!(
                "{} does not match {}",
                repr_str(text),
                repr_str(pattern.text)
            ),
        );
    }
    if let Some(regex) = schema.regex
        && !regex.is_match(text)
    {
        let pattern = repr_str(regex.as_str());
        found.add(
            "pattern",
            format!("{} does not match {pattern}", repr_str(text)),
        );
    }
    if let Some(format) = schema.format
        && !(format.test)(text)
    {
        found.add(
            "format",
            format!("{} is not a {}", repr_str(text), repr_str(format.name)),
        );
    }
}

fn check_number(value: &Value, schema: &Schema, found: &mut Violations) {
    #[allow(
        clippy::cast_precision_loss,
        reason = "bounds in our tables are small enough for a float to be exact"
    )]
    let beyond = |bound: i64, ordering: Ordering| {
        value
            .as_f64()
            .is_some_and(|v| v.partial_cmp(&(bound as f64)) == Some(ordering))
    };
    if let Some(minimum) = schema.minimum {
        let words = if beyond(minimum, Ordering::Less) && !schema.exclusive_minimum {
            Some("less than")
        } else if schema.exclusive_minimum && !beyond(minimum, Ordering::Greater) {
            Some("less than or equal to")
        } else {
            None
        };
        if let Some(words) = words {
            found.add(
                "minimum",
                format!("{} is {words} the minimum of {minimum}", repr(value)),
            );
        }
    }
    if let Some(maximum) = schema.maximum
        && beyond(maximum, Ordering::Greater)
    {
        found.add(
            "maximum",
            format!("{} is greater than the maximum of {maximum}", repr(value)),
        );
    }
}

fn check_items(value: &Value, items: &[Value], schema: &Schema, found: &mut Violations) {
    if let Some(inner) = schema.items {
        for (index, item) in items.iter().enumerate() {
            found.below(&Step::Index(index), violations(item, inner));
        }
    }
    if items.len() < schema.min_items {
        let what = if schema.min_items == 1 {
            "should be non-empty"
        } else {
            "is too short"
        };
        found.add("minItems", format!("{} {what}", repr(value)));
    }
}

fn check_object(map: &types::JsonMap, schema: &Schema, found: &mut Violations) {
    for (name, inner) in schema.properties {
        if let Some(item) = map.get(*name) {
            found.below(&Step::Key((*name).to_owned()), violations(item, inner));
        }
    }
    if !schema.required_last {
        check_required(map, schema, found);
    }
    if schema.closed {
        let mut extras: Vec<&str> = map
            .keys()
            .map(String::as_str)
            .filter(|key| !schema.property_names().any(|name| name == *key))
            .collect();
        extras.sort_unstable();
        if !extras.is_empty() {
            let verb = if extras.len() == 1 { "was" } else { "were" };
            let names: Vec<String> = extras.into_iter().map(repr_str).collect();
            found.add(
                "additionalProperties",
                format!(
                    "Additional properties are not allowed ({} {verb} unexpected)",
                    names.join(", ")
                ),
            );
        }
    }
    for (name, others) in schema.dependent {
        let missing = others.iter().filter(|other| !map.contains_key(**other));
        for other in missing.filter(|_| map.contains_key(*name)) {
            found.add(
                "dependentRequired",
                format!("{} is a dependency of {}", repr_str(other), repr_str(name)),
            );
        }
    }
    if schema.required_last {
        check_required(map, schema, found);
    }
}

fn check_required(map: &types::JsonMap, schema: &Schema, found: &mut Violations) {
    for name in schema.required {
        if !map.contains_key(*name) {
            found.add(
                "required",
                format!("{} is a required property", repr_str(name)),
            );
        }
    }
}

fn check_alternatives(value: &Value, schema: &Schema, found: &mut Violations) {
    for (keyword, alternatives) in [("anyOf", schema.any_of), ("oneOf", schema.one_of)] {
        if alternatives.is_empty() {
            continue;
        }
        let results: Vec<Vec<Violation>> =
            alternatives.iter().map(|a| violations(value, a)).collect();
        let fitting = results.iter().filter(|r| r.is_empty()).count();
        if fitting == 0 {
            found.add_with_context(
                keyword,
                format!(
                    "{} is not valid under any of the given schemas",
                    repr(value)
                ),
                results.into_iter().flatten().collect(),
            );
        } else if keyword == "oneOf" && fitting > 1 {
            // Ironic names the later ones first.
            let mut valid: Vec<&Schema> = alternatives
                .iter()
                .zip(&results)
                .filter(|(_, result)| result.is_empty())
                .map(|(alternative, _)| alternative)
                .collect();
            valid.rotate_left(1);
            let valid: Vec<String> = valid.into_iter().map(describe).collect();
            found.add(
                keyword,
                format!(
                    "{} is valid under each of {}",
                    repr(value),
                    valid.join(", ")
                ),
            );
        }
    }
}

/// An alternative as Ironic prints it. Where several fit, ours differ in what they require.
fn describe(schema: &Schema) -> String {
    format!(
        "{{'required': {}}}",
        repr_list(schema.required.iter().copied())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use Type::{Array, Boolean, Integer, Null, Object, String as Str};
    use serde_json::json;

    const INNER: Schema = Schema {
        types: &[Object],
        properties: &[
            (
                "op",
                Schema {
                    types: &[Str],
                    options: &["add", "remove"],
                    ..Schema::ANY
                },
            ),
            (
                "n",
                Schema {
                    types: &[Integer],
                    minimum: Some(0),
                    ..Schema::ANY
                },
            ),
        ],
        required: &["op"],
        closed: true,
        ..Schema::ANY
    };
    const SAMPLE: Schema = Schema {
        types: &[Object],
        properties: &[
            ("driver", Schema::of(&[Str])),
            (
                "name",
                Schema {
                    types: &[Str, Null],
                    min_length: 1,
                    max_length: 3,
                    ..Schema::ANY
                },
            ),
            ("flag", Schema::of(&[Str, Boolean, Null])),
            (
                "list",
                Schema {
                    types: &[Array],
                    items: Some(&INNER),
                    ..Schema::ANY
                },
            ),
            (
                "trait",
                Schema {
                    any_of: &[
                        Schema {
                            types: &[Str],
                            pattern: Some(Pattern {
                                text: "^CUSTOM_[A-Z]+$",
                                test: |t| t.starts_with("CUSTOM_"),
                            }),
                            ..Schema::ANY
                        },
                        Schema {
                            types: &[Str],
                            options: &["HW"],
                            ..Schema::ANY
                        },
                    ],
                    ..Schema::ANY
                },
            ),
        ],
        required: &["driver"],
        closed: true,
        ..Schema::ANY
    };

    #[track_caller]
    fn refused(value: Value, text: &str) {
        match check("node", &value, &SAMPLE) {
            Err(ApiError::Service { text: found, .. }) => {
                assert_eq!(found, format!("Schema error for node: {text}"));
            }
            other => panic!("{value}: {other:?}"),
        }
    }

    #[test]
    fn the_messages_are_those_of_the_library() {
        refused(json!([]), "[] is not of type 'object'");
        refused(json!({}), "'driver' is a required property");
        refused(json!({"driver": 5}), "5 is not of type 'string'");
        refused(json!({"driver": null}), "None is not of type 'string'");
        refused(
            json!({"driver": "d", "name": 5}),
            "5 is not of type 'string', 'null'",
        );
        refused(json!({"driver": "d", "name": ""}), "'' should be non-empty");
        refused(json!({"driver": "d", "name": "abcd"}), "'abcd' is too long");
        refused(
            json!({"driver": "d", "flag": 7}),
            "7 is not of type 'string', 'boolean', 'null'",
        );
        refused(
            json!({"driver": "d", "z": 1}),
            "Additional properties are not allowed ('z' was unexpected)",
        );
        refused(
            json!({"driver": "d", "z": 1, "a": 2}),
            "Additional properties are not allowed ('a', 'z' were unexpected)",
        );
        refused(json!({"z": 1}), "'driver' is a required property");
        refused(
            json!({"driver": "d", "list": [{"op": "x"}]}),
            "'x' is not one of ['add', 'remove']",
        );
        refused(
            json!({"driver": "d", "list": [{"op": "add", "n": -1}]}),
            "-1 is less than the minimum of 0",
        );
        refused(
            json!({"driver": "d", "list": [5]}),
            "5 is not of type 'object'",
        );
        assert!(check("node", &json!({"driver": "d", "name": "äöü"}), &SAMPLE).is_ok());
    }

    #[test]
    fn the_mistake_nearest_to_the_surface_is_reported() {
        refused(json!({"name": 5}), "'driver' is a required property");
        refused(
            json!({"driver": "d", "list": [{"op": 1}], "name": 5}),
            "5 is not of type 'string', 'null'",
        );
    }

    #[test]
    fn without_a_name_the_first_mistake_is_reported() {
        let value = json!({"list": [{"op": "x"}], "name": 5});
        let said = check_unnamed(&value, &SAMPLE).unwrap_err().envelope();
        let text = "Schema error: 5 is not of type 'string', 'null'";
        assert!(said.contains(text), "{said}");
    }

    #[test]
    fn alternatives_name_a_possible_cause() {
        refused(
            json!({"driver": "d", "trait": "x"}),
            "'x' is not valid under any of the given schemas. Possible root cause: 'x' does not match '^CUSTOM_[A-Z]+$'",
        );
    }
}
