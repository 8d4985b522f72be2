//! A PostgreSQL server that becomes read-only, as standbys and full ones are.

use super::{
    Passed, TestBed,
    single::{Single, is_clear},
};
use anyhow::{Result, ensure};
use postgres::{Client, NoTls};
use serde_json::json;
use std::time::Duration;
use types::NodeId;

fn set(url: &str, on: bool) -> Result<()> {
    let mut client = Client::connect(url, NoTls)?;
    // Our own session has to write this all the same.
    client.batch_execute("SET default_transaction_read_only = off")?;
    let value = if on { "on" } else { "off" };
    client.batch_execute(&format!(
        "ALTER SYSTEM SET default_transaction_read_only = {value}"
    ))?;
    client.batch_execute("SELECT pg_reload_conf()")?;
    Ok(())
}

async fn switch(url: String, on: bool) -> Result<()> {
    tokio::task::spawn_blocking(move || set(&url, on)).await?
}

pub(super) async fn leg(place: &TestBed) -> Result<Passed> {
    let url = place.database.url();
    let service = Single::prepared(place, "read-only-database", &url).await?;
    service.start().await?;
    let node = service.create_at_last().await?;
    service.lead(node, "manage", "manageable").await?;
    service.lead(node, "provide", "available").await?;
    // In the middle of its deployment nothing can be written any more.
    let path = format!("/v1/nodes/{node}/states/provision");
    let asked = service.send("PUT", &path, Some(json!({"target": "active"})));
    ensure!(asked.await?.status == 202);
    switch(url.clone(), true).await?;
    let refusal = loop {
        let answer = service.create(NodeId::generate(), json!({})).await?;
        if answer.status != 201 {
            break answer;
        }
    };
    is_clear(&refusal)?;
    service.has_told(&["read-only transaction"])?;
    // For longer than the service may do without a sign of life.
    tokio::time::sleep(Duration::from_secs(15)).await;
    service.node(node).await?;
    switch(url, false).await?;
    let other = service.create_at_last().await?;
    service.live(other).await?;
    let ended = service.rests(node).await?;
    service.stop().await?;
    service.check(place).await?;
    Ok(Passed::Yes(format!(
        "503 while it lasted; the deployment under way ended in {ended}"
    )))
}
