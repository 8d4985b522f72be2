//! The verbs that move machines between provision states.
//!
//! All are one request with a different target; what they take along differs.

use clap::{ArgGroup, Args};
use reqwest::Method;
use serde_json::{Map, Value};

use super::deploy::{self, Instance};
use super::wait::{End, Wait};
use super::{Names, for_each};
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::input;

/// The moves that take nothing along: the verb, the target it asks for, what it does.
const PLAIN: &[(&str, &str, &str)] = &[
    (
        "manage",
        "manage",
        "Check that a machine can be controlled: enroll to manageable",
    ),
    (
        "provide",
        "provide",
        "Offer a machine for use, after cleaning it: manageable to available",
    ),
    ("inspect", "inspect", "Find out what hardware a machine has"),
    (
        "adopt",
        "adopt",
        "Take over a machine that is in use already, as it is",
    ),
    (
        "undeploy",
        "deleted",
        "Take a machine back: active to available",
    ),
    (
        "unrescue",
        "unrescue",
        "Boot a rescued machine into its own system again",
    ),
];

/// The same for moves nobody can wait for, since where they end depends on where they began.
const AT_ONCE: &[(&str, &str, &str)] = &[
    ("abort", "abort", "Stop what is going on"),
    ("unhold", "unhold", "Go on after a hold step"),
];

pub(super) fn leaves() -> Vec<Leaf> {
    let plain = PLAIN.iter().map(|&(verb, target, about)| {
        Leaf::new(
            format!("node {verb}"),
            about,
            async move |plain: Plain, session: &mut Session| {
                move_to(session, &plain.names, target, Map::new(), plain.wait).await
            },
        )
    });
    let at_once = AT_ONCE.iter().map(|&(verb, target, about)| {
        Leaf::new(
            format!("node {verb}"),
            about,
            async move |names: Names, session: &mut Session| {
                ask(session, &names.nodes, target, Map::new()).await
            },
        )
    });
    let mut leaves: Vec<Leaf> = plain.chain(at_once).collect();
    leaves.extend([
        Leaf::new(
            "node clean",
            "Run clean steps by hand on a manageable machine",
            Clean::run,
        ),
        Leaf::new(
            "node deploy",
            "Write an image to a machine and boot it: available to active",
            async |deploy: Deploy, session: &mut Session| deploy.run("active", session).await,
        ),
        Leaf::new(
            "node rebuild",
            "Write the image again, on a machine in use",
            async |deploy: Deploy, session: &mut Session| deploy.run("rebuild", session).await,
        ),
        Leaf::new(
            "node rescue",
            "Boot a machine in use into a rescue system",
            Rescue::run,
        ),
        Leaf::new(
            "node service",
            "Run service steps on a machine in use",
            Service::run,
        ),
    ]);
    leaves
}

/// A move that takes nothing along.
#[derive(Debug, Args)]
struct Plain {
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    wait: Wait,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  corten node deploy m1 --image debian-13 --ssh-key ~/.ssh/id_ed25519.pub --hostname web-1 --wait
  corten node deploy m1 --image debian-13 --network web-1.yaml --disk 'size>=400,rotational=false'
  corten node deploy m1 --wait 1800
  corten node deploy m1 --config-drive '{\"meta_data\": {\"hostname\": \"m1\"}}'
  corten node deploy m1 --deploy-steps steps.yaml

Without --image, what is deployed stands in the node's instance_info: see `corten node set --help`.
With any of --image, --disk, --ssh-key, --hostname, --user-data and --network the service is asked
first what it would do (see `corten node plan`); what it would refuse is not begun, and the node stays as
it was. Of several nodes, those that can be deployed are.
")]
struct Deploy {
    #[command(flatten)]
    names: Names,
    #[command(flatten)]
    instance: Instance,
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
struct Clean {
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
struct Service {
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
struct Rescue {
    #[command(flatten)]
    names: Names,
    /// Password to log in to the rescue system with
    #[arg(long, value_name = "PASSWORD")]
    rescue_password: String,
    #[command(flatten)]
    wait: Wait,
}

impl Deploy {
    async fn run(self, target: &str, session: &mut Session) -> Result<(), Error> {
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
        let nodes = &self.names.nodes;
        let Some(prepared) = self.instance.prepare(nodes)? else {
            return move_to(session, &self.names, target, extra, self.wait).await;
        };
        let (mut begun, mut errors) = (Vec::new(), Vec::new());
        for node in nodes {
            match deploy::deploy(session, node, target, &prepared, &extra).await {
                Ok(()) => begun.push(node.clone()),
                Err(error) => errors.push(error),
            }
        }
        if !begun.is_empty() {
            let end = End::of(end_of(target)).at(prepared.address());
            errors.extend(self.wait.run_to(session, &begun, end).await.err());
        }
        Error::all(errors)
    }
}

impl Clean {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let steps = self.clean_steps.as_deref();
        let steps = steps
            .map(|steps| input::steps(steps, "clean steps"))
            .transpose()?;
        let extra = by_hand("clean_steps", steps, self.runbook, self.disable_ramdisk);
        move_to(session, &self.names, "clean", extra, self.wait).await
    }
}

impl Service {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let steps = self.service_steps.as_deref();
        let steps = steps
            .map(|steps| input::steps(steps, "service steps"))
            .transpose()?;
        let extra = by_hand("service_steps", steps, self.runbook, self.disable_ramdisk);
        move_to(session, &self.names, "service", extra, self.wait).await
    }
}

impl Rescue {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut extra = Map::new();
        extra.insert(
            "rescue_password".to_owned(),
            Value::String(self.rescue_password),
        );
        let nodes = &self.names.nodes;
        ask(session, nodes, "rescue", extra).await?;
        self.wait.run_to(session, nodes, End::of("rescue")).await
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

async fn move_to(
    session: &mut Session,
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
