//! The command line of `corten sim`.

use super::SimCommand;
use clap::{Args, ValueEnum};
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

#[derive(Debug, Args)]
#[command(after_help = HELP, args_conflicts_with_subcommands = true)]
pub struct Sim {
    #[command(subcommand)]
    pub command: Option<SimCommand>,
    /// How many machines there are
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub machines: u32,
    /// Address of the BMCs; with --by-address that of the first one
    /// [default: 127.0.0.1; 127.1.0.1 with --by-address]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<IpAddr>,
    /// Give every machine an address of 127/8 of its own, all on one port
    #[arg(long)]
    pub by_address: bool,
    /// UDP port of the first BMC, or of all of them with --by-address; 0 takes what is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub ipmi_port: u16,
    /// TCP port of the first Redfish service (HTTP and HTTPS), or of all of them with
    /// --by-address; 0 takes what is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub redfish_port: u16,
    /// How many machines are systems of one Redfish service
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub systems: u32,
    /// How many members a page of a Redfish collection has
    #[arg(long, value_name = "COUNT")]
    pub page: Option<usize>,
    /// Seconds that a task of Redfish takes (a volume, an update)
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    pub task_time: f64,
    /// Certificate chain of the Redfish services in PEM form; one is made if none is given
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// Its key
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Where knobs are turned while the simulator runs, on this machine only; port 0 takes a free
    /// one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub control: SocketAddr,
    /// Listen on addresses that other machines can reach, with a well-known password
    #[arg(long)]
    pub insecure: bool,
    /// Whose machines they are: see docs/hardware/simulator.md for the names
    #[arg(long, value_name = "NAME", default_value = "generic")]
    pub personality: String,
    /// Machines of the same seed are the same machines
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
    /// Name of the administrator of every BMC
    #[arg(long, value_name = "NAME", default_value = "admin")]
    pub user: String,
    /// The administrator's password
    #[arg(
        long,
        value_name = "PASSWORD",
        default_value = "password",
        env = "CORTEN_SIM_PASSWORD",
        hide_env_values = true
    )]
    pub password: String,
    /// Key of the BMCs (K_g) in hexadecimal digits
    #[arg(long, value_name = "HEX")]
    pub kg: Option<String>,
    /// IPMI cipher suites that the BMCs accept
    #[arg(long, value_name = "NUMBER", value_delimiter = ',', default_values_t = [3, 17])]
    pub suites: Vec<u8>,
    /// Milliseconds that every answer takes
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 0)]
    pub latency: u32,
    /// What is wrong with all BMCs from the start, as for the control endpoint
    #[arg(long, value_name = "JSON")]
    pub faults: Option<String>,
    /// Seconds that a machine takes to power on or off
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    pub power_time: f64,
    /// Start with all machines powered on
    #[arg(long)]
    pub on: bool,
    /// Run a QEMU process for every machine, with this program
    #[arg(long, value_name = "PROGRAM", conflicts_with = "on")]
    pub qemu: Option<PathBuf>,
    /// Arguments for QEMU, as in a shell: "-m 1024 -nic none"; may be repeated, also word by word.
    /// {index}, {uuid} and {mac} stand for the machine's own, {boot-net} and {boot-disk} for the
    /// bootindex of its network card and of its disk
    #[arg(
        long,
        value_name = "ARGUMENTS",
        requires = "qemu",
        allow_hyphen_values = true
    )]
    pub qemu_arg: Vec<String>,
    /// Firmware file for boots of QEMU by UEFI: code and variables in one, such as Debian's
    /// /usr/share/ovmf/OVMF.fd
    #[arg(long, value_name = "FILE", requires = "qemu")]
    pub qemu_uefi: Option<PathBuf>,
    /// File that everything is added to that the serial port of QEMU says; with {index} as above
    #[arg(long, value_name = "FILE", requires = "qemu")]
    pub qemu_serial_log: Option<String>,
    /// How the machines are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// File to write the address of the control endpoint to as soon as everything is ready
    #[arg(long, value_name = "FILE")]
    pub ready_file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people; long lists are cut
    Table,
    /// For programs
    Json,
}

const HELP: &str = "\
The machines and where their BMCs are is printed, and then a line `ready`. SIGTERM and Ctrl-C end
the simulator; nothing is kept.

Examples:
  corten sim
  corten sim --machines 20 --ipmi-port 6230 --personality dell
  corten sim --machines 100000 --by-address --ipmi-port 6230 --latency 100
  corten sim --qemu qemu-system-x86_64 \
      --qemu-arg '-m 1024 -drive file=disk-{index}.qcow2,if=virtio'
  ipmitool -I lanplus -C 17 -H 127.0.0.1 -p 6230 -U admin -P password power on
  curl -X PUT http://127.0.0.1:PORT/sim/v1/machines/0/faults --json '{\"silent\": true}'";
