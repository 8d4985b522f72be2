//! `corten discover`.

use super::Format;
use clap::{ArgGroup, Args};
use std::{num::NonZeroU32, path::PathBuf};

#[derive(Debug, Args)]
#[command(after_help = HELP, group = ArgGroup::new("where").args(["range", "file"]).required(true).multiple(true))]
pub struct Discover {
    /// Addresses to ask: a network, a span (10.0.0.10-10.0.0.20) or an address; may be repeated
    #[arg(long, value_name = "RANGE")]
    pub range: Vec<String>,
    /// File of such ranges, one a line
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// User to log in to BMCs as; the password is asked for, or is the first line of the input
    #[arg(long, value_name = "NAME", conflicts_with = "credentials")]
    pub username: Option<String>,
    /// File that names user and password for each address or network, in YAML or JSON
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// Which certificates of BMCs a password is sent to: `true` for those that this machine trusts,
    /// a file or folder of authorities, or `false` for any
    #[arg(long, value_name = "true|false|PATH", default_value = "true")]
    pub verify_ca: String,
    /// Enrol what was found and logged in to
    #[arg(long)]
    pub enrol: bool,
    /// Then check and clean the machines that are in enroll, which erases disks, until they are
    /// available
    #[arg(long, requires = "enrol")]
    pub provide: bool,
    /// Resource class of the machines that are enrolled
    #[arg(long, value_name = "NAME", requires = "enrol")]
    pub resource_class: Option<String>,
    /// TCP port of Redfish [default: 443; 80 with --plain-http]
    #[arg(long, value_name = "PORT")]
    pub redfish_port: Option<u16>,
    /// Speak Redfish without TLS
    #[arg(long)]
    pub plain_http: bool,
    /// UDP port of IPMI
    #[arg(long, value_name = "PORT", default_value_t = 623)]
    pub ipmi_port: u16,
    /// How many addresses are begun in a second
    #[arg(long, value_name = "NUMBER", default_value = "1000")]
    pub rate: NonZeroU32,
    /// How many BMCs are logged in to at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub logins: u16,
    /// How long an address may take to answer, in milliseconds; datagrams are sent twice
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1500, value_parser = clap::value_parser!(u64).range(50..=60_000))]
    pub timeout: u64,
    /// How the result is printed
    #[arg(short = 'f', long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

const HELP: &str = "\
Asks every address two questions that need no password: the root of a Redfish service, and how to log
in by IPMI. With a user, each BMC that answers is logged in to once, and asked for maker, model, serial
number, firmware, power and MAC addresses. No password is guessed and nothing is changed on a BMC.

With --enrol, machines that were logged in to are enrolled at the service that the connection options
name (see `corten node --help`), by Redfish where they speak it, else by IPMI. Those that are enrolled
already are recognised by the address of their BMC or by the UUID of the machine, and left as they are.
With --provide as well, those that are in enroll become manageable and then available, which cleans
them: what is on their disks is erased. Machines in any other state stay in it.

A file of credentials, which only its owner may read:
  default: {username: admin, password: …}
  10.0.7.0/24: {username: root, password: …}

Examples:
  corten discover --range 10.0.0.0/24
  corten discover --range 10.0.0.0/24 --username admin --verify-ca false
  corten discover --range 10.0.0.0/24 --credentials bmcs.yaml --verify-ca false --enrol
  corten discover --range 10.0.0.0/24 --username admin --verify-ca false --enrol --provide
  corten discover --file addresses -f json --rate 100

Exits with 0 if a BMC was found, and with 1 if none was or one could not be enrolled.";
