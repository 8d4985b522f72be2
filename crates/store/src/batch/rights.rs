//! Whether a batch may still do to its nodes what it was made for. Its maker was asked for rights
//! once, and it may run for days.

use crate::{
    Db, StoreError, account,
    conn::{Conn, P, Reader},
};
use types::{
    BatchId,
    batch::{Maker, Owners},
};

/// How many nodes are looked at by one statement.
const AT_ONCE: usize = 200;

/// What stands in the way of a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hindrance {
    /// Why its maker may have it run no longer.
    pub maker: Option<String>,
    /// The places of nodes that have another owner or lessee than when it was made.
    pub moved: Vec<i64>,
}

/// What stands in the way of asking the nodes at these places. Nodes that were deleted are left to
/// the answer that they give.
pub async fn hindrance(
    db: &Db,
    id: BatchId,
    maker: Option<Maker>,
    places: Vec<i64>,
) -> Result<Hindrance, StoreError> {
    let maker = match maker {
        Some(maker) => {
            let standing = account::standing(db, &maker.user).await?;
            maker.lost(standing.as_ref())
        }
        None => None,
    };
    let moved = db.get(move |conn| {
        let mut moved = Vec::new();
        for some in places.chunks(AT_ONCE) {
            moved.extend(moved_of(conn, id, some)?);
        }
        Ok(moved)
    });
    Ok(Hindrance {
        maker,
        moved: moved.await?,
    })
}

fn moved_of(conn: &mut Conn, id: BatchId, places: &[i64]) -> Result<Vec<i64>, StoreError> {
    let marks: Vec<String> = (2..places.len() + 2).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT b.place, b.owners, n.owner, n.lessee FROM batch_nodes b \
         JOIN nodes n ON n.uuid = b.node_uuid WHERE b.batch_uuid = $1 AND b.place IN ({})",
        marks.join(", ")
    );
    let mut values: Vec<P<'_>> = vec![id.to_string().into()];
    values.extend(places.iter().map(|place| P::from(*place)));
    let found = conn.query(&sql, &values, |row| {
        let names = &["place", "owners", "owner", "lessee"];
        let r = &mut Reader::new(row, "batch_nodes", names);
        let place = r.int()?;
        // A program of the version before did not write them down.
        let before: Option<Owners> = r.json()?;
        let now: Owners = (r.opt_text()?, r.opt_text()?);
        Ok(before.is_some_and(|before| before != now).then_some(place))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Who owns and leases the nodes of a batch, each pair once. Of a node that was deleted those count
/// who had it when the batch was made.
pub async fn owners(db: &Db, id: BatchId) -> Result<Vec<Owners>, StoreError> {
    db.read(move |conn| {
        const PRESENT: &str = "SELECT DISTINCT n.owner, n.lessee FROM batch_nodes b \
            JOIN nodes n ON n.uuid = b.node_uuid WHERE b.batch_uuid = $1";
        let id = id.to_string();
        let mut owners: Vec<Owners> = conn.query(PRESENT, &[(&id).into()], |row| {
            let r = &mut Reader::new(row, "nodes", &["owner", "lessee"]);
            Ok((r.opt_text()?, r.opt_text()?))
        })?;
        const GONE: &str = "SELECT DISTINCT b.owners FROM batch_nodes b \
            LEFT JOIN nodes n ON n.uuid = b.node_uuid \
            WHERE b.batch_uuid = $1 AND n.uuid IS NULL AND b.owners IS NOT NULL";
        let gone = conn.query(GONE, &[(&id).into()], |row| {
            Reader::new(row, "batch_nodes", &["owners"]).json::<Owners>()
        })?;
        for pair in gone {
            if !owners.contains(&pair) {
                owners.push(pair);
            }
        }
        Ok(owners)
    })
    .await
}
