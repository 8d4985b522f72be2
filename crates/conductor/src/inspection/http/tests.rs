//! Calls against a server that answers from a script.

use super::*;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

/// Answers each connection with the next status, and keeps what was asked.
async fn server(statuses: Vec<u16>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&asked);
    tokio::spawn(async move {
        for status in statuses {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let length = stream.read(&mut request).await.unwrap();
            let text = String::from_utf8_lossy(&request[..length]).into_owned();
            seen.lock().unwrap().push(text);
            let answer =
                format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, asked)
}

fn call(url: &str, retries: u32) -> Call {
    Call {
        url: url.to_owned(),
        headers: BTreeMap::from([("x-one".to_owned(), "two".to_owned())]),
        proxies: BTreeMap::new(),
        timeout: Duration::from_secs(10),
        retries,
        backoff_s: 0.0,
    }
}

fn http() -> Http {
    Http::new(&InspectionSettings::default())
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    let (url, asked) = server(vec![503, 429, 200]).await;
    assert_eq!(http().get(&call(&url, 3)).await, Ok(()));
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 3);
    assert!(asked[0].starts_with("GET /x HTTP/1.1\r\n") && asked[0].contains("x-one: two"));
}

#[tokio::test]
async fn what_stays_is_told() {
    let (url, asked) = server(vec![404]).await;
    let expected = format!("404 Client Error: Not Found for url: {url}");
    assert_eq!(http().get(&call(&url, 3)).await, Err(expected));
    assert_eq!(asked.lock().unwrap().len(), 1);
    let (url, _) = server(vec![503, 503]).await;
    let expected = format!("503 Server Error: Service Unavailable for url: {url}");
    assert_eq!(http().get(&call(&url, 1)).await, Err(expected));
}

#[tokio::test]
async fn nobody_there_and_no_answer_are_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let patient = Call {
        timeout: Duration::from_millis(50),
        ..call(&url, 0)
    };
    assert_eq!(http().get(&patient).await, Err("no answer in time".into()));
    drop(listener);
    let refused = http().get(&call(&url, 0)).await.unwrap_err();
    assert!(refused.contains("refused"), "{refused}");
    assert!(http().get(&call("http://", 0)).await.is_err());
}

#[test]
fn pauses_double_and_end() {
    let call = Call {
        backoff_s: 0.5,
        ..call("http://h", 9)
    };
    let pauses: Vec<f64> = (1..5).map(|n| pause(&call, n).as_secs_f64()).collect();
    assert_eq!(pauses, [0.0, 1.0, 2.0, 4.0]);
    assert_eq!(pause(&call, 100).as_secs_f64(), LONGEST_PAUSE_S);
}

#[tokio::test]
async fn calls_lead_only_where_connections_may() {
    let (url, asked) = server(vec![200]).await;
    let denied = outbound::Network::parse("loopback").unwrap();
    let settings = InspectionSettings {
        outbound: Policy::new(denied, Vec::new(), Vec::new()),
        ..InspectionSettings::default()
    };
    let http = Http::new(&settings);
    let by_name = url.replace("127.0.0.1", "localhost");
    let mut by_proxy = call("http://192.0.2.1/x", 3);
    by_proxy.proxies = BTreeMap::from([("http".to_owned(), url.clone())]);
    for call in [call(&url, 3), call(&by_name, 3), by_proxy] {
        let refused = http.get(&call).await.unwrap_err();
        assert!(refused.contains("networks_denied"), "{refused}");
    }
    assert!(asked.lock().unwrap().is_empty());
}
