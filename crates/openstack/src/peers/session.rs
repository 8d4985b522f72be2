//! Logging in to a real Keystone.

use super::{cloud, patience, section};
use crate::{Caller, Reason, Secret, Service, testing};
use types::error::chain;

#[tokio::test]
async fn the_password_decides() {
    let Some(mut section) = section() else { return };
    let services = testing::services(&section);
    let project = services.glance().project_id(patience()).await.unwrap();
    assert!(project.is_some_and(|project| project.len() == 32));
    services.baremetal_url(patience()).await.unwrap();

    section.auth.password = Some(Secret::from("wrong"));
    let services = testing::services(&section);
    let error = services.glance().project_id(patience()).await.unwrap_err();
    assert_eq!(error.request.service, Service::Keystone);
    assert!(matches!(error.reason, Reason::Refused(_)), "{error:?}");
    assert!(
        chain(&error).ends_with("The request you have made requires authentication."),
        "{error:?}"
    );
}

#[tokio::test]
async fn the_token_of_a_stranger_is_refused() {
    let Some(services) = cloud() else { return };
    let neutron = services.neutron();
    let caller = Caller::service();
    let absent = "11111111-2222-3333-4444-555555555555";
    for _ in 0..2 {
        let error = neutron.port(absent, &caller, patience()).await.unwrap_err();
        assert!(error.is_not_found(), "{error:?}");
    }
    // A user's token that nobody knows is refused, whatever stands beside it.
    let stranger = Caller::user(Secret::from("nonsense"), crate::TokenScope::Project);
    let error = neutron
        .port(absent, &stranger, patience())
        .await
        .unwrap_err();
    assert!(matches!(error.reason, Reason::Refused(_)), "{error:?}");
}
