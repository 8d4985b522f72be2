//! Inspection: what an iDRAC tells of its server, without starting that.
//!
//! Hooks and rules were written for the inventory of a ramdisk, so its names are used.

use super::{DracServer, class, field, number};
use crate::{
    DriverError,
    iface::{Inspect, Inspection, Machine},
    wsman::WsMan,
};
use async_trait::async_trait;
use proto::xml::Element;
use serde_json::{Value, json};
use types::{Inventory, JsonMap, LeaseProof, port::MacAddress};

const GIB: u64 = 1 << 30;
/// Disks smaller than this hold no system.
const SMALLEST_DISK: u64 = 4 * GIB;

/// What was read, by class.
#[derive(Debug, Default)]
struct Parts {
    system: Vec<Element>,
    processors: Vec<Element>,
    memory: Vec<Element>,
    interfaces: Vec<Element>,
    virtual_disks: Vec<Element>,
    disks: Vec<Element>,
}

async fn read(talk: &mut WsMan<'_>) -> Result<Parts, DriverError> {
    Ok(Parts {
        system: talk.enumerate(class!("DCIM_SystemView"), None).await?,
        processors: talk.enumerate(class!("DCIM_CPUView"), None).await?,
        memory: talk.enumerate(class!("DCIM_MemoryView"), None).await?,
        interfaces: talk.enumerate(class!("DCIM_NICView"), None).await?,
        virtual_disks: known(talk.enumerate(class!("DCIM_VirtualDiskView"), None).await)?,
        disks: known(talk.enumerate(class!("DCIM_PhysicalDiskView"), None).await)?,
    })
}

/// Nothing, where the controller does not have the class.
fn known(read: Result<Vec<Element>, DriverError>) -> Result<Vec<Element>, DriverError> {
    match read {
        Err(DriverError::Rejected(_)) => Ok(Vec::new()),
        other => other,
    }
}

impl Parts {
    fn memory_mb(&self) -> u64 {
        let sizes = self.memory.iter().filter_map(|one| number(one, "Size"));
        sizes.fold(0, u64::saturating_add)
    }

    /// Threads of all processors.
    fn threads(&self) -> u64 {
        let threads = self.processors.iter().map(|one| {
            let cores: u64 = number(one, "NumberOfProcessorCores").unwrap_or(1);
            let is_threaded = field(one, "HyperThreadingEnabled").as_deref() == Some("1");
            cores.saturating_mul(if is_threaded { 2 } else { 1 })
        });
        threads.fold(0, u64::saturating_add)
    }

    /// Space for a system in GiB: that of the smallest disk that can hold one. What a controller makes
    /// of its disks counts before these.
    fn local_gb(&self) -> u64 {
        let smallest = |disks: &[Element]| {
            let sizes = disks.iter().filter_map(|one| number(one, "SizeInBytes"));
            sizes.filter(|size: &u64| *size >= SMALLEST_DISK).min()
        };
        let found = smallest(&self.virtual_disks).or_else(|| smallest(&self.disks));
        found.unwrap_or_default() / GIB
    }

    fn inventory(&self) -> JsonMap {
        let text = |object: Option<&Element>, name: &str| object.and_then(|one| field(one, name));
        let mut cpu = json!({"count": self.threads(), "architecture": ""});
        let first = self.processors.first();
        if let Some(characteristics) = text(first, "Characteristics") {
            // The bit of the SMBIOS for 64 bits (DSP0134 section 7.5.9).
            let is_wide = characteristics == "4";
            cpu["architecture"] = if is_wide { "x86_64" } else { "i686" }.into();
        }
        if let Some(model) = text(first, "Model") {
            cpu["model_name"] = model.into();
        }
        if let Some(speed) = first.and_then(|one| number::<u64>(one, "CurrentClockSpeed")) {
            cpu["frequency"] = speed.into();
        }
        let system = self.system.first();
        let maker = text(system, "Manufacturer");
        let mut all = JsonMap::new();
        all.insert("cpu".into(), cpu);
        let memory = json!({"physical_mb": self.memory_mb()});
        all.insert("memory".into(), memory);
        all.insert("disks".into(), self.disks().into());
        all.insert("interfaces".into(), self.interfaces().into());
        all.insert(
            "system_vendor".into(),
            json!({
                "manufacturer": maker.unwrap_or_else(|| "Dell Inc.".to_owned()),
                "product_name": text(system, "Model"),
                "serial_number": text(system, "ServiceTag"),
            }),
        );
        all
    }

    fn disks(&self) -> Vec<Value> {
        let seen = match self.virtual_disks.is_empty() {
            true => &self.disks,
            false => &self.virtual_disks,
        };
        let told = seen.iter().map(|one| {
            json!({
                "name": field(one, "FQDD"), "size": number::<u64>(one, "SizeInBytes"),
                "vendor": field(one, "Manufacturer"), "model": field(one, "Model"),
                "serial": field(one, "SerialNumber"),
            })
        });
        told.collect()
    }

    fn interfaces(&self) -> Vec<Value> {
        let mut known: Vec<MacAddress> = Vec::new();
        let mut all = Vec::new();
        for one in &self.interfaces {
            let id = field(one, "FQDD").unwrap_or_default();
            let told = field(one, "CurrentMACAddress").unwrap_or_default();
            let Ok(mac) = told.to_lowercase().parse::<MacAddress>() else {
                tracing::warn!(
                    interface = proto::driver::plain(&id, 80),
                    "an interface has no usable address"
                );
                continue;
            };
            // Partitions of a card may share one.
            if !known.contains(&mac) {
                all.push(json!({"mac_address": mac.to_string(), "name": id}));
                known.push(mac);
            }
        }
        all
    }
}

#[async_trait]
impl Inspect for DracServer {
    async fn inspect(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Inspection, DriverError> {
        let mut talk = self.open_ready(machine, "inspection").await?;
        let parts = read(&mut talk).await?;
        let memory = parts.memory_mb();
        if memory == 0 {
            return Err(talk.error(DriverError::Protocol, "it tells of no memory"));
        }
        let local_gb = parts.local_gb();
        if local_gb == 0 {
            tracing::warn!(node = %machine.node.id, "no disk is told of; taken for a machine without");
        }
        let properties = &mut machine.node.properties;
        properties.insert("memory_mb".into(), memory.into());
        properties.insert("local_gb".into(), local_gb.into());
        machine.found.inventory = Some(Inventory {
            inventory: parts.inventory(),
            plugin_data: JsonMap::new(),
        });
        Ok(Inspection::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(fields: &[(&str, &str)]) -> Element {
        fields
            .iter()
            .fold(Element::new("a"), |object, (name, value)| {
                object.holding(Element::new(name).saying(value))
            })
    }

    #[test]
    fn the_smallest_disk_that_holds_a_system_counts() {
        let disk = |size: &str| object(&[("SizeInBytes", size)]);
        let mut parts = Parts {
            disks: vec![disk("1000"), disk("21474836480"), disk("10737418240")],
            ..Parts::default()
        };
        assert_eq!(parts.local_gb(), 10);
        parts.virtual_disks = vec![disk("1000"), disk("no")];
        assert_eq!(parts.local_gb(), 10);
        parts.virtual_disks.push(disk("32212254720"));
        assert_eq!(parts.local_gb(), 30);
        assert_eq!(Parts::default().local_gb(), 0);
    }

    #[test]
    fn what_is_missing_or_twice_is_left_out() {
        let nic = |mac: &str| object(&[("FQDD", "NIC.1"), ("CurrentMACAddress", mac)]);
        let parts = Parts {
            processors: vec![
                object(&[
                    ("NumberOfProcessorCores", "4"),
                    ("HyperThreadingEnabled", "1"),
                ]),
                object(&[
                    ("NumberOfProcessorCores", "4"),
                    ("HyperThreadingEnabled", "0"),
                ]),
                object(&[]),
            ],
            interfaces: vec![nic("B0:83:FE:C6:6F:A1"), nic("b0:83:fe:c6:6f:a1"), nic("")],
            ..Parts::default()
        };
        let inventory = parts.inventory();
        assert_eq!(inventory["cpu"], json!({"count": 13, "architecture": ""}));
        assert_eq!(
            inventory["interfaces"],
            json!([{"mac_address": "b0:83:fe:c6:6f:a1", "name": "NIC.1"}])
        );
        assert_eq!(inventory["system_vendor"]["product_name"], json!(null));
        assert_eq!(inventory["memory"], json!({"physical_mb": 0}));
    }
}
