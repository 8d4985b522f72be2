//! `corten migrate …`.

use super::Common;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Migrate {
    /// Import the database of an Ironic into the database of this configuration
    #[command(after_help = FROM_HELP)]
    FromIronic(FromIronic),
    /// Write the database of this configuration into an empty database of Ironic 39
    #[command(after_help = TO_HELP)]
    ToIronic(ToIronic),
    /// Take over one conductor group of an Ironic that goes on with the others, or give it back
    #[command(after_help = MOVE_HELP)]
    MoveGroup(MoveGroup),
    /// List the conductor groups that were taken over, and how far each move has come
    Groups(Common),
}

#[derive(Debug, Args)]
pub struct MoveGroup {
    /// Its name; empty ('') for the nodes of no conductor group
    pub group: String,
    /// Who serves the group from now on
    #[arg(long, value_enum)]
    pub to: Side,
    /// Ironic's database, as [database]connection of its ironic.conf names it
    ///
    /// Other users of this machine see a password that stands here: it belongs into --source-file, or
    /// the variable CORTEN_IRONIC_DATABASE.
    #[arg(long, value_name = "URL", conflicts_with = "source_file")]
    pub source: Option<String>,
    /// A file whose first line is this URL
    #[arg(long, value_name = "FILE")]
    pub source_file: Option<PathBuf>,
    /// Say which nodes there are and what becomes of them, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// How many seconds to wait for nodes that conductors work on
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub wait: u64,
    /// Take nodes over that a conductor of Ironic worked on which is gone
    ///
    /// What it was doing is taken up where it can be, and fails otherwise, as it does when an Ironic
    /// conductor is restarted.
    #[arg(long)]
    pub with_working: bool,
    #[command(flatten)]
    pub common: Common,
}

/// The two that a group can be served by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Side {
    Corten,
    Ironic,
}

const MOVE_HELP: &str = "\
Each node of the group is locked in Ironic's database (nodes.reservation), so that no conductor of Ironic
drives it any more; nodes that are worked on are waited for. Then the group's rows are imported in one
transaction, and a conductor of this service with [conductor]conductor_group = GROUP serves them. This
needs a user of Ironic's database who may SELECT, and UPDATE the table nodes.

The way back (--to ironic) writes the group's rows over those that Ironic 39 has kept, and needs a user
who may also INSERT and DELETE.

Killed at any point, the command is run again and goes on, or gives the group back (--to ironic). The
service may run meanwhile on a database server; with SQLite, stop it first.

Examples:
  corten migrate move-group rack-b --to corten --source-file /etc/corten/ironic.url --dry-run
  corten migrate move-group rack-b --to corten --source-file /etc/corten/ironic.url --config-file /etc/corten/corten.conf
  corten migrate move-group rack-b --to ironic --source-file /etc/corten/ironic.url --config-file /etc/corten/corten.conf
  corten migrate groups --config-file /etc/corten/corten.conf";

#[derive(Debug, Args)]
pub struct ToIronic {
    /// A database in which `ironic-dbsync create_schema` of Ironic 39 made the tables
    ///
    /// Other users of this machine see a password that stands here: it belongs into --target-file, or
    /// the variable CORTEN_IRONIC_DATABASE.
    #[arg(long, value_name = "URL", conflicts_with = "target_file")]
    pub target: Option<String>,
    /// A file whose first line is this URL
    #[arg(long, value_name = "FILE")]
    pub target_file: Option<PathBuf>,
    /// Write a copy to look at, while the service goes on: Ironic finds every node locked
    #[arg(long)]
    pub shadow: bool,
    #[command(flatten)]
    pub common: Common,
}

const TO_HELP: &str = "\
Stop the service first, and let Ironic make its schema: while a conductor serves the database, or
anything is written to it, nothing is written into Ironic's. Secrets are written in clear, as Ironic keeps
them. Everything is one transaction: Ironic finds all of it, or nothing. Events and webhooks have no
place there.

Example:
  corten migrate to-ironic --target-file /etc/corten/ironic.url --config-file /etc/corten/corten.conf";

#[derive(Debug, Args)]
pub struct FromIronic {
    /// Ironic's database, as [database]connection of its ironic.conf names it
    ///
    /// Other users of this machine see a password that stands here: it belongs into --source-file, or
    /// the variable CORTEN_IRONIC_DATABASE.
    #[arg(long, value_name = "URL", conflicts_with = "source_file")]
    pub source: Option<String>,
    /// A file whose first line is this URL
    #[arg(long, value_name = "FILE")]
    pub source_file: Option<PathBuf>,
    /// Say what would come and what would not, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Ironic's own configuration: say which of its options act here
    #[arg(long, value_name = "FILE")]
    pub ironic_conf: Vec<PathBuf>,
    /// Make a copy to look at, while Ironic goes on: no conductor serves it
    ///
    /// `corten api` shows the copy. An import without this flag replaces it.
    #[arg(long)]
    pub shadow: bool,
    /// Import although conductors of Ironic are alive
    ///
    /// Theirs and the conductors of this service must be of different conductor groups: two services
    /// that drive one machine work against each other.
    #[arg(long, conflicts_with = "shadow")]
    pub with_conductors: bool,
    /// Import although conductors are at work on some nodes
    ///
    /// What they were doing is taken up where it can be, and fails otherwise, as it does when an
    /// Ironic conductor is restarted.
    #[arg(long)]
    pub with_working: bool,
    /// Lose what is in the database of this configuration
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub struct Export {
    /// File to write, or `-` for the standard output
    pub file: PathBuf,
    #[command(flatten)]
    pub secrets: ExportSecrets,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ExportSecrets {
    /// Seal secrets under the passphrase in the first line of this file
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    /// Leave secrets out
    #[arg(long)]
    pub without_secrets: bool,
}

pub(super) const EXPORT_HELP: &str = "\
Nodes and all that belongs to them, chassis, allocations, deploy templates, runbooks and inspection
rules as JSON lines, as they were at one moment; the service may run meanwhile on a database server.
Secrets are sealed one by one, so that everything else can be read and compared. Not in it: networks and
reservations, images by name, users, groups, roles and tokens, webhooks, batches and events.

Examples:
  corten export --without-secrets - | less
  corten export --passphrase-file /etc/corten/passphrase /backup/corten.jsonl";

#[derive(Debug, Args)]
pub struct Import {
    /// What `corten export` wrote, or `-` for the standard input
    pub file: PathBuf,
    /// The passphrase of its secrets, in the first line of this file
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
    /// Lose what is in the database of this configuration
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    pub common: Common,
}

pub(super) const IMPORT_HELP: &str = "\
All of the file is imported, or nothing: into an empty database, or in place of an earlier import that
has not been changed since. Stop the service first.

Example:
  corten import --passphrase-file /etc/corten/passphrase /backup/corten.jsonl";

const FROM_HELP: &str = "\
The source is read in one snapshot and never written: a user that may only SELECT is enough. Read are
databases of Ironic 2023.1 to 2026.2 (21.4 to 39) on MariaDB, MySQL, PostgreSQL and SQLite.

An import is one transaction: one that fails or is killed leaves nothing behind, and is run again.
Run again, it replaces the rows of the import before, unless a service has changed something since.

Examples:
  corten migrate from-ironic --source-file /etc/corten/ironic.url --dry-run
  corten migrate from-ironic --source-file /etc/corten/ironic.url --config-file /etc/corten/corten.conf
  corten migrate from-ironic --source sqlite:////var/lib/ironic/ironic.sqlite --dry-run --ironic-conf /etc/ironic/ironic.conf

Before: stop Ironic's APIs and conductors, or import a copy to look at (--shadow). While a conductor of
Ironic is alive, nothing else is imported. See
docs/operate/coming-from-ironic.md.";
