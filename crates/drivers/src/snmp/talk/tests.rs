//! Which variant a failed conversation with a PDU is.

use super::*;
use serde_json::json;
use tokio::net::UdpSocket;
use types::NodeId;

fn hasty() -> SnmpSettings {
    SnmpSettings {
        timeout: Duration::from_millis(20),
        retries: 1,
        ..SnmpSettings::default()
    }
}

async fn ask(port: u16) -> DriverError {
    let info = json!({
        "snmp_driver": "apc", "snmp_address": "127.0.0.1", "snmp_port": port,
        "snmp_outlet": 1, "snmp_community": "public",
    });
    let info = Info::of(NodeId::generate(), info.as_object().unwrap()).unwrap();
    let snmp = Snmp::new(hasty());
    let mut talk = snmp.talk(&info, "power status").await.unwrap();
    let oid = super::super::model::system_id().unwrap();
    talk.get(&oid).await.unwrap_err()
}

#[tokio::test]
async fn a_pdu_without_an_answer_is_unreachable() {
    let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let error = ask(port).await;
    assert!(matches!(error, DriverError::Unreachable(_)), "{error:?}");
    drop(silent);
    // The port is closed now, which the kernel says.
    let error = ask(port).await;
    assert!(matches!(error, DriverError::Unreachable(_)), "{error:?}");
}

#[tokio::test]
async fn a_pdu_that_answers_what_cannot_be_read_speaks_another_protocol() {
    let odd = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let port = odd.local_addr().unwrap().port();
    let answering = tokio::spawn(async move {
        let mut buffer = [0; 2048];
        while let Ok((_, from)) = odd.recv_from(&mut buffer).await {
            odd.send_to(b"HTTP/1.1 400 Bad Request", from)
                .await
                .unwrap();
        }
    });
    let error = ask(port).await;
    assert!(matches!(error, DriverError::Protocol(_)), "{error:?}");
    answering.abort();
}

#[test]
fn each_status_of_an_agent_has_its_variant() {
    for (status, expected) in [
        (ErrorStatus::AUTHORIZATION, "refused"),
        (ErrorStatus::NO_ACCESS, "refused"),
        (ErrorStatus::NOT_WRITABLE, "refused"),
        (ErrorStatus(13), "busy"),
        (ErrorStatus::BAD_VALUE, "rejected"),
    ] {
        let error = variant(status)(Failure::new("x"));
        assert_eq!(error.kind(), expected, "{status}");
    }
    let busy = GateError::Busy {
        after: Duration::from_secs(1),
    };
    assert_eq!(busy.variant()(Failure::new("x")).kind(), "busy");
}
