//! The end of a whole-disk image on a disk: it must have partitions, and its table learns how large
//! the disk is.

use super::{
    medium::Medium,
    probe,
    table::{Table, TableError},
};

/// Why what was written is no image of a disk.
#[derive(Debug, thiserror::Error)]
pub enum Unbootable {
    #[error(
        "Unable to find a valid partition table on the disk after writing the image. The image may \
         be corrupted or it uses a different sector size than the device. Error: {0}"
    )]
    Table(#[from] TableError),
    #[error("No partitions found on the device after writing the image.")]
    Empty,
}

/// Checks that there are partitions, and stretches their table to the disk.
pub fn complete(disk: &mut dyn Medium) -> Result<(), Unbootable> {
    let Some(mut table) = Table::read(disk)? else {
        // A filesystem on the bare disk is odd, but a system may know what to do with it.
        return match probe::probe(disk) {
            Some(_) => Ok(()),
            None => Err(Unbootable::Empty),
        };
    };
    if table.entries(disk).is_empty() {
        return Err(Unbootable::Empty);
    }
    if let Err(error) = table.fit(disk) {
        tracing::warn!(%error, "cannot extend the partition table to the end of the disk: left as in the image");
        return Ok(());
    }
    Ok(table.write(disk)?)
}
