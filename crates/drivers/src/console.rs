//! Sharing a machine's serial line among those who watch it.
//!
//! A [`Hub`] is the console of one machine. The line is opened when the first user joins and given
//! back when the last one leaves, because BMCs have one line and few sessions. All users see what
//! the machine says; one types. Another one gets that right only by asking for it, and whoever had
//! it is told. A user who is too slow loses characters and learns how many, so that nobody holds
//! up the others.

mod journal;
mod session;

pub use journal::LogSettings;

use crate::DriverError;
use async_trait::async_trait;
use session::{Order, Session};
use std::{fmt, io, sync::Arc, time::Duration};
use tokio::{
    sync::{Mutex, mpsc, oneshot, watch},
    task::JoinHandle,
};
use types::console::{
    ConsoleInput, ConsoleLine, ConsoleOutput, ConsoleReader, ConsoleWish, ConsoleWriter,
};

/// How many messages may wait for a user before characters get lost.
const BACKLOG: usize = 1024;
/// How many keystrokes may wait for the machine, before whoever types has to.
const TYPED: usize = 16;
/// How many users a console has room for.
const USERS: usize = 32;

/// A serial line that is open.
#[async_trait]
pub trait Serial: Send {
    /// The next characters from the machine. A call that is abandoned loses nothing.
    async fn next(&mut self) -> io::Result<Vec<u8>>;
    /// Whether the machine can take more now.
    fn has_room(&self) -> bool;
    fn push(&mut self, characters: &[u8]);
    fn send_break(&mut self);
    /// Gives the line back.
    async fn close(self: Box<Self>);
}

/// Opens the serial line of one machine.
#[async_trait]
pub trait Dial: Send + Sync {
    async fn dial(&self) -> Result<Box<dyn Serial>, DriverError>;
}

/// The console of one machine.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    dial: Box<dyn Dial>,
    idle: Option<Duration>,
    session: Mutex<Option<Running>>,
    stop: watch::Sender<bool>,
}

/// A session under way.
struct Running {
    orders: mpsc::UnboundedSender<Order>,
    typed: mpsc::Sender<(u64, ConsoleInput)>,
    task: JoinHandle<()>,
    users: u64,
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hub")
    }
}

impl Hub {
    /// `idle` is how long a line on which nothing is said stays open; `None` for ever.
    pub fn new(dial: Box<dyn Dial>, idle: Option<Duration>) -> Self {
        Self(Arc::new(Inner {
            dial,
            idle,
            session: Mutex::default(),
            stop: watch::channel(false).0,
        }))
    }

    /// Joins the console.
    pub async fn join(&self, wish: ConsoleWish) -> Result<ConsoleLine, DriverError> {
        self.enter(wish, false).await
    }

    async fn enter(&self, wish: ConsoleWish, is_keeper: bool) -> Result<ConsoleLine, DriverError> {
        let mut place = self.0.session.lock().await;
        if *self.0.stop.borrow() {
            return Err(DriverError::Rejected("the console is off".into()));
        }
        loop {
            if place
                .as_ref()
                .is_some_and(|running| running.orders.is_closed())
            {
                has_ended(&mut place).await;
            }
            let running = match place.as_mut() {
                Some(running) => running,
                None => place.insert(self.begin().await?),
            };
            running.users += 1;
            let id = running.users;
            let (to, output) = mpsc::channel(BACKLOG);
            let (answer, answered) = oneshot::channel();
            let order = Order::Join {
                id,
                wish,
                is_keeper,
                to,
                answer,
            };
            let typed = running.typed.clone();
            let orders = running.orders.clone();
            // The session may be ending right now; then there is a next one.
            if orders.send(order).is_ok()
                && let Ok(joined) = answered.await
            {
                joined.map_err(|text| DriverError::Busy(text.into()))?;
                let reader = Box::new(Reader(output));
                let writer = Box::new(Writer { id, orders, typed });
                return Ok(ConsoleLine { reader, writer });
            }
            has_ended(&mut place).await;
        }
    }

    async fn begin(&self) -> Result<Running, DriverError> {
        let serial = self.0.dial.dial().await?;
        let (orders, given) = mpsc::unbounded_channel();
        let (typed, keys) = mpsc::channel(TYPED);
        let session = Session::new(serial, given, keys, self.0.idle, self.0.stop.subscribe());
        Ok(Running {
            orders,
            typed,
            task: tokio::spawn(session.run()),
            users: 0,
        })
    }

    /// Writes what the machine says to a file for as long as the console is on.
    pub fn keep_log(&self, log: LogSettings, name: String) {
        tokio::spawn(journal::keep(self.clone(), log, name));
    }

    /// Ends the console for everybody, and returns when the line is given back.
    pub async fn close(&self) {
        let _ = self.0.stop.send_replace(true);
        let running = self.0.session.lock().await.take();
        if let Some(running) = running {
            let _ = running.task.await;
        }
    }
}

/// Waits until a session that is ending has given the line back. A BMC has one line, and deactivating
/// it ends it for whoever has it (IPMI 2.0 §24.2): the farewell of the old session must not come
/// after the next one's greeting.
async fn has_ended(place: &mut Option<Running>) {
    if let Some(running) = place {
        // Here it stays until it has ended, also where nobody waits any more.
        let _ = (&mut running.task).await;
    }
    *place = None;
}

struct Reader(mpsc::Receiver<ConsoleOutput>);

#[async_trait]
impl ConsoleReader for Reader {
    async fn next(&mut self) -> Option<ConsoleOutput> {
        self.0.recv().await
    }
}

struct Writer {
    id: u64,
    orders: mpsc::UnboundedSender<Order>,
    typed: mpsc::Sender<(u64, ConsoleInput)>,
}

#[async_trait]
impl ConsoleWriter for Writer {
    async fn send(&mut self, input: ConsoleInput) -> bool {
        match input {
            // Not behind what somebody else has typed.
            ConsoleInput::TakeOver => self.orders.send(Order::TakeOver(self.id)).is_ok(),
            typed => self.typed.send((self.id, typed)).await.is_ok(),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.orders.send(Order::Leave(self.id));
    }
}

#[cfg(test)]
mod tests;
