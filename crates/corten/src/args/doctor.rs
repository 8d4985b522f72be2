//! `corten doctor`.

use super::{Common, Format};
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Doctor {
    /// How long another DHCP server is listened for, in seconds; 0 does not ask for one
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=60))]
    pub dhcp_wait: u64,
    /// How many enrolled machines are looked at; 0 asks no BMC
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    pub bmcs: u32,
    /// How the result is printed
    #[arg(short = 'f', long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    #[command(flatten)]
    pub common: Common,
}

const HELP: &str = "\
Looks at the configuration, ports and who holds them, capabilities, interfaces and addresses, address
ranges, boot loaders and the ramdisk, disk space, the clock, the database, and the BMCs of enrolled
machines; and asks the network of the machines for another DHCP server, by a DISCOVER that takes no
address. Nothing is changed. Run it as root on the host of the service, before or while it runs: other
users can neither try low ports nor ask for a DHCP server. Rights are those that the unit grants, if one
serves the configuration.

Exits with 1 if something is broken. What is only a note does not count.

Examples:
  corten doctor --config-file /etc/corten/corten.conf
  corten doctor --config-file /etc/corten/corten.conf -f json --dhcp-wait 0";
