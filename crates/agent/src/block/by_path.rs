//! Where a disk is plugged in: the names of `/dev/disk/by-path`, and the way it is spoken to.
//!
//! Where udev made the links they are read; elsewhere the name is composed from the device's place
//! in sysfs as udev composes it, for PCI with NVMe, virtio, SATA, SAS, SCSI and USB.

use super::{BlockDevice, names, real, text};
use std::{
    fs,
    path::{Component, Path, PathBuf},
};

const LINKS: &str = "/dev/disk/by-path";

pub(super) fn fill(root: &Path, dir: &Path, device: &mut BlockDevice) {
    let place = SysfsPath::of(dir);
    device.tran = place.transport(&device.kernel_name);
    let mut found = links(root, &device.name);
    let composed = match shared_nvme(root, dir, &device.kernel_name) {
        Some(name) => vec![name],
        None => place.names(),
    };
    for composed in composed {
        let composed = format!("{LINKS}/{composed}");
        if !found.contains(&composed) {
            found.push(composed);
        }
    }
    let mut found = found.into_iter();
    device.by_path = found.next();
    device.by_path_aliases = found.collect();
}

/// Disks of NVMe that could be reached in several ways belong to none of them; the controller whose
/// number they have stands for all.
fn shared_nvme(root: &Path, dir: &Path, name: &str) -> Option<String> {
    let (controller, _) = name.strip_prefix("nvme")?.split_once('n')?;
    let namespace = text(&dir.join("nsid"))?;
    let controller = root
        .join("sys/class/nvme")
        .join(format!("nvme{controller}"));
    let place = SysfsPath::of(&controller);
    let (slot, _) = place.0.iter().rfind(|(name, _)| is_pci(name))?;
    Some(format!("pci-{slot}-nvme-{namespace}"))
}

/// The links that lead to a device.
fn links(root: &Path, name: &str) -> Vec<String> {
    let dir = root.join(LINKS.trim_start_matches('/'));
    let leads_there = |link: &String| {
        let target = fs::read_link(dir.join(link)).unwrap_or_default();
        // The target is relative, such as `../../sda`.
        let mut at = PathBuf::from(LINKS);
        for part in target.components() {
            match part {
                Component::ParentDir => {
                    at.pop();
                }
                other => at.push(other),
            }
        }
        at == Path::new(name)
    };
    names(&dir)
        .into_iter()
        .filter(leads_there)
        .map(|link| format!("{LINKS}/{link}"))
        .collect()
}

/// The directories of sysfs from the bus to the disk, with what each is called.
struct SysfsPath(Vec<(String, PathBuf)>);

impl SysfsPath {
    fn of(dir: &Path) -> Self {
        let whole = real(dir);
        let mut steps = Vec::new();
        let mut at = PathBuf::new();
        for part in whole.components() {
            at.push(part);
            if let Component::Normal(name) = part {
                steps.push((name.to_string_lossy().into_owned(), at.clone()));
            }
        }
        Self(steps)
    }

    fn find(&self, prefix: &str) -> Option<(&str, &Path)> {
        self.0
            .iter()
            .find(|(name, _)| {
                name.strip_prefix(prefix)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            })
            .map(|(name, path)| (name.as_str(), path.as_path()))
    }

    fn transport(&self, name: &str) -> Option<String> {
        let found = if name.starts_with("nvme") {
            "nvme"
        } else if name.starts_with("vd") {
            "virtio"
        } else if name.starts_with("mmcblk") {
            "mmc"
        } else if self.find("session").is_some() {
            "iscsi"
        } else if self.find("rport-").is_some() {
            "fc"
        } else if self.find("usb").is_some() {
            "usb"
        } else if self.find("end_device-").is_some() {
            "sas"
        } else if self.find("ata").is_some() {
            "sata"
        } else {
            return None;
        };
        Some(found.to_owned())
    }

    /// The names, the usual one first.
    fn names(&self) -> Vec<String> {
        let Some((slot, _)) = self.0.iter().rfind(|(name, _)| is_pci(name)) else {
            return Vec::new();
        };
        let pci = format!("pci-{slot}");
        if let Some((_, path)) = self.0.last()
            && let Some(namespace) = text(&path.join("nsid"))
        {
            return vec![format!("{pci}-nvme-{namespace}")];
        }
        let Some((address, _)) = self.0.iter().rfind(|(name, _)| is_hctl(name)) else {
            let virtio = self.find("virtio").is_some();
            return if virtio {
                vec![pci.clone(), format!("virtio-{pci}")]
            } else {
                Vec::new()
            };
        };
        let numbers: Vec<&str> = address.split(':').collect();
        let [host, channel, target, lun] = numbers[..] else {
            return Vec::new();
        };
        if let Some((ata, path)) = self.find("ata") {
            let port = text(&path.join("ata_port").join(ata).join("port_no"))
                .unwrap_or_else(|| ata.trim_start_matches("ata").to_owned());
            return vec![
                format!("{pci}-ata-{port}.{target}"),
                format!("{pci}-ata-{port}"),
            ];
        }
        if let Some((end, path)) = self.find("end_device-") {
            let facts = path.join("sas_device").join(end);
            let phy = text(&facts.join("phy_identifier"));
            let expander = self
                .0
                .iter()
                .rfind(|(name, _)| name.starts_with("expander-"));
            let within = expander.and_then(|(name, path)| {
                text(&path.join("sas_device").join(name).join("sas_address"))
            });
            let by_phy = phy.map(|phy| match within {
                Some(expander) => format!("{pci}-sas-exp{expander}-phy{phy}-lun-{lun}"),
                None => format!("{pci}-sas-phy{phy}-lun-{lun}"),
            });
            let by_address = text(&facts.join("sas_address"))
                .map(|address| format!("{pci}-sas-{address}-lun-{lun}"));
            return by_phy.into_iter().chain(by_address).collect();
        }
        let scsi = format!("scsi-{}:{channel}:{target}:{lun}", self.host_offset(host));
        // The innermost interface, such as `1-2:1.0`, of the bus that comes first.
        let interface = self.0.iter().rfind(|(name, _)| {
            name.split_once(':')
                .is_some_and(|(port, _)| port.contains('-') && !port.contains('.'))
                && self.find("usb").is_some()
                && name.starts_with(|c: char| c.is_ascii_digit())
        });
        if let Some((name, _)) = interface
            && let Some((_, port)) = name.split_once('-')
        {
            return vec![format!("{pci}-usb-0:{port}-{scsi}")];
        }
        vec![format!("{pci}-{scsi}")]
    }

    /// Hosts count from the first of the same controller.
    fn host_offset(&self, host: &str) -> u64 {
        let own: u64 = host.parse().unwrap_or(0);
        let beside = self.find("host").and_then(|(_, path)| path.parent());
        let first = beside
            .map(names)
            .unwrap_or_default()
            .iter()
            .filter_map(|name| name.strip_prefix("host")?.parse::<u64>().ok())
            .min();
        own.saturating_sub(first.unwrap_or(own))
    }
}

/// Such as `0000:00:1f.2`.
fn is_pci(name: &str) -> bool {
    let shape: String = name
        .chars()
        .map(|c| if c.is_ascii_hexdigit() { 'x' } else { c })
        .collect();
    shape == "xxxx:xx:xx.x"
}

/// Such as `2:0:0:0`.
fn is_hctl(name: &str) -> bool {
    let parts: Vec<&str> = name.split(':').collect();
    parts.len() == 4
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}
