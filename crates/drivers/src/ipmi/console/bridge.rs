//! Between a TCP connection and a machine's serial line.
//!
//! Characters go both ways until the client leaves, the BMC ends the console, nothing has been said
//! for the configured time, or the console is switched off. The BMC is told at the end, because it
//! keeps the line for whoever had it last.

use crate::{
    DriverError,
    ipmi::{
        Info, Ipmi, Link,
        link::{Live, random},
        scribe::Scribe,
        talk::Named,
    },
};
use proto::ipmi::{
    command::{
        device,
        payload::{self, Activated},
    },
    message::{Completion, Route},
    packet::PayloadType,
    session::Session,
    sol::{SolEnd, SolPacket},
    suite::{Confidentiality, Integrity},
};
use std::{io, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{Instant, sleep_until},
};

/// How long an acknowledgement may take, and how often a packet is sent.
const ACKNOWLEDGE: Duration = Duration::from_secs(1);
const TRIES: u32 = 8;
/// BMCs end sessions in which nobody says anything for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// How many characters may wait for the BMC before the client has to.
const BACKLOG: usize = 4096;
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Serves a console until it is switched off.
pub(super) async fn serve(
    listener: TcpListener,
    ipmi: Arc<Ipmi>,
    info: Info,
    mut stopped: watch::Receiver<bool>,
) {
    let line = Arc::new(Semaphore::new(1));
    let mut clients = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            _ = stopped.changed() => break,
            Some(_) = clients.join_next(), if !clients.is_empty() => continue,
            accepted = listener.accept() => accepted,
        };
        let mut client = match accepted {
            Ok((client, _)) => client,
            Err(error) => {
                tracing::warn!(%error, "a console cannot accept");
                tokio::time::sleep(ACKNOWLEDGE).await;
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
        let (ipmi, info, stopped) = (Arc::clone(&ipmi), info.clone(), stopped.clone());
        clients.spawn(async move {
            let _permit = permit;
            if let Err(error) = connect(&ipmi, &info, &mut client, stopped).await {
                let error = types::error::chain(&error);
                tracing::warn!(bmc = info.peer(), %error, "a console ended");
                let _ = client.write_all(format!("{error}\r\n").as_bytes()).await;
            }
        });
    }
    drop(listener);
    while clients.join_next().await.is_some() {}
}

async fn connect(
    ipmi: &Ipmi,
    info: &Info,
    client: &mut TcpStream,
    stopped: watch::Receiver<bool>,
) -> Result<(), DriverError> {
    let (link, named) = ipmi.apart(info, "sol activate").await?;
    let failed = |error| named.failed(&error);
    let scribe = ipmi.scribe(info, "sol activate");
    let live = link.open(&scribe).await.map_err(failed)?;
    // Somebody who left without a word still has the line.
    let deactivate = payload::deactivate();
    let ended = link
        .exchange(&scribe, live, &Route::Direct, &deactivate)
        .await;
    let (live, _) = ended.map_err(failed)?;
    let request = activation(&live);
    let begun = link.exchange(&scribe, live, &Route::Direct, &request).await;
    let (live, (code, data)) = begun.map_err(failed)?;
    if code != Completion::OK {
        link.close(live).await;
        return Err(named.because(&format!("the BMC refused the console: {code}")));
    }
    let size = Activated::decode(&data).map_or(0, |activated| activated.inbound_size);
    let mut line = Line {
        live,
        end: SolEnd::new(size),
        sent: 0,
        resend: Instant::now() + NEVER,
    };
    let idle = ipmi.settings.console_idle.unwrap_or(NEVER);
    let outcome = line.pump(client, idle, stopped).await;
    finish(&scribe, &link, line.live).await;
    outcome.map_err(|error| lost(&named, &error))
}

fn lost(named: &Named, error: &io::Error) -> DriverError {
    named.because(&format!("the console was lost: {error}"))
}

/// Asks for a line that is protected as its session is.
fn activation(live: &Live) -> proto::ipmi::message::Request {
    match &live.session {
        Session::V15(_) => payload::activate(false, false),
        Session::V20(session) => payload::activate(
            session.algorithms.confidentiality != Confidentiality::None,
            session.algorithms.integrity != Integrity::None,
        ),
    }
}

/// Best effort: the BMC gives the line away when it is asked for anew.
async fn finish(scribe: &Scribe, link: &Link, live: Live) {
    let deactivate = payload::deactivate();
    let ended = link
        .exchange(scribe, live, &Route::Direct, &deactivate)
        .await;
    if let Ok((live, _)) = ended {
        link.close(live).await;
    }
}

/// A serial line.
struct Line {
    live: Live,
    end: SolEnd,
    /// How often the packet that flies was sent.
    sent: u32,
    resend: Instant,
}

impl Line {
    async fn pump(
        &mut self,
        client: &mut TcpStream,
        idle: Duration,
        mut stopped: watch::Receiver<bool>,
    ) -> io::Result<()> {
        let mut buffer = [0; 256];
        let mut quiet = Instant::now() + idle;
        let mut keep_alive = Instant::now() + KEEP_ALIVE;
        loop {
            if let Some(packet) = self.end.take() {
                self.sent = 1;
                self.resend = Instant::now() + ACKNOWLEDGE;
                self.send(&packet).await?;
            }
            let has_room = self.end.waiting() < BACKLOG;
            tokio::select! {
                _ = stopped.changed() => return Ok(()),
                () = sleep_until(quiet) => return Ok(()),
                read = client.read(&mut buffer), if has_room => {
                    let count = read?;
                    if count == 0 {
                        return Ok(());
                    }
                    self.end.push(&buffer[..count]);
                    quiet = Instant::now() + idle;
                }
                datagram = self.live.conversation.receive() => {
                    let Some(packet) = self.heard(&datagram) else { continue };
                    let input = self.end.receive(&packet, true);
                    if let Some(reply) = &input.reply {
                        self.send(reply).await?;
                    }
                    if !input.characters.is_empty() {
                        client.write_all(&input.characters).await?;
                        quiet = Instant::now() + idle;
                    }
                    if input.is_ended {
                        return Err(io::Error::other("the BMC ended it"));
                    }
                }
                () = sleep_until(self.resend) => self.send_again().await?,
                () = sleep_until(keep_alive) => {
                    self.say_something().await?;
                    keep_alive = Instant::now() + KEEP_ALIVE;
                }
            }
        }
    }

    /// The packet of the line in a datagram.
    fn heard(&mut self, datagram: &[u8]) -> Option<SolPacket> {
        match self.live.session.open(datagram) {
            Ok((PayloadType::Sol, payload)) => SolPacket::decode(&payload).ok(),
            _ => None,
        }
    }

    async fn send(&mut self, packet: &SolPacket) -> io::Result<()> {
        let iv = random()?;
        let Session::V20(session) = &mut self.live.session else {
            return Err(io::Error::other("only version 2.0 has serial lines"));
        };
        let datagram = session.seal(PayloadType::Sol, &packet.encode(), iv);
        self.live.conversation.send(&datagram).await
    }

    async fn send_again(&mut self) -> io::Result<()> {
        self.resend = Instant::now() + ACKNOWLEDGE;
        let Some(packet) = self.end.repeat().cloned() else {
            self.resend = Instant::now() + NEVER;
            return Ok(());
        };
        if self.sent == TRIES {
            return Err(io::Error::other("the BMC does not answer"));
        }
        self.sent += 1;
        self.send(&packet).await
    }

    /// A question whose answer nobody needs.
    async fn say_something(&mut self) -> io::Result<()> {
        self.live.sequence = (self.live.sequence + 1) & 0x3f;
        let message = Route::Direct.envelope(&device::id(), self.live.sequence);
        let datagram = self.live.session.seal(&message, random()?);
        self.live.conversation.send(&datagram).await
    }
}
