//! The files of a ramdisk, and the archive made of them.
//!
//! The same files give the same bytes: names in order, no times, no owners but root.

use anyhow::{Context as _, bail};
use proto::cpio::{self, kind};
use std::collections::BTreeMap;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Folder(u32),
    File {
        mode: u32,
        data: Vec<u8>,
    },
    Link(String),
    /// A character device: major and minor number.
    Device(u32, u32),
}

/// A tree of files that is going to be `/`.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree(BTreeMap<String, Node>);

/// Folders that are links to those of the same name below `usr`, as everywhere today.
pub(super) const MERGED: &[&str] = &["bin", "lib", "lib64", "sbin"];

/// Where a path of a package is in the ramdisk.
pub(super) fn merged(path: &str) -> String {
    let path = path.trim_start_matches('/');
    let top = path.split('/').next().unwrap_or_default();
    if MERGED.contains(&top) {
        format!("usr/{path}")
    } else {
        path.to_owned()
    }
}

impl Tree {
    pub(super) fn put(&mut self, path: &str, node: Node) {
        let path = merged(path);
        let mut above = &*path;
        while let Some((folder, _)) = above.rsplit_once('/') {
            let folder_node = || Node::Folder(0o755);
            self.0.entry(folder.to_owned()).or_insert_with(folder_node);
            above = folder;
        }
        self.0.insert(path, node);
    }

    /// A link at the root, where others would be put below `usr`.
    pub(super) fn put_merged_links(&mut self) {
        for name in MERGED {
            let target = format!("usr/{name}");
            self.0.entry(target.clone()).or_insert(Node::Folder(0o755));
            self.0.insert((*name).to_owned(), Node::Link(target));
        }
    }

    pub(super) fn file(&mut self, path: &str, mode: u32, data: impl Into<Vec<u8>>) {
        let data = data.into();
        self.put(path, Node::File { mode, data });
    }

    pub(super) fn link(&mut self, path: &str, target: &str) {
        self.put(path, Node::Link(target.to_owned()));
    }

    pub(super) fn get(&self, path: &str) -> Option<&Node> {
        self.0.get(&merged(path))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|(path, node)| (&**path, node))
    }

    /// The archive that the kernel unpacks.
    pub(super) fn archive(&self) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for (inode, (path, node)) in (1u32..).zip(&self.0) {
            let (mode, data, device): (_, &[u8], _) = match node {
                Node::Folder(mode) => (kind::FOLDER | mode, &[], (0, 0)),
                Node::File { mode, data } => (kind::FILE | mode, data, (0, 0)),
                Node::Link(target) => (kind::LINK | 0o777, target.as_bytes(), (0, 0)),
                Node::Device(major, minor) => (kind::CHARACTER | 0o600, &[], (*major, *minor)),
            };
            if path.contains('\0') {
                bail!("invalid path in an archive: {path:?}");
            }
            let entry = cpio::CpioEntry {
                name: path.clone(),
                inode,
                mode,
                links: 1,
                size: u32::try_from(data.len()).with_context(|| format!("{path} is too large"))?,
                device,
                ..cpio::CpioEntry::default()
            };
            bytes.extend(entry.encode());
            bytes.extend(data);
            bytes.resize(bytes.len() + entry.padding(), 0);
        }
        bytes.extend(cpio::trailer());
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_before_what_is_in_them() {
        let mut tree = Tree::default();
        tree.file("/sbin/a", 0o755, "x");
        tree.put_merged_links();
        tree.link("etc/b", "../c");
        tree.put("dev/console", Node::Device(5, 1));
        let archive = tree.archive().unwrap();
        let entries: Vec<_> = cpio::entries(&archive).map(Result::unwrap).collect();
        let names: Vec<&str> = entries.iter().map(|(entry, _)| &*entry.name).collect();
        assert_eq!(
            names,
            [
                "bin",
                "dev",
                "dev/console",
                "etc",
                "etc/b",
                "lib",
                "lib64",
                "sbin",
                "usr",
                "usr/bin",
                "usr/lib",
                "usr/lib64",
                "usr/sbin",
                "usr/sbin/a"
            ]
        );
        assert!(
            entries
                .iter()
                .all(|(entry, _)| entry.modified == 0 && entry.uid == 0)
        );
        assert_eq!(entries[2].0.device, (5, 1));
        assert_eq!(archive, tree.clone().archive().unwrap());
    }
}
