//! A simulated machine with a Redfish service, and a service of ours that manages it.

use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use sim::{
    Layout,
    fault::Faults,
    personality::Personality,
    redfish::{
        certificate,
        server::{Server, Serving},
    },
};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use types::InterfaceKind as K;

/// How often waiting steps are called, and how often they want to be.
pub(super) const OFTEN: Duration = Duration::from_millis(20);

pub(crate) struct Sim {
    machines: sim::Machines,
    address: SocketAddr,
    _server: Server,
}

impl Sim {
    pub(crate) async fn start(maker: &str) -> Self {
        let settings = Arc::new(sim::Settings {
            personality: Personality::of_name(maker).unwrap(),
            bmc_reboot_time: Duration::from_millis(100),
            ..sim::Settings::default()
        });
        let machines = sim::machines(1, &settings);
        let options = sim::redfish::Options {
            page: Some(3),
            task_time: Duration::from_millis(50),
            ..sim::redfish::Options::default()
        };
        let serving = Serving {
            layout: Layout::Ports {
                address: Ipv4Addr::LOCALHOST.into(),
                first: 0,
            },
            options: Arc::new(options),
            group: 1,
            tls: certificate::self_signed().unwrap(),
        };
        let server = Server::start(&machines, serving).await.unwrap();
        Self {
            address: server.endpoint(0).unwrap(),
            machines,
            _server: server,
        }
    }

    pub(super) fn break_with(&self, faults: Faults) {
        self.machines[0].set_faults(Some(faults));
    }

    pub(super) fn driver_info(&self) -> Value {
        json!({
            "redfish_address": format!("http://{}", self.address),
            "redfish_username": "admin", "redfish_password": "password",
        })
    }

    /// What a resource is, without any of our code in between.
    pub(super) async fn show(&self, path: &str) -> Value {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Basic YWRtaW46cGFzc3dvcmQ=\r\n\
             Connection: close\r\n\r\n",
            self.address
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        serde_json::from_str(body).unwrap()
    }
}

/// What every lab for such machines has.
pub(crate) fn options() -> Options {
    let mut options = Options::default();
    options.conductor.step_poll_interval = OFTEN;
    let redfish = &mut options.hardware.redfish;
    redfish.gate.interval = Duration::ZERO;
    redfish.gate.rest = OFTEN;
    redfish.gate.longest_rest = OFTEN;
    redfish.attempts = 2;
    redfish.attempt_pause = OFTEN;
    redfish.reset_pause = OFTEN;
    redfish.server_retry_pause = OFTEN;
    let steps = &mut redfish.steps;
    for interval in [
        &mut steps.status_interval,
        &mut steps.raid_interval,
        &mut steps.validation_interval,
        &mut steps.version_check_interval,
        &mut steps.nic_starting_wait,
        &mut steps.ready_pause,
    ] {
        *interval = OFTEN;
    }
    for (kind, names) in [
        (K::Power, vec!["fake", "redfish"]),
        (
            K::Management,
            vec!["fake", "noop", "redfish", "idrac-redfish"],
        ),
        (K::Bios, vec!["no-bios", "redfish", "idrac-redfish"]),
        (K::Firmware, vec!["no-firmware", "redfish"]),
        (K::Inspect, vec!["no-inspect", "redfish", "idrac-redfish"]),
        (K::Raid, vec!["no-raid", "redfish", "idrac-redfish"]),
        (K::Vendor, vec!["no-vendor", "redfish", "idrac-redfish"]),
        (K::Boot, vec!["fake", "ipxe"]),
        (K::Deploy, vec!["fake", "direct"]),
    ] {
        let names = names.into_iter().map(str::to_owned).collect();
        options.hardware.enable_interfaces(kind, names);
    }
    let types = ["fake-hardware", "redfish", "idrac"];
    options
        .hardware
        .enable_hardware_types(types.map(str::to_owned).to_vec());
    options
}

/// A service, and a node for the machine, ready to be worked on.
pub(super) async fn lab(engine: Engine) -> Lab {
    Lab::with(engine, options()).await
}

/// A node of a hardware type, with every interface that Redfish has.
pub(crate) async fn enroll<'a>(lab: &'a Lab, sim: &Sim, driver: &str) -> Machine<'a> {
    let name = if driver == "idrac" {
        "idrac-redfish"
    } else {
        "redfish"
    };
    let mut body = json!({
        "driver": driver, "driver_info": sim.driver_info(),
        "power_interface": "redfish", "management_interface": name, "bios_interface": name,
        "firmware_interface": "redfish", "inspect_interface": name, "raid_interface": name,
        "vendor_interface": name,
    });
    if driver == "fake-hardware" {
        body["boot_interface"] = json!("fake");
        body["deploy_interface"] = json!("fake");
    }
    let created = lab.client.post("/v1/nodes", body).await.expect(201).json();
    let machine = lab.machine(created["uuid"].as_str().unwrap());
    machine.asks("manage").await;
    machine
        .until("'manageable'", |node| {
            match node["provision_state"].as_str().unwrap() {
                "manageable" => Some(node["reservation"].is_null()),
                "enroll" if node["last_error"].is_string() => None,
                _ => Some(false),
            }
        })
        .await;
    machine
}

/// Cleans with one step, and returns the node when that is over, well or not.
pub(super) async fn clean(
    machine: &Machine<'_>,
    interface: &str,
    step: &str,
    args: Value,
) -> Value {
    let step = json!({"interface": interface, "step": step, "args": args});
    machine
        .asks_with(json!({"target": "clean", "clean_steps": [step]}))
        .await;
    over(machine).await
}

/// The node when cleaning is over, well or not.
pub(super) async fn over(machine: &Machine<'_>) -> Value {
    machine
        .until("cleaning is over", |node| {
            let state = node["provision_state"].as_str().unwrap();
            let ended = state == "manageable" || state == "clean failed";
            Some(ended && node["reservation"].is_null())
        })
        .await
}

/// Cleans with one step that must work.
pub(super) async fn clean_well(
    machine: &Machine<'_>,
    interface: &str,
    step: &str,
    args: Value,
) -> Value {
    let node = clean(machine, interface, step, args).await;
    assert_eq!(node["provision_state"], "manageable", "{node:#}");
    assert_eq!(node["last_error"], json!(null));
    let info = node["driver_internal_info"].as_object().unwrap();
    let left: Vec<_> = info.keys().filter(|k| k.starts_with("step_")).collect();
    assert!(left.is_empty(), "{left:?}");
    node
}

/// How often the machine was rebooted for a step.
pub(super) async fn reboots(lab: &Lab, machine: &Machine<'_>) -> usize {
    let told = lab.told(machine.id).await.join("\n");
    told.matches("rebooted for a step").count()
}
