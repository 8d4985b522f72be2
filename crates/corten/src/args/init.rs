//! `corten init`.

use clap::{Args, ValueEnum};
use std::{net::Ipv4Addr, path::PathBuf};

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Init {
    /// Configuration file to write [default: /etc/corten/corten.conf for root, else
    /// corten.conf in the data folder]
    #[arg(long, value_name = "FILE")]
    pub config_file: Option<PathBuf>,
    /// Folder of everything that is kept [default: /var/lib/corten for root, else corten in the user's
    /// data folder]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Ask nothing: what no flag says is chosen by what this host is
    #[arg(long)]
    pub yes: bool,
    /// Replace a configuration file that is there; the old one is kept beside it
    #[arg(long)]
    pub force: bool,
    /// Network interface behind which the machines are
    #[arg(long, value_name = "NAME")]
    pub interface: Option<String>,
    /// Our address on that interface, if it has several
    #[arg(long, value_name = "ADDRESS")]
    pub address: Option<Ipv4Addr>,
    /// Addresses that machines are given
    #[arg(long, value_name = "FIRST-LAST")]
    pub range: Option<String>,
    /// Gateway that machines are told [default: that of this host, if it is in their network]
    #[arg(long, value_name = "ADDRESS")]
    pub router: Option<Ipv4Addr>,
    /// Name server that machines are told; may be repeated [default: those of this host]
    #[arg(long, value_name = "ADDRESS")]
    pub dns: Vec<Ipv4Addr>,
    /// Whether another DHCP server gives addresses in that network [default: it is listened for]
    #[arg(long, value_name = "yes|no")]
    pub other_dhcp: Option<YesNo>,
    /// Folder of the images that machines are deployed with [default: images in the data folder]
    #[arg(long, value_name = "DIR")]
    pub images: Option<PathBuf>,
    /// How users sign in [default: local]
    #[arg(long, value_enum)]
    pub auth: Option<SignIn>,
    /// Name of the first user, for --auth local and http-basic
    #[arg(long, value_name = "NAME", default_value = "admin")]
    pub user: String,
    /// File with the first user's password on its first line [default: it is asked for, or made up]
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Address of Keystone, for --auth keystone
    #[arg(long, value_name = "URL")]
    pub keystone_url: Option<String>,
    /// Account of this service in Keystone
    #[arg(long, value_name = "NAME", default_value = "ironic")]
    pub keystone_user: String,
    /// Project of that account
    #[arg(long, value_name = "NAME", default_value = "service")]
    pub keystone_project: String,
    /// File with the password of that account on its first line
    #[arg(long, value_name = "FILE")]
    pub keystone_password_file: Option<PathBuf>,
    /// Serve the API without TLS
    #[arg(long)]
    pub no_tls: bool,
    /// Have machines that are not enrolled boot a ramdisk, which reports what they are
    #[arg(long)]
    pub discovery: bool,
    /// Hardware type of machines that are found that way
    #[arg(long, value_name = "DRIVER", default_value = "redfish", value_parser = ["redfish", "ipmi"])]
    pub discovery_driver: String,
    /// Do not build the ramdisk
    #[arg(long)]
    pub no_ramdisk: bool,
    /// The agent for the ramdisk [default: corten-agent beside this program, or in ../lib/corten from
    /// there]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    Yes,
    No,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SignIn {
    /// No password is asked for; the API is for this host only, so machines cannot call it
    None,
    /// Users, groups, roles and tokens of the service itself
    Local,
    /// Names and passwords in a file, all of whom may do everything
    #[value(name = "http-basic", alias = "http_basic")]
    HttpBasic,
    /// Keystone of an OpenStack cloud
    Keystone,
}

const HELP: &str = "\
Asks for what is not given, and makes in the data folder: the keys that secrets in the database are
sealed with, the first user with a password, a certificate for the API, the folder of images, and the
ramdisk that machines boot while they are worked on. Last of all it writes one configuration file
with comments, after loading it as the service will. Whatever fails before leaves nothing behind; what
an earlier run has made is kept, and keys are never replaced.

Examples:
  corten init
  corten init --yes --interface eth1 --range 10.0.0.100-10.0.0.199
  corten init --yes --interface eth1 --config-file ./corten.conf --data-dir ./data --no-ramdisk

With --discovery every machine that boots from that network and is not enrolled is started with the
ramdisk, and enrolled when it reports.";
