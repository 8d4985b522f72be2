//! The RAID configuration that a node shall get.

use crate::schema::{self, Schema, Type};
use serde_json::Value;
use types::JsonMap;

const fn one_of(options: &'static [&'static str]) -> Schema {
    Schema {
        types: &[Type::String],
        options,
        ..Schema::ANY
    }
}

const LOGICAL_DISK: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "raid_level",
            one_of(&["JBOD", "0", "1", "2", "5", "6", "1+0", "5+0", "6+0"]),
        ),
        (
            "size_gb",
            Schema {
                any_of: &[
                    Schema {
                        types: &[Type::Integer],
                        minimum: Some(0),
                        ..Schema::ANY
                    },
                    one_of(&["MAX"]),
                ],
                ..Schema::ANY
            },
        ),
        ("volume_name", Schema::of(&[Type::String])),
        ("is_root_volume", Schema::of(&[Type::Boolean])),
        ("share_physical_disks", Schema::of(&[Type::Boolean])),
        ("disk_type", one_of(&["hdd", "ssd"])),
        ("interface_type", one_of(&["sata", "scsi", "sas"])),
        (
            "number_of_physical_disks",
            Schema {
                types: &[Type::Integer],
                minimum: Some(0),
                exclusive_minimum: true,
                ..Schema::ANY
            },
        ),
        ("controller", Schema::of(&[Type::String])),
        (
            "physical_disks",
            Schema {
                any_of: &[
                    Schema {
                        types: &[Type::Array],
                        items: Some(&Schema::of(&[Type::String])),
                        ..Schema::ANY
                    },
                    Schema {
                        types: &[Type::Array],
                        items: Some(&Schema::of(&[Type::Object])),
                        min_items: 2,
                        ..Schema::ANY
                    },
                ],
                ..Schema::ANY
            },
        ),
    ],
    required: &["raid_level", "size_gb"],
    closed: true,
    dependent: &[("physical_disks", &["controller"])],
    ..Schema::ANY
};

pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[(
        "logical_disks",
        Schema {
            types: &[Type::Array],
            items: Some(&LOGICAL_DISK),
            min_items: 1,
            ..Schema::ANY
        },
    )],
    required: &["logical_disks"],
    closed: true,
    ..Schema::ANY
};

/// Judges a configuration. An empty one takes the node's away.
pub(crate) fn check(config: &JsonMap) -> Result<(), String> {
    if config.is_empty() {
        return Ok(());
    }
    if let Some(found) = schema::violation(&Value::Object(config.clone()), &SCHEMA) {
        return Err(format!("RAID config validation error: {}", found.message));
    }
    let disks = config.get("logical_disks").and_then(Value::as_array);
    let roots = disks
        .into_iter()
        .flatten()
        .filter(|disk| disk.get("is_root_volume") == Some(&Value::Bool(true)))
        .count();
    if roots > 1 {
        return Err(format!(
            "Raid config cannot have more than one root volume. {roots} root volumes were specified"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn config(disks: Value) -> Result<(), String> {
        check(json!({"logical_disks": disks}).as_object().unwrap())
    }

    #[track_caller]
    fn refused(disks: Value, text: &str) {
        assert_eq!(
            config(disks),
            Err(format!("RAID config validation error: {text}"))
        );
    }

    #[test]
    fn sound_configurations() {
        assert_eq!(check(&JsonMap::new()), Ok(()));
        assert_eq!(
            config(json!([
                {"raid_level": "1+0", "size_gb": "MAX", "is_root_volume": true,
                 "controller": "c", "physical_disks": ["a", "b"], "disk_type": "ssd"},
                {"raid_level": "5", "size_gb": 100, "number_of_physical_disks": 3},
            ])),
            Ok(())
        );
    }

    // The expectations are answers of Ironic.
    #[test]
    fn what_is_wrong_is_said() {
        refused(json!([]), "[] should be non-empty");
        refused(
            json!([{"size_gb": 1}]),
            "'raid_level' is a required property",
        );
        refused(
            json!([{"raid_level": "9", "size_gb": 1}]),
            "'9' is not one of ['JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0']",
        );
        refused(
            json!([{"raid_level": "1", "size_gb": -1}]),
            "-1 is less than the minimum of 0",
        );
        refused(
            json!([{"raid_level": "1", "size_gb": 1, "number_of_physical_disks": 0}]),
            "0 is less than or equal to the minimum of 0",
        );
        refused(
            json!([{"raid_level": "1", "size_gb": 1, "bogus": 1}]),
            "Additional properties are not allowed ('bogus' was unexpected)",
        );
        refused(
            json!([{"raid_level": "1", "size_gb": 1, "physical_disks": ["a", "b"]}]),
            "'controller' is a dependency of 'physical_disks'",
        );
        assert_eq!(
            check(json!({"bogus": 1}).as_object().unwrap()),
            Err("RAID config validation error: 'logical_disks' is a required property".into())
        );
        let root = json!({"raid_level": "1", "size_gb": 1, "is_root_volume": true});
        assert_eq!(
            config(json!([root, root])),
            Err(
                "Raid config cannot have more than one root volume. 2 root volumes were specified"
                    .into()
            )
        );
    }
}
