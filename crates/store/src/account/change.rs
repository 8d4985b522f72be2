//! The log of what was done to users and their kin.

use super::Author;
use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
};
use types::{
    Timestamp,
    account::{AccountChange, AccountChangeKind},
};

/// How many entries are kept.
const MOST: i64 = 10_000;
/// The column holds so many characters.
const LONGEST: usize = 500;

const COLUMNS: &[&str] = &[
    "id",
    "created_at",
    "kind",
    "subject",
    "description",
    "actor",
    "request_id",
];

/// Writes an entry, in the transaction of the change that it tells of.
pub(super) fn record(
    conn: &mut Conn,
    author: &Author,
    kind: AccountChangeKind,
    subject: &str,
    text: &str,
) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO local_changes (kind, subject, description, actor, \
        request_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
    let text: String = text.chars().take(LONGEST).collect();
    let actor = crate::fit::cut(author.name.as_deref());
    let values: [P<'_>; 6] = [
        kind.as_str().into(),
        subject.into(),
        text.into(),
        actor.into(),
        author.request_id.as_deref().into(),
        Timestamp::now().into(),
    ];
    conn.execute(INSERT, &values)?;
    let newest = conn.number("SELECT MAX(id) FROM local_changes", &[])?;
    let oldest = newest.unwrap_or(0) - MOST;
    conn.execute("DELETE FROM local_changes WHERE id <= $1", &[oldest.into()])?;
    Ok(())
}

/// The newest entries, newest first: those before the entry `before`, if that is given.
pub async fn list(
    db: &Db,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<AccountChange>, StoreError> {
    db.read(move |conn| {
        let sql = format!(
            "SELECT {} FROM local_changes WHERE id < $1 ORDER BY id DESC LIMIT {limit}",
            COLUMNS.join(", ")
        );
        conn.query(&sql, &[before.unwrap_or(i64::MAX).into()], decode)
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<AccountChange, StoreError> {
    let r = &mut Reader::new(row, "local_changes", COLUMNS);
    Ok(AccountChange {
        id: r.int()?,
        at: r.time()?,
        kind: r.parsed()?,
        subject: r.text()?,
        text: r.text()?,
        actor: r.opt_text()?,
        request_id: r.opt_text()?,
    })
}
