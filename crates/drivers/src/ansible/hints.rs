//! Which disk a playbook writes to: hints without operators, as plain values.

use crate::DriverError;
use serde_json::Value;
use types::{JsonMap, Node, pyrepr};

/// Operators of hints, longer ones first.
const OPERATORS: &[&str] = &[
    "<all-in>", "<in>", "<or>", "s==", "s!=", "s>=", "s<=", "s>", "s<", "==", "!=", ">=", "<=",
    "=", ">", "<",
];

/// The hints of a node; an instance may have its own. Those that compare are refused.
pub fn of(node: &Node) -> Result<JsonMap, DriverError> {
    let own = node
        .instance_info
        .get("root_device")
        .filter(|own| !own.is_null());
    let hints = own.or_else(|| node.properties.get("root_device"));
    let Some(Value::Object(hints)) = hints else {
        return Ok(JsonMap::new());
    };
    let mut plain = JsonMap::new();
    let mut advanced = Vec::new();
    for (name, value) in hints {
        let Value::String(text) = value else {
            plain.insert(name.clone(), value.clone());
            continue;
        };
        let operator = OPERATORS.iter().find(|operator| {
            let rest = text.strip_prefix(**operator);
            rest.is_some_and(|rest| rest.starts_with(' '))
        });
        let rest = operator.map(|operator| text[operator.len()..].trim());
        match (operator, rest) {
            (None, _) => {
                plain.insert(name.clone(), value.clone());
            }
            (Some(&"s=="), Some(rest)) => {
                plain.insert(name.clone(), rest.into());
            }
            (Some(&"=="), Some(rest)) => {
                let number = rest.parse::<i64>().map(Value::from);
                plain.insert(name.clone(), number.unwrap_or_else(|_| rest.into()));
            }
            _ => advanced.push(format!("'{name}': {}", pyrepr::repr(value))),
        }
    }
    match advanced.is_empty() {
        true => Ok(plain),
        false => Err(DriverError::InvalidParameter(format!(
            "Ansible-deploy does not support advanced root device hints based on oslo.utils operators. Present advanced hints for node {} are {{{}}}.",
            node.id,
            advanced.join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::NodeId;

    fn node(hints: Value) -> Node {
        let mut node = Node::new(NodeId::generate(), "ipmi");
        node.properties.insert("root_device".into(), hints);
        node
    }

    #[test]
    fn plain_hints_are_passed_on_and_others_refused() {
        let hints =
            json!({"size": "== 100", "model": "s== a b", "wwn": "0x1", "rotational": false});
        let plain = of(&node(hints)).unwrap();
        let expected = json!({"size": 100, "model": "a b", "wwn": "0x1", "rotational": false});
        assert_eq!(Value::Object(plain), expected);
        let node = node(json!({"size": ">= 100", "wwn": "0x1"}));
        assert_eq!(
            of(&node).unwrap_err().to_string(),
            format!(
                "Ansible-deploy does not support advanced root device hints based on oslo.utils operators. Present advanced hints for node {} are {{'size': '>= 100'}}.",
                node.id
            )
        );
    }

    #[test]
    fn an_instance_has_the_last_word() {
        let mut node = node(json!({"size": ">= 100"}));
        let own = json!({"name": "/dev/sda"});
        node.instance_info.insert("root_device".into(), own.clone());
        assert_eq!(Value::Object(of(&node).unwrap()), own);
    }
}
