//! `volume/targets`: the remote volumes themselves.

use super::{Query, check_version, ident, malformed, new_id, node_after, node_of_body, rule_of};
use crate::{
    args::{self, object},
    call::Call,
    error::ApiError,
    lookup,
    patch::Patch,
    policy::{HiddenFields, Rule, Target},
    reply::Reply,
    route::Method,
    schema::{self, Schema, Type},
    v1::collection::{self, ATTEMPTS, Kind},
    view::volume::{TARGET, TARGET_DEFAULT, TARGET_QUERYABLE},
};
use serde_json::{Value, json};
use types::{Fault, JsonMap, VolumeTarget, VolumeTargetId};

const KIND: Kind<VolumeTarget> = Kind {
    name: "targets",
    fields: TARGET,
    id: |row| row.id.to_string(),
};

const PATH: &str = "volume/targets";

const UNSORTABLE: &[&str] = &["extra", "properties"];

/// Everything that a client may say about a target.
pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("boot_index", Schema::of(&[Type::Integer])),
        ("extra", Schema::of(&[Type::Object, Type::Null])),
        ("node_uuid", Schema::of(&[Type::String])),
        ("properties", Schema::of(&[Type::Object, Type::Null])),
        ("volume_id", Schema::of(&[Type::String])),
        ("volume_type", Schema::of(&[Type::String])),
        ("uuid", Schema::of(&[Type::String, Type::Null])),
    ],
    required: &["boot_index", "node_uuid", "volume_id", "volume_type"],
    closed: true,
    ..Schema::ANY
};

/// What may be patched, in the order in which a refusal lists it.
const ALLOWED: &[&str] = &[
    "boot_index",
    "extra",
    "node_uuid",
    "properties",
    "volume_id",
    "volume_type",
];

/// `GET /volume/targets`, also below a node.
pub async fn list(call: Call) -> Result<Reply, ApiError> {
    let query = Query::read(&call, TARGET_QUERYABLE, TARGET_DEFAULT, UNSORTABLE).await?;
    let db = &call.state.db;
    if let (Some(project), Some(marker)) = (&query.filter.project, &query.paging.marker) {
        let found = lookup::by_id(&call, marker, store::volume::target::find).await?;
        if !lookup::is_listed(&call, found.map(|row| row.node), project).await? {
            return Err(not_found(marker));
        }
    }
    let rows = store::volume::target::list(db, query.filter, query.paging.page())
        .await
        .map_err(|error| query.paging.refused(error, not_found))?;
    let rows: Vec<_> = rows.into_iter().map(|row| shown(&call, row)).collect();
    let fields = query.fields.as_deref();
    Ok(KIND.page(&call, PATH, &query.paging, fields, query.detail, &rows))
}

pub async fn get(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let fields = call.args(&["fields"])?.string_list("fields")?;
    let uuid = ident(&call, "target", "target_uuid")?;
    collection::check_names(fields.as_deref(), TARGET_QUERYABLE)?;
    let target = lookup::target(&call, uuid, Rule::VolumeGet).await?;
    Ok(Reply::ok(document(&call, fields.as_deref(), target)))
}

/// `GET /volume/targets/{target}/{fields}`: the rest of the path is taken for `fields`.
pub async fn get_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let uuid = ident(&call, "target", "target_uuid")?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    let target = lookup::target(&call, uuid, Rule::VolumeGet).await?;
    collection::check_known(Some(&fields), TARGET)?;
    Ok(Reply::ok(document(&call, Some(&fields), target)))
}

pub async fn create(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    schema::check("target", &body, &SCHEMA)?;
    let id = new_id(&body, VolumeTargetId::generate)?;
    let node = node_of_body(&call, &body).await?;
    let mut target = VolumeTarget::new(id, node.id, "", 0, "");
    apply(&body, &mut target)?;
    let conductor = &call.state.conductor;
    let target = conductor.create_target(&call.ctx.caller, target).await?;
    let location = call.ctx.url(&format!("{PATH}/{}", target.id));
    Ok(Reply::created(
        KIND.document(&call, None, &target),
        location,
    ))
}

/// `POST /volume/targets/{target}`: Ironic takes what stands in the path for the body.
pub async fn create_at(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    schema::check("target", &Value::from(call.param("target")), &SCHEMA)?;
    Err(ApiError::resource_not_found())
}

/// `POST /nodes/{node}/volume/targets`: the body is judged first.
pub async fn create_below_node(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    schema::check("target", &body, &SCHEMA)?;
    new_id(&body, VolumeTargetId::generate)?;
    malformed()
}

/// `DELETE` of what is below a target: the name is judged first.
pub async fn delete_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    ident(&call, "target", "target_uuid")?;
    Err(ApiError::resource_not_found())
}

/// `PATCH` of what is below a target.
pub async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    collection::patch_part(call).await
}

pub async fn patch(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    let uuid = ident(&call, "target", "target_uuid")?;
    let patch = Patch::parse(&body)?;
    let mut attempt = 1;
    let target = loop {
        let target = lookup::target(&call, uuid, Rule::VolumeUpdate).await?;
        patch.allow(ALLOWED)?;
        let base_version = target.version;
        let changed = patched(&call, target, &patch).await?;
        let conductor = &call.state.conductor;
        let result = conductor
            .update_target(&call.ctx.caller, changed, base_version)
            .await;
        match result {
            Err(Fault::Stale(_)) if attempt < ATTEMPTS => attempt += 1,
            other => break other?,
        }
    };
    Ok(Reply::ok(document(&call, None, target)))
}

pub async fn delete(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let uuid = ident(&call, "target", "target_uuid")?;
    let target = lookup::target(&call, uuid, Rule::VolumeDelete).await?;
    let conductor = &call.state.conductor;
    conductor
        .destroy_target(&call.ctx.caller, target.id)
        .await?;
    Ok(Reply::no_content())
}

/// `PATCH` and `DELETE` of `/volume/targets`.
pub async fn no_ident(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    Err(ApiError::missing_parameter("target_uuid"))
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
    let uuid = ident(&call, "target", "target_uuid")?;
    lookup::target(&call, uuid, rule_of(call.method)).await?;
    malformed()
}

/// A target as the caller may see it: how to get at a volume is not for everybody. Only who
/// creates one is shown what they wrote.
fn shown(call: &Call, mut target: VolumeTarget) -> VolumeTarget {
    if !call.allows(Rule::VolumeViewTargetProperties, &Target::NONE) {
        let notice = Value::from(HiddenFields::TARGET_PROPERTIES);
        target.properties = JsonMap::from_iter([("redacted_contents".to_owned(), notice)]);
    }
    target
}

fn document(call: &Call, fields: Option<&[String]>, target: VolumeTarget) -> Vec<u8> {
    KIND.document(call, fields, &shown(call, target))
}

fn not_found(uuid: &str) -> ApiError {
    Fault::TargetNotFound(uuid.to_owned()).into()
}

/// The target as the client wants it.
async fn patched(
    call: &Call,
    mut target: VolumeTarget,
    patch: &Patch,
) -> Result<VolumeTarget, ApiError> {
    let node = node_after(call, target.node, patch).await?;
    let mut document = patch.apply(attributes_of(&target))?;
    // Which node it is has been settled; a removal restores it.
    document.insert("node_uuid".into(), node.to_string().into());
    let document = Value::Object(document);
    schema::check("patch", &document, &SCHEMA)?;
    target.node = node;
    apply(&document, &mut target)?;
    Ok(target)
}

/// Sets what the body says, but for identity and node.
fn apply(body: &Value, target: &mut VolumeTarget) -> Result<(), ApiError> {
    let text = |name: &str| {
        let text = body.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let object = |name: &str| {
        let map = body.get(name).and_then(Value::as_object);
        map.cloned().unwrap_or_default()
    };
    let index = body.get("boot_index").unwrap_or(&Value::Null);
    target.boot_index = args::integer("boot_index", index)?;
    if i32::try_from(target.boot_index).is_err() {
        return Err(ApiError::invalid(format!(
            "Invalid boot_index: {} is out of range",
            target.boot_index
        )));
    }
    target.volume_id = text("volume_id");
    target.volume_type = text("volume_type");
    target.properties = object("properties");
    target.extra = object("extra");
    Ok(())
}

/// The attributes that a patch can reach.
fn attributes_of(target: &VolumeTarget) -> JsonMap {
    object(json!({
        "boot_index": target.boot_index,
        "extra": target.extra,
        "node_uuid": target.node.to_string(),
        "properties": target.properties,
        "volume_id": target.volume_id,
        "volume_type": target.volume_type,
    }))
}
