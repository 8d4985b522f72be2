//! Images that somebody looks at to find out what they are.
//!
//! The first byte chooses where the input lies: it is the file, the start of an EFI system partition
//! on a disk, or the start of a disc. Whatever it says, looking must come to an end.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use image::{source::MemorySource, survey};
use proto::disk::gpt::{Gpt, Guid, kind};
use std::sync::LazyLock;

const MIB: usize = 1 << 20;

/// A disk with one partition at its first MiB.
static DISK: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = vec![0; 3 * MIB];
    let mut gpt = Gpt::create(Guid([1; 16]), 512, 3 * 2048).expect("a disk of 3 MiB has room");
    gpt.add(kind::EFI_SYSTEM, Guid([2; 16]), "", 2048, 2048)
        .expect("a partition of 1 MiB has room");
    for part in gpt.encode() {
        let at = usize::try_from(part.sector * 512).expect("the disk is small");
        bytes[at..at + part.bytes.len()].copy_from_slice(&part.bytes);
    }
    bytes
});

fuzz_target!(|input: &[u8]| {
    let Some((choice, input)) = input.split_first() else {
        return;
    };
    let bytes = match choice % 3 {
        0 => input.to_vec(),
        1 => placed(DISK.clone(), MIB, input),
        _ => placed(vec![0; MIB / 4], 0x8000, input),
    };
    let _ = survey::survey(&MemorySource::new(bytes));
});

fn placed(mut bytes: Vec<u8>, at: usize, input: &[u8]) -> Vec<u8> {
    let length = input.len().min(bytes.len() - at);
    bytes[at..at + length].copy_from_slice(&input[..length]);
    bytes
}
