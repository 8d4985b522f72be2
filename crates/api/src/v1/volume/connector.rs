//! `volume/connectors`: how machines present themselves to a storage network.

use super::{Query, check_version, ident, malformed, new_id, node_after, node_of_body, rule_of};
use crate::{
    args::{self, object},
    call::Call,
    error::ApiError,
    lookup,
    patch::Patch,
    policy::Rule,
    reply::Reply,
    route::Method,
    schema::{self, Schema, Type},
    v1::collection::{self, ATTEMPTS, Kind},
    view::volume::{CONNECTOR, CONNECTOR_DEFAULT, CONNECTOR_QUERYABLE},
};
use serde_json::{Value, json};
use types::{Fault, JsonMap, VolumeConnector, VolumeConnectorId};

const KIND: Kind<VolumeConnector> = Kind {
    name: "connectors",
    fields: CONNECTOR,
    id: |row| row.id.to_string(),
};

const PATH: &str = "volume/connectors";

const UNSORTABLE: &[&str] = &["extra"];

/// Everything that a client may say about a connector.
pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("connector_id", Schema::of(&[Type::String])),
        ("extra", Schema::of(&[Type::Object, Type::Null])),
        ("node_uuid", Schema::of(&[Type::String])),
        ("type", Schema::of(&[Type::String])),
        ("uuid", Schema::of(&[Type::String, Type::Null])),
    ],
    required: &["connector_id", "node_uuid", "type"],
    closed: true,
    ..Schema::ANY
};

/// What may be patched, in the order in which a refusal lists it.
const ALLOWED: &[&str] = &["connector_id", "extra", "node_uuid", "type"];

/// `GET /volume/connectors`, also below a node.
pub async fn list(call: Call) -> Result<Reply, ApiError> {
    let query = Query::read(&call, CONNECTOR_QUERYABLE, CONNECTOR_DEFAULT, UNSORTABLE).await?;
    let db = &call.state.db;
    if let (Some(project), Some(marker)) = (&query.filter.project, &query.paging.marker) {
        let found = lookup::by_id(&call, marker, store::volume::connector::find).await?;
        if !lookup::is_listed(&call, found.map(|row| row.node), project).await? {
            return Err(not_found(marker));
        }
    }
    let rows = store::volume::connector::list(db, query.filter, query.paging.page())
        .await
        .map_err(|error| query.paging.refused(error, not_found))?;
    let fields = query.fields.as_deref();
    Ok(KIND.page(&call, PATH, &query.paging, fields, query.detail, &rows))
}

pub async fn get(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let fields = call.args(&["fields"])?.string_list("fields")?;
    let uuid = ident(&call, "connector", "connector_uuid")?;
    collection::check_names(fields.as_deref(), CONNECTOR_QUERYABLE)?;
    let connector = lookup::connector(&call, uuid, Rule::VolumeGet).await?;
    Ok(Reply::ok(KIND.document(
        &call,
        fields.as_deref(),
        &connector,
    )))
}

/// `GET /volume/connectors/{connector}/{fields}`: the rest of the path is taken for `fields`.
pub async fn get_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let uuid = ident(&call, "connector", "connector_uuid")?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    let connector = lookup::connector(&call, uuid, Rule::VolumeGet).await?;
    collection::check_known(Some(&fields), CONNECTOR)?;
    Ok(Reply::ok(KIND.document(&call, Some(&fields), &connector)))
}

pub async fn create(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    schema::check("connector", &body, &SCHEMA)?;
    let id = new_id(&body, VolumeConnectorId::generate)?;
    let node = node_of_body(&call, &body).await?;
    let mut connector = VolumeConnector::new(id, node.id, "", "");
    apply(&body, &mut connector);
    let conductor = &call.state.conductor;
    let connector = conductor
        .create_connector(&call.ctx.caller, connector)
        .await?;
    let location = call.ctx.url(&format!("{PATH}/{}", connector.id));
    Ok(Reply::created(
        KIND.document(&call, None, &connector),
        location,
    ))
}

/// `POST /volume/connectors/{connector}`: Ironic takes what stands in the path for the body.
pub async fn create_at(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    schema::check("connector", &Value::from(call.param("connector")), &SCHEMA)?;
    Err(ApiError::resource_not_found())
}

/// `POST /nodes/{node}/volume/connectors`: the body is judged first.
pub async fn create_below_node(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    schema::check("connector", &body, &SCHEMA)?;
    new_id(&body, VolumeConnectorId::generate)?;
    malformed()
}

/// `DELETE` of what is below a connector: the name is judged first.
pub async fn delete_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    ident(&call, "connector", "connector_uuid")?;
    Err(ApiError::resource_not_found())
}

/// `PATCH` of what is below a connector.
pub async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    collection::patch_part(call).await
}

pub async fn patch(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    let uuid = ident(&call, "connector", "connector_uuid")?;
    let patch = Patch::parse(&body)?;
    let mut attempt = 1;
    let connector = loop {
        let connector = lookup::connector(&call, uuid, Rule::VolumeUpdate).await?;
        patch.allow(ALLOWED)?;
        let base_version = connector.version;
        let changed = patched(&call, connector, &patch).await?;
        let conductor = &call.state.conductor;
        let result = conductor
            .update_connector(&call.ctx.caller, changed, base_version)
            .await;
        match result {
            Err(Fault::Stale(_)) if attempt < ATTEMPTS => attempt += 1,
            other => break other?,
        }
    };
    Ok(Reply::ok(KIND.document(&call, None, &connector)))
}

pub async fn delete(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let uuid = ident(&call, "connector", "connector_uuid")?;
    let connector = lookup::connector(&call, uuid, Rule::VolumeDelete).await?;
    let conductor = &call.state.conductor;
    conductor
        .destroy_connector(&call.ctx.caller, connector.id)
        .await?;
    Ok(Reply::no_content())
}

/// `PATCH` and `DELETE` of `/volume/connectors`.
pub async fn no_ident(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    Err(ApiError::missing_parameter("connector_uuid"))
}

/// A single one below a node: they are addressed at the top only, but must exist.
pub async fn no_single(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    match call.method {
        Method::Get => {
            call.args(&["fields"])?;
        }
        _ => call.refuse_args()?,
    }
    let uuid = ident(&call, "connector", "connector_uuid")?;
    lookup::connector(&call, uuid, rule_of(call.method)).await?;
    malformed()
}

fn not_found(uuid: &str) -> ApiError {
    Fault::ConnectorNotFound(uuid.to_owned()).into()
}

/// The connector as the client wants it.
async fn patched(
    call: &Call,
    mut connector: VolumeConnector,
    patch: &Patch,
) -> Result<VolumeConnector, ApiError> {
    let node = node_after(call, connector.node, patch).await?;
    let mut document = patch.apply(attributes_of(&connector))?;
    // Which node it is has been settled; a removal restores it.
    document.insert("node_uuid".into(), node.to_string().into());
    let document = Value::Object(document);
    schema::check("patch", &document, &SCHEMA)?;
    connector.node = node;
    apply(&document, &mut connector);
    Ok(connector)
}

/// Sets what the body says, but for identity and node.
fn apply(body: &Value, connector: &mut VolumeConnector) {
    let text = |name: &str| {
        let text = body.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let object = |name: &str| {
        let map = body.get(name).and_then(Value::as_object);
        map.cloned().unwrap_or_default()
    };
    connector.kind = text("type");
    connector.connector_id = text("connector_id");
    connector.extra = object("extra");
}

/// The attributes that a patch can reach.
fn attributes_of(connector: &VolumeConnector) -> JsonMap {
    object(json!({
        "connector_id": connector.connector_id,
        "extra": connector.extra,
        "node_uuid": connector.node.to_string(),
        "type": connector.kind,
    }))
}
