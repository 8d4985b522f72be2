//! What a new batch does to each of its nodes, and whether the caller may do that.

use super::{distinct, members::Member, permit};
use crate::{
    args::{self, Args},
    call::Call,
    error::ApiError,
    policy::Rule,
    v1::provision,
};
use serde_json::Value;
use types::{
    JsonMap, PowerTarget,
    batch::{ActionKind, BatchAction},
};

/// Reads the arguments of an action, which are those of the request to one node.
pub(super) async fn read(
    call: &Call,
    arguments: Option<&Value>,
    kind: ActionKind,
    members: &[Member],
) -> Result<BatchAction, ApiError> {
    let arguments = arguments.cloned().unwrap_or(Value::Null);
    let mut given = Args::default();
    for (name, value) in args::object(arguments) {
        given.add(name, value);
    }
    match kind {
        ActionKind::Provision => {
            let (word, request) = provision::for_many(call, &mut given, members).await?;
            Ok(BatchAction::Provision { word, request })
        }
        ActionKind::Power => {
            let action = power(&given)?;
            permit(call, Rule::NodeSetPowerState, &distinct(members))?;
            Ok(action)
        }
        ActionKind::Maintenance => {
            let (action, rule) = maintenance(&given)?;
            permit(call, rule, &distinct(members))?;
            Ok(action)
        }
    }
}

fn power(given: &Args) -> Result<BatchAction, ApiError> {
    given.allow(&["target", "timeout"])?;
    given.require("target")?;
    let word = given.string("target")?.unwrap_or("None");
    let target = word.parse::<PowerTarget>().map_err(|_| {
        let known: Vec<&str> = PowerTarget::ALL.iter().map(|t| t.as_str()).collect();
        ApiError::invalid(format!(
            "There is no power state \"{}\" to ask for. There are: {}.",
            crate::error::start_of(word),
            known.join(", ")
        ))
    })?;
    let timeout_s = given.integer("timeout")?.map(|seconds| {
        u64::try_from(seconds)
            .ok()
            .filter(|seconds| *seconds > 0)
            .ok_or_else(|| ApiError::invalid("timeout has to be positive integer"))
    });
    Ok(BatchAction::Power {
        target,
        timeout_s: timeout_s.transpose()?,
    })
}

fn maintenance(given: &Args) -> Result<(BatchAction, Rule), ApiError> {
    given.allow(&["target", "reason"])?;
    given.require("target")?;
    let reason = given.string("reason")?.map(str::to_owned);
    let (on, rule) = match given.string("target")? {
        Some("on") => (true, Rule::NodeSetMaintenance),
        Some("off") if reason.is_none() => (false, Rule::NodeClearMaintenance),
        Some("off") => {
            return Err(ApiError::invalid(
                "reason is only for maintenance that is switched on.",
            ));
        }
        _ => return Err(ApiError::invalid("The target of maintenance is on or off.")),
    };
    Ok((BatchAction::Maintenance { on, reason }, rule))
}

/// The arguments as they are shown: without secrets, and without what is large.
pub(super) fn shown(action: &BatchAction) -> Value {
    let whole = match action {
        BatchAction::Provision { request, .. } => serde_json::to_value(request),
        other => serde_json::to_value(other),
    };
    let Ok(Value::Object(mut map)) = whole else {
        return Value::Null;
    };
    for name in ["verb", "action", "word"] {
        map.remove(name);
    }
    if let Some(drive) = map.get_mut("configdrive").filter(|drive| !drive.is_null()) {
        *drive = types::mask::MASK.into();
    }
    let map: JsonMap = types::mask::masked(&map);
    Value::Object(map)
}
