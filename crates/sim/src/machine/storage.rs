//! Drives, and the volumes that a RAID controller makes of them.
//!
//! All machines have the same drives, so only volumes are stored. A volume takes an equal share of
//! each of its drives; drives that hold volumes are shared only by volumes on exactly the same
//! drives, as controllers have it.

use super::refusal::Refusal;
use serde_json::json;

mod level;
pub use level::Level;

/// A drive.
#[derive(Debug, Clone, Copy)]
pub struct Drive {
    /// The controller it hangs on; see [`CONTROLLERS`].
    pub controller: usize,
    pub bytes: u64,
    pub protocol: &'static str,
    pub model: &'static str,
}

/// A controller of drives.
#[derive(Debug, Clone, Copy)]
pub struct Controller {
    pub name: &'static str,
    /// What it can make volumes of; none if it only passes drives on.
    pub levels: &'static [Level],
}

pub const CONTROLLERS: [Controller; 2] = [
    Controller {
        name: "RAID Controller",
        levels: Level::ALL,
    },
    Controller {
        name: "AHCI Controller",
        levels: &[],
    },
];

const fn ssd() -> Drive {
    Drive {
        controller: 0,
        bytes: 480_103_981_056,
        protocol: "SAS",
        model: "SIM480SAS",
    }
}

pub const DRIVES: [Drive; 5] = [
    ssd(),
    ssd(),
    ssd(),
    ssd(),
    Drive {
        controller: 1,
        bytes: 240_057_409_536,
        protocol: "SATA",
        model: "SIM240SATA",
    },
];

/// The size of a block; sizes of volumes are multiples of it.
pub const BLOCK: u64 = 512;

/// A volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    pub number: u32,
    pub controller: usize,
    pub name: String,
    pub level: Level,
    pub bytes: u64,
    /// Indices into [`DRIVES`].
    pub drives: Vec<usize>,
}

/// A volume that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeRequest {
    pub controller: usize,
    pub name: Option<String>,
    pub level: Level,
    /// As large as possible if not given.
    pub bytes: Option<u64>,
    /// As many unused ones as the level needs if none are given.
    pub drives: Vec<usize>,
}

/// The volumes of one machine.
#[derive(Debug, Default)]
pub struct Storage {
    volumes: Vec<Volume>,
    last: u32,
    /// Drives that the controller passes on as they are.
    raw: [bool; DRIVES.len()],
    /// The lights of the drives.
    lit: [bool; DRIVES.len()],
}

impl Storage {
    pub fn volumes(&self, controller: usize) -> impl Iterator<Item = &Volume> {
        self.volumes
            .iter()
            .filter(move |volume| volume.controller == controller)
    }

    pub fn volume(&self, controller: usize, number: u32) -> Result<&Volume, Refusal> {
        self.volumes(controller)
            .find(|volume| volume.number == number)
            .ok_or_else(|| Refusal::absent("volume", &number.to_string()))
    }

    /// What would be made of a wish, without making it.
    pub fn plan(&self, wanted: &VolumeRequest) -> Result<Volume, Refusal> {
        let controller = CONTROLLERS
            .get(wanted.controller)
            .ok_or_else(|| Refusal::absent("controller", &wanted.controller.to_string()))?;
        if !controller.levels.contains(&wanted.level) {
            return Err(Refusal::not_in_list("RAIDType", wanted.level.name()));
        }
        let drives = if wanted.drives.is_empty() {
            self.unused(wanted.controller, wanted.level)?
        } else {
            self.chosen(wanted)?
        };
        let data = wanted.level.data_drives(drives.len()).ok_or_else(|| {
            Refusal::conflict(
                "Drives",
                json!(drives.len()),
                &format!("{} cannot be made of so many drives", wanted.level.name()),
            )
        })?;
        let share = drives
            .iter()
            .map(|&drive| self.free(drive))
            .min()
            .unwrap_or_default();
        let largest = share / BLOCK * BLOCK * data;
        let bytes = wanted.bytes.unwrap_or(largest).div_ceil(BLOCK) * BLOCK;
        if bytes == 0 || bytes > largest {
            return Err(Refusal::OutOfRange {
                property: "CapacityBytes".to_owned(),
                value: json!(bytes),
            });
        }
        let number = self.last + 1;
        Ok(Volume {
            number,
            controller: wanted.controller,
            name: wanted
                .name
                .clone()
                .unwrap_or_else(|| format!("Virtual Disk {number}")),
            level: wanted.level,
            bytes,
            drives,
        })
    }

    /// Makes a volume and says its number.
    pub fn create(&mut self, wanted: &VolumeRequest) -> Result<u32, Refusal> {
        let volume = self.plan(wanted)?;
        self.last = volume.number;
        self.volumes.push(volume);
        Ok(self.last)
    }

    pub fn delete(&mut self, controller: usize, number: u32) -> Result<(), Refusal> {
        self.volume(controller, number)?;
        self.volumes.retain(|volume| volume.number != number);
        Ok(())
    }

    /// Deletes every volume of a controller.
    pub fn clear(&mut self, controller: usize) {
        self.volumes
            .retain(|volume| volume.controller != controller);
    }

    pub fn is_raw(&self, drive: usize) -> bool {
        self.raw.get(drive).copied().unwrap_or_default()
    }

    /// Lets the controller pass a drive on as it is, or not.
    pub fn set_raw(&mut self, drive: usize, raw: bool) -> Result<(), Refusal> {
        if raw
            && self
                .volumes
                .iter()
                .any(|volume| volume.drives.contains(&drive))
        {
            return Err(Refusal::State("the drive belongs to a volume".to_owned()));
        }
        if let Some(place) = self.raw.get_mut(drive) {
            *place = raw;
        }
        Ok(())
    }

    pub fn is_lit(&self, drive: usize) -> bool {
        self.lit.get(drive).copied().unwrap_or_default()
    }

    pub fn light(&mut self, drive: usize, lit: bool) {
        if let Some(place) = self.lit.get_mut(drive) {
            *place = lit;
        }
    }

    fn unused(&self, controller: usize, level: Level) -> Result<Vec<usize>, Refusal> {
        let unused = (0..DRIVES.len()).filter(|&drive| {
            DRIVES[drive].controller == controller && !self.raw[drive] && !self.is_used(drive)
        });
        let drives: Vec<usize> = unused.take(level.fewest()).collect();
        if drives.len() < level.fewest() {
            return Err(Refusal::State(format!(
                "there are not enough unused drives for {}",
                level.name()
            )));
        }
        Ok(drives)
    }

    fn chosen(&self, wanted: &VolumeRequest) -> Result<Vec<usize>, Refusal> {
        let mut drives = wanted.drives.clone();
        drives.sort_unstable();
        drives.dedup();
        for &drive in &drives {
            let conflict = |why| Err(Refusal::conflict("Drives", drive, why));
            match DRIVES.get(drive) {
                Some(known) if known.controller != wanted.controller => {
                    return conflict("it is connected to another controller");
                }
                None => return Err(Refusal::absent("drive", &drive.to_string())),
                Some(_) if self.raw[drive] => return conflict("it is not in RAID mode"),
                Some(_) => {}
            }
            let is_shared =
                |volume: &Volume| volume.drives.contains(&drive) && volume.drives != drives;
            if self.volumes.iter().any(is_shared) {
                return conflict("it belongs to a volume on other drives");
            }
        }
        Ok(drives)
    }

    fn is_used(&self, drive: usize) -> bool {
        self.volumes
            .iter()
            .any(|volume| volume.drives.contains(&drive))
    }

    fn free(&self, drive: usize) -> u64 {
        let used: u64 = self
            .volumes
            .iter()
            .filter(|volume| volume.drives.contains(&drive))
            .map(Volume::share)
            .sum();
        DRIVES[drive].bytes.saturating_sub(used)
    }
}

impl Volume {
    /// What it takes of each of its drives.
    fn share(&self) -> u64 {
        let data = self.level.data_drives(self.drives.len()).unwrap_or(1);
        self.bytes.div_ceil(data)
    }
}

#[cfg(test)]
mod tests;
