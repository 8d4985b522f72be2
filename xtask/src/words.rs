//! Words that must not be in the tree: paths and registries of one machine, unfinished work, other
//! names for Ironic, keys of `driver_internal_info` outside its type, and types whose name does not
//! say what they hold.
//!
//! A path of somebody's home works on one machine only; a package source other than the public
//! one breaks every other build; a reader searches for "Ironic"; and whoever reads a key by its name
//! is not found when its meaning changes. This file holds the words, so it is the one that is not
//! searched.

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

/// Names of types that say nothing without the file around them.
const VAGUE: &[&str] = &[
    "Asked", "Crowd", "Door", "Entry", "Fate", "Found", "Gone", "Hands", "Kin", "Kind", "Place",
    "Scene", "Sight", "Story", "Told", "Trouble", "Unheard", "Wanted", "Way", "Ways",
];

/// The methods of `InternalInfo` that hand out its JSON object …
const RAW_JSON: &str = ".raw_json";

/// … and the production code that may call them, because it treats the object as a document.
const RAW_JSON_USERS: &[&str] = &[
    "crates/conductor/src/deploy_request.rs",
    "crates/conductor/src/inband/told.rs",
    "crates/conductor/src/inspection/process.rs",
    "crates/corten/src/db/check.rs",
    "crates/store/src/",
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
    let mut is_test = is_test_file(&text.path);
    let numbered = text.content.lines().enumerate();
    numbered
        .filter_map(|(index, line)| {
            is_test |= line.starts_with("#[cfg(test)]");
            let raw = || (!is_test && pokes(&text.path, line)).then(|| POKES.to_owned());
            let vague = || (!is_test && is_vague(&text.path, line)).then(|| VAGUE_NAME.to_owned());
            let word = refused(&text.path, line).or_else(raw).or_else(vague)?;
            Some(format!("{}:{} {word}", text.path.display(), index + 1))
        })
        .collect()
}

const POKES: &str = "takes driver_internal_info apart; give types::InternalInfo a method";

const VAGUE_NAME: &str = "names a type so that nobody knows what it holds";

/// Whether a line of production code defines a type with a vague name.
fn is_vague(path: &Path, line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    let defines = |word: &str| matches!(word, "struct" | "enum" | "trait" | "type" | "union");
    tree::is_rust(path)
        && !line.trim_start().starts_with("//")
        && words.any(defines)
        && words.next().is_some_and(|name| VAGUE.contains(&name))
}

/// Whether all of a file is tests.
fn is_test_file(path: &Path) -> bool {
    let is_named_so = |name: &str| name == "tests.rs" || name.ends_with("_tests.rs");
    let name = path.file_name().and_then(|name| name.to_str());
    path.starts_with("tests") || name.is_some_and(is_named_so)
}

/// Whether a line of production code uses the JSON object behind `driver_internal_info`.
fn pokes(path: &Path, line: &str) -> bool {
    tree::is_rust(path)
        && line.contains(RAW_JSON)
        && !RAW_JSON_USERS.iter().any(|user| path.starts_with(user))
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
    fn keys_are_only_named_where_their_type_is() {
        let found = |path: &str, content: &str| {
            let (path, content) = (path.into(), content.to_owned());
            findings(&Text { path, content }).len()
        };
        let pokes = "    info.raw_json().get(\"agent_url\");\n";
        assert_eq!(found("crates/conductor/src/agent.rs", pokes), 1);
        assert_eq!(found("crates/store/src/node.rs", pokes), 0);
        assert_eq!(found("crates/conductor/src/passes/tests.rs", pokes), 0);
        let test = format!("#[cfg(test)]\nmod tests {{\n{pokes}}}\n");
        assert_eq!(found("crates/conductor/src/agent.rs", &test), 0);
    }

    #[test]
    fn types_say_what_they_hold() {
        let is_refused = |line: &str| is_vague(Path::new("crates/api/src/a.rs"), line);
        assert!(is_refused("pub(crate) struct Kind<'a> {"));
        assert!(is_refused("enum Place {"));
        assert!(!is_refused("pub enum LinkKind {"));
        assert!(!is_refused("use std::collections::hash_map::Entry;"));
        assert!(!is_refused("// a struct Kind"));
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
