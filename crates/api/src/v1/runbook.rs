//! `runbooks`: named lists of steps that operators approve for machines. They have no conductor;
//! the store keeps them. Their traits have a file of their own.

mod create;
pub(crate) mod traits;

pub(crate) use create::{create, create_at};

use crate::{
    args::{self, object},
    call::Call,
    check::trait_names,
    error::ApiError,
    lookup,
    page::{self, Paging},
    patch::Patch,
    policy::{Reach, Rule, Target},
    reply::Reply,
    schema::{self, Pattern, Schema, Type, steps::RUNBOOK_STEPS},
    v1::{
        collection::{self, ATTEMPTS, Collection},
        provision::policy_steps,
        step_list,
    },
    view::runbook::{DEFAULT_FIELDS, FIELDS},
};
use serde_json::{Value, json};
use store::{StoreError, runbook::RunbookFilter};
use types::{JsonMap, Runbook, notification::Action, pyrepr, runbook::RunbookStep, version::since};

const KIND: Collection<Runbook> = Collection {
    name: "runbooks",
    fields: FIELDS,
    id: |row| row.id.to_string(),
};

const UNSORTABLE: &[&str] = &["extra", "steps", "traits"];

const SWITCH: Schema = Schema::of(&[Type::Boolean, Type::Null]);

const TEXT: Schema = Schema {
    types: &[Type::String, Type::Null],
    max_length: 255,
    ..Schema::ANY
};

/// Everything that a client may say about a runbook.
pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("disable_ramdisk", SWITCH),
        ("extra", Schema::of(&[Type::Object, Type::Null])),
        (
            "name",
            Schema {
                types: &[Type::String],
                min_length: 1,
                max_length: 255,
                pattern: Some(Pattern {
                    text: r"^[A-Za-z0-9\-._~]+$",
                    test: |text| {
                        !text.is_empty()
                            && text
                                .bytes()
                                .all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
                    },
                }),
                ..Schema::ANY
            },
        ),
        ("owner", TEXT),
        ("public", SWITCH),
        ("steps", RUNBOOK_STEPS),
        ("uuid", Schema::of(&[Type::String, Type::Null])),
        ("description", TEXT),
    ],
    required: &["steps", "name"],
    closed: true,
    ..Schema::ANY
};

/// The same before runbooks had traits: the name is that of one, and nothing describes it.
const EARLY_SCHEMA: Schema = Schema {
    properties: &[
        ("disable_ramdisk", SWITCH),
        ("extra", Schema::of(&[Type::Object, Type::Null])),
        ("name", trait_names::NAME),
        ("owner", TEXT),
        ("public", SWITCH),
        ("steps", RUNBOOK_STEPS),
        ("uuid", Schema::of(&[Type::String, Type::Null])),
    ],
    ..SCHEMA
};

/// What may be patched, in the order in which a refusal lists it; the last one came later.
const ALLOWED: [&str; 7] = [
    "disable_ramdisk",
    "extra",
    "name",
    "owner",
    "public",
    "steps",
    "description",
];

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let names = [&page::PAGE_ARGS[..], &["fields", "detail", "project"]].concat();
    let args = call.args(&names)?;
    // It must look like a name, and is then compared with UUIDs.
    let marker = args.name("marker")?;
    args.integer("limit")?;
    let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
    let project = args.boolean("project")?;
    // Ironic reads a truth value and then takes its text for the name of a project.
    let asked = project.filter(|given| *given).map(page::python_bool);
    let (project, restricted) = match call.reach(Rule::RunbookListAll, Rule::RunbookList, asked)? {
        Reach::Everything => (asked, false),
        Reach::Project(own) => (Some(own), true),
    };
    check_fields(&call, fields.as_deref())?;
    let fields = page::wanted_fields(&call, fields, detail, DEFAULT_FIELDS)?;
    let paging = Paging::read(&call, &args, marker, UNSORTABLE)?;
    if let (true, Some(marker)) = (restricted, marker) {
        let found = lookup::by_id(&call, marker, store::runbook::find).await?;
        let listed = |found: Runbook| found.public || found.owner.as_deref() == project;
        if !found.is_some_and(listed) {
            return Err(not_found(marker));
        }
    }
    let filter = RunbookFilter {
        project: project.map(str::to_owned),
    };
    let rows = store::runbook::list(&call.state.db, filter, paging.page())
        .await
        .map_err(|error| paging.refused(error, not_found))?;
    Ok(KIND.page(&call, KIND.name, &paging, fields.as_deref(), detail, &rows))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let fields = call.args(&["fields"])?.string_list("fields")?;
    let runbook = readable(&call).await?;
    check_fields(&call, fields.as_deref())?;
    let document = KIND.document(&call, fields.as_deref(), &runbook);
    Ok(Reply::ok(document))
}

/// `GET /runbooks/{runbook}/{fields}`: the rest of the path is taken for `fields`.
pub(crate) async fn get_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    let runbook = readable(&call).await?;
    check_fields(&call, Some(&fields))?;
    Ok(Reply::ok(KIND.document(&call, Some(&fields), &runbook)))
}

/// `PATCH` of what is below a runbook.
pub(crate) async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    collection::patch_part(call).await
}

pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    let patch = Patch::parse(&body)?;
    let ident = ident(&call)?;
    let early = call.version() < since::RUNBOOK_TRAITS;
    let allowed = if early { &ALLOWED[..6] } else { &ALLOWED[..] };
    patch.allow(allowed)?;
    let mut attempt = 1;
    let runbook = loop {
        let runbook = find(&call, ident).await?;
        for rule in patch_rules(&patch) {
            call.permit(rule, &target(&runbook))?;
        }
        let changed = patched(&runbook, &patch, &body)?;
        if patch.touches("steps") {
            permit_steps(&call, &changed)?;
        }
        // A patch that changes nothing leaves no trace.
        if changed == runbook {
            break runbook;
        }
        let told = call.begin(Action::Update, &changed).await;
        match store::runbook::update(&call.state.db, changed, told.end()).await {
            Err(StoreError::Stale) if attempt < ATTEMPTS => attempt += 1,
            other => break told.failed(other).await?,
        }
    };
    Ok(Reply::ok(KIND.document(&call, None, &runbook)))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    let runbook = find(&call, ident(&call)?).await?;
    call.permit(Rule::RunbookDelete, &target(&runbook))?;
    let told = call.begin(Action::Delete, &runbook).await;
    told.failed(store::runbook::delete(&call.state.db, runbook.id, told.end()).await)
        .await?;
    Ok(Reply::no_content())
}

/// `PATCH` and `DELETE` of `/runbooks`.
pub(crate) async fn no_ident(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    Err(ApiError::missing_parameter("runbook_ident"))
}

/// The runbook that the path names, for those who may read it. Public ones are for everybody.
async fn readable(call: &Call) -> Result<Runbook, ApiError> {
    let runbook = find(call, ident(call)?).await?;
    if !runbook.public {
        call.permit(Rule::RunbookGet, &target(&runbook))?;
    }
    Ok(runbook)
}

fn target(runbook: &Runbook) -> Target<'_> {
    Target::runbook(runbook.owner.as_deref())
}

/// The rules that a patch must satisfy, all of them, in the order in which they are asked.
fn patch_rules(patch: &Patch) -> Vec<Rule> {
    let mut rules = Vec::new();
    for op in &patch.0 {
        let rule = if op.path.starts_with("/owner") {
            Rule::RunbookUpdateOwner
        } else if op.path.starts_with("/public") {
            Rule::RunbookUpdatePublic
        } else {
            Rule::RunbookUpdate
        };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    // What has a rule of its own is asked first.
    rules.sort_by_key(|rule| *rule == Rule::RunbookUpdate);
    if rules.is_empty() {
        rules.push(Rule::RunbookUpdate);
    }
    rules
}

/// 403 for steps that the caller may not have executed on any machine.
fn permit_steps(call: &Call, runbook: &Runbook) -> Result<(), ApiError> {
    let steps = runbook.steps.iter();
    let steps = steps.map(|step| (step.interface.as_str(), step.step.as_str()));
    policy_steps(call, steps, &Target::NONE)
}

/// The runbook as the client wants it.
fn patched(runbook: &Runbook, patch: &Patch, body: &Value) -> Result<Runbook, ApiError> {
    let mut document = attributes_of(runbook);
    if patch.values("/public").next().is_some() {
        // Whoever speaks of publicity gives the ownership up, whatever is said.
        document.insert("owner".into(), Value::Null);
    }
    let document = patch.apply(document)?;
    schema::check("patch", &Value::Object(document.clone()), &SCHEMA)?;
    let mut changed = runbook.clone();
    apply(&document, &mut changed)?;
    changed.steps = step_list::kept_first(&runbook.steps, changed.steps);
    let owned = patch.values("/owner").any(|owner| !owner.is_null());
    if owned && changed.public && changed.owner.is_some() {
        return Err(ApiError::invalid(format!(
            "Couldn't apply patch '{}'. Reason: There cannot be an owner for a public runbook",
            pyrepr::repr(body)
        )));
    }
    Ok(changed)
}

fn check_version(call: &Call) -> Result<(), ApiError> {
    if call.version() >= since::RUNBOOKS {
        return Ok(());
    }
    Err(ApiError::router(
        collection::absent(call),
        "The API version does not allow runbooks",
    ))
}

/// 400 for fields that the version does not have, as for those that none has.
fn check_fields(call: &Call, fields: Option<&[String]>) -> Result<(), ApiError> {
    collection::check_known_at(fields, FIELDS, call.version())
}

fn ident(call: &Call) -> Result<&str, ApiError> {
    let given = call.param("runbook");
    args::uuid_or_name("runbook_ident", &Value::from(given)).map(|_| given)
}

pub(super) async fn find(call: &Call, ident: &str) -> Result<Runbook, ApiError> {
    let by_name = store::runbook::find_by_name;
    let found = lookup::by_id_or_name(call, ident, store::runbook::find, by_name).await?;
    found.ok_or_else(|| not_found(ident))
}

fn not_found(ident: &str) -> ApiError {
    ApiError::not_found(format!("Runbook {ident} could not be found."))
}

/// Sets what the body says, but for the identity.
fn apply(body: &JsonMap, runbook: &mut Runbook) -> Result<(), ApiError> {
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let switch = |name: &str| body.get(name).and_then(Value::as_bool).unwrap_or(false);
    runbook.name = text("name").unwrap_or_default();
    runbook.description = text("description");
    runbook.owner = text("owner");
    runbook.public = switch("public");
    runbook.disable_ramdisk = switch("disable_ramdisk");
    let extra = body.get("extra").and_then(Value::as_object);
    runbook.extra = extra.cloned().unwrap_or_default();
    let steps = step_list::read(body, "order")?;
    runbook.steps = steps
        .into_iter()
        .map(|given| RunbookStep {
            interface: given.interface,
            step: given.step,
            args: given.args,
            order: step_list::number(&given.rank),
        })
        .collect();
    Ok(())
}

/// The attributes that a patch can reach.
fn attributes_of(runbook: &Runbook) -> JsonMap {
    object(json!({
        "disable_ramdisk": runbook.disable_ramdisk,
        "extra": runbook.extra,
        "name": runbook.name,
        "owner": runbook.owner,
        "public": runbook.public,
        "steps": runbook.steps,
        "description": runbook.description,
    }))
}

#[cfg(test)]
mod tests;
