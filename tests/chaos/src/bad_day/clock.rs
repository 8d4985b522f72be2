//! A wall clock that is set forwards and back by days while machines live.
//!
//! The service runs with libfaketime, which moves the wall clock of a process and leaves its
//! monotonic one alone, as setting the clock of a machine does.

use super::{Passed, TestBed, single::Single};
use anyhow::{Result, ensure};
use serde_json::Value;
use std::{env, fs, path::PathBuf, time::Duration};
use types::NodeId;

/// libfaketime for programs with threads, wherever Debian has put it for this kind of machine.
fn library() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten();
    let mut files = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    files.find(|file| file.exists())
}

/// Offsets in the words of libfaketime.
const JUMPS: &[&str] = &["+1d", "-1d", "+0", "+400d", "-3600s", "+0"];

pub(super) async fn leg(place: &TestBed) -> Result<Passed> {
    let Some(library) = library() else {
        let why = "libfaketime is missing (on Debian: apt-get install faketime)";
        ensure!(env::var_os("CI").is_none(), why);
        return Ok(Passed::Skipped(why.to_owned()));
    };
    let data = place.folder.join("clock");
    fs::create_dir_all(&data)?;
    let offset = data.join("offset");
    let set = |to: &str| fs::write(&offset, format!("{to}\n"));
    set("+0")?;
    let service = Single::new(place, "clock", &data, None)
        .env("LD_PRELOAD", &library.display().to_string())
        .env("FAKETIME_TIMESTAMP_FILE", &offset.display().to_string())
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    service.start().await?;
    let mut nodes: Vec<NodeId> = Vec::new();
    for jump in JUMPS {
        let before = updated(&service, &nodes).await?;
        let node = service.create_at_last().await?;
        nodes.push(node);
        service.lead(node, "manage", "manageable").await?;
        service.lead(node, "provide", "available").await?;
        set(jump)?;
        service.lead(node, "active", "active").await?;
        // Longer than the service may do without a sign of life, if it looked at this clock.
        tokio::time::sleep(Duration::from_secs(2)).await;
        service.lead(node, "deleted", "available").await?;
        let after = updated(&service, &nodes).await?;
        if *jump == "+400d" {
            ensure!(after > before, "the clock of the service did not jump");
        }
    }
    for &node in &nodes {
        let found = service.node(node).await?;
        ensure!(found["last_error"].is_null(), "{found}");
        service.live_again(node).await?;
    }
    service.stop().await?;
    service.check(place).await?;
    let count = JUMPS.len();
    Ok(Passed::Yes(format!("{count} jumps, no life was disturbed")))
}

/// The latest stamp of all nodes.
async fn updated(service: &Single, nodes: &[NodeId]) -> Result<String> {
    let mut latest = String::new();
    for &node in nodes {
        let found = service.node(node).await?;
        if let Value::String(stamp) = &found["provision_updated_at"] {
            latest = latest.max(stamp.clone());
        }
    }
    Ok(latest)
}
