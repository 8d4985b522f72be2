//! `corten network …`: networks that the DHCP server gives addresses in, addresses that are kept for
//! certain machines, and who has which address.

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput, RecordOutput};
use crate::{Session, record};

pub(crate) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "network add",
            "Have the DHCP server give addresses in a network",
            Add::run,
        ),
        Leaf::new("network list", "List networks", List::run),
        Leaf::new("network show", "Show a network", Show::run),
        Leaf::new("network set", "Change a network", Set::run),
        Leaf::new("network rm", "Remove networks", Remove::run),
        Leaf::new(
            "network reserve",
            "Keep an address for a machine",
            Reserve::run,
        ),
        Leaf::new(
            "network release",
            "Keep an address for a machine no longer",
            Release::run,
        ),
        Leaf::new(
            "network reservations",
            "List the addresses that are kept for certain machines",
            Reservations::run,
        ),
        Leaf::new(
            "network leases",
            "List which machine has which address, and until when",
            Leases::run,
        ),
    ]
}

/// What can be said about a network.
#[derive(Debug, Args)]
struct Attributes {
    /// VLAN, for people to read
    #[arg(long, value_name = "ID")]
    vlan: Option<u16>,
    /// Addresses for machines without a reservation; can be given several times
    #[arg(long, value_name = "FIRST-LAST")]
    range: Vec<String>,
    /// Address of the router
    #[arg(long, value_name = "ADDRESS")]
    gateway: Option<String>,
    /// Address of a name server; can be given several times
    #[arg(long, value_name = "ADDRESS")]
    dns: Vec<String>,
    /// Address of a time server; can be given several times
    #[arg(long, value_name = "ADDRESS")]
    ntp: Vec<String>,
    /// Domain of the machines
    #[arg(long, value_name = "NAME")]
    domain: Option<String>,
    /// Largest packet, in bytes
    #[arg(long, value_name = "BYTES")]
    mtu: Option<u16>,
    /// Address of the relay that forwards requests (giaddr), where it is not inside the prefix
    #[arg(long, value_name = "ADDRESS", conflicts_with = "interface")]
    relay: Option<String>,
    /// The conductor's interface in this network; without one, requests come through relays
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// The conductor's address as machines of this network reach it; my_ip if not given
    #[arg(long, value_name = "ADDRESS")]
    server: Option<String>,
    /// How long a lease runs, in seconds
    #[arg(long, value_name = "SECONDS")]
    lease: Option<u32>,
    /// The only conductor that may serve the network
    #[arg(long, value_name = "HOST")]
    conductor: Option<String>,
}

impl Attributes {
    fn into_body(self) -> Map<String, Value> {
        let mut body = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                body.insert(name.to_owned(), value);
            }
        };
        let some = |texts: Vec<String>| (!texts.is_empty()).then(|| json!(texts));
        put("vlan", self.vlan.map(Value::from));
        put("ranges", some(self.range));
        put("gateway", self.gateway.map(Value::from));
        put("dns_servers", some(self.dns));
        put("ntp_servers", some(self.ntp));
        put("domain", self.domain.map(Value::from));
        put("mtu", self.mtu.map(Value::from));
        put("relay", self.relay.map(Value::from));
        put("interface", self.interface.map(Value::from));
        put("server", self.server.map(Value::from));
        put("lease_seconds", self.lease.map(Value::from));
        put("conductor", self.conductor.map(Value::from));
        body
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Conductors with [corten]dhcp = server notice the network within seconds.
  corten network add rack1 10.0.1.0/24 --interface eth1 --range 10.0.1.100-10.0.1.199 --gateway 10.0.1.1
  corten network add rack2 10.0.2.0/24 --relay 10.0.2.1 --range 10.0.2.100-10.0.2.199 --dns 10.0.0.53
")]
struct Add {
    /// Name: lower-case letters, digits, dots, hyphens and underscores
    name: String,
    /// Prefix, such as 10.0.1.0/24 or fd00:1::/64
    #[arg(value_name = "PREFIX")]
    subnet: String,
    #[command(flatten)]
    attributes: Attributes,
    #[command(flatten)]
    output: RecordOutput,
}

impl Add {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = self.attributes.into_body();
        body.insert("name".into(), json!(self.name));
        body.insert("prefix".into(), json!(self.subnet));
        let call = Call::own(Method::POST, &["networks"])?.body(body);
        let made = session.client.send(&call).await;
        let made = record(made.map_err(|error| about(error, &self.name))?, &[])?;
        output::print_record(&mut session.console, &self.output, &made)
    }
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    output: ListOutput,
}

impl List {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["networks"])?;
        let answer = session.client.send(&call).await?;
        let columns = [
            "name",
            "prefix",
            "vlan",
            "ranges",
            "gateway",
            "interface",
            "relay",
            "served_by",
        ];
        let rows = rows(&answer, "networks", &columns);
        output::print_list(&mut session.console, &self.output, &columns, rows)
    }
}

/// These members of each thing in a list; lists in them are joined.
fn rows(answer: &Value, key: &str, columns: &[&str]) -> Vec<Vec<Value>> {
    let things = answer.get(key).and_then(Value::as_array);
    let row = |thing: &Value| {
        let cell = |column: &&str| match thing.get(*column) {
            Some(Value::Array(list)) => {
                let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                Value::from(texts.join(", "))
            }
            other => other.cloned().unwrap_or_default(),
        };
        columns.iter().map(cell).collect()
    };
    things.into_iter().flatten().map(row).collect()
}

#[derive(Debug, Args)]
struct Show {
    /// Name
    network: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl Show {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["networks", &self.network])?;
        let shown = record(session.client.send(&call).await?, &[])?;
        output::print_record(&mut session.console, &self.output, &shown)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
What is given once or several times replaces what was there.
  corten network set rack1 --range 10.0.1.50-10.0.1.99 --range 10.0.1.150-10.0.1.199
  corten network set rack1 --unset gateway --unset ntp_servers
")]
struct Set {
    /// Name
    network: String,
    /// Another prefix
    #[arg(long, value_name = "PREFIX")]
    subnet: Option<String>,
    #[command(flatten)]
    attributes: Attributes,
    /// A field to empty, as `network show` calls it; can be given several times
    #[arg(long, value_name = "FIELD")]
    unset: Vec<String>,
    #[command(flatten)]
    output: RecordOutput,
}

impl Set {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = self.attributes.into_body();
        if let Some(prefix) = self.subnet {
            body.insert("prefix".into(), json!(prefix));
        }
        for field in self.unset {
            let empty = match field.as_str() {
                "ranges" | "dns_servers" | "ntp_servers" => json!([]),
                _ => Value::Null,
            };
            body.insert(field, empty);
        }
        if body.is_empty() {
            return Err(Error::usage("nothing to change was named"));
        }
        let call = Call::own(Method::PATCH, &["networks", &self.network])?.body(body);
        let changed = session.client.send(&call).await;
        let changed = record(changed.map_err(|error| about(error, &self.network))?, &[])?;
        output::print_record(&mut session.console, &self.output, &changed)
    }
}

#[derive(Debug, Args)]
struct Remove {
    /// Names
    #[arg(value_name = "NETWORK", required = true)]
    networks: Vec<String>,
    /// Also where machines have addresses, which they cannot renew afterwards
    #[arg(long)]
    force: bool,
}

impl Remove {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut errors = Vec::new();
        for network in &self.networks {
            let call = Call::own(Method::DELETE, &["networks", network])?;
            let call = call.query_if("force", self.force.then_some("true"));
            match session.client.send(&call).await {
                Ok(_) => session
                    .console
                    .line(&format!("Removed network {network}"))?,
                Err(error) => errors.push(about(error, network)),
            }
        }
        Error::all(errors)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
  corten network reserve rack1 52:54:00:12:34:56 10.0.1.20
")]
struct Reserve {
    /// Name of the network
    network: String,
    /// The machine: UUID or name of its port, or a MAC address
    #[arg(value_name = "PORT|MAC")]
    port: String,
    /// Address inside the network's prefix; it need not be in a range
    address: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl Reserve {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let body = json!({"port": self.port, "address": self.address});
        let call = Call::own(Method::POST, &["networks", &self.network, "reservations"])?;
        let made = session.client.send(&call.body(body)).await;
        let made = record(made.map_err(|error| about(error, &self.network))?, &[])?;
        output::print_record(&mut session.console, &self.output, &made)
    }
}

#[derive(Debug, Args)]
struct Release {
    /// Name of the network
    network: String,
    /// Reserved address
    address: String,
}

impl Release {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let path = ["networks", &self.network, "reservations", &self.address];
        let call = Call::own(Method::DELETE, &path)?;
        let ended = session.client.send(&call).await;
        ended.map_err(|error| about(error, &self.network))?;
        let text = format!("Released {} in network {}", self.address, self.network);
        session.console.line(&text)
    }
}

/// How much of a list is asked for.
#[derive(Debug, Args)]
struct Part {
    /// At most so many
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u32>,
    /// Only what is behind this address
    #[arg(long, value_name = "ADDRESS")]
    after: Option<String>,
}

/// All pages of a list, or as much of it as is asked for.
async fn pages(session: &Session, path: &[&str], key: &str, part: Part) -> Result<Value, Error> {
    let mut found = Vec::new();
    let most = part
        .limit
        .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut after = part.after;
    loop {
        let left = most.map(|most| most - found.len());
        let call = Call::own(Method::GET, path)?;
        let call = call
            .query_if("limit", left)
            .query_if("marker", after.take());
        let mut answer = session.client.send(&call).await?;
        if let Some(Value::Array(more)) = answer.get_mut(key) {
            found.append(more);
        }
        after = answer
            .get("next")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let is_enough = most.is_some_and(|most| found.len() >= most);
        if after.is_none() || is_enough {
            return Ok(json!({key: found}));
        }
    }
}

#[derive(Debug, Args)]
struct Reservations {
    /// Name of the network
    network: String,
    #[command(flatten)]
    part: Part,
    #[command(flatten)]
    output: ListOutput,
}

impl Reservations {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let path = ["networks", &self.network, "reservations"];
        let answer = pages(session, &path, "reservations", self.part).await?;
        let columns = ["address", "mac", "created_at"];
        let rows = rows(&answer, "reservations", &columns);
        output::print_list(&mut session.console, &self.output, &columns, rows)
    }
}

#[derive(Debug, Args)]
struct Leases {
    /// Name of a network; all networks if not given
    network: Option<String>,
    #[command(flatten)]
    part: Part,
    #[command(flatten)]
    output: ListOutput,
}

impl Leases {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let of_network = self.network.as_deref();
        let of_network = of_network.map(|network| vec!["networks", network, "leases"]);
        let path = of_network.unwrap_or_else(|| vec!["leases"]);
        let answer = pages(session, &path, "leases", self.part).await?;
        let columns = [
            "address",
            "mac",
            "node_name",
            "port_uuid",
            "kind",
            "ends_at",
            "conductor",
        ];
        let rows = rows(&answer, "leases", &columns);
        output::print_list(&mut session.console, &self.output, &columns, rows)
    }
}

fn about(error: Error, network: &str) -> Error {
    error.about(format!("network {network}"))
}
