//! The database of the simulation: rows, and statements that are carried out at once or not at all.

use super::{Rules, Tally, conductor::Grant};
use crate::lease::{Holder, LeaseRow, SIGNED_OFF, Verdict};

/// A conductor's row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) epoch: i64,
    pub(super) counter: i64,
}

#[derive(Debug, Clone)]
pub(super) enum Statement {
    Register,
    Renew {
        epoch: i64,
    },
    Look,
    Acquire {
        node: usize,
        epoch: i64,
    },
    TakeOver {
        node: usize,
        epoch: i64,
        verdict: Verdict,
    },
    Reclaim {
        node: usize,
        epoch: i64,
        generation: i64,
    },
    Write {
        node: usize,
        generation: i64,
    },
    Release {
        node: usize,
        generation: i64,
    },
    SignOff {
        epoch: i64,
    },
}

/// The row that a statement locks: two of one sender on one row are carried out in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Row {
    Member(usize),
    Node(usize),
}

impl Statement {
    pub(super) fn row(&self, sender: usize) -> Option<Row> {
        match self {
            Self::Register | Self::Renew { .. } | Self::SignOff { .. } => Some(Row::Member(sender)),
            Self::Acquire { node, .. }
            | Self::TakeOver { node, .. }
            | Self::Reclaim { node, .. }
            | Self::Write { node, .. }
            | Self::Release { node, .. } => Some(Row::Node(*node)),
            Self::Look => None,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) enum Outcome {
    Registered {
        epoch: i64,
    },
    /// Of a renewal: false when somebody registered later under this name.
    Renewed(bool),
    Seen {
        members: Vec<Member>,
        leases: Vec<LeaseRow>,
    },
    Granted(Option<Grant>),
    /// Of a write or a release: false when the lease was lost.
    Written(bool),
    SignedOff,
}

/// A takeover that was granted, for whoever checks whether it was right.
#[derive(Debug, Clone)]
pub(super) struct Loss {
    pub(super) from: Holder,
    pub(super) by: usize,
    pub(super) node: usize,
}

#[derive(Debug)]
pub(super) struct Database {
    rules: Rules,
    pub(super) members: Vec<Member>,
    pub(super) nodes: Vec<LeaseRow>,
    /// The highest generation under which each node was written.
    written: Vec<i64>,
    /// The highest generation that was granted for each node.
    granted: Vec<i64>,
}

pub(super) fn host(conductor: usize) -> String {
    format!("c{conductor}")
}

pub(super) fn conductor(host: &str) -> usize {
    host[1..].parse().unwrap()
}

impl Database {
    pub(super) fn new(rules: Rules, conductors: usize, nodes: usize) -> Self {
        Self {
            rules,
            members: vec![Member::default(); conductors],
            nodes: vec![LeaseRow::default(); nodes],
            written: vec![0; nodes],
            granted: vec![0; nodes],
        }
    }

    /// Carries a statement out. The error is a promise that was broken.
    pub(super) fn execute(
        &mut self,
        sender: usize,
        statement: &Statement,
        tally: &mut Tally,
    ) -> Result<(Outcome, Option<Loss>), String> {
        let mut loss = None;
        let by = |epoch: i64| Holder {
            host: host(sender),
            epoch,
        };
        let outcome = match statement {
            Statement::Register => {
                let member = &mut self.members[sender];
                *member = Member {
                    epoch: member.epoch + 1,
                    counter: 0,
                };
                Outcome::Registered {
                    epoch: member.epoch,
                }
            }
            Statement::Renew { epoch } => {
                let member = &mut self.members[sender];
                let ours = member.epoch == *epoch;
                member.counter += i64::from(ours);
                Outcome::Renewed(ours)
            }
            Statement::SignOff { epoch } => {
                let member = &mut self.members[sender];
                if member.epoch == *epoch {
                    member.epoch += 1;
                    member.counter = SIGNED_OFF;
                    tally.sign_offs += 1;
                }
                Outcome::SignedOff
            }
            Statement::Look => Outcome::Seen {
                members: self.members.clone(),
                leases: self.nodes.clone(),
            },
            Statement::Acquire { node, epoch } => {
                let granted = self.nodes[*node].acquire(&by(*epoch));
                tally.grants += u64::from(granted.is_some());
                self.grant(*node, *epoch, granted)?
            }
            Statement::TakeOver {
                node,
                epoch,
                verdict,
            } => {
                let now = self.members[conductor(&verdict.dead.host)];
                let member = if self.rules.counter {
                    (now.epoch, now.counter)
                } else {
                    (verdict.epoch, verdict.counter)
                };
                let granted = self.nodes[*node].take_over(verdict, member, &by(*epoch));
                match granted {
                    Some(_) => tally.takeovers += 1,
                    None => tally.refused_takeovers += 1,
                }
                loss = granted.map(|_| Loss {
                    from: verdict.dead.clone(),
                    by: sender,
                    node: *node,
                });
                self.grant(*node, *epoch, granted)?
            }
            Statement::Reclaim {
                node,
                epoch,
                generation,
            } => {
                let granted = self.nodes[*node].reclaim(&by(*epoch), *generation);
                tally.reclaimed += u64::from(granted.is_some());
                self.grant(*node, *epoch, granted)?
            }
            Statement::Write { node, generation } => {
                let row = &self.nodes[*node];
                let admitted =
                    row.admits(*generation) || !self.rules.generation && row.holder.is_some();
                tally.refused_writes += u64::from(!admitted);
                if admitted {
                    let newest = &mut self.written[*node];
                    if *generation < *newest {
                        return Err(format!(
                            "c{sender} wrote node {node} under generation {generation} after \
                             somebody did under {newest}"
                        ));
                    }
                    *newest = *generation;
                }
                Outcome::Written(admitted)
            }
            Statement::Release { node, generation } => {
                let released = self.nodes[*node].release(*generation);
                tally.refused_writes += u64::from(!released);
                Outcome::Written(released)
            }
        };
        Ok((outcome, loss))
    }

    fn grant(&mut self, node: usize, epoch: i64, granted: Option<i64>) -> Result<Outcome, String> {
        if let Some(generation) = granted {
            let newest = &mut self.granted[node];
            if generation <= *newest {
                return Err(format!(
                    "generation {generation} of node {node} was granted after {newest}"
                ));
            }
            *newest = generation;
        }
        Ok(Outcome::Granted(
            granted.map(|generation| Grant { epoch, generation }),
        ))
    }
}
