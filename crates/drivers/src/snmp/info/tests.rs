//! What is accepted, and in which words the rest is refused.

use super::*;
use serde_json::json;

fn node() -> NodeId {
    "7b1d1f2e-0c2a-4f6e-9d39-0c5b8a1d1f2e".parse().unwrap()
}

/// A sound `driver_info` with changes; null takes a key away.
fn read(changes: Value) -> Result<Info, String> {
    let mut info = json!({
        "snmp_driver": "apc", "snmp_address": "10.0.0.9", "snmp_outlet": "3",
        "snmp_community": "secret",
    });
    for (key, value) in changes.as_object().unwrap() {
        if value.is_null() {
            info.as_object_mut().unwrap().remove(key);
        } else {
            info[key] = value.clone();
        }
    }
    Info::of(node(), info.as_object().unwrap()).map_err(|error| error.to_string())
}

fn refused(changes: Value) -> String {
    let text = read(changes).unwrap_err();
    for secret in ["secret", "maplesyrup", "pancakes"] {
        assert!(!text.contains(secret), "{text}");
    }
    text
}

#[test]
fn little_is_needed() {
    let info = read(json!({})).unwrap();
    assert_eq!(info.peer(), "10.0.0.9:161");
    assert_eq!(info.outlet, 3);
    assert_eq!(info.model.unwrap().name, "apc");
    let Access::Community {
        version,
        read,
        write,
    } = &info.access
    else {
        panic!("{info:?}");
    };
    assert_eq!(*version, Version::V1);
    assert_eq!(
        (&read.0[..], &write.0[..]),
        (&b"secret"[..], &b"secret"[..])
    );
    assert!(!format!("{info:?}").contains("secret"));
}

#[test]
fn every_name_of_the_table_is_known() {
    for model in model::ALL {
        let info = read(json!({"snmp_driver": model.name})).unwrap();
        assert_eq!(info.model, Some(model));
    }
    assert_eq!(read(json!({"snmp_driver": "auto"})).unwrap().model, None);
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    assert_eq!(
        refused(json!({"snmp_driver": "", "snmp_address": null, "snmp_outlet": 0})),
        "SNMP driver requires the following parameters to be set in node's driver_info: ['snmp_driver', 'snmp_address', 'snmp_outlet']."
    );
    assert_eq!(
        refused(json!({"snmp_driver": "acme"})),
        "SNMPPowerDriver: unknown driver: 'acme'"
    );
    assert_eq!(
        refused(json!({"snmp_version": "4"})),
        "SNMPPowerDriver: unknown SNMP version: '4'"
    );
    assert_eq!(
        refused(json!({"snmp_port": "99999"})),
        "snmp_port \"99999\" is not a valid port."
    );
    assert_eq!(
        refused(json!({"snmp_port": 0})),
        "SNMPPowerDriver: SNMP UDP port out of range: 0"
    );
    assert_eq!(
        refused(json!({"snmp_outlet": "A3"})),
        "SNMPPowerDriver: PDU power outlet index is not an integer: A3"
    );
    assert_eq!(
        refused(json!({"snmp_outlet": -1})),
        "SNMPPowerDriver: PDU power outlet index is out of range: -1"
    );
    assert_eq!(
        refused(json!({"snmp_community": null, "snmp_community_read": "public"})),
        "SNMP driver requires `snmp_community` or `snmp_community_read`/`snmp_community_write` properties to be set for version 1."
    );
}

#[test]
fn communities_of_their_own_come_first() {
    let info = read(json!({"snmp_version": "2c", "snmp_community_write": "private"})).unwrap();
    let Access::Community {
        version,
        read,
        write,
    } = &info.access
    else {
        panic!("{info:?}");
    };
    assert_eq!(*version, Version::V2c);
    assert_eq!(
        (&read.0[..], &write.0[..]),
        (&b"secret"[..], &b"private"[..])
    );
}

fn signed(changes: Value) -> Result<Option<Signing>, String> {
    let mut all = json!({"snmp_version": "3", "snmp_user": "admin"});
    for (key, value) in changes.as_object().unwrap() {
        all[key] = value.clone();
    }
    match read(all)?.access {
        Access::User { user, .. } => Ok(user.signing),
        Access::Community { .. } => panic!("another version"),
    }
}

#[test]
fn keys_bring_their_protocols() {
    assert_eq!(signed(json!({})).unwrap(), None);
    let signing = signed(json!({"snmp_auth_key": "maplesyrup"}))
        .unwrap()
        .unwrap();
    assert_eq!((signing.auth, signing.hiding), (Auth::Md5, None));
    let both = json!({"snmp_auth_key": "maplesyrup", "snmp_priv_key": "pancakes"});
    let hiding = signed(both).unwrap().unwrap().hiding.unwrap();
    assert_eq!(hiding.privacy, Privacy::Des);
    assert_eq!(signed(json!({"snmp_auth_protocol": "none"})).unwrap(), None);
    for (name, auth) in Auth::NAMES {
        for (other, privacy) in Privacy::NAMES {
            let signing = signed(json!({
                "snmp_auth_protocol": name, "snmp_auth_key": "maplesyrup",
                "snmp_priv_protocol": other, "snmp_priv_key": "pancakes",
            }));
            let signing = signing.unwrap().unwrap();
            assert_eq!(signing.auth, auth);
            assert_eq!(signing.hiding.unwrap().privacy, privacy);
        }
    }
}

#[test]
fn users_are_refused_in_known_words() {
    let node = node();
    assert_eq!(
        refused(json!({"snmp_version": "3"})),
        format!(
            "SNMP driver requires `driver_info/snmp_user` to be set in node {node} configuration for SNMP version 3."
        )
    );
    let refuse = |changes| signed(changes).unwrap_err();
    assert_eq!(
        refuse(json!({"snmp_auth_protocol": "sha3"})),
        format!(
            "SNMPPowerDriver: unknown SNMPv3 authentication protocol `driver_info/snmp_auth_protocol` sha3 in node {node} configuration, known protocols are: md5, sha, sha224, sha256, sha384, sha512, none"
        )
    );
    assert_eq!(
        refuse(json!({"snmp_priv_protocol": "rc4"})),
        format!(
            "SNMPPowerDriver: unknown SNMPv3 privacy protocol `driver_info/snmp_priv_protocol` rc4 in node {node} configuration, known protocols are: des, 3des, aes, aes192, aes256, aes192blmt, aes256blmt, none"
        )
    );
    assert_eq!(
        refuse(json!({"snmp_auth_key": "short"})),
        format!(
            "SNMPPowerDriver: short SNMPv3 authentication key `driver_info/snmp_auth_key` in node {node} configuration (8+ chars required)"
        )
    );
    assert_eq!(
        refuse(json!({"snmp_auth_key": "maplesyrup", "snmp_priv_key": "short"})),
        format!(
            "SNMPPowerDriver: short SNMPv3 privacy key `driver_info/snmp_priv_key` node {node} configuration (8+ chars required)"
        )
    );
    assert_eq!(
        refuse(json!({"snmp_priv_key": "pancakes"})),
        format!(
            "SNMPPowerDriver: SNMPv3 privacy requires authentication. Please add `driver_info/auth_protocol` property to node {node} configuration."
        )
    );
    assert_eq!(
        refuse(json!({"snmp_auth_protocol": "sha", "snmp_priv_protocol": "aes"})),
        format!(
            "SNMPPowerDriver: missing SNMPv3 authentication key while `driver_info/snmp_auth_protocol` is present. Please add `driver_info/snmp_auth_key` to node {node} configuration."
        )
    );
    assert_eq!(
        refuse(json!({"snmp_auth_key": "maplesyrup", "snmp_priv_protocol": "aes"})),
        format!(
            "SNMPPowerDriver: missing SNMPv3 privacy key while `driver_info/snmp_priv_protocol` is present. Please add `driver_info/snmp_priv_key` to node {node} configuration."
        )
    );
}

#[test]
fn the_old_name_of_the_user_still_works() {
    let info = read(json!({
        "snmp_version": "3", "snmp_security": "old", "snmp_context_name": "west",
        "snmp_context_engine_id": "0x80001f8804",
    }));
    let Access::User {
        user,
        engine_id,
        context,
    } = info.unwrap().access
    else {
        panic!("another version");
    };
    assert_eq!(user.name, b"old");
    assert_eq!(engine_id.as_deref(), Some(&b"\x80\x00\x1f\x88\x04"[..]));
    assert_eq!(context, b"west");
    assert_eq!(super::engine_id("0x8"), b"0x8");
    assert_eq!(super::engine_id("0x+1"), b"0x+1");
}
