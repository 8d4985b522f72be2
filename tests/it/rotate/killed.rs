//! `kill -9` of the real program at every step of a change, and again while it finds out how far the
//! change came: the service always has the password that the BMC has, and the BMC is never locked.
//!
//! Each step is tried [`ROUNDS`] times, or as often as `CORTEN_ROTATE_ROUNDS` says.

use super::{Bmc, PASSWORD, Protocol, line::Line, path};
use crate::{
    database::{Database, Engine},
    http::{Client, Request},
    program::Program,
};
use scenario::random::Random;
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::PathBuf, time::Duration};
use types::NodeId;

const ROUNDS: usize = 2;

/// No healthy wait takes that long.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_locked_out_by_a_kill_over_ipmi() {
    Bench::new(Protocol::Ipmi).await.dies_everywhere().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_locked_out_by_a_kill_over_redfish() {
    Bench::new(Protocol::Redfish).await.dies_everywhere().await;
}

/// A step of a change: the packet at which the line goes dead, and what that means.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// The change is accepted, and nothing is stored of it.
    Begun,
    /// The new password is stored, and the BMC is about to be told.
    Stored,
    /// It has the new password, and its answer is lost.
    Changed,
    /// A login with the new password is about to be tried.
    Tried,
    /// It was tried, and the last answer is lost.
    Verified,
    /// Everything is written, and the client does not hear of it.
    Written,
}

const STEPS: [Step; 6] = [
    Step::Begun,
    Step::Stored,
    Step::Changed,
    Step::Tried,
    Step::Verified,
    Step::Written,
];

/// What a change looks like on the line.
#[derive(Debug, Clone, Copy)]
struct Course {
    /// The packet with which the BMC is told.
    told: usize,
    packets: usize,
}

impl Course {
    fn packet(self, step: Step) -> usize {
        match step {
            Step::Begun => 0,
            Step::Stored => self.told,
            Step::Changed => self.told + 1,
            Step::Tried => self.told + 2,
            Step::Verified => self.packets - 1,
            Step::Written => self.packets,
        }
    }
}

struct Bench {
    database: Database,
    bmc: Bmc,
    line: Line,
    arguments: Vec<String>,
    log: PathBuf,
}

impl Bench {
    async fn new(protocol: Protocol) -> Self {
        let database = Database::create(Engine::Sqlite);
        store::KeyRing::load_or_create(&database.key_file()).unwrap();
        let bmc = Bmc::new(protocol).await;
        let line = match protocol {
            Protocol::Ipmi => Line::udp(bmc.port, bmc.has_new_password()).await,
            Protocol::Redfish => Line::tcp(bmc.port, bmc.has_new_password()).await,
        };
        let folder = database.directory();
        let mut arguments = vec![
            "serve".to_owned(),
            "--data-dir".to_owned(),
            folder.display().to_string(),
        ];
        for setting in [
            "api.port=0".to_owned(),
            "DEFAULT.host=kill-test".to_owned(),
            format!("database.connection={}", database.url()),
            "DEFAULT.enabled_management_interfaces=fake,ipmitool,redfish".to_owned(),
            "conductor.node_locked_retry_attempts=1".to_owned(),
            "ipmi.min_command_interval=0".to_owned(),
        ] {
            arguments.extend(["--set".to_owned(), setting]);
        }
        let log = folder.join("service.log");
        Self {
            database,
            bmc,
            line,
            arguments,
            log,
        }
    }

    async fn start(&self) -> Program {
        Program::start(&self.arguments, &self.log).await
    }

    async fn dies_everywhere(self) {
        let rounds = std::env::var("CORTEN_ROTATE_ROUNDS");
        let rounds = rounds.map_or(ROUNDS, |rounds| rounds.parse().unwrap());
        let mut random = Random::new();
        let mut program = self.start().await;
        let node = self.bmc.node("m1", self.line.port);
        let created = program.client.post("/v1/nodes", node).await;
        let id: NodeId = created.expect(201).json()["uuid"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        let course = self.rehearse(&program.client, id).await;
        println!("{:?}: {course:?}", self.bmc.protocol);
        let mut used = BTreeSet::from([PASSWORD.to_owned(), self.bmc.password()]);
        let (mut changed, mut kept) = (0, 0);
        for step in STEPS {
            for round in 0..rounds {
                let what = format!("{:?} {step:?} {round}", self.bmc.protocol);
                let before = self.bmc.password();
                self.change_dies_at(&program.client, course.packet(step))
                    .await;
                program.kill().await;
                // Every second time it is killed again while it finds out what happened.
                if round % 2 == 1 {
                    self.line.dies_at(random.below(course.packets));
                    program = self.start().await;
                    tokio::select! {
                        () = self.line.is_dead() => {}
                        _ = rests(&program.client, id) => {}
                    }
                    program.kill().await;
                }
                self.line.opens();
                program = self.start().await;
                let node = rests(&program.client, id).await;
                self.is_let_in(&program.client, id, &node, &what).await;
                let now = self.bmc.password();
                match now == before {
                    true => kept += 1,
                    false => changed += 1,
                }
                used.insert(now);
            }
        }
        println!("{changed} changed, {kept} kept");
        assert!(
            changed >= rounds && kept >= rounds,
            "this run proves little"
        );
        let told = program
            .client
            .get("/corten/v1/events?after=0&limit=1000")
            .await;
        let told = told.expect(200).json().to_string() + &program.log();
        for secret in &used {
            assert!(!told.contains(secret), "{secret} was told");
        }
        program.stop().await;
        drop(self.database);
    }

    /// One change without trouble.
    async fn rehearse(&self, client: &Client, id: NodeId) -> Course {
        // Each change begins with the session that was used to look whether the one before is well.
        let node = rests(client, id).await;
        self.is_let_in(client, id, &node, "rehearsal").await;
        self.line.opens();
        client.post(&path("m1"), json!({})).await.expect(204);
        assert_ne!(self.bmc.password(), PASSWORD);
        let answered = self.line.seen_at().unwrap();
        Course {
            told: answered - 1,
            packets: self.line.passed(),
        }
    }

    /// Asks for a change, and waits until the line is dead or the change is done.
    async fn change_dies_at(&self, client: &Client, packet: usize) {
        self.line.dies_at(packet);
        let client = client.clone();
        let asked = Request::new("POST", &path("m1")).json(&json!({}));
        let change = tokio::spawn(async move { client.try_send(&asked).await });
        tokio::select! {
            () = self.line.is_dead() => {}
            answer = change => {
                answer.unwrap().unwrap().expect(204);
            }
        }
    }

    /// Nothing is left open, and the BMC takes the password that the service has.
    async fn is_let_in(&self, client: &Client, id: NodeId, node: &Value, what: &str) {
        assert_eq!(node["maintenance"], json!(false), "{what}: {node:#}");
        let internal = &node["driver_internal_info"];
        assert!(
            internal.get("corten_pending_bmc_password").is_none(),
            "{what}"
        );
        let path = format!("/v1/nodes/{id}/management/boot_device");
        let answer = client.get(&path).await;
        assert_eq!(answer.0.status, 200, "{what}: {answer:?}");
    }
}

/// Waits until nobody works on a node.
async fn rests(client: &Client, id: NodeId) -> Value {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let answer = client.get(&format!("/v1/nodes/{id}")).await;
        let node = answer.expect(200).json();
        if node["reservation"].is_null() {
            return node;
        }
        assert!(tokio::time::Instant::now() < deadline, "in vain: {node:#}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
