//! `kill -9` of the real program at random moments while batches run.
//!
//! Nothing may be asked twice and nothing forgotten: each node has exactly one event of its
//! acceptance, and the hardware was switched at most once.

use crate::{
    database::{Database, Engine},
    program::Program,
};
use scenario::random::Random;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// How many nodes a batch has, unless `CORTEN_TEST_BATCH_NODES` says otherwise.
const NODES: usize = 120;
/// How many nodes are enrolled at a time.
const AT_ONCE: usize = 20;

fn count() -> usize {
    let asked = std::env::var("CORTEN_TEST_BATCH_NODES").ok();
    asked.map_or(NODES, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_goes_on_and_asks_no_node_twice_on_sqlite() {
    survive(Engine::Sqlite, count()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_goes_on_and_asks_no_node_twice_on_postgres() {
    if !Engine::Postgres.is_skipped() {
        survive(Engine::Postgres, 40).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_goes_on_and_asks_no_node_twice_on_mariadb() {
    if !Engine::MariaDb.is_skipped() {
        survive(Engine::MariaDb, 40).await;
    }
}

struct Service {
    arguments: Vec<String>,
    log: PathBuf,
    journal: PathBuf,
    program: Option<Program>,
    kills: usize,
}

impl Service {
    fn new(database: &Database) -> Self {
        let data_dir = database.directory();
        let journal = data_dir.join("journal");
        let mut arguments = vec![
            "serve".to_owned(),
            "--data-dir".to_owned(),
            data_dir.display().to_string(),
        ];
        let settings = [
            "api.port=0".to_owned(),
            "DEFAULT.host=batch-test".to_owned(),
            "conductor.node_locked_retry_attempts=1".to_owned(),
            "fake.power_delay=0.002,0.05".to_owned(),
            format!("corten.fake_journal={}", journal.display()),
            format!("database.connection={}", database.url()),
        ];
        for setting in settings {
            arguments.extend(["--set".to_owned(), setting]);
        }
        Self {
            arguments,
            log: data_dir.join("service.log"),
            journal,
            program: None,
            kills: 0,
        }
    }

    async fn start(&mut self) {
        self.program = Some(Program::start(&self.arguments, &self.log).await);
    }

    async fn kill(&mut self) {
        self.program.take().unwrap().kill().await;
        self.kills += 1;
    }

    fn client(&self) -> &crate::http::Client {
        &self.program.as_ref().unwrap().client
    }

    /// Runs a batch to its end, and kills the service meanwhile; returns its document.
    async fn run(&mut self, random: &mut Random, body: Value) -> Value {
        let made = self.client().post("/corten/v1/batches", body).await;
        let uuid = made.expect(201).json()["uuid"].as_str().unwrap().to_owned();
        let path = format!("/corten/v1/batches/{uuid}");
        let mut longest = 600;
        let give_up = Instant::now() + Duration::from_secs(600);
        loop {
            // The moments are what is being tested; nothing is waited for here.
            let moment = 10 + random.below(longest);
            tokio::time::sleep(Duration::from_millis(moment as u64)).await;
            let shown = self.client().get(&path).await.expect(200).json();
            if shown["state"] == "done" {
                return shown;
            }
            assert_eq!(shown["state"], "running", "{shown:#}");
            assert!(Instant::now() < give_up, "{shown:#}");
            let started = Instant::now();
            self.kill().await;
            self.start().await;
            // A batch is taken up within a second; kills come before and after that.
            let took = usize::try_from(started.elapsed().as_millis()).unwrap();
            longest = 1500 + took.min(3000);
        }
    }
}

async fn survive(engine: Engine, count: usize) {
    let mut random = Random::new();
    let database = Database::create(engine);
    store::KeyRing::load_or_create(&database.key_file()).unwrap();
    let mut service = Service::new(&database);
    service.start().await;
    let names: Vec<String> = (0..count).map(|at| format!("m{at:04}")).collect();
    for some in names.chunks(AT_ONCE) {
        let enrolled = some.iter().map(|name| {
            let body = json!({"name": name, "driver": "fake-hardware"});
            service.client().post("/v1/nodes", body)
        });
        for answer in futures_util::future::join_all(enrolled).await {
            answer.expect(201);
        }
    }
    let batch = |action: &str, target: &str| {
        json!({"action": action, "arguments": {"target": target}, "nodes": names,
            "waves": [1, "10%"], "at_once": 3, "max_failures": count})
    };
    let managed = service.run(&mut random, batch("provision", "manage")).await;
    let switched = service.run(&mut random, batch("power", "rebooting")).await;
    let client = service.client().clone();
    for batch in [&managed, &switched] {
        let ended = ["done", "failed"].map(|state| batch["counts"][state].as_u64().unwrap());
        println!("{} of {count} done", ended[0]);
        assert_eq!(ended.iter().sum::<u64>(), count as u64, "{batch:#}");
        assert!(ended[0] > 0, "{batch:#}");
    }
    // Each was accepted exactly once.
    let mut accepted: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for (kind, text) in [
        ("provision", "enroll -> verifying"),
        ("power", "rebooting was asked for"),
    ] {
        for event in events(&client, kind).await {
            if event["text"] == text {
                let name = event["node_name"].as_str().unwrap().to_owned();
                *accepted.entry((name, kind)).or_default() += 1;
            }
        }
    }
    let mut wrong = Vec::new();
    for name in &names {
        for kind in ["provision", "power"] {
            let times = accepted.get(&(name.clone(), kind)).copied().unwrap_or(0);
            if times != 1 {
                wrong.push(format!("{name} {kind}: {times} times"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    let twice = switched_twice(&service.journal);
    assert!(twice.is_empty(), "{twice:?}");
    println!("{} kills, {count} nodes", service.kills);
    assert!(service.kills >= 2, "{} kills prove little", service.kills);
    service.program.take().unwrap().stop().await;
}

async fn events(client: &crate::http::Client, kind: &str) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), 0);
    loop {
        let path = format!("/corten/v1/events?after={after}&limit=1000&kind={kind}");
        let page = client.get(&path).await.expect(200).json();
        all.extend(page["events"].as_array().unwrap().iter().cloned());
        let next = page["next"].as_u64().unwrap();
        if next == after {
            return all;
        }
        after = next;
    }
}

/// The machines that were told to restart more than once.
fn switched_twice(journal: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(journal).unwrap();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut begun: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        let is_switch = line["operation"]
            .as_str()
            .is_some_and(|name| name.starts_with("power"));
        if is_switch && line["phase"] == "begin" {
            *begun
                .entry(line["node"].as_str().unwrap().to_owned())
                .or_default() += 1;
        }
    }
    assert!(!begun.is_empty(), "the journal tells of no change");
    begun.retain(|_, times| *times > 1);
    begun.into_keys().collect()
}
