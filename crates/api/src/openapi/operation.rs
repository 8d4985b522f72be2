//! The operations of the document: what each is for, what it takes, and what it answers.
//!
//! A row belongs to a row of the route table. Tests hold both together, and the arguments named
//! here against those that handlers take.

mod node;
mod other;
mod small;

use crate::{route::Method, schema::Schema};
use types::{ApiVersion, version::since};

/// What the body of a request is.
#[derive(Debug, Clone, Copy)]
pub enum Body {
    None,
    /// An object of named arguments.
    Named {
        names: &'static [&'static str],
        required: &'static [&'static str],
    },
    /// A document that is checked as a whole.
    Whole(&'static Schema),
    /// The same, which may be left out.
    Optional(&'static Schema),
    /// A JSON patch.
    Patch,
    /// Any object; who it is for decides.
    Free,
}

/// What the body of an answer is.
#[derive(Debug, Clone, Copy)]
pub enum Answer {
    Nothing,
    /// A resource.
    One(&'static str),
    /// A page of resources under a key.
    Many(&'static str, &'static str),
    /// Resources under names of their own.
    Named(&'static str),
    Shape(&'static Schema),
    /// Any JSON.
    Free,
}

/// The media type of most answers.
pub const JSON: &str = "application/json";

/// One method of one path.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    pub method: Method,
    /// As in the route table; the two version documents are not in it.
    pub path: &'static str,
    pub summary: &'static str,
    pub since: ApiVersion,
    pub query: &'static [&'static str],
    pub body: Body,
    pub success: &'static [u16],
    pub answer: Answer,
    /// Further statuses, what they mean, and their bodies.
    pub special: &'static [(u16, &'static str, &'static Schema)],
    /// Whether no credentials are needed.
    pub is_public: bool,
    /// What the answer comes as; JSON unless said otherwise.
    pub media: &'static [&'static str],
}

impl Operation {
    const fn new(
        method: Method,
        path: &'static str,
        summary: &'static str,
        success: &'static [u16],
    ) -> Self {
        Self {
            method,
            path,
            summary,
            since: since::BASE,
            query: &[],
            body: Body::None,
            success,
            answer: Answer::Nothing,
            special: &[],
            is_public: false,
            media: &[JSON],
        }
    }

    const fn since(mut self, since: ApiVersion) -> Self {
        self.since = since;
        self
    }

    const fn query(mut self, names: &'static [&'static str]) -> Self {
        self.query = names;
        self
    }

    const fn body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// Takes these arguments, the first of which cannot be left out.
    const fn named(mut self, names: &'static [&'static str]) -> Self {
        let (required, _) = names.split_at(1);
        self.body = Body::Named { names, required };
        self
    }

    const fn answers(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }

    const fn succeeds(mut self, success: &'static [u16]) -> Self {
        self.success = success;
        self
    }

    const fn public(mut self) -> Self {
        self.is_public = true;
        self
    }
}

const fn get(path: &'static str, summary: &'static str, answer: Answer) -> Operation {
    Operation::new(Method::Get, path, summary, &[200]).answers(answer)
}

const fn post(path: &'static str, summary: &'static str, body: Body, answer: Answer) -> Operation {
    Operation::new(Method::Post, path, summary, &[201])
        .body(body)
        .answers(answer)
}

const fn patch(path: &'static str, summary: &'static str, answer: Answer) -> Operation {
    Operation::new(Method::Patch, path, summary, &[200])
        .body(Body::Patch)
        .answers(answer)
}

const fn put(path: &'static str, summary: &'static str, success: &'static [u16]) -> Operation {
    Operation::new(Method::Put, path, summary, success)
}

const fn delete(path: &'static str, summary: &'static str) -> Operation {
    Operation::new(Method::Delete, path, summary, &[204])
}

/// The arguments of every page.
const PAGE: &[&str] = &["limit", "marker", "sort_key", "sort_dir"];
/// The same, with what is shown.
const FULL_PAGE: &[&str] = &[
    "limit", "marker", "sort_key", "sort_dir", "fields", "detail",
];
const FIELDS: &[&str] = &["fields"];

/// All operations.
pub static OPERATIONS: &[&[Operation]] = &[node::OPERATIONS, other::OPERATIONS];
