//! Images.

use super::{Cloud, Contents, PROJECT, Received, document, status};
use axum::response::{IntoResponse, Response};
use ring::digest::{SHA512, digest};
use serde_json::{Value, json};
use types::hex;

/// An image, as Glance tells of it, and its contents.
#[derive(Debug, Clone)]
pub(crate) struct ImageRecord {
    pub(crate) document: Value,
    pub(crate) contents: Vec<u8>,
}

impl ImageRecord {
    /// A public whole-disk image with its checksum.
    pub(crate) fn new(id: &str, contents: &[u8]) -> Self {
        Self {
            document: json!({
                "id": id, "name": "disk", "status": "active", "visibility": "public",
                "owner": PROJECT, "size": contents.len(), "disk_format": "raw",
                "container_format": "bare", "os_hash_algo": "sha512",
                "os_hash_value": hex::encode(digest(&SHA512, contents).as_ref()),
            }),
            contents: contents.to_vec(),
        }
    }

    pub(crate) fn with(mut self, field: &str, value: Value) -> Self {
        self.document[field] = value;
        self
    }
}

impl Cloud {
    pub(crate) fn add_image(&self, image: ImageRecord) {
        let id = image.document["id"].as_str().unwrap().to_owned();
        self.contents().images.insert(id, image);
    }
}

impl Contents {
    pub(super) fn glance(&self, request: &Received) -> Response {
        let path = request.path.strip_prefix("/image/v2/images");
        let path = path.unwrap_or_default().trim_start_matches('/');
        if path.is_empty() {
            return document(200, &json!({"images": []}));
        }
        let (id, rest) = path.split_once('/').unwrap_or((path, ""));
        let Some(image) = self.images.get(id) else {
            return status(404);
        };
        match rest {
            "" => document(200, &image.document),
            "file" => image.contents.clone().into_response(),
            "members" => document(200, &json!({"members": []})),
            _ => status(404),
        }
    }
}
