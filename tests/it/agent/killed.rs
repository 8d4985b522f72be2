//! `kill -9` of the real program, and a pause of it, while it writes a disk over iSCSI.
//!
//! Whatever it was doing, the next one brings the deployment to its end: the disk holds the image,
//! nobody is connected to it any more, and nothing of the one before arrives.

use super::{
    Puppet,
    iscsi::{MIB, OLD, OURS, Seen, whole_disk},
    portal::{CHECK_CONDITION, Moment, Portal, RESERVATION_CONFLICT},
    puppet,
};
use crate::{
    cluster::{Cluster, eventually, process::Process},
    database::{Database, Engine},
    http::Client,
    port,
    program::Program,
};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::FileExt, path::PathBuf, time::Duration};
use types::NodeId;

every_server!(
    another_conductor_writes_on_where_one_was_killed,
    a_conductor_that_stood_still_writes_nothing_any_more,
);

/// An agent that calls itself so serves whoever comes, and knows no word to end that.
const FOREIGN: &str = "7.0.0";

/// No healthy wait takes that long.
const PATIENCE: Duration = Duration::from_secs(90);

/// A disk, an agent that exports it, and who watches that.
struct Bench {
    folder: tempfile::TempDir,
    agent: Puppet,
    portal: Portal,
}

impl Bench {
    async fn new(version: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agent = puppet().await;
        agent.is(version);
        let hidden = port::free();
        agent.exports_at(folder.path().join("disk"), hidden);
        fs::write(folder.path().join("image"), image()).unwrap();
        let bench = Self {
            folder,
            agent,
            portal: Portal::before(hidden).await,
        };
        bench.forgets();
        bench
    }

    fn disk(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    /// The disk is one that was used before.
    fn forgets(&self) {
        let disk = fs::File::create(self.disk()).unwrap();
        disk.set_len(256 << 20).unwrap();
        disk.write_all_at(&vec![OLD; 40 * MIB], 0).unwrap();
    }

    fn sets(&self, host: &str) -> Vec<String> {
        let folder = self.folder.path().join(host);
        let at = |name: &str| folder.join(name).display().to_string();
        let sets = [
            ("DEFAULT.enabled_hardware_types", "fake-hardware".to_owned()),
            ("DEFAULT.enabled_boot_interfaces", "fake".to_owned()),
            ("DEFAULT.enabled_deploy_interfaces", "fake,iscsi".to_owned()),
            (
                "DEFAULT.enabled_management_interfaces",
                "fake,noop".to_owned(),
            ),
            ("conductor.automated_clean", "false".to_owned()),
            ("conductor.node_locked_retry_attempts", "1".to_owned()),
            (
                "conductor.file_url_allowed_paths",
                self.folder.path().display().to_string(),
            ),
            ("deploy.http_root", at("http")),
            ("deploy.default_boot_mode", "bios".to_owned()),
            ("pxe.images_path", at("images")),
            ("pxe.instance_master_path", at("masters")),
            ("iscsi.portal_port", self.portal.port.to_string()),
            ("agent.require_tls", "False".to_owned()),
            ("agent.post_deploy_get_power_state_retries", "0".to_owned()),
            (
                "agent.post_deploy_get_power_state_retry_interval",
                "0".to_owned(),
            ),
            (
                "service_catalog.endpoint_override",
                "http://127.0.0.1:1".to_owned(),
            ),
        ];
        let sets = sets
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"));
        sets.collect()
    }

    /// A machine whose agent is up, so that its disk is about to be written.
    async fn deploys(&self, client: &Client) -> NodeId {
        let node = json!({
            "driver": "fake-hardware", "boot_interface": "fake", "deploy_interface": "iscsi",
            "management_interface": "noop",
            "instance_info": {"image_source": format!(
                "file://{}", self.folder.path().join("image").display()
            )},
        });
        let created = client.post("/v1/nodes", node).await.expect(201).json();
        let id: NodeId = created["uuid"].as_str().unwrap().parse().unwrap();
        for (verb, state) in [
            ("manage", "manageable"),
            ("provide", "available"),
            ("active", "wait call-back"),
        ] {
            let path = format!("/v1/nodes/{id}/states/provision");
            client.put(&path, json!({"target": verb})).await.expect(202);
            until(client, id, |node| node["provision_state"] == state).await;
        }
        self.agent.boots_at(client, id).await;
        id
    }

    /// The agent does its part until the machine has its instance.
    async fn ends_well(&self, client: &Client, id: NodeId, what: &str) {
        loop {
            let node = until(client, id, |node| node["provision_state"] != "deploying").await;
            match node["provision_state"].as_str() {
                Some("active") => {
                    assert_eq!(node["last_error"], json!(null), "{what}");
                    break;
                }
                Some("wait call-back") => match node["driver_internal_info"].get("agent_url") {
                    None => self.agent.boots_at(client, id).await,
                    Some(_) => self.agent.reports_to(client, id).await,
                },
                _ => panic!("{what}: {node:#}"),
            }
        }
        self.portal.is_left().await;
        let disk = Seen::open(&self.disk());
        assert!(
            disk.read(512, image().len() - 512) == image()[512..],
            "{what}"
        );
        assert_eq!(disk.read(510, 2), [0x55, 0xaa], "{what}");
    }
}

fn image() -> Vec<u8> {
    [whole_disk(), vec![7; 30 * MIB]].concat()
}

/// Waits until nobody works on a node and it is as it should be.
async fn until(client: &Client, id: NodeId, fits: impl Fn(&Value) -> bool) -> Value {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let answer = client.get(&format!("/v1/nodes/{id}")).await;
        let node = answer.expect(200).json();
        if node["reservation"].is_null() && fits(&node) {
            return node;
        }
        assert!(tokio::time::Instant::now() < deadline, "in vain: {node:#}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Where the program is killed.
#[derive(Debug)]
enum Point {
    Told(&'static str),
    Talks(Moment),
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_is_finished_wherever_its_writer_was_killed() {
    let database = Database::create(Engine::Sqlite);
    store::KeyRing::load_or_create(&database.key_file()).unwrap();
    let bench = Bench::new(OURS).await;
    let folder = database.directory();
    let mut arguments = vec![
        "serve".to_owned(),
        "--data-dir".to_owned(),
        folder.display().to_string(),
    ];
    let own = [
        "api.port=0".to_owned(),
        "DEFAULT.host=kill-test".to_owned(),
        format!("database.connection={}", database.url()),
    ];
    for setting in own.into_iter().chain(bench.sets("kill-test")) {
        arguments.extend(["--set".to_owned(), setting]);
    }
    let log = folder.join("service.log");
    let mut program = Program::start(&arguments, &log).await;
    for point in [
        Point::Told("get_deploy_steps"),
        Point::Told("start_iscsi_target"),
        Point::Talks(Moment::LOGIN),
        Point::Talks(Moment::REGISTER),
        Point::Talks(Moment::RESERVE),
        Point::Talks(Moment::flush(1)),
        Point::Talks(Moment::write(1)),
        Point::Talks(Moment::write(20)),
        Point::Talks(Moment::flush(2)),
        Point::Talks(Moment::flush(3)),
        Point::Talks(Moment::read(1)),
        Point::Talks(Moment::LOGOUT),
        Point::Told("stop_iscsi_target"),
        Point::Told("power_off"),
    ] {
        let what = format!("{point:?}");
        bench.forgets();
        match point {
            Point::Told(command) => bench.agent.falls_silent_at(command),
            Point::Talks(moment) => bench.portal.falls_silent_at(moment),
        }
        let id = bench.deploys(&program.client).await;
        match point {
            Point::Told(_) => bench.agent.is_silent().await,
            Point::Talks(_) => bench.portal.is_reached().await,
        }
        program.kill().await;
        program = Program::start(&arguments, &log).await;
        bench.ends_well(&program.client, id, &what).await;
    }
    program.stop().await;
}

/// Two conductors and an API, and a machine whose disk is being written, up to the moment that the
/// portal waits for.
async fn writing(engine: Engine, bench: &Bench) -> (Cluster, NodeId) {
    // What is silent for so long is taken over.
    let silence = "corten.membership_ttl=5".to_owned();
    let sets = |host: &str| [bench.sets(host), vec![silence.clone()]].concat();
    let of_api = sets("api");
    let of_api: Vec<&str> = of_api.iter().map(String::as_str).collect();
    let mut cluster = Cluster::start(engine, &[], &of_api).await;
    for host in ["c1", "c2"] {
        let sets = sets(host);
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        cluster.join(host, &sets).await;
    }
    cluster.sees(&cluster.api, &["c1", "c2"]).await;
    for (one, other) in [("c1", "c2"), ("c2", "c1")] {
        let joined = format!("conductor joined the hash ring host=\"{other}\"");
        eventually("the conductors know of each other", async || {
            cluster.conductor(one).log().contains(&joined)
        })
        .await;
    }
    let id = bench.deploys(cluster.client()).await;
    bench.portal.is_reached().await;
    (cluster, id)
}

/// Takes the conductor that writes out of the cluster.
async fn writer(cluster: &mut Cluster, id: NodeId) -> Process {
    let shown = cluster.client().get(&format!("/v1/nodes/{id}")).await;
    let shown = shown.expect(200).json();
    let mut all = cluster.conductors.iter();
    let at = all.position(|one| shown["reservation"] == json!(one.name));
    cluster.conductors.remove(at.unwrap())
}

async fn another_conductor_writes_on_where_one_was_killed(engine: Engine) {
    let bench = Bench::new(OURS).await;
    bench.portal.falls_silent_at(Moment::write(20));
    let (mut cluster, id) = writing(engine, &bench).await;
    writer(&mut cluster, id).await.kill().await;
    bench.ends_well(cluster.client(), id, "killed").await;
    cluster.stop().await;
}

async fn a_conductor_that_stood_still_writes_nothing_any_more(engine: Engine) {
    let bench = Bench::new(FOREIGN).await;
    bench.portal.holds_at(Moment::write(20));
    let (mut cluster, id) = writing(engine, &bench).await;
    let writer = writer(&mut cluster, id).await;
    writer.signal("STOP").await;
    let node = until(cluster.client(), id, |node| {
        let state = node["provision_state"].as_str().unwrap();
        state == "active" || state.ends_with("failed")
    });
    let node = node.await;
    assert_eq!(node["provision_state"], "active", "{node:#}");
    // What was on its way when it was stopped arrives now, at a disk that is somebody else's. Whose
    // registration was pre-empted is told so first, by a unit attention (SPC-4: REGISTRATIONS PREEMPTED).
    let refused = bench.portal.lets_go().await;
    let refusals = [CHECK_CONDITION, RESERVATION_CONFLICT];
    assert!(
        refused.is_some_and(|status| refusals.contains(&status)),
        "{refused:?}"
    );
    writer.signal("CONT").await;
    bench.ends_well(cluster.client(), id, "stood still").await;
    writer.stop().await;
    cluster.stop().await;
}
