//! `corten status` of a cluster: whoever does not answer, or is gone, is shown so.

use super::{Cluster, eventually};
use crate::{
    database::Engine,
    status::{codes, status},
};
use serde_json::{Value, json};

async fn document(cluster: &Cluster) -> (i32, Value) {
    let (code, out, notes) = status(cluster.client(), &["-f", "json"]).await;
    let document = serde_json::from_str(&out);
    (code, document.unwrap_or_else(|_| panic!("{out}{notes}")))
}

fn conductor<'a>(document: &'a Value, host: &str) -> &'a Value {
    let mut all = document["conductors"].as_array().unwrap().iter();
    all.find(|one| one["host"] == host).unwrap()
}

every_server!(who_stands_still_is_mute_and_then_silent);

async fn who_stands_still_is_mute_and_then_silent(engine: Engine) {
    let mut cluster = Cluster::start(engine, &["c1", "c2"], &["corten.membership_ttl=7"]).await;
    for _ in 0..8 {
        super::enroll(cluster.client(), json!({})).await;
    }
    let (code, told) = document(&cluster).await;
    assert_eq!((code, codes(&told)), (0, vec![]), "{told:#}");
    assert_eq!(told["process"]["role"], "api");
    let shares = told["ring"][0]["shares"].as_array().unwrap();
    let whole: f64 = shares.iter().map(|s| s["share"].as_f64().unwrap()).sum();
    assert_eq!(shares.len(), 2);
    assert!((whole - 1.0).abs() < 0.001, "{shares:?}");
    for host in ["c1", "c2"] {
        let one = conductor(&told, host);
        assert_eq!(one["state"], "alive", "{one:#}");
        assert!(!one["passes"].as_array().unwrap().is_empty(), "{one:#}");
    }

    cluster.conductor("c2").signal("STOP").await;
    eventually("c2 is silent", async || {
        let (code, told) = document(&cluster).await;
        let one = conductor(&told, "c2");
        // Until it counts as dead it is alive and does not answer, which is worse.
        if one["state"] == "alive" && one["error"].is_string() {
            assert!(codes(&told).contains(&"mute_conductor"), "{told:#}");
            assert_eq!(code, 1);
        }
        one["state"] == "silent"
    })
    .await;
    let (code, told) = document(&cluster).await;
    assert_eq!(
        (code, codes(&told)),
        (1, vec!["silent_conductor"]),
        "{told:#}"
    );
    cluster.conductor("c2").signal("CONT").await;
    eventually("all is well again", async || {
        let (code, told) = document(&cluster).await;
        (code, told["verdict"].as_str()) == (0, Some("ok"))
    })
    .await;

    let c2 = cluster.conductors.remove(1);
    c2.stop().await;
    eventually("c2 has signed off", async || {
        let (_, told) = document(&cluster).await;
        conductor(&told, "c2")["state"] == "stopped" && told["verdict"] == "ok"
    })
    .await;
    let c1 = cluster.conductors.remove(0);
    c1.stop().await;
    eventually("nobody serves", async || {
        let (code, told) = document(&cluster).await;
        let codes = codes(&told);
        code == 1 && codes.contains(&"no_conductor") && codes.contains(&"unserved_nodes")
    })
    .await;
    cluster.stop().await;
}
