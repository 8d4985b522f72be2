//! Volumes and drives as a Redfish service shows them.

use super::{
    level::Level,
    plan::{Drive, Volume},
};
use crate::{
    iface::Machine,
    redfish::{RedfishError, Resource, Talk},
};
use serde_json::{Value, json};
use types::{JsonMap, Timestamp};

const GIB: u64 = 1 << 30;

pub(super) async fn subsystems(
    talk: &Talk<'_>,
    system: &Resource,
) -> Result<Vec<Resource>, RedfishError> {
    match system.link("Storage") {
        Some(storage) => talk.collection(storage).await,
        None => Err(talk.lacks(system, "Storage/@odata.id").into()),
    }
}

pub(super) async fn volume_paths(
    talk: &Talk<'_>,
    system: &Resource,
) -> Result<Vec<String>, RedfishError> {
    let mut paths = Vec::new();
    for storage in subsystems(talk, system).await? {
        if let Some(volumes) = talk.look(&storage, "Volumes").await? {
            paths.extend(talk.members(&volumes.path).await?);
        }
    }
    Ok(paths)
}

/// Whether a subsystem can have volumes: it says that it supports no level if it cannot.
pub(super) fn makes_volumes(storage: &Resource) -> bool {
    let first = storage.list("StorageControllers").next();
    let levels = first.and_then(|first| first.get("SupportedRAIDTypes")?.as_array());
    !levels.is_some_and(Vec::is_empty)
}

pub(super) async fn drives_of(
    talk: &Talk<'_>,
    storage: &Resource,
) -> Result<Vec<Drive>, RedfishError> {
    let drives = talk.all(storage, "Drives").await?;
    let read = |drive: &Resource| {
        let text = |key: &str| drive.str(key).map(str::to_owned);
        Some(Drive {
            id: drive.id().to_owned(),
            path: drive.path.clone(),
            controller: storage.id().to_owned(),
            medium: text("MediaType"),
            protocol: text("Protocol"),
            bytes: drive.u64("CapacityBytes")?,
        })
    };
    Ok(drives.iter().filter_map(read).collect())
}

/// Whether a volume is made of drives, and not just one of them shown as a volume.
pub(super) fn is_raid(volume: &Resource) -> bool {
    volume.str("RAIDType").is_some_and(|level| level != "None")
}

/// Whether a volume is what was asked for.
pub(super) fn is_of(volume: &Resource, wanted: &Volume) -> bool {
    let drives = volume.links("Links/Drives");
    let same_level = match volume.str("RAIDType") {
        Some(found) => Level::named(&wanted.raid_level).is_ok_and(|level| level.raid_type == found),
        // Some tell neither level nor drives of a volume.
        None => drives.is_empty() && volume.str("VolumeType") != Some("RawDevice"),
    };
    if drives.is_empty() {
        // Some do not tell their drives; then the name must do.
        let name = volume.str("Name");
        return same_level
            && (wanted.volume_name.is_none() || name == wanted.volume_name.as_deref());
    }
    let tidy = |path: &str| path.trim_end_matches('/').to_owned();
    let mut is: Vec<String> = drives.into_iter().map(tidy).collect();
    let mut should: Vec<String> = wanted.paths.iter().map(|path| tidy(path)).collect();
    is.sort_unstable();
    should.sort_unstable();
    same_level && is == should
}

pub(super) fn payload(volume: &Volume, time: Option<&str>) -> JsonMap {
    let mut body = JsonMap::new();
    if let Ok(level) = Level::named(&volume.raid_level) {
        body.insert("RAIDType".into(), level.raid_type.into());
    }
    if let Some(bytes) = volume.size_bytes {
        body.insert("CapacityBytes".into(), bytes.into());
    }
    let drives: Vec<Value> = volume
        .paths
        .iter()
        .map(|path| json!({"@odata.id": path}))
        .collect();
    body.insert("Links".into(), json!({"Drives": drives}));
    if let Some(name) = &volume.volume_name {
        body.insert("Name".into(), name.as_str().into());
    }
    if let Some(time) = time {
        body.insert("@Redfish.OperationApplyTime".into(), time.into());
    }
    body
}

/// Writes the volumes into the node, and what follows from the one that the system is to be on.
pub(super) fn note(
    machine: &mut Machine<'_>,
    present: &[(String, Resource)],
    root: Option<&(String, Volume)>,
) {
    let mut disks = Vec::new();
    for (controller, volume) in present {
        let level = volume.str("RAIDType").and_then(Level::of_volume);
        let Some(level) = level else { continue };
        let gib = volume.u64("CapacityBytes").unwrap_or(0) / GIB;
        let mut disk = json!({
            "id": volume.id(),
            "name": volume.str("Name"),
            "controller": controller,
            "size_gb": gib,
            "raid_level": level.name,
        });
        if let Some((path, wanted)) = root
            && *path == volume.path
        {
            disk["is_root_volume"] = true.into();
            let properties = &mut machine.node.properties;
            if wanted.size_bytes.is_some() {
                properties.insert("local_gb".into(), gib.into());
            }
            let now = properties.get("capabilities").and_then(Value::as_str);
            let new = with_capability(now.unwrap_or_default(), "raid_level", level.name);
            properties.insert("capabilities".into(), new.into());
        }
        disks.push(disk);
    }
    let stamp = Timestamp::now().naive().replace('T', " ");
    let mut config = JsonMap::new();
    config.insert("logical_disks".into(), disks.into());
    config.insert("last_updated".into(), stamp.into());
    machine.node.raid_config = config;
}

/// The text of capabilities with one of them set.
fn with_capability(now: &str, name: &str, value: &str) -> String {
    let mut parts: Vec<String> = now
        .split(',')
        .filter(|part| !part.is_empty() && part.split(':').next() != Some(name))
        .map(str::to_owned)
        .collect();
    parts.push(format!("{name}:{value}"));
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Node, NodeId};

    fn wanted() -> Volume {
        Volume {
            controller: "1".into(),
            physical_disks: vec!["a".into(), "b".into()],
            paths: vec!["/d/a".into(), "/d/b".into()],
            raid_level: "1".into(),
            size_bytes: Some(10 * GIB),
            volume_name: Some("root".into()),
            is_root_volume: true,
        }
    }

    fn volume(body: Value) -> Resource {
        Resource::new("/v/1", None, body.as_object().cloned().unwrap())
    }

    #[test]
    fn a_volume_is_told_by_level_and_drives() {
        let drives = |all: &[&str]| -> Value {
            let links: Vec<Value> = all.iter().map(|path| json!({"@odata.id": path})).collect();
            json!({"Drives": links})
        };
        let is = |body: Value| is_of(&volume(body), &wanted());
        assert!(is(
            json!({"RAIDType": "RAID1", "Links": drives(&["/d/b/", "/d/a"])})
        ));
        assert!(!is(
            json!({"RAIDType": "RAID0", "Links": drives(&["/d/a", "/d/b"])})
        ));
        assert!(!is(
            json!({"RAIDType": "RAID1", "Links": drives(&["/d/a", "/d/c"])})
        ));
        assert!(!is(json!({"Links": drives(&["/d/a", "/d/b"])})));
        assert!(is(json!({"RAIDType": "RAID1", "Name": "root"})));
        assert!(is(json!({"Name": "root"})), "it tells nothing else");
        assert!(!is(json!({"Name": "root", "VolumeType": "RawDevice"})));
        assert!(!is(json!({"RAIDType": "RAID1", "Name": "other"})));
    }

    #[test]
    fn what_is_asked_for_is_in_the_request() {
        let body = Value::Object(payload(&wanted(), Some("OnReset")));
        assert_eq!(
            body,
            json!({"RAIDType": "RAID1", "CapacityBytes": 10 * GIB, "Name": "root",
                "Links": {"Drives": [{"@odata.id": "/d/a"}, {"@odata.id": "/d/b"}]},
                "@Redfish.OperationApplyTime": "OnReset"})
        );
        let rest = Volume {
            size_bytes: None,
            ..wanted()
        };
        assert!(!payload(&rest, None).contains_key("CapacityBytes"));
    }

    #[test]
    fn the_node_knows_its_volumes() {
        let mut node = Node::new(NodeId::generate(), "redfish");
        node.properties
            .insert("capabilities".into(), "raid_level:5,a:1".into());
        let info = JsonMap::new();
        let mut machine = Machine::new(&mut node, &info, &[]);
        let raw = volume(json!({"Id": "raw", "CapacityBytes": 1}));
        let root = volume(
            json!({"Id": "1", "Name": "root", "RAIDType": "RAID1", "CapacityBytes": 10 * GIB}),
        );
        let present = [("1".to_owned(), raw), ("1".to_owned(), root)];
        note(&mut machine, &present, Some(&("/v/1".into(), wanted())));
        assert_eq!(
            node.raid_config["logical_disks"],
            json!([{"id": "1", "name": "root", "controller": "1", "size_gb": 10,
                "raid_level": "1", "is_root_volume": true}])
        );
        assert_eq!(node.properties["local_gb"], 10);
        assert_eq!(node.properties["capabilities"], "a:1,raid_level:1");
    }
}
