//! A first look at the nodes of a source: what they need here, and which are in the middle of
//! something.

use crate::{
    layout,
    row::{Places, SourceRow},
};
use std::collections::{BTreeMap, BTreeSet};
use store::{
    StoreError,
    ironic::{Limit, Snapshot},
};
use types::{InterfaceKind, ProvisionState, provision::StateClass};

/// What this service offers: hardware types, and the interfaces of each.
#[derive(Debug, Clone, Default)]
pub struct Offer(pub BTreeMap<String, BTreeSet<(InterfaceKind, String)>>);

impl Offer {
    fn has_type(&self, driver: &str) -> bool {
        self.0.contains_key(driver)
    }

    fn has(&self, driver: &str, kind: InterfaceKind, name: &str) -> bool {
        let of_type = self.0.get(driver);
        of_type.is_some_and(|has| has.iter().any(|(k, n)| *k == kind && n == name))
    }
}

/// A node that is in the middle of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFlight {
    /// Its UUID, and its name if it has one.
    pub node: String,
    pub state: ProvisionState,
    /// The conductor that holds its lock.
    pub reservation: Option<String>,
}

/// What was seen.
#[derive(Debug, Default)]
pub struct Survey {
    pub nodes: u64,
    /// Nodes by conductor group.
    pub groups: BTreeMap<String, u64>,
    /// Nodes whose hardware type this service does not have, by type.
    pub missing_types: BTreeMap<String, u64>,
    /// Nodes whose type is here but an interface of theirs is not.
    pub missing_interfaces: BTreeMap<(String, InterfaceKind, String), u64>,
    /// Nodes that a conductor works on: half a step is in a process that will end.
    pub working: Vec<InFlight>,
    pub working_count: u64,
    /// Nodes that wait for their agent, and go on here.
    pub waiting: Vec<InFlight>,
    pub waiting_count: u64,
}

/// So many nodes in flight are named; the others are counted.
const NAMED: usize = 200;

impl Survey {
    pub(crate) fn take(snapshot: &mut Snapshot, offer: &Offer) -> Result<Self, StoreError> {
        const PAGE: Limit = Limit {
            rows: 1000,
            bytes: 4 << 20,
        };
        let places = Places::of(&layout::NODES_SHORT);
        let mut survey = Self::default();
        // Findings are for the import itself.
        let mut ignored = crate::Findings::default();
        let mut after = i64::MIN;
        loop {
            let page = snapshot.page(&layout::NODES_SHORT, after, PAGE)?;
            if page.is_empty() {
                return Ok(survey);
            }
            for cells in page {
                let mut row = SourceRow::new(&places, cells, &mut ignored);
                after = row.key();
                survey.see(&mut row, offer);
            }
        }
    }

    fn see(&mut self, row: &mut SourceRow<'_>, offer: &Offer) {
        self.nodes += 1;
        let group = row.text("conductor_group").unwrap_or_default();
        *self.groups.entry(group.to_lowercase()).or_default() += 1;
        let driver = row.text("driver").unwrap_or_default();
        if offer.has_type(&driver) {
            for &kind in InterfaceKind::ALL {
                let Some(name) = row.text(kind.field()).filter(|name| !name.is_empty()) else {
                    continue;
                };
                if !offer.has(&driver, kind, &name) {
                    let missing = (driver.clone(), kind, name);
                    *self.missing_interfaces.entry(missing).or_default() += 1;
                }
            }
        } else {
            *self.missing_types.entry(driver).or_default() += 1;
        }
        let Some(state) = row.parsed::<ProvisionState>("provision_state", "") else {
            return;
        };
        let (list, count) = match state.class() {
            StateClass::Transient => (&mut self.working, &mut self.working_count),
            StateClass::Waiting => (&mut self.waiting, &mut self.waiting_count),
            StateClass::Stable | StateClass::Hold | StateClass::Failed => return,
        };
        *count += 1;
        if list.len() < NAMED {
            let name = row.text("name").map(|name| format!(" ({name})"));
            list.push(InFlight {
                node: format!("{}{}", row.label, name.unwrap_or_default()),
                state,
                reservation: row.text("reservation"),
            });
        }
    }
}
