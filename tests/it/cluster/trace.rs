//! One trace from the request over two processes to the BMC, as a collector gets it.

use super::{Cluster, asks, enroll, eventually, reaches};
use crate::{database::Engine, http::Request, sim_ipmi::rack::Rack};
use ::types::ProvisionState as S;
use axum::{Json, Router, routing::post};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The trace that the client is in, and its own span.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

/// A collector: every span that is posted to it, with the host that it is from.
async fn collector() -> (String, Arc<Mutex<Vec<(String, Value)>>>) {
    let spans = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::clone(&spans);
    let take = async move |Json(body): Json<Value>| {
        let batch = &body["resourceSpans"][0];
        let attributes = batch["resource"]["attributes"].as_array().unwrap();
        let host = attributes.iter().find(|one| one["key"] == "host.name");
        let host = host.unwrap()["value"]["stringValue"].as_str().unwrap();
        let spans = batch["scopeSpans"][0]["spans"].as_array().unwrap();
        let spans = spans.iter().map(|span| (host.to_owned(), span.clone()));
        taken.lock().unwrap().extend(spans);
        Json(json!({}))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    let router = Router::new().route("/v1/traces", post(take));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, spans)
}

on_engine!(
    postgres,
    Postgres,
    a_trace_leads_from_the_request_to_the_bmc
);

async fn a_trace_leads_from_the_request_to_the_bmc(engine: Engine) {
    let (url, spans) = collector().await;
    let endpoint = format!("corten.otlp_endpoint={url}");
    let sets = [
        endpoint.as_str(),
        "DEFAULT.enabled_hardware_types=fake-hardware",
        "DEFAULT.enabled_power_interfaces=fake,ipmitool",
        "DEFAULT.enabled_management_interfaces=fake,ipmitool",
    ];
    let cluster = Cluster::start(engine, &["c1"], &sets).await;
    let rack = Rack::new().await;
    let client = cluster.client();
    let node = json!({
        "driver_info": rack.driver_info(), "power_interface": "ipmitool",
        "management_interface": "ipmitool",
    });
    let node = enroll(client, node).await;
    asks(client, &node, "manage").await.expect(202);
    reaches(client, &node, S::Manageable).await;
    let path = format!("/v1/nodes/{node}/states/power");
    let request = Request::new("PUT", &path)
        .header("traceparent", &format!("00-{TRACE}-{CALLER}-01"))
        .json(&json!({"target": "power on"}));
    client.send(request).await.expect(202);
    eventually("it is on", async || {
        let shown = client.get(&format!("/v1/nodes/{node}")).await.expect(200);
        shown.json()["power_state"] == "power on"
    })
    .await;
    // Whoever stops sends what is left.
    cluster.stop().await;

    let all = spans.lock().unwrap().clone();
    let ours: Vec<_> = all
        .iter()
        .filter(|(_, span)| span["traceId"] == TRACE)
        .collect();
    let (host, mut span) = ours
        .iter()
        .find(|(_, span)| span["name"] == "ipmi power on")
        .map(|(host, span)| (host.as_str(), span))
        .unwrap_or_else(|| panic!("the BMC was not asked: {ours:#?}"));
    assert_eq!((host, &span["kind"]), ("c1", &json!(3)));
    // Upwards: who asked whom.
    let mut way = Vec::new();
    while span["parentSpanId"] != CALLER {
        let above = ours
            .iter()
            .find(|(_, above)| above["spanId"] == span["parentSpanId"]);
        let Some((host, above)) = above else {
            panic!("nobody is above {span:#}");
        };
        way.push((host.as_str(), above["name"].as_str().unwrap()));
        span = above;
    }
    let expected = [
        ("c1", "changing power"),
        ("c1", "call"),
        ("api-1", "PUT nodes/{node}/states/power"),
    ];
    assert_eq!(way, expected);
}
