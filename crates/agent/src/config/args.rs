//! The flags of `corten-agent`, which win over whatever the ramdisk was told.

use clap::Parser;
use std::path::PathBuf;

/// The agent of Corten: runs in a deploy ramdisk and does what the service says.
///
/// Whatever changes disks, firmware or power is refused outside a ramdisk made by
/// `corten ramdisk build`.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "corten-agent", version)]
pub struct Args {
    /// URLs of the service's API, tried in turn
    #[arg(long, value_name = "URL,…")]
    pub api_url: Option<String>,
    /// Address and port to listen on
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// Address and port at which the service reaches this agent
    #[arg(long, value_name = "HOST:PORT")]
    pub advertise: Option<String>,
    /// Any kernel parameter, such as ipa-lookup-timeout=60
    #[arg(long, value_name = "NAME=VALUE")]
    pub param: Vec<String>,
    /// Serve without a service: no lookup, no heartbeat
    #[arg(long)]
    pub standalone: bool,
    /// Do not verify certificates of the service and of image servers
    #[arg(long)]
    pub insecure: bool,
    /// Certificates of the authorities to trust
    #[arg(long, value_name = "FILE")]
    pub cafile: Option<PathBuf>,
    /// Log more
    #[arg(long)]
    pub debug: bool,
    /// Change disks, firmware and power of THIS machine when told to
    #[arg(long)]
    pub allow_destructive: bool,
    /// Where proc, sys, dev and etc are
    #[arg(long, default_value = "/", value_name = "DIRECTORY", hide = true)]
    pub root: PathBuf,
}
