//! `corten driver test`: whether a driver that is a program of its own keeps to the protocol.

#![expect(clippy::disallowed_methods, reason = "nothing is served")]

use crate::{args::DriverTest, console::print};
use anyhow::{Context, bail};
use drivers::external::{
    ExternalSettings, User,
    conformance::{Outcome, Report, examine},
};
use rustix::process::{getegid, geteuid};
use serde_json::Value;
use std::{env, fs, process::ExitCode, time::Duration};
use types::JsonMap;

pub(crate) fn run(args: &DriverTest) -> anyhow::Result<ExitCode> {
    let info = args.node_info.as_deref().map(|file| {
        let text = fs::read_to_string(file);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        node_info(&text).with_context(|| format!("in {}", file.display()))
    });
    let state = tempfile::tempdir().context("cannot make a folder for the program")?;
    let settings = ExternalSettings {
        // A vendor tests as who they are, root or not.
        user: Some(User {
            uid: geteuid().as_raw(),
            gid: getegid().as_raw(),
        }),
        launcher: env::current_exe().ok(),
        state: state.path().to_owned(),
        timeout: Duration::from_secs(args.timeout.into()),
        ..ExternalSettings::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?;
    let report = examine(&args.program, &settings, info.transpose()?, args.change);
    let report = runtime.block_on(report);
    print(&table(&report))?;
    Ok(match report.has_failure() {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

/// `driver_info`, by itself or in an object as the API shows nodes.
fn node_info(text: &str) -> anyhow::Result<JsonMap> {
    let Value::Object(mut read) = serde_json::from_str(text)? else {
        bail!("a JSON object with the driver_info of a machine is needed");
    };
    match read.remove("driver_info") {
        None => Ok(read),
        Some(Value::Object(info)) => Ok(info),
        Some(_) => bail!("driver_info is no JSON object"),
    }
}

fn table(report: &Report) -> String {
    let width = report.0.iter().map(|v| v.check.chars().count()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    for verdict in &report.0 {
        let word = match verdict.outcome {
            Outcome::Passed => "ok",
            Outcome::Failed => "FAILED",
            Outcome::Skipped => "skipped",
        };
        let line = format!("{:<width$}  {word:<7}  {}", verdict.check, verdict.detail);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let count = |outcome| report.0.iter().filter(|v| v.outcome == outcome).count();
    text.push_str(&format!(
        "{} checks passed, {} failed, {} skipped",
        count(Outcome::Passed),
        count(Outcome::Failed),
        count(Outcome::Skipped)
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivers::external::conformance::Verdict;

    #[test]
    fn a_node_may_be_given_as_the_api_shows_it() {
        let bare = node_info(r#"{"a": 1}"#).unwrap();
        assert_eq!(node_info(r#"{"driver_info": {"a": 1}}"#).unwrap(), bare);
        assert!(node_info("[]").is_err());
        assert!(node_info(r#"{"driver_info": 1}"#).is_err());
    }

    #[test]
    fn verdicts_stand_in_a_table() {
        let verdict = |check: &str, outcome, detail: &str| Verdict {
            check: check.to_owned(),
            outcome,
            detail: detail.to_owned(),
        };
        let report = Report(vec![
            verdict("hello", Outcome::Passed, ""),
            verdict("ping", Outcome::Failed, "it is silent"),
        ]);
        assert_eq!(
            table(&report),
            "hello  ok\nping   FAILED   it is silent\n1 checks passed, 1 failed, 0 skipped"
        );
        assert!(report.has_failure());
    }
}
