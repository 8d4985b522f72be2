//! `corten batch`: one verb for many machines, in waves, by the service.

mod watch;

use clap::{Args, ValueEnum};
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::input;
use crate::output::{self, ListOutput, RecordOutput};
use crate::{Session, record};

pub(crate) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "batch create",
            "Do something with many machines in waves",
            Create::run,
        ),
        Leaf::new("batch list", "List batches", List::run),
        Leaf::new("batch show", "Show a batch and how far it is", Show::run),
        Leaf::new(
            "batch nodes",
            "List the machines of a batch and how each of them fares",
            Nodes::run,
        ),
        Leaf::new(
            "batch watch",
            "Follow a batch to its end",
            watch::Watch::run,
        ),
        Leaf::new(
            "batch pause",
            "Begin with no more machines until the batch is resumed",
            async |batch: Batch, session: &mut Session| batch.change("pause", session).await,
        ),
        Leaf::new(
            "batch resume",
            "Go on with a batch that was paused, or that stopped after failures",
            async |batch: Batch, session: &mut Session| batch.change("resume", session).await,
        ),
        Leaf::new(
            "batch abort",
            "Begin with no more machines; those at work go on to their end",
            async |batch: Batch, session: &mut Session| batch.change("abort", session).await,
        ),
        Leaf::new("batch rm", "Remove batches that have ended", Remove::run),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Action {
    /// A provision verb: manage, provide, inspect, clean, active, deleted, …
    Provision,
    /// A power state: "power on", "power off", rebooting, …
    Power,
    /// on or off
    Maintenance,
}

impl Action {
    fn word(self) -> &'static str {
        match self {
            Self::Provision => "provision",
            Self::Power => "power",
            Self::Maintenance => "maintenance",
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  corten batch create provision manage --where 'state:enroll' --dry-run
  corten batch create provision manage --where 'state:enroll'
  corten batch create provision clean m1 m2 m3 --clean-steps steps.yaml --wave 1 --wave 50%
  corten batch create power 'power off' --where 'class:old' --at-once 5 --max-failures 3
  corten batch create maintenance on m1 m2 --reason 'new switch'

Without --wave the first wave is one machine, the second 10 % of all, the third the rest. A wave begins
when all machines of the one before have come to their end. Without --max-failures the batch stops
before the next wave when one has failed; `corten batch resume` has it go on.
")]
struct Create {
    /// What kind of thing to do
    action: Action,
    /// What is asked for: the verb, the power state, or on or off
    target: String,
    /// Names or UUIDs
    #[arg(
        value_name = "NODE",
        conflicts_with = "filter",
        required_unless_present = "filter"
    )]
    nodes: Vec<String>,
    /// All machines that fit this query, as in `corten node list --where`
    #[arg(long = "where", id = "filter", value_name = "QUERY")]
    filter: Option<String>,
    /// Size of a wave: a number, a share such as 10%, or rest; can be given several times
    #[arg(long = "wave", value_name = "SIZE")]
    waves: Vec<String>,
    /// How many machines may be at work at a time (20)
    #[arg(long, value_name = "NUMBER")]
    at_once: Option<u32>,
    /// Stop as soon as more than so many have failed, and not between waves
    #[arg(long, value_name = "NUMBER")]
    max_failures: Option<u32>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Tell what would happen, and do nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    arguments: Arguments,
    #[command(flatten)]
    output: RecordOutput,
}

/// What some verbs take along.
#[derive(Debug, Args)]
#[command(next_help_heading = "What some verbs take along")]
struct Arguments {
    /// Config drive for all of them, as for `corten node deploy`
    #[arg(long, value_name = "DRIVE")]
    config_drive: Option<String>,
    /// Steps to run besides the usual ones: JSON, a file, or - for input
    #[arg(long, value_name = "STEPS")]
    deploy_steps: Option<String>,
    /// Steps to run: JSON, a file, or - for input
    #[arg(long, value_name = "STEPS")]
    clean_steps: Option<String>,
    /// Steps to run: JSON, a file, or - for input
    #[arg(long, value_name = "STEPS")]
    service_steps: Option<String>,
    /// A runbook that holds the steps
    #[arg(long, value_name = "RUNBOOK")]
    runbook: Option<String>,
    /// Do not boot the agent; only steps that can do without it run
    #[arg(long)]
    disable_ramdisk: bool,
    /// Password to log in to the rescue system with
    #[arg(long, value_name = "PASSWORD")]
    rescue_password: Option<String>,
    /// How many seconds a change of power may take
    #[arg(long, value_name = "SECONDS")]
    power_timeout: Option<u32>,
    /// Why machines are in maintenance
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Arguments {
    fn into_map(self, target: String) -> Result<Map<String, Value>, Error> {
        let mut map = Map::new();
        map.insert("target".to_owned(), Value::String(target));
        if let Some(drive) = &self.config_drive {
            map.insert("configdrive".to_owned(), input::config_drive(drive)?);
        }
        for (key, what, given) in [
            ("deploy_steps", "deploy steps", &self.deploy_steps),
            ("clean_steps", "clean steps", &self.clean_steps),
            ("service_steps", "service steps", &self.service_steps),
        ] {
            if let Some(given) = given {
                map.insert(key.to_owned(), input::steps(given, what)?);
            }
        }
        for (key, text) in [
            ("runbook", self.runbook),
            ("rescue_password", self.rescue_password),
            ("reason", self.reason),
        ] {
            map.extend(text.map(|text| (key.to_owned(), Value::String(text))));
        }
        map.extend(
            self.disable_ramdisk
                .then(|| ("disable_ramdisk".to_owned(), json!(true))),
        );
        map.extend(
            self.power_timeout
                .map(|seconds| ("timeout".to_owned(), json!(seconds))),
        );
        Ok(map)
    }
}

impl Create {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            body.extend(value.map(|value| (key.to_owned(), value)));
        };
        put("action", Some(json!(self.action.word())));
        put(
            "arguments",
            Some(self.arguments.into_map(self.target)?.into()),
        );
        put("query", self.filter.map(Value::String));
        put(
            "nodes",
            Some(self.nodes).filter(|n| !n.is_empty()).map(Into::into),
        );
        put(
            "waves",
            Some(self.waves).filter(|w| !w.is_empty()).map(Into::into),
        );
        put("at_once", self.at_once.map(Into::into));
        put("max_failures", self.max_failures.map(Into::into));
        put("description", self.description.map(Value::String));
        let call = Call::own(Method::POST, &["batches"])?.body(body);
        if !self.dry_run {
            let made = record(session.client.send(&call).await?, &["cursor"])?;
            return output::print_record(&mut session.console, &self.output, &flat(made));
        }
        let answer = session.client.send(&call.query("dry_run", true)).await?;
        let planned = record(answer, &[])?;
        for node in planned
            .get("nodes")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            session.console.line(&planned_line(node))?;
        }
        let number = |key: &str| planned.get(key).and_then(Value::as_u64).unwrap_or(0);
        let left_out = match number("left_out") {
            0 => String::new(),
            count => format!(", {count} not looked at"),
        };
        session.console.line(&format!(
            "{} machines: {} would accept, {} would refuse{left_out}. Nothing was done.",
            number("node_count"),
            number("accepted"),
            number("refused"),
        ))
    }
}

fn planned_line(node: &Value) -> String {
    let text = |key: &str| node.get(key).and_then(Value::as_str);
    let name = text("name").or_else(|| text("node")).unwrap_or_default();
    let wave = node.get("wave").and_then(Value::as_u64).unwrap_or(0);
    let refusal = node.pointer("/refusal/text").and_then(Value::as_str);
    let states = node.get("states").and_then(Value::as_array);
    let states: Vec<&str> = states
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let what = match refusal {
        Some(text) => format!("refused: {text}"),
        None => states.join(" -> "),
    };
    format!("wave {wave}  {name:20}  {what}")
        .trim_end()
        .to_owned()
}

/// Counts as fields of their own, and waves as words.
fn flat(mut batch: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(counts)) = batch.remove("counts") {
        batch.extend(counts);
    }
    output::join_lists(&mut batch);
    batch
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    output: ListOutput,
}

impl List {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["batches"])?;
        let answer = session.client.send(&call).await?;
        let columns = [
            "uuid",
            "action",
            "target",
            "state",
            "node_count",
            "done",
            "failed",
            "created_at",
            "description",
        ];
        let batches = answer.get("batches").and_then(Value::as_array);
        let rows = batches.into_iter().flatten().map(|batch| {
            let cell = |column: &&str| {
                let own = batch.get(*column);
                let counted = batch.get("counts").and_then(|counts| counts.get(*column));
                own.or(counted).cloned().unwrap_or_default()
            };
            columns.iter().map(cell).collect()
        });
        let rows = rows.collect();
        output::print_list(&mut session.console, &self.output, &columns, rows)
    }
}

#[derive(Debug, Args)]
struct Show {
    /// UUID
    batch: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl Show {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["batches", &self.batch])?;
        let shown = record(session.client.send(&call).await?, &["cursor"])?;
        output::print_record(&mut session.console, &self.output, &flat(shown))
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  corten batch nodes 6d0e6f0e-6f0a-4d53-9b1b-0f1d7c6f0001 --state failed
")]
struct Nodes {
    /// UUID
    batch: String,
    /// Only those in this state: waiting, asked, running, done, failed or skipped
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Nodes {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let columns = [
            "node", "name", "wave", "state", "reason", "asked_at", "ended_at",
        ];
        let mut rows = Vec::new();
        let mut after = None;
        loop {
            let call = Call::own(Method::GET, &["batches", &self.batch, "nodes"])?
                .query_if("state", self.state.as_deref())
                .query_if("after", after)
                .query("limit", 1000);
            let answer = session.client.send(&call).await?;
            let page = answer.get("nodes").and_then(Value::as_array);
            rows.extend(page.into_iter().flatten().map(|node| {
                let cell = |column: &&str| node.get(*column).cloned().unwrap_or_default();
                columns.iter().map(cell).collect()
            }));
            after = answer.get("next").and_then(Value::as_i64);
            if after.is_none() {
                break;
            }
        }
        output::print_list(&mut session.console, &self.output, &columns, rows)
    }
}

#[derive(Debug, Args)]
struct Batch {
    /// UUID
    batch: String,
}

impl Batch {
    async fn change(self, verb: &str, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::POST, &["batches", &self.batch, verb])?;
        session.client.send(&call).await.map(|_| ())
    }
}

#[derive(Debug, Args)]
struct Remove {
    /// UUIDs
    #[arg(required = true, value_name = "BATCH")]
    batches: Vec<String>,
}

impl Remove {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut errors = Vec::new();
        for batch in &self.batches {
            let call = Call::own(Method::DELETE, &["batches", batch])?;
            match session.client.send(&call).await {
                Ok(_) => session.console.line(&format!("Removed batch {batch}"))?,
                Err(error) => errors.push(error.about(format!("batch {batch}"))),
            }
        }
        Error::all(errors)
    }
}

#[cfg(test)]
mod tests;
