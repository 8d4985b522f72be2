//! `corten node boot device`: what machines boot from next.

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::json;

use super::{about, for_each};
use crate::client::Call;
use crate::error::Error;
use crate::output::{self, OutputArgs};
use crate::{Session, record};

const DEVICES: [&str; 6] = ["pxe", "disk", "cdrom", "bios", "safe", "wanboot"];

#[derive(Debug, Args)]
pub(crate) struct Boot {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// The device to boot from
    Device(Device),
}

#[derive(Debug, Args)]
struct Device {
    #[command(subcommand)]
    verb: DeviceVerb,
}

#[derive(Debug, Subcommand)]
enum DeviceVerb {
    /// Choose the device to boot from next
    Set {
        /// Names or UUIDs
        #[arg(value_name = "NODE", required = true)]
        nodes: Vec<String>,
        /// Device to boot from
        #[arg(value_parser = DEVICES)]
        device: String,
        /// From now on, not only for the next boot
        #[arg(long)]
        persistent: bool,
    },
    /// Show the device a machine boots from
    Show {
        /// Name or UUID
        node: String,
        /// Show the devices it could boot from
        #[arg(long)]
        supported: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
}

impl Boot {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        let What::Device(device) = self.what;
        match device.verb {
            DeviceVerb::Set {
                nodes,
                device,
                persistent,
            } => {
                for_each(session, &nodes, |node| {
                    let path = ["nodes", node, "management", "boot_device"];
                    let body = json!({"boot_device": device, "persistent": persistent});
                    Ok(Call::new(Method::PUT, &path)?.body(body))
                })
                .await
            }
            DeviceVerb::Show {
                node,
                supported,
                output,
            } => {
                let mut path = vec!["nodes", &node, "management", "boot_device"];
                path.extend(supported.then_some("supported"));
                let answer = session.client.send(&Call::get(&path)?).await;
                let mut shown = record(answer.map_err(|error| about(error, &node))?, &[])?;
                output::join_lists(&mut shown);
                shown.sort_keys();
                output::print_record(&mut session.console, &output, &shown)
            }
        }
    }
}
