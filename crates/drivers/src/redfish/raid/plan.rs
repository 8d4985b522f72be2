//! From wished-for logical disks to volumes on certain drives.
//!
//! A volume is made of drives that are alike (medium, protocol, size), of as few as its level and
//! size need. Volumes whose drives are given come first, then those to find drives for, at last
//! those that take what is left of their drives. Drives that a volume of the last sort wants to
//! share are kept free as long as there are others.

use super::level::Level;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{JsonMap, pyrepr};

const GIB: u64 = 1 << 30;
/// Controllers give out space in stripes; this is more than any of them takes.
const STRIPE: u64 = 64 << 20;

/// A physical drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Drive {
    pub(super) id: String,
    pub(super) path: String,
    /// The storage subsystem that it belongs to.
    pub(super) controller: String,
    pub(super) medium: Option<String>,
    pub(super) protocol: Option<String>,
    pub(super) bytes: u64,
}

impl Drive {
    fn is_like(&self, other: &Self) -> bool {
        let kind = |drive: &Self| {
            let lower = |text: &Option<String>| text.as_ref().map(|text| text.to_lowercase());
            (lower(&drive.medium), lower(&drive.protocol), drive.bytes)
        };
        kind(self) == kind(other)
    }
}

/// A logical disk as `target_raid_config` wishes it.
#[derive(Debug, Clone)]
pub(super) struct Wish {
    level: Level,
    /// `None` for all the space there is.
    bytes: Option<u64>,
    name: Option<String>,
    is_root: bool,
    shares: bool,
    medium: Option<String>,
    protocol: Option<String>,
    count: Option<usize>,
    controller: Option<String>,
    drives: Option<Vec<String>>,
}

impl Wish {
    /// Reads one; what is wrong with it is said in words for the operator of `node`.
    pub(super) fn read(node: types::NodeId, disk: &JsonMap) -> Result<Self, String> {
        let text = |key: &str| disk.get(key).and_then(Value::as_str).map(str::to_owned);
        let flag = |key: &str| disk.get(key).and_then(Value::as_bool).unwrap_or(false);
        let drives = match disk.get("physical_disks") {
            None | Some(Value::Null) => None,
            Some(Value::Array(items)) => {
                let ids: Option<Vec<String>> = items
                    .iter()
                    .map(|item| item.as_str().map(str::to_owned))
                    .collect();
                Some(ids.ok_or("physical_disks must be a list of the drives' identifiers")?)
            }
            Some(_) => return Err("physical_disks must be a list".into()),
        };
        let bytes = match disk.get("size_gb") {
            Some(Value::String(text)) if text == "MAX" => None,
            Some(size) => Some(
                size.as_u64()
                    .and_then(|gib| gib.checked_mul(GIB))
                    .ok_or("size_gb must be a number or MAX")?,
            ),
            None => return Err("a logical disk has no size_gb".into()),
        };
        if bytes.is_none() && drives.is_none() {
            let shown = pyrepr::repr(&Value::Object(disk.clone()));
            return Err(format!(
                "create_configuration called with invalid target_raid_configuration for node {node}. 'physical_disks' is missing from logical_disk while 'size_gb'='MAX' was requested: {shown}"
            ));
        }
        let level = text("raid_level").unwrap_or_default();
        let protocol = text("interface_type");
        if protocol.as_deref() == Some("scsi") {
            return Err("interface type `scsi` not supported by Redfish RAID".into());
        }
        Ok(Self {
            level: Level::named(&level)?,
            bytes,
            name: text("volume_name"),
            is_root: flag("is_root_volume"),
            shares: flag("share_physical_disks"),
            medium: text("disk_type"),
            protocol,
            count: disk
                .get("number_of_physical_disks")
                .and_then(Value::as_u64)
                .and_then(|count| usize::try_from(count).ok()),
            controller: text("controller"),
            drives,
        })
    }

    fn accepts(&self, drive: &Drive) -> bool {
        let same = |wish: &Option<String>, found: Option<&str>| {
            wish.as_deref()
                .is_none_or(|wish| found.is_some_and(|found| found.eq_ignore_ascii_case(wish)))
        };
        same(&self.medium, drive.medium.as_deref())
            && same(&self.protocol, drive.protocol.as_deref())
            && same(&self.controller, Some(&drive.controller))
    }

    /// Whether it takes what is left of drives that others may use too.
    fn takes_the_rest(&self) -> bool {
        self.bytes.is_none() && self.shares
    }
}

/// A volume to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Volume {
    pub(super) controller: String,
    /// Identifiers of the drives.
    pub(super) physical_disks: Vec<String>,
    /// Where the drives are.
    pub(super) paths: Vec<String>,
    pub(super) raid_level: String,
    /// `None` leaves the size to the controller, which knows best what is free.
    pub(super) size_bytes: Option<u64>,
    pub(super) volume_name: Option<String>,
    pub(super) is_root_volume: bool,
}

/// Where the wishes end up, and what is free on each drive.
struct Plan<'a> {
    drives: &'a [Drive],
    free: Vec<u64>,
}

/// Finds drives for all wishes.
pub(super) fn plan(wishes: &[Wish], drives: &[Drive]) -> Result<Vec<Volume>, String> {
    let mut plan = Plan {
        drives,
        free: drives.iter().map(|drive| drive.bytes).collect(),
    };
    let mut volumes = Vec::new();
    let given = |wish: &&Wish| wish.drives.is_some();
    for wish in wishes.iter().filter(given).filter(|w| w.bytes.is_some()) {
        volumes.push(plan.place_given(wish)?);
    }
    let open: Vec<&Wish> = wishes.iter().filter(|w| w.drives.is_none()).collect();
    if !open.is_empty() {
        let mentioned = |index: usize, wish: &Wish| {
            let named = wish.drives.as_ref();
            named.is_some_and(|ids| ids.contains(&drives[index].id))
        };
        let unshared = |&index: &usize| !wishes.iter().any(|w| !w.shares && mentioned(index, w));
        let kept = |&index: &usize| {
            wishes
                .iter()
                .any(|w| w.takes_the_rest() && mentioned(index, w))
        };
        let all: Vec<usize> = (0..drives.len()).filter(unshared).collect();
        let first: Vec<usize> = all.iter().copied().filter(|i| !kept(i)).collect();
        let found = plan
            .search(&open, &first)
            .or_else(|| plan.search(&open, &all))
            .ok_or("failed to find matching physical disks for all logical disks")?;
        volumes.extend(found);
    }
    for wish in wishes.iter().filter(given).filter(|w| w.bytes.is_none()) {
        volumes.push(plan.place_given(wish)?);
    }
    Ok(volumes)
}

impl Plan<'_> {
    fn place_given(&mut self, wish: &Wish) -> Result<Volume, String> {
        let ids = wish.drives.as_deref().unwrap_or_default();
        let mut chosen = Vec::new();
        for id in ids {
            let index = self.drives.iter().position(|drive| drive.id == *id);
            let index = index.ok_or_else(|| {
                let known: Vec<_> = self.drives.iter().map(|d| d.id.as_str()).collect();
                format!(
                    "there is no physical disk {id}; there are {}",
                    known.join(", ")
                )
            })?;
            chosen.push(index);
        }
        let first = chosen.first().map(|&index| &self.drives[index]);
        let Some(first) = first else {
            return Err("a logical disk has an empty list of physical_disks".into());
        };
        let mut others = chosen.iter().map(|&index| &self.drives[index]);
        if others.any(|drive| drive.controller != first.controller) {
            return Err(format!(
                "the physical disks {} belong to different controllers",
                ids.join(", ")
            ));
        }
        self.place(wish, &chosen)
    }

    /// Takes the space of a volume from certain drives.
    fn place(&mut self, wish: &Wish, chosen: &[usize]) -> Result<Volume, String> {
        let data = u64::try_from(wish.level.data_drives(chosen.len())?).unwrap_or(u64::MAX);
        let least = chosen.iter().map(|&index| self.free[index]).min();
        let most = least.unwrap_or(0) / STRIPE * STRIPE * data;
        let bytes = match wish.bytes {
            None if most == 0 => {
                return Err("size set to 'MAX' but could not allocate physical disk space".into());
            }
            None => most,
            Some(bytes) if bytes > most => {
                return Err(format!(
                    "The physical disk space ({most} bytes) is not enough for the size of the logical disk ({bytes} bytes)"
                ));
            }
            Some(bytes) => bytes,
        };
        let each = bytes.div_ceil(STRIPE).div_ceil(data) * STRIPE;
        for &index in chosen {
            self.free[index] = self.free[index].saturating_sub(each);
        }
        let drives = || chosen.iter().map(|&index| &self.drives[index]);
        Ok(Volume {
            controller: drives()
                .map(|d| d.controller.clone())
                .next()
                .unwrap_or_default(),
            physical_disks: drives().map(|d| d.id.clone()).collect(),
            paths: drives().map(|d| d.path.clone()).collect(),
            raid_level: wish.level.name.into(),
            size_bytes: wish.bytes,
            volume_name: wish.name.clone(),
            is_root_volume: wish.is_root,
        })
    }

    /// Finds drives for all of these wishes, the first ones first, and takes back a choice that
    /// leaves nothing for those after it.
    fn search(&mut self, wishes: &[&Wish], usable: &[usize]) -> Option<Vec<Volume>> {
        let Some((wish, rest)) = wishes.split_first() else {
            return Some(Vec::new());
        };
        for group in self.groups(wish, usable) {
            for count in wish.level.choices(group.len()) {
                if wish.count.is_some_and(|wanted| wanted != count) {
                    continue;
                }
                let before = self.free.clone();
                let found = self
                    .place(wish, &group[..count])
                    .ok()
                    .and_then(|volume| Some((volume, self.search(rest, usable)?)));
                if let Some((volume, mut others)) = found {
                    others.insert(0, volume);
                    return Some(others);
                }
                self.free = before;
            }
        }
        None
    }

    /// Drives that a wish accepts, by likeness, those with least space first.
    fn groups(&self, wish: &Wish, usable: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &index in usable {
            let drive = &self.drives[index];
            let untouched = self.free[index] == drive.bytes;
            if !wish.accepts(drive) || self.free[index] == 0 || !(untouched || wish.shares) {
                continue;
            }
            let alike = groups.iter_mut().find(|group| {
                let first = &self.drives[group[0]];
                first.is_like(drive) && first.controller == drive.controller
            });
            match alike {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        for group in &mut groups {
            group.sort_by_key(|&index| self.free[index]);
        }
        groups
    }
}

#[cfg(test)]
mod tests;
