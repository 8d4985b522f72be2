//! Changes that BMCs do not make, or of which they do not tell.

use super::{Bmc, PASSWORD, Protocol, path, service::options};
use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use serde_json::{Value, json};
use sim::fault::{Faults, HttpFaults, Ignore};
use std::time::Duration;

/// Waits that are over soon where nobody answers.
fn hasty() -> Options {
    let mut options = options();
    options.hardware.redfish.read_timeout = Duration::from_secs(2);
    options.hardware.redfish.attempts = 1;
    options
}

/// What `PATCH` of an account does.
fn at_account(http: HttpFaults) -> Faults {
    Faults {
        http: HttpFaults {
            path: Some("/Accounts/".to_owned()),
            method: Some("PATCH".to_owned()),
            ..http
        },
        ..Faults::default()
    }
}

/// Nothing is left of a change, and the service still gets in.
async fn is_as_before(lab: &Lab, bmc: &Bmc) {
    bmc.fails(Faults::default());
    let node = lab.client.get("/v1/nodes/m1").await.expect(200).json();
    assert_eq!(node["reservation"], json!(null));
    assert_eq!(node["maintenance"], json!(false), "{node:#}");
    assert_eq!(pending(&node), None);
    let boot_device = "/v1/nodes/m1/management/boot_device";
    lab.client.get(boot_device).await.expect(200);
}

fn pending(node: &Value) -> Option<&str> {
    node["driver_internal_info"]
        .get("corten_pending_bmc_password")?
        .as_str()
}

#[tokio::test]
async fn the_reason_of_a_bmc_that_refuses_is_told() {
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let bmc = Bmc::new(Protocol::Redfish).await;
    let machine = lab.enroll(bmc.node("m1", bmc.port)).await;
    bmc.fails(at_account(HttpFaults {
        status: Some(400),
        ..HttpFaults::default()
    }));
    let refused = lab.client.post(&path("m1"), json!({})).await;
    let text = refused.fault();
    assert!(refused.0.status >= 400, "{refused:?}");
    assert!(
        text.contains("was not changed") && text.contains("400"),
        "{text}"
    );
    assert_eq!(bmc.password(), PASSWORD);
    let told = lab.told(machine.id).await.join("\n");
    assert!(
        told.contains("warning The password of the BMC was not changed"),
        "{told}"
    );
    is_as_before(&lab, &bmc).await;
    lab.stop().await;
}

#[tokio::test]
async fn a_bmc_that_accepts_and_forgets_is_found_out() {
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let bmc = Bmc::new(Protocol::Ipmi).await;
    lab.enroll(bmc.node("m1", bmc.port)).await;
    bmc.fails(Faults {
        ignore: Ignore::Everything,
        ..Faults::default()
    });
    let refused = lab.client.post(&path("m1"), json!({})).await;
    assert!(refused.fault().contains("did not keep it"), "{refused:?}");
    assert_eq!(bmc.password(), PASSWORD);
    is_as_before(&lab, &bmc).await;
    lab.stop().await;
}

#[tokio::test]
async fn a_bmc_that_obeys_without_an_answer_has_the_new_password() {
    let lab = Lab::with(Engine::Sqlite, hasty()).await;
    let bmc = Bmc::new(Protocol::Redfish).await;
    lab.enroll(bmc.node("m1", bmc.port)).await;
    bmc.fails(at_account(HttpFaults {
        hang: true,
        ..HttpFaults::default()
    }));
    lab.client.post(&path("m1"), json!({})).await.expect(204);
    assert_ne!(bmc.password(), PASSWORD);
    is_as_before(&lab, &bmc).await;
    lab.stop().await;
}

/// Somebody else changes the password meanwhile: both are kept, and tried again when somebody asks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_forgotten_while_the_bmc_takes_neither() {
    let lab = Lab::with(Engine::Sqlite, hasty()).await;
    let bmc = Bmc::new(Protocol::Redfish).await;
    let machine = lab.enroll(bmc.node("m1", bmc.port)).await;
    bmc.fails(at_account(HttpFaults {
        hang: true,
        ..HttpFaults::default()
    }));
    let client = lab.client.clone();
    let change = tokio::spawn(async move { client.post(&path("m1"), json!({})).await });
    while bmc.password() == PASSWORD {
        tokio::task::yield_now().await;
    }
    bmc.set_password("by-somebody-else");
    let refused = change.await.unwrap();
    let text = refused.fault();
    assert!(text.contains("both") && text.contains("kept"), "{text}");
    bmc.fails(Faults::default());
    let node = machine.show().await;
    assert_eq!(node["maintenance"], json!(true));
    assert_eq!(pending(&node), Some("******"));
    assert_eq!(node["reservation"], json!(null));
    // As if somebody had set it back.
    bmc.set_password(PASSWORD);
    lab.client.post(&path("m1"), json!({})).await.expect(204);
    assert_ne!(bmc.password(), PASSWORD);
    let node = machine.show().await;
    assert_eq!(pending(&node), None);
    let boot_device = machine.path("/management/boot_device");
    lab.client.get(&boot_device).await.expect(200);
    lab.stop().await;
}

#[tokio::test]
async fn a_password_that_is_wrong_already_is_told_and_nothing_is_begun() {
    for protocol in Protocol::ALL {
        let lab = Lab::with(Engine::Sqlite, options()).await;
        let bmc = Bmc::new(protocol).await;
        lab.enroll(bmc.node("m1", bmc.port)).await;
        bmc.set_password("by-somebody-else");
        let refused = lab.client.post(&path("m1"), json!({})).await;
        assert!(refused.0.status >= 400, "{refused:?}");
        assert_eq!(bmc.password(), "by-somebody-else");
        // One wrong password, and the account is not locked.
        bmc.restores(PASSWORD);
        is_as_before(&lab, &bmc).await;
        lab.stop().await;
    }
}

#[tokio::test]
async fn hardware_without_such_accounts_says_so_and_a_busy_node_is_locked() {
    let lab = Lab::with(Engine::Sqlite, options()).await;
    let fake = json!({"name": "m1", "driver": "fake-hardware", "management_interface": "fake"});
    let machine = lab.enroll(fake).await;
    let refused = lab.client.post(&path("m1"), json!({})).await.expect(400);
    let text = refused.fault();
    assert!(
        text.contains("does not support changing the password"),
        "{text}"
    );
    let nobody = json!({"name": "m2", "driver": "fake-hardware", "management_interface": "redfish",
        "driver_info": {"redfish_address": "http://127.0.0.1:9"}});
    lab.enroll(nobody).await;
    let refused = lab.client.post(&path("m2"), json!({})).await.expect(400);
    assert!(refused.fault().contains("names no user"), "{refused:?}");
    let holder = types::lease::Holder {
        host: "another".to_owned(),
        epoch: 1,
    };
    let node = store::node::find(&lab.db, machine.id)
        .await
        .unwrap()
        .unwrap();
    let fence = store::node::Fence::Take(holder);
    let log = store::node::Log::default();
    store::node::save(&lab.db, node, fence, log).await.unwrap();
    let refused = lab.client.post(&path("m1"), json!({})).await.expect(409);
    assert!(
        refused.fault().contains("locked by host another"),
        "{refused:?}"
    );
    lab.client.post(&path("m3"), json!({})).await.expect(404);
    lab.stop().await;
}
