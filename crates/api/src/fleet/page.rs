//! A page of the nodes that fit a query, and how many there are.

use super::{
    filter::{Filter, SortKey, sort},
    index::NodeProblem,
    look::Look,
};
use std::borrow::Cow;
use types::{NodeId, ProvisionState, Timestamp};

/// Which part of the list is wanted, and in which order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) sort: SortKey,
    pub(crate) is_falling: bool,
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

/// What the index knows of a node that its row does not say. What the caller may not see is not here.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) id: NodeId,
    pub(crate) conductor: String,
    pub(crate) macs: String,
    pub(crate) bmc: Option<String>,
    pub(crate) hides_error: bool,
    pub(crate) hides_reservation: bool,
    pub(crate) cause: Option<ListedCause>,
}

/// Why a node needs a person.
#[derive(Debug)]
pub(crate) struct ListedCause {
    pub(crate) trouble: NodeProblem,
    pub(crate) code: Cow<'static, str>,
    pub(crate) sentence: Option<Cow<'static, str>>,
}

/// A page.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) total: usize,
    pub(crate) cursor: i64,
    pub(crate) nodes: Vec<Listed>,
}

pub(crate) fn listing(filter: &mut Filter<'_>, window: Window) -> Listing {
    let index = filter.index();
    let mut found = filter.matching();
    sort(index, &mut found, window.sort, window.is_falling);
    let total = found.len();
    let shown = found.into_iter().skip(window.offset).take(window.limit);
    let nodes = shown.map(|entry| {
        let hidden = filter.hidden(entry);
        let text = filter.error(entry).unwrap_or_default();
        let cause = filter.trouble(entry).map(|(trouble, cause)| ListedCause {
            trouble,
            code: cause.map_or(super::filter::HIDDEN.into(), |cause| cause.code()),
            sentence: cause.map(|cause| cause.sentence(text)),
        });
        let bmc = Some(entry.bmc()).filter(|bmc| !bmc.is_empty() && !hidden.driver_info);
        Listed {
            id: entry.id,
            conductor: index.symbols.text(entry.conductor).to_owned(),
            macs: entry.macs().to_owned(),
            bmc: bmc.map(str::to_owned),
            hides_error: hidden.last_error,
            hides_reservation: hidden.reservation,
            cause,
        }
    });
    let nodes = nodes.collect();
    Listing {
        total,
        cursor: index.cursor(),
        nodes,
    }
}

/// A node that something is done with.
#[derive(Debug)]
pub(crate) struct Busy {
    pub(crate) id: NodeId,
    pub(crate) conductor: String,
    pub(crate) state: ProvisionState,
    pub(crate) since: Timestamp,
}

/// The nodes that something is done with, those first that are in their state for the longest time;
/// at most `limit`, and how many there are.
pub(crate) fn busy(filter: &mut Filter<'_>, limit: usize) -> (usize, Vec<Busy>) {
    let index = filter.index();
    let mut found = filter.matching();
    found.retain(|entry| {
        matches!(
            Look::of(entry.state),
            Look::Working | Look::Waiting | Look::Held
        )
    });
    found.sort_by_key(|entry| entry.since);
    let total = found.len();
    let busy = found.into_iter().take(limit).map(|entry| Busy {
        id: entry.id,
        conductor: index.symbols.text(entry.conductor).to_owned(),
        state: entry.state,
        since: entry.since,
    });
    (total, busy.collect())
}
