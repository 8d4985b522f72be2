//! Removing batches that have ended, by request or because they are old or too many.

use super::{ENDED, load, payer};
use crate::{
    Db, StoreError,
    conn::{Reader, Row},
};
use std::collections::HashMap;
use types::{BatchId, Timestamp};

/// How many ended batches are kept.
const KEPT: usize = 1000;
/// How many of them may be of one project, or of one user without a project.
const KEPT_OF_ONE: usize = 100;
/// How many rows of an ended batch are removed in one transaction.
const STRETCH: i64 = 5000;

/// Removes an ended batch. Fails as stale if it has not ended.
pub async fn delete(db: &Db, id: BatchId) -> Result<(), StoreError> {
    db.write(move |conn| {
        const DELETE: &str = "DELETE FROM batches WHERE uuid = $1 AND state IN ($2, $3)";
        let [done, aborted] = ENDED;
        let values = [id.to_string().into(), done.into(), aborted.into()];
        match (conn.execute(DELETE, &values)?, load(conn, id)?) {
            (0, None) => Err(StoreError::NotFound),
            (0, Some(_)) => Err(StoreError::Stale),
            _ => Ok(()),
        }
    })
    .await?;
    while remove_nodes(db, id).await? > 0 {}
    Ok(())
}

async fn remove_nodes(db: &Db, id: BatchId) -> Result<u64, StoreError> {
    db.write(move |conn| {
        let id = id.to_string();
        const FIRST: &str = "SELECT MIN(place) FROM batch_nodes WHERE batch_uuid = $1";
        let Some(first) = conn.number(FIRST, &[(&id).into()])? else {
            return Ok(0);
        };
        const REMOVE: &str = "DELETE FROM batch_nodes WHERE batch_uuid = $1 AND place < $2";
        conn.execute(REMOVE, &[(&id).into(), (first + STRETCH).into()])
    })
    .await
}

/// Removes batches that ended before a moment, and those beyond [`KEPT`] and [`KEPT_OF_ONE`]; returns
/// how many.
pub async fn purge(db: &Db, before: Timestamp) -> Result<u64, StoreError> {
    let ended: Vec<Ended> = db
        .read(move |conn| {
            const SQL: &str = "SELECT uuid, user_name, project, ended_at FROM batches \
                WHERE state IN ($1, $2) ORDER BY id DESC";
            conn.query(SQL, &ENDED.map(Into::into), |row| {
                let names = &["uuid", "user_name", "project", "ended_at"];
                let r = &mut Reader::new(row, "batches", names);
                Ok(Ended {
                    id: r.parsed()?,
                    payer: payer(r.opt_text()?, r.opt_text()?),
                    at: r.opt_time()?,
                })
            })
        })
        .await?;
    let old = superfluous(ended, before);
    let mut removed = 0;
    for id in old {
        match delete(db, id).await {
            Ok(()) => removed += 1,
            Err(StoreError::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    // Of a batch whose removal was interrupted.
    let orphans: Vec<BatchId> = db
        .read(|conn| {
            const SQL: &str = "SELECT DISTINCT batch_uuid FROM batch_nodes \
                WHERE batch_uuid NOT IN (SELECT uuid FROM batches)";
            let read = |row: &Row<'_>| Reader::new(row, "batch_nodes", &["batch_uuid"]).parsed();
            conn.query(SQL, &[], read)
        })
        .await?;
    for id in orphans {
        while remove_nodes(db, id).await? > 0 {}
    }
    Ok(removed)
}

struct Ended {
    id: BatchId,
    payer: (Option<String>, Option<String>),
    at: Option<Timestamp>,
}

/// Which of these go, of which the newest come first. Nobody's batches drive out those of others as
/// long as there is room for all.
fn superfluous(ended: Vec<Ended>, before: Timestamp) -> Vec<BatchId> {
    let mut kept = 0;
    let mut of_one: HashMap<_, usize> = HashMap::new();
    let mut old = Vec::new();
    for Ended { id, payer, at } in ended {
        let own = of_one.entry(payer).or_default();
        if kept < KEPT && *own < KEPT_OF_ONE && at.is_none_or(|at| at >= before) {
            kept += 1;
            *own += 1;
        } else {
            old.push(id);
        }
    }
    old
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_drives_out_its_own_batches_and_not_those_of_others() {
        let ended = |project: &str, at: i64| Ended {
            id: BatchId::generate(),
            payer: payer(Some("u".into()), Some(project.into())),
            at: Some(Timestamp(at)),
        };
        let mut all: Vec<Ended> = (0..=KEPT_OF_ONE).map(|_| ended("p1", 10)).collect();
        all.push(ended("p2", 10));
        all.push(ended("p2", 4));
        let ids: Vec<BatchId> = all.iter().map(|one| one.id).collect();
        let old = superfluous(all, Timestamp(5));
        assert_eq!(old, [ids[KEPT_OF_ONE], ids[KEPT_OF_ONE + 2]]);
        let many = (0..=KEPT).map(|n| ended(&format!("p{n}"), 10));
        assert_eq!(superfluous(many.collect(), Timestamp(5)).len(), 1);
    }
}
