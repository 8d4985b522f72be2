//! `PATCH /portgroups/{portgroup}`.

use super::{attribute::Attributes, check_sub_version, check_version, document, malformed};
use crate::{
    args::{is_logical_name, object},
    call::Call,
    error::ApiError,
    lookup,
    patch::Patch,
    policy::Rule,
    reply::Reply,
    schema,
    schema::portgroup::PORTGROUP,
    v1::{
        collection::{self, ATTEMPTS},
        subject,
    },
};
use serde_json::{Value, json};
use types::{Fault, JsonMap, Portgroup, ProvisionState, pyrepr, version::since};

/// What may be patched, in the order in which a refusal lists it.
const ALLOWED: &[&str] = &[
    "address",
    "extra",
    "mode",
    "name",
    "node_uuid",
    "properties",
    "standalone_ports_supported",
    "physical_network",
    "category",
];

/// `PATCH /nodes/{node}/portgroups`.
pub(crate) async fn patch_below_node(call: Call) -> Result<Reply, ApiError> {
    check_sub_version(&call)?;
    patch_without_ident(call).await
}

/// `PATCH /portgroups`: the patch is judged before a name is missed.
pub(crate) async fn patch_without_ident(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    Patch::parse(&call.body()?)?;
    Err(ApiError::missing_parameter("portgroup_ident"))
}

/// `PATCH` of what is below a port group.
pub(crate) async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    collection::patch_part(call).await
}

/// `PATCH` of a port group below a node: the patch and the name are judged first.
pub(crate) async fn no_patch_here(call: Call) -> Result<Reply, ApiError> {
    check_sub_version(&call)?;
    Patch::parse(&call.body()?)?.allow(ALLOWED)?;
    lookup::portgroup_at_end(&call, call.param("portgroup"), Rule::PortgroupUpdate).await?;
    Err(malformed())
}

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let patch = Patch::parse(&call.body()?)?;
    patch.allow(ALLOWED)?;
    if call.version() < since::PORTGROUP_MODE
        && (patch.touches("mode") || patch.touches("properties"))
    {
        return Err(ApiError::not_acceptable());
    }
    let ident = call.param("portgroup");
    let mut attempt = 1;
    let portgroup = loop {
        let portgroup = lookup::portgroup_at_end(&call, ident, Rule::PortgroupUpdate).await?;
        let base_version = portgroup.version;
        let changed = patched(&call, portgroup.clone(), &patch).await?;
        // A patch that changes nothing leaves no trace.
        if changed == portgroup {
            break portgroup;
        }
        let conductor = &call.state.conductor;
        let result = conductor
            .update_portgroup(&call.ctx.caller, changed, base_version)
            .await;
        match result {
            Err(Fault::Stale(_)) if attempt < ATTEMPTS => attempt += 1,
            other => break other?,
        }
    };
    Ok(Reply::ok(document(&call, None, &portgroup)))
}

/// The port group as the client wants it.
async fn patched(
    call: &Call,
    mut portgroup: Portgroup,
    patch: &Patch,
) -> Result<Portgroup, ApiError> {
    if patch.0.iter().any(|op| op.path == "/mode") && patch.removes("/mode") {
        return Err(ApiError::invalid(
            "'mode' is a mandatory attribute and can not be removed",
        ));
    }
    check_name(&portgroup, patch)?;
    let node = subject::node_after(call, portgroup.node, patch).await?;
    let mut document = patch.apply(attributes_of(&portgroup))?;
    // Which node it is has been settled; a removal restores it.
    document.insert("node_uuid".into(), node.id.to_string().into());
    schema::check("patch", &Value::Object(document.clone()), &PORTGROUP)?;
    let attributes = Attributes::read(&document)?;
    let standalone = document.get("standalone_ports_supported");
    if standalone.is_none_or(Value::is_null) {
        return Err(ApiError::invalid(
            "Field `standalone_ports_supported' cannot be None",
        ));
    }
    if node.provision_state == ProvisionState::Inspecting
        && call.version() >= since::INSPECT_WAIT_STATE
    {
        return Err(ApiError::conflict(format!(
            "Cannot update portgroup \"{}\" on node \"{}\" while it is in state \"inspecting\".",
            portgroup.id, node.id
        )));
    }
    portgroup.node = node.id;
    attributes.apply(&document, &mut portgroup);
    Ok(portgroup)
}

fn check_name(portgroup: &Portgroup, patch: &Patch) -> Result<(), ApiError> {
    for name in patch.values("/name") {
        let shown = pyrepr::to_str(name);
        let nothing = name.is_null() || shown.is_empty();
        let fine = nothing || name.is_string() && is_logical_name(&shown);
        if !fine {
            return Err(ApiError::invalid(format!(
                "Portgroup {}: Cannot change name to invalid name '{shown}'",
                portgroup.id
            )));
        }
    }
    Ok(())
}

/// The attributes that a patch can reach.
fn attributes_of(portgroup: &Portgroup) -> JsonMap {
    object(json!({
        "address": portgroup.address,
        "extra": portgroup.extra,
        "mode": portgroup.mode,
        "name": portgroup.name,
        "node_uuid": portgroup.node.to_string(),
        "properties": portgroup.properties,
        "standalone_ports_supported": portgroup.standalone_ports_supported,
        "physical_network": portgroup.physical_network,
        "category": portgroup.category,
    }))
}
