//! What was compared so far, and what differs: the numbers behind `GET /corten/v1/shadow`.
//!
//! Everything here is bounded: counters, and the last differences with short values.

use super::{
    difference::{Difference, Reason},
    request::Read,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use store::ironic::ReadCost;
use types::Timestamp;

/// So many differences are kept.
const MOST_KEPT: usize = 100;
/// So many of one answer.
const MOST_OF_ONE: usize = 5;
/// A longer request is cut.
const LONGEST: usize = 300;

/// Why an answer was not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Skipped {
    /// It is no read that the database alone answers.
    NotRepeated,
    /// The comparison was behind.
    Behind,
    /// It differs, and the same request is looked at again already.
    LookedAtAgain,
    TooLarge,
    /// It came compressed, or was broken off.
    Unreadable,
    /// Ironic did not answer, or says that it cannot now.
    NoAnswer,
    /// The token was not good any more when the answer was asked for again.
    TokenExpired,
    /// A line of the log that asks for nothing that is repeated.
    LineLeftOut,
}

impl Skipped {
    fn name(self) -> &'static str {
        match self {
            Self::NotRepeated => "not-repeated",
            Self::Behind => "behind",
            Self::LookedAtAgain => "looked-at-again",
            Self::TooLarge => "too-large",
            Self::Unreadable => "unreadable",
            Self::NoAnswer => "no-answer",
            Self::TokenExpired => "token-expired",
            Self::LineLeftOut => "line-left-out",
        }
    }
}

/// What became of an answer that was compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Same,
    /// Ironic had changed what differed since the copy was made.
    Newer,
    /// Nothing differs but what is meant to.
    Explained,
}

#[derive(Debug, Clone)]
struct Kept {
    at: Timestamp,
    method: &'static str,
    path: String,
    version: Option<String>,
    difference: Difference,
}

#[derive(Debug, Default)]
struct Numbers {
    same: u64,
    newer: u64,
    explained: u64,
    differ: u64,
    pending: usize,
    skipped: BTreeMap<Skipped, u64>,
    reasons: BTreeMap<Reason, u64>,
    kept: VecDeque<Kept>,
    imports: u64,
    unchanged: u64,
    failed: u64,
    last_error: Option<String>,
    last_at: Option<Timestamp>,
    last_took: Duration,
    nodes: u64,
    findings: u64,
    release: &'static str,
    asked: ReadCost,
    requests: u64,
    requests_time: Duration,
}

/// The numbers of a shadow.
#[derive(Debug)]
pub(crate) struct Tally {
    ironic: String,
    source: String,
    /// Where the proxy before Ironic listens.
    proxy: Option<String>,
    since: Timestamp,
    numbers: Mutex<Numbers>,
}

impl Tally {
    pub(crate) fn new(ironic: String, source: String, proxy: Option<String>) -> Self {
        Self {
            ironic,
            source,
            proxy,
            since: Timestamp::now(),
            numbers: Mutex::default(),
        }
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn skipped(&self, why: Skipped, count: u64) {
        if count > 0 {
            *self.numbers().skipped.entry(why).or_default() += count;
        }
    }

    pub(crate) fn compared(&self, verdict: Verdict, found: &[Difference]) {
        let mut numbers = self.numbers();
        *match verdict {
            Verdict::Same => &mut numbers.same,
            Verdict::Newer => &mut numbers.newer,
            Verdict::Explained => &mut numbers.explained,
        } += 1;
        for reason in found.iter().filter_map(|one| one.reason) {
            *numbers.reasons.entry(reason).or_default() += 1;
        }
    }

    /// An answer that differs, and not on purpose.
    pub(crate) fn differs(&self, read: &Read, found: &[Difference]) {
        let mut numbers = self.numbers();
        numbers.differ += 1;
        let path: String = read.target.chars().take(LONGEST).collect();
        for difference in found.iter().take(MOST_OF_ONE) {
            let kept = Kept {
                at: Timestamp::now(),
                method: read.verb.name(),
                path: path.clone(),
                version: read.version.clone(),
                difference: difference.clone(),
            };
            // The same one again says nothing new.
            numbers.kept.retain(|old| {
                (&old.path, &old.version, &old.difference.place)
                    != (&kept.path, &kept.version, &kept.difference.place)
            });
            if numbers.kept.len() >= MOST_KEPT {
                numbers.kept.pop_front();
            }
            numbers.kept.push_back(kept);
        }
    }

    pub(crate) fn pending(&self, count: usize) {
        self.numbers().pending = count;
    }

    pub(crate) fn imported(
        &self,
        release: &'static str,
        outcome: &migrate::Outcome,
        took: Duration,
    ) {
        let mut numbers = self.numbers();
        numbers.imports += 1;
        numbers.last_at = Some(Timestamp::now());
        numbers.last_took = took;
        numbers.last_error = None;
        numbers.nodes = outcome.taken("nodes");
        numbers.findings = outcome.findings.kept().len() as u64 + outcome.findings.more();
        numbers.release = release;
        numbers.asked = numbers.asked.plus(outcome.asked);
    }

    pub(crate) fn unchanged(&self, asked: ReadCost) {
        let mut numbers = self.numbers();
        numbers.unchanged += 1;
        numbers.last_error = None;
        numbers.asked = numbers.asked.plus(asked);
    }

    pub(crate) fn import_failed(&self, error: String) {
        let mut numbers = self.numbers();
        numbers.failed += 1;
        numbers.last_error = Some(error);
    }

    /// A request to Ironic that nobody but this service wanted.
    pub(crate) fn asked_ironic(&self, took: Duration) {
        let mut numbers = self.numbers();
        numbers.requests += 1;
        numbers.requests_time += took;
    }

    /// One line for the log.
    pub(crate) fn line(&self) -> String {
        let numbers = self.numbers();
        format!(
            "{} answers compared, {} differ ({} differ on purpose, {} were newer than the copy, {} are \
             looked at again); Ironic was asked by {} statements ({} ms) and {} requests ({} ms)",
            numbers.compared(),
            numbers.differ,
            numbers.explained,
            numbers.newer,
            numbers.pending,
            numbers.asked.statements,
            numbers.asked.time.as_millis(),
            numbers.requests,
            numbers.requests_time.as_millis(),
        )
    }
}

impl Numbers {
    fn compared(&self) -> u64 {
        self.same + self.newer + self.explained + self.differ
    }
}

impl api::ShadowWatch for Tally {
    fn report(&self) -> Value {
        let numbers = self.numbers();
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let skipped = numbers.skipped.iter();
        let reasons = numbers.reasons.iter();
        let differences = numbers.kept.iter().rev().map(|kept| {
            json!({
                "at": kept.at.to_string(),
                "method": kept.method,
                "path": kept.path,
                "version": kept.version,
                "place": kept.difference.place,
                "ironic": kept.difference.ironic,
                "here": kept.difference.here,
            })
        });
        json!({
            "ironic": self.ironic,
            "source": self.source,
            "proxy": self.proxy,
            "release": numbers.release,
            "since": self.since.to_string(),
            "compared": numbers.compared(),
            "same": numbers.same,
            "newer": numbers.newer,
            "explained": numbers.explained,
            "differ": numbers.differ,
            "pending": numbers.pending,
            "not_compared": skipped.map(|(why, count)| (why.name().to_owned(), json!(count)))
                .collect::<serde_json::Map<_, _>>(),
            "reasons": reasons.map(|(reason, count)| (reason.name().to_owned(), json!(count)))
                .collect::<serde_json::Map<_, _>>(),
            "differences": differences.collect::<Vec<_>>(),
            "import": {
                "imports": numbers.imports,
                "unchanged": numbers.unchanged,
                "failed": numbers.failed,
                "last_error": numbers.last_error,
                "last_at": numbers.last_at.map(|at| at.to_string()),
                "last_ms": millis(numbers.last_took),
                "nodes": numbers.nodes,
                "findings": numbers.findings,
            },
            "load": {
                "statements": numbers.asked.statements,
                "statements_ms": millis(numbers.asked.time),
                "requests": numbers.requests,
                "requests_ms": millis(numbers.requests_time),
            },
        })
    }
}
