//! An image that is uploaded, looked at and downloaded.

use super::{ask, cloud, make, patience};
use crate::{
    Caller,
    call::{Call, Content},
    glance::{
        Glance,
        access::{AccessRules, ImageAccess, ImageUser, judge},
    },
    testing::PASSWORD,
};
use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};

/// Glance takes nothing but a UUID.
const KERNEL: &str = "38982591-be80-42a3-85a5-9d43d0e9c8ec";

/// An image with these contents.
pub(super) async fn image(glance: &Glance, contents: &Bytes, more: &Value) -> String {
    let mut body = json!({
        "name": "corten-peers", "disk_format": "raw", "container_format": "bare",
        "visibility": "private",
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    let made = make(&glance.session, "/images", &body).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let path = format!("/images/{id}/file");
    let call = Call::fixed(Method::PUT, &path, "upload an image");
    let call = call.content(Content::Bytes(contents.clone()));
    let caller = Caller::service();
    let uploaded = glance.session.send(Ok(call), &caller, patience());
    uploaded.await.unwrap();
    id
}

pub(super) async fn delete(glance: &Glance, id: &str) {
    let path = format!("/images/{id}");
    ask(&glance.session, Method::DELETE, &path, None)
        .await
        .unwrap();
}

#[tokio::test]
async fn an_image_is_downloaded_whole() {
    let Some(services) = cloud() else { return };
    let glance = services.glance();
    let contents = Bytes::from("on the disk ".repeat(100_000));
    let more = json!({"kernel_id": KERNEL, "note": PASSWORD});
    let id = image(glance, &contents, &more).await;
    let caller = Caller::service();
    let image = glance.image(&id, &caller, patience()).await.unwrap();
    assert!(image.is_active());
    assert_eq!(image.size, Some(contents.len() as u64));
    assert_eq!(image.os_hash_algo.as_deref(), Some("sha512"));
    assert_eq!(image.property("kernel_id"), Some(KERNEL));
    let strict = AccessRules {
        allow_via_auth_token: false,
        ignore_project_for_admins: false,
    };
    let nobody = ImageUser {
        has_token: false,
        is_admin: false,
    };
    let project = glance.project_id(patience()).await.unwrap();
    let verdict = judge(&image, strict, nobody, project.as_deref());
    assert_eq!(verdict, ImageAccess::Allowed);

    let mut download = glance.download(&image, &caller, patience()).await.unwrap();
    let mut received = Vec::new();
    while let Some(piece) = download.chunk().await.unwrap() {
        received.extend_from_slice(&piece);
    }
    assert!(received == contents);
    delete(glance, &id).await;
    let error = glance.image(&id, &caller, patience()).await.unwrap_err();
    assert!(error.is_not_found(), "{error:?}");

    let shared = json!({"visibility": "shared"});
    let made = make(&glance.session, "/images", &shared).await;
    let id = made["id"].as_str().unwrap();
    assert!(
        glance
            .members(id, &caller, patience())
            .await
            .unwrap()
            .is_empty()
    );
    delete(glance, id).await;
}
