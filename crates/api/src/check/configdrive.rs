//! Config drives: what may be sent along with a deployment.
//!
//! Either the finished drive as a text (base64, or an address to fetch it from), or an object to
//! build one from. Whether the content makes sense is for whoever boots from it.

use super::{
    report::report,
    target::{Meaning, Target},
};
use crate::schema::{Schema, Type};
use serde_json::{Value, json};
use std::sync::LazyLock;
use types::{ApiVersion, version::since};

const SCHEMA: Schema = Schema {
    any_of: &[
        Schema {
            types: &[Type::Object],
            properties: &[
                ("meta_data", Schema::of(&[Type::Object])),
                ("network_data", Schema::of(&[Type::Object])),
                (
                    "user_data",
                    Schema::of(&[Type::Object, Type::Array, Type::String, Type::Null]),
                ),
                ("vendor_data", Schema::of(&[Type::Object])),
            ],
            closed: true,
            ..Schema::ANY
        },
        Schema::of(&[Type::String, Type::Null]),
    ],
    ..Schema::ANY
};

/// The same as clients see it in a report.
static PRINTED: LazyLock<Value> = LazyLock::new(|| {
    json!({"anyOf": [
        {
            "type": "object",
            "properties": {
                "meta_data": {"type": "object"},
                "network_data": {"type": "object"},
                "user_data": {"type": ["object", "array", "string", "null"]},
                "vendor_data": {"type": "object"},
            },
            "additionalProperties": false,
        },
        {"type": ["string", "null"]},
    ]})
});

/// Whether there is a drive at all: empty values say that there is none.
pub(crate) fn is_given(drive: &Value) -> bool {
    match drive {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => true,
    }
}

/// Judges a drive that comes with the verb `target`.
pub(crate) fn check(
    drive: Option<&Value>,
    target: Meaning,
    version: ApiVersion,
) -> Result<(), String> {
    let Some(drive) = drive.filter(|drive| is_given(drive)) else {
        return Ok(());
    };
    let targets: &[Target] = if version >= since::REBUILD_CONFIGDRIVE {
        &[Target::Active, Target::Rebuild]
    } else {
        &[Target::Active]
    };
    if !targets
        .iter()
        .any(|taken| target == Meaning::Target(*taken))
    {
        let names: Vec<&str> = targets.iter().map(|target| target.as_str()).collect();
        return Err(format!(
            "Adding a config drive is only supported when setting provision state to {}",
            names.join(", ")
        ));
    }
    if let Some(text) = report(drive, &SCHEMA, &PRINTED) {
        return Err(format!("Invalid configdrive format: {text}"));
    }
    match drive {
        Value::Object(parts) => {
            supported("a JSON object for", version, since::CONFIGDRIVE_OBJECT)?;
            if parts.contains_key("vendor_data") {
                supported("vendor_data in", version, since::CONFIGDRIVE_VENDOR_DATA)?;
            }
            Ok(())
        }
        Value::String(text) if !text.contains("://") && !text.bytes().all(is_base64) => Err(
            "Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 string"
                .into(),
        ),
        _ => Ok(()),
    }
}

fn supported(what: &str, version: ApiVersion, first: ApiVersion) -> Result<(), String> {
    if version >= first {
        return Ok(());
    }
    Err(format!(
        "Providing {what} configdrive is only supported starting with API version {first}"
    ))
}

/// Blanks and line ends are common in base64.
fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=\n\r\t ".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(drive: Value, target: &str, minor: u16, text: &str) {
        assert_eq!(
            check(Some(&drive), Meaning::of(target), ApiVersion(minor)),
            Err(text.to_owned())
        );
    }

    #[test]
    fn drives_in_all_forms() {
        for drive in [
            json!("aGk=\n aGk="),
            json!("https://192.0.2.1/drive?sig=*"),
            json!({"meta_data": {}, "user_data": "#!", "network_data": {}, "vendor_data": {}}),
            json!(""),
            json!({}),
        ] {
            assert_eq!(
                check(Some(&drive), Meaning::of("rebuild"), ApiVersion::MAX),
                Ok(())
            );
        }
        assert_eq!(check(None, Meaning::of("manage"), ApiVersion::MAX), Ok(()));
        assert_eq!(
            check(Some(&json!({})), Meaning::of("manage"), ApiVersion::MAX),
            Ok(())
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let only = "Adding a config drive is only supported when setting provision state to ";
        refused(
            json!("aGk="),
            "manage",
            115,
            &format!("{only}active, rebuild"),
        );
        refused(json!("aGk="), "rebuild", 34, &format!("{only}active"));
        refused(
            json!("aGk="),
            "deploy",
            115,
            &format!("{only}active, rebuild"),
        );
        refused(
            json!("***"),
            "active",
            115,
            "Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 string",
        );
        refused(
            json!({"meta_data": {}}),
            "active",
            55,
            "Providing a JSON object for configdrive is only supported starting with API version 1.56",
        );
        refused(
            json!({"vendor_data": {}}),
            "active",
            58,
            "Providing vendor_data in configdrive is only supported starting with API version 1.59",
        );
        refused(
            json!({"bogus": 1}),
            "active",
            115,
            "Invalid configdrive format: Additional properties are not allowed ('bogus' was unexpected)\n\n\
             Failed validating 'additionalProperties' in schema[0]:\n    \
             {'type': 'object',\n     'properties': {'meta_data': {'type': 'object'},\n                    \
             'network_data': {'type': 'object'},\n                    \
             'user_data': {'type': ['object',\n                                           'array',\n                                           \
             'string',\n                                           'null']},\n                    \
             'vendor_data': {'type': 'object'}},\n     'additionalProperties': False}\n\n\
             On instance:\n    {'bogus': 1}",
        );
    }
}
