//! The deploy templates table. No conductor is involved: a deployment reads what it needs.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    conn::{P, Reader, Row},
    node::Log,
    page::Conditions,
    table::Table,
};
use std::sync::LazyLock;
use types::{DeployTemplate, DeployTemplateId, Timestamp};

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "name",
    "steps",
    "extra",
    "created_at",
    "updated_at",
    "id",
];
static TABLE: LazyLock<Table<DeployTemplate>> =
    LazyLock::new(|| Table::new("deploy_templates", COLUMNS, encode, decode, taken));

/// The template with this UUID.
pub async fn find(db: &Db, id: DeployTemplateId) -> Result<Option<DeployTemplate>, StoreError> {
    TABLE.get(db, id.to_string()).await
}

/// The template with this name.
pub async fn find_by_name(db: &Db, name: &str) -> Result<Option<DeployTemplate>, StoreError> {
    TABLE.get_by(db, "name", name.to_owned()).await
}

/// The templates that have one of these names, in order of creation: those that the traits of an
/// instance bring along.
pub async fn named(db: &Db, names: Vec<String>) -> Result<Vec<DeployTemplate>, StoreError> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    db.get(move |conn| {
        let mut conditions = Conditions::default();
        conditions.one_of("name", names);
        TABLE.all(conn, conditions, "id")
    })
    .await
}

/// A page of all templates.
pub async fn list(db: &Db, page: Page) -> Result<Vec<DeployTemplate>, StoreError> {
    TABLE.page(db, Conditions::default(), page).await
}

/// Stores a new template.
pub async fn insert(
    db: &Db,
    template: DeployTemplate,
    log: Log,
) -> Result<DeployTemplate, StoreError> {
    let keys = db.keys().clone();
    db.keep(log, move |conn| {
        let uuid = template.id.to_string();
        let template = sealed(&keys, &template)?;
        TABLE.free(conn, "uuid", &uuid, Unique::DeployTemplateUuid)?;
        TABLE.free(conn, "name", &template.name, Unique::DeployTemplateName)?;
        TABLE.insert(conn, &template, &uuid)
    })
    .await
}

/// Writes a template whose row still has the version `template.version`.
pub async fn update(
    db: &Db,
    template: DeployTemplate,
    log: Log,
) -> Result<DeployTemplate, StoreError> {
    let keys = db.keys().clone();
    db.keep(log, move |conn| {
        let base = template.version;
        let mut template = sealed(&keys, &template)?;
        template.version += 1;
        template.updated_at = Some(Timestamp::now());
        TABLE.update(conn, template, base)
    })
    .await
}

/// Removes a template.
pub async fn delete(db: &Db, id: DeployTemplateId, log: Log) -> Result<(), StoreError> {
    TABLE.remove(db, id.to_string(), log).await
}

fn sealed(keys: &KeyRing, template: &DeployTemplate) -> Result<DeployTemplate, StoreError> {
    let mut template = template.clone();
    let uuid = template.id.to_string();
    for step in &mut template.steps {
        keys.seal_map(&mut step.args, &uuid)?;
    }
    Ok(template)
}

fn taken(error: StoreError, template: &DeployTemplate) -> StoreError {
    StoreError::Duplicate(match error.violated_index().as_deref() {
        Some("deploy_templates_uuid") => Unique::DeployTemplateUuid(template.id.to_string()),
        Some("deploy_templates_name") => Unique::DeployTemplateName(template.name.clone()),
        _ => return error,
    })
}

fn encode(template: &DeployTemplate) -> Vec<P<'_>> {
    vec![
        template.id.to_string().into(),
        template.version.into(),
        (&template.name).into(),
        P::json(&template.steps),
        (&template.extra).into(),
        template.created_at.into(),
        template.updated_at.into(),
    ]
}

fn decode(row: &Row<'_>) -> Result<DeployTemplate, StoreError> {
    let r = &mut Reader::new(row, "deploy_templates", COLUMNS);
    let mut template = DeployTemplate {
        id: r.parsed()?,
        version: r.int()?,
        name: r.text()?,
        steps: r.json()?,
        extra: r.map()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    template.row = r.int()?;
    Ok(template)
}
