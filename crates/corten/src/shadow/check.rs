//! Decides which differences count.
//!
//! A copy is always a little older than what it is of. So an answer that differs is asked for again, of
//! both, after the next import: Ironic's row was the same before that import began and after it was
//! served, so the import has seen it so, and what still differs is wrong here. It counts when that was
//! found twice. A row that Ironic changed meanwhile begins anew; an answer all of whose rows caught up, or
//! changed each time, was newer than the copy.

use super::{
    difference::{self, Answer, Difference},
    request::{Read, Verb},
    sides::{Here, Ironic, NoAnswer, Taken},
    tally::{Skipped, Tally, Verdict},
};
use std::{
    collections::{BTreeMap, HashSet},
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// So many answers wait to be looked at again; others are not compared.
const MOST_SUSPECTS: usize = 500;
/// How often a difference is found again before it counts.
const CONFIRMATIONS: u32 = 2;
/// How often an answer is asked for again before its rows are taken for restless.
const MOST_ROUNDS: u32 = 8;

/// What both sides say of a row.
type Rows = BTreeMap<String, (u64, u64)>;

/// An answer that differs.
#[derive(Debug)]
struct Suspect {
    read: Read,
    /// The version that this service is asked in.
    version: Option<String>,
    /// The import that it is looked at again after.
    import: u64,
    rows: Rows,
    confirmed: u32,
    rounds: u32,
}

/// What is compared with what.
#[derive(Debug)]
pub(crate) struct Checker {
    pub(crate) ironic: Ironic,
    pub(crate) here: Here,
    pub(crate) tally: Arc<Tally>,
    /// How many imports have begun.
    begun: AtomicU64,
    suspects: Mutex<Vec<Suspect>>,
    /// Rows that the import could not take as they are.
    damaged: Mutex<Arc<HashSet<String>>>,
}

impl Checker {
    pub(crate) fn new(ironic: Ironic, here: Here, tally: Arc<Tally>) -> Self {
        Self {
            ironic,
            here,
            tally,
            begun: AtomicU64::new(0),
            suspects: Mutex::default(),
            damaged: Mutex::default(),
        }
    }

    fn suspects(&self) -> MutexGuard<'_, Vec<Suspect>> {
        self.suspects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an import is needed although nothing seems to have changed.
    pub(crate) fn has_suspects(&self) -> bool {
        !self.suspects().is_empty()
    }

    /// An import begins; its number.
    pub(crate) fn begin_import(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Which rows the newest import has changed on the way.
    pub(crate) fn set_damaged(&self, rows: HashSet<String>) {
        let mut damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        *damaged = Arc::new(rows);
    }

    fn between(&self, ironic: &Answer, here: &Answer) -> Vec<Difference> {
        let damaged = self.damaged.lock().unwrap_or_else(PoisonError::into_inner);
        let damaged = Arc::clone(&damaged);
        difference::between(ironic, here, &|row| damaged.contains(row))
    }

    /// Asks both.
    pub(crate) async fn ask(&self, read: Read) {
        match self.ironic.ask(&read).await {
            Ok(taken) => self.compare(read, &taken).await,
            Err(error) => self.no_answer(error),
        }
    }

    fn no_answer(&self, error: NoAnswer) {
        let why = match error {
            NoAnswer::Unreachable => Skipped::NoAnswer,
            NoAnswer::TooLarge => Skipped::TooLarge,
        };
        self.tally.skipped(why, 1);
    }

    /// Asks this service for what Ironic has answered.
    pub(crate) async fn compare(&self, read: Read, taken: &Taken) {
        if is_passing(taken.status) {
            return self.tally.skipped(Skipped::NoAnswer, 1);
        }
        let version = taken.version(&read);
        let here = match self.here.ask(&read, version.as_deref()).await {
            Ok(here) => here,
            Err(error) => return self.no_answer(error),
        };
        let (ironic, here) = match self.sides(&read, taken, here) {
            Ok(sides) => sides,
            Err(error) => return self.no_answer(error),
        };
        let found = self.between(&ironic, &here);
        let rows = rows(&found, &ironic, &here);
        if rows.is_empty() {
            let verdict = match found.is_empty() {
                true => Verdict::Same,
                false => Verdict::Explained,
            };
            return self.tally.compared(verdict, &found);
        }
        self.suspect(Suspect {
            read,
            version,
            import: 0,
            rows,
            confirmed: 0,
            rounds: 0,
        });
    }

    /// Bodies of answers to HEAD say nothing.
    fn sides(
        &self,
        read: &Read,
        taken: &Taken,
        mut here: Answer,
    ) -> Result<(Answer, Answer), NoAnswer> {
        let mut ironic = self.ironic.answer(taken)?;
        if read.verb == Verb::Head {
            (ironic.body, here.body) = Default::default();
        }
        Ok((ironic, here))
    }

    /// Looks at an answer again after the next import that begins.
    fn suspect(&self, mut suspect: Suspect) {
        let mut suspects = self.suspects();
        if suspects.iter().any(|other| other.read == suspect.read) {
            drop(suspects);
            return self.tally.skipped(Skipped::LookedAtAgain, 1);
        }
        if suspects.len() >= MOST_SUSPECTS {
            drop(suspects);
            return self.tally.skipped(Skipped::Behind, 1);
        }
        suspect.import = self.begun.load(Ordering::SeqCst) + 1;
        suspects.push(suspect);
        self.tally.pending(suspects.len());
    }

    /// Looks at everything again that waited for this import, with a pause before each.
    pub(crate) async fn look_again(&self, import: u64, gap: Duration) {
        let ready: Vec<Suspect> = {
            let mut suspects = self.suspects();
            let (ready, later) = mem::take(&mut *suspects)
                .into_iter()
                .partition(|suspect| suspect.import <= import);
            *suspects = later;
            ready
        };
        for suspect in ready {
            tokio::time::sleep(gap).await;
            self.look_again_at(suspect).await;
            self.tally.pending(self.suspects().len());
        }
    }

    async fn look_again_at(&self, mut suspect: Suspect) {
        let read = &suspect.read;
        // This service first: so Ironic's answer is newer than what was imported.
        let here = match self.here.ask(read, suspect.version.as_deref()).await {
            Ok(here) => here,
            Err(error) => return self.no_answer(error),
        };
        let taken = match self.ironic.ask(read).await {
            Ok(taken) => taken,
            Err(error) => return self.no_answer(error),
        };
        if is_passing(taken.status) {
            return self.tally.skipped(Skipped::NoAnswer, 1);
        }
        if taken.status == 401 {
            return self.tally.skipped(Skipped::TokenExpired, 1);
        }
        let (ironic, here) = match self.sides(read, &taken, here) {
            Ok(sides) => sides,
            Err(error) => return self.no_answer(error),
        };
        let found = self.between(&ironic, &here);
        let now = rows(&found, &ironic, &here);
        if now.is_empty() {
            return self.tally.compared(Verdict::Newer, &found);
        }
        suspect.rounds += 1;
        let standing: Rows = now
            .iter()
            .filter(|(row, said)| suspect.rows.get(*row) == Some(said))
            .map(|(row, said)| (row.clone(), *said))
            .collect();
        if standing.is_empty() {
            suspect.confirmed = 0;
            suspect.rows = now;
        } else {
            suspect.confirmed += 1;
            suspect.rows = standing;
        }
        if suspect.confirmed >= CONFIRMATIONS {
            let is_meant =
                |one: &Difference| one.reason.is_some() || !suspect.rows.contains_key(&one.row);
            let wrong: Vec<Difference> = found.into_iter().filter(|one| !is_meant(one)).collect();
            return self.tally.differs(&suspect.read, &wrong);
        }
        if suspect.rounds >= MOST_ROUNDS {
            return self.tally.compared(Verdict::Newer, &found);
        }
        self.suspect(suspect);
    }
}

/// Whether an answer says only that there is none now.
fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// The rows with differences that are not meant, and what both sides say of them.
fn rows(found: &[Difference], ironic: &Answer, here: &Answer) -> Rows {
    let wrong = found.iter().filter(|one| one.reason.is_none());
    wrong
        .map(|one| {
            let said = |answer| difference::fingerprint(answer, &one.row);
            (one.row.clone(), (said(ironic), said(here)))
        })
        .collect()
}
