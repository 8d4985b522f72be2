//! Sends sensor readings to metering services (Ceilometer).
//!
//! Stale readings are worthless, so they are not stored in the database: they wait in a bounded
//! queue, and readings that do not fit or cannot be sent are dropped. The log says so once, and
//! tells how many were dropped when the bus is back.

use crate::bus::{Bus, Outgoing};
use async_trait::async_trait;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tokio::sync::mpsc;
use types::{
    Timestamp,
    notification::{Message, unversioned},
    sensor::{SensorMessage, SensorSink},
};

/// Length of the queue: one reading for every node that a conductor usually has.
const WAITING: usize = 1000;
/// Readings per batch.
const BATCH: usize = 50;

/// Takes readings. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sensors {
    queue: mpsc::Sender<Message>,
    dropped: Arc<AtomicU64>,
    host: Arc<str>,
}

impl Sensors {
    /// Starts sending to `topics` of the bus.
    pub fn start(bus: Bus, host: &str, topics: Vec<String>, enveloped: bool) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let worker = Worker {
            bus,
            topics,
            enveloped,
            waiting,
            dropped: Arc::clone(&dropped),
        };
        tokio::spawn(worker.run());
        Self {
            queue,
            dropped,
            host: host.into(),
        }
    }
}

#[async_trait]
impl SensorSink for Sensors {
    /// Never blocks: fails when the queue is full.
    async fn send(&self, message: SensorMessage) -> Result<(), String> {
        let SensorMessage {
            event_type,
            payload,
        } = message;
        let message = unversioned(&event_type, payload.into(), &self.host, Timestamp::now());
        self.queue.try_send(message).map_err(|_| {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            "queue for the message bus is full: sensor reading dropped".to_owned()
        })
    }
}

struct Worker {
    bus: Bus,
    topics: Vec<String>,
    enveloped: bool,
    waiting: mpsc::Receiver<Message>,
    dropped: Arc<AtomicU64>,
}

impl Worker {
    async fn run(mut self) {
        let mut failing = false;
        let mut batch = Vec::new();
        while self.waiting.recv_many(&mut batch, BATCH).await > 0 {
            let messages = batch.drain(..).flat_map(|message| self.messages(&message));
            let messages = messages.collect();
            match self.bus.publish(messages).await {
                Ok(()) if failing => {
                    let dropped = self.dropped.swap(0, Ordering::Relaxed);
                    tracing::info!(dropped, "sending sensor readings works again");
                    failing = false;
                }
                Ok(()) => {}
                Err(undone) => {
                    let error = types::error::chain(&undone.reason);
                    let lost = undone.left.len() as u64;
                    self.dropped.fetch_add(lost, Ordering::Relaxed);
                    if failing {
                        tracing::debug!(%error, "sending sensor readings failed: readings dropped");
                    } else {
                        tracing::warn!(%error, "sending sensor readings failed: readings dropped");
                        failing = true;
                    }
                }
            }
        }
    }

    fn messages(&self, message: &Message) -> Vec<Outgoing> {
        let body = match self.enveloped {
            true => Message::enveloped(&message.body),
            false => message.body.clone(),
        };
        let queue = |topic| format!("{topic}.{}", message.level);
        self.topics
            .iter()
            .map(|topic| Outgoing {
                queue: queue(topic),
                body: body.clone(),
            })
            .collect()
    }
}
