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
    user: Option<User>,
}

/// What SIGUSR1 does.
struct User {
    signal: Signal,
    action: Box<dyn FnMut() + Send>,
}

impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User").finish_non_exhaustive()
    }
}

impl User {
    async fn heard(user: &mut Option<Self>) {
        let Some(user) = user else {
            return std::future::pending().await;
        };
        match user.signal.recv().await {
            Some(()) => (user.action)(),
            None => std::future::pending().await,
        }
    }
}

impl Signals {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            drain: listen(SignalKind::user_defined2())?,
            user: None,
        })
    }

    /// From here on, SIGUSR1 does this instead of ending the process, while the next signal that
    /// asks for an end is waited for. It is answered here and not beside, because it says how to
    /// end: whoever sends both, one after the other, means both.
    pub(crate) fn on_user_signal(
        &mut self,
        action: impl FnMut() + Send + 'static,
    ) -> anyhow::Result<()> {
        self.user = Some(User {
            signal: listen(SignalKind::user_defined1())?,
            action: Box::new(action),
        });
        Ok(())
    }

    /// Waits for the next one that asks for an end and says which it was.
    pub(crate) async fn next(&mut self) -> End {
        loop {
            return tokio::select! {
                biased;
                () = User::heard(&mut self.user) => continue,
                _ = self.terminate.recv() => End::Stop("SIGTERM"),
                _ = self.interrupt.recv() => End::Stop("SIGINT"),
                _ = self.drain.recv() => End::Drain,
            };
        }
    }
}

fn listen(kind: SignalKind) -> anyhow::Result<Signal> {
    signal(kind).context("cannot install a signal handler")
}

/// From here on, SIGHUP does this instead of ending the process.
pub(crate) fn on_hangup(mut action: impl FnMut() + Send + 'static) -> anyhow::Result<()> {
    let mut signals = listen(SignalKind::hangup())?;
    tokio::spawn(async move {
        while signals.recv().await.is_some() {
            action();
        }
    });
    Ok(())
}
