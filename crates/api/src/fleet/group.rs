//! Nodes by what they have in common: counts, and the map.

use super::{
    entry::FleetNode,
    filter::Filter,
    index::{Index, compare},
    look::Look,
    query::{Key, quoted},
    symbols::Symbol,
};
use std::{collections::HashMap, fmt::Write};
use types::{PowerState, ProvisionState, node::NodeFault};

types::wire_enum! {
    /// What nodes can be grouped by.
    pub enum GroupBy {
        Class = "resource_class",
        Driver = "driver",
        Conductor = "conductor",
        Group = "conductor_group",
        Chassis = "chassis",
        Shard = "shard",
        Owner = "owner",
        Lessee = "lessee",
        Power = "power",
        State = "state",
        Trait = "trait",
        /// Written `extra.KEY`, with the key of the configuration.
        Extra = "extra",
    }
}

impl GroupBy {
    /// Reads it as it is asked for; `extra` is the key of `extra` that may be named.
    pub(crate) fn read(text: &str, extra: Option<&str>) -> Option<Self> {
        match (text.strip_prefix("extra."), extra) {
            (Some(asked), Some(known)) if asked == known => Some(Self::Extra),
            (Some(_), _) => None,
            (None, _) => text.parse().ok().filter(|by| *by != Self::Extra),
        }
    }

    fn key(self) -> Key {
        match self {
            Self::Class => Key::Class,
            Self::Driver => Key::Driver,
            Self::Conductor => Key::Conductor,
            Self::Group => Key::Group,
            Self::Chassis => Key::Chassis,
            Self::Shard => Key::Shard,
            Self::Owner => Key::Owner,
            Self::Lessee => Key::Lessee,
            Self::Power => Key::Power,
            Self::State => Key::State,
            Self::Trait => Key::Trait,
            Self::Extra => Key::Extra,
        }
    }

    /// The query for the nodes of a group.
    fn query(self, name: &str, extra: Option<&str>) -> String {
        let value = quoted(name);
        match self.key() {
            Key::Extra => format!("extra.{}:{value}", extra.unwrap_or_default()),
            key => format!("{key}:{value}"),
        }
    }

    fn place(self, entry: &FleetNode) -> GroupKey {
        match self {
            Self::Class => GroupKey::Symbol(entry.class),
            Self::Driver => GroupKey::Symbol(entry.driver),
            Self::Conductor => GroupKey::Symbol(entry.conductor),
            Self::Group => GroupKey::Symbol(entry.group),
            Self::Chassis => GroupKey::Symbol(entry.chassis),
            Self::Shard => GroupKey::Symbol(entry.shard),
            Self::Owner => GroupKey::Symbol(entry.owner),
            Self::Lessee => GroupKey::Symbol(entry.lessee),
            Self::Trait => GroupKey::Traits(entry.traits),
            Self::Extra => GroupKey::Symbol(entry.extra),
            Self::Power => GroupKey::Text(entry.power.map_or("", PowerState::as_str)),
            Self::State => GroupKey::Text(entry.state.as_str()),
        }
    }
}

/// To which group a node belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum GroupKey {
    Symbol(Symbol),
    Text(&'static str),
    /// To one for each of its traits.
    Traits(Symbol),
}

/// How many groups are shown.
const MOST_GROUPS: usize = 5000;

/// Groups in the order of their names.
#[derive(Debug)]
pub(crate) struct Groups<T> {
    pub(crate) groups: Vec<Group<T>>,
    /// How many more there are.
    pub(crate) left_out: usize,
}

/// What is known of a group.
#[derive(Debug)]
pub(crate) struct Group<T> {
    /// Empty for nodes without a value.
    pub(crate) name: String,
    pub(crate) query: String,
    pub(crate) total: u32,
    pub(crate) facts: T,
}

fn grouped<T: Default>(
    index: &Index,
    entries: &[&FleetNode],
    by: GroupBy,
    extra: Option<&str>,
    mut note: impl FnMut(&mut T, &FleetNode),
) -> Groups<T> {
    let mut places: HashMap<GroupKey, usize> = HashMap::new();
    let mut groups: Vec<Group<T>> = Vec::new();
    let mut found = |place: GroupKey, groups: &mut Vec<Group<T>>, name: &str| {
        *places.entry(place).or_insert_with(|| {
            groups.push(Group {
                name: name.to_owned(),
                query: by.query(name, extra),
                total: 0,
                facts: T::default(),
            });
            groups.len() - 1
        })
    };
    // Traits are few, and so are the sets of them: the groups of each set are looked up once.
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut sets: HashMap<Symbol, Vec<usize>> = HashMap::new();
    for entry in entries {
        let mut add = |at: usize, groups: &mut Vec<Group<T>>| {
            let group = &mut groups[at];
            group.total += 1;
            note(&mut group.facts, entry);
        };
        match by.place(entry) {
            place @ GroupKey::Symbol(symbol) => {
                let at = found(place, &mut groups, index.symbols.text(symbol));
                add(at, &mut groups);
            }
            place @ GroupKey::Text(text) => {
                let at = found(place, &mut groups, text);
                add(at, &mut groups);
            }
            GroupKey::Traits(set) => {
                let all = sets.entry(set).or_insert_with(|| {
                    let texts = index.symbols.text(set).split('\n');
                    let places = texts.map(|name| {
                        *names.entry(name.to_owned()).or_insert_with(|| {
                            groups.push(Group {
                                name: name.to_owned(),
                                query: by.query(name, extra),
                                total: 0,
                                facts: T::default(),
                            });
                            groups.len() - 1
                        })
                    });
                    places.collect()
                });
                for at in all.clone() {
                    add(at, &mut groups);
                }
            }
        }
    }
    let left_out = groups.len().saturating_sub(MOST_GROUPS);
    if left_out > 0 {
        groups.sort_by_key(|group| std::cmp::Reverse(group.total));
        groups.truncate(MOST_GROUPS);
    }
    groups.sort_by(|a, b| compare(&a.name, &b.name));
    Groups { groups, left_out }
}

/// How many nodes there are of each sort.
#[derive(Debug, Clone)]
pub(crate) struct Counts {
    pub(crate) states: [u32; ProvisionState::ALL.len()],
    pub(crate) faults: [u32; NodeFault::ALL.len()],
    pub(crate) maintenance: u32,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            states: [0; ProvisionState::ALL.len()],
            faults: [0; NodeFault::ALL.len()],
            maintenance: 0,
        }
    }
}

impl Counts {
    fn note(&mut self, entry: &FleetNode) {
        self.states[entry.state as usize] += 1;
        if let Some(fault) = entry.fault {
            self.faults[fault as usize] += 1;
        }
        self.maintenance += u32::from(entry.is_in_maintenance);
    }

    pub(crate) fn of_look(&self, look: Look) -> u32 {
        let states = ProvisionState::ALL.iter().zip(self.states);
        let fitting = states.filter(|(state, _)| Look::of(**state) == look);
        fitting.map(|(_, count)| count).sum()
    }
}

/// The counts of a fleet.
#[derive(Debug)]
pub(crate) struct Census {
    pub(crate) cursor: i64,
    pub(crate) total: usize,
    pub(crate) all: Counts,
    pub(crate) groups: Groups<Counts>,
}

pub(crate) fn census(filter: &mut Filter<'_>, by: Option<GroupBy>, extra: Option<&str>) -> Census {
    let index = filter.index();
    let entries = filter.matching();
    let mut all = Counts::default();
    for entry in &entries {
        all.note(entry);
    }
    let groups = match by {
        Some(by) => grouped(index, &entries, by, extra, Counts::note),
        None => Groups {
            groups: Vec::new(),
            left_out: 0,
        },
    };
    Census {
        cursor: index.cursor(),
        total: entries.len(),
        all,
        groups,
    }
}

/// The nodes of a group in the order of names, as letters with their counts.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    text: String,
    last: Option<char>,
    run: u32,
}

impl Cells {
    fn note(&mut self, entry: &FleetNode) {
        let letter = Look::of(entry.state).letter(entry.is_in_maintenance);
        if self.last == Some(letter) {
            self.run += 1;
        } else {
            self.flush();
            (self.last, self.run) = (Some(letter), 1);
        }
    }

    fn flush(&mut self) {
        if let Some(letter) = self.last.take() {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{letter}{}", self.run);
        }
    }

    /// Such as `u120f1u40w3`.
    pub(crate) fn finish(mut self) -> String {
        self.flush();
        self.text
    }
}

/// The map of a fleet.
#[derive(Debug)]
pub(crate) struct Map {
    pub(crate) cursor: i64,
    pub(crate) total: usize,
    pub(crate) groups: Groups<Cells>,
}

pub(crate) fn map(filter: &mut Filter<'_>, by: GroupBy, extra: Option<&str>) -> Map {
    let index = filter.index();
    let entries = filter.matching();
    Map {
        cursor: index.cursor(),
        total: entries.len(),
        groups: grouped(index, &entries, by, extra, Cells::note),
    }
}
