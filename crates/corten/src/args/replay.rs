//! The command line of `corten sim replay`.

use super::{Device, Format, Pdu};
use clap::{Args, Subcommand};
use std::{net::IpAddr, path::PathBuf};

#[derive(Debug, Subcommand)]
pub enum SimCommand {
    /// Serve a recording of conversations with a BMC as that BMC
    Replay(Replay),
    /// Simulate a switched power strip behind SNMP
    Pdu(Pdu),
    /// Simulate a device of an older protocol: outlets, a manager of a chassis, a controller
    Device(Device),
}

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Replay {
    /// File that `corten node recorder export` wrote
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: IpAddr,
    /// UDP port of IPMI; 0 takes what is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub ipmi_port: u16,
    /// TCP port of Redfish; 0 takes what is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub redfish_port: u16,
    /// Listen on addresses that other machines can reach, with a well-known password
    #[arg(long)]
    pub insecure: bool,
    /// User of IPMI [default: the one in the recording]
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// The user's password; recordings have none
    #[arg(
        long,
        value_name = "PASSWORD",
        default_value = "password",
        env = "CORTEN_SIM_PASSWORD",
        hide_env_values = true
    )]
    pub password: String,
    /// How it is printed where the BMC is
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

const HELP: &str = "\
Questions are answered as they were when they were recorded, those that were asked several times in
their order. Each question that is not in the recording is reported, and refused. IPMI is served if
the recording has any, and so is Redfish, without TLS and to everybody.

Examples:
  corten node recorder export m1 m1.jsonl
  corten sim replay m1.jsonl --ipmi-port 6230
  ipmitool -I lanplus -H 127.0.0.1 -p 6230 -U admin -P password power status";
