//! `corten apply FILE…`: nodes, ports, port groups, deploy templates and runbooks as files say.
//!
//! The files ([`file`]) are compared with what the service shows ([`plan`]); the differences are
//! shown ([`show`]) and, if the caller agrees, written ([`write`]). Only what files name is
//! compared: a field, or a key of an object, that is in no file stays as it is.
//!
//! What an apply wrote carries the name of its set of files in `extra`, so that `--prune` can tell
//! what the files described once from what others made.

mod change;
mod file;
mod kind;
mod known;
mod plan;
mod show;
#[cfg(test)]
mod tests;
mod write;

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use clap::Args;

use crate::Session;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{LineFormat, LineOutput};
use known::Known;
use plan::Permissions;

/// The key of `extra` under which the set of files stands.
const MARK: &str = "corten_set";

pub(crate) fn leaf() -> Leaf {
    Leaf::new(
        "apply",
        "Make nodes, ports, templates and runbooks what files say",
        Apply::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = HELP)]
struct Apply {
    /// Files that end in .yaml, .yml or .json
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Show what would be done, and change nothing
    #[arg(long)]
    plan: bool,
    /// Do not ask before changing something
    #[arg(long, conflicts_with = "plan")]
    yes: bool,
    /// Delete what an earlier apply of this set made and no file describes any more
    #[arg(long)]
    prune: bool,
    /// Write all secrets too: the service masks them, so that a difference cannot be seen
    #[arg(long)]
    set_secrets: bool,
    #[command(flatten)]
    output: LineOutput,
}

const HELP: &str = "\
The plan is shown first; on a terminal the command then asks, elsewhere it wants --yes or --plan. A
field that no file names stays as it is; null takes a value away. Applied again, the same files
change nothing. Nothing is deleted without --prune, and nothing that was made otherwise ever is.

Examples:
  corten apply rack7.yaml --plan
  corten apply rack7.yaml templates.yaml
  corten apply rack7.yaml --prune --yes

Where rack7.yaml is:
  set: rack7
  nodes:
  - name: web-1
    driver: redfish
    driver_info: {redfish_address: https://10.0.0.50, redfish_username: admin, redfish_password: secret}
    traits: [CUSTOM_SSD]
    ports:
    - address: 52:54:00:12:34:56
  deploy_templates:
  - name: CUSTOM_SSD
    steps:
    - {interface: bios, step: factory_reset, priority: 150}

docs/operate/apply.md has all fields.";

impl Apply {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let desired = file::read(&self.files)?;
        let known = Known::ask(session, &desired.resources).await?;
        let set = desired.set.clone();
        let may = Permissions {
            prune: self.prune,
            set_secrets: self.set_secrets,
        };
        let plan = plan::make(desired, &known, may)?;
        let shown = match self.output.format {
            LineFormat::Table => show::text(&plan, session.console.colour),
            LineFormat::Json => show::json(&plan),
        };
        session.console.print(&shown)?;
        if self.plan || plan.steps.is_empty() {
            return Ok(());
        }
        if !self.yes && !confirmed(session)? {
            return Err(Error::failed("nothing was changed"));
        }
        write::all(session, plan, &set).await
    }
}

/// Longer than any answer to the question.
const LONGEST_ANSWER: u64 = 64;

fn confirmed(session: &Session) -> Result<bool, Error> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return Err(Error::usage(
            "there is no terminal to ask at: say --yes to apply this, or --plan to look only",
        ));
    }
    session.console.note("Apply this? Type yes:");
    let mut answer = String::new();
    std::io::Read::take(input.lock(), LONGEST_ANSWER)
        .read_line(&mut answer)
        .map_err(|error| Error::failed(format!("cannot read the answer: {error}")))?;
    Ok(matches!(answer.trim(), "yes" | "y"))
}
