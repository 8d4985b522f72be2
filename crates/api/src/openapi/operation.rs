//! The operations of the document: what each is for, what it takes, and what it answers.
//!
//! A row belongs to a row of the route table. Tests hold both together, and the arguments named
//! here against those that handlers take.

mod account;
mod care;
mod craft;
mod node;
mod other;
mod page;
mod small;

use crate::{route::Method, schema::Schema};
use types::ApiVersion;

/// What the body of a request is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body {
    None,
    /// An object of named arguments.
    Named {
        names: &'static [&'static str],
        required: &'static [&'static str],
    },
    /// A document that is checked as a whole.
    Whole(&'static Schema),
    /// A JSON patch.
    Patch,
    /// Any object; who it is for decides.
    Free,
}

/// What the body of an answer is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
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
pub(crate) const JSON: &str = "application/json";

/// One method of one path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation {
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
    /// An operation that answers nothing, with the status that most of this method answer with.
    const fn new(
        method: Method,
        path: &'static str,
        since: ApiVersion,
        summary: &'static str,
    ) -> Self {
        let (success, body): (&[u16], _) = match method {
            Method::Get => (&[200], Body::None),
            Method::Post => (&[201], Body::None),
            Method::Patch => (&[200], Body::Patch),
            Method::Put | Method::Delete => (&[204], Body::None),
        };
        Self {
            method,
            path,
            summary,
            since,
            query: &[],
            body,
            success,
            answer: Answer::Nothing,
            special: &[],
            is_public: false,
            media: &[JSON],
        }
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

    const fn public(mut self, is_public: bool) -> Self {
        self.is_public = is_public;
        self
    }

    const fn special(mut self, statuses: &'static [(u16, &'static str, &'static Schema)]) -> Self {
        self.special = statuses;
        self
    }

    const fn media(mut self, media: &'static [&'static str]) -> Self {
        self.media = media;
        self
    }
}

/// A table of operations, a row each: method, path and the version that brought it, what it is for,
/// what it answers, and whatever else is not as with most operations of the method.
macro_rules! operations {
    ($(
        $method:ident $path:literal $(since $since:ident)?, $summary:literal
        $(=> $answer:expr)? $(, $setting:ident $value:expr)*;
    )*) => {
        &[$({
            #[allow(unused_mut, unused_assignments)]
            let mut since = types::version::since::BASE;
            $(since = types::version::since::$since;)?
            $crate::openapi::operation::Operation::new(
                $crate::route::Method::$method, $path, since, $summary,
            )
            $(.answers($answer))?
            $(.$setting($value))*
        }),*]
    };
}
use operations;

/// Two lists of names as one.
macro_rules! joined {
    ($first:expr, $second:expr) => {{
        const FIRST: &[&str] = $first;
        const SECOND: &[&str] = $second;
        const ALL: [&str; FIRST.len() + SECOND.len()] = {
            let mut all = [""; FIRST.len() + SECOND.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = if at < FIRST.len() {
                    FIRST[at]
                } else {
                    SECOND[at - FIRST.len()]
                };
                at += 1;
            }
            all
        };
        &ALL
    }};
}
use joined;

/// The arguments of every page.
const PAGE: &[&str] = &["limit", "marker", "sort_key", "sort_dir"];
/// What is shown of each row.
const SHOWN: &[&str] = &["fields", "detail"];
const FULL_PAGE: &[&str] = joined!(PAGE, SHOWN);
const FIELDS: &[&str] = &["fields"];

/// All operations.
pub(crate) static OPERATIONS: &[&[Operation]] = &[node::OPERATIONS, other::OPERATIONS];
