//! The sockets: which machine answers, and what faults do to an answer on its way.

use super::*;
use crate::{
    Settings,
    fault::{Faults, HttpFaults},
    redfish::certificate,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

async fn server(count: u32, layout: Layout, group: usize) -> (Machines, Server) {
    let machines = crate::machines(count, &Arc::new(Settings::default()));
    let serving = Serving {
        layout,
        options: Arc::default(),
        group,
        tls: certificate::self_signed().unwrap(),
    };
    let server = Server::start(&machines, serving).await.unwrap();
    (machines, server)
}

fn ports() -> Layout {
    Layout::Ports {
        address: Ipv4Addr::LOCALHOST.into(),
        first: 0,
    }
}

/// All bytes that come back before the connection ends.
async fn get(at: SocketAddr, path: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(at).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A connection that is broken off has given all that it gives.
    let _ = stream.read_to_end(&mut answer).await;
    answer
}

async fn text(at: SocketAddr, path: &str) -> String {
    String::from_utf8(get(at, path).await).unwrap()
}

const ROOT: &str = "/redfish/v1/";

#[tokio::test]
async fn every_machine_has_a_port() {
    let (machines, server) = server(2, ports(), 1).await;
    for machine in machines.iter() {
        let at = server.endpoint(machine.index()).unwrap();
        assert!(text(at, ROOT).await.contains(&machine.uuid().to_string()));
    }
    assert_eq!(server.endpoint(2), None);
}

#[tokio::test]
async fn the_address_that_is_called_tells_the_machine() {
    let layout = Layout::Addresses {
        first: Ipv4Addr::new(127, 3, 0, 1),
        port: 0,
    };
    let (machines, server) = server(300, layout, 1).await;
    for index in [0, 1, 299] {
        let at = server.endpoint(index).unwrap();
        let uuid = machines[index as usize].uuid().to_string();
        assert!(text(at, ROOT).await.contains(&uuid));
    }
    // Addresses without a machine answer nothing.
    let port = server.endpoint(0).unwrap().port();
    assert!(
        get((Ipv4Addr::LOCALHOST, port).into(), ROOT)
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn machines_share_a_service() {
    let (_, server) = server(5, ports(), 2).await;
    assert_eq!(server.endpoint(0), server.endpoint(1));
    assert_ne!(server.endpoint(1), server.endpoint(2));
    assert!(server.endpoint(4).is_some());
}

#[tokio::test]
async fn answers_meet_their_faults() {
    let (machines, server) = server(1, ports(), 1).await;
    let at = server.endpoint(0).unwrap();
    let with = |faults| machines[0].set_faults(Some(faults));
    let http = |http| Faults {
        http,
        ..Faults::default()
    };

    with(Faults {
        lose_every: 1,
        ..Faults::default()
    });
    assert!(get(at, ROOT).await.is_empty());

    with(Faults {
        garbage: true,
        ..Faults::default()
    });
    let garbage = get(at, ROOT).await;
    assert!(garbage.starts_with(b"HTTP/1.1 200"));
    assert!(!String::from_utf8_lossy(&garbage).contains("RedfishVersion"));

    with(Faults {
        completion: Some(0xc0),
        ..Faults::default()
    });
    assert!(text(at, ROOT).await.starts_with("HTTP/1.1 503"));

    with(http(HttpFaults {
        truncate: true,
        ..HttpFaults::default()
    }));
    let cut = text(at, ROOT).await;
    let (head, body) = cut.split_once("\r\n\r\n").unwrap();
    let head = head.to_ascii_lowercase();
    let (_, length) = head.split_once("content-length: ").unwrap();
    let length: usize = length.lines().next().unwrap().parse().unwrap();
    assert!(body.len() < length, "{} {length}", body.len());

    with(http(HttpFaults {
        path: Some("Systems".to_owned()),
        status: Some(418),
        ..HttpFaults::default()
    }));
    assert!(
        text(at, "/redfish/v1/Systems")
            .await
            .starts_with("HTTP/1.1 418")
    );
    assert!(text(at, ROOT).await.starts_with("HTTP/1.1 200"));

    machines[0].set_faults(None);
    machines[0].restart_bmc();
    assert!(get(at, ROOT).await.is_empty());
}

/// Sends a request with a body as the administrator; status line and body of the answer.
async fn post(at: SocketAddr, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(at).await.unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: {}\r\n\
         Authorization: Basic YWRtaW46cGFzc3dvcmQ=\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_process_gets_a_copy_of_the_image() {
    use crate::backend::Order;
    const SLOT: &str = "/redfish/v1/Managers/BMC/VirtualMedia/Cd/Actions";
    let (_, images) = server(1, ports(), 1).await;
    let (orders, mut ordered) = tokio::sync::mpsc::unbounded_channel();
    let machine = Machine::with_backend(0, Arc::new(Settings::default()), Some(orders));
    let machines: Machines = Arc::new([Arc::new(machine)]);
    let serving = Serving {
        layout: ports(),
        options: Arc::default(),
        group: 1,
        tls: certificate::self_signed().unwrap(),
    };
    let server = Server::start(&machines, serving).await.unwrap();
    let at = server.endpoint(0).unwrap();
    let insert = format!("{SLOT}/VirtualMedia.InsertMedia");
    let image = |path: &str| {
        format!(
            "{{\"Image\": \"http://{}{path}\"}}",
            images.endpoint(0).unwrap()
        )
    };

    let refused = post(at, &insert, &image("/redfish/v1/none.iso")).await;
    assert!(refused.starts_with("HTTP/1.1 400"), "{refused}");
    assert!(refused.contains("401"), "{refused}");
    assert!(machines[0].parts(|parts| parts.media.optical().is_none()));

    let inserted = post(at, &insert, &image("/redfish")).await;
    assert!(inserted.starts_with("HTTP/1.1 204"), "{inserted}");
    let Some(Order::Media(Some(path))) = ordered.recv().await else {
        panic!("no medium was inserted");
    };
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        r#"{"v1":"/redfish/v1/"}"#
    );

    post(at, &format!("{SLOT}/VirtualMedia.EjectMedia"), "{}").await;
    assert_eq!(ordered.recv().await, Some(Order::Media(None)));
    assert!(!path.exists());
}

#[tokio::test]
async fn tokens_are_forgotten_by_count() {
    let (machines, server) = server(1, ports(), 1).await;
    let at = server.endpoint(0).unwrap();
    let body = r#"{"UserName": "admin", "Password": "password"}"#;
    post(at, "/redfish/v1/SessionService/Sessions", body).await;
    let sessions = || machines[0].parts(|parts| parts.sessions.open().len());
    assert_eq!(sessions(), 1);
    machines[0].set_faults(Some(Faults {
        http: HttpFaults {
            forget_tokens_every: 2,
            ..HttpFaults::default()
        },
        ..Faults::default()
    }));
    get(at, ROOT).await;
    assert_eq!(sessions(), 1);
    get(at, ROOT).await;
    assert_eq!(sessions(), 0);
}
