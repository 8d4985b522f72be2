//! Which values are secret, and how they look to a reader who may not see them.
//!
//! The same rule decides what is encrypted in the database, so that a value masked on the wire is
//! never found in clear on disk.

use crate::JsonMap;
use serde_json::Value;

/// What a reader sees instead of a secret.
pub const MASK: &str = "******";

/// A key is secret when its lower-case text contains one of these.
const SECRET_KEY_PARTS: &[&str] = &[
    "adminpass",
    "admin_pass",
    "password",
    "admin_password",
    "auth_token",
    "new_pass",
    "auth_password",
    "secret_uuid",
    "secret",
    "sys_pswd",
    "token",
    "configdrive",
    "chappassword",
    "encrypted_key",
    "private_key",
    "fernetkey",
    "sslkey",
    "passphrase",
    "cephclusterfsid",
    "octaviaheartbeatkey",
    "rabbitcookie",
    "cephmanilaclientkey",
    "pacemakerremoteauthkey",
    "designaterndckey",
    "cephadminkey",
    "heatauthencryptionkey",
    "cephclientkey",
    "keystonecredential",
    "barbicansimplecryptokek",
    "cephrgwkey",
    "swifthashsuffix",
    "migrationsshkey",
    "cephmdskey",
    "cephmonkey",
    "chapsecret",
];

/// Keys of `driver_info` that are secret though their name does not say so.
const SECRET_SNMP_KEYS: &[&str] = &["snmp_auth_key", "snmp_priv_key"];

/// Whether the value under this key is a secret.
pub fn is_secret_key(key: &str) -> bool {
    let lower = key.to_lowercase();
    SECRET_KEY_PARTS.iter().any(|part| lower.contains(part))
        || SECRET_SNMP_KEYS.contains(&lower.as_str())
}

/// A copy of `map` with every secret value replaced by [`MASK`].
///
/// An empty or null secret says nothing and is shown as it is not: the reference masks it too.
pub fn masked(map: &JsonMap) -> JsonMap {
    map.iter()
        .map(|(key, value)| (key.clone(), masked_value(key, value)))
        .collect()
}

/// As [`masked`], and `image_url` is a secret too: it may carry a signed address.
pub fn masked_instance_info(map: &JsonMap) -> JsonMap {
    let mut out = masked(map);
    if let Some(url) = out.get_mut("image_url") {
        *url = Value::from(MASK);
    }
    out
}

fn masked_value(key: &str, value: &Value) -> Value {
    if is_secret_key(key) {
        return Value::from(MASK);
    }
    match value {
        Value::Object(inner) => Value::Object(masked(inner)),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| masked_value("", item)).collect())
        }
        other => other.clone(),
    }
}

/// Whether nothing in `map` needs masking, so that it can be shown without a copy.
pub fn is_clean(map: &JsonMap) -> bool {
    map.iter()
        .all(|(key, value)| !is_secret_key(key) && is_clean_value(value))
}

fn is_clean_value(value: &Value) -> bool {
    match value {
        Value::Object(inner) => is_clean(inner),
        Value::Array(items) => items.iter().all(is_clean_value),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn secrets_are_masked_at_any_depth() {
        let info = map(json!({
            "ipmi_password": "p", "snmp_auth_key": "k", "address": "10.0.0.1",
            "nested": {"API_TOKEN": 5, "list": [{"sslKey": "x", "b": 1}]},
        }));
        assert!(!is_clean(&info));
        assert_eq!(
            Value::Object(masked(&info)),
            json!({
                "ipmi_password": MASK, "snmp_auth_key": MASK, "address": "10.0.0.1",
                "nested": {"API_TOKEN": MASK, "list": [{"sslKey": MASK, "b": 1}]},
            })
        );
        assert!(is_clean(&map(json!({"a": {"b": ["c"]}}))));
    }

    #[test]
    fn the_image_url_of_an_instance_is_masked() {
        let info = map(json!({"image_url": "http://h/i?sig=1", "image_source": "s"}));
        assert_eq!(
            Value::Object(masked_instance_info(&info)),
            json!({"image_url": MASK, "image_source": "s"})
        );
    }
}
