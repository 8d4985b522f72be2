//! `vmedia`: images that look like discs in a node's drives.
//!
//! What is attached and detached happens after the answer; what goes wrong then is told in the
//! node's `last_error`.

use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::Rule,
    reply::Reply,
    schema::{self, Schema, Type},
    v1::subject,
};
use serde_json::Value;
use types::{rpc::VirtualMedia, version::since};

const DEVICES: &[&str] = &["disk", "cdrom", "floppy"];
/// How an image may be reached.
const SCHEMES: &[&str] = &["http", "https", "nfs", "cifs", "smb"];

pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "device_type",
            Schema {
                types: &[Type::String],
                options: DEVICES,
                ..Schema::ANY
            },
        ),
        ("image_url", Schema::of(&[Type::String])),
        (
            "image_download_source",
            Schema {
                types: &[Type::String],
                options: &["http", "local", "swift"],
                ..Schema::ANY
            },
        ),
    ],
    required: &["device_type", "image_url"],
    closed: true,
    ..Schema::ANY
};

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIRTUAL_MEDIA)?;
    if call.version() < since::VIRTUAL_MEDIA_LIST {
        return Err(ApiError::not_found("The resource could not be found."));
    }
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeVmediaGet).await?;
    let media = call
        .state
        .conductor
        .virtual_media(node.id)
        .await
        .map_err(ApiError::from_node_write)?;
    let media: Vec<Value> = media.into_iter().map(Value::Object).collect();
    Ok(Reply::ok(JsonWriter::document(&Value::Array(media))))
}

pub(crate) async fn attach(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIRTUAL_MEDIA)?;
    let body = call.body()?;
    schema::check("vmedia", &body, &SCHEMA)?;
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let media = VirtualMedia {
        device: text("device_type").unwrap_or_default(),
        image_url: text("image_url").unwrap_or_default(),
        source: text("image_download_source").unwrap_or_else(|| "local".to_owned()),
    };
    let scheme = scheme(&media.image_url);
    if !SCHEMES.contains(&scheme.as_str()) {
        return Err(ApiError::invalid(format!(
            "Unsupported or missing URL scheme: {scheme}"
        )));
    }
    let node = subject::node_for(&call, Rule::NodeVmediaAttach).await?;
    call.state
        .conductor
        .attach_virtual_media(&call.ctx.caller, node.id, media)
        .await
        .map_err(ApiError::from_node_write)?;
    Ok(Reply::no_content())
}

/// `POST …/vmedia/{device}`: Ironic takes what stands in the path for the body.
pub(crate) async fn attach_at(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIRTUAL_MEDIA)?;
    schema::check("vmedia", &Value::from(call.param("device")), &SCHEMA)?;
    Err(ApiError::resource_not_found())
}

pub(crate) async fn detach(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIRTUAL_MEDIA)?;
    let devices = call.args(&["device_types"])?.string_list("device_types")?;
    empty(&call, devices).await
}

pub(crate) async fn detach_one(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::VIRTUAL_MEDIA)?;
    call.no_args()?;
    let devices = args::string_list("device_types", &Value::from(call.param("device")))?;
    empty(&call, Some(devices)).await
}

async fn empty(call: &Call, devices: Option<Vec<String>>) -> Result<Reply, ApiError> {
    let unknown: Vec<&str> = devices
        .iter()
        .flatten()
        .map(String::as_str)
        .filter(|device| !DEVICES.contains(device))
        .collect();
    if !unknown.is_empty() {
        return Err(ApiError::invalid(format!(
            "Invalid device type(s) {} (valid are {})",
            unknown.join(", "),
            DEVICES.join(", ")
        )));
    }
    let node = subject::node_for(call, Rule::NodeVmediaDetach).await?;
    call.state
        .conductor
        .detach_virtual_media(&call.ctx.caller, node.id, devices)
        .await
        .map_err(ApiError::from_node_write)?;
    Ok(Reply::no_content())
}

/// The scheme of an address in lower case; empty when it has none.
fn scheme(url: &str) -> String {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    url.trim_start_matches(|c: char| c <= ' ')
        .split_once(':')
        .map(|(scheme, _)| scheme)
        .filter(|scheme| scheme.starts_with(|c: char| c.is_ascii_alphabetic()))
        .filter(|scheme| scheme.bytes().all(is_part))
        .unwrap_or_default()
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::scheme;
    use crate::testing::Service;
    use serde_json::{Value, json};
    use types::{Node, NodeId};

    async fn service() -> (Service, String) {
        let service = Service::new();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let path = format!("/v1/nodes/{}/vmedia", service.store_node(node).await.id);
        (service, path)
    }

    #[tokio::test]
    async fn media_are_shown_attached_and_detached() {
        let (service, path) = service().await;
        let shown = service.send("GET", &path, 93, Value::Null).await;
        assert_eq!(shown.json(), json!([{"media_types": ["CD"]}]));
        let url = "HTTPS://u:p@h/i";
        let body = json!({"device_type": "cdrom", "image_url": url});
        let attached = service.send("POST", &path, 89, body).await;
        assert_eq!(attached.status.as_u16(), 204, "{attached:?}");
        for query in ["", "?device_types=disk,floppy", "/cdrom"] {
            let path = format!("{path}{query}");
            let gone = service.send("DELETE", &path, 89, Value::Null).await;
            assert_eq!(gone.status.as_u16(), 204, "{gone:?}");
        }
        assert_eq!(
            *service.conductor.asked.lock().unwrap(),
            [
                r#"attach_virtual_media {"device":"cdrom","image_url":"HTTPS://u:p@h/i","source":"local"}"#,
                "detach_virtual_media null",
                r#"detach_virtual_media ["disk","floppy"]"#,
                r#"detach_virtual_media ["cdrom"]"#,
            ]
        );
    }

    #[tokio::test]
    async fn what_is_refused_says_why() {
        let (service, path) = service().await;
        let other = format!("/v1/nodes/{}/vmedia", NodeId::generate());
        let cd = |url: &str| json!({"device_type": "cdrom", "image_url": url});
        for (method, path, minor, body, status, text) in [
            (
                "GET",
                path.clone(),
                92,
                Value::Null,
                404,
                "The resource could not be found.",
            ),
            (
                "POST",
                path.clone(),
                115,
                json!([]),
                400,
                "Schema error for vmedia: [] is not of type 'object'",
            ),
            (
                "POST",
                path.clone(),
                115,
                cd("/x"),
                400,
                "Unsupported or missing URL scheme: ",
            ),
            (
                "POST",
                path.clone(),
                115,
                cd("FTP://x"),
                400,
                "Unsupported or missing URL scheme: ftp",
            ),
            (
                "POST",
                format!("{path}/cdrom"),
                115,
                cd("http://x"),
                400,
                "Schema error for vmedia: 'cdrom' is not of type 'object'",
            ),
            (
                "DELETE",
                format!("{path}/zzz"),
                115,
                Value::Null,
                400,
                "Invalid device type(s) zzz (valid are disk, cdrom, floppy)",
            ),
            (
                "DELETE",
                format!("{path}?x=1"),
                115,
                Value::Null,
                400,
                "Unexpected arguments: x",
            ),
            (
                "POST",
                other,
                115,
                cd("http://x"),
                404,
                "could not be found.",
            ),
        ] {
            let answer = service.send(method, &path, minor, body.clone()).await;
            assert_eq!(answer.status.as_u16(), status, "{method} {path} {body}");
            assert!(answer.fault().ends_with(text), "{}", answer.fault());
        }
        assert!(service.conductor.asked.lock().unwrap().is_empty());
        for method in ["GET", "POST", "DELETE"] {
            let old = service.send(method, &path, 88, json!({})).await;
            assert_eq!(old.status.as_u16(), 404, "{method}");
        }
    }

    #[test]
    fn a_scheme_is_what_stands_before_the_colon() {
        for (url, found) in [
            ("http:", "http"),
            (" NFS://x", "nfs"),
            ("1a:b", ""),
            ("a b:c", ""),
            ("", ""),
        ] {
            assert_eq!(scheme(url), found, "{url:?}");
        }
    }
}
