//! What this machine is made of, as services want to read it.
//!
//! The kernel and the firmware's tables say everything; no program is asked. Keys are those of
//! Ironic's agent, and what it leaves empty where nobody knows is empty here too. Left out is
//! `biosdevname`: what that program works out is not the kernel's name and not a device's.

mod bmc;
pub mod collectors;
mod cpu;
mod dmi;
mod extra;
pub mod lldp;
mod nic;
mod numa;
mod smbios;

pub use bmc::Bmc;

use crate::{block, config::Config};
use serde_json::{Value, json};
use smbios::Tables;
use std::{
    fs,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::OnceLock,
};
use types::port::MacAddress;

/// What files below the root do not tell.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Addresses by the name of the interface.
    pub addresses: Vec<(String, IpAddr)>,
    /// Addresses that interfaces were made with, where they have others now.
    pub permanent: Vec<(String, [u8; 6])>,
    /// What switches said; `None` if nobody asked for it.
    pub lldp: Option<lldp::Heard>,
    /// The BMC; `None` if there is none, or it was not to be looked for.
    pub bmc: Option<Bmc>,
    /// The kernel's parameter of that name.
    pub bootif: Option<String>,
}

impl Facts {
    /// What the kernel says of its network.
    pub fn read() -> Self {
        let mut facts = Self::default();
        let Ok(mut kernel) = crate::netlink::Netlink::open() else {
            return facts;
        };
        let links = kernel.links().unwrap_or_default();
        for (index, address) in kernel.addresses().unwrap_or_default() {
            if let Some(link) = links.iter().find(|link| link.index == index) {
                facts.addresses.push((link.name.clone(), address));
            }
        }
        let permanent = links
            .into_iter()
            .filter_map(|link| Some((link.name, link.permanent?)));
        facts.permanent = permanent.collect();
        facts
    }
}

/// The inventory of this machine. Blocks, for half a minute where switches are to be listened to.
pub fn of_machine(config: &Config) -> Value {
    static BMC: OnceLock<Option<Bmc>> = OnceLock::new();
    // A root elsewhere is another machine, of which this kernel knows nothing.
    let mut facts = match config.root == Path::new("/") {
        true => Facts::read(),
        false => Facts::default(),
    };
    if config.collect_lldp {
        facts.lldp = Some(lldp::heard(config.lldp_timeout));
    }
    // It takes many messages, and a BMC does not move.
    if !config.adopted.skip_bmc_detect {
        facts.bmc = BMC.get_or_init(|| Bmc::find(&config.root)).clone();
    }
    facts.bootif.clone_from(&config.bootif);
    collect(&config.root, &facts)
}

/// Everything, from the files below `root` and what they do not tell.
pub fn collect(root: &Path, facts: &Facts) -> Value {
    let files = Files(root);
    let tables = Tables::read(root);
    let disks: Vec<Value> = block::list(root)
        .iter()
        .map(|disk| disk.to_json())
        .collect();
    let mut inventory = json!({
        "interfaces": nic::list(&files, facts),
        "cpu": cpu::describe(&files, &tables),
        "disks": disks,
        "memory": {
            "total": total_memory(&files),
            "physical_mb": tables.memory_mb(),
        },
        "bmc_address": facts.bmc.as_ref().map(|bmc| bmc.v4.to_string()),
        "bmc_v6address": facts.bmc.as_ref().map(Bmc::v6_text),
        "system_vendor": system_vendor(&files),
        "boot": {
            "current_boot_mode": if files.exists("sys/firmware/efi") { "uefi" } else { "bios" },
            "pxe_interface": facts.bootif,
        },
        "hostname": files.text("proc/sys/kernel/hostname").unwrap_or_default(),
    });
    if let Some(mac) = facts.bmc.as_ref().and_then(|bmc| bmc.mac) {
        inventory["bmc_mac"] = json!(MacAddress::from(mac));
    }
    inventory
}

fn total_memory(files: &Files<'_>) -> Option<u64> {
    let text = files.text("proc/meminfo")?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

fn system_vendor(files: &Files<'_>) -> Value {
    let id = |name: &str| {
        let text = files.text(format!("sys/class/dmi/id/{name}"));
        text.unwrap_or_default()
    };
    let mut product = id("product_name");
    if product.is_empty() {
        // Machines without these tables have a tree of devices, whose text ends in a zero.
        let model = files.text("proc/device-tree/model").unwrap_or_default();
        model.trim_end_matches('\0').clone_into(&mut product);
    }
    json!({
        "product_name": product,
        "serial_number": id("product_serial"),
        "manufacturer": id("sys_vendor"),
        "firmware": {
            "vendor": id("bios_vendor"),
            "version": id("bios_version"),
            "build_date": id("bios_date"),
        },
    })
}

/// Small files of the kernel.
#[derive(Debug, Clone, Copy)]
struct Files<'a>(&'a Path);

impl Files<'_> {
    fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.0.join(path)
    }

    fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).exists()
    }

    /// A file's text without what surrounds it; `None` if it has none.
    fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let bytes = fs::read(self.path(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn number<T: std::str::FromStr>(&self, path: impl AsRef<Path>) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// The last part of where a link leads.
    fn target(&self, path: impl AsRef<Path>) -> Option<String> {
        let target = fs::read_link(self.path(path)).ok()?;
        Some(target.file_name()?.to_str()?.to_owned())
    }

    /// Names in a folder, in order.
    fn names(&self, folder: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }

    /// The numbers of entries that are called `prefix` and a number, in order.
    fn numbered(&self, folder: impl AsRef<Path>, prefix: &str) -> Vec<u32> {
        let names = self.names(folder);
        let numbers = names
            .iter()
            .filter_map(|name| name.strip_prefix(prefix)?.parse().ok());
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers
    }
}

#[cfg(test)]
mod tests;
