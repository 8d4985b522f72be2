//! Spans on their way to a collector that is played here.

use super::*;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::mpsc,
};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, debug_span};
use tracing_subscriber::{Layer, layer::SubscriberExt};

/// Takes posts and answers them all with `status`; gives their bodies.
async fn collector(status: &'static str) -> (String, mpsc::UnboundedReceiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    let (bodies, received) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let bodies = bodies.clone();
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                loop {
                    let mut buffer = [0; 4096];
                    let read = stream.read(&mut buffer).await.unwrap_or(0);
                    if read == 0 {
                        return;
                    }
                    bytes.extend_from_slice(&buffer[..read]);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else {
                        continue;
                    };
                    let length = head
                        .lines()
                        .find_map(|line| line.strip_prefix("content-length: "))
                        .unwrap();
                    if body.len() < length.parse().unwrap() {
                        continue;
                    }
                    assert!(head.starts_with("POST /v1/traces "), "{head}");
                    let _ = bodies.send(serde_json::from_str(body).unwrap());
                    bytes.clear();
                    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\n\r\n{{}}");
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            });
        }
    });
    (url, received)
}

fn settings(url: &str, percent: u32) -> TraceSettings {
    TraceSettings {
        endpoint: url.parse().unwrap(),
        tls: tls::Client::default(),
        host: "h".into(),
        percent,
    }
}

fn spans(body: &Value) -> Vec<Value> {
    let scope = &body["resourceSpans"][0]["scopeSpans"][0];
    scope["spans"].as_array().unwrap().clone()
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let all = span["attributes"].as_array().unwrap();
    let found = all.iter().find(|attribute| attribute["key"] == key);
    &found.unwrap_or_else(|| panic!("no {key} in {span}"))["value"]
}

const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[tokio::test]
async fn a_request_and_what_it_led_to_are_one_trace() {
    let (url, mut received) = collector("200 OK").await;
    let (layer, exporter) = Exporter::new(settings(&url, 100)).unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(exporter.run(stop.clone()));
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(Spans::filter()));
    let guard = tracing::subscriber::set_default(subscriber);
    let request = debug_span!(
        target: "spans", "request", otel.kind = "server", otel.name = "PUT /v1/nodes/{node}",
        traceparent = CALLER, http.response.status_code = tracing::field::Empty,
    );
    async {
        // Somebody else's span between ours does not break the chain.
        let other = debug_span!(target: "others", "noise");
        let call = || {
            debug_span!(target: "spans", "redfish", otel.kind = "client",
            attempt = 2, bmc = "10.0.0.1", otel.error = "token=sesame is wrong")
        };
        async {
            let header = traceparent().unwrap();
            assert!(
                header.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"),
                "{header}"
            );
            async {}.instrument(call()).await;
        }
        .instrument(other)
        .await;
    }
    .instrument(request.clone())
    .await;
    request.record("http.response.status_code", 202);
    drop(request);
    drop(guard);
    assert_eq!(traceparent(), None);
    stop.cancel();
    running.await.unwrap();

    let mut all = Vec::new();
    while let Ok(body) = received.try_recv() {
        let resource = &body["resourceSpans"][0]["resource"];
        assert_eq!(attribute(resource, "service.name")["stringValue"], "corten");
        all.extend(spans(&body));
    }
    let [call, request] = &all[..] else {
        panic!("{all:?}");
    };
    assert_eq!(request["name"], "PUT /v1/nodes/{node}");
    assert_eq!(request["kind"], 2);
    assert_eq!(request["parentSpanId"], "00f067aa0ba902b7");
    assert_eq!(
        attribute(request, "http.response.status_code")["intValue"],
        "202"
    );
    assert_eq!(call["parentSpanId"], request["spanId"]);
    assert_eq!(
        (&call["name"], &call["kind"]),
        (&"redfish".into(), &3.into())
    );
    assert_eq!(attribute(call, "attempt")["intValue"], "2");
    assert_eq!(call["status"]["message"], "token=****** is wrong");
    for span in [call, request] {
        assert_eq!(span["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
        let time = |key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"));
    }
}

#[tokio::test]
async fn only_as_many_traces_are_kept_as_wanted() {
    let (url, mut received) = collector("200 OK").await;
    let (layer, exporter) = Exporter::new(settings(&url, 25)).unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(exporter.run(stop.clone()));
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(Spans::filter()));
    tracing::subscriber::with_default(subscriber, || {
        for _ in 0..100 {
            let _span = debug_span!(target: "spans", "one").entered();
            let _inner = debug_span!(target: "spans", "two").entered();
        }
    });
    stop.cancel();
    running.await.unwrap();
    let mut count = 0;
    while let Ok(body) = received.try_recv() {
        count += spans(&body).len();
    }
    assert_eq!(count, 50);
}

#[tokio::test]
async fn a_collector_that_refuses_stops_nothing() {
    let (url, mut received) = collector("503 Service Unavailable").await;
    let (layer, exporter) = Exporter::new(settings(&url, 100)).unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(exporter.run(stop.clone()));
    let subscriber = tracing_subscriber::registry().with(layer.with_filter(Spans::filter()));
    tracing::subscriber::with_default(subscriber, || {
        debug_span!(target: "spans", "one").in_scope(|| {});
    });
    received.recv().await.unwrap();
    stop.cancel();
    running.await.unwrap();
}
