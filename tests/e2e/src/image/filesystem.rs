//! A single filesystem with what makes a disk bootable: kernel, GRUB's installer, and the files of
//! an EFI system partition.
//!
//! The installer is run by the agent inside the image, as for any distribution. What writes its
//! configuration is a script of our own, since the one of Debian needs half a system.

use super::{KERNEL_PARAMETERS, initrd};
use crate::program::{command, output};
use anyhow::{Context, Result};
use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

const SIZE: &str = "72M";
const SHIM: &str = "/usr/lib/shim/shimx64.efi.signed";
const SIGNED_GRUB: &str = "/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed";

pub(super) fn write(image: &Path, folder: &Path, kernel: &Path, initrd: &Path) -> Result<()> {
    let root = folder.join("root");
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    let mut files = BTreeMap::new();
    for program in [
        "/bin/busybox",
        "/usr/sbin/grub-install",
        "/usr/bin/grub-mkimage",
    ] {
        initrd::add_program(&mut files, program).or_else(|error| {
            // ldd has nothing to say about a static program.
            if program == "/bin/busybox" {
                Ok(())
            } else {
                Err(error)
            }
        })?;
    }
    for module in fs::read_dir("/usr/lib/grub/i386-pc").context("grub-pc-bin is needed")? {
        let path = module?.path();
        files.insert(
            path.to_string_lossy().trim_start_matches('/').to_owned(),
            path,
        );
    }
    let mut put = |place: &str, from: &Path| files.insert(place.to_owned(), from.to_owned());
    put("boot/vmlinuz", kernel);
    put("boot/initrd.img", initrd);
    put("boot/efi/EFI/BOOT/BOOTX64.EFI", Path::new(SHIM));
    put("boot/efi/EFI/BOOT/grubx64.efi", Path::new(SIGNED_GRUB));
    for (place, from) in &files {
        let to = root.join(place);
        fs::create_dir_all(to.parent().context("no folder")?)?;
        fs::copy(from, &to).with_context(|| from.display().to_string())?;
    }
    for empty in [
        "dev",
        "proc",
        "sys",
        "run",
        "tmp",
        "etc",
        "boot/grub",
        "boot/efi/EFI/debian",
    ] {
        fs::create_dir_all(root.join(empty))?;
    }
    fs::write(root.join("etc/e2e-root"), "")?;
    let config = format!(
        "search --file --set=root /etc/e2e-root\n\
         linux /boot/vmlinuz {KERNEL_PARAMETERS}\n\
         initrd /boot/initrd.img\n\
         boot\n"
    );
    fs::write(root.join("boot/efi/EFI/debian/grub.cfg"), &config)?;
    fs::write(root.join("boot/grub/grub.cfg.in"), &config)?;
    fs::create_dir_all(root.join("bin"))?;
    symlink("busybox", root.join("bin/sh"))?;
    for (place, script) in [
        (
            "usr/sbin/grub-mkconfig",
            "#!/bin/sh\n\
             # grub-mkconfig -o FILE\n\
             exec /bin/busybox cp /boot/grub/grub.cfg.in \"$2\"\n",
        ),
        // The bash ramdisk asks for it by name.
        ("bin/bash", "#!/bin/sh\nexec /bin/sh \"$@\"\n"),
    ] {
        let path = root.join(place);
        fs::write(&path, script)?;
        fs::set_permissions(&path, Permissions::from_mode(0o755))?;
    }
    let _ = fs::remove_file(image);
    output(
        command("mkfs.ext4")
            .args(["-q", "-L", "e2e-root", "-d"])
            .arg(&root)
            .arg(image)
            .arg(SIZE),
    )?;
    fs::remove_dir_all(root)?;
    Ok(())
}
