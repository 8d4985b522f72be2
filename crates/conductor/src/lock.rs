//! Finding a node and taking it: the 409 rules.

use crate::{core::Core, hands::Lease};
use std::{sync::Arc, time::Duration};
use store::{StoreError, Unique};
use types::{Fault, Node, NodeId};

/// Turns what the store says about a node into what the client reads.
pub(crate) fn fault(error: StoreError, node: NodeId) -> Fault {
    match error {
        StoreError::NotFound => Fault::NodeNotFound(node.to_string()),
        StoreError::Locked { host } => Fault::Locked { node, host },
        StoreError::Stale | StoreError::LeaseLost => Fault::Stale(node),
        StoreError::Duplicate(unique) => duplicate(unique, node),
        error @ StoreError::DoesNotFit { .. } => Fault::InvalidParameter(error.to_string()),
        StoreError::NoChassis(chassis) => {
            Fault::InvalidParameter(Fault::ChassisNotFound(chassis).to_string())
        }
        StoreError::NoPortgroup(portgroup) => {
            Fault::InvalidParameter(Fault::PortgroupNotFound(portgroup).to_string())
        }
        other => {
            tracing::error!(%node, error = %types::error::chain(&other), "the database failed us");
            match other {
                StoreError::Unavailable(_) => Fault::Unavailable,
                _ => Fault::Internal(format!("the database could not serve node {node}")),
            }
        }
    }
}

fn duplicate(unique: Unique, node: NodeId) -> Fault {
    match unique {
        Unique::NodeInstance(instance) => Fault::InstanceAssociated { instance, node },
        other => Fault::Duplicate(other.to_string()),
    }
}

/// How long to wait before a database that is away is asked again.
pub(crate) const RECONNECT: Duration = Duration::from_millis(200);

/// How often a request is tried when somebody else's write comes between reading a node and
/// writing it; each time means that the other write went through.
pub(crate) const ATTEMPTS: usize = 10;

/// Whether to read the node again and try once more.
pub(crate) fn is_worth_a_retry<T>(answer: &Result<T, Fault>, attempt: usize) -> bool {
    matches!(answer, Err(Fault::Stale(_))) && attempt < ATTEMPTS
}

/// Tries a request again as long as somebody else's write comes in between.
pub(crate) async fn retried<T, F>(mut request: impl FnMut() -> F) -> Result<T, Fault>
where
    F: Future<Output = Result<T, Fault>>,
{
    let mut attempt = 1;
    loop {
        let answer = request().await;
        if !is_worth_a_retry(&answer, attempt) {
            return answer;
        }
        attempt += 1;
    }
}

impl Core {
    /// The node as it is now.
    pub(crate) async fn load(&self, id: NodeId) -> Result<Node, Fault> {
        let found = store::node::find(&self.db, id)
            .await
            .map_err(|e| fault(e, id))?;
        found.ok_or_else(|| Fault::NodeNotFound(id.to_string()))
    }

    /// The node once nobody holds its lease: waits as long as the operator configured, then says
    /// who has it.
    pub(crate) async fn load_free(&self, id: NodeId) -> Result<Node, Fault> {
        let mut attempt = 1;
        loop {
            let node = self.load(id).await?;
            let Some(host) = node.reservation.clone() else {
                return Ok(node);
            };
            if attempt >= self.settings.node_locked_retry_attempts {
                return Err(Fault::Locked { node: id, host });
            }
            attempt += 1;
            tokio::time::sleep(self.settings.node_locked_retry_interval).await;
        }
    }

    /// Takes the lease together with a change.
    ///
    /// When the connection breaks during the commit nobody can tell whether the lease is ours. Then
    /// the row is asked until the database answers; meanwhile nobody else of this process may take
    /// the same lease, so that what is found can only be our own doing.
    pub(crate) async fn take_lease(
        self: &Arc<Self>,
        node: Node,
        log: store::node::Log,
    ) -> Result<Lease, Fault> {
        let (id, me) = (node.id, self.me());
        // Whoever may not act cannot promise anything either.
        if !self.may_act(me.epoch) {
            return Err(Fault::Unavailable);
        }
        let Some(_taking) = self.begin_taking(id) else {
            return Err(Fault::Locked {
                node: id,
                host: me.host,
            });
        };
        let generation = node.lease_generation + 1;
        let fence = store::node::Fence::Take(me.clone());
        match store::node::save(&self.db, node, fence, log).await {
            Err(StoreError::Unavailable(_)) => {}
            Ok(saved) => return Ok(self.in_hand(saved)),
            Err(error) => return Err(fault(error, id)),
        }
        loop {
            match store::node::find_settled(&self.db, id).await {
                Ok(Some(found))
                    if found.lease_generation == generation
                        && found.lease_epoch == me.epoch
                        && found.reservation.as_ref() == Some(&me.host) =>
                {
                    return Ok(self.in_hand(found));
                }
                Ok(_) => return Err(Fault::Unavailable),
                Err(error) => {
                    let error = types::error::chain(&error);
                    tracing::warn!(node = %id, %error, "it cannot be told yet whether a lease was taken");
                }
            }
            let pause = tokio::time::sleep(RECONNECT);
            if self.stop.run_until_cancelled(pause).await.is_none() {
                // The next start finds the lease under our old epoch, if we have it.
                return Err(Fault::Unavailable);
            }
        }
    }

    /// Changes a free node in one write. `change` may run again when somebody else was faster.
    pub(crate) async fn change(
        &self,
        id: NodeId,
        mut change: impl FnMut(&mut Node, &mut store::node::Log) -> Result<(), Fault>,
    ) -> Result<Node, Fault> {
        let mut attempt = 1;
        loop {
            let mut node = self.load_free(id).await?;
            let mut log = store::node::Log::default();
            change(&mut node, &mut log)?;
            let saved = store::node::save(&self.db, node, store::node::Fence::Free, log).await;
            let answer = saved.map_err(|error| fault(error, id));
            if !is_worth_a_retry(&answer, attempt) {
                return answer;
            }
            attempt += 1;
        }
    }
}
