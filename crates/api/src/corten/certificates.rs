//! `GET /corten/v1/nodes/{node}/certificates` and `GET /corten/v1/certificates`: how disks were erased,
//! in signed documents; `GET /corten/v1/certificate-keys`: what the signatures are checked with.
//!
//! Certificates outlive their nodes, and those of all nodes are found under the second path. What is
//! answered is the document as it was signed, with the signature beside it.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    v1::subject,
};
use serde_json::{Value, json};
use store::erase_certificate::{self, CertificateFilter, OfNode};
use types::{
    CertificateId, NodeId,
    erasure::{DocumentSignature, EraseCertificate},
    id::canonical,
};

const USUAL: i64 = 20;
const MOST: i64 = 100;

pub(crate) async fn of_node(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["before", "limit"])?;
    let (before, limit) = (args.integer("before")?, args.integer("limit")?);
    let node = subject::node_for(&call, Rule::CortenNodeGetCertificates).await?;
    answer(&call, Some(OfNode::Id(node.id)), before, limit).await
}

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["before", "limit", "node"])?;
    let (before, limit) = (args.integer("before")?, args.integer("limit")?);
    let node = args.string("node")?;
    call.permit(Rule::CortenCertificateGet, &Target::NONE)?;
    let node = node.map(|ident| match canonical::<NodeId>(ident) {
        Some(id) => OfNode::Id(id),
        None => OfNode::Name(ident.to_owned()),
    });
    answer(&call, node, before, limit).await
}

async fn answer(
    call: &Call,
    node: Option<OfNode>,
    before: Option<i64>,
    limit: Option<i64>,
) -> Result<Reply, ApiError> {
    let limit = u32::try_from(limit.unwrap_or(USUAL));
    let limit = limit.ok().filter(|limit| (1..=100).contains(limit));
    let limit = limit.ok_or_else(|| ApiError::invalid(format!("limit is from 1 to {MOST}.")))?;
    let wanted = CertificateFilter {
        node,
        before,
        limit,
    };
    let found = erase_certificate::list(&call.state.db, wanted).await?;
    let certificates: Result<Vec<Value>, ApiError> = found.iter().map(document).collect();
    let document = json!({"certificates": certificates?});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenCertificateGet, &Target::NONE)?;
    let ident = call.param("certificate");
    let found = match canonical::<CertificateId>(ident) {
        Some(id) => erase_certificate::find(&call.state.db, id).await?,
        None => None,
    };
    let found = found
        .ok_or_else(|| ApiError::not_found(format!("Certificate {ident} could not be found.")))?;
    Ok(Reply::ok(JsonWriter::document(&document(&found)?)))
}

/// The public keys of the key ring, newest first.
pub(crate) async fn keys(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenCertificateGetKeys, &Target::NONE)?;
    let ring = call.state.db.keys().clone();
    let read = tokio::task::spawn_blocking(move || ring.public_keys()).await;
    let keys = read.map_err(|_| ApiError::internal("the key ring cannot be read"))??;
    let keys = keys.iter().map(|key| {
        json!({
            "key": key.key,
            "algorithm": ALGORITHM,
            "public_key": key.base64,
            "pem": key.pem,
        })
    });
    let document = json!({"keys": keys.collect::<Vec<Value>>()});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

const ALGORITHM: &str = "ed25519";

fn document(certificate: &EraseCertificate) -> Result<Value, ApiError> {
    let told: Value = serde_json::from_str(&certificate.document)
        .map_err(|_| ApiError::internal("a certificate in the database is damaged"))?;
    let DocumentSignature {
        key,
        public_key,
        value,
    } = &certificate.signature;
    Ok(json!({
        "number": certificate.row,
        "certificate": told,
        "signature": {
            "algorithm": ALGORITHM,
            "key": key,
            "public_key": public_key,
            "value": value,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use store::node::{Fence, Log};
    use types::{Node, Timestamp, canonical};

    /// A node with as many certificates.
    async fn erased(service: &Service, count: usize) -> Node {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        (node.name, node.owner) = (Some("n1".into()), Some("p1".into()));
        let node = service.store_node(node).await;
        let certificates = (0..count).map(|count| {
            let id = CertificateId::generate();
            let document = canonical::text(&json!({"uuid": id, "count": count}));
            let signature = service.db.keys().sign(document.as_bytes()).unwrap();
            EraseCertificate {
                row: 0,
                id,
                node: node.id,
                node_name: node.name.clone(),
                issued_at: Timestamp::now(),
                document,
                signature,
            }
        });
        let log = Log {
            certificates: certificates.collect(),
            ..Log::default()
        };
        let saved = store::node::save(&service.db, node, Fence::Free, log).await;
        saved.unwrap()
    }

    #[tokio::test]
    async fn owners_see_those_of_their_nodes_and_readers_of_the_system_all() {
        let service = Service::guarded();
        let node = erased(&service, 1).await;
        let path = format!("/corten/v1/nodes/{}/certificates", node.id);
        for (persona, of_node, all, keys) in [
            ("reader@system", 200, 200, 200),
            ("reader@p1", 200, 403, 200),
            ("nothing@p1", 404, 403, 403),
            ("admin@p2", 404, 403, 200),
        ] {
            for (path, status) in [
                (path.as_str(), of_node),
                ("/corten/v1/certificates", all),
                ("/corten/v1/certificate-keys", keys),
            ] {
                let answer = service.get_as(persona, path).await;
                assert_eq!(answer.status, status, "{persona} {path}: {}", answer.text);
            }
        }
        let shown = service.get_as("reader@p1", &path).await.json();
        let shown = &shown["certificates"][0];
        let keys = service.get_as("reader@p1", "/corten/v1/certificate-keys");
        let key = keys.await.json()["keys"][0].clone();
        for part in ["key", "public_key", "algorithm"] {
            assert_eq!(shown["signature"][part], key[part]);
        }
        // What was signed can be made again from what is shown.
        let again = canonical::text(&shown["certificate"]);
        let again = service.db.keys().sign(again.as_bytes()).unwrap();
        assert_eq!(shown["signature"]["value"], again.value);
    }

    #[tokio::test]
    async fn certificates_outlive_their_node_and_come_in_pages() {
        let service = Service::new();
        let node = erased(&service, 3).await;
        let deleted = store::node::delete(&service.db, &node, Log::default()).await;
        deleted.unwrap();
        let counts = async |query: &str| {
            let path = format!("/corten/v1/certificates{query}");
            let shown = service.get(&path, 1).await.json();
            let rows = shown["certificates"].as_array().unwrap().clone();
            let counts = rows.iter().map(|row| row["certificate"]["count"].clone());
            (counts.collect::<Vec<Value>>(), rows)
        };
        let (newest, rows) = counts("?node=n1&limit=2").await;
        assert_eq!(newest, [2, 1]);
        let rest = format!("?node={}&before={}", node.id, rows[1]["number"]);
        assert_eq!(counts(&rest).await.0, [0]);
        assert_eq!(counts("?node=n2").await.0, [0; 0]);
        let one = rows[0]["certificate"]["uuid"].as_str().unwrap();
        let path = format!("/corten/v1/certificates/{one}");
        assert_eq!(service.get(&path, 1).await.json(), rows[0]);
        for (path, status) in [
            ("/corten/v1/certificates/none", 404),
            ("/corten/v1/certificates?limit=0", 400),
            ("/corten/v1/certificates?limit=101", 400),
            ("/corten/v1/certificates?before=x", 400),
            ("/corten/v1/nodes/n1/certificates", 404),
        ] {
            assert_eq!(service.get(path, 1).await.status, status, "{path}");
        }
    }
}
