//! A machine's serial line over IPMI.
//!
//! The BMC is told at the end, because it keeps the line for whoever had it last. It is asked now
//! and then whether it is still there: BMCs end sessions in which nobody says anything, and one
//! that has died says nothing about it.

use crate::{
    DriverError,
    console::{Dial, Serial},
    ipmi::{
        Info, Ipmi, Link,
        link::{Live, random},
        scribe::Scribe,
    },
};
use async_trait::async_trait;
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
use tokio::time::{Instant, sleep_until};

/// How long an acknowledgement may take, and how often a packet is sent.
const ACKNOWLEDGE: Duration = Duration::from_secs(1);
const TRIES: u32 = 8;
/// How long characters wait that the BMC did not want: the machine is busy or off.
const HOLD: Duration = Duration::from_millis(250);
/// How often a BMC that does not say whether it is there is asked again, and how soon.
const QUESTIONS: u32 = 3;
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// How many characters may wait for the BMC before whoever types has to.
const BACKLOG: usize = 4096;
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Opens the line of one machine.
pub(super) struct Sol {
    pub(super) ipmi: Arc<Ipmi>,
    pub(super) info: Info,
}

#[async_trait]
impl Dial for Sol {
    async fn dial(&self) -> Result<Box<dyn Serial>, DriverError> {
        let (ipmi, info) = (&self.ipmi, &self.info);
        let (link, named) = ipmi.apart(info, "sol activate").await?;
        let failed = |error| named.failed(error);
        let scribe = ipmi.scribe(info, "sol activate");
        let live = link.open(&scribe).await.map_err(failed)?;
        // Somebody who left without a word still has the line.
        let deactivate = payload::deactivate();
        let ended = link.exchange(&scribe, live, &Route::Direct, &deactivate);
        let (live, _) = ended.await.map_err(failed)?;
        let request = activation(&live);
        let begun = link.exchange(&scribe, live, &Route::Direct, &request);
        let (live, (code, data)) = begun.await.map_err(failed)?;
        if code != Completion::OK {
            link.close(live).await;
            return Err(named.answered("the BMC refused the console", code));
        }
        let size = Activated::decode(&data).map_or(0, |activated| activated.inbound_size);
        Ok(Box::new(Line {
            link,
            scribe,
            live,
            end: SolEnd::new(size),
            sent: 0,
            resend: never(),
            hold: None,
            keep_alive: ipmi.settings.console_keep_alive,
            ask: Instant::now() + ipmi.settings.console_keep_alive,
            unanswered: 0,
            reply: None,
            heard: Vec::new(),
        }))
    }
}

fn never() -> Instant {
    Instant::now() + NEVER
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

/// A serial line.
struct Line {
    link: Link,
    scribe: Scribe,
    live: Live,
    end: SolEnd,
    /// How often the packet that flies was sent.
    sent: u32,
    resend: Instant,
    /// Nothing new is sent before.
    hold: Option<Instant>,
    keep_alive: Duration,
    /// When the BMC is asked next whether it is there.
    ask: Instant,
    unanswered: u32,
    /// What was received and is to be passed on, and what is to be sent for it. They stand here
    /// so that a wait that is abandoned loses neither.
    reply: Option<SolPacket>,
    heard: Vec<u8>,
}

#[async_trait]
impl Serial for Line {
    async fn next(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(reply) = self.reply.take() {
                self.send(&reply).await?;
            }
            if !self.heard.is_empty() {
                return Ok(std::mem::take(&mut self.heard));
            }
            if self.hold.is_none()
                && let Some(packet) = self.end.take()
            {
                self.sent = 1;
                self.resend = Instant::now() + ACKNOWLEDGE;
                self.send(&packet).await?;
            }
            let hold = self.hold.unwrap_or_else(never);
            tokio::select! {
                datagram = self.live.conversation.receive() => self.take_in(&datagram)?,
                () = sleep_until(hold) => self.hold = None,
                () = sleep_until(self.resend) => self.send_again().await?,
                () = sleep_until(self.ask) => self.ask_whether_there().await?,
            }
        }
    }

    fn has_room(&self) -> bool {
        self.end.waiting() < BACKLOG
    }

    fn push(&mut self, characters: &[u8]) {
        self.end.push(characters);
    }

    fn send_break(&mut self) {
        self.end.push_break();
    }

    /// Best effort: the BMC gives the line away when it is asked for anew.
    async fn close(self: Box<Self>) {
        let deactivate = payload::deactivate();
        let (link, scribe) = (self.link, self.scribe);
        let ended = link.exchange(&scribe, self.live, &Route::Direct, &deactivate);
        if let Ok((live, _)) = ended.await {
            link.close(live).await;
        }
    }
}

impl Line {
    fn take_in(&mut self, datagram: &[u8]) -> io::Result<()> {
        let Ok((kind, payload)) = self.live.session.open(datagram) else {
            return Ok(());
        };
        self.unanswered = 0;
        self.ask = Instant::now() + self.keep_alive;
        let PayloadType::Sol = kind else {
            return Ok(());
        };
        let Ok(packet) = SolPacket::decode(&payload) else {
            return Ok(());
        };
        let input = self.end.receive(&packet, true);
        if self.end.repeat().is_none() {
            self.resend = never();
        }
        if input.is_refused {
            self.hold = Some(Instant::now() + HOLD);
        }
        self.reply = input.reply;
        self.heard.extend(input.characters);
        if input.is_ended {
            return Err(io::Error::other("the BMC ended it"));
        }
        Ok(())
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
        let Some(packet) = self.end.repeat().cloned() else {
            self.resend = never();
            return Ok(());
        };
        self.resend = Instant::now() + ACKNOWLEDGE;
        if self.sent == TRIES {
            return Err(io::Error::other("the BMC does not answer"));
        }
        self.sent += 1;
        self.send(&packet).await
    }

    async fn ask_whether_there(&mut self) -> io::Result<()> {
        if self.unanswered == QUESTIONS {
            return Err(io::Error::other("the BMC does not answer"));
        }
        self.unanswered += 1;
        self.ask = Instant::now() + self.keep_alive.min(ASK_AGAIN);
        self.live.sequence = (self.live.sequence + 1) & 0x3f;
        let message = Route::Direct.envelope(&device::id(), self.live.sequence);
        let datagram = self.live.session.seal(&message, random()?);
        self.live.conversation.send(&datagram).await
    }
}

#[cfg(test)]
mod tests;
