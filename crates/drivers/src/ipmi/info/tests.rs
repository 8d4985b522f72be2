//! What a node may say about its BMC, and what it is told when it is wrong.

use super::*;
use serde_json::json;
use types::NodeId;

fn parse(info: Value) -> Result<Info, String> {
    let node = Node::new(NodeId::generate(), "ipmi");
    let Value::Object(info) = info else {
        panic!("not an object")
    };
    Info::of(&node, &info, &IpmiSettings::default()).map_err(|error| error.to_string())
}

fn with(key: &str, value: Value) -> Result<Info, String> {
    parse(json!({"ipmi_address": "bmc", key: value}))
}

#[test]
fn an_address_is_enough() {
    let info = parse(json!({"ipmi_address": "bmc.example"})).unwrap();
    assert_eq!((info.host.as_str(), info.port), ("bmc.example", 623));
    assert_eq!(info.peer(), "bmc.example:623");
    assert!(info.credentials.user.as_bytes().is_empty());
    assert!(info.credentials.password.is_empty());
    assert_eq!(info.credentials.privilege, Privilege::Administrator);
    assert_eq!(info.route, Route::Direct);
    assert!(info.disable_boot_timeout && !info.force_boot_device);
    let ids: Vec<u8> = info
        .versions
        .iter()
        .map(|version| match version {
            Version::V20(suite) => suite.id,
            Version::V15 => 0,
        })
        .collect();
    assert_eq!(ids, [17, 3]);
}

#[test]
fn what_is_wrong_is_named() {
    let missing = "Missing the following IPMI credentials in node's driver_info: ['ipmi_address'].";
    assert_eq!(parse(json!({})).unwrap_err(), missing);
    assert_eq!(parse(json!({"ipmi_address": ""})).unwrap_err(), missing);
    for (key, value, text) in [
        (
            "ipmi_port",
            json!("70000"),
            "ipmi_port \"70000\" is not a valid port.",
        ),
        (
            "ipmi_terminal_port",
            json!("x"),
            "ipmi_terminal_port \"x\" is not a valid port.",
        ),
        (
            "ipmi_protocol_version",
            json!("3.0"),
            "Invalid IPMI protocol version value 3.0, the valid value can be one of 2.0, 1.5",
        ),
        (
            "ipmi_priv_level",
            json!("ROOT"),
            "Invalid privilege level value:ROOT, the valid value can be one of ADMINISTRATOR, CALLBACK, OPERATOR, USER",
        ),
        (
            "ipmi_hex_kg_key",
            json!("abc"),
            "Number of ipmi_hex_kg_key characters is not even",
        ),
        (
            "ipmi_hex_kg_key",
            json!("zz"),
            "ipmi_hex_kg_key has characters that are no hexadecimal digits",
        ),
        (
            "ipmi_hex_kg_key",
            json!("+1"),
            "ipmi_hex_kg_key has characters that are no hexadecimal digits",
        ),
        (
            "ipmi_hex_kg_key",
            json!("00".repeat(21)),
            "ipmi_hex_kg_key is longer than 20 bytes",
        ),
        (
            "ipmi_cipher_suite",
            json!("best"),
            "Invalid cipher suite best, expected a number",
        ),
        (
            "ipmi_cipher_suite",
            json!(4),
            "Cipher suite 4 is not supported; supported are 0, 1, 2, 3, 6, 7, 8, 15, 16, 17",
        ),
        (
            "ipmi_bridging",
            json!("triple"),
            "Invalid value for ipmi_bridging: triple, the valid value can be one of: ['single', 'dual', 'no']",
        ),
        (
            "ipmi_bridging",
            json!("single"),
            "['ipmi_target_channel', 'ipmi_target_address'] not provided",
        ),
        (
            "ipmi_bridging",
            json!("dual"),
            "['ipmi_target_channel', 'ipmi_target_address', 'ipmi_transit_channel', 'ipmi_transit_address'] not provided",
        ),
    ] {
        assert_eq!(with(key, value).unwrap_err(), text);
    }
    let old = json!({"ipmi_address": "b", "ipmi_protocol_version": 1.5, "ipmi_cipher_suite": 3});
    assert_eq!(
        parse(old).unwrap_err(),
        "Cipher suites cannot be used with IPMI 1.5"
    );
}

#[test]
fn secrets_are_never_shown() {
    let info = parse(json!({
        "ipmi_address": "b", "ipmi_username": "u", "ipmi_password": "hidden-pass",
        "ipmi_hex_kg_key": "68696464656e",
    }))
    .unwrap();
    let shown = format!("{info:?}");
    assert!(!shown.contains("hidden"), "{shown}");
    let long = "hidden-hidden-hidden-hidden";
    for (key, value) in [
        ("ipmi_password", long.to_owned()),
        ("ipmi_hex_kg_key", "hidden".repeat(4)),
    ] {
        let text = with(key, json!(value)).unwrap_err();
        assert!(!text.contains("hidden"), "{text}");
    }
}

#[test]
fn ways_to_other_controllers_are_read() {
    let single = parse(json!({
        "ipmi_address": "b", "ipmi_bridging": "single",
        "ipmi_target_channel": "6", "ipmi_target_address": "0x2c",
    }))
    .unwrap();
    let target = Hop {
        channel: 6,
        address: 0x2c,
    };
    assert_eq!(single.route, Route::Single { local: BMC, target });
    let dual = parse(json!({
        "ipmi_address": "b", "ipmi_bridging": "dual", "ipmi_local_address": "0x24",
        "ipmi_target_channel": 6, "ipmi_target_address": 44,
        "ipmi_transit_channel": "7", "ipmi_transit_address": "0x82",
    }))
    .unwrap();
    assert_eq!(
        dual.route,
        Route::Dual {
            local: 0x24,
            transit: Hop {
                channel: 7,
                address: 0x82
            },
            target
        }
    );
    let wrong = json!({
        "ipmi_address": "b", "ipmi_bridging": "single",
        "ipmi_target_channel": "6", "ipmi_target_address": "0x1ff",
    });
    assert_eq!(
        parse(wrong).unwrap_err(),
        "Invalid value for ipmi_target_address: 0x1ff, expected a number from 0 to 255"
    );
}

#[test]
fn further_suites_come_after_the_usual_ones() {
    let node = Node::new(NodeId::generate(), "ipmi");
    let settings = IpmiSettings {
        cipher_suites: vec![1, 2, 3, 8, 99, 17],
        ..IpmiSettings::default()
    };
    let info = JsonMap::from_iter([("ipmi_address".to_owned(), json!("b"))]);
    let info = Info::of(&node, &info, &settings).unwrap();
    let ids: Vec<u8> = info
        .versions
        .iter()
        .filter_map(|version| match version {
            Version::V20(suite) => Some(suite.id),
            Version::V15 => None,
        })
        .collect();
    assert_eq!(ids, [17, 3, 8, 2, 1]);
}

#[test]
fn names_are_told_from_nonsense() {
    let node = Node::new(NodeId::generate(), "ipmi");
    for (address, is_good) in [
        ("10.0.0.1", true),
        ("fe80::1", true),
        ("bmc-1.example_x.org.", true),
        ("-bmc", false),
        ("bmc 1", false),
        ("bmc;reboot", false),
        ("", false),
    ] {
        let mut info = with("ipmi_port", json!(623)).unwrap();
        info.host = address.to_owned();
        assert_eq!(info.check_address(&node).is_ok(), is_good, "{address}");
    }
}

#[test]
fn bytes_are_read_as_people_write_them() {
    assert_eq!(parse_byte("0x2C"), Some(0x2c));
    assert_eq!(parse_byte("44"), Some(44));
    for text in ["", "0x", "0x+1", "+1", "-1", "256", "0x100", "x"] {
        assert_eq!(parse_byte(text), None, "{text}");
    }
}
