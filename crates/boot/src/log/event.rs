//! The things that happen while a machine boots.

use serde::Serialize;
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
};
use types::port::MacAddress;

/// By what a file is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    Tftp,
    Http,
}

/// What a file is in the course of a boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The first program.
    Loader,
    /// A script or configuration that is not the node's own.
    Script,
    /// The node's configuration.
    Config,
    Kernel,
    Ramdisk,
    Other,
}

/// Why a machine was not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// No node has it, and such machines are left to others.
    NotEnrolled,
    /// Its address comes from another server, and there is nothing to add to it.
    NothingToBoot,
    NoAddress,
    /// The rest of the range is kept for machines of nodes.
    NoAddressForOthers,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotEnrolled => "no node has a port with this MAC address",
            Self::NothingToBoot => "nothing is published for it",
            Self::NoAddress => "no address is free",
            Self::NoAddressForOthers => {
                "the addresses that are left are kept for the ports of nodes"
            }
        })
    }
}

impl Serialize for Unanswered {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Somebody wants the node to boot.
    Published {
        boot: String,
    },
    /// The node boots from its disk.
    SwitchedToDisk,
    Withdrawn,
    /// The machine asks for an address.
    Discover {
        /// What it is, if it says so.
        arch: Option<String>,
        ipxe: bool,
        http: bool,
        boots: bool,
    },
    /// It was not answered.
    Ignored {
        why: Unanswered,
    },
    /// Its firmware is not of the kind that the node is set to.
    WrongFirmware {
        machine: String,
        node: String,
    },
    Offer {
        address: Option<IpAddr>,
        file: Option<String>,
        proxy: bool,
    },
    /// It took the offer of another server.
    TookOther {
        server: Ipv4Addr,
    },
    Ack {
        address: Option<IpAddr>,
        file: Option<String>,
    },
    Nak {
        why: String,
    },
    /// It found its address in use.
    Declined {
        address: IpAddr,
    },
    Released {
        address: IpAddr,
    },
    /// It asks for a file.
    Asked {
        protocol: Protocol,
        role: Role,
        path: String,
    },
    NotFound {
        protocol: Protocol,
        role: Role,
        path: String,
    },
    Refused {
        protocol: Protocol,
        path: String,
        why: String,
    },
    /// It has the whole file.
    Sent {
        protocol: Protocol,
        role: Role,
        path: String,
        bytes: u64,
        resent: u64,
    },
    /// It fell silent in the middle of a file.
    Stalled {
        protocol: Protocol,
        role: Role,
        path: String,
        bytes: u64,
        size: u64,
        block_size: u16,
    },
    /// It broke a transfer off; clients that only wanted to know the size do.
    Aborted {
        protocol: Protocol,
        role: Role,
        path: String,
        bytes: u64,
        why: String,
    },
    /// Its ramdisk called.
    Agent {
        what: String,
    },
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tftp => "TFTP",
            Self::Http => "HTTP",
        })
    }
}

/// What a file is, by its name.
pub fn role(path: &str, config_subdir: &str) -> Role {
    let path = path.trim_start_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    let extension = lower
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    match name {
        "deploy_kernel" | "rescue_kernel" | "kernel" => Role::Kernel,
        "deploy_ramdisk" | "rescue_ramdisk" | "ramdisk" | "boot_iso" => Role::Ramdisk,
        "config" => Role::Config,
        "grub.cfg" => Role::Script,
        _ if path.contains(&format!("{config_subdir}/")) => Role::Config,
        _ if name.starts_with("grub.cfg-") || extension == "conf" => Role::Config,
        _ if extension == "ipxe" => Role::Script,
        _ if matches!(
            extension,
            "efi" | "0" | "kpxe" | "kkpxe" | "pxe" | "c32" | "lkrn"
        ) =>
        {
            Role::Loader
        }
        _ => Role::Other,
    }
}

/// The MAC address in the name of a configuration: `01-aa-bb-…`, `aa-bb-…` or `aa:bb:….conf`.
pub fn mac_in(path: &str) -> Option<MacAddress> {
    let name = path.rsplit('/').next()?;
    let name = name.strip_prefix("grub.cfg-").unwrap_or(name);
    let name = name.strip_suffix(".conf").unwrap_or(name).replace('-', ":");
    let own = name.strip_prefix("01:").or(name.strip_prefix("20:"));
    // An address may begin with the same number as the prefix of its kind.
    name.parse().ok().or_else(|| own?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_names() {
        let table = [
            ("/pxelinux.0", Role::Loader),
            ("snponly.efi", Role::Loader),
            ("boot.ipxe", Role::Script),
            ("grub/grub.cfg", Role::Script),
            ("pxelinux.cfg/01-52-54-00-01-02-03", Role::Config),
            ("/tftpboot/52:54:00:01:02:03.conf", Role::Config),
            ("u/config", Role::Config),
            ("u/deploy_kernel", Role::Kernel),
            ("u/ramdisk", Role::Ramdisk),
            ("agent_images/u", Role::Other),
        ];
        for (path, expected) in table {
            assert_eq!(role(path, "pxelinux.cfg"), expected, "{path}");
        }
    }

    #[test]
    fn a_configuration_tells_whose_it_is() {
        let mac = Some("52:54:00:01:02:03".parse().unwrap());
        for path in [
            "pxelinux.cfg/01-52-54-00-01-02-03",
            "/pxelinux.cfg/52-54-00-01-02-03",
            "52:54:00:01:02:03.conf",
            "grub.cfg-01-52-54-00-01-02-03",
        ] {
            assert_eq!(mac_in(path), mac, "{path}");
        }
        for path in [
            "pxelinux.cfg/default",
            "u/config",
            "",
            "é-54-00-01-02-03-04",
        ] {
            assert_eq!(mac_in(path), None, "{path}");
        }
    }
}
