//! Links that the kernel makes of others: bonds and VLANs.
//!
//! The numbers are those of the kernel's `if_link.h`. What is there already is changed to what is
//! wanted: loading the module of bonds makes a `bond0` by itself.

use super::{CREATE, NEW_LINK, Netlink, attribute, link_header};
use std::io;

const ADDRESS: u16 = 1;
const NAME: u16 = 3;
const LINK: u16 = 5;
const MASTER: u16 = 10;
const INFO: u16 = 18;
const INFO_KIND: u16 = 1;
const INFO_DATA: u16 = 2;

const BOND_MODE: u16 = 1;
const BOND_MIIMON: u16 = 3;
const BOND_HASH: u16 = 14;
const BOND_LACP_RATE: u16 = 21;
const LACP: u8 = 4;

const VLAN_ID: u16 = 1;

/// How a bond works; the values are the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BondOptions {
    pub mode: u8,
    /// Milliseconds.
    pub miimon: u32,
    pub hash: Option<u8>,
    pub is_fast: bool,
}

impl Netlink {
    /// Makes a bond without members.
    pub fn add_bond(
        &mut self,
        name: &str,
        mac: Option<[u8; 6]>,
        options: BondOptions,
    ) -> io::Result<()> {
        let mut data = Vec::new();
        attribute(&mut data, BOND_MODE, &[options.mode]);
        attribute(&mut data, BOND_MIIMON, &options.miimon.to_ne_bytes());
        if let Some(hash) = options.hash {
            attribute(&mut data, BOND_HASH, &[hash]);
        }
        if options.mode == LACP {
            attribute(&mut data, BOND_LACP_RATE, &[u8::from(options.is_fast)]);
        }
        let mut body = named(name, mac);
        info(&mut body, "bond", &data);
        self.ask(NEW_LINK, CREATE, &body)
    }

    /// Makes a link of a tagged network.
    pub fn add_vlan(
        &mut self,
        name: &str,
        parent: u32,
        id: u16,
        mac: Option<[u8; 6]>,
    ) -> io::Result<()> {
        let mut data = Vec::new();
        attribute(&mut data, VLAN_ID, &id.to_ne_bytes());
        let mut body = named(name, mac);
        attribute(&mut body, LINK, &parent.to_ne_bytes());
        info(&mut body, "vlan", &data);
        self.ask(NEW_LINK, CREATE, &body)
    }

    /// Makes a link, which has to be down, a member of a bond. The bond switches it on.
    pub fn set_master(&mut self, index: u32, master: u32) -> io::Result<()> {
        let mut body = link_header(index, 0, 0);
        attribute(&mut body, MASTER, &master.to_ne_bytes());
        self.ask(NEW_LINK, 0, &body)
    }
}

fn named(name: &str, mac: Option<[u8; 6]>) -> Vec<u8> {
    let mut body = link_header(0, 0, 0);
    attribute(&mut body, NAME, &[name.as_bytes(), &[0]].concat());
    if let Some(mac) = mac {
        attribute(&mut body, ADDRESS, &mac);
    }
    body
}

fn info(body: &mut Vec<u8>, kind: &str, data: &[u8]) {
    let mut info = Vec::new();
    attribute(&mut info, INFO_KIND, kind.as_bytes());
    attribute(&mut info, INFO_DATA, data);
    attribute(body, INFO, &info);
}
