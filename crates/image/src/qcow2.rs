//! Raw images as qcow2 files, in which zeros take no room.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only called from threads that may wait"
)]

use crate::ImageError;
use proto::disk::qcow2::writer::{CLUSTER, tables};
use std::{fs::File, io::Write, os::unix::fs::FileExt, path::Path};

/// Writes what is in `raw` to `path`, which is there only when it is complete. Blocks.
pub fn write(raw: &Path, path: &Path) -> Result<(), ImageError> {
    let unreadable = |source| ImageError::Read {
        image: raw.display().to_string(),
        source,
    };
    let failed = || ImageError::write(path.display());
    let file = File::open(raw).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let mut cluster = vec![0; usize::try_from(CLUSTER).unwrap_or(0)];
    let mut read = |number: u64| {
        let at = number * CLUSTER;
        let length = usize::try_from((size - at).min(CLUSTER)).unwrap_or(0);
        cluster.fill(0);
        file.read_exact_at(&mut cluster[..length], at)
            .map_err(unreadable)?;
        Ok(cluster.clone())
    };
    let mut used = Vec::new();
    for number in 0..size.div_ceil(CLUSTER) {
        used.push(read(number)?.iter().any(|byte| *byte != 0));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut out = tempfile::NamedTempFile::new_in(folder).map_err(failed())?;
    out.write_all(&tables(size, &used)).map_err(failed())?;
    for (number, _) in (0..).zip(&used).filter(|(_, used)| **used) {
        out.write_all(&read(number)?).map_err(failed())?;
    }
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    let done = out.as_file().set_permissions(readable);
    done.and_then(|()| out.as_file().sync_all())
        .map_err(failed())?;
    out.persist(path).map_err(|error| failed()(error.error))?;
    Ok(())
}
