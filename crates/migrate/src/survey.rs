//! A first look at the nodes of a source: what they need here, and which are in the middle of
//! something.

use crate::{
    alive::Alive,
    layout,
    row::{Places, SourceRow},
};
use std::collections::{BTreeMap, BTreeSet};
use store::{
    StoreError,
    ironic::{Limit, Snapshot},
};
use types::{
    InterfaceKind, ProvisionState, internal_info::InternalInfo, provision::StateClass,
    step::StepKind,
};

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

/// What becomes of a node that is in the middle of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prospect {
    /// A conductor that is alive has its lock.
    IsWorkedOn,
    /// A conductor had begun something, and is gone.
    WasLeft,
    /// It waits for something that speaks to this service as it spoke to Ironic.
    GoesOn(&'static str),
    /// It waits, and nobody here looks after what it waits for.
    Strands(&'static str),
}

impl Prospect {
    /// That of a node in this state; nothing if it is not in the middle of anything.
    fn of(
        state: ProvisionState,
        info: &InternalInfo,
        is_served: bool,
        is_locked: bool,
    ) -> Option<Self> {
        match state.class() {
            StateClass::Transient if is_locked => return Some(Self::IsWorkedOn),
            StateClass::Transient => return Some(Self::WasLeft),
            StateClass::Waiting => {}
            StateClass::Stable | StateClass::Hold | StateClass::Failed => return None,
        }
        if !is_served {
            return Some(Self::Strands(
                "nothing here serves its hardware type and interfaces",
            ));
        }
        if StepKind::ALL.iter().any(|&kind| info.is_polled_step(kind)) {
            return Some(Self::Strands(
                "the conductor that had begun its step was asking the BMC how far it is",
            ));
        }
        Some(Self::GoesOn(match state {
            ProvisionState::InspectWait => "what its inspection finds",
            _ => "its agent",
        }))
    }
}

/// A node that is in the middle of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFlight {
    /// Its UUID, and its name if it has one.
    pub node: String,
    pub state: ProvisionState,
    pub prospect: Prospect,
    /// The conductor that holds its lock.
    pub reservation: Option<String>,
}

/// What was seen.
#[derive(Debug, Default)]
pub struct Survey {
    /// Conductors of Ironic that serve these nodes now.
    pub alive: Vec<Alive>,
    pub nodes: u64,
    /// Nodes by conductor group.
    pub groups: BTreeMap<String, u64>,
    /// Nodes whose hardware type this service does not have, by type.
    pub missing_types: BTreeMap<String, u64>,
    /// Nodes whose type is here but an interface of theirs is not.
    pub missing_interfaces: BTreeMap<(String, InterfaceKind, String), u64>,
    /// Nodes that a conductor works on, or did: half a step is in a process that ends or has ended.
    pub working: Vec<InFlight>,
    pub working_count: u64,
    /// Nodes that wait for something outside.
    pub waiting: Vec<InFlight>,
    pub waiting_count: u64,
}

/// So many nodes in flight are named; the others are counted.
const NAMED: usize = 200;

impl Survey {
    pub(crate) fn take(
        snapshot: &mut Snapshot,
        offer: &Offer,
        alive: Vec<Alive>,
    ) -> Result<Self, StoreError> {
        const PAGE: Limit = Limit {
            rows: 1000,
            bytes: 4 << 20,
        };
        let places = Places::of(&layout::NODES_SHORT);
        let mut survey = Self {
            alive,
            ..Self::default()
        };
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
        let is_served = self.see_hardware(row, offer);
        let Some(state) = row.parsed::<ProvisionState>("provision_state", "") else {
            return;
        };
        let reservation = row.text("reservation").filter(|host| !host.is_empty());
        let is_locked = self
            .alive
            .iter()
            .any(|alive| Some(&alive.host) == reservation.as_ref());
        let info = match state.class() {
            StateClass::Waiting => row.map("driver_internal_info").into(),
            _ => InternalInfo::default(),
        };
        let Some(prospect) = Prospect::of(state, &info, is_served, is_locked) else {
            return;
        };
        let (list, count) = match prospect {
            Prospect::IsWorkedOn | Prospect::WasLeft => {
                (&mut self.working, &mut self.working_count)
            }
            Prospect::GoesOn(_) | Prospect::Strands(_) => {
                (&mut self.waiting, &mut self.waiting_count)
            }
        };
        *count += 1;
        if list.len() < NAMED {
            let name = row.text("name").map(|name| format!(" ({name})"));
            list.push(InFlight {
                node: format!("{}{}", row.label, name.unwrap_or_default()),
                state,
                prospect,
                reservation,
            });
        }
    }

    /// Counts what of the node's hardware type and interfaces is not here; true if all of it is.
    fn see_hardware(&mut self, row: &mut SourceRow<'_>, offer: &Offer) -> bool {
        let driver = row.text("driver").unwrap_or_default();
        if !offer.has_type(&driver) {
            *self.missing_types.entry(driver).or_default() += 1;
            return false;
        }
        let mut is_served = true;
        for &kind in InterfaceKind::ALL {
            let Some(name) = row.text(kind.field()).filter(|name| !name.is_empty()) else {
                continue;
            };
            if !offer.has(&driver, kind, &name) {
                is_served = false;
                let missing = (driver.clone(), kind, name);
                *self.missing_interfaces.entry(missing).or_default() += 1;
            }
        }
        is_served
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProvisionState as S;

    #[test]
    fn what_becomes_of_a_node_follows_from_its_state_and_from_who_serves_it() {
        let plain = InternalInfo::default();
        let polled = |key: &str| {
            let map: types::JsonMap = [(key.to_owned(), true.into())].into_iter().collect();
            InternalInfo::from(map)
        };
        let of = |state, info: &InternalInfo| Prospect::of(state, info, true, false);
        for state in [S::DeployWait, S::CleanWait, S::RescueWait, S::ServiceWait] {
            assert_eq!(of(state, &plain), Some(Prospect::GoesOn("its agent")));
        }
        let found = Some(Prospect::GoesOn("what its inspection finds"));
        assert_eq!(of(S::InspectWait, &plain), found);
        for (state, key) in [
            (S::CleanWait, "cleaning_polling"),
            (S::DeployWait, "deployment_polling"),
            (S::ServiceWait, "servicing_polling"),
        ] {
            let prospect = of(state, &polled(key));
            assert!(matches!(prospect, Some(Prospect::Strands(_))), "{key}");
        }
        let unserved = Prospect::of(S::CleanWait, &plain, false, false);
        assert!(matches!(unserved, Some(Prospect::Strands(_))));
        assert_eq!(of(S::Cleaning, &plain), Some(Prospect::WasLeft));
        let locked = Prospect::of(S::Cleaning, &plain, true, true);
        assert_eq!(locked, Some(Prospect::IsWorkedOn));
        for state in [S::Active, S::CleanHold, S::DeployFailed] {
            assert_eq!(of(state, &plain), None);
        }
    }
}
