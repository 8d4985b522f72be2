//! Networks of the database, which come while the server runs: one on an interface, one behind the
//! relay of ISC.

use crate::{
    dhcp::{MAC, mac},
    lan::{ip, machine, on_lan},
    site::{SERVER, Site, command, has, run_beside},
    words,
};
use boot::{
    BootFiles,
    dhcp4::{self, Others},
    log::Event,
};
use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};
use types::site_network::NetworkPlan;

const FAR: &str = "52:54:00:77:00:02";

fn plan(prefix: &str, range: &str) -> NetworkPlan {
    let mut plan = NetworkPlan::new(prefix.parse().unwrap());
    plan.ranges = vec![range.parse().unwrap()];
    plan.domain = Some("example.org".to_owned());
    plan.server = Some(SERVER);
    plan
}

#[test]
fn machines_behind_a_relay_and_beside_it_get_addresses_of_their_networks() {
    if !has("udhcpc") || !has("dhcrelay") {
        return;
    }
    const NAME: &str =
        "relay::machines_behind_a_relay_and_beside_it_get_addresses_of_their_networks";
    on_lan(NAME, async || {
        let site = Site::start(BootFiles::default(), |settings| {
            settings.dhcp4 = Some(dhcp4::Settings {
                others: Others::Address,
                ..dhcp4::Settings::default()
            });
            settings.dhcp6 = Some(boot::dhcp6::Settings::default());
        })
        .await;
        let mut near = plan("10.77.0.0/24", "10.77.0.100-10.77.0.199");
        near.interface = Some("br0".to_owned());
        let mut far = plan("10.78.0.0/24", "10.78.0.100-10.78.0.199");
        far.gateway = Some([10, 78, 0, 1].into());
        site.boot.set_networks(&[near, far], &[]);

        // The relay stands on the bridge and in a network behind it.
        machine("relay", "52:54:00:77:00:99");
        ip("-n relay addr add 10.77.0.2/24 dev eth0");
        ip("netns add far");
        ip("-n relay link add eth1 type veth peer name eth0 netns far");
        ip("-n relay addr add 10.78.0.1/24 dev eth1");
        ip("-n relay link set eth1 up");
        ip(&format!("-n far link set eth0 address {FAR} up"));
        ip("route add 10.78.0.0/24 via 10.77.0.2");
        let mut relay = command("ip")
            .args(["netns", "exec", "relay", "dhcrelay", "-4", "-d", "--no-pid"])
            .args(["-a", "-id", "eth1", "-iu", "eth0", "10.77.0.1"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(relay.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("Sending on")));
        std::thread::spawn(move || lines.for_each(drop));

        let udhcpc = |name: &str| {
            run_beside(
                "ip",
                words![
                    "netns",
                    "exec",
                    name,
                    "udhcpc",
                    "-i",
                    "eth0",
                    "-n",
                    "-q",
                    "-f",
                    "-t",
                    "10",
                    "-T",
                    "1",
                    "-s",
                    "/bin/true"
                ],
            )
        };
        let told = udhcpc("far").await;
        assert!(told.contains("lease of 10.78.0.1"), "{told}");
        machine("near", MAC);
        let told = udhcpc("near").await;
        assert!(told.contains("lease of 10.77.0.1"), "{told}");
        site.wait_for(&mac(), 5, |event| matches!(event, Event::Ack { .. }))
            .await;
        assert_eq!(site.boot.lease_book().leases.len(), 2);
        relay.kill().unwrap();
        relay.wait().unwrap();
    });
}
