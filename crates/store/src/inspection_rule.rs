//! The inspection rules table.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::columns,
    conn::Conn,
    node::Log,
    page::Conditions,
    table::{Resource, UniqueIndex, requests},
};
use serde_json::Value;
use types::{InspectionRule, InspectionRuleId};

columns!(InspectionRule in "inspection_rules" {
    description: "description",
    priority: "priority",
    phase: "phase",
    sensitive: "sensitive",
    conditions: "conditions",
    actions: "actions",
    scope: "scope",
});

impl Resource for InspectionRule {
    const UNIQUE: &'static [UniqueIndex<Self>] = &[UniqueIndex::new(&["uuid"], |rule| {
        Unique::InspectionRuleUuid(rule.id.to_string()).into()
    })];

    fn prepare(&mut self, _: &mut Conn, keys: &KeyRing) -> Result<(), StoreError> {
        seal_rule(keys, self)
    }
}

requests!(InspectionRule by &InspectionRuleId);

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
pub fn opened(db: &Db, rule: InspectionRule) -> Result<InspectionRule, StoreError> {
    opened_by(db.keys(), rule)
}

/// The same without a handle to the database.
pub(crate) fn opened_by(
    keys: &KeyRing,
    mut rule: InspectionRule,
) -> Result<InspectionRule, StoreError> {
    if rule.sensitive {
        for item in rule.conditions.iter_mut().chain(&mut rule.actions) {
            *item = keys.open(item, rule.id.as_str())?;
        }
    }
    Ok(rule)
}

/// Seals what a sensitive rule says.
pub(crate) fn seal_rule(keys: &KeyRing, rule: &mut InspectionRule) -> Result<(), StoreError> {
    if rule.sensitive {
        for item in rule.conditions.iter_mut().chain(&mut rule.actions) {
            seal(keys, item, rule.id.as_str())?;
        }
    }
    Ok(())
}

/// What looks sealed but does not open came from a client: it is a plain value.
fn seal(keys: &KeyRing, item: &mut Value, subject: &str) -> Result<(), StoreError> {
    if keys.open(item, subject).is_err() {
        *item = keys.seal(item, subject)?;
    }
    Ok(())
}
