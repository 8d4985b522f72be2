//! `/corten/v1/leases` and `/corten/v1/networks/{network}/leases`: who has which address.

use super::find;
use crate::{
    args::Args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
};
use serde_json::{Value, json};
use std::net::IpAddr;
use store::dhcp_lease;
use types::site_network::{OwnedLease, Prefix};

/// How many rows a page has, if nothing else is asked for, and at most.
const LIMIT: u32 = 1000;

pub(crate) async fn of_network(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["limit", "marker"])?;
    call.permit(Rule::CortenNetworkGet, &Target::NONE)?;
    let row = find(&call).await?;
    page(&call, &args, Some(row.plan.prefix)).await
}

pub(crate) async fn all(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["limit", "marker"])?;
    call.permit(Rule::CortenNetworkGet, &Target::NONE)?;
    page(&call, &args, None).await
}

async fn page(call: &Call, args: &Args, prefix: Option<Prefix>) -> Result<Reply, ApiError> {
    let (limit, after) = (limit(args)?, after(args)?);
    let db = &call.state.db;
    let leases = dhcp_lease::page(db, prefix, after, limit).await?;
    let next = leases.last().map(|last| last.lease.address);
    let rows: Vec<Value> = leases.iter().map(document).collect();
    let document = json!({"leases": rows, "next": next});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

/// How many rows a page is to have.
pub(super) fn limit(args: &Args) -> Result<u32, ApiError> {
    let Some(limit) = args.integer("limit")? else {
        return Ok(LIMIT);
    };
    match u32::try_from(limit) {
        Ok(limit) if limit > 0 => Ok(limit.min(LIMIT)),
        _ => Err(ApiError::invalid("Limit must be positive.")),
    }
}

/// The last address of the page before.
pub(super) fn after(args: &Args) -> Result<Option<IpAddr>, ApiError> {
    let after = args.string("marker")?.map(str::parse).transpose();
    after.map_err(|_| ApiError::invalid("marker: it is no IP address"))
}

fn document(owned: &OwnedLease) -> Value {
    let kind = match owned.is_fixed {
        true => "fixed",
        false => "leased",
    };
    json!({
        "address": owned.lease.address,
        "mac": owned.lease.mac.to_string(),
        "port_uuid": owned.port,
        "node_uuid": owned.node,
        "node_name": owned.node_name,
        "ends_at": owned.lease.until.to_string(),
        "kind": kind,
        "conductor": owned.conductor,
    })
}
