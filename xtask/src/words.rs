//! Words that must not be in the tree: paths and registries of one machine, unfinished work, and
//! other names for Ironic.
//!
//! A path of somebody's home works on one machine only; a package source other than the public
//! one breaks every other build; and a reader searches for "Ironic". This file holds the words, so
//! it is the one that is not searched.

use crate::tree::{self, Text};
use anyhow::Result;
use std::path::Path;

const THIS_FILE: &str = "xtask/src/words.rs";

/// Starts of absolute paths that exist on a developer's machine only.
const PATHS: &[&str] = &["/work/", "/root/", "/home/", "/Users/", "/mnt/"];

/// Signs of a package source that only some machines can reach.
const SOURCES: &[&str] = &[
    "replace-with",
    "[registries",
    "[source.",
    "sparse+http",
    "index-url",
    "indexUrl",
];

/// The one source that the lock file may name.
const CRATES_IO: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

/// Rust that says it is not done.
const UNFINISHED: &[&str] = &["todo!", "dbg!", "unimplemented!", "TODO", "FIXME", "XXX"];

/// Other names for Ironic, in lower case.
const ALIASES: &[&str] = &[
    "the original service",
    "the original's",
    "as in the original",
    "as the original",
    "like the original",
    "unlike the original",
    "order of the original",
    "words of the original",
    "the reference's",
    "as in the reference",
];

pub(crate) fn check(root: &Path) -> Result<String> {
    let texts = tree::texts(root)?;
    let findings = texts
        .iter()
        .filter(|text| text.path != Path::new(THIS_FILE))
        .flat_map(findings)
        .collect();
    super::verdict(findings, format!("{} files", texts.len()))
}

fn findings(text: &Text) -> Vec<String> {
    let numbered = text.content.lines().enumerate();
    numbered
        .filter_map(|(index, line)| {
            let word = refused(&text.path, line)?;
            Some(format!("{}:{} {word}", text.path.display(), index + 1))
        })
        .collect()
}

/// What is wrong with a line, if anything is.
fn refused(path: &Path, line: &str) -> Option<String> {
    if let Some(start) = PATHS.iter().find(|start| has_absolute(line, start)) {
        return Some(format!("names a path of one machine ({start})"));
    }
    if let Some(sign) = SOURCES.iter().find(|sign| line.contains(**sign)) {
        return Some(format!("names a package source ({sign})"));
    }
    let is_lock = path.file_name().is_some_and(|name| name == "Cargo.lock");
    if is_lock && line.starts_with("source = ") && line != CRATES_IO {
        return Some("takes a crate from elsewhere than crates.io".to_owned());
    }
    let lower = line.to_lowercase();
    if let Some(alias) = ALIASES.iter().find(|alias| lower.contains(**alias)) {
        return Some(format!("says \"{alias}\" for Ironic"));
    }
    let unfinished = UNFINISHED.iter().find(|word| line.contains(**word));
    unfinished
        .filter(|_| tree::is_rust(path))
        .map(|word| format!("is unfinished ({word})"))
}

/// Whether the line has this start of a path where a path starts, not in the middle of one.
fn has_absolute(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !"._-/}…~$".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, line: &str, expected: bool) {
        let found = refused(Path::new(path), line);
        assert_eq!(found.is_some(), expected, "{line}: {found:?}");
    }

    #[test]
    fn absolute_paths_are_found_and_relative_ones_are_not() {
        check("a.md", "see /home/someone/notes", true);
        check("a.rs", "File::open(\"/work/x\")", true);
        check("a.md", "crates/work/src", false);
        check("a.md", "~/work/src and $DIR/work/src", false);
    }

    #[test]
    fn only_the_public_registry_is_a_source() {
        check("Cargo.lock", CRATES_IO, false);
        check("Cargo.lock", "source = \"git+https://a.example/b\"", true);
        check(".cargo/config.toml", "replace-with = \"mirror\"", true);
        check("README.md", "cargo install from crates.io", false);
    }

    #[test]
    fn unfinished_rust_is_found_and_prose_is_not() {
        check("a.rs", "    todo!()", true);
        check("a.rs", "// TODO: later", true);
        check("a.md", "No TODO in the code.", false);
    }

    #[test]
    fn ironic_is_called_ironic() {
        check("a.rs", "// The original's texts.", true);
        check("a.md", "as in the original", true);
        check(
            "a.md",
            "Texts as in Ironic; the original file is kept.",
            false,
        );
    }
}
