//! JSON Patch (RFC 6902) as far as the API has it: add, replace, remove.
//!
//! The texts of failures are those of the libraries behind Ironic. A patch is applied to a
//! document that holds only the attributes it speaks of, so that nobody has to turn a whole
//! resource into JSON and back.

use crate::{
    error::ApiError,
    schema::{self, Pattern, Schema, Type},
};
use serde_json::Value;
use std::borrow::Cow;
use types::{JsonMap, mask, pyrepr};

pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Array],
    items: Some(&OPERATION),
    ..Schema::ANY
};

const OPERATION: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "path",
            Schema {
                types: &[Type::String],
                pattern: Some(Pattern {
                    text: r"^(/[\w-]+)+$",
                    test: is_path,
                }),
                ..Schema::ANY
            },
        ),
        (
            "op",
            Schema {
                types: &[Type::String],
                options: &["add", "replace", "remove"],
                ..Schema::ANY
            },
        ),
        ("value", Schema::ANY),
    ],
    required: &["op", "path"],
    closed: true,
    ..Schema::ANY
};

/// How many elements of lists and objects one patch may move by adding and removing others.
const MOST_MOVED: usize = 4_000_000;

/// How deep a patch may nest what it writes, the attribute included. A body has a limit of its own,
/// but several patches can build upon each other; what is nested deeper than a parser follows
/// (128 with serde_json) could not be read from the database again.
const DEEPEST: usize = 64;

/// How many bytes the attributes that a patch touches may grow to. Each request is small, but a
/// thousand of them would make a resource that takes gigabytes whenever somebody reads it.
const LARGEST: usize = 8 << 20;
/// What a value takes besides its text.
const VALUE: usize = 32;

fn is_path(text: &str) -> bool {
    text.strip_prefix('/').is_some_and(|rest| {
        rest.split('/').all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        })
    })
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    Add,
    Replace,
    Remove,
}

/// One operation.
#[derive(Debug, Clone)]
pub struct Op {
    pub verb: Verb,
    pub path: String,
    pub value: Option<Value>,
    /// As the client wrote it, for messages.
    given: Value,
}

impl Op {
    /// The attribute of the resource that it touches.
    pub fn root(&self) -> &str {
        self.path.split('/').nth(1).unwrap_or_default()
    }
}

/// A list of operations that has the right form.
#[derive(Debug, Clone)]
pub struct Patch(pub Vec<Op>);

impl Patch {
    /// Reads a body.
    pub fn parse(body: &Value) -> Result<Self, ApiError> {
        schema::check("patch", body, &SCHEMA)?;
        Ok(Self::of_checked(body))
    }

    /// Takes a body whose form somebody has judged already.
    pub fn of_checked(body: &Value) -> Self {
        let items = body.as_array().map(Vec::as_slice).unwrap_or_default();
        let ops = items.iter().map(|given| {
            let text = |key: &str| given.get(key).and_then(Value::as_str).unwrap_or_default();
            Op {
                verb: match text("op") {
                    "add" => Verb::Add,
                    "replace" => Verb::Replace,
                    _ => Verb::Remove,
                },
                path: text("path").to_owned(),
                value: given.get("value").cloned(),
                given: given.clone(),
            }
        });
        Self(ops.collect())
    }

    /// Refuses operations on attributes that are not in `roots`.
    pub fn allow(&self, roots: &[&str]) -> Result<(), ApiError> {
        match self.0.iter().find(|op| !roots.contains(&op.root())) {
            None => Ok(()),
            Some(op) => Err(ApiError::invalid(format!(
                "Cannot patch {}. Only the following can be updated: {}",
                op.path,
                roots.join(", ")
            ))),
        }
    }

    /// Values that are added or replaced at exactly this path, in order.
    pub fn values<'p>(&'p self, path: &str) -> impl Iterator<Item = &'p Value> {
        self.0
            .iter()
            .filter(move |op| op.path == path && op.verb != Verb::Remove)
            .filter_map(|op| op.value.as_ref())
    }

    /// Whether something at or below this path is removed.
    pub fn removes(&self, path: &str) -> bool {
        self.0.iter().any(|op| {
            op.verb == Verb::Remove
                && op
                    .path
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The attributes that operations touch, each once.
    pub fn roots(&self) -> Vec<&str> {
        let mut roots: Vec<&str> = Vec::new();
        for op in &self.0 {
            if !roots.contains(&op.root()) {
                roots.push(op.root());
            }
        }
        roots
    }

    /// Whether an operation touches this attribute.
    pub fn touches(&self, root: &str) -> bool {
        self.0.iter().any(|op| op.root() == root)
    }

    /// Applies the operations one after the other. The document holds every attribute that they
    /// touch.
    pub fn apply(&self, document: JsonMap) -> Result<JsonMap, ApiError> {
        for op in &self.0 {
            let is_root = op.path.matches('/').count() == 1;
            if op.verb == Verb::Add && is_root && !document.contains_key(op.root()) {
                return Err(ApiError::invalid(format!(
                    "Adding a new attribute ({}) to the root of the resource is not allowed",
                    op.path
                )));
            }
        }
        let mut document = Value::Object(document);
        let before = weight(&document);
        let mut moved = 0;
        for op in &self.0 {
            apply_one(&mut document, op, &mut moved).map_err(|reason| {
                ApiError::invalid(format!(
                    "Couldn't apply patch '{}'. Reason: {reason}",
                    pyrepr::repr(&op.given)
                ))
            })?;
        }
        let after = weight(&document);
        // What is too large already may become smaller.
        if after > LARGEST && after > before {
            return Err(ApiError::invalid(format!(
                "Couldn't apply patch. Reason: {} would have more than {} MiB",
                self.roots().join(", "),
                LARGEST >> 20
            )));
        }
        match document {
            Value::Object(map) => Ok(map),
            other => Err(ApiError::internal(format!(
                "a patch left {other} where an object was"
            ))),
        }
    }
}

fn apply_one(document: &mut Value, op: &Op, moved: &mut usize) -> Result<(), String> {
    let parts: Result<Vec<_>, _> = op.path.split('/').skip(1).map(unescape).collect();
    let mut parts = parts?;
    let value = match op.verb {
        Verb::Remove => Value::Null,
        _ => op
            .value
            .clone()
            .ok_or("The operation does not contain a 'value' member")?,
    };
    if parts.len() + depth(&value) > DEEPEST {
        return Err(format!(
            "it would nest values more than {DEEPEST} levels deep"
        ));
    }
    let last = parts.pop().unwrap_or_default();
    let mut at = document;
    for part in &parts {
        at = walk(at, part)?;
    }
    match at {
        Value::Object(map) => {
            if op.verb == Verb::Remove {
                note_moved(moved, map.len())?;
            }
            apply_to_map(map, op.verb, &last, value)
        }
        Value::Array(items) => {
            if op.verb != Verb::Replace && last != "-" {
                note_moved(moved, items.len())?;
            }
            apply_to_list(items, op.verb, &last, value)
        }
        other => Err(not_a_container(other, &last)),
    }
}

/// How many lists and objects a value is made of, one within the other.
fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(map) => map.values().map(depth).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or(0)
}

/// About how many bytes a value takes.
fn weight(value: &Value) -> usize {
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| key.len() + weight(value))
            .sum(),
        _ => 0,
    };
    VALUE + inner
}

/// Counts what has to make room for an element or close up behind one. Thousands of operations on a
/// list of a hundred thousand elements would keep a thread busy for minutes.
fn note_moved(moved: &mut usize, elements: usize) -> Result<(), String> {
    *moved += elements;
    match *moved > MOST_MOVED {
        true => Err(format!(
            "the operations before it have moved {MOST_MOVED} elements of lists and objects, which is as much as one request may; replace the list or object as a whole"
        )),
        false => Ok(()),
    }
}

/// A part of a path with `~1` and `~0` (RFC 6901) as the slash and the tilde that they stand for.
/// Most resources refuse a tilde by the form of the path; allocations do not.
fn unescape(part: &str) -> Result<Cow<'_, str>, String> {
    if !part.contains('~') {
        return Ok(Cow::Borrowed(part));
    }
    let mut plain = String::with_capacity(part.len());
    let mut letters = part.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '~' => match letters.next() {
                Some('0') => plain.push('~'),
                Some('1') => plain.push('/'),
                Some(other) => return Err(format!("Found invalid escape ~{other}")),
                None => return Err("Found invalid escape ~".to_owned()),
            },
            other => plain.push(other),
        }
    }
    Ok(Cow::Owned(plain))
}

fn apply_to_map(map: &mut JsonMap, verb: Verb, key: &str, value: Value) -> Result<(), String> {
    if verb != Verb::Add && !map.contains_key(key) {
        let what = if verb == Verb::Replace {
            "replace"
        } else {
            "remove"
        };
        return Err(format!("can't {what} a non-existent object '{key}'"));
    }
    if verb == Verb::Remove {
        map.shift_remove(key);
    } else {
        map.insert(key.to_owned(), value);
    }
    Ok(())
}

fn apply_to_list(
    items: &mut Vec<Value>,
    verb: Verb,
    part: &str,
    value: Value,
) -> Result<(), String> {
    if part == "-" {
        return match verb {
            Verb::Add => {
                items.push(value);
                Ok(())
            }
            Verb::Replace => {
                Err("'path' with '-' can't be applied to 'replace' operation".to_owned())
            }
            Verb::Remove => Err("invalid array index '-'".to_owned()),
        };
    }
    let at = index(part)?;
    match verb {
        Verb::Add if at <= items.len() => items.insert(at, value),
        Verb::Add => return Err("can't insert outside of list".to_owned()),
        Verb::Replace => match items.get_mut(at) {
            Some(item) => *item = value,
            None => return Err("can't replace outside of list".to_owned()),
        },
        Verb::Remove if at < items.len() => {
            items.remove(at);
        }
        Verb::Remove => return Err(format!("can't remove a non-existent object '{at}'")),
    }
    Ok(())
}

fn walk<'v>(value: &'v mut Value, part: &str) -> Result<&'v mut Value, String> {
    match value {
        Value::Object(map) => {
            if !map.contains_key(part) {
                // What stands here may hold secrets, sealed or not, and may be an `instance_info`.
                let shown = pyrepr::repr(&Value::Object(mask::masked_instance_info(map)));
                return Err(format!("member '{part}' not found in {shown}"));
            }
            Ok(&mut map[part])
        }
        Value::Array(items) => {
            let at = index(part)?;
            items
                .get_mut(at)
                .ok_or_else(|| format!("index '{at}' is out of bounds"))
        }
        other => Err(not_a_container(other, part)),
    }
}

/// An array index: digits without a leading zero.
fn index(part: &str) -> Result<usize, String> {
    let canonical =
        part == "0" || (!part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit()));
    part.parse()
        .ok()
        .filter(|_| canonical)
        .ok_or_else(|| format!("'{part}' is not a valid sequence index"))
}

fn not_a_container(value: &Value, part: &str) -> String {
    let class = match value {
        Value::String(_) => {
            return format!("Cannot apply token '{part}' to non-container type <class 'str'>");
        }
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(n) if n.is_f64() => "float",
        Value::Number(_) => "int",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    };
    format!(
        "Document '<class '{class}'>' does not support indexing, must be mapping/sequence or support __getitem__"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn apply(document: Value, patch: Value) -> Result<Value, String> {
        let Value::Object(map) = document else {
            unreachable!()
        };
        Patch::parse(&patch)
            .and_then(|patch| patch.apply(map))
            .map(Value::Object)
            .map_err(|error| match error {
                ApiError::Service { text, .. } => text,
                other => panic!("{other:?}"),
            })
    }

    #[test]
    fn operations_change_what_they_name() {
        let changed = apply(
            json!({"extra": {"a": 1, "l": [1, 2], "d": {}}, "name": "n"}),
            json!([
                {"op": "add", "path": "/extra/b", "value": {"c": 2}},
                {"op": "replace", "path": "/extra/b/c", "value": 3},
                {"op": "add", "path": "/extra/a", "value": null},
                {"op": "add", "path": "/extra/l/-", "value": 9},
                {"op": "add", "path": "/extra/l/0", "value": 0},
                {"op": "replace", "path": "/extra/l/1", "value": "x"},
                {"op": "remove", "path": "/extra/l/2"},
                {"op": "remove", "path": "/extra/d"},
                {"op": "remove", "path": "/name"},
            ]),
        );
        assert_eq!(
            changed.unwrap(),
            json!({"extra": {"a": null, "l": [0, "x", 9], "b": {"c": 3}}})
        );
    }

    #[test]
    fn a_patch_does_not_move_large_lists_over_and_over() {
        let long: Vec<u32> = (0..100_000).collect();
        let members: JsonMap = (0..100_000).map(|n| (n.to_string(), n.into())).collect();
        let document = json!({"extra": {"l": long, "m": members}});
        for ops in [
            vec![json!({"op": "add", "path": "/extra/l/0", "value": 1}); 5000],
            vec![json!({"op": "remove", "path": "/extra/l/0"}); 5000],
            (0..5000)
                .map(|n| json!({"op": "remove", "path": format!("/extra/m/{n}")}))
                .collect(),
        ] {
            let refused = apply(document.clone(), ops.into()).unwrap_err();
            assert!(refused.contains("as much as one request may"), "{refused}");
        }
        // What moves nothing costs nothing.
        let ops = vec![json!({"op": "add", "path": "/extra/l/-", "value": 1}); 5000];
        let changed = apply(document.clone(), ops.into()).unwrap();
        assert_eq!(changed["extra"]["l"].as_array().unwrap().len(), 105_000);
        let ops = vec![json!({"op": "replace", "path": "/extra/l/7", "value": 1}); 5000];
        apply(document, ops.into()).unwrap();
    }

    #[test]
    fn patches_that_build_upon_each_other_do_not_nest_without_end() {
        let nested = (0..20).fold(json!(1), |inner, _| json!({"a": inner}));
        let mut document = json!({"extra": {"a": 1}});
        let mut path = "/extra/a".to_owned();
        let refused = loop {
            let op = json!({"op": "add", "path": path, "value": nested});
            match apply(document.clone(), json!([op])) {
                Ok(changed) => document = changed,
                Err(refused) => break refused,
            }
            assert!(path.len() < 1000, "nothing is refused");
            path.push_str(&"/a".repeat(20));
        };
        assert!(refused.contains("more than 64 levels"), "{refused}");
        assert_eq!(depth(&document), 62);
        let text = document.to_string();
        assert!(serde_json::from_str::<Value>(&text).is_ok());
        // Lists count as well.
        let items = (0..63).fold(json!(1), |inner, _| json!([inner]));
        let op = json!({"op": "add", "path": "/extra/a", "value": items});
        assert!(apply(document, json!([op])).is_err());
    }

    #[test]
    fn patches_that_follow_each_other_do_not_make_a_resource_of_any_size() {
        for value in [json!("x".repeat(1 << 20)), json!(vec![0; 1 << 15])] {
            let mut document = json!({"extra": {"a": 1}});
            let mut written = 0;
            let refused = loop {
                let path = format!("/extra/k{written}");
                let op = json!({"op": "add", "path": path, "value": value});
                match apply(document.clone(), json!([op])) {
                    Ok(changed) => document = changed,
                    Err(refused) => break refused,
                }
                written += 1;
                assert!(written < 9, "nothing is refused");
            };
            assert_eq!(written, 7);
            assert!(
                refused.ends_with("extra would have more than 8 MiB"),
                "{refused}"
            );
            // What has become too large in another way can be made smaller.
            document["extra"]["x"] = json!("y".repeat(8 << 20));
            apply(document, json!([{"op": "remove", "path": "/extra/k0"}])).unwrap();
        }
    }

    #[test]
    fn attributes_are_named_once() {
        let ops = json!([
            {"op": "add", "path": "/extra/a", "value": 1}, {"op": "remove", "path": "/name"},
            {"op": "add", "path": "/extra/b", "value": 1},
        ]);
        assert_eq!(Patch::parse(&ops).unwrap().roots(), ["extra", "name"]);
    }

    #[test]
    fn the_form_is_checked_first() {
        let refused = |patch: Value, text: &str| {
            assert_eq!(
                apply(json!({"extra": {}}), patch).unwrap_err(),
                format!("Schema error for patch: {text}")
            );
        };
        refused(json!({}), "{} is not of type 'array'");
        refused(json!([5]), "5 is not of type 'object'");
        refused(
            json!([{"op": "test", "path": "/extra/a", "value": 1}]),
            "'test' is not one of ['add', 'replace', 'remove']",
        );
        refused(json!([{"path": "/extra/a"}]), "'op' is a required property");
        refused(
            json!([{"op": "add", "path": "/extra/a~1b", "value": 1}]),
            r"'/extra/a~1b' does not match '^(/[\\w-]+)+$'",
        );
        refused(
            json!([{"op": "move", "path": "/extra/a", "from": "/extra/b"}]),
            "Additional properties are not allowed ('from' was unexpected)",
        );
    }

    #[test]
    fn what_cannot_be_applied_is_explained() {
        let refused = |op: Value, reason: &str| {
            let document =
                json!({"extra": {"l": [1], "x_password": "p"}, "name": "n", "owner": null});
            let text = format!(
                "Couldn't apply patch '{}'. Reason: {reason}",
                pyrepr::repr(&op)
            );
            assert_eq!(apply(document, json!([op])).unwrap_err(), text);
        };
        refused(
            json!({"op": "replace", "path": "/extra/no", "value": 1}),
            "can't replace a non-existent object 'no'",
        );
        refused(
            json!({"op": "remove", "path": "/extra/no"}),
            "can't remove a non-existent object 'no'",
        );
        refused(
            json!({"op": "add", "path": "/extra/a"}),
            "The operation does not contain a 'value' member",
        );
        refused(
            json!({"op": "add", "path": "/name/x", "value": "y"}),
            "Cannot apply token 'x' to non-container type <class 'str'>",
        );
        refused(
            json!({"op": "add", "path": "/owner/x", "value": "y"}),
            "Document '<class 'NoneType'>' does not support indexing, must be mapping/sequence or support __getitem__",
        );
        refused(
            json!({"op": "add", "path": "/extra/a/b", "value": 1}),
            "member 'a' not found in {'l': [1], 'x_password': '******'}",
        );
        refused(
            json!({"op": "add", "path": "/extra/l/5", "value": 1}),
            "can't insert outside of list",
        );
        refused(
            json!({"op": "add", "path": "/extra/l/x", "value": 1}),
            "'x' is not a valid sequence index",
        );
        refused(
            json!({"op": "remove", "path": "/extra/l/7"}),
            "can't remove a non-existent object '7'",
        );
        refused(
            json!({"op": "replace", "path": "/extra/l/-", "value": 1}),
            "'path' with '-' can't be applied to 'replace' operation",
        );
    }

    #[test]
    fn roots_are_limited() {
        let patch = Patch::parse(&json!([
            {"op": "add", "path": "/extra/a", "value": 1},
            {"op": "remove", "path": "/uuid"},
        ]))
        .unwrap();
        let Err(ApiError::Service { text, .. }) = patch.allow(&["extra", "name"]) else {
            panic!("allowed")
        };
        assert_eq!(
            text,
            "Cannot patch /uuid. Only the following can be updated: extra, name"
        );
        assert!(patch.removes("/uuid") && !patch.removes("/uu") && !patch.removes("/extra"));
        assert!(patch.touches("extra"));
        assert_eq!(patch.values("/extra/a").count(), 1);
    }

    #[test]
    fn tildes_stand_for_slashes_and_tildes() {
        let apply = |path: &str| {
            let patch = Patch::of_checked(&json!([{"op": "add", "path": path, "value": 1}]));
            let document = json!({"extra": {}});
            patch.apply(document.as_object().unwrap().clone())
        };
        let changed = apply("/extra/a~1b~01").unwrap();
        assert_eq!(Value::Object(changed), json!({"extra": {"a/b~1": 1}}));
        for (path, escape) in [("/extra/a~2b", "~2"), ("/extra/a~", "~")] {
            let Err(ApiError::Service { text, .. }) = apply(path) else {
                panic!("{path} was applied")
            };
            let reason = format!("Reason: Found invalid escape {escape}");
            assert!(text.ends_with(&reason), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_patch_panics(path in "(/[a-z0-9-]{1,3}){1,4}", verb in 0usize..3) {
            let verb = ["add", "replace", "remove"][verb];
            let op = json!({"op": verb, "path": path, "value": [1]});
            let _ = apply(json!({"a": {"a": [1, {"a": null}], "0": "x"}, "0": [[]]}), json!([op]));
        }
    }
}
