//! What is to be done for each row, found out before anything is written.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::Row;
use super::bmc::Bmc;
use super::provide::Enrolled;
use super::row::{self, Machine};
use crate::Session;
use crate::client::Call;
use crate::error::Error;

/// What becomes of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowAction {
    /// Nothing of it is there yet.
    New,
    /// It is there, with everything that the row says about ports.
    Known {
        uuid: String,
    },
    /// It is there, and some of its ports are not.
    Incomplete {
        uuid: String,
        missing: Vec<String>,
    },
    /// The row makes no sense, or contradicts another or the service.
    Wrong(String),
    Enrolled {
        uuid: String,
    },
    Completed {
        uuid: String,
        ports: usize,
    },
    Failed(String),
}

impl RowAction {
    pub(super) fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong(_) | Self::Failed(_))
    }

    /// A word for it, and more words.
    pub(super) fn told(&self) -> (&'static str, String) {
        match self {
            Self::New => ("would be enrolled", String::new()),
            Self::Known { uuid } => ("is enrolled", uuid.clone()),
            Self::Incomplete { uuid, missing } => (
                "lacks ports",
                format!("{uuid}: {} would be added", missing.join(" ")),
            ),
            Self::Wrong(why) => ("wrong", why.clone()),
            Self::Enrolled { uuid } => ("enrolled", uuid.clone()),
            Self::Completed { uuid, ports } => ("ports added", format!("{uuid}: {ports}")),
            Self::Failed(why) => ("failed", why.clone()),
        }
    }
}

/// A row, and what is to be done for it.
pub(super) struct Planned {
    pub(super) place: String,
    machine: Option<Machine>,
    bmc: String,
    pub(super) fate: RowAction,
}

impl Planned {
    pub(super) fn name(&self) -> &str {
        self.machine.as_ref().map_or("", |machine| &machine.name)
    }

    pub(super) fn bmc(&self) -> &str {
        &self.bmc
    }

    /// The machine, if it is enrolled now.
    pub(super) fn enrolled(&self) -> Option<Enrolled> {
        let (RowAction::Known { uuid }
        | RowAction::Enrolled { uuid }
        | RowAction::Completed { uuid, .. }) = &self.fate
        else {
            return None;
        };
        Some(Enrolled {
            name: self.name().to_owned(),
            uuid: uuid.clone(),
        })
    }

    pub(super) fn body(&self) -> Map<String, Value> {
        let machine = self.machine.as_ref();
        machine
            .map(|machine| machine.body.clone())
            .unwrap_or_default()
    }

    pub(super) fn macs(&self) -> &[String] {
        self.machine.as_ref().map_or(&[], |machine| &machine.macs)
    }
}

/// Plans all rows.
pub(super) async fn all(session: &Session, rows: Vec<Row>) -> Result<Vec<Planned>, Error> {
    let known = Known::ask(session).await?;
    let mut seen = Seen::default();
    let planned = rows.into_iter().map(|row| {
        let (machine, fate) = match row::machine(&row) {
            Ok(machine) => {
                let fate = match seen.check(&machine, &row.place) {
                    Ok(()) => known.fate(&machine),
                    Err(why) => RowAction::Wrong(why),
                };
                (Some(machine), fate)
            }
            Err(why) => (None, RowAction::Wrong(why)),
        };
        let bmc = machine.as_ref().and_then(|machine| machine.bmc.as_ref());
        Planned {
            bmc: bmc.map(ToString::to_string).unwrap_or_default(),
            place: row.place,
            machine,
            fate,
        }
    });
    Ok(planned.collect())
}

/// What earlier rows have, with where they stand.
#[derive(Default)]
struct Seen {
    names: HashMap<String, String>,
    bmcs: HashMap<Bmc, String>,
    macs: HashMap<String, String>,
}

impl Seen {
    fn check(&mut self, machine: &Machine, place: &str) -> Result<(), String> {
        if !machine.name.is_empty()
            && let Some(other) = self.names.insert(machine.name.clone(), place.to_owned())
        {
            return Err(format!("{other} has the same name"));
        }
        if let Some(bmc) = &machine.bmc
            && let Some(other) = self.bmcs.insert(bmc.clone(), place.to_owned())
        {
            return Err(format!("{other} has the same BMC"));
        }
        for mac in &machine.macs {
            if let Some(other) = self.macs.insert(mac.clone(), place.to_owned()) {
                return Err(format!("{other} has the MAC address {mac} as well"));
            }
        }
        Ok(())
    }
}

/// What the service has.
struct Known {
    drivers: HashSet<String>,
    by_bmc: HashMap<Bmc, String>,
    by_system: HashMap<String, String>,
    by_name: HashMap<String, String>,
    /// The node of each MAC address.
    macs: HashMap<String, String>,
}

/// All pages of a list.
const ALL: Option<usize> = Some(0);

impl Known {
    async fn ask(session: &Session) -> Result<Self, Error> {
        let client = &session.client;
        let text = |item: &Value, field: &str| {
            let text = item.get(field).and_then(Value::as_str);
            text.map(str::to_owned)
        };
        let drivers = client
            .list(&Call::get(&["drivers"])?, "drivers", None)
            .await?;
        let fields = ["uuid", "name", "driver_info", "extra"];
        let nodes = Call::get(&["nodes"])?.fields(&fields);
        let nodes = client.list(&nodes, "nodes", ALL).await?;
        let ports = Call::get(&["ports"])?.fields(&["address", "node_uuid"]);
        let ports = client.list(&ports, "ports", ALL).await?;
        let mut known = Self {
            drivers: drivers.iter().filter_map(|one| text(one, "name")).collect(),
            by_bmc: HashMap::new(),
            by_system: HashMap::new(),
            by_name: HashMap::new(),
            macs: HashMap::new(),
        };
        for node in &nodes {
            let Some(uuid) = text(node, "uuid") else {
                continue;
            };
            let info = node.get("driver_info").and_then(Value::as_object);
            if let Some(bmc) = info.and_then(Bmc::of) {
                known.by_bmc.insert(bmc, uuid.clone());
            }
            if let Some(system) = node.get("extra").and_then(|it| text(it, "system_uuid")) {
                known.by_system.insert(system.to_lowercase(), uuid.clone());
            }
            if let Some(name) = text(node, "name") {
                known.by_name.insert(name, uuid.clone());
            }
        }
        for port in &ports {
            if let (Some(mac), Some(node)) = (text(port, "address"), text(port, "node_uuid")) {
                known.macs.insert(mac.to_lowercase(), node);
            }
        }
        Ok(known)
    }

    fn fate(&self, machine: &Machine) -> RowAction {
        let by_bmc = machine.bmc.as_ref().and_then(|bmc| self.by_bmc.get(bmc));
        let by_system = machine.system_uuid.as_ref();
        let by_system = by_system.and_then(|uuid| self.by_system.get(uuid));
        let by_name = self.by_name.get(&machine.name);
        // Without a BMC there is nothing but the name to go by.
        let found = by_bmc
            .or(by_system)
            .or_else(|| by_name.filter(|_| machine.bmc.is_none()));
        if let (Some(other), true) = (by_name, by_name != found) {
            return RowAction::Wrong(format!("the name belongs to another machine, node {other}"));
        }
        let owner = |mac: &&String| self.macs.get(*mac).filter(|owner| Some(*owner) != found);
        if let Some((mac, other)) = machine
            .macs
            .iter()
            .find_map(|mac| Some((mac, owner(&mac)?)))
        {
            return RowAction::Wrong(format!("the MAC address {mac} belongs to node {other}"));
        }
        let Some(uuid) = found.cloned() else {
            if !self.drivers.contains(&machine.driver) {
                let mut known: Vec<&str> = self.drivers.iter().map(String::as_str).collect();
                known.sort_unstable();
                return RowAction::Wrong(format!(
                    "the service has no driver {}; it has {}",
                    crate::console::printable(&machine.driver),
                    known.join(", ")
                ));
            }
            return RowAction::New;
        };
        let missing = machine
            .macs
            .iter()
            .filter(|mac| !self.macs.contains_key(*mac));
        let missing: Vec<String> = missing.cloned().collect();
        match missing.is_empty() {
            true => RowAction::Known { uuid },
            false => RowAction::Incomplete { uuid, missing },
        }
    }
}
