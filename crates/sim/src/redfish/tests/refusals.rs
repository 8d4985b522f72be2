//! Whatever is sent: nothing panics, and what is refused has changed nothing.

use super::bench::Bench;
use crate::redfish::routes::ROUTES;
use base64::{Engine, engine::general_purpose::STANDARD};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A path for every pattern, with names that exist on a generic machine.
fn paths() -> Vec<String> {
    let known = [
        ("{system}", "1"),
        ("{manager}", "BMC"),
        ("{chassis}", "1"),
        ("{storage}", "1"),
        ("{settings}", "Settings"),
        ("{slot}", "Cd"),
        ("{drive}", "Drive0"),
        ("{account}", "2"),
        ("{database}", "PK"),
        ("{component}", "BIOS"),
    ];
    let filled = ROUTES.iter().map(|route| {
        let mut path = route.pattern.to_owned();
        for (name, id) in known {
            path = path.replace(name, id);
        }
        path.replace(['{', '}'], "")
    });
    filled.collect()
}

fn basic() -> String {
    format!("Basic {}", STANDARD.encode("admin:password"))
}

#[test]
fn what_is_no_json_changes_nothing() {
    let bench = Bench::new();
    let before = bench.everything();
    let basic = basic();
    let bodies: [&[u8]; 8] = [
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"[{\"ResetType\": \"On\"}]",
        b"7",
        b"\"On\"",
        b"{\"Attributes\": 1, \"ResetType\": 2, \"Image\": 3, \"Boot\": 4}",
        b"{\"Nonsense\": {}}",
    ];
    for path in paths() {
        for method in ["POST", "PATCH", "PUT"] {
            for body in bodies {
                let answer = bench.raw(method, &path, &[("authorization", &basic)], body);
                let is_harmless = answer.status.is_success() && path.contains("/Oem/Dell/");
                assert!(
                    answer.status.is_client_error() || is_harmless,
                    "{method} {path}: {}",
                    answer.status
                );
            }
        }
    }
    assert_eq!(bench.everything(), before);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop_oneof!["On", "Once", "Pxe", "RAID1", "Lit", "http://h/x-1.1.bin"]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Names that mean something somewhere, and some that never do.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Boot"),
        Just("BootSourceOverrideTarget"),
        Just("BootSourceOverrideEnabled"),
        Just("IndicatorLED"),
        Just("Attributes"),
        Just("BootMode"),
        Just("ResetType"),
        Just("Image"),
        Just("Inserted"),
        Just("RAIDType"),
        Just("CapacityBytes"),
        Just("Links"),
        Just("Drives"),
        Just("ImageURI"),
        Just("Targets"),
        Just("SecureBootEnable"),
        Just("DateTime"),
        Just("UserName"),
        Just("Password"),
        Just("Destination"),
        Just("@odata.id"),
        Just("Nonsense"),
    ]
    .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_refused_has_changed_nothing(
        path in prop::sample::select(paths()),
        method in prop::sample::select(vec!["GET", "POST", "PATCH", "DELETE", "PUT"]),
        body in any_json(),
        query in prop_oneof![Just(String::new()), "[$&=a-z0-9]{0,12}"],
    ) {
        let bench = Bench::new();
        let before = bench.everything();
        let uri = format!("{path}?{query}");
        let answer = bench.ask(method, &uri, &body);
        if !answer.status.is_success() {
            prop_assert_eq!(bench.everything(), before, "{} {} {}", method, uri, body);
        }
        prop_assert!(!answer.status.is_server_error() || answer.status.as_u16() == 501);
    }

    #[test]
    fn no_bytes_are_too_strange(
        method in "[A-Z]{1,8}",
        path in "/[ -~]{0,60}",
        kind in prop_oneof!["application/json", "multipart/form-data; boundary=[a-z]{0,3}", "[ -~]{0,20}"],
        body in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let bench = Bench::new();
        let answer = bench.raw(
            &method,
            &format!("/redfish/v1{path}"),
            &[("authorization", &basic()), ("content-type", &kind)],
            &body,
        );
        prop_assert!(answer.status.as_u16() < 600);
    }
}

#[test]
fn values_are_checked_before_anything_is_done() {
    let bench = Bench::new();
    let system = "/redfish/v1/Systems/1";
    let before = bench.everything();
    for (body, message) in [
        (
            json!({"AssetTag": "new", "Boot": {"BootSourceOverrideTarget": "Tape"}}),
            "Base.1.18.PropertyValueNotInList",
        ),
        (
            json!({"AssetTag": "new", "PowerState": "On"}),
            "Base.1.18.PropertyNotWritable",
        ),
        (
            json!({"AssetTag": "new", "Nonsense": 1}),
            "Base.1.18.PropertyUnknown",
        ),
        (json!({"AssetTag": 7}), "Base.1.18.PropertyValueTypeError"),
        (json!({}), "Base.1.18.EmptyJSON"),
    ] {
        let answer = bench.ask("PATCH", system, &body);
        assert_eq!(
            (answer.status.as_u16(), answer.message()),
            (400, message.to_owned())
        );
    }
    let reset = format!("{system}/Actions/ComputerSystem.Reset");
    for (body, message) in [
        (json!({}), "Base.1.18.ActionParameterMissing"),
        (
            json!({"ResetType": "Sideways"}),
            "Base.1.18.ActionParameterValueNotInList",
        ),
        (
            json!({"ResetType": "On", "Delay": 1}),
            "Base.1.18.ActionParameterUnknown",
        ),
    ] {
        let answer = bench.ask("POST", &reset, &body);
        assert_eq!(
            (answer.status.as_u16(), answer.message()),
            (400, message.to_owned())
        );
    }
    assert_eq!(
        bench
            .ask("PUT", system, &json!({"A": 1}))
            .header("allow")
            .unwrap(),
        "GET, HEAD, PATCH"
    );
    assert_eq!(bench.everything(), before);
}
