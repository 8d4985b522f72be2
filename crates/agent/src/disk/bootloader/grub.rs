//! GRUB of the image, run within the image.
//!
//! This runs programs that whoever made the image wrote, as root of the ramdisk, so it is refused
//! unless the operator allowed it. Everything that GRUB's scripts want to see is mounted into the
//! image for the time being; the links to disks by id, which udev would make, are made here, because
//! without them the scripts would write names of disks into the menu.

use super::{Request, adopt};
use crate::{
    AgentError,
    config::Config,
    disk::{
        nodes, sys,
        volume::{self, Volume},
    },
    exec,
    mount::{Mounted, Use},
    safety::Permit,
};
use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::process::Command;

/// Slow disks and many kernels take a while.
const PATIENCE: Duration = Duration::from_secs(900);
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

pub(super) async fn install(
    permit: &Permit,
    device: &Path,
    root: &str,
    request: &Request,
    config: &Config,
) -> Result<(), AgentError> {
    if !config.adopted.enable_bios_bootloader_install {
        return Err(AgentError::failed(
            "InvalidImage",
            "The provided image is not valid for use",
            "Install of legacy BIOS bootloaders disabled by CONF.enable_bios_bootloader_install as \
             part of CVE-2026-43003 mitigation.",
        ));
    }
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        super::failed(format!(
            "Installing GRUB2 boot loader to device {} failed: {what}: {error}",
            device.display()
        ))
    };
    let system = volume::find(device, root)?;
    let node = nodes::wait(device, system.entry.number).await?;
    let efi = match &request.efi_system_part_uuid {
        Some(id) => Some(volume::find(device, id)?),
        None => None,
    };
    link_by_ids(&config.root, &system).map_err(|error| failed("links to disks", &error))?;
    let mounted = Mounted::volume(&node, system.content.kind, Use::Run, permit)
        .map_err(|error| failed("mounting the root", &error))?;
    let inside = Inside::prepare(&mounted, efi.as_ref(), permit)
        .map_err(|error| failed("mounting what GRUB needs", &error))?;
    let base = if inside.has("usr/sbin/grub2-install") {
        "grub2"
    } else {
        "grub"
    };
    let program = format!("{base}-install");
    match (&efi, &request.prep_boot_part_uuid) {
        (Some(_), _) => {
            // Either may fail: firmware without a list of its own needs the second.
            let own = inside.run(&program, &[]).await;
            let removable = inside.run(&program, &["--removable"]).await;
            if let (Err(error), Err(_)) = (own, removable) {
                return Err(failed(&program, &error));
            }
        }
        (None, prep) => {
            let onto = match prep {
                Some(id) => volume::find(device, id)?.node,
                None => device.to_owned(),
            };
            let args = [onto.to_string_lossy().into_owned()];
            let done = inside.run(&program, &[args[0].as_str()]).await;
            done.map_err(|error| failed(&program, &error))?;
        }
    }
    let menu = format!("/boot/{base}/grub.cfg");
    let made = inside
        .run(&format!("{base}-mkconfig"), &["-o", &menu])
        .await;
    made.map_err(|error| failed("grub-mkconfig", &error))?;
    if let Some(id) = &request.efi_system_part_uuid {
        mounted
            .root()
            .and_then(|root| adopt::add_to_fstab(&root, id))
            .map_err(|error| failed("fstab", &error))?;
    }
    Ok(())
}

/// The links that tools find filesystems by.
fn link_by_ids(root: &Path, volume: &Volume) -> io::Result<()> {
    let name = volume.node.file_name().unwrap_or_default();
    let target = PathBuf::from("../..").join(name);
    let ids = [
        ("by-uuid", volume.content.uuid.clone()),
        ("by-partuuid", Some(volume.entry.id.clone())),
    ];
    for (folder, id) in ids {
        let Some(id) = id else { continue };
        let folder = root.join("dev/disk").join(folder);
        fs::create_dir_all(&folder)?;
        match symlink(&target, folder.join(id)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A mounted system with everything that its programs expect. Mounts end in the opposite order.
struct Inside<'m> {
    root: &'m Path,
    _mounts: Vec<Mounted>,
}

impl<'m> Inside<'m> {
    fn prepare(root: &'m Mounted, efi: Option<&Volume>, permit: &Permit) -> io::Result<Self> {
        let root = root.path();
        let mut mounts = Vec::new();
        for name in ["dev", "proc", "run", "sys"] {
            let source = Path::new("/").join(name);
            mounts.insert(0, Mounted::bind(&source, &root.join(name), permit)?);
        }
        if let Some(efi) = efi {
            let place = root.join("boot/efi");
            mounts.insert(0, Mounted::within(&efi.node, "vfat", &place, permit)?);
        }
        let variables = Path::new("/sys/firmware/efi/efivars");
        if variables.is_dir() {
            let place = root.join("sys/firmware/efi/efivars");
            mounts.insert(0, Mounted::bind(variables, &place, permit)?);
        }
        Ok(Self {
            root,
            _mounts: mounts,
        })
    }

    fn has(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    async fn run(&self, program: &str, args: &[&str]) -> Result<String, AgentError> {
        // The image's own programs; the path is not searched outside.
        let found = ["usr/sbin", "usr/bin", "sbin", "bin"]
            .iter()
            .map(|folder| format!("{folder}/{program}"))
            .find(|path| self.root.join(path).symlink_metadata().is_ok());
        let Some(found) = found else {
            return Err(super::failed(format!("the image has no {program}")));
        };
        let mut command = Command::new(format!("/{found}"));
        command
            .args(args)
            .env_clear()
            .env("PATH", PATH)
            .env("LC_ALL", "C")
            .env("GRUB_DISABLE_OS_PROBER", "true")
            .env("GRUB_SAVEDEFAULT", "true");
        sys::within_root(&mut command, self.root);
        exec::run_prepared(command, &format!("{program} {}", args.join(" ")), PATIENCE).await
    }
}
