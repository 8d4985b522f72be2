//! ext4 filesystems of ours, checked and read by the tools of the format's authors.

use super::{find, have, run, text, written};
use proto::ext4::{Ext4, Node};
use std::{collections::BTreeMap, process::Command};

#[test]
fn an_ext4_filesystem_is_found_clean_and_read() {
    if !have(&["e2fsck", "debugfs", "blkid"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let long = "x/".repeat(80);
    // Of sizes that have one group, a short last one, and copies of the superblock.
    for (mib, files, size) in [(16, 3, 9), (129, 3000, 4097), (1100, 12, 70 << 20)] {
        let mut tree = BTreeMap::from([
            ("etc".to_owned(), Node::Folder { mode: 0o755 }),
            ("tmp".to_owned(), Node::Folder { mode: 0o1777 }),
            ("dev".to_owned(), Node::Folder { mode: 0o755 }),
            ("dev/console".to_owned(), Node::Device(5, 1)),
            ("sbin".to_owned(), Node::Link("usr/sbin".to_owned())),
            ("long".to_owned(), Node::Link(long.clone())),
        ]);
        for number in 0..files {
            let data = vec![u8::try_from(number % 26).unwrap() + b'a'; size];
            let name = format!("etc/a file with a long name, number {number}");
            tree.insert(name, Node::File { mode: 0o640, data });
        }
        let ext4 = Ext4 {
            label: "corten-root".to_owned(),
            uuid: [0x42; 16],
            time: 1_700_000_000,
            size: mib << 20,
        };
        let path = folder.path().join("root.ext4");
        written(&ext4.layout(&tree).unwrap(), &path);
        let name = path.to_str().unwrap();
        let check = Command::new(find("e2fsck").unwrap())
            .args(["-f", "-n", name])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&check.stdout);
        assert!(check.status.success(), "{mib} MiB: {said}");
        let ask = |request: &str| text("debugfs", ["-R", request, name]);
        let last = format!("/etc/a file with a long name, number {}", files - 1);
        let shown = run("debugfs", ["-R", &format!("cat \"{last}\""), name]);
        let letter = u8::try_from((files - 1) % 26).unwrap() + b'a';
        assert!(shown == vec![letter; size], "{mib} MiB: {}", shown.len());
        assert!(ask("stat /long").contains("Size: 160"));
        assert!(ask("stat /sbin").contains("usr/sbin"));
        assert!(ask("stat /dev/console").contains("05:01"));
        assert!(ask("stat /tmp").contains("Mode:  01777"));
        let kind = text("blkid", ["-p", "-o", "value", "-s", "TYPE", name]);
        assert_eq!(kind.trim(), "ext4");
    }
}
