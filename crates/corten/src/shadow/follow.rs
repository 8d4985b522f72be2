//! The copy follows Ironic's database: it is asked cheaply whether something has changed, and imported
//! anew, in one snapshot and one transaction, if so or if an answer differs.
//!
//! Requests meanwhile are answered from the copy before. An import that fails is tried again.

use super::check::Checker;
use anyhow::Context;
use migrate::{Fingerprint, Import, Outcome};
use std::{
    collections::HashSet,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use store::{
    KeyRing, Location,
    ironic::ReadCost,
    load::{Existing, Load, Purpose},
};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

/// Two changes within a second can look like one, so an import is made now and then in any case.
const LONGEST_WITHOUT: Duration = Duration::from_secs(600);
/// As much as the first thread of a program has.
const STACK: usize = 8 * 1024 * 1024;

/// Where rows come from and where they go.
#[derive(Clone)]
pub(crate) struct Importer {
    pub(crate) source: Location,
    pub(crate) target: Location,
    pub(crate) keys: KeyRing,
}

/// What a look at Ironic's database came to.
pub(crate) enum Step {
    Unchanged(ReadCost),
    Imported {
        release: &'static str,
        outcome: Box<Outcome>,
        fingerprint: Fingerprint,
    },
}

impl Importer {
    /// Imports, unless Ironic's database is the same as it was by this fingerprint.
    pub(crate) async fn step(&self, known: Option<Fingerprint>) -> anyhow::Result<Step> {
        let importer = self.clone();
        let (tell, told) = oneshot::channel();
        // A thread of its own: the clients of database servers bring runtimes along.
        thread::Builder::new()
            .name("import".to_owned())
            .stack_size(STACK)
            .spawn(move || tell.send(importer.blocking_step(known.as_ref())).is_ok())?;
        told.await
            .context("the import ended by a defect of this program")?
    }

    fn blocking_step(&self, known: Option<&Fingerprint>) -> anyhow::Result<Step> {
        let place = || self.source.public();
        let mut import = Import::open(&self.source).with_context(place)?;
        let fingerprint = import.fingerprint().with_context(place)?;
        if known == Some(&fingerprint) {
            return Ok(Step::Unchanged(import.asked()));
        }
        let release = import.revision().release;
        // Nobody else writes into this copy.
        let load = Load::begin(
            &self.target,
            self.keys.clone(),
            Existing::Replace,
            Purpose::Shadow,
        )?;
        Ok(Step::Imported {
            release,
            outcome: Box::new(import.run(load).with_context(place)?),
            fingerprint,
        })
    }
}

/// The rows that an import has changed on the way, or left out.
pub(crate) fn damaged(outcome: &Outcome) -> HashSet<String> {
    let kept = outcome.findings.kept().iter();
    kept.flat_map(|finding| finding.row.split_whitespace())
        .map(str::to_lowercase)
        .collect()
}

/// Follows until the end. `done` says which import was the last.
pub(crate) async fn follow(
    importer: Importer,
    mut known: Fingerprint,
    every: Duration,
    checker: Arc<Checker>,
    done: watch::Sender<u64>,
    over: CancellationToken,
) {
    let tally = Arc::clone(&checker.tally);
    let (mut imported, mut pause) = (Instant::now(), every);
    loop {
        tokio::select! {
            () = over.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        let is_wanted = checker.has_suspects() || imported.elapsed() >= LONGEST_WITHOUT;
        let began = Instant::now();
        let number = checker.begin_import();
        let step = tokio::select! {
            () = over.cancelled() => return,
            step = importer.step((!is_wanted).then(|| known.clone())) => step,
        };
        match step {
            Ok(Step::Unchanged(asked)) => tally.unchanged(asked),
            Ok(Step::Imported {
                release,
                outcome,
                fingerprint,
            }) => {
                (known, imported) = (fingerprint, began);
                checker.set_damaged(damaged(&outcome));
                checker.here.forget().await;
                tally.imported(release, &outcome, began.elapsed());
                done.send_replace(number);
            }
            Err(error) => {
                let error = format!("{error:#}");
                tracing::warn!(%error, "the import failed, and is tried again");
                tally.import_failed(error);
            }
        }
        // At most half of the time Ironic's database is read.
        pause = every.max(began.elapsed());
    }
}

/// Looks at answers again as soon as an import has come that may settle them.
pub(crate) async fn look_again(
    checker: Arc<Checker>,
    mut done: watch::Receiver<u64>,
    gap: Duration,
) {
    while done.changed().await.is_ok() {
        let import = *done.borrow_and_update();
        checker.look_again(import, gap).await;
    }
}
