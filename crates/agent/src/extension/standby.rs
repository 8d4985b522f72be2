//! Writing images, and what goes with it. Hardware managers do it; here is what they are asked.

use super::Params;
use crate::{AgentError, agent::Agent, hardware::Call};
use serde_json::Value;
use std::sync::Arc;

/// Has a hardware manager do what a command says.
pub(super) async fn run(
    agent: &Arc<Agent>,
    command: &str,
    params: &Params,
) -> Result<Value, AgentError> {
    let method = match command {
        "prepare_image" | "cache_image" => "write_image",
        "sync" => "full_sync",
        other => other,
    };
    let node = agent.node().unwrap_or_default();
    let args = params.without(&[]);
    let call = Call {
        method,
        kind: None,
        node: &node,
        ports: &[],
        args: &args,
    };
    agent.managers().dispatch(&agent.context(), &call).await
}
