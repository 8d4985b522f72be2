//! A database that answers, but half a minute late: a proxy in between holds its answers back.

use super::{
    Passed, TestBed,
    single::{Single, is_clear},
};
use anyhow::{Result, ensure};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    time::{Instant, sleep},
};
use types::NodeId;

const LATE: Duration = Duration::from_secs(30);
/// Where the proxy listens: the bridge itself.
const PROXY: &str = "10.78.0.1:5432";

pub(super) async fn leg(place: &TestBed) -> Result<Passed> {
    let is_late = Arc::new(AtomicBool::new(false));
    let listener = TcpListener::bind(PROXY).await?;
    let server = format!("{}:5432", place.database.host.address());
    let held = watch::Sender::new(0);
    let proxy = tokio::spawn(serve(listener, server, Arc::clone(&is_late), held.clone()));
    let url = format!("postgresql://corten@{PROXY}/postgres");
    let service = Single::prepared(place, "slow-database", &url).await?;
    service.start().await?;
    let node = service.create_at_last().await?;
    service.live(node).await?;

    is_late.store(true, Ordering::Relaxed);
    let asked = Instant::now();
    let answer = service.create(NodeId::generate(), json!({})).await;
    let seconds = asked.elapsed().as_secs();
    // Our own patience may end before the service's.
    if let Ok(answer) = &answer {
        is_clear(answer)?;
    }
    let path = format!("/v1/nodes/{node}");
    let answer = service.send_patiently("GET", &path, LATE * 2).await?;
    is_clear(&answer)?;
    service.has_told(&["no answer within"])?;
    is_late.store(false, Ordering::Relaxed);
    // What is held back still comes late, and transactions that wait for it keep their locks.
    let mut late = held.subscribe();
    late.wait_for(|&held| held == 0).await?;
    let other = service.create_at_last().await?;
    service.live(other).await?;
    service.live_again(node).await?;
    service.stop().await?;
    proxy.abort();
    let place_of_its_own = Single::prepared(place, "slow-database", &place.database.url()).await?;
    place_of_its_own.check(place).await?;
    ensure!(seconds <= 60, "the first answer took {seconds} s");
    Ok(Passed::Yes(format!(
        "a request was answered after {seconds} s; back in time, all went on"
    )))
}

async fn serve(
    listener: TcpListener,
    server: String,
    is_late: Arc<AtomicBool>,
    held: watch::Sender<usize>,
) {
    while let Ok((client, _)) = listener.accept().await {
        let Ok(server) = TcpStream::connect(&server).await else {
            continue;
        };
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let never = Arc::new(AtomicBool::new(false));
        tokio::spawn(pass_on(from_client, to_server, never, held.clone()));
        tokio::spawn(pass_on(
            from_server,
            to_client,
            Arc::clone(&is_late),
            held.clone(),
        ));
    }
}

/// Passes on what comes; `held` counts what is held back.
async fn pass_on(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    is_late: Arc<AtomicBool>,
    held: watch::Sender<usize>,
) {
    let mut buffer = vec![0; 65536];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        if is_late.load(Ordering::Relaxed) {
            held.send_modify(|held| *held += 1);
            sleep(LATE).await;
            held.send_modify(|held| *held -= 1);
        }
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
