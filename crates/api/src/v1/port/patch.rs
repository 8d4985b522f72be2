//! `PATCH /ports/{port}`.

use super::{
    KIND,
    attribute::{self, Attributes},
    check_version, ident,
};
use crate::{
    args::object, call::Call, error::ApiError, lookup, patch::Patch, policy::Rule, reply::Reply,
    schema, schema::port::PORT, v1::subject,
};
use serde_json::{Value, json};
use types::{Fault, JsonMap, Port, ProvisionState, version::since};

/// What may be patched, in the order in which a refusal lists it.
const ALLOWED: &[&str] = &[
    "address",
    "extra",
    "is_smartnic",
    "local_link_connection",
    "node_ident",
    "node_uuid",
    "physical_network",
    "portgroup_uuid",
    "pxe_enabled",
    "name",
    "description",
    "vendor",
    "category",
    "available_for_dynamic_portgroup",
];

/// Attributes that older versions may not touch. Later ones slip through, as in Ironic.
const GATED: &[&str] = &[
    "pxe_enabled",
    "local_link_connection",
    "portgroup_uuid",
    "physical_network",
    "is_smartnic",
];

/// How often a patch is applied anew when somebody else changed the port meanwhile.
const ATTEMPTS: usize = 3;

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    let ident = ident(&call)?.to_owned();
    let patch = Patch::parse(&body)?;
    patch.allow(ALLOWED)?;
    check_versions(&call, &patch)?;
    let mut attempt = 1;
    let port = loop {
        let port = lookup::port(&call, &ident, Rule::PortUpdate).await?;
        let base_version = port.version;
        let changed = patched(&call, port.clone(), &patch).await?;
        // A patch that changes nothing leaves no trace on the port.
        if changed == port {
            break port;
        }
        let conductor = &call.state.conductor;
        let result = conductor
            .update_port(&call.ctx.caller, changed, base_version)
            .await;
        match result {
            Err(Fault::Stale(_)) if attempt < ATTEMPTS => attempt += 1,
            other => break other?,
        }
    };
    Ok(Reply::ok(KIND.document(&call, None, &port)))
}

fn check_versions(call: &Call, patch: &Patch) -> Result<(), ApiError> {
    for name in GATED {
        let path = format!("/{name}");
        if patch.values(&path).next().is_some() || patch.removes(&path) {
            check_version(call, name)?;
        }
    }
    let network_type = "/local_link_connection/network_type";
    if patch.values(network_type).next().is_some() || patch.removes(network_type) {
        call.require(since::LINK_NETWORK_TYPE)?;
    }
    Ok(())
}

/// The port as the client wants it.
async fn patched(call: &Call, mut port: Port, patch: &Patch) -> Result<Port, ApiError> {
    let node = subject::node_after(call, port.node, patch).await?;
    let mut document = patch.apply(document(&port))?;
    // Which node it is has been settled; a removal restores it.
    document.insert("node_uuid".into(), node.id.to_string().into());
    let portgroup = document.get("portgroup_uuid").and_then(Value::as_str);
    if patch.touches("portgroup_uuid") {
        attribute::portgroup(call, portgroup, node.id).await?;
    }
    schema::check("patch", &Value::Object(document.clone()), &PORT)?;
    let attributes = Attributes::read(&document)?;
    refuse_null(patch)?;
    if node.provision_state == ProvisionState::Inspecting
        && call.version() >= since::INSPECT_WAIT_STATE
    {
        return Err(ApiError::conflict(format!(
            "Cannot update port \"{}\" on \"{}\" while it is in state \"inspecting\".",
            port.id, node.id
        )));
    }
    if patch.touches("physical_network") {
        attribute::check_network(&document)?;
        // What counts is where the port is, not where the patch puts it.
        if port.portgroup.is_some() && call.version() >= since::PORTGROUP_PHYSICAL_NETWORK {
            return Err(ApiError::invalid(
                "physical_network cannot be changed while the port belongs to a portgroup.",
            ));
        }
    }
    port.node = node.id;
    attributes.apply(&document, &mut port);
    Ok(port)
}

/// Switches have two positions. A removal puts them back to where they were at first.
fn refuse_null(patch: &Patch) -> Result<(), ApiError> {
    for name in ["pxe_enabled", "is_smartnic"] {
        let path = format!("/{name}");
        let mut values = patch.values(&path);
        if values.any(Value::is_null) {
            return Err(ApiError::invalid(format!("Field `{name}' cannot be None")));
        }
    }
    Ok(())
}

/// The attributes that a patch can reach.
fn document(port: &Port) -> JsonMap {
    object(json!({
        "address": port.address,
        "extra": port.extra,
        "is_smartnic": port.is_smartnic,
        "local_link_connection": port.local_link_connection,
        "node_uuid": port.node.to_string(),
        "physical_network": port.physical_network,
        "portgroup_uuid": port.portgroup,
        "pxe_enabled": port.pxe_enabled,
        "name": port.name,
        "description": port.description,
        "vendor": port.vendor,
        "category": port.category,
        "available_for_dynamic_portgroup": port.available_for_dynamic_portgroup,
    }))
}
