//! Who may call a conductor: whoever knows the secret and, with TLS, has a certificate.

use super::{Cluster, Process, S, SECRET, asks, database, enroll, reaches};
use crate::{database::Engine, http::Request};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;
use std::path::Path;

on_engine!(
    postgres,
    Postgres,
    whoever_does_not_know_the_secret_is_not_heard,
    with_tls_both_sides_show_a_certificate
);

const CALL: &str = "/corten/cluster/v1/call";

async fn whoever_does_not_know_the_secret_is_not_heard(engine: Engine) {
    let cluster = Cluster::start(engine, &["c1"], &[]).await;
    let node = enroll(cluster.client(), json!({})).await;
    let other = "corten.cluster_secret=some-other-secret-of-somebody";
    let short = ["corten.cluster_patience=1", other];
    let stranger = Process::start(&cluster.database, "api", "stranger", &short).await;
    cluster.sees(&stranger, &["c1"]).await;
    let path = format!("/v1/nodes/{node}/maintenance");
    let answer = stranger.client.put(&path, json!({})).await.expect(503);
    let text = answer.fault();
    assert!(text.starts_with("Conductor c1 cannot be reached"), "{text}");
    assert!(stranger.log().contains("it rejected our cluster secret"));
    let shown = cluster.client().get(&format!("/v1/nodes/{node}")).await;
    assert_eq!(shown.expect(200).json()["maintenance"], json!(false));

    // Neither is who speaks HTTP and nothing more.
    let conductor = &cluster.conductor("c1").client;
    let bare = Request::bare("POST", CALL).raw(b"{}".to_vec());
    conductor.send(bare.clone()).await.expect(400);
    let name = "AAAAAAAAAAAAAAAAAAAAAA";
    let session = conductor.send(Request::bare("GET", "/corten/cluster/v1/session"));
    let session = session.await.expect(200);
    let session = session.header("corten-session").unwrap().to_owned();
    let forged = bare
        .header("corten-session", &session)
        .header("corten-caller", name)
        .header("corten-number", "1")
        .header("corten-proof", name);
    conductor.send(forged.clone()).await.expect(401);
    let old = conductor.send(forged.header("corten-session", name)).await;
    let told = old.expect(401);
    assert_eq!(told.header("corten-session"), Some(session.as_str()));

    let log = cluster.conductor("c1").log();
    let refused = "rejected a cluster call: wrong cluster secret";
    let line = log.lines().find(|line| line.contains(refused)).unwrap();
    assert!(line.contains("127.0.0.1"), "{line}");
    for text in [log, cluster.api.log(), stranger.log()] {
        assert!(!text.contains(SECRET) && !text.contains("some-other-secret"));
    }
    stranger.stop().await;
    cluster.stop().await;
}

/// An authority, and what it signed for processes of this machine.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new(file: &Path) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        std::fs::write(file, params.self_signed(&key).unwrap().pem()).unwrap();
        Self {
            issuer: Issuer::new(params, key),
        }
    }

    /// Writes a certificate and its key, and says so in options.
    fn sign(&self, folder: &Path, name: &str) -> Vec<String> {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let signed = params.signed_by(&key, &self.issuer).unwrap();
        let (certificate, private) = (
            folder.join(format!("{name}.pem")),
            folder.join(format!("{name}.key")),
        );
        std::fs::write(&certificate, signed.pem()).unwrap();
        std::fs::write(&private, key.serialize_pem()).unwrap();
        vec![
            "json_rpc.use_ssl=true".to_owned(),
            format!("json_rpc.cert_file={}", certificate.display()),
            format!("json_rpc.key_file={}", private.display()),
        ]
    }
}

async fn with_tls_both_sides_show_a_certificate(engine: Engine) {
    let database = database(engine);
    let folder = database.directory().to_owned();
    let (ours, theirs) = (folder.join("ours.pem"), folder.join("theirs.pem"));
    let (authority, foreign) = (Authority::new(&ours), Authority::new(&theirs));
    let trust = format!("corten.cluster_ca_file={}", ours.display());
    let sets = |mut sets: Vec<String>| {
        sets.push(trust.clone());
        sets.push("corten.cluster_patience=1".to_owned());
        sets
    };
    let signed = sets(authority.sign(&folder, "c1"));
    let signed: Vec<&str> = signed.iter().map(String::as_str).collect();
    let conductor = Process::start(&database, "conductor", "c1", &signed).await;
    let api = Process::start(&database, "api", "api-1", &signed).await;
    let cluster = Cluster {
        api,
        conductors: vec![conductor],
        database,
    };
    cluster.sees(&cluster.api, &["c1"]).await;
    let node = enroll(cluster.client(), json!({})).await;
    asks(cluster.client(), &node, "manage").await.expect(202);
    reaches(cluster.client(), &node, S::Manageable).await;

    // The right secret is not enough without the right certificate.
    let forged = sets(foreign.sign(&folder, "stranger"));
    let forged: Vec<&str> = forged.iter().map(String::as_str).collect();
    let stranger = Process::start(&cluster.database, "api", "stranger", &forged).await;
    cluster.sees(&stranger, &["c1"]).await;
    let path = format!("/v1/nodes/{node}/maintenance");
    stranger.client.put(&path, json!({})).await.expect(503);
    stranger.stop().await;
    cluster.stop().await;
}
