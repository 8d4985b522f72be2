//! `corten shadow`.

use super::Common;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Shadow {
    /// Address of the API of the Ironic that goes on
    #[arg(long, value_name = "URL")]
    pub of: String,
    /// Its database, as [database]connection of its ironic.conf names it
    ///
    /// Other users of this machine see a password that stands here: it belongs into --source-file, or
    /// the variable CORTEN_IRONIC_DATABASE.
    #[arg(long, value_name = "URL", conflicts_with = "source_file")]
    pub source: Option<String>,
    /// A file whose first line is this URL
    #[arg(long, value_name = "FILE")]
    pub source_file: Option<PathBuf>,
    /// Ask for what this log asks for: `GET /v1/…` lines, or an access log of Apache, nginx or Ironic
    #[arg(long, value_name = "LOG")]
    pub replay: Option<PathBuf>,
    /// Be a proxy before Ironic on this address, and repeat what its clients read
    #[arg(long, value_name = "HOST:PORT")]
    pub listen: Option<String>,
    /// A file with the token for what this service asks Ironic by itself; read anew as it is renewed
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// How many seconds lie between two looks at Ironic's database
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86400))]
    pub every: u64,
    /// How many requests a second Ironic is asked beyond those of its clients
    #[arg(long, value_name = "NUMBER", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub pace: u32,
    /// Show the copy to other machines without authentication
    #[arg(long)]
    pub insecure: bool,
    #[command(flatten)]
    pub common: Common,
}

const HELP: &str = "\
Follows Ironic's database, which is only read, shows the copy on the address of this configuration, and
compares the answers of both. Nothing is changed by the copy, and no conductor drives machines. Without
--replay and --listen it asks for everything there is, again and again.

GET /corten/v1/shadow of this service says how many answers were compared, which differ, and what that
costs Ironic. A difference counts if Ironic's row did not change while it was imported twice. The copy is
in shadow.db in the data folder; the database of the configuration is not touched.

Examples:
  corten shadow --of http://10.0.0.1:6385 --source-file /etc/corten/ironic.url
  corten shadow --of http://10.0.0.1:6385 --source-file /etc/corten/ironic.url --replay /var/log/nginx/access.log
  corten shadow --of http://10.0.0.1:6385 --source-file /etc/corten/ironic.url --listen 0.0.0.0:6386
  corten shadow --of http://10.0.0.1:6385 --source-file /etc/corten/ironic.url --config-file /etc/corten/corten.conf";
