//! What agents are told of one another when they write the same image.

use super::{ROOT, settled, source::Source};
use crate::{
    agent::{
        netboot::qcow2,
        place::AgentHome,
        puppet,
        puppet::Puppet,
        rebuild::{available, available_at, deployed, options},
        waits_for,
    },
    database::Engine,
    lab::{Lab, Machine},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use conductor::Download;
use image::blocks::BlockList;
use serde_json::{Value, json};
use std::time::Duration;
use types::ProvisionState as S;

every_engine!(agents_of_ours_are_told_of_one_another_where_that_is_wanted);

const IMAGE: &str = "image://a";

/// Takes a machine to where its agent writes the image; what the agent was told of it.
async fn writes(lab: &Lab, machine: Machine<'_>, agent: &Puppet, verb: &str) -> Value {
    machine.asks(verb).await.reaches(S::DeployWait).await;
    agent.boots(lab, machine).await;
    waits_for(machine, "deploy_step", "write_image").await;
    let (_, told) = agent.told().pop().unwrap();
    told["step"]["args"]["image_info"].clone()
}

async fn finishes(lab: &Lab, machine: Machine<'_>, agent: &Puppet) {
    agent.ends(Ok(json!({})));
    agent.reports(lab, machine).await;
    machine.reaches(S::Active).await;
    agent.told();
}

async fn agents_of_ours_are_told_of_one_another_where_that_is_wanted(engine: Engine) {
    let place = AgentHome::make().await;
    let mut options = options(&place);
    options.conductor.images.download = Download::Local;
    options.conductor.images.peers = true;
    let lab = Lab::with(engine, options).await;
    let source = Source::of(qcow2(b"the instance", false)).await;
    let body = json!({"name": "a", "url": source.url()});
    lab.client.post(ROOT, body).await.expect(201);
    settled(&lab.client, "a").await;
    let first = available(&lab, json!({"image_source": IMAGE})).await;
    let second = available_at(&lab, "52:54:00:bb:00:03", json!({"image_source": IMAGE})).await;
    let (agent, other) = (puppet().await, puppet().await);

    // Ironic's agent never hears of it.
    first.asks("active").await;
    let told = deployed(&lab, first, &agent).await;
    assert_eq!(told["disk_format"], "raw");
    assert!(told.get("image_peers").is_none(), "{told:#}");

    // The list is made in the background, and nobody waits for it.
    agent.is(agent::VERSION);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(120);
    let alone = loop {
        let told = writes(&lab, first, &agent, "rebuild").await;
        if let Some(peers) = told.get("image_peers") {
            break peers.clone();
        }
        assert!(tokio::time::Instant::now() < deadline, "{told:#}");
        finishes(&lab, first, &agent).await;
    };
    let raw = place.get(&format!("/agent_images/{}", first.id)).await;
    let list = BlockList::of(&raw.unwrap(), 1 << 20).unwrap();
    assert_eq!(alone["blocks"], STANDARD.encode(list.to_bytes()));
    assert_eq!(
        (&alone["size"], &alone["block_size"]),
        (&json!(2 << 20), &json!(1 << 20))
    );
    let address = |agent: &Puppet| json!({"url": agent.url(), "certificate": null});
    assert_eq!(alone["own"], address(&agent));
    assert_eq!(alone["peers"], json!([]));

    // The second is told of the first, which is still at it.
    other.is(agent::VERSION);
    let told = writes(&lab, second, &other, "active").await;
    let peers = &told["image_peers"];
    assert_eq!(peers["peers"], json!([address(&agent)]));
    assert_eq!(
        (&peers["own"], &peers["token"]),
        (&address(&other), &alone["token"])
    );
    finishes(&lab, first, &agent).await;
    finishes(&lab, second, &other).await;

    // Who has written the image is nobody's peer any more.
    let told = writes(&lab, second, &other, "rebuild").await;
    assert_eq!(told["image_peers"]["peers"], json!([]));
    finishes(&lab, second, &other).await;

    // Nothing of this is kept where users see it.
    let shown = second.show().await.to_string();
    let token = alone["token"].as_str().unwrap();
    assert!(!shown.contains(token) && !shown.contains("image_peers"));
    lab.stop().await;
}
