//! The task that keeps a session: it sends commands as the target takes them, restores a session
//! that was lost, and sends again what was not answered.
//!
//! A lost session is replaced by a login with the same ISID, which makes the target drop what is
//! left of the old one (RFC 7143 §6.3.5) before it executes anything of the new one. Commands that
//! can be repeated without harm are then sent again, after a reservation that was held was taken up
//! ([`super::held`]). Whoever ends the session does not wait for a lost one: nothing of it is restored
//! then.

use super::{
    InitiatorSettings, IscsiError,
    held::Held,
    link::{Link, Progress, new_isid},
};
use bytes::{Bytes, BytesMut};
use proto::iscsi::{
    initiator::{Command, Event, Payload},
    scsi::{Sense, status},
};
use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep, sleep_until, timeout},
};
use tracing::{debug, warn};

/// How often a command is repeated that met a unit attention. Targets queue several.
pub(super) const ATTENTIONS: u32 = 8;

/// How long a busy target is left alone.
const BUSY: Duration = Duration::from_millis(100);

/// Pauses between logins: from the first to the second, doubled each time.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// What a command returned.
#[derive(Debug, Clone)]
pub(super) struct Completed {
    pub(super) data: Bytes,
}

type Reply = oneshot::Sender<Result<Completed, IscsiError>>;

/// A command that waits for its answer.
#[derive(Debug)]
struct Pending {
    command: Command,
    name: &'static str,
    /// Whether it may be sent again after the session was lost.
    repeatable: bool,
    deadline: Instant,
    attentions: u32,
    not_before: Option<Instant>,
    data: BytesMut,
    reply: Reply,
}

/// Told how the logout went.
type Farewell = oneshot::Sender<Result<(), IscsiError>>;

/// The handle of the task. The session ends when it is gone.
#[derive(Debug)]
pub(super) struct Client {
    requests: mpsc::Sender<Box<Pending>>,
    farewells: mpsc::Sender<Farewell>,
    abandoned: watch::Sender<bool>,
    held: watch::Sender<Option<Held>>,
    timeout: Duration,
    /// How long the end of the session may take.
    pub(super) patience: Duration,
}

impl Client {
    /// Logs in.
    pub(super) async fn connect(settings: InitiatorSettings) -> Result<Self, IscsiError> {
        let isid = new_isid()?;
        let link = Link::open(&settings, isid, false).await?;
        let (requests, inbox) = mpsc::channel(settings.queue_depth.max(1));
        let (farewells, leave) = mpsc::channel(1);
        let (abandoned, is_abandoned) = watch::channel(false);
        let (held, holds) = watch::channel(None);
        let (timeout, patience) = (settings.timeouts.command, settings.timeouts.login);
        let keeper = Keeper {
            settings,
            isid,
            holds,
            inbox,
            queue: VecDeque::new(),
            running: BTreeMap::new(),
        };
        tokio::spawn(keeper.run(link, leave, is_abandoned));
        Ok(Self {
            requests,
            farewells,
            abandoned,
            held,
            timeout,
            patience,
        })
    }

    /// Sends a command and waits for its end. `name` is what errors call it.
    pub(super) async fn send(
        &self,
        command: Command,
        name: &'static str,
        repeatable: bool,
    ) -> Result<Completed, IscsiError> {
        let (reply, answer) = oneshot::channel();
        let pending = Pending {
            command,
            name,
            repeatable,
            deadline: Instant::now() + self.timeout,
            attentions: 0,
            not_before: None,
            data: BytesMut::new(),
            reply,
        };
        let sent = self.requests.send(Box::new(pending)).await;
        sent.map_err(|_| IscsiError::LoggedOut)?;
        answer.await.unwrap_or(Err(IscsiError::LoggedOut))
    }

    /// Ends the session. Commands that are under way fail. A session that is lost is not restored
    /// for it, and a target that does not answer is left after the time that a login may take.
    pub(super) async fn logout(&self) -> Result<(), IscsiError> {
        let (reply, answer) = oneshot::channel();
        let leaving = async {
            let sent = self.farewells.send(reply).await;
            sent.map_err(|_| IscsiError::LoggedOut)?;
            answer.await.unwrap_or(Err(IscsiError::LoggedOut))
        };
        let left = timeout(self.patience, leaving).await;
        left.unwrap_or_else(|_| {
            self.abandon();
            Err(IscsiError::Timeout)
        })
    }

    /// What every session from here on has to hold before it writes.
    pub(super) fn hold(&self, held: Option<Held>) {
        self.held.send_replace(held);
    }

    /// Hangs up at once: nothing is sent any more, and commands that are under way fail.
    pub(super) fn abandon(&self) {
        self.abandoned.send_replace(true);
    }
}

struct Keeper {
    settings: InitiatorSettings,
    isid: [u8; 6],
    holds: watch::Receiver<Option<Held>>,
    inbox: mpsc::Receiver<Box<Pending>>,
    queue: VecDeque<Box<Pending>>,
    /// By task tag, which grows with each command.
    running: BTreeMap<u32, Box<Pending>>,
}

/// Why a session ended.
enum End {
    LoggedOut,
    Broken(IscsiError),
}

impl Keeper {
    async fn run(
        mut self,
        link: Link,
        leave: mpsc::Receiver<Farewell>,
        is_abandoned: watch::Receiver<bool>,
    ) {
        let end = tokio::select! {
            biased;
            () = becomes_true(is_abandoned) => IscsiError::LoggedOut,
            end = self.keep(link, leave) => end,
        };
        self.fail_all(&end);
    }

    /// Returns why the session is over for good.
    async fn keep(&mut self, mut link: Link, mut leave: mpsc::Receiver<Farewell>) -> IscsiError {
        loop {
            let error = match self.serve(&mut link, &mut leave).await {
                End::LoggedOut => return IscsiError::LoggedOut,
                End::Broken(error) => error,
            };
            drop(link);
            warn!(target = self.settings.target, error = %types::error::chain(&error), "an iSCSI session was lost");
            self.requeue();
            let restored = tokio::select! {
                restored = self.restore(error) => restored,
                // There is nobody to say goodbye to.
                Some(_) = leave.recv() => return IscsiError::LoggedOut,
            };
            match restored {
                Ok(restored) => link = restored,
                Err(error) => return error,
            }
        }
    }

    /// Takes back what was sent and not answered, in its order.
    fn requeue(&mut self) {
        let running = std::mem::take(&mut self.running);
        for mut pending in running.into_values().rev() {
            if pending.repeatable {
                pending.data.clear();
                self.queue.push_front(pending);
            } else {
                let name = pending.name;
                pending.finish(Err(IscsiError::Interrupted(name)));
            }
        }
    }

    async fn restore(&mut self, mut last: IscsiError) -> Result<Link, IscsiError> {
        let deadline = Instant::now() + self.settings.timeouts.recovery;
        let (mut pause, longest) = PAUSES;
        loop {
            if self.queue.is_empty() && self.inbox.is_closed() && self.inbox.is_empty() {
                return Err(last);
            }
            match self.reopen().await {
                Ok(link) => {
                    debug!(
                        target = self.settings.target,
                        "an iSCSI session was restored"
                    );
                    return Ok(link);
                }
                Err(error) if error.is_transient() && Instant::now() + pause < deadline => {
                    last = error;
                }
                Err(error) => return Err(error),
            }
            sleep(pause).await;
            pause = (pause * 2).min(longest);
            self.fail_late();
        }
    }

    async fn reopen(&self) -> Result<Link, IscsiError> {
        let mut link = Link::open(&self.settings, self.isid, false).await?;
        let held = *self.holds.borrow();
        if let Some(held) = held {
            let patience = self.settings.timeouts.login;
            held.take_up(&mut link, patience).await?;
        }
        Ok(link)
    }

    fn fail_all(&mut self, error: &IscsiError) {
        self.inbox.close();
        let running = std::mem::take(&mut self.running).into_values();
        for pending in self.queue.drain(..).chain(running) {
            pending.finish(Err(error.clone()));
        }
        while let Ok(pending) = self.inbox.try_recv() {
            pending.finish(Err(error.clone()));
        }
    }

    /// Fails commands in the queue whose time is over.
    fn fail_late(&mut self) {
        let now = Instant::now();
        let queue = std::mem::take(&mut self.queue);
        for pending in queue {
            if pending.deadline <= now {
                pending.finish(Err(IscsiError::Timeout));
            } else {
                self.queue.push_back(pending);
            }
        }
    }

    async fn serve(&mut self, link: &mut Link, leave: &mut mpsc::Receiver<Farewell>) -> End {
        let mut leaving = false;
        match self.try_serve(link, leave, &mut leaving).await {
            Ok(end) => end,
            // Nobody wants it back.
            Err(_) if leaving => End::LoggedOut,
            Err(error) => End::Broken(error),
        }
    }

    async fn try_serve(
        &mut self,
        link: &mut Link,
        leave: &mut mpsc::Receiver<Farewell>,
        leaving: &mut bool,
    ) -> Result<End, IscsiError> {
        let silence = self.settings.timeouts.silence;
        let depth = self.settings.queue_depth.max(1);
        let mut silent_at = Instant::now() + silence;
        let mut pinged = false;
        let mut farewell: Option<Farewell> = None;
        loop {
            while let Some(event) = link.session.event() {
                if self.handle(event)? {
                    if let Some(reply) = farewell.take() {
                        let _ = reply.send(Ok(()));
                    }
                    return Ok(End::LoggedOut);
                }
            }
            if !*leaving {
                self.start(link);
            }
            let late = self.next_deadline();
            let wake = self.queue.iter().filter_map(|one| one.not_before).min();
            let busy = self.queue.len() + self.running.len();
            tokio::select! {
                progress = link.progress() => {
                    if let Progress::Received = progress? {
                        (silent_at, pinged) = (Instant::now() + silence, false);
                    }
                }
                request = self.inbox.recv(), if busy < depth && !*leaving => match request {
                    Some(pending) => self.queue.push_back(pending),
                    None => {
                        *leaving = true;
                        link.session.logout();
                    }
                },
                Some(reply) = leave.recv(), if !*leaving => {
                    *leaving = true;
                    farewell = Some(reply);
                    link.session.logout();
                }
                () = sleep_until(silent_at) => {
                    if pinged {
                        return Err(IscsiError::Silent);
                    }
                    (silent_at, pinged) = (Instant::now() + silence, true);
                    link.session.ping();
                }
                () = sleep_until(late.unwrap_or(silent_at)), if late.is_some() => {
                    self.fail_late();
                    // The target may still work on a command that we gave up; a new session ends
                    // that.
                    if self.fail_late_running() {
                        return Err(IscsiError::Timeout);
                    }
                }
                () = sleep_until(wake.unwrap_or(silent_at)), if wake.is_some() => {}
            }
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        let waiting = self.queue.iter().chain(self.running.values());
        waiting.map(|pending| pending.deadline).min()
    }

    fn fail_late_running(&mut self) -> bool {
        let now = Instant::now();
        let late = self.running.iter().filter(|(_, one)| one.deadline <= now);
        let late: Vec<u32> = late.map(|(task, _)| *task).collect();
        for task in &late {
            if let Some(pending) = self.running.remove(task) {
                pending.finish(Err(IscsiError::Timeout));
            }
        }
        !late.is_empty()
    }

    /// Sends commands while the target takes them.
    fn start(&mut self, link: &mut Link) {
        let now = Instant::now();
        let mut later = VecDeque::new();
        while link.session.has_room()
            && let Some(mut pending) = self.queue.pop_front()
        {
            if pending.not_before.is_some_and(|at| at > now) {
                later.push_back(pending);
                continue;
            }
            pending.not_before = None;
            let task = link.session.submit(pending.command.clone());
            self.running.insert(task, pending);
        }
        later.append(&mut self.queue);
        self.queue = later;
    }

    /// Whether the session ended.
    fn handle(&mut self, event: Event) -> Result<bool, IscsiError> {
        match event {
            Event::Data { task, data, .. } => {
                if let Some(pending) = self.running.get_mut(&task) {
                    pending.take_data(data);
                }
            }
            Event::Done {
                task,
                status,
                sense,
                ..
            } => {
                if let Some(pending) = self.running.remove(&task) {
                    self.finish(pending, status, sense);
                }
            }
            Event::Rejected { task, reason } => {
                if let Some(pending) = self.running.remove(&task) {
                    pending.finish(Err(IscsiError::Rejected(reason)));
                }
            }
            Event::LogoutRequested => return Err(IscsiError::LoggedOut),
            Event::LoggedOut => return Ok(true),
            Event::Text(_) | Event::Pong | Event::Managed { .. } => {}
        }
        Ok(false)
    }

    fn finish(&mut self, mut pending: Box<Pending>, status: u8, sense: Option<Sense>) {
        let command = pending.name;
        let result = match (status, sense) {
            (status::GOOD, _) => {
                let data = std::mem::take(&mut pending.data).freeze();
                Ok(Completed { data })
            }
            (status::CHECK_CONDITION, Some(sense))
                if sense.is_unit_attention() && pending.attentions < ATTENTIONS =>
            {
                // It was told now, and is not told again (SAM-5 §5.14).
                pending.attentions += 1;
                pending.data.clear();
                return self.queue.push_front(pending);
            }
            (status::BUSY | status::TASK_SET_FULL, _) => {
                pending.not_before = Some(Instant::now() + BUSY);
                pending.data.clear();
                return self.queue.push_back(pending);
            }
            other => Err(IscsiError::refusal(command, other)),
        };
        pending.finish(result);
    }
}

/// Never returns where nobody can say so any more.
async fn becomes_true(mut value: watch::Receiver<bool>) {
    if value.wait_for(|value| *value).await.is_err() {
        std::future::pending::<()>().await;
    }
}

impl Pending {
    /// Data comes in order, so it is appended.
    fn take_data(&mut self, data: Bytes) {
        if self.data.is_empty()
            && let Payload::Read(room) = self.command.payload
        {
            self.data.reserve(room as usize);
        }
        self.data.extend_from_slice(&data);
    }

    fn finish(self, result: Result<Completed, IscsiError>) {
        // Nobody may be waiting any more.
        let _ = self.reply.send(result);
    }
}
