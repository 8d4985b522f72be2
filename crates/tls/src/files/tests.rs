//! What is read, and what is left alone.

use super::*;
use crate::{Client, Trust};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use std::{os::unix::fs::symlink, path::PathBuf};

fn authority() -> String {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.self_signed(&key).unwrap().pem()
}

fn said(path: &Path) -> String {
    authorities(path).unwrap_err().to_string()
}

#[test]
fn files_that_never_end_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(said(&pipe).contains("not a regular file"));
    assert!(said(Path::new("/dev/zero")).contains("not a regular file"));
    symlink("/dev/urandom", folder.path().join("random.pem")).unwrap();
    assert!(said(folder.path()).contains("no certificate in the files"));
    fs::write(folder.path().join("ca.pem"), authority()).unwrap();
    assert_eq!(authorities(folder.path()).unwrap().len(), 1);
}

#[test]
fn a_directory_has_a_bounded_number_of_files_however_many_names_they_have() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    fs::write(&file, authority()).unwrap();
    for number in 0..=MOST_FILES {
        symlink("ca.pem", folder.path().join(format!("{number:08x}.0"))).unwrap();
    }
    assert_eq!(authorities(folder.path()).unwrap().len(), 1);
    for number in 0..MOST_FILES {
        fs::write(folder.path().join(number.to_string()), "").unwrap();
    }
    assert!(said(folder.path()).contains("more than 256 files"));
    let large = folder.path().join("large");
    fs::write(&large, vec![b'x'; 1 << 20 | 1]).unwrap();
    assert!(said(&large).contains("larger than 1024 KiB"));
}

#[tokio::test]
async fn whoever_names_a_path_does_not_learn_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("ca.pem"), authority()).unwrap();
    fs::write(at("text"), "nothing").unwrap();
    symlink("/proc/self/environ", at("link")).unwrap();
    let load = |path: PathBuf| Client::from(Trust::Named(path)).load();
    let blocked = [
        "/dev",
        "/dev/zero",
        "/usr/../proc/self/environ",
        "/run/x",
        "relative",
    ];
    let absent = [at("text"), at("link"), at("absent")];
    for path in blocked.map(PathBuf::from).into_iter().chain(absent) {
        let shown = path.display().to_string();
        let error = load(path).await.unwrap_err().to_string();
        let expected = format!("{shown}: no readable CA certificates");
        assert_eq!(error, expected);
    }
    assert!(load(at("ca.pem")).await.is_ok());
    assert!(load(folder.path().to_owned()).await.is_ok());
}
