//! Headers and tables of a new qcow2 file (version 3), for data that follows them in order.
//!
//! The clusters that hold anything but zeros come after the tables, in the order of the disk. Which
//! ones these are is all that is needed, so the tables can be made before any data is written.

use super::{HEADER_BYTES, MAGIC, V3_HEADER};
use crate::field::put;

const CLUSTER_BITS: u32 = 16;
/// The size of a cluster, the usual one.
pub const CLUSTER: u64 = 1 << CLUSTER_BITS;
const COPIED: u64 = 1 << 63;
/// Entries of eight bytes that fit a cluster.
const ENTRIES: u64 = CLUSTER / 8;
/// Reference counts of 16 bits that fit a cluster.
const COUNTS: u64 = CLUSTER / 2;

/// Everything before the data, for a disk of `size` bytes of which `used` says which clusters are
/// in the file. The data of those follows, each padded to [`CLUSTER`].
pub fn tables(size: u64, used: &[bool]) -> Vec<u8> {
    let data = used.iter().filter(|used| **used).count() as u64;
    let chunk = usize::try_from(ENTRIES).unwrap_or(usize::MAX);
    let l2_tables: Vec<&[bool]> = used.chunks(chunk).collect();
    let l2_used = l2_tables.iter().filter(|table| table.contains(&true));
    let l2_count = l2_used.count() as u64;
    let l1_entries = size.div_ceil(CLUSTER * ENTRIES);
    let l1_clusters = (l1_entries * 8).div_ceil(CLUSTER).max(1);
    // Reference counts count the clusters of their own blocks and table as well.
    let rest = 1 + l1_clusters + l2_count + data;
    let (mut blocks, mut table) = (1, 1);
    loop {
        let total = rest + blocks + table;
        let needed = (total.div_ceil(COUNTS), blocks.div_ceil(ENTRIES));
        if needed == (blocks, table) {
            break;
        }
        (blocks, table) = needed;
    }
    let table_at = 1;
    let blocks_at = table_at + table;
    let l1_at = blocks_at + blocks;
    let l2_at = l1_at + l1_clusters;
    let data_at = l2_at + l2_count;
    let total = data_at + data;

    let place = |cluster: u64| usize::try_from(cluster * CLUSTER).unwrap_or(usize::MAX);
    let mut bytes = vec![0; place(data_at)];
    put(&mut bytes, 0, &header(size, l1_entries, l1_at, table));
    for block in 0..blocks {
        let entry = (blocks_at + block) * CLUSTER;
        put(
            &mut bytes,
            place(table_at) + usize::try_from(block * 8).unwrap_or(usize::MAX),
            &entry.to_be_bytes(),
        );
    }
    for cluster in 0..total {
        let at = place(blocks_at) + usize::try_from(cluster * 2).unwrap_or(usize::MAX);
        put(&mut bytes, at, &1u16.to_be_bytes());
    }
    let (mut next_table, mut next_data) = (l2_at, data_at);
    for (index, table) in l2_tables.iter().enumerate() {
        if !table.contains(&true) {
            continue;
        }
        let entry = (next_table * CLUSTER) | COPIED;
        put(&mut bytes, place(l1_at) + index * 8, &entry.to_be_bytes());
        for (number, _) in table.iter().enumerate().filter(|(_, used)| **used) {
            let entry = (next_data * CLUSTER) | COPIED;
            let at = place(next_table) + number * 8;
            put(&mut bytes, at, &entry.to_be_bytes());
            next_data += 1;
        }
        next_table += 1;
    }
    bytes
}

fn header(size: u64, l1_entries: u64, l1_at: u64, table: u64) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_BYTES];
    let word = |value: u64| u32::try_from(value).unwrap_or(u32::MAX).to_be_bytes();
    put(&mut bytes, 0, &MAGIC);
    for (at, value) in [
        (4, 3),
        (20, u64::from(CLUSTER_BITS)),
        (36, l1_entries),
        (56, table),
        // Reference counts of 1 << 4 bits.
        (96, 4),
        (100, u64::from(V3_HEADER)),
    ] {
        put(&mut bytes, at, &word(value));
    }
    for (at, value) in [(24, size), (40, l1_at * CLUSTER), (48, CLUSTER)] {
        put(&mut bytes, at, &value.to_be_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::qcow2::{DataLocation, Header};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(used in proptest::collection::vec(any::<bool>(), 0..20_000), gap in 0usize..3) {
            let mut used = used;
            let at = used.len() / 2;
            used.splice(at..at, vec![false; gap * 9000]);
            let size = used.len() as u64 * CLUSTER;
            let bytes = tables(size, &used);
            let header = Header::decode(&bytes).unwrap();
            prop_assert_eq!(header.virtual_size, size);
            let l1 = &bytes[usize::try_from(header.l1_offset).unwrap()..];
            let mut next = bytes.len() as u64;
            let mut seen = vec![false; used.len()];
            for (index, offset) in (0..).zip(header.l2_offsets(l1).unwrap()) {
                let Some(offset) = offset else { continue };
                let table = &bytes[usize::try_from(offset).unwrap()..];
                header.pieces(index, table, &mut |piece| {
                    assert_eq!(piece.location, DataLocation::Plain(next));
                    next += piece.length;
                    let first = usize::try_from(piece.guest / CLUSTER).unwrap();
                    let count = usize::try_from(piece.length / CLUSTER).unwrap();
                    seen[first..first + count].fill(true);
                }).unwrap();
            }
            prop_assert_eq!(seen, used);
        }
    }
}
