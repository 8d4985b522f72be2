//! Lists of steps that a user asks for: `clean_steps`, `service_steps`, `deploy_steps`.

use super::report::report;
use crate::schema::{
    Schema, Type,
    steps::{INTERFACE, INTERFACES, RANK, STEP},
};
use serde_json::{Value, json};
use std::sync::LazyLock;
use types::{InterfaceKind, id::is_uuid_like, step::UserStep};

types::wire_enum! {
    /// Which argument the steps came in; the text is how messages begin.
    pub enum StepList {
        Clean = "clean",
        Deploy = "deploy",
        Service = "service",
    }
}

/// Steps of cleaning and service.
const STEPS: Schema = Schema {
    types: &[Type::Array],
    items: Some(&Schema {
        types: &[Type::Object],
        required: &["interface", "step"],
        properties: &[
            ("interface", INTERFACE),
            ("step", STEP),
            ("args", Schema::of(&[Type::Object])),
            ("order", RANK),
            ("execute_on_child_nodes", Schema::of(&[Type::Boolean])),
            ("limit_child_node_execution", Schema::of(&[Type::Array])),
        ],
        closed: true,
        ..Schema::ANY
    }),
    ..Schema::ANY
};

/// The step of service that network interfaces have. Ironic offers it, and its schema refuses it:
/// the list of interfaces there lacks this one.
const NETWORK_STEP: (&str, &str) = ("network", "reattach_networking");

const DEPLOY_STEPS: Schema = Schema {
    types: &[Type::Array],
    items: Some(&Schema {
        types: &[Type::Object],
        properties: &[
            ("args", Schema::of(&[Type::Object])),
            (
                "interface",
                Schema {
                    types: &[Type::String],
                    options: INTERFACES,
                    ..Schema::ANY
                },
            ),
            ("priority", RANK),
            ("step", STEP),
        ],
        required: &["interface", "step", "args", "priority"],
        closed: true,
        ..Schema::ANY
    }),
    ..Schema::ANY
};

/// The same as clients see them in a report.
static PRINTED_STEPS: LazyLock<Value> = LazyLock::new(|| {
    json!({"type": "array", "items": {
        "type": "object",
        "required": ["interface", "step"],
        "properties": {
            "interface": {"description": "driver interface", "enum": INTERFACES},
            "step": {"description": "name of clean step", "type": "string", "minLength": 1},
            "args": {"description": "additional args", "type": "object", "properties": {}},
            "order": printed_count(),
            "execute_on_child_nodes": {
                "description": "Boolean if the step should be executed on child nodes.",
                "type": "boolean",
            },
            "limit_child_node_execution": {
                "description": "List of nodes upon which to execute child node steps on.",
                "type": "array",
            },
        },
        "additionalProperties": false,
    }})
});

static PRINTED_DEPLOY_STEPS: LazyLock<Value> = LazyLock::new(|| {
    json!({"type": "array", "items": {
        "type": "object",
        "properties": {
            "args": {"type": "object"},
            "interface": {"type": "string", "enum": INTERFACES},
            "priority": printed_count(),
            "step": {"type": "string", "minLength": 1},
        },
        "required": ["interface", "step", "args", "priority"],
        "additionalProperties": false,
    }})
});

fn printed_count() -> Value {
    json!({"anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "minLength": 1, "pattern": "^[0-9]+$"},
    ]})
}

/// The steps of a list, none of which is in `disallowed` (as `interface.step`).
pub(crate) fn read(
    list: StepList,
    given: &[Value],
    disallowed: &[String],
) -> Result<Vec<UserStep>, String> {
    let (schema, printed) = match list {
        StepList::Deploy => (&DEPLOY_STEPS, &*PRINTED_DEPLOY_STEPS),
        StepList::Clean | StepList::Service => (&STEPS, &*PRINTED_STEPS),
    };
    let mut value = Value::from(given.to_vec());
    if list == StepList::Service {
        admit_network_step(&mut value);
    }
    if let Some(text) = report(&value, schema, printed) {
        return Err(format!("Invalid {list}_steps: {text}"));
    }
    let steps: Vec<UserStep> = given
        .iter()
        .map(|step| read_one(step).ok_or_else(|| format!("Invalid {list}_steps: {step}")))
        .collect::<Result<_, _>>()?;
    for step in &steps {
        check_children(step)?;
    }
    if let Some(step) = steps.iter().find(|step| disallowed.contains(&step.name())) {
        return Err(format!(
            "{list} step '{}' is not allowed. Disallowed by operator configuration [api]disallow_{list}_steps.",
            step.name()
        ));
    }
    Ok(steps)
}

/// Has the schema look at everything but the interface of [`NETWORK_STEP`].
fn admit_network_step(steps: &mut Value) {
    for step in steps.as_array_mut().into_iter().flatten() {
        let named = (step["interface"].as_str(), step["step"].as_str());
        if named == (Some(NETWORK_STEP.0), Some(NETWORK_STEP.1)) {
            step["interface"] = "deploy".into();
        }
    }
}

/// A step that fits its schema.
fn read_one(given: &Value) -> Option<UserStep> {
    let given = given.as_object()?;
    let interface: InterfaceKind = given.get("interface")?.as_str()?.parse().ok()?;
    let children = given.get("limit_child_node_execution");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some(UserStep {
        interface,
        step: given.get("step")?.as_str()?.to_owned(),
        args: given
            .get("args")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
        priority: given.get("priority").and_then(count),
        execute_on_child_nodes: given.get("execute_on_child_nodes") == Some(&Value::Bool(true)),
        limit_child_node_execution: children
            .and_then(Value::as_array)
            .map(|list| list.iter().map(text).collect())
            .unwrap_or_default(),
        given: given.clone(),
    })
}

/// A whole number; one too large to count is as large as it gets.
fn count(value: &Value) -> Option<i64> {
    match value {
        Value::String(digits) => Some(digits.parse().unwrap_or(i64::MAX)),
        #[allow(
            clippy::cast_possible_truncation,
            reason = "the schema lets only whole floats pass, and the cast saturates"
        )]
        number => number
            .as_i64()
            .or_else(|| number.as_f64().map(|f| f as i64)),
    }
}

/// Child nodes are named by UUID.
fn check_children(step: &UserStep) -> Result<(), String> {
    let named = &step.limit_child_node_execution;
    if step.execute_on_child_nodes && !named.iter().all(|child| is_uuid_like(child)) {
        return Err(format!(
            "Invalid entry detected for execute_on_child_node parameter in step {}.",
            step.step
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(list: StepList, given: Value) -> String {
        read(list, given.as_array().unwrap(), &[]).unwrap_err()
    }

    #[test]
    fn steps_are_read() {
        let given = json!([
            {"interface": "raid", "step": "create", "args": {"a": 1}, "priority": "10"},
            {"interface": "bios", "step": "reset", "args": {}, "priority": 5},
        ]);
        let steps = read(StepList::Deploy, given.as_array().unwrap(), &[]).unwrap();
        assert_eq!(steps[0].interface, InterfaceKind::Raid);
        assert_eq!(steps[0].args["a"], 1);
        assert_eq!(steps[0].priority, Some(10));
        assert_eq!(steps[1].priority, Some(5));
        let child = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123";
        let given = json!([{"interface": "power", "step": "x", "order": 1,
            "execute_on_child_nodes": true, "limit_child_node_execution": [child]}]);
        let steps = read(StepList::Clean, given.as_array().unwrap(), &[]).unwrap();
        assert!(steps[0].execute_on_child_nodes);
        assert_eq!(steps[0].limit_child_node_execution, [child]);
        assert_eq!(steps[0].given["order"], 1);
    }

    #[test]
    fn an_operator_can_forbid_steps() {
        let given = json!([{"interface": "vendor", "step": "send_raw"}]);
        let disallowed = ["vendor.send_raw".to_owned()];
        assert_eq!(
            read(StepList::Clean, given.as_array().unwrap(), &disallowed).unwrap_err(),
            "clean step 'vendor.send_raw' is not allowed. Disallowed by operator configuration [api]disallow_clean_steps."
        );
    }

    #[test]
    fn networks_have_a_step_of_service_only() {
        let given = json!([{"interface": "network", "step": "reattach_networking"}]);
        let steps = read(StepList::Service, given.as_array().unwrap(), &[]).unwrap();
        assert_eq!(steps[0].interface, InterfaceKind::Network);
        assert!(refused(StepList::Clean, given).contains("'network' is not one of"));
        let unknown = json!([{"interface": "network", "step": "x"}]);
        assert!(refused(StepList::Service, unknown).contains("'network' is not one of"));
        for other in [json!(1), json!([1]), json!([{"interface": "network"}])] {
            let list = other.as_array().cloned().unwrap_or_default();
            let refused = read(StepList::Service, &list, &[]).is_err();
            assert_eq!(refused, !list.is_empty(), "{other}");
        }
    }

    #[test]
    fn children_are_named_by_uuid() {
        let given = json!([{"interface": "power", "step": "x",
            "execute_on_child_nodes": true, "limit_child_node_execution": [5]}]);
        assert_eq!(
            refused(StepList::Service, given),
            "Invalid entry detected for execute_on_child_node parameter in step x."
        );
    }

    // The expectations below are what jsonschema 4.26 prints.
    #[test]
    fn the_report_quotes_schema_and_value() {
        assert_eq!(
            refused(StepList::Clean, json!([{"interface": "boot", "step": "x"}])),
            "Invalid clean_steps: 'boot' is not one of ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid']\n\n\
             Failed validating 'enum' in schema['items']['properties']['interface']:\n    \
             {'description': 'driver interface',\n     'enum': ['vendor',\n              'power',\n              \
             'management',\n              'firmware',\n              'deploy',\n              'bios',\n              'raid']}\n\n\
             On instance[0]['interface']:\n    'boot'"
        );
        assert_eq!(
            refused(
                StepList::Service,
                json!([{"interface": "bios", "step": "x"},
                       {"interface": "bios", "step": "x", "execute_on_child_nodes": "yes"}])
            ),
            "Invalid service_steps: 'yes' is not of type 'boolean'\n\n\
             Failed validating 'type' in schema['items']['properties']['execute_on_child_nodes']:\n    \
             {'description': 'Boolean if the step should be executed on child '\n                    \
             'nodes.',\n     'type': 'boolean'}\n\n\
             On instance[1]['execute_on_child_nodes']:\n    'yes'"
        );
    }

    #[test]
    fn a_report_from_inside_alternatives_counts_from_there() {
        assert_eq!(
            refused(
                StepList::Clean,
                json!([{"interface": "deploy", "step": "x", "order": "x"}])
            ),
            "Invalid clean_steps: 'x' does not match '^[0-9]+$'\n\n\
             Failed validating 'pattern' in schema[1]:\n    \
             {'type': 'string', 'minLength': 1, 'pattern': '^[0-9]+$'}\n\n\
             On instance:\n    'x'"
        );
        assert_eq!(
            refused(
                StepList::Deploy,
                json!([{"interface": "deploy", "step": "x", "args": {}, "priority": null}])
            ),
            "Invalid deploy_steps: None is not valid under any of the given schemas\n\n\
             Failed validating 'anyOf' in schema['items']['properties']['priority']:\n    \
             {'anyOf': [{'type': 'integer', 'minimum': 0},\n               \
             {'type': 'string', 'minLength': 1, 'pattern': '^[0-9]+$'}]}\n\n\
             On instance[0]['priority']:\n    None"
        );
    }

    /// Both forms of a schema must speak of the same properties, or a report could not be printed.
    #[test]
    fn what_is_checked_is_what_is_printed() {
        for (schema, printed) in [
            (&STEPS, &*PRINTED_STEPS),
            (&DEPLOY_STEPS, &*PRINTED_DEPLOY_STEPS),
        ] {
            let item = schema.items.unwrap();
            let printed = &printed["items"];
            let names: Vec<&str> = item.property_names().collect();
            let shown: Vec<&String> = printed["properties"].as_object().unwrap().keys().collect();
            assert_eq!(shown, names);
            assert_eq!(printed["required"], json!(item.required));
        }
    }
}
