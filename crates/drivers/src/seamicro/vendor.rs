//! Volumes and VLANs of a server, as methods of its own.
//!
//! A volume that is made has a name that follows from the node, so that one that was made before a
//! conductor ended is found again, and not made a second time.

use super::{NAME, SeaMicroServer, invalid};
use crate::{
    DriverError,
    iface::{Machine, Vendor},
};
use async_trait::async_trait;
use proto::seamicro::{VolumeId, vlan};
use serde_json::Value;
use types::{JsonMap, LeaseProof, NodeId, pyrepr, rpc::VendorMethod};

const ATTACH_VOLUME: &str = "attach_volume";
const SET_NODE_VLAN_ID: &str = "set_node_vlan_id";

/// How many digits names of volumes have.
const DIGITS: usize = 12;

/// Which volume a server is to get.
#[derive(Debug, PartialEq, Eq)]
enum VolumeChoice {
    /// One that there is.
    Known(VolumeId),
    /// One of so many gigabytes, which is to be made.
    OfSize(u64),
}

fn given<'a>(arguments: &'a JsonMap, key: &str) -> Option<&'a Value> {
    arguments.get(key).filter(|value| pyrepr::truth(value))
}

fn wanted(arguments: &JsonMap) -> Result<VolumeChoice, DriverError> {
    if let Some(id) = given(arguments, "volume_id") {
        let id = pyrepr::to_str(id);
        let known = VolumeId::parse(&id).filter(VolumeId::is_of_ironic);
        return known.map(VolumeChoice::Known).ok_or_else(|| {
            invalid(format!(
                "Invalid volume id specified: {}; it is <slot>/<pool>/<volume>, with a pool whose name contains ironic-",
                pyrepr::repr_str(&id)
            ))
        });
    }
    let Some(size) = given(arguments, "volume_size") else {
        return Err(invalid("No volume size provided for creating volume"));
    };
    let number = match size {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_u64(),
    };
    let number = number.filter(|number| *number > 0);
    number.map(VolumeChoice::OfSize).ok_or_else(|| {
        invalid(format!(
            "volume_size {} is not a number of gigabytes",
            pyrepr::repr(size)
        ))
    })
}

fn wanted_vlan(arguments: &JsonMap) -> Result<u16, DriverError> {
    let Some(value) = given(arguments, "vlan_id") else {
        return Err(invalid("No vlan id provided"));
    };
    vlan(value).ok_or_else(|| {
        invalid(format!(
            "vlan_id {} is not the number of a VLAN, from 1 to 4094",
            pyrepr::repr(value)
        ))
    })
}

/// The name of the volume that is made for a node.
fn volume_name(node: NodeId) -> String {
    let digits: String = node.to_string().chars().filter(|c| *c != '-').collect();
    let from = digits.len().saturating_sub(DIGITS);
    digits.get(from..).unwrap_or_default().to_owned()
}

impl SeaMicroServer {
    async fn attach_volume(
        &self,
        machine: &mut Machine<'_>,
        wanted: VolumeChoice,
    ) -> Result<(), DriverError> {
        let talk = self.talk(machine, ATTACH_VOLUME).await?;
        let volume = match wanted {
            VolumeChoice::Known(volume) if talk.has_volume(&volume).await? => volume,
            VolumeChoice::Known(volume) => {
                return Err(talk.rejected(format!("it has no volume {volume}")));
            }
            VolumeChoice::OfSize(size) => {
                let name = volume_name(machine.node.id);
                let pools = talk.pools().await?.into_iter().map(|pool| VolumeId {
                    pool,
                    name: name.clone(),
                });
                let mut chosen = None;
                for volume in pools {
                    if talk.has_volume(&volume).await? {
                        return Err(talk.rejected(format!(
                            "volume {volume} was made for this node before; give it as volume_id to attach it, or delete it"
                        )));
                    }
                    chosen.get_or_insert(volume);
                }
                let Some(volume) = chosen else {
                    let text = "it has no pool whose name contains ironic-";
                    return Err(talk.rejected(text.to_owned()));
                };
                talk.create_volume(&volume, size).await?;
                volume
            }
        };
        talk.detach().await?;
        tokio::time::sleep(self.0.settings.settle).await;
        talk.attach(&volume).await?;
        let id = volume.to_string().into();
        let properties = &mut machine.node.properties;
        properties.insert("seamicro_volume_id".to_owned(), id);
        Ok(())
    }

    async fn set_vlan(&self, machine: &mut Machine<'_>, vlan: u16) -> Result<(), DriverError> {
        let talk = self.talk(machine, SET_NODE_VLAN_ID).await?;
        let mut nics = talk.nics().await?;
        if nics.iter().any(|nic| nic.untagged_vlan.is_some()) {
            for nic in &nics {
                if let Some(old) = nic.untagged_vlan {
                    talk.change_vlan(nic.number, "remove", old).await?;
                }
            }
            tokio::time::sleep(self.0.settings.settle).await;
            nics = talk.nics().await?;
        }
        if nics.is_empty() {
            return Err(talk.rejected("the server has no network interface".to_owned()));
        }
        for nic in &nics {
            talk.change_vlan(nic.number, "add", vlan).await?;
        }
        let properties = &mut machine.node.properties;
        properties.insert("seamicro_vlan_id".to_owned(), vlan.into());
        Ok(())
    }
}

fn method(name: &str, description: &str) -> VendorMethod {
    VendorMethod {
        name: name.into(),
        http_methods: vec!["POST".into()],
        r#async: true,
        description: description.into(),
        attach: false,
        require_exclusive_lock: true,
    }
}

#[async_trait]
impl Vendor for SeaMicroServer {
    fn methods(&self) -> Vec<VendorMethod> {
        vec![
            method(
                ATTACH_VOLUME,
                "Attach a volume to the server. Required argument: 'volume_id', or 'volume_size' in gigabytes of one that is made.",
            ),
            method(
                SET_NODE_VLAN_ID,
                "Set the untagged VLAN of all network interfaces of the server. Required argument: 'vlan_id'.",
            ),
        ]
    }

    fn check(&self, method: &str, arguments: &JsonMap) -> Result<(), DriverError> {
        match method {
            ATTACH_VOLUME => wanted(arguments).map(|_| ()),
            SET_NODE_VLAN_ID => wanted_vlan(arguments).map(|_| ()),
            _ => Err(invalid(format!("No handler for method {method}"))),
        }
    }

    async fn call(
        &self,
        _lease: Option<&LeaseProof>,
        machine: &mut Machine<'_>,
        method: &str,
        arguments: &JsonMap,
    ) -> Result<Value, DriverError> {
        match method {
            ATTACH_VOLUME => self.attach_volume(machine, wanted(arguments)?).await?,
            SET_NODE_VLAN_ID => self.set_vlan(machine, wanted_vlan(arguments)?).await?,
            _ => return Err(invalid(format!("{NAME} has no method {method}"))),
        }
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: &Value) -> &JsonMap {
        value.as_object().unwrap()
    }

    #[test]
    fn a_volume_is_named_or_made() {
        let known = json!({"volume_id": "0/ironic-p0/a", "volume_size": 3});
        let Ok(VolumeChoice::Known(volume)) = wanted(map(&known)) else {
            panic!("{known}");
        };
        assert_eq!(volume.to_string(), "0/ironic-p0/a");
        for size in [json!(10), json!("10")] {
            let arguments = json!({ "volume_size": size });
            assert_eq!(wanted(map(&arguments)).unwrap(), VolumeChoice::OfSize(10));
        }
        for (arguments, why) in [
            (json!({}), "No volume size provided"),
            (json!({"volume_size": "big"}), "is not a number"),
            (json!({"volume_size": -1}), "is not a number"),
            (json!({"volume_id": "0/p0/a"}), "Invalid volume id"),
            (json!({"volume_id": "0/ironic-/../a"}), "Invalid volume id"),
        ] {
            let text = wanted(map(&arguments)).unwrap_err().to_string();
            assert!(text.contains(why), "{arguments}: {text}");
        }
    }

    #[test]
    fn names_of_volumes_follow_from_nodes() {
        let name = volume_name(NodeId::generate());
        assert_eq!(name.len(), DIGITS);
        assert!(name.chars().all(|c| c.is_ascii_hexdigit()));
    }
}
