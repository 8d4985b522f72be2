//! What tests of machines showed. Reports are written with the node, in the transaction that ends the
//! step, and go with it.

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    page::Conditions,
};
use types::{NodeId, burnin::CommissioningReport};

/// How many reports of a node are kept.
const KEPT: i64 = 200;

const COLUMNS: &[&str] = &[
    "uuid",
    "node_uuid",
    "test",
    "verdict",
    "ended_at",
    "seconds",
    "figures",
    "error",
    "id",
];
const SELECT: &str = "SELECT uuid, node_uuid, test, verdict, ended_at, seconds, figures, error, id \
    FROM commissioning_reports";

/// Stores a report, and removes the oldest ones of its node where there are too many.
pub(crate) fn append(conn: &mut Conn, report: &CommissioningReport) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO commissioning_reports (uuid, node_uuid, test, verdict, \
        ended_at, seconds, figures, error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let node = report.node.to_string();
    let seconds = report
        .seconds
        .and_then(|seconds| i64::try_from(seconds).ok());
    let values: [P<'_>; 8] = [
        report.id.to_string().into(),
        (&node).into(),
        report.test.as_str().into(),
        report.verdict.as_str().into(),
        report.ended_at.into(),
        seconds.into(),
        P::json(&report.figures),
        report.error.as_deref().into(),
    ];
    conn.execute(INSERT, &values)?;
    const OLDEST: &str = "SELECT id FROM commissioning_reports WHERE node_uuid = $1 \
        ORDER BY id DESC LIMIT 1 OFFSET $2";
    if let Some(oldest) = conn.number(OLDEST, &[(&node).into(), KEPT.into()])? {
        const REMOVE: &str = "DELETE FROM commissioning_reports WHERE node_uuid = $1 AND id <= $2";
        conn.execute(REMOVE, &[(&node).into(), oldest.into()])?;
    }
    Ok(())
}

/// Reports of a node, newest first: those before the one of a row, or all.
pub async fn list(
    db: &Db,
    node: NodeId,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<CommissioningReport>, StoreError> {
    db.read(move |conn| {
        let mut conditions = Conditions::default();
        conditions.equal("node_uuid", node.to_string());
        if let Some(before) = before {
            conditions.compare("id", "<", before);
        }
        let (filter, mut params) = conditions.into_parts();
        params.push(i64::from(limit).into());
        let limit = params.len();
        let sql = format!("{SELECT}{filter} ORDER BY id DESC LIMIT ${limit}");
        conn.query(&sql, &params, decode)
    })
    .await
}

/// The last report of each test of a node.
pub async fn last(db: &Db, node: NodeId) -> Result<Vec<CommissioningReport>, StoreError> {
    db.read(move |conn| {
        let sql = format!(
            "{SELECT} WHERE id IN (SELECT MAX(id) FROM commissioning_reports \
             WHERE node_uuid = $1 GROUP BY test) ORDER BY test"
        );
        conn.query(&sql, &[node.to_string().into()], decode)
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<CommissioningReport, StoreError> {
    let r = &mut Reader::new(row, "commissioning_reports", COLUMNS);
    let mut report = CommissioningReport {
        row: 0,
        id: r.parsed()?,
        node: r.parsed()?,
        test: r.parsed()?,
        verdict: r.parsed()?,
        ended_at: r.time()?,
        seconds: r.opt_int()?.map(i64::unsigned_abs),
        figures: r.json()?,
        error: r.opt_text()?,
    };
    report.row = r.int()?;
    Ok(report)
}
