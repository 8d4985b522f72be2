//! What root makes in a data folder that belongs to another account, as the package has it.

use super::namespace::{Host, alone, has};
use crate::program::Program;
use std::{
    fs::{self, File},
    os::unix::fs::{MetadataExt, chown},
    path::{Path, PathBuf},
};

/// Any account but root's.
const ACCOUNT: u32 = 65_534;

/// Everything below a folder that belongs to others than the account.
fn foreign(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let about = path.symlink_metadata().unwrap();
        if (about.uid(), about.gid()) != (ACCOUNT, ACCOUNT) {
            found.push(path.clone());
        }
        if about.is_dir() {
            found.extend(foreign(&path));
        }
    }
    found
}

#[test]
fn what_root_makes_belongs_to_the_owner_of_the_data_folder() {
    let name = "first_day::owner::what_root_makes_belongs_to_the_owner_of_the_data_folder";
    if !has("ip") {
        return;
    }
    alone(name, async || {
        let host = Host::new();
        let data = host.path("data");
        fs::create_dir(&data).unwrap();
        if chown(&data, Some(ACCOUNT), Some(ACCOUNT)).is_err() {
            println!("SKIPPED: only root can give files away");
            return;
        }
        fs::write(host.path("password"), "first\n").unwrap();
        let mut add = host
            .command("user add ada --admin --data-dir @/data --set DEFAULT.auth_strategy=local");
        let add = add.stdin(File::open(host.path("password")).unwrap());
        let added = add.output().unwrap();
        assert!(added.status.success(), "{added:?}");
        assert!(data.join("corten.db").exists() && data.join("keys").exists());
        assert_eq!(foreign(&data), Vec::<PathBuf>::new());

        // The service keeps the rights of root, such as to low ports.
        let words = [
            "serve",
            "--data-dir",
            data.to_str().unwrap(),
            "--set",
            "DEFAULT.auth_strategy=local",
            "--set",
            "api.port=443",
            "--set",
            "corten.tftp_listen=127.0.0.1:69",
            "--set",
            "corten.http_listen=127.0.0.1:80",
        ];
        let service = Program::start(words, &host.path("log")).await;
        let listed = host.corten("user list --data-dir @/data -f value");
        assert!(listed.status.success(), "{listed:?}");
        assert_eq!(foreign(&data), Vec::<PathBuf>::new());
        service.stop().await;
        assert_eq!(foreign(&data), Vec::<PathBuf>::new());
    });
}
