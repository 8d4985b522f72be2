//! What requests look like between processes: the process on the other side may be of the version
//! before ours.

use super::*;
use serde_json::{Value, json};

const ID: &str = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123";

/// The calls that processes of schema version 7 know.
const KNOWN: &str = "create_node update_node destroy_node set_maintenance set_traits add_trait \
    remove_trait provision set_power set_target_raid set_boot_mode set_secure_boot set_console \
    console join_console sensors recording boot_log leases live report note_progress validate \
    boot_device set_boot_device supported_boot_devices inject_nmi indicators indicator \
    set_indicator virtual_media attach_virtual_media detach_virtual_media create_port update_port \
    destroy_port create_portgroup update_portgroup destroy_portgroup create_connector \
    update_connector destroy_connector create_target update_target destroy_target vifs attach_vif \
    detach_vif vendor_methods vendor_call create_allocation destroy_allocation node_for_agent \
    node_for_agent_at heartbeat continue_inspection driver_properties raid_properties";

#[test]
fn every_call_has_the_name_that_the_version_before_knows() {
    let unknown = serde_json::from_value::<Request>(json!({"fly": "away"}));
    let text = unknown.unwrap_err().to_string();
    for name in KNOWN.split_whitespace() {
        assert!(text.contains(&format!("`{name}`")), "{name}: {text}");
    }
}

#[test]
fn arguments_are_a_list_unless_there_is_one() {
    let node = Node::new(ID.parse().unwrap(), "ipmi");
    let row = serde_json::to_value(&node).unwrap();
    for (text, is_repeatable) in [
        (json!({"create_node": row}), false),
        (json!({"destroy_node": ID}), false),
        (json!({"set_maintenance": [ID, true, null]}), false),
        (json!({"set_traits": [ID, ["CUSTOM_A"]]}), false),
        (
            json!({"provision": [ID, "deleted", {"verb": "tear_down"}]}),
            false,
        ),
        (json!({"set_power": [ID, "power on", 15]}), false),
        (json!({"console": ID}), true),
        (
            json!({"join_console": [ID, serde_json::to_value(ConsoleWish::default()).unwrap()]}),
            false,
        ),
        (json!({"indicator": [ID, "chassis", "led"]}), true),
        (json!({"destroy_port": ID}), false),
        (
            json!({"vendor_call": [ID, "method", "GET", {"a": 1}]}),
            false,
        ),
        (json!({"node_for_agent": ID}), false),
        (json!({"node_for_agent_at": [ID, "10.0.0.1"]}), false),
        (json!({"report": "host"}), true),
        (json!({"driver_properties": "ipmi"}), true),
    ] {
        let read: Request = serde_json::from_value(text.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), text);
        assert_eq!(read.is_repeatable(), is_repeatable, "{text}");
    }
}

#[test]
fn the_first_argument_says_whose_call_it_is() {
    let subject = |request: Value| {
        let request: Request = serde_json::from_value(request).unwrap();
        format!("{:?}", request.subject())
    };
    assert!(subject(json!({"console": ID})).starts_with("Node"));
    assert!(subject(json!({"destroy_port": ID})).starts_with("Port("));
    assert_eq!(
        subject(json!({"driver_properties": "ipmi"})),
        r#"Driver("ipmi")"#
    );
    assert_eq!(subject(json!({"report": "h"})), r#"Host("h")"#);
    assert_eq!(subject(json!({"destroy_allocation": ID})), "Anybody");
}
