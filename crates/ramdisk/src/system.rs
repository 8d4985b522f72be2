//! `corten image build`: a small system on a disk, and as a filesystem alone.
//!
//! The system is busybox, dropbear and some scripts (`files`), which read the config drive. It is
//! the initramfs as well as the root: the first finds the second and starts it, and runs by itself
//! where there is none. Files are written by [`proto::ext4`] and [`proto::fat`], so neither root nor
//! a block device is needed, and nothing depends on who builds where and when.

mod disk;
mod grub;

use crate::{
    Architecture, BuildImage, ImageFormat, add_kernel, add_keys, add_parts,
    deb::file_sha256,
    kernel::Kernel,
    listed, megabytes, pack, packages, profile, sha256, skeleton,
    tools::{Kit, Tool},
    tree::{Node, Tree},
    write, write_manifest,
};
use anyhow::Context as _;
use image::media;
use proto::{
    disk::gpt::Guid,
    ext4::{self, Ext4},
    volume::Segment,
};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, fs};

/// Path, mode and text of what makes the packages a system.
const FILES: &[(&str, u32, &str)] = &[
    ("etc/inittab", 0o644, include_str!("system/files/inittab")),
    ("etc/hostname", 0o644, "corten\n"),
    ("etc/issue", 0o644, "\\n \\l\n"),
    (
        "etc/acpi/PWRF/00000080",
        0o755,
        "#!/bin/sh\nexec poweroff\n",
    ),
    (
        "usr/lib/corten/init",
        0o755,
        include_str!("system/files/init"),
    ),
    (
        "usr/lib/corten/drivers",
        0o755,
        include_str!("system/files/drivers"),
    ),
    (
        "usr/lib/corten/start",
        0o755,
        include_str!("system/files/start"),
    ),
    (
        "usr/lib/corten/login",
        0o755,
        include_str!("system/files/login"),
    ),
    (
        "usr/lib/corten/network",
        0o755,
        include_str!("system/files/network"),
    ),
    (
        "usr/lib/corten/dhcp",
        0o755,
        include_str!("system/files/dhcp"),
    ),
    (
        "usr/lib/corten/json.awk",
        0o644,
        include_str!("system/files/json.awk"),
    ),
];

/// Programs of busybox beside those that ramdisks have.
const APPLETS: &[&str] = &[
    "acpid",
    "findfs",
    "ifconfig",
    "modprobe",
    "switch_root",
    "sysctl",
    "udhcpc",
    "usleep",
];

/// Of all files: none later than the format of the oldest filesystem in an image can tell.
const TIME: u32 = 315_532_800;
const MIB: u64 = 1 << 20;

/// What is on the images, and how they are told apart.
struct System<'a> {
    args: &'a BuildImage,
    architecture: Architecture,
    tree: Tree,
    kernel: Kernel,
    initramfs: Vec<u8>,
    ids: Ids,
}

/// Ids that depend on nothing but the contents.
struct Ids {
    seed: [u8; 32],
}

impl Ids {
    fn uuid(&self, purpose: &str) -> [u8; 16] {
        let hash = Sha256::new().chain_update(self.seed).chain_update(purpose);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        // Version 8, whose contents are anybody's (RFC 9562 §5.8).
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        bytes
    }

    /// For filesystems whose ids are shorter.
    fn serial(&self) -> u32 {
        let [a, b, c, d, ..] = self.uuid("esp");
        u32::from_be_bytes([a, b, c, d])
    }
}

/// Builds the images, and says by `note` what went in.
pub fn build_image(args: &BuildImage, note: impl Fn(&str)) -> anyhow::Result<()> {
    let parts = &args.parts;
    let architecture = parts.architecture();
    let mut apt = packages(parts, architecture)?;
    let mut tree = Tree::default();
    skeleton(&mut tree);
    for (path, mode, text) in FILES {
        tree.file(path, *mode, *text);
    }
    tree.link("etc/resolv.conf", "../run/resolv.conf");
    let (package, kernel) = add_kernel(parts, &mut apt, &mut tree, &note)?;
    add_module_lists(&kernel, &mut tree);
    let mut kit = Kit::new(&mut apt);
    kit.packages.insert(package.name().to_owned(), package);
    for tool in [
        Tool::new("busybox-static", &["/bin/busybox"]),
        Tool::new("dropbear-bin", &["/usr/sbin/dropbear"]),
    ] {
        kit.add(&tool, &mut tree)?;
    }
    for applet in profile::APPLETS.iter().chain(APPLETS) {
        let path = format!("usr/bin/{applet}");
        if tree.get(&path).is_none() {
            tree.link(&path, "busybox");
        }
    }
    // Where the kernel looks for them.
    for program in ["init", "modprobe", "poweroff", "reboot"] {
        tree.link(&format!("sbin/{program}"), "../bin/busybox");
    }
    add_parts(parts, &mut kit, &mut tree)?;
    add_keys(&args.key, &mut tree)?;

    let mut early = tree.clone();
    early.link("init", "usr/lib/corten/init");
    early.put("sysroot", Node::Folder(0o755));
    let initramfs = pack::pack(&early.archive()?, parts.packing(), architecture)?;
    let seed = Sha256::new()
        .chain_update(&kernel.image)
        .chain_update(&initramfs)
        .chain_update(&args.parameters);
    let ids = Ids {
        seed: seed.finalize().into(),
    };
    let system = System {
        args,
        architecture,
        tree,
        kernel,
        initramfs,
        ids,
    };
    let loaders = grub::loaders(&system, &mut kit)?;

    fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create {}", args.output.display()))?;
    let mut files = BTreeMap::new();
    for (name, segments) in [
        ("disk", disk::segments(&system, &loaders)?),
        ("partition", disk::partition(&system, &loaders, &mut kit)?),
    ] {
        let raw = args.output.join(format!("{name}.raw"));
        media::write_file(&segments, &media::Files::new(), &raw)?;
        for format in [ImageFormat::Raw, ImageFormat::Qcow2] {
            let path = raw.with_extension(format.as_str());
            let wanted = args.format.contains(&format);
            if wanted && format == ImageFormat::Qcow2 {
                image::qcow2::write(&raw, &path)?;
            }
            if wanted {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                files.insert(file.into_owned(), file_sha256(&path)?);
            }
        }
        if !args.format.contains(&ImageFormat::Raw) {
            fs::remove_file(&raw)?;
        }
    }
    for (name, bytes) in [
        ("kernel", &system.kernel.image),
        ("initramfs", &system.initramfs),
    ] {
        write(&args.output.join(name), bytes)?;
        files.insert(name.to_owned(), sha256(bytes));
    }
    let manifest = json!({
        "profile": parts.profile.as_str(),
        "architecture": architecture.as_str(),
        "kernel": system.kernel.release,
        "root_uuid": system.root_uuid(),
        "parameters": system.parameters(),
        "files": files,
        "packages": listed(&kit)?,
        "modules": system.kernel.modules(),
    });
    write_manifest(&args.output, &manifest)?;
    note(&format!(
        "{}: kernel {}, initramfs {:.1} MB, {}",
        args.output.display(),
        system.kernel.release,
        megabytes(system.initramfs.len()),
        files.into_keys().collect::<Vec<_>>().join(", "),
    ));
    Ok(())
}

impl System<'_> {
    fn root_uuid(&self) -> String {
        Guid::from_uuid(self.ids.uuid("root")).to_string()
    }

    /// What boot loaders hand to the kernel. The serial console comes last, so it is the one that
    /// programs write to.
    fn parameters(&self) -> String {
        let serial = match self.architecture {
            Architecture::Amd64 => "ttyS0",
            Architecture::Arm64 => "ttyAMA0",
        };
        let own = format!(
            "root=UUID={} console=tty0 console={serial},115200",
            self.root_uuid()
        );
        format!("{own} {}", self.args.parameters)
            .trim_end()
            .to_owned()
    }

    /// The root filesystem, with these files beside those of the system.
    fn root(&self, more: &Tree) -> anyhow::Result<Vec<Segment>> {
        let mut nodes = BTreeMap::new();
        let mut bytes = 0;
        for (path, node) in self.tree.iter().chain(more.iter()) {
            let mode = |mode: u32| u16::try_from(mode & 0o7777).unwrap_or(0o644);
            let short = |value: u32| u8::try_from(value).context("no such device");
            let node = match node {
                Node::Folder(folder) => ext4::Node::Folder {
                    mode: mode(*folder),
                },
                Node::File { mode: file, data } => {
                    bytes += (data.len() as u64).next_multiple_of(4096);
                    ext4::Node::File {
                        mode: mode(*file),
                        data: data.clone(),
                    }
                }
                Node::Link(target) => ext4::Node::Link(target.clone()),
                Node::Device(major, minor) => ext4::Node::Device(short(*major)?, short(*minor)?),
            };
            nodes.insert(path.to_owned(), node);
        }
        // Tables and journal, and a block for each folder and long link.
        let overhead = 6 * MIB + bytes / 32 + 4096 * nodes.len() as u64;
        let size = bytes + overhead + u64::from(self.args.free) * MIB;
        let filesystem = Ext4 {
            label: "root".to_owned(),
            uuid: self.ids.uuid("root"),
            time: TIME,
            size: size.next_multiple_of(ext4::STEP).max(8 * ext4::STEP),
        };
        Ok(filesystem.layout(&nodes)?)
    }
}

/// The lists that `modprobe` reads, as depmod would make them.
fn add_module_lists(kernel: &Kernel, tree: &mut Tree) {
    let folder = format!("usr/lib/modules/{}", kernel.release);
    let index = &kernel.index;
    let place = |name: &str| {
        let path = index.modules.get(name).map_or("", |module| &module.path);
        path.strip_prefix(&folder)
            .unwrap_or(path)
            .trim_start_matches('/')
            .to_owned()
    };
    let mut needs = String::new();
    for name in index.modules.keys() {
        let order = index.order(name);
        let before = order.iter().rev().skip(1).map(|need| place(need));
        let before: Vec<String> = before.collect();
        needs += format!("{}: {}", place(name), before.join(" ")).trim_end();
        needs.push('\n');
    }
    let mut aliases = String::new();
    for (name, pattern) in &index.aliases {
        aliases += &format!("alias {pattern} {name}\n");
    }
    tree.file(&format!("{folder}/modules.dep"), 0o644, needs);
    tree.file(&format!("{folder}/modules.alias"), 0o644, aliases);
}

#[cfg(test)]
mod tests;
