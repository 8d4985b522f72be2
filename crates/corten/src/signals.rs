//! The signals that ask the service to end, and those that ask it for something else meanwhile.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How the service is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// As soon as work can be left where somebody takes it up again; with the signal's name.
    Stop(&'static str),
    /// When all work has come to its end.
    Drain,
}

impl End {
    pub(crate) fn signal(self) -> &'static str {
        match self {
            Self::Stop(name) => name,
            Self::Drain => "SIGUSR2",
        }
    }
}

/// From here on, SIGTERM, SIGINT and SIGUSR2 are ours to answer.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    drain: Signal,
}

impl Signals {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be listened to");
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            drain: listen(SignalKind::user_defined2())?,
        })
    }

    /// Waits for the next one and says which it was.
    pub(crate) async fn next(&mut self) -> End {
        tokio::select! {
            _ = self.terminate.recv() => End::Stop("SIGTERM"),
            _ = self.interrupt.recv() => End::Stop("SIGINT"),
            _ = self.drain.recv() => End::Drain,
        }
    }
}

/// From here on, SIGHUP does this instead of ending the process.
pub(crate) fn on_hangup(action: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    on(SignalKind::hangup(), action)
}

/// From here on, SIGUSR1 does this instead of ending the process.
pub(crate) fn on_user_signal(action: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    on(SignalKind::user_defined1(), action)
}

fn on(kind: SignalKind, mut action: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    let mut signals = signal(kind).context("signals cannot be listened to")?;
    tokio::spawn(async move {
        while signals.recv().await.is_some() {
            action();
        }
    });
    Ok(())
}
