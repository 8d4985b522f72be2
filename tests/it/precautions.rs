//! What the program does about itself when it starts: it says what it serves, keeps its memory to
//! itself, and complains about a key file that others may read.

use crate::program::{self, Program};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::Path,
};
use tokio::process::Command;

/// A user without rights, for a test that root runs.
const NOBODY: u32 = 65534;

async fn serve(command: Command, data: &Path, sets: &[&str]) -> Program {
    let data_dir = data.display().to_string();
    let sets = ["api.port=0"].iter().chain(sets);
    let sets = sets.flat_map(|set| ["--set", *set]);
    let arguments = ["serve", "--data-dir", &data_dir].into_iter().chain(sets);
    let started = Program::try_start(command, arguments, &data.join("log")).await;
    started.unwrap_or_else(|log| panic!("it ended at its start:\n{log}"))
}

#[tokio::test]
async fn the_log_says_which_boot_services_run_and_where() {
    let dir = tempfile::tempdir().unwrap();
    let sets = [
        "corten.http_listen=127.0.0.1:0",
        "corten.tftp_listen=127.0.0.1:0",
    ];
    let program = serve(Command::new(program::path()), dir.path(), &sets).await;
    let log = program.log();
    for words in [
        "TFTP is served at 127.0.0.1:",
        "boot files are served by HTTP at 127.0.0.1:",
    ] {
        let line = log.lines().find(|line| line.contains(words));
        let line = line.unwrap_or_else(|| panic!("'{words}' is not in the log:\n{log}"));
        assert!(line.contains(", from /"), "{line}");
        assert!(
            !line.contains("127.0.0.1:0"),
            "the port is the one that was taken: {line}"
        );
    }
    program.stop().await;

    let dir = tempfile::tempdir().unwrap();
    let program = serve(Command::new(program::path()), dir.path(), &[]).await;
    assert!(program.log().contains("boot services are disabled"));
    program.stop().await;
}

/// The files of a process in /proc belong to root, whoever runs it, once its memory is not to be
/// read or dumped.
#[tokio::test]
async fn the_memory_of_the_service_is_not_dumped() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(program::path());
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        chown(dir.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let program = serve(command, dir.path(), &[]).await;
    let owner = |file: &str| {
        let path = format!("/proc/{}/{file}", program.id());
        fs::metadata(path).unwrap().uid()
    };
    assert_eq!((owner("environ"), owner("mem")), (0, 0));
    // It is run by somebody else.
    let status = fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
    let uid = status.lines().find(|line| line.starts_with("Uid:"));
    assert!(!uid.unwrap().contains("\t0"), "{status}");
    program.stop().await;
}

#[tokio::test]
async fn a_key_file_that_others_may_read_is_complained_about() {
    let dir = tempfile::tempdir().unwrap();
    let start = || serve(Command::new(program::path()), dir.path(), &[]);
    let complaint = "may read the key file";
    let program = start().await;
    assert!(!program.log().contains(complaint));
    program.stop().await;
    let keys = dir.path().join("keys");
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o644)).unwrap();
    let program = start().await;
    let log = program.log();
    assert!(
        log.contains("every user of this machine may read the key file"),
        "{log}"
    );
    assert!(log.contains("chmod 600"), "{log}");
    program.stop().await;
}
