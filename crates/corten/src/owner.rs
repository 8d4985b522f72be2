//! Root creates files in the data folder with the owner of that folder.
//!
//! The service usually runs as an account of its own, and root works on the same files: by
//! `corten user add` before the first start, or by `corten serve` at a terminal. If the database, its
//! lock or anything else belonged to root, the service could not open it any more. So root becomes
//! the owner of the data folder as far as new files are concerned, and keeps all its rights
//! otherwise.

use crate::console::note;
use config::Config;
use rustix::{
    fs::{Gid, Uid},
    io,
    process::geteuid,
    thread::{
        CapabilitySets, capabilities, set_capabilities, set_thread_res_gid, set_thread_res_uid,
    },
};
use std::{fs, os::unix::fs::MetadataExt, path::Path};

/// Has this thread, and those that it starts from now on, make files for the owner of the data
/// folder. Called before there are other threads; without effect unless root runs this.
#[expect(
    clippy::disallowed_methods,
    reason = "called before anything is served"
)]
pub(crate) fn write_as_owner(config: &Config) {
    let data: &Path = &config.corten.data_dir;
    let Ok(folder) = fs::metadata(data) else {
        return;
    };
    if !geteuid().is_root() || folder.uid() == 0 {
        return;
    }
    if let Err(error) = become_owner(Uid::from_raw(folder.uid()), Gid::from_raw(folder.gid())) {
        note(&format!(
            "warning: new files in {} will belong to root, not to the owner of the folder: {error}",
            data.display()
        ));
    }
}

fn become_owner(user: Uid, group: Gid) -> io::Result<()> {
    let before = capabilities(None)?;
    set_thread_res_gid(None::<Gid>, group, None::<Gid>)?;
    set_thread_res_uid(None::<Uid>, user, None::<Uid>)?;
    // The change takes the effective rights away; the permitted ones stay, since root is the real user.
    set_capabilities(
        None,
        CapabilitySets {
            effective: before.effective,
            ..before
        },
    )
}
