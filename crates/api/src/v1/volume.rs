//! `volume`: remote volumes of nodes. What distinguishes connectors from targets is in files of
//! their own; here are the handlers, which are the same for both.

pub(crate) mod connector;
mod query;
pub(crate) mod target;

use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    patch::Patch,
    policy::{Rule, Target},
    reply::Reply,
    route::Method,
    schema::{self, Schema},
    v1::collection::{self, ATTEMPTS, Collection},
};
use axum::http::StatusCode;
use query::Query;
use serde_json::Value;
use std::{fmt::Display, str::FromStr};
use store::{Db, Page, StoreError, volume::VolumeFilter};
use types::{Fault, JsonMap, Node, NodeId, id::is_uuid_like, pyrepr, version::since};

/// `GET /volume`.
pub(crate) async fn root(call: Call) -> Result<Reply, ApiError> {
    links(&call, "volume")
}

/// `GET /nodes/{node}/volume`: the node is taken on trust.
pub(crate) async fn root_of_node(call: Call) -> Result<Reply, ApiError> {
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

/// A connector or a target: what distinguishes the two.
pub(crate) trait Volume: Clone + Send + Sync + 'static {
    type Id: FromStr + Display + Send;

    const KIND: Collection<Self>;
    /// The name of one in paths and refusals.
    const NAME: &'static str;
    /// What refusals call the UUID.
    const IDENT: &'static str;
    const PATH: &'static str;
    /// Everything that a client may say about one.
    const SCHEMA: &'static Schema;
    /// What may be patched, in the order in which a refusal lists it.
    const ALLOWED: &'static [&'static str];
    /// What `fields` may name, in the order in which a refusal lists it.
    const QUERYABLE: &'static [&'static str];
    /// What a list shows when nothing else is asked for.
    const DEFAULT: &'static [&'static str];
    const UNSORTABLE: &'static [&'static str];

    fn new_id() -> Self::Id;
    fn empty(id: Self::Id, node: NodeId) -> Self;
    fn id(&self) -> Self::Id;
    fn version(&self) -> i64;
    fn node(&self) -> NodeId;
    fn set_node(&mut self, node: NodeId);
    /// Sets what the body says, but for identity and node.
    fn apply(&mut self, body: &Value) -> Result<(), ApiError>;
    /// The attributes that a patch can reach.
    fn attributes(&self) -> JsonMap;
    /// The row as the caller may see it.
    fn shown(self, call: &Call) -> Self;
    fn not_found(uuid: &str) -> ApiError;

    fn find(db: &Db, id: Self::Id)
    -> impl Future<Output = Result<Option<Self>, StoreError>> + Send;
    fn list(
        db: &Db,
        filter: VolumeFilter,
        page: Page,
    ) -> impl Future<Output = Result<Vec<Self>, StoreError>> + Send;
    fn create(self, call: &Call) -> impl Future<Output = Result<Self, Fault>> + Send;
    fn update(
        self,
        call: &Call,
        base_version: i64,
    ) -> impl Future<Output = Result<Self, Fault>> + Send;
    fn destroy(call: &Call, id: Self::Id) -> impl Future<Output = Result<(), Fault>> + Send;
}

/// The methods of [`Volume`] that differ in nothing but the names of what they call.
macro_rules! rows_of {
    ($table:ident: $create:ident, $update:ident, $destroy:ident) => {
        fn new_id() -> Self::Id {
            Self::Id::generate()
        }

        fn id(&self) -> Self::Id {
            self.id
        }

        fn version(&self) -> i64 {
            self.version
        }

        fn node(&self) -> NodeId {
            self.node
        }

        fn set_node(&mut self, node: NodeId) {
            self.node = node;
        }

        async fn find(db: &Db, id: Self::Id) -> Result<Option<Self>, StoreError> {
            store::volume::$table::find(db, id).await
        }

        async fn list(db: &Db, filter: VolumeFilter, page: Page) -> Result<Vec<Self>, StoreError> {
            store::volume::$table::list(db, filter, page).await
        }

        async fn create(self, call: &Call) -> Result<Self, Fault> {
            let conductor = &call.state.conductor;
            conductor.$create(&call.ctx.caller, self).await
        }

        async fn update(self, call: &Call, base_version: i64) -> Result<Self, Fault> {
            let conductor = &call.state.conductor;
            conductor
                .$update(&call.ctx.caller, self, base_version)
                .await
        }

        async fn destroy(call: &Call, id: Self::Id) -> Result<(), Fault> {
            let conductor = &call.state.conductor;
            conductor.$destroy(&call.ctx.caller, id).await
        }
    };
}
use rows_of;

/// `GET /volume/connectors`, also below a node.
pub(crate) async fn list<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    let query = Query::read::<V>(&call).await?;
    if let (Some(project), Some(marker)) = (&query.filter.project, &query.paging.marker) {
        let found = lookup::by_id(&call, marker, V::find).await?;
        if !lookup::is_listed(&call, found.map(|row| row.node()), project).await? {
            return Err(V::not_found(marker));
        }
    }
    let rows = V::list(&call.state.db, query.filter, query.paging.page())
        .await
        .map_err(|error| query.paging.refused(error, V::not_found))?;
    let rows: Vec<V> = rows.into_iter().map(|row| row.shown(&call)).collect();
    let fields = query.fields.as_deref();
    Ok(V::KIND.page(&call, V::PATH, &query.paging, fields, query.detail, &rows))
}

pub(crate) async fn get<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let fields = call.args(&["fields"])?.string_list("fields")?;
    let uuid = ident::<V>(&call)?;
    collection::check_names(fields.as_deref(), V::QUERYABLE)?;
    let row = find::<V>(&call, uuid, Rule::VolumeGet).await?;
    Ok(Reply::ok(document(&call, fields.as_deref(), row)))
}

/// `GET /volume/connectors/{connector}/{fields}`: the rest of the path is taken for `fields`.
pub(crate) async fn get_part<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let uuid = ident::<V>(&call)?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    let row = find::<V>(&call, uuid, Rule::VolumeGet).await?;
    collection::check_known(Some(&fields), V::KIND.fields)?;
    Ok(Reply::ok(document(&call, Some(&fields), row)))
}

pub(crate) async fn create<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    schema::check(V::NAME, &body, V::SCHEMA)?;
    let id = new_id::<V>(&body)?;
    let node = node_of_body(&call, &body).await?;
    let mut row = V::empty(id, node.id);
    row.apply(&body)?;
    let row = row.create(&call).await?;
    let location = call.ctx.url(&format!("{}/{}", V::PATH, row.id()));
    // Who creates one is shown what they wrote, secrets and all.
    let document = V::KIND.document(&call, None, &row);
    Ok(Reply::created(document, location))
}

/// `POST /volume/connectors/{connector}`: Ironic takes what stands in the path for the body.
pub(crate) async fn create_at<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    schema::check(V::NAME, &Value::from(call.param(V::NAME)), V::SCHEMA)?;
    Err(ApiError::resource_not_found())
}

/// `POST /nodes/{node}/volume/connectors`: the body is judged first.
pub(crate) async fn create_below_node<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    schema::check(V::NAME, &body, V::SCHEMA)?;
    new_id::<V>(&body)?;
    malformed()
}

/// `DELETE` of what is below a connector: the name is judged first.
pub(crate) async fn delete_part<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    ident::<V>(&call)?;
    Err(ApiError::resource_not_found())
}

/// `PATCH` of what is below a connector or a target.
pub(crate) async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    collection::patch_part(call).await
}

pub(crate) async fn patch<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    let uuid = ident::<V>(&call)?;
    let patch = Patch::parse(&body)?;
    let mut attempt = 1;
    let row = loop {
        let row = find::<V>(&call, uuid, Rule::VolumeUpdate).await?;
        patch.allow(V::ALLOWED)?;
        let base_version = row.version();
        let changed = patched(&call, row, &patch).await?;
        match changed.update(&call, base_version).await {
            Err(Fault::Stale(_)) if attempt < ATTEMPTS => attempt += 1,
            other => break other?,
        }
    };
    Ok(Reply::ok(document(&call, None, row)))
}

pub(crate) async fn delete<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let row = find::<V>(&call, ident::<V>(&call)?, Rule::VolumeDelete).await?;
    V::destroy(&call, row.id()).await?;
    Ok(Reply::no_content())
}

/// `PATCH` and `DELETE` of `/volume/connectors`.
pub(crate) async fn no_ident<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    Err(ApiError::missing_parameter(V::IDENT))
}

/// A single one below a node: they are addressed at the top only, but must exist.
pub(crate) async fn no_single<V: Volume>(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    match call.method {
        Method::Get => {
            call.args(&["fields"])?;
        }
        _ => call.refuse_args()?,
    }
    find::<V>(&call, ident::<V>(&call)?, rule_of(call.method)).await?;
    malformed()
}

/// The row of this UUID, for an operation that `rule` is about.
async fn find<V: Volume>(call: &Call, uuid: &str, rule: Rule) -> Result<V, ApiError> {
    let found = lookup::by_id(call, uuid, V::find).await?;
    lookup::below(call, found, V::node, rule, || V::not_found(uuid)).await
}

fn document<V: Volume>(call: &Call, fields: Option<&[String]>, row: V) -> Vec<u8> {
    V::KIND.document(call, fields, &row.shown(call))
}

/// The row as the client wants it.
async fn patched<V: Volume>(call: &Call, mut row: V, patch: &Patch) -> Result<V, ApiError> {
    let node = node_after(call, row.node(), patch).await?;
    let mut document = patch.apply(row.attributes())?;
    // Which node it is has been settled; a removal restores it.
    document.insert("node_uuid".into(), node.to_string().into());
    let document = Value::Object(document);
    schema::check("patch", &document, V::SCHEMA)?;
    row.set_node(node);
    row.apply(&document)?;
    Ok(row)
}

/// What a body says about a text, which is empty if it says nothing.
fn text(body: &Value, name: &str) -> String {
    let text = body.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// What a body says about an object, which is empty if it says nothing.
fn map(body: &Value, name: &str) -> JsonMap {
    let map = body.get(name).and_then(Value::as_object);
    map.cloned().unwrap_or_default()
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
fn ident<V: Volume>(call: &Call) -> Result<&str, ApiError> {
    let given = call.param(V::NAME);
    args::uuid(V::IDENT, &Value::from(given)).map(|_| given)
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
fn new_id<V: Volume>(body: &Value) -> Result<V::Id, ApiError> {
    if let Some(given) = body.get("node_uuid").filter(|value| !value.is_null()) {
        args::uuid("node_uuid", given)?;
    }
    args::new_id(body, V::new_id)
}

/// Nothing of this kind is addressed below a node.
fn malformed<T>() -> Result<T, ApiError> {
    Err(ApiError::invalid("Malformed request URI."))
}

#[cfg(test)]
mod tests;
