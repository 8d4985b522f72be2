//! The runbooks table, with the traits that say on which machines a runbook may be used.

use crate::{
    Db, KeyRing, Page, StoreError, Unique,
    conn::{P, Reader, Row},
    node::Log,
    page::Conditions,
    table::Table,
};
use std::sync::LazyLock;
use types::{Runbook, RunbookId, Timestamp};

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "name",
    "description",
    "steps",
    "traits",
    "disable_ramdisk",
    "public",
    "owner",
    "extra",
    "created_at",
    "updated_at",
    "id",
];
static TABLE: LazyLock<Table<Runbook>> =
    LazyLock::new(|| Table::new("runbooks", COLUMNS, encode, decode, taken));

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

/// The runbook with this UUID.
pub async fn find(db: &Db, id: RunbookId) -> Result<Option<Runbook>, StoreError> {
    TABLE.get(db, id.to_string()).await
}

/// The runbook with this name.
pub async fn find_by_name(db: &Db, name: &str) -> Result<Option<Runbook>, StoreError> {
    TABLE.get_by(db, "name", name.to_owned()).await
}

/// A page of the runbooks that pass the filter.
pub async fn list(db: &Db, filter: RunbookFilter, page: Page) -> Result<Vec<Runbook>, StoreError> {
    TABLE.page(db, filter.conditions(), page).await
}

/// Stores a new runbook.
pub async fn insert(db: &Db, runbook: Runbook, log: Log) -> Result<Runbook, StoreError> {
    let keys = db.keys().clone();
    db.keep(log, move |conn| {
        let uuid = runbook.id.to_string();
        let runbook = sealed(&keys, &runbook)?;
        TABLE.free(conn, "uuid", &uuid, Unique::RunbookUuid)?;
        TABLE.free(conn, "name", &runbook.name, Unique::RunbookName)?;
        TABLE.insert(conn, &runbook, &uuid)
    })
    .await
}

/// Writes a runbook whose row still has the version `runbook.version`.
pub async fn update(db: &Db, runbook: Runbook, log: Log) -> Result<Runbook, StoreError> {
    let keys = db.keys().clone();
    db.keep(log, move |conn| {
        let base = runbook.version;
        let mut runbook = sealed(&keys, &runbook)?;
        runbook.version += 1;
        runbook.updated_at = Some(Timestamp::now());
        TABLE.update(conn, runbook, base)
    })
    .await
}

/// Removes a runbook.
pub async fn delete(db: &Db, id: RunbookId, log: Log) -> Result<(), StoreError> {
    TABLE.remove(db, id.to_string(), log).await
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
        TABLE.update(conn, runbook, base).map(|_| ())
    })
    .await
}

fn sealed(keys: &KeyRing, runbook: &Runbook) -> Result<Runbook, StoreError> {
    let mut runbook = runbook.clone();
    let uuid = runbook.id.to_string();
    for step in &mut runbook.steps {
        keys.seal_map(&mut step.args, &uuid)?;
    }
    Ok(runbook)
}

fn taken(error: StoreError, runbook: &Runbook) -> StoreError {
    StoreError::Duplicate(match error.violated_index().as_deref() {
        Some("runbooks_uuid") => Unique::RunbookUuid(runbook.id.to_string()),
        Some("runbooks_name") => Unique::RunbookName(runbook.name.clone()),
        _ => return error,
    })
}

fn encode(runbook: &Runbook) -> Vec<P<'_>> {
    vec![
        runbook.id.to_string().into(),
        runbook.version.into(),
        (&runbook.name).into(),
        runbook.description.as_deref().into(),
        P::json(&runbook.steps),
        P::json(&runbook.traits),
        runbook.disable_ramdisk.into(),
        runbook.public.into(),
        runbook.owner.as_deref().into(),
        (&runbook.extra).into(),
        runbook.created_at.into(),
        runbook.updated_at.into(),
    ]
}

fn decode(row: &Row<'_>) -> Result<Runbook, StoreError> {
    let r = &mut Reader::new(row, "runbooks", COLUMNS);
    let mut runbook = Runbook {
        id: r.parsed()?,
        version: r.int()?,
        name: r.text()?,
        description: r.opt_text()?,
        steps: r.json()?,
        traits: r.json()?,
        disable_ramdisk: r.boolean()?,
        public: r.boolean()?,
        owner: r.opt_text()?,
        extra: r.map()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    runbook.row = r.int()?;
    Ok(runbook)
}
