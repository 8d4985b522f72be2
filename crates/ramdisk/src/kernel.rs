//! The kernel of a package, and those of its modules that a ramdisk needs.
//!
//! Modules are read twice: first all of them for what they say of themselves, then those that were
//! chosen for their contents. A server's kernel has hundreds of megabytes of them.

use super::{
    deb::Package,
    elf,
    profile::{ALWAYS, wants},
    tar::EntryKind,
    tree::{Tree, merged},
};
use anyhow::{Context as _, bail};
use image::{Packing, unpack::unpacked};
use proto::modules::{self, Index, Module};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Cursor, Read},
};

/// What was taken from the package.
#[derive(Debug)]
pub(super) struct Kernel {
    /// As `uname -r` says.
    pub(super) release: String,
    pub(super) image: Vec<u8>,
    /// The modules that are in the ramdisk.
    pub(super) index: Index,
}

impl Kernel {
    /// Their names, for the manifest.
    pub(super) fn modules(&self) -> Vec<&str> {
        self.index.modules.keys().map(String::as_str).collect()
    }
}

/// What a module says of itself.
#[derive(Debug, Default)]
struct Facts {
    /// In the package.
    path: String,
    depends: Vec<String>,
    /// Those that it asks to be loaded before it, if they are there.
    wishes: Vec<String>,
    aliases: Vec<String>,
}

/// Puts the modules into the tree.
pub(super) fn take(package: &Package, wanted: &[&str], tree: &mut Tree) -> anyhow::Result<Kernel> {
    let (mut image, mut release) = (None, None);
    let mut all = BTreeMap::new();
    package.each_file(|header, data| {
        if header.kind != EntryKind::File {
            return Ok(());
        }
        if let Some(version) = header.path.strip_prefix("boot/vmlinuz-") {
            let mut bytes = Vec::new();
            data.read_to_end(&mut bytes)?;
            release = Some(version.to_owned());
            image = Some(bytes);
        } else if let Some(name) = module_name(&header.path) {
            let facts = facts(&header.path, &contents(&header.path, data)?);
            all.insert(name, facts);
        }
        Ok(())
    })?;
    let (Some(image), Some(release)) = (image, release) else {
        bail!("package {} contains no kernel", package.name());
    };
    let chosen = choose(&all, wanted);
    let index = index(&all, &chosen);
    package.each_file(|header, data| {
        let name = module_name(&header.path).filter(|name| chosen.contains(name));
        if let Some(name) = name.filter(|_| header.kind == EntryKind::File) {
            let data = contents(&header.path, data)?;
            tree.file(&index.modules[&name].path, 0o644, data);
        }
        Ok(())
    })?;
    Ok(Kernel {
        release,
        image,
        index,
    })
}

/// The name of a module by the path of its file; `None` for other files.
fn module_name(path: &str) -> Option<String> {
    let file = merged(path).strip_prefix("usr/lib/modules/")?.to_owned();
    let file = file.rsplit('/').next()?;
    let file = file.trim_end_matches(".xz").trim_end_matches(".zst");
    file.trim_end_matches(".gz")
        .strip_suffix(".ko")
        .map(modules::name)
}

/// The module itself. Modules are stored as they are: the archive is packed as a whole, which packs
/// them better.
fn contents(path: &str, data: &mut dyn Read) -> anyhow::Result<Vec<u8>> {
    let packing = match path.rsplit('.').next() {
        Some("xz") => Some(Packing::Xz),
        Some("zst") => Some(Packing::Zstd),
        Some("gz") => Some(Packing::Gzip),
        _ => None,
    };
    let mut bytes = Vec::new();
    data.read_to_end(&mut bytes)?;
    let Some(packing) = packing else {
        return Ok(bytes);
    };
    let mut module = Vec::new();
    unpacked(packing, Cursor::new(bytes))
        .context("cannot start the decompressor")?
        .read_to_end(&mut module)?;
    Ok(module)
}

fn facts(path: &str, module: &[u8]) -> Facts {
    let mut facts = Facts {
        path: path.to_owned(),
        ..Facts::default()
    };
    let names = |text: &str| {
        text.split([',', ' '])
            .map(modules::name)
            .collect::<Vec<_>>()
    };
    for (key, value) in elf::modinfo(module).unwrap_or_default() {
        match &*key {
            "depends" => facts.depends.extend(names(&value)),
            "softdep" => {
                let before = value.split("post:").next().unwrap_or_default();
                let before = before.trim().trim_start_matches("pre:").trim();
                facts.wishes.extend(names(before));
            }
            "alias" => facts.aliases.push(value),
            _ => {}
        }
    }
    facts.depends.retain(|name| !name.is_empty());
    facts.wishes.retain(|name| !name.is_empty());
    facts
}

/// The wanted ones and all they need.
fn choose(all: &BTreeMap<String, Facts>, wanted: &[&str]) -> BTreeSet<String> {
    let below_kernel = |facts: &Facts| {
        let place = facts.path.find("/kernel/");
        place.map_or_else(|| facts.path.clone(), |at| facts.path[at + 8..].to_owned())
    };
    let mut open: Vec<&String> = all
        .iter()
        .filter(|(name, facts)| wants(wanted, &below_kernel(facts), name))
        .map(|(name, _)| name)
        .collect();
    let mut chosen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if let Some(facts) = all.get(name)
            && chosen.insert(name.clone())
        {
            open.extend(facts.depends.iter().chain(&facts.wishes));
        }
    }
    chosen
}

fn index(all: &BTreeMap<String, Facts>, chosen: &BTreeSet<String>) -> Index {
    let mut index = Index::default();
    for name in chosen {
        let Some(facts) = all.get(name) else { continue };
        let path = merged(&facts.path);
        let path = path.trim_end_matches(".xz").trim_end_matches(".zst");
        let needs = facts.depends.iter().chain(&facts.wishes);
        let module = Module {
            path: path.trim_end_matches(".gz").to_owned(),
            needs: needs
                .filter(|need| chosen.contains(*need))
                .cloned()
                .collect(),
        };
        index.modules.insert(name.clone(), module);
        let aliases = facts.aliases.iter();
        let aliases = aliases.map(|alias| (name.clone(), underscored(alias)));
        index.aliases.extend(aliases);
    }
    let always = ALWAYS.iter().filter(|name| chosen.contains(**name));
    index.always = always.map(|name| (*name).to_owned()).collect();
    index
}

/// A pattern with `_` for `-`, but within brackets, where it is a range.
fn underscored(pattern: &str) -> String {
    let mut within = false;
    let swap = |letter| {
        within = match letter {
            '[' => true,
            ']' => false,
            _ => within,
        };
        if letter == '-' && !within {
            '_'
        } else {
            letter
        }
    };
    pattern.chars().map(swap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str, depends: &[&str]) -> Facts {
        Facts {
            path: format!("lib/modules/6.1/kernel/{path}"),
            depends: depends.iter().map(|name| (*name).to_owned()).collect(),
            ..Facts::default()
        }
    }

    #[test]
    fn names_of_files() {
        let name = |path| module_name(path);
        assert_eq!(
            name("lib/modules/6/kernel/a/virtio-net.ko").unwrap(),
            "virtio_net"
        );
        assert_eq!(name("usr/lib/modules/6/kernel/a.ko.xz").unwrap(), "a");
        assert_eq!(name("usr/lib/modules/6/modules.order"), None);
        assert_eq!(name("boot/a.ko"), None);
    }

    #[test]
    fn what_is_needed_comes_along() {
        let all = BTreeMap::from([
            (
                "e1000e".to_owned(),
                module("drivers/net/ethernet/intel/e1000e.ko.xz", &["ptp"]),
            ),
            (
                "ptp".to_owned(),
                module("drivers/ptp/ptp.ko", &["pps_core", "gone"]),
            ),
            (
                "pps_core".to_owned(),
                module("drivers/pps/pps_core.ko", &[]),
            ),
            ("snd".to_owned(), module("sound/snd.ko", &[])),
            ("loop".to_owned(), module("drivers/block/loop.ko", &[])),
        ]);
        let chosen = choose(&all, &["drivers/net/ethernet/intel/", "loop", "absent"]);
        let expected = ["e1000e", "loop", "pps_core", "ptp"];
        assert_eq!(chosen.iter().collect::<Vec<_>>(), expected);
        let index = index(&all, &chosen);
        assert_eq!(index.always, ["loop"]);
        let path = "usr/lib/modules/6.1/kernel/drivers/net/ethernet/intel/e1000e.ko";
        assert_eq!(index.modules["e1000e"].path, path);
        assert_eq!(index.modules["ptp"].needs, ["pps_core"]);
    }

    #[test]
    fn dashes_in_patterns() {
        assert_eq!(underscored("fs-a[0-9]-b*"), "fs_a[0-9]_b*");
    }
}
