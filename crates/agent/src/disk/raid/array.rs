//! Arrays that are there, and what becomes of each when all are to go but some.

use crate::{
    block,
    config::Config,
    disk::{erase, medium::Disk, probe},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// An array, running or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Array {
    /// Such as `md0`.
    pub(super) name: String,
    /// The kernel's names of the partitions or disks that it is made of.
    pub(super) members: Vec<String>,
    /// The disks that these are on.
    pub(super) disks: Vec<String>,
    /// What it was called when it was made.
    pub(super) volume: Option<String>,
}

impl Array {
    pub(super) fn path(&self) -> String {
        node(&self.name)
    }

    /// The number of a member that is a partition of this disk.
    pub(super) fn number(member: &str, disk: &str) -> Option<u32> {
        let digits = member.strip_prefix(disk)?.trim_start_matches('p');
        digits.parse().ok()
    }
}

/// Where the node of a device is that the kernel calls so.
pub(super) fn node(name: &str) -> String {
    format!("/dev/{}", name.replace('!', "/"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrayAction {
    Delete,
    /// It stays, for its disks are those of one that is kept, but what is on it goes.
    Wipe,
    Keep,
}

/// All arrays that the kernel knows.
pub(super) fn list(config: &Config) -> Vec<Array> {
    let names = |path: &str| {
        let entries = fs::read_dir(config.root.join(path)).into_iter().flatten();
        let mut names: Vec<String> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    };
    let parents: BTreeMap<String, String> = block::list(&config.root)
        .into_iter()
        .flat_map(|disk| {
            let own = disk.kernel_name.clone();
            let parts = disk.partitions.into_iter().map(|part| part.kernel_name);
            parts
                .chain([disk.kernel_name])
                .map(move |name| (name, own.clone()))
                .collect::<Vec<_>>()
        })
        .collect();
    let is_array = |name: &String| {
        config.root.join("sys/block").join(name).join("md").is_dir() && name.starts_with("md")
    };
    names("sys/block")
        .into_iter()
        .filter(is_array)
        .map(|name| {
            let members = names(&format!("sys/block/{name}/slaves"));
            let mut disks: Vec<String> = members
                .iter()
                .filter_map(|member| parents.get(member).cloned())
                .collect();
            disks.dedup();
            let volume = members.iter().find_map(|member| volume_of(config, member));
            Array {
                name,
                members,
                disks,
                volume,
            }
        })
        .filter(|array| !array.members.is_empty())
        .collect()
}

/// The name that an array was given, from one of its members.
fn volume_of(config: &Config, member: &str) -> Option<String> {
    let path = erase::node_of(config, &node(member));
    let label = probe::probe(&Disk::open_to_read(&path).ok()?)?.label?;
    // The machine that made the array stands before the name.
    let name = label.rsplit(':').next().unwrap_or_default();
    (!name.is_empty()).then(|| name.to_owned())
}

/// What becomes of each array if those that were given these names are kept, and those that are
/// such a device or on one.
pub(super) fn actions(
    arrays: &[Array],
    volumes: &BTreeSet<String>,
    devices: &BTreeSet<String>,
) -> BTreeMap<String, ArrayAction> {
    let is_kept = |array: &&Array| {
        let named = array.volume.as_ref();
        let mut nodes = array.disks.iter().chain([&array.name]);
        named.is_some_and(|name| volumes.contains(name))
            || nodes.any(|name| devices.contains(&node(name)))
    };
    let busy: BTreeSet<&String> = arrays
        .iter()
        .filter(is_kept)
        .flat_map(|a| &a.disks)
        .collect();
    let action = |array: &Array| {
        let beside = array.disks.iter().any(|disk| busy.contains(disk));
        // The EFI partitions of a kept system are part of it.
        if is_kept(&array) || beside && array.volume.as_deref() == Some("esp") {
            ArrayAction::Keep
        } else if beside {
            ArrayAction::Wipe
        } else {
            ArrayAction::Delete
        }
    };
    arrays
        .iter()
        .map(|array| (array.name.clone(), action(array)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neighbours_of_a_kept_array_are_wiped_not_deleted() {
        let array = |name: &str, volume: &str, disks: &[&str]| Array {
            name: name.to_owned(),
            volume: Some(volume.to_owned()),
            disks: disks.iter().map(|disk| (*disk).to_owned()).collect(),
            members: Vec::new(),
        };
        let arrays = [
            array("md0", "root", &["sda", "sdb"]),
            array("md1", "data", &["sda", "sdb"]),
            array("md2", "other", &["sdc", "sdd"]),
            array("md3", "esp", &["sda", "sdb"]),
        ];
        let none = BTreeSet::new();
        let of = |volumes: &BTreeSet<String>, devices: &BTreeSet<String>| {
            let actions = actions(&arrays, volumes, devices);
            actions.into_values().collect::<Vec<_>>()
        };
        let expected = [
            ArrayAction::Wipe,
            ArrayAction::Keep,
            ArrayAction::Delete,
            ArrayAction::Keep,
        ];
        assert_eq!(of(&["data".to_owned()].into(), &none), expected);
        // A disk that is to be left alone keeps the arrays that it is part of.
        let expected = [
            ArrayAction::Delete,
            ArrayAction::Delete,
            ArrayAction::Keep,
            ArrayAction::Delete,
        ];
        assert_eq!(of(&none, &["/dev/sdd".to_owned()].into()), expected);
        assert_eq!(of(&none, &["/dev/md2".to_owned()].into()), expected);
    }

    #[test]
    fn partitions_belong_to_the_disk_that_they_are_called_after() {
        assert_eq!(Array::number("sda12", "sda"), Some(12));
        assert_eq!(Array::number("nvme0n1p2", "nvme0n1"), Some(2));
        for (member, disk) in [("sdaa1", "sda"), ("nvme0n10p1", "nvme0n1"), ("sda", "sda")] {
            assert_eq!(Array::number(member, disk), None, "{member}");
        }
    }
}
