//! What the comparer is told.

use anyhow::{Context, Result, bail, ensure};
use scenario::file;
use std::path::{Path, PathBuf};

pub(super) const USAGE: &str = "\
usage: cargo xtask compare --ours URL --reference URL [OPTIONS]
       cargo xtask compare --ours URL [OPTIONS]         with what was recorded
       cargo xtask compare --record --reference URL [OPTIONS]

  --scenario FILE  play this file, and no other; can be given several times
  --known FILE     the differences that are meant (tests/scenarios/known.json)
  --odd COUNT      ask this many odd requests, and play no file that is not named;
                   a whole run asks 1000 after the files
  --seed NUMBER    what the odd requests follow from (1)
  --bare           do not build the objects of tests/golden/setup.json first
  --record         write the answers of Ironic into the files";

#[derive(Debug)]
pub(super) struct Options {
    /// Ours; none when Ironic is recorded.
    pub(super) ours: Option<String>,
    /// Ironic; none when ours is compared with what was recorded.
    pub(super) reference: Option<String>,
    pub(super) setup: Option<PathBuf>,
    pub(super) scenarios: Vec<PathBuf>,
    pub(super) known: Option<PathBuf>,
    /// How many odd requests are asked, and the seed that they follow from.
    pub(super) odd: (usize, u64),
}

/// Odd requests of a whole run.
const ODD: usize = 1000;

impl Options {
    /// `None` when help is wanted.
    pub(super) fn parse(root: &Path, arguments: &[&str]) -> Result<Option<Self>> {
        let (mut ours, mut reference, mut known) = (None, None, None);
        let (mut scenarios, mut bare, mut record) = (Vec::new(), false, false);
        let (mut odd, mut seed) = (None, 1);
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let mut value = || {
                rest.next()
                    .with_context(|| format!("{option} needs a value"))
            };
            match *option {
                "--ours" => ours = Some(value()?.trim_end_matches('/').to_owned()),
                "--reference" => reference = Some(value()?.trim_end_matches('/').to_owned()),
                "--scenario" => scenarios.push(PathBuf::from(value()?)),
                "--known" => known = Some(PathBuf::from(value()?)),
                "--odd" => odd = Some(value()?.parse().context("--odd needs a number")?),
                "--seed" => seed = value()?.parse().context("--seed needs a number")?,
                "--bare" => bare = true,
                "--record" => record = true,
                "--help" => return Ok(None),
                other => bail!("no such option: {other}\n{USAGE}"),
            }
        }
        ensure!(
            ours.is_none() == record && (reference.is_some() || !record),
            "--ours or --record, and --record with --reference\n{USAGE}"
        );
        // A whole run has all of it; who names a part gets that part.
        let whole = scenarios.is_empty() && odd.is_none();
        if whole {
            scenarios = all(root)?;
        }
        let odd = odd.unwrap_or(if whole && !bare { ODD } else { 0 });
        Ok(Some(Self {
            ours,
            reference,
            setup: (!bare).then(|| root.join("tests/golden/setup.json")),
            scenarios,
            odd: (odd, seed),
            known: known.or_else(|| Some(root.join("tests/scenarios/known.json"))),
        }))
    }
}

/// Everything, in an order in which it can be played: what changes the common objects comes last.
fn all(root: &Path) -> Result<Vec<PathBuf>> {
    let golden = root.join("tests/golden");
    let mut files = file::in_folder(&golden, &["setup", "answers"])?;
    files.extend(file::in_folder(&root.join("tests/scenarios"), &["known"])?);
    files.push(golden.join("answers.json"));
    Ok(files)
}
