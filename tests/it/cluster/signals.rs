//! What operators tell a conductor by signals, beside the wish to stop.

use super::{Cluster, asks, enroll, reaches, ring::owner};
use crate::database::Engine;
use serde_json::{Value, json};
use types::ProvisionState as S;

every_server!(
    whoever_is_drained_ends_its_work_and_gets_no_more,
    whoever_is_told_to_stay_is_missed_by_nobody,
);

/// Work takes a moment. Silence tells nothing here, so whatever moves nodes is what was said.
const SLOWLY: [&str; 1] = ["fake.vendor_delay=0.5"];

/// A manageable node that this conductor serves as long as both are there.
async fn served_by(cluster: &Cluster, host: &str) -> String {
    loop {
        let node = enroll(cluster.client(), json!({})).await;
        if owner(&["c1", "c2"], &node) == host {
            asks(cluster.client(), &node, "manage").await.expect(202);
            reaches(cluster.client(), &node, S::Manageable).await;
            return node;
        }
    }
}

async fn show(cluster: &Cluster, node: &str) -> Value {
    let answer = cluster.client().get(&format!("/v1/nodes/{node}")).await;
    answer.expect(200).json()
}

async fn begins_to_clean(cluster: &Cluster, node: &str) {
    let step = json!({"interface": "vendor", "step": "log_passthrough"});
    let body = json!({"target": "clean", "clean_steps": vec![step; 6]});
    let path = format!("/v1/nodes/{node}/states/provision");
    cluster.client().put(&path, body).await.expect(202);
}

async fn whoever_is_drained_ends_its_work_and_gets_no_more(engine: Engine) {
    let mut cluster = Cluster::start(engine, &["c1", "c2"], &SLOWLY).await;
    let (busy, idle) = (
        served_by(&cluster, "c1").await,
        served_by(&cluster, "c1").await,
    );
    begins_to_clean(&cluster, &busy).await;
    let leaver = cluster.conductors.remove(0);
    leaver.signal("USR2").await;
    cluster.sees(&cluster.api, &["c2"]).await;
    // Its other nodes are served by the one that stays, while it still works.
    asks(cluster.client(), &idle, "provide").await.expect(202);
    reaches(cluster.client(), &idle, S::Available).await;
    leaver.ended().await;
    let node = show(&cluster, &busy).await;
    assert_eq!(
        (&node["provision_state"], &node["last_error"]),
        (&json!("manageable"), &Value::Null),
        "its work was done when it ended"
    );
    cluster.stop().await;
}

async fn whoever_is_told_to_stay_is_missed_by_nobody(engine: Engine) {
    let mut cluster = Cluster::start(engine, &["c1", "c2"], &SLOWLY).await;
    let node = served_by(&cluster, "c1").await;
    let restarted = cluster.conductors.remove(0);
    restarted.signal("USR1").await;
    restarted.stop().await;
    cluster.sees(&cluster.api, &["c1", "c2"]).await;
    // It is still c1's, so nobody answers for it until c1 is back.
    let path = format!("/v1/nodes/{node}/states/provision");
    let answer = cluster
        .client()
        .put(&path, json!({"target": "provide"}))
        .await;
    assert_eq!(answer.status, 503, "{answer:?}");
    cluster.join("c1", &SLOWLY).await;
    asks(cluster.client(), &node, "provide").await.expect(202);
    reaches(cluster.client(), &node, S::Available).await;
    cluster.stop().await;
}
