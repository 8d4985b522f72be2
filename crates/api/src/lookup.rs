//! From what a client wrote to the row it means.
//!
//! What the caller may not see is not found here: a handler that looks a node up, or something that
//! belongs to one, cannot forget to hide it. What a caller may *do* with what it sees is for the
//! handler to ask ([`Call::permit`]).

use crate::{
    args::is_logical_name,
    call::Call,
    error::ApiError,
    policy::{Rule, Target},
};
use axum::http::StatusCode;
use std::str::FromStr;
use store::{
    Db, StoreError,
    node::{Column, NodeRow},
};
use types::{
    Allocation, AllocationId, Chassis, Node, NodeId, Port, PortId, Portgroup, PortgroupId,
    id::is_uuid_like, version::since,
};

/// The identifier in a text: with or without hyphens, which are two, and in any case. Other
/// spellings are well-formed for Ironic too, but it never finds them.
pub(crate) fn id<T: FromStr>(text: &str) -> Option<T> {
    let hyphenated = text.len() == 36 && text.as_bytes()[8] == b'-';
    let plain = text.len() == 32;
    text.parse().ok().filter(|_| hyphenated || plain)
}

/// What `find` finds by the identifier in a text, if there is one in it.
pub(crate) async fn by_id<'c, I: FromStr, R, F>(
    call: &'c Call,
    text: &str,
    find: impl FnOnce(&'c Db, I) -> F,
) -> Result<Option<R>, ApiError>
where
    F: Future<Output = Result<Option<R>, StoreError>>,
{
    match id(text) {
        Some(id) => Ok(find(&call.state.db, id).await?),
        None => Ok(None),
    }
}

/// What the one function finds by the identifier in a text, or the other by a name.
pub(crate) async fn by_id_or_name<'c, I: FromStr, R, F>(
    call: &'c Call,
    ident: &str,
    find: impl FnOnce(&'c Db, I) -> F,
    by_name: impl AsyncFn(&Db, &str) -> Result<Option<R>, StoreError>,
) -> Result<Option<R>, ApiError>
where
    F: Future<Output = Result<Option<R>, StoreError>>,
{
    let db = &call.state.db;
    let found = match id(ident) {
        Some(id) => find(db, id).await?,
        None if is_uuid_like(ident) => None,
        None => by_name(db, ident).await?,
    };
    if found.is_none() && call.ctx.json_suffix {
        // `.json` may have been cut off in error.
        return Ok(by_name(db, &format!("{ident}.json")).await?);
    }
    Ok(found)
}

/// The node of this UUID or name, as far as the version knows names, if the caller may see it.
pub(crate) async fn node(call: &Call, ident: &str) -> Result<Node, ApiError> {
    let node = any_node(call, ident).await?;
    if sees(call, &node) {
        Ok(node)
    } else {
        Err(ApiError::node_not_found(ident))
    }
}

/// Whether the caller may know of a node.
pub(crate) fn sees(call: &Call, node: &Node) -> bool {
    call.allows(Rule::NodeGet, &Target::node(node))
}

/// What belongs to a node, for an operation that `rule` is about. Who may not see the node does not
/// see it either.
pub(crate) async fn below<R>(
    call: &Call,
    found: Option<R>,
    node: impl FnOnce(&R) -> NodeId,
    rule: Rule,
    missing: impl FnOnce() -> ApiError,
) -> Result<R, ApiError> {
    let Some(row) = found else {
        return Err(missing());
    };
    // Where everybody may do everything, nobody needs to know whose the node is.
    if call.state.settings.policy.is_open() {
        return Ok(row);
    }
    let node = store::node::find(&call.state.db, node(&row)).await?;
    let Some(node) = node.filter(|node| sees(call, node)) else {
        return Err(missing());
    };
    call.permit(rule, &Target::node(&node))?;
    Ok(row)
}

/// Whether the node that something belongs to is one that lists show to a project.
pub(crate) async fn is_listed(
    call: &Call,
    node: Option<NodeId>,
    project: &str,
) -> Result<bool, ApiError> {
    let Some(id) = node else {
        return Ok(false);
    };
    let node = store::node::find(&call.state.db, id).await?;
    let own = Some(project);
    Ok(node.is_some_and(|node| node.owner.as_deref() == own || node.lessee.as_deref() == own))
}

/// The node that something is to be created below, by a caller who satisfies `rule`. Those who do
/// not are told so before they learn whether there is such a node.
pub(crate) fn parent(
    call: &Call,
    found: Result<Node, ApiError>,
    rule: Rule,
) -> Result<Node, ApiError> {
    match found {
        Ok(node) => {
            call.permit(rule, &Target::node(&node))?;
            Ok(node)
        }
        Err(error) => {
            if error.status() == StatusCode::NOT_FOUND {
                call.permit(rule, &Target::owned_node(None, None))?;
            }
            Err(error)
        }
    }
}

/// As [`node`], whoever asks: for ramdisks, which prove in another way that they may.
pub(crate) async fn any_node(call: &Call, ident: &str) -> Result<Node, ApiError> {
    let db = &call.state.db;
    match name_or_id(call, ident)? {
        Ident::Id(id) => store::node::find(db, id).await?,
        Ident::Name(name) => store::node::find_by_name(db, name).await?,
    }
    .ok_or_else(|| ApiError::node_not_found(ident))
}

async fn any_node_row(call: &Call, ident: &str) -> Result<NodeRow, ApiError> {
    let db = &call.state.db;
    match name_or_id(call, ident)? {
        Ident::Id(id) => store::node::find_row(db, id).await?,
        Ident::Name(name) => store::node::find_row_by_name(db, name).await?,
    }
    .ok_or_else(|| ApiError::node_not_found(ident))
}

/// What a client calls a node.
enum Ident<'a> {
    Id(NodeId),
    Name(&'a str),
}

fn name_or_id<'a>(call: &Call, ident: &'a str) -> Result<Ident<'a>, ApiError> {
    let missing = || ApiError::node_not_found(ident);
    if is_uuid_like(ident) {
        return id(ident).map(Ident::Id).ok_or_else(missing);
    }
    if call.version() < since::NODE_NAME {
        return Err(missing());
    }
    if !is_node_name(call, ident) {
        return Err(ApiError::invalid(format!(
            "Expected a logical name or UUID but received {ident}."
        )));
    }
    Ok(Ident::Name(ident))
}

/// As [`node`], where the ident ends the path: `.json` may have been cut off in error.
pub(crate) async fn node_at_end(call: &Call, ident: &str) -> Result<Node, ApiError> {
    let node = any_node_at_end(call, ident).await?;
    if sees(call, &node) {
        Ok(node)
    } else {
        Err(ApiError::node_not_found(ident))
    }
}

/// As [`node_at_end`], only to be shown.
pub(crate) async fn node_row_at_end(call: &Call, ident: &str) -> Result<NodeRow, ApiError> {
    let row = match any_node_row(call, ident).await {
        Err(error) if call.ctx.json_suffix && error.status() == StatusCode::NOT_FOUND => {
            any_node_row(call, &format!("{ident}.json")).await?
        }
        other => other?,
    };
    let text = |column| row.text(column);
    let target = Target::owned_node(
        text(const { Column::of("owner") }),
        text(const { Column::of("lessee") }),
    );
    if call.allows(Rule::NodeGet, &target) {
        Ok(row)
    } else {
        Err(ApiError::node_not_found(ident))
    }
}

/// As [`any_node`], where the ident ends the path.
pub(crate) async fn any_node_at_end(call: &Call, ident: &str) -> Result<Node, ApiError> {
    match any_node(call, ident).await {
        Err(error) if call.ctx.json_suffix && error.status() == StatusCode::NOT_FOUND => {
            any_node(call, &format!("{ident}.json")).await
        }
        other => other,
    }
}

/// The node of a UUID that the client gave as such.
pub(crate) async fn node_by_uuid(call: &Call, uuid: &str) -> Result<Node, ApiError> {
    let found = by_id(call, uuid, store::node::find).await?;
    found
        .filter(|node| sees(call, node))
        .ok_or_else(|| ApiError::node_not_found(uuid))
}

/// The port of this UUID or name, for an operation that `rule` is about. Every version knows names
/// of ports.
pub(crate) async fn port(call: &Call, ident: &str, rule: Rule) -> Result<Port, ApiError> {
    let found = match id::<PortId>(ident) {
        Some(id) => store::port::find(&call.state.db, id).await?,
        None if is_uuid_like(ident) => None,
        None => store::port::find_by_name(&call.state.db, ident).await?,
    };
    let missing = || ApiError::port_not_found(ident);
    below(call, found, |port| port.node, rule, missing).await
}

/// The port group of this UUID or name, for an operation that `rule` is about.
pub(crate) async fn portgroup(call: &Call, ident: &str, rule: Rule) -> Result<Portgroup, ApiError> {
    let found = match id::<PortgroupId>(ident) {
        Some(id) => store::portgroup::find(&call.state.db, id).await?,
        None if is_uuid_like(ident) => None,
        None => store::portgroup::find_by_name(&call.state.db, ident).await?,
    };
    let missing = || ApiError::portgroup_not_found(ident);
    below(call, found, |group| group.node, rule, missing).await
}

/// As [`portgroup`], where the ident ends the path: `.json` may have been cut off in error.
pub(crate) async fn portgroup_at_end(
    call: &Call,
    ident: &str,
    rule: Rule,
) -> Result<Portgroup, ApiError> {
    match portgroup(call, ident, rule).await {
        Err(error) if call.ctx.json_suffix && error.status() == StatusCode::NOT_FOUND => {
            portgroup(call, &format!("{ident}.json"), rule).await
        }
        other => other,
    }
}

/// The port group of a UUID that the client gave as such, if the caller may see it.
pub(crate) async fn portgroup_by_uuid(call: &Call, uuid: &str) -> Result<Portgroup, ApiError> {
    let found = by_id(call, uuid, store::portgroup::find).await?;
    let missing = || ApiError::portgroup_not_found(uuid);
    below(call, found, |group| group.node, Rule::NodeGet, missing).await
}

/// The allocation of this UUID or name, for an operation that `rule` is about.
pub(crate) async fn allocation(
    call: &Call,
    ident: &str,
    rule: Rule,
) -> Result<Allocation, ApiError> {
    let db = &call.state.db;
    let found = if is_uuid_like(ident) {
        match store::allocation::find(db, &AllocationId::from(ident)).await? {
            Some(allocation) => Some(allocation),
            None => {
                let lower = ident.to_ascii_lowercase();
                store::allocation::find(db, &AllocationId::from(lower.as_str())).await?
            }
        }
    } else if is_logical_name(ident) {
        match store::allocation::find_by_name(db, ident).await? {
            Some(allocation) => Some(allocation),
            // An id may be any text: Ironic does not check what a client chose.
            None => store::allocation::find(db, &AllocationId::from(ident)).await?,
        }
    } else {
        return Err(ApiError::invalid(format!(
            "Expected a logical name or UUID but received {ident}."
        )));
    };
    let visible = found.filter(|found| sees_allocation(call, found));
    let allocation = visible.ok_or_else(|| ApiError::allocation_not_found(ident))?;
    call.permit(rule, &Target::allocation(allocation.owner.as_deref()))?;
    Ok(allocation)
}

/// Whether the caller may know of an allocation.
pub(crate) fn sees_allocation(call: &Call, allocation: &Allocation) -> bool {
    let target = Target::allocation(allocation.owner.as_deref());
    call.allows(Rule::AllocationGet, &target)
}

/// The chassis of this UUID.
pub(crate) async fn chassis(call: &Call, uuid: &str) -> Result<Chassis, ApiError> {
    let found = by_id(call, uuid, store::chassis::find).await?;
    found.ok_or_else(|| ApiError::chassis_not_found(uuid))
}

/// As [`chassis`], where something else refers to it: only those who may see chassis find it.
pub(crate) async fn linked_chassis(call: &Call, uuid: &str) -> Result<Chassis, ApiError> {
    if call.allows(Rule::ChassisGet, &Target::NONE) {
        chassis(call, uuid).await
    } else {
        Err(ApiError::chassis_not_found(uuid))
    }
}

/// Whether a text has the form of a node name in the requested version.
pub(crate) fn is_node_name(call: &Call, text: &str) -> bool {
    if call.version() < since::UNRESTRICTED_NAMES {
        is_host_name(text)
    } else {
        is_logical_name(text)
    }
}

/// The rule before 1.10: a lower-case host name, perhaps with a domain and a final dot.
fn is_host_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let ends_plainly = |label: &str| label.bytes().next_back().is_some_and(plain);
    let mut labels = text.strip_suffix('.').unwrap_or(text).split('.');
    let host = labels.next().unwrap_or_default();
    text.len() <= 255
        && host.len() <= 63
        && host.bytes().next().is_some_and(plain)
        && ends_plainly(host)
        && host.bytes().all(|b| plain(b) || b == b'-')
        && labels.all(|label| {
            label.len() <= 63
                && ends_plainly(label)
                && label.bytes().all(|b| plain(b) || b"-_".contains(&b))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_spelling_of_a_uuid_is_found() {
        let plain = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123";
        assert!(id::<NodeId>(plain).is_some());
        assert!(id::<NodeId>(&plain.to_uppercase()).is_some());
        let bare = id::<NodeId>(&plain.replace('-', ""));
        assert!(bare.is_some() && bare != id::<NodeId>(plain));
        assert!(id::<NodeId>(&format!("{{{plain}}}")).is_none());
        assert!(id::<NodeId>("é").is_none());
    }

    #[test]
    fn host_names_of_old() {
        for fine in ["a", "node-1", "n.example.com", "0", "a.b_c", "a."] {
            assert!(is_host_name(fine), "{fine}");
        }
        for bad in ["", "Upper", "a_b", "-a", "a-", "a..b", ".a"] {
            assert!(!is_host_name(bad), "{bad}");
        }
    }
}
