//! The command line of `corten sim pdu`.

use super::Format;
use clap::Args;
use std::net::IpAddr;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Pdu {
    /// Make, as `driver_info/snmp_driver` names it
    #[arg(long, value_name = "NAME", default_value = "apc_rackpdu")]
    pub make: String,
    /// How many outlets it has, all of them off
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub outlets: u32,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub listen: IpAddr,
    /// UDP port; 0 takes what is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Listen on addresses that other machines can reach, with well-known communities and keys
    #[arg(long)]
    pub insecure: bool,
    /// Community of versions 1 and 2c that may ask
    #[arg(long, value_name = "TEXT", default_value = "public")]
    pub read: String,
    /// Community of versions 1 and 2c that may switch
    #[arg(long, value_name = "TEXT", default_value = "private")]
    pub write: String,
    /// User of version 3
    #[arg(long, value_name = "NAME", default_value = "admin")]
    pub user: String,
    /// The user's authentication protocol, as in `driver_info`
    #[arg(long, value_name = "NAME", default_value = "sha")]
    pub auth_protocol: String,
    /// The user's authentication key
    #[arg(long, value_name = "KEY", default_value = "authkey1")]
    pub auth_key: String,
    /// The user's privacy protocol, as in `driver_info`, or `none`
    #[arg(long, value_name = "NAME", default_value = "aes")]
    pub priv_protocol: String,
    /// The user's privacy key
    #[arg(long, value_name = "KEY", default_value = "privkey1")]
    pub priv_key: String,
    /// How it is printed where the PDU is
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

const HELP: &str = "\
Examples:
  corten sim pdu --make apc_rackpdu --port 1161
  snmpset -v2c -c private 127.0.0.1:1161 1.3.6.1.4.1.318.1.1.12.3.3.1.1.4.1 i 1
  corten node create --driver snmp --driver-info snmp_driver=auto \\
    --driver-info snmp_address=127.0.0.1 --driver-info snmp_port=1161 \\
    --driver-info snmp_outlet=1 --driver-info snmp_community=private";
