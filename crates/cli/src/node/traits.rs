//! `corten node trait`: what schedulers may ask of a machine.
//!
//! The stock client knows both `trait add` and `add trait`, and so does this one.

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::Value;

use super::about;
use crate::Session;
use crate::client::Call;
use crate::error::Error;
use crate::output::{self, Column, OutputArgs};

#[derive(Debug, Args)]
pub(crate) struct Traits {
    #[command(subcommand)]
    verb: TraitVerb,
}

#[derive(Debug, Subcommand)]
enum TraitVerb {
    /// List a machine's traits
    List {
        /// Name or UUID
        node: String,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Add traits to a machine
    Add(Added),
    /// Remove traits from a machine
    Remove(Removed),
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    #[command(subcommand)]
    what: AddWhat,
}

#[derive(Debug, Subcommand)]
enum AddWhat {
    /// Add traits to a machine
    Trait(Added),
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    #[command(subcommand)]
    what: RemoveWhat,
}

#[derive(Debug, Subcommand)]
enum RemoveWhat {
    /// Remove traits from a machine
    Trait(Removed),
}

#[derive(Debug, Args)]
struct Added {
    /// Name or UUID
    node: String,
    /// Traits, such as HW_CPU_X86_VMX or CUSTOM_GPU
    #[arg(value_name = "TRAIT", required = true)]
    traits: Vec<String>,
}

#[derive(Debug, Args)]
struct Removed {
    /// Name or UUID
    node: String,
    /// Remove them all
    #[arg(long, conflicts_with = "traits")]
    all: bool,
    /// Traits to remove
    #[arg(value_name = "TRAIT", required_unless_present = "all")]
    traits: Vec<String>,
}

impl Traits {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        match self.verb {
            TraitVerb::List { node, output } => list(session, &node, &output).await,
            TraitVerb::Add(added) => added.run(session).await,
            TraitVerb::Remove(removed) => removed.run(session).await,
        }
    }
}

impl Add {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        let AddWhat::Trait(added) = self.what;
        added.run(session).await
    }
}

impl Remove {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        let RemoveWhat::Trait(removed) = self.what;
        removed.run(session).await
    }
}

async fn list(session: &mut Session, node: &str, output: &OutputArgs) -> Result<(), Error> {
    let call = Call::get(&["nodes", node, "traits"])?;
    let traits = session.client.list(&call, "traits", None).await;
    let rows: Vec<Vec<Value>> = traits
        .map_err(|error| about(error, node))?
        .into_iter()
        .map(|name| vec![name])
        .collect();
    output::print_list(
        &mut session.console,
        output,
        &[Column::field("traits")],
        &rows,
    )
}

impl Added {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        each(session, &self.node, &self.traits, Method::PUT, "Added").await
    }
}

impl Removed {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        if self.all {
            let call = Call::new(Method::DELETE, &["nodes", &self.node, "traits"])?;
            session
                .client
                .send(&call)
                .await
                .map_err(|error| about(error, &self.node))?;
            return Ok(());
        }
        each(session, &self.node, &self.traits, Method::DELETE, "Removed").await
    }
}

/// Does one thing with each trait; one that fails does not keep the others from their turn.
async fn each(
    session: &mut Session,
    node: &str,
    traits: &[String],
    method: Method,
    done: &str,
) -> Result<(), Error> {
    let mut failures = Vec::new();
    for name in traits {
        let call = Call::new(method.clone(), &["nodes", node, "traits", name])?;
        match session.client.send(&call).await {
            Ok(_) => session.console.line(&format!("{done} trait {name}"))?,
            Err(error) => failures.push(error.about(format!("node {node}: trait {name}"))),
        }
    }
    Error::all(failures)
}
