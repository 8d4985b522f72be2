//! `corten node …`: what can be done with machines beyond what all resources have in common.
//!
//! Most of it is one request about each machine named, so most of it is a row of a list here.

mod boot_log;
mod change;
mod commissioning;
mod console;
mod deploy;
mod explain;
mod hardware;
mod inventory;
mod plan;
mod power;
mod provision;
mod recorder;
mod report;
mod rotate;
mod sel;
mod sensors;
mod timeline;
mod vif;
mod wait;

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::resource::NODE;
use crate::traits;
use crate::watch;

pub(crate) use wait::{Progress, Wait, look};

pub(crate) const LIFE: &str = "\
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

pub(crate) fn leaves() -> Vec<Leaf> {
    let mut leaves: Vec<Leaf> = NODE.leaves().collect();
    leaves.extend(change::leaves());
    leaves.extend(provision::leaves());
    leaves.extend(power::leaves());
    leaves.extend(console::leaves());
    leaves.extend([
        Leaf::new(
            "node maintenance set",
            "Keep the service's hands off machines",
            Maintenance::run,
        ),
        each(
            "node maintenance unset",
            "Let the service work with machines again",
            (Method::DELETE, &["maintenance"]),
            None,
        ),
        Leaf::new(
            "node boot device set",
            "Choose the device to boot from next",
            BootDevice::run,
        ),
        Leaf::new(
            "node boot mode set",
            "Choose how machines boot from the next deployment on",
            BootMode::run,
        ),
        each(
            "node secure boot on",
            "Switch secure boot on",
            (Method::PUT, &["states", "secure_boot"]),
            Some(json!({"target": true})),
        ),
        each(
            "node secure boot off",
            "Switch secure boot off",
            (Method::PUT, &["states", "secure_boot"]),
            Some(json!({"target": false})),
        ),
        each(
            "node inject nmi",
            "Interrupt machines so that their systems write a crash dump",
            (Method::PUT, &["management", "inject_nmi"]),
            Some(json!({})),
        ),
    ]);
    leaves.extend(report::leaves());
    leaves.push(sensors::leaf());
    leaves.extend(sel::leaves());
    leaves.push(boot_log::leaf());
    leaves.push(timeline::leaf());
    leaves.push(explain::leaf());
    leaves.push(plan::leaf());
    leaves.push(inventory::leaf());
    leaves.push(hardware::leaf());
    leaves.push(rotate::leaf());
    leaves.push(commissioning::leaf());
    leaves.extend(recorder::leaves());
    leaves.extend(vif::leaves());
    leaves.extend(traits::leaves("node", "nodes"));
    leaves.extend(traits::swapped_leaves("node", "nodes"));
    leaves.push(Leaf::new(
        "node watch",
        "Follow what happens to machines",
        watch::Watch::run,
    ));
    leaves
}

/// Some machines and nothing more.
#[derive(Debug, Args)]
pub(crate) struct Names {
    /// Names or UUIDs
    #[arg(value_name = "NODE", required = true)]
    nodes: Vec<String>,
}

/// A command that makes the same request about each machine.
fn each(
    words: &'static str,
    about: &'static str,
    (method, path): (Method, &'static [&'static str]),
    body: Option<Value>,
) -> Leaf {
    Leaf::new(
        words,
        about,
        async move |names: Names, session: &mut Session| {
            for_each(session, &names.nodes, |node| {
                let path: Vec<&str> = ["nodes", node].iter().chain(path).copied().collect();
                let call = Call::new(method.clone(), &path)?;
                Ok(match &body {
                    Some(body) => call.body(body.clone()),
                    None => call,
                })
            })
            .await
        },
    )
}

#[derive(Debug, Args)]
struct Maintenance {
    #[command(flatten)]
    names: Names,
    /// Why, for whoever finds it so
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Maintenance {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        for_each(session, &self.names.nodes, |node| {
            let call = Call::new(Method::PUT, &["nodes", node, "maintenance"])?;
            Ok(call.body(json!({"reason": self.reason})))
        })
        .await
    }
}

#[derive(Debug, Args)]
struct BootDevice {
    #[command(flatten)]
    names: Names,
    /// Device to boot from; `corten node boot device show --supported` lists what a machine has
    #[arg(value_parser = ["pxe", "disk", "cdrom", "bios", "safe", "wanboot", "iscsiboot",
        "floppy", "uefihttp"])]
    device: String,
    /// From now on, not only for the next boot
    #[arg(long)]
    persistent: bool,
}

impl BootDevice {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        for_each(session, &self.names.nodes, |node| {
            let path = ["nodes", node, "management", "boot_device"];
            let body = json!({"boot_device": self.device, "persistent": self.persistent});
            Ok(Call::new(Method::PUT, &path)?.body(body))
        })
        .await
    }
}

#[derive(Debug, Args)]
struct BootMode {
    #[command(flatten)]
    names: Names,
    /// How to boot
    #[arg(value_name = "MODE", value_parser = ["uefi", "bios"])]
    boot_mode: String,
}

impl BootMode {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        for_each(session, &self.names.nodes, |node| {
            let call = Call::new(Method::PUT, &["nodes", node, "states", "boot_mode"])?;
            Ok(call.body(json!({"target": self.boot_mode})))
        })
        .await
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
    NODE.about(error, node)
}

#[cfg(test)]
mod tests;
