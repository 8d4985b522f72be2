//! One PostgreSQL server on a host of its own.
//!
//! Its files are in memory, in a file system that goes with the world. What is committed survives
//! its processes, which is what is tested here; the machine itself does not crash.

use crate::{
    network::{Host, command, run},
    process::Process,
};
use anyhow::{Context, Result};
use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

const FOLDER: &str = "/run/postgres";

/// The server's place in the world.
#[derive(Debug)]
pub(crate) struct Postgres {
    pub(crate) host: Host,
    pub(crate) process: Process,
}

impl Postgres {
    /// Makes an empty database and starts the server.
    pub(crate) async fn create(host: Host, log: &Path) -> Result<Self> {
        let (initdb, server) = (find("initdb")?, find("postgres")?);
        // The server refuses to run as root, so root lends it another user.
        let user = if run(command("id").arg("postgres")).await.is_ok() {
            "postgres"
        } else {
            "nobody"
        };
        let group = run(command("id").args(["-g", user])).await?;
        let as_user = [
            "setpriv".to_owned(),
            format!("--reuid={user}"),
            format!("--regid={}", group.trim()),
            "--clear-groups".to_owned(),
        ];
        fs::create_dir_all(FOLDER)?;
        run(command("chown").args([user, FOLDER])).await?;
        let data = format!("{FOLDER}/data");
        let mut make = command(&as_user[0]);
        make.args(&as_user[1..]).arg(&initdb).args(["-D", &data]);
        make.args(["-U", "corten", "-A", "trust", "-E", "UTF8", "--locale=C"]);
        run(make.arg("--no-sync").current_dir("/")).await?;
        let hba = format!("{data}/pg_hba.conf");
        let mut hba = OpenOptions::new().append(true).open(hba)?;
        writeln!(hba, "host all all 10.78.0.0/24 trust")?;

        let mut words = as_user.to_vec();
        words.push(server.display().to_string());
        words.extend(["-D".to_owned(), data]);
        let settings = [
            format!("listen_addresses={}", host.address()),
            format!("unix_socket_directories={FOLDER}"),
            // Safe as long as the machine itself does not crash; answers still wait for the log.
            "fsync=off".to_owned(),
            "max_connections=200".to_owned(),
            "log_min_messages=warning".to_owned(),
        ];
        for setting in settings {
            words.extend(["-c".to_owned(), setting]);
        }
        let process = Process::new("database", host.clone(), words, log.to_owned());
        process.start()?;
        Ok(Self { host, process })
    }

    /// Where clients connect.
    pub(crate) fn url(&self) -> String {
        format!("postgresql://corten@{}/postgres", self.host.address())
    }
}

/// A program of the server. Debian keeps them outside the path, one folder a version.
fn find(name: &str) -> Result<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let named = path.split(':').map(|folder| Path::new(folder).join(name));
    if let Some(found) = named.into_iter().find(|file| file.is_file()) {
        return Ok(found);
    }
    let mut versions: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin").join(name))
        .filter(|file| file.is_file())
        .collect();
    versions.sort();
    versions
        .pop()
        .with_context(|| format!("PostgreSQL's {name} is not installed"))
}
