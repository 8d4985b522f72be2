//! Programs of packages, with the libraries that they need.
//!
//! A program says which libraries it needs, and a package says which packages it depends on: each
//! library is looked for in those, and in theirs. Nothing else of the packages is taken.

use super::{
    apt::Apt,
    deb::Package,
    elf,
    tar::EntryKind,
    tree::{Node, Tree, merged},
};
use anyhow::{Context as _, bail};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io::Read,
};

/// Files of a package.
#[derive(Debug, Clone)]
pub(super) struct Tool {
    pub(super) package: String,
    /// With a slash at their start.
    pub(super) files: Vec<String>,
}

impl Tool {
    pub(super) fn new(package: &str, files: &[&str]) -> Self {
        Self {
            package: package.to_owned(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
        }
    }

    /// `PACKAGE:/PATH[,/PATH…]`
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let (package, files) = text
            .split_once(':')
            .filter(|(_, files)| files.starts_with('/'))
            .with_context(|| format!("invalid --tool {text:?}: expected PACKAGE:/PATH"))?;
        Ok(Self::new(package, &files.split(',').collect::<Vec<_>>()))
    }
}

/// Takes programs out of packages.
#[derive(Debug)]
pub(super) struct Kit<'a> {
    apt: &'a mut Apt,
    /// By name, in the order of names; for the manifest.
    pub(super) packages: BTreeMap<String, Package>,
}

impl<'a> Kit<'a> {
    pub(super) fn new(apt: &'a mut Apt) -> Self {
        Self {
            apt,
            packages: BTreeMap::new(),
        }
    }

    /// One file alone, without what it needs.
    pub(super) fn take(&mut self, name: &str, file: &str, tree: &mut Tree) -> anyhow::Result<()> {
        let package = self.package(name)?;
        take(&package, tree, &|path| path == merged(file))?;
        Ok(())
    }

    pub(super) fn add(&mut self, tool: &Tool, tree: &mut Tree) -> anyhow::Result<()> {
        let package = self.package(&tool.package)?;
        let wanted: BTreeSet<String> = tool.files.iter().map(|file| merged(file)).collect();
        let found = take(&package, tree, &|path| wanted.contains(path))?;
        if let Some(missing) = wanted.iter().find(|path| !found.contains(*path)) {
            bail!("{} has no file {missing}", tool.package);
        }
        self.libraries(&package, &found, tree)
    }

    pub(super) fn package(&mut self, name: &str) -> anyhow::Result<Package> {
        if let Some(package) = self.packages.get(name) {
            return Ok(package.clone());
        }
        let package = self.apt.get(name)?;
        self.packages.insert(name.to_owned(), package.clone());
        Ok(package)
    }

    /// Adds what these files need, from the packages that theirs depends on.
    fn libraries(
        &mut self,
        package: &Package,
        files: &BTreeSet<String>,
        tree: &mut Tree,
    ) -> anyhow::Result<()> {
        let mut missing = BTreeSet::new();
        for file in files {
            missing.extend(needs_of(tree, file));
        }
        missing.retain(|library| !has(tree, library));
        let mut next: VecDeque<String> = package.depends().into();
        let mut seen = BTreeSet::new();
        let mut opened: Vec<Package> = Vec::new();
        while !missing.is_empty() {
            // A library that was found may need another of a package that was looked at before.
            let mut found = BTreeSet::new();
            for library in &opened {
                found.extend(self.find(library, &missing, tree)?);
            }
            if found.is_empty() {
                let Some(name) = next.pop_front() else {
                    bail!("no dependency of {} provides {missing:?}", package.name());
                };
                // Libraries are in packages that are called so; others need not be fetched to know.
                if !is_library(&name) || !seen.insert(name.clone()) {
                    continue;
                }
                let Ok(library) = self.apt.get(&name) else {
                    continue;
                };
                next.extend(library.depends());
                opened.push(library);
                continue;
            }
            for path in &found {
                missing.extend(needs_of(tree, path));
            }
            missing.retain(|library| !has(tree, library));
        }
        Ok(())
    }

    /// Takes those libraries that a package has.
    fn find(
        &mut self,
        library: &Package,
        missing: &BTreeSet<String>,
        tree: &mut Tree,
    ) -> anyhow::Result<BTreeSet<String>> {
        let found = take(library, tree, &|path| {
            path.starts_with("usr/lib") && missing.contains(file_name(path))
        })?;
        if !found.is_empty() {
            let name = library.name().to_owned();
            self.packages.insert(name, library.clone());
        }
        Ok(found)
    }
}

/// Copies files of a package, and those that links among them lead to. Returns what was asked for.
fn take(
    package: &Package,
    tree: &mut Tree,
    wanted: &dyn Fn(&str) -> bool,
) -> anyhow::Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut targets = BTreeSet::new();
    package.each_file(|header, data| {
        let path = merged(&header.path);
        if !wanted(&path) {
            return Ok(());
        }
        match &header.kind {
            EntryKind::File => put(tree, &path, header.mode, data)?,
            EntryKind::Link(target) => {
                targets.insert(followed(&path, target));
                tree.link(&path, target);
            }
            EntryKind::Folder | EntryKind::Other => return Ok(()),
        }
        found.insert(path);
        Ok(())
    })?;
    targets.retain(|target| tree.get(target).is_none());
    if !targets.is_empty() {
        found.extend(take(package, tree, &|path| targets.contains(path))?);
    }
    Ok(found)
}

fn put(tree: &mut Tree, path: &str, mode: u32, data: &mut dyn Read) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    data.read_to_end(&mut bytes)?;
    // Without setuid, setgid and group-write bits: nothing in a ramdisk needs them.
    tree.file(path, mode & 0o755, bytes);
    Ok(())
}

/// Where a link leads.
fn followed(path: &str, target: &str) -> String {
    if target.starts_with('/') {
        return merged(target);
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "" | "." => {}
            part => parts.push(part),
        }
    }
    merged(&parts.join("/"))
}

fn needs_of(tree: &Tree, path: &str) -> Vec<String> {
    let Some(Node::File { data, .. }) = tree.get(path) else {
        return Vec::new();
    };
    let needs = elf::needs(data).unwrap_or_default();
    let loader = needs.loader.iter().map(|path| file_name(path).to_owned());
    needs.libraries.iter().cloned().chain(loader).collect()
}

fn has(tree: &Tree, library: &str) -> bool {
    tree.iter()
        .any(|(path, node)| file_name(path) == library && !matches!(node, Node::Folder(_)))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_library(package: &str) -> bool {
    package.starts_with("lib") || package.starts_with("zlib")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_as_the_kernel_does() {
        assert_eq!(
            followed("usr/lib/x/liba.so.1", "liba.so.1.2"),
            "usr/lib/x/liba.so.1.2"
        );
        assert_eq!(
            followed("usr/lib64/ld.so", "/lib/x/ld.so"),
            "usr/lib/x/ld.so"
        );
        assert_eq!(followed("lib64/ld.so", "../lib/x/ld.so"), "usr/lib/x/ld.so");
    }

    #[test]
    fn tools_on_the_command_line() {
        let tool = Tool::parse("fio:/usr/bin/fio,/usr/bin/genfio").unwrap();
        assert_eq!(tool.package, "fio");
        assert_eq!(tool.files, ["/usr/bin/fio", "/usr/bin/genfio"]);
        assert!(Tool::parse("fio").is_err());
        assert!(Tool::parse("fio:bin").is_err());
    }
}
