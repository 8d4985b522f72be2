//! The conversation with one process: calls go out, answers come in, in any order.
//!
//! Whatever the process does, no caller waits longer than its deadline, no call is answered twice,
//! and what is kept of what it says is bounded: lines in length, nonsense in number, errors in size.
//! A process that breaks these rules is killed.

use super::{
    process::{Process, Streams},
    redact::Secrets,
};
use proto::driver::{self, Answer, LONGEST_LINE, Lines, Refusal};
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe,
    sync::{mpsc, oneshot},
    time::{Instant, timeout},
};
use types::JsonMap;

/// How many lines that make no sense a process may say in its life.
const MOST_NONSENSE: usize = 100;
/// How many lines may wait for the process to read them.
const MOST_WAITING: usize = 1024;
/// How large all of them may be together; one that is alone may be larger.
const MOST_WAITING_BYTES: usize = 8 << 20;
/// Lines that are no longer do not count: they are those that say that a call is cancelled, or that ask
/// whether anybody is there.
const SHORT: usize = 256;
/// How many calls that nobody waits for any more may still be answered.
const MOST_CANCELLED: usize = 4096;
/// How long a process that did not answer a call may take to say that it is there.
const PROBE: Duration = Duration::from_secs(5);
/// How long it may take until the end of a process that closed its output is known.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Longest line of the error output that is kept.
const LONGEST_REMARK: usize = 2000;
/// How many of those go into the log in a while.
const MOST_REMARKS: u32 = 50;
const WHILE: Duration = Duration::from_secs(10);

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Silence {
    /// The process is gone.
    #[error("{0}")]
    Ended(Arc<str>),
    #[error("it did not answer within {} s", .0.as_secs_f32())]
    Deadline(Duration),
    #[error("it does not read what it is told")]
    Deaf,
}

pub(super) type Outcome = Result<JsonMap, Refusal>;

#[derive(Debug)]
pub(super) struct Link {
    out: Queue,
    calls: Arc<Calls>,
    next: AtomicU64,
    is_probed: AtomicBool,
    process: Arc<Process>,
    pub(super) born: Instant,
}

/// The calls under way.
#[derive(Debug, Default)]
struct Calls(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    waiting: HashMap<u64, oneshot::Sender<Outcome>>,
    cancelled: VecDeque<u64>,
    ended: Option<(Arc<str>, Instant)>,
}

impl Calls {
    /// No code panics while it holds this.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, id: u64) -> Result<oneshot::Receiver<Outcome>, Silence> {
        let (answer, answered) = oneshot::channel();
        let mut table = self.table();
        if let Some((why, _)) = &table.ended {
            return Err(Silence::Ended(Arc::clone(why)));
        }
        table.waiting.insert(id, answer);
        Ok(answered)
    }

    /// Nobody waits for it any more; false if it was answered.
    fn cancel(&self, id: u64) -> bool {
        let mut table = self.table();
        let is_open = table.waiting.remove(&id).is_some();
        if is_open {
            table.cancelled.push_back(id);
            if table.cancelled.len() > MOST_CANCELLED {
                table.cancelled.pop_front();
            }
        }
        is_open
    }

    /// Hands an answer over; false if nobody asked.
    fn answer(&self, answer: Answer) -> bool {
        let mut table = self.table();
        if let Some(waiting) = table.waiting.remove(&answer.id) {
            let _ = waiting.send(answer.outcome);
            return true;
        }
        let known = table.cancelled.iter().position(|id| *id == answer.id);
        match known {
            Some(at) => table.cancelled.remove(at).is_some(),
            None => false,
        }
    }

    fn end(&self, why: &str) {
        let mut table = self.table();
        table.ended.get_or_insert((why.into(), Instant::now()));
        // Their receivers learn that nothing will come.
        table.waiting.clear();
    }

    fn ended(&self) -> Option<(Arc<str>, Instant)> {
        self.table().ended.clone()
    }
}

impl Link {
    /// Takes up the conversation with a process that was just started.
    pub(super) fn open(
        name: &str,
        process: Process,
        streams: Streams,
        secrets: Arc<Secrets>,
    ) -> std::io::Result<Arc<Self>> {
        let to = pipe::Sender::from_owned_fd(streams.stdin)?;
        let from = pipe::Receiver::from_owned_fd(streams.stdout)?;
        let remarks = pipe::Receiver::from_owned_fd(streams.stderr)?;
        let calls = Arc::new(Calls::default());
        let process = Arc::new(process);
        let (out, lines) = Queue::new();
        tokio::spawn(write(to, lines, Arc::clone(&out.bytes)));
        let heard = Listener {
            name: name.to_owned(),
            calls: Arc::clone(&calls),
            secrets: Arc::clone(&secrets),
        };
        tokio::spawn(heard.listen(from, Arc::downgrade(&process)));
        tokio::spawn(log(name.to_owned(), remarks, secrets));
        Ok(Arc::new(Self {
            out,
            calls,
            next: AtomicU64::new(1),
            is_probed: AtomicBool::new(false),
            process,
            born: Instant::now(),
        }))
    }

    /// Why and when it ended, if it has.
    pub(super) fn ended(&self) -> Option<(Arc<str>, Instant)> {
        self.calls.ended()
    }

    pub(super) fn process(&self) -> &Process {
        &self.process
    }

    /// Says what is no call; an empty line closes the input.
    pub(super) fn say(&self, line: &[u8]) {
        self.out.add(line.to_vec());
    }

    /// Asks, and waits for the answer.
    pub(super) async fn call(
        self: &Arc<Self>,
        method: &str,
        params: &JsonMap,
        within: Duration,
    ) -> Result<Outcome, Silence> {
        let outcome = self.ask(method, params, within).await;
        if matches!(outcome, Err(Silence::Deadline(_) | Silence::Deaf)) {
            self.probe();
        }
        outcome
    }

    async fn ask(
        &self,
        method: &str,
        params: &JsonMap,
        within: Duration,
    ) -> Result<Outcome, Silence> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let answered = self.calls.open(id)?;
        let open = Open { link: self, id };
        let line = driver::call(id, method, params);
        if !self.out.add(line) {
            return Err(self.silence());
        }
        let outcome = timeout(within, answered).await;
        drop(open);
        match outcome {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(_)) => Err(self.silence()),
            Err(_) => Err(Silence::Deadline(within)),
        }
    }

    fn silence(&self) -> Silence {
        match self.ended() {
            Some((why, _)) => Silence::Ended(why),
            None => Silence::Deaf,
        }
    }

    /// Kills a process that has stopped listening; one that only takes long is left alone.
    fn probe(self: &Arc<Self>) {
        if self.is_probed.swap(true, Ordering::Relaxed) {
            return;
        }
        let link = Arc::clone(self);
        tokio::spawn(async move {
            let there = link.ask(driver::PING, &JsonMap::new(), PROBE).await;
            if there.is_err() {
                link.calls.end("it hung and was killed");
                link.process.kill();
            }
            link.is_probed.store(false, Ordering::Relaxed);
        });
    }
}

/// Lines that the process has not read yet.
#[derive(Debug)]
struct Queue {
    lines: mpsc::Sender<Vec<u8>>,
    /// How long those are that count.
    bytes: Arc<AtomicUsize>,
}

impl Queue {
    fn new() -> (Self, mpsc::Receiver<Vec<u8>>) {
        let (lines, waiting) = mpsc::channel(MOST_WAITING);
        let bytes = Arc::default();
        (Self { lines, bytes }, waiting)
    }

    /// Whether there was room for it.
    fn add(&self, line: Vec<u8>) -> bool {
        let Ok(place) = self.lines.try_reserve() else {
            return false;
        };
        let added = counted(&line);
        let before = self.bytes.fetch_add(added, Ordering::Relaxed);
        let fits = added == 0 || before == 0 || before + added <= MOST_WAITING_BYTES;
        match fits {
            true => place.send(line),
            false => {
                self.bytes.fetch_sub(added, Ordering::Relaxed);
            }
        }
        fits
    }
}

/// How much of the room for lines one takes.
fn counted(line: &[u8]) -> usize {
    if line.len() > SHORT { line.len() } else { 0 }
}

/// A call that is cancelled if its caller goes away.
struct Open<'l> {
    link: &'l Link,
    id: u64,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if self.link.calls.cancel(self.id) {
            self.link.out.add(driver::cancel(self.id));
        }
    }
}

/// Passes lines on as fast as the process reads them.
async fn write(mut to: pipe::Sender, mut lines: mpsc::Receiver<Vec<u8>>, bytes: Arc<AtomicUsize>) {
    while let Some(line) = lines.recv().await {
        if line.is_empty() || to.write_all(&line).await.is_err() {
            return;
        }
        bytes.fetch_sub(counted(&line), Ordering::Relaxed);
    }
}

struct Listener {
    name: String,
    calls: Arc<Calls>,
    secrets: Arc<Secrets>,
}

impl Listener {
    async fn listen(self, mut from: pipe::Receiver, process: std::sync::Weak<Process>) {
        let mut why = self.until_it_fails(&mut from).await;
        let Some(process) = process.upgrade() else {
            return self.calls.end("it was stopped");
        };
        if why.is_none() {
            let ended = timeout(LAST_WORDS, process.ended()).await;
            why = Some(match ended {
                Ok(Some(status)) => format!("it ended: {status}"),
                _ => "it closed its output".to_owned(),
            });
        }
        let why = why.unwrap_or_default();
        self.calls.end(&why);
        process.kill();
        tracing::warn!(
            driver = self.name,
            "the driver is not there any more: {why}"
        );
    }

    /// Reads until there is nothing more, or nothing of use; why, in the latter case.
    async fn until_it_fails(&self, from: &mut pipe::Receiver) -> Option<String> {
        let mut lines = Lines::new(LONGEST_LINE);
        let mut piece = vec![0; 16 << 10];
        let mut nonsense = 0;
        loop {
            let read = match from.read(&mut piece).await {
                Ok(0) => return None,
                Ok(read) => read,
                Err(error) => return Some(format!("its output cannot be read: {error}")),
            };
            let mut is_too_long = false;
            lines.feed(&piece[..read], |line, cut| {
                is_too_long |= cut;
                if !cut && !self.takes(line) {
                    nonsense += 1;
                }
            });
            if is_too_long || lines.is_too_long() {
                return Some(format!(
                    "it said a line of more than {} KiB and was killed",
                    LONGEST_LINE >> 10
                ));
            }
            if nonsense > MOST_NONSENSE {
                return Some(format!(
                    "it said more than {MOST_NONSENSE} lines that are no answers and was killed"
                ));
            }
        }
    }

    fn takes(&self, line: &[u8]) -> bool {
        let why = match Answer::parse(line) {
            Ok(answer) => {
                let id = answer.id;
                if self.calls.answer(answer) {
                    return true;
                }
                format!("nobody asked for an answer to call {id}")
            }
            Err(error) => error.to_string(),
        };
        let said = driver::plain(&String::from_utf8_lossy(line), 200);
        let said = self.secrets.blot(&said);
        tracing::debug!(
            driver = self.name,
            "a line of the driver is no answer: {why}: {said}"
        );
        false
    }
}

/// Puts what a process says on its error output into the log, as far as there is not too much of it.
async fn log(name: String, mut from: pipe::Receiver, secrets: Arc<Secrets>) {
    let mut lines = Lines::new(LONGEST_REMARK);
    let mut piece = vec![0; 4 << 10];
    let (mut since, mut said, mut dropped) = (Instant::now(), 0, 0_u64);
    loop {
        let read = match from.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(read) => read,
        };
        if since.elapsed() > WHILE {
            if dropped > 0 {
                tracing::warn!(
                    driver = name,
                    "left out {dropped} lines of the driver's log"
                );
            }
            (since, said, dropped) = (Instant::now(), 0, 0);
        }
        lines.feed(&piece[..read], |line, cut| {
            said += 1;
            if said > MOST_REMARKS {
                dropped += 1;
                return;
            }
            let text = driver::plain(&String::from_utf8_lossy(line), LONGEST_REMARK);
            let text = secrets.blot(&text);
            let end = if cut { "…" } else { "" };
            tracing::info!(driver = name, "{text}{end}");
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_in_number_and_in_bytes() {
        let (queue, mut waiting) = Queue::new();
        // Alone it may be of any length.
        assert!(queue.add(vec![b'x'; 2 * MOST_WAITING_BYTES]));
        assert!(!queue.add(vec![b'x'; SHORT + 1]));
        assert!(queue.add(vec![b'x'; SHORT]));
        let written = waiting.try_recv().unwrap();
        queue.bytes.fetch_sub(counted(&written), Ordering::Relaxed);
        let half = MOST_WAITING_BYTES / 2;
        assert!(queue.add(vec![b'x'; half]) && queue.add(vec![b'x'; half]));
        assert!(!queue.add(vec![b'x'; SHORT + 1]));
        while queue.add(driver::cancel(1)) {}
        assert_eq!(waiting.len(), MOST_WAITING);
    }
}
