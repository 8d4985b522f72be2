//! The layout itself; that others can read it is shown where programs can be started.

use super::*;
use crate::{
    field::{le16, le32},
    volume::Content,
};
use proptest::prelude::*;

fn bytes_of(layout: &Layout) -> Vec<u8> {
    let mut bytes = Vec::new();
    for segment in layout.segments() {
        match segment {
            Segment::Bytes(part) => bytes.extend(part),
            Segment::Zeros(count) => {
                bytes.resize(bytes.len() + usize::try_from(*count).unwrap(), 0)
            }
            Segment::File { length, .. } => {
                bytes.resize(bytes.len() + usize::try_from(*length).unwrap(), b'x')
            }
        }
    }
    bytes
}

/// Finds a file by its identifiers, as a reader of the plain tree would.
fn find(disc: &[u8], path: &[&str]) -> Option<Vec<u8>> {
    let mut at = usize::try_from(le32(disc, 16 * SECTOR + 158)?).ok()? * SECTOR;
    let mut length = usize::try_from(le32(disc, 16 * SECTOR + 166)?).ok()?;
    for name in path {
        let folder = &disc[at..at + length];
        let mut offset = 0;
        let mut found = None;
        while offset < folder.len() {
            let size = usize::from(folder[offset]);
            if size == 0 {
                offset = (offset + 1).next_multiple_of(SECTOR);
                continue;
            }
            let id = &folder[offset + 33..offset + 33 + usize::from(folder[offset + 32])];
            if id == name.as_bytes() {
                found = Some((le32(folder, offset + 2)?, le32(folder, offset + 10)?));
            }
            offset += size;
        }
        let (sector, size) = found?;
        (at, length) = (
            usize::try_from(sector).ok()? * SECTOR,
            usize::try_from(size).ok()?,
        );
    }
    Some(disc[at..at + length].to_vec())
}

fn disc() -> Disc {
    Disc {
        label: "config-2".into(),
        ..Disc::default()
    }
}

#[test]
fn files_are_where_the_folders_say() {
    let mut tree = Tree::new();
    tree.add(
        "openstack/latest/meta_data.json",
        Content::Bytes(b"{}".to_vec()),
    )
    .unwrap();
    tree.add("openstack/latest/user_data", Content::External(5000))
        .unwrap();
    tree.add("vmlinuz", Content::Bytes(vec![7; 2048])).unwrap();
    let layout = disc().layout(&tree).unwrap();
    let bytes = bytes_of(&layout);
    assert_eq!(bytes.len() as u64, layout.length());
    assert_eq!(
        bytes.len() / SECTOR,
        le32(&bytes, 16 * SECTOR + 80).unwrap() as usize
    );
    assert_eq!(
        find(&bytes, &["OPENSTACK", "LATEST", "META_DATA.JSON;1"]).unwrap(),
        b"{}"
    );
    assert_eq!(
        find(&bytes, &["OPENSTACK", "LATEST", "USER_DATA.;1"]).unwrap(),
        vec![b'x'; 5000]
    );
    assert_eq!(find(&bytes, &["VMLINUZ.;1"]).unwrap(), vec![7; 2048]);
    assert_eq!(&bytes[16 * SECTOR + 40..16 * SECTOR + 48], b"config-2");
}

#[test]
fn the_boot_catalog_names_both_kinds_of_firmware() {
    let mut tree = Tree::new();
    tree.add("isolinux/isolinux.bin", Content::Bytes(vec![1; 4096]))
        .unwrap();
    tree.add("boot/grub/efiboot.img", Content::External(1 << 20))
        .unwrap();
    let disc = Disc {
        bios: Some("isolinux/isolinux.bin".into()),
        efi: Some("boot/grub/efiboot.img".into()),
        ..disc()
    };
    let bytes = bytes_of(&disc.layout(&tree).unwrap());
    let catalog = le32(&bytes, 17 * SECTOR + 71).unwrap() as usize * SECTOR;
    let catalog = &bytes[catalog..catalog + SECTOR];
    let sum = catalog[..32]
        .chunks(2)
        .fold(0u16, |sum, word| sum.wrapping_add(le16(word, 0).unwrap()));
    assert_eq!(sum, 0);
    assert_eq!((catalog[32], le16(catalog, 38)), (0x88, Some(4)));
    assert_eq!((catalog[64], catalog[65]), (0x91, 0xef));
    assert_eq!((catalog[96], le16(catalog, 102)), (0x88, Some(2048)));
    let isolinux = find(&bytes, &["ISOLINUX", "ISOLINUX.BIN;1"]).unwrap();
    assert_eq!(le32(&isolinux, 8), Some(16));
    assert_eq!(le32(&isolinux, 12), le32(catalog, 40));
    assert_eq!(
        le32(&isolinux, 20),
        Some(0x0101_0101u32.wrapping_mul((4096 - 64) / 4))
    );
}

#[test]
fn what_cannot_boot_is_refused() {
    let mut tree = Tree::new();
    tree.add("x", Content::External(4096)).unwrap();
    for path in ["x", "y"] {
        let disc = Disc {
            bios: Some(path.into()),
            ..disc()
        };
        assert_eq!(disc.layout(&tree), Err(VolumeError::Boot(path.into())));
    }
    let long = Disc {
        label: "x".repeat(33),
        ..Disc::default()
    };
    assert!(long.layout(&tree).is_err());
}

proptest! {
    #[test]
    fn any_tree_can_be_read_back(names in proptest::collection::btree_map("[a-z]{1,12}(/[a-z0-9.-]{1,40}[a-z]){0,3}", 0u64..9000, 0..60)) {
        let mut tree = Tree::new();
        let mut kept = 0;
        for (name, size) in &names {
            kept += u64::from(tree.add(name, Content::External(*size)).is_ok());
        }
        let layout = disc().layout(&tree).unwrap();
        prop_assert_eq!(layout.length() % 2048, 0);
        let files = layout.segments().iter().filter(|s| matches!(s, Segment::File { .. })).count();
        prop_assert!(u64::try_from(files).unwrap() <= kept);
        let _ = bytes_of(&layout);
    }
}
