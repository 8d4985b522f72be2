//! Which variant a failed conversation with a Redfish service is.

use super::*;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use types::{Node, NodeId};

fn hasty() -> RedfishSettings {
    RedfishSettings {
        attempts: 1,
        attempt_pause: Duration::from_millis(5),
        connect_timeout: Duration::from_secs(2),
        read_timeout: Duration::from_millis(200),
        server_retries: 0,
        ..RedfishSettings::default()
    }
}

async fn ask(port: u16) -> DriverError {
    let node = Node::new(NodeId::generate(), "redfish");
    let info = json!({
        "redfish_address": format!("http://127.0.0.1:{port}"), "redfish_verify_ca": false,
        "redfish_username": "u", "redfish_password": "hunter2", "redfish_auth_type": "basic",
    });
    let info = Info::of(&node, info.as_object().unwrap(), &hasty()).unwrap();
    let redfish = Redfish::new(hasty());
    let talk = redfish.talk(&info, "power status").await.unwrap();
    let answer = talk.get("/redfish/v1/Systems/1").await;
    answer.unwrap_err().into()
}

/// A service that says the same to everybody, or nothing.
async fn service(answer: Option<String>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            if let Some(answer) = &answer {
                let mut buffer = [0; 4096];
                let _ = stream.read(&mut buffer).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            } else {
                open.push(stream);
            }
        }
    });
    port
}

fn http(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    )
}

#[tokio::test]
async fn a_service_without_an_answer_is_unreachable() {
    let error = ask(service(None).await).await;
    assert!(matches!(error, DriverError::Unreachable(_)), "{error:?}");
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let error = ask(port).await;
    assert!(matches!(error, DriverError::Unreachable(_)), "{error:?}");
}

#[tokio::test]
async fn each_answer_that_is_no_success_has_its_variant() {
    for (status, body, expected) in [
        ("401 Unauthorized", "{}", "refused"),
        ("403 Forbidden", "{}", "refused"),
        ("429 Too Many Requests", "{}", "busy"),
        ("503 Service Unavailable", "{}", "busy"),
        ("400 Bad Request", "{}", "rejected"),
        ("500 Internal Server Error", "{}", "rejected"),
        ("200 OK", "<html>", "protocol"),
        ("200 OK", "[]", "protocol"),
    ] {
        let port = service(Some(http(status, body))).await;
        let error = ask(port).await;
        assert_eq!(error.kind(), expected, "{status} {body}: {error:?}");
        let text = types::error::chain(&error);
        let begin = "Redfish exception occurred. Error: power status failed. BMC http://127.0.0.1:";
        assert!(text.starts_with(begin), "{text}");
    }
    let odd = service(Some("SSH-2.0-OpenSSH_9.2\r\n".into())).await;
    let error = ask(odd).await;
    assert_eq!(error.kind(), "unreachable", "{error:?}");
}

/// With the settings that everybody has, a service that accepts connections and never answers costs
/// a minute, and the error says who was silent. The clock goes on by itself while nobody works.
#[tokio::test(start_paused = true)]
async fn a_service_that_never_answered_is_given_up_after_two_tries() {
    let port = service(None).await;
    let node = Node::new(NodeId::generate(), "redfish");
    let info = json!({"redfish_address": format!("http://127.0.0.1:{port}")});
    let settings = RedfishSettings::default();
    let info = Info::of(&node, info.as_object().unwrap(), &settings).unwrap();
    let redfish = Redfish::new(settings);
    let began = tokio::time::Instant::now();
    let talk = redfish.talk(&info, "power status").await.unwrap();
    let error: DriverError = talk.get("/redfish/v1/").await.unwrap_err().into();
    let text = types::error::chain(&error);
    let expected = format!(
        "BMC http://127.0.0.1:{port}: GET /redfish/v1/: no answer within 25 s (tried 2 times)"
    );
    assert!(text.contains(&expected), "{text}");
    assert!(began.elapsed() <= Duration::from_secs(60));
}
