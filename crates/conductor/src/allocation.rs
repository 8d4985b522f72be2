//! Allocations: finding a machine for whoever asked for one.
//!
//! The request is in the database before it is answered, with the conductor that looks for a
//! machine; what a restart interrupts is taken up again. Binding is one transaction in the store,
//! which looks once more whether the machine still fits.

use crate::{core::Core, lock, record::ChangeLog};
use serde_json::json;
use std::sync::Arc;
use store::{
    StoreError, Unique,
    allocation::{Candidate, CandidateFilter},
};
use types::{
    Allocation, AllocationId, Caller, Fault, Node, NodeId, ProvisionState as S,
    allocation::AllocationState,
    event::EventKind,
    notification::{Action, Notice, Status},
};

/// Why no machine was found, in the words of Ironic.
enum Outcome {
    Bound,
    Failed(String),
    /// Every machine that fits is being worked on.
    AllBusy(usize),
}

/// Why an allocation was not removed.
enum Destroying {
    /// Somebody else's write came between reading and writing.
    Overtaken,
    Refused(Fault),
}

impl From<Fault> for Destroying {
    fn from(fault: Fault) -> Self {
        Self::Refused(fault)
    }
}

impl Core {
    pub(crate) async fn insert_allocation(
        self: &Arc<Self>,
        who: &Caller,
        mut allocation: Allocation,
    ) -> Result<Allocation, Fault> {
        if let Some(node) = allocation.node {
            return self.backfill(who, allocation, node).await;
        }
        allocation.holder = Some(self.me());
        let mut story = ChangeLog::new(who);
        story.notice(Action::Create, Status::End);
        let stored = store::allocation::insert(&self.db, allocation, story.into_log())
            .await
            .map_err(fault)?;
        self.look_for(stored.clone(), who.clone());
        Ok(stored)
    }

    /// Looks for a machine in the background.
    pub(crate) fn look_for(self: &Arc<Self>, allocation: Allocation, who: Caller) {
        let core = Arc::clone(self);
        self.tasks.spawn(async move {
            let _place = core.workers.wait().await;
            let id = allocation.id.clone();
            while let Err(error) = core.process(&allocation, &who).await {
                let lasting = !matches!(error, StoreError::Unavailable(_));
                let error = types::error::chain(&error);
                tracing::error!(allocation = %id, %error, "an allocation was not processed");
                // What is left is taken up again by the next incarnation.
                let pause = tokio::time::sleep(lock::RECONNECT);
                if lasting || core.stop.run_until_cancelled(pause).await.is_none() {
                    return;
                }
            }
        });
    }

    async fn process(&self, allocation: &Allocation, who: &Caller) -> Result<(), StoreError> {
        let mut attempt = 1;
        let reason = loop {
            match self.try_once(allocation, who).await? {
                Outcome::Bound => return Ok(()),
                Outcome::Failed(reason) => break reason,
                Outcome::AllBusy(count) => {
                    if attempt >= self.settings.node_locked_retry_attempts {
                        break format!("could not reserve any of {count} suitable nodes");
                    }
                }
            }
            attempt += 1;
            let pause = tokio::time::sleep(self.settings.node_locked_retry_interval);
            if self.stop.run_until_cancelled(pause).await.is_none() {
                return Ok(());
            }
        };
        let text = format!("Failed to process allocation {}: {reason}.", allocation.id);
        tracing::warn!(allocation = %allocation.id, "{text}");
        match store::allocation::fail(&self.db, &allocation.id, &text).await {
            Ok(_) | Err(StoreError::NotAllocating | StoreError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn try_once(&self, allocation: &Allocation, who: &Caller) -> Result<Outcome, StoreError> {
        let class = allocation.resource_class.clone().unwrap_or_default();
        let filter = CandidateFilter {
            resource_class: class.clone(),
            project: allocation.owner.clone(),
            node_in: allocation.candidate_nodes.clone(),
        };
        let mut candidates = store::allocation::candidates(&self.db, filter).await?;
        if candidates.is_empty() {
            return Ok(Outcome::Failed(if allocation.candidate_nodes.is_empty() {
                format!("no available nodes match the resource class {class}")
            } else {
                format!(
                    "none of the requested nodes are available and match the resource class {class}"
                )
            }));
        }
        candidates.retain(|candidate| allocation.accepts_traits(&candidate.traits));
        if candidates.is_empty() {
            let traits = allocation.traits.join(", ");
            return Ok(Outcome::Failed(format!(
                "no suitable nodes have the requested traits {traits}"
            )));
        }
        shuffle(&mut candidates, allocation.name.as_deref());
        let (suitable, mut busy) = (candidates.len(), 0);
        for candidate in candidates {
            match self.bind(allocation, candidate.node, who).await {
                Ok(()) | Err(StoreError::NotAllocating) => return Ok(Outcome::Bound),
                Err(StoreError::Locked { .. } | StoreError::Stale) => busy += 1,
                Err(StoreError::Unsuitable | StoreError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(match busy {
            0 => Outcome::Failed("all nodes were filtered out during reservation".into()),
            _ => Outcome::AllBusy(suitable),
        })
    }

    async fn bind(
        &self,
        allocation: &Allocation,
        node: NodeId,
        who: &Caller,
    ) -> Result<(), StoreError> {
        let found = store::node::find(&self.db, node).await?;
        let node = found.ok_or(StoreError::NotFound)?;
        let log = told(&node, allocation, who);
        store::allocation::bind(&self.db, &allocation.id, node, log)
            .await
            .map(|_| ())
    }

    /// An allocation for a machine that is in use already.
    async fn backfill(
        &self,
        who: &Caller,
        allocation: Allocation,
        node: NodeId,
    ) -> Result<Allocation, Fault> {
        lock::retried(|| self.try_backfill(who, allocation.clone(), node)).await
    }

    async fn try_backfill(
        &self,
        who: &Caller,
        mut allocation: Allocation,
        node: NodeId,
    ) -> Result<Allocation, Fault> {
        let node = self.load_free(node).await?;
        // Without a UUID of its own it has that of the instance, which may have one already.
        let taken = store::allocation::find(&self.db, &allocation.id).await;
        if taken.map_err(fault)?.is_some() {
            let unique = Unique::AllocationUuid(allocation.id.to_string());
            return Err(Fault::Duplicate(unique.to_string()));
        }
        let refused = |text: String| {
            Err(Fault::InvalidParameter(format!(
                "Cannot backfill allocation {} for node {}: {text}",
                allocation.id, node.id
            )))
        };
        if node.provision_state != S::Active {
            return refused(format!(
                "the node must be in the active state, and it is in {}",
                node.provision_state
            ));
        }
        if allocation.resource_class.is_some() && allocation.resource_class != node.resource_class {
            return refused("its resource class is another one".into());
        }
        if !allocation.accepts_traits(&node.traits) {
            return refused("it does not have the requested traits".into());
        }
        if !allocation.candidate_nodes.is_empty() && !allocation.candidate_nodes.contains(&node.id)
        {
            return refused("it is not among the candidate nodes".into());
        }
        if let Some(instance) = &node.instance_uuid
            && (node.allocation_uuid.is_some() || instance != allocation.id.as_str())
        {
            return Err(Fault::NodeAssociated {
                node: node.id,
                instance: instance.clone(),
            });
        }
        allocation.resource_class = node.resource_class.clone();
        allocation.state = AllocationState::Active;
        let id = node.id;
        let mut log = told(&node, &allocation, who);
        log.notices.push(Notice::new(Action::Create, Status::End));
        let bound = store::allocation::insert_bound(&self.db, allocation, node, log).await;
        bound
            .map(|(allocation, _)| allocation)
            .map_err(|error| match error {
                StoreError::Stale | StoreError::Locked { .. } => Fault::Stale(id),
                other => fault(other),
            })
    }

    /// Removes an allocation. The search that runs since its creation may bind or fail it between
    /// our reading and our writing; then it is read again.
    pub(crate) async fn remove_allocation(
        &self,
        who: &Caller,
        id: AllocationId,
    ) -> Result<(), Fault> {
        for _ in 0..lock::ATTEMPTS {
            match self.try_destroy_allocation(who, &id).await {
                Err(Destroying::Overtaken) => {}
                Err(Destroying::Refused(fault)) => return Err(fault),
                Ok(()) => return Ok(()),
            }
        }
        Err(Fault::Unavailable)
    }

    async fn try_destroy_allocation(
        &self,
        who: &Caller,
        id: &AllocationId,
    ) -> Result<(), Destroying> {
        let found = store::allocation::find(&self.db, id).await.map_err(fault)?;
        let allocation = found.ok_or_else(|| Fault::AllocationNotFound(id.to_string()))?;
        let node = match allocation.node {
            Some(node) => match self.load_free(node).await {
                // It is gone, and its allocation with it.
                Err(Fault::NodeNotFound(_)) => return Err(Destroying::Overtaken),
                loaded => Some(loaded?),
            },
            None => None,
        };
        let mut story = ChangeLog::new(who);
        story.notice(Action::Delete, Status::End);
        if let Some(node) = &node {
            check_removable(node, &allocation)?;
            let text = format!("allocation {id} removed");
            story.tell(
                node,
                EventKind::Updated,
                text,
                json!({"allocation": id.as_str()}),
            );
        }
        store::allocation::delete(&self.db, id, node.as_ref(), story.into_log())
            .await
            .map_err(|error| match error {
                StoreError::Stale | StoreError::Locked { .. } | StoreError::NotFound => {
                    Destroying::Overtaken
                }
                other => Destroying::Refused(fault(other)),
            })
    }

    /// Takes up the searches that incarnations of a host left which are dead. Whether one is a
    /// clone of a search that still goes on does no harm: a machine is bound once.
    pub(crate) async fn resume_allocations(
        self: &Arc<Self>,
        host: &str,
        is_dead: impl Fn(i64) -> bool,
    ) -> Result<(), StoreError> {
        let me = self.me();
        for left in store::allocation::orphans(&self.db, host, i64::MAX).await? {
            let Some(from) = left.holder.clone().filter(|from| is_dead(from.epoch)) else {
                continue;
            };
            if let Some(ours) = store::allocation::take_over(&self.db, &left.id, &from, &me).await?
            {
                self.look_for(ours, Caller::service());
            }
        }
        Ok(())
    }
}

fn told(node: &Node, allocation: &Allocation, who: &Caller) -> store::node::Log {
    let mut story = ChangeLog::new(who);
    let text = format!(
        "allocated to {}",
        allocation.name.as_deref().unwrap_or(allocation.id.as_str())
    );
    story.tell(
        node,
        EventKind::Updated,
        text,
        json!({"allocation": allocation.id.as_str()}),
    );
    story.into_log()
}

/// A machine in use, or on its way there, keeps its allocation.
fn check_removable(node: &Node, allocation: &Allocation) -> Result<(), Fault> {
    if node.maintenance {
        return Ok(());
    }
    let moving =
        node.target_provision_state.is_some() && !S::UPDATE_ALLOWED.contains(&node.provision_state);
    if moving || node.provision_state == S::Active {
        return Err(Fault::InvalidState(format!(
            "Cannot remove allocation {} for node {}, because the node is active (and maintenance mode is off)",
            allocation.id, node.id
        )));
    }
    Ok(())
}

/// Any order, so that machines are used evenly; one that has the allocation's name comes first.
fn shuffle(candidates: &mut [Candidate], name: Option<&str>) {
    candidates.sort_by_cached_key(|candidate| {
        let by_name = name.is_some() && candidate.name.as_deref() == name;
        (!by_name, *NodeId::generate().as_bytes())
    });
}

fn fault(error: StoreError) -> Fault {
    match error {
        StoreError::Duplicate(unique) => Fault::Duplicate(unique.to_string()),
        StoreError::NotFound => Fault::Unavailable,
        error @ StoreError::DoesNotFit { .. } => Fault::InvalidParameter(error.to_string()),
        StoreError::Stale | StoreError::Locked { .. } => Fault::Unavailable,
        other => {
            tracing::error!(error = %types::error::chain(&other), "an allocation cannot be stored");
            match other {
                StoreError::Unavailable(_) => Fault::Unavailable,
                _ => Fault::Internal("The allocation cannot be stored; see the log.".into()),
            }
        }
    }
}
