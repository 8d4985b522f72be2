//! What needs a person, by cause.

use super::{
    filter::{Filter, HIDDEN},
    index::NodeProblem,
};
use std::{borrow::Cow, collections::HashMap};
use types::{NodeId, Timestamp};

/// How many nodes are named of each group.
const NAMED: usize = 5;
/// How many groups are told apart; further ones are one.
const MOST_GROUPS: usize = 200;
/// The code of what is left.
const MORE: &str = "more";

/// How many nodes are in trouble of each sort.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ProblemCounts([u32; NodeProblem::ALL.len()]);

impl ProblemCounts {
    pub(crate) fn of(&self, trouble: NodeProblem) -> u32 {
        self.0[trouble as usize]
    }

    fn note(&mut self, trouble: NodeProblem) {
        self.0[trouble as usize] += 1;
    }

    fn add(&mut self, others: &Self) {
        for (count, more) in self.0.iter_mut().zip(others.0) {
            *count += more;
        }
    }

    pub(crate) fn total(&self) -> u32 {
        self.0.iter().sum()
    }
}

/// Nodes with the same cause.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) code: Cow<'static, str>,
    /// Without it, the caller may not know.
    pub(crate) sentence: Option<Cow<'static, str>>,
    pub(crate) advice: Option<&'static str>,
    pub(crate) page: Option<&'static str>,
    pub(crate) troubles: ProblemCounts,
    pub(crate) since: Timestamp,
    pub(crate) latest: Timestamp,
    /// The first ones, in the order of names.
    pub(crate) nodes: Vec<NodeId>,
    /// The text of one of the errors.
    pub(crate) example: Option<String>,
    /// Whether a query finds them.
    pub(crate) has_query: bool,
}

/// All groups, the largest first.
#[derive(Debug)]
pub(crate) struct Failures {
    pub(crate) cursor: i64,
    pub(crate) troubles: ProblemCounts,
    pub(crate) groups: Vec<Group>,
}

pub(crate) fn failures(filter: &mut Filter<'_>) -> Failures {
    let mut groups: HashMap<Cow<'static, str>, Group> = HashMap::new();
    let mut troubles = ProblemCounts::default();
    for entry in filter.matching() {
        let Some((trouble, cause)) = filter.trouble(entry) else {
            continue;
        };
        troubles.note(trouble);
        let code = cause.map_or(HIDDEN.into(), |cause| cause.code());
        let group = groups.entry(code.clone()).or_insert_with(|| {
            let text = filter.error(entry);
            let advice = cause.and_then(|cause| cause.advice());
            Group {
                code,
                sentence: cause.map(|cause| cause.sentence(text.unwrap_or_default())),
                advice: advice.map(|advice| advice.advice),
                page: advice.map(|advice| advice.page),
                troubles: ProblemCounts::default(),
                since: entry.since,
                latest: entry.since,
                nodes: Vec::new(),
                example: text.filter(|_| cause.is_some()).map(str::to_owned),
                has_query: true,
            }
        });
        group.troubles.note(trouble);
        group.since = group.since.min(entry.since);
        group.latest = group.latest.max(entry.since);
        if group.nodes.len() < NAMED {
            group.nodes.push(entry.id);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by(|a, b| {
        let by_size = b.troubles.total().cmp(&a.troubles.total());
        by_size.then_with(|| a.code.cmp(&b.code))
    });
    if groups.len() > MOST_GROUPS {
        let rest = groups.split_off(MOST_GROUPS - 1);
        groups.extend(merged(rest));
    }
    Failures {
        cursor: filter.index().cursor(),
        troubles,
        groups,
    }
}

/// Many groups as one.
fn merged(groups: Vec<Group>) -> Option<Group> {
    groups.into_iter().reduce(|mut all, group| {
        all.code = MORE.into();
        all.sentence = Some("Other failures, each of few nodes".into());
        (all.advice, all.page, all.example) = (None, None, None);
        all.has_query = false;
        all.troubles.add(&group.troubles);
        all.since = all.since.min(group.since);
        all.latest = all.latest.max(group.latest);
        all
    })
}
