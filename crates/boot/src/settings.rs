//! How the services are set up; the options of `ironic.conf` are turned into this elsewhere.

use crate::{config::operator::Templates, dhcp4, dhcp6, http, node::Artifact, tftp};
use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// Names and places of what is handed out: the sections `[pxe]` and `[deploy]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootFiles {
    /// Address or name of the TFTP server, as machines see it.
    pub tftp_server: String,
    /// The same for IPv6, if it has one.
    pub tftp_server_v6: Option<String>,
    /// Where machines see `http_root`, without a slash at the end.
    pub http_url: Option<String>,
    pub tftp_root: PathBuf,
    pub http_root: PathBuf,
    /// Folders outside the roots that links inside them may lead to.
    pub linked: Vec<PathBuf>,
    /// Mode of new folders; 0755 if there is none.
    pub dir_mode: Option<u32>,
    pub file_mode: u32,
    /// The folder of configurations that are named after MAC addresses.
    pub config_subdir: String,
    pub pxe_loader: String,
    pub uefi_pxe_loader: String,
    pub ipxe_loader: String,
    pub uefi_ipxe_loader: String,
    /// By `cpu_arch`, or by `cpu_arch-boot_mode`.
    pub pxe_loader_by_arch: BTreeMap<String, String>,
    pub ipxe_loader_by_arch: BTreeMap<String, String>,
    /// Script for machines that have no configuration.
    pub ipxe_fallback_script: Option<String>,
    /// What such machines boot to be discovered, where no script says otherwise.
    pub discovery: Option<Discovery>,
    /// How long iPXE tries to fetch something; zero leaves it to iPXE.
    pub ipxe_timeout: Duration,
    /// Loaders to copy into both roots: name there, and the file to copy.
    pub loaders: BTreeMap<String, PathBuf>,
    /// Templates of operators, instead of what is built in.
    pub templates: Templates,
}

/// A ramdisk for machines that nobody enrolled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovery {
    pub kernel: Artifact,
    pub ramdisk: Artifact,
    /// Kernel parameters.
    pub append: String,
}

/// The script with which unknown machines are discovered.
pub const DISCOVERY_SCRIPT: &str = "discovery.ipxe";

/// The script that every iPXE starts with.
pub const BOOT_SCRIPT: &str = "boot.ipxe";

impl Default for BootFiles {
    fn default() -> Self {
        let text = str::to_owned;
        Self {
            tftp_server: text("127.0.0.1"),
            tftp_server_v6: None,
            http_url: None,
            tftp_root: PathBuf::from("/tftpboot"),
            http_root: PathBuf::from("/httpboot"),
            linked: Vec::new(),
            dir_mode: None,
            file_mode: 0o644,
            config_subdir: text("pxelinux.cfg"),
            pxe_loader: text("pxelinux.0"),
            uefi_pxe_loader: text("bootx64.efi"),
            ipxe_loader: text("undionly.kpxe"),
            uefi_ipxe_loader: text("snponly.efi"),
            pxe_loader_by_arch: BTreeMap::new(),
            ipxe_loader_by_arch: BTreeMap::new(),
            ipxe_fallback_script: None,
            discovery: None,
            ipxe_timeout: Duration::ZERO,
            loaders: BTreeMap::new(),
            templates: Templates::default(),
        }
    }
}

/// Everything together. A service without settings is not started.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub files: BootFiles,
    /// Where published nodes and leases are remembered.
    pub state_dir: PathBuf,
    pub dhcp4: Option<dhcp4::Settings>,
    pub dhcp6: Option<dhcp6::Settings>,
    pub tftp: Option<tftp::Settings>,
    pub http: Option<http::Settings>,
}
