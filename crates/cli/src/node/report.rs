//! What the service can tell of a machine beside its fields: validation, boot device, BIOS
//! settings, firmware, history, inventory, children.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::about;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::listing;
use crate::output::{self, ListOutput, RecordOutput};
use crate::{Session, record};

const BIOS: &[&str] = &["name", "value"];
const BIOS_DETAILED: &[&str] = &[
    "name",
    "value",
    "attribute_type",
    "allowable_values",
    "lower_bound",
    "min_length",
    "max_length",
    "read_only",
    "reset_required",
    "unique",
    "upper_bound",
];
const FIRMWARE: &[&str] = &[
    "component",
    "initial_version",
    "current_version",
    "last_version_flashed",
    "created_at",
    "updated_at",
];
const HISTORY: &[&str] = &["uuid", "created_at", "severity", "event"];
const HISTORY_DETAILED: &[&str] = &[
    "uuid",
    "created_at",
    "severity",
    "event_type",
    "event",
    "conductor",
    "user",
    "project",
    "state",
    "target_provision_state",
    "duration_seconds",
];

pub(super) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "node validate",
            "Say which parts of a machine's configuration would work",
            validate,
        ),
        Leaf::new(
            "node boot device show",
            "Show the device a machine boots from",
            BootDevice::run,
        ),
        Leaf::new(
            "node bios setting list",
            "List BIOS settings",
            BiosList::run,
        ),
        Leaf::new(
            "node bios setting show",
            "Show one BIOS setting",
            BiosShow::run,
        ),
        Leaf::new("node firmware list", "List firmware", firmware),
        Leaf::new(
            "node history list",
            "List what is remembered of a machine",
            HistoryList::run,
        ),
        Leaf::new("node history get", "Show one event", HistoryGet::run),
        Leaf::new(
            "node inventory save",
            "Print what inspection found, or write it to a file",
            Inventory::run,
        ),
        shown(
            "node children list",
            "List the nodes that are parts of a machine",
            &["children"],
        ),
    ]
}

#[derive(Debug, Args)]
struct ListOne {
    /// Name or UUID
    node: String,
    #[command(flatten)]
    output: ListOutput,
}

#[derive(Debug, Args)]
struct ShowOne {
    /// Name or UUID
    node: String,
    #[command(flatten)]
    output: RecordOutput,
}

/// A command that shows the fields of what is below a node, in order.
pub(super) fn shown(
    words: &'static str,
    about_it: &'static str,
    path: &'static [&'static str],
) -> Leaf {
    Leaf::new(
        words,
        about_it,
        async move |show: ShowOne, session: &mut Session| {
            let answer = get(session, &show.node, path).await?;
            let mut shown = record(answer, &["links"])?;
            shown.sort_keys();
            output::print_record(&mut session.console, &show.output, &shown)
        },
    )
}

/// What is below a node.
async fn get(session: &Session, node: &str, path: &[&str]) -> Result<Value, Error> {
    let path: Vec<&str> = ["nodes", node].iter().chain(path).copied().collect();
    let answer = session.client.send(&Call::get(&path)?).await;
    answer.map_err(|error| about(error, node))
}

async fn validate(list: ListOne, session: &mut Session) -> Result<(), Error> {
    let mut interfaces = record(get(session, &list.node, &["validate"]).await?, &[])?;
    interfaces.sort_keys();
    let rows: Vec<Vec<Value>> = interfaces
        .iter()
        .map(|(name, verdict)| {
            let part = |key: &str| verdict.get(key).cloned().unwrap_or_else(|| json!(""));
            vec![json!(name), part("result"), part("reason")]
        })
        .collect();
    let titles = ["Interface", "Result", "Reason"];
    output::print_list(&mut session.console, &list.output, &titles, rows)
}

async fn firmware(list: ListOne, session: &mut Session) -> Result<(), Error> {
    let call = Call::get(&["nodes", &list.node, "firmware"])?;
    let found = session.client.list(&call, "firmware", None).await;
    let found = found.map_err(|error| about(error, &list.node))?;
    listing::print(session, &list.output, FIRMWARE, &found)
}

#[derive(Debug, Args)]
struct BootDevice {
    /// Show the devices it could boot from
    #[arg(long)]
    supported: bool,
    #[command(flatten)]
    show: ShowOne,
}

impl BootDevice {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut path = vec!["management", "boot_device"];
        path.extend(self.supported.then_some("supported"));
        let mut shown = record(get(session, &self.show.node, &path).await?, &[])?;
        output::join_lists(&mut shown);
        shown.sort_keys();
        output::print_record(&mut session.console, &self.show.output, &shown)
    }
}

#[derive(Debug, Args)]
struct BiosList {
    /// Name or UUID
    node: String,
    /// Show everything about them
    #[arg(long, conflicts_with = "fields")]
    long: bool,
    /// Fetch and show only these fields
    #[arg(
        long,
        value_name = "FIELD",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = clap::builder::PossibleValuesParser::new(BIOS_DETAILED),
        hide_possible_values = true
    )]
    fields: Vec<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl BiosList {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::get(&["nodes", &self.node, "bios"])?
            .fields(&self.fields)
            .query_if("detail", self.long.then_some("True"));
        let settings = session.client.list(&call, "bios", None).await;
        let settings = settings.map_err(|error| about(error, &self.node))?;
        let asked: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        let shown = match (self.long, asked.is_empty()) {
            (true, _) => BIOS_DETAILED,
            (false, true) => BIOS,
            (false, false) => &asked,
        };
        listing::print(session, &self.output, shown, &settings)
    }
}

#[derive(Debug, Args)]
struct BiosShow {
    /// Name or UUID
    node: String,
    /// Name of the setting
    #[arg(value_name = "SETTING")]
    setting_name: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl BiosShow {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut answer = get(session, &self.node, &["bios", &self.setting_name]).await?;
        // The setting stands under its own name.
        let setting = answer
            .get_mut(&self.setting_name)
            .map(Value::take)
            .unwrap_or(answer);
        let shown = record(setting, &["links"])?;
        output::print_record(&mut session.console, &self.output, &shown)
    }
}

#[derive(Debug, Args)]
struct HistoryList {
    /// Show everything about each event
    #[arg(long)]
    long: bool,
    #[command(flatten)]
    list: ListOne,
}

impl HistoryList {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::get(&["nodes", &self.list.node, "history"])?;
        let call = call.query_if("detail", self.long.then_some("True"));
        let events = session.client.list(&call, "history", None).await;
        let events = events.map_err(|error| about(error, &self.list.node))?;
        let shown = if self.long { HISTORY_DETAILED } else { HISTORY };
        listing::print(session, &self.list.output, shown, &events)
    }
}

#[derive(Debug, Args)]
struct HistoryGet {
    /// Name or UUID
    node: String,
    /// UUID of the event
    event: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl HistoryGet {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let answer = get(session, &self.node, &["history", &self.event]).await?;
        let shown = record(answer, &["links"])?;
        output::print_record(&mut session.console, &self.output, &shown)
    }
}

#[derive(Debug, Args)]
struct Inventory {
    /// Name or UUID
    node: String,
    /// File to write to; standard output if not given
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Inventory {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let text = super::inventory::get(session, &self.node)
            .await?
            .to_string();
        match self.file {
            None => session.console.line(&text),
            Some(file) => std::fs::write(&file, text).map_err(|error| {
                Error::failed(format!("cannot write {}: {error}", file.display()))
            }),
        }
    }
}
