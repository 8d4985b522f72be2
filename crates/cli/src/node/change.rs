//! `corten node set` and `unset`: changing what is known of machines.
//!
//! The RAID configuration to build is no field of the node but a state of its own. It is sent
//! first, because the rest may change the very name the node is addressed by.

use clap::{Args, FromArgMatches};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Names, for_each};
use crate::Session;
use crate::attribute::{Chosen, Verb};
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::input;
use crate::patch::Operation;
use crate::resource::{NODE_ATTRIBUTES, NOTHING_TO_CHANGE};

pub(super) fn leaves() -> [Leaf; 2] {
    [
        Leaf::of_table(
            "node set",
            "Change a machine's settings",
            |command| Chosen::args(NODE_ATTRIBUTES, Verb::Set, Set::augment_args(command)),
            |matches| {
                let chosen = Chosen::read(NODE_ATTRIBUTES, Verb::Set, matches);
                Ok((Set::from_arg_matches(matches)?, chosen))
            },
            async |(set, chosen): (Set, Chosen), session: &mut Session| {
                set.run(&chosen, session).await
            },
        ),
        Leaf::of_table(
            "node unset",
            "Clear a machine's settings",
            |command| Chosen::args(NODE_ATTRIBUTES, Verb::Unset, Unset::augment_args(command)),
            |matches| {
                let chosen = Chosen::read(NODE_ATTRIBUTES, Verb::Unset, matches);
                Ok((Unset::from_arg_matches(matches)?, chosen))
            },
            async |(unset, chosen): (Unset, Chosen), session: &mut Session| {
                let raid = unset.target_raid_config.then(|| json!({}));
                change(session, &unset.names.nodes, raid, chosen.patch()?, false).await
            },
        ),
    ]
}

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
struct Set {
    #[command(flatten)]
    names: Names,
    /// With --driver: go back to the defaults for all interfaces not given
    #[arg(long, requires = "driver")]
    reset_interfaces: bool,
    /// RAID configuration the next cleaning shall build
    #[arg(long, value_name = "JSON|FILE|-")]
    target_raid_config: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  corten node unset m1 --owner --extra note
  corten node unset m1 --instance-info image_source --instance-uuid
")]
struct Unset {
    #[command(flatten)]
    names: Names,
    /// Unset the RAID configuration the next cleaning would build
    #[arg(long)]
    target_raid_config: bool,
}

impl Set {
    async fn run(self, chosen: &Chosen, session: &mut Session) -> Result<(), Error> {
        let nodes = &self.names.nodes;
        if nodes.len() > 1 {
            for option in ["name", "instance-uuid"] {
                if chosen.text(option).is_some() {
                    return Err(Error::usage(format!("--{option} is for one node only")));
                }
            }
        }
        let raid = self.target_raid_config.as_deref();
        let raid = raid
            .map(|raid| input::json(raid, "RAID configuration"))
            .transpose()?;
        change(session, nodes, raid, chosen.patch()?, self.reset_interfaces).await
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
        session.console.note(NOTHING_TO_CHANGE);
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
