//! `corten node …`: everything about machines.

mod boot;
mod change;
mod create;
mod field;
mod history;
mod list;
mod power;
mod provision;
mod show;
mod traits;
mod validate;
mod wait;

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::json;

use crate::client::Call;
use crate::error::Error;
use crate::watch;
use crate::{Session, help_footer};

pub(crate) use wait::{Progress, look};

const LIFE: &str = "\
A machine's life:
  corten node create --driver redfish --name m1 --driver-info redfish_address=… …
  corten node manage m1 --wait      check that its BMC answers      enroll → manageable
  corten node provide m1 --wait     clean it and offer it           manageable → available
  corten node set m1 --instance-info image_source=http://…/disk.qcow2 …
  corten node deploy m1 --wait      write the image and boot it     available → active
  corten node undeploy m1 --wait    take it back                    active → available
  corten node watch m1              see what happens, as it happens

Nodes are named by name or UUID.
";

/// Machines.
#[derive(Debug, Args)]
#[command(after_help = format!("{LIFE}\n{}", help_footer()))]
pub struct Node {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List machines
    List(Box<list::List>),
    /// Show all about one machine
    Show(show::Show),
    /// Enroll a machine
    Create(create::Create),
    /// Change a machine's settings
    Set(change::Set),
    /// Clear a machine's settings
    Unset(change::Unset),
    /// Forget machines
    Delete(Names),
    /// Check that a machine can be controlled: enroll to manageable
    Manage(provision::Plain),
    /// Offer a machine for use, after cleaning it: manageable to available
    Provide(provision::Plain),
    /// Find out what hardware a machine has
    Inspect(provision::Plain),
    /// Take over a machine that is in use already, as it is
    Adopt(provision::Plain),
    /// Stop what is going on
    Abort(Names),
    /// Run clean steps by hand on a manageable machine
    Clean(provision::Clean),
    /// Write an image to a machine and boot it: available to active
    Deploy(provision::Deploy),
    /// Write the image again, on a machine in use
    Rebuild(provision::Deploy),
    /// Take a machine back: active to available
    Undeploy(provision::Plain),
    /// Boot a machine in use into a rescue system
    Rescue(provision::Rescue),
    /// Boot a rescued machine into its own system again
    Unrescue(provision::Plain),
    /// Run service steps on a machine in use
    Service(provision::Service),
    /// Go on after a hold step
    Unhold(Names),
    /// Switch machines on and off
    Power(power::Power),
    /// Restart machines
    Reboot(power::Reboot),
    /// Keep the service's hands off machines, or let it work again
    Maintenance(Maintenance),
    /// Say which parts of a machine's configuration would work
    Validate(validate::Validate),
    /// What machines boot from
    Boot(boot::Boot),
    /// Traits: what schedulers may ask of a machine
    Trait(traits::Traits),
    /// Add traits (the same as `trait add`)
    Add(traits::Add),
    /// Remove traits (the same as `trait remove`)
    Remove(traits::Remove),
    /// What went wrong with a machine before
    History(history::History),
    /// Follow what happens to machines
    Watch(watch::Watch),
}

/// Some machines and nothing more.
#[derive(Debug, Args)]
pub(crate) struct Names {
    /// Names or UUIDs
    #[arg(value_name = "NODE", required = true)]
    nodes: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Maintenance {
    #[command(subcommand)]
    verb: MaintenanceVerb,
}

#[derive(Debug, Subcommand)]
enum MaintenanceVerb {
    /// Keep the service's hands off machines
    Set {
        #[command(flatten)]
        names: Names,
        /// Why, for whoever finds it so
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Let the service work with machines again
    Unset {
        #[command(flatten)]
        names: Names,
    },
}

impl Node {
    pub(crate) async fn run(self, session: &mut Session) -> Result<(), Error> {
        match self.verb {
            Verb::List(list) => list.run(session).await,
            Verb::Show(show) => show.run(session).await,
            Verb::Create(create) => create.run(session).await,
            Verb::Set(set) => set.run(session).await,
            Verb::Unset(unset) => unset.run(session).await,
            Verb::Delete(names) => delete(session, &names.nodes).await,
            Verb::Manage(plain) => plain.run(session, "manage").await,
            Verb::Provide(plain) => plain.run(session, "provide").await,
            Verb::Inspect(plain) => plain.run(session, "inspect").await,
            Verb::Adopt(plain) => plain.run(session, "adopt").await,
            Verb::Abort(names) => provision::request(session, &names.nodes, "abort").await,
            Verb::Clean(clean) => clean.run(session).await,
            Verb::Deploy(deploy) => deploy.run(session, "active").await,
            Verb::Rebuild(deploy) => deploy.run(session, "rebuild").await,
            Verb::Undeploy(plain) => plain.run(session, "deleted").await,
            Verb::Rescue(rescue) => rescue.run(session).await,
            Verb::Unrescue(plain) => plain.run(session, "unrescue").await,
            Verb::Service(service) => service.run(session).await,
            Verb::Unhold(names) => provision::request(session, &names.nodes, "unhold").await,
            Verb::Power(power) => power.run(session).await,
            Verb::Reboot(reboot) => reboot.run(session).await,
            Verb::Maintenance(maintenance) => maintenance.run(session).await,
            Verb::Validate(validate) => validate.run(session).await,
            Verb::Boot(boot) => boot.run(session).await,
            Verb::Trait(traits) => traits.run(session).await,
            Verb::Add(add) => add.run(session).await,
            Verb::Remove(remove) => remove.run(session).await,
            Verb::History(history) => history.run(session).await,
            Verb::Watch(watch) => watch.run(session).await,
        }
    }
}

impl Maintenance {
    async fn run(self, session: &Session) -> Result<(), Error> {
        match self.verb {
            MaintenanceVerb::Set { names, reason } => {
                for_each(session, &names.nodes, |node| {
                    let call = Call::new(Method::PUT, &["nodes", node, "maintenance"])?;
                    Ok(call.body(json!({"reason": reason})))
                })
                .await
            }
            MaintenanceVerb::Unset { names } => {
                for_each(session, &names.nodes, |node| {
                    Call::new(Method::DELETE, &["nodes", node, "maintenance"])
                })
                .await
            }
        }
    }
}

/// Makes a request about each node in turn, and stops at the first that fails.
async fn for_each(
    session: &Session,
    nodes: &[String],
    call: impl Fn(&str) -> Result<Call, Error>,
) -> Result<(), Error> {
    for node in nodes {
        session
            .client
            .send(&call(node)?)
            .await
            .map_err(|error| about(error, node))?;
    }
    Ok(())
}

fn about(error: Error, node: &str) -> Error {
    error.about(format!("node {node}"))
}

/// Deletes what can be deleted, and then tells what could not.
async fn delete(session: &mut Session, nodes: &[String]) -> Result<(), Error> {
    let mut failures = Vec::new();
    for node in nodes {
        let call = Call::new(Method::DELETE, &["nodes", node])?;
        match session.client.send(&call).await {
            Ok(_) => session.console.line(&format!("Deleted node {node}"))?,
            Err(error) => failures.push(about(error, node)),
        }
    }
    Error::all(failures)
}
