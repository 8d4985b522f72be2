//! The two images: a disk that both firmwares boot, and the root filesystem alone.
//!
//! The disk has GRUB for a BIOS in a partition of its own, an EFI system partition with kernel and
//! initramfs, from which either GRUB starts, and the root last, so that it can grow. The filesystem
//! alone brings what makes a disk bootable once it is on one: the loaders of an EFI system partition
//! where agents look for them, and GRUB's installer for a BIOS.

use super::{
    MIB, System,
    grub::{self, Loaders},
};
use crate::{
    tools::{Kit, Tool},
    tree::Tree,
};
use anyhow::ensure;
use proto::{
    disk::{
        gpt::{Gpt, Guid, kind},
        mbr::Mbr,
    },
    fat::Fat,
    volume::{self, Content, Segment, Stamp},
};

const SECTOR: u64 = 512;
const ALIGN: u64 = MIB / SECTOR;
/// What Debian's GRUB reads on the EFI system partition that it was started from.
const EFI_MENU: &str = "EFI/debian/grub.cfg";

/// As GRUB names the EFI system partition.
pub(super) fn esp_uuid(system: &System<'_>) -> String {
    let serial = system.ids.serial();
    format!("{:04X}-{:04X}", serial >> 16, serial & 0xffff)
}

/// What GRUB is told; `folder` is where kernel and initramfs are.
fn menu(system: &System<'_>, uuid: &str, folder: &str) -> String {
    format!(
        "search --no-floppy --fs-uuid --set=root {uuid}\n\
         linux {folder}/vmlinuz {}\n\
         initrd {folder}/initrd.img\n\
         boot\n",
        system.parameters()
    )
}

/// The parts of the whole disk, in order.
pub(super) fn segments(system: &System<'_>, loaders: &Loaders) -> anyhow::Result<Vec<Segment>> {
    let esp = esp(system, loaders)?;
    let root = system.root(&Tree::default())?;
    let length = |segments: &[Segment]| segments.iter().map(Segment::length).sum::<u64>();
    let id = |purpose: &str| Guid::from_uuid(system.ids.uuid(purpose));
    let room = [MIB, MIB, length(&esp), length(&root), MIB];
    let sectors = room.iter().sum::<u64>() / SECTOR;
    let mut gpt = Gpt::create(id("disk"), 512, sectors)?;
    let mut add =
        |kind: Guid, name: &str, bytes: u64| gpt.add(kind, id(name), name, bytes / SECTOR, ALIGN);
    let mut parts = Vec::new();
    let mut first_sector = None;
    if let Some(bios) = &loaders.bios {
        add(kind::BIOS_BOOT, "bios-boot", MIB)?;
        let (code, core) = bios.placed(ALIGN)?;
        ensure!(core.len() as u64 <= MIB, "GRUB is too large");
        first_sector = Some(code);
        parts.push((MIB, vec![Segment::Bytes(core)]));
    }
    add(kind::EFI_SYSTEM, "efi-system", length(&esp))?;
    add(kind::LINUX, "root", length(&root))?;
    let place = |name: &str| {
        let found = gpt.partitions.values().find(|part| part.name == name);
        found.map_or(0, |part| part.first * SECTOR)
    };
    parts.extend([(place("efi-system"), esp), (place("root"), root)]);
    for part in gpt.encode() {
        let mut bytes = part.bytes;
        if part.sector == 0 {
            let mut mbr = Mbr::decode(&bytes)?;
            mbr.code = first_sector.unwrap_or(mbr.code);
            bytes = mbr.encode().to_vec();
        }
        parts.push((part.sector * SECTOR, vec![Segment::Bytes(bytes)]));
    }
    parts.sort_by_key(|(at, _)| *at);
    let mut whole = Vec::new();
    let mut at = 0;
    for (start, segments) in parts {
        whole.push(Segment::Zeros(start - at));
        at = start + length(&segments);
        whole.extend(segments);
    }
    whole.push(Segment::Zeros(sectors * SECTOR - at));
    Ok(whole)
}

fn esp(system: &System<'_>, loaders: &Loaders) -> anyhow::Result<Vec<Segment>> {
    let menu = menu(system, &esp_uuid(system), "").into_bytes();
    let mut tree = volume::Tree::new();
    for (path, bytes) in &loaders.efi {
        tree.add(path, Content::Bytes(bytes.clone()))?;
    }
    if loaders.bios.is_some() {
        tree.add("grub/grub.cfg", Content::Bytes(menu.clone()))?;
    }
    for (path, bytes) in [
        (EFI_MENU, menu),
        ("vmlinuz", system.kernel.image.clone()),
        ("initrd.img", system.initramfs.clone()),
    ] {
        tree.add(path, Content::Bytes(bytes))?;
    }
    let fat = Fat {
        label: "EFI".to_owned(),
        serial: system.ids.serial(),
        stamp: Stamp::default(),
        ..Fat::default()
    };
    Ok(fat.layout(&tree)?.segments().to_vec())
}

/// The parts of the filesystem alone, in order.
pub(super) fn partition(
    system: &System<'_>,
    loaders: &Loaders,
    kit: &mut Kit<'_>,
) -> anyhow::Result<Vec<Segment>> {
    let menu = menu(system, &system.root_uuid(), "/boot").into_bytes();
    let mut tree = system.tree.clone();
    if loaders.bios.is_some() {
        for tool in [
            Tool::new("grub2-common", &["/usr/sbin/grub-install"]),
            Tool::new("grub-common", &["/usr/bin/grub-mkimage"]),
        ] {
            kit.add(&tool, &mut tree)?;
        }
        let modules = grub::modules(kit)?;
        for (path, node) in modules.iter() {
            tree.put(path, node.clone());
        }
        tree.file("boot/grub/grub.cfg.in", 0o644, menu.clone());
        // Debian's own needs half a system; what it would write is known.
        tree.file(
            "usr/sbin/grub-mkconfig",
            0o755,
            "#!/bin/sh\n# grub-mkconfig -o FILE\nexec cp /boot/grub/grub.cfg.in \"$2\"\n",
        );
    }
    for (path, bytes) in &loaders.efi {
        tree.file(&format!("boot/efi/{path}"), 0o644, bytes.clone());
    }
    tree.file(&format!("boot/efi/{EFI_MENU}"), 0o644, menu);
    tree.file("boot/vmlinuz", 0o644, system.kernel.image.clone());
    tree.file("boot/initrd.img", 0o644, system.initramfs.clone());
    system.root(&tree)
}
