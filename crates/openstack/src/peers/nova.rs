//! Events about servers that Nova knows, and about one that it does not.

use super::{cloud, patience};
use crate::{Reason, nova::EventOutcome};
use types::PowerState;

#[tokio::test]
async fn an_event_about_an_unknown_server_is_no_failure() {
    let Some(services) = cloud() else { return };
    let unknown = "deadbeef-2222-3333-4444-555555555555";
    let sent = services
        .nova()
        .power_update(unknown, PowerState::On, patience());
    match sent.await {
        Ok(outcome) => assert_eq!(outcome, Some(EventOutcome::UnknownServer)),
        // Nova is not part of every such cloud.
        Err(error) => assert!(
            matches!(error.reason, Reason::NotInCatalogue { .. }),
            "{error:?}"
        ),
    }
}
