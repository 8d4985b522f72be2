//! Asking one node of a batch, and what its answer means.

use serde_json::Value;
use std::{sync::Arc, time::Duration};
use store::{Db, config_drive};
use types::{Caller, Conductor, Fault, NodeId, batch::BatchAction};

/// For how long a node is asked again that somebody works on, or that cannot be reached.
const PATIENCE: Duration = Duration::from_secs(60);
/// For how long a node is asked again for which no worker is free.
const LONG_PATIENCE: Duration = Duration::from_secs(3600);

/// What an answer means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Accepted,
    Refused(String),
    /// It may be accepted later: ask again, for so long.
    Later(String, Duration),
    /// Whether it was accepted is not known.
    Lost(String),
}

/// Asks a node.
pub(super) async fn ask(
    db: Db,
    crew: Arc<dyn Conductor>,
    who: Caller,
    node: NodeId,
    action: Arc<BatchAction>,
) -> Answer {
    let asked = match &*action {
        BatchAction::Maintenance { on, reason } => {
            crew.set_maintenance(&who, node, *on, reason.clone()).await
        }
        BatchAction::Power { target, timeout_s } => {
            crew.set_power(&who, node, *target, *timeout_s).await
        }
        BatchAction::Provision { word, request } => {
            let mut request = request.clone();
            let drive = request.configdrive_mut().and_then(|place| place.take());
            let stored = match keep(&db, node, drive).await {
                Ok(stored) => stored,
                Err(error) => {
                    let error = types::error::chain(&error);
                    return Answer::Later(error, PATIENCE);
                }
            };
            // A large drive that is refused is purged later, as no node has it.
            if let (Some(place), Some(drive)) = (request.configdrive_mut(), stored) {
                *place = Some(drive);
            }
            crew.provision(&who, node, word.clone(), request).await
        }
    };
    match asked {
        Ok(()) => Answer::Accepted,
        Err(fault) => meaning(fault),
    }
}

/// Stores a config drive for a node, if it is a large one.
async fn keep(
    db: &Db,
    node: NodeId,
    drive: Option<Value>,
) -> Result<Option<Value>, store::StoreError> {
    match drive {
        Some(drive) => config_drive::put(db, node, drive).await.map(Some),
        None => Ok(None),
    }
}

fn meaning(fault: Fault) -> Answer {
    let text = fault.to_string();
    match fault {
        Fault::Locked { .. } | Fault::Stale(_) => Answer::Later(text, PATIENCE),
        Fault::NoFreeWorker | Fault::ConcurrentActionLimit(_) => Answer::Later(text, LONG_PATIENCE),
        Fault::Unavailable | Fault::NotNow(_) | Fault::Internal(_) => Answer::Lost(text),
        _ => Answer::Refused(text),
    }
}

/// For how long a node is asked again whose answers are lost.
pub(super) const LOST: Duration = PATIENCE;
