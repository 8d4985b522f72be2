//! The one process of a program: started when it is needed, and again when it died.

use super::{
    ExternalSettings,
    link::{Link, Outcome, Silence},
    process::Process,
    program::Program,
    redact::Secrets,
};
use crate::{DriverError, error::Variant};
use proto::driver;
use serde_json::json;
use std::{io, sync::Arc, time::Duration};
use tokio::{
    sync::{Mutex, OnceCell, OwnedMutexGuard, Semaphore},
    time::{Instant, timeout_at},
};
use types::JsonMap;

/// A process that lived that long did not die of its start.
const STEADY: Duration = Duration::from_secs(30);

/// Why a program did not answer a call.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("driver program {program} has been busy with other calls for {} s", after.as_secs_f32())]
    Busy { program: String, after: Duration },
    #[error("driver program {program} was not ready within {} s", after.as_secs_f32())]
    NotReady { program: String, after: Duration },
    #[error("driver program {program} cannot be started")]
    Start { program: String, source: io::Error },
    #[error("driver program {program} did not say who it is")]
    Hello { program: String, source: NoHello },
    #[error("driver program {program} died in the middle of the call: {why}")]
    Died { program: String, why: Arc<str> },
    #[error("driver program {program} did not answer within {} s", after.as_secs_f32())]
    Deadline { program: String, after: Duration },
    #[error("driver program {program} does not read what it is told")]
    Deaf { program: String },
}

/// Why a process that was started is of no use.
#[derive(Debug, thiserror::Error)]
pub enum NoHello {
    #[error("{0}")]
    Silent(String),
    #[error("it answered '{}': {message}", code.as_str())]
    Refused { code: driver::Code, message: String },
    #[error("it declares something else than when this service was started; restart the service")]
    Changed,
}

impl HostError {
    /// What it means for whoever made the call.
    pub(super) fn variant(&self) -> Variant {
        match self {
            Self::Busy { .. } => DriverError::Busy,
            Self::Deadline { .. } => DriverError::Unfinished,
            Self::NotReady { .. }
            | Self::Start { .. }
            | Self::Hello { .. }
            | Self::Died { .. }
            | Self::Deaf { .. } => DriverError::Environment,
        }
    }
}

#[derive(Debug)]
pub(super) struct Host {
    program: Program,
    settings: ExternalSettings,
    /// What it said when it was first asked.
    said: OnceCell<JsonMap>,
    secrets: Arc<Secrets>,
    slots: Semaphore,
    running: Arc<Mutex<Running>>,
}

#[derive(Debug, Default)]
struct Running {
    link: Option<Arc<Link>>,
    /// In a row, up to now.
    deaths: u32,
    /// Not before.
    next: Option<Instant>,
}

impl Host {
    pub(super) fn new(program: Program, settings: ExternalSettings) -> Self {
        Self {
            program,
            said: OnceCell::new(),
            secrets: Arc::default(),
            slots: Semaphore::new(settings.calls),
            running: Arc::default(),
            settings,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.program.name
    }

    pub(super) fn settings(&self) -> &ExternalSettings {
        &self.settings
    }

    /// Starts a process for as long as it takes to ask who it is.
    pub(super) async fn describe(&self) -> Result<JsonMap, HostError> {
        let (link, said) = self.start().await?;
        drop(link);
        Ok(self.said.get_or_init(|| async { said }).await.clone())
    }

    /// Makes a call, within its time from now on, whatever it waits for.
    pub(super) async fn call(
        self: &Arc<Self>,
        method: &str,
        params: &JsonMap,
        secrets: &[String],
        within: Duration,
    ) -> Result<Outcome, HostError> {
        let end = Instant::now() + within;
        let program = || self.program.name.clone();
        let slot = timeout_at(end, self.slots.acquire()).await;
        let Ok(Ok(_slot)) = slot else {
            return Err(HostError::Busy {
                program: program(),
                after: within,
            });
        };
        let link = timeout_at(end, self.link()).await;
        let link = link.map_err(|_| HostError::NotReady {
            program: program(),
            after: within,
        })??;
        self.secrets.learn(secrets);
        let left = end.saturating_duration_since(Instant::now());
        let outcome = link.call(method, params, left).await;
        outcome.map_err(|silence| match silence {
            Silence::Ended(why) => HostError::Died {
                program: program(),
                why,
            },
            Silence::Deadline(_) => HostError::Deadline {
                program: program(),
                after: within,
            },
            Silence::Deaf => HostError::Deaf { program: program() },
        })
    }

    /// The process that runs, or a new one. Whoever waits may go away in the middle; the start goes
    /// on, and the next one finds what came of it.
    async fn link(self: &Arc<Self>) -> Result<Arc<Link>, HostError> {
        let mut running = Arc::clone(&self.running).lock_owned().await;
        if let Some(link) = &running.link {
            let Some((_, when)) = link.ended() else {
                return Ok(Arc::clone(link));
            };
            if when.saturating_duration_since(link.born) >= STEADY {
                running.deaths = 0;
            }
            running.link = None;
            self.mourn(&mut running, when);
        }
        if let Some(next) = running.next {
            tokio::time::sleep_until(next).await;
        }
        let begun = tokio::spawn(Arc::clone(self).begin(running)).await;
        begun.unwrap_or_else(|error| {
            Err(HostError::Start {
                program: self.program.name.clone(),
                source: io::Error::other(error),
            })
        })
    }

    /// Starts a process that others will use.
    async fn begin(
        self: Arc<Self>,
        mut running: OwnedMutexGuard<Running>,
    ) -> Result<Arc<Link>, HostError> {
        let begun = Instant::now();
        let started = match self.start().await {
            Ok((_, said)) if self.said.get().is_some_and(|known| *known != said) => {
                Err(HostError::Hello {
                    program: self.program.name.clone(),
                    source: NoHello::Changed,
                })
            }
            started => started,
        };
        let (link, _) = started.inspect_err(|_| self.mourn(&mut running, begun))?;
        running.next = None;
        running.link = Some(Arc::clone(&link));
        tracing::info!(
            driver = self.program.name,
            "the driver runs as process {}",
            link.process().id()
        );
        Ok(link)
    }

    /// Notes a death, and when the next process may begin to live.
    fn mourn(&self, running: &mut Running, when: Instant) {
        let pause = self.settings.pause * 2_u32.saturating_pow(running.deaths.min(16));
        running.deaths = running.deaths.saturating_add(1);
        running.next = Some(when + pause.min(self.settings.longest_pause));
    }

    /// A process of its own, and what it said to `hello`.
    pub(super) async fn start(&self) -> Result<(Arc<Link>, JsonMap), HostError> {
        let program = || self.program.name.clone();
        let failed = |source| HostError::Start {
            program: program(),
            source,
        };
        let started = Process::start(&self.program, &self.settings).await;
        let (process, streams) = started.map_err(failed)?;
        let secrets = Arc::clone(&self.secrets);
        let link = Link::open(&self.program.name, process, streams, secrets).map_err(failed)?;
        let hello = json!({
            "protocol": driver::VERSION,
            "service": concat!("corten ", env!("CARGO_PKG_VERSION")),
        });
        let hello = hello.as_object().cloned().unwrap_or_default();
        let within = self.settings.start_timeout;
        let source = match link.call(driver::HELLO, &hello, within).await {
            Ok(Ok(said)) => return Ok((link, said)),
            Ok(Err(refusal)) => NoHello::Refused {
                code: refusal.code,
                message: refusal.message,
            },
            Err(silence) => NoHello::Silent(silence.to_string()),
        };
        Err(HostError::Hello {
            program: program(),
            source,
        })
    }
}
