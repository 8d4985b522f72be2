//! Which variant a failed conversation with a BMC is.

use super::*;
use proto::ipmi::{client::LoginError, handshake::Status, message::NetFn};
use serde_json::json;
use std::time::Duration;
use tokio::net::UdpSocket;
use types::{Node, NodeId};

fn hasty() -> IpmiSettings {
    IpmiSettings {
        retry_for: Duration::from_millis(50),
        retry_pause: Duration::from_millis(5),
        first_wait: Duration::from_millis(5),
        tries: 1,
        ..IpmiSettings::default()
    }
}

fn info(port: u16) -> Info {
    let node = Node::new(NodeId::generate(), "ipmi");
    let info = json!({"ipmi_address": "127.0.0.1", "ipmi_port": port});
    Info::of(&node, info.as_object().unwrap(), &hasty()).unwrap()
}

async fn ask(port: u16) -> DriverError {
    let ipmi = Ipmi::new(hasty());
    let talk = ipmi.talk(&info(port), "power status").await.unwrap();
    let request = Request::new(NetFn::CHASSIS, 0x01, []);
    talk.ask(&request).await.unwrap_err()
}

#[tokio::test]
async fn a_bmc_without_an_answer_is_unreachable() {
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
async fn each_trouble_of_a_link_has_its_variant() {
    let peer = "127.0.0.1:623".parse().unwrap();
    let login = |source| LinkError::Login { peer, source };
    let refused = |code| LinkError::Refused { peer, code };
    let nonsense = DecodeError::Short { what: "answer" };
    let cases = [
        (login(LoginError::WrongPassword), "refused"),
        (login(LoginError::WrongBmcKey), "refused"),
        (
            login(LoginError::Refused(Status::UNAUTHORIZED_NAME)),
            "refused",
        ),
        (refused(Completion::PRIVILEGE), "refused"),
        (login(LoginError::Refused(Status::NO_RESOURCES)), "busy"),
        (refused(Completion::NODE_BUSY), "busy"),
        (refused(Completion::INVALID_COMMAND), "rejected"),
        (login(LoginError::NoVersion20), "protocol"),
        (
            LinkError::Nonsense {
                peer,
                source: nonsense,
            },
            "protocol",
        ),
    ];
    let named = Named {
        operation: "power status",
        peer: "b".into(),
    };
    for (error, expected) in cases {
        let shown = types::error::chain(&error);
        let error = named.failed(error);
        assert_eq!(error.kind(), expected, "{shown}");
        let text = format!("IPMI call failed: power status. BMC b: {shown}");
        assert_eq!(types::error::chain(&error), text);
    }
    let ipmi = Ipmi::new(hasty());
    let talk = ipmi.talk(&info(623), "power status").await.unwrap();
    assert_eq!(talk.nonsense(nonsense).kind(), "protocol");
    assert_eq!(talk.answered(Completion::NODE_BUSY).kind(), "busy");
}
