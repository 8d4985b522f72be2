//! One node's exchanges.

use std::{collections::VecDeque, hash::BuildHasher};
use types::{
    Timestamp,
    recording::{Answer, Body, Exchange, Question, RecordedExchange, Recording},
};

/// What tells an exchange from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks {
    question: u64,
    answer: u64,
}

impl Marks {
    pub(super) fn of(exchange: &Exchange, hasher: &impl BuildHasher) -> Self {
        let question = (&exchange.peer, &exchange.operation, &exchange.question);
        let answer = (&exchange.answer, &exchange.failure);
        Self {
            question: hasher.hash_one(question),
            answer: hasher.hash_one(answer),
        }
    }
}

#[derive(Debug)]
struct Kept {
    entry: RecordedExchange,
    marks: Marks,
    bytes: usize,
}

/// Exchanges in the order in which they happened last.
#[derive(Debug, Default)]
pub(super) struct Ring {
    kept: VecDeque<Kept>,
    bytes: usize,
    dropped: u64,
}

impl Ring {
    /// Counts an exchange that happened just so when its question was asked last. Returns whether
    /// it did.
    pub(super) fn count(&mut self, marks: Marks, at: Timestamp, took_ms: u64) -> bool {
        let is_asked = |kept: &Kept| kept.marks.question == marks.question;
        let Some(index) = self.kept.iter().rposition(is_asked) else {
            return false;
        };
        if self.kept[index].marks != marks {
            return false;
        }
        if let Some(mut kept) = self.kept.remove(index) {
            kept.entry.count += 1;
            kept.entry.last = at;
            kept.entry.took_ms = took_ms;
            self.kept.push_back(kept);
        }
        true
    }

    /// Keeps an exchange, and returns how many bytes came and went.
    pub(super) fn push(
        &mut self,
        entry: RecordedExchange,
        marks: Marks,
        limit: usize,
    ) -> (usize, usize) {
        let bytes = weight(&entry.exchange);
        self.bytes += bytes;
        self.kept.push_back(Kept {
            entry,
            marks,
            bytes,
        });
        (bytes, self.shrink(limit))
    }

    /// Drops the oldest until the rest fits, and returns how many bytes were freed.
    pub(super) fn shrink(&mut self, limit: usize) -> usize {
        let before = self.bytes;
        while self.bytes > limit
            && let Some(oldest) = self.kept.pop_front()
        {
            self.bytes -= oldest.bytes;
            self.dropped += oldest.entry.count;
        }
        before - self.bytes
    }

    pub(super) fn clear(&mut self) -> usize {
        self.kept.clear();
        std::mem::take(&mut self.bytes)
    }

    pub(super) fn read(&self) -> Recording {
        Recording {
            dropped: self.dropped,
            exchanges: self.kept.iter().map(|kept| kept.entry.clone()).collect(),
        }
    }
}

/// About how much memory an exchange takes.
fn weight(exchange: &Exchange) -> usize {
    let pairs = |pairs: &[(String, String)]| -> usize {
        let each = |(name, value): &(String, String)| {
            name.len() + value.len() + size_of::<(String, String)>()
        };
        pairs.iter().map(each).sum()
    };
    let body = |body: &Option<Body>| body.as_ref().map_or(0, |body| body.as_json().len());
    let question = match &exchange.question {
        Question::Login(login) => login.user.len() + login.privilege.len() + login.version.len(),
        Question::Ipmi(asked) => asked.data.len() + asked.via.as_ref().map_or(0, String::len),
        Question::Http(asked) => asked.path.len() + pairs(&asked.headers) + body(&asked.body),
        Question::Snmp(asked) => pairs(&asked.variables),
        Question::Words(said) | Question::Command(said) => said.words.len(),
        Question::Driver(asked) => asked.method.len() + asked.params.as_json().len(),
    };
    let answer = match &exchange.answer {
        None | Some(Answer::Login {}) => 0,
        Some(Answer::Ipmi(answer)) => answer.data.len(),
        Some(Answer::Http(answer)) => pairs(&answer.headers) + body(&answer.body),
        Some(Answer::Snmp(answer)) => pairs(&answer.variables),
        Some(Answer::Words(said)) => said.words.len(),
        Some(Answer::Driver(answer)) => {
            let error = answer.error.as_ref();
            body(&answer.result) + error.map_or(0, |(code, text)| code.len() + text.len())
        }
    };
    let failure = exchange.failure.as_ref().map_or(0, String::len);
    size_of::<Kept>() + exchange.peer.len() + question + answer + failure
}
