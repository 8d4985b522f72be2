//! The program in one of its roles, as a child process.

use super::SECRET;
use crate::{database::Database, http::Client, program::Program};

pub(super) struct Process {
    pub(super) name: String,
    pub(super) client: Client,
    program: Program,
}

impl Process {
    /// Starts a role under a name and waits until it listens. `sets` win over what is usual here.
    /// The role `alone` is that of a service that knows of no cluster.
    pub(super) async fn start(database: &Database, role: &str, name: &str, sets: &[&str]) -> Self {
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
        let program = Program::start(
            [role, "--data-dir", &data_dir.display().to_string()]
                .into_iter()
                .chain(sets.flat_map(|set| ["--set", set])),
            &data_dir.join("log"),
        )
        .await;
        Self {
            name: name.to_owned(),
            client: program.client.clone(),
            program,
        }
    }

    pub(super) fn log(&self) -> String {
        self.program.log()
    }

    pub(super) async fn signal(&self, name: &str) {
        self.program.signal(name).await;
    }

    pub(super) async fn kill(self) {
        self.program.kill().await;
    }

    pub(super) async fn ended(self) {
        self.program.ended().await;
    }

    pub(super) async fn stop(self) {
        self.program.stop().await;
    }
}
