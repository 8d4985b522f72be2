//! SQLite on a disk that is full, and on one that may only be read.

use super::{
    Passed, TestBed,
    single::{Single, is_clear},
};
use crate::network::{command, run};
use anyhow::{Result, ensure};
use serde_json::json;
use std::{fs, path::Path};
use types::NodeId;

const DISK: &str = "/run/disk";
const SMALL: &str = "size=6m";
const LARGE: &str = "size=60m";

/// A node is as large as this, so that the disk is soon full.
const BULK: usize = 30_000;

pub(super) async fn full(place: &TestBed) -> Result<Passed> {
    fs::create_dir_all(DISK)?;
    run(command("mount").args(["-t", "tmpfs", "-o", SMALL, "tmpfs", DISK])).await?;
    let service = Single::new(place, "full-disk", Path::new(DISK), None);
    service.start().await?;
    let first = service.create_at_last().await?;
    service.lead(first, "manage", "manageable").await?;
    service.lead(first, "provide", "available").await?;
    let mut accepted = vec![first];
    let refusal = loop {
        ensure!(accepted.len() < 2000, "the disk did not fill up");
        let id = NodeId::generate();
        let answer = service
            .create(id, json!({"bulk": "x".repeat(BULK)}))
            .await?;
        if answer.status != 201 {
            break answer;
        }
        accepted.push(id);
    };
    is_clear(&refusal)?;
    service.has_told(&["disk is full"])?;
    // What needs no room works: looking at things, and nothing is lost.
    for &id in &accepted {
        service.node(id).await?;
    }
    // A request that is refused leaves the node as it is, and one that is accepted comes to an end
    // when there is room again.
    let path = format!("/v1/nodes/{first}/states/provision");
    let asked = service.send("PUT", &path, Some(json!({"target": "active"})));
    let was_accepted = asked.await?.status == 202;
    run(command("mount").args(["-o", &format!("remount,{LARGE}"), DISK])).await?;
    let last = service.create_at_last().await?;
    if was_accepted {
        service.reaches(first, "active").await?;
    } else {
        service.lead(first, "active", "active").await?;
    }
    service.lead(first, "deleted", "available").await?;
    service.live(last).await?;
    for &id in &accepted {
        service.node(id).await?;
    }
    service.stop().await?;
    service.check(place).await?;
    run(command("umount").arg(DISK)).await?;
    let count = accepted.len();
    Ok(Passed::Yes(format!(
        "{count} nodes, then 503; with room again all went on"
    )))
}

pub(super) async fn read_only(place: &TestBed) -> Result<Passed> {
    run(command("mount").args(["-t", "tmpfs", "-o", LARGE, "tmpfs", DISK])).await?;
    let service = Single::new(place, "read-only-disk", Path::new(DISK), None);
    service.start().await?;
    let node = service.create_at_last().await?;
    service.stop().await?;
    run(command("mount").args(["-o", "remount,ro", DISK])).await?;
    let how = service.refuses().await?;
    let log = fs::read_to_string(place.folder.join("read-only-disk.log"))?;
    let last = log.lines().last().unwrap_or_default().to_owned();
    let words = ["read-only", "readonly", "Read-only"];
    ensure!(
        words.iter().any(|word| last.contains(word)),
        "the log does not name the cause: {how}: {last}"
    );
    run(command("mount").args(["-o", "remount,rw", DISK])).await?;
    service.start().await?;
    service.live(node).await?;
    service.stop().await?;
    service.check(place).await?;
    run(command("umount").arg(DISK)).await?;
    Ok(Passed::Yes(format!("refused to start: {last}")))
}
