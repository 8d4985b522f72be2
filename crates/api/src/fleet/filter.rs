//! Which nodes a query means, and what is asked about them.

use super::{
    entry::FleetNode,
    index::{Index, NodeProblem, compare},
    look::Look,
    query::{Key, Pattern, Query, Test},
    symbols::Symbol,
    viewer::{Viewer, ViewerOf},
};
use crate::{fleet::cause::Cause, policy::HiddenFields};
use std::cmp::Reverse;
use types::{NodeId, PowerState, ProvisionState, Timestamp, node::NodeFault};

/// A word, prepared for this index.
enum Check {
    States(u64),
    Powers(Vec<Option<PowerState>>),
    Faults(Vec<Option<NodeFault>>),
    Flag(fn(&FleetNode) -> bool, bool),
    /// Since when at the latest, or at the earliest.
    Since {
        is_before: bool,
        limit: Timestamp,
    },
    Symbol(fn(&FleetNode) -> Symbol, Vec<bool>),
    Text(fn(&FleetNode) -> &str, Vec<Pattern>),
    Uuid(Vec<Pattern>),
    Macs(Vec<Pattern>),
    Bmc(Vec<Pattern>),
    Error(Vec<Pattern>),
    Cause(Vec<Pattern>),
    Anywhere(Pattern),
}

/// A query and a caller, applied to an index.
pub(crate) struct Filter<'a> {
    index: &'a Index,
    checks: Vec<(bool, Check)>,
    viewer: ViewerOf<'a>,
    settings: &'a crate::Settings,
    now: Timestamp,
}

/// Fits none but those without a value, or one of the patterns.
fn any(patterns: &[Pattern], value: &str) -> bool {
    patterns.iter().any(|pattern| pattern.fits(value))
}

impl<'a> Filter<'a> {
    pub(crate) fn new(index: &'a Index, query: &Query, viewer: &'a Viewer, now: Timestamp) -> Self {
        let checks = query.words.iter();
        let checks = checks.map(|word| (word.is_negated, prepared(index, &word.test, now)));
        Self {
            index,
            checks: checks.collect(),
            viewer: viewer.through(index),
            settings: viewer.settings(),
            now,
        }
    }

    /// The nodes that fit, in the order of names.
    pub(super) fn matching(&mut self) -> Vec<&'a FleetNode> {
        let index = self.index;
        index.iter().filter(|entry| self.fits(entry)).collect()
    }

    pub(super) fn fits(&mut self, entry: &FleetNode) -> bool {
        if !self.viewer.sees(entry) {
            return false;
        }
        for at in 0..self.checks.len() {
            let is_negated = self.checks[at].0;
            if self.passes(at, entry) == is_negated {
                return false;
            }
        }
        true
    }

    fn passes(&mut self, at: usize, entry: &FleetNode) -> bool {
        let Self {
            index,
            checks,
            viewer,
            settings,
            now,
        } = self;
        match &checks[at].1 {
            Check::States(states) => states >> (entry.state as u64) & 1 == 1,
            Check::Powers(powers) => powers.contains(&entry.power),
            Check::Faults(faults) => faults.contains(&entry.fault),
            Check::Flag(flag, wanted) => flag(entry) == *wanted,
            Check::Since { is_before, limit } => (entry.since < *limit) == *is_before,
            Check::Symbol(symbol, passing) => {
                passing.get(symbol(entry).index()).copied().unwrap_or(false)
            }
            Check::Text(text, patterns) => any(patterns, text(entry)),
            Check::Uuid(patterns) => with_uuid(entry.id, |uuid| any(patterns, uuid)),
            Check::Macs(patterns) => entry.macs().split(',').any(|mac| any(patterns, mac)),
            Check::Bmc(patterns) => {
                let is_hidden = viewer.hidden(index, entry).driver_info;
                any(patterns, if is_hidden { "" } else { entry.bmc() })
            }
            Check::Error(patterns) => {
                let is_hidden = viewer.hidden(index, entry).last_error;
                let failure = index.failure(entry).filter(|_| !is_hidden);
                let text = failure.map(|failure| failure.text.to_lowercase());
                any(patterns, &text.unwrap_or_default())
            }
            Check::Cause(patterns) => {
                let trouble = index.trouble(entry, &settings.wait_limits, *now);
                let code = trouble.map(|(_, cause)| cause.code()).map(|code| {
                    let is_hidden = viewer.hidden(index, entry).last_error;
                    if is_hidden { HIDDEN.into() } else { code }
                });
                any(patterns, &code.unwrap_or_default())
            }
            Check::Anywhere(pattern) => {
                pattern.fits(entry.name())
                    || pattern.fits(entry.instance())
                    || pattern.fits(entry.macs())
                    || with_uuid(entry.id, |uuid| pattern.fits(uuid))
                    || pattern.fits(entry.bmc()) && !viewer.hidden(index, entry).driver_info
            }
        }
    }

    /// In which way a node needs a person, and why; `None` in place of the reason for a caller who
    /// does not see errors.
    pub(super) fn trouble(&mut self, entry: &FleetNode) -> Option<(NodeProblem, Option<Cause>)> {
        let limits = &self.settings.wait_limits;
        let (trouble, cause) = self.index.trouble(entry, limits, self.now)?;
        let is_hidden = self.viewer.hidden(self.index, entry).last_error;
        Some((trouble, (!is_hidden).then_some(cause)))
    }

    /// The text of a node's last error, for those who see it.
    pub(super) fn error(&mut self, entry: &FleetNode) -> Option<&'a str> {
        let is_hidden = self.viewer.hidden(self.index, entry).last_error;
        let failure = self.index.failure(entry).filter(|_| !is_hidden)?;
        Some(&failure.text)
    }

    /// What of a node the caller does not see.
    pub(super) fn hidden(&mut self, entry: &FleetNode) -> HiddenFields {
        self.viewer.hidden(self.index, entry)
    }

    pub(crate) fn index(&self) -> &'a Index {
        self.index
    }
}

/// The code of causes that a caller may not know.
pub(crate) const HIDDEN: &str = "hidden";

fn prepared(index: &Index, test: &Test, now: Timestamp) -> Check {
    match test {
        Test::Anywhere(pattern) => Check::Anywhere(pattern.clone()),
        Test::Age { is_longer, seconds } => Check::Since {
            is_before: *is_longer,
            limit: now.plus_seconds(-seconds),
        },
        Test::States(states) => Check::States(
            states
                .iter()
                .fold(0, |bits, state| bits | 1 << *state as u64),
        ),
        Test::Flag(key, is_on) => {
            let flag: fn(&FleetNode) -> bool = match key {
                Key::Retired => |entry| entry.is_retired,
                Key::Protected => |entry| entry.is_protected,
                _ => |entry| entry.is_in_maintenance,
            };
            Check::Flag(flag, *is_on)
        }
        Test::OneOf(key, patterns) => one_of(index, *key, patterns),
    }
}

fn one_of(index: &Index, key: Key, patterns: &[Pattern]) -> Check {
    let owned = || patterns.to_vec();
    let symbol = |symbol: fn(&FleetNode) -> Symbol| {
        let passing = index
            .symbols
            .passing(|text| any(patterns, &text.to_lowercase()));
        Check::Symbol(symbol, passing)
    };
    match key {
        Key::Class => symbol(|entry| entry.class),
        Key::Driver => symbol(|entry| entry.driver),
        Key::Conductor => symbol(|entry| entry.conductor),
        Key::Group => symbol(|entry| entry.group),
        Key::Chassis => symbol(|entry| entry.chassis),
        Key::Shard => symbol(|entry| entry.shard),
        Key::Owner => symbol(|entry| entry.owner),
        Key::Lessee => symbol(|entry| entry.lessee),
        Key::Extra => symbol(|entry| entry.extra),
        Key::Trait => {
            let passing = index.symbols.passing(|text| {
                let text = text.to_lowercase();
                text.split('\n').any(|name| any(patterns, name))
            });
            Check::Symbol(|entry| entry.traits, passing)
        }
        Key::Power => Check::Powers(fitting(PowerState::ALL, PowerState::as_str, patterns)),
        Key::Fault => Check::Faults(fitting(NodeFault::ALL, NodeFault::as_str, patterns)),
        Key::Name => Check::Text(FleetNode::name, owned()),
        Key::Instance => Check::Text(FleetNode::instance, owned()),
        Key::Uuid => Check::Uuid(owned()),
        Key::Mac => Check::Macs(owned()),
        Key::Bmc => Check::Bmc(owned()),
        Key::Error => Check::Error(owned()),
        Key::Cause => Check::Cause(owned()),
        // These have tests of their own, see [`Test`].
        Key::State | Key::Maint | Key::Retired | Key::Protected => Check::States(0),
    }
}

/// The values that fit; none stands for nodes without one.
fn fitting<T: Copy>(
    all: &[T],
    name: fn(T) -> &'static str,
    patterns: &[Pattern],
) -> Vec<Option<T>> {
    let fits = |value: &T| any(patterns, name(*value));
    let mut fitting: Vec<Option<T>> = all.iter().copied().filter(fits).map(Some).collect();
    if any(patterns, "") {
        fitting.push(None);
    }
    fitting
}

/// A UUID as text, without an allocation where it is spelled as most are.
fn with_uuid<T>(id: NodeId, look: impl Fn(&str) -> T) -> T {
    let mut buffer = uuid::Uuid::encode_buffer();
    let uuid = uuid::Uuid::from_bytes(*id.as_bytes());
    look(uuid.hyphenated().encode_lower(&mut buffer))
}

types::wire_enum! {
    /// What a list can be sorted by.
    pub enum SortKey {
        Name = "name",
        Uuid = "uuid",
        Look = "look",
        State = "provision_state",
        Since = "provision_updated_at",
        Power = "power_state",
        Maintenance = "maintenance",
        Fault = "fault",
        Driver = "driver",
        Class = "resource_class",
        Conductor = "conductor",
        Group = "conductor_group",
        Chassis = "chassis_uuid",
        Shard = "shard",
        Owner = "owner",
        Lessee = "lessee",
        Instance = "instance_uuid",
    }
}

/// Sorts nodes that are in the order of names; those without a value come last either way.
pub(super) fn sort(index: &Index, entries: &mut [&FleetNode], key: SortKey, is_falling: bool) {
    let by_symbol = |entries: &mut [&FleetNode], symbol: fn(&FleetNode) -> Symbol| {
        // A place for each text, so that texts are compared once each.
        let mut used: Vec<Symbol> = entries.iter().map(|entry| symbol(entry)).collect();
        used.sort_unstable();
        used.dedup();
        used.sort_unstable_by(|a, b| compare(index.symbols.text(*a), index.symbols.text(*b)));
        let mut places = vec![0_usize; index.symbols.len()];
        for (place, symbol) in used.iter().enumerate() {
            places[symbol.index()] = place;
        }
        by_place(entries, is_falling, |entry| {
            let symbol = symbol(entry);
            (symbol == Symbol::NONE, places[symbol.index()])
        });
    };
    match key {
        SortKey::Name => {
            if is_falling {
                let named = entries.partition_point(|entry| !entry.name().is_empty());
                entries[..named].reverse();
            }
        }
        SortKey::Uuid => by_place(entries, is_falling, |entry| (false, entry.id)),
        SortKey::Look => by_place(entries, is_falling, |entry| (false, Look::of(entry.state))),
        SortKey::State => {
            by_place(entries, is_falling, |entry| (false, entry.state.as_str()));
        }
        SortKey::Since => by_place(entries, is_falling, |entry| (false, entry.since)),
        SortKey::Power => by_place(entries, is_falling, |entry| {
            (entry.power.is_none(), entry.power.map(PowerState::as_str))
        }),
        SortKey::Maintenance => {
            by_place(entries, is_falling, |entry| {
                (false, entry.is_in_maintenance)
            });
        }
        SortKey::Fault => by_place(entries, is_falling, |entry| {
            (entry.fault.is_none(), entry.fault.map(NodeFault::as_str))
        }),
        SortKey::Driver => by_symbol(entries, |entry| entry.driver),
        SortKey::Class => by_symbol(entries, |entry| entry.class),
        SortKey::Conductor => by_symbol(entries, |entry| entry.conductor),
        SortKey::Group => by_symbol(entries, |entry| entry.group),
        SortKey::Chassis => by_symbol(entries, |entry| entry.chassis),
        SortKey::Shard => by_symbol(entries, |entry| entry.shard),
        SortKey::Owner => by_symbol(entries, |entry| entry.owner),
        SortKey::Lessee => by_symbol(entries, |entry| entry.lessee),
        SortKey::Instance => {
            entries.sort_by(|a, b| {
                let (a, b) = (a.instance(), b.instance());
                let last = a.is_empty().cmp(&b.is_empty());
                last.then_with(|| if is_falling { b.cmp(a) } else { a.cmp(b) })
            });
        }
    }
}

/// Sorts by what `place` says; where it says true, the node has no value.
fn by_place<'a, K: Ord>(
    entries: &mut [&'a FleetNode],
    is_falling: bool,
    place: impl Fn(&'a FleetNode) -> (bool, K),
) {
    entries.sort_by_cached_key(|entry| {
        let (is_last, key) = place(entry);
        match is_falling {
            false => (is_last, Some(key), None),
            true => (is_last, None, Some(Reverse(key))),
        }
    });
}

/// The bits of [`Check::States`] have room for all states.
const _: () = assert!(ProvisionState::ALL.len() <= 64);
