//! Screens of machines: graphical consoles, passed on from the machine's RFB server (VNC) to viewers.
//!
//! Ironic starts a container for each console, which runs a browser before the page of the BMC, and a
//! proxy of its own for viewers. Here the service is the proxy: [`dial`] gets in at a server, with its
//! password, [`relay`] passes one viewer's conversation on, and [`picture`] is a server of our own for
//! machines that have no screen. What needs a browser to be seen is left out.
//!
//! A viewer gets in by the token of the console, which the conductor checks; only this process
//! learns the password. The two console interfaces are in [`graphical`].

mod dial;
mod graphical;
mod picture;
mod place;
mod relay;

pub use graphical::{FakeGraphical, RedfishGraphical};
pub use place::VncServer;

use crate::DriverError;
use outbound::Policy;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{Semaphore, mpsc, oneshot, watch},
    time::{Instant, sleep},
};
use types::{
    NodeId,
    console::{ConsoleInput, ConsoleLine, ConsoleOutput, ConsoleReader, ConsoleWriter},
};

/// How many viewers a screen has room for.
const VIEWERS: usize = 8;
/// How many pieces may wait for a viewer, and for the machine; each is as large as one read.
const QUEUE: usize = 8;

/// What operators can set about graphical consoles.
#[derive(Debug, Clone)]
pub struct ScreenSettings {
    pub is_on: bool,
    /// Where servers may be.
    pub outbound: Policy,
    /// Whether all viewers only watch.
    pub is_read_only: bool,
    /// How long a server may take to be there when a console is switched on.
    pub wait: Duration,
    /// How long a screen on which nothing happens stays open; `None` for ever.
    pub idle: Option<Duration>,
}

impl Default for ScreenSettings {
    fn default() -> Self {
        Self {
            is_on: true,
            outbound: Policy::default(),
            is_read_only: false,
            wait: Duration::from_secs(10),
            idle: Some(Duration::from_secs(600)),
        }
    }
}

/// A connection with a server.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// What shows a screen.
#[derive(Debug, Clone)]
enum Server {
    /// The machine's own, or its BMC's.
    Machine(VncServer),
    /// A picture for the machine of this name.
    Picture(String),
}

/// A screen as a viewer has it.
pub struct Screen {
    /// Its characters are the bytes of RFB.
    pub line: ConsoleLine,
    /// Why it has ended, once it has.
    pub ended: oneshot::Receiver<String>,
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Screen")
    }
}

/// The viewers of one machine.
#[derive(Debug)]
struct Viewers {
    stop: watch::Sender<bool>,
    room: Arc<Semaphore>,
}

/// All screens that this process passes on.
#[derive(Debug)]
pub struct Screens {
    pub settings: ScreenSettings,
    open: Mutex<HashMap<NodeId, Viewers>>,
}

impl Screens {
    pub fn new(settings: ScreenSettings) -> Self {
        Self {
            settings,
            open: Mutex::default(),
        }
    }

    /// Whether consoles are served at all.
    fn check_on(&self) -> Result<(), DriverError> {
        match self.settings.is_on {
            true => Ok(()),
            false => Err(DriverError::InvalidParameter(
                "Graphical consoles are not served: set [vnc]enabled = True".into(),
            )),
        }
    }

    /// Lets one more viewer see a screen, for `left` at most.
    async fn join(
        &self,
        node: NodeId,
        server: &Server,
        left: Duration,
    ) -> Result<Screen, DriverError> {
        let (room, stop) = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            let viewers = open.entry(node).or_insert_with(|| Viewers {
                stop: watch::channel(false).0,
                room: Arc::new(Semaphore::new(VIEWERS)),
            });
            (Arc::clone(&viewers.room), viewers.stop.subscribe())
        };
        let place = room.try_acquire_owned();
        let place = place
            .map_err(|_| DriverError::Busy("the screen has no room for another viewer".into()))?;
        let stream = self.reach(server).await?;
        let (shown, output) = mpsc::channel(QUEUE);
        let (typed, input) = mpsc::channel(QUEUE);
        let (end, ended) = oneshot::channel();
        let relay = relay::Relay {
            is_read_only: self.settings.is_read_only,
            idle: self.settings.idle,
            left,
            stop,
        };
        tokio::spawn(async move {
            let reason = relay.run(stream, input, &shown).await;
            drop(place);
            let _ = end.send(reason.clone());
            // Who does not take even this is not waited for.
            let _ = shown
                .send_timeout(ConsoleOutput::Ended(reason), relay::PATIENCE)
                .await;
        });
        let reader = Box::new(Shown(output));
        let writer = Box::new(Typed(typed));
        Ok(Screen {
            line: ConsoleLine { reader, writer },
            ended,
        })
    }

    async fn reach(&self, server: &Server) -> Result<Box<dyn Stream>, DriverError> {
        match server {
            Server::Machine(place) => {
                let stream = dial::dial(place, &self.settings.outbound).await?;
                Ok(Box::new(stream))
            }
            Server::Picture(name) => Ok(Box::new(dial::enter(picture::begin(name)).await?)),
        }
    }

    /// Whether a server is there and lets us in. One that does not answer may need a moment.
    async fn try_out(&self, server: &Server) -> Result<(), DriverError> {
        let until = Instant::now() + self.settings.wait;
        loop {
            match self.reach(server).await {
                Err(DriverError::Unreachable(_)) if Instant::now() < until => {
                    sleep(Duration::from_secs(1)).await;
                }
                other => return other.map(|_| ()),
            }
        }
    }

    /// Sends all viewers of a machine away.
    fn close(&self, node: NodeId) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(viewers) = open.remove(&node) {
            let _ = viewers.stop.send_replace(true);
        }
    }
}

struct Shown(mpsc::Receiver<ConsoleOutput>);

#[async_trait::async_trait]
impl ConsoleReader for Shown {
    async fn next(&mut self) -> Option<ConsoleOutput> {
        self.0.recv().await
    }
}

struct Typed(mpsc::Sender<ConsoleInput>);

#[async_trait::async_trait]
impl ConsoleWriter for Typed {
    async fn send(&mut self, input: ConsoleInput) -> bool {
        self.0.send(input).await.is_ok()
    }
}

#[cfg(test)]
mod tests;
