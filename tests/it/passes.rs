//! The periodic passes of a whole service: on their timers, with machines that do as they like.

mod power;
mod sensors;

use crate::{
    lab::{Lab, Machine, Options},
    sim_ipmi::rack::{PASSWORD, Rack, USER},
};
use serde_json::json;
use sim::Layout;
use std::{net::Ipv4Addr, time::Duration};
use types::{InterfaceKind as K, ProvisionState as S};

/// How often passes run here.
const OFTEN: Duration = Duration::from_millis(40);

/// A service with passes that run often, for fake and for IPMI hardware that answers at once or
/// not at all.
fn options() -> Options {
    let mut options = Options::default();
    let settings = &mut options.conductor;
    settings.sync_power_state_interval = OFTEN;
    settings.power_failure_recovery_interval = OFTEN;
    settings.power_state_sync_max_retries = 1;
    let hardware = &mut options.hardware;
    hardware.ipmi = crate::ipmi::peer::settings();
    hardware.ipmi.tries = 3;
    hardware.ipmi.retry_for = Duration::from_millis(500);
    hardware.ipmi.gate.rest = OFTEN;
    hardware.ipmi.gate.longest_rest = OFTEN;
    let types = ["fake-hardware", "ipmi"];
    hardware.enable_hardware_types(types.map(str::to_owned).to_vec());
    for (kind, names) in [
        (K::Power, ["fake", "ipmitool"]),
        (K::Management, ["fake", "ipmitool"]),
        (K::Boot, ["fake", "ipxe"]),
        (K::Deploy, ["fake", "direct"]),
    ] {
        hardware.enable_interfaces(kind, names.map(str::to_owned).to_vec());
    }
    options
}

/// Machines with BMCs of their own.
async fn rack(count: u32) -> Rack {
    let layout = Layout::Ports {
        address: Ipv4Addr::LOCALHOST.into(),
        first: 0,
    };
    let settings = sim::Settings {
        power_time: Duration::ZERO,
        ..sim::Settings::default()
    };
    Rack::of(count, settings, sim::ipmi::Options::default(), layout).await
}

/// A node for each machine of a rack, under the machine's number.
async fn enroll<'a>(lab: &'a Lab, rack: &Rack) -> Vec<Machine<'a>> {
    let mut nodes = Vec::new();
    for index in 0..u32::try_from(rack.machines.len()).unwrap() {
        let port = rack.server.endpoint(index).unwrap().port();
        let body = json!({
            "name": format!("machine-{index}"), "driver": "ipmi",
            "driver_info": {
                "ipmi_address": "127.0.0.1", "ipmi_port": port, "ipmi_username": USER,
                "ipmi_password": PASSWORD,
            },
        });
        let node = lab.enroll(body).await;
        node.asks("manage").await.reaches(S::Manageable).await;
        nodes.push(node);
    }
    nodes
}
