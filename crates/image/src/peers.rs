//! What other programs make of our images, and we of theirs.
//!
//! Where a program is not installed its tests say so and do nothing, except in CI, where they fail.

mod ext4;
mod packed;
mod qcow2;
mod survey;
mod table;
mod volume;

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Programs that administrators use are not on everybody's path.
fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

/// Whether all these programs are there.
fn have(programs: &[&str]) -> bool {
    let missing: Vec<_> = programs
        .iter()
        .filter(|program| find(program).is_none())
        .collect();
    if missing.is_empty() {
        return true;
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "{missing:?} are not installed"
    );
    println!("SKIPPED: {missing:?} are not installed");
    false
}

/// Runs a program; its output, if it succeeded.
#[track_caller]
fn run<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> Vec<u8> {
    let output = Command::new(find(program).unwrap())
        .args(arguments)
        .env("LC_ALL", "C")
        .env("MTOOLS_SKIP_CHECK", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (out, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{program}: {out}{error}");
    output.stdout
}

#[track_caller]
fn text<A: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> String {
    String::from_utf8_lossy(&run(program, arguments)).into_owned()
}

/// The bytes of a layout, with letters in place of external files.
fn written(segments: &[proto::volume::Segment], path: &Path) {
    crate::media::write_file(segments, &crate::media::Files::new(), path).unwrap();
}
