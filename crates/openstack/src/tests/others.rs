//! Swift, Cinder and Nova.

use crate::{
    Caller, Reason, Secret,
    cinder::{Connector, ConnectorRecord},
    nova::EventOutcome,
    swift::{
        ObjectData, ObjectName,
        image_store::{ImageStore, ImageStoreSettings},
    },
    testing::{Cloud, PROJECT, Received, Reply, by_the_cloud, soon},
};
use bytes::Bytes;
use serde_json::json;
use std::time::Duration;
use types::PowerState;

const KEY: &str = "x-account-meta-temp-url-key";

fn swift(request: &Received) -> Reply {
    let account = format!("/v1/AUTH_{PROJECT}");
    let path = request.path.strip_prefix(&account);
    match (request.method.as_str(), path, request.earlier) {
        (_, None, _) if request.path == "/v3/auth/tokens" => by_the_cloud(),
        (_, None, _) if request.path == "/info" => Reply::json(
            200,
            &json!({"tempurl": {"allowed_digests": ["sha256", "sha1"]}}),
        ),
        ("HEAD", Some("/"), _) => Reply::status(204).with(KEY, "lab-key-1"),
        ("PUT", Some("/new/o"), 0) => Reply::status(404),
        ("PUT", ..) => Reply::status(201),
        ("GET", Some("/c/o"), _) => Reply::text(200, "text/plain", "contents"),
        ("HEAD", Some("/c/o"), _) => Reply::status(200).with("etag", "\"abc\""),
        ("DELETE", Some("/c/o"), _) => Reply::status(204),
        _ => Reply::status(404),
    }
}

#[tokio::test]
async fn objects_are_stored_read_and_deleted() {
    let cloud = Cloud::start(swift).await;
    let swift = cloud.services().swift().clone();
    let name = ObjectName::new("new", "o");
    let data = ObjectData::Bytes(Bytes::from_static(b"drive"));
    let day = Some(Duration::from_secs(86400));
    swift.put(&name, data, day, soon()).await.unwrap();
    assert_eq!(cloud.last().header("x-delete-after"), Some("86400"));
    assert_eq!(&cloud.last().body[..], b"drive");
    let account = format!("/v1/AUTH_{PROJECT}");
    assert_eq!(
        cloud.lines(),
        ["new/o", "new", "new/o"].map(|path| format!("PUT {account}/{path}"))
    );
    let name = ObjectName::new("c", "o");
    assert_eq!(swift.get(&name, 100, soon()).await.unwrap(), "contents");
    let error = swift.get(&name, 5, soon()).await.unwrap_err();
    assert!(matches!(error.reason, Reason::TooLarge(_)), "{error:?}");
    let info = swift.head(&name, soon()).await.unwrap();
    assert_eq!(info.etag.as_deref(), Some("abc"));
    assert!(swift.delete(&name, soon()).await.unwrap());
    let absent = ObjectName::new("c", "absent");
    assert!(!swift.delete(&absent, soon()).await.unwrap());
    assert!(
        swift
            .get(&absent, 5, soon())
            .await
            .unwrap_err()
            .is_not_found()
    );
}

#[tokio::test]
async fn temporary_urls_use_the_digest_and_the_key_of_the_cluster() {
    let cloud = Cloud::start(swift).await;
    let swift = cloud.services().swift().clone();
    let name = ObjectName::new("c", "o");
    let hour = Duration::from_secs(3600);
    let url = swift.temp_url(&name, hour, soon()).await.unwrap();
    let start = format!("{}/v1/AUTH_{PROJECT}/c/o?temp_url_sig=", cloud.url);
    let rest = url.expose().strip_prefix(&start).unwrap();
    assert_eq!(rest.split_once('&').unwrap().0.len(), 64);
    assert!(url.lasts(Duration::from_secs(3500)));

    let settings = ImageStoreSettings {
        temp_url_cache_enabled: true,
        multiple_containers_seed: 2,
        expected_download_start_delay: Duration::from_secs(60),
        temp_url_key: Some(Secret::from("other")),
        ..ImageStoreSettings::default()
    };
    let before = cloud.lines().len();
    let store = ImageStore::new(swift.clone(), settings.clone());
    let first = store.temp_url("ab-1", soon()).await.unwrap();
    assert!(
        first.expose().contains("/glance_ab/ab-1?"),
        "{}",
        first.expose()
    );
    assert_eq!(store.temp_url("ab-1", soon()).await.unwrap(), first);
    // The key is known, and so is what the cluster can do.
    assert_eq!(cloud.lines().len(), before);
    // One that would expire before the download begins is made anew.
    let short = ImageStoreSettings {
        temp_url_duration: Duration::from_secs(30),
        ..settings
    };
    let store = ImageStore::new(swift, short);
    let first = store.temp_url("ab-1", soon()).await.unwrap();
    assert!(!first.lasts(Duration::from_secs(60)));
    assert!(
        store
            .temp_url("../x", soon())
            .await
            .unwrap_err()
            .is_not_found()
    );
}

#[tokio::test]
async fn an_account_without_a_key_has_no_temporary_urls() {
    let cloud = Cloud::start(|request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        _ => Reply::status(204),
    })
    .await;
    let swift = cloud.services().swift().clone();
    let error = swift.account_key(soon()).await.unwrap_err();
    assert!(
        matches!(error.reason, Reason::NotConfigured(_)),
        "{error:?}"
    );
    assert!(
        error
            .reason
            .to_string()
            .starts_with("Swift temporary URLs require")
    );
}

fn cinder(request: &Received) -> Reply {
    let versions = json!({"versions": [{"id": "v3.0", "version": "3.71", "min_version": "3.0"}]});
    match (request.method.as_str(), request.path.as_str()) {
        (_, "/v3/auth/tokens") => by_the_cloud(),
        (_, "/volume/v3/") => Reply::status(302).with("location", "/volume/v3/index/"),
        (_, "/volume/v3/index/") => Reply::json(200, &versions),
        ("GET", "/volume/v3/volumes/v") => Reply::json(
            200,
            &json!({"volume": {"id": "v", "status": "available", "attachments": []}}),
        ),
        ("POST", "/volume/v3/volumes/v/metadata") => Reply::json(200, &json!({"metadata": {}})),
        ("POST", _) if request.json().get("os-initialize_connection").is_some() => Reply::json(
            200,
            &json!({"connection_info": {"driver_volume_type": "iscsi", "data": {}}}),
        ),
        ("POST", _) => Reply::status(202),
        _ => Reply::status(404),
    }
}

#[tokio::test]
async fn a_volume_is_attached_and_detached_as_by_ironic() {
    let cloud = Cloud::start(cinder).await;
    let cinder = cloud.services().cinder().clone();
    let caller = Caller::service();
    let record = ConnectorRecord {
        connector_type: "iqn",
        connector_id: "iqn.x",
    };
    let connector = Connector::of("node", &[record]).unwrap();
    assert!(
        cinder
            .volume("v", &caller, soon())
            .await
            .unwrap()
            .is_available()
    );
    cinder.reserve("v", &caller, soon()).await.unwrap();
    let info = cinder
        .initialize_connection("v", &connector, &caller, soon())
        .await;
    assert_eq!(info.unwrap().driver_volume_type, "iscsi");
    cinder.attach("v", "node", &caller, soon()).await.unwrap();
    cinder.begin_detaching("v", &caller, soon()).await.unwrap();
    cinder
        .terminate_connection("v", &connector, &caller, soon())
        .await
        .unwrap();
    cinder.detach("v", "a1", &caller, soon()).await.unwrap();
    let bodies: Vec<_> = cloud
        .received()
        .iter()
        .filter(|request| request.path.ends_with("/action"))
        .map(|request| {
            let version = request.header("openstack-api-version");
            assert_eq!(version, Some("volume 3.71"));
            request.json()
        })
        .collect();
    let connector = json!({"initiator": "iqn.x", "host": "node"});
    assert_eq!(
        bodies,
        [
            json!({"os-reserve": null}),
            json!({"os-initialize_connection": {"connector": connector}}),
            json!({"os-attach": {"mountpoint": "ironic_mountpoint", "instance_uuid": "node"}}),
            json!({"os-begin_detaching": null}),
            json!({"os-terminate_connection": {"connector": connector}}),
            json!({"os-detach": {"attachment_id": "a1"}}),
        ]
    );
    // The version was asked for once.
    let lines = cloud.lines();
    let discovery = lines.iter().filter(|line| line.ends_with('/')).count();
    assert_eq!(discovery, 2);
    assert_eq!(
        cloud.received()[1].header("x-auth-token"),
        Some("own-token-0")
    );
}

#[tokio::test]
async fn tokens_do_not_follow_a_redirect_to_another_host() {
    let cloud = Cloud::start(|request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        _ => Reply::status(302).with("location", "http://127.0.0.1:9/v3/"),
    })
    .await;
    let cinder = cloud.services().cinder().clone();
    let error = cinder
        .volume("v", &Caller::service(), soon())
        .await
        .unwrap_err();
    assert!(matches!(error.reason, Reason::Protocol(_)), "{error:?}");
    assert_eq!(cloud.lines().len(), 1);
}

#[tokio::test]
async fn power_states_are_sent_to_nova() {
    let cloud = Cloud::start(|request: &Received| match request.path.as_str() {
        "/v3/auth/tokens" => by_the_cloud(),
        _ if request.json()["events"][0]["server_uuid"] == "gone" => Reply::json(
            207,
            &json!({"events": [{"name": "power-update", "status": "failed", "code": 404}]}),
        ),
        _ => Reply::json(
            200,
            &json!({"events": [{"status": "completed", "code": 200}]}),
        ),
    })
    .await;
    let nova = cloud.services().nova().clone();
    let outcome = nova.power_update("s", PowerState::On, soon()).await;
    assert_eq!(outcome.unwrap(), Some(EventOutcome::Accepted));
    let request = cloud.last();
    assert_eq!(
        request.line(),
        "POST /compute/v2.1/os-server-external-events"
    );
    assert_eq!(
        request.header("openstack-api-version"),
        Some("compute 2.76")
    );
    assert_eq!(request.header("x-openstack-nova-api-version"), Some("2.76"));
    let outcome = nova.power_update("gone", PowerState::Off, soon()).await;
    assert_eq!(outcome.unwrap(), Some(EventOutcome::UnknownServer));
    let outcome = nova.power_update("s", PowerState::Error, soon()).await;
    assert_eq!(outcome.unwrap(), None);
    assert_eq!(cloud.lines().len(), 2);
}
