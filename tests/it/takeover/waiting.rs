//! Machines that wait for their ramdisks while their conductor dies: the next one serves them.

use super::team::{Member, PATIENCE, Team};
use crate::{
    agent::{names, netboot::qcow2, place::AgentHome, puppet},
    database::Engine,
    http::Client,
    lab::Options,
};
use image::checksum::{Algorithm, Hasher};
use serde_json::{Value, json};
use std::{fs, time::Duration};
use types::{Node, NodeId, ProvisionState as S};

every_engine!(
    a_machine_finds_its_ramdisk_at_the_next_conductor,
    a_deployment_waits_on_and_is_served_by_tftp,
    an_agent_that_runs_goes_on,
    what_cannot_be_made_available_is_told_once_and_tried_again,
    files_that_are_gone_after_a_restart_are_made_again,
);

const MAC: &str = "52:54:00:cc:00:01";
const DASHED: &str = "52-54-00-cc-00-01";
const OTHER: &str = "52:54:00:cc:00:02";
const TOLD: &str = "ramdisk made available again by conductor second";

/// Two conductors with boot services of their own, and the first one's machine.
struct Pair {
    team: Team,
    here: AgentHome,
    there: AgentHome,
    first: Member,
    second: Member,
    id: NodeId,
}

impl Pair {
    async fn make(engine: Engine, boot: &str, change: impl Fn(&mut Options)) -> Self {
        let team = Team::new(engine);
        let (here, there) = (AgentHome::make().await, AgentHome::make().await);
        let mut of_first = team.adapted("first", here.options());
        let mut of_second = team.adapted("second", there.options());
        change(&mut of_first);
        change(&mut of_second);
        let first = Box::pin(team.join_with("first", of_first)).await;
        let second = Box::pin(team.join_with("second", of_second)).await;
        both_see_both(&first, &second).await;
        let id = owned(&first, boot, MAC).await;
        first.asks(id, "manage").await;
        team.reaches(id, S::Manageable).await;
        Self {
            team,
            here,
            there,
            first,
            second,
            id,
        }
    }

    /// Kills the first conductor with its boot services.
    fn kill(&mut self) {
        self.first.kill();
        self.here.close();
    }

    /// Waits until the second conductor serves the machine.
    async fn is_taken_over(&self) -> Node {
        self.team
            .until(self.id, "its new conductor", |node| {
                let second = node.conductor_affinity.as_deref() == Some("second");
                Some(second && node.reservation.is_none())
            })
            .await
    }

    /// What the second conductor did to the hardware.
    fn operations(&self) -> Vec<String> {
        let lines = self.team.journal().into_iter();
        let own = lines.filter(|line| line.begins && line.who == "second" && line.node == self.id);
        own.map(|line| line.operation).collect()
    }

    async fn times_told(&self, text: &str) -> usize {
        let told = self.team.told(self.id).await;
        told.iter().filter(|line| line.contains(text)).count()
    }
}

async fn both_see_both(first: &Member, second: &Member) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    for member in [first, second] {
        loop {
            let shown = member.client.get("/v1/conductors").await.expect(200).json();
            let all = shown["conductors"].as_array().unwrap();
            if all.iter().filter(|one| one["alive"] == true).count() == 2 {
                break;
            }
            let is_over = tokio::time::Instant::now() >= deadline;
            assert!(!is_over, "{} does not see the other", member.host);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// A machine that belongs to this conductor.
async fn owned(by: &Member, boot: &str, mac: &str) -> NodeId {
    loop {
        let id = by
            .enroll(json!({
                "boot_interface": boot, "deploy_interface": "direct",
                "management_interface": "noop",
            }))
            .await;
        let path = format!("/v1/nodes/{id}");
        let shown = by.client.get(&path).await.expect(200).json();
        if shown["conductor"] == json!(by.host) {
            let port = json!({"address": mac, "node_uuid": id.to_string()});
            by.client.post("/v1/ports", port).await.expect(201);
            return id;
        }
        by.client.delete(&path).await.expect(204);
    }
}

/// Fetches the token of the machine's agent, as a ramdisk does that has just come up.
async fn token(client: &Client, id: NodeId) -> String {
    let path = format!("/v1/lookup?node_uuid={id}");
    let found = client.get(&path).await.expect(200).json();
    let token = found["config"]["agent_token"].as_str().unwrap();
    assert_ne!(token, "******");
    token.to_owned()
}

/// The document without what may change while a node waits.
fn kept(node: &Node) -> Value {
    json!({
        "state": node.provision_state, "target": node.target_provision_state,
        "since": node.provision_updated_at, "power": node.power_state,
        "step": node.clean_step, "deploy_step": node.deploy_step, "error": node.last_error,
        "info": node.driver_internal_info, "instance": node.instance_info,
    })
}

async fn a_machine_finds_its_ramdisk_at_the_next_conductor(engine: Engine) {
    let mut pair = Pair::make(engine, "ipxe", |_| {}).await;
    let (id, agent) = (pair.id, puppet().await);
    pair.first.asks(id, "provide").await;
    pair.team.reaches(id, S::CleanWait).await;
    // The ramdisk comes up and gets its token, but does not report before the conductor dies.
    agent.knows(token(&pair.first.client, id).await);
    let before = pair.team.node(id).await;
    let config = format!("/pxelinux.cfg/{DASHED}");
    let kernel = format!("/{id}/deploy_kernel");
    assert!(pair.here.get(&config).await.is_some());
    assert_eq!(pair.there.get(&config).await, None);
    assert_eq!(pair.there.get(&kernel).await, None);

    pair.kill();
    let after = pair.is_taken_over().await;
    let text = pair.there.text(&config).await.unwrap();
    let found = format!("{}{kernel}", pair.there.url());
    assert!(
        text.contains(&found) && !text.contains(&pair.here.url()),
        "{text}"
    );
    assert!(text.contains("ipa-api-url=http://127.0.0.1:1"), "{text}");
    let served = pair.there.text(&kernel).await;
    assert_eq!(served.as_deref(), Some("the kernel"));
    let served = pair.there.text(&format!("/{id}/deploy_ramdisk")).await;
    assert_eq!(served.as_deref(), Some("the ramdisk"));
    assert_eq!(kept(&after), kept(&before));
    assert_eq!(pair.operations(), [""; 0], "the machine is left alone");
    assert_eq!(pair.times_told(TOLD).await, 1);

    // With the token of before it is served as ever.
    for step in ["erase_devices_metadata", "erase_devices"] {
        agent.reports_to(&pair.second.client, id).await;
        pair.team
            .until(id, step, |node| {
                let at = node.clean_step.get("step").and_then(Value::as_str);
                Some(at == Some(step) && node.reservation.is_none())
            })
            .await;
        agent.ends(Ok(json!({})));
    }
    agent.reports_to(&pair.second.client, id).await;
    pair.team.reaches(id, S::Available).await;
    assert_eq!(
        pair.there.get(&config).await,
        None,
        "it goes when it is over"
    );
    assert_eq!(pair.times_told(TOLD).await, 1);
}

async fn a_deployment_waits_on_and_is_served_by_tftp(engine: Engine) {
    let mut pair = Pair::make(engine, "pxe", |options| {
        options.conductor.automated_clean = false;
        options.hardware.boot_images.automated_clean = false;
    })
    .await;
    let id = pair.id;
    pair.first.asks(id, "provide").await;
    pair.team.reaches(id, S::Available).await;
    let images = AgentHome::make().await;
    let disk = qcow2(b"the instance", false);
    let mut sum = Hasher::new(Algorithm::Sha256);
    sum.update(&disk);
    fs::create_dir_all(images.path("http")).unwrap();
    fs::write(images.path("http").join("disk.qcow2"), &disk).unwrap();
    let add = |key: &str, value: String| json!({"op": "add", "path": format!("/instance_info/{key}"), "value": value});
    let instance = json!([
        add("image_source", format!("{}/disk.qcow2", images.url())),
        add("image_disk_format", "qcow2".to_owned()),
        add("image_os_hash_algo", "sha256".to_owned()),
        add("image_os_hash_value", sum.finish()),
        add("image_download_source", "local".to_owned()),
    ]);
    let path = format!("/v1/nodes/{id}");
    pair.first.client.patch(&path, instance).await.expect(200);
    pair.first.asks(id, "active").await;
    let before = pair.team.reaches(id, S::DeployWait).await;
    let config = format!("pxelinux.cfg/01-{DASHED}");
    let kernel = format!("{id}/deploy_kernel");
    assert!(pair.here.tftp(&config).await.is_some());
    assert_eq!(pair.there.tftp(&config).await, None);

    pair.kill();
    let after = pair.is_taken_over().await;
    let text = String::from_utf8(pair.there.tftp(&config).await.unwrap()).unwrap();
    assert!(text.contains("deploy_kernel"), "{text}");
    let served = pair.there.tftp(&kernel).await;
    assert_eq!(served.as_deref(), Some(&b"the kernel"[..]));
    // The image came through the dead conductor; the agent is told where it is now.
    let image = format!("/agent_images/{id}");
    let url = |place: &AgentHome| json!(format!("{}{image}", place.url()));
    let served = pair.there.get(&image).await.unwrap();
    assert!(served.starts_with(b"the instance"), "it is raw here, too");
    assert_eq!(kept(&after), kept(&before));
    assert_eq!(pair.operations(), [""; 0]);
    assert_eq!(pair.times_told(TOLD).await, 1);
    let agent = puppet().await;
    agent.boots_at(&pair.second.client, id).await;
    pair.team
        .until(id, "write_image", |node| {
            let at = node.deploy_step.get("step").and_then(Value::as_str);
            Some(at == Some("write_image") && node.reservation.is_none())
        })
        .await;
    let (_, told) = agent.told().pop().unwrap();
    let urls = &told["step"]["args"]["image_info"]["urls"];
    assert_eq!(urls, &json!([url(&pair.there)]));
}

async fn an_agent_that_runs_goes_on(engine: Engine) {
    let mut pair = Pair::make(engine, "ipxe", |_| {}).await;
    let (id, agent) = (pair.id, puppet().await);
    pair.first.asks(id, "provide").await;
    pair.team.reaches(id, S::CleanWait).await;
    agent.boots_at(&pair.first.client, id).await;
    let at = |step: &'static str| {
        move |node: &Node| {
            let now = node.clean_step.get("step").and_then(Value::as_str);
            Some(now == Some(step) && node.reservation.is_none())
        }
    };
    let first = "erase_devices_metadata";
    let before = pair.team.until(id, first, at(first)).await;

    pair.kill();
    let after = pair.is_taken_over().await;
    assert_eq!(kept(&after), kept(&before));
    assert_eq!(pair.operations(), [""; 0]);
    // It has worked on all the while.
    agent.ends(Ok(json!({})));
    agent.reports_to(&pair.second.client, id).await;
    let second = "erase_devices";
    pair.team.until(id, second, at(second)).await;
    agent.ends(Ok(json!({})));
    agent.reports_to(&pair.second.client, id).await;
    pair.team.reaches(id, S::Available).await;
    assert_eq!(
        names(&agent.told()),
        [
            "clean.get_clean_steps",
            "clean.execute_clean_step erase_devices_metadata",
            "clean.execute_clean_step erase_devices",
        ],
        "nothing is told twice"
    );
}

async fn what_cannot_be_made_available_is_told_once_and_tried_again(engine: Engine) {
    let mut pair = Pair::make(engine, "ipxe", |options| {
        options.conductor.sync_local_state_interval = Duration::from_millis(200);
    })
    .await;
    let id = pair.id;
    pair.first.asks(id, "provide").await;
    pair.team.reaches(id, S::CleanWait).await;
    fs::rename(pair.there.path("kernel"), pair.there.path("away")).unwrap();
    pair.kill();
    let node = pair
        .team
        .until(id, "the failure", |node| Some(node.last_error.is_some()))
        .await;
    let error = node.last_error.unwrap();
    let expected = "Async execution of _do_takeover failed with error: ";
    assert!(error.starts_with(expected), "{error}");
    assert!(error.contains("deploy_kernel"), "{error}");
    assert_eq!(node.provision_state, S::CleanWait);
    assert_eq!(node.conductor_affinity.as_deref(), Some("first"));

    fs::rename(pair.there.path("away"), pair.there.path("kernel")).unwrap();
    let node = pair.is_taken_over().await;
    assert_eq!(
        (node.provision_state, node.last_error),
        (S::CleanWait, None)
    );
    let config = format!("/pxelinux.cfg/{DASHED}");
    assert!(pair.there.get(&config).await.is_some());
    assert_eq!(pair.times_told(expected).await, 1);
    assert_eq!(pair.times_told(TOLD).await, 1);
}

async fn files_that_are_gone_after_a_restart_are_made_again(engine: Engine) {
    let team = Team::new(engine);
    let here = AgentHome::make().await;
    let join = async || {
        let options = team.adapted("first", here.options());
        team.join_with("first", options).await
    };
    let mut first = join().await;
    let (whole, robbed) = (
        owned(&first, "ipxe", OTHER).await,
        owned(&first, "ipxe", MAC).await,
    );
    for id in [whole, robbed] {
        first.asks(id, "manage").await;
        team.reaches(id, S::Manageable).await;
        first.asks(id, "provide").await;
        team.reaches(id, S::CleanWait).await;
    }
    let before = [team.node(whole).await, team.node(robbed).await];
    first.stop().await;

    let folder = here.path("http").join(robbed.to_string());
    fs::remove_dir_all(&folder).unwrap();
    let config = format!("/pxelinux.cfg/{DASHED}");
    assert_eq!(here.get(&config).await, None);
    let _first = join().await;
    team.until(robbed, "its files", |node| {
        let taken = node.lease_generation > before[1].lease_generation;
        Some(taken && node.reservation.is_none())
    })
    .await;
    assert!(here.get(&config).await.is_some());
    assert!(
        here.get(&format!("/{robbed}/deploy_kernel"))
            .await
            .is_some()
    );
    assert_eq!(kept(&team.node(robbed).await), kept(&before[1]));
    let again = "ramdisk made available again by conductor first";
    let told = team.told(robbed).await.join("\n");
    assert_eq!(told.matches(again).count(), 1, "{told}");
    // Where nothing is missing nothing is touched.
    let (then, now) = (&before[0], team.node(whole).await);
    assert_eq!(now.lease_generation, then.lease_generation);
    assert!(!team.told(whole).await.join("\n").contains(again));
}
