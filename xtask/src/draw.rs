//! The pictures of the documentation, drawn from the tables of the program.
//!
//! A picture that a person draws is right on the day it is drawn. These are drawn from the
//! transition table, from the table of crates, from the sequence that a test compares with a real
//! deployment, and from a recorded terminal, so `cargo xtask draw --check` can say when one is stale.
//! Each picture has a background of its own and two palettes, so that it can be read on light and
//! on dark pages; text stays text, and there is no script in it.

mod layers;
mod sequence;
mod states;
mod svg;
mod terminal;

use anyhow::{Context, Result};
use std::{fs, path::Path};

/// Where the pictures are, seen from the top of the repository.
const FOLDER: &str = "docs/images";

pub(crate) fn run(root: &Path, check_only: bool) -> Result<String> {
    let folder = root.join(FOLDER);
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let pictures = [
        ("provision-states.svg", states::draw()?),
        ("crates.svg", layers::draw(root)?),
        (
            "deploy-sequence.svg",
            sequence::draw(&read("deploy-sequence.tsv")?)?,
        ),
        (
            "watch.svg",
            terminal::draw("corten node watch real", &read("watch.cast")?)?,
        ),
        (
            "timeline.svg",
            terminal::draw("corten node timeline real", &read("timeline.cast")?)?,
        ),
    ];
    let mut findings = Vec::new();
    for (name, picture) in &pictures {
        let path = folder.join(name);
        if fs::read_to_string(&path).is_ok_and(|there| there == *picture) {
            continue;
        }
        if check_only {
            findings.push(format!("{FOLDER}/{name} is stale: run `cargo xtask draw`"));
        } else {
            fs::write(&path, picture)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    super::verdict(findings, format!("{} pictures", pictures.len()))
}
