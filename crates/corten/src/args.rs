//! The command line: what can be typed, and what `--help` says about it.
//!
//! Only the form is decided here. What a flag means together with the configuration is decided in
//! [`crate::sources`] and [`crate::settings`]; the client's commands and their connection options
//! come from the crate `cli`.

pub(crate) mod account;
mod device;
mod discover;
mod doctor;
#[cfg(test)]
mod documented;
mod driver;
mod image;
mod init;
mod migrate;
mod openstack;
mod pdu;
mod replay;
mod shadow;
mod sim;

pub use account::Account;
pub use device::{Device, DeviceKind};
pub use discover::Discover;
pub use doctor::Doctor;
pub use driver::{Driver, DriverTest};
pub use image::{Image, Inspect};
pub use init::{Init, SignIn, YesNo};
pub use migrate::{Export, FromIronic, Import, Migrate, MoveGroup, Side, ToIronic};
pub use openstack::{OpenStack, OpenStackCheck};
pub use pdu::Pdu;
pub use replay::{Replay, SimCommand};
pub use shadow::Shadow;
pub use sim::{Format, Sim};

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use ramdisk::Ramdisk;
use std::{ffi::OsString, path::PathBuf};

/// Bare-metal provisioning: a service for machines, and a client for it.
#[derive(Debug, Parser)]
#[command(name = "corten", version, after_help = FIRST_STEPS)]
pub struct Program {
    #[command(flatten)]
    pub connection: cli::Global,
    #[command(subcommand)]
    pub command: Command,
}

const FIRST_STEPS: &str = "\
First steps:
  corten init                     write a configuration for this host, and what belongs to it
  corten demo                     a rack of 20 simulated machines to play with
  corten serve                    the service itself, for this machine only
  corten node list                ask the service, from another terminal
  corten node watch               see what happens to machines, as it happens
  corten COMMAND --help           what a command does, with examples";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a configuration, with everything that the first start needs
    Init(Box<Init>),
    /// Check this host and a configuration, and say how to put right what is wrong
    Doctor(Doctor),
    /// Run the service: API and conductor in one process
    Serve(Serve),
    /// Run the API alone, for conductors in other processes
    #[command(after_help = CLUSTER_HELP)]
    Api(Serve),
    /// Run a conductor alone. It shares its word with the client's commands about conductors, so
    /// it is read by [`Program::read`].
    #[command(skip)]
    Conductor(Serve),
    /// Run the service with 20 simulated machines, for trying things out
    Demo(Demo),
    /// Run simulated machines with BMCs, to try drivers on
    Sim(Box<Sim>),
    /// Find the BMCs in ranges of addresses, and enrol their machines
    Discover(Box<Discover>),
    /// Look after the database
    #[command(subcommand)]
    Db(Db),
    /// Write nodes, what belongs to them and what describes work on them into a file of JSON lines
    #[command(after_help = migrate::EXPORT_HELP)]
    Export(Export),
    /// Fill the database from a file of `export`
    #[command(after_help = migrate::IMPORT_HELP)]
    Import(Import),
    /// Come over from Ironic
    #[command(subcommand)]
    Migrate(Migrate),
    /// Follow an Ironic that goes on, and compare answers with it
    Shadow(Box<Shadow>),
    /// Ask whether the service of a configuration answers on this host
    #[command(after_help = HEALTH_HELP)]
    Healthcheck(Healthcheck),
    /// Look at the configuration
    #[command(subcommand)]
    Config(Config),
    /// Show and try out policy rules
    #[command(subcommand)]
    Policy(Policy),
    /// Look at the OpenStack services around this one
    #[command(subcommand, name = "openstack")]
    OpenStack(OpenStack),
    /// Make what machines are deployed with
    #[command(subcommand)]
    Ramdisk(Ramdisk),
    /// Look at image files, and make them. They share their word with the client's commands about
    /// the images of a service, so they are read by [`Program::read`].
    #[command(skip)]
    Image(Image),
    /// Look at drivers that are programs of their own. They share their word with the client's
    /// commands about the drivers of a service, so they are read by [`Program::read`].
    #[command(skip)]
    Driver(Driver),
    /// Local users, or the names and passwords of a file. They are commands of the client too, so they
    /// are read by [`Program::read`].
    #[command(skip)]
    Account(Box<Account>),
    /// Print a script that completes commands in a shell
    #[command(after_help = COMPLETION_HELP)]
    Completion { shell: Shell },
    /// Write the manual pages of all commands
    #[command(after_help = MANUAL_HELP)]
    Manual {
        /// An existing folder, such as /usr/local/share/man/man1
        folder: PathBuf,
    },
    /// The command line of Ironic until 2019: `corten ironic help`
    ///
    /// Its words have a grammar of their own and never get here, unless something stands before it.
    #[command(disable_help_flag = true, long_about = None, after_help = IRONIC_HELP)]
    Ironic {
        /// A sub-command with its options
        #[arg(
            value_name = "WORD",
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        words: Vec<String>,
    },
    /// What the scripts of `completion` ask.
    #[command(name = "__complete", hide = true)]
    Complete {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Becomes a driver that is a program of its own, with less rights; the service starts it so.
    #[command(name = drivers::external::LAUNCH_WORD, hide = true)]
    LaunchDriver {
        parent: u32,
        memory: u64,
        program: PathBuf,
    },
    /// Runs a playbook and kills what it leaves behind; the service starts it so.
    #[command(name = drivers::ansible::WATCH_WORD, hide = true)]
    WatchPlaybook {
        /// Milliseconds that its standard input may stay untouched.
        patience: u64,
        program: OsString,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    #[command(flatten)]
    Client(cli::Command),
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

const COMPLETION_HELP: &str = "\
Commands, options, their values, and names of nodes, drivers and so on as the service knows them.

Examples:
  source <(corten completion bash)                  in this shell; put it into ~/.bashrc
  corten completion bash > /etc/bash_completion.d/corten
  corten completion zsh > \"${fpath[1]}/_corten\"
  corten completion fish > ~/.config/fish/completions/corten.fish";

const IRONIC_HELP: &str = "\
Grammar, tables and exit codes are those of python-ironicclient until 2.8.0. Each command says on the
error output what it is called today.

Examples:
  corten ironic help
  corten ironic help node-create
  corten ironic --ironic-url http://127.0.0.1:6385 node-list";

const MANUAL_HELP: &str = "\
Examples:
  corten manual /usr/local/share/man/man1           then: man corten-node-deploy";

/// Where the configuration comes from. Later ones win: files, then variables, then `--set`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Configuration")]
pub struct Common {
    /// Configuration file in the format of ironic.conf; may be given several times, later ones win
    #[arg(long, value_name = "FILE")]
    pub config_file: Vec<PathBuf>,
    /// Folder of the database and of everything else that is kept
    /// [default: corten in the user's data folder; /var/lib/corten for root]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Set one option, over files and over CORTEN_SECTION__OPTION variables; may be repeated
    #[arg(long, value_name = "SECTION.OPTION=VALUE")]
    pub set: Vec<String>,
}

impl Common {
    /// Whether anything of it was given.
    pub(crate) fn is_given(&self) -> bool {
        !self.config_file.is_empty() || self.data_dir.is_some() || !self.set.is_empty()
    }

    /// Reads nothing but these options, without the name of a program before them.
    pub(crate) fn from_words(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let command = Self::augment_args(clap::Command::new("corten").no_binary_name(true));
        Self::from_arg_matches(&command.try_get_matches_from(words)?)
    }
}

#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
pub struct Serve {
    /// Listen on addresses that other machines can reach, without authentication
    ///
    /// With auth_strategy=noauth, everybody who can reach the port can erase every machine.
    #[arg(long)]
    pub insecure: bool,
    #[command(flatten)]
    pub common: Common,
}

const SERVE_HELP: &str = "\
Without a configuration file the service is for this machine only: it listens on 127.0.0.1:6385,
asks nobody for a password, and serves simulated hardware (fake-hardware). With a file, what the
file leaves out has the default of Ironic, such as listening on all addresses.

Examples:
  corten serve
  corten serve --data-dir ./data --set api.port=8080
  corten serve --config-file /etc/ironic/ironic.conf
  CORTEN_API__PORT=8080 corten serve
  CORTEN_LOG=debug corten serve                  log more; also conductor=trace,info

The address is printed as soon as requests are answered. SIGTERM and Ctrl-C end the service: it
answers what it has begun, brings its work to a point where it can go on later, and exits with 0.
A second signal ends it at once; the next start takes up what was left.";

const CLUSTER_HELP: &str = "\
APIs and conductors in several processes share a database on a server ([database]connection), its
key file ([corten]key_file) and a secret ([corten]cluster_secret_file). 'corten api' answers
clients; 'corten conductor' works on machines and takes calls of the APIs on [json_rpc]port.

Examples:
  corten conductor --config-file /etc/corten/corten.conf --set DEFAULT.host=conductor-1
  corten api --config-file /etc/corten/corten.conf";

#[derive(Debug, Args)]
#[command(after_help = DEMO_HELP)]
pub struct Demo {
    /// Port to listen on; 0 takes any free one [default: 6385, or a free one if that is taken]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// File to write the address to as soon as everything is ready, for scripts
    #[arg(long, value_name = "FILE")]
    pub ready_file: Option<PathBuf>,
    /// Also deploy a virtual machine, with kernel, initramfs and image.qcow2 from this folder and
    /// with QEMU; without them there is none
    #[arg(long, value_name = "DIR")]
    pub machine: Option<PathBuf>,
    /// Program that makes these files while the other machines are there already; it gets the folder
    /// as its argument, and what it prints is shown
    #[arg(long, value_name = "PROGRAM", requires = "machine")]
    pub prepare: Option<PathBuf>,
    /// How many machines there are; those beyond the first 20 have not lived
    #[arg(long, value_name = "NUMBER", default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(20..=1_000_000))]
    pub nodes: u32,
    /// Names, UUIDs and states follow from this number, so that two runs show the same
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Nothing moves by itself
    #[arg(long)]
    pub still: bool,
    /// How many machines beyond the first 20 are changed in a second
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub moves: Option<u32>,
    /// Beyond these, a machine for every failure that the service has an advice for
    #[arg(long)]
    pub failures: bool,
    /// Who may ask: everybody, or a user with a password that is printed
    #[arg(long, value_enum, default_value_t = DemoAuth::None)]
    pub auth: DemoAuth,
}

/// How requests to the demo are authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DemoAuth {
    None,
    Basic,
}

const DEMO_HELP: &str = "\
The machines are simulated and stand at several stages of life. About half of them keep moving:
they are deployed, rescued, serviced, taken back and cleaned. The others are yours. Nothing needs
root, only this machine can reach the service, and all data is removed at the end.

Examples:
  corten demo
  corten demo --port 0 --ready-file ready        for a script: any port, written to a file
  corten demo --nodes 100000 --seed 1 --still    a large fleet, the same every time
  corten demo --nodes 1000 --moves 100           a hundred changes in a second
  corten demo --failures --still                 every failure, to see what the service says of it
  corten demo --auth basic                       with a login";

#[derive(Debug, Subcommand)]
pub enum Db {
    /// Create the schema, or bring it up to the version this program needs
    Upgrade(Common),
    /// Say which schema the database has, without changing it
    Version(Common),
    /// Verify that everything in the database can be read, secrets included
    #[command(after_help = CHECK_HELP)]
    Check(Common),
    /// Add a key to the ring and seal every secret anew with it
    #[command(after_help = ROTATE_HELP)]
    RotateKey(Common),
    /// Write the embedded database into a file, while the service runs
    #[command(after_help = BACKUP_HELP)]
    Backup(Backup),
    /// Put a backup in the place of the embedded database
    #[command(after_help = RESTORE_HELP)]
    Restore(Restore),
}

#[derive(Debug, Args)]
pub struct Backup {
    /// File to write; nothing is written unless all of it is
    pub file: PathBuf,
    /// Replace the file if there is one
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub common: Common,
}

const BACKUP_HELP: &str = "\
The service may run and change things meanwhile: the backup holds everything that was accepted
before it began, as it was at one moment. It is checked before it gets its name. The keys of the
passwords in it are not in it; copy the key file as well, and keep it apart.

Examples:
  corten db backup /backup/corten-$(date +%F).db
  corten db backup --config-file /etc/corten/corten.conf --force /backup/corten.db

Run it on the machine of the service, as its user. A database on a server is backed up with the
tools of that server.";

#[derive(Debug, Args)]
pub struct Restore {
    /// What 'corten db backup' wrote
    pub file: PathBuf,
    /// Restore even if keys for passwords in the backup are missing; those must be entered anew
    #[arg(long)]
    pub without_keys: bool,
    #[command(flatten)]
    pub common: Common,
}

const RESTORE_HELP: &str = "\
Stop the service first; as long as it runs, nothing is done. The backup is checked before anything
is changed, and the database that was there is kept under another name.

The next start takes up what was under way when the backup was made, as after a crash. Whatever
happened later is unknown to it: power states are read from the machines anew, and who follows
events is told that some are lost.

Examples:
  corten db restore /backup/corten-2026-11-15.db
  corten db restore --data-dir ./copy backup.db         into another place; copy the keys there first";

const CHECK_HELP: &str = "\
Reads every node and opens every secret; changes nothing. Exits with 1 if something is wrong, after
naming all of it. May be run while the service runs.";

const ROTATE_HELP: &str = "\
May be run while services run: they read the key file again when they meet the new key. Older keys
stay in the file, because backups of the database need them. If there is no key file yet, it is
created; processes on other hosts need a copy of it.";

#[derive(Debug, Args)]
pub struct Healthcheck {
    /// Ask a conductor that runs by itself, instead of the API
    #[arg(long)]
    pub conductor: bool,
    #[command(flatten)]
    pub common: Common,
}

const HEALTH_HELP: &str = "\
Exits with 0 if it does. Meant for containers; takes the configuration that the service was started
with. With [healthcheck]enabled the API also says whether it can reach its database.

Examples:
  corten healthcheck --config-file /etc/corten/corten.conf
  corten healthcheck --conductor --config-file /etc/corten/corten.conf";

#[derive(Debug, Subcommand)]
pub enum Config {
    /// Print the options that were set, where each was set, and nothing secret
    #[command(after_help = SHOW_HELP)]
    Show(Show),
}

#[derive(Debug, Args)]
pub struct Show {
    /// Print options that have their defaults as well
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub common: Common,
}

const SHOW_HELP: &str = "\
Examples:
  corten config show --config-file /etc/ironic/ironic.conf
  corten config show --all | less

What is printed is itself a configuration file, but for secrets, which are masked.";

#[derive(Debug, Subcommand)]
pub enum Policy {
    /// Print every rule as it is in force, with what asks for it and where it comes from
    #[command(after_help = POLICY_SHOW_HELP)]
    Show(Common),
    /// Say whether somebody may do something; without a rule, what they may do of everything
    #[command(after_help = POLICY_CHECK_HELP)]
    Check(Check),
}

const POLICY_SHOW_HELP: &str = "\
Examples:
  corten policy show --config-file /etc/ironic/ironic.conf
  corten policy show > policy.yaml

What is printed is itself a policy file.";

#[derive(Debug, Args)]
pub struct Check {
    /// Name of a rule, such as baremetal:node:delete
    pub rule: Option<String>,
    /// Role of the caller; may be repeated. admin stands for manager, member and reader as well,
    /// and so on down
    #[arg(long, value_name = "ROLE")]
    pub role: Vec<String>,
    /// The caller's token is for this project (its id)
    #[arg(long, value_name = "ID", conflicts_with_all = ["system", "domain"])]
    pub project: Option<String>,
    /// Name of that project, which rules about services look at
    #[arg(long, value_name = "NAME", requires = "project")]
    pub project_name: Option<String>,
    /// The caller's token is for the whole system
    #[arg(long, conflicts_with = "domain")]
    pub system: bool,
    /// The caller's token is for this domain (its id)
    #[arg(long, value_name = "ID")]
    pub domain: Option<String>,
    /// The caller's id
    #[arg(long, value_name = "ID")]
    pub user: Option<String>,
    /// Project that owns the node, allocation or runbook
    #[arg(long, value_name = "ID")]
    pub owner: Option<String>,
    /// Project that leases the node
    #[arg(long, value_name = "ID")]
    pub lessee: Option<String>,
    #[command(flatten)]
    pub common: Common,
}

const POLICY_CHECK_HELP: &str = "\
Examples:
  corten policy check baremetal:node:set_power_state --role member --project p1 --lessee p1
  corten policy check baremetal:chassis:create --role admin --system
  corten policy check --role reader --project p1 --owner p1 | grep ^allowed

With a rule, the exit status is 0 if it allows the caller, and 1 if it does not.";

/// The commands that do not talk to a service, and so have no use for connection options.
const WITHOUT_CONNECTION: &[&str] = &[
    "init",
    "doctor",
    "serve",
    "api",
    "demo",
    "sim",
    "db",
    "export",
    "import",
    "migrate",
    "shadow",
    "healthcheck",
    "config",
    "policy",
    "openstack",
    "ramdisk",
    "completion",
    "manual",
    "ironic",
];

/// The commands under headings, as `corten --help` shows them.
const HEADINGS: &[(&str, &[&str])] = &[
    (
        "The service",
        &[
            "init",
            "doctor",
            "serve",
            "api",
            "conductor",
            "demo",
            "status",
            "healthcheck",
            "config",
            "settings",
            "boot",
            "db",
            "export",
            "import",
            "migrate",
            "shadow",
            "user",
            "group",
            "role",
            "token",
            "me",
            "policy",
            "openstack",
        ],
    ),
    (
        "Machines",
        &[
            "node",
            "port",
            "allocation",
            "chassis",
            "volume",
            "network",
            "fleet",
            "work",
            "batch",
            "events",
            "create",
            "apply",
            "discover",
        ],
    ),
    (
        "What machines are treated by",
        &[
            "driver",
            "deploy",
            "runbook",
            "inspection",
            "step",
            "ramdisk",
            "image",
        ],
    ),
    (
        "Everything else",
        &[
            "shard",
            "webhook",
            "certificate",
            "baseline",
            "sim",
            "ironic",
            "completion",
            "manual",
            "help",
        ],
    ),
];

/// The help of the program with its commands in groups, which the parser cannot do by itself.
fn help_template(program: &clap::Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (heading, names) in HEADINGS {
        text += &format!("\n{heading}:\n");
        for name in *names {
            let about = match (*name, program.find_subcommand(name)) {
                (CONDUCTOR, _) => CONDUCTOR_ABOUT.to_owned(),
                ("help", _) => "Print this, or the help of a command".to_owned(),
                (_, Some(command)) => command
                    .get_about()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
                (_, None) => continue,
            };
            text += &format!("  {name:<12} {about}\n");
        }
    }
    text + "\nOptions:\n{options}{after-help}"
}

const CONDUCTOR_ABOUT: &str =
    "Run a conductor alone, for APIs in other processes; or ask about conductors";

/// The role that has the same name as commands of the client.
const CONDUCTOR: &str = "conductor";

/// The word of commands of the client, and of those of [`Image`].
const IMAGE: &str = "image";

/// The same for [`Driver`].
const DRIVER: &str = "driver";

impl Program {
    /// Reads the arguments of this process; ends it with a message if they make no sense.
    pub fn from_process() -> Self {
        Self::from_words(std::env::args_os().collect())
    }

    /// The same for other words, the first of which is the program.
    pub fn from_words(words: Vec<OsString>) -> Self {
        let mut command = Self::described();
        let matches = command
            .try_get_matches_from_mut(words)
            .unwrap_or_else(|error| error.exit());
        Self::read(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
    }

    /// Reads what was typed. `conductor` with a command below it (`conductor list`) is for the
    /// client; alone or with options it is the role. So is `image` with most commands below it.
    fn read(matches: &ArgMatches) -> Result<Self, clap::Error> {
        if let Some((CONDUCTOR, role)) = matches.subcommand()
            && role.subcommand().is_none()
        {
            return Ok(Self {
                connection: cli::Global::from_arg_matches(matches)?,
                command: Command::Conductor(Serve::from_arg_matches(role)?),
            });
        }
        if let Some((IMAGE, matched)) = matches.subcommand()
            && let Some((word, _)) = matched.subcommand()
            && Image::has_subcommand(word)
        {
            return Ok(Self {
                connection: cli::Global::from_arg_matches(matches)?,
                command: Command::Image(Image::from_arg_matches(matched)?),
            });
        }
        if let Some((DRIVER, matched)) = matches.subcommand()
            && let Some((word, _)) = matched.subcommand()
            && Driver::has_subcommand(word)
        {
            return Ok(Self {
                connection: cli::Global::from_arg_matches(matches)?,
                command: Command::Driver(Driver::from_arg_matches(matched)?),
            });
        }
        if let Some(account) = Account::read(matches)? {
            return Ok(Self {
                connection: cli::Global::from_arg_matches(matches)?,
                command: Command::Account(Box::new(account)),
            });
        }
        Self::from_arg_matches(matches)
    }

    /// The derived command, without connection options in the help of commands that ignore them.
    ///
    /// An option that a subcommand has itself is not handed down to it, so giving it a hidden one
    /// of the same name hides it there alone.
    pub(crate) fn described() -> clap::Command {
        let connection = cli::Global::augment_args(clap::Command::new("connection"));
        let program = Self::command().mut_subcommand(CONDUCTOR, |command| {
            // What its subcommands ask is connected to like everything else.
            let footer = command.get_after_help().map(ToString::to_string);
            let footer = footer.unwrap_or_default();
            Serve::augment_args(command)
                .about(CONDUCTOR_ABOUT)
                .after_help(format!("{CLUSTER_HELP}\n\n{footer}"))
                .subcommand_required(false)
                .arg_required_else_help(false)
                .args_conflicts_with_subcommands(true)
        });
        let unconnected = |command: clap::Command| {
            let is_own = |arg: &&clap::Arg| {
                let mut known = command.get_arguments();
                known.any(|own| own.get_id() == arg.get_id())
            };
            let inherited = connection.get_arguments().filter(|arg| !is_own(arg));
            let hidden: Vec<_> = inherited.map(|arg| arg.clone().hide(true)).collect();
            command.args(hidden)
        };
        let own = Image::augment_subcommands(clap::Command::new(IMAGE));
        let own: Vec<_> = own.get_subcommands().cloned().map(&unconnected).collect();
        let program = program.mut_subcommand(IMAGE, |command| command.subcommands(own));
        let own = Driver::augment_subcommands(clap::Command::new(DRIVER));
        let own: Vec<_> = own.get_subcommands().cloned().map(&unconnected).collect();
        let program = program.mut_subcommand(DRIVER, |command| command.subcommands(own));
        let program = Account::described(program);
        let program = program.help_template(help_template(&Self::command()));
        WITHOUT_CONNECTION.iter().fold(program, |program, name| {
            program.mut_subcommand(name, unconnected)
        })
    }
}

#[cfg(test)]
mod tests;
