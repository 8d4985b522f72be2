//! A volume that is attached and detached.

use super::{ask, cloud, make, patience};
use crate::{
    Caller, Reason,
    cinder::{Cinder, Connector, ConnectorRecord, Volume, VolumeAction},
};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;

const NODE: &str = "7d1d4ac0-4f0a-4c9e-9d3e-0c0c5a8d1a02";

async fn reaches(cinder: &Cinder, id: &str, status: &str) -> Volume {
    let deadline = patience();
    loop {
        let volume = cinder
            .volume(id, &Caller::service(), deadline)
            .await
            .unwrap();
        assert_ne!(volume.status, "error");
        if volume.status == status {
            return volume;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test]
async fn a_volume_is_attached_and_detached() {
    let Some(services) = cloud() else { return };
    let cinder = services.cinder();
    let caller = Caller::service();
    let body = json!({"volume": {"size": 1, "name": "corten-peers"}});
    let made = make(&cinder.session, "/volumes", &body).await;
    let id = made["volume"]["id"].as_str().unwrap().to_owned();
    assert!(reaches(cinder, &id, "available").await.is_available());

    let record = ConnectorRecord {
        connector_type: "iqn",
        connector_id: "iqn.2017-05.org.openstack:corten-peers",
    };
    let connector = Connector::of(NODE, &[record]).unwrap();
    cinder.reserve(&id, &caller, patience()).await.unwrap();
    // Somebody else comes too late.
    let late = cinder.reserve(&id, &caller, patience()).await.unwrap_err();
    assert!(matches!(late.reason, Reason::Rejected(_)), "{late:?}");
    assert!(
        late.sdk_text()
            .starts_with("BadRequestException: 400: Client Error for url: ")
    );
    let info = cinder
        .initialize_connection(&id, &connector, &caller, patience())
        .await;
    let info = info.unwrap();
    assert_eq!(info.driver_volume_type, "iscsi");
    assert!(info.data.contains_key("auth_password"));
    assert_eq!(
        info.target_properties(&id)["ironic_volume_uuid"],
        id.as_str()
    );
    cinder.attach(&id, NODE, &caller, patience()).await.unwrap();
    let volume = reaches(cinder, &id, "in-use").await;
    let attachment = volume.attachment_of(&[NODE]).unwrap().attachment_id.clone();
    let note = cinder.note(&id, NODE, NODE, VolumeAction::Attached, &caller, patience());
    note.await.unwrap();

    cinder
        .begin_detaching(&id, &caller, patience())
        .await
        .unwrap();
    let ended = cinder.terminate_connection(&id, &connector, &caller, patience());
    ended.await.unwrap();
    cinder
        .detach(&id, &attachment, &caller, patience())
        .await
        .unwrap();
    let volume = reaches(cinder, &id, "available").await;
    assert_eq!(volume.attachment_of(&[NODE]), None);

    let path = format!("/volumes/{id}");
    ask(&cinder.session, Method::DELETE, &path, None)
        .await
        .unwrap();
    let absent = "11111111-2222-3333-4444-555555555555";
    let error = cinder
        .volume(absent, &caller, patience())
        .await
        .unwrap_err();
    assert!(error.is_not_found(), "{error:?}");
}
