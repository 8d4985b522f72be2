//! A JSON schema from an operator's file, made into the shape that requests are checked against.
//!
//! It takes the keywords that [`Schema`] knows, references within the file, and what only describes.
//! Everything else is refused when the service starts: a rule that is not applied is worse than none.

use super::{Schema, Type};
use regex::Regex;
use serde_json::Value;
use thiserror::Error;
use types::JsonMap;

/// Why a schema cannot be used.
#[derive(Debug, Error)]
pub enum SchemaFileError {
    #[error("it is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{place}: {what}")]
    Content { place: String, what: String },
}

/// Keywords that describe and do not restrict; without a format checker, `format` is one of them.
const DESCRIBING: &[&str] = &[
    "$schema",
    "$id",
    "id",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "definitions",
    "$defs",
    "format",
];

/// References that lead on and on are one that leads back to itself.
const MOST_NESTED: usize = 64;

/// Reads a schema. Called once, when the service starts: what it makes is never given back.
pub fn read(text: &str) -> Result<Schema, SchemaFileError> {
    let root: Value = serde_json::from_str(text)?;
    let reader = Reader { root: &root };
    reader.schema(&root, "#", 0)
}

struct Reader<'a> {
    root: &'a Value,
}

impl Reader<'_> {
    fn schema(&self, value: &Value, place: &str, depth: usize) -> Result<Schema, SchemaFileError> {
        if depth > MOST_NESTED {
            return Err(wrong(place, "it is nested too deeply, or refers to itself"));
        }
        let map = match value {
            Value::Bool(true) => return Ok(Schema::ANY),
            Value::Object(map) => map,
            _ => return Err(wrong(place, "a schema must be an object")),
        };
        // Beside a reference nothing counts.
        if let Some(target) = map.get("$ref") {
            let (target, inner) = self.target(target, place)?;
            return self.schema(inner, target, depth + 1);
        }
        let mut schema = Schema::ANY;
        for (keyword, value) in map {
            let place = format!("{place}/{keyword}");
            let inner = |value: &Value, name: &str| {
                self.schema(value, &format!("{place}/{name}"), depth + 1)
            };
            let alternatives = |value: &Value| -> Result<&'static [Schema], SchemaFileError> {
                let list = list(value, &place)?.iter().enumerate();
                let read = list.map(|(index, one)| inner(one, &index.to_string()));
                Ok(read.collect::<Result<Vec<_>, _>>()?.leak())
            };
            match keyword.as_str() {
                "type" => schema.types = types(value, &place)?,
                "enum" => schema.options = texts(value, &place)?,
                "required" => schema.required = texts(value, &place)?,
                "properties" => {
                    let read = object(value, &place)?.iter().map(|(name, one)| {
                        let name: &'static str = name.clone().leak();
                        Ok((name, inner(one, name)?))
                    });
                    schema.properties = read.collect::<Result<Vec<_>, SchemaFileError>>()?.leak();
                }
                "additionalProperties" => match value {
                    Value::Bool(open) => schema.closed = !open,
                    _ => return Err(wrong(&place, "only true and false are supported")),
                },
                "items" => schema.items = Some(Box::leak(Box::new(inner(value, "")?))),
                "anyOf" => schema.any_of = alternatives(value)?,
                "oneOf" => schema.one_of = alternatives(value)?,
                "pattern" => schema.regex = Some(regex(value, &place)?),
                "minLength" => schema.min_length = size(value, &place)?,
                "maxLength" => schema.max_length = size(value, &place)?,
                "minItems" => schema.min_items = size(value, &place)?,
                "minimum" => schema.minimum = Some(whole(value, &place)?),
                "maximum" => schema.maximum = Some(whole(value, &place)?),
                described if DESCRIBING.contains(&described) => {}
                _ => return Err(wrong(&place, "this keyword is not supported")),
            }
        }
        Ok(schema)
    }

    /// What a reference within the file leads to.
    fn target<'b>(
        &'b self,
        reference: &'b Value,
        place: &str,
    ) -> Result<(&'b str, &'b Value), SchemaFileError> {
        let text = reference.as_str().unwrap_or_default();
        let found = text.strip_prefix('#').and_then(|at| self.root.pointer(at));
        let found = found.ok_or_else(|| {
            wrong(
                place,
                &format!("{reference} is not found; only references within the file are supported"),
            )
        })?;
        Ok((text, found))
    }
}

fn wrong(place: &str, what: &str) -> SchemaFileError {
    SchemaFileError::Content {
        place: place.to_owned(),
        what: what.to_owned(),
    }
}

fn object<'a>(value: &'a Value, place: &str) -> Result<&'a JsonMap, SchemaFileError> {
    value
        .as_object()
        .ok_or_else(|| wrong(place, "it must be an object"))
}

fn list<'a>(value: &'a Value, place: &str) -> Result<&'a [Value], SchemaFileError> {
    match value.as_array() {
        Some(list) if !list.is_empty() => Ok(list),
        _ => Err(wrong(place, "it must be a list with something in it")),
    }
}

fn texts(value: &Value, place: &str) -> Result<&'static [&'static str], SchemaFileError> {
    let texts = list(value, place)?.iter().map(|one| match one {
        Value::String(text) => Ok(&*text.clone().leak()),
        _ => Err(wrong(place, "only texts are supported in it")),
    });
    Ok(texts.collect::<Result<Vec<_>, _>>()?.leak())
}

fn types(value: &Value, place: &str) -> Result<&'static [Type], SchemaFileError> {
    const ALL: [Type; 7] = [
        Type::Array,
        Type::Boolean,
        Type::Integer,
        Type::Null,
        Type::Number,
        Type::Object,
        Type::String,
    ];
    let one = |value: &Value| {
        let found = ALL.into_iter().find(|one| value == one.name());
        found.ok_or_else(|| wrong(place, &format!("{value} is no type")))
    };
    let types = match value {
        Value::Array(list) => list.iter().map(one).collect::<Result<Vec<_>, _>>()?,
        name => vec![one(name)?],
    };
    Ok(types.leak())
}

fn regex(value: &Value, place: &str) -> Result<&'static Regex, SchemaFileError> {
    let text = value
        .as_str()
        .ok_or_else(|| wrong(place, "it must be a text"))?;
    let regex = Regex::new(text)
        .map_err(|error| wrong(place, &format!("it is no regular expression: {error}")))?;
    Ok(Box::leak(Box::new(regex)))
}

fn size(value: &Value, place: &str) -> Result<usize, SchemaFileError> {
    let size = value.as_u64().and_then(|size| usize::try_from(size).ok());
    size.ok_or_else(|| wrong(place, "it must be a number of things"))
}

fn whole(value: &Value, place: &str) -> Result<i64, SchemaFileError> {
    value
        .as_i64()
        .ok_or_else(|| wrong(place, "only whole numbers are supported"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::violation;
    use serde_json::json;

    fn said(schema: &Schema, value: &Value) -> Option<String> {
        violation(value, schema).map(|found| found.message)
    }

    #[test]
    fn what_a_file_asks_for_is_asked_for() {
        let schema = read(
            r##"{
                "$schema": "http://json-schema.org/draft-07/schema#", "title": "ours",
                "type": "object", "required": ["links"], "additionalProperties": false,
                "properties": {
                    "links": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/link"}},
                    "mtu": {"type": ["integer", "null"], "minimum": 68, "maximum": 9000},
                    "name": {"type": "string", "minLength": 2, "maxLength": 3},
                    "rate": {"anyOf": [{"type": "null"}, {"$ref": "#/definitions/rate"}]}
                },
                "definitions": {
                    "link": {"type": "object", "properties": {"id": {"pattern": "^eth[0-9]+$"}}},
                    "rate": {"type": "string", "enum": ["1G", "10G"]}
                }
            }"##,
        )
        .unwrap();
        for (value, expected) in [
            (
                json!({"links": [{"id": "eth0"}], "mtu": 1500, "name": "ab", "rate": "10G"}),
                None,
            ),
            (json!({"links": [{}], "rate": null, "mtu": null}), None),
            (json!([]), Some("[] is not of type 'object'")),
            (json!({}), Some("'links' is a required property")),
            (json!({"links": []}), Some("[] should be non-empty")),
            (
                json!({"links": [{"id": "wlan0"}]}),
                Some("'wlan0' does not match '^eth[0-9]+$'"),
            ),
            (
                json!({"links": [{}], "mtu": 1}),
                Some("1 is less than the minimum of 68"),
            ),
            (
                json!({"links": [{}], "mtu": 9001}),
                Some("9001 is greater than the maximum of 9000"),
            ),
            (
                json!({"links": [{}], "name": "abcd"}),
                Some("'abcd' is too long"),
            ),
            (
                json!({"links": [{}], "more": 1}),
                Some("Additional properties are not allowed ('more' was unexpected)"),
            ),
            (
                json!({"links": [{}], "rate": "2G"}),
                Some("'2G' is not one of ['1G', '10G']"),
            ),
        ] {
            assert_eq!(said(&schema, &value).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn what_would_not_be_applied_is_refused() {
        for (text, expected) in [
            ("{", "it is not JSON"),
            ("[]", "#: a schema must be an object"),
            (
                r#"{"properties": {"a": {"not": {}}}}"#,
                "#/properties/a/not: this keyword",
            ),
            (
                r#"{"additionalProperties": {}}"#,
                "#/additionalProperties: only true and false",
            ),
            (r#"{"enum": [1]}"#, "#/enum: only texts"),
            (r#"{"minimum": 1.5}"#, "#/minimum: only whole numbers"),
            (r#"{"type": "text"}"#, "#/type: \"text\" is no type"),
            (
                r#"{"pattern": "("}"#,
                "#/pattern: it is no regular expression",
            ),
            (
                r#"{"$ref": "other.json"}"#,
                "#: \"other.json\" is not found",
            ),
            (
                r##"{"$ref": "#/nothing"}"##,
                "#: \"#/nothing\" is not found",
            ),
            (
                r##"{"items": {"$ref": "#"}}"##,
                "it is nested too deeply, or refers to itself",
            ),
        ] {
            let refused = read(text).unwrap_err().to_string();
            assert!(refused.contains(expected), "{text}: {refused}");
        }
    }
}
