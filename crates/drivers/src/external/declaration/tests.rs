//! Declarations that are served, and those that are refused with their place.

use super::*;
use serde_json::{Value, json};

fn good() -> Value {
    json!({
        "protocol": 1, "name": "acme", "version": "1.2",
        "hardware_types": [{"name": "acme-blade", "interfaces": {
            "power": ["acme"], "management": ["acme", "noop"],
        }}],
        "interfaces": [
            {
                "kind": "power", "name": "acme", "targets": ["power on", "power off"],
                "properties": [
                    {"name": "acme_address", "description": "Where it is.", "required": true, "address": true},
                    {"name": "acme_password", "description": "Password", "secret": true},
                ],
                "steps": [{
                    "kind": "clean", "name": "blink", "priority": 5,
                    "args": [{"name": "times", "description": "How often", "required": true}],
                    "on_restart": {"poll": "it cannot be told whether it blinked"},
                }],
            },
            {"kind": "management", "name": "acme", "boot_devices": ["pxe"], "features": ["sensors"]},
            {"kind": "vendor", "name": "acme", "methods": [{
                "name": "hello", "description": "Says hello", "http_methods": ["GET"],
            }]},
        ],
        "example": {"driver_info": {"acme_address": "127.0.0.1"}},
    })
}

fn declared(value: Value) -> Result<Declaration, Unfit> {
    Declaration::of(value.as_object().unwrap().clone())
}

#[test]
fn a_declaration_becomes_what_the_service_serves() {
    let declaration = declared(good()).unwrap();
    let [power, management, vendor] = &declaration.interfaces[..] else {
        panic!("{declaration:?}");
    };
    assert_eq!(
        power.meanings,
        [
            ("acme_address", "Where it is. Required."),
            ("acme_password", "Password. Optional."),
        ]
    );
    assert_eq!(
        power.steps[0].on_restart,
        OnRestart::GoOn("it cannot be told whether it blinked")
    );
    assert!(management.features.contains(&Feature::Sensors));
    assert_eq!(vendor.methods[0].about.http_methods, ["GET"]);
    let blade = declaration.hardware_types[0];
    assert_eq!(blade.supported(InterfaceKind::Management), ["acme", "noop"]);
    // Of the other kinds it has what every type has.
    assert!(blade.supported(InterfaceKind::Boot).contains(&"ipxe"));
}

#[test]
fn what_cannot_be_served_is_refused_with_its_place() {
    let cases: [(&str, Value, &str); 15] = [
        ("/protocol", json!(2), "version 2"),
        ("/name", json!("Acme Inc"), "is no name"),
        ("/version", json!("a\nb"), "one line"),
        ("/interfaces", json!([]), "there is none"),
        (
            "/interfaces/0/kind",
            json!("boot"),
            "cannot have a boot interface",
        ),
        ("/interfaces/0/targets", json!(["power on"]), "power off"),
        ("/interfaces/0/targets", json!(["explode"]), "explode"),
        (
            "/interfaces/0/properties/1/name",
            json!("acme_pin"),
            "its name must say so",
        ),
        (
            "/interfaces/0/steps/0/name",
            json!("reboot"),
            "carries out steps named",
        ),
        (
            "/interfaces/0/steps/0/kind",
            json!("verify"),
            "clean, deploy and service",
        ),
        ("/interfaces/0/steps/0/priority", json!(-1), "between 0"),
        ("/interfaces/1/features", json!(["teleport"]), "teleport"),
        (
            "/interfaces/1/targets",
            json!(["power on"]),
            "only power has this",
        ),
        (
            "/interfaces/2/methods/0/http_methods",
            json!(["BREW"]),
            "at least one of",
        ),
        (
            "/hardware_types/0/interfaces",
            json!({"power": ["acme"]}),
            "must name one",
        ),
    ];
    for (at, value, why) in cases {
        let mut said = good();
        let (parent, key) = at.rsplit_once('/').unwrap();
        said.pointer_mut(parent).unwrap()[key] = value.clone();
        let error = declared(said).unwrap_err().to_string();
        assert!(error.contains(why), "{at} = {value}: {error}");
    }
    let mut misspelt = good();
    misspelt["interfaces"][0]["tragets"] = json!([]);
    assert!(
        declared(misspelt)
            .unwrap_err()
            .to_string()
            .contains("tragets")
    );
    let mut twice = good();
    twice["interfaces"][1] = twice["interfaces"][0].clone();
    assert!(
        declared(twice)
            .unwrap_err()
            .to_string()
            .contains("two power")
    );
    let mut many = good();
    many["interfaces"] = vec![many["interfaces"][0].clone(); 65].into();
    assert!(
        declared(many)
            .unwrap_err()
            .to_string()
            .contains("64 are allowed")
    );
}
