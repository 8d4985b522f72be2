//! Room in the data folder, where images are converted and cached.

use super::Finding;
use config::Config;
use rustix::fs::statvfs;
use std::path::Path;

const CHECK: &str = "disk space";
const GIB: u64 = 1 << 30;
/// Below this the database may fail to write; below the other an image may not fit.
const TOO_LITTLE: u64 = GIB;
const LITTLE: u64 = 10 * GIB;

pub(super) fn check(config: &Config) -> Vec<Finding> {
    let folder: &Path = &config.corten.data_dir;
    // Before the first start it is not there; what counts is where it will be.
    let there = folder.ancestors().find(|path| path.exists());
    let shown = folder.display();
    let finding = match statvfs(there.unwrap_or(Path::new("/"))) {
        Ok(disk) => verdict(
            &shown.to_string(),
            disk.f_bavail.saturating_mul(disk.f_frsize),
            disk.f_favail,
        ),
        Err(error) => Finding::note(CHECK, format!("{shown}: cannot be looked at: {error}")),
    };
    vec![finding]
}

fn verdict(folder: &str, free: u64, files: u64) -> Finding {
    let room = format!("{folder}: {:.1} GiB free", free as f64 / GIB as f64);
    let remedy = "make room, or set [corten]data_dir to a larger disk";
    match (free, files) {
        (free, _) if free < TOO_LITTLE => Finding::broken(CHECK, room, remedy),
        // Some file systems have no such limit and say zero.
        (_, 1..1000) => Finding::broken(
            CHECK,
            format!("{folder}: only {files} more files fit"),
            remedy,
        ),
        (free, _) if free < LITTLE => {
            Finding::note(CHECK, format!("{room}, which large images do not fit into"))
                .remedy(remedy)
        }
        _ => Finding::well(CHECK, room),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};

    #[test]
    fn little_room_is_a_note_and_none_is_broken() {
        assert_eq!(verdict("/d", GIB / 2, 1 << 20).level, Level::Broken);
        assert_eq!(verdict("/d", 50 * GIB, 10).level, Level::Broken);
        assert_eq!(verdict("/d", 5 * GIB, 0).level, Level::Note);
        assert_eq!(verdict("/d", 50 * GIB, 0).level, Level::Well);
    }
}
