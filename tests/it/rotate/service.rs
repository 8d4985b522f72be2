//! A change through the whole service, on every database.

use super::{Bmc, PASSWORD, Protocol, path};
use crate::{
    database::Engine,
    lab::{Lab, Options},
};
use drivers::{ipmi::IpmiSettings, redfish::RedfishSettings};
use serde_json::json;
use std::time::Duration;
use types::InterfaceKind;

every_engine!(
    a_bmc_gets_a_new_password_that_nobody_is_told,
    a_password_that_several_nodes_have_is_not_changed,
);

pub(super) fn options() -> Options {
    let mut options = Options::default();
    let mut ipmi = IpmiSettings::default();
    ipmi.gate.interval = Duration::ZERO;
    let mut redfish = RedfishSettings::default();
    redfish.gate.interval = Duration::ZERO;
    options.hardware.ipmi = ipmi;
    options.hardware.redfish = redfish;
    let names = ["fake", "ipmitool", "redfish", "noop"].map(str::to_owned);
    let kind = InterfaceKind::Management;
    options.hardware.enable_interfaces(kind, names.to_vec());
    options
}

async fn a_bmc_gets_a_new_password_that_nobody_is_told(engine: Engine) {
    for protocol in Protocol::ALL {
        let lab = Lab::with(engine, options()).await;
        let bmc = Bmc::new(protocol).await;
        let machine = lab.enroll(bmc.node("m1", bmc.port)).await;
        let boot_device = machine.path("/management/boot_device");
        let mut used = vec![PASSWORD.to_owned()];
        for length in [None, Some(20)] {
            let body = length.map_or(json!({}), |length| json!({"length": length}));
            lab.client.get(&boot_device).await.expect(200);
            let answer = lab.client.post(&path("m1"), body).await.expect(204);
            assert_eq!(answer.0.body, b"", "nobody is told");
            let password = bmc.password();
            assert_eq!(password.len(), length.unwrap_or(16));
            assert!(!used.contains(&password));
            used.push(password);
            // The BMC lets nobody in with the old one, and the service has the new one.
            lab.client.get(&boot_device).await.expect(200);
            let node = machine.show().await;
            assert_eq!(node["reservation"], json!(null));
            assert_eq!(node["driver_info"][protocol.key()], "******");
            assert_eq!(node["maintenance"], json!(false));
        }
        let told = lab.told(machine.id).await.join("\n");
        assert!(
            told.contains("updated the password of the account"),
            "{told}"
        );
        let recorder = format!("/corten/v1/nodes/{}/recorder", machine.id);
        let recorded = lab.client.get(&recorder).await.expect(200).json();
        let stored = store::node::find(&lab.db, machine.id)
            .await
            .unwrap()
            .unwrap();
        for secret in &used {
            assert!(!told.contains(secret), "{told}");
            assert!(!recorded.to_string().contains(secret), "{recorded:#}");
            assert!(!format!("{stored:?}").contains(secret), "it is sealed");
        }
        assert_eq!(stored.driver_internal_info.pending_bmc_password(), None);
        for (body, text) in [
            (json!({"length": 8}), "from 12 to 20"),
            (json!({"length": "long"}), "length"),
            (json!({"password": "mine"}), "password"),
        ] {
            let refused = lab.client.post(&path("m1"), body).await.expect(400);
            assert!(refused.fault().contains(text), "{refused:?}");
        }
        assert_eq!(
            Some(&bmc.password()),
            used.last(),
            "a mistake changes nothing"
        );
        lab.stop().await;
    }
}

/// Children of a chassis, say, which are reached by the same account.
async fn a_password_that_several_nodes_have_is_not_changed(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let bmc = Bmc::new(Protocol::Redfish).await;
    lab.enroll(bmc.node("m1", bmc.port)).await;
    let mut child = bmc.node("m2", bmc.port);
    child["driver_info"]["redfish_system_id"] = json!("/redfish/v1/Systems/2");
    lab.enroll(child).await;
    let refused = lab.client.post(&path("m1"), json!({})).await.expect(409);
    let text = refused.fault();
    assert!(text.contains("redfish_password of node m2"), "{text}");
    assert!(!text.contains("m1"), "{text}");
    assert_eq!(bmc.password(), PASSWORD);
    // The same host and user by another protocol are the same account, too.
    lab.client.delete("/v1/nodes/m2").await.expect(204);
    let both = json!([
        {"op": "add", "path": "/driver_info/ipmi_address", "value": "127.0.0.1"},
        {"op": "add", "path": "/driver_info/ipmi_username", "value": super::USER},
    ]);
    lab.client.patch("/v1/nodes/m1", both).await.expect(200);
    let refused = lab.client.post(&path("m1"), json!({})).await.expect(409);
    assert!(refused.fault().contains("ipmi_password of node m1"));
    let other = json!([{"op": "remove", "path": "/driver_info/ipmi_address"}]);
    lab.client.patch("/v1/nodes/m1", other).await.expect(200);
    lab.client.post(&path("m1"), json!({})).await.expect(204);
    lab.stop().await;
}
