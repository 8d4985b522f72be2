//! The deploy templates table. No conductor is involved: a deployment reads what it needs.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::columns,
    conn::Conn,
    node::Log,
    page::Conditions,
    table::{Resource, UniqueIndex, requests},
};
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
        let mut steps = self.steps.iter_mut();
        steps.try_for_each(|step| keys.seal_map(&mut step.args, &uuid))
    }
}

requests!(DeployTemplate by DeployTemplateId);

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
