//! What can be told without a second reader; `e2fsck` and the kernel read it elsewhere.

use super::*;

fn tree(files: usize, size: usize) -> BTreeMap<String, Node> {
    let mut tree = BTreeMap::from([
        ("etc".to_owned(), Node::Folder { mode: 0o755 }),
        ("dev".to_owned(), Node::Folder { mode: 0o755 }),
        ("dev/console".to_owned(), Node::Device(5, 1)),
        ("sbin".to_owned(), Node::Link("usr/sbin".to_owned())),
        ("long".to_owned(), Node::Link("x/".repeat(80))),
    ]);
    for number in 0..files {
        let data = vec![u8::try_from(number % 251).unwrap() + 1; size];
        let node = Node::File { mode: 0o644, data };
        tree.insert(format!("etc/file-{number}"), node);
    }
    tree
}

fn ext4(mib: u64) -> Ext4 {
    Ext4 {
        label: "root".to_owned(),
        uuid: [7; 16],
        time: 1,
        size: mib << 20,
    }
}

#[test]
fn the_parts_make_up_the_size() {
    for (mib, files, size) in [(16, 3, 9), (64, 2000, 5000), (300, 5, 50 << 20)] {
        let segments = ext4(mib).layout(&tree(files, size)).unwrap();
        let total: u64 = segments.iter().map(Segment::length).sum();
        assert_eq!(total, mib << 20);
        assert!(segments == ext4(mib).layout(&tree(files, size)).unwrap());
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let empty = BTreeMap::new();
    for size in [0, 1 << 20, (16 << 20) + 4096, LARGEST + STEP] {
        let ext4 = Ext4 { size, ..ext4(0) };
        assert_eq!(ext4.layout(&empty).err(), Some(Ext4Error::Size(size)));
    }
    assert_eq!(
        ext4(16).layout(&tree(1, 20 << 20)).err(),
        Some(Ext4Error::Full(16 << 20))
    );
    for path in ["a/b", "", "x/", "lost+found", "..", "/etc"] {
        let tree = BTreeMap::from([(path.to_owned(), Node::Device(1, 3))]);
        let refused = ext4(16).layout(&tree).err();
        assert_eq!(refused, Some(Ext4Error::Path(path.to_owned())));
    }
}

#[test]
fn the_signature_is_that_of_ext4() {
    let segments = ext4(16).layout(&tree(3, 5)).unwrap();
    let Some(Segment::Bytes(front)) = segments.first() else {
        panic!("{segments:?}");
    };
    let found = crate::disk::probe::probe(16 << 20, &mut |offset, length| {
        let from = usize::try_from(offset).unwrap().min(front.len());
        Ok(front[from..(from + length).min(front.len())].to_vec())
    });
    let found = found.unwrap();
    assert_eq!((found.kind, found.label.as_deref()), ("ext4", Some("root")));
    assert_eq!(
        found.uuid.as_deref(),
        Some("07070707-0707-0707-0707-070707070707")
    );
}
