//! Reading the steps of deploy templates and runbooks from a body that has the right shape.

use crate::{args, error::ApiError};
use serde_json::Value;
use types::{InterfaceKind, JsonMap, deploy_template::Rank};

/// A step whose rank is called differently from resource to resource.
pub(super) struct Given {
    pub(super) interface: InterfaceKind,
    pub(super) step: String,
    pub(super) args: JsonMap,
    pub(super) rank: Rank,
}

/// The `steps` of a body. Two with the same interface and name are one too many.
pub(super) fn read(body: &JsonMap, rank: &str) -> Result<Vec<Given>, ApiError> {
    let items = body.get("steps").and_then(Value::as_array);
    let steps: Vec<Given> = items
        .into_iter()
        .flatten()
        .map(|item| one(item, rank))
        .collect::<Result<_, _>>()?;
    check_doubles(&steps)?;
    Ok(steps)
}

fn one(item: &Value, rank: &str) -> Result<Given, ApiError> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    let interface = text("interface");
    let interface = interface
        .parse()
        .map_err(|_| ApiError::invalid(format!("There is no interface '{interface}'.")))?;
    let args = item.get("args").and_then(Value::as_object);
    Ok(Given {
        interface,
        step: text("step").to_owned(),
        args: args.cloned().unwrap_or_default(),
        rank: match item.get(rank) {
            Some(Value::String(digits)) => Rank::Digits(digits.clone()),
            Some(number) => Rank::Number(args::integer(rank, number)?),
            None => Rank::Number(0),
        },
    })
}

/// Steps in the order in which they are kept: those that stay as they were, then the new ones.
pub(super) fn kept_first<S: PartialEq>(old: &[S], mut new: Vec<S>) -> Vec<S> {
    let mut all = Vec::with_capacity(new.len());
    for step in old {
        if let Some(found) = new.iter().position(|candidate| candidate == step) {
            all.push(new.remove(found));
        }
    }
    all.append(&mut new);
    all
}

/// The number behind a rank: that is what is kept of it.
pub(super) fn number(rank: &Rank) -> Rank {
    Rank::Number(rank.value())
}

fn check_doubles(steps: &[Given]) -> Result<(), ApiError> {
    let mut doubles: Vec<String> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let earlier = &steps[..index];
        let same = |s: &&Given| s.interface == step.interface && s.step == step.step;
        let shown = format!("interface: {}, step: {}", step.interface, step.step);
        if earlier.iter().find(same).is_some() && !doubles.contains(&shown) {
            doubles.push(shown);
        }
    }
    if doubles.is_empty() {
        return Ok(());
    }
    doubles.sort();
    // Runbooks are told the same: Ironic forgot that they are no templates.
    Err(ApiError::invalid(format!(
        "Deploy template invalid: Duplicate deploy steps. A template cannot have multiple deploy steps with the same interface and step. Duplicates: {}.",
        doubles.join("; ")
    )))
}
