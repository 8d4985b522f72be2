//! Where a ramdisk speaks from, where our own DHCP server gave its machine an address: in one
//! process, and in a cluster where another conductor than the node's serves DHCP.
//!
//! There is no proxy and no peer in these tests: the address is what `X-Forwarded-For` says.

use crate::{
    database::{Database, Engine},
    http::{Answer, Client, Request},
    lab::{Lab, Machine, Options},
};
use boot::{
    Artifact, Boot, BootFiles, BootMethod, BootMode, BootPort, BootServices, NodeBoot, Settings,
    Start, dhcp4, lease::Range,
};
use cluster::{Endpoint, Remote, RemoteSettings, Secret};
use conductor::Service;
use drivers::Registry;
use proto::dhcp::{
    options::code,
    v4::{Message, MessageType},
};
use serde_json::{Value, json};
use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
    time::Duration,
};
use store::Db;
use tokio::net::{TcpListener, UdpSocket};
use tokio_util::sync::CancellationToken;
use types::{Conductor, NodeId, ProvisionState as S, port::MacAddress, rpc::Membership};

every_engine!(
    only_who_has_the_lease_is_the_agent,
    a_lease_of_another_conductor_counts,
    a_machine_that_never_asks_for_an_address_is_given_up_early,
);

const MAC: &str = "02:00:00:00:00:07";
/// The only address that it has.
pub(crate) const LEASED: &str = "127.1.0.1";
const ELSEWHERE: &str = "127.0.0.9";

/// A DHCP server, and a relay before it.
pub(crate) struct Dhcp {
    pub(crate) boot: Boot,
    relay: UdpSocket,
    server: SocketAddr,
    pub(crate) stop: CancellationToken,
}

impl Dhcp {
    pub(crate) async fn start(dir: &Path) -> Self {
        let relay = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let mut subnet = dhcp4::Subnet::new([127, 0, 0, 0].into(), 8, Ipv4Addr::LOCALHOST);
        let first: Ipv4Addr = LEASED.parse().unwrap();
        subnet.ranges = vec![Range { first, last: first }];
        let settings = Settings {
            dhcp4: Some(dhcp4::Settings {
                listeners: vec![dhcp4::Listener {
                    interface: None,
                    address: "127.0.0.1:0".parse().unwrap(),
                }],
                subnets: vec![subnet],
                relay_port: relay.local_addr().unwrap().port(),
                ..dhcp4::Settings::default()
            }),
            ..Settings::default()
        };
        let files = BootFiles {
            tftp_root: dir.join("tftp"),
            http_root: dir.join("http"),
            http_url: Some("http://h".to_owned()),
            ..BootFiles::default()
        };
        let boot = Boot::open(files, &dir.join("state")).unwrap();
        let stop = CancellationToken::new();
        let running = boot.start(&settings, stop.clone()).await.unwrap();
        let server = running.dhcp4[0];
        tokio::spawn(running.wait());
        Self {
            boot,
            relay,
            server,
            stop,
        }
    }

    /// The machine with this card gets its address.
    pub(crate) async fn lease(&self, mac: &str) {
        let octets = mac.parse::<MacAddress>().unwrap().octets();
        let mut ask = Message::request(MessageType::Discover, 1, octets);
        ask.giaddr = Ipv4Addr::LOCALHOST;
        let mut buffer = [0; 2048];
        for kind in [MessageType::Offer, MessageType::Ack] {
            let bytes = ask.encode(548).unwrap();
            self.relay.send_to(&bytes, self.server).await.unwrap();
            let length = self.relay.recv(&mut buffer).await.unwrap();
            let answer = Message::decode(&buffer[..length]).unwrap();
            assert_eq!(answer.kind(), Some(kind));
            assert_eq!(answer.yiaddr.to_string(), LEASED);
            ask = Message::request(MessageType::Request, 2, octets);
            ask.giaddr = Ipv4Addr::LOCALHOST;
            ask.options
                .set_address(code::REQUESTED_ADDRESS, answer.yiaddr);
            ask.options
                .set_address(code::SERVER_ID, Ipv4Addr::LOCALHOST);
        }
    }
}

async fn lookup(client: &Client, node: NodeId, from: &str) -> Answer {
    let request = Request::new("GET", &format!("/v1/lookup?node_uuid={node}"));
    client.send(request.header("x-forwarded-for", from)).await
}

async fn heartbeat(client: &Client, node: NodeId, from: &str, token: &str) -> Answer {
    let body = json!({
        "callback_url": format!("https://{from}:9999"), "agent_token": token,
        "agent_version": "13.0.0",
    });
    let request = Request::new("POST", &format!("/v1/heartbeat/{node}")).json(&body);
    client.send(request.header("x-forwarded-for", from)).await
}

fn token(found: &Value) -> String {
    let token = found["config"]["agent_token"].as_str().unwrap();
    assert_ne!(token, "******");
    token.to_owned()
}

/// What a stranger and the machine are answered, once the machine has its lease.
async fn only_the_machine_is_believed(client: &Client, db: &Db, node: NodeId) {
    let refused = lookup(client, node, ELSEWHERE).await.expect(404);
    assert_eq!(refused.fault(), "Resource could not be found.");
    let found = lookup(client, node, LEASED).await.expect(200).json();
    let token = token(&found);
    heartbeat(client, node, ELSEWHERE, &token).await.expect(400);
    heartbeat(client, node, LEASED, &token).await.expect(202);
    // Again, as an agent that is known.
    heartbeat(client, node, LEASED, &token).await.expect(202);
    heartbeat(client, node, ELSEWHERE, &token).await.expect(400);
    for text in [
        format!("The agent's token was given to {LEASED}"),
        format!("A lookup from {ELSEWHERE} was refused"),
    ] {
        is_told(db, node, &text).await;
    }
}

/// Waits for an event, which has its place in the log a moment after the answer.
async fn is_told(db: &Db, node: NodeId, text: &str) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    loop {
        let seen = store::event::newest(db).await.unwrap();
        let told = store::event::latest(db, node, 100).await.unwrap();
        let told: Vec<String> = told.into_iter().map(|event| event.text).collect();
        if told.iter().any(|line| line.starts_with(text)) {
            return;
        }
        assert!(tokio::time::Instant::now() < deadline, "{text}: {told:#?}");
        let pause = Duration::from_millis(100);
        store::event::wait(db, seen, pause).await.unwrap();
    }
}

async fn waiting<'l>(lab: &'l Lab) -> Machine<'l> {
    waiting_at(lab, MAC).await
}

/// A machine with this port that is to boot, and has not reported yet.
async fn waiting_at<'l>(lab: &'l Lab, mac: &str) -> Machine<'l> {
    let body = json!({
        "automated_clean": true, "driver_info": {"fake_wait": "deploy.prepare_cleaning"},
    });
    let machine = lab.enroll(body).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let port = json!({"address": mac, "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine.asks("provide").await.reaches(S::CleanWait).await;
    machine
}

async fn only_who_has_the_lease_is_the_agent(engine: Engine) {
    let dir = tempfile::tempdir().unwrap();
    let dhcp = Dhcp::start(dir.path()).await;
    let mut options = Options::default();
    options.hardware.boot = Some(dhcp.boot.clone());
    let lab = Lab::with(engine, options).await;
    let machine = waiting(&lab).await;
    dhcp.lease(MAC).await;
    only_the_machine_is_believed(&lab.client, &lab.db, machine.id).await;
    dhcp.stop.cancel();
    lab.stop().await;
}

/// A conductor that takes calls.
async fn member(db: &Db, mut options: Options, host: &str, secret: &Secret) -> Arc<Service> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    options.conductor.host = host.to_owned();
    options.conductor.url = Some(format!("http://{address}"));
    let registry = Registry::new(&options.hardware).unwrap();
    let service = Service::start(db.clone(), registry, options.conductor).await;
    let service = service.unwrap();
    let endpoint = Endpoint::new(
        Arc::clone(&service) as Arc<dyn Conductor>,
        service.view(),
        db.clone(),
        host,
        secret.clone(),
        CancellationToken::new(),
    );
    let router = endpoint.unwrap().router();
    tokio::spawn(async move { axum::serve(listener, router).await });
    service
}

async fn a_lease_of_another_conductor_counts(engine: Engine) {
    let dir = tempfile::tempdir().unwrap();
    let dhcp = Dhcp::start(dir.path()).await;
    // The node is made ready by a service that is alone.
    let lab = Lab::with(engine, Options::default()).await;
    let node = waiting(&lab).await.id;
    let database: Database = lab.stop().await;
    let db = database.open();
    let secret = Secret::new("what-only-the-cluster-knows").unwrap();
    // The one that serves DHCP has a group of its own, so that the node is not among its nodes.
    let mut serves = Options::default();
    serves.hardware.boot = Some(dhcp.boot.clone());
    serves.conductor.conductor_group = "dhcp".into();
    let serves = Box::pin(member(&db, serves, "serves-dhcp", &secret)).await;
    let owner = Box::pin(member(&db, Options::default(), "owner", &secret)).await;
    owner.view().refresh().await.unwrap();
    let settings = RemoteSettings {
        secret,
        tls: Default::default(),
        timeout: Duration::from_secs(60),
        patience: Duration::from_secs(60),
    };
    let remote = Remote::new(db.clone(), owner.view(), settings, None).unwrap();
    assert_eq!(
        remote.owner(node, "fake-hardware", "").as_deref(),
        Some("owner")
    );
    let settings = Arc::new(api::Settings::default());
    let state = api::ApiState::new(db.clone(), Arc::new(remote), settings);
    let router = api::router(state);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client {
        address: listener.local_addr().unwrap(),
    };
    tokio::spawn(async move { axum::serve(listener, router).await });
    dhcp.lease(MAC).await;
    only_the_machine_is_believed(&client, &db, node).await;
    dhcp.stop.cancel();
    owner.stop().await;
    serves.stop().await;
    drop(database);
}

/// `[corten]boot_silence_timeout`: who asked for an address has the time that everybody has.
async fn a_machine_that_never_asks_for_an_address_is_given_up_early(engine: Engine) {
    let dir = tempfile::tempdir().unwrap();
    let dhcp = Dhcp::start(dir.path()).await;
    let mut options = Options::default();
    options.hardware.boot = Some(dhcp.boot.clone());
    let settings = &mut options.conductor;
    settings.check_provision_state_interval = Duration::from_millis(100);
    settings.clean_callback_timeout = Duration::from_secs(3600);
    settings.boot_silence_timeout = Duration::from_secs(1);
    let lab = Lab::with(engine, options).await;
    let heard = waiting(&lab).await;
    let silent = waiting_at(&lab, "02:00:00:00:00:08").await;
    let image = |name: &str| Artifact::Url(format!("http://images/{name}"));
    for (machine, mac) in [(heard, MAC), (silent, "02:00:00:00:00:08")] {
        let published = NodeBoot {
            node: machine.id,
            ports: vec![BootPort::new(mac.parse().unwrap())],
            system_uuid: None,
            way: BootMethod::Ipxe,
            mode: BootMode::Bios,
            cpu_arch: None,
            start: Start::Agent {
                kernel: image("kernel"),
                ramdisk: image("ramdisk"),
            },
            append: String::new(),
            addresses: Vec::new(),
            tells_address: false,
        };
        dhcp.boot.publish(published).await.unwrap();
        if mac == MAC {
            dhcp.lease(MAC).await;
        }
    }
    let node = silent.reaches(S::CleanFailed).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("Timeout reached while cleaning"), "{error}");
    assert_eq!(heard.show().await["provision_state"], "clean wait");
    dhcp.stop.cancel();
    lab.stop().await;
}
