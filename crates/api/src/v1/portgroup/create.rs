//! `POST /portgroups`.

use super::{attribute::Attributes, check_sub_version, check_version, document};
use crate::{
    args::is_logical_name, call::Call, error::ApiError, lookup, policy::Rule, reply::Reply, schema,
    schema::portgroup::PORTGROUP,
};
use axum::http::StatusCode;
use serde_json::Value;
use types::{JsonMap, Portgroup, PortgroupId, version::since};

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    let (body, attributes) = read(&body)?;
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let node = lookup::node_by_uuid(&call, text("node_uuid").unwrap_or_default()).await;
    let node = lookup::parent(&call, node, Rule::PortgroupCreate).map_err(|error| {
        match error.status() {
            StatusCode::NOT_FOUND => error.as_bad_request(),
            _ => error,
        }
    })?;
    if call.version() < since::PORTGROUP_MODE && (says(body, "mode") || says(body, "properties")) {
        return Err(ApiError::not_acceptable());
    }
    if let Some(name) = text("name").filter(|name| !name.is_empty())
        && !is_logical_name(name)
    {
        return Err(ApiError::invalid(format!(
            "Cannot create portgroup with invalid name '{name}'"
        )));
    }
    let id = match text("uuid") {
        Some(uuid) => uuid
            .parse()
            .map_err(|_| ApiError::invalid(format!("Expected UUID for uuid: {uuid}")))?,
        None => PortgroupId::generate(),
    };
    let mut portgroup = Portgroup::new(id, node.id);
    attributes.apply(body, &mut portgroup);
    if portgroup.mode.as_deref().is_none_or(str::is_empty) {
        portgroup.mode = Some(call.state.settings.default_portgroup_mode.clone());
    }
    let conductor = &call.state.conductor;
    let portgroup = conductor
        .create_portgroup(&call.ctx.caller, portgroup)
        .await?;
    let location = call.ctx.url(&format!("portgroups/{}", portgroup.id));
    Ok(Reply::created(document(&call, None, &portgroup), location))
}

/// `POST /portgroups/{portgroup}`: Ironic takes what stands in the path for the body.
pub(crate) async fn create_at(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    read(&Value::from(call.param("portgroup")))?;
    Err(ApiError::resource_not_found())
}

/// `POST /nodes/{node}/portgroups`: they are created at the top only, but the body is judged first.
pub(crate) async fn create_below_node(call: Call) -> Result<Reply, ApiError> {
    check_sub_version(&call)?;
    let body = call.body()?;
    read(&body)?;
    Err(ApiError::invalid("Malformed request URI."))
}

fn read(body: &Value) -> Result<(&JsonMap, Attributes), ApiError> {
    schema::check("portgroup", body, &PORTGROUP)?;
    let body = body
        .as_object()
        .ok_or_else(|| ApiError::invalid("A port group is described by an object."))?;
    Ok((body, Attributes::read(body)?))
}

/// Whether the body says something about it; what Python takes for nothing says nothing.
fn says(body: &JsonMap, name: &str) -> bool {
    match body.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Object(map)) => !map.is_empty(),
        Some(_) => true,
    }
}
