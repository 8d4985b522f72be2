//! Files and folders that hold secrets for a moment.

#![expect(
    clippy::disallowed_methods,
    reason = "blocks on threads that may wait; elsewhere only while the runtime ends"
)]

use std::{
    fs, io,
    path::{Path, PathBuf},
};
use tokio::runtime::Handle;

/// A file or a folder that is removed when this is dropped, also with a future that is cancelled.
pub(super) struct Temporary(Option<Removal>);

impl Temporary {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(Some(Removal(path)))
    }

    /// Removes it, and waits for that.
    pub(super) async fn remove(mut self) {
        let removal = self.0.take();
        // One that panics has nothing to tell.
        let _ = tokio::task::spawn_blocking(move || drop(removal)).await;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let Some(removal) = self.0.take() else {
            return;
        };
        // A runtime that ends drops what it was given, which removes as well.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn_blocking(move || drop(removal));
        }
    }
}

struct Removal(PathBuf);

impl Drop for Removal {
    fn drop(&mut self) {
        match removed(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let path = self.0.display();
                tracing::warn!(%path, %error, "a temporary file with secrets cannot be removed");
            }
            _ => {}
        }
    }
}

fn removed(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_temporary_goes_with_its_owner() {
        let dir = tempfile::tempdir().unwrap();
        let (file, folder) = (dir.path().join("file"), dir.path().join("folder"));
        let make = || {
            fs::write(&file, "secret").unwrap();
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("inside"), "secret").unwrap();
            [&file, &folder].map(|path| Temporary::new(path.clone()))
        };
        let is_empty = || fs::read_dir(dir.path()).unwrap().next().is_none();
        drop(make());
        assert!(is_empty());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let both = make();
        runtime.block_on(async move {
            for one in both {
                one.remove().await;
            }
        });
        assert!(is_empty());
        let both = make();
        // As where a task is aborted; the runtime waits for its blocking threads.
        runtime.block_on(async move { drop(both) });
        drop(runtime);
        assert!(is_empty());
    }
}
