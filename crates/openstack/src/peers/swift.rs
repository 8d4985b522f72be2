//! An object that is stored, fetched without a token, and deleted.

use super::{cloud, patience};
use crate::{
    Caller,
    call::Call,
    swift::{ObjectData, ObjectName},
};
use bytes::Bytes;
use reqwest::Method;
use std::time::Duration;
use types::hex;

#[tokio::test]
async fn an_object_can_be_read_by_its_temporary_url() {
    let Some(services) = cloud() else { return };
    let swift = services.swift();
    // A container of its own, so that the first PUT finds none.
    let container = format!(
        "corten-{}",
        hex::encode(&getrandom::u64().unwrap().to_be_bytes())
    );
    let name = ObjectName::new(container.clone(), "drive é/1 %");
    let contents = Bytes::from_static(b"a config drive");
    let expiry = Some(Duration::from_secs(600));
    let data = ObjectData::Bytes(contents.clone());
    swift
        .put(&name, data.clone(), expiry, patience())
        .await
        .unwrap();
    swift.put(&name, data, expiry, patience()).await.unwrap();
    assert_eq!(swift.get(&name, 1000, patience()).await.unwrap(), contents);
    let info = swift.head(&name, patience()).await.unwrap();
    assert_eq!(info.length, Some(contents.len() as u64));

    let call = Call::fixed(Method::POST, "/", "set the key of temporary URLs")
        .header("x-account-meta-temp-url-key", "corten-peers-key");
    let caller = Caller::service();
    swift
        .session
        .send(Ok(call), &caller, patience())
        .await
        .unwrap();
    let url = swift
        .temp_url(&name, Duration::from_secs(300), patience())
        .await;
    let url = url.unwrap().with_filename("boot.iso");
    let nobody = tls::Client::from(tls::Trust::Nobody).load().await.unwrap();
    let plain = outbound::client()
        .tls_backend_preconfigured(nobody)
        .build()
        .unwrap();
    let fetched = plain.get(url.expose()).send().await.unwrap();
    assert_eq!(fetched.status(), 200);
    assert_eq!(fetched.bytes().await.unwrap(), contents);
    let head = plain.head(url.expose()).send().await.unwrap();
    assert_eq!(head.status(), 200);
    let forged = url.expose().replace("temp_url_sig=", "temp_url_sig=0");
    let refused = plain.get(forged).send().await.unwrap();
    assert_eq!(refused.status(), 401);

    assert!(swift.delete(&name, patience()).await.unwrap());
    assert!(!swift.delete(&name, patience()).await.unwrap());
    let call = Call::fixed(
        Method::DELETE,
        &format!("/{container}"),
        "delete a container",
    );
    swift
        .session
        .send(Ok(call), &caller, patience())
        .await
        .unwrap();
}
