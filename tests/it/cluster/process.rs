//! The program in one of its roles, as a child process.

use super::{PATIENCE, SECRET};
use crate::{
    database::Database,
    http::Client,
    program::{self, Program},
};
use std::{path::PathBuf, process::Stdio};
use tokio::process::Command;

/// Which program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// The one that was built.
    This,
    /// One whose schema has more migrations, from files with these names beside the database.
    Later(&'static [&'static str]),
    /// One of an earlier release, which `CORTEN_EARLIER` names.
    Earlier,
}

/// Where a program of an earlier release is, if somebody built one.
pub(crate) fn earlier() -> Option<PathBuf> {
    std::env::var_os("CORTEN_EARLIER").map(PathBuf::from)
}

impl Version {
    fn command(self, database: &Database) -> Command {
        let names = match self {
            Self::This => return Command::new(program::path()),
            Self::Earlier => return Command::new(earlier().expect("CORTEN_EARLIER")),
            Self::Later(names) => names,
        };
        let later = program::path().with_file_name("examples").join("later");
        assert!(
            later.exists(),
            "{} is missing: run `cargo build -p corten --example later` first",
            later.display()
        );
        let files = names.iter().map(|name| database.directory().join(name));
        let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
        let mut command = Command::new(later);
        command.env("CORTEN_LATER", files.join(":"));
        command
    }

    /// Runs `corten db …` to its end; whether it went well, and all that it said.
    pub(crate) async fn db(self, database: &Database, verb: &str) -> (bool, String) {
        let sets = [
            format!("database.connection={}", database.url()),
            format!("corten.key_file={}", database.key_file().display()),
        ];
        let run = self
            .command(database)
            .args(["db", verb, "--data-dir"])
            .arg(database.directory())
            .args(sets.iter().flat_map(|set| ["--set", set]))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = tokio::time::timeout(PATIENCE, run).await;
        let output = output.expect("it does not end").unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        (output.status.success(), said)
    }
}

pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) client: Client,
    program: Program,
}

impl Process {
    /// Starts a role under a name and waits until it listens. `sets` win over what is usual here.
    /// The role `alone` is that of a service that knows of no cluster.
    pub(crate) async fn start(database: &Database, role: &str, name: &str, sets: &[&str]) -> Self {
        Self::start_as(Version::This, database, role, name, sets).await
    }

    /// The same with a certain version of the program.
    pub(crate) async fn start_as(
        version: Version,
        database: &Database,
        role: &str,
        name: &str,
        sets: &[&str],
    ) -> Self {
        let started = Self::try_start(version, database, role, name, sets).await;
        started.unwrap_or_else(|log| panic!("it ended at its start:\n{log}"))
    }

    /// The same, or the log of one that ended by itself.
    pub(crate) async fn try_start(
        version: Version,
        database: &Database,
        role: &str,
        name: &str,
        sets: &[&str],
    ) -> Result<Self, String> {
        let data_dir = database.directory().join(name);
        std::fs::create_dir_all(&data_dir).unwrap();
        let usual = [
            format!("DEFAULT.host={name}"),
            format!("database.connection={}", database.url()),
            format!("corten.key_file={}", database.key_file().display()),
            // On a busy machine a living one is silent for seconds now and then; whoever tests what
            // silence leads to says otherwise.
            "corten.membership_ttl=600".to_owned(),
            "conductor.heartbeat_interval=1".to_owned(),
            "DEFAULT.hash_ring_reset_interval=1".to_owned(),
            "conductor.automated_clean=false".to_owned(),
            "conductor.node_locked_retry_attempts=1".to_owned(),
            "api.port=0".to_owned(),
            "json_rpc.port=0".to_owned(),
        ];
        let secret = format!("corten.cluster_secret={SECRET}");
        let (role, secret) = match role {
            "alone" => ("serve", None),
            role => (role, Some(secret.as_str())),
        };
        let usual = usual.iter().map(String::as_str).chain(secret);
        let sets = usual.chain(sets.iter().copied());
        let program = Program::try_start(
            version.command(database),
            [role, "--data-dir", &data_dir.display().to_string()]
                .into_iter()
                .chain(sets.flat_map(|set| ["--set", set])),
            &data_dir.join("log"),
        )
        .await?;
        Ok(Self {
            name: name.to_owned(),
            client: program.client.clone(),
            program,
        })
    }

    pub(crate) fn log(&self) -> String {
        self.program.log()
    }

    pub(crate) async fn signal(&self, name: &str) {
        self.program.signal(name).await;
    }

    pub(crate) async fn kill(self) {
        self.program.kill().await;
    }

    pub(crate) async fn ended(self) {
        self.program.ended().await;
    }

    pub(crate) async fn failed(self) -> String {
        self.program.failed().await
    }

    pub(crate) async fn stop(self) {
        self.program.stop().await;
    }
}
