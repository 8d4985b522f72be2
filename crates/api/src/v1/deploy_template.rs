//! `deploy_templates`: named lists of deploy steps that the traits of an instance bring along. They
//! have no conductor; the store keeps them.

use crate::{
    args::{self, object},
    call::Call,
    check::trait_names,
    error::ApiError,
    lookup,
    page::{self, Paging},
    patch::Patch,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, Schema, Type, steps::TEMPLATE_STEPS},
    v1::{
        collection::{self, ATTEMPTS, Collection},
        step_list,
    },
    view::deploy_template::{DEFAULT_FIELDS, FIELDS, QUERYABLE},
};
use serde_json::{Value, json};
use store::StoreError;
use types::{
    DeployTemplate, DeployTemplateId, JsonMap, deploy_template::TemplateStep, notification::Action,
    version::since,
};

const KIND: Collection<DeployTemplate> = Collection {
    name: "deploy_templates",
    fields: FIELDS,
    id: |row| row.id.to_string(),
};

const UNSORTABLE: &[&str] = &["extra", "steps"];

/// Everything that a client may say about a template. The description is taken and forgotten.
pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "description",
            Schema {
                types: &[Type::String, Type::Null],
                max_length: 255,
                ..Schema::ANY
            },
        ),
        ("extra", Schema::of(&[Type::Object, Type::Null])),
        ("name", trait_names::NAME),
        ("steps", TEMPLATE_STEPS),
        ("uuid", Schema::of(&[Type::String, Type::Null])),
    ],
    required: &["steps", "name"],
    closed: true,
    ..Schema::ANY
};

/// What may be patched, in the order in which a refusal lists it.
const ALLOWED: &[&str] = &["extra", "name", "steps", "description"];

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let names = [&page::PAGE_ARGS[..], &["fields", "detail"]].concat();
    let args = call.args(&names)?;
    // It must look like a name, and is then compared with UUIDs.
    let marker = args.name("marker")?;
    args.integer("limit")?;
    let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
    collection::check_names(fields.as_deref(), QUERYABLE)?;
    collection::check_direction(&args)?;
    call.permit(Rule::DeployTemplateGet, &Target::NONE)?;
    collection::check_known(fields.as_deref(), FIELDS)?;
    let fields = page::wanted_fields(&call, fields, detail, DEFAULT_FIELDS)?;
    let paging = Paging::read(&call, &args, marker, UNSORTABLE)?;
    let rows = store::deploy_template::list(&call.state.db, paging.page())
        .await
        .map_err(|error| paging.refused(error, not_found))?;
    Ok(KIND.page(&call, KIND.name, &paging, fields.as_deref(), detail, &rows))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let fields = call.args(&["fields"])?.string_list("fields")?;
    let ident = ident(&call)?;
    collection::check_names(fields.as_deref(), QUERYABLE)?;
    call.permit(Rule::DeployTemplateGet, &Target::NONE)?;
    collection::check_known(fields.as_deref(), FIELDS)?;
    let template = find(&call, ident).await?;
    let document = KIND.document(&call, fields.as_deref(), &template);
    Ok(Reply::ok(document))
}

/// `GET /deploy_templates/{template}/{fields}`: the rest of the path is taken for `fields`.
pub(crate) async fn get_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    call.permit(Rule::DeployTemplateGet, &Target::NONE)?;
    let template = find(&call, ident(&call)?).await?;
    collection::check_known(Some(&fields), FIELDS)?;
    Ok(Reply::ok(KIND.document(&call, Some(&fields), &template)))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    schema::check("template", &body, &SCHEMA)?;
    call.permit(Rule::DeployTemplateCreate, &Target::NONE)?;
    let id = args::new_id(&body, DeployTemplateId::generate)?;
    let body = object(body);
    let mut template = DeployTemplate::new(id, "", Vec::new());
    apply(&body, &mut template)?;
    let given = template.steps.clone();
    normalise(&mut template);
    let db = &call.state.db;
    let told = call.begin(Action::Create, &template).await;
    let mut template = told
        .failed(store::deploy_template::insert(db, template, told.end()).await)
        .await?;
    // The answer shows priorities as they were written, though they are kept as numbers.
    for (step, given) in template.steps.iter_mut().zip(given) {
        step.priority = given.priority;
    }
    let location = call.ctx.url(&format!("deploy_templates/{}", template.id));
    let document = KIND.document(&call, None, &template);
    Ok(Reply::created(document, location))
}

/// `POST /deploy_templates/{template}`: Ironic takes what stands in the path for the body.
pub(crate) async fn create_at(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    schema::check("template", &Value::from(call.param("template")), &SCHEMA)?;
    Err(ApiError::resource_not_found())
}

/// `PATCH` of what is below a template.
pub(crate) async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    collection::patch_part(call).await
}

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let patch = Patch::parse(&call.body()?)?;
    let ident = ident(&call)?;
    call.permit(Rule::DeployTemplateUpdate, &Target::NONE)?;
    patch.allow(ALLOWED)?;
    let mut attempt = 1;
    let template = loop {
        let template = find(&call, ident).await?;
        let mut changed = template.clone();
        let document = Value::Object(patch.apply(attributes_of(&template))?);
        schema::check("patch", &document, &SCHEMA)?;
        apply(&object(document), &mut changed)?;
        normalise(&mut changed);
        changed.steps = step_list::kept_first(&template.steps, changed.steps);
        // A patch that changes nothing leaves no trace.
        if changed == template {
            break template;
        }
        let db = &call.state.db;
        let told = call.begin(Action::Update, &changed).await;
        match store::deploy_template::update(db, changed, told.end()).await {
            Err(StoreError::Stale) if attempt < ATTEMPTS => attempt += 1,
            other => break told.failed(other).await?,
        }
    };
    Ok(Reply::ok(KIND.document(&call, None, &template)))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let ident = ident(&call)?;
    call.permit(Rule::DeployTemplateDelete, &Target::NONE)?;
    let template = find(&call, ident).await?;
    let db = &call.state.db;
    let told = call.begin(Action::Delete, &template).await;
    told.failed(store::deploy_template::delete(db, template.id, told.end()).await)
        .await?;
    Ok(Reply::no_content())
}

/// `PATCH` and `DELETE` of `/deploy_templates`.
pub(crate) async fn no_ident(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    Err(ApiError::missing_parameter("template_ident"))
}

fn check_version(call: &Call) -> Result<(), ApiError> {
    if call.version() >= since::DEPLOY_TEMPLATES {
        return Ok(());
    }
    Err(ApiError::router(
        collection::absent(call),
        "The API version does not allow deploy templates",
    ))
}

fn ident(call: &Call) -> Result<&str, ApiError> {
    let given = call.param("template");
    args::uuid_or_name("template_ident", &Value::from(given)).map(|_| given)
}

async fn find(call: &Call, ident: &str) -> Result<DeployTemplate, ApiError> {
    let by_name = store::deploy_template::find_by_name;
    let found = lookup::by_id_or_name(call, ident, store::deploy_template::find, by_name).await?;
    found.ok_or_else(|| not_found(ident))
}

fn not_found(ident: &str) -> ApiError {
    ApiError::not_found(format!("Deploy template {ident} could not be found."))
}

/// Sets what the body says, but for the identity.
fn apply(body: &JsonMap, template: &mut DeployTemplate) -> Result<(), ApiError> {
    let name = body.get("name").and_then(Value::as_str);
    name.unwrap_or_default().clone_into(&mut template.name);
    let extra = body.get("extra").and_then(Value::as_object);
    template.extra = extra.cloned().unwrap_or_default();
    let steps = step_list::read(body, "priority")?;
    template.steps = steps
        .into_iter()
        .map(|given| TemplateStep {
            interface: given.interface,
            step: given.step,
            args: given.args,
            priority: given.rank,
        })
        .collect();
    Ok(())
}

/// Priorities are kept as numbers.
fn normalise(template: &mut DeployTemplate) {
    for step in &mut template.steps {
        step.priority = step_list::number(&step.priority);
    }
}

/// The attributes that a patch can reach.
fn attributes_of(template: &DeployTemplate) -> JsonMap {
    object(json!({
        "extra": template.extra,
        "name": template.name,
        "steps": template.steps,
    }))
}

#[cfg(test)]
mod tests;
