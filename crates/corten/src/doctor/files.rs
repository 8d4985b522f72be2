//! Boot loaders and the ramdisk: whether the files that machines are handed are there.

use super::Finding;
use crate::settings;
use ::boot::Settings as BootSettings;
use config::Config;
use std::{collections::BTreeSet, path::Path};

const LOADERS: &str = "boot loaders";
const RAMDISK: &str = "ramdisk";

const PACKAGES: &str = "on Debian: apt install ipxe pxelinux syslinux-common shim-signed grub-efi-amd64-signed; then \
     name the files in [pxe]loader_file_paths (docs/operate/boot.md)";

pub(super) fn check(config: &Config, boot: Option<&BootSettings>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(boot) = boot {
        findings.push(loaders(config, boot));
    }
    findings.push(ramdisk(config));
    findings
}

/// The loaders that machines are told to fetch, by the boot interfaces that are enabled.
fn loaders(config: &Config, boot: &BootSettings) -> Finding {
    let enabled = &config.default.enabled_boot_interfaces;
    let is_enabled = |names: &[&str]| enabled.iter().any(|name| names.contains(&name.as_str()));
    let files = &boot.files;
    let mut wanted = BTreeSet::new();
    if is_enabled(&["ipxe", "http-ipxe", "ilo-ipxe"]) {
        wanted.extend([&files.ipxe_loader, &files.uefi_ipxe_loader]);
    }
    if is_enabled(&["pxe", "http", "ilo-pxe", "irmc-pxe"]) {
        wanted.extend([&files.pxe_loader, &files.uefi_pxe_loader]);
    }
    let is_served = |name: &str| {
        files.loaders.contains_key(name)
            || files.tftp_root.join(name).is_file()
            || files.http_root.join(name).is_file()
    };
    let gone: Vec<String> = files
        .loaders
        .values()
        .filter(|path| !path.is_file())
        .map(|path| path.display().to_string())
        .collect();
    if !gone.is_empty() {
        let what = format!("not there: {}", gone.join(", "));
        return Finding::broken(LOADERS, what, PACKAGES);
    }
    let missing: Vec<&str> = wanted
        .iter()
        .map(|name| name.as_str())
        .filter(|name| !is_served(name))
        .collect();
    match missing.is_empty() {
        true => Finding::well(LOADERS, format!("{} are there", wanted.len())),
        false => Finding::broken(
            LOADERS,
            format!(
                "machines will ask for {}, which is not served",
                missing.join(", ")
            ),
            PACKAGES,
        ),
    }
}

fn ramdisk(config: &Config) -> Finding {
    let conductor = &config.conductor;
    let built = config.corten.data_dir.join(settings::RAMDISK);
    let named = [
        (conductor.deploy_kernel.as_deref(), "kernel"),
        (conductor.deploy_ramdisk.as_deref(), "initramfs"),
    ];
    let places = named.map(|(named, usual)| match named {
        Some(text) if text.starts_with("http") => None,
        Some(text) => {
            let path = text.strip_prefix("file://").unwrap_or(text);
            Some(Path::new(path).to_owned())
        }
        None => Some(built.join(usual)),
    });
    let gone: Vec<String> = places
        .into_iter()
        .flatten()
        // Names that are no paths are images of Glance.
        .filter(|path| path.is_absolute() && !path.is_file())
        .map(|path| path.display().to_string())
        .collect();
    // Agents call the API, and must trust its certificate.
    let ca = config.agent.api_ca_file.as_ref();
    let ca = ca.map(|path| format!(" --ca {}", path.display()));
    let ca = ca.unwrap_or_default();
    match gone.is_empty() {
        true => Finding::well(RAMDISK, "it is there"),
        false => Finding::broken(
            RAMDISK,
            format!(
                "not there: {}; machines cannot be inspected, cleaned or deployed",
                gone.join(", ")
            ),
            format!("corten ramdisk build --output {}{ca}", built.display()),
        ),
    }
}
