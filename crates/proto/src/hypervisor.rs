//! Command lines of hypervisors, as a shell on the other side reads them, and what they answer.
//!
//! The four families do the same in different words: list virtual machines, tell their MAC addresses,
//! switch them, and choose what they boot from. Names of machines come from the other side and go back
//! to it, so only plain ones are taken ([`Guest`]), and they are quoted all the same.

mod answer;
mod domain;

pub use domain::{DomainError, with_boot_device};

use serde_json::Value;
use std::fmt;

/// No list has more virtual machines that are looked at.
pub const MOST_GUESTS: usize = 1024;
/// The longest name that is taken.
const LONGEST_NAME: usize = 255;

/// Which command set it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Virsh,
    VirtualBox,
    Vmware,
    Parallels,
}

impl Family {
    pub const ALL: [Self; 4] = [Self::Virsh, Self::VirtualBox, Self::Vmware, Self::Parallels];

    /// What `ssh_virt_type` calls it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Virsh => "virsh",
            Self::VirtualBox => "vbox",
            Self::Vmware => "vmware",
            Self::Parallels => "parallels",
        }
    }

    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.word() == word)
    }

    /// What it calls a boot device of Ironic.
    pub fn device(self, name: &str) -> Option<&'static str> {
        let known = self.devices().iter().find(|(known, _)| *known == name);
        known.map(|(_, word)| *word)
    }

    /// Ironic's name for a boot device, with its own.
    const fn devices(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Virsh => &[("disk", "hd"), ("pxe", "network"), ("cdrom", "cdrom")],
            Self::VirtualBox => &[("disk", "disk"), ("pxe", "net"), ("cdrom", "dvd")],
            Self::Vmware => &[],
            Self::Parallels => &[("disk", "hdd0"), ("pxe", "net0"), ("cdrom", "cdrom0")],
        }
    }

    fn named(self, word: &str) -> Option<&'static str> {
        let known = self.devices().iter().find(|(_, known)| *known == word);
        known.map(|(name, _)| *name)
    }
}

/// The name, number or UUID of a virtual machine, with nothing in it that means something to a shell
/// or could be taken for an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guest(String);

impl Guest {
    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = |c: char| c.is_alphanumeric() || " ._:@+-()[]{}".contains(c);
        let fits = !text.is_empty()
            && text.len() <= LONGEST_NAME
            && !text.starts_with('-')
            && text.trim() == text
            && text.chars().all(is_plain);
        fits.then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for Guest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One word of a command line (POSIX, shell command language, 2.2.2).
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The commands of a hypervisor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    pub family: Family,
    /// The URI that `virsh` connects to.
    pub libvirt_uri: String,
    /// Whether VirtualBox starts its machines without a window.
    pub is_headless: bool,
}

impl Commands {
    /// The command with these words, which are part of the program and need no quotes.
    fn line(&self, words: &str) -> String {
        let program = match self.family {
            Family::Virsh => {
                format!("/usr/bin/virsh --connect {}", quoted(&self.libvirt_uri))
            }
            Family::VirtualBox => "/usr/bin/VBoxManage".to_owned(),
            Family::Vmware => "/bin/vim-cmd".to_owned(),
            Family::Parallels => "/usr/bin/prlctl".to_owned(),
        };
        format!("LC_ALL=C {program} {words}")
    }

    /// Lists all virtual machines; [`Commands::guests`] reads the answer.
    pub fn list(&self) -> String {
        self.line(match self.family {
            Family::Virsh => "list --all --name",
            Family::VirtualBox => "list vms",
            Family::Vmware => "vmsvc/getallvms",
            Family::Parallels => "list -a -o name",
        })
    }

    /// Tells whether a machine runs; [`Commands::is_running`] reads the answer.
    pub fn state(&self, guest: &Guest) -> String {
        match self.family {
            Family::Virsh => self.line("list --name"),
            Family::VirtualBox => self.line("list runningvms"),
            Family::Vmware => self.line(&format!("vmsvc/power.getstate {}", quoted(&guest.0))),
            Family::Parallels => self.line("list -o name"),
        }
    }

    /// Describes a machine; [`Commands::macs`] and [`Commands::boot_device`] read the answer.
    pub fn describe(&self, guest: &Guest) -> String {
        let guest = quoted(&guest.0);
        self.line(&match self.family {
            Family::Virsh => format!("dumpxml {guest}"),
            Family::VirtualBox => format!("showvminfo --machinereadable {guest}"),
            Family::Vmware => format!("vmsvc/device.getdevices {guest}"),
            Family::Parallels => format!("list -j -i {guest}"),
        })
    }

    /// Describes many machines at once, with a line of its own after each that nobody can know
    /// beforehand; [`sections`] takes the answer apart.
    pub fn describe_all(&self, guests: &[Guest], boundary: &str) -> String {
        let end = format!("; echo {}; ", quoted(boundary));
        let each = guests.iter().map(|guest| self.describe(guest) + &end);
        each.collect::<String>().trim_end_matches("; ").to_owned()
    }

    pub fn start(&self, guest: &Guest) -> String {
        let guest = quoted(&guest.0);
        self.line(&match self.family {
            Family::Virsh | Family::Parallels => format!("start {guest}"),
            Family::VirtualBox if self.is_headless => format!("startvm {guest} --type headless"),
            Family::VirtualBox => format!("startvm {guest}"),
            Family::Vmware => format!("vmsvc/power.on {guest}"),
        })
    }

    /// Takes the power away.
    pub fn stop(&self, guest: &Guest) -> String {
        let guest = quoted(&guest.0);
        self.line(&match self.family {
            Family::Virsh => format!("destroy {guest}"),
            Family::VirtualBox => format!("controlvm {guest} poweroff"),
            Family::Vmware => format!("vmsvc/power.off {guest}"),
            Family::Parallels => format!("stop {guest} --kill"),
        })
    }

    /// Tells what a machine boots from; [`Commands::boot_device`] reads the answer.
    pub fn boot_order(&self, guest: &Guest) -> String {
        match self.family {
            // What holds from the next start on.
            Family::Virsh => self.line(&format!("dumpxml --inactive {}", quoted(&guest.0))),
            Family::Parallels => self.line(&format!("list -i {}", quoted(&guest.0))),
            _ => self.describe(guest),
        }
    }

    /// How the boot device is set, by the hypervisor's own word for it.
    pub fn set_boot_device(&self, guest: &Guest, device: &str) -> SetBoot {
        let guest = quoted(&guest.0);
        let device = quoted(device);
        match self.family {
            Family::Virsh => SetBoot::Define {
                // With the passwords of screens, which would be lost otherwise.
                read: self.line(&format!("dumpxml --inactive --security-info {guest}")),
                write: self.line("define /dev/stdin"),
            },
            Family::VirtualBox => {
                SetBoot::Command(self.line(&format!("modifyvm {guest} --boot1 {device}")))
            }
            Family::Parallels => {
                SetBoot::Command(self.line(&format!("set {guest} --device-bootorder {device}")))
            }
            Family::Vmware => SetBoot::Unsupported,
        }
    }

    /// The machines of a list. Those with odd names are left out.
    pub fn guests(&self, answer: &str) -> Vec<Guest> {
        let lines = answer.lines();
        let guests = lines.filter_map(|line| answer::listed(self.family, line));
        guests.take(MOST_GUESTS).collect()
    }

    /// Whether a machine runs, where the answer says so.
    pub fn is_running(&self, guest: &Guest, answer: &str) -> Option<bool> {
        match self.family {
            Family::Vmware => match (
                answer.contains("Powered on"),
                answer.contains("Powered off"),
            ) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            },
            _ => {
                let running = answer.lines();
                let mut running = running.filter_map(|line| answer::listed(self.family, line));
                Some(running.any(|running| running == *guest))
            }
        }
    }

    /// The MAC addresses in a description, as twelve lower-case digits.
    pub fn macs(&self, answer: &str) -> Vec<String> {
        answer::macs(self.family, answer)
    }

    /// The first boot device, by Ironic's name.
    pub fn boot_device(&self, answer: &str) -> Option<&'static str> {
        self.family
            .named(&answer::first_device(self.family, answer)?)
    }
}

/// How a boot device is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetBoot {
    Command(String),
    /// What `read` answers is changed by [`with_boot_device`] and given to `write`.
    Define {
        read: String,
        write: String,
    },
    Unsupported,
}

/// What stands before each line that is the boundary.
pub fn sections<'a>(answer: &'a str, boundary: &str) -> Vec<&'a str> {
    let mut sections = Vec::new();
    let mut rest = answer;
    let mut from = 0;
    while let Some(found) = rest.get(from..).and_then(|rest| rest.find(boundary)) {
        let at = from + found;
        let end = at + boundary.len();
        let is_line = rest[..at].is_empty() || rest[..at].ends_with('\n');
        let ends = rest[end..].is_empty() || rest[end..].starts_with(['\n', '\r']);
        if is_line && ends {
            sections.push(&rest[..at]);
            rest = &rest[end..];
            from = 0;
        } else {
            from = end;
        }
    }
    sections
}

/// A MAC address without what stands between its digits.
pub fn plain_mac(text: &str) -> Option<String> {
    let digits: String = text
        .chars()
        .filter(|c| !":-".contains(*c))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let fits = digits.len() == 12 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    fits.then_some(digits)
}

/// All texts under a key, wherever it is.
fn texts<'v>(value: &'v Value, key: &str, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match value {
                    Value::String(text) if name == key => found.push(text),
                    value => texts(value, key, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| texts(value, key, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
