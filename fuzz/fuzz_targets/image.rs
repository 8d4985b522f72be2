//! Whole images, written to a disk that only counts.
//!
//! Whatever the image says, nothing may be written beyond its own size or the disk's, and it must
//! come to an end in bounded memory.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use image::{
    convert::{self, Options},
    sink::Sink,
    source::MemorySource,
};
use std::{io, ops::ControlFlow};

const CAPACITY: u64 = 1 << 30;

struct Counting {
    end: u64,
}

impl Counting {
    fn reach(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.end = self.end.max(offset + length);
        assert!(self.end <= CAPACITY);
        Ok(())
    }
}

impl Sink for Counting {
    fn capacity(&self) -> Option<u64> {
        Some(CAPACITY)
    }

    fn write_at(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.reach(offset, data.len() as u64)
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.reach(offset, length)
    }

    fn finish(&mut self, length: u64) -> io::Result<()> {
        assert_eq!(self.end, length);
        Ok(())
    }
}

fuzz_target!(|input: &[u8]| {
    let options = Options {
        most_bytes: Some(16 << 20),
        table_memory: 1 << 20,
        ..Options::default()
    };
    let source = MemorySource::new(input.to_vec());
    let _ = convert::write(&source, &mut Counting { end: 0 }, &options, &mut |_| {
        ControlFlow::Continue(())
    });
});
