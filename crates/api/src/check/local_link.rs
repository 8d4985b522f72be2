//! `local_link_connection`: which port of which switch a network interface is plugged into.

use crate::schema::{self, Schema, Type};
use serde_json::Value;
use types::{ApiVersion, JsonMap, port::MacAddress, version::since};

/// The keys that versions 1.90 to 1.104 know.
const VTEP_KEYS: [&str; 2] = ["vtep-logical-switch", "vtep-physical-switch"];

const TEXT: Schema = Schema::of(&[Type::String]);

macro_rules! properties {
    ($network_types:expr) => {
        &[
            ("port_id", TEXT),
            ("switch_id", TEXT),
            ("hostname", TEXT),
            ("switch_info", TEXT),
            (
                "network_type",
                Schema {
                    types: &[Type::String],
                    options: $network_types,
                    ..Schema::ANY
                },
            ),
            ("vtep-logical-switch", TEXT),
            ("vtep-physical-switch", TEXT),
        ]
    };
}

const BASE: Schema = Schema {
    types: &[Type::Object],
    properties: properties!(&["managed", "unmanaged"]),
    closed: true,
    required_last: true,
    dependent: &[
        (VTEP_KEYS[0], &[VTEP_KEYS[1]]),
        (VTEP_KEYS[1], &[VTEP_KEYS[0]]),
    ],
    ..Schema::ANY
};

const SMART_NIC: Schema = Schema {
    required: &["port_id", "hostname"],
    ..BASE
};

const SCHEMA: Schema = Schema {
    any_of: &[
        Schema {
            required: &["port_id", "switch_id"],
            ..BASE
        },
        SMART_NIC,
        Schema {
            properties: properties!(&["unmanaged"]),
            required: &["network_type"],
            ..BASE
        },
        Schema {
            required: &["port_id", VTEP_KEYS[0], VTEP_KEYS[1]],
            ..BASE
        },
        Schema {
            types: &[Type::Object],
            closed: true,
            ..Schema::ANY
        },
    ],
    ..Schema::ANY
};

/// A connection in its canonical form.
pub(crate) fn read(link: &Value) -> Result<JsonMap, String> {
    if let Some(found) = schema::violation(link, &SCHEMA) {
        return Err(format!(
            "Schema error for local_link_connection: {}",
            found.explain()
        ));
    }
    let mut link = link.as_object().cloned().unwrap_or_default();
    if let Some(Value::String(id)) = link.get_mut("switch_id") {
        *id = switch_id(id)?;
    }
    Ok(link)
}

/// A switch is named by its MAC address or its OpenFlow datapath id; both are kept in lower case.
fn switch_id(text: &str) -> Result<String, String> {
    if let Ok(mac) = text.parse::<MacAddress>() {
        return Ok(mac.to_string());
    }
    if text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Ok(text.to_ascii_lowercase());
    }
    Err(format!(
        "Expected a MAC address or OpenFlow datapath ID but received {text}."
    ))
}

/// Whether a connection says what a smart NIC needs.
pub(crate) fn serves_smart_nic(link: &JsonMap) -> bool {
    schema::violation(&Value::Object(link.clone()), &SMART_NIC).is_none()
}

/// Whether the requested version knows every key of a connection.
pub(crate) fn is_known_to(link: &JsonMap, version: ApiVersion) -> bool {
    let knows_network_type = version >= since::LINK_NETWORK_TYPE;
    (knows_network_type || !link.contains_key("network_type"))
        && (knows_vtep(version) || !link.contains_key(VTEP_KEYS[0]))
}

/// A connection as the requested version shows it: one with keys it does not know is empty.
pub(crate) fn shown(link: &JsonMap, version: ApiVersion) -> Option<&JsonMap> {
    let hidden = !knows_vtep(version) && VTEP_KEYS.iter().any(|key| link.contains_key(*key));
    (!hidden).then_some(link)
}

fn knows_vtep(version: ApiVersion) -> bool {
    (since::OVN_VTEP..since::NO_OVN_VTEP).contains(&version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn switches_are_named_in_lower_case() {
        for (given, kept) in [
            ("0A:1B:2C:3D:4E:5F", "0a:1b:2c:3d:4e:5f"),
            ("0000AABBCCDDEEFF", "0000aabbccddeeff"),
        ] {
            let link = json!({"port_id": "p", "switch_id": given, "switch_info": "s"});
            assert_eq!(read(&link).unwrap()["switch_id"], kept);
        }
        for link in [
            json!({}),
            json!({"network_type": "unmanaged"}),
            json!({"port_id": "p", "hostname": "h"}),
        ] {
            assert_eq!(Value::Object(read(&link).unwrap()), link);
        }
    }

    // The expectations are answers of Ironic.
    #[test]
    fn what_is_wrong_is_said() {
        let check = |link: Value, cause: &str| {
            let text = format!(
                "Schema error for local_link_connection: {} is not valid under any of the given schemas. Possible root cause: {cause}",
                types::pyrepr::repr(&link)
            );
            assert_eq!(read(&link), Err(text));
        };
        check(
            json!({"bogus": "x"}),
            "Additional properties are not allowed ('bogus' was unexpected)",
        );
        check(
            json!({"switch_id": "0a:1b:2c:3d:4e:5f"}),
            "'port_id' is a required property",
        );
        check(
            json!({"network_type": "bad"}),
            "'port_id' is a required property",
        );
        assert_eq!(
            read(&json!({"switch_id": "bad", "port_id": "x"})),
            Err("Expected a MAC address or OpenFlow datapath ID but received bad.".into())
        );
    }

    #[test]
    fn versions_know_different_keys() {
        let map = |value: Value| value.as_object().unwrap().clone();
        let unmanaged = map(json!({"network_type": "unmanaged"}));
        assert!(
            !is_known_to(&unmanaged, ApiVersion(63)) && is_known_to(&unmanaged, ApiVersion(64))
        );
        let vtep = map(json!({"port_id": "p", VTEP_KEYS[0]: "a", VTEP_KEYS[1]: "b"}));
        let known: Vec<bool> = [89, 90, 104, 105]
            .iter()
            .map(|minor| is_known_to(&vtep, ApiVersion(*minor)))
            .collect();
        assert_eq!(known, [false, true, true, false]);
        assert!(shown(&vtep, ApiVersion(105)).is_none() && shown(&vtep, ApiVersion(90)).is_some());
        assert!(!serves_smart_nic(&unmanaged));
        assert!(serves_smart_nic(&map(
            json!({"port_id": "p", "hostname": "h"})
        )));
    }
}
