//! Sends the rows of the notifications table to the message bus.
//!
//! Every conductor runs a sender, and one of them is active: it holds a claim with a heartbeat
//! counter that the others watch. Messages are sent in the order of the table, in batches;
//! confirmed messages are deleted, the others are sent again. A sender that cannot reach the bus
//! releases its claim, because another host may reach it.

use crate::bus::{Bus, Outgoing, Unconfirmed};
use std::{collections::BTreeSet, time::Duration};
use store::{
    Db, StoreError,
    notification::{self, Claim, Claimant, Pending, Seen},
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use types::notification::Message;

/// Messages per batch.
const BATCH: u32 = 100;
/// A sender whose heartbeat counter did not change for this long is dead.
const DEAD: Duration = Duration::from_secs(15);
/// Longest time between two heartbeats.
const BEAT: Duration = Duration::from_secs(3);
/// How often an inactive sender checks the heartbeat of the active one.
const WATCH: Duration = Duration::from_secs(1);
/// Backoff after a failure: first and longest pause.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Settings of a sender.
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

    /// Checks the claim and sends one batch; true when something was sent.
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
                // A row makes one message per topic and is done when all of them are confirmed.
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

    /// Publishes a batch and renews the claim meanwhile; `None` when the claim was lost.
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

    /// One message per topic.
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
