//! Finding a node and taking it: the 409 rules.

use crate::core::Core;
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

    /// Changes a free node in one write. `change` may run again when somebody else was faster.
    pub(crate) async fn change(
        &self,
        id: NodeId,
        mut change: impl FnMut(&mut Node, &mut store::node::Log) -> Result<(), Fault>,
    ) -> Result<Node, Fault> {
        /// Lost races in a row; each means that somebody else's write went through.
        const ATTEMPTS: usize = 10;
        let mut last = Fault::Stale(id);
        for _ in 0..ATTEMPTS {
            let mut node = self.load_free(id).await?;
            let mut log = store::node::Log::default();
            change(&mut node, &mut log)?;
            match store::node::save(&self.db, node, store::node::Fence::Free, log).await {
                Ok(saved) => return Ok(saved),
                Err(error @ (StoreError::Stale | StoreError::Locked { .. })) => {
                    last = fault(error, id);
                }
                Err(error) => return Err(fault(error, id)),
            }
        }
        Err(last)
    }
}
