//! SNMP traps and platform event traps, as net-snmp's `snmptrap` sends them, become events of the node
//! whose BMC sent them.

use crate::{database::Engine, ipmi::peer::has, lab::Lab};
use conductor::AlertReceiver;
use serde_json::{Value, json};
use std::{net::SocketAddr, process::Command, time::Duration};
use store::event::Bell;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use types::{NodeId, event::LoggedEvent};

every_engine!(traps_become_events_of_the_node_at_their_address);

const LONG: Duration = Duration::from_secs(60);
/// Of a machine: as a BMC tells it, and as the machine's firmware does.
const GUID: &str = "0403020106050807090a0b0c0d0e0f10";
const UUID: &str = "01020304-0506-0708-090a-0b0c0d0e0f10";

/// A receiver on a port of its own.
struct Receiver {
    address: SocketAddr,
    stop: CancellationToken,
    running: JoinHandle<()>,
}

impl Receiver {
    async fn start(lab: &Lab) -> Self {
        let any = "127.0.0.1:0".parse().unwrap();
        let receiver = AlertReceiver::bind(&lab.db, any).await.unwrap();
        let (address, stop) = (receiver.address().unwrap(), CancellationToken::new());
        let running = tokio::spawn(receiver.run(stop.clone()));
        Self {
            address,
            stop,
            running,
        }
    }

    async fn stop(self) {
        self.stop.cancel();
        self.running.await.unwrap();
    }

    async fn send(&self, arguments: &[&str]) {
        let mut command = Command::new("snmptrap");
        command.args(&arguments[..4]).arg(self.address.to_string());
        command.args(&arguments[4..]).env("MIBS", "");
        command.env("SNMP_PERSISTENT_DIR", std::env::temp_dir());
        let output = tokio::task::spawn_blocking(move || command.output()).await;
        let output = output.unwrap().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// A power supply that lost its input, by a BMC that counts its alerts.
    async fn send_event(&self, sequence: u16, guid: &str) {
        let event = format!(
            "{guid}{sequence:04x}00000000ffff202010206107020300000000000000190000\
             02a20000"
        );
        let number = 0x0008_6f03.to_string();
        let value = ["1.3.6.1.4.1.3183.1.1.1", "x", &event];
        let head = ["-v", "1", "-c", "public", "1.3.6.1.4.1.3183.1.1"];
        let middle = ["127.0.0.1", "6", &number, "42"];
        let arguments = [&head[..], &middle, &value].concat();
        self.send(&arguments).await;
    }
}

/// The alerts among the events of a node, once there are so many.
async fn alerts(lab: &Lab, node: NodeId, count: usize) -> Vec<LoggedEvent> {
    let mut bell = Bell::of(&lab.db);
    let told = async {
        loop {
            bell.listen();
            let mut events = store::event::latest(&lab.db, node, 100).await.unwrap();
            events.retain(|event| event.data.get("hardware_alert").is_some());
            if events.len() >= count {
                return events;
            }
            bell.rings().await;
        }
    };
    let events = tokio::time::timeout(LONG, told).await;
    let events = events.expect("the alerts become events");
    assert_eq!(events.len(), count, "{events:?}");
    events
}

async fn machine(lab: &Lab, address: &str, extra: Value) -> NodeId {
    let body = json!({"driver_info": {"ipmi_address": address}, "extra": extra});
    lab.enroll(body).await.id
}

async fn traps_become_events_of_the_node_at_their_address(engine: Engine) {
    if !has("snmptrap") {
        return;
    }
    let lab = Lab::start(engine).await;
    let here = machine(&lab, "127.0.0.1", json!({})).await;
    let elsewhere = machine(&lab, "127.0.0.10", json!({"system_uuid": UUID})).await;
    let receiver = Receiver::start(&lab).await;
    let (v1, v2c) = (["-v", "1", "-c", "public"], ["-v", "2c", "-c", "s3cret"]);
    let maker = ["", "1.3.6.1.4.1.674.0.7", "1.3.6.1.4.1.674.1", "s", "Fan 1"];
    receiver.send(&[&v2c[..], &maker].concat()).await;
    let old = ["1.3.6.1.4.1.674", "127.0.0.1", "2", "0", "42"];
    receiver.send(&[&v1[..], &old].concat()).await;
    // That of the address, whatever machine it speaks of.
    receiver.send_event(7, GUID).await;
    let told = alerts(&lab, here, 3).await;
    let texts: Vec<&str> = told.iter().map(|event| event.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "alert of the BMC: SNMP trap 1.3.6.1.4.1.674.0.7: Fan 1",
            "alert of the BMC: SNMP trap link down",
            "alert of the BMC: Power Supply sensor 0x61 (System Board 2): power supply input lost",
        ]
    );
    let event = &told[2].data["hardware_alert"];
    assert_eq!(event["severity"], "Critical");
    assert_eq!(event["from"], "127.0.0.1");
    assert!(!format!("{told:?}").contains("s3cret"));
    // What a BMC sends again, because nobody confirms it, is one event.
    receiver.send_event(7, GUID).await;
    receiver.send_event(8, GUID).await;
    alerts(&lab, here, 4).await;
    alerts(&lab, elsewhere, 0).await;
    receiver.stop().await;
    lab.stop().await;
}

#[tokio::test]
async fn of_several_machines_at_an_address_the_uuid_tells_which_is_meant() {
    if !has("snmptrap") {
        return;
    }
    let lab = Lab::start(Engine::Sqlite).await;
    // A BMC by its name, which no address is compared with.
    let by_name = json!({"system_uuid": UUID.to_uppercase()});
    let named = machine(&lab, "bmc.example", by_name).await;
    let receiver = Receiver::start(&lab).await;
    receiver.send_event(1, GUID).await;
    alerts(&lab, named, 1).await;
    // Two blades behind their chassis.
    let first = machine(&lab, "127.0.0.1", json!({})).await;
    let second = machine(&lab, "127.0.0.1", json!({})).await;
    let guid = second.to_string().replace('-', "");
    receiver.send_event(2, &guid).await;
    alerts(&lab, second, 1).await;
    // A machine at another address is out of the question now, and so is what no machine has.
    receiver.send_event(3, GUID).await;
    receiver.send_event(4, &"ab".repeat(16)).await;
    receiver.send_event(5, &guid).await;
    alerts(&lab, second, 2).await;
    alerts(&lab, first, 0).await;
    alerts(&lab, named, 1).await;
    receiver.stop().await;
    lab.stop().await;
}

#[tokio::test]
async fn garbage_is_ignored() {
    if !has("snmptrap") {
        return;
    }
    let lab = Lab::start(Engine::Sqlite).await;
    let here = machine(&lab, "127.0.0.1", json!({})).await;
    let receiver = Receiver::start(&lab).await;
    let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    for datagram in [
        &b""[..],
        b"hello",
        &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
        &[0; 8000],
    ] {
        socket.send_to(datagram, receiver.address).await.unwrap();
    }
    receiver.send_event(1, GUID).await;
    alerts(&lab, here, 1).await;
    receiver.stop().await;
    lab.stop().await;
}
