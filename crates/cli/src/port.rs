//! `corten port …`: the network interfaces of machines.

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Map, Value};

use crate::attribute::{Attribute, Chosen, Form, Table, Verb as Doing};
use crate::client::Call;
use crate::error::Error;
use crate::listing::{self, PageArgs, field_names};
use crate::output::{self, OutputArgs};
use crate::{Session, help_footer, record};

const BRIEF: &[&str] = &["uuid", "address"];

/// What a long list and `create` show, in the stock client's order.
const DETAILED: &[&str] = &[
    "uuid",
    "address",
    "created_at",
    "extra",
    "node_uuid",
    "category",
    "vendor",
    "local_link_connection",
    "portgroup_uuid",
    "pxe_enabled",
    "physical_network",
    "updated_at",
    "internal_info",
    "is_smartnic",
    "name",
];

/// What can be asked for by name: the above, and what it leaves out.
const NAMES: &[&str] = &const {
    let mut names = ["description"; DETAILED.len() + 1];
    let mut index = 0;
    while index < DETAILED.len() {
        names[index] = DETAILED[index];
        index += 1;
    }
    names
};

const fn text(
    field: &'static str,
    option: &'static str,
    metavar: &'static str,
    help: &'static str,
) -> Attribute {
    Attribute {
        field,
        option,
        metavar,
        create: Form::Text,
        set: Form::Text,
        unset: Form::Clear,
        help,
    }
}

const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        create: Form::Absent,
        unset: Form::Absent,
        ..text("node_uuid", "node", "UUID", "Node the port belongs to")
    },
    Attribute {
        create: Form::Absent,
        unset: Form::Absent,
        ..text("address", "address", "MAC", "MAC address")
    },
    Attribute {
        set: Form::Absent,
        unset: Form::Absent,
        ..text("uuid", "uuid", "UUID", "UUID to create the port under")
    },
    Attribute {
        create: Form::Pairs,
        set: Form::Pairs,
        unset: Form::Keys,
        ..text(
            "extra",
            "extra",
            "KEY=VALUE",
            "Anything you want to remember about it",
        )
    },
    text(
        "portgroup_uuid",
        "port-group",
        "UUID",
        "Port group it is a member of",
    ),
    Attribute {
        create: Form::Pairs,
        set: Form::Pairs,
        unset: Form::Keys,
        ..text(
            "local_link_connection",
            "local-link-connection",
            "KEY=VALUE",
            "Where it is plugged in: switch_id, port_id, switch_info, hostname",
        )
    },
    Attribute {
        create: Form::Boolean,
        set: Form::Switch(Some("pxe-disabled")),
        unset: Form::Absent,
        ..text(
            "pxe_enabled",
            "pxe-enabled",
            "BOOLEAN",
            "Boot the machine over this port",
        )
    },
    text(
        "physical_network",
        "physical-network",
        "NAME",
        "Physical network it is connected to",
    ),
    Attribute {
        create: Form::Switch(None),
        set: Form::Switch(None),
        unset: Form::SwitchOff,
        ..text(
            "is_smartnic",
            "is-smartnic",
            "",
            "It is a port of a smart NIC",
        )
    },
    text("name", "name", "NAME", "Name"),
    text("description", "description", "TEXT", "A note for people"),
    text("vendor", "vendor", "VENDOR", "Vendor of the interface"),
    text(
        "category",
        "category",
        "CATEGORY",
        "Category of the interface",
    ),
];

macro_rules! tables {
    ($($name:ident: $verb:ident),*) => {$(
        #[derive(Debug)]
        struct $name;
        impl Table for $name {
            const ATTRIBUTES: &'static [Attribute] = ATTRIBUTES;
            const VERB: Doing = Doing::$verb;
        }
    )*};
}

tables!(Creating: Create, Setting: Set, Unsetting: Unset);

/// Network interfaces of machines.
#[derive(Debug, Args)]
#[command(after_help = help_footer())]
pub struct Port {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List ports
    List(List),
    /// Show all about one port
    Show(Show),
    /// Tell the service of a port
    Create(Create),
    /// Change a port's settings
    Set(Set),
    /// Clear a port's settings
    Unset(Unset),
    /// Forget ports
    Delete(Delete),
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    page: PageArgs,
    /// Only the port with this MAC address
    #[arg(long, value_name = "MAC")]
    address: Option<String>,
    /// Only ports of this node, by name or UUID
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Only ports of this port group, by name or UUID
    #[arg(long, value_name = "GROUP")]
    port_group: Option<String>,
    /// Show everything about them
    #[arg(long, conflicts_with = "fields", help_heading = "Output")]
    long: bool,
    /// Fetch and show only these fields; a wrong name is answered with all there are
    #[arg(
        long,
        value_name = "FIELD",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = field_names(NAMES),
        hide_possible_values = true,
        help_heading = "Output"
    )]
    fields: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct Show {
    /// UUID of the port, or with --address its MAC address
    #[arg(value_name = "PORT")]
    port: String,
    /// PORT is a MAC address
    #[arg(long)]
    address: bool,
    /// Fetch and show only these fields; a wrong name is answered with all there are
    #[arg(
        long,
        value_name = "FIELD",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = field_names(NAMES),
        hide_possible_values = true
    )]
    fields: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  corten port create 52:54:00:12:34:56 --node 5b6d2a4e-… --physical-network physnet1
")]
struct Create {
    /// MAC address
    #[arg(value_name = "MAC")]
    address: String,
    /// UUID of the node the port belongs to
    #[arg(long = "node", value_name = "UUID")]
    node_uuid: String,
    #[command(flatten)]
    attributes: Chosen<Creating>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct Set {
    /// UUID of the port
    port: String,
    #[command(flatten)]
    attributes: Chosen<Setting>,
}

#[derive(Debug, Args)]
struct Unset {
    /// UUID of the port
    port: String,
    #[command(flatten)]
    attributes: Chosen<Unsetting>,
}

#[derive(Debug, Args)]
struct Delete {
    /// UUIDs of the ports
    #[arg(value_name = "PORT", required = true)]
    ports: Vec<String>,
}

impl Port {
    pub(crate) async fn run(self, session: &mut Session) -> Result<(), Error> {
        match self.verb {
            Verb::List(list) => list.run(session).await,
            Verb::Show(show) => show.run(session).await,
            Verb::Create(create) => create.run(session).await,
            Verb::Set(set) => change(session, &set.port, set.attributes.patch()?).await,
            Verb::Unset(unset) => change(session, &unset.port, unset.attributes.patch()?).await,
            Verb::Delete(delete) => delete.run(session).await,
        }
    }
}

impl List {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let path: &[&str] = if self.long {
            &["ports", "detail"]
        } else {
            &["ports"]
        };
        let call = Call::get(path)?
            .fields(&self.fields)
            .query_if("address", self.address)
            .query_if("node", self.node)
            .query_if("portgroup", self.port_group);
        let asked: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        let shown = match (self.long, asked.is_empty()) {
            (true, _) => DETAILED,
            (false, true) => BRIEF,
            (false, false) => &asked,
        };
        listing::fetch_and_print(session, call, "ports", &self.page, shown, &self.output).await
    }
}

impl Show {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let answer = if self.address {
            let path: &[&str] = if self.fields.is_empty() {
                &["ports", "detail"]
            } else {
                &["ports"]
            };
            let call = Call::get(path)?
                .fields(&self.fields)
                .query("address", &self.port);
            let mut found = session.client.list(&call, "ports", None).await?;
            match (found.pop(), found.is_empty()) {
                (Some(port), true) => port,
                _ => {
                    return Err(Error::failed(format!(
                        "no port has the address {}",
                        self.port
                    )));
                }
            }
        } else {
            let call = Call::get(&["ports", &self.port])?.fields(&self.fields);
            session
                .client
                .send(&call)
                .await
                .map_err(|error| about(error, &self.port))?
        };
        let mut port = record(answer, &["links"])?;
        port.sort_keys();
        output::print_record(&mut session.console, &self.output, &port)
    }
}

impl Create {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = self.attributes.body()?;
        body.insert("address".to_owned(), Value::String(self.address.clone()));
        body.insert("node_uuid".to_owned(), Value::String(self.node_uuid));
        let call = Call::new(Method::POST, &["ports"])?.body(body);
        let answer = session.client.send(&call).await;
        let created = record(answer.map_err(|error| about(error, &self.address))?, &[])?;
        let field = |name: &&str| {
            let value = created.get(*name).cloned();
            (
                (*name).to_owned(),
                value.unwrap_or_else(|| Value::String(String::new())),
            )
        };
        let shown: Map<String, Value> = DETAILED.iter().map(field).collect();
        output::print_record(&mut session.console, &self.output, &shown)
    }
}

impl Delete {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut failures = Vec::new();
        for port in &self.ports {
            let call = Call::new(Method::DELETE, &["ports", port])?;
            match session.client.send(&call).await {
                Ok(_) => session.console.line(&format!("Deleted port {port}"))?,
                Err(error) => failures.push(about(error, port)),
            }
        }
        Error::all(failures)
    }
}

async fn change(session: &Session, port: &str, patch: Vec<Value>) -> Result<(), Error> {
    if patch.is_empty() {
        session
            .console
            .note("nothing to change: name a setting, see --help");
        return Ok(());
    }
    let call = Call::new(Method::PATCH, &["ports", port])?.body(patch);
    session
        .client
        .send(&call)
        .await
        .map_err(|error| about(error, port))?;
    Ok(())
}

fn about(error: Error, port: &str) -> Error {
    error.about(format!("port {port}"))
}
