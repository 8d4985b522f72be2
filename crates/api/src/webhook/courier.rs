//! Posting for one webhook, in order, for as long as the lease on it lasts.
//!
//! The courier works by the row as it read it. Whatever it writes is refused when the row has
//! changed since, or the lease; it then reads the row again and goes on by that. What was delivered
//! in between is delivered again.

use super::{Letter, Outcome, Post, WebhookSettings};
use std::{
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use store::{
    Db, StoreError,
    event::{self, Bell, EventFilter},
    webhook::{self, Fence},
};
use tokio::sync::{Semaphore, watch};
use types::{
    Timestamp, WebhookId, error::chain, event::LoggedEvent, lease::Pulse, webhook::Webhook,
};

/// How many events are read at a time.
const PAGE: u32 = 50;
/// How often the cursor is written at most while deliveries succeed.
const SAVE: Duration = Duration::from_secs(1);
/// How many events that are not for this webhook are passed before the cursor is written.
const PASSED: i64 = 1000;
/// How long to wait for an event, before the cursor is written that has passed others.
const IDLE: Duration = Duration::from_secs(60);
/// How long to leave a database alone that does not answer.
const TROUBLE: Duration = Duration::from_secs(5);

/// What all couriers of a process share.
pub(super) struct Office {
    pub(super) db: Db,
    pub(super) settings: WebhookSettings,
    /// Bounds the deliveries under way.
    pub(super) room: Semaphore,
    /// Whether our leases can be relied upon.
    pub(super) pulse: Mutex<Pulse>,
    pub(super) started: Instant,
}

impl Office {
    pub(super) fn clock(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn may_act(&self) -> bool {
        let pulse = self.pulse.lock().unwrap_or_else(PoisonError::into_inner);
        pulse.may_act(self.clock())
    }
}

/// Why a wait ended.
#[derive(Debug, PartialEq, Eq)]
enum Woken {
    Time,
    /// The row has changed.
    Changed,
    /// We are to stop.
    Stopped,
}

/// What to do after having worked by a row.
enum Next {
    ReadAgain,
    End,
}

pub(super) struct Courier {
    pub(super) office: Arc<Office>,
    pub(super) id: WebhookId,
    pub(super) holder: String,
    pub(super) generation: i64,
    /// The row's version, as far as it is known; closed when we are to stop.
    pub(super) version: watch::Receiver<i64>,
}

/// How far the work by a row is.
struct Progress {
    cursor: i64,
    failures: i64,
    /// What the row says.
    saved: i64,
    saved_at: Instant,
    /// Whether something was delivered that the row does not know of.
    delivered: bool,
}

impl Courier {
    pub(super) async fn run(mut self) {
        loop {
            match self.serve().await {
                Ok(Next::End) => return,
                Ok(Next::ReadAgain) | Err(StoreError::Stale) => {}
                Err(error) => {
                    let error = chain(&error);
                    tracing::warn!(webhook = %self.id, %error, "deliveries are held up");
                    if self.pause(TROUBLE).await == Woken::Stopped {
                        return;
                    }
                }
            }
            if self.version.has_changed().is_err() {
                return;
            }
        }
    }

    /// Works by the row as it is now, until it changes.
    async fn serve(&mut self) -> Result<Next, StoreError> {
        self.version.borrow_and_update();
        let office = Arc::clone(&self.office);
        let Some(row) = webhook::find(&office.db, self.id).await? else {
            return Ok(Next::End);
        };
        let lease = &row.delivery.lease;
        let is_ours =
            lease.holder.as_deref() == Some(&*self.holder) && lease.generation == self.generation;
        if !is_ours || !row.enabled {
            return Ok(Next::End);
        }
        let fence = Fence {
            id: self.id,
            version: row.version,
            holder: self.holder.clone(),
            generation: self.generation,
        };
        let secret = webhook::secret_of(&office.db, &row)?;
        let post = match Post::new(&row, &secret, &office.settings).await {
            Ok(post) => post,
            Err(reason) => {
                // Only a change of the row can help.
                webhook::disable(&office.db, &fence, &reason).await?;
                return Ok(Next::End);
            }
        };
        if let Some(next) = self.replay(&post, &fence).await? {
            return Ok(next);
        }
        if let Some(at) = row.delivery.next_attempt {
            let left = u64::try_from(at.0 - Timestamp::now().0).unwrap_or(0);
            // Clocks jump; nothing is put off for longer than it ever would be.
            let left = Duration::from_micros(left).min(office.settings.longest_delay);
            if let Some(next) = over(self.pause(left).await) {
                return Ok(next);
            }
        }
        self.follow(&row, &post, &fence).await
    }

    /// Tries once more what somebody wants to have tried.
    async fn replay(&mut self, post: &Post, fence: &Fence) -> Result<Option<Next>, StoreError> {
        let office = Arc::clone(&self.office);
        while let Some(letter) = webhook::next_replay(&office.db, self.id).await? {
            let kind = letter.event.get("kind").and_then(|kind| kind.as_str());
            let sent = Letter {
                kind: kind.unwrap_or_default(),
                delivery: post.delivery(letter.cursor),
                attempt: letter.attempts + 1,
                body: letter.event.to_string().into_bytes(),
            };
            let Some(outcome) = self.send(post, sent).await else {
                return Ok(Some(Next::End));
            };
            let error = match outcome {
                Outcome::Delivered(_) => None,
                Outcome::Gone => Some("the receiver answered 410 Gone".to_owned()),
                Outcome::Failed { reason, .. } => Some(reason),
            };
            webhook::replayed(&office.db, fence, letter.cursor, error.as_deref()).await?;
        }
        Ok(None)
    }

    /// Delivers what is in the log and what comes.
    async fn follow(
        &mut self,
        row: &Webhook,
        post: &Post,
        fence: &Fence,
    ) -> Result<Next, StoreError> {
        let office = Arc::clone(&self.office);
        let filter = EventFilter {
            node: row.node,
            project: row.project.clone(),
            kinds: row.kinds.clone(),
        };
        let mut progress = Progress {
            cursor: row.delivery.cursor,
            failures: row.delivery.failures,
            saved: row.delivery.cursor,
            saved_at: Instant::now(),
            delivered: false,
        };
        let mut bell = Bell::of(&office.db);
        loop {
            bell.listen();
            let page = event::after(&office.db, progress.cursor, PAGE, filter.clone()).await;
            let page = match page {
                Err(
                    StoreError::CursorTooOld { oldest }
                    | StoreError::CursorUnknown { next: oldest },
                ) => {
                    self.lose(&mut progress, fence, oldest).await?;
                    continue;
                }
                other => other?,
            };
            for event in &page.events {
                if let Some(next) = self.deliver(event, post, fence, &mut progress).await? {
                    return Ok(next);
                }
            }
            progress.cursor = progress.cursor.max(page.next);
            if !page.at_end {
                if progress.cursor - progress.saved >= PASSED {
                    self.save(fence, &mut progress).await?;
                }
                continue;
            }
            if progress.delivered || progress.cursor - progress.saved >= PASSED {
                self.save(fence, &mut progress).await?;
            }
            let woken = tokio::select! {
                () = bell.rings() => None,
                woken = self.pause(IDLE) => Some(woken),
            };
            match woken {
                None => {}
                Some(Woken::Time) => self.save(fence, &mut progress).await?,
                Some(woken) => {
                    self.save(fence, &mut progress).await?;
                    if let Some(next) = over(woken) {
                        return Ok(next);
                    }
                }
            }
        }
    }

    /// Delivers an event, however often that takes. Ends early when something else is to be done.
    async fn deliver(
        &mut self,
        event: &LoggedEvent,
        post: &Post,
        fence: &Fence,
        progress: &mut Progress,
    ) -> Result<Option<Next>, StoreError> {
        let office = Arc::clone(&self.office);
        let document = event.document();
        loop {
            match self.version.has_changed() {
                Ok(false) => {}
                changed => {
                    self.save(fence, progress).await?;
                    return Ok(Some(changed.map_or(Next::End, |_| Next::ReadAgain)));
                }
            }
            let letter = Letter {
                kind: event.kind.as_str(),
                delivery: post.delivery(event.cursor),
                attempt: progress.failures + 1,
                body: document.to_string().into_bytes(),
            };
            let Some(outcome) = self.send(post, letter).await else {
                return Ok(Some(Next::End));
            };
            let (reason, pause) = match outcome {
                Outcome::Delivered(_) => {
                    progress.cursor = event.cursor;
                    progress.failures = 0;
                    progress.delivered = true;
                    if progress.saved_at.elapsed() >= SAVE {
                        self.save(fence, progress).await?;
                    }
                    return Ok(None);
                }
                Outcome::Gone => {
                    self.save(fence, progress).await?;
                    let reason = "the receiver answered 410 Gone";
                    webhook::disable(&office.db, fence, reason).await?;
                    tracing::warn!(webhook = %self.id, "disabled: {reason}");
                    return Ok(Some(Next::End));
                }
                Outcome::Failed { reason, pause, .. } => (reason, pause),
            };
            progress.failures += 1;
            if progress.failures >= office.settings.attempts {
                tracing::warn!(
                    webhook = %self.id, cursor = event.cursor, attempts = progress.failures,
                    "an event was not delivered: {reason}"
                );
                let (attempts, cursor) = (progress.failures, event.cursor);
                webhook::bury(&office.db, fence, cursor, document, attempts, &reason).await?;
                *progress = Progress {
                    cursor,
                    failures: 0,
                    saved: cursor,
                    saved_at: Instant::now(),
                    delivered: false,
                };
                return Ok(None);
            }
            let random = RandomState::new().hash_one(progress.failures);
            let delay = office.settings.delay(progress.failures, random);
            let delay = pause.unwrap_or(delay).max(delay);
            let seconds = i64::try_from(delay.as_secs()).unwrap_or(i64::MAX);
            let next = Timestamp::now().plus_seconds(seconds);
            let (cursor, failures) = (progress.cursor, progress.failures);
            webhook::postpone(&office.db, fence, cursor, failures, next, &reason).await?;
            (progress.saved, progress.delivered) = (cursor, false);
            if let Some(next) = over(self.pause(delay).await) {
                return Ok(Some(next));
            }
        }
    }

    /// Writes how far the work is, if the row does not know.
    async fn save(&self, fence: &Fence, progress: &mut Progress) -> Result<(), StoreError> {
        if progress.cursor == progress.saved {
            return Ok(());
        }
        let (cursor, delivered) = (progress.cursor, progress.delivered);
        webhook::advance(&self.office.db, fence, cursor, delivered).await?;
        progress.saved = cursor;
        progress.saved_at = Instant::now();
        progress.delivered = false;
        Ok(())
    }

    /// What the log has forgotten cannot be delivered any more.
    async fn lose(
        &self,
        progress: &mut Progress,
        fence: &Fence,
        oldest: i64,
    ) -> Result<(), StoreError> {
        let first = progress.cursor + 1;
        let reason = format!(
            "events {first} to {} were forgotten before they could be delivered",
            oldest - 1
        );
        tracing::error!(webhook = %self.id, "{reason}");
        progress.cursor = oldest - 1;
        progress.failures = 0;
        let db = &self.office.db;
        let now = Timestamp::now();
        webhook::postpone(db, fence, progress.cursor, 0, now, &reason).await?;
        progress.saved = progress.cursor;
        Ok(())
    }

    /// Posts, when it is our turn; nothing when we are to stop.
    async fn send(&mut self, post: &Post, letter: Letter<'_>) -> Option<Outcome> {
        let office = Arc::clone(&self.office);
        while !office.may_act() {
            if self.pause(office.settings.look).await == Woken::Stopped {
                return None;
            }
        }
        // Never closed.
        let _place = office.room.acquire().await.ok()?;
        Some(post.send(letter).await)
    }

    /// Waits for so long, or until there is something else to do.
    async fn pause(&mut self, time: Duration) -> Woken {
        match tokio::time::timeout(time, self.version.changed()).await {
            Err(_) => Woken::Time,
            Ok(Ok(())) => Woken::Changed,
            Ok(Err(_)) => Woken::Stopped,
        }
    }
}

/// What a wait that ended early leads to.
fn over(woken: Woken) -> Option<Next> {
    match woken {
        Woken::Time => None,
        Woken::Changed => Some(Next::ReadAgain),
        Woken::Stopped => Some(Next::End),
    }
}
