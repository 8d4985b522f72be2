//! `chassis`: labels to group nodes by. They have no conductor; the store keeps them.

use crate::{
    args,
    call::Call,
    error::ApiError,
    lookup,
    page::{self, Paging},
    patch::Patch,
    policy::{Rule, Target},
    reply::Reply,
    route::Method,
    schema::{self, Schema, Type, format::UUID, node},
    v1::collection::{self, Collection},
    view::chassis::{DEFAULT_FIELDS, FIELDS, QUERYABLE},
};
use serde_json::{Value, json};
use store::{StoreError, Unique};
use types::{Chassis, ChassisId, JsonMap, notification::Action, version::since};

const KIND: Collection<Chassis> = Collection {
    name: "chassis",
    fields: FIELDS,
    id: |row| row.id.to_string(),
};

const UNSORTABLE: &[&str] = &["extra"];

pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("uuid", Schema::of(&[Type::String, Type::Null])),
        ("extra", Schema::of(&[Type::Object, Type::Null])),
        (
            "description",
            Schema {
                types: &[Type::String, Type::Null],
                max_length: 255,
                ..Schema::ANY
            },
        ),
    ],
    closed: true,
    ..Schema::ANY
};

/// What may be patched, in the order of the message. The UUID may be named but not changed.
const PATCHABLE: &[&str] = &["uuid", "extra", "description"];

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&[
        "marker", "limit", "sort_key", "sort_dir", "fields", "detail",
    ])?;
    let marker = args.uuid("marker")?;
    args.integer("limit")?;
    let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
    collection::check_names(fields.as_deref(), QUERYABLE)?;
    call.permit(Rule::ChassisGet, &Target::NONE)?;
    if fields.is_some() {
        call.require(since::FIELDS_QUERY)?;
    }
    let fields = page::wanted_fields(&call, fields, detail, DEFAULT_FIELDS)?;
    collection::check_direction(&args)?;
    let paging = Paging::read(&call, &args, marker, UNSORTABLE)?;
    let rows = rows(&call, &paging).await?;
    Ok(KIND.page(&call, KIND.name, &paging, fields.as_deref(), detail, &rows))
}

pub(crate) async fn list_detail(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&page::PAGE_ARGS)?;
    let marker = args.uuid("marker")?;
    call.permit(Rule::ChassisGet, &Target::NONE)?;
    collection::check_direction(&args)?;
    let paging = Paging::read(&call, &args, marker, UNSORTABLE)?;
    let rows = rows(&call, &paging).await?;
    Ok(KIND.page(&call, "chassis/detail", &paging, None, None, &rows))
}

async fn rows(call: &Call, paging: &Paging) -> Result<Vec<Chassis>, ApiError> {
    store::chassis::list(&call.state.db, paging.page())
        .await
        .map_err(|error| paging.refused(error, ApiError::chassis_not_found))
}

/// One attribute, named in the path.
pub(crate) async fn get_part(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    let uuid = ident(&call)?;
    call.permit(Rule::ChassisGet, &Target::NONE)?;
    call.require(since::FIELDS_QUERY)?;
    let chassis = lookup::chassis(&call, uuid).await?;
    collection::check_known(Some(&fields), FIELDS)?;
    Ok(Reply::ok(KIND.document(&call, Some(&fields), &chassis)))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    let fields = call.args(&["fields"])?.string_list("fields")?;
    let uuid = ident(&call)?;
    collection::check_names(fields.as_deref(), QUERYABLE)?;
    call.permit(Rule::ChassisGet, &Target::NONE)?;
    if fields.is_some() {
        call.require(since::FIELDS_QUERY)?;
    }
    let chassis = lookup::chassis(&call, uuid).await?;
    Ok(Reply::ok(KIND.document(&call, fields.as_deref(), &chassis)))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check("chassis", &body, &SCHEMA)?;
    let id = args::new_id(&body, ChassisId::generate)?;
    call.permit(Rule::ChassisCreate, &Target::NONE)?;
    let chassis = Chassis {
        description: text(body.get("description")),
        extra: object(body.get("extra")),
        ..Chassis::new(id)
    };
    let db = &call.state.db;
    let told = call.begin(Action::Create, &chassis).await;
    let chassis = told
        .failed(store::chassis::insert(db, chassis, told.end()).await)
        .await
        .map_err(|error| match error {
            StoreError::Duplicate(Unique::ChassisUuid(uuid)) => {
                ApiError::conflict(format!("A chassis with UUID {uuid} already exists."))
            }
            other => other.into(),
        })?;
    let location = call.ctx.url(&format!("chassis/{}", chassis.id));
    let document = KIND.document(&call, None, &chassis);
    Ok(Reply::created(document, location))
}

/// `POST /chassis/{chassis}`: Ironic takes what stands in the path for the body.
pub(crate) async fn create_at(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    schema::check("chassis", &Value::from(call.param("chassis")), &SCHEMA)?;
    Err(ApiError::resource_not_found())
}

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    let patch = Patch::parse(&call.body()?)?;
    schema::check_unnamed(&Value::from(call.param("chassis")), &UUID)?;
    call.permit(Rule::ChassisUpdate, &Target::NONE)?;
    patch.allow(PATCHABLE)?;
    let mut chassis = lookup::chassis(&call, call.param("chassis")).await?;
    let document = json!({
        "uuid": chassis.id.to_string(),
        "extra": chassis.extra,
        "description": chassis.description,
    });
    let patched = Value::Object(patch.apply(object(Some(&document)))?);
    schema::check("patch", &patched, &SCHEMA)?;
    if let Some(uuid) = patched.get("uuid") {
        args::uuid("uuid", uuid)?;
    }
    if patched.get("uuid") != document.get("uuid") {
        return Err(ApiError::invalid(
            "Cannot overwrite UUID for an existing Chassis.",
        ));
    }
    chassis.description = text(patched.get("description"));
    chassis.extra = object(patched.get("extra"));
    let db = &call.state.db;
    let told = call.begin(Action::Update, &chassis).await;
    let chassis = told
        .failed(store::chassis::update(db, chassis, told.end()).await)
        .await?;
    Ok(Reply::ok(KIND.document(&call, None, &chassis)))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let uuid = ident(&call)?;
    call.permit(Rule::ChassisDelete, &Target::NONE)?;
    let chassis = lookup::chassis(&call, uuid).await?;
    let db = &call.state.db;
    let told = call.begin(Action::Delete, &chassis).await;
    told.failed(store::chassis::delete(db, chassis.id, told.end()).await)
        .await
        .map_err(|error| match error {
            StoreError::NotFound => ApiError::chassis_not_found(uuid),
            StoreError::NotEmpty => ApiError::invalid(format!(
                "Cannot complete the requested action because chassis {} contains nodes.",
                chassis.id
            )),
            other => other.into(),
        })?;
    Ok(Reply::no_content())
}

/// `PATCH` and `DELETE` of `/chassis`.
pub(crate) async fn no_ident(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    Err(ApiError::missing_parameter("chassis_uuid"))
}

/// `/chassis/nodes`.
pub(crate) async fn nodes_of_none(_: Call) -> Result<Reply, ApiError> {
    Err(ApiError::invalid("Chassis id not specified."))
}

/// One node below a chassis: nodes are addressed at the top only.
pub(crate) async fn no_single_node(call: Call) -> Result<Reply, ApiError> {
    if call.method != Method::Patch {
        call.refuse_args()?;
    }
    Err(ApiError::invalid("Malformed request URI."))
}

/// `POST /chassis/{chassis}/nodes`: the chassis is taken for the description of a node.
pub(crate) async fn create_node_below(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    schema::check("node", &Value::from(call.param("chassis")), &node::CREATE)?;
    Err(ApiError::resource_not_found())
}

/// `DELETE` of what is below a chassis: the name is judged first.
pub(crate) async fn delete_part(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    ident(&call)?;
    Err(ApiError::resource_not_found())
}

/// `POST /chassis/nodes`: the body is judged first.
pub(crate) async fn create_node(call: Call) -> Result<Reply, ApiError> {
    schema::check("node", &call.body()?, &node::CREATE)?;
    Err(ApiError::invalid("Malformed request URI."))
}

/// `PATCH /chassis/{chassis}/nodes`: the patch is judged first.
pub(crate) async fn patch_nodes(call: Call) -> Result<Reply, ApiError> {
    let (body, args) = call.body_and_args(&["reset_interfaces"])?;
    args.boolean("reset_interfaces")?;
    // Ironic does not judge a patch that is null.
    if !body.is_null() {
        Patch::parse(&body)?;
    }
    no_single_node(call).await
}

/// What the path names, which must look like a UUID.
fn ident(call: &Call) -> Result<&str, ApiError> {
    let given = call.param("chassis");
    args::uuid("chassis_uuid", &Value::from(given)).map(|_| given)
}

fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

fn object(value: Option<&Value>) -> JsonMap {
    value
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use types::{Node, NodeId};

    const UUID: &str = "cccccccc-cccc-cccc-cccc-cccccccccccc";

    async fn service() -> Service {
        let service = Service::new();
        let body = json!({"uuid": UUID, "description": "rack", "extra": {"a": 1}});
        let answer = service.send("POST", "/v1/chassis", 115, body).await;
        assert_eq!(answer.status.as_u16(), 201, "{answer:?}");
        assert_eq!(
            answer.header("location"),
            format!("http://h:6385/v1/chassis/{UUID}")
        );
        service
    }

    #[tokio::test]
    async fn a_chassis_is_created_shown_listed_and_deleted() {
        let service = service().await;
        let path = format!("/v1/chassis/{UUID}");
        let shown = service.get(&path, 1).await.json();
        assert_eq!(shown["description"], "rack");
        assert_eq!(
            shown["nodes"][0][0]["href"],
            format!("http://h:6385/v1/chassis/{UUID}/nodes")
        );
        let list = service.get("/v1/chassis", 1).await.json();
        let keys: Vec<&String> = list["chassis"][0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["uuid", "description", "links"]);
        let detail = service.get("/v1/chassis/detail?limit=1", 1).await.json();
        assert_eq!(detail["chassis"][0], shown);
        assert_eq!(
            detail["next"],
            format!(
                "http://h:6385/v1/chassis/detail?sort_key=id&sort_dir=asc&limit=1&marker={UUID}"
            )
        );
        let deleted = service.send("DELETE", &path, 1, Value::Null).await;
        assert_eq!(deleted.status.as_u16(), 204);
        assert_eq!(service.get(&path, 1).await.status.as_u16(), 404);
    }

    #[tokio::test]
    async fn an_empty_body_makes_a_chassis() {
        let service = Service::new();
        let answer = service.send("POST", "/v1/chassis", 1, Value::Null).await;
        assert_eq!(answer.status.as_u16(), 201);
        let made = answer.json();
        assert_eq!(
            (&made["extra"], &made["description"]),
            (&json!({}), &Value::Null)
        );
    }

    #[tokio::test]
    async fn patches_change_all_but_the_uuid() {
        let service = service().await;
        let path = format!("/v1/chassis/{UUID}");
        let patch = json!([
            {"op": "remove", "path": "/description"},
            {"op": "add", "path": "/extra/b", "value": {"c": null}},
        ]);
        let patched = service.send("PATCH", &path, 1, patch).await.json();
        assert_eq!(patched["description"], Value::Null);
        assert_eq!(patched["extra"], json!({"a": 1, "b": {"c": null}}));
        let other = "4b4e6d2e-2d0b-4f0e-9d0e-0a4d1a1f5a10";
        for (uuid, text) in [
            (other, "Cannot overwrite UUID for an existing Chassis."),
            ("x", "Expected UUID for uuid: x"),
        ] {
            let other = json!([{"op": "replace", "path": "/uuid", "value": uuid}]);
            let refused = service.send("PATCH", &path, 1, other).await;
            assert_eq!(refused.fault(), text);
        }
    }

    #[tokio::test]
    async fn a_chassis_with_nodes_stays() {
        let service = service().await;
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.chassis = UUID.parse().ok();
        let node = service.store_node(node).await.id;
        let path = format!("/v1/chassis/{UUID}");
        let refused = service.send("DELETE", &path, 1, Value::Null).await;
        assert_eq!(refused.status.as_u16(), 400);
        assert!(refused.fault().ends_with("contains nodes."));
        let nodes = service.get(&format!("{path}/nodes"), 1).await.json();
        assert_eq!(nodes["nodes"][0]["uuid"], node.to_string());
    }

    #[tokio::test]
    async fn what_is_refused() {
        let service = service().await;
        let taken = service
            .send("POST", "/v1/chassis", 1, json!({"uuid": UUID}))
            .await;
        assert_eq!(taken.status.as_u16(), 409);
        for (path, text) in [
            ("/v1/chassis/rack", "Expected UUID for chassis_uuid: rack"),
            ("/v1/chassis/nodes", "Chassis id not specified."),
            (
                "/v1/chassis?sort_key=extra",
                "The sort_key value extra is an invalid field for sorting",
            ),
        ] {
            let answer = service.get(path, 115).await;
            assert_eq!(
                (answer.status.as_u16(), answer.fault().as_str()),
                (400, text)
            );
        }
    }
}
