//! The sign of life of this conductor.

use crate::{core::Core, service::registration};
use std::sync::Arc;
use store::StoreError;

/// Renews our counter. When that came too late, or somebody registered under our name, the leases
/// we had may have new owners: we become a new incarnation and take up what is still ours.
pub(super) async fn pass(core: Arc<Core>) {
    let sent = core.clock();
    match store::member::renew(&core.db, &core.me()).await {
        Ok(()) if core.renewed(sent) => {}
        Ok(()) => {
            tracing::warn!("the sign of life came too late; registering anew");
            register_anew(&core).await;
        }
        Err(StoreError::Superseded { host }) => {
            // Two processes with one name would take each other's leases for ever.
            tracing::error!(
                host,
                "another conductor registered under this name; this one stops working"
            );
            core.stop.cancel();
        }
        Err(error) => {
            tracing::error!(error = %types::error::chain(&error), "the sign of life was not written");
        }
    }
}

async fn register_anew(core: &Arc<Core>) {
    let registration = registration(&core.registry, &core.settings);
    match store::member::register(&core.db, registration).await {
        Ok(me) => {
            core.reincarnate(me);
            if let Err(error) = super::resume_own(core).await {
                tracing::error!(error = %types::error::chain(&error), "old work was not taken up");
            }
        }
        Err(error) => {
            tracing::error!(error = %types::error::chain(&error), "registering anew failed");
        }
    }
}
