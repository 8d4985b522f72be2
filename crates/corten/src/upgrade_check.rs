//! `ironic-status upgrade check`, for scripts that ask before they go on: can this program serve with
//! this configuration and this database. Table and exit codes are those of oslo.upgradecheck.

use crate::{args, console::print, db::DatabaseConfig, settings, sources};
use config::Config;
use std::{ffi::OsString, process::ExitCode};
use store::{SchemaState, schema_version};

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Code {
    Success = 0,
    Warning = 1,
    Failure = 2,
}

/// `words` say where the configuration is.
pub(crate) fn run(words: Vec<OsString>) -> anyhow::Result<ExitCode> {
    let common = args::Common::from_words(words)?;
    let mut results = Vec::new();
    match sources::load(&common) {
        Err(error) => results.push(("Configuration", Code::Failure, error.to_string())),
        Ok((config, warnings)) => {
            let (code, text) = match &warnings[..] {
                [] => (Code::Success, String::new()),
                [first, ..] => (
                    Code::Warning,
                    format!("{} options do not act; the first: {first}", warnings.len()),
                ),
            };
            results.push(("Configuration", code, text));
            let (code, text) = hardware(&config);
            results.push(("Hardware types", code, text));
            let (code, text) = schema(&config);
            results.push(("Database schema", code, text));
        }
    }
    print(&table(&results))?;
    let worst = results.iter().map(|(_, code, _)| *code).max();
    Ok(ExitCode::from(worst.unwrap_or(Code::Success) as u8))
}

fn hardware(config: &Config) -> (Code, String) {
    let hardware = settings::hardware(config).map_err(anyhow::Error::from);
    match hardware.and_then(|hardware| settings::with_drivers(hardware, config)) {
        Err(error) => (Code::Failure, format!("{error:#}")),
        Ok(hardware) => match drivers::Registry::new(&hardware) {
            Ok(_) => (Code::Success, String::new()),
            Err(error) => (Code::Failure, error.to_string()),
        },
    }
}

fn schema(config: &Config) -> (Code, String) {
    let found = DatabaseConfig::of(config).map_err(anyhow::Error::from);
    let mine = schema_version();
    match found.and_then(|place| place.found()) {
        Err(error) => (Code::Failure, format!("{error:#}")),
        Ok(SchemaState::Empty) => (
            Code::Warning,
            "There is no schema yet; 'ironic-dbsync upgrade' makes it".to_owned(),
        ),
        Ok(SchemaState::Version(version)) if version < mine => (
            Code::Failure,
            format!(
                "The schema has version {version}, and {mine} is needed: run 'ironic-dbsync upgrade'"
            ),
        ),
        Ok(SchemaState::Version(_)) => (Code::Success, String::new()),
    }
}

fn table(results: &[(&str, Code, String)]) -> String {
    let mut cells = vec![vec!["Upgrade Check Results".to_owned()]];
    for (name, code, text) in results {
        let details = if text.is_empty() { "None" } else { text };
        cells.push(vec![
            format!("Check: {name}"),
            format!("Result: {code:?}"),
            format!("Details: {details}"),
        ]);
    }
    let lines = cells.iter().flatten();
    let width = lines.map(|line| line.chars().count()).max().unwrap_or(0);
    let rule = format!("+{}+", "-".repeat(width + 2));
    let mut out = rule.clone();
    for cell in &cells {
        for line in cell {
            out.push_str(&format!("\n| {line:width$} |"));
        }
        out.push('\n');
        out.push_str(&rule);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_a_table() {
        let results = [
            ("Database schema", Code::Success, String::new()),
            ("X", Code::Failure, "no".to_owned()),
        ];
        let expected = "\
+------------------------+
| Upgrade Check Results  |
+------------------------+
| Check: Database schema |
| Result: Success        |
| Details: None          |
+------------------------+
| Check: X               |
| Result: Failure        |
| Details: no            |
+------------------------+";
        assert_eq!(table(&results), expected);
    }
}
