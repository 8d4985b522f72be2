//! One connection, for as long as it lasts.
//!
//! Reading and writing run concurrently: a server that stops reading because it is short of memory
//! can still tell us so (flow control), and heartbeats still get through.

use super::{BusError, BusSettings, Host, Order, Outgoing, TakenAsIs, Unconfirmed, properties};
use proto::amqp::{
    Event, Login, Session,
    method::{DURABLE, EXCHANGE_AUTO_DELETE, PASSIVE, QUEUE_AUTO_DELETE},
};
use rustls::pki_types::ServerName;
use std::{
    collections::{BTreeSet, HashSet},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf},
    net::TcpStream,
    sync::{mpsc, oneshot},
    time::Instant,
};
use tokio_rustls::TlsConnector;

/// Timeout for the confirmation of a batch when heartbeats are disabled.
const CONFIRMATION: Duration = Duration::from_secs(60);

/// A stream in the clear or under TLS.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A connection on which messages can be published.
pub(super) struct Connection {
    settings: BusSettings,
    host: String,
    taken_as_is: TakenAsIs,
    session: Session,
    from: ReadHalf<Box<dyn Stream>>,
    to: WriteHalf<Box<dyn Stream>>,
    /// Room for what is read.
    input: Box<[u8]>,
    /// What is to be written, from here on.
    output: Vec<u8>,
    written: usize,
    last_heard: Instant,
    last_said: Instant,
    /// Queues that were declared on this connection.
    declared: HashSet<String>,
    blocked: bool,
    under_way: Option<UnderWay>,
}

/// An order whose messages are not all confirmed.
struct UnderWay {
    /// The tag of its first message; the others follow.
    first: u64,
    count: usize,
    unconfirmed: BTreeSet<u64>,
    refused: BTreeSet<u64>,
    returned: Option<String>,
    since: Instant,
    done: oneshot::Sender<Result<(), Unconfirmed>>,
}

impl UnderWay {
    /// Handles an ack or nack of one message, or of all up to it; returns the tags that it is
    /// about.
    fn answered(&mut self, tag: u64, multiple: bool) -> BTreeSet<u64> {
        if multiple {
            let later = self.unconfirmed.split_off(&tag.saturating_add(1));
            std::mem::replace(&mut self.unconfirmed, later)
        } else {
            self.unconfirmed.take(&tag).into_iter().collect()
        }
    }

    /// Fails the batch: its unconfirmed messages will not be confirmed any more.
    fn fail(self, reason: BusError) {
        let left = self.unconfirmed.iter().chain(&self.refused);
        let place = |tag: &u64| usize::try_from(tag - self.first).ok();
        let left = match self.returned {
            None => left.filter_map(place).collect(),
            // A return does not name the message, so all of them count as unconfirmed.
            Some(_) => (0..self.count).collect(),
        };
        let _ = self.done.send(Err(Unconfirmed { reason, left }));
    }
}

impl Connection {
    /// Connects and logs in.
    pub(super) async fn open(
        settings: &BusSettings,
        host: &Host,
        tls: Option<&TlsConnector>,
        taken_as_is: TakenAsIs,
    ) -> Result<Self, BusError> {
        let unreachable = |source| BusError::Unreachable {
            host: host.to_string(),
            source,
        };
        let plain = TcpStream::connect((host.name.as_str(), host.port))
            .await
            .map_err(unreachable)?;
        plain.set_nodelay(true).map_err(unreachable)?;
        let stream: Box<dyn Stream> = match tls {
            Some(connector) => {
                let name = ServerName::try_from(host.name.clone())
                    .map_err(|error| unreachable(std::io::Error::other(error)))?;
                let secured = connector.connect(name, plain).await;
                Box::new(secured.map_err(unreachable)?)
            }
            None => Box::new(plain),
        };
        let (from, to) = tokio::io::split(stream);
        let login = Login {
            user: host.user.clone(),
            password: host.password.clone(),
            vhost: settings.address.vhost.clone(),
            heartbeat: u16::try_from(settings.heartbeat.as_secs()).unwrap_or(u16::MAX),
            name: settings.name.clone(),
        };
        let mut connection = Self {
            settings: settings.clone(),
            host: host.to_string(),
            taken_as_is,
            session: Session::new(login),
            from,
            to,
            input: vec![0; 16 * 1024].into(),
            output: Vec::new(),
            written: 0,
            last_heard: Instant::now(),
            last_said: Instant::now(),
            declared: HashSet::new(),
            blocked: false,
            under_way: None,
        };
        loop {
            connection.exchange(None).await?;
            while let Some(event) = connection.session.event() {
                match event {
                    Event::Ready => return Ok(connection),
                    other => connection.heed(other)?,
                }
            }
        }
    }

    /// Carries out orders until the connection ends. An order that was under way then has failed.
    pub(super) async fn serve(
        mut self,
        first: Order,
        inbox: &mut mpsc::Receiver<Order>,
    ) -> Result<(), BusError> {
        let mut waiting = Some(first);
        let ended = loop {
            if let Some(order) = waiting.take_if(|_| !self.blocked && self.under_way.is_none()) {
                self.begin(order);
            }
            let orders = (waiting.is_none() && self.under_way.is_none()).then_some(&mut *inbox);
            match self.exchange(orders).await {
                Ok(Heard::Order(order)) => waiting = Some(order),
                Ok(Heard::Bytes) => {}
                Ok(Heard::NoMoreOrders) => {
                    self.session.close();
                    // Send Close; the result does not matter.
                    let _ = self.exchange(None).await;
                    break Ok(());
                }
                Err(error) => break Err(error),
            }
            if let Err(error) = self.heed_all() {
                break Err(error);
            }
        };
        let broken = || BusError::Broken {
            host: self.host.clone(),
        };
        if let Some(under_way) = self.under_way.take() {
            // The error itself is returned to the worker; the publisher gets a summary.
            let told = match &ended {
                Err(BusError::Refused {
                    host,
                    code,
                    text,
                    class,
                }) => BusError::Refused {
                    host: host.clone(),
                    code: *code,
                    text: text.clone(),
                    class: *class,
                },
                _ => broken(),
            };
            under_way.fail(told);
        }
        if let Some(order) = waiting {
            order.fail(broken());
        }
        ended
    }

    fn begin(&mut self, order: Order) {
        let mut unconfirmed = BTreeSet::new();
        for message in &order.messages {
            self.declare(&message.queue);
            unconfirmed.insert(self.publish(message));
        }
        let under_way = UnderWay {
            first: unconfirmed.first().copied().unwrap_or_default(),
            count: order.messages.len(),
            unconfirmed,
            refused: BTreeSet::new(),
            returned: None,
            since: Instant::now(),
            done: order.done,
        };
        self.under_way = Some(under_way);
        self.settle();
    }

    fn publish(&mut self, message: &Outgoing) -> u64 {
        let (exchange, body) = (&self.settings.exchange, message.body.as_bytes());
        self.session
            .publish(exchange, &message.queue, &properties(), body)
    }

    fn declare(&mut self, queue: &str) {
        if !self.declared.insert(queue.to_owned()) {
            return;
        }
        let settings = &self.settings;
        let durable = if settings.durable() { DURABLE } else { 0 };
        if self.declared.len() == 1 {
            let auto_delete = u8::from(settings.auto_delete) * EXCHANGE_AUTO_DELETE;
            let flags = match self.taken_as_is.exchange {
                true => PASSIVE,
                false => durable | auto_delete,
            };
            self.session.declare_exchange(&settings.exchange, flags);
        }
        let auto_delete = u8::from(settings.auto_delete) * QUEUE_AUTO_DELETE;
        let (flags, arguments) = match self.taken_as_is.queues {
            true => (PASSIVE, Vec::new()),
            false => (durable | auto_delete, settings.queue_arguments()),
        };
        self.session
            .declare_queue(queue, &settings.exchange, flags, arguments);
    }

    fn heed_all(&mut self) -> Result<(), BusError> {
        while let Some(event) = self.session.event() {
            self.heed(event)?;
        }
        let beats = self.session.heartbeat() > 0;
        match &self.under_way {
            // With heartbeats a dead server is detected anyway, and a server that is short of
            // memory may take longer.
            Some(under_way) if !beats && under_way.since.elapsed() > CONFIRMATION => {
                Err(BusError::Silent {
                    host: self.host.clone(),
                })
            }
            _ => Ok(()),
        }
    }

    fn heed(&mut self, event: Event) -> Result<(), BusError> {
        match event {
            Event::Confirmed { tag, multiple } => {
                if let Some(under_way) = &mut self.under_way {
                    under_way.answered(tag, multiple);
                }
                self.settle();
                Ok(())
            }
            Event::Refused { tag, multiple } => {
                // A nack concerns one queue (it may be full); messages to other queues can succeed.
                if let Some(under_way) = &mut self.under_way {
                    let refused = under_way.answered(tag, multiple);
                    under_way.refused.extend(refused);
                }
                self.settle();
                Ok(())
            }
            Event::Returned { text } => {
                // The queue was deleted. The next connection declares it again.
                if let Some(under_way) = &mut self.under_way {
                    under_way.returned = Some(text);
                }
                Ok(())
            }
            Event::Blocked { reason } => {
                tracing::warn!(
                    host = self.host,
                    reason,
                    "the message bus blocks publishing (flow control): waiting"
                );
                self.blocked = true;
                Ok(())
            }
            Event::Unblocked => {
                tracing::info!(host = self.host, "the message bus unblocked publishing");
                self.blocked = false;
                Ok(())
            }
            Event::Closed { code, text, class } => Err(BusError::Refused {
                host: self.host.clone(),
                code,
                text,
                class,
            }),
            Event::Ready | Event::Ended => Ok(()),
        }
    }

    /// Completes the batch once all its messages are acked or nacked.
    fn settle(&mut self) {
        let done = |under_way: &mut UnderWay| under_way.unconfirmed.is_empty();
        let Some(under_way) = self.under_way.take_if(done) else {
            return;
        };
        match &under_way.returned {
            Some(text) => {
                self.declared.clear();
                let reason = BusError::Returned(text.clone());
                under_way.fail(reason);
            }
            None if under_way.refused.is_empty() => {
                let _ = under_way.done.send(Ok(()));
            }
            None => under_way.fail(BusError::NotTaken),
        }
    }

    /// Waits for something to happen, while everything that is to be written is written.
    async fn exchange(
        &mut self,
        mut orders: Option<&mut mpsc::Receiver<Order>>,
    ) -> Result<Heard, BusError> {
        loop {
            if self.written == self.output.len() {
                self.output = self.session.output();
                self.written = 0;
            }
            let beat = Duration::from_secs(self.session.heartbeat().into());
            let silent = BusError::Silent {
                host: self.host.clone(),
            };
            if !beat.is_zero() && self.last_heard.elapsed() > beat * 2 {
                return Err(silent);
            }
            let due = match beat.is_zero() {
                true => Instant::now() + CONFIRMATION,
                false => self.last_said + beat / 2,
            };
            let rest = &self.output[self.written..];
            tokio::select! {
                biased;
                read = self.from.read(&mut self.input) => {
                    let Some(read) = read.ok().filter(|read| *read > 0) else {
                        return Err(BusError::Broken { host: self.host.clone() });
                    };
                    self.last_heard = Instant::now();
                    let heard = self.session.received(&self.input[..read]);
                    let host = self.host.clone();
                    heard.map_err(|source| BusError::Garbled { host, source })?;
                    return Ok(Heard::Bytes);
                }
                written = self.to.write(rest), if !rest.is_empty() => match written {
                    Ok(written) if written > 0 => {
                        self.written += written;
                        self.last_said = Instant::now();
                        if self.written == self.output.len() {
                            // TLS buffers what was written: flush it.
                            self.flush().await?;
                        }
                    }
                    _ => return Err(BusError::Broken { host: self.host.clone() }),
                },
                order = next(&mut orders) => {
                    return Ok(order.map_or(Heard::NoMoreOrders, Heard::Order));
                }
                () = tokio::time::sleep_until(due) => {
                    if beat.is_zero() {
                        return Ok(Heard::Bytes);
                    }
                    // If the server does not read, the heartbeat stays in the buffer: do not queue
                    // another one.
                    self.last_said = Instant::now();
                    if rest.is_empty() {
                        self.session.beat();
                    }
                }
            }
        }
    }

    async fn flush(&mut self) -> Result<(), BusError> {
        let flushed = tokio::time::timeout(CONFIRMATION, self.to.flush()).await;
        match flushed {
            Ok(Ok(())) => Ok(()),
            _ => Err(BusError::Broken {
                host: self.host.clone(),
            }),
        }
    }
}

enum Heard {
    /// Something arrived, or time went by.
    Bytes,
    Order(Order),
    NoMoreOrders,
}

/// The next order, or nothing for ever.
async fn next(orders: &mut Option<&mut mpsc::Receiver<Order>>) -> Option<Order> {
    match orders {
        Some(orders) => orders.recv().await,
        None => std::future::pending().await,
    }
}
