//! The inspection rules table.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    conn::{P, Reader, Row},
    node::Log,
    page::Conditions,
    table::Table,
};
use serde_json::Value;
use std::sync::LazyLock;
use types::{InspectionRule, InspectionRuleId, Timestamp};

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "description",
    "priority",
    "phase",
    "sensitive",
    "conditions",
    "actions",
    "scope",
    "created_at",
    "updated_at",
    "id",
];
static TABLE: LazyLock<Table<InspectionRule>> =
    LazyLock::new(|| Table::new("inspection_rules", COLUMNS, encode, decode, taken));

/// The rule with this UUID.
pub async fn find(db: &Db, id: &InspectionRuleId) -> Result<Option<InspectionRule>, StoreError> {
    TABLE.get(db, id.to_string()).await
}

/// A page of all rules.
pub async fn list(db: &Db, page: Page) -> Result<Vec<InspectionRule>, StoreError> {
    TABLE.page(db, Conditions::default(), page).await
}

/// The rules of a phase in the order in which they are applied, as they were written: what is
/// sealed at rest is open here.
pub async fn of_phase(db: &Db, phase: &str) -> Result<Vec<InspectionRule>, StoreError> {
    let phase = phase.to_owned();
    let rules = db
        .read(move |conn| {
            let mut conditions = Conditions::default();
            conditions.equal("phase", phase);
            TABLE.all(conn, conditions, "priority DESC, id")
        })
        .await?;
    rules.into_iter().map(|rule| opened(db, rule)).collect()
}

/// A rule as it was written, whatever is sealed at rest.
pub fn opened(db: &Db, mut rule: InspectionRule) -> Result<InspectionRule, StoreError> {
    if rule.sensitive {
        for item in rule.conditions.iter_mut().chain(&mut rule.actions) {
            *item = db.keys().open(item, rule.id.as_str())?;
        }
    }
    Ok(rule)
}

/// Stores a new rule.
pub async fn insert(db: &Db, rule: InspectionRule, log: Log) -> Result<InspectionRule, StoreError> {
    let keys = db.keys().clone();
    db.keep(log, move |conn| {
        let rule = sealed(&keys, &rule)?;
        TABLE.free(conn, "uuid", rule.id.as_str(), Unique::InspectionRuleUuid)?;
        TABLE.insert(conn, &rule, rule.id.as_str())
    })
    .await
}

/// Writes a rule whose row still has the version `rule.version`.
pub async fn update(db: &Db, rule: InspectionRule, log: Log) -> Result<InspectionRule, StoreError> {
    let keys = db.keys().clone();
    db.keep(log, move |conn| {
        let base = rule.version;
        let mut rule = sealed(&keys, &rule)?;
        rule.version += 1;
        rule.updated_at = Some(Timestamp::now());
        TABLE.update(conn, rule, base)
    })
    .await
}

/// Removes a rule.
pub async fn delete(db: &Db, id: &InspectionRuleId, log: Log) -> Result<(), StoreError> {
    TABLE.remove(db, id.to_string(), log).await
}

fn sealed(keys: &KeyRing, rule: &InspectionRule) -> Result<InspectionRule, StoreError> {
    let mut rule = rule.clone();
    if rule.sensitive {
        for item in rule.conditions.iter_mut().chain(&mut rule.actions) {
            seal(keys, item, rule.id.as_str())?;
        }
    }
    Ok(rule)
}

/// What looks sealed but does not open came from a client: it is a plain value.
fn seal(keys: &KeyRing, item: &mut Value, subject: &str) -> Result<(), StoreError> {
    if keys.open(item, subject).is_err() {
        *item = keys.seal(item, subject)?;
    }
    Ok(())
}

fn taken(error: StoreError, rule: &InspectionRule) -> StoreError {
    match error.violated_index() {
        Some(_) => StoreError::Duplicate(Unique::InspectionRuleUuid(rule.id.to_string())),
        None => error,
    }
}

fn encode(rule: &InspectionRule) -> Vec<P<'_>> {
    vec![
        rule.id.as_str().into(),
        rule.version.into(),
        rule.description.as_deref().into(),
        rule.priority.into(),
        (&rule.phase).into(),
        rule.sensitive.into(),
        P::json(&rule.conditions),
        P::json(&rule.actions),
        rule.scope.as_deref().into(),
        rule.created_at.into(),
        rule.updated_at.into(),
    ]
}

fn decode(row: &Row<'_>) -> Result<InspectionRule, StoreError> {
    let r = &mut Reader::new(row, "inspection_rules", COLUMNS);
    let mut rule = InspectionRule {
        id: r.parsed()?,
        version: r.int()?,
        description: r.opt_text()?,
        priority: r.int()?,
        phase: r.text()?,
        sensitive: r.boolean()?,
        conditions: r.json()?,
        actions: r.json()?,
        scope: r.opt_text()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    rule.row = r.int()?;
    Ok(rule)
}
