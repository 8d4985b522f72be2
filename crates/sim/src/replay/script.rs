//! One question, and its answers in their order.

use serde_json::Value;
use std::{collections::BTreeSet, ops::Bound};
use types::{Timestamp, mask::MASK};

#[derive(Debug)]
pub(super) struct Script<Q, A> {
    pub(super) question: Q,
    answers: Vec<Part<A>>,
    /// Which one is given now, and how often it has been.
    at: usize,
    given: u64,
}

#[derive(Debug)]
struct Part<A> {
    answer: A,
    first: Timestamp,
    last: Timestamp,
    count: u64,
}

/// Adds an answer to the script of its question.
pub(super) fn add<Q: PartialEq, A>(
    scripts: &mut Vec<Script<Q, A>>,
    question: Q,
    answer: A,
    (first, last, count): (Timestamp, Timestamp, u64),
) {
    let part = Part {
        answer,
        first,
        last,
        count,
    };
    match scripts
        .iter_mut()
        .find(|script| script.question == question)
    {
        Some(script) => script.answers.push(part),
        None => scripts.push(Script {
            question,
            answers: vec![part],
            at: 0,
            given: 0,
        }),
    }
}

impl<Q, A> Script<Q, A> {
    /// The answer that is due. `moments` are those of the recording that were lived through again.
    pub(super) fn next(&mut self, moments: &mut BTreeSet<Timestamp>) -> &A {
        while let Some([part, after]) = self.answers.get(self.at..self.at + 2) {
            let between = (Bound::Excluded(part.last), Bound::Included(after.first));
            let is_over = part.last < after.first && moments.range(between).next().is_some();
            if self.given < part.count && !is_over {
                break;
            }
            self.at += 1;
            self.given = 0;
        }
        self.given += 1;
        let part = &self.answers[self.at];
        moments.insert(part.first);
        if self.given >= part.count {
            moments.insert(part.last);
        }
        &part.answer
    }
}

/// Whether a body is the one that was recorded. What was hidden there may be anything here.
pub(super) fn fits(recorded: Option<&Value>, asked: Option<&Value>) -> bool {
    match (recorded, asked) {
        (None, None) => true,
        (Some(Value::String(hidden)), Some(_)) if hidden.contains(MASK) => true,
        (Some(Value::Object(recorded)), Some(Value::Object(asked))) => {
            recorded.len() == asked.len()
                && recorded.iter().all(|(key, value)| {
                    asked.contains_key(key) && fits(Some(value), asked.get(key))
                })
        }
        (Some(Value::Array(recorded)), Some(Value::Array(asked))) => {
            recorded.len() == asked.len()
                && recorded
                    .iter()
                    .zip(asked)
                    .all(|(recorded, asked)| fits(Some(recorded), Some(asked)))
        }
        (recorded, asked) => recorded == asked,
    }
}

/// A path as it may be written in a recording: as it is, with or without a slash at its end, and
/// with a query that was hidden.
pub(super) fn spellings(path: &str) -> Vec<String> {
    let mut all = vec![path.to_owned()];
    match path.split_once('?') {
        Some((path, _)) => all.push(format!("{path}?{MASK}")),
        None => match path.strip_suffix('/') {
            Some(bare) => all.push(bare.to_owned()),
            None => all.push(format!("{path}/")),
        },
    }
    all
}
