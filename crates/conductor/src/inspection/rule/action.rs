//! Actions: what a rule does once its conditions hold.

use super::{
    super::{capability, hook::is_truthy, subject::Subject},
    RuleError, Scope,
    argument::{self, ACTIONS},
    attribute::Attributes,
    compare,
    fetch::{Call, Fetch},
};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};
use types::{JsonMap, Port, pyrepr, traits::MAX_PER_NODE};

/// No rule waits longer than this for one answer.
const LONGEST_TIMEOUT_S: f64 = 600.0;

/// Carries out an action, for one item of its loop if it has one.
pub(super) async fn carry_out(
    subject: &mut Subject,
    action: &Value,
    item: Option<&Value>,
    masked: bool,
    fetch: &dyn Fetch,
) -> Result<(), RuleError> {
    let op = action.get("op").and_then(Value::as_str).unwrap_or_default();
    let Some(signature) = ACTIONS.iter().find(|s| s.name == op) else {
        return Err(RuleError::Unexpected(format!(
            "Unsupported action: '{op}'. Supported actions are: {}.",
            argument::names(ACTIONS)
        )));
    };
    let scope = Scope {
        subject,
        masked,
        item,
    };
    let args = Args(signature.arguments(action, &scope)?);
    let failed = |start: &str, why: String| Err(RuleError::action(format_args!("{start}: {why}")));
    let name = args.text("name");
    let path = args.text("path");
    match op {
        "fail" => Err(RuleError::Said(format!(
            "Failed to inspect hardware. Reason: {}",
            args.text("msg")
        ))),
        "log" => log(&args, fetch),
        "set-attribute" => {
            let value = args.value("value");
            let shown = pyrepr::to_str(&value);
            let start = || format!("Failed to set attribute {path} with value {shown}");
            set(&mut subject.node, &path, value).or_else(|why| failed(&start(), why))
        }
        "extend-attribute" => extend(&mut subject.node, &path, &args, "with value")
            .or_else(|why| failed(&format!("Failed to extend attribute {path}"), why)),
        "del-attribute" => delete(&mut subject.node, &path)
            .or_else(|why| failed(&format!("Failed to delete attribute at {path}"), why)),
        "set-capability" => match args.value("value") {
            Value::String(value) => {
                capability::append(&mut subject.node.properties, &name, &value);
                Ok(())
            }
            other => failed(
                &format!("Failed to set capability {name}"),
                format!(
                    "sequence item 1: expected str instance, {} found",
                    compare::kind(&other)
                ),
            ),
        },
        "unset-capability" => {
            capability::remove(&mut subject.node.properties, &name);
            Ok(())
        }
        "add-trait" => add_trait(subject, name),
        "remove-trait" => {
            subject.node.traits.retain(|known| *known != name);
            Ok(())
        }
        "set-plugin-data" => {
            let data = &mut subject.plugin_data;
            set_data(data, &path, args.value("value"))
                .or_else(|why| failed(&format!("Failed to set plugin data at {path}"), why))
        }
        "extend-plugin-data" => extend_data(&mut subject.plugin_data, &path, &args)
            .or_else(|why| failed(&format!("Failed to extend plugin data at {path}"), why)),
        "unset-plugin-data" => {
            if !unset_data(&mut subject.plugin_data, &path) {
                tracing::warn!(node = %subject.node.id, path, "there is no such plugin data");
            }
            Ok(())
        }
        "api-call" => call(&args, fetch).await,
        _ => change_port(subject, op, &path, &args),
    }
}

/// Arguments by name.
struct Args(JsonMap);

impl Args {
    fn value(&self, name: &str) -> Value {
        self.0.get(name).cloned().unwrap_or_default()
    }

    fn text(&self, name: &str) -> String {
        pyrepr::to_str(self.0.get(name).unwrap_or(&Value::Null))
    }

    fn is_set(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(is_truthy)
    }
}

fn log(args: &Args, fetch: &dyn Fetch) -> Result<(), RuleError> {
    let level = match args.0.get("level") {
        None => "info".to_owned(),
        Some(level) => pyrepr::to_str(level).to_lowercase(),
    };
    let message = args.text("msg");
    let level = match level.as_str() {
        "debug" => tracing::Level::DEBUG,
        "info" => tracing::Level::INFO,
        "warning" => tracing::Level::WARN,
        "error" | "critical" => tracing::Level::ERROR,
        _ => {
            return Err(RuleError::Said(format!(
                "Invalid log level: {level}. Choose from debug, info, warning, error, critical"
            )));
        }
    };
    fetch.log(level, &message);
    Ok(())
}

fn add_trait(subject: &mut Subject, name: String) -> Result<(), RuleError> {
    let traits = &mut subject.node.traits;
    if traits.contains(&name) {
        return Ok(());
    }
    if traits.len() >= MAX_PER_NODE {
        return Err(RuleError::action(format_args!(
            "Failed to add new trait {name}: Could not modify traits for node {} as it would exceed the maximum number of traits per node ({} vs. {MAX_PER_NODE})",
            subject.node.row,
            traits.len() + 1
        )));
    }
    traits.push(name);
    traits.sort();
    Ok(())
}

fn change_port(subject: &mut Subject, op: &str, path: &str, args: &Args) -> Result<(), RuleError> {
    let id = args.text("port_id");
    let found = subject.ports.iter_mut();
    let found = found.into_iter().find(|port| port.id.to_string() == id);
    let Some(port): Option<&mut Port> = found else {
        return Err(RuleError::Said(format!("Port {id} could not be found.")));
    };
    let (verb, outcome) = match op {
        "set-port-attribute" => ("set", set(port, path, args.value("value"))),
        // Two spaces: that is how Ironic words it for ports.
        "extend-port-attribute" => ("extend", extend(port, path, args, "with  value")),
        _ => ("delete", delete(port, path)),
    };
    outcome.map_err(|why| {
        RuleError::action(format_args!(
            "Failed to {verb} attribute {path} for port {id}: {why}"
        ))
    })
}

/// The parts of `properties/a/b` or `properties.a.b`.
fn parts(path: &str) -> Vec<&str> {
    if path.contains('/') {
        path.trim_matches('/').split('/').collect()
    } else {
        path.split('.').collect()
    }
}

fn set<A: Attributes>(target: &mut A, path: &str, value: Value) -> Result<(), String> {
    change(target, path, |last| {
        *last = value;
        Ok(())
    })
}

/// Changes what a path leads to; objects on the way are made where they are missing.
fn change<A: Attributes>(
    target: &mut A,
    path: &str,
    change: impl FnOnce(&mut Value) -> Result<(), String>,
) -> Result<(), String> {
    let parts = parts(path);
    let (first, rest) = parts.split_first().ok_or("the path is empty")?;
    let mut base = match (target.get(first), rest) {
        (Some(base), _) => base,
        // Nobody reads an attribute that does not exist, and nobody minds it either.
        (None, []) => Value::Null,
        (None, _) => return Err(no_attribute::<A>(first)),
    };
    change(descend(&mut base, rest)?)?;
    target.set(first, base)
}

fn no_attribute<A: Attributes>(name: &str) -> String {
    format!("'{}' object has no attribute '{name}'", A::KIND)
}

/// The place under a value that the parts lead to, made where it is missing.
fn descend<'v>(value: &'v mut Value, parts: &[&str]) -> Result<&'v mut Value, String> {
    let mut current = value;
    for (at, part) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        let kind = compare::kind(current);
        let Value::Object(map) = current else {
            return Err(match kind {
                "list" if last => "list indices must be integers or slices, not str".to_owned(),
                kind if last => format!("'{kind}' object does not support item assignment"),
                kind => format!("'{kind}' object has no attribute 'setdefault'"),
            });
        };
        current = map.entry(*part).or_insert_with(|| {
            if last {
                Value::Null
            } else {
                JsonMap::new().into()
            }
        });
    }
    Ok(current)
}

fn extend<A: Attributes>(
    target: &mut A,
    path: &str,
    args: &Args,
    with: &str,
) -> Result<(), String> {
    let value = args.value("value");
    let known = parts(path).len() == 1 && target.get(path).is_some();
    change(target, path, |last| {
        // A null attribute is no list; what is not there at all becomes one.
        if last.is_null() && !known {
            *last = Value::Array(Vec::new());
        }
        let Value::Array(items) = last else {
            return Err(format!(
                "Inspection rule action execution failed. Reason: Cannot extend non-list attribute {path} {with} {}",
                pyrepr::to_str(&value)
            ));
        };
        push(items, value, args.is_set("unique"));
        Ok(())
    })
}

fn push(items: &mut Vec<Value>, value: Value, unique: bool) {
    if !unique || !items.iter().any(|item| compare::equal(item, &value)) {
        items.push(value);
    }
}

fn delete<A: Attributes>(target: &mut A, path: &str) -> Result<(), String> {
    let parts = parts(path);
    let (first, rest) = parts.split_first().ok_or("the path is empty")?;
    let mut base = target.get(first).ok_or_else(|| no_attribute::<A>(first))?;
    let Some((last, way)) = rest.split_last() else {
        return target.set(first, Value::Null);
    };
    let mut current = &mut base;
    for part in way {
        let next = current.as_object_mut().and_then(|map| map.get_mut(*part));
        current = next.ok_or_else(|| pyrepr::repr_str(part))?;
    }
    let removed = current
        .as_object_mut()
        .and_then(|map| map.shift_remove(*last));
    removed.ok_or_else(|| pyrepr::repr_str(last))?;
    target.set(first, base)
}

fn set_data(data: &mut JsonMap, path: &str, value: Value) -> Result<(), String> {
    let parts: Vec<&str> = path.split('.').collect();
    let mut root = Value::Object(std::mem::take(data));
    let outcome = descend(&mut root, &parts).map(|place| *place = value);
    if let Value::Object(map) = root {
        *data = map;
    }
    outcome
}

fn extend_data(data: &mut JsonMap, path: &str, args: &Args) -> Result<(), String> {
    let mut parts = path.split('.');
    let first = parts.next().and_then(|part| data.get(part));
    let found = parts.fold(first, |found, part| found?.get(part));
    let mut items = match found {
        Some(Value::Array(items)) => items.clone(),
        Some(other) if is_truthy(other) => {
            let kind = compare::kind(other);
            return Err(format!("'{kind}' object has no attribute 'append'"));
        }
        _ => Vec::new(),
    };
    push(&mut items, args.value("value"), args.is_set("unique"));
    set_data(data, path, items.into())
}

/// Removes what a path leads to, together with an object that would be left empty; false when
/// there is nothing.
fn unset_data(data: &mut JsonMap, path: &str) -> bool {
    match path.split_once('.') {
        None => data.shift_remove(path).is_some(),
        Some((first, rest)) => {
            let Some(Value::Object(inner)) = data.get_mut(first) else {
                return false;
            };
            let removed = unset_data(inner, rest);
            if removed && inner.is_empty() && !rest.contains('.') {
                data.shift_remove(first);
            }
            removed
        }
    }
}

async fn call(args: &Args, fetch: &dyn Fetch) -> Result<(), RuleError> {
    let call = read_call(args)
        .map_err(|why| RuleError::action(format_args!("Invalid parameter: {why}")))?;
    fetch
        .get(&call)
        .await
        .map_err(|why| RuleError::action(format_args!("Request to {} failed: {why}", call.url)))
}

fn read_call(args: &Args) -> Result<Call, String> {
    let number = |name: &str, default: f64| match args.0.get(name) {
        None => Ok(default),
        Some(value) => {
            let text = pyrepr::to_str(value);
            let wrong = || format!("could not convert string to float: '{text}'");
            text.trim().parse::<f64>().map_err(|_| wrong())
        }
    };
    let texts = |name: &str| -> BTreeMap<String, String> {
        let given = args.0.get(name).and_then(Value::as_object);
        let pairs = given.into_iter().flatten();
        pairs
            .map(|(key, value)| (key.clone(), pyrepr::to_str(value)))
            .collect()
    };
    let timeout = number("timeout", 5.0)?;
    if timeout.is_nan() || timeout <= 0.0 {
        return Err("timeout must be greater than zero".into());
    }
    let url = args.text("url");
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err(format!(
            "Invalid URL '{url}': No scheme supplied. Perhaps you meant https://{url}?"
        ));
    }
    let retries = number("retries", 3.0)?;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the value is within bounds"
    )]
    let retries = retries.clamp(0.0, 100.0) as u32;
    Ok(Call {
        url,
        headers: texts("headers"),
        proxies: texts("proxies"),
        timeout: Duration::from_secs_f64(timeout.min(LONGEST_TIMEOUT_S)),
        retries,
        backoff_s: number("backoff_factor", 0.3)?.max(0.0),
    })
}
