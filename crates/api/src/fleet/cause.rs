//! Why a node needs a person: the table `advice.tsv`, and which of its rows fits a node.
//!
//! A code beside the error decides, where there is one; a text is only looked at where there is
//! none. What no row fits is grouped by its text without what differs from node to node: UUIDs,
//! names, addresses and numbers.

use regex::Regex;
use std::{
    borrow::Cow,
    hash::{Hash, Hasher},
    sync::LazyLock,
};
use types::{ProvisionState, internal_info::NotedError};

/// A row of the table, without what it is recognised by.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    pub(crate) code: &'static str,
    pub(crate) sentence: &'static str,
    pub(crate) advice: &'static str,
    pub(crate) page: &'static str,
}

#[derive(Debug)]
enum Sign {
    /// A code of an error, and what it says beyond that.
    Code(&'static str, Option<&'static str>),
    /// A pattern, and a text that it fits.
    Text(Regex, &'static str),
    Stuck(ProvisionState),
    /// A fault without a message.
    Fault,
    /// A failure without a message.
    Silent,
}

static TABLE: LazyLock<Vec<(Sign, Advice)>> = LazyLock::new(|| {
    let rows = include_str!("advice.tsv").lines();
    rows.filter(|line| !line.starts_with('#'))
        .filter_map(read)
        .collect()
});

/// `None` for a row that cannot be read, of which a test says that there is none.
fn read(line: &'static str) -> Option<(Sign, Advice)> {
    let mut cells = line.split('\t');
    let mut next = || cells.next();
    let (code, sign) = (next()?, next()?.split_once('=')?);
    let advice = Advice {
        code,
        sentence: next()?,
        advice: next()?,
        page: next()?,
    };
    let sign = match sign {
        ("code", text) => match text.split_once(':') {
            Some((code, detail)) => Sign::Code(code, Some(detail)),
            None => Sign::Code(text, None),
        },
        ("text", text) => Sign::Text(Regex::new(text).ok()?, next()?),
        ("stuck", state) => Sign::Stuck(state.parse().ok()?),
        ("fault", _) => Sign::Fault,
        ("silent", _) => Sign::Silent,
        _ => return None,
    };
    Some((sign, advice))
}

/// Why a node failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    Known(&'static Advice),
    /// A text that no row fits, by what is left of it.
    Other(u32),
}

impl Cause {
    /// Of an error: of its code, or of its text where it has none.
    pub(crate) fn of_error(text: &str, noted: Option<&NotedError>) -> Self {
        let noted = noted.filter(|noted| noted.characters == text.chars().count());
        let row = TABLE.iter().find(|(sign, _)| match (sign, noted) {
            (Sign::Code(code, detail), Some(noted)) => {
                *code == noted.code && (detail.is_none() || *detail == noted.detail.as_deref())
            }
            (Sign::Text(pattern, _), None) => pattern.is_match(text),
            _ => false,
        });
        match row {
            Some((_, advice)) => Self::Known(advice),
            None => Self::Other(hash(&general(text))),
        }
    }

    /// Of a wait that is too long.
    pub(crate) fn of_wait(state: ProvisionState) -> Self {
        Self::by(|sign| matches!(sign, Sign::Stuck(known) if *known == state))
    }

    /// Of a failure that left no message.
    pub(crate) fn of_silence(is_fault: bool) -> Self {
        Self::by(|sign| match sign {
            Sign::Fault => is_fault,
            Sign::Silent => !is_fault,
            _ => false,
        })
    }

    fn by(fits: impl Fn(&Sign) -> bool) -> Self {
        let row = TABLE.iter().find(|(sign, _)| fits(sign));
        row.map_or(Self::Other(0), |(_, advice)| Self::Known(advice))
    }

    /// Groups are told apart by it.
    pub(crate) fn code(&self) -> Cow<'static, str> {
        match self {
            Self::Known(advice) => advice.code.into(),
            Self::Other(hash) => format!("other_{hash:08x}").into(),
        }
    }

    /// What it means, of an error with this text.
    pub(crate) fn sentence(&self, text: &str) -> Cow<'static, str> {
        match self {
            Self::Known(advice) => advice.sentence.into(),
            Self::Other(_) => general(text).into(),
        }
    }

    pub(crate) fn advice(&self) -> Option<&'static Advice> {
        match self {
            Self::Known(advice) => Some(advice),
            Self::Other(_) => None,
        }
    }
}

/// What a node has that fits a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Example {
    /// A last error, and what is noted beside it.
    Error(&'static str, Option<NotedError>),
    /// A wait that is too long, in this state.
    Stuck(ProvisionState),
    Fault,
    Silence,
}

/// For each row what is recognised by it, and its group: for those who show what there can be.
pub fn examples() -> impl Iterator<Item = (&'static str, Example)> {
    TABLE.iter().map(|(sign, advice)| {
        let example = match sign {
            Sign::Code(code, detail) => Example::Error(
                advice.sentence,
                Some(NotedError {
                    code: (*code).to_owned(),
                    detail: detail.map(str::to_owned),
                    characters: advice.sentence.chars().count(),
                }),
            ),
            Sign::Text(_, sample) => Example::Error(sample, None),
            Sign::Stuck(state) => Example::Stuck(*state),
            Sign::Fault => Example::Fault,
            Sign::Silent => Example::Silence,
        };
        (advice.code, example)
    })
}

/// How much of a text stands for all that are like it, in characters.
const LONGEST: usize = 200;

/// A text without what differs from node to node: every word with a digit in it.
pub(crate) fn general(text: &str) -> String {
    let mut general = String::new();
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/');
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_inside(first) {
            true => rest.find(|c| !is_inside(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        if word.chars().any(|c| c.is_ascii_digit()) {
            // What ends a sentence is not a part of its last word.
            let bare = word.trim_end_matches(['.', ':', '-']);
            general.push('…');
            general.push_str(&word[bare.len()..]);
        } else {
            general.push_str(word);
        }
        rest = behind;
        if general.chars().count() > LONGEST {
            break;
        }
    }
    let mut short: String = general.chars().take(LONGEST).collect();
    if short.len() < general.len() {
        short.push('…');
    }
    short
}

/// The same in every process and version: it is a part of queries that people keep.
fn hash(text: &str) -> u32 {
    let mut hasher = Fnv(0x811c_9dc5);
    text.hash(&mut hasher);
    hasher.0
}

/// FNV-1a with 32 bits.
struct Fnv(u32);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0.into()
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn noted(code: &str, detail: Option<&str>, text: &str) -> NotedError {
        NotedError {
            code: code.into(),
            detail: detail.map(str::to_owned),
            characters: text.chars().count(),
        }
    }

    #[test]
    fn every_row_can_be_read_and_says_everything() {
        let lines = include_str!("advice.tsv").lines();
        let rows = lines.filter(|line| !line.starts_with('#')).count();
        assert_eq!(TABLE.len(), rows);
        let mut sentences = BTreeMap::new();
        for (_, advice) in TABLE.iter() {
            for cell in [advice.code, advice.sentence, advice.advice, advice.page] {
                assert!(!cell.is_empty(), "{advice:?}");
            }
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
            let page = format!("{root}{}", advice.page);
            assert!(std::path::Path::new(&page).exists(), "{advice:?}");
            // One group has one meaning, however it is recognised.
            let known = sentences.entry(advice.code).or_insert(advice);
            assert_eq!(*known, advice);
        }
    }

    #[test]
    fn a_code_decides_and_a_text_only_where_there_is_none() {
        let text = "Timeout reached while cleaning the node.";
        let code = |noted: Option<&NotedError>| Cause::of_error(text, noted).code();
        assert_eq!(code(None), "ramdisk_timeout");
        let boot = noted("timeout", Some("loader_not_asked"), text);
        assert_eq!(code(Some(&boot)), "boot_loader_not_asked");
        assert_eq!(code(Some(&noted("timeout", None, text))), "ramdisk_timeout");
        assert_eq!(
            code(Some(&noted("timeout", Some("x"), text))),
            "ramdisk_timeout"
        );
        let unknown = noted("of_a_newer_version", None, text);
        assert!(code(Some(&unknown)).starts_with("other_"));
        let stale = NotedError {
            characters: 1,
            ..boot
        };
        assert_eq!(code(Some(&stale)), "ramdisk_timeout", "of another error");
    }

    #[test]
    fn texts_that_differ_in_names_and_numbers_are_one_group() {
        let first = "Step x.y of node 6e0f1a52-4a0b-4d6e-9a32-3c1c9f7b1e02 broke at 10.0.0.7:443.";
        let second = "Step x.y of node web-0412 broke at 192.168.1.20.";
        assert_eq!(general(first), "Step x.y of node … broke at ….");
        assert_eq!(general(first), general(second));
        assert_eq!(Cause::of_error(first, None), Cause::of_error(second, None));
        let other = "Step x.z of node web-0412 broke at 192.168.1.20.";
        assert_ne!(Cause::of_error(first, None), Cause::of_error(other, None));
        assert_eq!(general(&"long ".repeat(100)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn texts_find_their_rows() {
        let texts = TABLE.iter().filter_map(|(sign, advice)| match sign {
            Sign::Text(_, sample) => Some((*sample, advice)),
            _ => None,
        });
        let mut count = 0;
        for (text, advice) in texts {
            assert_eq!(Cause::of_error(text, None), Cause::Known(advice), "{text}");
            count += 1;
        }
        assert!(count > 10, "{count}");
    }

    #[test]
    fn waits_and_silence_have_causes() {
        use types::provision::StateClass;
        for state in ProvisionState::ALL {
            let is_known = Cause::of_wait(*state).advice().is_some();
            assert_eq!(is_known, state.class() == StateClass::Waiting, "{state}");
        }
        assert_eq!(Cause::of_silence(true).code(), "fault");
        assert_eq!(Cause::of_silence(false).code(), "no_message");
    }
}
