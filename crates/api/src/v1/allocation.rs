//! `allocations`: claims on machines, and the machine that answers one.

mod owner;

use crate::{
    args::{self, is_logical_name},
    call::Call,
    check::trait_names,
    error::ApiError,
    lookup,
    page::Paging,
    patch::Patch,
    policy::{Reach, Rule, Target},
    reply::Reply,
    route::Method,
    schema::{self, Schema, Type, format::UUID_OR_NAME},
    v1::{
        collection::{self, ATTEMPTS, Collection},
        subject,
    },
    view::allocation::{FIELDS, QUERYABLE},
};
use axum::http::StatusCode;
use serde_json::{Value, json};
use store::{StoreError, allocation::AllocationFilter};
use types::{
    Allocation, AllocationId, ApiVersion, JsonMap, Node, NodeId, allocation::AllocationState,
    id::is_uuid_like, notification::Action, pyrepr::repr_str, version::since,
};

const KIND: Collection<Allocation> = Collection {
    name: "allocations",
    fields: FIELDS,
    id: |row| row.id.to_string(),
};

const UNSORTABLE: &[&str] = &["extra", "candidate_nodes", "traits"];

const TEXT_OR_NULL: Schema = Schema::of(&[Type::String, Type::Null]);

const PROPERTIES: &[(&str, Schema)] = &[
    (
        "candidate_nodes",
        Schema {
            types: &[Type::Array, Type::Null],
            items: Some(&UUID_OR_NAME),
            ..Schema::ANY
        },
    ),
    ("extra", Schema::of(&[Type::Object, Type::Null])),
    ("name", TEXT_OR_NULL),
    ("owner", TEXT_OR_NULL),
    (
        "resource_class",
        Schema {
            types: &[Type::String, Type::Null],
            max_length: 80,
            ..Schema::ANY
        },
    ),
    (
        "traits",
        Schema {
            types: &[Type::Array, Type::Null],
            items: Some(&trait_names::NAME),
            ..Schema::ANY
        },
    ),
    ("uuid", TEXT_OR_NULL),
    ("node", TEXT_OR_NULL),
];

pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: PROPERTIES,
    closed: true,
    ..Schema::ANY
};

/// The same before allocations could be made for a node in use: without the last property.
const EARLY_SCHEMA: Schema = Schema {
    properties: PROPERTIES.split_at(PROPERTIES.len() - 1).0,
    ..SCHEMA
};

/// The form of a patch, which allocations judge more strictly, and in other words, than most.
const PATCH: Schema = Schema {
    types: &[Type::Array],
    items: Some(&Schema {
        types: &[Type::Object],
        properties: &[
            (
                "op",
                Schema {
                    options: &["add", "replace", "remove"],
                    ..Schema::ANY
                },
            ),
            ("path", Schema::of(&[Type::String])),
            (
                "value",
                Schema::of(&[
                    Type::String,
                    Type::Object,
                    Type::Null,
                    Type::Integer,
                    Type::Boolean,
                ]),
            ),
        ],
        required: &["op", "path"],
        closed: true,
        ..Schema::ANY
    }),
    ..Schema::ANY
};

const PATCHABLE: &[&str] = &["name", "extra"];

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    reading(&call)?;
    let args = call.args(&[
        "node",
        "resource_class",
        "state",
        "marker",
        "limit",
        "sort_key",
        "sort_dir",
        "fields",
        "owner",
    ])?;
    args.integer("limit")?;
    let text = |name| args.string(name).map(|found| found.map(str::to_owned));
    let node = args.uuid_or_name("node")?.map(str::to_owned);
    let (resource_class, state, owner) = (text("resource_class")?, text("state")?, text("owner")?);
    let marker = args.string("marker")?;
    if let Some(marker) = marker.filter(|marker| !is_uuid_like(marker)) {
        let text = format!("Schema error: {} is not a 'uuid'", repr_str(marker));
        return Err(ApiError::invalid(text));
    }
    let fields = args.string_list("fields")?;
    if owner.is_some() {
        call.require_named(since::ALLOCATION_OWNER)?;
    }
    let reach = call.reach(
        Rule::AllocationListAll,
        Rule::AllocationList,
        owner.as_deref(),
    )?;
    let (owner, restricted) = match reach {
        Reach::Everything => (owner, false),
        Reach::Project(project) => (Some(project.to_owned()), true),
    };
    check_fields(&call, fields.as_deref())?;
    let node = match node {
        Some(ident) => Some(
            lookup::node(&call, &ident)
                .await
                .map_err(ApiError::as_bad_request)?
                .id,
        ),
        None => None,
    };
    collection::check_direction(&args)?;
    let paging = Paging::read(&call, &args, marker, UNSORTABLE)?;
    if let (true, Some(marker)) = (restricted, marker) {
        let found = store::allocation::find(&call.state.db, &AllocationId::from(marker)).await?;
        if found.is_none_or(|found| found.owner != owner) {
            return Err(ApiError::allocation_not_found(marker));
        }
    }
    let rows = match state.as_deref().map(str::parse::<AllocationState>) {
        // Nothing is in a state that does not exist.
        Some(Err(_)) => Vec::new(),
        state => {
            let state = state.and_then(Result::ok);
            let filter = AllocationFilter {
                node,
                resource_class,
                state,
                owner,
            };
            store::allocation::list(&call.state.db, filter, paging.page())
                .await
                .map_err(|error| paging.refused(error, ApiError::allocation_not_found))?
        }
    };
    // Ironic refuses the whole list for one that the caller may not read.
    for row in &rows {
        let owner = Target::allocation(row.owner.as_deref());
        call.permit(Rule::AllocationGet, &owner)?;
    }
    Ok(KIND.page(&call, KIND.name, &paging, fields.as_deref(), None, &rows))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    reading(&call)?;
    let args = call.args(&["fields"])?;
    let fields = args.string_list("fields")?;
    check_fields(&call, fields.as_deref())?;
    let ident = call.param("allocation");
    let allocation = lookup::allocation(&call, ident, Rule::AllocationGet).await?;
    Ok(Reply::ok(KIND.document(
        &call,
        fields.as_deref(),
        &allocation,
    )))
}

/// One attribute, named in the path.
pub(crate) async fn get_part(call: Call) -> Result<Reply, ApiError> {
    reading(&call)?;
    call.no_args()?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    let ident = call.param("allocation");
    let allocation = lookup::allocation(&call, ident, Rule::AllocationGet).await?;
    if fields.iter().any(|field| field == "owner") {
        call.require(since::ALLOCATION_OWNER)?;
    }
    collection::check_known(Some(&fields), FIELDS)?;
    Ok(Reply::ok(KIND.document(&call, Some(&fields), &allocation)))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    writing(&call, since::ALLOCATIONS, "allocations")?;
    let body = call.body()?;
    let schema = if call.version() < since::ALLOCATION_BACKFILL {
        &EARLY_SCHEMA
    } else {
        &SCHEMA
    };
    schema::check_unnamed(&body, schema)?;
    let given = |name: &str| body.get(name).filter(|value| !value.is_null());
    // An empty text stands for nothing, but for the name, which it is.
    let text = |name: &str| {
        let text = given(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let owner = owner::of_new(&call, text("owner"))?;
    if given("owner").is_some() {
        call.require(since::ALLOCATION_OWNER)?;
    }
    let node = match text("node") {
        Some(ident) => Some(
            lookup::node(&call, &ident)
                .await
                .map_err(ApiError::as_bad_request)?,
        ),
        None => None,
    };
    if node.is_none() && text("resource_class").is_none() {
        return Err(ApiError::invalid(
            "The resource_class field is mandatory when not backfilling",
        ));
    }
    let name = given("name").and_then(Value::as_str).map(str::to_owned);
    if let Some(name) = &name {
        check_name(name, "create")?;
    }
    // A backfilled allocation is the instance that the machine runs already.
    let instance = node.as_ref().and_then(|node| node.instance_uuid.clone());
    let id = match text("uuid").or(instance) {
        Some(uuid) => AllocationId::from(uuid),
        None => AllocationId::generate(),
    };
    let allocation = Allocation {
        name,
        node: node.map(|node| node.id),
        resource_class: text("resource_class"),
        traits: traits(given("traits")),
        candidate_nodes: candidates(&call, given("candidate_nodes")).await?,
        extra: given("extra")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
        owner,
        ..Allocation::new(id)
    };
    let allocation = call
        .state
        .conductor
        .create_allocation(&call.ctx.caller, allocation)
        .await?;
    let location = call.ctx.url(&format!("allocations/{}", allocation.id));
    Ok(Reply::created(
        KIND.document(&call, None, &allocation),
        location,
    ))
}

/// `POST /allocations/{allocation}`: the body is judged before the path is found too long.
pub(crate) async fn create_at(call: Call) -> Result<Reply, ApiError> {
    writing(&call, since::ALLOCATIONS, "allocations")?;
    schema::check_unnamed(&call.body()?, &SCHEMA)?;
    Err(ApiError::resource_not_found())
}

/// `PATCH` of what is below an allocation: the body is judged before the path is found too long.
pub(crate) async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    writing(&call, since::ALLOCATION_UPDATE, "updating allocations")?;
    schema::check_unnamed(&call.body()?, &PATCH)?;
    Err(ApiError::resource_not_found())
}

/// `DELETE` of what is below an allocation.
pub(crate) async fn delete_part(call: Call) -> Result<Reply, ApiError> {
    writing(&call, since::ALLOCATIONS, "allocations")?;
    call.no_args()?;
    Err(ApiError::resource_not_found())
}

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    writing(&call, since::ALLOCATION_UPDATE, "updating allocations")?;
    let body = call.body()?;
    schema::check_unnamed(&body, &PATCH)?;
    let patch = Patch::of_checked(&body);
    let mut attempt = 1;
    let allocation = loop {
        let allocation = patched(&call, &patch).await?;
        let told = call.begin(Action::Update, &allocation).await;
        let stored = store::allocation::update(&call.state.db, allocation, told.end()).await;
        match stored {
            // The search for a machine wrote meanwhile.
            Err(StoreError::Stale) if attempt < ATTEMPTS => attempt += 1,
            other => break told.failed(other).await.map_err(duplicate)?,
        }
    };
    Ok(Reply::ok(KIND.document(&call, None, &allocation)))
}

/// The allocation as the client wants it.
async fn patched(call: &Call, patch: &Patch) -> Result<Allocation, ApiError> {
    let ident = call.param("allocation");
    let mut allocation = lookup::allocation(call, ident, Rule::AllocationUpdate).await?;
    patch.allow(PATCHABLE)?;
    let document = json!({"name": allocation.name, "extra": allocation.extra});
    let patched = Value::Object(patch.apply(args::object(document))?);
    schema::check("patch", &patched, &SCHEMA)?;
    allocation.name = patched
        .get("name")
        .and_then(Value::as_str)
        .map(str::to_owned);
    if let Some(name) = &allocation.name {
        check_name(name, "update")?;
    }
    allocation.extra = patched
        .get("extra")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_else(JsonMap::new);
    Ok(allocation)
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    writing(&call, since::ALLOCATIONS, "allocations")?;
    call.no_args()?;
    let ident = call.param("allocation");
    let allocation = lookup::allocation(&call, ident, Rule::AllocationDelete).await?;
    call.state
        .conductor
        .destroy_allocation(&call.ctx.caller, allocation.id)
        .await?;
    Ok(Reply::no_content())
}

/// `DELETE` and `PATCH` of `/allocations`.
pub(crate) async fn no_ident(call: Call) -> Result<Reply, ApiError> {
    match call.method {
        Method::Patch => writing(&call, since::ALLOCATION_UPDATE, "updating allocations")?,
        _ => writing(&call, since::ALLOCATIONS, "allocations")?,
    }
    call.refuse_args()?;
    Err(ApiError::missing_parameter("allocation_ident"))
}

/// The allocation of a node.
pub(crate) async fn get_of_node(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::ALLOCATIONS)?;
    let fields = call.args(&["fields"])?.string_list("fields")?;
    let allocation = of_node(&call, true).await?;
    let owner = Target::allocation(allocation.owner.as_deref());
    call.permit(Rule::AllocationGet, &owner)?;
    check_fields(&call, fields.as_deref())?;
    Ok(Reply::ok(KIND.document(
        &call,
        fields.as_deref(),
        &allocation,
    )))
}

pub(crate) async fn delete_of_node(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::ALLOCATIONS)?;
    call.no_args()?;
    let allocation = of_node(&call, false).await?;
    let owner = Target::allocation(allocation.owner.as_deref());
    call.permit(Rule::AllocationDelete, &owner)?;
    call.state
        .conductor
        .destroy_allocation(&call.ctx.caller, allocation.id)
        .await?;
    Ok(Reply::no_content())
}

async fn of_node(call: &Call, reading: bool) -> Result<Allocation, ApiError> {
    call.require_path(since::ALLOCATIONS)?;
    let node = subject::node(call).await;
    // Reading names a node that does not exist like an argument, deleting like the resource. A
    // node that the caller may not see is named alike; Ironic tells one from the other.
    let node = if reading {
        node.map_err(ApiError::as_bad_request)?
    } else {
        node?
    };
    let found = store::allocation::find_by_node(&call.state.db, node.id).await?;
    found.ok_or_else(|| {
        ApiError::not_found(format!(
            "Allocation for node {} was not found",
            call.param("node")
        ))
    })
}

fn reading(call: &Call) -> Result<(), ApiError> {
    gate(
        call,
        since::ALLOCATIONS,
        StatusCode::NOT_FOUND,
        "allocations",
    )
}

fn writing(call: &Call, since: ApiVersion, what: &str) -> Result<(), ApiError> {
    gate(call, since, StatusCode::METHOD_NOT_ALLOWED, what)
}

fn gate(call: &Call, since: ApiVersion, status: StatusCode, what: &str) -> Result<(), ApiError> {
    if call.version() >= since {
        return Ok(());
    }
    Err(ApiError::service(
        status,
        format!("The API version does not allow {what}"),
    ))
}

fn check_fields(call: &Call, fields: Option<&[String]>) -> Result<(), ApiError> {
    let known: Vec<&str> = QUERYABLE
        .iter()
        .copied()
        .filter(|name| *name != "owner" || call.version() >= since::ALLOCATION_OWNER)
        .collect();
    collection::check_names(fields, &known)
}

fn check_name(name: &str, verb: &str) -> Result<(), ApiError> {
    // One that looks like a UUID is a name as well, but nothing is found by it.
    if name.is_empty() || is_logical_name(name) {
        return Ok(());
    }
    Err(ApiError::invalid(format!(
        "Cannot {verb} allocation with invalid name '{name}'"
    )))
}

fn traits(given: Option<&Value>) -> Vec<String> {
    let names = given.and_then(Value::as_array).into_iter().flatten();
    let mut traits: Vec<String> = names
        .filter_map(|value| value.as_str().map(str::to_owned))
        .collect();
    traits.sort();
    traits.dedup();
    traits
}

/// The nodes that may be chosen. Who may not create allocations for everybody only finds those of
/// the own project.
async fn candidates(call: &Call, given: Option<&Value>) -> Result<Vec<NodeId>, ApiError> {
    let any = call.allows(Rule::AllocationCreateRestricted, &Target::NONE);
    let own = call.ctx.caller.project.as_deref();
    let fits = |node: &Node| any || node.owner.as_deref() == own || node.lessee.as_deref() == own;
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for ident in given
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        match lookup::node(call, ident).await {
            Ok(node) if fits(&node) => found.push(node.id),
            Ok(_) => missing.push(ident.to_owned()),
            Err(error) if error.status() == StatusCode::NOT_FOUND => missing.push(ident.to_owned()),
            Err(error) => return Err(error),
        }
    }
    if missing.is_empty() {
        return Ok(found);
    }
    Err(ApiError::invalid(format!(
        "Nodes cannot be found: {}",
        missing.join(", ")
    )))
}

fn duplicate(error: StoreError) -> ApiError {
    match error {
        StoreError::Duplicate(unique) => ApiError::conflict(unique.to_string()),
        StoreError::Stale => ApiError::conflict(
            "The allocation was changed by another request meanwhile, please retry.",
        ),
        other => other.into(),
    }
}
