//! How long each phase of a leg took, and the table of all legs.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path, time::Instant};

/// The phases that every leg has, in their order; others are told in the last column.
const USUAL: [&str; 6] = ["enrol", "inspect", "clean", "deploy", "boot", "undeploy"];

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Phases(Vec<(String, f64)>);

impl Phases {
    pub(crate) fn time(&mut self, name: &str, act: impl FnOnce() -> Result<()>) -> Result<()> {
        let started = Instant::now();
        let outcome = act();
        self.0
            .push((name.to_owned(), started.elapsed().as_secs_f64()));
        outcome.with_context(|| name.to_owned())
    }

    fn of(&self, name: &str) -> Option<f64> {
        let found = self.0.iter().find(|(phase, _)| phase == name);
        found.map(|(_, seconds)| *seconds)
    }
}

/// What came of a leg.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) leg: String,
    pub(crate) seconds: f64,
    pub(crate) phases: Phases,
    pub(crate) failure: Option<String>,
}

impl Outcome {
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        Ok(fs::write(path, serde_json::to_string(self)?)?)
    }

    pub(crate) fn load(path: &Path) -> Result<Self> {
        Ok(serde_json::from_slice(&fs::read(path)?)?)
    }
}

pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let mut lines = vec![format!(
        "{:<22} {:<6} {:>7}  {}  others",
        "leg",
        "result",
        "seconds",
        USUAL.map(|name| format!("{name:>8}")).join(" ")
    )];
    for outcome in outcomes {
        let phases = USUAL.map(|name| match outcome.phases.of(name) {
            Some(seconds) => format!("{seconds:>8.0}"),
            None => format!("{:>8}", "-"),
        });
        let others = outcome.phases.0.iter();
        let others = others.filter(|(name, _)| !USUAL.contains(&name.as_str()));
        let others = others.map(|(name, seconds)| format!("{name} {seconds:.0}"));
        let line = format!(
            "{:<22} {:<6} {:>7.0}  {}  {}",
            outcome.leg,
            if outcome.failure.is_none() {
                "ok"
            } else {
                "FAILED"
            },
            outcome.seconds,
            phases.join(" "),
            others.collect::<Vec<_>>().join(", ")
        );
        lines.push(line.trim_end().to_owned());
    }
    for outcome in outcomes {
        if let Some(failure) = &outcome.failure {
            lines.push(format!("{}: {failure}", outcome.leg));
        }
    }
    lines.join("\n")
}
