//! Corten itself, with its DHCP, TFTP and HTTP servers on the bridge, and its command line.

use crate::{
    lan::{ADDRESS, BRIDGE},
    leg::{Extra, Leg},
    program::{Daemon, command, output},
};
use anyhow::{Context, Result};
use serde_json::Value;
use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(120);

/// A kernel and its initramfs.
#[derive(Debug)]
pub(crate) struct Ramdisk {
    pub(crate) kernel: PathBuf,
    pub(crate) initramfs: PathBuf,
}

/// A service that answers.
#[derive(Debug)]
pub(crate) struct Service {
    /// None while it is dead.
    daemon: RefCell<Option<Daemon>>,
    corten: PathBuf,
    folder: PathBuf,
    _images: Daemon,
}

/// Where images are fetched from: a server that knows nothing but files.
pub(crate) const IMAGES: &str = "http://10.77.0.1:8081";
/// The service's own server for boot files, which serves ranges.
pub(crate) const HTTP: &str = "http://10.77.0.1:8080";

impl Service {
    pub(crate) fn start(
        leg: &Leg,
        corten: &Path,
        ramdisk: &Ramdisk,
        images: &Path,
        folder: &Path,
    ) -> Result<Self> {
        for root in ["http", "tftp", "data"] {
            fs::create_dir_all(folder.join(root))?;
        }
        fs::write(
            folder.join("corten.conf"),
            configuration(leg, ramdisk, folder),
        )?;
        let daemon = serve(corten, folder, "corten.log")?;
        let images = Daemon::start(
            command("python3")
                .args([
                    "-m",
                    "http.server",
                    "8081",
                    "--bind",
                    ADDRESS,
                    "--directory",
                ])
                .arg(images)
                .env("PYTHONUNBUFFERED", "1"),
            &folder.join("images.log"),
        )?;
        Ok(Self {
            daemon: RefCell::new(Some(daemon)),
            corten: corten.to_owned(),
            folder: folder.to_owned(),
            _images: images,
        })
    }

    /// The process is killed, and started again on what it left.
    pub(crate) fn is_killed_and_returns(&self) -> Result<()> {
        drop(self.daemon.borrow_mut().take());
        let again = serve(&self.corten, &self.folder, "corten-again.log")?;
        *self.daemon.borrow_mut() = Some(again);
        Ok(())
    }

    /// A command of the command line.
    pub(crate) fn cli(&self, arguments: &[&str]) -> Result<String> {
        output(
            command(&self.corten)
                .args(arguments)
                .env("OS_ENDPOINT", format!("http://{ADDRESS}:6385")),
        )
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Result<Value> {
        let text = self.cli(&[arguments, &["-f", "json"]].concat())?;
        serde_json::from_str(&text).with_context(|| format!("no JSON: {text}"))
    }
}

fn serve(corten: &Path, folder: &Path, log: &str) -> Result<Daemon> {
    let mut serve = command(corten);
    serve
        .args(["serve", "--insecure", "--config-file"])
        .arg(folder.join("corten.conf"))
        .env("CORTEN_LOG", "info,conductor=debug,boot=debug");
    let mut daemon = Daemon::start(&mut serve, &folder.join(log))?;
    daemon.says("http://", PATIENCE)?;
    Ok(daemon)
}

fn configuration(leg: &Leg, ramdisk: &Ramdisk, folder: &Path) -> String {
    let folder = folder.display();
    let (kernel, initramfs) = (ramdisk.kernel.display(), ramdisk.initramfs.display());
    // A pass of zeros can be seen from outside; where disks are large, tables and signatures only.
    let (whole, metadata) = if leg.erases_all() { (10, 0) } else { (0, 10) };
    // No disk is of the size that an agent waits for when it has no hints.
    let append = "console=ttyS0 no_timer_check panic=5 ipa-disk-wait-attempts=1";
    let kexec = leg.extra == Some(Extra::Kexec);
    let dhcp = match leg.extra {
        Some(Extra::NoDhcp | Extra::BondByNetworkData) => "off",
        _ => "server",
    };
    // Where somebody is waited for in vain, not for long.
    let patience = match leg.extra {
        Some(Extra::NoDhcp) => 60,
        Some(Extra::PowerLost) => 120,
        _ => 1800,
    };
    let old_names = leg.old_name.unwrap_or_default();
    let mut text = format!(
        "\
[DEFAULT]
my_ip = {ADDRESS}
auth_strategy = noauth
enabled_hardware_types = ipmi,redfish
enabled_drivers = {old_names}
enabled_power_interfaces = ipmitool,redfish
enabled_management_interfaces = ipmitool,redfish
enabled_boot_interfaces = pxe,ipxe,http,http-ipxe,redfish-virtual-media
enabled_deploy_interfaces = direct,ramdisk,custom-agent,iscsi
enabled_inspect_interfaces = agent,no-inspect
enabled_rescue_interfaces = agent,no-rescue
enabled_raid_interfaces = agent,redfish,no-raid
enabled_console_interfaces = ipmitool-socat,no-console
enabled_network_interfaces = noop
default_inspect_interface = agent
default_rescue_interface = agent
default_raid_interface = agent
default_deploy_interface = direct

[api]
host_ip = {ADDRESS}
port = 6385
public_endpoint = http://{ADDRESS}:6385

[service_catalog]
endpoint_override = http://{ADDRESS}:6385

[conductor]
automated_clean = true
inspect_wait_timeout = {patience}
deploy_callback_timeout = {patience}
check_provision_state_interval = 10
deploy_kernel = file://{kernel}
deploy_ramdisk = file://{initramfs}
file_url_allowed_paths = /

[deploy]
http_root = {folder}/http
iso_master_path = {folder}/data/iso
http_url = http://{ADDRESS}:8080
erase_devices_priority = {whole}
erase_devices_metadata_priority = {metadata}
shred_random_overwrite_iterations = 0
shred_final_overwrite_with_zeros = true

[pxe]
tftp_root = {folder}/tftp
tftp_master_path = {folder}/data/masters
images_path = {folder}/data/images
instance_master_path = {folder}/data/instances
tftp_server = {ADDRESS}
kernel_append_params = {append}
loader_file_paths = undionly.kpxe:/usr/lib/ipxe/undionly.kpxe,snponly.efi:/usr/lib/ipxe/snponly.efi,pxelinux.0:/usr/lib/PXELINUX/pxelinux.0,ldlinux.c32:/usr/lib/syslinux/modules/bios/ldlinux.c32,chain.c32:/usr/lib/syslinux/modules/bios/chain.c32,libcom32.c32:/usr/lib/syslinux/modules/bios/libcom32.c32,libutil.c32:/usr/lib/syslinux/modules/bios/libutil.c32,bootx64.efi:/usr/lib/shim/shimx64.efi.signed,grubx64.efi:/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed

[agent]
enable_bios_bootloader_install = true

[redfish]
kernel_append_params = {append}
use_swift = false

[corten]
data_dir = {folder}/data
tftp_listen = {ADDRESS}:69
http_listen = {ADDRESS}:8080
dhcp = {dhcp}
dhcp_networks = 10.77.0.0/24 interface={BRIDGE} range=10.77.0.100-10.77.0.199
"
    );
    if kexec {
        text += "kexec = true\n";
    }
    if leg.extra == Some(Extra::BashRamdisk) {
        text += "legacy_ramdisk = true\n";
    }
    if !leg.boots_by_network() {
        // The machine boots without us, and wants an address all the same.
        text += "dhcp_others = address\n";
    }
    text
}
