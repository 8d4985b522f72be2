//! The signals that ask the service to end, and the one that asks it to look again.

use anyhow::Context;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// From here on, SIGTERM and SIGINT are ours to answer.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be listened to");
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one and says which it was.
    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

/// From here on, SIGHUP does this instead of ending the process.
pub(crate) fn on_hangup(mut action: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    let mut hangups = signal(SignalKind::hangup()).context("signals cannot be listened to")?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            action();
        }
    });
    Ok(())
}
