//! `portgroups`: ports of one machine that act as one. Lists, creation and patches have files of
//! their own.

mod attribute;
pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod patch;

use crate::{
    args,
    call::Call,
    error::ApiError,
    lookup,
    policy::Rule,
    reply::Reply,
    route::Method,
    v1::collection::{self, Collection},
    view::portgroup::{FIELDS, QUERYABLE, is_askable, is_shown},
};
use serde_json::Value;
use types::{Portgroup, version::since};

const KIND: Collection<Portgroup> = Collection {
    name: "portgroups",
    fields: FIELDS,
    id: |row| row.id.to_string(),
};

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let fields = call.args(&["fields"])?.string_list("fields")?;
    collection::check_names(fields.as_deref(), QUERYABLE)?;
    check_fields(&call, fields.as_deref())?;
    let ident = call.param("portgroup");
    let portgroup = lookup::portgroup_at_end(&call, ident, Rule::PortgroupGet).await?;
    Ok(Reply::ok(document(&call, fields, &portgroup)))
}

/// `GET /portgroups/{portgroup}/{fields}`: Ironic takes the rest of the path for `fields`.
pub(crate) async fn get_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    check_fields(&call, Some(&fields))?;
    let ident = call.param("portgroup");
    let portgroup = lookup::portgroup(&call, ident, Rule::PortgroupGet).await?;
    collection::check_known(Some(&fields), FIELDS)?;
    Ok(Reply::ok(document(&call, Some(fields), &portgroup)))
}

/// `GET /portgroups/{portgroup}/detail`.
pub(crate) async fn no_detail(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    Err(ApiError::resource_not_found())
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let ident = call.param("portgroup");
    let portgroup = lookup::portgroup_at_end(&call, ident, Rule::PortgroupDelete).await?;
    let conductor = &call.state.conductor;
    conductor
        .destroy_portgroup(&call.ctx.caller, portgroup.id)
        .await?;
    Ok(Reply::no_content())
}

/// `PATCH` and `DELETE` of `/portgroups`.
pub(crate) async fn no_ident(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    Err(ApiError::missing_parameter("portgroup_ident"))
}

/// A single port group below a node: they are addressed at the top only.
pub(crate) async fn no_single_portgroup(call: Call) -> Result<Reply, ApiError> {
    check_sub_version(&call)?;
    let rule = match call.method {
        Method::Get => {
            let fields = call.args(&["fields"])?.string_list("fields")?;
            collection::check_names(fields.as_deref(), QUERYABLE)?;
            check_fields(&call, fields.as_deref())?;
            Rule::PortgroupGet
        }
        _ => {
            call.no_args()?;
            Rule::PortgroupDelete
        }
    };
    lookup::portgroup_at_end(&call, call.param("portgroup"), rule).await?;
    Err(malformed())
}

pub(super) fn malformed() -> ApiError {
    ApiError::invalid("Malformed request URI.")
}

/// One port group. Without `fields`, all that the version has.
fn document(call: &Call, fields: Option<Vec<String>>, portgroup: &Portgroup) -> Vec<u8> {
    let mut fields = fields.unwrap_or_else(|| {
        let all = FIELDS.iter().map(|field| field.name.to_owned());
        all.collect()
    });
    fields.retain(|field| is_shown(field, call.version()));
    KIND.document(call, Some(&fields), portgroup)
}

fn check_version(call: &Call) -> Result<(), ApiError> {
    if call.version() < since::PORTGROUPS {
        return Err(ApiError::not_in_this_version());
    }
    Ok(())
}

/// What stands below or above another resource came a version later, and other routers judge it.
pub(super) fn check_sub_version(call: &Call) -> Result<(), ApiError> {
    call.require_path(since::PORTGROUP_LINKS)
}

/// 406 for fields that the version does not have.
fn check_fields(call: &Call, fields: Option<&[String]>) -> Result<(), ApiError> {
    let mut fields = fields.unwrap_or_default().iter();
    if fields.all(|field| is_askable(field, call.version())) {
        Ok(())
    } else {
        Err(ApiError::not_acceptable())
    }
}

#[cfg(test)]
mod tests;
