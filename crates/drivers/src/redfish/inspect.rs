//! Inspection over Redfish: what the BMC tells of the machine, without booting it.
//!
//! What a service does not have is left out; only the machine itself must be readable. The
//! conductor runs hooks and rules over the inventory, and insists on what must be known.

mod inventory;

use super::{Redfish, RedfishError, Resource, Talk, info::PROPERTIES};
use crate::{
    DriverError,
    iface::{Inspect, Inspection, Interface, Machine},
};
use async_trait::async_trait;
use inventory::{Parts, Storage};
use serde_json::{Value, json};
use std::sync::Arc;
use types::{Inventory, JsonMap, LeaseProof, step::OnRestart};

/// BIOS attributes of iDRACs that say which interfaces boot from the network.
const PXE_DEVICES: [(&str, &str); 4] = [
    ("PxeDev1EnDis", "PxeDev1Interface"),
    ("PxeDev2EnDis", "PxeDev2Interface"),
    ("PxeDev3EnDis", "PxeDev3Interface"),
    ("PxeDev4EnDis", "PxeDev4Interface"),
];

/// The `redfish` inspect interface, also under the name of a maker; iDRACs have more to tell.
#[derive(Debug, Clone)]
pub struct RedfishInspect {
    redfish: Arc<Redfish>,
    name: &'static str,
    is_dell: bool,
}

impl RedfishInspect {
    pub fn new(redfish: &Arc<Redfish>, name: &'static str) -> Self {
        Self {
            redfish: Arc::clone(redfish),
            name,
            is_dell: name == "idrac-redfish",
        }
    }
}

#[async_trait]
impl Interface for RedfishInspect {
    fn name(&self) -> &'static str {
        self.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.redfish.info(machine).map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        // It only reads.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Inspect for RedfishInspect {
    async fn inspect(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Inspection, DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "inspection").await?;
        let mut parts = read(&talk).await?;
        let mut neighbours = inventory::neighbours(&parts.adapter_ports);
        if self.is_dell {
            parts.pxe_mac = dell_pxe_mac(&talk, &parts).await;
            parts.serial = parts.system.str("SKU").map(str::to_owned);
            let switches = dell_neighbours(&talk, &parts.system).await;
            if !switches.is_empty() {
                neighbours = switches;
            }
        }
        let properties = &mut machine.node.properties;
        if let Some(memory) = inventory::memory_mb(&parts.system) {
            properties.insert("memory_mb".into(), memory.into());
        }
        let local_gb = inventory::local_gb(&parts);
        if local_gb == 0 {
            tracing::warn!(node = %machine.node.id, "no disk is told of; taken for a machine without");
        }
        properties.insert("local_gb".into(), local_gb.into());
        if let Some(mode) = inventory::boot_mode(&parts.system) {
            note_boot_mode(properties, mode);
        }
        let mut plugin_data = JsonMap::new();
        if !neighbours.is_empty() {
            plugin_data.insert("parsed_lldp".into(), neighbours.into());
        }
        machine.found.inventory = Some(Inventory {
            inventory: inventory::inventory(&parts),
            plugin_data,
        });
        Ok(Inspection::Done)
    }
}

/// Adds the capability unless somebody has set one.
fn note_boot_mode(properties: &mut JsonMap, mode: &str) {
    let now = match properties.get("capabilities") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        // Not ours to repair.
        Some(_) => return,
    };
    if now
        .split(',')
        .any(|part| part.trim().starts_with("boot_mode:"))
    {
        return;
    }
    let separator = if now.is_empty() { "" } else { "," };
    let new = format!("{now}{separator}boot_mode:{mode}");
    properties.insert("capabilities".into(), new.into());
}

/// Everything that the service tells.
async fn read(talk: &Talk<'_>) -> Result<Parts, DriverError> {
    let system = talk.system().await?;
    let mut parts = Parts {
        processors: tolerated(
            talk,
            "processors",
            members(talk, &system, "Processors").await,
        ),
        interfaces: tolerated(
            talk,
            "interfaces",
            members(talk, &system, "EthernetInterfaces").await,
        ),
        simple_storage: tolerated(
            talk,
            "simple storage",
            members(talk, &system, "SimpleStorage").await,
        ),
        pcie_functions: tolerated(talk, "PCIe devices", pcie(talk, &system).await),
        adapter_ports: tolerated(talk, "adapters", adapter_ports(talk, &system).await),
        ..Parts::default()
    };
    if system.link("Storage").is_some() {
        let mut all = Vec::new();
        let subsystems = members(talk, &system, "Storage").await;
        for storage in tolerated(talk, "storage", subsystems) {
            all.push(Storage {
                drives: tolerated(talk, "drives", talk.all(&storage, "Drives").await),
                volumes: tolerated(talk, "volumes", members(talk, &storage, "Volumes").await),
                storage,
            });
        }
        parts.storage = Some(all);
    }
    parts.system = system;
    Ok(parts)
}

/// What was read; nothing, and a line in the log, if it could not be.
fn tolerated(
    talk: &Talk<'_>,
    what: &str,
    read: Result<Vec<Resource>, RedfishError>,
) -> Vec<Resource> {
    read.unwrap_or_else(|error| {
        let error = types::error::chain(&error);
        tracing::info!(
            bmc = talk.peer(),
            what,
            error,
            "inspection goes on without something"
        );
        Vec::new()
    })
}

async fn members(
    talk: &Talk<'_>,
    from: &Resource,
    place: &str,
) -> Result<Vec<Resource>, RedfishError> {
    match from.link(place) {
        Some(collection) => talk.collection(collection).await,
        None => Ok(Vec::new()),
    }
}

async fn pcie(talk: &Talk<'_>, system: &Resource) -> Result<Vec<Resource>, RedfishError> {
    let mut functions = Vec::new();
    // A list of devices by the standard; a collection where it is read like the others.
    let devices = match system.link("PCIeDevices") {
        Some(collection) => talk.collection(collection).await?,
        None => talk.all(system, "PCIeDevices").await?,
    };
    for device in devices {
        functions.extend(members(talk, &device, "PCIeFunctions").await?);
        functions.extend(talk.all(&device, "Links/PCIeFunctions").await?);
    }
    Ok(functions)
}

async fn adapter_ports(talk: &Talk<'_>, system: &Resource) -> Result<Vec<Resource>, RedfishError> {
    let mut ports = Vec::new();
    for chassis in talk.chassis(system).await? {
        for adapter in members(talk, &chassis, "NetworkAdapters").await? {
            let place = if adapter.link("Ports").is_some() {
                "Ports"
            } else {
                "NetworkPorts"
            };
            ports.extend(members(talk, &adapter, place).await?);
        }
    }
    Ok(ports)
}

/// The first interface that an iDRAC boots from the network, in UEFI mode.
async fn dell_pxe_mac(talk: &Talk<'_>, parts: &Parts) -> Option<String> {
    if inventory::boot_mode(&parts.system) != Some("uefi") {
        return None;
    }
    let bios = talk.look(&parts.system, "Bios").await.ok()??;
    let attributes = bios.map("Attributes")?;
    let text = |key: &str| attributes.get(key).and_then(Value::as_str);
    let enabled = PXE_DEVICES
        .iter()
        .filter(|(switch, _)| text(switch) == Some("Enabled"));
    let mut addresses = enabled.filter_map(|(_, interface)| {
        let id = text(interface)?;
        let found = parts.interfaces.iter().find(|one| one.id() == id)?;
        found.str("MACAddress").map(str::to_lowercase)
    });
    addresses.next()
}

/// The switch ports that an iDRAC has heard of.
async fn dell_neighbours(talk: &Talk<'_>, system: &Resource) -> JsonMap {
    let path = format!(
        "{}/NetworkPorts/Oem/Dell/DellSwitchConnections",
        system.path.trim_end_matches('/')
    );
    let Ok(connections) = talk.get(&path).await else {
        return JsonMap::new();
    };
    let text = |map: &JsonMap, key: &str| {
        let value = map.get(key).and_then(Value::as_str).unwrap_or_default();
        (!value.is_empty() && value != "No Link").then(|| value.to_owned())
    };
    let told = connections.list("Members").filter_map(|one| {
        let (switch, port) = (
            text(one, "SwitchConnectionID")?,
            text(one, "SwitchPortConnectionID")?,
        );
        let heard = json!({"switch_chassis_id": switch, "switch_port_id": port});
        Some((text(one, "FQDD")?, heard))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boot_mode_that_was_set_stays() {
        let after = |before: Value| {
            let mut properties = JsonMap::new();
            properties.insert("capabilities".into(), before);
            note_boot_mode(&mut properties, "uefi");
            properties["capabilities"].clone()
        };
        assert_eq!(after(json!(null)), "boot_mode:uefi");
        assert_eq!(after(json!("a:1")), "a:1,boot_mode:uefi");
        assert_eq!(after(json!("boot_mode:bios,a:1")), "boot_mode:bios,a:1");
        assert_eq!(after(json!(7)), 7);
    }
}
