//! The conductors of a cluster as one: each call goes to the conductor that owns its node.
//!
//! While the hash ring changes, a call may reach a conductor that is stopping or does not own the
//! node any more. Such a call was not accepted, so it is retried for a while with the owner of that
//! moment. A call whose answer was lost is not retried unless it is idempotent: the conductor may
//! have accepted it. The client is told to look at the node's row.

mod conductor;
mod leases;

use crate::{
    adjacent::program,
    call::{Answer, Call, CallTarget},
    console,
    origin::Origins,
    seal::Secret,
    view::View,
    wire::{CallFailure, Wire, WireError},
};
use serde_json::value::RawValue;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use store::{Db, StoreError};
use types::{
    Caller, Conductor, Fault, NodeId,
    console::ConsoleLine,
    rpc::{HostName, Request, dispatch},
};

/// Shortest and longest pause before a retry.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

/// Timeout for a conductor's status report.
const REPORT: Duration = Duration::from_secs(5);

/// How a process calls conductors.
#[derive(Debug, Clone)]
pub struct RemoteSettings {
    pub secret: Secret,
    pub tls: tls::Client,
    /// Timeout of a call.
    pub timeout: Duration,
    /// How long a call that no conductor accepted is retried.
    pub patience: Duration,
}

/// Client of all conductors of a cluster.
pub struct Remote {
    db: Db,
    view: Arc<View>,
    wire: Arc<Wire>,
    origins: Origins,
    patience: Duration,
    /// The conductor in this process, if there is one.
    local: Option<(String, Arc<dyn Conductor>)>,
    turn: AtomicUsize,
    /// Returns the `traceparent` of the current span.
    trace: fn() -> Option<String>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("view", &self.view)
            .finish_non_exhaustive()
    }
}

impl Remote {
    pub fn new(
        db: Db,
        view: Arc<View>,
        settings: RemoteSettings,
        local: Option<(String, Arc<dyn Conductor>)>,
    ) -> Result<Self, WireError> {
        let wire = Wire::new(settings.secret, &settings.tls, settings.timeout)?;
        Ok(Self {
            origins: Origins::new(db.clone()),
            db,
            view,
            wire: Arc::new(wire),
            patience: settings.patience,
            local,
            turn: AtomicUsize::new(0),
            trace: || None,
        })
    }

    /// Makes calls carry the current span, as `trace` formats it.
    pub fn with_trace(mut self, trace: fn() -> Option<String>) -> Self {
        self.trace = trace;
        self
    }

    async fn place_of(&self, node: NodeId) -> Result<CallTarget, Fault> {
        let found = store::member::placement(&self.db, node).await;
        let (driver, group) = found
            .map_err(broken)?
            .ok_or_else(|| Fault::NodeNotFound(node.to_string()))?;
        Ok(CallTarget::Node {
            node,
            driver,
            group,
        })
    }

    async fn ask(
        &self,
        place: CallTarget,
        who: &Caller,
        request: Box<Request>,
    ) -> Result<Box<RawValue>, Fault> {
        let mut attempts = Attempts::new(self.patience);
        let is_repeatable = request.is_repeatable();
        let mut call = Call {
            program: program(),
            place,
            who: who.clone(),
            trace: (self.trace)(),
            request,
        };
        let mut text = None;
        loop {
            let host = self.host(&mut call).await?;
            if let Some((me, conductor)) = &self.local
                && *me == host
            {
                return dispatch(conductor.as_ref(), who, call.request).await;
            }
            if text.is_none() {
                text = Some(written(&call)?);
            }
            let sent = match self.view.url(&host) {
                Some(url) => {
                    self.wire
                        .call(&url, text.as_deref().unwrap_or_default())
                        .await
                }
                None => Err(CallFailure::NotTaken(
                    "it has no RPC address in the list of live conductors".to_owned(),
                )),
            };
            let reason = match sent {
                Ok(Answer::NotMine { owner }) => elsewhere(owner),
                Ok(answer) => return settled(answer, &host),
                Err(CallFailure::NotTaken(reason)) => reason,
                Err(CallFailure::Lost(reason)) if is_repeatable => reason,
                Err(CallFailure::Lost(reason)) => return Err(unknown(&host, &reason)),
            };
            self.pause(&mut attempts, &host, &reason).await?;
        }
    }

    /// The status report of a conductor. It is asked once, whether it is in the ring or not: that
    /// it does not answer is a result too.
    async fn ask_about(&self, host: &str) -> Result<Box<RawValue>, Fault> {
        let request = Box::new(Request::report(HostName(host.to_owned())));
        if let Some((me, conductor)) = &self.local
            && me == host
        {
            return dispatch(conductor.as_ref(), &Caller::service(), request).await;
        }
        let url = match self.view.url(host) {
            Some(url) => Some(url),
            None => {
                let member = store::member::find(&self.db, host).await;
                member.map_err(broken)?.and_then(|member| member.url)
            }
        };
        let url = url.ok_or_else(|| Fault::NotNow("It takes no calls.".into()))?;
        let text = written(&Call {
            program: program(),
            place: CallTarget::Host(host.to_owned()),
            who: Caller::service(),
            trace: (self.trace)(),
            request,
        })?;
        match tokio::time::timeout(REPORT, self.wire.call(&url, &text)).await {
            Ok(Ok(Answer::Done(report))) => {
                if self.view.is_alive(host) == Some(false) {
                    // It started after we last read the list of conductors. If it cannot be read
                    // now, it is at the next interval.
                    let _ = self.view.refresh().await;
                }
                Ok(report)
            }
            Ok(Ok(Answer::Refused(fault))) => Err(fault),
            Ok(Ok(Answer::NotMine { .. })) => {
                Err(Fault::NotNow(format!("{url} is not where it takes calls.")))
            }
            Ok(Err(CallFailure::NotTaken(reason) | CallFailure::Lost(reason))) => {
                Err(Fault::NotNow(format!("{url}: {reason}.")))
            }
            Err(_) => Err(Fault::NotNow(format!(
                "{url} did not answer within {} seconds.",
                REPORT.as_secs()
            ))),
        }
    }

    /// As [`Remote::ask`], for the calls that are answered by a stream.
    async fn join(
        &self,
        who: &Caller,
        node: NodeId,
        request: Request,
    ) -> Result<ConsoleLine, Fault> {
        let mut attempts = Attempts::new(self.patience);
        let mut call = Call {
            program: program(),
            place: self.place_of(node).await?,
            who: who.clone(),
            trace: (self.trace)(),
            request: Box::new(request),
        };
        let text = written(&call)?;
        loop {
            let host = self.host(&mut call).await?;
            if let Some((me, conductor)) = &self.local
                && *me == host
            {
                return console::join(&**conductor, who, *call.request).await;
            }
            let sent = match self.view.url(&host) {
                Some(url) => self.wire.stream(&url, &text).await,
                None => Err(CallFailure::NotTaken(
                    "it has no RPC address in the list of live conductors".to_owned(),
                )),
            };
            let reason = match sent {
                Ok(Ok((stream, keys))) => return Ok(console::line(stream, keys)),
                Ok(Err(Answer::Refused(fault))) => return Err(fault),
                Ok(Err(Answer::NotMine { owner })) => elsewhere(owner),
                Ok(Err(Answer::Done(_))) => return Err(unknown(&host, "it did not open a stream")),
                // Joining a console changes nothing.
                Err(CallFailure::NotTaken(reason) | CallFailure::Lost(reason)) => reason,
            };
            self.pause(&mut attempts, &host, &reason).await?;
        }
    }

    /// The conductor that a call is for, by the current ring.
    async fn host(&self, call: &mut Call) -> Result<String, Fault> {
        // Any conductor knows better why a hardware type is not served, or what it is called today.
        let is_told = matches!(
            *call.request,
            Request::create_node(_) | Request::update_node(_)
        );
        match self.find(&call.place).await {
            Err(Fault::NoValidHost { .. } | Fault::DriverUnknown(_))
                if is_told || matches!(call.place, CallTarget::Driver(_)) =>
            {
                call.place = CallTarget::Anybody;
                self.find(&call.place).await
            }
            found => found,
        }
    }

    /// The conductor for a destination; reads the list of conductors again if none is known.
    pub(super) async fn find(&self, place: &CallTarget) -> Result<String, Fault> {
        if let Some(host) = self.known_host(place) {
            return Ok(host);
        }
        self.look().await;
        if let Some(host) = self.known_host(place) {
            return Ok(host);
        }
        match place {
            _ if self.view.hosts().is_empty() => Err(Fault::Unavailable),
            CallTarget::Node { driver, group, .. } => Err(Fault::NoValidHost {
                driver: driver.clone(),
                group: group.clone(),
            }),
            CallTarget::Driver(driver) => Err(Fault::DriverUnknown(driver.clone())),
            CallTarget::Host(_) | CallTarget::Anybody => Err(Fault::Unavailable),
        }
    }

    fn known_host(&self, place: &CallTarget) -> Option<String> {
        match place {
            CallTarget::Node {
                node,
                driver,
                group,
            } => self.view.owner(*node, driver, group),
            CallTarget::Driver(driver) => self.some(self.view.servers(driver)),
            CallTarget::Host(host) => Some(host.clone()),
            CallTarget::Anybody => self.some(self.view.hosts()),
        }
    }

    /// One of the hosts, round-robin.
    fn some(&self, mut hosts: Vec<String>) -> Option<String> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        (!hosts.is_empty()).then(|| hosts.swap_remove(turn % hosts.len()))
    }

    async fn look(&self) {
        if let Err(error) = self.view.refresh_since(Instant::now()).await {
            tracing::warn!(error = %types::error::chain(&error), "cannot read the list of conductors from the database");
        }
    }

    /// Waits before a retry and reads the list of conductors again; gives up after a while.
    async fn pause(&self, attempts: &mut Attempts, host: &str, reason: &str) -> Result<(), Fault> {
        let Some(pause) = attempts.next() else {
            tracing::warn!(
                host,
                reason,
                "conductor unreachable: gave up retrying a cluster call"
            );
            return Err(Fault::NotNow(format!(
                "Conductor {host} cannot be reached at the moment, please retry."
            )));
        };
        tracing::debug!(host, reason, "retrying a cluster call");
        tokio::time::sleep(pause).await;
        self.look().await;
        Ok(())
    }
}

/// Deadline and backoff of the retries of a call.
struct Attempts {
    until: Instant,
    pause: Duration,
}

impl Attempts {
    fn new(patience: Duration) -> Self {
        Self {
            until: Instant::now() + patience,
            pause: PAUSES.0,
        }
    }

    fn next(&mut self) -> Option<Duration> {
        let pause = self.pause;
        self.pause = (pause * 2).min(PAUSES.1);
        (Instant::now() + pause < self.until).then_some(pause)
    }
}

fn written(call: &Call) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(call)
        .map_err(|error| Fault::Internal(format!("cannot serialize a cluster call: {error}")))
}

fn settled(answer: Answer, host: &str) -> Result<Box<RawValue>, Fault> {
    match answer {
        Answer::Done(value) => Ok(value),
        Answer::Refused(fault) => Err(fault),
        Answer::NotMine { owner } => Err(unknown(host, &elsewhere(owner))),
    }
}

fn elsewhere(owner: Option<String>) -> String {
    match owner {
        Some(owner) => format!("it answered that the node belongs to conductor {owner}"),
        None => "it is stopping and accepts no work".to_owned(),
    }
}

/// The error for a call that may have been accepted.
fn unknown(host: &str, reason: &str) -> Fault {
    tracing::warn!(
        host,
        reason,
        "answer to a cluster call lost: the call may have been carried out"
    );
    Fault::NotNow(format!(
        "Conductor {host} did not answer. The request may have been accepted: look at the node before you repeat it."
    ))
}

fn broken(error: StoreError) -> Fault {
    match error {
        StoreError::Unavailable(_) => Fault::Unavailable,
        other => Fault::Internal(types::error::chain(&other)),
    }
}
