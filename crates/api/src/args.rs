//! Named arguments of an operation, wherever the client put them.
//!
//! Ironic merges the query, a form body and the top-level keys of a JSON body into one set of
//! names, and so do we. Each reader below gives the texts of Ironic for values it cannot
//! take; `null` always means "not given". Operations that take the body as a whole use
//! [`crate::body::Payload::parse`] instead.

use crate::{
    body::{ContentKind, Payload},
    error::{self, ApiError},
};
use serde_json::Value;
use std::{borrow::Cow, num::IntErrorKind, str::FromStr};
use types::{JsonMap, id::is_uuid_like, percent, port::MacAddress, pyrepr, words};

/// The names and values of one request.
#[derive(Debug, Default)]
pub struct Args(Vec<(String, Value)>);

/// A Python type, for messages that name one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PyType {
    None,
    List,
    Dict,
    Str,
}

impl PyType {
    fn class(self) -> &'static str {
        match self {
            Self::None => "<class 'NoneType'>",
            Self::List => "<class 'list'>",
            Self::Dict => "<class 'dict'>",
            Self::Str => "<class 'str'>",
        }
    }

    fn holds(self, value: &Value) -> bool {
        match self {
            Self::None => value.is_null(),
            Self::List => value.is_array(),
            Self::Dict => value.is_object(),
            Self::Str => value.is_string(),
        }
    }
}

/// No operation has nearly as many arguments. Names are looked up one by one, so that a request with
/// very many of them would keep a thread busy.
const MOST_NAMES: usize = 256;
/// How many values all of them may have in a query or a form, where a name can be repeated. Each
/// takes many times the memory of its text.
const MOST_VALUES: usize = 4096;

fn too_many() -> ApiError {
    ApiError::invalid(format!(
        "A request can have at most {MOST_NAMES} arguments, with {MOST_VALUES} values in all."
    ))
}

impl Args {
    /// The arguments of a query string.
    pub fn from_query(query: &str) -> Result<Self, ApiError> {
        let mut args = Self::default();
        args.add_pairs(query)?;
        Ok(args)
    }

    /// Adds what a body holds. A JSON list names no arguments, as in Ironic, which ignores
    /// anything else that is no object too; a client that sent such a value meant something.
    pub fn add_body(&mut self, kind: ContentKind, body: &Payload) -> Result<(), ApiError> {
        match kind {
            _ if body.is_empty() => Ok(()),
            ContentKind::Json => match body.parse(kind)? {
                Value::Null | Value::Array(_) => Ok(()),
                Value::Object(map) if map.len() > MOST_NAMES => Err(too_many()),
                Value::Object(map) => {
                    for (name, value) in map {
                        self.add(name, value);
                    }
                    Ok(())
                }
                mut other => {
                    if let Value::String(text) = &mut other {
                        // No more copies of a long text than needed.
                        text.truncate(error::start_of(text).len());
                    }
                    Err(ApiError::invalid(format!(
                        "The request body must be a JSON object, not {}",
                        pyrepr::repr(&other)
                    )))
                }
            },
            ContentKind::Form => match std::str::from_utf8(body.text()) {
                Ok(text) => self.add_pairs(text),
                Err(_) => Err(not_utf8()),
            },
            ContentKind::Other => Ok(()),
        }
    }

    /// Adds an argument that the path gives.
    pub fn add(&mut self, name: String, value: Value) {
        // A name given twice becomes a list.
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, Value::Array(items))) => items.push(value),
            Some((_, first)) => *first = Value::Array(vec![first.take(), value]),
            None => self.0.push((name, value)),
        }
    }

    /// Takes an argument out.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.swap_remove(at).1)
    }

    /// Forgets an argument that has been looked at.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    fn add_pairs(&mut self, text: &str) -> Result<(), ApiError> {
        let pairs = text.split(['&', ';']).filter(|pair| !pair.is_empty());
        for (at, pair) in pairs.enumerate() {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if self.0.len() >= MOST_NAMES || at >= MOST_VALUES {
                return Err(too_many());
            }
            let name = form_decode(name)?.into_owned();
            let value = Value::String(form_decode(value)?.into_owned());
            self.add(name, value);
        }
        Ok(())
    }

    /// Refuses names that the operation does not have.
    pub fn allow(&self, names: &[&str]) -> Result<(), ApiError> {
        #[cfg(test)]
        crate::testing::note_allowed(names);
        let unexpected: Vec<&str> = self
            .0
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !names.contains(name))
            .collect();
        if unexpected.is_empty() {
            Ok(())
        } else {
            Err(ApiError::unexpected_arguments(&unexpected))
        }
    }

    /// All names that were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Whether the name was given at all, be it as null.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// Refuses a request without this name.
    pub fn require(&self, name: &str) -> Result<(), ApiError> {
        if self.has(name) {
            Ok(())
        } else {
            Err(ApiError::missing_parameter(name))
        }
    }

    /// The value as it came; null counts as absent.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
            .filter(|value| !value.is_null())
    }

    pub fn string(&self, name: &str) -> Result<Option<&str>, ApiError> {
        self.value(name).map(|v| string(name, v)).transpose()
    }

    pub fn boolean(&self, name: &str) -> Result<Option<bool>, ApiError> {
        self.value(name).map(|v| boolean(name, v)).transpose()
    }

    pub fn integer(&self, name: &str) -> Result<Option<i64>, ApiError> {
        self.value(name).map(|v| integer(name, v)).transpose()
    }

    pub fn uuid(&self, name: &str) -> Result<Option<&str>, ApiError> {
        self.value(name).map(|v| uuid(name, v)).transpose()
    }

    pub fn name(&self, name: &str) -> Result<Option<&str>, ApiError> {
        self.value(name).map(|v| logical_name(name, v)).transpose()
    }

    pub fn uuid_or_name(&self, name: &str) -> Result<Option<&str>, ApiError> {
        self.value(name).map(|v| uuid_or_name(name, v)).transpose()
    }

    pub fn mac(&self, name: &str) -> Result<Option<MacAddress>, ApiError> {
        self.value(name).map(|v| mac(name, v)).transpose()
    }

    /// A comma-separated text in lower case without doubles; a name given several times instead is
    /// taken as it is.
    pub fn string_list(&self, name: &str) -> Result<Option<Vec<String>>, ApiError> {
        self.value(name).map(|v| string_list(name, v)).transpose()
    }

    /// A value of one of these types. `PyType::None` among them only serves the message.
    pub fn of_types(&self, name: &str, types: &[PyType]) -> Result<Option<&Value>, ApiError> {
        self.value(name)
            .map(|value| {
                if types.iter().any(|t| t.holds(value)) {
                    return Ok(value);
                }
                let classes: Vec<&str> = types.iter().map(|t| t.class()).collect();
                Err(expected("types", name, value, &classes.join(", ")))
            })
            .transpose()
    }
}

fn expected(what: &str, name: &str, value: &Value, detail: &str) -> ApiError {
    let value = pyrepr::to_str(value);
    if detail.is_empty() {
        ApiError::invalid(format!("Expected {what} for {name}: {value}"))
    } else {
        ApiError::invalid(format!("Expected {what} {detail} for {name}: {value}"))
    }
}

pub fn string<'v>(name: &str, value: &'v Value) -> Result<&'v str, ApiError> {
    value
        .as_str()
        .ok_or_else(|| expected("string", name, value, ""))
}

pub fn boolean(name: &str, value: &Value) -> Result<bool, ApiError> {
    words::boolean_value(value).ok_or_else(|| {
        ApiError::invalid(format!(
            "Invalid {name}: Unrecognized value '{}', {}",
            pyrepr::to_str(value),
            words::ACCEPTED
        ))
    })
}

pub fn integer(name: &str, value: &Value) -> Result<i64, ApiError> {
    let number = match value {
        Value::String(text) => saturating_integer(text.trim()),
        Value::Bool(value) => Some(i64::from(*value)),
        #[allow(
            clippy::cast_possible_truncation,
            reason = "Ironic cuts the fraction off as well, and the cast saturates"
        )]
        Value::Number(n) => n.as_i64().or_else(|| n.as_f64().map(|f| f as i64)),
        _ => None,
    };
    number.ok_or_else(|| expected("an integer", name, value, ""))
}

/// Ironic's integers have no end; here the largest stands for those beyond it.
fn saturating_integer(text: &str) -> Option<i64> {
    match text.parse::<i64>() {
        Ok(number) => Some(number),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => Some(i64::MAX),
            IntErrorKind::NegOverflow => Some(i64::MIN),
            _ => None,
        },
    }
}

pub fn uuid<'v>(name: &str, value: &'v Value) -> Result<&'v str, ApiError> {
    match value.as_str() {
        Some(text) if is_uuid_like(text) => Ok(text),
        _ => Err(expected("UUID", name, value, "")),
    }
}

/// The `uuid` of a body, or a fresh one.
pub fn new_id<T: FromStr>(body: &Value, fresh: fn() -> T) -> Result<T, ApiError> {
    let Some(given) = body.get("uuid").filter(|value| !value.is_null()) else {
        return Ok(fresh());
    };
    let text = uuid("uuid", given)?;
    text.parse()
        .map_err(|_| ApiError::invalid(format!("Expected UUID for uuid: {text}")))
}

/// The names and values of an object; what is none has none.
pub fn object(value: Value) -> JsonMap {
    match value {
        Value::Object(map) => map,
        _ => JsonMap::new(),
    }
}

fn logical_name<'v>(name: &str, value: &'v Value) -> Result<&'v str, ApiError> {
    match value.as_str() {
        Some(text) if is_logical_name(text) => Ok(text),
        _ => Err(expected("name", name, value, "")),
    }
}

pub fn uuid_or_name<'v>(name: &str, value: &'v Value) -> Result<&'v str, ApiError> {
    match value.as_str() {
        Some(text) if is_ident(text) => Ok(text),
        _ => Err(expected("UUID or name", name, value, "")),
    }
}

pub fn mac(name: &str, value: &Value) -> Result<MacAddress, ApiError> {
    value
        .as_str()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| expected("valid MAC address", name, value, ""))
}

pub fn string_list(name: &str, value: &Value) -> Result<Vec<String>, ApiError> {
    if let Value::Array(items) = value {
        return items
            .iter()
            .map(|item| string(name, item).map(str::to_owned))
            .collect();
    }
    let mut list: Vec<String> = Vec::new();
    for item in string(name, value)?.split(',') {
        let item = item.trim().to_lowercase();
        if !item.is_empty() && !list.contains(&item) {
            list.push(item);
        }
    }
    Ok(list)
}

/// Whether a text may stand in a path for a node or a port group.
pub fn is_ident(text: &str) -> bool {
    is_logical_name(text) || is_uuid_like(text)
}

/// Whether a text has the form of a name since 1.10: RFC 3986 unreserved characters.
pub fn is_logical_name(text: &str) -> bool {
    (1..=255).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
}

fn not_utf8() -> ApiError {
    ApiError::invalid("The request is not valid UTF-8.")
}

fn form_decode(text: &str) -> Result<Cow<'_, str>, ApiError> {
    if text.contains('+') {
        let spaced = text.replace('+', " ");
        return Ok(Cow::Owned(percent_decode(&spaced)?.into_owned()));
    }
    percent_decode(text)
}

/// Replaces `%41` by `A`. A percent sign that is no escape stays as it is.
pub fn percent_decode(text: &str) -> Result<Cow<'_, str>, ApiError> {
    percent::decode(text).map_err(|_| not_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn args(value: Value) -> Args {
        let mut args = Args::default();
        args.add_body(ContentKind::Json, &(&value.to_string()).into())
            .unwrap();
        args
    }

    #[track_caller]
    fn refused<T: std::fmt::Debug>(result: Result<T, ApiError>, text: &str) {
        match result {
            Err(ApiError::Service { text: found, .. }) => assert_eq!(found, text),
            other => panic!("expected {text}, got {other:?}"),
        }
    }

    #[test]
    fn integers_have_no_end() {
        let args = Args::from_query("a=99999999999999999999&b=-99999999999999999999&c=9x").unwrap();
        assert_eq!(args.integer("a").unwrap(), Some(i64::MAX));
        assert_eq!(args.integer("b").unwrap(), Some(i64::MIN));
        refused(args.integer("c"), "Expected an integer for c: 9x");
    }

    #[test]
    fn names_come_from_everywhere() {
        let mut args = Args::from_query("a=1&b=x%20y+z;c&d=1&d=2").unwrap();
        args.add_body(ContentKind::Json, &r#"{"e": 5, "a": 2, "n": null}"#.into())
            .unwrap();
        assert_eq!(args.value("a"), Some(&json!(["1", 2])));
        assert_eq!(args.string("b").unwrap(), Some("x y z"));
        assert_eq!(args.string("c").unwrap(), Some(""));
        assert_eq!(args.value("d"), Some(&json!(["1", "2"])));
        assert_eq!(args.integer("e").unwrap(), Some(5));
        assert!(args.has("n") && args.value("n").is_none());
        let mut form = Args::default();
        form.add_body(ContentKind::Form, &"target=power%20on".into())
            .unwrap();
        assert_eq!(form.string("target").unwrap(), Some("power on"));
        let mut other = Args::default();
        other
            .add_body(ContentKind::Other, &r#"{"a": 1}"#.into())
            .unwrap();
        assert!(!other.has("a"));
        for wrong in ["{broken", "5", "\"a\""] {
            let taken = other.add_body(ContentKind::Json, &wrong.into());
            assert!(taken.is_err(), "{wrong}");
        }
        for nothing in ["[1]", "null"] {
            let taken = other.add_body(ContentKind::Json, &nothing.into());
            assert!(taken.is_ok() && other.names().next().is_none(), "{nothing}");
        }
    }

    #[test]
    fn nobody_needs_thousands_of_names() {
        let many: Vec<String> = (0..=MOST_NAMES).map(|n| format!("n{n}=1")).collect();
        assert!(Args::from_query(&many.join("&")).is_err());
        assert!(Args::from_query(&many[1..].join("&")).is_ok());
        let map: types::JsonMap = (0..=MOST_NAMES)
            .map(|n| (n.to_string(), json!(1)))
            .collect();
        let body = Value::Object(map).to_string();
        let mut args = Args::default();
        assert!(args.add_body(ContentKind::Json, &(&body).into()).is_err());
        // Nor does one name need thousands of values.
        let most = "a&".repeat(MOST_VALUES);
        assert!(Args::from_query(&most).is_ok());
        let more = format!("{most}a");
        assert!(args.add_body(ContentKind::Form, &(&more).into()).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let a = args(json!({"s": 5, "b": "maybe", "e": "", "u": "abc", "l": [1], "z": "zz"}));
        refused(a.string("s"), "Expected string for s: 5");
        refused(
            a.boolean("b"),
            "Invalid b: Unrecognized value 'maybe', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'",
        );
        assert!(a.boolean("e").is_err());
        refused(a.uuid("u"), "Expected UUID for u: abc");
        refused(a.integer("u"), "Expected an integer for u: abc");
        refused(a.mac("z"), "Expected valid MAC address for z: zz");
        refused(a.string_list("l"), "Expected string for l: 1");
        refused(a.uuid_or_name("e"), "Expected UUID or name for e: ");
        refused(
            a.of_types("s", &[PyType::None, PyType::List]),
            "Expected types <class 'NoneType'>, <class 'list'> for s: 5",
        );
        refused(a.require("q"), "Missing mandatory parameter: q");
        refused(a.allow(&["s", "b", "e", "u"]), "Unexpected arguments: l, z");
    }

    #[test]
    fn spellings_that_are_fine() {
        let a = args(
            json!({"t": " YES ", "f": 0, "i": " 15", "m": "52:54:00:AA:BB:01",
            "l": "A, b,,B", "bool": true}),
        );
        assert_eq!(a.boolean("t").unwrap(), Some(true));
        assert_eq!(a.boolean("f").unwrap(), Some(false));
        assert_eq!(a.boolean("bool").unwrap(), Some(true));
        assert_eq!(a.boolean("absent").unwrap(), None);
        assert_eq!(a.integer("i").unwrap(), Some(15));
        assert_eq!(
            a.mac("m").unwrap().unwrap().to_string(),
            "52:54:00:aa:bb:01"
        );
        assert_eq!(a.string_list("l").unwrap().unwrap(), ["a", "b"]);
    }

    proptest! {
        #[test]
        fn no_query_panics(s in "\\PC*") {
            let _ = Args::from_query(&s);
        }

        #[test]
        fn an_encoded_text_reads_back(s in any::<String>()) {
            let encoded: String = s.bytes().map(|b| format!("%{b:02x}")).collect();
            prop_assert_eq!(percent_decode(&encoded).unwrap(), s);
        }
    }
}
