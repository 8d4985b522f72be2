//! Lists of port groups: `/portgroups`, `/portgroups/detail` and the same below a node.

use super::{KIND, check_fields, check_sub_version, check_version};
use crate::{
    args::Args,
    call::Call,
    error::ApiError,
    lookup,
    page::{self, Paging},
    policy::Rule,
    reply::Reply,
    schema::{self, portgroup::QUERY},
    v1::{collection, subject},
    view::portgroup::{DEFAULT_FIELDS, QUERYABLE},
};
use serde_json::Value;
use store::portgroup::PortgroupFilter;
use types::{JsonMap, NodeId, Portgroup, version::since};

const COMMON_ARGS: &[&str] = &[
    "node",
    "address",
    "marker",
    "limit",
    "sort_key",
    "sort_dir",
    "shard",
    "conductor_groups",
];

const UNSORTABLE: &[&str] = &["extra", "internal_info", "properties"];

/// `GET /portgroups`.
pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    some(&call, None).await
}

/// `GET /nodes/{node}/portgroups`.
pub(crate) async fn of_node(call: Call) -> Result<Reply, ApiError> {
    let parent = parent(&call).await?;
    some(&call, Some(parent)).await
}

/// `GET /portgroups/detail`.
pub(crate) async fn detail(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    in_detail(&call, None).await
}

/// `GET /nodes/{node}/portgroups/detail`.
pub(crate) async fn detail_of_node(call: Call) -> Result<Reply, ApiError> {
    let parent = parent(&call).await?;
    in_detail(&call, Some(parent)).await
}

async fn parent(call: &Call) -> Result<NodeId, ApiError> {
    check_sub_version(call)?;
    subject::node_above_list(call).await
}

async fn some(call: &Call, parent: Option<NodeId>) -> Result<Reply, ApiError> {
    let names = [COMMON_ARGS, &["fields", "detail"]].concat();
    let args = call.args(&names)?;
    args.integer("limit")?;
    let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
    check_query(&args)?;
    collection::check_names(fields.as_deref(), QUERYABLE)?;
    let project = project(call)?;
    check_fields(call, fields.as_deref())?;
    check_sort_key(call, &args)?;
    let fields = page::wanted_fields(call, fields, detail, DEFAULT_FIELDS)?;
    let (paging, rows) = rows(call, &args, parent, project).await?;
    Ok(KIND.page(call, KIND.name, &paging, fields.as_deref(), detail, &rows))
}

async fn in_detail(call: &Call, parent: Option<NodeId>) -> Result<Reply, ApiError> {
    let args = call.args(COMMON_ARGS)?;
    args.integer("limit")?;
    check_query(&args)?;
    let project = project(call)?;
    check_sort_key(call, &args)?;
    let (paging, rows) = rows(call, &args, parent, project).await?;
    Ok(KIND.page(call, "portgroups/detail", &paging, None, None, &rows))
}

/// 406 for an order by a field that the version does not have.
fn check_sort_key(call: &Call, args: &Args) -> Result<(), ApiError> {
    let key = args.string("sort_key")?.map(str::to_owned);
    check_fields(call, key.as_ref().map(std::slice::from_ref))
}

/// The project that the caller gets the port groups of, if not all.
fn project(call: &Call) -> Result<Option<String>, ApiError> {
    Ok(call.project_of_list(Rule::PortgroupListAll, Rule::PortgroupList)?)
}

fn check_query(args: &Args) -> Result<(), ApiError> {
    let mut given = JsonMap::new();
    for name in QUERY.property_names() {
        if let Some(value) = args.value(name) {
            given.insert(name.to_owned(), value.clone());
        }
    }
    schema::check_unnamed(&Value::Object(given), &QUERY)?;
    collection::check_direction(args)
}

async fn rows(
    call: &Call,
    args: &Args,
    parent: Option<NodeId>,
    project: Option<String>,
) -> Result<(Paging, Vec<Portgroup>), ApiError> {
    let shards = args.string_list("shard")?.unwrap_or_default();
    if args.has("shard") {
        call.require_named(since::PORTGROUP_SHARD)?;
    }
    let groups = args.string_list("conductor_groups")?.unwrap_or_default();
    let (node, address) = (args.string("node")?, args.mac("address")?);
    let filters = [
        parent.is_some() || node.is_some(),
        address.is_some(),
        !shards.is_empty(),
        !groups.is_empty(),
    ];
    if filters.into_iter().filter(|given| *given).count() > 1 {
        return Err(ApiError::invalid(
            "Filtering by node, address, or shard simultaneously is not supported.",
        ));
    }
    let paging = Paging::read(call, args, args.string("marker")?, UNSORTABLE)?;
    if let (Some(project), Some(marker)) = (&project, &paging.marker) {
        let found = lookup::by_id(call, marker, store::portgroup::find).await?;
        if !lookup::is_listed(call, found.map(|group| group.node), project).await? {
            return Err(ApiError::portgroup_not_found(marker));
        }
    }
    let node = match (parent, node) {
        (Some(parent), _) => Some(parent),
        (None, Some(ident)) => Some(lookup::node(call, ident).await?.id),
        (None, None) => None,
    };
    let filter = PortgroupFilter {
        node,
        address,
        shard_in: shards,
        conductor_group_in: groups,
        project,
    };
    let rows = store::portgroup::list(&call.state.db, filter, paging.page())
        .await
        .map_err(|error| paging.refused(error, ApiError::portgroup_not_found))?;
    Ok((paging, rows))
}
