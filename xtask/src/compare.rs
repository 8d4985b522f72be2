//! Plays scenarios against our service and against Ironic, and tells where they differ.
//!
//! Both services must be empty and configured as docs/develop/comparing.md says. One request goes to both
//! sides before the next goes to any, so that the two stay in step. With `--record` there is only
//! Ironic, and its answers are written into the files for the tests to replay.

mod odd;
mod options;
mod side;

use anyhow::{Context, Result, bail, ensure};
use options::Options;
use scenario::{
    Known, Report,
    file::{self, Content, Scenario},
};
use serde_json::{Value, json};
use side::Side;
use std::{fs, path::Path};

/// The newest version; documents are read at all of them.
const LATEST: u16 = 115;

pub(crate) fn check(root: &Path, arguments: &[&str]) -> Result<String> {
    let Some(options) = Options::parse(root, arguments)? else {
        return Ok(options::USAGE.into());
    };
    let side = |url: &Option<String>| {
        let url = url.as_ref();
        url.map(|url| Side::new(url, options.setup.is_some()))
            .transpose()
    };
    match (side(&options.ours)?, side(&options.reference)?) {
        (Some(ours), reference) => compare(&options, ours, reference),
        (None, Some(reference)) => record(&options, reference),
        (None, None) => bail!("{}", options::USAGE),
    }
}

fn compare(options: &Options, mut ours: Side, mut reference: Option<Side>) -> Result<String> {
    if let Some(setup) = &options.setup {
        let setup = Scenario::read(setup)?;
        for side in reference.iter_mut().chain([&mut ours]) {
            set_up(side, &setup)?;
        }
    }
    let known = match &options.known {
        Some(path) => Known::read(path)?,
        None => Known::default(),
    };
    let mut report = Report::new(known);
    for path in &options.scenarios {
        let scenario = Scenario::read(path)?;
        if reference.is_none() && matches!(scenario.content, Content::Document { .. }) {
            continue;
        }
        for side in reference.iter_mut().chain([&mut ours]) {
            side.session.begin(&scenario);
        }
        for entry in requests(&scenario) {
            let what = || format!("{}: {}", scenario.name, entry["name"]);
            let there = match &mut reference {
                Some(reference) => reference.play(&entry).with_context(what)?,
                None => file::recorded(&entry),
            };
            let here = ours.play(&entry).with_context(what)?;
            report.compare(&scenario.name, &entry, &there, &here);
            for side in reference.iter_mut().chain([&mut ours]) {
                side.wait(&entry).with_context(what)?;
            }
        }
        eprintln!("{}: played", scenario.name);
    }
    let mut oddities = String::new();
    if let Some(reference) = &mut reference
        && options.odd.0 > 0
    {
        let played = odd::play(&mut ours, reference, &mut report, options.odd)?;
        oddities = format!(
            "{} odd requests of seed {} and {} races, of which Ironic failed at {}; ",
            played.requests, options.odd.1, played.races, played.faults
        );
        eprintln!("{oddities}played");
    }
    match report.finish() {
        Ok((compared, meant)) => Ok(format!(
            "{oddities}{compared} answers compared, {meant} differ on purpose, no other differs"
        )),
        Err(table) => bail!("{oddities}{table}"),
    }
}

fn set_up(side: &mut Side, setup: &Scenario) -> Result<()> {
    side.session.begin(setup);
    for entry in setup.requests()? {
        let answer = side.play(entry)?;
        let fine = answer["status"].as_u64().is_some_and(|s| s < 300);
        ensure!(fine, "{entry}: {answer}");
        side.wait(entry).with_context(|| entry.to_string())?;
    }
    Ok(())
}

/// The requests of a file, also of one that holds the looks of a document.
fn requests(scenario: &Scenario) -> Vec<Value> {
    match &scenario.content {
        Content::Requests(entries) => entries.clone(),
        Content::Document { path, .. } => (1..=LATEST)
            .map(|minor| {
                json!({
                    "name": format!("at 1.{minor}"), "method": "GET", "path": path,
                    "version": format!("1.{minor}"),
                })
            })
            .collect(),
    }
}

fn record(options: &Options, mut reference: Side) -> Result<String> {
    if let Some(setup) = &options.setup {
        set_up(&mut reference, &Scenario::read(setup)?)?;
    }
    let mut count = 0;
    for path in &options.scenarios {
        let scenario = Scenario::read(path)?;
        reference.session.begin(&scenario);
        let mut answers = Vec::new();
        for entry in requests(&scenario) {
            let what = || format!("{}: {}", scenario.name, entry["name"]);
            let answer = reference.play(&entry).with_context(what)?;
            reference.wait(&entry).with_context(what)?;
            answers.push((entry, answer));
        }
        count += answers.len();
        let text = match &scenario.content {
            Content::Requests(_) => {
                let entries = answers.iter().map(|(e, a)| file::with_answer(e, a));
                file::lines(&entries.collect::<Vec<_>>())
            }
            Content::Document { path, .. } => {
                let looks = file::lines(&looks(&answers));
                format!("{{\"path\": {}, \"documents\": {looks}}}", json!(path))
            }
        };
        fs::write(path, text + "\n").with_context(|| path.display().to_string())?;
    }
    Ok(format!("{count} answers recorded"))
}

/// Version and document wherever the document differs from the one before.
fn looks(answers: &[(Value, Value)]) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for (entry, answer) in answers {
        let document = &answer["body_json"];
        if answer["status"] == 200 && found.last().is_none_or(|last| last[1] != *document) {
            found.push(json!([entry["version"], document]));
        }
    }
    found
}
