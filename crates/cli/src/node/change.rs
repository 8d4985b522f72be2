//! `corten node set` and `unset`: changing what is known of machines.
//!
//! The RAID configuration to build is no field of the node but a state of its own. It is sent
//! first, because the rest may change the very name the node is addressed by.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::field::{Setting, Unsetting};
use super::for_each;
use crate::Session;
use crate::attribute::Chosen;
use crate::client::Call;
use crate::error::Error;
use crate::input;
use crate::patch::{self, Operation};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  corten node set m1 --instance-info image_source=http://…/disk.qcow2 \\
    --instance-info image_checksum=http://…/disk.qcow2.sha256
  corten node set m1 m2 --property cpu_arch=x86_64 --owner research
  corten node set m1 --driver redfish --reset-interfaces

A value that reads as JSON is sent as such; a slash in a key reaches inside an object:
  corten node set m1 --extra 'place={\"rack\": 7}'
  corten node set m1 --extra place/unit=12
")]
pub(crate) struct Set {
    /// Names or UUIDs
    #[arg(value_name = "NODE", required = true)]
    nodes: Vec<String>,
    /// What to drive the machine with
    #[arg(long, value_name = "DRIVER")]
    driver: Option<String>,
    /// With --driver: go back to the defaults for all interfaces not given
    #[arg(long, requires = "driver")]
    reset_interfaces: bool,
    /// RAID configuration the next cleaning shall build
    #[arg(long, value_name = "JSON|FILE|-")]
    target_raid_config: Option<String>,
    #[command(flatten)]
    attributes: Chosen<Setting>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  corten node unset m1 --owner --extra note
  corten node unset m1 --instance-info image_source --instance-uuid
")]
pub(crate) struct Unset {
    /// Names or UUIDs
    #[arg(value_name = "NODE", required = true)]
    nodes: Vec<String>,
    /// Unset the RAID configuration the next cleaning would build
    #[arg(long)]
    target_raid_config: bool,
    #[command(flatten)]
    attributes: Chosen<Unsetting>,
}

impl Set {
    pub(super) async fn run(self, session: &Session) -> Result<(), Error> {
        if self.nodes.len() > 1 {
            for (field, option) in [("name", "--name"), ("instance_uuid", "--instance-uuid")] {
                if self.attributes.text(field).is_some() {
                    return Err(Error::usage(format!("{option} is for one node only")));
                }
            }
        }
        let raid = self.target_raid_config.as_deref();
        let raid = raid
            .map(|raid| input::json(raid, "RAID configuration"))
            .transpose()?;
        let mut patch = self.attributes.patch()?;
        if let Some(driver) = self.driver {
            patch.insert(0, patch::add("driver", Value::String(driver)));
        }
        change(session, &self.nodes, raid, patch, self.reset_interfaces).await
    }
}

impl Unset {
    pub(super) async fn run(self, session: &Session) -> Result<(), Error> {
        let raid = self.target_raid_config.then(|| json!({}));
        change(session, &self.nodes, raid, self.attributes.patch()?, false).await
    }
}

async fn change(
    session: &Session,
    nodes: &[String],
    raid: Option<Value>,
    patch: Vec<Operation>,
    reset_interfaces: bool,
) -> Result<(), Error> {
    if raid.is_none() && patch.is_empty() {
        // A script that finds nothing to change is not wrong, so this is no failure.
        session
            .console
            .note("nothing to change: name a setting, see --help");
    }
    if let Some(raid) = raid {
        for_each(session, nodes, |node| {
            Ok(Call::new(Method::PUT, &["nodes", node, "states", "raid"])?.body(raid.clone()))
        })
        .await?;
    }
    if patch.is_empty() {
        return Ok(());
    }
    for_each(session, nodes, |node| {
        let call = Call::new(Method::PATCH, &["nodes", node])?;
        let call = call.query_if("reset_interfaces", reset_interfaces.then_some("True"));
        Ok(call.body(patch.clone()))
    })
    .await
}
