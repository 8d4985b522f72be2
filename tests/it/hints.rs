//! A server that has signed its certificate itself: every error names the option that helps.

use crate::{database::Engine, lab::Lab};
use drivers::agent::{AgentClient, client::ClientSettings};
use image::source::{Http, HttpSettings};
use rcgen::{CertificateParams, KeyPair};
use serde_json::json;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    },
};

every_engine!(a_webhook_tells_how_to_trust_its_receiver);

/// Where such a server listens.
async fn self_signed() -> String {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let private = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let _ = acceptor.accept(stream).await;
        }
    });
    format!("https://localhost:{port}/x")
}

#[track_caller]
fn advises(text: &str, option: &str) {
    assert!(text.contains("invalid peer certificate"), "{text}");
    assert!(text.contains(option), "expected '{option}': {text}");
}

async fn a_webhook_tells_how_to_trust_its_receiver(engine: Engine) {
    let lab = Lab::start(engine).await;
    let url = self_signed().await;
    let root = "/corten/v1/webhooks";
    let hook = lab.client.post(root, json!({"url": url})).await;
    let id = hook.expect(201).json()["uuid"].as_str().unwrap().to_owned();
    let path = format!("{root}/{id}/test");
    let tried = lab.client.post(&path, json!({})).await.expect(200).json();
    advises(
        tried["error"].as_str().unwrap(),
        "set verify_ca of the webhook",
    );
    lab.stop().await;
}

#[tokio::test]
async fn an_image_server_and_an_agent_tell_the_same() {
    let url = self_signed().await;
    let http = Http::new(HttpSettings::default()).unwrap();
    let refused = http.open(&url).await.unwrap_err();
    advises(
        &types::error::chain(&refused),
        "[DEFAULT]webserver_verify_ca",
    );
    assert!(!refused.is_transient());

    let agents = AgentClient::new(ClientSettings {
        attempts: 1,
        ..ClientSettings::default()
    });
    let agent = agents.agent(&url, None, None, Some("token")).await.unwrap();
    let refused = agent.commands().await.unwrap_err();
    advises(&types::error::chain(&refused), "[agent]verify_ca");
}
