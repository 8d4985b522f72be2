//! The disks of this machine, read from sysfs.
//!
//! No external program is called: sysfs has everything. udev's database is used where udev runs;
//! our ramdisks have none, so ids and paths are also computed here, spelled as udev does, because
//! operators write them into hints. Left out are devices that cannot be a root disk: optical discs,
//! floppies, RAM disks, loop devices, boot areas of MMC, and devices without a size.

mod by_path;
pub mod hints;
mod identity;

use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};
use types::JsonMap;

/// A sector, in the unit in which sysfs counts whatever the disk's own sectors are.
const SYSFS_SECTOR: u64 = 512;

/// A disk, or an array of disks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockDevice {
    /// The kernel's name, such as `sda`.
    pub kernel_name: String,
    /// Such as `/dev/sda`.
    pub name: String,
    pub model: Option<String>,
    /// In bytes.
    pub size: u64,
    pub rotational: bool,
    pub wwn: Option<String>,
    pub serial: Option<String>,
    pub vendor: Option<String>,
    pub wwn_with_extension: Option<String>,
    pub wwn_vendor_extension: Option<String>,
    pub hctl: Option<String>,
    pub by_path: Option<String>,
    /// Other names of the same path.
    pub by_path_aliases: Vec<String>,
    /// Every serial number that some tool would show.
    pub serials: Vec<String>,
    pub wwns: Vec<String>,
    /// Bytes of a sector.
    pub logical_sectors: u64,
    pub physical_sectors: u64,
    pub tran: Option<String>,
    pub read_only: bool,
    pub removable: bool,
    /// By number.
    pub partitions: Vec<Partition>,
    /// What is built upon it, such as `md0`.
    pub holders: Vec<String>,
    /// For an array: its level, such as `raid1`.
    pub md_level: Option<String>,
    /// For an array: the disks and partitions that it is made of, such as `sda1`.
    pub md_members: Vec<String>,
    /// The kernel's numbers for it, major and minor.
    pub device_number: (u32, u32),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partition {
    pub kernel_name: String,
    pub name: String,
    pub number: u32,
    /// In bytes, both.
    pub start: u64,
    pub size: u64,
    pub holders: Vec<String>,
}

impl BlockDevice {
    pub fn path(&self) -> &Path {
        Path::new(&self.name)
    }

    pub fn is_nvme(&self) -> bool {
        self.kernel_name.starts_with("nvme")
    }

    pub fn is_md(&self) -> bool {
        self.md_level.is_some()
    }

    /// Whether an array is built on this disk or on one of its partitions.
    pub fn is_held_by_md(&self) -> bool {
        let holders = self
            .partitions
            .iter()
            .flat_map(|partition| &partition.holders);
        self.holders
            .iter()
            .chain(holders)
            .any(|holder| holder.starts_with("md"))
    }

    /// As inventories show it.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "model": self.model,
            "size": self.size,
            "rotational": self.rotational,
            "wwn": self.wwn,
            "serial": self.serial,
            "vendor": self.vendor,
            "wwn_with_extension": self.wwn_with_extension,
            "wwn_vendor_extension": self.wwn_vendor_extension,
            "hctl": self.hctl,
            "by_path": self.by_path,
            "logical_sectors": self.logical_sectors,
            "physical_sectors": self.physical_sectors,
            "tran": self.tran,
        })
    }

    /// As hints see it: with everything that it might be called.
    fn to_hinted(&self) -> JsonMap {
        let Value::Object(mut map) = self.to_json() else {
            return JsonMap::new();
        };
        let paths: Vec<&String> = self.by_path.iter().chain(&self.by_path_aliases).collect();
        map.insert("serial".to_owned(), json!(self.serials));
        map.insert("wwn".to_owned(), json!(self.wwns));
        map.insert("by_path".to_owned(), json!(paths));
        map
    }
}

/// All disks, by their device numbers, which is the order of `lsblk`. `root` is `/` but in tests.
pub fn list(root: &Path) -> Vec<BlockDevice> {
    let mut found: Vec<BlockDevice> = names(&root.join("sys/block"))
        .iter()
        .filter_map(|name| read(root, name))
        .collect();
    found.sort_by_key(|device| device.device_number);
    found
}

/// One disk by its path, such as `/dev/sda`.
pub fn find(root: &Path, path: &str) -> Option<BlockDevice> {
    list(root).into_iter().find(|device| device.name == path)
}

fn read(root: &Path, name: &str) -> Option<BlockDevice> {
    const OTHERS: [&str; 8] = ["loop", "ram", "zram", "fd", "sr", "nbd", "drbd", "rbd"];
    let other = OTHERS.iter().any(|prefix| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let mmc_area = name.starts_with("mmcblk") && (name.contains("boot") || name.contains("rpmb"));
    if other || mmc_area {
        return None;
    }
    let dir = root.join("sys/block").join(name);
    let size = number(&dir.join("size"))?.checked_mul(SYSFS_SECTOR)?;
    let hidden = number(&dir.join("hidden")) == Some(1);
    // Of SCSI's kinds of devices only the first is a disk; 5 is a disc.
    let disk = text(&dir.join("device/type")).is_none_or(|kind| kind == "0");
    // What the device mapper made is a disk only if it stands for one that has several paths.
    let mapped = text(&dir.join("dm/uuid")).is_some_and(|uuid| !uuid.starts_with("mpath-"));
    if size == 0 || hidden || !disk || mapped {
        return None;
    }
    let md_level = text(&dir.join("md/level"));
    if name.starts_with("md") && !md_level.as_ref().is_some_and(|l| l.starts_with("raid")) {
        return None;
    }
    let device_number = text(&dir.join("dev")).and_then(|dev| {
        let (major, minor) = dev.split_once(':')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    })?;
    let sector = |file: &str| number(&dir.join("queue").join(file)).unwrap_or(SYSFS_SECTOR);
    let mut device = BlockDevice {
        kernel_name: name.to_owned(),
        name: format!("/dev/{}", name.replace('!', "/")),
        size,
        rotational: number(&dir.join("queue/rotational")) == Some(1),
        logical_sectors: sector("logical_block_size"),
        physical_sectors: sector("physical_block_size"),
        read_only: number(&dir.join("ro")) == Some(1),
        removable: number(&dir.join("removable")) == Some(1),
        holders: names(&dir.join("holders")),
        hctl: names(&dir.join("device/scsi_device")).into_iter().next(),
        partitions: partitions(&dir, name),
        md_members: if md_level.is_some() {
            names(&dir.join("slaves"))
        } else {
            Vec::new()
        },
        md_level,
        device_number,
        ..BlockDevice::default()
    };
    identity::fill(root, &dir, &mut device);
    by_path::fill(root, &dir, &mut device);
    Some(device)
}

fn partitions(dir: &Path, disk: &str) -> Vec<Partition> {
    let read = |name: String| {
        let at = dir.join(&name);
        Some(Partition {
            number: number(&at.join("partition"))?.try_into().ok()?,
            name: format!("/dev/{}", name.replace('!', "/")),
            start: number(&at.join("start"))?.checked_mul(SYSFS_SECTOR)?,
            size: number(&at.join("size"))?.checked_mul(SYSFS_SECTOR)?,
            holders: names(&at.join("holders")),
            kernel_name: name,
        })
    };
    let mut found: Vec<Partition> = names(dir)
        .into_iter()
        .filter(|name| name.starts_with(disk))
        .filter_map(read)
        .collect();
    found.sort_by_key(|partition| partition.number);
    found
}

/// What is in a directory, sorted; nothing if there is none.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// What a file of sysfs says, if it says anything.
fn text(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

fn number(path: &Path) -> Option<u64> {
    text(path)?.parse().ok()
}

/// The path of a device within sysfs, after links.
fn real(dir: &Path) -> PathBuf {
    fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned())
}

#[cfg(test)]
mod tests;
