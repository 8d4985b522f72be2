//! Lists of nodes: `/nodes`, `/nodes/detail` and the same below a chassis.

use crate::{
    answer_buffer,
    args::Args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    page::{self, Paging},
    policy::{Reach, Rule, Target},
    reply::Reply,
    view::{
        Selection,
        node::{self as view, Viewer},
    },
};
use std::{ops::ControlFlow, sync::Arc};
use store::node::{Children, NodeFilter, NodeRow};
use types::{ApiVersion, ChassisId, ProvisionState, node::NodeFault, version::since};

/// Arguments of lists; the first two are not those of `/nodes/detail`.
const ARGS: &[&str] = &[
    "fields",
    "detail",
    "chassis_uuid",
    "instance_uuid",
    "associated",
    "maintenance",
    "retired",
    "provision_state",
    "marker",
    "limit",
    "sort_key",
    "sort_dir",
    "driver",
    "resource_class",
    "fault",
    "conductor_group",
    "conductor",
    "owner",
    "description_contains",
    "lessee",
    "project",
    "shard",
    "sharded",
    "include_children",
    "parent_node",
    "instance_name",
];

/// Attributes that hold objects; nobody can sort by them.
const UNSORTABLE: &[&str] = &[
    "properties",
    "driver_info",
    "extra",
    "instance_info",
    "driver_internal_info",
    "clean_step",
    "deploy_step",
    "raid_config",
    "target_raid_config",
    "traits",
    "network_data",
    "service_step",
];

/// `GET /nodes`.
pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    list_some(Arc::new(call), None).await
}

/// `GET /chassis/{chassis}/nodes`.
pub(crate) async fn of_chassis(call: Call) -> Result<Reply, ApiError> {
    let chassis = call.param("chassis").to_owned();
    list_some(Arc::new(call), Some(&chassis)).await
}

/// `GET /nodes/detail`.
pub(crate) async fn detail(call: Call) -> Result<Reply, ApiError> {
    list_in_detail(Arc::new(call), None).await
}

/// `GET /chassis/{chassis}/nodes/detail`.
pub(crate) async fn detail_of_chassis(call: Call) -> Result<Reply, ApiError> {
    let chassis = call.param("chassis").to_owned();
    list_in_detail(Arc::new(call), Some(&chassis)).await
}

/// `GET /nodes/{node}/detail`: details are those of the collection. What precedes the word is taken
/// for a chassis, as in Ironic.
pub(crate) async fn no_detail(call: Call) -> Result<Reply, ApiError> {
    crate::args::uuid("chassis_uuid", &call.param("node").into())?;
    Err(ApiError::resource_not_found())
}

async fn list_some(call: Arc<Call>, chassis: Option<&str>) -> Result<Reply, ApiError> {
    let args = call.args(ARGS)?;
    let mut query = Query::read(&args, chassis)?;
    let fields = args.string_list("fields")?;
    let detail = args.boolean("detail")?;
    query.restrict(&call)?;
    let version = call.version();
    if let Some(fields) = &fields {
        call.require(since::FIELDS_QUERY)?;
        view::check_versions(version, fields.iter().map(String::as_str))?;
    }
    view::check_versions(version, args.string("sort_key")?)?;
    query.check_versions(&call, true)?;
    let fields = page::wanted_fields(&call, fields, detail, view::DEFAULT_FIELDS)?;
    let shown = match &fields {
        None => Selection::full(view::FIELDS, version),
        // At 1.1 the default list names a field that cannot be asked for yet.
        Some(fields) if fields == view::DEFAULT_FIELDS => {
            Selection::named(view::FIELDS, version, view::DEFAULT_FIELDS)
        }
        Some(fields) => view::select(version, fields)?,
    };
    query.answer(call, "nodes", fields, shown, detail).await
}

async fn list_in_detail(call: Arc<Call>, chassis: Option<&str>) -> Result<Reply, ApiError> {
    let args = call.args(&ARGS[2..])?;
    let mut query = Query::read(&args, chassis)?;
    query.restrict(&call)?;
    query.check_versions(&call, false)?;
    view::check_versions(call.version(), args.string("sort_key")?)?;
    let shown = Selection::full(view::FIELDS, call.version());
    query.answer(call, "nodes/detail", None, shown, None).await
}

/// The filters of a list, as the client wrote them.
struct Query<'a> {
    args: &'a Args,
    filter: NodeFilter,
    chassis: Option<&'a str>,
    provision_state: Option<&'a str>,
    fault: Option<&'a str>,
    conductor: Option<&'a str>,
    marker: Option<&'a str>,
    /// Whether the caller only gets what is its project's.
    restricted: bool,
}

impl<'a> Query<'a> {
    fn read(args: &'a Args, chassis: Option<&'a str>) -> Result<Self, ApiError> {
        let owned = |name: &str| Ok::<_, ApiError>(args.string(name)?.map(str::to_owned));
        let chassis = match chassis {
            Some(given) => {
                let given = &serde_json::Value::from(given);
                crate::args::uuid("chassis_uuid", given)?;
                chassis
            }
            None => args.uuid("chassis_uuid")?,
        };
        let mut filter = NodeFilter {
            instance_uuid: args.uuid("instance_uuid")?.map(str::to_owned),
            associated: args.boolean("associated")?,
            maintenance: args.boolean("maintenance")?,
            retired: args.boolean("retired")?,
            ..NodeFilter::default()
        };
        let provision_state = args.string("provision_state")?;
        let marker = args.uuid("marker")?;
        args.integer("limit")?;
        args.string("sort_key")?;
        args.string("sort_dir")?;
        filter.driver = owned("driver")?;
        filter.resource_class = owned("resource_class")?;
        let fault = args.string("fault")?;
        filter.conductor_group = owned("conductor_group")?;
        let conductor = args.string("conductor")?;
        filter.owner = owned("owner")?;
        filter.description_contains = owned("description_contains")?;
        filter.lessee = owned("lessee")?;
        filter.project = owned("project")?;
        filter.shard_in = args.string_list("shard")?.unwrap_or_default();
        if args.value("shard").is_some() && filter.shard_in.is_empty() {
            // Whoever names no shard does not get the nodes of all.
            filter.shard_in.push(String::new());
        }
        filter.sharded = args.boolean("sharded")?;
        let include_children = args.boolean("include_children")?;
        filter.children = match (include_children, owned("parent_node")?) {
            (Some(true), _) => Children::Include,
            (_, Some(parent)) => Children::Of(parent),
            (_, None) => Children::Exclude,
        };
        filter.instance_name = owned("instance_name")?;
        Ok(Self {
            args,
            filter,
            chassis,
            provision_state,
            fault,
            conductor,
            marker,
            restricted: false,
        })
    }

    /// 403 for those who get no list; narrows it to the own project for those who get no more.
    fn restrict(&mut self, call: &Call) -> Result<(), ApiError> {
        let asked = self.filter.project.as_deref();
        if let Reach::Project(own) = call.reach(Rule::NodeListAll, Rule::NodeList, asked)? {
            self.filter.project = Some(own.to_owned());
            self.restricted = true;
        }
        Ok(())
    }

    /// Fields that the caller does not see of every node here: to sort by one would tell of it.
    fn hidden(&self, call: &Call) -> Vec<&'static str> {
        // Whoever owns a node sees no less of it than who leases it.
        let own = self.filter.project.as_deref().filter(|_| self.restricted);
        let policy = &call.state.settings.policy;
        let hidden = policy.hidden_fields(&call.ctx.credentials, &Target::owned_node(None, own));
        [
            ("last_error", hidden.last_error),
            ("reservation", hidden.reservation),
        ]
        .into_iter()
        .filter_map(|(name, hidden)| hidden.then_some(name))
        .collect()
    }

    /// 404 for a marker that is none of the nodes that the caller gets to see.
    async fn check_marker(&self, call: &Call) -> Result<(), ApiError> {
        let (Some(marker), Some(own)) = (self.marker, self.filter.project.as_deref()) else {
            return Ok(());
        };
        if !self.restricted || lookup::is_listed(call, lookup::id(marker), own).await? {
            Ok(())
        } else {
            Err(ApiError::node_not_found(marker))
        }
    }

    /// The chassis to filter by. Who may not see chassis does not learn which there are: the nodes
    /// in one that does not exist are none.
    async fn chassis(&self, call: &Call) -> Result<Option<ChassisId>, ApiError> {
        let Some(uuid) = self.chassis else {
            return Ok(None);
        };
        if call.allows(Rule::ChassisGet, &Target::NONE) {
            return Ok(Some(lookup::chassis(call, uuid).await?.id));
        }
        Ok(Some(lookup::id(uuid).unwrap_or_else(ChassisId::generate)))
    }

    /// 406 for filters that the version does not have, 400 for values that nothing can have.
    fn check_versions(&self, call: &Call, children_are_gated: bool) -> Result<(), ApiError> {
        if let Some(state) = self.provision_state {
            call.require(since::PROVISION_STATE_FILTER)?;
            if state.parse::<ProvisionState>().is_err() {
                return Err(ApiError::invalid(format!(
                    "Provision state \"{state}\" is not valid"
                )));
            }
        }
        let gate = |name: &str, since: ApiVersion| {
            if self.args.value(name).is_some() {
                call.require_named(since)
            } else {
                Ok(())
            }
        };
        gate("driver", since::DRIVER_FILTER)?;
        gate("resource_class", since::RESOURCE_CLASS)?;
        gate("fault", since::FAULT)?;
        if let Some(fault) = self.fault
            && fault.parse::<NodeFault>().is_err()
        {
            return Err(ApiError::invalid(format!(
                "Unrecognized fault \"{fault}\" is specified, allowed faults are ('power failure', 'clean failure', 'rescue abort failure', 'service failure')"
            )));
        }
        gate("conductor_group", since::CONDUCTOR_GROUP)?;
        gate("conductor", since::CONDUCTORS)?;
        gate("owner", since::OWNER)?;
        gate("lessee", since::LESSEE)?;
        gate("shard", since::SHARD)?;
        gate("sharded", since::SHARD)?;
        if self.filter.instance_name.is_some() && call.version() < since::INSTANCE_NAME {
            return Err(ApiError::service(
                axum::http::StatusCode::NOT_ACCEPTABLE,
                "instance_name is not acceptable in this API version",
            ));
        }
        if children_are_gated {
            gate("include_children", since::PARENT_NODE)?;
            gate("parent_node", since::PARENT_NODE)?;
        }
        Ok(())
    }

    async fn answer(
        self,
        call: Arc<Call>,
        collection: &str,
        fields: Option<Vec<String>>,
        selection: Selection,
        detail: Option<bool>,
    ) -> Result<Reply, ApiError> {
        let marker = self.marker.map(str::to_lowercase);
        let unsortable = [UNSORTABLE, &self.hidden(&call)].concat();
        let paging = Paging::read(&call, self.args, marker.as_deref(), &unsortable)?;
        self.check_marker(&call).await?;
        let chassis = self.chassis(&call).await?;
        let mut filter = self.filter;
        filter.chassis = chassis;
        filter.provision_state = self.provision_state.and_then(|s| s.parse().ok());
        filter.fault = self.fault.and_then(|f| f.parse().ok());
        let extra: Vec<(&str, &str)> = [
            ("associated", filter.associated.filter(|on| *on)),
            ("maintenance", filter.maintenance.filter(|on| *on)),
            ("retired", filter.retired.filter(|on| *on)),
            ("detail", detail),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, page::python_bool(value?))))
        .collect();
        // There is at most one such node, so no page can follow.
        let is_single = filter.instance_uuid.is_some();
        let names: Option<Vec<&str>> = fields
            .as_ref()
            .map(|names| names.iter().map(String::as_str).collect());
        let conductor = self.conductor.map(str::to_owned);
        let viewer = Viewer::new(Arc::clone(&call));
        let mut columns = viewer.columns(selection);
        if conductor.is_some() {
            columns = columns.and(view::OWNER_COLUMNS);
        }
        let state = call.state.clone();
        let show = move |list: &mut Listing, node: &NodeRow| {
            list.is_cut = list.w.written() > LARGEST_PAGE;
            if list.is_cut {
                return Ok(ControlFlow::Break(()));
            }
            list.last_read.clear();
            list.last_read.push_str(node.uuid());
            // After the page was read, as in Ironic: so a page may show fewer nodes than its limit.
            let is_asked_for = conductor.as_deref().is_none_or(|host| {
                view::owner(state.conductor.as_ref(), node).as_deref() == Some(host)
            });
            if is_asked_for {
                viewer.write(&mut list.w, selection, node)?;
                list.shown += 1;
                list.last_shown.clear();
                list.last_shown.push_str(node.uuid());
            }
            Ok(ControlFlow::Continue(()))
        };
        let list = Listing::new();
        let read = store::node::show(&call.state.db, filter, paging.page(), columns, list, show);
        let mut list = read
            .await
            .map_err(|error| paging.refused(error, ApiError::node_not_found))?;
        list.w.end_array();
        let next = if list.is_cut {
            let after = &list.last_read;
            Some(rest_of(&call, collection, self.chassis, after))
        } else {
            let last = (list.shown > 0).then_some(list.last_shown.as_str());
            let base = &call.ctx.base;
            paging.next(base, collection, &extra, names.as_deref(), list.shown, last)
        };
        if let Some(next) = next.filter(|_| !is_single) {
            list.w.key("next");
            list.w.str(&next);
        }
        list.w.end_object();
        Ok(Reply::ok(list.w.finish()))
    }
}

/// A list in the making.
struct Listing {
    w: JsonWriter,
    /// How many of the rows that were read are shown.
    shown: usize,
    last_read: String,
    last_shown: String,
    /// Whether the page has more rows than these.
    is_cut: bool,
}

impl Listing {
    fn new() -> Self {
        let mut w = JsonWriter::into_buffer(answer_buffer::take());
        w.begin_object();
        w.key("nodes");
        w.begin_array();
        Self {
            w,
            shown: 0,
            last_read: String::new(),
            last_shown: String::new(),
            is_cut: false,
        }
    }
}

/// A page ends before its limit when it has as many bytes: each user can have nodes of a megabyte.
const LARGEST_PAGE: usize = 32 << 20;

/// Where a page that was cut goes on: at the same list, with all that was asked for.
fn rest_of(call: &Call, collection: &str, chassis: Option<&str>, after: &str) -> String {
    let asked = call.query.split('&').filter(|pair| {
        let is_place = ["marker=", "chassis_uuid="].iter();
        !pair.is_empty() && !is_place.clone().any(|name| pair.starts_with(name))
    });
    let chassis = chassis.map(|chassis| format!("chassis_uuid={chassis}"));
    let pairs: Vec<String> = asked
        .map(str::to_owned)
        .chain(chassis)
        .chain([format!("marker={after}")])
        .collect();
    format!("{}/v1/{collection}?{}", call.ctx.base, pairs.join("&"))
}

#[cfg(test)]
mod tests {
    use crate::{Settings, testing::Service};
    use types::{Node, NodeId};

    async fn service() -> (Service, Vec<Node>) {
        let service = Service::with(Settings {
            max_limit: 10,
            ..Settings::default()
        });
        let mut nodes = Vec::new();
        for number in 0..4 {
            let mut node = Node::new(NodeId::generate(), "fake-hardware");
            node.name = Some(format!("n{number}"));
            node.maintenance = number % 2 == 1;
            node.driver = if number == 3 {
                "other"
            } else {
                "fake-hardware"
            }
            .into();
            node.parent_node = (number == 0).then(|| "p".to_owned());
            nodes.push(service.store_node(node).await);
        }
        (service, nodes)
    }

    async fn names(service: &Service, query: &str) -> Vec<String> {
        let answer = service.get(&format!("/v1/nodes?{query}"), 115).await;
        let document = answer.json();
        let list = document["nodes"]
            .as_array()
            .unwrap_or_else(|| panic!("{query}: {document}"));
        list.iter()
            .map(|node| node["name"].as_str().unwrap().to_owned())
            .collect()
    }

    #[tokio::test]
    async fn filters_choose_nodes() {
        let (service, nodes) = service().await;
        for (query, expected) in [
            ("", "n1 n2 n3"),
            ("include_children=true", "n0 n1 n2 n3"),
            ("parent_node=p", "n0"),
            ("maintenance=true", "n1 n3"),
            ("driver=other", "n3"),
            ("conductor=cond1", "n1 n2"),
            ("sort_key=name&sort_dir=desc", "n3 n2 n1"),
            ("limit=1", "n1"),
            ("provision_state=enroll", "n1 n2 n3"),
            ("associated=true", ""),
            ("shard=", ""),
        ] {
            let expected: Vec<&str> = expected.split_whitespace().collect();
            assert_eq!(names(&service, query).await, expected, "{query}");
        }
        let after = format!("marker={}", nodes[1].id.to_string().to_uppercase());
        assert_eq!(names(&service, &after).await, ["n2", "n3"]);
    }

    #[tokio::test]
    async fn a_page_of_large_nodes_ends_early_and_goes_on_with_the_same_filters() {
        let service = Service::with(Settings::default());
        for number in 0..60 {
            let mut node = Node::new(NodeId::generate(), "fake-hardware");
            node.name = Some(format!("n{number}"));
            node.maintenance = number % 3 == 0;
            node.extra.insert("x".into(), "y".repeat(900_000).into());
            service.store_node(node).await;
        }
        let mut found = Vec::new();
        let mut pages = 0;
        let mut path = "/v1/nodes/detail?maintenance=false&sort_key=name".to_owned();
        loop {
            let answer = service.get(&path, 115).await;
            assert!(answer.text.len() < 40 << 20, "{}", answer.text.len());
            let document = answer.json();
            let nodes = document["nodes"].as_array().unwrap();
            assert!(nodes.iter().all(|node| node["maintenance"] == false));
            found.extend(nodes.iter().map(|node| node["name"].clone()));
            pages += 1;
            let Some(next) = document["next"].as_str() else {
                break;
            };
            path = next.trim_start_matches("http://h:6385").to_owned();
            assert!(path.contains("maintenance=false"), "{path}");
        }
        assert_eq!((found.len(), pages), (40, 2));
        found.dedup();
        assert_eq!(found.len(), 40);
        // Short rows are short whatever the node holds.
        let document = service.get("/v1/nodes", 115).await.json();
        assert_eq!(document["nodes"].as_array().unwrap().len(), 60);
        assert!(document.get("next").is_none());
    }

    #[tokio::test]
    async fn a_full_page_has_a_next_link() {
        let (service, nodes) = service().await;
        let id = nodes[1].id;
        let next = async |path: &str, minor| {
            service.get(path, minor).await.json()["next"]
                .as_str()
                .map(str::to_owned)
        };
        let url = |rest: &str| Some(format!("http://h:6385/v1/{rest}&limit=1&marker={id}"));
        let default = "fields=instance_uuid,maintenance,power_state,provision_state,uuid,name";
        for (path, minor, expected) in [
            (
                "/v1/nodes?limit=1",
                115,
                url(&format!("nodes?sort_key=id&sort_dir=asc&{default}")),
            ),
            (
                "/nodes?limit=1",
                1,
                url(&format!("nodes?sort_key=id&sort_dir=asc&{default}")),
            ),
            (
                "/v1/nodes?limit=1&detail=true",
                115,
                url("nodes?sort_key=id&sort_dir=asc&detail=True"),
            ),
            (
                "/v1/nodes/detail?limit=1",
                115,
                url("nodes/detail?sort_key=id&sort_dir=asc"),
            ),
            (
                "/v1/nodes?limit=1&maintenance=true&driver=fake-hardware&detail=false",
                115,
                url(&format!(
                    "nodes?sort_key=id&sort_dir=asc&maintenance=True&detail=False&{default}"
                )),
            ),
            (
                "/v1/nodes?limit=1&fields=name,uuid",
                115,
                url("nodes?sort_key=id&sort_dir=asc&fields=name,uuid"),
            ),
            ("/v1/nodes", 115, None),
        ] {
            assert_eq!(next(path, minor).await, expected, "{path}");
        }
    }

    #[tokio::test]
    async fn what_a_list_cannot_do() {
        let (service, nodes) = service().await;
        for (query, minor, status, text) in [
            ("limit=0", 115, 400, "Limit must be positive"),
            (
                "sort_key=extra",
                115,
                400,
                "The sort_key value extra is an invalid field for sorting",
            ),
            (
                "sort_key=nope",
                115,
                400,
                "The sort_key value \"nope\" is an invalid field for sorting",
            ),
            (
                "sort_key=lease_epoch",
                115,
                400,
                "The sort_key value \"lease_epoch\" is an invalid field for sorting",
            ),
            ("sort_key=name", 4, 406, "Request not acceptable."),
            ("foo=bar&z=1", 115, 400, "Unexpected arguments: foo, z"),
            (
                "detail=true",
                42,
                400,
                "Invalid query parameter ?detail=True received.",
            ),
            (
                "detail=true&fields=uuid",
                115,
                400,
                "Can not specify ?detail=True and fields in the same request.",
            ),
            ("fields=uuid", 7, 406, "Request not acceptable."),
            (
                "fields=uuid,bogus",
                115,
                400,
                "Field bogus is not a valid field.",
            ),
            (
                "driver=x",
                15,
                406,
                "Request not acceptable. The minimal required API version should be 1.16",
            ),
            (
                "provision_state=nope",
                115,
                400,
                "Provision state \"nope\" is not valid",
            ),
            (
                "fault=nope",
                115,
                400,
                "Unrecognized fault \"nope\" is specified, allowed faults are ('power failure', 'clean failure', 'rescue abort failure', 'service failure')",
            ),
            (
                "marker=00000000-0000-0000-0000-000000000000",
                115,
                404,
                "Node 00000000-0000-0000-0000-000000000000 could not be found.",
            ),
            (
                "chassis_uuid=00000000-0000-0000-0000-000000000000",
                115,
                404,
                "Chassis 00000000-0000-0000-0000-000000000000 could not be found.",
            ),
            (
                "instance_name=x",
                103,
                406,
                "instance_name is not acceptable in this API version",
            ),
            (
                "limit=1&limit=2",
                115,
                400,
                "Expected an integer for limit: ['1', '2']",
            ),
        ] {
            let answer = service.get(&format!("/v1/nodes?{query}"), minor).await;
            assert_eq!(
                (answer.status.as_u16(), answer.fault().as_str()),
                (status, text),
                "{query}"
            );
        }
        let detail = service.get("/v1/nodes/n1/detail", 115).await;
        assert_eq!(detail.fault(), "Expected UUID for chassis_uuid: n1");
        let path = format!("/v1/nodes/{}/detail", nodes[1].id);
        let detail = service.get(&path, 115).await;
        assert_eq!(detail.fault(), "Resource could not be found.");
    }

    #[tokio::test]
    async fn the_page_is_never_longer_than_the_limit_of_the_service() {
        let service = Service::with(Settings {
            max_limit: 2,
            ..Settings::default()
        });
        for _ in 0..3 {
            service.store_node(Node::new(NodeId::generate(), "d")).await;
        }
        for query in ["", "?limit=3", "?limit=99999999999"] {
            let page = service.get(&format!("/v1/nodes{query}"), 115).await.json();
            assert_eq!(page["nodes"].as_array().unwrap().len(), 2, "{query}");
            assert!(page["next"].as_str().unwrap().contains("limit=2"));
        }
    }
}
