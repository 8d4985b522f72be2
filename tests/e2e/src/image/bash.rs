//! The bash ramdisk of releases up to 5: the scripts of diskimage-builder as they were, with
//! busybox, bash, curl and tgt of today.

use super::{initrd, kernel::Kernel};
use crate::program::run;
use anyhow::{Context, Result};
use std::{collections::BTreeMap, fs, path::Path};

/// The parts of its init, in the order of diskimage-builder.
const PARTS: &[&str] = &[
    "ramdisk-base/extra-data.d/scripts/init",
    "ramdisk/init.d/10-start-base-system",
    "ramdisk-base/init.d/20-init-variables",
    "ramdisk/init.d/30-start-network",
    "ramdisk-base/init.d/40-check-network-ready",
    "deploy-ironic/init.d/70-ironic-root-device",
    "deploy-ironic/init.d/80-deploy-ironic",
    "ramdisk-base/extra-data.d/scripts/init-end",
];

/// What the scripts call besides busybox.
const PROGRAMS: &[&str] = &[
    "/usr/bin/bash",
    "/usr/bin/curl",
    "/usr/bin/lsblk",
    "/usr/sbin/ip",
    "/usr/sbin/tgtadm",
    "/usr/sbin/tgtd",
];

const MODULES: &[&str] = &[
    "virtio_pci",
    "virtio_blk",
    "virtio_net",
    "crc32c_generic",
    "ext4",
];

pub(super) fn write(path: &Path, kernel: &Kernel) -> Result<()> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = tests.join("../peers/with-diskimage-builder");
    let elements = run(&script.display().to_string(), &[])?;
    let elements = Path::new(elements.trim());
    let mut text = String::new();
    for part in PARTS {
        let part = elements.join(part);
        text += &fs::read_to_string(&part).with_context(|| part.display().to_string())?;
        text += "\n";
    }
    let init = path.with_extension("init");
    fs::write(&init, text)?;
    let mut files = BTreeMap::new();
    for (place, from) in [
        ("init", tests.join("image/bash-start")),
        ("deploy-init", init),
        ("bin/busybox", initrd::busybox()?),
        (
            "init-func",
            elements.join("ramdisk-base/extra-data.d/scripts/d/init-func"),
        ),
        (
            "iscsi-func",
            elements.join("deploy-tgtadm/extra-data.d/scripts/iscsi-func"),
        ),
    ] {
        files.insert(place.to_owned(), from);
    }
    for program in PROGRAMS {
        initrd::add_program(&mut files, program).with_context(|| {
            format!("{program} is needed (on Debian: apt-get install tgt curl)")
        })?;
    }
    initrd::add_modules(&mut files, kernel, MODULES)?;
    initrd::pack(path, &files)
}
