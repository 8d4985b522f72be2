//! Where an iSCSI volume is, from the properties of its target: what Cinder or Nova put there, or an
//! operator by hand.

use crate::{DriverError, iface::Machine};
use boot::{ChapLogin, IscsiVolume, VolumeBoot};
use serde_json::Value;
use types::{JsonMap, VolumeTarget, pyrepr};

/// RFC 7143, section 14.
const PORT: u16 = 3260;

pub(crate) fn is_iscsi(target: &VolumeTarget) -> bool {
    target.volume_type == "iscsi"
}

/// What a machine boots from a volume: that one first, then its other iSCSI volumes.
pub(crate) fn volume_boot(
    machine: &Machine<'_>,
    root: &VolumeTarget,
) -> Result<VolumeBoot, DriverError> {
    let initiator = machine.volumes.connectors.iter();
    let mut initiator = initiator.filter(|connector| connector.kind == "iqn");
    let others = machine.volumes.targets.iter();
    let others = others.filter(|target| is_iscsi(target) && target.id != root.id);
    Ok(VolumeBoot {
        initiator: initiator.next().map(|one| one.connector_id.clone()),
        root: volume(root)?,
        others: others.map(volume).collect::<Result<_, _>>()?,
    })
}

fn volume(target: &VolumeTarget) -> Result<IscsiVolume, DriverError> {
    let properties = &target.properties;
    let missing = |what: &str| {
        DriverError::InvalidParameter(format!(
            "Volume target {} does not say where its volume is: {what} is missing from its properties",
            target.id
        ))
    };
    let portals = list(properties, "target_portal");
    let iqns = list(properties, "target_iqn");
    let luns = list(properties, "target_lun");
    if portals.is_empty() {
        return Err(missing("target_portal"));
    }
    let mut urls = Vec::new();
    for (index, portal) in portals.iter().enumerate() {
        // One name and number may hold for all ways.
        let nth = |values: &[&Value]| values.get(index).or(values.first()).copied().cloned();
        let iqn = nth(&iqns).ok_or_else(|| missing("target_iqn"))?;
        let lun = nth(&luns).and_then(|lun| number(&lun));
        let lun = lun.ok_or_else(|| missing("target_lun"))?;
        let portal = pyrepr::to_str(portal);
        let (host, port) = host_and_port(&portal);
        let iqn = pyrepr::to_str(&iqn);
        urls.push(format!("iscsi:{host}::{port}:{lun:x}:{iqn}"));
    }
    let text = |key: &str| properties.get(key).filter(|value| pyrepr::truth(value));
    let login = match (text("auth_username"), text("auth_password")) {
        (Some(username), Some(password)) => Some(ChapLogin {
            username: pyrepr::to_str(username),
            password: pyrepr::to_str(password),
        }),
        _ => None,
    };
    Ok(IscsiVolume { urls, login })
}

/// The values of a property: those of its plural where there is one, else its own.
fn list<'a>(properties: &'a JsonMap, key: &str) -> Vec<&'a Value> {
    let plural = properties.get(&format!("{key}s")).and_then(Value::as_array);
    let several = plural.filter(|values| !values.is_empty());
    match (several, properties.get(key)) {
        (Some(values), _) | (None, Some(Value::Array(values))) => values.iter().collect(),
        (None, Some(Value::Null) | None) => Vec::new(),
        (None, Some(value)) => vec![value],
    }
}

fn number(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| value.as_str()?.trim().parse().ok())
}

/// `192.0.2.1:3260`, `[2001:db8::1]:3260`, or either without its port.
fn host_and_port(portal: &str) -> (&str, u16) {
    let Some((host, port)) = portal.rsplit_once(':') else {
        return (portal, PORT);
    };
    match port.parse() {
        Ok(port) if !host.contains(':') || host.ends_with(']') => (host, port),
        _ => (portal, PORT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::{NodeId, VolumeTargetId};

    fn target(properties: Value) -> VolumeTarget {
        let (id, node) = (VolumeTargetId::generate(), NodeId::generate());
        VolumeTarget {
            properties: properties.as_object().cloned().unwrap(),
            ..VolumeTarget::new(id, node, "iscsi", 0, "v")
        }
    }

    #[test]
    fn a_url_is_made_of_what_cinder_says() {
        let made = volume(&target(json!({
            "target_discovered": false, "target_portal": "192.0.2.10:3260",
            "target_iqn": "iqn.2010-10.org.openstack:volume-v", "target_lun": 18,
            "auth_method": "CHAP", "auth_username": "u", "auth_password": "p",
        })))
        .unwrap();
        let url = "iscsi:192.0.2.10::3260:12:iqn.2010-10.org.openstack:volume-v";
        assert_eq!(made.urls, [url]);
        assert_eq!(made.login.unwrap().password, "p");
    }

    #[test]
    fn every_way_has_a_url() {
        let made = volume(&target(json!({
            "target_portals": ["192.0.2.10:3260", "[2001:db8::1]:3261", "192.0.2.12"],
            "target_portal": "ignored:1", "target_iqns": ["iqn.a", "iqn.b"],
            "target_luns": [1, "2", 3],
        })))
        .unwrap();
        assert_eq!(
            made.urls,
            [
                "iscsi:192.0.2.10::3260:1:iqn.a",
                "iscsi:[2001:db8::1]::3261:2:iqn.b",
                "iscsi:192.0.2.12::3260:3:iqn.a",
            ]
        );
        assert_eq!(made.login, None);
    }

    #[test]
    fn what_is_missing_is_named() {
        for (properties, missing) in [
            (json!({}), "target_portal"),
            (json!({"target_portal": "h"}), "target_iqn"),
            (
                json!({"target_portal": "h", "target_iqn": "i"}),
                "target_lun",
            ),
            (
                json!({"target_portal": "h", "target_iqn": "i", "target_lun": "x"}),
                "target_lun",
            ),
        ] {
            let error = volume(&target(properties)).unwrap_err().to_string();
            assert!(error.contains(&format!("{missing} is missing")), "{error}");
        }
    }
}
