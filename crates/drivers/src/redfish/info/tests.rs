//! What `driver_info` may and may not say.

use super::*;
use serde_json::json;

fn of(driver: &str, info: Value) -> Result<Info, String> {
    let node = Node::new(NodeId::generate(), driver);
    let info = info.as_object().cloned().unwrap();
    Info::of(&node, &info, &RedfishSettings::default())
        .map_err(|error| error.to_string().replace(&node.id.to_string(), "U"))
}

fn refused(info: Value) -> String {
    of("redfish", info).unwrap_err()
}

#[test]
fn an_address_is_enough() {
    let info = of("redfish", json!({"redfish_address": "bmc.example"})).unwrap();
    assert_eq!(info.peer(), "https://bmc.example");
    assert_eq!(info.root, "/redfish/v1/");
    assert_eq!((info.system, info.login), (None, None));
    assert_eq!(info.auth, Auth::Auto);
    assert_eq!(info.tls.verify, Trust::Machine);
}

#[test]
fn everything_can_be_said() {
    let info = of(
        "idrac",
        json!({
            "redfish_address": "http://[::1]:8000/prefix/v1",
            "redfish_system_id": "redfish/v1/Systems/1",
            "redfish_username": "u", "redfish_password": "p",
            "redfish_verify_ca": "no", "redfish_auth_type": "session",
            "redfish_tls_minimum_version": "1.3", "redfish_tls_ciphers": "HIGH",
            "firmware_update_unresponsive_bmc_wait": "30",
        }),
    )
    .unwrap();
    assert_eq!(info.peer(), "http://[::1]:8000");
    assert_eq!(info.root, "/prefix/v1");
    assert_eq!(info.system.as_deref(), Some("/redfish/v1/Systems/1"));
    assert_eq!(info.tls.verify, Trust::Anyone);
    assert_eq!(info.tls.minimum, Some(TlsVersion::V13));
    assert_eq!(info.tls.ciphers.as_deref(), Some("HIGH"));
    assert_eq!(info.auth, Auth::Session);
    assert_eq!(info.firmware_wait, Some(Duration::from_secs(30)));
    let login = info.login.unwrap();
    assert_eq!((login.user.as_str(), login.password.as_str()), ("u", "p"));
    assert!(!format!("{login:?}").contains('p'.to_string().repeat(2).as_str()));
}

#[test]
fn what_is_wrong_is_said_as_in_the_original() {
    let missing =
        "Missing the following Redfish properties in node U driver_info: ['redfish_address']";
    assert_eq!(refused(json!({})), missing);
    assert_eq!(refused(json!({"redfish_address": ""})), missing);
    for (value, text) in [
        (json!("ftp://h"), "ftp://h"),
        (json!(7), "7"),
        (json!("a b"), "a b"),
    ] {
        assert_eq!(
            refused(json!({"redfish_address": value})),
            format!("Invalid Redfish address {text} set in driver_info/redfish_address on node U")
        );
    }
    for (key, value, expected) in [
        (
            "redfish_system_id",
            json!(7),
            "Invalid value \"7\" set in driver_info/redfish_system_id on node U. The value should be a path (string) to the resource that the driver will interact with. For example: /redfish/v1/Systems/1",
        ),
        (
            "redfish_verify_ca",
            json!("/dev/../dev/zero"),
            "Invalid value type set in driver_info/redfish_verify_ca on node U. The value should be a Boolean or the path to a file/directory, not \"/dev/../dev/zero\"",
        ),
        (
            "redfish_verify_ca",
            json!(7),
            "Invalid value type set in driver_info/redfish_verify_ca on node U. The value should be a Boolean or the path to a file/directory, not \"7\"",
        ),
        (
            "redfish_auth_type",
            json!("magic"),
            "Invalid value \"magic\" set in driver_info/redfish_auth_type on node U. The value should be one of \"basic\", \"session\" or \"auto\".",
        ),
        (
            "redfish_tls_minimum_version",
            json!("1.0"),
            "Invalid value \"1.0\" set in driver_info/redfish_tls_minimum_version on node U. The value should be one of \"1.1\", \"1.2\", or \"1.3\".",
        ),
    ] {
        let mut info = json!({"redfish_address": "h"});
        info[key] = value;
        assert_eq!(refused(info), expected);
    }
    let climbing = refused(json!({"redfish_address": "h", "redfish_system_id": "/a/../b"}));
    assert!(
        climbing.starts_with("Invalid value \"/a/../b\""),
        "{climbing}"
    );
}

#[test]
fn credentials_in_an_address_are_refused_without_being_told() {
    let text = refused(json!({"redfish_address": "https://root:hunter2@h"}));
    assert!(text.contains("redfish_password") && !text.contains("hunter2"));
}

#[test]
fn old_types_keep_their_keys() {
    let info = of(
        "ilo",
        json!({"ilo_address": "10.0.0.1", "ilo_username": "u", "ilo_password": "p",
               "client_port": "8443"}),
    )
    .unwrap();
    assert_eq!(info.peer(), "https://10.0.0.1:8443");
    assert!(info.login.is_some());
    let info = of("irmc", json!({"irmc_address": "h", "irmc_port": 80})).unwrap();
    assert_eq!(info.peer(), "https://h:80");
    let info = of(
        "ilo5",
        json!({"ilo_address": "h", "redfish_address": "http://r"}),
    )
    .unwrap();
    assert_eq!(info.peer(), "http://r");
    assert_eq!(
        of("ilo", json!({})).unwrap_err(),
        "Missing the following Redfish properties in node U driver_info: ['ilo_address']"
    );
    assert_eq!(
        of("ilo", json!({"ilo_address": "h", "client_port": "x"})).unwrap_err(),
        "client_port \"x\" is not a valid port."
    );
}

#[test]
fn a_path_of_authorities_is_not_looked_at_here() {
    let named = |path: &str| {
        let info = json!({"redfish_address": "h", "redfish_verify_ca": path});
        of("redfish", info).unwrap().tls.verify
    };
    // Whether it is there makes no difference that anybody could see.
    for path in ["/etc/hostname", "/no/such/path", "/etc"] {
        assert_eq!(named(path), Trust::Named(path.into()));
    }
    assert_eq!(named("true"), Trust::Machine);
}

#[test]
fn services_without_tls_can_be_forbidden() {
    let node = Node::new(NodeId::generate(), "redfish");
    let settings = RedfishSettings {
        require_tls: true,
        ..RedfishSettings::default()
    };
    let of = |address: &str| {
        let info = json!({"redfish_address": address});
        let info = info.as_object().cloned().unwrap();
        Info::of(&node, &info, &settings).map_err(|error| error.to_string())
    };
    assert!(of("bmc").is_ok() && of("https://bmc").is_ok());
    let refused = of("http://bmc").unwrap_err();
    assert!(refused.contains("[corten]bmc_require_tls"), "{refused}");
}
