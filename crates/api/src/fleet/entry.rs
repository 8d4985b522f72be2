//! What is kept in memory of one node: what it can be searched, sorted, counted and grouped by.
//!
//! There may be a hundred thousand of them, so an entry has a fixed part of about a hundred bytes
//! and one allocation with its own texts in lower case. Texts that nodes share are symbols.

use super::{
    cause::Cause,
    symbols::{Symbol, Symbols},
};
use serde_json::Value;
use std::collections::BTreeMap;
use store::{
    StoreError,
    node::{Column, ColumnSet, NodeRow},
};
use types::{
    NodeId, PowerState, ProvisionState, Timestamp, internal_info::NotedError, node::NodeFault,
    port::MacAddress,
};

macro_rules! columns {
    ($($name:ident = $column:literal),* $(,)?) => {
        $(const $name: Column = Column::of($column);)*
        /// What an entry is made of.
        pub(super) const COLUMNS: ColumnSet = ColumnSet::ID$(.with($name))*;
    };
}

columns! {
    VERSION = "version",
    CREATED_AT = "created_at",
    NAME = "name",
    DRIVER = "driver",
    DRIVER_INFO = "driver_info",
    INTERNAL_INFO = "driver_internal_info",
    EXTRA = "extra",
    INSTANCE = "instance_uuid",
    CHASSIS = "chassis_uuid",
    GROUP = "conductor_group",
    CLASS = "resource_class",
    OWNER = "owner",
    LESSEE = "lessee",
    SHARD = "shard",
    POWER = "power_state",
    STATE = "provision_state",
    UPDATED_AT = "provision_updated_at",
    MAINTENANCE = "maintenance",
    FAULT = "fault",
    LAST_ERROR = "last_error",
    PROTECTED = "protected",
    RETIRED = "retired",
    TRAITS = "traits",
}

/// A node as lists and counts need it.
#[derive(Debug, Clone)]
pub(super) struct FleetNode {
    pub(super) id: NodeId,
    /// Which version of the row it is.
    pub(super) version: i64,
    /// Since when it is in its state.
    pub(super) since: Timestamp,
    /// Name, instance, BMC and MAC addresses, in lower case, one behind the other.
    texts: Box<str>,
    /// Where each of them ends, but for the last.
    ends: [u16; 3],
    pub(super) driver: Symbol,
    pub(super) class: Symbol,
    pub(super) group: Symbol,
    pub(super) chassis: Symbol,
    pub(super) shard: Symbol,
    pub(super) owner: Symbol,
    pub(super) lessee: Symbol,
    pub(super) extra: Symbol,
    /// All of them, with line breaks between them.
    pub(super) traits: Symbol,
    pub(super) conductor: Symbol,
    pub(super) state: ProvisionState,
    pub(super) power: Option<PowerState>,
    pub(super) fault: Option<NodeFault>,
    pub(super) is_in_maintenance: bool,
    pub(super) is_retired: bool,
    pub(super) is_protected: bool,
}

/// The last error of a node.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) text: Box<str>,
    pub(super) cause: Cause,
}

/// What a row becomes.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) entry: FleetNode,
    pub(super) failure: Option<Failure>,
}

/// How much of an error is kept, in characters.
const ERROR: usize = 1000;
/// The longest value of `extra` by which nodes can be grouped, in characters. A longer one is none.
const LONGEST_EXTRA: usize = 255;
/// How many MAC addresses of a node are kept.
const MOST_MACS: usize = 64;

impl FleetNode {
    fn part(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1].into() };
        let end = self
            .ends
            .get(at)
            .map_or(self.texts.len(), |end| (*end).into());
        self.texts.get(start..end).unwrap_or_default()
    }

    pub(super) fn name(&self) -> &str {
        self.part(0)
    }

    pub(super) fn instance(&self) -> &str {
        self.part(1)
    }

    pub(super) fn bmc(&self) -> &str {
        self.part(2)
    }

    /// With commas between them.
    pub(super) fn macs(&self) -> &str {
        self.part(3)
    }

    /// About how many bytes it takes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.texts.len()
    }

    /// The same with other MAC addresses.
    pub(super) fn set_macs(&mut self, macs: &[MacAddress]) {
        let own = &self.texts[..self.ends[2].into()];
        let macs: Vec<String> = macs.iter().take(MOST_MACS).map(|m| m.to_string()).collect();
        self.texts = format!("{own}{}", macs.join(",")).into();
    }
}

/// Reads a row. `group_key` is the key of `extra` that nodes can be grouped by.
pub(super) fn read(
    row: &NodeRow,
    symbols: &mut Symbols,
    group_key: Option<&str>,
) -> Result<Read, StoreError> {
    let id = row.id().ok_or_else(|| row.corrupt_json())?;
    let own = [
        row.text(NAME).unwrap_or_default().to_lowercase(),
        row.text(INSTANCE).unwrap_or_default().to_lowercase(),
        bmc(row.text(DRIVER_INFO).unwrap_or_default()),
    ];
    let mut ends = [0_u16; 3];
    let mut texts = String::new();
    for (text, end) in own.iter().zip(&mut ends) {
        // Columns are shorter than this; a text that is not is left out.
        if texts.len() + text.len() <= u16::MAX.into() {
            texts.push_str(text);
        }
        *end = u16::try_from(texts.len()).unwrap_or(u16::MAX);
    }
    let mut symbol = |column: Column| symbols.of(row.text(column).unwrap_or_default());
    let (driver, class, group) = (symbol(DRIVER), symbol(CLASS), symbol(GROUP));
    let (chassis, shard) = (symbol(CHASSIS), symbol(SHARD));
    let (owner, lessee) = (symbol(OWNER), symbol(LESSEE));
    let extra = group_key.map(|key| extra(row.text(EXTRA).unwrap_or_default(), key));
    let extra = symbols.of(&extra.unwrap_or_default());
    let traits: Vec<&str> = row
        .text(TRAITS)
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let traits = symbols.of(&traits.join("\n"));
    let parsed = |column: Column| row.text(column).unwrap_or_default();
    let flag = |column: Column| row.flag(column).unwrap_or_default();
    let since = row.int(UPDATED_AT).or(row.int(CREATED_AT)).unwrap_or(0);
    let entry = FleetNode {
        id,
        version: row.int(VERSION).unwrap_or(0),
        since: Timestamp(since),
        texts: texts.into(),
        ends,
        driver,
        class,
        group,
        chassis,
        shard,
        owner,
        lessee,
        extra,
        traits,
        conductor: Symbol::NONE,
        // Rows with unknown states are refused when they are read.
        state: parsed(STATE).parse().unwrap_or(ProvisionState::Enroll),
        power: parsed(POWER).parse().ok(),
        fault: parsed(FAULT).parse().ok(),
        is_in_maintenance: flag(MAINTENANCE),
        is_retired: flag(RETIRED),
        is_protected: flag(PROTECTED),
    };
    let failure = row.text(LAST_ERROR).map(|text| {
        let noted = NotedError::in_json(row.text(INTERNAL_INFO).unwrap_or_default());
        Failure {
            cause: Cause::of_error(text, noted.as_ref()),
            text: text.chars().take(ERROR).collect(),
        }
    });
    Ok(Read { entry, failure })
}

/// The address of a BMC among what drivers need: without credentials, scheme and path.
fn bmc(driver_info: &str) -> String {
    if !driver_info.contains("_address\"") {
        return String::new();
    }
    let keys: BTreeMap<String, Value> = serde_json::from_str(driver_info).unwrap_or_default();
    let mut addresses = keys.iter().filter(|(key, _)| key.ends_with("_address"));
    let address = addresses.find_map(|(_, value)| value.as_str());
    host(address.unwrap_or_default()).to_lowercase()
}

/// The host of an address that may be a URL.
pub(super) fn host(address: &str) -> &str {
    let behind = address.split_once("://").map_or(address, |(_, rest)| rest);
    let place = behind.split(['/', '?', '#']).next().unwrap_or_default();
    let place = place.rsplit('@').next().unwrap_or_default();
    if let Some(inside) = place.strip_prefix('[') {
        return inside.split(']').next().unwrap_or_default();
    }
    match place.matches(':').count() {
        1 => place.split(':').next().unwrap_or_default(),
        _ => place,
    }
}

/// The value of a key of `extra`, as text.
fn extra(extra: &str, key: &str) -> String {
    if !extra.contains(key) {
        return String::new();
    }
    let map: BTreeMap<String, Value> = serde_json::from_str(extra).unwrap_or_default();
    let value = match map.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        _ => String::new(),
    };
    match value.chars().nth(LONGEST_EXTRA) {
        Some(_) => String::new(),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::Node;

    fn node() -> Node {
        let mut node = Node::new(NodeId::generate(), "redfish");
        node.name = Some("Web-1".into());
        node.driver_info = types::JsonMap::from_iter([
            (
                "redfish_address".into(),
                json!("https://u:p@10.0.0.7:443/x"),
            ),
            ("redfish_password".into(), json!("secret")),
        ]);
        node.extra = types::JsonMap::from_iter([("rack".into(), json!("R1"))]);
        node
    }

    #[test]
    fn an_entry_has_what_a_node_is_searched_by_and_no_secret() {
        let mut symbols = Symbols::default();
        let mut read = read(&NodeRow::of(&node()), &mut symbols, Some("rack")).unwrap();
        assert_eq!(read.entry.name(), "web-1");
        assert_eq!(read.entry.bmc(), "10.0.0.7");
        assert_eq!(symbols.text(read.entry.extra), "R1");
        assert_eq!(read.entry.macs(), "");
        let macs = ["52:54:00:00:00:01", "52:54:00:00:00:02"];
        read.entry.set_macs(&macs.map(|mac| mac.parse().unwrap()));
        read.entry.set_macs(&macs.map(|mac| mac.parse().unwrap()));
        assert_eq!(read.entry.macs(), macs.join(","));
        assert_eq!(read.entry.name(), "web-1");
        let shown = format!("{:?}", read.entry);
        assert!(
            !shown.contains("secret") && !shown.contains("u:p"),
            "{shown}"
        );
    }

    #[test]
    fn long_values_of_extra_are_no_groups() {
        let of = |value: Value| extra(&json!({"rack": value}).to_string(), "rack");
        let longest = "ä".repeat(LONGEST_EXTRA);
        assert_eq!(of(json!(longest)), longest);
        assert_eq!(of(json!(format!("{longest}ä"))), "");
        assert_eq!(of(json!(7)), "7");
        assert_eq!(of(json!(["R1"])), "");
    }

    #[test]
    fn hosts_of_addresses() {
        for (address, expected) in [
            ("10.0.0.7", "10.0.0.7"),
            ("10.0.0.7:8000", "10.0.0.7"),
            ("https://[fe80::1]:443/redfish", "fe80::1"),
            ("fe80::1", "fe80::1"),
            ("http://user:pw@bmc.example/", "bmc.example"),
            ("", ""),
        ] {
            assert_eq!(host(address), expected, "{address}");
        }
    }

    #[test]
    fn an_entry_is_small() {
        assert!(size_of::<FleetNode>() <= 112, "{}", size_of::<FleetNode>());
    }
}
