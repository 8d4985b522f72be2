//! `corten openstack …`.

use super::{Common, Format};
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum OpenStack {
    /// Say which services are reached as whom, what is missing there, and how to add it
    #[command(after_help = CHECK_HELP)]
    Check(OpenStackCheck),
}

#[derive(Debug, Args)]
pub struct OpenStackCheck {
    /// How long each service may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub timeout: u64,
    /// How the result is printed
    #[arg(short = 'f', long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    #[command(flatten)]
    pub common: Common,
}

const CHECK_HELP: &str = "\
Takes the configuration that the service is started with, logs in to every service that it names as
the service would, and looks for roles, networks, images, containers and the key of temporary URLs.
Nothing is changed anywhere; Nova gets one power event about a server that does not exist.

Exits with 0 if nothing is missing, and with 1 otherwise. Passwords and tokens are never printed.

Examples:
  corten openstack check --config-file /etc/ironic/ironic.conf
  corten openstack check --config-file /etc/ironic/ironic.conf --format json --timeout 5";
