//! Names of traits, one by one or as a list.

use crate::schema::{self, Pattern, Schema, Type};
use serde_json::Value;
use types::traits;

/// A name that a trait may have.
pub(crate) const NAME: Schema = Schema {
    types: &[Type::String],
    min_length: 1,
    max_length: 255,
    any_of: &[
        Schema {
            pattern: Some(Pattern {
                text: traits::CUSTOM_PATTERN,
                test: traits::is_custom,
            }),
            ..Schema::ANY
        },
        // Ironic lists all standard names here; the message never quotes them.
        Schema {
            pattern: Some(Pattern {
                text: "a standard trait",
                test: traits::is_standard,
            }),
            ..Schema::ANY
        },
    ],
    ..Schema::ANY
};

pub(crate) const BODY: Schema = Schema {
    types: &[Type::Object],
    properties: &[(
        "traits",
        Schema {
            types: &[Type::Array],
            items: Some(&NAME),
            ..Schema::ANY
        },
    )],
    closed: true,
    ..Schema::ANY
};

/// Judges one name that came as the argument `argument`.
pub(crate) fn check_name(argument: &str, name: &str) -> Result<(), String> {
    check(argument, &Value::from(name), &NAME)
}

/// The names in a body, if it has a list of them. An absent body is fine too.
pub(crate) fn read_body(body: &Value) -> Result<Option<Vec<String>>, String> {
    if body.is_null() {
        return Ok(None);
    }
    check("body", body, &BODY)?;
    let list = body.get("traits").and_then(Value::as_array);
    Ok(list.map(|names| {
        let texts = names.iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }))
}

fn check(argument: &str, value: &Value, schema: &Schema) -> Result<(), String> {
    match schema::violation(value, schema) {
        None => Ok(()),
        Some(found) => Err(format!("Schema error for {argument}: {}", found.explain())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn custom_and_standard_names_are_fine() {
        assert_eq!(check_name("trait", "CUSTOM_GOLD"), Ok(()));
        assert_eq!(
            read_body(&json!({"traits": ["HW_CPU_X86_VMX", "CUSTOM_A"]})),
            Ok(Some(vec!["HW_CPU_X86_VMX".into(), "CUSTOM_A".into()]))
        );
        assert_eq!(read_body(&json!({})), Ok(None));
    }

    // The expectations are answers of Ironic.
    #[test]
    fn what_is_wrong_is_said() {
        let not = |name: &str| {
            format!(
                "'{name}' is not valid under any of the given schemas. Possible root cause: '{name}' does not match '^CUSTOM_[A-Z0-9_]+$'"
            )
        };
        assert_eq!(
            check_name("trait", "custom_a"),
            Err(format!("Schema error for trait: {}", not("custom_a")))
        );
        let check = |body: Value, text: &str| {
            assert_eq!(
                read_body(&body),
                Err(format!("Schema error for body: {text}"))
            );
        };
        check(json!({"traits": ["HW_NOPE"]}), &not("HW_NOPE"));
        check(json!({"traits": null}), "None is not of type 'array'");
        check(json!({"traits": [5]}), "5 is not of type 'string'");
        check(json!({"traits": [""]}), "'' should be non-empty");
        let long = format!("CUSTOM_{}", "A".repeat(249));
        check(json!({"traits": [long]}), &format!("'{long}' is too long"));
        check(
            json!({"traits": [], "foo": 1}),
            "Additional properties are not allowed ('foo' was unexpected)",
        );
    }
}
