//! `/corten/v1/networks`: networks that the DHCP server gives addresses in, addresses that are kept
//! for certain machines, and the leases.
//!
//! A network says what every machine in it believes about its gateway and its name server, so only
//! administrators of the system change one; readers of the system see them.

pub(crate) mod leases;
pub(crate) mod reservations;
#[cfg(test)]
mod tests;

use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    schema::{
        self,
        network::{CHANGES, NETWORK},
    },
};
use serde_json::{Value, json};
use store::{
    StoreError,
    site_network::{self, Stored},
};
use types::{
    JsonMap,
    site_network::{NetworkName, NetworkPlan, SiteNetwork},
};

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenNetworkGet, &Target::NONE)?;
    let rows = site_network::list(&call.state.db).await?;
    let rows: Vec<Value> = rows.iter().map(document).collect();
    Ok(Reply::ok(JsonWriter::document(&json!({"networks": rows}))))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenNetworkGet, &Target::NONE)?;
    let row = find(&call).await?;
    Ok(Reply::ok(JsonWriter::document(&document(&row))))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &NETWORK)?;
    call.permit(Rule::CortenNetworkCreate, &Target::NONE)?;
    let mut body = args::object(body);
    let name = match body.remove("name") {
        Some(Value::String(name)) => name,
        _ => String::new(),
    };
    let name: NetworkName =
        name.parse()
            .map_err(|error: types::site_network::BadNetworkName| {
                ApiError::invalid(error.to_string())
            })?;
    let plan = plan(&call, body)?;
    let stored = site_network::insert(&call.state.db, name.clone(), plan).await?;
    let row = taken(&name, stored)?;
    let location = format!("{}/corten/v1/networks/{name}", call.ctx.base);
    let document = JsonWriter::document(&document(&row));
    Ok(Reply::created(document, location))
}

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &CHANGES)?;
    call.permit(Rule::CortenNetworkUpdate, &Target::NONE)?;
    let row = find(&call).await?;
    let mut whole = match serde_json::to_value(&row.plan) {
        Ok(plan) => args::object(plan),
        Err(error) => return Err(ApiError::internal(error.to_string())),
    };
    whole.extend(args::object(body));
    let plan = plan(&call, whole)?;
    let name = row.name;
    let stored = site_network::replace(&call.state.db, name.clone(), row.version, plan).await;
    let stored = stored.map_err(|error| match error {
        StoreError::Stale => {
            let text =
                format!("Network {name} was changed by another request meanwhile; try again.");
            ApiError::conflict(text)
        }
        other => other.into(),
    })?;
    let row = taken(&name, stored)?;
    Ok(Reply::ok(JsonWriter::document(&document(&row))))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["force"])?;
    let is_forced = args.boolean("force")?.unwrap_or(false);
    call.permit(Rule::CortenNetworkDelete, &Target::NONE)?;
    let row = find(&call).await?;
    let db = &call.state.db;
    let prefix = Some(row.plan.prefix);
    let leases = store::dhcp_lease::page(db, prefix, None, 1).await?;
    if let (Some(one), false) = (leases.first(), is_forced) {
        return Err(ApiError::conflict(format!(
            "Machines have addresses in network {}, among them {} with {}, which they could not \
             renew; say force to remove it all the same.",
            row.name, one.lease.mac, one.lease.address
        )));
    }
    match site_network::delete(db, row.name.clone()).await {
        Err(StoreError::NotFound) => Err(not_found(row.name.as_str())),
        other => Ok(other.map(|()| Reply::no_content())?),
    }
}

/// A plan as a body describes it.
fn plan(call: &Call, mut body: JsonMap) -> Result<NetworkPlan, ApiError> {
    // What is null is not there: so it is taken out of a plan.
    body.retain(|_, value| !value.is_null());
    for (name, value) in &body {
        let mut alone = JsonMap::new();
        alone.insert("prefix".to_owned(), json!("10.0.0.0/24"));
        alone.insert(name.clone(), value.clone());
        let read = serde_json::from_value::<NetworkPlan>(Value::Object(alone));
        read.map_err(|error| ApiError::invalid(format!("{name}: {error}")))?;
    }
    let read = serde_json::from_value::<NetworkPlan>(Value::Object(body));
    let plan = read.map_err(|error| ApiError::invalid(error.to_string()))?;
    plan.check()
        .map_err(|error| ApiError::invalid(error.to_string()))?;
    let configured = call.state.settings.configured_networks.iter();
    let mut overlapping = configured.filter(|prefix| prefix.overlaps(&plan.prefix));
    match overlapping.next() {
        Some(other) => Err(ApiError::conflict(format!(
            "Prefix {} overlaps {other}, which is a network of [corten]dhcp_networks in the \
             configuration.",
            plan.prefix
        ))),
        None => Ok(plan),
    }
}

fn taken(name: &NetworkName, stored: Stored) -> Result<SiteNetwork, ApiError> {
    let refused = match stored {
        Stored::Row(row) => return Ok(*row),
        Stored::NameTaken => format!("A network with name {name} already exists."),
        Stored::Overlaps(other) => format!(
            "The prefix of network {name} overlaps {}, which is that of network {}.",
            other.plan.prefix, other.name
        ),
        Stored::ReservationOutside(address) => format!(
            "Address {address} is reserved in network {name} and would be outside of its prefix; \
             end the reservation first."
        ),
        Stored::TooMany => format!("There are {} networks already.", site_network::MOST),
    };
    Err(ApiError::conflict(refused))
}

async fn find(call: &Call) -> Result<SiteNetwork, ApiError> {
    let ident = call.param("network");
    let Ok(name) = ident.parse::<NetworkName>() else {
        return Err(not_found(ident));
    };
    let found = site_network::find(&call.state.db, &name).await?;
    found.ok_or_else(|| not_found(ident))
}

fn not_found(ident: &str) -> ApiError {
    ApiError::not_found(format!("Network {ident} could not be found."))
}

fn document(row: &SiteNetwork) -> Value {
    let plan = &row.plan;
    json!({
        "name": row.name,
        "prefix": plan.prefix,
        "vlan": plan.vlan,
        "ranges": plan.ranges,
        "gateway": plan.gateway,
        "dns_servers": plan.dns_servers,
        "ntp_servers": plan.ntp_servers,
        "domain": plan.domain,
        "mtu": plan.mtu,
        "relay": plan.relay,
        "interface": plan.interface,
        "server": plan.server,
        "lease_seconds": plan.lease_seconds,
        "conductor": plan.conductor,
        "served_by": row.served_by,
        "created_at": row.created_at.to_string(),
        "updated_at": row.updated_at.map(|at| at.to_string()),
    })
}
