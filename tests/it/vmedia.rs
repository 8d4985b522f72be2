//! Virtual media: accepted at once, and what goes wrong is told on the node.

use crate::{database::Engine, lab::Lab};
use serde_json::json;
use types::ProvisionState as S;

every_engine!(
    hardware_without_virtual_drives_says_so_afterwards,
    a_node_without_power_waits_for_its_recovery,
    an_attachment_survives_a_restart,
);

async fn hardware_without_virtual_drives_says_so_afterwards(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({})).await;
    let path = machine.path("/vmedia");
    let shown = lab.client.get(&path).await.expect(400);
    assert!(shown.fault().contains("does not support get_virtual_media"));
    let body = json!({"device_type": "cdrom", "image_url": "http://u:hidden@h/x"});
    lab.client.post(&path, body).await.expect(204);
    let node = machine.rests().await;
    assert_eq!(
        node["last_error"],
        format!(
            "Could not attach device cdrom to node {}: Publishing images is not supported for driver fake-hardware",
            machine.id
        )
    );
    for (query, shown) in [
        ("", "None"),
        ("?device_types=", "[]"),
        ("?device_types=cdrom,disk", "['cdrom', 'disk']"),
        ("/floppy", "['floppy']"),
    ] {
        let path = format!("{path}{query}");
        lab.client.delete(&path).await.expect(204);
        let node = machine.rests().await;
        assert_eq!(
            node["last_error"],
            format!(
                "Could not detach device(s) {shown} from node {}: Driver fake-hardware does not support detach_virtual_media (disabled or not implemented).",
                machine.id
            )
        );
    }
    let history = machine.history().await;
    assert_eq!(history.len(), 5);
    assert!(history.iter().all(|entry| entry["event_type"] == "UNKNOWN"));
    let told = lab.told(machine.id).await.join("\n");
    assert!(!told.contains("hidden"), "{told}");
    lab.stop().await;
}

async fn a_node_without_power_waits_for_its_recovery(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({})).await;
    let mut node = store::node::find(&lab.db, machine.id)
        .await
        .unwrap()
        .unwrap();
    node.maintenance = true;
    node.fault = Some(types::node::NodeFault::Power);
    let (fence, log) = (store::node::Fence::Free, store::node::Log::default());
    store::node::save(&lab.db, node, fence, log).await.unwrap();
    let body = json!({"device_type": "cdrom", "image_url": "http://h/x"});
    let refused = lab
        .client
        .post(&machine.path("/vmedia"), body)
        .await
        .expect(503);
    assert_eq!(
        refused.fault(),
        format!(
            "Unable to attach virtual media for node {} due to power failure state",
            machine.id
        )
    );
    let refused = lab
        .client
        .delete(&machine.path("/vmedia"))
        .await
        .expect(503);
    assert!(
        refused
            .fault()
            .starts_with("Unable to detach virtual media")
    );
    lab.stop().await;
}

async fn an_attachment_survives_a_restart(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let id = machine.id;
    // As a conductor that is killed right after its answer leaves the row.
    let mut node = store::node::find(&lab.db, id).await.unwrap().unwrap();
    node.work = Some(types::Work::AttachMedia {
        media: types::rpc::VirtualMedia {
            device: "disk".into(),
            image_url: "http://u:hidden@h/x".into(),
            source: "local".into(),
        },
    });
    let holder = types::lease::Holder {
        host: crate::lab::HOST.into(),
        epoch: 0,
    };
    let (fence, log) = (
        store::node::Fence::Take(holder),
        store::node::Log::default(),
    );
    store::node::save(&lab.db, node, fence, log).await.unwrap();
    let database = lab.stop().await;
    let lab = Lab::on(database, crate::lab::Options::default()).await;
    let node = lab.machine(&id.to_string()).rests().await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.starts_with("Could not attach device disk"), "{error}");
    let told = lab.told(id).await.join("\n");
    assert!(
        told.contains("going on with attaching virtual media"),
        "{told}"
    );
    assert!(!told.contains("hidden"), "{told}");
    lab.stop().await;
}
