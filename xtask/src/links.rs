//! Links of the documentation: every relative link leads to a file, every anchor to a heading.
//!
//! Pages are moved and headings are reworded, and Markdown does not notice. Addresses of other
//! hosts are not requested: a check must not depend on the network. Outside of Markdown (comments,
//! messages, units) a page is named by its path from the top of the repository, and that is
//! checked as well. So are paths and `make` targets that pages name as code.

use crate::tree::{self, Text};
use anyhow::Result;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

/// The folder whose pages are named by their path in other files.
const DOCS: &str = "docs/";

/// Folders whose files are named as code in pages.
const FOLDERS: &[&str] = &[
    ".ci/",
    "bench/",
    "crates/",
    "docs/",
    "fuzz/",
    "lints/",
    "packaging/",
    "scripts/",
    "tests/",
    "xtask/",
];

/// Stands for a number in the name of a file to come.
const PLACEHOLDER: &str = "NNNN";

/// Names pages that do not exist, to see them found.
const THIS_FILE: &str = "xtask/src/links.rs";

pub(crate) fn check(root: &Path) -> Result<String> {
    let texts = tree::texts(root)?;
    let anchors: BTreeMap<&Path, BTreeSet<String>> = texts
        .iter()
        .filter(|text| is_markdown(&text.path))
        .map(|text| (text.path.as_path(), anchors(&text.content)))
        .collect();
    let makefile = texts.iter().find(|text| text.path == Path::new("Makefile"));
    let targets = targets(makefile.map_or("", |text| &text.content));
    let mut links = 0;
    let mut findings = Vec::new();
    for text in &texts {
        if is_markdown(&text.path) {
            findings.extend(named(root, text, &targets));
        }
        let found = if is_markdown(&text.path) {
            links_of(&text.content)
        } else {
            Vec::new()
        };
        links += found.len();
        for (line, link) in found {
            if let Some(reason) = refused(root, &text.path, &link, &anchors) {
                findings.push(format!("{}:{line} {link} {reason}", text.path.display()));
            }
        }
        if text.path != Path::new(THIS_FILE) {
            findings.extend(mentions(root, text));
        }
    }
    let pages = anchors.len();
    super::verdict(findings, format!("{links} links in {pages} pages"))
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// What is wrong with a link, if anything is.
fn refused(
    root: &Path,
    page: &Path,
    link: &str,
    anchors: &BTreeMap<&Path, BTreeSet<String>>,
) -> Option<&'static str> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => page.to_owned(),
        path => normal(&page.parent()?.join(path)),
    };
    if !root.join(&target).exists() {
        return Some("leads nowhere");
    }
    let headings = anchors.get(target.as_path());
    let known = anchor.is_empty() || headings.is_some_and(|headings| headings.contains(anchor));
    (!known).then_some("names a heading that does not exist")
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir if !parts.is_empty() => {
                parts.pop();
            }
            Component::CurDir => {}
            part => parts.push(part),
        }
    }
    parts.iter().collect()
}

/// Pages that a text names by path but that do not exist.
fn mentions(root: &Path, text: &Text) -> Vec<String> {
    let mut findings = Vec::new();
    for (index, line) in text.content.lines().enumerate() {
        for (at, _) in line.match_indices(DOCS) {
            let before = line[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || "-_/.".contains(c)) {
                continue;
            }
            let is_name = |c: &char| c.is_ascii_alphanumeric() || "-_./".contains(*c);
            let name: String = line[at..].chars().take_while(is_name).collect();
            let name = name.trim_end_matches('.');
            if is_markdown(Path::new(name)) && !root.join(name).exists() {
                let place = text.path.display();
                findings.push(format!("{place}:{} {name} does not exist", index + 1));
            }
        }
    }
    findings
}

/// The targets of a Makefile.
fn targets(makefile: &str) -> BTreeSet<&str> {
    let names = makefile.lines().filter_map(|line| line.split_once(':'));
    names
        .map(|(name, _)| name)
        .filter(|name| {
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c == '-' || c == '2')
        })
        .collect()
}

/// Paths and targets that a page names as code but that do not exist.
fn named(root: &Path, page: &Text, targets: &BTreeSet<&str>) -> Vec<String> {
    let mut findings = Vec::new();
    let mut fenced = false;
    for (index, line) in page.content.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let pieces: Vec<&str> = if fenced {
            vec![line]
        } else {
            line.split('`').skip(1).step_by(2).collect()
        };
        for piece in pieces {
            let paths = paths(piece).into_iter();
            let missing = paths.filter(|path| !root.join(path).exists());
            let unknown = made(piece)
                .into_iter()
                .filter(|name| !targets.contains(name));
            let unknown = unknown.map(|name| format!("make {name}"));
            for finding in missing.map(str::to_owned).chain(unknown) {
                let place = page.path.display();
                findings.push(format!("{place}:{} {finding} does not exist", index + 1));
            }
        }
    }
    findings
}

/// Paths below our folders in a piece of code, patterns left out.
fn paths(piece: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    for folder in FOLDERS {
        for (at, _) in piece.match_indices(folder) {
            let before = piece[..at].chars().next_back();
            let length = piece[at..]
                .find(|c| !is_part(c))
                .unwrap_or(piece.len() - at);
            let after = piece[at + length..].chars().next();
            let path = piece[at..at + length].trim_end_matches('.');
            let pattern = after.is_some_and(|c| "*…<{".contains(c)) || path.contains(PLACEHOLDER);
            if !before.is_some_and(is_part) && !pattern {
                found.push(path);
            }
        }
    }
    found
}

/// Targets of `make` in a piece of code.
fn made(piece: &str) -> Vec<&str> {
    let words: Vec<&str> = piece.split_whitespace().collect();
    let calls = words.windows(2).filter(|pair| pair[0] == "make");
    let is_target = |name: &&str| {
        name.chars()
            .all(|c| c.is_ascii_lowercase() || "-2".contains(c))
    };
    calls.map(|pair| pair[1]).filter(is_target).collect()
}

/// The lines of a page outside of code blocks, with their numbers.
fn prose(content: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    content
        .lines()
        .enumerate()
        .filter_map(move |(index, line)| {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
                return None;
            }
            (!fenced).then_some((index + 1, line))
        })
}

/// Every link and picture of a page, with the number of its line.
fn links_of(content: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(content) {
        let line = without_code(line);
        for opening in ["](", "src=\"", "srcset=\"", "href=\""] {
            let closing = if opening == "](" { ')' } else { '"' };
            for (at, _) in line.match_indices(opening) {
                let rest = &line[at + opening.len()..];
                if let Some(end) = rest.find(closing) {
                    links.push((number, rest[..end].to_owned()));
                }
            }
        }
    }
    links
}

/// A line without what stands between backticks, unless that is the text of a link.
fn without_code(line: &str) -> String {
    let parts = line.split('`');
    parts.step_by(2).collect::<Vec<_>>().join("`")
}

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(content: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(content) {
        let text = line.trim_start_matches('#');
        if text.len() == line.len() || !text.starts_with(' ') {
            continue;
        }
        let slug = slug(text.trim());
        let mut name = slug.clone();
        let mut copies = 0;
        while !anchors.insert(name) {
            copies += 1;
            name = format!("{slug}-{copies}");
        }
    }
    anchors
}

fn slug(heading: &str) -> String {
    let mut shown = String::new();
    let mut rest = heading;
    // Of a link, only its text counts.
    while let Some((before, after)) = rest.split_once("](") {
        shown += before;
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    shown += rest;
    let kept = shown
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_the_headings() {
        let page = "# A page\n## `corten sim`: its BMCs\n```\n# no heading\n```\n## A page\n#no\n";
        let expected = ["a-page", "a-page-1", "corten-sim-its-bmcs"];
        assert_eq!(anchors(page), expected.map(str::to_owned).into());
        assert_eq!(slug("See [the list](x.md#y) now"), "see-the-list-now");
    }

    #[test]
    fn links_are_found_in_prose_and_not_in_code() {
        let page = "a [b](c.md#d), `[e](f)` and [`g`](h)\n```\n[i](j)\n```\n<img src=\"k.svg\">\n";
        let links = links_of(page);
        let links: Vec<_> = links.iter().map(|(n, l)| (*n, l.as_str())).collect();
        assert_eq!(links, [(1, "c.md#d"), (1, "h"), (5, "k.svg")]);
    }

    #[test]
    fn paths_and_targets_in_code_must_exist() {
        assert_eq!(
            paths("install scripts/x tests/*.rs ./bench/run"),
            ["scripts/x"]
        );
        assert_eq!(
            paths("`crates/a/src/NNNN.sql`, packaging/b."),
            ["packaging/b"]
        );
        assert_eq!(made("make e2e && make INSTALL=yes demo"), ["e2e"]);
        let makefile = "# a: b\ncheck: ## all\n\tcargo x\n.PHONY: y\ne2e: check\n";
        assert_eq!(targets(makefile), BTreeSet::from(["check", "e2e"]));
        let folder = tempfile::tempdir().unwrap();
        let page = Text {
            path: PathBuf::from("a.md"),
            content: "`scripts/x`\n```\nmake check\nmake gone\n```\nscripts/prose\n".to_owned(),
        };
        let findings = named(folder.path(), &page, &targets(makefile));
        let expected = [
            "a.md:1 scripts/x does not exist",
            "a.md:4 make gone does not exist",
        ];
        assert_eq!(findings, expected);
    }

    #[test]
    fn dead_links_and_anchors_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("docs")).unwrap();
        std::fs::write(root.join("docs/a.md"), "# One\n").unwrap();
        std::fs::write(root.join("b.md"), "# Two\n").unwrap();
        let pages = BTreeMap::from([
            (Path::new("docs/a.md"), anchors("# One\n")),
            (Path::new("b.md"), anchors("# Two\n")),
        ]);
        let wrong = |link: &str| refused(root, Path::new("docs/a.md"), link, &pages).is_some();
        for fine in [
            "#one",
            "../b.md",
            "../b.md#two",
            "a.md#one",
            "https://h/x",
            "..",
        ] {
            assert!(!wrong(fine), "{fine}");
        }
        for dead in ["#two", "b.md", "../b.md#one", "../c.md", "../docs#one"] {
            assert!(wrong(dead), "{dead}");
        }
        let said = |content: &str| {
            let path = PathBuf::from("x.rs");
            let content = content.to_owned();
            mentions(root, &Text { path, content }).len()
        };
        assert_eq!(said("see docs/a.md and crates/docs/c.md."), 0);
        assert_eq!(said("see docs/c.md."), 1);
    }
}
