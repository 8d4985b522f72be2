//! Threads that own connections, and jobs for them.
//!
//! Database work is blocking code in closures; a closure runs on a thread that owns a connection,
//! never on the async runtime. That gives one code path for all engines and no `await` inside a
//! transaction. SQLite has one writer: it takes whatever is queued, runs each job in a savepoint of
//! its own and commits them together, so that many small writes share one flush to disk and every
//! answer still waits for its commit. A write that finds nobody writing may run on the caller's
//! thread ([`Pool::write_now`]).
//!
//! Short reads are the exception on SQLite: point reads and pages of few columns take microseconds
//! and run on the caller's thread (see docs/decisions/0001-rusqlite.md for what that saves). A page
//! that is not in the system's cache makes that thread wait for the disk, so the first read that
//! takes long sends those behind it to the readers' threads for a while.

use crate::{
    StoreError,
    conn::Conn,
    retry::Patience,
    stall::{Stall, Waiting},
};
use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::oneshot,
};

/// A transaction that is waiting for its turn, and then for its commit.
trait Transaction: Send {
    /// Runs the statements; may be called again when the transaction has to be repeated.
    fn run(&mut self, conn: &mut Conn) -> Result<(), StoreError>;
    /// Answers the caller, now that the outcome is known.
    fn finish(self: Box<Self>, outcome: Result<(), StoreError>);
}

struct Pending<T, F> {
    body: F,
    answer: Option<T>,
    send: oneshot::Sender<Result<T, StoreError>>,
    /// Until it is answered, whoever may have asked.
    _waiting: Waiting,
}

impl<T: Send, F: Fn(&mut Conn) -> Result<T, StoreError> + Send> Transaction for Pending<T, F> {
    fn run(&mut self, conn: &mut Conn) -> Result<(), StoreError> {
        self.answer = Some(guarded(|| (self.body)(conn))?);
        Ok(())
    }

    fn finish(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Pending { answer, send, .. } = *self;
        // The receiver is gone when the request was dropped: nobody misses the answer.
        let _ = send.send(outcome.and_then(|()| answer.ok_or(StoreError::Panicked)));
    }
}

type WriteJob = Box<dyn Transaction>;
type ReadJob = Box<dyn FnOnce(&mut Conn) + Send>;

/// How many queued writes share a commit at most.
const BATCH: usize = 128;

struct Queue<J> {
    state: Mutex<QueueState<J>>,
    ready: Condvar,
}

struct QueueState<J> {
    jobs: VecDeque<J>,
    is_closed: bool,
    /// Whether jobs were taken and not all of them are done; of one thread.
    is_busy: bool,
}

impl<J> Queue<J> {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(QueueState {
                jobs: VecDeque::new(),
                is_closed: false,
                is_busy: false,
            }),
            ready: Condvar::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<J>> {
        // Jobs run outside this lock, so a panic cannot leave the queue half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing waits and nothing is being done. For a queue that one thread takes from.
    fn is_idle(&self) -> bool {
        let state = self.lock();
        state.jobs.is_empty() && !state.is_busy
    }

    fn push(&self, job: J) {
        self.lock().jobs.push_back(job);
        self.ready.notify_one();
    }

    /// Waits for work; up to `most` jobs at once. Empty when the pool closes.
    fn take(&self, most: usize) -> Vec<J> {
        let mut state = self.lock();
        state.is_busy = false;
        while state.jobs.is_empty() {
            if state.is_closed {
                return Vec::new();
            }
            state = self
                .ready
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.is_busy = true;
        let count = state.jobs.len().min(most);
        state.jobs.drain(..count).collect()
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.ready.notify_all();
    }
}

/// Opens a connection, again after it was lost.
pub(crate) type Connect = Arc<dyn Fn() -> Result<Conn, StoreError> + Send + Sync>;

pub(crate) struct Pool {
    reads: Arc<Queue<ReadJob>>,
    writes: Arc<Queue<WriteJob>>,
    /// For reads on the caller's thread; SQLite only.
    inline: Option<Inline>,
    /// The connection of the one writer; SQLite only.
    writer: Option<Arc<Mutex<Conn>>>,
    pub(crate) stall: Arc<Stall>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// One writer that groups commits, some readers, and inline point reads.
    pub(crate) fn sqlite(
        writer: Conn,
        reader: Connect,
        readers: usize,
    ) -> Result<Self, StoreError> {
        let (reads, writes) = (Queue::<ReadJob>::new(), Queue::<WriteJob>::new());
        let mut threads = Vec::new();
        let writer = Arc::new(Mutex::new(writer));
        let (queue, conn) = (Arc::clone(&writes), Arc::clone(&writer));
        threads.push(spawn("db-writer", move || group_commits(&queue, &conn))?);
        for _ in 0..readers {
            let (queue, mut conn) = (Arc::clone(&reads), reader()?);
            threads.push(spawn("db-reader", move || {
                while let Some(job) = queue.take(1).pop() {
                    job(&mut conn);
                }
            })?);
        }
        Ok(Self {
            reads,
            writes,
            inline: Some(Inline::new(reader)),
            writer: Some(writer),
            stall: Stall::new(),
            threads,
        })
    }

    /// Connections to a server that each run one transaction at a time.
    pub(crate) fn server(connect: &Connect, size: usize) -> Result<Self, StoreError> {
        let (reads, writes) = (Queue::<ReadJob>::new(), Queue::<WriteJob>::new());
        let mut threads = Vec::new();
        for _ in 0..size {
            // Connecting here makes a wrong address fail the start, not the first request.
            let (queue, again, first) = (Arc::clone(&writes), Arc::clone(connect), connect()?);
            threads.push(spawn("db-write", move || {
                let mut conn = Some(first);
                while let Some(job) = queue.take(1).pop() {
                    run_alone(&mut conn, &again, job);
                }
            })?);
            let (queue, again, first) = (Arc::clone(&reads), Arc::clone(connect), connect()?);
            threads.push(spawn("db-read", move || {
                let mut conn = first;
                while let Some(job) = queue.take(1).pop() {
                    if conn.is_closed()
                        && let Ok(fresh) = again()
                    {
                        conn = fresh;
                    }
                    job(&mut conn);
                }
            })?);
        }
        Ok(Self {
            reads,
            writes,
            inline: None,
            writer: None,
            stall: Stall::new(),
            threads,
        })
    }

    /// Runs a query on a reader's thread.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (send, receive) = oneshot::channel();
        self.reads.push(Box::new(move |conn| {
            // The caller has given up; skip it for those behind it in the queue.
            if send.is_closed() {
                return;
            }
            // The receiver is gone when the request was dropped: nobody misses the answer.
            let _ = send.send(guarded(|| query(conn)));
        }));
        receive.await.map_err(|_| StoreError::Panicked)?
    }

    /// Runs a query that touches a handful of rows by index, or a page of few columns.
    pub(crate) async fn get<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match &self.inline {
            Some(inline) if !inline.is_slow() => inline.run(query),
            _ => self.read(query).await,
        }
    }

    /// A number that is another one as soon as anybody, this process or another, has committed
    /// something; `None` where the database does not tell, or takes long to.
    pub(crate) fn revision(&self) -> Option<i64> {
        self.inline.as_ref()?.revision()
    }

    /// Runs a transaction; the answer comes after its commit. The closure may run more than once,
    /// and is given nothing to remember the first time by. It is in the queue at once, so that what
    /// waits for the answer does not carry it along.
    pub(crate) fn write<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> {
        let (send, receive) = oneshot::channel();
        self.writes.push(Box::new(Pending {
            body,
            answer: None,
            send,
            _waiting: self.stall.wait(),
        }));
        async move { receive.await.map_err(|_| StoreError::Panicked)? }
    }

    /// As [`Pool::write`], for the write that a client waits for: if nobody else writes now, it is
    /// run on the caller's thread, which is spared waking two threads one after the other. Tasks that
    /// this thread would have run are left to another one meanwhile.
    pub(crate) fn write_now<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> {
        let (send, receive) = oneshot::channel();
        let job = Box::new(Pending {
            body,
            answer: None,
            send,
            _waiting: self.stall.wait(),
        });
        match self.free_writer() {
            Some(mut conn) => {
                tokio::task::block_in_place(|| commit_group(&mut conn, vec![job]));
            }
            None => self.writes.push(job),
        }
        async move { receive.await.map_err(|_| StoreError::Panicked)? }
    }

    /// The writer's connection, if nobody waits for it and this thread may block.
    fn free_writer(&self) -> Option<MutexGuard<'_, Conn>> {
        let writer = self.writer.as_ref()?;
        let runtime = Handle::try_current().ok()?;
        if runtime.runtime_flavor() != RuntimeFlavor::MultiThread || !self.writes.is_idle() {
            return None;
        }
        match writer.try_lock() {
            Ok(conn) => Some(conn),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.reads.close();
        self.writes.close();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Short reads on the thread of whoever asks.
struct Inline {
    connect: Connect,
    idle: Mutex<Vec<Conn>>,
    started: Instant,
    /// Until when reads go to the readers' threads, in milliseconds since the start.
    slow_until: AtomicU64,
    /// The connection that is asked whether anything was committed. Its answers can be compared
    /// with each other only, so it is always the same.
    watch: Mutex<Option<Conn>>,
}

/// A short read that took longer than this had to wait for the disk. Not less: on a busy machine a
/// thread waits for a core as long as some milliseconds.
const LONG: Duration = Duration::from_millis(20);
/// How long reads then go to the readers' threads. So a cold cache holds a thread of the runtime up
/// once in this time, and the rest of its pages is read elsewhere.
const SLOW_FOR: Duration = Duration::from_millis(250);

impl Inline {
    fn new(connect: Connect) -> Self {
        Self {
            connect,
            idle: Mutex::new(Vec::new()),
            started: Instant::now(),
            slow_until: AtomicU64::new(0),
            watch: Mutex::new(None),
        }
    }

    /// See [`Pool::revision`]. A connection that fails is given up, and its numbers with it.
    fn revision(&self) -> Option<i64> {
        if self.is_slow() {
            return None;
        }
        let mut slot = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        let conn = match &mut *slot {
            Some(conn) => conn,
            None => slot.insert((self.connect)().ok()?),
        };
        let number = guarded(|| conn.data_version()).ok().flatten();
        if number.is_none() {
            *slot = None;
        }
        number
    }

    fn is_slow(&self) -> bool {
        let until = self.slow_until.load(Ordering::Relaxed);
        until > 0 && self.started.elapsed() < Duration::from_millis(until)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Conn>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<T>(
        &self,
        query: impl FnOnce(&mut Conn) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let pooled = self.idle().pop();
        let mut conn = match pooled {
            Some(conn) => conn,
            None => (self.connect)()?,
        };
        let begun = Instant::now();
        let answer = guarded(|| query(&mut conn));
        if begun.elapsed() > LONG {
            let until = (self.started.elapsed() + SLOW_FOR).as_millis();
            let until = u64::try_from(until).unwrap_or(u64::MAX);
            self.slow_until.store(until, Ordering::Relaxed);
        }
        self.idle().push(conn);
        answer
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(run)
        .map_err(|error| StoreError::Unavailable(Box::new(error)))
}

fn guarded<T>(run: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(Err(StoreError::Panicked))
}

/// The writer's loop on SQLite.
fn group_commits(queue: &Queue<WriteJob>, conn: &Mutex<Conn>) {
    loop {
        let jobs = queue.take(BATCH);
        if jobs.is_empty() {
            return;
        }
        // Jobs cannot panic, and whatever was begun before is rolled back.
        let mut conn = conn.lock().unwrap_or_else(PoisonError::into_inner);
        commit_group(&mut conn, jobs);
    }
}

/// Runs jobs in one transaction, and answers them.
fn commit_group(conn: &mut Conn, jobs: Vec<WriteJob>) {
    let mut ran = Vec::with_capacity(jobs.len());
    let outcome = run_batch(conn, jobs, &mut ran);
    if let Err(error) = &outcome {
        tracing::warn!(error = %types::error::chain(error), "group commit failed: rolled back all writes of the group");
        // Without this a failed commit would leave the transaction open for the next batch.
        let _ = conn.batch("ROLLBACK");
    }
    for (job, own) in ran {
        let group = outcome.as_ref().map(|_| ()).map_err(rolled_back);
        job.finish(own.and(group));
    }
}

/// Runs jobs in one transaction, a savepoint each. Jobs that failed are undone alone; an error
/// means that the whole transaction is void.
fn run_batch(
    conn: &mut Conn,
    jobs: Vec<WriteJob>,
    ran: &mut Vec<(WriteJob, Result<(), StoreError>)>,
) -> Result<(), StoreError> {
    let begun = word(conn, "BEGIN IMMEDIATE");
    // A job that is alone needs no savepoint: the transaction is its own.
    if let ([_], Ok(())) = (jobs.as_slice(), &begun) {
        for mut job in jobs {
            let own = job.run(conn);
            let end = if own.is_ok() { "COMMIT" } else { "ROLLBACK" };
            ran.push((job, own));
            word(conn, end)?;
        }
        return Ok(());
    }
    let mut state = begun;
    for mut job in jobs {
        if state.is_err() {
            // Not started: it shares the group's error.
            ran.push((job, Ok(())));
            continue;
        }
        state = word(conn, "SAVEPOINT job");
        let own = if state.is_ok() { job.run(conn) } else { Ok(()) };
        if state.is_ok() {
            state = match own {
                Ok(()) => word(conn, "RELEASE job"),
                Err(_) => conn.batch("ROLLBACK TO job; RELEASE job"),
            };
        }
        ran.push((job, own));
    }
    state?;
    word(conn, "COMMIT")
}

/// Runs a statement about the transaction, prepared once.
fn word(conn: &mut Conn, sql: &str) -> Result<(), StoreError> {
    conn.execute(sql, &[]).map(|_| ())
}

fn rolled_back(error: &StoreError) -> StoreError {
    StoreError::Unavailable(types::error::chain(error).into())
}

/// One transaction on a connection of its own, repeated when it lost against another one, and once
/// when the connection was lost under it.
///
/// A commit that was asked for and never answered may have happened or not. It is not repeated; the
/// caller learns that the database is not reachable, and finds out by reading.
fn run_alone(slot: &mut Option<Conn>, connect: &Connect, mut job: WriteJob) {
    let mut patience = Patience::new();
    let mut reconnected = false;
    let outcome = loop {
        let (stage, error) = match run_once(slot, connect, &mut job) {
            Ok(()) => break Ok(()),
            Err(failed) => failed,
        };
        if error.is_retryable() {
            if !patience.wait() {
                break Err(error.into_unavailable());
            }
        } else {
            let lost = stage == Stage::Open && error.is_loss();
            if !lost || std::mem::replace(&mut reconnected, true) {
                break Err(error);
            }
        }
        tracing::debug!(error = %types::error::chain(&error), "retrying a transaction");
    };
    job.finish(outcome);
}

/// How far a transaction came that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// There is no connection.
    Connect,
    /// The commit was not sent yet: safe to retry.
    Open,
    Commit,
}

fn run_once(
    slot: &mut Option<Conn>,
    connect: &Connect,
    job: &mut WriteJob,
) -> Result<(), (Stage, StoreError)> {
    if slot.as_mut().is_none_or(Conn::is_closed) {
        *slot = None;
    }
    let conn = match slot {
        Some(conn) => conn,
        None => slot.insert(connect().map_err(|error| (Stage::Connect, error))?),
    };
    let open = conn.batch("BEGIN").and_then(|()| job.run(conn));
    let failed = match open {
        Ok(()) => match conn.batch("COMMIT") {
            Ok(()) => return Ok(()),
            Err(error) => (Stage::Commit, error),
        },
        Err(error) => (Stage::Open, error),
    };
    if failed.1.is_loss() || conn.batch("ROLLBACK").is_err() {
        // The connection is in an unknown state; the next job gets a fresh one.
        *slot = None;
    }
    Err(failed)
}

#[cfg(test)]
mod tests {
    use crate::{Db, KeyRing, Location, Page, StoreError, Upgrade, node};
    use std::path::Path;
    use types::{Node, NodeId};

    fn open(folder: &Path) -> Db {
        let location = Location::Sqlite(folder.join("db"));
        Db::open(&location, KeyRing::ephemeral().unwrap(), Upgrade::Run).unwrap()
    }

    fn named(number: usize) -> Node {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some(format!("node-{number}"));
        node
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn writes_on_any_thread_are_one_after_the_other_and_fail_alone() {
        let folder = tempfile::tempdir().unwrap();
        let db = open(folder.path());
        let mut writing = tokio::task::JoinSet::new();
        for number in 0..200 {
            let db = db.clone();
            // Every name is wanted by two of them.
            writing.spawn(async move {
                node::insert(&db, named(number / 2), node::Log::default()).await
            });
        }
        let mut taken = 0;
        while let Some(outcome) = writing.join_next().await {
            match outcome.unwrap() {
                Ok(_) => {}
                Err(StoreError::Duplicate(_)) => taken += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(taken, 100);
        let all = node::NodeFilter::all();
        let nodes = node::list(&db, all, Page::first(1000), node::Columns::Full);
        assert_eq!(nodes.await.unwrap().len(), 100);
    }

    #[tokio::test]
    async fn the_revision_changes_with_every_commit_of_anybody() {
        let folder = tempfile::tempdir().unwrap();
        let (db, other) = (open(folder.path()), open(folder.path()));
        let mut last = db.revision().unwrap();
        for (number, writer) in [&db, &other, &db].into_iter().enumerate() {
            assert_eq!(db.revision(), Some(last));
            node::insert(writer, named(number), node::Log::default())
                .await
                .unwrap();
            let now = db.revision().unwrap();
            assert_ne!(now, last);
            last = now;
        }
    }
}
