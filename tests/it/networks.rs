//! Networks of the database: a conductor serves them, machines behind a relay get addresses and names.

use crate::{
    database::Engine,
    lab::{HOST, Lab, Options},
};
use boot::{Boot, BootFiles, Settings, dhcp4, dhcp6};
use conductor::NameSettings;
use proto::dhcp::{
    options::code,
    v4::{Message, MessageType},
};
use serde_json::{Value, json};
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    time::Duration,
};
use tokio::{net::UdpSocket, time::timeout};
use tokio_util::sync::CancellationToken;

#[path = "../../crates/boot/tests/peers/bind.rs"]
mod bind;

every_engine!(
    machines_get_addresses_and_names,
    a_network_goes_to_another_conductor
);

const MAC: [u8; 6] = [0x52, 0x54, 0, 0, 0, 1];
const SECOND: [u8; 6] = [0x52, 0x54, 0, 0, 0, 2];

fn written(mac: [u8; 6]) -> String {
    types::port::MacAddress::from(mac).to_string()
}

/// A DHCP server on the loopback, and the relay that it answers.
struct Site {
    boot: Boot,
    server: SocketAddr,
    relay: UdpSocket,
    stop: CancellationToken,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Site {
    async fn start(dir: &Path) -> Self {
        let relay = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let files = BootFiles {
            tftp_root: dir.join("tftp"),
            http_root: dir.join("http"),
            ..BootFiles::default()
        };
        let boot = Boot::open(files, &dir.join("state")).unwrap();
        let dhcp4 = dhcp4::Settings {
            listeners: vec![dhcp4::Listener {
                interface: None,
                address: "127.0.0.1:0".parse().unwrap(),
            }],
            own: Ipv4Addr::LOCALHOST,
            server_port: 0,
            relay_port: relay.local_addr().unwrap().port(),
            ..dhcp4::Settings::default()
        };
        let settings = Settings {
            dhcp4: Some(dhcp4),
            dhcp6: Some(dhcp6::Settings::default()),
            ..Settings::default()
        };
        let stop = CancellationToken::new();
        let running = boot.start(&settings, stop.clone()).await.unwrap();
        let server = running.dhcp4[0];
        tokio::spawn(running.wait());
        Self {
            boot,
            server,
            relay,
            stop,
        }
    }

    /// What a machine behind the relay is answered.
    async fn asks(&self, mut ask: Message) -> Option<Message> {
        ask.giaddr = Ipv4Addr::LOCALHOST;
        let bytes = ask.encode(548).unwrap();
        self.relay.send_to(&bytes, self.server).await.unwrap();
        // What others still send to whoever had this port before is no answer.
        let answer = async {
            let mut buffer = [0; 2048];
            loop {
                let length = self.relay.recv(&mut buffer).await.unwrap();
                match Message::decode(&buffer[..length]) {
                    Ok(answer) if answer.xid == ask.xid => return answer,
                    _ => {}
                }
            }
        };
        timeout(Duration::from_secs(10), answer).await.ok()
    }

    /// The answer that gives a machine its address.
    async fn lease(&self, mac: [u8; 6]) -> Message {
        let discover = Message::request(MessageType::Discover, 1, mac);
        let offer = self.asks(discover).await.unwrap();
        let mut request = Message::request(MessageType::Request, 2, mac);
        let server = offer.options.address(code::SERVER_ID).unwrap();
        request.options.set_address(code::SERVER_ID, server);
        request
            .options
            .set_address(code::REQUESTED_ADDRESS, offer.yiaddr);
        let ack = self.asks(request).await.unwrap();
        assert_eq!(ack.kind(), Some(MessageType::Ack));
        ack
    }
}

fn options(site: &Site, names: NameSettings) -> Options {
    let mut options = Options::default();
    options.hardware.boot = Some(site.boot.clone());
    options.conductor.networks_interval = Duration::from_millis(50);
    options.conductor.names = names;
    options
}

fn rack1() -> Value {
    json!({
        "name": "rack1", "prefix": "10.77.0.0/24", "relay": "127.0.0.1",
        "ranges": ["10.77.0.100-10.77.0.109"], "domain": "rack1.example.org",
        "gateway": "10.77.0.1", "dns_servers": ["10.0.0.53"], "ntp_servers": ["10.0.0.123"],
        "mtu": 9000, "lease_seconds": 600,
    })
}

async fn machines_get_addresses_and_names(engine: Engine) {
    let dir = tempfile::tempdir().unwrap();
    let site = Site::start(dir.path()).await;
    let bind = bind::Bind::start();
    let hosts = dir.path().join("hosts");
    let names = NameSettings {
        hosts_file: Some(hosts.clone()),
        dns: bind
            .as_ref()
            .map(|bind| bind.settings(bind::KEY, bind::SECRET)),
    };
    let lab = Lab::with(engine, options(&site, names)).await;
    let machine = lab.enroll(json!({"name": "node-1"})).await;
    let id = machine.id.to_string();
    let mut ports = Vec::new();
    for mac in [MAC, SECOND] {
        let port = json!({"node_uuid": id, "address": written(mac)});
        let made = lab.client.post("/v1/ports", port).await.expect(201).json();
        ports.push(made["uuid"].as_str().unwrap().to_owned());
    }
    lab.client
        .post("/corten/v1/networks", rack1())
        .await
        .expect(201);
    lab.goes_round("networks").await;
    let shown = lab.client.get("/corten/v1/networks/rack1").await.json();
    assert_eq!(shown["served_by"], HOST);

    let ack = site.lease(MAC).await;
    assert_eq!(ack.yiaddr.octets()[..3], [10, 77, 0]);
    let options = &ack.options;
    assert_eq!(options.text(code::HOST_NAME).as_deref(), Some("node-1"));
    assert_eq!(
        options.text(code::DOMAIN).as_deref(),
        Some("rack1.example.org")
    );
    for (option, address) in [
        (code::ROUTER, [10, 77, 0, 1]),
        (code::DNS, [10, 0, 0, 53]),
        (code::NTP, [10, 0, 0, 123]),
        (code::SUBNET_MASK, [255, 255, 255, 0]),
    ] {
        assert_eq!(options.address(option), Some(address.into()), "{option}");
    }
    assert_eq!(options.u32(code::LEASE_TIME), Some(600));
    assert_eq!(options.u16(code::INTERFACE_MTU), Some(9000));
    lab.goes_round("networks").await;
    let leases = lab
        .client
        .get("/corten/v1/networks/rack1/leases")
        .await
        .json();
    let lease = &leases["leases"][0];
    assert_eq!(lease["address"], ack.yiaddr.to_string());
    assert_eq!(
        (&lease["node_name"], &lease["kind"]),
        (&json!("node-1"), &json!("leased"))
    );
    lab.goes_round("names").await;
    let line = format!("{} node-1.rack1.example.org node-1\n", ack.yiaddr);
    let text = fs::read_to_string(&hosts).unwrap();
    assert!(text.ends_with(&line), "{text}");
    if let Some(bind) = &bind {
        assert_eq!(
            bind.dig(&["node-1.example.org", "A"]),
            ack.yiaddr.to_string()
        );
        assert_eq!(
            bind.dig(&["-x", &ack.yiaddr.to_string()]),
            "node-1.example.org."
        );
    }

    // Changes are noticed without a restart.
    let reserved = json!({"port": ports[1], "address": "10.77.0.20"});
    let path = "/corten/v1/networks/rack1/reservations";
    lab.client.post(path, reserved).await.expect(201);
    lab.goes_round("networks").await;
    assert_eq!(
        site.lease(SECOND).await.yiaddr,
        Ipv4Addr::new(10, 77, 0, 20)
    );
    lab.goes_round("networks").await;
    let leases = lab.client.get("/corten/v1/leases").await.json();
    assert_eq!(leases["leases"][0]["kind"], "fixed");
    lab.goes_round("names").await;
    if let Some(bind) = &bind {
        let told = bind.dig(&["node-1.example.org", "A"]);
        assert_eq!(told.lines().count(), 2, "{told}");
    }

    // Names end with the port and with the lease.
    let path = format!("/v1/ports/{}", ports[1]);
    lab.client.delete(&path).await.expect(204);
    let mut release = Message::request(MessageType::Release, 3, MAC);
    release.ciaddr = ack.yiaddr;
    release.giaddr = Ipv4Addr::LOCALHOST;
    let bytes = release.encode(548).unwrap();
    site.relay.send_to(&bytes, site.server).await.unwrap();
    let released = async {
        while site.boot.lease_book().leases.len() > 1 {
            lab.goes_round("networks").await;
        }
    };
    timeout(Duration::from_secs(10), released).await.unwrap();
    lab.goes_round("networks").await;
    lab.goes_round("names").await;
    assert_eq!(fs::read_to_string(&hosts).unwrap().lines().count(), 1);
    if let Some(bind) = &bind {
        assert_eq!(bind.dig(&["node-1.example.org", "A"]), "");
        assert_eq!(bind.dig(&["-x", "10.77.0.20"]), "");
    }
    lab.stop().await;
}

/// What one conductor gave is known to the one that comes after it.
async fn a_network_goes_to_another_conductor(engine: Engine) {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let first = Site::start(dirs[0].path()).await;
    let lab = Lab::with(engine, options(&first, NameSettings::default())).await;
    let machine = lab.enroll(json!({"name": "node-1"})).await;
    for mac in [MAC, SECOND] {
        let port = json!({"node_uuid": machine.id.to_string(), "address": written(mac)});
        lab.client.post("/v1/ports", port).await.expect(201);
    }
    let mut network = rack1();
    network["ranges"] = json!(["10.77.0.100-10.77.0.101"]);
    lab.client
        .post("/corten/v1/networks", network)
        .await
        .expect(201);
    lab.goes_round("networks").await;
    let given = first.lease(MAC).await.yiaddr;
    lab.goes_round("networks").await;
    let database = lab.stop().await;
    drop(first);

    let second = Site::start(dirs[1].path()).await;
    let mut options = options(&second, NameSettings::default());
    options.conductor.host = "another-conductor".to_owned();
    let lab = Lab::on(database, options).await;
    lab.goes_round("networks").await;
    let shown = lab.client.get("/corten/v1/networks/rack1").await.json();
    assert_eq!(shown["served_by"], "another-conductor");
    assert_ne!(second.lease(SECOND).await.yiaddr, given);
    assert_eq!(second.lease(MAC).await.yiaddr, given);
    lab.stop().await;
}
