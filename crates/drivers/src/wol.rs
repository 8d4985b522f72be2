//! The `staging-wol` power interface: machines that a packet wakes and a hand switches off.
//!
//! Wake-on-LAN knows one word. Nothing comes back, so the power state is what the node's row says,
//! and switching off is written down without being done: the event says so, which Ironic only
//! does in its log.

use crate::{
    DriverError, Failure,
    iface::{Interface, Machine, Power},
};
use async_trait::async_trait;
use outbound::Policy;
use proto::wol::magic_packet;
use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};
use tokio::net::UdpSocket;
use types::{
    JsonMap, LeaseProof, PowerState, PowerTarget, port::MacAddress, pyrepr, step::OnRestart,
};

/// Where sleeping machines are called when the node does not say.
const HOST: &str = "255.255.255.255";
const PORT: u16 = 9;

/// Between two packets, so that a network is not flooded with broadcasts.
const PAUSE: Duration = Duration::from_millis(500);

const PROPERTIES: &[(&str, &str)] = &[
    (
        "wol_host",
        "Broadcast IP address; defaults to 255.255.255.255. Optional.",
    ),
    ("wol_port", "Destination port; defaults to 9. Optional."),
];

/// Power by Wake-on-LAN, with where packets may be sent.
#[derive(Debug, Clone, Default)]
pub struct WolPower(pub Policy);

struct Target {
    host: String,
    port: u16,
}

impl Target {
    fn of(driver_info: &JsonMap) -> Result<Self, DriverError> {
        let text = |key: &str| driver_info.get(key).map(pyrepr::to_str);
        let port = match text("wol_port") {
            None => PORT,
            Some(text) => text.trim().parse().map_err(|_| {
                let text = format!("wol_port \"{text}\" is not a valid port.");
                DriverError::InvalidParameter(text)
            })?,
        };
        Ok(Self {
            host: text("wol_host").unwrap_or_else(|| HOST.to_owned()),
            port,
        })
    }
}

fn check(machine: &Machine<'_>) -> Result<Target, DriverError> {
    let target = Target::of(machine.driver_info)?;
    if machine.ports.is_empty() {
        return Err(DriverError::InvalidParameter(
            "Wake-On-Lan needs at least one port resource to be registered in the node".to_owned(),
        ));
    }
    Ok(target)
}

#[async_trait]
impl Interface for WolPower {
    fn name(&self) -> &'static str {
        "staging-wol"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        check(machine).map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Power for WolPower {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        Ok(Some(machine.node.power_state.unwrap_or(PowerState::Off)))
    }

    async fn set(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        _timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let whom = check(machine)?;
        match target {
            PowerTarget::On => wake(machine, &whom, &self.0).await,
            PowerTarget::Reboot => {
                machine.found.warnings.push(
                    "Wake-on-LAN cannot switch a machine off: it was only called to wake up, and does not reboot unless it was off".to_owned(),
                );
                wake(machine, &whom, &self.0).await
            }
            PowerTarget::Off => {
                machine.found.warnings.push(
                    "Wake-on-LAN cannot switch a machine off: it is written down as off, and must be switched off by hand".to_owned(),
                );
                Ok(())
            }
            PowerTarget::SoftOff | PowerTarget::SoftReboot => {
                Err(DriverError::InvalidParameter(format!(
                    "set_power_state called for Node {} with invalid power state {target}.",
                    machine.node.id
                )))
            }
        }
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    }
}

async fn wake(
    machine: &Machine<'_>,
    target: &Target,
    outbound: &Policy,
) -> Result<(), DriverError> {
    for (number, port) in machine.ports.iter().enumerate() {
        if number > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        let sent = send(&port.address, target, outbound).await;
        sent.map_err(|error| {
            let tried = format!(
                "Failed to send Wake-On-Lan magic packets to node {} port {}. Error: {}:{}",
                machine.node.id, port.address, target.host, target.port
            );
            DriverError::Unreachable(Failure::because(tried, error))
        })?;
    }
    Ok(())
}

async fn send(address: &MacAddress, target: &Target, outbound: &Policy) -> io::Result<()> {
    let mut found = tokio::net::lookup_host((target.host.as_str(), target.port)).await?;
    // The broadcast address is one of version 4.
    let host = found
        .find(SocketAddr::is_ipv4)
        .ok_or_else(|| io::Error::other("it has no IPv4 address"))?;
    // Everybody on the wire is who such a packet is meant for. Any other address is judged.
    if host.ip() != Ipv4Addr::BROADCAST {
        let judged = outbound.judge(host);
        judged.map_err(|refused| io::Error::new(io::ErrorKind::PermissionDenied, refused))?;
    }
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).await?;
    socket.set_broadcast(true)?;
    socket
        .send_to(&magic_packet(address.octets()), host)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use outbound::Network;
    use serde_json::json;
    use types::{Node, NodeId, Port, PortId};

    fn machine_of(info: serde_json::Value, macs: &[&str]) -> (Node, JsonMap, Vec<Port>) {
        let node = Node::new(NodeId::generate(), "staging-wol");
        let port = |mac: &&str| Port::new(PortId::generate(), node.id, mac.parse().unwrap());
        let ports = macs.iter().map(port).collect();
        let serde_json::Value::Object(info) = info else {
            panic!("not an object");
        };
        (node, info, ports)
    }

    #[tokio::test]
    async fn every_card_is_called() {
        let ear = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = ear.local_addr().unwrap().port();
        let macs = ["52:54:00:00:00:01", "52:54:00:00:00:02"];
        let info = json!({"wol_host": "127.0.0.1", "wol_port": port});
        let (mut node, info, ports) = machine_of(info, &macs);
        let machine = Machine::new(&mut node, &info, &ports);
        let anywhere = Policy::default();
        wake(&machine, &check(&machine).unwrap(), &anywhere)
            .await
            .unwrap();
        let mut buffer = [0; 200];
        for last in [1, 2] {
            let length = ear.recv(&mut buffer).await.unwrap();
            let woken = proto::wol::woken(&buffer[..length]);
            assert_eq!(woken, Some([0x52, 0x54, 0, 0, 0, last]));
            assert_eq!(length, proto::wol::LENGTH);
        }
    }

    #[tokio::test]
    async fn packets_go_where_connections_may_lead_and_to_everybody_on_the_wire() {
        let ear = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = ear.local_addr().unwrap().port();
        let networks = ["loopback", "unspecified"].map(|word| Network::parse(word).unwrap());
        let policy = Policy::new(networks.concat(), Vec::new(), Vec::new());
        for host in ["127.0.0.1", "localhost", "0.0.0.0"] {
            let target = Target {
                host: host.to_owned(),
                port,
            };
            let mac = "52:54:00:00:00:01".parse().unwrap();
            let refused = send(&mac, &target, &policy).await.unwrap_err();
            assert!(refused.to_string().contains("networks_denied"), "{refused}");
        }
        let mut buffer = [0; 1];
        assert!(ear.try_recv(&mut buffer).is_err(), "nothing was sent");
        let target = Target::of(&JsonMap::new()).unwrap();
        let mac = "52:54:00:00:00:01".parse().unwrap();
        if let Err(error) = send(&mac, &target, &policy).await {
            // A host without a network cannot send; only a refusal by the policy is an error here.
            assert_ne!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
        }
    }

    #[tokio::test]
    async fn a_machine_without_cards_cannot_be_called() {
        let (mut node, info, ports) = machine_of(json!({}), &[]);
        let machine = Machine::new(&mut node, &info, &ports);
        let refused = WolPower::default()
            .validate(&machine)
            .await
            .unwrap_err()
            .to_string();
        assert_eq!(
            refused,
            "Wake-On-Lan needs at least one port resource to be registered in the node"
        );
        let state = WolPower::default().get(&machine).await.unwrap();
        assert_eq!(state, Some(PowerState::Off));
        let (mut node, info, ports) =
            machine_of(json!({"wol_port": "nine"}), &["52:54:00:00:00:01"]);
        let machine = Machine::new(&mut node, &info, &ports);
        let refused = WolPower::default()
            .validate(&machine)
            .await
            .unwrap_err()
            .to_string();
        assert_eq!(refused, "wol_port \"nine\" is not a valid port.");
    }

    #[test]
    fn the_usual_target_is_everybody() {
        let target = Target::of(&JsonMap::new()).unwrap();
        assert_eq!((target.host.as_str(), target.port), ("255.255.255.255", 9));
    }
}
