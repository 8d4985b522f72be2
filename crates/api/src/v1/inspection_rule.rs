//! `inspection_rules`: what to do about what inspection found. The API keeps them; the conductor
//! applies them.

mod attribute;

use crate::{
    args::{self, Args, object},
    call::Call,
    error::ApiError,
    page::{self, Paging},
    patch::Patch,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, format::UUID, inspection_rule::RULE},
    v1::collection::{self, ATTEMPTS, Collection},
    view::inspection_rule::{DEFAULT_FIELDS, FIELDS},
};
use serde_json::{Value, json};
use store::StoreError;
use types::{
    InspectionRule, InspectionRuleId, JsonMap,
    notification::Action,
    pyrepr::{self, repr_str},
    version::since,
};

const KIND: Collection<InspectionRule> = Collection {
    name: "inspection_rules",
    fields: FIELDS,
    id: |row| row.id.to_string(),
};

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let names = [&page::PAGE_ARGS[..], &["fields", "detail", "phase"]].concat();
    let args = call.args(&names)?;
    args.integer("limit")?;
    let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
    check_order(&args)?;
    call.permit(Rule::InspectionRuleGet, &Target::NONE)?;
    collection::check_known(fields.as_deref(), FIELDS)?;
    let fields = page::wanted_fields(&call, fields, detail, DEFAULT_FIELDS)?;
    let paging = Paging::read(&call, &args, args.string("marker")?, &[])?;
    let rows = store::inspection_rule::list(&call.state.db, paging.page())
        .await
        .map_err(|error| paging.refused(error, not_found))?;
    // The phase is no filter; it only shows up in the link, which leads nowhere anyway.
    let path = match args.string("phase")? {
        Some(phase) => format!("inspection?filters={{'phase': {}}}", repr_str(phase)),
        None => "inspection?filters={}".to_owned(),
    };
    Ok(KIND.page(&call, &path, &paging, fields.as_deref(), detail, &rows))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let fields = call.args(&["fields"])?.string_list("fields")?;
    let uuid = uuid(&call)?;
    call.permit(Rule::InspectionRuleGet, &Target::NONE)?;
    let rule = find(&call, uuid).await?;
    collection::check_known(fields.as_deref(), FIELDS)?;
    Ok(Reply::ok(KIND.document(&call, fields.as_deref(), &rule)))
}

/// `GET /inspection_rules/{rule}/{fields}`: the rest of the path is taken for `fields`.
pub(crate) async fn get_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    let uuid = uuid(&call)?;
    call.permit(Rule::InspectionRuleGet, &Target::NONE)?;
    let rule = find(&call, uuid).await?;
    collection::check_known(Some(&fields), FIELDS)?;
    Ok(Reply::ok(KIND.document(&call, Some(&fields), &rule)))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    schema::check_unnamed(&body, &RULE)?;
    call.permit(Rule::InspectionRuleCreate, &Target::NONE)?;
    let body = object(body);
    let id = match body.get("uuid").and_then(Value::as_str) {
        // Any text will do.
        Some(given) => InspectionRuleId::from(given),
        None => InspectionRuleId::generate(),
    };
    let mut rule = InspectionRule::new(id, Vec::new(), Vec::new());
    attribute::apply(&body, &mut rule)?;
    let told = call.begin(Action::Create, &rule).await;
    let rule = told
        .failed(store::inspection_rule::insert(&call.state.db, rule, told.end()).await)
        .await?;
    let location = call.ctx.url(&format!("inspection_rules/{}", rule.id));
    Ok(Reply::created(KIND.document(&call, None, &rule), location))
}

/// A rule that is not stored, checked as a new one is but for its shape.
pub(crate) fn draft(body: &Value) -> Result<InspectionRule, ApiError> {
    let id = InspectionRuleId::generate();
    let mut rule = InspectionRule::new(id, Vec::new(), Vec::new());
    attribute::apply(&object(body.clone()), &mut rule)?;
    Ok(rule)
}

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    let patch = Patch::parse(&body)?;
    let given = call.param("rule");
    args::uuid("inspection_rule_uuid", &Value::from(given))?;
    call.permit(Rule::InspectionRuleUpdate, &Target::NONE)?;
    let mut attempt = 1;
    let rule = loop {
        let rule = find(&call, given).await?;
        let open = store::inspection_rule::opened(&call.state.db, rule)?;
        let changed = patched(&open, &patch, &body)?;
        // A patch that changes nothing leaves no trace.
        if changed == open {
            break open;
        }
        let told = call.begin(Action::Update, &changed).await;
        match store::inspection_rule::update(&call.state.db, changed, told.end()).await {
            Err(StoreError::Stale) if attempt < ATTEMPTS => attempt += 1,
            other => break told.failed(other).await?,
        }
    };
    Ok(Reply::ok(KIND.document(&call, None, &rule)))
}

/// `PATCH` of what is below a rule.
pub(crate) async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    args::uuid("inspection_rule_uuid", &Value::from(call.param("rule")))?;
    collection::patch_part(call).await
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let uuid = uuid(&call)?;
    call.permit(Rule::InspectionRuleDelete, &Target::NONE)?;
    let rule = find(&call, uuid).await?;
    let told = call.begin(Action::Delete, &rule).await;
    told.failed(store::inspection_rule::delete(&call.state.db, &rule.id, told.end()).await)
        .await?;
    Ok(Reply::no_content())
}

/// `PATCH` and `DELETE` of `/inspection_rules`.
pub(crate) async fn no_ident(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    Err(ApiError::missing_parameter("inspection_rule_uuid"))
}

/// The rule as the client wants it.
fn patched(rule: &InspectionRule, patch: &Patch, body: &Value) -> Result<InspectionRule, ApiError> {
    let mut document = patch.apply(attributes_of(rule))?;
    for name in KEPT {
        document.shift_remove(*name);
    }
    let document = Value::Object(document);
    schema::check("patch", &document, &RULE)?;
    if let Some(uuid) = document.get("uuid").and_then(Value::as_str)
        && uuid != rule.id.as_str()
    {
        // Ironic looks for the rule by what the patch says.
        return Err(not_found(uuid));
    }
    let mut changed = rule.clone();
    attribute::apply(&object(document), &mut changed)?;
    if rule.sensitive && !changed.sensitive {
        // Also by removal, which Ironic overlooks and so gives the secrets away.
        return Err(ApiError::invalid(format!(
            "Couldn't apply patch '{}'. Reason: Inspection rules cannot have the sensitive flag unset.",
            pyrepr::repr(body)
        )));
    }
    Ok(changed)
}

/// What a patch can name and does not change.
const KEPT: &[&str] = &["id", "created_at", "updated_at"];

/// The attributes that a patch can reach.
fn attributes_of(rule: &InspectionRule) -> JsonMap {
    object(json!({
        "uuid": rule.id.as_str(),
        "description": rule.description,
        "priority": rule.priority,
        "phase": rule.phase,
        "sensitive": rule.sensitive,
        "actions": rule.actions,
        "conditions": rule.conditions,
        "id": Value::Null,
        "created_at": Value::Null,
        "updated_at": Value::Null,
    }))
}

fn check_version(call: &Call) -> Result<(), ApiError> {
    if call.version() >= since::INSPECTION_RULES {
        return Ok(());
    }
    Err(ApiError::service(
        collection::absent(call),
        "The API version does not allow inspection rules",
    ))
}

fn check_order(args: &Args) -> Result<(), ApiError> {
    collection::check_direction(args)?;
    match args.string("sort_key")? {
        Some(key @ ("actions" | "conditions")) => Err(ApiError::invalid(format!(
            "Schema error: '{key}' should not be valid under {{'type': 'string', 'enum': ['actions', 'conditions']}}"
        ))),
        _ => Ok(()),
    }
}

/// What the path names, which must look like a UUID though rules may be called anything.
fn uuid(call: &Call) -> Result<&str, ApiError> {
    let given = call.param("rule");
    check_uuid(given).map(|()| given)
}

pub(crate) fn check_uuid(given: &str) -> Result<(), ApiError> {
    schema::check_unnamed(&Value::from(given), &UUID)
}

async fn find(call: &Call, uuid: &str) -> Result<InspectionRule, ApiError> {
    let id = InspectionRuleId::from(uuid);
    let found = store::inspection_rule::find(&call.state.db, &id).await?;
    found.ok_or_else(|| not_found(uuid))
}

fn not_found(uuid: &str) -> ApiError {
    ApiError::not_found(format!("Rule {uuid} could not be found."))
}

#[cfg(test)]
mod tests;
