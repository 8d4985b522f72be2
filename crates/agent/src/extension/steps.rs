//! Steps of cleaning, deploying and servicing: which there are, and carrying one out.
//!
//! The service asks for the steps once, together with the versions of those who offer them, and shows
//! the versions again with every step. An agent with others is another one: its steps may differ.

use super::Params;
use crate::{
    AgentError,
    agent::Agent,
    command::VERSION_MISMATCH,
    hardware::{Call, StepKind},
};
use serde_json::{Value, json};
use std::sync::Arc;
use types::{JsonMap, pyrepr};

/// What differs between the three.
#[derive(Debug)]
pub(super) struct Family {
    kind: StepKind,
    /// The key of the list of steps.
    steps: &'static str,
    result: &'static str,
    step: &'static str,
    version: &'static str,
}

pub(super) const CLEAN: Family = Family {
    kind: StepKind::Clean,
    steps: "clean_steps",
    result: "clean_result",
    step: "clean_step",
    version: "clean_version",
};

pub(super) const DEPLOY: Family = Family {
    kind: StepKind::Deploy,
    steps: "deploy_steps",
    result: "deploy_result",
    step: "deploy_step",
    version: "deploy_version",
};

pub(super) const SERVICE: Family = Family {
    kind: StepKind::Service,
    steps: "service_steps",
    result: "service_result",
    step: "service_step",
    version: "service_version",
};

pub(super) async fn run(
    agent: &Arc<Agent>,
    family: &Family,
    name: &str,
    params: Params,
) -> Result<Value, AgentError> {
    let (node, ports) = (params.object("node")?, params.list("ports")?);
    agent.remember(&node);
    if name.starts_with("get_") {
        let context = agent.context();
        let managers = agent.managers();
        let steps = managers.steps(&context, family.kind, &node, &ports).await?;
        return Ok(json!({
            family.steps: steps,
            "hardware_manager_version": managers.versions(),
        }));
    }
    execute(agent, family, &params, &node, &ports).await
}

async fn execute(
    agent: &Arc<Agent>,
    family: &Family,
    params: &Params,
    node: &JsonMap,
    ports: &[Value],
) -> Result<Value, AgentError> {
    if let Some(versions) = params.get(family.version) {
        check_versions(&agent.managers().versions(), versions)?;
    }
    let step = params.object("step")?;
    let Some(Value::String(name)) = step.get("step") else {
        return Err(AgentError::failed(
            "CommandExecutionError",
            "Command execution failed",
            format!("Malformed {}, no \"step\" key", family.step),
        ));
    };
    let mut args = params.without(&["step", "node", "ports", family.version]);
    if let Some(Value::Object(of_step)) = step.get("args") {
        args.extend(of_step.clone());
    }
    agent.progress().phase(name);
    let context = agent.context();
    let call = Call {
        method: name,
        kind: Some(family.kind),
        node,
        ports,
        args: &args,
    };
    let result = agent.managers().dispatch(&context, &call).await?;
    Ok(json!({ family.result: result, family.step: step }))
}

fn check_versions(here: &JsonMap, there: &Value) -> Result<(), AgentError> {
    let here = Value::Object(here.clone());
    if here == *there {
        return Ok(());
    }
    Err(AgentError {
        code: 409,
        ..AgentError::failed(
            VERSION_MISMATCH,
            "Hardware managers version mismatch, reload agent with correct version",
            format!(
                "Current versions: {}, versions used by ironic: {}",
                pyrepr::repr(&here),
                pyrepr::repr(there)
            ),
        )
    })
}
