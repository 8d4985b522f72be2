//! The command line of `corten driver`, as far as it needs no service.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Driver {
    /// Tell whether a driver that is a program of its own keeps to the protocol
    Test(DriverTest),
}

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct DriverTest {
    /// The program, as it would lie in [corten]driver_path
    #[arg(value_name = "PROGRAM")]
    pub program: PathBuf,
    /// JSON object with the driver_info of a machine that may be switched off and on
    /// [default: the example of the program's declaration]
    #[arg(long, value_name = "FILE")]
    pub node_info: Option<PathBuf>,
    /// How long the program may take for a call, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30,
        value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub timeout: u32,
    /// Also call what changes the machine: power, boot device, steps
    #[arg(long)]
    pub change: bool,
}

const HELP: &str = "\
The program is started as you, asked what it has, and called as the service calls it: every call that
only reads, each also with parameters that make no sense, lines that are no calls, many calls at a
time, and the end of its input. With --change it is told to switch the machine and to carry out its
steps. Ends with 1 if the program does not keep to the protocol.

Examples:
  corten driver test ./acme-driver
  corten driver test ./acme-driver --node-info blade7.json --change";
