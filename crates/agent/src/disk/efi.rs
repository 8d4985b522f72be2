//! The firmware's list of what to start: its variables, through the kernel's files of them.
//!
//! A variable is a file that starts with four bytes of attributes and is written in one go. The
//! kernel marks most of them as not to be changed, because broken firmware has been bricked by a
//! careless `rm`; the mark is taken off just for the change.

mod option;

pub use option::LoadOption;

use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The vendor GUID of boot entries: EFI's global variables.
const GLOBAL: &str = "8be4df61-93ca-11d2-aa0d-00e098032b8c";
/// Kept without power, seen before and after the system starts.
const ATTRIBUTES: [u8; 4] = [7, 0, 0, 0];

/// The variables of this machine's firmware.
#[derive(Debug, Clone)]
pub struct Variables {
    dir: PathBuf,
}

impl Variables {
    /// The variables, if this machine was started by UEFI. `root` is `/` but in tests.
    pub fn open(root: &Path) -> Option<Self> {
        let dir = root.join("sys/firmware/efi/efivars");
        dir.is_dir().then_some(Self { dir })
    }

    /// What firmware may start, by number. Entries that cannot be read are left out.
    pub fn entries(&self) -> io::Result<BTreeMap<u16, LoadOption>> {
        let mut found = BTreeMap::new();
        for number in self.numbers()? {
            let bytes = self.get(&boot(number))?.unwrap_or_default();
            if let Some(option) = LoadOption::decode(&bytes) {
                found.insert(number, option);
            }
        }
        Ok(found)
    }

    /// Every number that is taken, readable or not.
    fn numbers(&self) -> io::Result<Vec<u16>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.dir)? {
            let name = entry?.file_name();
            let number = name.to_str().and_then(|name| {
                let digits = name.strip_prefix("Boot")?.strip_suffix(GLOBAL)?;
                let digits = digits.strip_suffix('-').filter(|d| d.len() == 4)?;
                u16::from_str_radix(digits, 16).ok()
            });
            numbers.extend(number);
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The order in which firmware tries.
    pub fn order(&self) -> io::Result<Vec<u16>> {
        let bytes = self.get("BootOrder")?.unwrap_or_default();
        let pairs = bytes.chunks_exact(2);
        Ok(pairs.map(|p| u16::from_le_bytes([p[0], p[1]])).collect())
    }

    /// Adds an entry, which is tried first. Others with its name are removed.
    pub fn add_first(&self, option: &LoadOption) -> io::Result<u16> {
        for (number, found) in self.entries()? {
            if found.label == option.label {
                self.remove(number)?;
            }
        }
        let taken = self.numbers()?;
        let number = (0..=u16::MAX)
            .find(|number| !taken.contains(number))
            .ok_or_else(|| io::Error::other("no free number for a UEFI boot entry"))?;
        self.set(&boot(number), &option.encode())?;
        let mut order = self.order()?;
        order.retain(|other| *other != number);
        order.insert(0, number);
        self.set_order(&order)?;
        Ok(number)
    }

    /// Removes an entry, also from the order, and from what is to be started next.
    pub fn remove(&self, number: u16) -> io::Result<()> {
        self.delete(&boot(number))?;
        let order = self.order()?;
        let left: Vec<u16> = order.iter().copied().filter(|n| *n != number).collect();
        if left != order {
            self.set_order(&left)?;
        }
        if self.get("BootNext")?.as_deref() == Some(&number.to_le_bytes()) {
            self.delete("BootNext")?;
        }
        Ok(())
    }

    fn set_order(&self, order: &[u16]) -> io::Result<()> {
        let bytes: Vec<u8> = order
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        self.set("BootOrder", &bytes)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}-{GLOBAL}"))
    }

    fn get(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.path(name)) {
            Ok(bytes) => Ok(Some(bytes.get(4..).unwrap_or_default().to_vec())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn set(&self, name: &str, value: &[u8]) -> io::Result<()> {
        let path = self.path(name);
        unlock(&path)?;
        let bytes = [&ATTRIBUTES, value].concat();
        let mut file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)?;
        // Firmware takes a variable as a whole, so everything must be in one call.
        let written = file.write(&bytes)?;
        if written != bytes.len() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        // A file elsewhere, in a test, may have been longer.
        if file.metadata()?.len() > bytes.len() as u64 {
            file.set_len(bytes.len() as u64)?;
        }
        Ok(())
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        let path = self.path(name);
        unlock(&path)?;
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn boot(number: u16) -> String {
    format!("Boot{number:04X}")
}

/// Takes off the mark that forbids changes, where there is one.
fn unlock(path: &Path) -> io::Result<()> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    match ioctl_getflags(&file) {
        Ok(flags) if flags.contains(IFlags::IMMUTABLE) => {
            Ok(ioctl_setflags(&file, flags - IFlags::IMMUTABLE)?)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> (tempfile::TempDir, Variables) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("sys/firmware/efi/efivars")).unwrap();
        let variables = Variables::open(dir.path()).unwrap();
        (dir, variables)
    }

    fn entry(label: &str) -> LoadOption {
        LoadOption::on_gpt(label, 1, [7; 16], (2048, 1000), "\\EFI\\BOOT\\BOOTX64.EFI")
    }

    #[test]
    fn a_new_entry_comes_first_and_replaces_its_namesakes() {
        let (dir, variables) = machine();
        assert!(Variables::open(&dir.path().join("elsewhere")).is_none());
        assert_eq!(variables.add_first(&entry("one")).unwrap(), 0);
        assert_eq!(variables.add_first(&entry("two")).unwrap(), 1);
        assert_eq!(variables.order().unwrap(), [1, 0]);
        variables.set("BootNext", &[0, 0]).unwrap();
        assert_eq!(variables.add_first(&entry("one")).unwrap(), 0);
        assert_eq!(variables.order().unwrap(), [0, 1]);
        assert_eq!(variables.get("BootNext").unwrap(), None);
        let entries = variables.entries().unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[&0], entry("one"));
        variables.remove(0).unwrap();
        assert_eq!(variables.order().unwrap(), [1]);
    }

    #[test]
    fn an_unreadable_entry_keeps_its_number() {
        let (_dir, variables) = machine();
        variables.set("Boot0000", b"junk").unwrap();
        fs::write(variables.dir.join("BootXYZ"), "").unwrap();
        assert_eq!(variables.add_first(&entry("one")).unwrap(), 1);
        assert_eq!(variables.entries().unwrap().len(), 1);
    }
}
