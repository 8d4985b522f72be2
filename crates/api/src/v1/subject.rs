//! The node that a request below `/nodes/{node}` is about.

use crate::{
    call::Call,
    error::ApiError,
    lookup,
    patch::Patch,
    policy::{Rule, Target},
};
use axum::http::StatusCode;
use types::{Node, NodeId};

/// The node that the path names, if the caller may see it.
pub(crate) async fn node(call: &Call) -> Result<Node, ApiError> {
    lookup::node(call, call.param("node")).await
}

/// The node that the path names, for an operation that `rule` is about. Who may not even see the
/// node is told that there is none.
pub(crate) async fn node_for(call: &Call, rule: Rule) -> Result<Node, ApiError> {
    let node = node(call).await?;
    call.permit(rule, &Target::node(&node))?;
    Ok(node)
}

/// The node above a list of ports or port groups, which is found by its UUID only. Ironic
/// looks for it where port groups are looked for, and says so.
pub(super) async fn node_above_list(call: &Call) -> Result<NodeId, ApiError> {
    match lookup::node_by_uuid(call, call.param("node")).await {
        Ok(node) => Ok(node.id),
        Err(error) if error.status() == StatusCode::NOT_FOUND => {
            Err(ApiError::portgroup_not_found("None"))
        }
        Err(error) => Err(error),
    }
}

/// Refuses work that no conductor would take. Every call to the conductor finds this out too; here
/// it is asked where Ironic asks it before it looks at the arguments.
pub(super) async fn served(call: &Call, node: &Node) -> Result<(), ApiError> {
    let conductor = &call.state.conductor;
    let served = conductor.check_served(node.id, &node.driver, &node.conductor_group);
    Ok(served.await?)
}

/// Where the outcome of a change of state can be seen. A name stays a name.
pub(super) fn states_url(call: &Call) -> String {
    call.ctx
        .url(&format!("nodes/{}/states", call.param("node")))
}

/// The node that a port or port group belongs to after a patch. It may move only between nodes of
/// one owner.
pub(super) async fn node_after(
    call: &Call,
    present: NodeId,
    patch: &Patch,
) -> Result<Node, ApiError> {
    let present = lookup::node(call, &present.to_string()).await?;
    let Some(asked) = patch.values("/node_uuid").next() else {
        return Ok(present);
    };
    let refuse = || {
        ApiError::invalid(format!(
            "Unable to apply the requested node_uuid '{}'. Requested value was invalid.",
            types::pyrepr::to_str(asked)
        ))
    };
    let ident = asked.as_str().ok_or_else(refuse)?;
    let wanted = lookup::node(call, ident).await.map_err(|_| refuse())?;
    if wanted.owner == present.owner {
        Ok(wanted)
    } else {
        Err(refuse())
    }
}
