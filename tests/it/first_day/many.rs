//! A thousand BMCs, behind a gate that counts who comes to each. How long a scan takes, and what
//! addresses cost that nothing answers at, is for bench/discover.

use super::{
    namespace::{Host, alone, has, written},
    scan::{bmcs, credentials},
};
use serde_json::Value;
use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    process::Stdio,
    sync::{Arc, Mutex},
};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream, UdpSocket},
};

const MACHINES: usize = 1000;
const FIRST: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 1);
/// Where a scan looks, and where the BMCs are.
const REDFISH: (u16, u16) = (443, 1443);
const IPMI: (u16, u16) = (623, 1623);

/// What has come to an address.
#[derive(Debug, Default, Clone, Copy)]
struct Came {
    connections: usize,
    datagrams: usize,
}

#[derive(Debug, Clone, Default)]
struct Gate(Arc<Mutex<HashMap<IpAddr, Came>>>);

impl Gate {
    async fn open(addresses: &[Ipv4Addr]) -> Self {
        let gate = Self::default();
        let tcp = TcpListener::bind((Ipv4Addr::UNSPECIFIED, REDFISH.0)).await;
        tokio::spawn(gate.clone().connections(tcp.unwrap()));
        for address in addresses {
            let udp = UdpSocket::bind((*address, IPMI.0)).await.unwrap();
            tokio::spawn(gate.clone().datagrams(udp, (*address).into()));
        }
        gate
    }

    async fn connections(self, listener: TcpListener) {
        while let Ok((mut from, _)) = listener.accept().await {
            let Ok(asked) = from.local_addr() else {
                continue;
            };
            self.came(asked.ip(), |came| came.connections += 1);
            tokio::spawn(async move {
                if let Ok(mut to) = TcpStream::connect((asked.ip(), REDFISH.1)).await {
                    let _ = copy_bidirectional(&mut from, &mut to).await;
                }
            });
        }
    }

    /// There is one scan, so answers go to whoever asked last.
    async fn datagrams(self, socket: UdpSocket, address: IpAddr) {
        let bmc = SocketAddr::from((address, IPMI.1));
        let mut client = None;
        let mut buffer = [0; 1024];
        while let Ok((length, sender)) = socket.recv_from(&mut buffer).await {
            let bytes = buffer.get(..length).unwrap_or_default();
            let to = match client {
                Some(client) if sender == bmc => client,
                _ => {
                    self.came(address, |came| came.datagrams += 1);
                    client = Some(sender);
                    bmc
                }
            };
            let _ = socket.send_to(bytes, to).await;
        }
    }

    fn came(&self, address: IpAddr, count: impl FnOnce(&mut Came)) {
        count(self.0.lock().unwrap().entry(address).or_default());
    }

    /// What has come since this was asked last.
    fn counts(&self) -> Vec<(IpAddr, Came)> {
        self.0.lock().unwrap().drain().collect()
    }
}

async fn scan(host: &Host, more: &str) -> Value {
    let (first, last) = (addresses()[0], addresses()[MACHINES - 1]);
    // Patient, because the machine may be busy with other tests.
    let line = format!("discover --range {first}-{last} --timeout 20000 -f json {more}");
    let mut command = host.command(&line);
    // The gate runs here, so this waits elsewhere.
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    let output = output.unwrap().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn addresses() -> Vec<Ipv4Addr> {
    let first = FIRST.to_bits();
    (first..).take(MACHINES).map(Ipv4Addr::from_bits).collect()
}

#[test]
fn a_thousand_are_found_and_none_is_asked_more_than_is_said() {
    let name = "first_day::many::a_thousand_are_found_and_none_is_asked_more_than_is_said";
    if !has("ip") {
        return;
    }
    alone(name, async || {
        let host = Host::new();
        let line = format!(
            "sim --machines {MACHINES} --by-address --redfish-port {} --ipmi-port {} \
             --ready-file @/ready",
            REDFISH.1, IPMI.1
        );
        let mut sim = host.command(&line);
        let mut sim = sim.stdout(Stdio::null()).spawn().unwrap();
        written(&host.path("ready")).await;
        let gate = Gate::open(&addresses()).await;
        credentials(&host, 0o600);

        let report = scan(&host, "").await;
        assert_eq!(bmcs(&report).len(), MACHINES);
        let counts = gate.counts();
        assert_eq!(counts.len(), MACHINES);
        for (address, came) in counts {
            assert!((1..=2).contains(&came.connections), "{address}: {came:?}");
            assert!((1..=4).contains(&came.datagrams), "{address}: {came:?}");
        }

        let report = scan(&host, "--credentials @/bmcs.yaml --verify-ca false").await;
        let known = bmcs(&report).iter();
        let known = known.filter(|bmc| !bmc["systems"].as_array().unwrap().is_empty());
        assert_eq!(known.count(), MACHINES);
        for (address, came) in gate.counts() {
            assert!((1..=4).contains(&came.connections), "{address}: {came:?}");
            assert!((1..=4).contains(&came.datagrams), "{address}: {came:?}");
        }
        sim.kill().unwrap();
        sim.wait().unwrap();
    });
}
