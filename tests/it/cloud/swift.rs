//! Objects, and URLs that need no token.

use super::{Cloud, Contents, PROJECT, Received, document, is_known, status};
use axum::{
    body::Bytes,
    response::{IntoResponse, Response},
};
use ring::hmac;
use serde_json::json;
use std::collections::BTreeMap;
use types::{Timestamp, hex};

#[derive(Debug, Clone)]
pub(crate) struct StoredObject {
    pub(crate) contents: Bytes,
    pub(crate) delete_after: Option<String>,
}

impl Cloud {
    /// Everything that is stored, as `container/object`.
    pub(crate) fn objects(&self) -> Vec<String> {
        let contents = self.contents();
        let containers = contents.containers.iter();
        containers
            .flat_map(|(container, objects)| {
                let names = objects.keys();
                names.map(move |object| format!("{container}/{object}"))
            })
            .collect()
    }

    pub(crate) fn object(&self, container: &str, object: &str) -> Option<StoredObject> {
        let contents = self.contents();
        contents.containers.get(container)?.get(object).cloned()
    }

    pub(crate) fn add_object(&self, container: &str, object: &str, contents: &[u8]) {
        let mut cloud = self.contents();
        let container = cloud.containers.entry(container.to_owned()).or_default();
        container.insert(
            object.to_owned(),
            StoredObject {
                contents: Bytes::copy_from_slice(contents),
                delete_after: None,
            },
        );
    }
}

impl Contents {
    pub(super) fn swift(&mut self, request: &Received, query: &str, body: Bytes) -> Response {
        if request.path == "/info" {
            let digests = ["sha1", "sha256", "sha512"];
            return document(200, &json!({"tempurl": {"allowed_digests": digests}}));
        }
        let account = format!("/v1/AUTH_{PROJECT}");
        let Some(path) = request.path.strip_prefix(&account) else {
            return status(404);
        };
        if !is_known(request) && !self.is_signed(request, query) {
            return status(401);
        }
        let (container, object) = match path.trim_start_matches('/').split_once('/') {
            Some((container, object)) => (container.to_owned(), object.to_owned()),
            None => (path.trim_start_matches('/').to_owned(), String::new()),
        };
        match (request.method.as_str(), &*container, &*object) {
            (_, "", _) => {
                let mut answer = status(204);
                if let Some(key) = &self.temp_url_key {
                    let headers = answer.headers_mut();
                    headers.insert("x-account-meta-temp-url-key", key.parse().unwrap());
                }
                answer
            }
            ("PUT", _, "") => {
                self.containers.entry(container).or_default();
                status(201)
            }
            ("HEAD", _, "") if self.containers.contains_key(&container) => status(204),
            ("PUT", ..) => {
                let Some(objects) = self.containers.get_mut(&container) else {
                    return status(404);
                };
                let lifetime = request.headers.get("x-delete-after");
                let lifetime = lifetime.map(|value| value.to_str().unwrap().to_owned());
                let stored = StoredObject {
                    contents: body,
                    delete_after: lifetime,
                };
                objects.insert(object, stored);
                status(201)
            }
            ("DELETE", ..) => {
                let objects = self.containers.get_mut(&container);
                match objects.and_then(|objects| objects.remove(&object)) {
                    Some(_) => status(204),
                    None => status(404),
                }
            }
            ("GET" | "HEAD", ..) => match self.found(&container, &object) {
                Some(stored) => stored.contents.clone().into_response(),
                None => status(404),
            },
            _ => status(405),
        }
    }

    fn found(&self, container: &str, object: &str) -> Option<&StoredObject> {
        self.containers.get(container)?.get(object)
    }

    /// Whether the query is a signature of ours that has not expired.
    fn is_signed(&self, request: &Received, query: &str) -> bool {
        let pairs: BTreeMap<&str, &str> = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .collect();
        let (Some(signature), Some(expires), Some(key)) = (
            pairs.get("temp_url_sig"),
            pairs.get("temp_url_expires"),
            &self.temp_url_key,
        ) else {
            return false;
        };
        let algorithm = match signature.len() {
            40 => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            64 => hmac::HMAC_SHA256,
            _ => hmac::HMAC_SHA512,
        };
        let key = hmac::Key::new(algorithm, key.as_bytes());
        let signed = format!("GET\n{expires}\n{}", request.path);
        let own = hex::encode(hmac::sign(&key, signed.as_bytes()).as_ref());
        let now = Timestamp::now().0.div_euclid(1_000_000);
        own == *signature && expires.parse::<i64>().is_ok_and(|expires| now < expires)
    }
}
