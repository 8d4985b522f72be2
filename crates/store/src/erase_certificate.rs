//! Erase certificates. They are written with the node, in the transaction that ends the step, and
//! neither change nor go with it: who had the machine may ask for them after it is gone.

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    page::Conditions,
};
use types::{
    CertificateId, NodeId,
    erasure::{DocumentSignature, EraseCertificate},
};

const COLUMNS: &[&str] = &[
    "uuid",
    "node_uuid",
    "node_name",
    "issued_at",
    "document",
    "key_name",
    "public_key",
    "signature",
    "id",
];
const SELECT: &str = "SELECT uuid, node_uuid, node_name, issued_at, document, key_name, \
    public_key, signature, id FROM erase_certificates";

pub(crate) fn append(conn: &mut Conn, certificate: &EraseCertificate) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO erase_certificates (uuid, node_uuid, node_name, issued_at, \
        document, key_name, public_key, signature) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let signature = &certificate.signature;
    let values: [P<'_>; 8] = [
        certificate.id.to_string().into(),
        certificate.node.to_string().into(),
        certificate.node_name.as_deref().into(),
        certificate.issued_at.into(),
        (&certificate.document).into(),
        (&signature.key).into(),
        (&signature.public_key).into(),
        (&signature.value).into(),
    ];
    conn.execute(INSERT, &values).map(|_| ())
}

/// Which node certificates are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfNode {
    Id(NodeId),
    /// The name that it had then.
    Name(String),
}

/// Which certificates are wanted: the newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFilter {
    pub node: Option<OfNode>,
    /// Only those that were stored before the one of this row.
    pub before: Option<i64>,
    pub limit: u32,
}

/// A list of certificates.
pub async fn list(db: &Db, wanted: CertificateFilter) -> Result<Vec<EraseCertificate>, StoreError> {
    db.read(move |conn| {
        let mut conditions = Conditions::default();
        match wanted.node {
            Some(OfNode::Id(id)) => conditions.equal("node_uuid", id.to_string()),
            Some(OfNode::Name(name)) => conditions.equal("node_name", name),
            None => {}
        }
        if let Some(before) = wanted.before {
            conditions.compare("id", "<", before);
        }
        let (filter, mut params) = conditions.into_parts();
        params.push(i64::from(wanted.limit).into());
        let limit = params.len();
        let sql = format!("{SELECT}{filter} ORDER BY id DESC LIMIT ${limit}");
        conn.query(&sql, &params, decode)
    })
    .await
}

/// One certificate.
pub async fn find(db: &Db, id: CertificateId) -> Result<Option<EraseCertificate>, StoreError> {
    db.get(move |conn| {
        let sql = format!("{SELECT} WHERE uuid = $1");
        conn.query_opt(&sql, &[id.to_string().into()], decode)
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<EraseCertificate, StoreError> {
    let r = &mut Reader::new(row, "erase_certificates", COLUMNS);
    let mut certificate = EraseCertificate {
        row: 0,
        id: r.parsed()?,
        node: r.parsed()?,
        node_name: r.opt_text()?,
        issued_at: r.time()?,
        document: r.text()?,
        signature: DocumentSignature {
            key: r.text()?,
            public_key: r.text()?,
            value: r.text()?,
        },
    };
    certificate.row = r.int()?;
    Ok(certificate)
}
