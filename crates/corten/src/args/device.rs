//! The command line of `corten sim device`.

use super::Format;
use clap::Args;
use std::net::IpAddr;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Device {
    /// What it is
    #[arg(value_enum)]
    pub kind: DeviceKind,
    /// How many relays, blades or servers it has, all of them off; IMC, AMT and iDRAC have one
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..))]
    pub count: u8,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: IpAddr,
    /// TCP port; 0 takes what is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Listen on addresses that other machines can reach, with a well-known password
    #[arg(long)]
    pub insecure: bool,
    /// User that may log in
    #[arg(long, value_name = "NAME", default_value = "admin")]
    pub user: String,
    /// The user's password
    #[arg(
        long,
        value_name = "PASSWORD",
        default_value = "password",
        env = "CORTEN_SIM_PASSWORD",
        hide_env_values = true
    )]
    pub password: String,
    /// How it is printed where the device is
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// A device of an older protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceKind {
    /// Dataprobe's switched outlets
    Iboot,
    /// The chassis manager of Microsoft's Open CloudServer
    Msftocs,
    /// Cisco's UCS Manager
    Ucsm,
    /// The management controller of one of Cisco's servers
    Cimc,
    /// The manager of a SeaMicro chassis
    Seamicro,
    /// A machine with Intel AMT
    Amt,
    /// The iDRAC of one of Dell's servers, with WS-Management
    Drac,
}

impl DeviceKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Iboot => "iboot",
            Self::Msftocs => "msftocs",
            Self::Ucsm => "ucsm",
            Self::Cimc => "cimc",
            Self::Seamicro => "seamicro",
            Self::Amt => "amt",
            Self::Drac => "drac",
        }
    }
}

const HELP: &str = "\
HTTP is served without TLS.

Examples:
  corten sim device iboot --count 2 --port 9100
  corten sim device ucsm --port 8000
  corten node create --driver cisco-ucs-managed \\
    --driver-info ucs_address=http://127.0.0.1:8000 \\
    --driver-info ucs_username=admin --driver-info ucs_password=password \\
    --driver-info ucs_service_profile=org-root/ls-node1";
