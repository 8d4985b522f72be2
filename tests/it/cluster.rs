//! APIs and conductors in processes of their own, on one database server.
//!
//! The program itself is started in its roles, so that everything between a client and a machine is
//! as it is for operators. Processes are killed and stopped by their ids.

mod answers;
mod batch;
mod console;
pub(crate) mod process;
mod ring;
mod rolling;
mod signals;
mod status;
mod storm;
mod trace;
mod trust;
mod waiting;

use crate::{
    database::{Database, Engine},
    http::{Answer, Client},
};
use process::Process;
use serde_json::{Value, json};
use std::time::Duration;
use types::ProvisionState as S;

/// No healthy wait takes that long.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the processes of these tests share.
const SECRET: &str = "what-only-the-cluster-knows";

/// A database for a cluster. Its keys and tables are not made by whoever comes first, so they are
/// made here.
fn database(engine: Engine) -> Database {
    let database = Database::create(engine);
    drop(database.open());
    database
}

/// A cluster with one API and conductors of these names.
pub(crate) struct Cluster {
    pub(crate) api: Process,
    pub(crate) conductors: Vec<Process>,
    database: Database,
}

impl Cluster {
    pub(crate) async fn start(engine: Engine, hosts: &[&str], sets: &[&str]) -> Self {
        let database = database(engine);
        let mut cluster = Self {
            api: Process::start(&database, "api", "api-1", sets).await,
            conductors: Vec::new(),
            database,
        };
        for host in hosts {
            cluster.join(host, sets).await;
        }
        cluster.sees(&cluster.api, hosts).await;
        cluster
    }

    /// One more conductor.
    pub(crate) async fn join(&mut self, host: &str, sets: &[&str]) {
        let conductor = Process::start(&self.database, "conductor", host, sets).await;
        self.conductors.push(conductor);
    }

    pub(crate) fn client(&self) -> &Client {
        &self.api.client
    }

    /// Waits until a process takes exactly these conductors for alive.
    pub(crate) async fn sees(&self, process: &Process, hosts: &[&str]) {
        let mut expected: Vec<&str> = hosts.to_vec();
        expected.sort_unstable();
        let what = format!("{} sees {expected:?}", process.name);
        eventually(&what, async || {
            let shown = process
                .client
                .get("/v1/conductors")
                .await
                .expect(200)
                .json();
            let mut alive: Vec<&str> = shown["conductors"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|one| one["alive"] == json!(true))
                .map(|one| one["hostname"].as_str().unwrap())
                .collect();
            alive.sort_unstable();
            alive == expected
        })
        .await;
    }

    pub(crate) fn conductor(&self, host: &str) -> &Process {
        self.conductors.iter().find(|one| one.name == host).unwrap()
    }

    pub(crate) async fn stop(self) {
        self.api.stop().await;
        for conductor in self.conductors {
            conductor.stop().await;
        }
        drop(self.database);
    }
}

/// Asks again and again until it is so.
pub(crate) async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while !is_so().await {
        assert!(tokio::time::Instant::now() < deadline, "in vain: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn enroll(client: &Client, mut body: Value) -> String {
    if body.get("driver").is_none() {
        body["driver"] = json!("fake-hardware");
    }
    let created = client.post("/v1/nodes", body).await.expect(201).json();
    created["uuid"].as_str().unwrap().to_owned()
}

/// Asks for a verb, and again as long as the answer is that this is not the moment.
async fn asks(client: &Client, node: &str, target: &str) -> Answer {
    let path = format!("/v1/nodes/{node}/states/provision");
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let answer = client.put(&path, json!({"target": target})).await;
        let is_over = tokio::time::Instant::now() > deadline;
        if !matches!(answer.status, 409 | 503) || is_over {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn reaches(client: &Client, node: &str, state: S) {
    let path = format!("/v1/nodes/{node}");
    eventually(&format!("{node} reaches '{state}'"), async || {
        let shown = client.get(&path).await.expect(200).json();
        let failed = shown["provision_state"]
            .as_str()
            .unwrap()
            .ends_with("failed");
        assert!(!failed, "{shown:#}");
        shown["provision_state"] == json!(state.as_str()) && shown["reservation"].is_null()
    })
    .await;
}
