//! `/corten/v1/networks/{network}/reservations`: addresses that are kept for certain machines.

use super::{find, leases, not_found};
use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, network::RESERVATION},
};
use serde_json::{Value, json};
use std::net::IpAddr;
use store::{
    StoreError,
    site_network::{self, Reserved},
};
use types::{port::MacAddress, site_network::Reservation};

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["limit", "marker"])?;
    call.permit(Rule::CortenNetworkGet, &Target::NONE)?;
    let (limit, after) = (leases::limit(&args)?, leases::after(&args)?);
    let row = find(&call).await?;
    let mut rows = site_network::reservations(&call.state.db, Some(row.name)).await?;
    rows.retain(|row| after.is_none_or(|after| row.address > after));
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = rows.last().map(|last| last.address);
    let rows: Vec<Value> = rows.iter().map(document).collect();
    let document = json!({"reservations": rows, "next": next});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &RESERVATION)?;
    call.permit(Rule::CortenNetworkUpdate, &Target::NONE)?;
    let body = args::object(body);
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
    let address: IpAddr = text("address")
        .parse()
        .map_err(|_| ApiError::invalid("address: it is no IP address"))?;
    let network = find(&call).await?;
    let (name, plan) = (network.name, network.plan);
    let prefix = plan.prefix;
    if !prefix.contains(address) {
        let text =
            format!("Address {address} is not inside {prefix}, the prefix of network {name}.");
        return Err(ApiError::invalid(text));
    }
    let is_edge = prefix.edges().into_iter().any(|edge| edge == address);
    if is_edge || plan.gateway == Some(address) || plan.server.is_some_and(|own| own == address) {
        return Err(ApiError::invalid(format!(
            "Address {address} is the network's, its gateway's or the service's, and no machine's."
        )));
    }
    let mac = machine(&call, text("port")).await?;
    let stored = site_network::reserve(&call.state.db, name.clone(), mac, address).await;
    let refused = match stored {
        Ok(Reserved::Row(row)) => {
            let base = &call.ctx.base;
            let location = format!("{base}/corten/v1/networks/{name}/reservations/{address}");
            let document = JsonWriter::document(&document(&row));
            return Ok(Reply::created(document, location));
        }
        Err(StoreError::NotFound) => return Err(not_found(name.as_str())),
        Err(error) => return Err(error.into()),
        Ok(Reserved::HasAnother(other)) => {
            format!("{other} is reserved for {mac} in network {name}; release it first.")
        }
        Ok(Reserved::Taken(other)) => format!("{address} is reserved for {other}."),
        Ok(Reserved::Leased(other, until)) => {
            format!("{other} has {address} until {until}; reserve it when that machine is done.")
        }
        Ok(Reserved::TooMany) => format!("Network {name} has too many reservations already."),
    };
    Err(ApiError::conflict(refused))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenNetworkUpdate, &Target::NONE)?;
    let network = find(&call).await?;
    let ident = call.param("address");
    let missing = || {
        let text = format!(
            "Address {ident} is not reserved in network {}.",
            network.name
        );
        ApiError::not_found(text)
    };
    let address: IpAddr = ident.parse().map_err(|_| missing())?;
    let ended = site_network::release_address(&call.state.db, network.name.clone(), address);
    match ended.await {
        Err(StoreError::NotFound) => Err(missing()),
        other => Ok(other.map(|()| Reply::no_content())?),
    }
}

/// The MAC address of a port, which is named by it, by its UUID or by its name. A machine that is no
/// port yet is named by its MAC address.
async fn machine(call: &Call, ident: &str) -> Result<MacAddress, ApiError> {
    if let Ok(mac) = ident.parse() {
        return Ok(mac);
    }
    let port = lookup::port(call, ident, Rule::PortGet).await?;
    Ok(port.address)
}

fn document(row: &Reservation) -> Value {
    json!({
        "network": row.network,
        "address": row.address,
        "mac": row.mac.to_string(),
        "created_at": row.created_at.to_string(),
    })
}
