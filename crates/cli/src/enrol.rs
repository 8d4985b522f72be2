//! `corten node enrol --file FILE`: many machines at once, from a table.
//!
//! Everything is checked before anything is written: each row by itself ([`row`]), rows against each
//! other and against what the service has ([`plan`]). If one row is wrong, nothing is written. A
//! machine that is enrolled already is recognised by its BMC or its system's UUID and left as it is,
//! so the same file can be given again after an interruption: what is missing is added, ports
//! included. `corten discover --enrol` comes here as well, with rows that it made itself.
//!
//! Passwords go to the service and nowhere else: no error and no result quotes a value of
//! `driver_info`.

mod bmc;
mod csv;
mod file;
mod plan;
mod provide;
mod row;

use std::path::PathBuf;

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};
use plan::{Planned, RowAction};

pub(crate) fn leaf() -> Leaf {
    Leaf::new(
        "node enrol",
        "Enrol many machines from a table, or say what would be done",
        Enrol::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = HELP)]
struct Enrol {
    /// Table of machines; its name ends in .csv, .yaml, .yml or .json
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
    /// Check everything, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Then check and clean the machines that are in enroll, which erases disks, until they are
    /// available
    #[arg(long, conflicts_with = "dry_run")]
    provide: bool,
    #[command(flatten)]
    output: ListOutput,
}

const HELP: &str = "\
Each row is a machine. Its columns, of which only driver is required:
  name, driver, resource_class, owner, description, conductor_group, boot_interface and so on
  address, username, password     of the BMC, for the drivers ipmi and redfish and their kin
  port                            of the BMC, if it is not the usual one
  system_id, verify_ca            redfish_system_id and redfish_verify_ca
  macs                            of the network cards to boot from, separated by blanks
  properties.X, driver_info.X, extra.X    anything else, by name

Nothing is written if a row is wrong. Machines that are enrolled already are left as they are, so a
file can be given again after an interruption.

Examples:
  corten node enrol --file rack7.csv --dry-run
  corten node enrol --file rack7.csv

Where rack7.csv is:
  name,driver,address,username,password,macs
  web-1,redfish,10.0.0.50,admin,secret,52:54:00:12:34:56
  web-2,ipmi,10.0.0.51,admin,secret,52:54:00:12:34:57 52:54:00:12:34:58
";

/// One machine of a table, by column.
pub(crate) struct Row {
    /// Where it stands, such as `line 3`.
    pub(crate) place: String,
    pub(crate) fields: Map<String, Value>,
}

impl Enrol {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let rows = file::read(&self.file)?;
        let then = match (self.dry_run, self.provide) {
            (true, _) => Then::OnlySay,
            (false, true) => Then::Provide,
            (false, false) => Then::Leave,
        };
        enrol(session, rows, then, Some(&self.output)).await
    }
}

/// How far machines are brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It is only said what would be enrolled.
    OnlySay,
    Leave,
    Provide,
}

/// Checks rows, and enrols their machines unless it is only to be said.
pub(crate) async fn enrol(
    session: &mut Session,
    rows: Vec<Row>,
    then: Then,
    output: Option<&ListOutput>,
) -> Result<(), Error> {
    let mut planned = plan::all(session, rows).await?;
    let wrong = planned.iter().filter(|one| one.fate.is_wrong()).count();
    let mut failed = 0;
    if wrong == 0 && then != Then::OnlySay {
        for one in &mut planned {
            one.fate = write(session, one).await;
            failed += usize::from(one.fate.is_wrong());
        }
    }
    print(session, &planned, output)?;
    let provided = match then {
        Then::Provide if wrong == 0 => {
            let machines = planned.iter().filter_map(Planned::enrolled);
            provide::provide(session, machines.collect()).await
        }
        _ => Ok(()),
    };
    let enrolled = match (wrong, failed) {
        (0, 0) => Ok(()),
        (0, failed) => Err(Error::failed(format!(
            "{failed} of {} machines could not be enrolled",
            planned.len()
        ))
        .with_hint("the same command goes on where this one stopped")),
        (wrong, _) => Err(Error::failed(format!(
            "{wrong} of {} rows cannot be enrolled; nothing was written",
            planned.len()
        ))),
    };
    Error::all(
        [enrolled.err(), provided.err()]
            .into_iter()
            .flatten()
            .collect(),
    )
}

/// Does what is planned for a machine, and says what came of it.
async fn write(session: &Session, planned: &Planned) -> RowAction {
    let (uuid, ports, is_new) = match &planned.fate {
        RowAction::New => match create(session, planned.body()).await {
            Ok(uuid) => (uuid, planned.macs(), true),
            Err(error) => return RowAction::Failed(text(&error)),
        },
        RowAction::Incomplete { uuid, missing } => (uuid.clone(), missing.as_slice(), false),
        other => return other.clone(),
    };
    for (count, mac) in ports.iter().enumerate() {
        if let Err(error) = add_port(session, &uuid, mac).await {
            let text = text(&error);
            return RowAction::Failed(format!(
                "it is enrolled as {uuid} with {count} of {} ports: port {mac}: {text}",
                ports.len()
            ));
        }
    }
    match is_new {
        true => RowAction::Enrolled { uuid },
        false => RowAction::Completed {
            uuid,
            ports: ports.len(),
        },
    }
}

async fn create(session: &Session, body: Map<String, Value>) -> Result<String, Error> {
    let call = Call::new(Method::POST, &["nodes"])?.body(body);
    let answer = session.client.send(&call).await?;
    let uuid = answer.get("uuid").and_then(Value::as_str);
    uuid.map(str::to_owned)
        .ok_or_else(|| Error::failed("the service did not say which UUID it gave"))
}

async fn add_port(session: &Session, node: &str, mac: &str) -> Result<(), Error> {
    let body = json!({"node_uuid": node, "address": mac});
    let call = Call::new(Method::POST, &["ports"])?.body(body);
    session.client.send(&call).await.map(|_| ())
}

fn text(error: &Error) -> String {
    error.message().to_owned()
}

fn print(
    session: &mut Session,
    planned: &[Planned],
    output: Option<&ListOutput>,
) -> Result<(), Error> {
    let names = ["row", "name", "bmc", "result", "detail"];
    let rows: Vec<Vec<Value>> = planned
        .iter()
        .map(|one| {
            let (result, detail) = one.fate.told();
            [&one.place, one.name(), one.bmc(), result, &detail]
                .map(|text| Value::String(text.to_owned()))
                .to_vec()
        })
        .collect();
    match output {
        Some(output) => output::print_list(&mut session.console, output, &names, rows),
        None => output::print_table(&mut session.console, &names, &rows),
    }
}

#[cfg(test)]
mod tests;
