//! `POST /ports`.

use super::{
    KIND,
    attribute::{self, Attributes},
    check_version,
};
use crate::{
    call::Call, check::local_link, error::ApiError, lookup, policy::Rule, reply::Reply, schema,
    schema::port::PORT,
};
use axum::http::StatusCode;
use serde_json::Value;
use types::{JsonMap, Node, Port, PortId, version::since};

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    let (body, attributes) = read(&body)?;
    let node = node(&call, body).await?;
    check_versions(&call, body)?;
    let portgroup = attribute::portgroup(&call, attributes.portgroup.as_deref(), node.id).await?;
    if attributes.is_smartnic == Some(true)
        && let Some(link) = &attributes.local_link_connection
        && !local_link::serves_smart_nic(link)
    {
        return Err(ApiError::invalid(
            "Smart NIC port must have port_id and hostname in local_link_connection",
        ));
    }
    attribute::check_network(body)?;
    // Only who asks for network boot is refused; the default is taken without a word.
    let asked_for_boot = body
        .get("pxe_enabled")
        .is_some_and(|value| !value.is_null());
    if let Some(portgroup) = &portgroup
        && asked_for_boot
        && attributes.pxe_enabled
        && !portgroup.standalone_ports_supported
    {
        return Err(ApiError::conflict(format!(
            "Port group {} doesn't support standalone ports. This port cannot be created as a member of that portgroup as the port's 'pxe_enabled' field was set to True.",
            portgroup.id
        )));
    }
    let id = match body.get("uuid").and_then(Value::as_str) {
        Some(uuid) => uuid
            .parse()
            .map_err(|_| ApiError::invalid(format!("Expected UUID for uuid: {uuid}")))?,
        None => PortId::generate(),
    };
    let mut port = Port::new(id, node.id, attributes.address);
    attributes.apply(body, &mut port);
    port.is_smartnic = port.is_smartnic.or(Some(false));
    let conductor = &call.state.conductor;
    let port = conductor.create_port(&call.ctx.caller, port).await?;
    let location = call.ctx.url(&format!("ports/{}", port.id));
    Ok(Reply::created(KIND.document(&call, None, &port), location))
}

/// `POST /ports/{port}`: Ironic takes what stands in the path for the body.
pub(crate) async fn create_at(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    read(&Value::from(call.param("port")))?;
    Err(ApiError::resource_not_found())
}

/// `POST /nodes/{node}/ports`: ports are created at the top only, but the body is judged first.
pub(crate) async fn create_below_node(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    // Nothing at all is not judged.
    if !body.is_null() {
        read(&body)?;
    }
    Err(ApiError::invalid("Malformed request URI."))
}

fn read(body: &Value) -> Result<(&JsonMap, Attributes), ApiError> {
    schema::check("port", body, &PORT)?;
    let body = body
        .as_object()
        .ok_or_else(|| ApiError::invalid("A port is described by an object."))?;
    Ok((body, Attributes::read(body)?))
}

/// The node that the port belongs to. That it is unknown is a mistake in the body, not in the path.
async fn node(call: &Call, body: &JsonMap) -> Result<Node, ApiError> {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let (uuid, ident) = (text("node_uuid"), text("node_ident"));
    if ident.is_some() {
        call.require(since::PORT_NODE_IDENT)?;
    }
    let found = lookup::node(call, ident.or(uuid).unwrap_or_default()).await;
    lookup::parent(call, found, Rule::PortCreate).map_err(|error| match error.status() {
        // Ironic names only what was given as a UUID.
        StatusCode::NOT_FOUND => ApiError::node_not_found(uuid.unwrap_or("None")).as_bad_request(),
        _ => error,
    })
}

/// 406 for attributes that the version does not have, be they null.
fn check_versions(call: &Call, body: &JsonMap) -> Result<(), ApiError> {
    for name in body.keys() {
        check_version(call, name)?;
    }
    let link = body.get("local_link_connection").and_then(Value::as_object);
    if link.is_some_and(|link| !local_link::is_known_to(link, call.version())) {
        return Err(ApiError::not_acceptable());
    }
    Ok(())
}
