//! Built-in rules: a YAML file of the operator's, read anew for each inspection.

use super::Rule;
use serde_json::Value;
use std::path::Path;
use types::pyrepr;

/// The rules of a file. A file with a mistake is no file: its rules may depend on each other.
#[expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]
pub(in crate::inspection) fn read(file: &Path) -> Result<Vec<Rule>, String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("Built-in rules file {shown} cannot be read: {error}"))?;
    parse(&text).map_err(|error| format!("Built-in rules file {shown}: {error}"))
}

fn parse(text: &str) -> Result<Vec<Rule>, String> {
    let content: Value = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
    let Value::Array(listed) = content else {
        return Err("it should contain a list of rules".into());
    };
    let mut unnamed = 0_u64;
    listed
        .iter()
        .map(|entry| rule(entry, &mut unnamed))
        .collect()
}

/// Rules without a UUID are counted instead.
fn rule(entry: &Value, unnamed: &mut u64) -> Result<Rule, String> {
    let Value::Object(entry) = entry else {
        return Err(format!("{} is no rule", pyrepr::repr(entry)));
    };
    let uuid = match entry.get("uuid") {
        Some(Value::String(uuid)) => uuid.clone(),
        _ => {
            let uuid = format!("00000000-0000-0000-0000-{unnamed:012x}");
            *unnamed += 1;
            uuid
        }
    };
    let list = |name: &str| match entry.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items.clone()),
        Some(_) => Err(format!("rule {uuid}: {name} must be a list")),
    };
    let (conditions, actions) = (list("conditions")?, list("actions")?);
    super::is_sound(&conditions, &actions).map_err(|why| format!("rule {uuid}: {why}"))?;
    let phase = entry.get("phase").and_then(Value::as_str);
    if phase.is_some_and(|phase| phase != types::inspection_rule::MAIN_PHASE) {
        return Err(format!("rule {uuid}: the only phase is 'main'"));
    }
    let priority = entry.get("priority").unwrap_or(&Value::Null);
    Ok(Rule {
        priority: match priority {
            Value::Null => 0,
            other => other
                .as_i64()
                .ok_or_else(|| format!("rule {uuid}: the priority must be a number"))?,
        },
        sensitive: entry.get("sensitive") == Some(&Value::Bool(true)),
        uuid,
        conditions,
        actions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_becomes_rules() {
        let rules = parse(
            "- priority: -5\n  sensitive: true\n  actions:\n  - op: fail\n    args: {msg: x}\n\
             - uuid: mine\n  conditions:\n  - op: '!eq'\n    args: [[1, 2]]\n  actions:\n  \
             - {op: log, args: {msg: a, level: info}}\n\
             - actions: [{op: add-trait, args: [CUSTOM_A]}]\n",
        )
        .unwrap();
        let names: Vec<_> = rules
            .iter()
            .map(|r| (r.uuid.as_str(), r.priority))
            .collect();
        assert_eq!(
            names,
            [
                ("00000000-0000-0000-0000-000000000000", -5),
                ("mine", 0),
                ("00000000-0000-0000-0000-000000000001", 0),
            ]
        );
        assert!(rules[0].sensitive && !rules[1].sensitive);
    }

    #[test]
    fn a_mistake_is_told() {
        for (text, expected) in [
            ("a: 1", "it should contain a list of rules"),
            ("- 5", "5 is no rule"),
            ("- uuid: u", "rule u: there are no actions"),
            ("- {uuid: u, actions: 5}", "rule u: actions must be a list"),
            (
                "- {uuid: u, actions: [{op: nope}]}",
                "rule u: there is no operation 'nope'",
            ),
            (
                "- {uuid: u, actions: [{op: fail}]}",
                "rule u: fail misses its argument 'msg'",
            ),
            (
                "- {uuid: u, actions: [{op: fail, args: {msg: a, x: 1}}]}",
                "rule u: fail has no argument 'x'",
            ),
            (
                "- {uuid: u, phase: odd, actions: [{op: fail, args: {msg: a}}]}",
                "rule u: the only phase is 'main'",
            ),
            (
                "- {uuid: u, conditions: [{op: '!!eq'}], actions: [{op: fail, args: {msg: a}}]}",
                "rule u: '!!eq' has too many '!'",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), expected, "{text}");
        }
        assert!(parse("- {").is_err());
    }
}
