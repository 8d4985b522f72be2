//! Ramdisks and images: builds kernel and initramfs for the machines that are deployed, and small
//! systems to deploy them with ([`system`]).
//!
//! Everything comes from packages of Debian and from our agent; the archive is put together here,
//! without root, mounts or the tools of a distribution. What went in is written to a manifest, so
//! that somebody else can build the same.

mod apt;
mod args;
mod deb;
mod elf;
mod iso;
mod kernel;
mod pack;
mod profile;
mod system;
mod tar;
mod tools;
mod tree;

pub use args::{Architecture, Build, BuildImage, ImageFormat, Pack, Parts, Profile, Ramdisk};
pub use system::build_image;

use anyhow::{Context as _, bail};
use apt::Apt;
use deb::Package;
use kernel::Kernel;
use proto::modules;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::{
    env,
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
};
use tar::EntryKind;
use tools::{Kit, Tool};
use tree::{Node, Tree};
use types::hex;

/// The file by which the agent knows that it is in a ramdisk of ours.
const MARK: &str = "etc/corten-ramdisk";

/// Small files that programs expect.
const FILES: &[(&str, u32, &str)] = &[
    (
        "etc/passwd",
        0o644,
        "root:x:0:0:root:/root:/bin/sh\nrescue:x:0:0:rescue:/root:/bin/sh\n",
    ),
    ("etc/shadow", 0o600, "root:*:::::::\nrescue:!:::::::\n"),
    ("etc/group", 0o644, "root:x:0:\ntty:x:5:\n"),
    ("etc/shells", 0o644, "/bin/sh\n"),
    ("etc/hosts", 0o644, "127.0.0.1 localhost\n::1 localhost\n"),
    (
        "etc/os-release",
        0o644,
        "NAME=\"Corten ramdisk\"\nID=corten\nPRETTY_NAME=\"Corten ramdisk\"\n",
    ),
];

/// Folders that something is mounted on or put into.
const FOLDERS: &[(&str, u32)] = &[
    ("dev", 0o755),
    ("etc/dropbear", 0o755),
    ("etc/ipa-rescue-config", 0o700),
    ("mnt", 0o755),
    ("proc", 0o555),
    ("root", 0o700),
    ("run", 0o755),
    ("sys", 0o555),
    ("tmp", 0o1777),
    ("var/log", 0o755),
    ("var/tmp", 0o1777),
];

/// Builds a ramdisk, and says by `note` what went in.
pub fn build(args: &Build, note: impl Fn(&str)) -> anyhow::Result<()> {
    let parts = &args.parts;
    let architecture = parts.architecture();
    let agent = agent(args, architecture)?;
    let mut apt = packages(parts, architecture)?;

    let mut tree = Tree::default();
    skeleton(&mut tree);
    tree.file(
        MARK,
        0o644,
        "A ramdisk of Corten. Its agent may erase disks.\n",
    );
    tree.file("init", 0o755, agent.clone());
    tree.link("sbin/modprobe", "/init");
    let (package, kernel) = add_kernel(parts, &mut apt, &mut tree, &note)?;
    tree.file(modules::PATH, 0o644, kernel.index.encode());

    let mut kit = Kit::new(&mut apt);
    kit.packages.insert(package.name().to_owned(), package);
    add_programs(args, &mut kit, &mut tree)?;
    add_parts(parts, &mut kit, &mut tree)?;
    add_keys(&args.key, &mut tree)?;

    let archive = tree.archive()?;
    let how = parts.packing();
    let initramfs = pack::pack(&archive, how, architecture)?;
    fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create {}", args.output.display()))?;
    write(&args.output.join("kernel"), &kernel.image)?;
    write(&args.output.join("initramfs"), &initramfs)?;
    if let Some(parameters) = &args.iso {
        iso::write(&args.output, parameters, architecture, &mut kit)?;
    }
    let manifest = json!({
        "profile": parts.profile.as_str(),
        "architecture": architecture.as_str(),
        "kernel": {
            "release": kernel.release,
            "size": kernel.image.len(),
            "sha256": sha256(&kernel.image),
        },
        "initramfs": {
            "packing": how.as_str(),
            "size": initramfs.len(),
            "unpacked": archive.len(),
            "sha256": sha256(&initramfs),
        },
        "agent": {"size": agent.len(), "sha256": sha256(&agent)},
        "packages": listed(&kit)?,
        "modules": kernel.modules(),
    });
    write_manifest(&args.output, &manifest)?;
    note(&format!(
        "{}: kernel {} ({:.1} MB), initramfs {:.1} MB with {} modules",
        args.output.display(),
        kernel.release,
        megabytes(kernel.image.len()),
        megabytes(initramfs.len()),
        kernel.index.modules.len(),
    ));
    Ok(())
}

/// Where packages come from, with those that were given as files.
fn packages(parts: &Parts, architecture: Architecture) -> anyhow::Result<Apt> {
    let cache = parts.cache.clone().unwrap_or_else(default_cache);
    let cache = cache.join(architecture.as_str());
    let given: Vec<PathBuf> = parts
        .kernel
        .iter()
        .chain(&parts.firmware)
        .filter(|name| is_file(name))
        .map(PathBuf::from)
        .collect();
    Apt::new(&cache, architecture, parts.suite.as_deref(), &given)
}

/// Takes the kernel, and the modules that the profile and the command line ask for.
fn add_kernel(
    parts: &Parts,
    apt: &mut Apt,
    tree: &mut Tree,
    note: &impl Fn(&str),
) -> anyhow::Result<(Package, Kernel)> {
    let package = kernel_package(parts, apt)?;
    note(&format!("kernel: {} {}", package.name(), package.version()));
    let wanted = parts.profile.modules();
    let wanted: Vec<&str> = wanted
        .into_iter()
        .chain(parts.module.iter().map(String::as_str))
        .collect();
    let kernel = kernel::take(&package, &wanted, tree)?;
    Ok((package, kernel))
}

/// Adds what else was named on the command line.
fn add_parts(parts: &Parts, kit: &mut Kit<'_>, tree: &mut Tree) -> anyhow::Result<()> {
    for text in &parts.tool {
        kit.add(&Tool::parse(text)?, tree)?;
    }
    for name in &parts.firmware {
        add_firmware(name, kit, tree)?;
    }
    add_own_files(parts, tree)
}

/// The packages, for the manifest.
fn listed(kit: &Kit<'_>) -> anyhow::Result<Vec<serde_json::Value>> {
    let packages = kit.packages.values().map(|package| {
        Ok(json!({
            "name": package.name(),
            "version": package.version(),
            "architecture": package.architecture(),
            "sha256": package.sha256()?,
        }))
    });
    packages.collect()
}

fn write_manifest(folder: &Path, manifest: &serde_json::Value) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(manifest)? + "\n";
    write(&folder.join("manifest.json"), text.as_bytes())
}

fn skeleton(tree: &mut Tree) {
    tree.put_merged_links();
    for (path, mode) in FOLDERS {
        tree.put(path, Node::Folder(*mode));
    }
    for (path, mode, text) in FILES {
        tree.file(path, *mode, *text);
    }
    // The kernel opens the console before anything is mounted.
    tree.put("dev/console", Node::Device(5, 1));
}

/// Where the agent is that was installed with this program: beside it, or where packages put
/// programs that nobody calls by name.
fn installed_agent(program: &Path) -> PathBuf {
    let beside = program.with_file_name("corten-agent");
    let packaged = program
        .parent()
        .and_then(Path::parent)
        .map(|prefix| prefix.join("lib/corten/corten-agent"));
    match packaged {
        Some(packaged) if !beside.is_file() && packaged.is_file() => packaged,
        _ => beside,
    }
}

/// The agent's program; what the kernel could not start is refused here.
fn agent(args: &Build, architecture: Architecture) -> anyhow::Result<Vec<u8>> {
    let path = match &args.agent {
        Some(path) => path.clone(),
        None => installed_agent(&env::current_exe()?),
    };
    let agent = fs::read(&path)
        .with_context(|| format!("cannot read the agent {}; see --agent", path.display()))?;
    let machine = match architecture {
        Architecture::Amd64 => 62u16,
        Architecture::Arm64 => 183,
    };
    if agent.get(18..20) != Some(&machine.to_le_bytes()[..]) {
        let architecture = architecture.as_str();
        bail!(
            "the agent {} is not a program for {architecture}",
            path.display()
        );
    }
    if elf::needs(&agent).is_none_or(|needs| needs.loader.is_some()) {
        bail!("the agent {} is not statically linked", path.display());
    }
    Ok(agent)
}

fn kernel_package(parts: &Parts, apt: &mut Apt) -> anyhow::Result<Package> {
    let architecture = parts.architecture();
    let default = parts.profile.kernel_package(architecture);
    let package = match &parts.kernel {
        Some(name) if is_file(name) => Package::open(Path::new(name))?,
        Some(name) => apt.get(name)?,
        None => apt.get(&default)?,
    };
    // What stands for the newest kernel holds nothing but its name.
    let real = package.depends().into_iter().find(|name| {
        name.starts_with("linux-image-") && name.bytes().any(|byte| byte.is_ascii_digit())
    });
    let package = match real {
        Some(name) => apt.get(&name)?,
        None => package,
    };
    if package.architecture() != architecture.as_str() {
        bail!(
            "package {} is for another architecture: {}",
            package.name(),
            package.architecture()
        );
    }
    Ok(package)
}

fn add_programs(args: &Build, kit: &mut Kit<'_>, tree: &mut Tree) -> anyhow::Result<()> {
    if !args.bare {
        for tool in args.parts.profile.tools() {
            kit.add(&tool, tree)?;
        }
        for applet in profile::APPLETS {
            let path = format!("usr/bin/{applet}");
            if tree.get(&path).is_none() {
                tree.link(&path, "busybox");
            }
        }
        // Scripts and our own init call it by this name.
        tree.link("sbin/getty", "../bin/busybox");
    }
    let mut certificates = Vec::new();
    if !args.bare {
        certificates = authorities(&kit.package("ca-certificates")?)?;
    }
    for path in &args.ca {
        let pem = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
            bail!("no PEM certificate in {}", path.display());
        }
        certificates.extend(pem);
        certificates.push(b'\n');
    }
    tree.file("etc/ssl/certs/ca-certificates.crt", 0o644, certificates);
    Ok(())
}

/// The CA certificates in a package. Its examples are left out.
fn authorities(package: &Package) -> anyhow::Result<Vec<u8>> {
    const PLACE: &str = "usr/share/ca-certificates/";
    let mut certificates = Vec::new();
    package.each_file(|header, data| {
        let path = &header.path;
        if header.kind == EntryKind::File && path.starts_with(PLACE) && path.ends_with(".crt") {
            data.read_to_end(&mut certificates)?;
            certificates.push(b'\n');
        }
        Ok(())
    })?;
    Ok(certificates)
}

fn add_firmware(name: &str, kit: &mut Kit<'_>, tree: &mut Tree) -> anyhow::Result<()> {
    let package = if is_file(name) {
        Package::open(Path::new(name))?
    } else {
        kit.package(name)?
    };
    let mut count = 0;
    package.each_file(|header, data| {
        let path = tree::merged(&header.path);
        if !path.starts_with("usr/lib/firmware/") {
            return Ok(());
        }
        match &header.kind {
            EntryKind::File => {
                let mut bytes = Vec::new();
                data.read_to_end(&mut bytes)?;
                tree.file(&path, 0o644, bytes);
                count += 1;
            }
            EntryKind::Link(target) => tree.link(&path, target),
            EntryKind::Folder | EntryKind::Other => {}
        }
        Ok(())
    })?;
    if count == 0 {
        bail!("package {name} contains no firmware");
    }
    kit.packages.insert(package.name().to_owned(), package);
    Ok(())
}

fn add_own_files(parts: &Parts, tree: &mut Tree) -> anyhow::Result<()> {
    for text in &parts.file {
        let (path, file) = text
            .split_once('=')
            .filter(|(path, _)| path.starts_with('/') && !path.contains("/.."))
            .with_context(|| format!("invalid --file {text:?}: expected /PATH=FILE"))?;
        let data = fs::read(file).with_context(|| format!("cannot read {file}"))?;
        let program = data.starts_with(b"\x7fELF") || data.starts_with(b"#!");
        tree.file(path, if program { 0o755 } else { 0o644 }, data);
    }
    Ok(())
}

/// Public keys that root may log in with.
fn add_keys(files: &[PathBuf], tree: &mut Tree) -> anyhow::Result<()> {
    let mut keys = String::new();
    for path in files {
        let key =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        if key.contains("PRIVATE KEY") {
            bail!("{} is a private key: expected a public one", path.display());
        }
        keys.push_str(key.trim_end());
        keys.push('\n');
    }
    if !keys.is_empty() {
        tree.put("root/.ssh", Node::Folder(0o700));
        tree.file("root/.ssh/authorized_keys", 0o600, keys);
    }
    Ok(())
}

/// Names of packages have no slash and no suffix.
fn is_file(name: &str) -> bool {
    name.contains('/') || name.ends_with(".deb")
}

fn default_cache() -> PathBuf {
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".cache"));
    let base = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.filter(|path| path.is_absolute()).or_else(home);
    base.unwrap_or_else(env::temp_dir).join("corten-packages")
}

/// A file that is there only when it is complete.
fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let part = path.with_added_extension("part");
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)
    });
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes))
}

#[allow(clippy::cast_precision_loss)] // For people, with one digit after the point.
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests;
