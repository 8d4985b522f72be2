//! Tables, headers and archives as somebody who wants to do harm may put them on a disk.
//!
//! The first byte chooses the decoder. Nothing may panic, and what is understood must survive being
//! written and read again where there is a writer.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::{
    cpio,
    disk::{
        detect::{self, Packing},
        gpt::{Gpt, GptHeader},
        mbr::Mbr,
        qcow2::Header,
    },
    fat::Fat,
    iso9660::Disc,
    volume::{Content, Tree},
};

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else {
        return;
    };
    match choice % 6 {
        0 => {
            let tail = bytes
                .get(bytes.len().saturating_sub(detect::TAIL)..)
                .unwrap_or_default();
            let _ = detect::inspect(bytes, tail);
            let _ = Packing::of(bytes);
        }
        1 => qcow2(bytes),
        2 => gpt(bytes),
        3 => {
            if let Ok(mbr) = Mbr::decode(bytes) {
                assert_eq!(Mbr::decode(&mbr.encode()), Ok(mbr));
            }
        }
        4 => archive(bytes),
        _ => volume(bytes),
    }
});

fn qcow2(bytes: &[u8]) {
    let Ok(header) = Header::decode(bytes) else {
        return;
    };
    let rest = bytes.get(512..).unwrap_or_default();
    let _ = header.l2_offsets(rest);
    for index in [0, 1, header.l1_entries.saturating_sub(1)] {
        let _ = header.pieces(index, rest, &mut |piece| {
            assert!(piece.length > 0 && piece.guest + piece.length <= header.virtual_size);
        });
    }
}

fn gpt(bytes: &[u8]) {
    let Ok(header) = GptHeader::decode(bytes) else {
        return;
    };
    let entries = bytes.get(512..).unwrap_or_default();
    if let Ok(mut gpt) = Gpt::decode(&header, entries, 512) {
        let _ = gpt.free();
        if gpt
            .fit(header.own_sector.max(header.other_sector).saturating_add(1))
            .is_ok()
        {
            let parts = gpt.encode();
            let again = GptHeader::decode(&parts[1].bytes)
                .and_then(|own| Gpt::decode(&own, &parts[2].bytes, 512));
            assert_eq!(
                again.map(|again| again.partitions.len()),
                Ok(gpt.partitions.len())
            );
        }
    }
}

fn archive(bytes: &[u8]) {
    for entry in cpio::entries(bytes).flatten() {
        let (entry, data) = entry;
        let again: Vec<u8> = [entry.encode(), data.to_vec(), vec![0; entry.padding()]].concat();
        let found = cpio::entries(&again).next();
        assert_eq!(found, Some(Ok((entry, data))));
    }
}

/// Names and sizes from the input: a line each.
fn volume(bytes: &[u8]) {
    let mut tree = Tree::new();
    for line in String::from_utf8_lossy(bytes).lines().take(200) {
        let _ = tree.add(line, Content::External(line.len() as u64 * 1000));
    }
    let disc = Disc {
        label: "X".into(),
        ..Disc::default()
    };
    let layout = disc.layout(&tree).expect("any tree can be laid out");
    assert_eq!(layout.length() % 2048, 0);
    let fat = Fat::default().layout(&tree);
    assert!(fat.is_ok_and(|fat| fat.length() % 512 == 0) || tree.paths().count() > 20);
}
