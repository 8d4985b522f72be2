//! Empties the table of notifications into the bus.
//!
//! Every conductor runs one, and one of them works: the others watch its beat. Messages leave in
//! the order of the table, in batches; what the bus has confirmed of a batch is taken out of it, and
//! the rest is sent again. A sender that cannot reach the bus lets go of its claim, for another host may.

use crate::bus::{Bus, Outgoing, Unconfirmed};
use std::{collections::BTreeSet, time::Duration};
use store::{
    Db, StoreError,
    notification::{self, Claim, Claimant, Pending, Seen},
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use types::notification::Message;

/// How many messages leave at once.
const BATCH: u32 = 100;
/// A sender whose beat stood still for this long is dead.
const DEAD: Duration = Duration::from_secs(15);
/// How often the beat is counted up, at least.
const BEAT: Duration = Duration::from_secs(3);
/// How often a sender that has nothing to do but watch looks.
const WATCH: Duration = Duration::from_secs(1);
/// How long to wait after a failure: at first, and at most.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What a sender is told.
#[derive(Debug, Clone)]
pub struct SenderSettings {
    /// Name of this conductor.
    pub host: String,
    /// `[DEFAULT]versioned_notifications_topics`.
    pub topics: Vec<String>,
    /// Whether messages go in the envelope of format 2.0.
    pub enveloped: bool,
}

/// The sender of one process.
#[derive(Debug)]
pub struct Sender {
    db: Db,
    bus: Bus,
    settings: SenderSettings,
    me: Claimant,
}

/// Why a round ended early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("cannot read or update notifications in the database")]
    Store(#[from] StoreError),
    #[error("cannot send notifications to the message bus")]
    Bus(#[from] crate::bus::BusError),
}

impl Sender {
    pub fn new(db: Db, bus: Bus, settings: SenderSettings) -> Self {
        let me = Claimant {
            host: settings.host.clone(),
            token: uuid::Uuid::new_v4().to_string(),
        };
        Self {
            db,
            bus,
            settings,
            me,
        }
    }

    /// Sends until it is told to stop.
    pub async fn run(self, stop: CancellationToken) {
        let _ = stop.run_until_cancelled(self.send()).await;
        if let Err(error) = notification::release(&self.db, &self.me).await {
            let error = types::error::chain(&error);
            tracing::debug!(%error, "could not release the notification sender's claim: another host takes over after a timeout");
        }
    }

    async fn send(&self) {
        let mut pause = PAUSE;
        let mut failing = false;
        let mut watched: Option<(Seen, Instant)> = None;
        loop {
            match self.round(&mut watched).await {
                Ok(sent) => {
                    if failing && sent {
                        tracing::info!("sending notifications works again");
                        failing = false;
                    }
                    pause = PAUSE;
                }
                Err(error) => {
                    let error = types::error::chain(&error);
                    if failing {
                        tracing::debug!(%error, "sending notifications still fails: retrying");
                    } else {
                        tracing::warn!(%error, "sending notifications failed: they stay in the database, retrying");
                        failing = true;
                    }
                    let _ = notification::release(&self.db, &self.me).await;
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// One look at the claim and the table; true when something was sent.
    async fn round(&self, watched: &mut Option<(Seen, Instant)>) -> Result<bool, Failure> {
        let dead = watched.filter(|(_, since)| since.elapsed() >= DEAD);
        let claim = notification::claim(&self.db, &self.me, dead.map(|(seen, _)| seen)).await?;
        if let Claim::Other(seen) = claim {
            if watched.is_none_or(|(before, _)| before != seen) {
                *watched = Some((seen, Instant::now()));
            }
            tokio::time::sleep(WATCH).await;
            return Ok(false);
        }
        *watched = None;
        let batch = notification::pending(&self.db, BATCH).await?;
        if batch.is_empty() {
            notification::wait(&self.db, BEAT).await?;
            notification::renew(&self.db, &self.me).await?;
            return Ok(false);
        }
        let ids: Vec<i64> = batch.iter().map(|pending| pending.id).collect();
        let Some(outcome) = self.publish(batch).await? else {
            return Ok(false);
        };
        match outcome {
            Ok(()) => Ok(notification::sent(&self.db, &self.me, ids).await?),
            Err(undone) => {
                // One message a topic: it is done when all of them are.
                let topics = self.settings.topics.len().max(1);
                let left: BTreeSet<usize> =
                    undone.left.iter().map(|place| place / topics).collect();
                let ids = ids.into_iter().enumerate();
                let done = ids.filter(|(place, _)| !left.contains(place));
                let done = done.map(|(_, id)| id).collect();
                notification::sent(&self.db, &self.me, done).await?;
                Err(undone.reason.into())
            }
        }
    }

    /// Publishes a batch, with signs of life meanwhile; `None` when the claim was lost.
    async fn publish(
        &self,
        batch: Vec<Pending>,
    ) -> Result<Option<Result<(), Unconfirmed>>, Failure> {
        let messages = batch.iter().flat_map(|pending| self.messages(pending));
        let publishing = self.bus.publish(messages.collect());
        tokio::pin!(publishing);
        loop {
            tokio::select! {
                outcome = &mut publishing => return Ok(Some(outcome)),
                () = tokio::time::sleep(BEAT) => {
                    if !notification::renew(&self.db, &self.me).await? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// One message a topic.
    fn messages(&self, pending: &Pending) -> impl Iterator<Item = Outgoing> {
        let body = match self.settings.enveloped {
            true => Message::enveloped(&pending.body),
            false => pending.body.clone(),
        };
        self.settings.topics.iter().map(move |topic| Outgoing {
            queue: format!("{topic}.{}", pending.level),
            body: body.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
