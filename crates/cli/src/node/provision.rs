//! The verbs that move machines between provision states.
//!
//! All are one request with a different target; what they take along differs.

use clap::{ArgGroup, Args};
use reqwest::Method;
use serde_json::{Map, Value};

use super::wait::Wait;
use super::{Names, for_each};
use crate::Session;
use crate::client::Call;
use crate::error::Error;
use crate::input;

/// A move that takes nothing along.
#[derive(Debug, Args)]
pub(crate) struct Plain {
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    wait: Wait,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  corten node deploy m1 --wait 1800
  corten node deploy m1 --config-drive '{\"meta_data\": {\"hostname\": \"m1\"}}'
  corten node deploy m1 --deploy-steps steps.yaml

What is deployed stands in the node's instance_info: see `corten node set --help`.
")]
pub(crate) struct Deploy {
    #[command(flatten)]
    names: Names,
    /// Config drive: a JSON object to build one from, a file with such an object or with a
    /// gzipped image, base64 of the latter, or an address to fetch it from
    #[arg(long, value_name = "DRIVE")]
    config_drive: Option<String>,
    /// Steps to run besides the usual ones: JSON, a file, or - for input
    #[arg(long, value_name = "STEPS")]
    deploy_steps: Option<String>,
    #[command(flatten)]
    wait: Wait,
}

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").args(["clean_steps", "runbook"]).required(true),
    after_help = "\
Example:
  corten node clean m1 --clean-steps '[{\"interface\": \"deploy\", \"step\": \"erase_devices_metadata\"}]'
"
)]
pub(crate) struct Clean {
    #[command(flatten)]
    names: Names,
    /// Steps to run: JSON, a file, or - for input
    #[arg(long, value_name = "STEPS")]
    clean_steps: Option<String>,
    /// A runbook that holds the steps
    #[arg(long, value_name = "RUNBOOK", conflicts_with = "disable_ramdisk")]
    runbook: Option<String>,
    /// Do not boot the agent; only steps that can do without it run
    #[arg(long)]
    disable_ramdisk: bool,
    #[command(flatten)]
    wait: Wait,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").args(["service_steps", "runbook"]).required(true))]
pub(crate) struct Service {
    #[command(flatten)]
    names: Names,
    /// Steps to run: JSON, a file, or - for input
    #[arg(long, value_name = "STEPS")]
    service_steps: Option<String>,
    /// A runbook that holds the steps
    #[arg(long, value_name = "RUNBOOK", conflicts_with = "disable_ramdisk")]
    runbook: Option<String>,
    /// Do not boot the agent; only steps that can do without it run
    #[arg(long)]
    disable_ramdisk: bool,
    #[command(flatten)]
    wait: Wait,
}

#[derive(Debug, Args)]
pub(crate) struct Rescue {
    #[command(flatten)]
    names: Names,
    /// Password to log in to the rescue system with
    #[arg(long, value_name = "PASSWORD")]
    rescue_password: String,
    #[command(flatten)]
    wait: Wait,
}

impl Plain {
    pub(super) async fn run(self, session: &Session, target: &str) -> Result<(), Error> {
        move_to(session, &self.names, target, Map::new(), self.wait).await
    }
}

impl Deploy {
    pub(super) async fn run(self, session: &Session, target: &str) -> Result<(), Error> {
        let mut extra = Map::new();
        if let Some(drive) = &self.config_drive {
            extra.insert("configdrive".to_owned(), input::config_drive(drive)?);
        }
        if let Some(steps) = &self.deploy_steps {
            extra.insert(
                "deploy_steps".to_owned(),
                input::steps(steps, "deploy steps")?,
            );
        }
        move_to(session, &self.names, target, extra, self.wait).await
    }
}

impl Clean {
    pub(super) async fn run(self, session: &Session) -> Result<(), Error> {
        let steps = self.clean_steps.as_deref();
        let steps = steps
            .map(|steps| input::steps(steps, "clean steps"))
            .transpose()?;
        let extra = by_hand("clean_steps", steps, self.runbook, self.disable_ramdisk);
        move_to(session, &self.names, "clean", extra, self.wait).await
    }
}

impl Service {
    pub(super) async fn run(self, session: &Session) -> Result<(), Error> {
        let steps = self.service_steps.as_deref();
        let steps = steps
            .map(|steps| input::steps(steps, "service steps"))
            .transpose()?;
        let extra = by_hand("service_steps", steps, self.runbook, self.disable_ramdisk);
        move_to(session, &self.names, "service", extra, self.wait).await
    }
}

impl Rescue {
    pub(super) async fn run(self, session: &Session) -> Result<(), Error> {
        let mut extra = Map::new();
        extra.insert(
            "rescue_password".to_owned(),
            Value::String(self.rescue_password),
        );
        move_to(session, &self.names, "rescue", extra, self.wait).await
    }
}

/// What cleaning and servicing take along.
fn by_hand(
    key: &str,
    steps: Option<Value>,
    runbook: Option<String>,
    disable_ramdisk: bool,
) -> Map<String, Value> {
    let mut extra = Map::new();
    extra.extend(steps.map(|steps| (key.to_owned(), steps)));
    extra.extend(runbook.map(|runbook| ("runbook".to_owned(), Value::String(runbook))));
    extra.extend(disable_ramdisk.then(|| ("disable_ramdisk".to_owned(), Value::Bool(true))));
    extra
}

/// Asks for a move that nobody can wait for, since where it ends depends on where it began.
pub(super) async fn request(
    session: &Session,
    nodes: &[String],
    target: &str,
) -> Result<(), Error> {
    ask(session, nodes, target, Map::new()).await
}

async fn move_to(
    session: &Session,
    names: &Names,
    target: &str,
    extra: Map<String, Value>,
    wait: Wait,
) -> Result<(), Error> {
    ask(session, &names.nodes, target, extra).await?;
    wait.run(session, &names.nodes, end_of(target)).await
}

async fn ask(
    session: &Session,
    nodes: &[String],
    target: &str,
    extra: Map<String, Value>,
) -> Result<(), Error> {
    let mut body = Map::new();
    body.insert("target".to_owned(), Value::String(target.to_owned()));
    body.extend(extra);
    for_each(session, nodes, |node| {
        let call = Call::new(Method::PUT, &["nodes", node, "states", "provision"])?;
        Ok(call.body(body.clone()))
    })
    .await
}

/// The state in which a move has succeeded.
fn end_of(target: &str) -> &'static str {
    match target {
        "provide" | "deleted" => "available",
        "rescue" => "rescue",
        "active" | "rebuild" | "adopt" | "unrescue" | "service" => "active",
        _ => "manageable",
    }
}
