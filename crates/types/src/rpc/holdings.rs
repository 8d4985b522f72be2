//! What a conductor holds on its disks and in its networks: cached images, leases, boot files.

use crate::{NodeId, Timestamp, port::MacAddress};
use serde::{Deserialize, Serialize};

/// The caches of images of a conductor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageCaches {
    pub caches: Vec<ImageCache>,
}

/// One of its caches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageCache {
    /// `instance`, `boot` or `iso`.
    pub purpose: String,
    pub folder: String,
    /// All files together.
    pub bytes: u64,
    pub most_bytes: u64,
    /// How long a file is kept that nobody uses.
    pub ttl_s: u64,
    /// What is left on its disk.
    pub free_bytes: Option<u64>,
    pub files: u64,
    /// The largest files.
    pub copies: Vec<CachedCopy>,
    pub downloads: Vec<CacheDownload>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedCopy {
    /// Its name in the folder.
    pub file: String,
    /// Where it came from, if that was noted. No passwords.
    pub source: Option<String>,
    pub bytes: u64,
    pub fetched_at: Option<Timestamp>,
    pub used_at: Option<Timestamp>,
    /// How many links to it there are: one for each node that has it now.
    pub users: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheDownload {
    pub source: String,
    pub since: Timestamp,
    pub bytes: u64,
    pub total: Option<u64>,
}

/// Which leases and published nodes are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootWish {
    /// Only those with this part in an address, a MAC address or a node.
    pub text: Option<String>,
    pub offset: u32,
    pub limit: u32,
}

/// The boot services of a conductor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootReport {
    pub services: Vec<BootService>,
    pub networks: Vec<BootNetwork>,
    /// How many fit, and those that were wanted.
    pub leases_total: u64,
    pub leases: Vec<BootLease>,
    pub published_total: u64,
    pub published: Vec<PublishedNode>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootService {
    /// `dhcp4`, `dhcp6`, `tftp` or `http`.
    pub name: String,
    pub addresses: Vec<String>,
    pub detail: String,
}

/// A network in which addresses are given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootNetwork {
    pub network: String,
    pub interface: Option<String>,
    /// First and last address that are given.
    pub range: Option<(String, String)>,
    /// How many addresses there are, and how many are in use.
    pub size: u64,
    pub used: u64,
    pub lease_seconds: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootLease {
    pub address: String,
    pub mac: MacAddress,
    /// The node that boots from here with this address.
    pub node: Option<NodeId>,
    pub until: Timestamp,
    /// `offered`, `leased` or `declined`.
    pub used: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedNode {
    pub node: NodeId,
    pub macs: Vec<MacAddress>,
    pub way: String,
    pub mode: String,
    /// What it starts, such as `agent`.
    pub starts: String,
    /// Its files, by name and where they come from.
    pub files: Vec<(String, String)>,
}
