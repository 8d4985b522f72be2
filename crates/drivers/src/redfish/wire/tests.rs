//! Authorities that nodes name.

use super::*;
use std::path::PathBuf;

fn named(path: &str) -> Tls {
    Tls {
        verify: Trust::Named(PathBuf::from(path)),
        minimum: None,
        ciphers: None,
    }
}

fn wire(outbound: Policy) -> Wire {
    Wire::new(Duration::from_secs(5), Duration::from_secs(5), outbound)
}

async fn ask(wire: &Wire, tls: &Tls) -> Result<Answer, WireError> {
    // Nobody listens there.
    let (origin, root) = Origin::parse("https://127.0.0.1:1", None).unwrap();
    let ask = Ask {
        method: Method::GET,
        path: &root,
        body: None,
        ticket: Ticket::Nobody,
        if_match: None,
        identity: true,
        limit: None,
    };
    wire.exchange(&origin, tls, &ask).await
}

#[tokio::test]
async fn a_path_without_end_fails_and_stops_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
    let wire = wire(Policy::default());
    for path in ["/dev", "/dev/zero", "/proc/kmsg", pipe.to_str().unwrap()] {
        let refused = ask(&wire, &named(path)).await.unwrap_err();
        let expected = format!("{path}: no readable CA certificates");
        assert_eq!(refused, WireError::Wrong(expected));
    }
    let others = Tls {
        verify: Trust::Anyone,
        ..named("")
    };
    let unsent = ask(&wire, &others).await.unwrap_err();
    assert!(matches!(unsent, WireError::Unsent(_)), "{unsent}");
}

#[tokio::test]
async fn services_in_denied_networks_are_not_asked() {
    let denied = outbound::Network::parse("loopback").unwrap();
    let wire = wire(Policy::new(denied, Vec::new(), Vec::new()));
    let tls = Tls {
        verify: Trust::Anyone,
        ..named("")
    };
    let refused = ask(&wire, &tls).await.unwrap_err();
    assert!(matches!(&refused, WireError::Wrong(text) if text.contains("networks_denied")));
    let (origin, _) = Origin::parse("http://localhost:1", None).unwrap();
    let ask = Ask {
        method: Method::GET,
        path: "/redfish/v1/",
        body: None,
        ticket: Ticket::Nobody,
        if_match: None,
        identity: true,
        limit: None,
    };
    let refused = wire.exchange(&origin, &tls, &ask).await.unwrap_err();
    assert!(matches!(&refused, WireError::Wrong(text) if text.contains("networks_denied")));
}

#[tokio::test]
async fn the_number_of_clients_is_bounded() {
    let wire = wire(Policy::default());
    let (origin, _) = Origin::parse("https://127.0.0.1:1", None).unwrap();
    for number in 0..MOST_CLIENTS + 10 {
        let tls = Tls {
            verify: Trust::Anyone,
            minimum: None,
            ciphers: Some(format!("HIGH:x{number}")),
        };
        wire.client(&origin, &tls, false).await.unwrap();
    }
    assert_eq!(wire.clients.lock().unwrap().len(), MOST_CLIENTS);
}
