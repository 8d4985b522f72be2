//! Lists of ports: `/ports`, `/ports/detail` and the same below a node or a port group.

use super::{KIND, check_version, check_versions};
use crate::{
    args::Args,
    call::Call,
    error::ApiError,
    lookup,
    page::{self, Paging},
    policy::Rule,
    reply::Reply,
    v1::{collection, portgroup, subject},
    view::port::DEFAULT_FIELDS,
};
use store::port::PortFilter;
use types::{NodeId, Port, PortgroupId, id::is_uuid_like, port::MacAddress, version::since};

const COMMON_ARGS: &[&str] = &[
    "node",
    "node_uuid",
    "address",
    "marker",
    "limit",
    "sort_key",
    "sort_dir",
    "portgroup",
    "shard",
    "description_contains",
    "conductor_groups",
];

const UNSORTABLE: &[&str] = &["extra", "internal_info", "local_link_connection"];

/// `GET /ports`.
pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    some(&call, None).await
}

/// `GET /nodes/{node}/ports`.
pub(crate) async fn of_node(call: Call) -> Result<Reply, ApiError> {
    let node = parent(&call).await?;
    some(&call, Some(node)).await
}

/// `GET /ports/detail`.
pub(crate) async fn detail(call: Call) -> Result<Reply, ApiError> {
    in_detail(&call, None).await
}

/// `GET /nodes/{node}/ports/detail`.
pub(crate) async fn detail_of_node(call: Call) -> Result<Reply, ApiError> {
    let node = parent(&call).await?;
    in_detail(&call, Some(node)).await
}

/// `GET /portgroups/{portgroup}/ports`.
pub(crate) async fn of_portgroup(call: Call) -> Result<Reply, ApiError> {
    let portgroup = parent_group(&call).await?;
    some(&call, Some(portgroup)).await
}

/// `GET /portgroups/{portgroup}/ports/detail`.
pub(crate) async fn detail_of_portgroup(call: Call) -> Result<Reply, ApiError> {
    let portgroup = parent_group(&call).await?;
    in_detail(&call, Some(portgroup)).await
}

/// The ports of a port group of a node: two parents are one too many, but what is asked for is
/// judged first.
pub(crate) async fn of_portgroup_of_node(call: Call) -> Result<Reply, ApiError> {
    portgroup::check_sub_version(&call)?;
    let args = call.args(&[COMMON_ARGS, &["fields", "detail"]].concat())?;
    Query::read(&args)?;
    args.string_list("fields")?;
    args.boolean("detail")?;
    Err(ApiError::forbidden("Operation not permitted."))
}

/// What stands above a list in the path.
enum Parent {
    Node(NodeId),
    Portgroup(PortgroupId),
}

/// The port group above the list, which is found by its UUID only.
async fn parent_group(call: &Call) -> Result<Parent, ApiError> {
    portgroup::check_sub_version(call)?;
    let found = lookup::portgroup_by_uuid(call, call.param("portgroup")).await?;
    Ok(Parent::Portgroup(found.id))
}

async fn parent(call: &Call) -> Result<Parent, ApiError> {
    Ok(Parent::Node(subject::node_above_list(call).await?))
}

async fn some(call: &Call, parent: Option<Parent>) -> Result<Reply, ApiError> {
    let names = [COMMON_ARGS, &["fields", "detail"]].concat();
    let args = call.args(&names)?;
    let query = Query::read(&args)?;
    let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
    let project = call.project_of_list(Rule::PortListAll, Rule::PortList)?;
    check_versions(call, fields.as_deref())?;
    query.check_versions(call)?;
    let fields = page::wanted_fields(call, fields, detail, DEFAULT_FIELDS)?;
    let (paging, rows) = query.rows(call, parent, project).await?;
    if !rows.is_empty() {
        // Where there is no port, none lacks a field.
        collection::check_known(fields.as_deref(), KIND.fields)?;
    }
    Ok(KIND.page(call, KIND.name, &paging, fields.as_deref(), detail, &rows))
}

async fn in_detail(call: &Call, parent: Option<Parent>) -> Result<Reply, ApiError> {
    let args = call.args(COMMON_ARGS)?;
    let query = Query::read(&args)?;
    let project = call.project_of_list(Rule::PortListAll, Rule::PortList)?;
    query.check_versions(call)?;
    let (paging, rows) = query.rows(call, parent, project).await?;
    Ok(KIND.page(call, "ports/detail", &paging, None, None, &rows))
}

/// The filters of a list, as the client wrote them.
struct Query<'a> {
    args: &'a Args,
    node: Option<&'a str>,
    address: Option<MacAddress>,
    marker: Option<&'a str>,
    portgroup: Option<&'a str>,
    shards: Option<Vec<String>>,
    description_contains: Option<&'a str>,
    conductor_groups: Option<Vec<String>>,
}

impl<'a> Query<'a> {
    fn read(args: &'a Args) -> Result<Self, ApiError> {
        let (node, node_uuid) = (args.uuid_or_name("node")?, args.uuid("node_uuid")?);
        Ok(Self {
            args,
            node: node_uuid.or(node),
            address: args.mac("address")?,
            marker: {
                let marker = args.uuid("marker")?;
                args.integer("limit")?;
                marker
            },
            portgroup: args.uuid_or_name("portgroup")?,
            shards: args.string_list("shard")?,
            description_contains: args.string("description_contains")?,
            conductor_groups: args.string_list("conductor_groups")?,
        })
    }

    fn check_versions(&self, call: &Call) -> Result<(), ApiError> {
        if let Some(key) = self.args.string("sort_key")? {
            check_version(call, key)?;
        }
        if self.portgroup.is_some() {
            call.require(since::PORTGROUP_LINKS)?;
        }
        if self.shards.is_some() {
            call.require_named(since::SHARD)?;
        }
        if self.node.is_some_and(|node| !is_uuid_like(node)) {
            call.require(since::NODE_NAME)?;
        }
        Ok(())
    }

    async fn rows(
        self,
        call: &Call,
        parent: Option<Parent>,
        project: Option<String>,
    ) -> Result<(Paging, Vec<Port>), ApiError> {
        let paging = Paging::read(call, self.args, self.marker, UNSORTABLE)?;
        if let (Some(project), Some(marker)) = (&project, self.marker) {
            let found = lookup::by_id(call, marker, store::port::find).await?;
            if !lookup::is_listed(call, found.map(|port| port.node), project).await? {
                return Err(ApiError::port_not_found(marker));
            }
        }
        let filter = PortFilter {
            project,
            ..self.filter(call, parent).await?
        };
        let rows = store::port::list(&call.state.db, filter, paging.page())
            .await
            .map_err(|error| paging.refused(error, ApiError::port_not_found))?;
        Ok((paging, rows))
    }

    /// Of several filters, the first of port group, node, address and shard counts.
    async fn filter(self, call: &Call, parent: Option<Parent>) -> Result<PortFilter, ApiError> {
        let (mut node, mut group) = (None, None);
        match parent {
            Some(Parent::Node(id)) => node = Some(id),
            Some(Parent::Portgroup(id)) => group = Some(id),
            None => {}
        }
        let by_node = node.is_some() || self.node.is_some();
        let by_group = group.is_some() || self.portgroup.is_some();
        let shards = self.shards.unwrap_or_default();
        let exclusive = [by_node, by_group, !shards.is_empty()];
        if exclusive.into_iter().filter(|given| *given).count() > 1 {
            return Err(ApiError::forbidden("Operation not permitted."));
        }
        let groups = self.conductor_groups.unwrap_or_default();
        let addressed = by_node || by_group || self.address.is_some();
        if !groups.is_empty() && addressed {
            return Err(ApiError::invalid(
                "Filtering by conductor_groups cannot be combined with node_ident, portgroup_ident, or node address filters.",
            ));
        }
        if let (None, Some(ident)) = (group, self.portgroup) {
            group = Some(lookup::portgroup(call, ident, Rule::NodeGet).await?.id);
        }
        if let (None, Some(ident)) = (node, self.node) {
            node = Some(lookup::node(call, ident).await?.id);
        }
        if !by_node && !by_group && self.address.is_some() {
            return Ok(PortFilter {
                address: self.address,
                ..PortFilter::default()
            });
        }
        Ok(PortFilter {
            node,
            portgroup: group.map(|id| id.to_string()),
            description_contains: self.description_contains.map(str::to_owned),
            shard_in: shards,
            conductor_group_in: groups,
            ..PortFilter::default()
        })
    }
}
