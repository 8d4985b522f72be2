//! Every source file says what it is for, and none grows beyond what one can keep in mind: Rust, and
//! the TypeScript of the web page.
//!
//! Tests do not count: they are read one at a time. A file counts up to its test module; files
//! that hold nothing but tests have no limit.

use crate::tree::{self, Text};
use anyhow::Result;
use std::path::Path;

/// The longest that a file may be without its tests.
const LIMIT: usize = 800;

/// The same for the web page, whose files are denser.
const PAGE_LIMIT: usize = 400;

pub(crate) fn check(root: &Path) -> Result<String> {
    let mut findings = Vec::new();
    let mut lengths = Vec::new();
    for text in tree::texts(root)? {
        let (opening, limit) = match text.path.extension().and_then(|end| end.to_str()) {
            Some("rs") => ("//!", LIMIT),
            Some("ts" | "tsx") => ("//", PAGE_LIMIT),
            _ => continue,
        };
        let path = text.path.display();
        if !text.content.starts_with(opening) {
            findings.push(format!("{path}:1 does not open with `{opening}`"));
        }
        if is_test(&text.path) {
            continue;
        }
        let length = without_tests(&text);
        if length > limit {
            findings.push(format!("{path} has {length} lines; the limit is {limit}"));
        }
        lengths.push(length);
    }
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
    let longest = lengths.last().copied().unwrap_or(0);
    let files = lengths.len();
    super::verdict(
        findings,
        format!("{files} files, median {median} lines, longest {longest}"),
    )
}

/// Whether a file holds only tests: the integration package, and `tests.rs` beside the code.
fn is_test(path: &Path) -> bool {
    path.starts_with("tests") || path.file_name().is_some_and(|name| name == "tests.rs")
}

fn without_tests(text: &Text) -> usize {
    let lines: Vec<&str> = text.content.lines().collect();
    let tests = lines.windows(2).position(|pair| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    });
    tests.unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, expected: usize) {
        let text = Text {
            path: "a.rs".into(),
            content: content.to_owned(),
        };
        assert_eq!(without_tests(&text), expected);
    }

    #[test]
    fn the_test_module_does_not_count() {
        check("//! A.\nfn a() {}\n", 2);
        check("//! A.\n#[cfg(test)]\nmod tests {\n}\n", 1);
        check("//! A.\n#[cfg(test)]\nmod tests;\nfn a() {}\n", 4);
    }
}
