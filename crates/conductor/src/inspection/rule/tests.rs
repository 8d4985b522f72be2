//! Conditions and texts against what was measured with Ironic's own classes
//! (`measured.json`), and actions against what its service was seen to do.

use super::{
    super::subject::tests::{mac, map, subject},
    fetch::Call,
    format::{self, Scope},
    *,
};
use async_trait::async_trait;
use proptest::prelude::*;
use serde_json::json;
use std::sync::Mutex;

/// The machine that everything was measured on.
fn measured() -> Subject {
    let inventory = json!({
        "cpu": {"count": 4, "flags": ["a", "b"], "ratio": 1.5}, "bmc_address": "192.0.2.7",
        "password": "s3",
        "interfaces": [{"name": "eth0", "mac_address": "aa:bb"}, {"name": "eth1"}],
        "none": null, "yes": true, "text": "a{b}", "empty": {}, "big": 12345678901234567890_u64,
    });
    let plugin_data = json!({"x": {"y": [1, 2]}, "auth_token": "t", "n": 0});
    let mut subject = subject(inventory, plugin_data);
    subject.node.properties = map(json!({"cpu_arch": "x86_64", "n": 5, "list": [1, "a"]}));
    subject.node.driver_info = map(json!({"ipmi_address": "1.2.3.4", "ipmi_password": "pw"}));
    subject
}

fn table(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("measured.json")).unwrap();
    all[name].as_array().unwrap().clone()
}

/// Measured texts call the node `u1`.
fn renamed(value: &Value, subject: &Subject) -> Value {
    let id = subject.node.id.to_string();
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text.replace("u1", &id)).unwrap()
}

#[test]
fn conditions_hold_where_the_original_says_so() {
    let subject = measured();
    for row in table("conditions") {
        let condition = renamed(&row[0], &subject);
        let found = operator::holds(&subject, &condition, true);
        let (said, expected) = match found {
            Ok(holds) => (json!(holds), row[1].clone()),
            Err(error) => {
                let (key, text) = match error {
                    RuleError::Said(text) => ("said", text),
                    RuleError::Unexpected(text) => ("unexpected", text),
                };
                // What is wrong with an expression, Ironic says in other words.
                let start = "invalid regular expression: ";
                let text = if text.starts_with(start) {
                    start.to_owned()
                } else {
                    text
                };
                (json!({key: text}), row[1].clone())
            }
        };
        assert_eq!(said, expected, "{}", row[0]);
    }
}

#[test]
fn fields_are_replaced_as_the_original_does() {
    let subject = measured();
    let scope = Scope {
        subject: &subject,
        masked: true,
        item: None,
    };
    for row in table("texts") {
        let found = format::interpolate(&row[0], &scope, false);
        assert_eq!(found, renamed(&row[1], &subject), "{}", row[0]);
    }
    for row in table("items") {
        let scope = Scope {
            item: Some(&row[1]),
            ..scope
        };
        let found = format::interpolate(&row[0], &scope, false);
        assert_eq!(found, renamed(&row[2], &subject), "{}", row[0]);
    }
}

#[test]
fn what_a_machine_sent_is_not_looked_at_for_fields() {
    let mut subject = measured();
    let evil = json!("{node.driver_info[ipmi_password]}");
    subject.inventory.insert("evil".into(), evil.clone());
    let item = json!("x");
    let scope = Scope {
        subject: &subject,
        masked: false,
        item: Some(&item),
    };
    assert_eq!(
        format::interpolate(&json!("{inventory[evil]}"), &scope, false),
        evil
    );
}

#[test]
fn secrets_show_only_where_they_may() {
    let subject = measured();
    let text = json!("{inventory[password]} {node.driver_info[ipmi_password]} {plugin_data}");
    for (masked, expected) in [
        (
            true,
            "*** ****** {'x': {'y': [1, 2]}, 'auth_token': '***', 'n': 0}",
        ),
        (
            false,
            "s3 pw {'x': {'y': [1, 2]}, 'auth_token': 't', 'n': 0}",
        ),
    ] {
        let scope = Scope {
            subject: &subject,
            masked,
            item: None,
        };
        assert_eq!(format::interpolate(&text, &scope, false), expected);
    }
}

/// Remembers calls and answers what it is told.
#[derive(Default)]
struct Wire {
    calls: Mutex<Vec<Call>>,
    refuse: Option<String>,
}

#[async_trait]
impl Fetch for Wire {
    async fn get(&self, call: &Call) -> Result<(), String> {
        self.calls.lock().unwrap().push(call.clone());
        self.refuse.clone().map_or(Ok(()), Err)
    }
}

fn rule(actions: Value) -> Rule {
    Rule {
        uuid: "R".into(),
        priority: 0,
        sensitive: false,
        conditions: Vec::new(),
        actions: actions.as_array().unwrap().clone(),
    }
}

async fn run(subject: &mut Subject, actions: Value) -> Result<(), String> {
    let rules = vec![rule(actions)];
    apply(subject, rules, MaskSecrets::Always, &Wire::default()).await
}

fn rich() -> Subject {
    let inventory = json!({"cpu": {"count": 2, "architecture": "x86_64"}});
    let plugin_data = json!({
        "s": "text", "l": [1], "d": {"e": 1}, "d2": {"e": 1, "f": 2}, "deep": {"a": {"b": 1}},
    });
    let mut subject = subject(inventory, plugin_data);
    subject.node.extra = map(json!({"l": [1], "s": "x"}));
    subject.node.properties = map(json!({"capabilities": "a:b,c:d"}));
    subject
}

/// Attributes after an action, by name.
#[tokio::test]
async fn actions_change_the_node() {
    let arg = |op: &str, args: Value| json!([{"op": op, "args": args}]);
    for (actions, name, expected) in [
        (
            arg(
                "set-attribute",
                json!({"path": "/properties/a/b", "value": "{inventory[cpu][count]}"}),
            ),
            "properties",
            json!({"capabilities": "a:b,c:d", "a": {"b": "2"}}),
        ),
        (
            arg(
                "set-attribute",
                json!({"path": "properties.cpus", "value": 5}),
            ),
            "properties",
            json!({"capabilities": "a:b,c:d", "cpus": 5}),
        ),
        (
            arg("set-attribute", json!({"path": "name", "value": 5})),
            "name",
            json!("5"),
        ),
        (
            arg(
                "set-attribute",
                json!({"path": "resource_class", "value": null}),
            ),
            "resource_class",
            json!(null),
        ),
        (
            arg("set-attribute", json!({"path": "nope", "value": 5})),
            "name",
            json!(null),
        ),
        (
            arg(
                "set-attribute",
                json!({"path": "maintenance", "value": "false"}),
            ),
            "maintenance",
            json!(true),
        ),
        (
            arg(
                "set-attribute",
                json!({"path": "automated_clean", "value": "x"}),
            ),
            "automated_clean",
            json!(true),
        ),
        (
            arg(
                "set-attribute",
                json!({"path": "boot_interface", "value": "fake"}),
            ),
            "boot_interface",
            json!("fake"),
        ),
        (
            arg("set-attribute", json!(["extra/new", "{node.driver}"])),
            "extra",
            json!({"l": [1], "s": "x", "new": "fake-hardware"}),
        ),
        (
            arg("extend-attribute", json!({"path": "extra/l", "value": 1})),
            "extra",
            json!({"l": [1, 1], "s": "x"}),
        ),
        (
            arg(
                "extend-attribute",
                json!({"path": "extra/l", "value": 1, "unique": true}),
            ),
            "extra",
            json!({"l": [1], "s": "x"}),
        ),
        (
            arg(
                "extend-attribute",
                json!({"path": "extra/new/l", "value": "{node.driver}"}),
            ),
            "extra",
            json!({"l": [1], "s": "x", "new": {"l": ["fake-hardware"]}}),
        ),
        (
            arg("del-attribute", json!({"path": "extra/s"})),
            "extra",
            json!({"l": [1]}),
        ),
        (
            arg("del-attribute", json!({"path": "extra"})),
            "extra",
            json!({}),
        ),
        (
            arg(
                "set-capability",
                json!({"name": "x", "value": "{inventory[cpu][architecture]}"}),
            ),
            "properties",
            json!({"capabilities": "a:b,c:d,x:x86_64"}),
        ),
        (
            arg("unset-capability", json!({"name": "a"})),
            "properties",
            json!({"capabilities": "c:d"}),
        ),
        (
            arg("add-trait", json!({"name": "CUSTOM_A"})),
            "traits",
            json!(["CUSTOM_A"]),
        ),
        (
            json!([{"op": "add-trait", "args": ["B"]}, {"op": "add-trait", "args": ["A"]}, {"op": "add-trait", "args": ["A"]}]),
            "traits",
            json!(["A", "B"]),
        ),
        (
            json!([{"op": "add-trait", "args": ["B"]}, {"op": "remove-trait", "args": ["B"]}, {"op": "remove-trait", "args": ["C"]}]),
            "traits",
            json!([]),
        ),
        (
            json!([{"op": "set-attribute", "args": {"path": "{item[p]}", "value": "{item[v]}"},
            "loop": [{"p": "extra/l1", "v": "{inventory[cpu][count]}"}, {"p": "extra/l2", "v": 5}]}]),
            "extra",
            json!({"l": [1], "s": "x", "l1": "2", "l2": "5"}),
        ),
        (
            json!([{"op": "set-attribute", "args": {"path": "extra/{item[k]}", "value": 1}, "loop": {"k": "a"}}]),
            "extra",
            json!({"l": [1], "s": "x", "a": 1}),
        ),
        (
            arg(
                "log",
                json!({"msg": "hello {node.name}", "level": "WARNING"}),
            ),
            "name",
            json!(null),
        ),
    ] {
        let mut subject = rich();
        assert_eq!(
            run(&mut subject, actions.clone()).await,
            Ok(()),
            "{actions}"
        );
        assert_eq!(
            attribute::read(&subject.node, name),
            Some(expected),
            "{actions}"
        );
    }
}

#[tokio::test]
async fn actions_change_plugin_data() {
    for (op, args, key, expected) in [
        (
            "set-plugin-data",
            json!({"path": "a.b", "value": "{node.driver}"}),
            "a",
            json!({"b": "fake-hardware"}),
        ),
        (
            "set-plugin-data",
            json!({"path": "x", "value": {"k": "{node.driver}"}}),
            "x",
            json!({"k": "fake-hardware"}),
        ),
        (
            "extend-plugin-data",
            json!({"path": "l", "value": 2}),
            "l",
            json!([1, 2]),
        ),
        (
            "extend-plugin-data",
            json!({"path": "l", "value": 1, "unique": true}),
            "l",
            json!([1]),
        ),
        (
            "extend-plugin-data",
            json!({"path": "n.l", "value": 1}),
            "n",
            json!({"l": [1]}),
        ),
        ("unset-plugin-data", json!({"path": "s"}), "s", json!(null)),
        (
            "unset-plugin-data",
            json!({"path": "d.e"}),
            "d",
            json!(null),
        ),
        (
            "unset-plugin-data",
            json!({"path": "d2.e"}),
            "d2",
            json!({"f": 2}),
        ),
        (
            "unset-plugin-data",
            json!({"path": "deep.a.b"}),
            "deep",
            json!({}),
        ),
        (
            "unset-plugin-data",
            json!({"path": "q.r"}),
            "q",
            json!(null),
        ),
    ] {
        let mut subject = rich();
        run(&mut subject, json!([{"op": op, "args": args}]))
            .await
            .unwrap();
        let found = subject.plugin_data.get(key).cloned().unwrap_or_default();
        assert_eq!(found, expected, "{op} {args}");
    }
}

#[tokio::test]
async fn actions_change_ports() {
    let mut subject = rich();
    let id = subject.ports[0].id.to_string();
    let arg = |path: &str, value: Value| json!({"port_id": id, "path": path, "value": value});
    let actions = json!([
        {"op": "set-port-attribute", "args": arg("extra/a", json!("{node.driver}"))},
        {"op": "set-port-attribute", "args": arg("physical_network", json!("p1"))},
        {"op": "set-port-attribute", "args": arg("address", json!("52:54:00:00:00:0A"))},
        {"op": "extend-port-attribute", "args": arg("extra/l", json!(1))},
        {"op": "set-port-attribute", "args": arg("name", json!("n"))},
        {"op": "del-port-attribute", "args": {"port_id": id, "path": "name"}},
    ]);
    run(&mut subject, actions).await.unwrap();
    let port = &subject.ports[0];
    assert_eq!(port.extra, map(json!({"a": "fake-hardware", "l": [1]})));
    assert_eq!(port.physical_network.as_deref(), Some("p1"));
    assert_eq!((port.address, port.name.clone()), (mac(10), None));
}

#[tokio::test]
async fn failing_actions_say_what_the_original_says() {
    let action = "Inspection rule action execution failed. Reason: ";
    let port = rich().ports[0].id.to_string();
    for (op, args, expected) in [
        (
            "fail",
            json!({"msg": "no {node.uuid}"}),
            "Failed to inspect hardware. Reason: no {node.uuid}".to_owned(),
        ),
        (
            "set-attribute",
            json!({"path": "nope/x", "value": 5}),
            format!(
                "{action}Failed to set attribute nope/x with value 5: 'Node' object has no attribute 'nope'"
            ),
        ),
        (
            "set-attribute",
            json!({"path": "extra/s/x", "value": 1}),
            format!(
                "{action}Failed to set attribute extra/s/x with value 1: 'str' object does not support item assignment"
            ),
        ),
        (
            "set-attribute",
            json!({"path": "owner", "value": ["a"]}),
            format!(
                "{action}Failed to set attribute owner with value ['a']: A string is required in field owner, not a list"
            ),
        ),
        (
            "set-attribute",
            json!({"path": "provision_state", "value": "active"}),
            format!(
                "{action}Failed to set attribute provision_state with value active: the attribute provision_state cannot be set by rules"
            ),
        ),
        (
            "extend-attribute",
            json!({"path": "extra/s", "value": "q"}),
            format!(
                "{action}Failed to extend attribute extra/s: {action}Cannot extend non-list attribute extra/s with value q"
            ),
        ),
        (
            "extend-attribute",
            json!({"path": "name", "value": "q"}),
            format!(
                "{action}Failed to extend attribute name: {action}Cannot extend non-list attribute name with value q"
            ),
        ),
        (
            "del-attribute",
            json!({"path": "extra/zz"}),
            format!("{action}Failed to delete attribute at extra/zz: 'zz'"),
        ),
        (
            "del-attribute",
            json!({"path": "nope"}),
            format!(
                "{action}Failed to delete attribute at nope: 'Node' object has no attribute 'nope'"
            ),
        ),
        (
            "set-capability",
            json!({"name": "x", "value": 5}),
            format!(
                "{action}Failed to set capability x: sequence item 1: expected str instance, int found"
            ),
        ),
        (
            "set-plugin-data",
            json!({"path": "s.t", "value": 1}),
            format!(
                "{action}Failed to set plugin data at s.t: 'str' object does not support item assignment"
            ),
        ),
        (
            "extend-plugin-data",
            json!({"path": "s", "value": 1}),
            format!(
                "{action}Failed to extend plugin data at s: 'str' object has no attribute 'append'"
            ),
        ),
        (
            "set-port-attribute",
            json!({"port_id": "nope", "path": "a", "value": 1}),
            "Port nope could not be found.".to_owned(),
        ),
        (
            "log",
            json!({"msg": "x", "level": "odd"}),
            "Invalid log level: odd. Choose from debug, info, warning, error, critical".to_owned(),
        ),
        (
            "api-call",
            json!({"url": "http://h", "timeout": 0}),
            format!("{action}Invalid parameter: timeout must be greater than zero"),
        ),
        (
            "api-call",
            json!({"url": "http://h", "timeout": "x"}),
            format!("{action}Invalid parameter: could not convert string to float: 'x'"),
        ),
        (
            "api-call",
            json!({"url": "nope"}),
            format!(
                "{action}Invalid parameter: Invalid URL 'nope': No scheme supplied. Perhaps you meant https://nope?"
            ),
        ),
        (
            "nope",
            json!({}),
            format!(
                "Failed to apply rule R to node {}: Unsupported action: 'nope'. Supported actions are: {}.",
                rich().node.id,
                argument::names(argument::ACTIONS)
            ),
        ),
        (
            "add-trait",
            json!({}),
            format!(
                "Failed to apply rule R to node {}: add-trait misses its argument 'name'",
                rich().node.id
            ),
        ),
    ] {
        let mut subject = rich();
        let actions = json!([{"op": op, "args": args}]);
        assert_eq!(
            run(&mut subject, actions).await,
            Err(expected),
            "{op} {args}"
        );
    }
    let mut subject = rich();
    let port_of = subject.ports[0].id.to_string();
    assert_ne!(port, port_of);
    for (op, path, expected) in [
        (
            "set-port-attribute",
            "address",
            format!(
                "{action}Failed to set attribute address for port {port_of}: Expected a MAC address but received bad."
            ),
        ),
        (
            "extend-port-attribute",
            "physical_network",
            format!(
                "{action}Failed to extend attribute physical_network for port {port_of}: {action}Cannot extend non-list attribute physical_network with  value bad"
            ),
        ),
        (
            "del-port-attribute",
            "extra/a",
            format!("{action}Failed to delete attribute extra/a for port {port_of}: 'a'"),
        ),
    ] {
        let mut args = json!({"port_id": port_of, "path": path});
        if op != "del-port-attribute" {
            args["value"] = json!("bad");
        }
        let actions = json!([{"op": op, "args": args}]);
        assert_eq!(run(&mut subject, actions).await, Err(expected));
    }
}

#[tokio::test]
async fn a_node_has_so_many_traits_and_no_more() {
    let mut subject = rich();
    subject.node.traits = (0..50).map(|n| format!("CUSTOM_{n:02}")).collect();
    let error = run(&mut subject, json!([{"op": "add-trait", "args": ["X"]}])).await;
    assert!(error.unwrap_err().contains("(51 vs. 50)"));
    run(
        &mut subject,
        json!([{"op": "add-trait", "args": ["CUSTOM_07"]}]),
    )
    .await
    .unwrap();
}

#[tokio::test]
async fn an_address_is_called_with_what_the_rule_says() {
    let mut subject = rich();
    let wire = Wire::default();
    let actions = json!([{"op": "api-call", "args": {
        "url": "http://h/{node.driver}", "headers": {"A": "b"}, "timeout": 2.5, "retries": 1,
    }}]);
    let rules = vec![rule(actions)];
    apply(&mut subject, rules.clone(), MaskSecrets::Always, &wire)
        .await
        .unwrap();
    let call = wire.calls.lock().unwrap()[0].clone();
    assert_eq!(call.url, "http://h/fake-hardware");
    assert_eq!((call.timeout.as_millis(), call.retries), (2500, 1));
    assert_eq!(call.headers["A"], "b");
    let wire = Wire {
        refuse: Some("it is tired".into()),
        ..Wire::default()
    };
    let refused = apply(&mut subject, rules, MaskSecrets::Always, &wire).await;
    assert_eq!(
        refused.unwrap_err(),
        "Inspection rule action execution failed. Reason: Request to http://h/fake-hardware failed: it is tired"
    );
}

#[tokio::test]
async fn rules_run_by_priority_until_one_fails() {
    let mut subject = rich();
    let push = |value: &str| json!([{"op": "extend-attribute", "args": ["extra/order", value]}]);
    let with = |priority: i64, actions: Value| Rule {
        priority,
        ..rule(actions)
    };
    let mut skipped = with(15, push("skipped"));
    skipped.conditions = vec![json!({"op": "eq", "args": {"values": [1, 2]}})];
    let rules = vec![
        with(0, push("last")),
        with(10, push("second")),
        skipped,
        with(10, push("third")),
        with(20, push("first")),
        with(-1, json!([{"op": "fail", "args": {"msg": "over"}}])),
        with(-2, push("never")),
    ];
    let outcome = apply(&mut subject, rules, MaskSecrets::Always, &Wire::default()).await;
    assert_eq!(
        outcome,
        Err("Failed to inspect hardware. Reason: over".into())
    );
    assert_eq!(
        subject.node.extra["order"],
        json!(["first", "second", "third", "last"])
    );
}

#[tokio::test]
async fn sensitive_rules_see_secrets_where_the_operator_allows() {
    for (mask, sensitive, expected) in [
        (MaskSecrets::Always, true, "***"),
        (MaskSecrets::Sensitive, false, "***"),
        (MaskSecrets::Sensitive, true, "s3"),
        (MaskSecrets::Never, false, "s3"),
    ] {
        let mut subject = measured();
        let actions =
            json!([{"op": "set-attribute", "args": ["extra/v", "{inventory[password]}"]}]);
        let rules = vec![Rule {
            sensitive,
            ..rule(actions)
        }];
        apply(&mut subject, rules, mask, &Wire::default())
            .await
            .unwrap();
        assert_eq!(subject.node.extra["v"], expected);
    }
}

proptest! {
    #[test]
    fn no_text_panics_or_loses_what_has_no_fields(text: String) {
        let subject = measured();
        let scope = Scope { subject: &subject, masked: true, item: None };
        let found = format::interpolate(&json!(text), &scope, false);
        if !text.contains(['{', '}']) {
            prop_assert_eq!(found, json!(text));
        }
    }

    #[test]
    fn no_field_panics(name in "[a-z.\\[\\]0-9!:<>=^+#{}é]{0,24}") {
        let subject = measured();
        let scope = Scope { subject: &subject, masked: true, item: None };
        format::interpolate(&json!(format!("{{inventory{name}}}")), &scope, false);
        format::interpolate(&json!(format!("{{{name}}}")), &scope, false);
    }

    #[test]
    fn no_expression_panics(text: String, regex: String) {
        let subject = measured();
        for op in ["matches", "contains"] {
            let condition = json!({"op": op, "args": {"value": text, "regex": regex}});
            let _ = operator::holds(&subject, &condition, true);
        }
    }
}
