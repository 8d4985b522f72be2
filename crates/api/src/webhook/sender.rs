//! Who posts for which webhook: leases on their rows, and a courier for each that is ours.
//!
//! A lease is a holder, a generation and a counter that the holder raises for as long as it lives.
//! A holder whose counter stood still for the time-to-live *on our monotonic clock* is dead, and
//! its lease is ours if the counter still stands there when the database is asked. A process that
//! could not raise its counters for most of that time posts nothing any more, and begins anew under
//! another name. The rules are those of `types::lease`, with the row of a webhook in the place of a
//! member's.

use super::{
    WebhookSettings,
    courier::{Courier, Office},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use store::{Db, StoreError, webhook};
use tokio::{
    sync::{Semaphore, watch},
    task::JoinHandle,
    time::{MissedTickBehavior, interval},
};
use types::{
    WebhookId,
    error::chain,
    lease::{Holder, Pulse, Watch},
    webhook::Webhook,
};

/// Posts for webhooks until it is stopped.
#[derive(Debug)]
pub struct Sender {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Sender {
    /// Starts in the background. `name` is what others see as the holder of leases, such as the
    /// name of the host.
    pub fn start(db: Db, settings: WebhookSettings, name: &str) -> Self {
        let (stop, stopped) = watch::channel(false);
        let roster = Roster {
            name: name.to_owned(),
            me: incarnation(name),
            renewed: Duration::ZERO,
            others: Watch::new(settings.ttl),
            couriers: HashMap::new(),
            office: Arc::new(Office {
                room: Semaphore::new(settings.deliveries.max(1)),
                pulse: Mutex::new(Pulse::new(Duration::ZERO, settings.ttl)),
                started: Instant::now(),
                db,
                settings,
            }),
        };
        Self {
            stop,
            task: tokio::spawn(roster.run(stopped)),
        }
    }

    /// Ends deliveries under way and gives all leases back.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        // A panic has been reported where it happened.
        let _ = self.task.await;
    }
}

/// A name that no other process has, nor this one after it lost its leases.
fn incarnation(name: &str) -> String {
    let name: String = name.chars().take(200).collect();
    format!("{name} {}", uuid::Uuid::new_v4())
}

struct Roster {
    office: Arc<Office>,
    name: String,
    me: String,
    /// When our counters were last raised.
    renewed: Duration,
    /// What was seen of the leases of others.
    others: Watch,
    couriers: HashMap<WebhookId, OnDuty>,
}

/// A courier that runs.
struct OnDuty {
    generation: i64,
    /// Tells it of changes; it ends when this is dropped.
    version: watch::Sender<i64>,
    task: JoinHandle<()>,
}

impl Roster {
    async fn run(mut self, mut stop: watch::Receiver<bool>) {
        let mut tick = interval(self.office.settings.look);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = stop.changed() => break,
                _ = tick.tick() => {}
            }
            if let Err(error) = self.round().await {
                let error = chain(&error);
                tracing::warn!(%error, "webhooks cannot be looked after");
            }
        }
        self.dismiss_all().await;
        if let Err(error) = webhook::release(&self.office.db, &self.me).await {
            let error = chain(&error);
            tracing::warn!(%error, "webhooks could not be handed over");
        }
    }

    /// Looks at all webhooks: takes up those that nobody serves, lets go of those that are no
    /// longer ours.
    async fn round(&mut self) -> Result<(), StoreError> {
        self.give_sign_of_life().await?;
        let mut rows = webhook::list(&self.office.db).await?;
        if self.claim(&rows).await? {
            rows = webhook::list(&self.office.db).await?;
        }
        let ours =
            |row: &&Webhook| row.enabled && row.delivery.lease.holder.as_deref() == Some(&*self.me);
        let ours: HashMap<WebhookId, (i64, i64)> = rows
            .iter()
            .filter(ours)
            .map(|row| (row.id, (row.delivery.lease.generation, row.version)))
            .collect();
        self.couriers.retain(|id, courier| {
            let wanted = ours.get(id).map(|(generation, _)| *generation);
            wanted == Some(courier.generation) && !courier.task.is_finished()
        });
        for (id, (generation, version)) in ours {
            match self.couriers.get(&id) {
                Some(courier) => {
                    courier.version.send_if_modified(|known| {
                        let changed = *known != version;
                        *known = version;
                        changed
                    });
                }
                None => self.appoint(id, generation, version),
            }
        }
        Ok(())
    }

    fn appoint(&mut self, id: WebhookId, generation: i64, version: i64) {
        let (sender, receiver) = watch::channel(version);
        let courier = Courier {
            office: Arc::clone(&self.office),
            id,
            holder: self.me.clone(),
            generation,
            version: receiver,
        };
        let on_duty = OnDuty {
            generation,
            version: sender,
            task: tokio::spawn(courier.run()),
        };
        self.couriers.insert(id, on_duty);
    }

    /// Takes the leases that nobody holds, and those of the dead; says whether there were any.
    async fn claim(&mut self, rows: &[Webhook]) -> Result<bool, StoreError> {
        let now = self.office.clock();
        let mut claimed = false;
        for row in rows.iter().filter(|row| row.enabled) {
            let lease = &row.delivery.lease;
            let is_free = match &lease.holder {
                None => true,
                Some(holder) if *holder == self.me => continue,
                Some(_) => {
                    let key = row.id.to_string();
                    self.others.observe(&key, lease.generation, lease.beat, now);
                    let holder = Holder {
                        host: key,
                        epoch: lease.generation,
                    };
                    self.others.verdict(&holder, now).is_some()
                }
            };
            if !is_free {
                continue;
            }
            if self.couriers.is_empty() {
                // Until now there was nothing to give signs of life for.
                self.begin_pulse(now);
            }
            if webhook::claim(&self.office.db, row.id, lease, &self.me).await? {
                tracing::info!(webhook = %row.id, "events are posted from here now");
                claimed = true;
            }
        }
        Ok(claimed)
    }

    fn begin_pulse(&mut self, now: Duration) {
        self.renewed = now;
        *self.pulse() = Pulse::new(now, self.office.settings.ttl);
    }

    fn pulse(&self) -> std::sync::MutexGuard<'_, Pulse> {
        let pulse = &self.office.pulse;
        pulse.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises our counters. When that came too late, our leases may have new holders: we begin anew.
    async fn give_sign_of_life(&mut self) -> Result<(), StoreError> {
        let sent = self.office.clock();
        let due = self.renewed + self.office.settings.ttl / 3;
        if self.couriers.is_empty() || sent < due {
            return Ok(());
        }
        webhook::renew(&self.office.db, &self.me).await?;
        let answered = self.office.clock();
        if self.pulse().renewed(sent, answered) {
            self.renewed = sent;
            return Ok(());
        }
        tracing::warn!("the sign of life of webhook deliveries came too late; beginning anew");
        self.dismiss_all().await;
        webhook::release(&self.office.db, &self.me).await?;
        self.me = incarnation(&self.name);
        Ok(())
    }

    /// Lets every courier end what it is doing.
    async fn dismiss_all(&mut self) {
        let couriers = std::mem::take(&mut self.couriers);
        let tasks: Vec<JoinHandle<()>> = couriers
            .into_values()
            // Its channel is closed with this.
            .map(|courier| courier.task)
            .collect();
        // A delivery under way, and what is to be written about it.
        let limit = Instant::now() + self.office.settings.timeout * 2;
        for mut task in tasks {
            let left = limit.saturating_duration_since(Instant::now());
            if tokio::time::timeout(left, &mut task).await.is_err() {
                task.abort();
            }
        }
    }
}
