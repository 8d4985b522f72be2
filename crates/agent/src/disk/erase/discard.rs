//! Erasing by telling the disk that nothing is needed, believed only after samples read as zeros.
//!
//! A disk may ignore a discard or go on showing what it had. So a pattern is written to places all
//! over the disk first: if it is gone afterwards, the discard did something.

use crate::{
    block::BlockDevice,
    disk::{
        medium::{Disk, Medium},
        sys,
    },
    safety::Permit,
};
use std::{io, path::Path};

const SAMPLE: u64 = 1 << 20;
const SAMPLES: u64 = 16;

/// Whether the disk is known to be empty now.
pub(super) async fn erase(_permit: &Permit, device: &BlockDevice, path: &Path) -> bool {
    let (path, name) = (path.to_owned(), device.name.clone());
    let work = tokio::task::spawn_blocking(move || {
        let mut disk = Disk::open(&path)?;
        erase_disk(&mut disk)
    });
    match work.await {
        Ok(Ok(empty)) => empty,
        Ok(Err(error)) => {
            tracing::warn!(device = name, %error, "discard did not erase the device");
            false
        }
        Err(_) => false,
    }
}

fn erase_disk(disk: &mut Disk) -> io::Result<bool> {
    let places = places(disk.size(), u64::from(disk.sector_size()));
    if places.is_empty() {
        return Ok(false);
    }
    let pattern = vec![0xa5; usize::try_from(SAMPLE).map_err(io::Error::other)?];
    for place in &places {
        disk.write_at(*place, &pattern)?;
    }
    disk.sync()?;
    let size = disk.size();
    sys::discard(disk.file(), 0, size, true)
        .or_else(|_| sys::discard(disk.file(), 0, size, false))?;
    sys::drop_cache(disk.file())?;
    let mut sample = pattern;
    for place in places {
        disk.read_at(place, &mut sample)?;
        if sample.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Places from the first sector to the last, at equal distances.
fn places(size: u64, sector: u64) -> Vec<u64> {
    let Some(last) = size.checked_sub(SAMPLE).filter(|last| *last > 0) else {
        return Vec::new();
    };
    let mut places: Vec<u64> = (0..=SAMPLES)
        .map(|index| {
            let place = last / SAMPLES * index + last % SAMPLES * index / SAMPLES;
            place - place % sector.max(1)
        })
        .collect();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_all_over_the_disk() {
        let size = 1 << 40;
        let found = places(size, 4096);
        assert_eq!((found.len(), found[0]), (17, 0));
        assert_eq!(*found.last().unwrap(), size - SAMPLE);
        assert!(found.iter().all(|place| place % 4096 == 0));
        assert!(places(SAMPLE, 512).is_empty());
        assert!(
            places(u64::MAX, 512)
                .iter()
                .all(|place| *place <= u64::MAX - SAMPLE)
        );
    }
}
