//! Volumes and who has them.

use super::{Cloud, Contents, Received, document, status};
use axum::{body::Bytes, response::Response};
use serde_json::{Value, json};

/// The password by which a machine logs in to its volume.
pub(crate) const CHAP_PASSWORD: &str = "chap-secret-of-a-volume";

#[derive(Debug, Clone, Default)]
pub(crate) struct VolumeRecord {
    pub(crate) status: String,
    /// Whom it is attached to.
    pub(crate) server: Option<String>,
    /// Whether it is exported.
    pub(crate) is_connected: bool,
}

impl Cloud {
    pub(crate) fn add_volume(&self, id: &str, status: &str) {
        let volume = VolumeRecord {
            status: status.to_owned(),
            ..VolumeRecord::default()
        };
        self.contents().volumes.insert(id.to_owned(), volume);
    }

    pub(crate) fn remove_volume(&self, id: &str) {
        self.contents().volumes.remove(id);
    }

    pub(crate) fn volume(&self, id: &str) -> VolumeRecord {
        self.contents().volumes[id].clone()
    }
}

impl Contents {
    pub(super) fn cinder(&mut self, request: &Received, body: &Bytes) -> Response {
        let path = request.path.strip_prefix("/volume/v3");
        let path = path.unwrap_or_default().trim_start_matches('/');
        if path.is_empty() {
            let versions = json!({"versions": [{"id": "v3.0", "version": "3.71"}]});
            return document(200, &versions);
        }
        if path == "volumes" {
            return document(200, &json!({"volumes": []}));
        }
        let id = path.trim_start_matches("volumes/");
        let (id, rest) = id.split_once('/').unwrap_or((id, ""));
        let Some(volume) = self.volumes.get_mut(id) else {
            return status(404);
        };
        match rest {
            "" => document(200, &json!({"volume": shown(id, volume)})),
            "metadata" => document(200, &json!({"metadata": {}})),
            "action" => {
                let action: Value = serde_json::from_slice(body).unwrap();
                acted(id, volume, &action)
            }
            _ => status(404),
        }
    }
}

fn shown(id: &str, volume: &VolumeRecord) -> Value {
    let attachments: Vec<Value> = volume
        .server
        .iter()
        .map(|server| json!({"attachment_id": format!("a-{id}"), "server_id": server}))
        .collect();
    json!({"id": id, "status": volume.status, "attachments": attachments})
}

fn acted(id: &str, volume: &mut VolumeRecord, action: &Value) -> Response {
    let (name, arguments) = action.as_object().unwrap().iter().next().unwrap();
    let refused = |text: &str| {
        let text = format!("Invalid volume: {text}");
        document(400, &json!({"badRequest": {"code": 400, "message": text}}))
    };
    match (name.as_str(), volume.status.as_str()) {
        ("os-reserve", "available") => volume.status = "attaching".into(),
        ("os-reserve", held) => {
            return refused(&format!(
                "Volume status must be available to reserve, but the status is {held}."
            ));
        }
        ("os-unreserve", "attaching") => volume.status = "available".into(),
        ("os-initialize_connection", _) => {
            volume.is_connected = true;
            let data = json!({
                "target_portal": "192.0.2.10:3260", "target_lun": 1,
                "target_iqn": format!("iqn.2010-10.org.openstack:volume-{id}"),
                "auth_method": "CHAP", "auth_username": "u", "auth_password": CHAP_PASSWORD,
            });
            let info = json!({"driver_volume_type": "iscsi", "data": data});
            return document(200, &json!({"connection_info": info}));
        }
        ("os-attach", "attaching") => {
            volume.status = "in-use".into();
            let server = arguments["instance_uuid"].as_str().unwrap();
            volume.server = Some(server.to_owned());
        }
        ("os-begin_detaching", "in-use") => volume.status = "detaching".into(),
        ("os-terminate_connection", _) => volume.is_connected = false,
        ("os-detach", "detaching") => {
            volume.status = "available".into();
            volume.server = None;
        }
        (other, held) => return refused(&format!("{other} while {held}")),
    }
    status(202)
}
