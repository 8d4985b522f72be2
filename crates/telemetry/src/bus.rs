//! The message bus: one connection to one of several RabbitMQ servers, made when it is needed.
//!
//! A caller publishes batches of messages. A batch is done when the server has confirmed every
//! message of it. The caller must retry unconfirmed messages; the server may have received some of
//! them before, so a retry can cause duplicates, with the same message identifiers.
//!
//! Queues are declared as oslo.messaging declares them, one per level, bound under their own name;
//! messages wait there for a consumer. An existing queue with other settings is used as it is.

mod address;
mod connection;

pub use address::{Address, AddressError, Host};

use connection::Connection;
use proto::amqp::{Properties, Table, Value};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tls::TlsError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Timeout for connecting to a server, before the next one is tried.
const PATIENCE: Duration = Duration::from_secs(10);

/// Address of the message bus, and names and options of what we declare there.
#[derive(Debug, Clone)]
pub struct BusSettings {
    pub address: Address,
    /// Options `ssl_…` of `[oslo_messaging_rabbit]`.
    pub tls: Option<tls::Client>,
    /// `[DEFAULT]control_exchange`.
    pub exchange: String,
    /// `[oslo_messaging_rabbit]amqp_durable_queues`.
    pub durable: bool,
    /// `[oslo_messaging_rabbit]amqp_auto_delete`.
    pub auto_delete: bool,
    /// `[oslo_messaging_rabbit]rabbit_quorum_queue`; such queues are durable.
    pub quorum: bool,
    /// `[oslo_messaging_rabbit]heartbeat_timeout_threshold`; zero for none.
    pub heartbeat: Duration,
    /// Connection name, shown in RabbitMQ's list of connections.
    pub name: String,
}

impl BusSettings {
    fn durable(&self) -> bool {
        self.durable || self.quorum
    }

    fn queue_arguments(&self) -> Table {
        match self.quorum {
            true => vec![("x-queue-type".to_owned(), Value::from("quorum"))],
            false => Table::new(),
        }
    }
}

/// A message on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The queue; also the routing key.
    pub queue: String,
    pub body: String,
}

/// The result of a batch that was not completely confirmed.
#[derive(Debug)]
pub struct Unconfirmed {
    pub reason: BusError,
    /// Indices of the messages that the server has not confirmed.
    pub left: BTreeSet<usize>,
}

impl Unconfirmed {
    /// Nothing of `count` messages was confirmed.
    fn all(count: usize, reason: BusError) -> Self {
        let left = (0..count).collect();
        Self { reason, left }
    }
}

/// Why a batch failed.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    #[error("cannot connect to message bus host {host}")]
    Unreachable {
        host: String,
        #[source]
        source: std::io::Error,
    },
    #[error("timeout: message bus host {host} did not answer in time")]
    Silent { host: String },
    #[error("message bus host {host} closed the connection: {text} ({code})")]
    Refused {
        host: String,
        code: u16,
        text: String,
        class: u16,
    },
    #[error("message bus host {host} violated the AMQP protocol")]
    Garbled {
        host: String,
        #[source]
        source: proto::amqp::SessionError,
    },
    #[error("connection to message bus host {host} lost before all messages were confirmed")]
    Broken { host: String },
    #[error("the message bus returned a message as unroutable: {0}")]
    Returned(String),
    #[error("the message bus rejected a message (nack)")]
    NotTaken,
    #[error("cannot set up TLS for the message bus")]
    Tls(#[from] TlsError),
    #[error("the service is stopping")]
    Stopping,
}

struct Order {
    messages: Vec<Outgoing>,
    done: oneshot::Sender<Result<(), Unconfirmed>>,
}

impl Order {
    /// Answers a batch of which nothing was sent.
    fn fail(self, reason: BusError) {
        let _ = self
            .done
            .send(Err(Unconfirmed::all(self.messages.len(), reason)));
    }
}

/// A handle to the bus. Cheap to clone; the connection ends with the last one.
#[derive(Debug, Clone)]
pub struct Bus {
    orders: mpsc::Sender<Order>,
}

impl Bus {
    /// Prepares the bus; nothing is connected before the first order.
    #[expect(
        clippy::disallowed_methods,
        reason = "only called before anything is served"
    )]
    pub fn start(settings: BusSettings, stop: CancellationToken) -> Result<Self, TlsError> {
        let tls = settings.tls.as_ref().map(tls::Client::config).transpose()?;
        let (orders, inbox) = mpsc::channel(16);
        let worker = Worker {
            settings,
            connector: tls.map(|tls| Arc::new(tls).into()),
            inbox,
            next: 0,
            taken_as_is: TakenAsIs::default(),
        };
        tokio::spawn(async move {
            // Waiting publishers see their channel closed, which means `Stopping`.
            let _ = stop.run_until_cancelled(worker.run()).await;
        });
        Ok(Self { orders })
    }

    /// Sends messages, in order; returns when the server has them all.
    pub async fn publish(&self, messages: Vec<Outgoing>) -> Result<(), Unconfirmed> {
        let (done, answer) = oneshot::channel();
        let count = messages.len();
        let stopping = || Unconfirmed::all(count, BusError::Stopping);
        let order = Order { messages, done };
        self.orders.send(order).await.map_err(|_| stopping())?;
        answer.await.unwrap_or_else(|_| Err(stopping()))
    }
}

/// Exchange or queues that exist on the server with other settings than ours: declare them
/// passively.
#[derive(Debug, Clone, Copy, Default)]
struct TakenAsIs {
    exchange: bool,
    queues: bool,
}

impl TakenAsIs {
    /// Remembers from an error (406 PRECONDITION_FAILED, 404 NOT_FOUND) how to declare next time.
    fn learn(&mut self, error: &BusError) {
        const EXCHANGE: u16 = 40;
        const QUEUE: u16 = 50;
        match error {
            BusError::Refused {
                code: 406,
                class: EXCHANGE,
                ..
            } => self.exchange = true,
            BusError::Refused {
                code: 406,
                class: QUEUE,
                ..
            } => self.queues = true,
            // It was deleted meanwhile: declare it again with our settings.
            BusError::Refused { code: 404, .. } => *self = Self::default(),
            _ => {}
        }
    }
}

struct Worker {
    settings: BusSettings,
    connector: Option<tokio_rustls::TlsConnector>,
    inbox: mpsc::Receiver<Order>,
    /// Index of the server to try next.
    next: usize,
    taken_as_is: TakenAsIs,
}

impl Worker {
    async fn run(mut self) {
        while let Some(order) = self.inbox.recv().await {
            let hosts = self.settings.address.hosts.len();
            let mut outcome = self.connect().await;
            for _ in 1..hosts {
                if outcome.is_ok() {
                    break;
                }
                self.next += 1;
                outcome = self.connect().await;
            }
            match outcome {
                Ok(connection) => {
                    let ended = connection.serve(order, &mut self.inbox).await;
                    if let Err(error) = ended {
                        self.taken_as_is.learn(&error);
                        tracing::debug!(error = %types::error::chain(&error), "connection to the message bus closed");
                    }
                }
                Err(error) => order.fail(error),
            }
        }
    }

    async fn connect(&self) -> Result<Connection, BusError> {
        let hosts = &self.settings.address.hosts;
        let host = &hosts[self.next % hosts.len()];
        let connecting = Connection::open(
            &self.settings,
            host,
            self.connector.as_ref(),
            self.taken_as_is,
        );
        let silent = || BusError::Silent {
            host: host.to_string(),
        };
        tokio::time::timeout(PATIENCE, connecting)
            .await
            .unwrap_or_else(|_| Err(silent()))
    }
}

/// Properties of every message, as kombu sets them.
fn properties() -> Properties {
    Properties {
        content_type: Some("application/json".into()),
        content_encoding: Some("utf-8".into()),
        headers: Some(Table::new()),
        delivery_mode: Some(2),
        priority: Some(0),
        ..Properties::default()
    }
}

#[cfg(test)]
pub(crate) mod tests;
