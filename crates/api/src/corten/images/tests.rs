//! Images as administrators see them, without a conductor that fetches them.

use crate::testing::{Answer, Service};
use serde_json::{Value, json};
use store::image::ImageFence;
use types::{
    Timestamp,
    image::{BootVerdict, Boots, ImageContent, ImageKind, ImageState, ImageSurvey, StoredImage},
    lease::Holder,
};

const ROOT: &str = "/corten/v1/images";

async fn create(service: &Service, body: Value) -> Answer {
    service.send("POST", ROOT, 1, body).await
}

async fn row(service: &Service, name: &str) -> StoredImage {
    let found = store::image::named(&service.db, &name.parse().unwrap()).await;
    found.unwrap().unwrap()
}

async fn shown(service: &Service, name: &str) -> Value {
    service.get(&format!("{ROOT}/{name}"), 1).await.json()
}

/// What a conductor does that takes an image on.
async fn claimed(service: &Service, name: &str, state: ImageState) -> ImageFence {
    let me = Holder {
        host: "c1".into(),
        epoch: 1,
    };
    let row = row(service, name).await;
    let fence = store::image::claim(&service.db, &row, &me, state).await;
    fence.unwrap()
}

fn content() -> ImageContent {
    let verdict = || BootVerdict {
        boots: Boots::Yes,
        reason: "GRUB".into(),
    };
    ImageContent {
        id: "ab".repeat(32).parse().unwrap(),
        size: 7,
        survey: ImageSurvey {
            kind: ImageKind::Disk,
            format: "qcow2".into(),
            packing: None,
            disk_size: Some(1 << 30),
            architectures: vec!["x86_64".into()],
            bios: verdict(),
            uefi: verdict(),
        },
        fetched_at: Timestamp::now(),
    }
}

async fn fetched(service: &Service, name: &str) {
    let fence = claimed(service, name, ImageState::Fetching).await;
    let moved = store::image::progress(&service.db, fence, 3, Some(7)).await;
    moved.unwrap();
    let at_work = shown(service, name).await;
    assert_eq!(at_work["state"], "fetching");
    assert_eq!(
        (&at_work["done_bytes"], &at_work["total_bytes"]),
        (&json!(3), &json!(7))
    );
    let done = store::image::finish(&service.db, fence, content()).await;
    done.unwrap();
}

#[tokio::test]
async fn an_image_is_queued_and_what_is_secret_in_its_address_is_sealed() {
    let service = Service::new();
    let url = "https://images.example/debian.qcow2?token=hush";
    let made = create(&service, json!({"name": "debian-13", "url": url})).await;
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    assert_eq!(made["state"], "queued");
    assert_eq!(made["url"], "https://images.example/debian.qcow2");
    for path in [ROOT.to_owned(), format!("{ROOT}/debian-13")] {
        let shown = service.get(&path, 1).await;
        assert!(!shown.text.contains("hush"), "{shown:?}");
    }
    let row = row(&service, "debian-13").await;
    assert!(!format!("{row:?}").contains("hush"));
    let source = store::image::source_of(&service.db, &row).unwrap();
    assert_eq!(source.url.as_deref(), Some(url));
    let again = create(&service, json!({"name": "debian-13", "url": url})).await;
    assert_eq!(again.status, 409);
    assert!(
        again.fault().contains("debian-13 already exists"),
        "{again:?}"
    );
}

#[tokio::test]
async fn hostile_names_addresses_and_sums_are_refused() {
    let service = Service::new();
    let url = "http://h/i";
    let sum = "a".repeat(64);
    let two = json!({"name": "a", "url": url, "checksum": sum, "checksum_url": "http://h/s"});
    for (body, why) in [
        (json!({"name": "../x", "url": url}), "cannot be the name"),
        (json!({"name": "A", "url": url}), "cannot be the name"),
        (
            json!({"name": "a", "url": "http://u:p@h/i"}),
            "a user or a password",
        ),
        (
            json!({"name": "a", "url": "ftp://h/i"}),
            "only http, https and file",
        ),
        (
            json!({"name": "a", "url": "http://h/\u{7}"}),
            "control characters",
        ),
        (
            json!({"name": "a", "url": "image://a"}),
            "only http, https and file",
        ),
        (json!({"name": "a", "url": "nothing"}), "it is no URL"),
        (
            json!({"name": "a", "url": url, "checksum": "md5:0"}),
            "checksum",
        ),
        (json!({"name": "a"}), "Say where the image is"),
        (json!({"name": "a", "size": 7}), "Say where the image is"),
        (
            json!({"name": "a", "size": 7, "url": url}),
            "Say where the image is",
        ),
        (two, "Say one of"),
        (json!({"name": "a", "url": url, "more": 1}), "more"),
    ] {
        let refused = create(&service, body.clone()).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
        assert!(refused.fault().contains(why), "{body}: {refused:?}");
        assert!(!refused.text.contains("u:p@"), "{refused:?}");
    }
    assert!(store::image::list(&service.db).await.unwrap().is_empty());
    for ident in ["none", "%2e%2e", "0b1b8a5e-7d7b-4c3e-8a7e-2f1f4d1f0a11"] {
        let missing = service.get(&format!("{ROOT}/{ident}"), 1).await;
        assert_eq!(missing.status, 404, "{ident}");
    }
}

#[tokio::test]
async fn an_image_that_a_node_has_is_only_removed_by_force() {
    let service = Service::new();
    create(&service, json!({"name": "a_1", "url": "http://h/i"})).await;
    fetched(&service, "a_1").await;
    let node = json!({"driver": "fake-hardware", "name": "n1",
        "instance_info": {"image_source": "image://a_1", "other": "image://ax1"}});
    let node = service.send("POST", "/v1/nodes", 115, node).await;
    assert_eq!(node.status, 201, "{node:?}");
    // A name that differs where the other has an underscore is another one.
    create(&service, json!({"name": "ax1", "url": "http://h/i"})).await;
    let remove = async |path: &str| {
        let path = format!("{ROOT}/{path}");
        service.send("DELETE", &path, 1, Value::Null).await
    };
    assert_eq!(remove("ax1").await.status, 204);
    let shown = shown(&service, "a_1").await;
    assert_eq!(shown["nodes"], json!([node.json()["uuid"]]));
    assert_eq!(shown["survey"]["architectures"], json!(["x86_64"]));
    let kept = remove("a_1").await;
    assert_eq!(kept.status, 409);
    assert!(kept.fault().contains("1 nodes: n1"), "{kept:?}");
    assert_eq!(remove("a_1?force=true").await.status, 204);
}

#[tokio::test]
async fn fetching_again_keeps_what_there_is_and_ends_the_work_under_way() {
    let service = Service::new();
    create(&service, json!({"name": "a", "url": "http://h/i"})).await;
    fetched(&service, "a").await;
    let path = format!("{ROOT}/a/refresh");
    let asked = service.send("POST", &path, 1, Value::Null).await;
    assert_eq!(asked.status, 202, "{asked:?}");
    let queued = shown(&service, "a").await;
    assert_eq!(
        (&queued["state"], &queued["size"]),
        (&json!("queued"), &json!(7))
    );
    let fence = claimed(&service, "a", ImageState::Fetching).await;
    service.send("POST", &path, 1, Value::Null).await;
    let late = store::image::finish(&service.db, fence, content()).await;
    assert!(matches!(late, Err(store::StoreError::Stale)), "{late:?}");
    let fence = claimed(&service, "a", ImageState::Fetching).await;
    let failed = store::image::fail(&service.db, fence, "the server is away").await;
    failed.unwrap();
    let kept = shown(&service, "a").await;
    assert_eq!(kept["state"], "ready");
    assert_eq!(kept["last_error"], "the server is away");
}

#[tokio::test]
async fn parts_go_to_the_conductor_that_takes_the_upload() {
    let service = Service::new();
    let body = |name: &str| json!({"name": name, "size": 7, "checksum": "a".repeat(64)});
    let made = create(&service, body("own")).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.json()["state"], "uploading");
    let part = json!({"offset": 3, "data": "AAAA"});
    let path = format!("{ROOT}/own/content");
    // The conductor of these tests does not take it on.
    let early = service.send("PUT", &path, 1, part.clone()).await;
    assert_eq!(early.status, 409, "{early:?}");
    claimed(&service, "own", ImageState::Uploading).await;
    let taken = service.send("PUT", &path, 1, part).await;
    assert_eq!(taken.json(), json!({"received": 3, "size": 7}));
    let again = format!("{ROOT}/own/refresh");
    let again = service.send("POST", &again, 1, Value::Null).await;
    assert_eq!(again.status, 409, "{again:?}");
    // An upload that no conductor takes leaves nothing behind.
    let busy = types::Fault::NotNow("Too many.".into());
    service.conductor.refusals.lock().unwrap().push(busy);
    assert_eq!(create(&service, body("other")).await.status, 503);
    let missing = service.get(&format!("{ROOT}/other"), 1).await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn readers_of_the_system_see_images_and_administrators_change_them() {
    let service = Service::guarded();
    let one = "/corten/v1/images/a";
    for (persona, method, path, status) in [
        ("reader@system", "POST", ROOT, 403),
        ("member@system", "POST", ROOT, 403),
        ("admin@p1", "POST", ROOT, 403),
        ("admin@system", "POST", ROOT, 201),
        ("reader@system", "GET", ROOT, 200),
        ("reader@p1", "GET", ROOT, 403),
        ("reader@system", "DELETE", one, 403),
        ("admin@system", "DELETE", one, 204),
    ] {
        let body = match method {
            "POST" => json!({"name": "a", "url": "http://h/i"}),
            _ => Value::Null,
        };
        let answer = service.send_as(persona, method, path, body).await;
        assert_eq!(
            answer.status, status,
            "{persona} {method} {path}: {answer:?}"
        );
    }
}
