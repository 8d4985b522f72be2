//! `volume`: remote volumes of nodes. Connectors and targets have files of their own; here is what
//! they have in common, and the documents that link to both.

pub mod connector;
pub mod target;

use crate::{
    args::{self, Args},
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    page::Paging,
    patch::Patch,
    policy::{Rule, Target},
    reply::Reply,
    route::Method,
    v1::collection,
};
use axum::http::StatusCode;
use serde_json::Value;
use store::{StoreError, volume::VolumeFilter};
use types::{Node, NodeId, id::is_uuid_like, pyrepr, version::since};

const LIST_ARGS: &[&str] = &[
    "node", "marker", "limit", "sort_key", "sort_dir", "fields", "detail", "project",
];

/// `GET /volume`.
pub async fn root(call: Call) -> Result<Reply, ApiError> {
    links(&call, "volume")
}

/// `GET /nodes/{node}/volume`: the node is taken on trust.
pub async fn root_of_node(call: Call) -> Result<Reply, ApiError> {
    links(&call, &format!("nodes/{}/volume", call.param("node")))
}

fn links(call: &Call, path: &str) -> Result<Reply, ApiError> {
    if call.version() < since::VOLUME {
        return Err(ApiError::not_in_this_version());
    }
    call.no_args()?;
    call.permit(Rule::VolumeGet, &Target::NONE)?;
    let mut w = JsonWriter::with_capacity(512);
    w.begin_object();
    for (key, below) in [
        ("links", ""),
        ("connectors", "connectors"),
        ("targets", "targets"),
    ] {
        w.key(key);
        w.begin_array();
        w.link(&[&call.ctx.base, "/v1/", path, "/", below], "self");
        w.link(&[&call.ctx.base, "/", path, "/", below], "bookmark");
        w.end_array();
    }
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

/// Older versions have no paths below `/volume`.
fn check_version(call: &Call) -> Result<(), ApiError> {
    call.require_path(since::VOLUME)
}

/// What a list was asked for.
struct Query {
    fields: Option<Vec<String>>,
    detail: Option<bool>,
    filter: VolumeFilter,
    paging: Paging,
}

impl Query {
    /// Reads the arguments of a list. The node in the path goes before the one in the query.
    async fn read(
        call: &Call,
        queryable: &[&str],
        default: &[&str],
        unsortable: &[&str],
    ) -> Result<Self, ApiError> {
        check_version(call)?;
        let args: Args = call.args(LIST_ARGS)?;
        if args.has("project") {
            let text = "Additional properties are not allowed ('project' was unexpected)";
            return Err(ApiError::invalid(format!("Schema error: {text}")));
        }
        let (node, marker) = (args.uuid_or_name("node")?, args.uuid("marker")?);
        args.integer("limit")?;
        let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
        collection::check_names(fields.as_deref(), queryable)?;
        collection::check_direction(&args)?;
        let above = match call.param("node") {
            "" => None,
            above => Some(lookup::node_by_uuid(call, above).await?.id),
        };
        let project = call.project_of_list(Rule::VolumeListAll, Rule::VolumeList)?;
        let fields = match (fields, detail) {
            (Some(_), Some(true)) => {
                return Err(ApiError::invalid(
                    "Can't fetch a subset of fields with 'detail' set",
                ));
            }
            (None, Some(true)) => None,
            (Some(fields), _) => Some(fields),
            (None, _) => Some(default.iter().map(|name| (*name).to_owned()).collect()),
        };
        let paging = Paging::read(call, &args, marker, unsortable)?;
        if paging.sort_key == "node_uuid" {
            // A column of ours, but not one of Ironic.
            return Err(StoreError::BadSortKey(paging.sort_key).into());
        }
        let node = match (above, node) {
            (Some(above), _) => Some(above),
            (None, Some(ident)) => Some(lookup::node(call, ident).await?.id),
            (None, None) => None,
        };
        Ok(Self {
            fields,
            detail,
            filter: VolumeFilter { node, project },
            paging,
        })
    }
}

/// The rule about what a request does with a single one.
fn rule_of(method: Method) -> Rule {
    match method {
        Method::Patch => Rule::VolumeUpdate,
        Method::Delete => Rule::VolumeDelete,
        _ => Rule::VolumeGet,
    }
}

/// The identifier in the path, which must look like a UUID.
fn ident<'c>(call: &'c Call, param: &str, argument: &str) -> Result<&'c str, ApiError> {
    let given = call.param(param);
    args::uuid(argument, &Value::from(given)).map(|_| given)
}

/// The node that a body names, for something to be created below it.
async fn node_of_body(call: &Call, body: &Value) -> Result<Node, ApiError> {
    let uuid = body.get("node_uuid").and_then(Value::as_str);
    let uuid = uuid.unwrap_or_default();
    let found = lookup::node_by_uuid(call, uuid).await;
    lookup::parent(call, found, Rule::VolumeCreate).map_err(|error| match error.status() {
        StatusCode::NOT_FOUND => ApiError::invalid(format!(
            "Invalid input for field/attribute node_uuid. Value: '{uuid}'. "
        )),
        _ => error,
    })
}

/// The node after a patch. Unlike with ports, a name will not do.
async fn node_after(call: &Call, present: NodeId, patch: &Patch) -> Result<NodeId, ApiError> {
    let Some(asked) = patch.values("/node_uuid").next() else {
        return Ok(present);
    };
    let shown = pyrepr::to_str(asked);
    let Some(uuid) = asked.as_str().filter(|text| is_uuid_like(text)) else {
        return Err(ApiError::invalid(format!(
            "Expected a UUID for node_uuid, but received {shown}."
        )));
    };
    let refuse = || {
        ApiError::invalid(format!(
            "Unable to apply the requested node_uuid '{shown}'. Requested value was invalid."
        ))
    };
    let wanted = lookup::node_by_uuid(call, uuid)
        .await
        .map_err(|_| refuse())?;
    let present = lookup::node_by_uuid(call, &present.to_string()).await?;
    if wanted.owner == present.owner {
        Ok(wanted.id)
    } else {
        Err(refuse())
    }
}

/// The `uuid` of a body, or a fresh one.
fn new_id<T: std::str::FromStr>(body: &Value, fresh: fn() -> T) -> Result<T, ApiError> {
    if let Some(given) = body.get("node_uuid").filter(|value| !value.is_null()) {
        args::uuid("node_uuid", given)?;
    }
    args::new_id(body, fresh)
}

/// Nothing of this kind is addressed below a node.
fn malformed<T>() -> Result<T, ApiError> {
    Err(ApiError::invalid("Malformed request URI."))
}

#[cfg(test)]
mod tests;
