//! Booting over the network.

use crate::{HostAddress, Seconds, choice::IpVersion, section::section};
use std::{collections::BTreeMap, path::PathBuf};

section! {
    /// PXE and iPXE.
    Pxe = "pxe" {
        /// Kernel parameters of ramdisks booted over the network.
        acts kernel_append_params: String = "nofb vga=normal",
        /// File system of ephemeral partitions that name none.
        acts default_ephemeral_format: String = "ext4",
        /// Folder for images of nodes.
        acts images_path: PathBuf = "$corten.data_dir/node-images",
        /// Folder for cached images of instances; none are cached if empty.
        acts instance_master_path: PathBuf = "$corten.data_dir/cache/images",
        /// Largest size of that cache in MiB.
        acts image_cache_size: i64 = "20480",
        /// How many minutes unused images stay there.
        acts image_cache_ttl: i64 = "10080",
        /// Template for PXE; built in if unset.
        acts pxe_config_template: Option<PathBuf>,
        /// Template for iPXE; built in if unset.
        acts ipxe_config_template: Option<PathBuf>,
        /// Template for GRUB; built in if unset.
        acts uefi_pxe_config_template: Option<PathBuf>,
        /// Templates by CPU architecture.
        acts pxe_config_template_by_arch: BTreeMap<String, String>,
        /// Address of the TFTP server.
        acts tftp_server: HostAddress = "$my_ip",
        /// Folder of the TFTP server; `/tftpboot` if a file leaves serving to another program.
        acts tftp_root: PathBuf = "$corten.data_dir/tftp",
        /// Folder for cached kernels and ramdisks; none are cached if empty.
        acts tftp_master_path: PathBuf = "$corten.data_dir/cache/boot",
        /// Mode of folders made there, as a decimal number; that of the process if unset.
        acts dir_permission: Option<u32>,
        /// Mode of files made there, as a decimal number (420 is 0644).
        acts file_permission: u32 = "420",
        /// Boot file of BIOS machines for PXE.
        acts pxe_bootfile_name: String = "pxelinux.0",
        /// Folder below `tftp_root` for the configurations of nodes.
        acts pxe_config_subdir: String = "pxelinux.cfg",
        /// Boot file of UEFI machines for PXE.
        acts uefi_pxe_bootfile_name: String = "bootx64.efi",
        /// Boot file of BIOS machines for iPXE.
        acts ipxe_bootfile_name: String = "undionly.kpxe",
        /// Boot file of UEFI machines for iPXE.
        acts uefi_ipxe_bootfile_name: String = "snponly.efi",
        /// Boot files for PXE by CPU architecture.
        acts pxe_bootfile_name_by_arch: BTreeMap<String, String>,
        /// Boot files for iPXE by CPU architecture.
        acts ipxe_bootfile_name_by_arch: BTreeMap<String, String>,
        /// Script that every iPXE client starts with; built in if unset.
        acts ipxe_boot_script: Option<PathBuf>,
        /// Script for machines that nothing else is known about.
        acts ipxe_fallback_script: Option<String>,
        /// Time-out of downloads by iPXE; zero leaves it to iPXE.
        acts ipxe_timeout: Seconds = "0",
        /// After how long a machine that did not boot is booted again; never if unset.
        acts boot_retry_timeout: Option<Seconds> [60..],
        /// How often such machines are looked for.
        acts boot_retry_check_interval: Seconds [1..] = "90",
        /// IP version for network boot; no longer used upstream.
        warns("Ironic does not apply it either; the addresses of the network decide")
        ip_version: IpVersion = "4",
        /// Let iPXE fetch images from Swift.
        acts ipxe_use_swift: bool = "false",
        /// Write a configuration that boots the disk, for machines that insist on the network.
        acts enable_netboot_fallback: bool = "false",
        /// Boot loaders to copy into the served folders, as `name in folder:path of the file`.
        acts loader_file_paths: BTreeMap<String, String>,
        /// Template of the GRUB configuration read first; built in if unset.
        acts initial_grub_template: Option<PathBuf>,
        /// Let nodes name their own template.
        stops("nodes cannot name templates of their own; remove the option")
        enable_insecure_template_override: bool = "false",
    }
}

section! {
    /// Which DHCP server answers machines.
    Dhcp = "dhcp" {
        /// The DHCP provider: neutron, dnsmasq or none.
        acts dhcp_provider: String = "neutron",
    }
}

section! {
    /// A dnsmasq that is told about nodes by files.
    Dnsmasq = "dnsmasq" {
        /// Folder for options of nodes.
        acts dhcp_optsdir: PathBuf = "/etc/dnsmasq.d/optsdir.d",
        /// Folder for hosts.
        acts dhcp_hostsdir: PathBuf = "/etc/dnsmasq.d/hostsdir.d",
        /// File of leases.
        acts dhcp_leasefile: PathBuf = "/var/lib/dnsmasq/dnsmasq.leases",
    }
}

section! {
    /// Which machines the DHCP server for inspection answers.
    PxeFilter = "pxe_filter" {
        /// Folder for hosts of dnsmasq.
        acts dhcp_hostsdir: Option<PathBuf>,
        /// Inspect interfaces of nodes that are let through.
        acts supported_inspect_interfaces: Vec<String> = "agent",
        /// How often the folder is brought up to date.
        acts sync_period: Seconds = "45",
    }
}
