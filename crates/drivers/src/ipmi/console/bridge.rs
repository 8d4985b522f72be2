//! A console, at a TCP port if it has one.
//!
//! One client at a time, as Ironic has it; whoever comes besides is told so. Others may
//! watch the same machine by other ways, and if one of them types, the client here only reads.

use crate::console::Hub;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinSet,
};
use types::console::{ConsoleInput, ConsoleLine, ConsoleOutput, ConsoleWish};

/// How long to leave the socket alone when the system has nothing left for a connection.
const EXHAUSTED: Duration = Duration::from_secs(1);

/// Serves a console until it is switched off.
pub(super) async fn serve(
    listener: Option<TcpListener>,
    hub: Hub,
    mut stopped: watch::Receiver<bool>,
) {
    let line = Arc::new(Semaphore::new(1));
    let mut clients = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            _ = stopped.changed() => break,
            Some(_) = clients.join_next(), if !clients.is_empty() => continue,
            accepted = accept(listener.as_ref()) => accepted,
        };
        let mut client = match accepted {
            Ok((client, _)) => client,
            Err(error) => {
                tracing::warn!(%error, "a console cannot accept");
                tokio::time::sleep(EXHAUSTED).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&line).try_acquire_owned() else {
            let refusal = b"The console is in use.\r\n";
            clients.spawn(async move {
                let _ = client.write_all(refusal).await;
            });
            continue;
        };
        let hub = hub.clone();
        clients.spawn(async move {
            let _permit = permit;
            connect(&hub, &mut client).await;
        });
    }
    drop(listener);
    hub.close().await;
    while clients.join_next().await.is_some() {}
}

/// The next client; there is never one where nobody can knock.
async fn accept(listener: Option<&TcpListener>) -> io::Result<(TcpStream, SocketAddr)> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}

async fn connect(hub: &Hub, client: &mut TcpStream) {
    let wish = ConsoleWish {
        write: true,
        take_over: false,
    };
    let ended = match hub.join(wish).await {
        Ok(line) => converse(line, client).await,
        Err(error) => Ok(Some(types::error::chain(&error))),
    };
    if let Ok(Some(reason)) = ended {
        let _ = client.write_all(format!("{reason}\r\n").as_bytes()).await;
    }
}

/// Passes characters on until one of the two has enough; returns why, if it was the machine.
async fn converse(mut line: ConsoleLine, client: &mut TcpStream) -> io::Result<Option<String>> {
    let mut buffer = [0; 256];
    let (mut from, mut to) = client.split();
    loop {
        tokio::select! {
            read = from.read(&mut buffer) => {
                let count = read?;
                let typed = ConsoleInput::Characters(buffer[..count].to_vec());
                if count == 0 || !line.writer.send(typed).await {
                    return Ok(None);
                }
            }
            output = line.reader.next() => match output {
                Some(ConsoleOutput::Characters(characters)) => to.write_all(&characters).await?,
                Some(ConsoleOutput::Writer(true)) => {}
                Some(ConsoleOutput::Writer(false)) => {
                    to.write_all(b"[somebody else types; you can only read]\r\n").await?;
                }
                Some(ConsoleOutput::Lost(count)) => {
                    to.write_all(format!("[{count} characters lost]\r\n").as_bytes()).await?;
                }
                Some(ConsoleOutput::Ended(reason)) => return Ok(Some(reason)),
                None => return Ok(None),
            },
        }
    }
}
