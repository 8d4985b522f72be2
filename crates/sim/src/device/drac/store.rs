//! The objects of an iDRAC, by class.

use super::cql::Query;
use proto::{wsman::nil, xml::Element};

/// An object: its properties in their order, some of them several times, some without a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) class: &'static str,
    properties: Vec<(&'static str, Option<String>)>,
}

impl Object {
    pub(super) fn new(class: &'static str, properties: &[(&'static str, &str)]) -> Self {
        let properties = properties
            .iter()
            .map(|(name, value)| (*name, Some((*value).to_owned())));
        Self {
            class,
            properties: properties.collect(),
        }
    }

    /// The same with properties that have no value.
    pub(super) fn without(mut self, names: &[&'static str]) -> Self {
        self.properties
            .extend(names.iter().map(|name| (*name, None)));
        self
    }

    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(known, _)| *known == name);
        found.and_then(|(_, value)| value.as_deref())
    }

    pub(super) fn number(&self, name: &str) -> u32 {
        let value = self.value(name).and_then(|value| value.parse().ok());
        value.unwrap_or_default()
    }

    pub(super) fn set(&mut self, name: &'static str, value: Option<&str>) {
        let value = value.map(str::to_owned);
        match self.properties.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.properties.push((name, value)),
        }
    }

    /// As an answer has it.
    pub(super) fn element(&self, uri: &str, query: Option<&Query>) -> Element {
        let wanted = self
            .properties
            .iter()
            .filter(|(name, _)| query.is_none_or(|query| query.wants(name)));
        let root = Element::new(&format!("n1:{}", self.class)).with("xmlns:n1", uri);
        wanted.fold(root, |root, (name, value)| {
            let name = format!("n1:{name}");
            root.holding(match value {
                Some(value) => Element::new(&name).saying(value),
                None => nil(&name),
            })
        })
    }
}

const BIOS: &str = "BIOS.Setup.1-1";

/// Where the machine may boot from in the order of the BIOS.
const SOURCES: [(&str, &str); 4] = [
    ("IPL", "HardDisk.List.1-1"),
    ("IPL", "NIC.Embedded.1-1-1"),
    ("IPL", "Optical.SATAEmbedded.J-1"),
    ("UEFI", "NIC.PxeDevice.1-1"),
];

/// A server of the twelfth generation or later, or one of the eleventh, which tells less.
pub(super) fn server(is_old: bool) -> Vec<Object> {
    let version = if is_old { "1.5.5.27" } else { "2.40.40.40" };
    let mut all = vec![
        Object::new(
            "DCIM_ComputerSystem",
            &[
                ("CreationClassName", "DCIM_ComputerSystem"),
                ("Name", "srv:system"),
                ("ElementName", ""),
                ("EnabledState", "3"),
            ],
        ),
        Object::new(
            "DCIM_SystemView",
            &[
                ("InstanceID", "System.Embedded.1"),
                ("LifecycleControllerVersion", version),
                ("Model", "PowerEdge R630"),
                ("Manufacturer", "Dell Inc."),
                ("ServiceTag", "C0RTEN1"),
                ("UUID", "4c4c4544-0030-5210-8054-c3c04f4e3132"),
                ("LastSystemInventoryTime", "20260101120000.000000+000"),
            ],
        ),
    ];
    for (id, name, is_current, is_next) in [
        ("IPL", "BootSeq", "1", "1"),
        ("BCV", "HddSeq", "2", "2"),
        ("UEFI", "UefiBootSeq", "2", "2"),
        ("OneTime", "OneTimeBootMode", "2", "2"),
    ] {
        all.push(Object::new(
            "DCIM_BootConfigSetting",
            &[
                ("ElementName", name),
                ("InstanceID", id),
                ("IsCurrent", is_current),
                ("IsDefault", "0"),
                ("IsNext", is_next),
            ],
        ));
    }
    for (number, (list, device)) in SOURCES.into_iter().enumerate() {
        let id = match is_old {
            true => format!("{list}:{device}:{number:032x}"),
            false => format!("{list}:{BIOS}#BootSeq#{device}#{number:032x}"),
        };
        // The list of UEFI counts from zero again.
        let place = if list == "IPL" { number } else { 0 }.to_string();
        let mut source = Object::new(
            "DCIM_BootSourceSetting",
            &[
                ("BIOSBootString", device),
                ("BootString", device),
                ("CurrentAssignedSequence", &place),
                ("InstanceID", &id),
                ("PendingAssignedSequence", &place),
            ],
        );
        if !is_old {
            source.set("BootSourceType", Some(list));
        }
        all.push(source);
    }
    all.extend(bios());
    all.extend(parts());
    all
}

fn bios() -> Vec<Object> {
    let attribute =
        |class, name: &str, value: &str, is_read_only: &str, more: &[(&'static str, &str)]| {
            let id = format!("{BIOS}:{name}");
            let mut all = vec![
                ("AttributeName", name),
                ("CurrentValue", value),
                ("FQDD", BIOS),
                ("GroupID", "1"),
                ("InstanceID", id.as_str()),
                ("IsReadOnly", is_read_only),
            ];
            all.extend(more);
            Object::new(class, &all).without(&["Dependency", "PendingValue"])
        };
    let enumeration = "DCIM_BIOSEnumeration";
    let lengths = [("MinLength", "0"), ("MaxLength", "32")];
    let password = attribute("DCIM_BIOSString", "SysPassword", "", "false", &lengths);
    let mut password = password.without(&["ValueExpression"]);
    password.set("CurrentValue", None);
    vec![
        attribute(
            enumeration,
            "ProcVirtualization",
            "Disabled",
            "false",
            &[
                ("PossibleValues", "Enabled"),
                ("PossibleValues", "Disabled"),
            ],
        ),
        attribute(
            enumeration,
            "BootMode",
            "Bios",
            "false",
            &[("PossibleValues", "Bios"), ("PossibleValues", "Uefi")],
        ),
        attribute(
            enumeration,
            "Proc1NumCores",
            "All",
            "true",
            &[("PossibleValues", "All"), ("PossibleValues", "1")],
        ),
        attribute(
            "DCIM_BIOSString",
            "AssetTag",
            "rack 7",
            "false",
            &[
                ("MinLength", "0"),
                ("MaxLength", "10"),
                ("ValueExpression", "^[ -~]{0,10}$"),
            ],
        ),
        password,
        attribute(
            "DCIM_BIOSString",
            "SystemModelName",
            "PowerEdge R630",
            "true",
            &lengths,
        )
        .without(&["ValueExpression"]),
        attribute(
            "DCIM_BIOSInteger",
            "AcPwrRcvryUserDelay",
            "60",
            "false",
            &[("LowerBound", "60"), ("UpperBound", "240")],
        ),
    ]
}

fn parts() -> Vec<Object> {
    let cpu = |fqdd: &str| {
        Object::new(
            "DCIM_CPUView",
            &[
                ("Characteristics", "4"),
                ("CurrentClockSpeed", "2400"),
                ("FQDD", fqdd),
                ("HyperThreadingEnabled", "1"),
                ("Model", "Intel(R) Xeon(R) CPU E5-2630 v3 @ 2.40GHz"),
                ("NumberOfProcessorCores", "8"),
                ("PrimaryStatus", "1"),
                ("TurboModeEnabled", "1"),
                ("VirtualizationTechnologyEnabled", "1"),
            ],
        )
    };
    let memory = |fqdd: &str| {
        Object::new(
            "DCIM_MemoryView",
            &[
                ("FQDD", fqdd),
                ("Manufacturer", "Samsung"),
                ("Model", "DDR4 DIMM"),
                ("PrimaryStatus", "1"),
                ("Size", "16384"),
                ("Speed", "2133"),
            ],
        )
    };
    let nic = |fqdd: &str, mac: &str| {
        Object::new(
            "DCIM_NICView",
            &[
                ("CurrentMACAddress", mac),
                ("FQDD", fqdd),
                ("LinkDuplex", "1"),
                ("LinkSpeed", "3"),
                ("MediaType", "Base T"),
                ("ProductName", "Broadcom Gigabit Ethernet BCM5720"),
            ],
        )
    };
    let disk = |fqdd: &str, size: &str| {
        Object::new(
            "DCIM_PhysicalDiskView",
            &[
                ("FQDD", fqdd),
                ("Manufacturer", "ATA"),
                ("MediaType", "1"),
                ("Model", "INTEL SSDSC2BX20"),
                ("SerialNumber", "BTHC512"),
                ("SizeInBytes", size),
            ],
        )
    };
    vec![
        cpu("CPU.Socket.1"),
        cpu("CPU.Socket.2"),
        memory("DIMM.Socket.A1"),
        memory("DIMM.Socket.B1"),
        nic("NIC.Embedded.1-1-1", "B0:83:FE:C6:6F:A1"),
        nic("NIC.Embedded.2-1-1", "B0:83:FE:C6:6F:A2"),
        disk(
            "Disk.Bay.0:Enclosure.Internal.0-1:RAID.Integrated.1-1",
            "199481098240",
        ),
        disk(
            "Disk.Bay.1:Enclosure.Internal.0-1:RAID.Integrated.1-1",
            "2147483648",
        ),
    ]
}
