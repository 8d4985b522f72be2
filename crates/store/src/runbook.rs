//! The runbooks table, with the traits that say on which machines a runbook may be used.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    column::columns,
    conn::Conn,
    node::Log,
    page::Conditions,
    table::{Resource, UniqueIndex, requests},
};
use types::{Runbook, RunbookId};

columns!(Runbook in "runbooks" {
    name: "name",
    description: "description",
    steps: "steps",
    traits: "traits",
    disable_ramdisk: "disable_ramdisk",
    public: "public",
    owner: "owner",
    extra: "extra",
});

impl Resource for Runbook {
    const UNIQUE: &'static [UniqueIndex<Self>] = &[
        UniqueIndex::new(&["uuid"], |runbook| {
            Unique::RunbookUuid(runbook.id.to_string()).into()
        }),
        UniqueIndex::new(&["name"], |runbook| {
            Unique::RunbookName(runbook.name.clone()).into()
        }),
    ];

    fn prepare(&mut self, _: &mut Conn, keys: &KeyRing) -> Result<(), StoreError> {
        let uuid = self.id.to_string();
        let mut steps = self.steps.iter_mut();
        steps.try_for_each(|step| keys.seal_map(&mut step.args, &uuid))
    }
}

requests!(Runbook by RunbookId);

/// Which runbooks a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunbookFilter {
    /// Those that this project owns, and the public ones.
    pub project: Option<String>,
}

impl RunbookFilter {
    fn conditions(self) -> Conditions {
        let mut c = Conditions::default();
        if let Some(project) = self.project {
            c.any_of("owner", project, "public", true);
        }
        c
    }
}

/// The runbook with this name.
pub async fn find_by_name(db: &Db, name: &str) -> Result<Option<Runbook>, StoreError> {
    TABLE.get_by(db, "name", name.to_owned()).await
}

/// A page of the runbooks that pass the filter.
pub async fn list(db: &Db, filter: RunbookFilter, page: Page) -> Result<Vec<Runbook>, StoreError> {
    TABLE.page(db, filter.conditions(), page).await
}

/// Replaces the traits of a runbook.
pub async fn set_traits(db: &Db, id: RunbookId, traits: Vec<String>) -> Result<(), StoreError> {
    change_traits(db, id, move |old| old.clone_from(&traits)).await
}

/// Adds a trait to a runbook that may have it already.
pub async fn add_trait(db: &Db, id: RunbookId, name: &str) -> Result<(), StoreError> {
    let name = name.to_owned();
    change_traits(db, id, move |traits| traits.push(name.clone())).await
}

/// Takes a trait off a runbook that may not have it.
pub async fn remove_trait(db: &Db, id: RunbookId, name: &str) -> Result<(), StoreError> {
    let name = name.to_owned();
    change_traits(db, id, move |traits| traits.retain(|t| *t != name)).await
}

/// Traits do not count as a change of the runbook itself: the time of its last change stays.
async fn change_traits(
    db: &Db,
    id: RunbookId,
    change: impl Fn(&mut Vec<String>) + Send + 'static,
) -> Result<(), StoreError> {
    db.write(move |conn| {
        let mut runbook = TABLE.hold(conn, &id.to_string())?;
        change(&mut runbook.traits);
        runbook.traits.sort();
        runbook.traits.dedup();
        let base = runbook.version;
        runbook.version += 1;
        TABLE.write(conn, runbook, base).map(|_| ())
    })
    .await
}
