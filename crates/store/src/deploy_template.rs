//! The deploy templates table. No conductor is involved: a deployment reads what it needs.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::columns,
    conn::Conn,
    node::Log,
    page::Conditions,
    table::{Resource, Table, UniqueIndex},
};
use std::sync::LazyLock;
use types::{DeployTemplate, DeployTemplateId};

columns!(DeployTemplate in "deploy_templates" {
    name: "name",
    steps: "steps",
    extra: "extra",
});

impl Resource for DeployTemplate {
    const UNIQUE: &'static [UniqueIndex<Self>] = &[
        UniqueIndex::new(&["uuid"], |template| {
            Unique::DeployTemplateUuid(template.id.to_string()).into()
        }),
        UniqueIndex::new(&["name"], |template| {
            Unique::DeployTemplateName(template.name.clone()).into()
        }),
    ];

    fn prepare(&mut self, _: &mut Conn, keys: &KeyRing) -> Result<(), StoreError> {
        let uuid = self.id.to_string();
        for step in &mut self.steps {
            keys.seal_map(&mut step.args, &uuid)?;
        }
        Ok(())
    }
}

static TABLE: LazyLock<Table<DeployTemplate>> = LazyLock::new(Table::new);

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
    TABLE.insert(db, template, log).await
}

/// Writes a template whose row still has the version `template.version`.
pub async fn update(
    db: &Db,
    template: DeployTemplate,
    log: Log,
) -> Result<DeployTemplate, StoreError> {
    TABLE.update(db, template, log).await
}

/// Removes a template.
pub async fn delete(db: &Db, id: DeployTemplateId, log: Log) -> Result<(), StoreError> {
    TABLE.remove(db, id.to_string(), log).await
}
