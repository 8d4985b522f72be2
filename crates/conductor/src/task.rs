//! A node in the hands of a worker: the lease as a value.
//!
//! Whoever has a `Task` holds the lease. The last write of a flow gives it back in the same
//! transaction ([`Task::end`]); a task that is merely dropped leaves the lease and the work in the
//! row, where the next incarnation finds them.

use crate::{
    autodetect, core::Core, flow::Origin, hands::Lease, last_error::ErrorCode, lock,
    record::ChangeLog, settings::Settings, worker::WorkerSlot,
};
use drivers::{
    DriverError, Failure,
    iface::{Hardware, Machine},
    storage::Volumes,
};
use serde_json::json;
use std::{future::Future, sync::Arc, time::Duration};
use store::{
    StoreError,
    inspection::Findings,
    node::{Fence, Log},
};
use tokio::{sync::oneshot, task::JoinHandle};
use tracing::Instrument;
use types::{
    Caller, Fault, JsonMap, LeaseProof, Node, NodeId, Port, Portgroup, Timestamp, Verb, Work,
    burnin::CommissioningReport,
    erasure::EraseCertificate,
    event::EventKind,
    notification::{Action, Notice, Status},
    provision::StateClass,
};

/// Why a worker stops in the middle: somebody else has the node, or the process is ending.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    LeaseLost,
    Shutdown,
}

/// What came of something that a worker attempts, unless it has to stop: `?` passes the [`Stop`] on,
/// and the failure inside is the flow's to handle.
pub(crate) type Attempt<T = (), E = DriverError> = Result<Result<T, E>, Stop>;

pub(crate) struct Task {
    pub(crate) core: Arc<Core>,
    pub(crate) node: Node,
    pub(crate) caller: Caller,
    /// Shared, so that a flow can use it beside the machine, which borrows the task.
    pub(crate) hardware: Arc<Hardware>,
    ports: Vec<Port>,
    portgroups: Vec<Portgroup>,
    volumes: Volumes,
    /// Opened secrets; never stored.
    driver_info: JsonMap,
    lease: LeaseProof,
    /// What hardware did not quite do; told as events when the node is next written.
    warnings: Vec<String>,
    notes: Vec<String>,
    /// What is certified when the node is next written.
    certificates: Vec<EraseCertificate>,
    /// What tests showed, for when the node is next written.
    reports: Vec<CommissioningReport>,
    /// What notifications tell when the node is next written.
    notices: Vec<Notice>,
    /// What the next error is about.
    blamed: Option<ErrorCode>,
}

/// What a task needs besides its node.
pub(crate) struct Needs {
    hardware: Arc<Hardware>,
    ports: Vec<Port>,
    portgroups: Vec<Portgroup>,
    volumes: Volumes,
    /// Opened secrets; never stored.
    driver_info: JsonMap,
}

impl Needs {
    pub(crate) async fn of(core: &Core, node: &Node) -> Result<Self, Fault> {
        let ports = core.ports(node.id).await?;
        let driver_info = core.opened_driver_info(node)?;
        let hardware = Arc::new(core.hardware(node)?);
        let volumes = core.volumes(node.id, &hardware).await?;
        let portgroups = core.portgroups(node.id, &hardware).await?;
        Ok(Self {
            hardware,
            ports,
            portgroups,
            volumes,
            driver_info,
        })
    }
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task")
            .field("node", &self.node.id)
            .field("work", &self.node.work)
            .finish()
    }
}

impl Task {
    /// Wraps a node whose lease was just granted to us.
    pub(crate) async fn new(core: &Arc<Core>, node: Node, caller: Caller) -> Result<Self, Fault> {
        let needs = Needs::of(core, &node).await?;
        Ok(Self::with(core, node, caller, needs))
    }

    /// As [`Task::new`], when everything that may fail has been read.
    pub(crate) fn with(core: &Arc<Core>, node: Node, caller: Caller, needs: Needs) -> Self {
        let lease = LeaseProof::granted(node.id, node.lease_generation);
        Self {
            core: Arc::clone(core),
            node,
            caller,
            hardware: needs.hardware,
            ports: needs.ports,
            portgroups: needs.portgroups,
            volumes: needs.volumes,
            driver_info: needs.driver_info,
            lease,
            warnings: Vec::new(),
            notes: Vec::new(),
            certificates: Vec::new(),
            reports: Vec::new(),
            notices: Vec::new(),
            blamed: None,
        }
    }

    pub(crate) fn id(&self) -> NodeId {
        self.node.id
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.core.settings
    }

    /// The machine for calls that only look.
    pub(crate) fn machine(&mut self) -> Machine<'_> {
        let boots_from_network = self.hardware.boot.boots_from_network();
        Machine::new(&mut self.node, &self.driver_info, &self.ports)
            .with_volumes(&self.volumes)
            .with_portgroups(&self.portgroups, boots_from_network)
            .asked_for_by(&self.caller)
    }

    /// Everything that a call which changes hardware needs, once it is certain that the lease has
    /// not lapsed.
    pub(crate) fn hands(&mut self) -> Result<(&LeaseProof, Machine<'_>), DriverError> {
        if !self.core.may_act(self.node.lease_epoch) {
            return Err(DriverError::LeaseLapsed);
        }
        let boots_from_network = self.hardware.boot.boots_from_network();
        let machine = Machine::new(&mut self.node, &self.driver_info, &self.ports)
            .with_volumes(&self.volumes)
            .with_portgroups(&self.portgroups, boots_from_network);
        Ok((&self.lease, machine.asked_for_by(&self.caller)))
    }

    pub(crate) fn story(&self) -> ChangeLog {
        ChangeLog::new(&self.caller)
    }

    /// Moves the node along the table.
    ///
    /// The flows only say events that the table has for the states they run in; an event it does
    /// not have is a mistake of ours, which must not leave the node in a worker's hands for ever.
    pub(crate) fn process(&mut self, event: Verb, story: &mut ChangeLog) {
        let from = self.node.provision_state;
        match self.node.process(event, Timestamp::now()) {
            Ok(()) => {
                autodetect::restore(&mut self.node, from);
                story.moved(&self.node, from, event);
            }
            Err(refused) => {
                tracing::error!(node = %self.node.id, "{refused}");
                let text = format!("Internal error: {refused}.");
                self.error(story, "UNKNOWN", &text);
                if event != Verb::Fail && self.node.process(Verb::Fail, Timestamp::now()).is_ok() {
                    story.moved(&self.node, from, Verb::Fail);
                }
            }
        }
    }

    /// Something went wrong: the text becomes the node's last error and an entry of its history.
    pub(crate) fn error(&mut self, story: &mut ChangeLog, event_type: &str, text: &str) {
        match self.blamed.take() {
            Some(code) => self.error_with(story, event_type, text, code),
            None => story.error(&self.core.settings, &mut self.node, event_type, text),
        }
    }

    /// Says what the next error is about: a failure of the hardware.
    pub(crate) fn blame(&mut self, error: &DriverError) {
        self.blamed = ErrorCode::of_hardware(error);
    }

    /// The same, for an error that something will be decided by.
    pub(crate) fn error_with(
        &mut self,
        story: &mut ChangeLog,
        event_type: &str,
        text: &str,
        code: ErrorCode,
    ) {
        let settings = &self.core.settings;
        story.error_with(settings, &mut self.node, event_type, text, code);
    }

    /// Remembers what hardware did not quite do.
    pub(crate) fn warn(&mut self, warnings: Vec<String>) {
        self.warnings.extend(warnings);
    }

    /// Remembers something that is told when the node is next written.
    pub(crate) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// Keeps a certificate, which is stored when the node is next written.
    pub(crate) fn certify(&mut self, certificate: EraseCertificate) {
        self.certificates.push(certificate);
    }

    /// Keeps what a test showed, which is stored when the node is next written.
    pub(crate) fn report(&mut self, report: CommissioningReport) {
        self.reports.push(report);
    }

    /// Leaves a note for notifications, for when the node is next written.
    pub(crate) fn notice(&mut self, action: Action, status: Status) {
        self.notices.push(Notice::new(action, status));
    }

    /// Tells of a beginning at once: nothing is written yet.
    pub(crate) async fn announce(&self, action: Action) {
        let notice = Notice::new(action, Status::Start);
        store::notification::tell(&self.core.db, &self.caller, &self.node, notice).await;
    }

    fn tell_warnings(&mut self, story: &mut ChangeLog) {
        story.noticed_before(std::mem::take(&mut self.notices));
        story.certified(std::mem::take(&mut self.certificates));
        story.reported(std::mem::take(&mut self.reports));
        for text in std::mem::take(&mut self.notes) {
            story.tell(&self.node, EventKind::Step, text, json!({"note": true}));
        }
        for text in std::mem::take(&mut self.warnings) {
            story.tell(&self.node, EventKind::Warning, text, json!({}));
        }
    }

    /// Writes the node and keeps the lease.
    pub(crate) async fn save(&mut self, mut story: ChangeLog) -> Result<(), Stop> {
        self.tell_warnings(&mut story);
        self.write(Fence::Held, story.into_log()).await
    }

    /// Writes the node for the last time and gives the lease back.
    pub(crate) async fn end(&mut self, mut story: ChangeLog) -> Result<(), Stop> {
        self.tell_warnings(&mut story);
        if matches!(
            self.node.provision_state.class(),
            StateClass::Stable | StateClass::Failed
        ) {
            self.core.live.forget(self.node.id);
        }
        self.write(Fence::Release, story.into_log()).await
    }

    /// A database that is away is waited for: what the hardware did must not be forgotten. One
    /// that refuses the row itself will refuse it again; then the node is failed from what the row
    /// held before, so that it does not stay in our hands for ever.
    async fn write(&mut self, fence: Fence, log: Log) -> Result<(), Stop> {
        const REFUSALS: u32 = 3;
        self.still_ours()?;
        let mut pause = Duration::from_millis(100);
        let mut refusals = 0;
        loop {
            let attempt =
                store::node::save(&self.core.db, self.node.clone(), fence.clone(), log.clone());
            match attempt.await {
                Ok(saved) => {
                    self.node = saved;
                    return Ok(());
                }
                Err(StoreError::LeaseLost | StoreError::NotFound) => {
                    tracing::warn!(node = %self.node.id, "the lease was lost; this worker stops");
                    return Err(Stop::LeaseLost);
                }
                Err(StoreError::Unavailable(error)) => {
                    let error = types::error::chain(&*error);
                    tracing::warn!(node = %self.node.id, %error, "the node cannot be saved, trying again");
                    // The commit may have gone through though its answer did not.
                    if self.was_written().await? {
                        return Ok(());
                    }
                }
                Err(error) => {
                    refusals += 1;
                    let error = types::error::chain(&error);
                    tracing::error!(node = %self.node.id, %error, "the node cannot be saved, trying again");
                }
            }
            if refusals >= REFUSALS {
                let (id, generation) = (self.node.id, self.lease.generation());
                let text = "What the conductor did could not be stored; see its log.";
                crate::flow::fail_row(&self.core, id, generation, text).await;
                return Err(Stop::LeaseLost);
            }
            let wait = tokio::time::sleep(pause);
            if self.core.stop.run_until_cancelled(wait).await.is_none() {
                return Err(Stop::Shutdown);
            }
            pause = (pause * 2).min(Duration::from_secs(10));
        }
    }

    /// A lease that lapsed since the worker was last let go on, maybe because the process ends, is no
    /// failure of what is being done, though hardware that could not be called for it looks like one.
    /// It stays in the row as it was, for whoever goes on with it.
    fn still_ours(&self) -> Result<(), Stop> {
        if self.core.may_act(self.node.lease_epoch) {
            Ok(())
        } else {
            Err(Stop::LeaseLost)
        }
    }

    /// Writes the node together with what inspection found, and keeps the lease. Values that the
    /// database refuses are the caller's to think about.
    pub(crate) async fn save_findings(&mut self, findings: &Findings) -> Attempt<(), StoreError> {
        self.still_ours()?;
        loop {
            match store::inspection::save(&self.core.db, self.node.clone(), findings).await {
                Ok(saved) => {
                    self.node = saved;
                    return Ok(Ok(()));
                }
                Err(StoreError::LeaseLost | StoreError::NotFound) => return Err(Stop::LeaseLost),
                Err(StoreError::Unavailable(_)) => {
                    if self.was_written().await? {
                        return Ok(Ok(()));
                    }
                    self.pause().await?;
                }
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// Waits a moment for a database that is away.
    pub(crate) async fn pause(&self) -> Result<(), Stop> {
        let pause = tokio::time::sleep(lock::RECONNECT);
        let waited = self.core.stop.run_until_cancelled(pause).await;
        waited.ok_or(Stop::Shutdown)
    }

    /// `driver_info` with its secrets opened; never to be stored or logged.
    pub(crate) fn driver_info(&self) -> &JsonMap {
        &self.driver_info
    }

    /// Changes a secret of `driver_info`, which is sealed when the node is written.
    pub(crate) fn set_driver_secret(&mut self, key: &str, secret: &str) {
        for info in [&mut self.node.driver_info, &mut self.driver_info] {
            info.insert(key.to_owned(), secret.into());
        }
    }

    /// Reads the node's ports again, after some were made.
    pub(crate) async fn reload_ports(&mut self) -> Result<(), Fault> {
        self.ports = self.core.ports(self.node.id).await?;
        Ok(())
    }

    /// The node's remote volumes, where its storage interface uses them.
    pub(crate) fn volumes_mut(&mut self) -> &mut Volumes {
        &mut self.volumes
    }

    /// `instance_info` with the passwords of its addresses opened; never to be stored or logged.
    pub(crate) fn instance_addresses(&self) -> Result<JsonMap, DriverError> {
        let (keys, id) = (self.core.db.keys(), self.node.id);
        let opened = keys.open_addresses(&self.node.instance_info, &id.to_string());
        opened.map_err(|error| self.closed("the instance", &error))
    }

    /// The state that the current step left, its secrets opened in memory.
    pub(crate) fn open_step_state(&mut self) -> Result<(), DriverError> {
        let Some(state) = self.node.driver_internal_info.step_state() else {
            return Ok(());
        };
        let opened = self
            .core
            .db
            .keys()
            .open_map(state, &self.node.id.to_string());
        let opened = opened.map_err(|error| self.closed("the step", &error))?;
        self.node.driver_internal_info.set_step_state(opened);
        Ok(())
    }

    /// Says that a secret cannot be opened; why is in the log.
    pub(crate) fn closed(&self, whose: &str, error: &StoreError) -> DriverError {
        let why = types::error::chain(error);
        tracing::error!(node = %self.node.id, error = why, "a secret of {whose} cannot be opened");
        DriverError::Environment(Failure::new(format!(
            "a secret of {whose} cannot be opened; see the log of the conductor"
        )))
    }

    /// The node's ports.
    pub(crate) fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Its ports and, where its network interface looks at them, its port groups.
    pub(crate) fn wires_mut(&mut self) -> (&mut Vec<Port>, &mut Vec<Portgroup>) {
        (&mut self.ports, &mut self.portgroups)
    }

    /// Whether a write whose answer got lost is in the row: asks until the database answers. Only
    /// the holder of the lease writes a node and stamps it; rotating keys counts the version up but
    /// leaves the stamp.
    async fn was_written(&mut self) -> Result<bool, Stop> {
        let found = loop {
            match store::node::find_settled(&self.core.db, self.node.id).await {
                Ok(Some(found)) => break found,
                Ok(None) => return Err(Stop::LeaseLost),
                Err(error) => {
                    let error = types::error::chain(&error);
                    tracing::warn!(node = %self.node.id, %error, "waiting for the database");
                }
            }
            self.pause().await?;
        };
        let ours = found.lease_generation == self.lease.generation()
            && found.version > self.node.version
            && found.updated_at != self.node.updated_at;
        if ours {
            self.node = found;
        }
        Ok(ours)
    }

    /// Whether the process is ending: flows stop between two steps, and are resumed later.
    pub(crate) fn check_shutdown(&self) -> Result<(), Stop> {
        if self.core.stop.is_cancelled() {
            Err(Stop::Shutdown)
        } else {
            Ok(())
        }
    }
}

impl Core {
    pub(crate) fn opened_driver_info(&self, node: &Node) -> Result<JsonMap, Fault> {
        let opened = self
            .db
            .keys()
            .open_map(&node.driver_info, &node.id.to_string());
        opened.map_err(|error| {
            tracing::error!(node = %node.id, error = %types::error::chain(&error), "driver_info cannot be opened");
            Fault::Internal(format!("A secret of node {} cannot be opened; see the log.", node.id))
        })
    }

    pub(crate) fn hardware(&self, node: &Node) -> Result<Hardware, Fault> {
        self.registry
            .hardware(node)
            .map_err(|error| Fault::InvalidParameter(error.to_string()))
    }

    /// Takes the lease together with a change, and starts a worker on the recorded work.
    ///
    /// The answer comes when the write is committed; the worker goes on by itself.
    pub(crate) async fn accept(
        self: &Arc<Self>,
        node: Node,
        caller: &Caller,
        story: ChangeLog,
        place: WorkerSlot,
    ) -> Result<(), Fault> {
        let (core, caller) = (Arc::clone(self), caller.clone());
        // On a task of its own: a client that hangs up between the commit and the start of the
        // worker must not leave the node reserved with nobody at work.
        let accepting = async move {
            let lease = core.take_lease(node, story.into_log()).await?;
            core.start(lease, caller, place, Origin::Asked);
            Ok(())
        };
        let accepted = self.tasks.spawn(accepting.in_current_span());
        accepted.await.unwrap_or(Err(Fault::Unavailable))
    }

    /// Starts a worker on a node whose lease we hold. It works for as long as the incarnation
    /// lives that the lease was granted to; a lease of a past one waits for whoever finds it.
    pub(crate) fn start(
        self: &Arc<Self>,
        lease: Lease,
        caller: Caller,
        place: WorkerSlot,
        origin: Origin,
    ) {
        let Some(incarnation) = self.incarnation_of(lease.node.lease_epoch) else {
            return;
        };
        let core = Arc::clone(self);
        let watching = async move {
            let Lease { node, hand } = lease;
            let (id, generation) = (node.id, node.lease_generation);
            let work = node.work.as_ref().map(types::Work::describe);
            let span = tracing::debug_span!(
                target: "spans", "work", otel.name = work, node = %id, origin = ?origin,
                request_id = caller.request_id,
            );
            let worker = crate::flow::run(Arc::clone(&core), node, caller, origin);
            // A worker of its own task, so that a panic in it can be seen and mended from here.
            let worker = Box::pin(worker);
            let worker = async move { incarnation.while_open(worker).await };
            let outcome = core.tasks.spawn(worker.instrument(span)).await;
            drop(place);
            match outcome {
                Ok(Some(())) => {}
                Ok(None) => tracing::warn!(node = %id, work, "a worker ended with its lease"),
                Err(error) if error.is_panic() => {
                    tracing::error!(node = %id, work, "a worker panicked");
                    crate::flow::fail_lost(&core, id, generation).await;
                }
                Err(_) => {}
            }
            drop(hand);
        };
        self.tasks.spawn(watching.in_current_span());
    }

    /// Takes the lease for the length of one conversation that a request waits for.
    ///
    /// The conversation runs on a task of its own: a client that hangs up must not leave the node
    /// reserved.
    pub(crate) async fn exclusively<T, F, R>(
        self: &Arc<Self>,
        id: NodeId,
        caller: &Caller,
        talk: F,
    ) -> Result<T, Fault>
    where
        T: Send + 'static,
        F: FnOnce(Task) -> R + Send + 'static,
        R: Future<Output = (Task, Result<T, Fault>)> + Send + 'static,
    {
        self.exclusively_for(Work::Exclusive, id, caller, talk)
            .await
    }

    /// As [`Core::exclusively`], for something that must not stay half done: what `work` says is what
    /// the next owner of the node does if this one dies over it.
    pub(crate) async fn exclusively_for<T, F, R>(
        self: &Arc<Self>,
        work: Work,
        id: NodeId,
        caller: &Caller,
        talk: F,
    ) -> Result<T, Fault>
    where
        T: Send + 'static,
        F: FnOnce(Task) -> R + Send + 'static,
        R: Future<Output = (Task, Result<T, Fault>)> + Send + 'static,
    {
        let running = self.converse(work, id, caller, talk, None)?;
        running.await.unwrap_or(Err(Fault::Unavailable))
    }

    /// As [`Core::exclusively`], but answers as soon as the lease is taken.
    pub(crate) async fn exclusively_in_background<F, R>(
        self: &Arc<Self>,
        id: NodeId,
        caller: &Caller,
        talk: F,
    ) -> Result<(), Fault>
    where
        F: FnOnce(Task) -> R + Send + 'static,
        R: Future<Output = (Task, Result<(), Fault>)> + Send + 'static,
    {
        let (begun, began) = oneshot::channel();
        let running = self.converse(Work::Exclusive, id, caller, talk, Some(begun))?;
        match began.await {
            Ok(()) => Ok(()),
            // It ended before it began, and says why.
            Err(_) => running.await.unwrap_or(Err(Fault::Unavailable)),
        }
    }

    fn converse<T, F, R>(
        self: &Arc<Self>,
        work: Work,
        id: NodeId,
        caller: &Caller,
        talk: F,
        begun: Option<oneshot::Sender<()>>,
    ) -> Result<JoinHandle<Result<T, Fault>>, Fault>
    where
        T: Send + 'static,
        F: FnOnce(Task) -> R + Send + 'static,
        R: Future<Output = (Task, Result<T, Fault>)> + Send + 'static,
    {
        let place = self.workers.for_request()?;
        let (core, caller) = (Arc::clone(self), caller.clone());
        let conversing = async move {
            let Lease { node, hand: _hand } = core.take(id, work).await?;
            let generation = node.lease_generation;
            let Some(incarnation) = core.incarnation_of(node.lease_epoch) else {
                return Err(Fault::Unavailable);
            };
            let task = match Task::new(&core, node, caller).await {
                Ok(task) => task,
                Err(fault) => {
                    release(&core, id, generation).await;
                    return Err(fault);
                }
            };
            if let Some(begun) = begun {
                // Nobody listens any more: the work is done all the same.
                let _ = begun.send(());
            }
            let conversation = Box::pin(async move {
                let (mut task, answer) = talk(task).await;
                let story = task.story();
                // A lost lease has an owner already; a shutdown leaves the row to the next start.
                let _ = task.end(story).await;
                answer
            });
            let conversation = async move { incarnation.while_open(conversation).await };
            let answer = core.tasks.spawn(conversation.in_current_span()).await;
            drop(place);
            match answer {
                Ok(Some(answer)) => answer,
                Ok(None) => Err(Fault::Unavailable),
                Err(_) => {
                    release(&core, id, generation).await;
                    Err(Fault::Internal(format!(
                        "Talking to node {id} failed unexpectedly."
                    )))
                }
            }
        };
        Ok(self.tasks.spawn(conversing.in_current_span()))
    }

    /// Takes the lease on a node for a conversation.
    async fn take(self: &Arc<Self>, id: NodeId, work: Work) -> Result<Lease, Fault> {
        let mut attempt = 1;
        loop {
            let mut node = self.load_free(id).await?;
            node.work = Some(work.clone());
            let answer = self.take_lease(node, Log::default()).await;
            if !lock::is_worth_a_retry(&answer, attempt) {
                return answer;
            }
            attempt += 1;
        }
    }
}

async fn release(core: &Core, id: NodeId, generation: i64) {
    if let Err(error) = store::lease::release(&core.db, id, generation).await {
        tracing::warn!(node = %id, error = %types::error::chain(&error), "a lease was not released");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Lab;

    #[tokio::test]
    async fn a_lease_that_lapsed_is_no_failure_of_the_work() {
        let lab = Lab::new().await;
        let id = lab.node(|_| {}).await;
        let core = &lab.service.core;
        let Lease { node, hand: _hand } = core.take(id, Work::Exclusive).await.unwrap();
        let mut task = Task::new(core, node, Caller::service()).await.unwrap();
        core.incarnation().end();
        let error = task.hands().err().unwrap();
        assert!(matches!(error, DriverError::LeaseLapsed), "{error}");
        task.node.last_error = Some(error.to_string());
        let story = task.story();
        assert_eq!(task.end(story).await, Err(Stop::LeaseLost));
        let row = store::node::find(&lab.db, id).await.unwrap().unwrap();
        assert_eq!(row.last_error, None);
        assert!(row.reservation.is_some(), "the next one finds it");
    }
}
