//! A real dnsmasq as the other DHCP server in the network of the machines.

use super::namespace::{Host, alone, has, of_check, run};
use crate::program::Program;
use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// The interface `prov0` (10.77.0.1/24), and a host at its other end with 10.77.0.254.
fn wire() {
    run("ip", "netns add other");
    run("ip", "link add prov0 type veth peer name eth0 netns other");
    run("ip", "addr add 10.77.0.1/24 dev prov0");
    run("ip", "link set prov0 up");
    run("ip", "-n other link set lo up");
    run("ip", "-n other addr add 10.77.0.254/24 dev eth0");
    run("ip", "-n other link set eth0 up");
}

/// dnsmasq at the other end; returns when it listens.
fn dnsmasq(host: &Host) -> Child {
    let leases = host.path("leases").display().to_string();
    let mut child = Command::new("ip")
        .args("netns exec other dnsmasq --no-daemon --conf-file=/dev/null --port=0".split(' '))
        .args(["--user=root", "--interface=eth0", "--bind-interfaces"])
        .args(["--log-facility=-", "--dhcp-range=10.77.0.50,10.77.0.59"])
        .arg(format!("--dhcp-leasefile={leases}"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let begun = lines
        .by_ref()
        .any(|line| line.unwrap().contains("sockets bound"));
    assert!(begun, "dnsmasq does not listen");
    // It ends when what it says is not read.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

const DOCTOR: &str = "doctor -f json --config-file @/corten.conf";

#[test]
fn a_foreign_dhcp_server_is_found_with_its_remedy() {
    let name = "first_day::foreign::a_foreign_dhcp_server_is_found_with_its_remedy";
    if !has("dnsmasq") || !has("ip") {
        return;
    }
    alone(name, async || {
        let host = Host::new();
        wire();
        let made = host.init("--interface prov0 --other-dhcp no");
        assert!(made.status.success(), "{made:?}");

        let (report, _) = host.json(DOCTOR);
        let found = of_check(&report, "other DHCP server");
        assert_eq!(found[0].0, "ok", "{found:?}");

        let mut server = dnsmasq(&host);
        let (report, content) = host.json(DOCTOR);
        let found = of_check(&report, "other DHCP server");
        assert_eq!((found[0].0.as_str(), content), ("broken", false));
        for word in ["10.77.0.254", "10.77.0.5", "dhcp = proxy"] {
            assert!(found[0].1.contains(word), "{found:?}");
        }
        // No address was taken: an offer is no lease.
        let leases = fs::read_to_string(host.path("leases")).unwrap_or_default();
        assert_eq!(leases.trim(), "");

        // As a proxy the same server is what is wanted.
        let again = host.init("--interface prov0 --force");
        assert!(again.status.success(), "{again:?}");
        let text = fs::read_to_string(host.config()).unwrap();
        assert!(text.contains("\ndhcp = proxy\n"), "{text}");
        let (report, _) = host.json(DOCTOR);
        assert_eq!(of_check(&report, "other DHCP server")[0].0, "ok");
        server.kill().unwrap();
        server.wait().unwrap();
        let (report, _) = host.json(DOCTOR);
        assert_eq!(of_check(&report, "other DHCP server")[0].0, "broken");
    });
}

#[test]
fn what_init_writes_is_served_as_it_is_and_the_doctor_knows_it() {
    let name = "first_day::foreign::what_init_writes_is_served_as_it_is_and_the_doctor_knows_it";
    if !has("ip") {
        return;
    }
    alone(name, async || {
        let host = Host::new();
        wire();
        let made = host.init("--interface prov0 --other-dhcp no --range 10.77.0.100-10.77.0.149");
        assert!(made.status.success(), "{made:?}");
        let said = String::from_utf8(made.stdout).unwrap();
        for command in ["corten doctor", "corten serve", "corten discover"] {
            assert!(said.contains(command), "{said}");
        }
        let config = host.config().display().to_string();
        let log = host.path("log");
        let arguments = ["serve", "--config-file", &config];
        let service = Program::start(arguments, &log).await;

        let password = fs::read_to_string(host.path("data/admin-password")).unwrap();
        let mut list = host.command("node list -f json");
        let list = list
            .env("OS_ENDPOINT", "https://10.77.0.1:6385")
            .env("OS_CACERT", host.path("data/tls/api.crt"))
            .env("OS_AUTH_TYPE", "http_basic")
            .env("OS_USERNAME", "admin");
        let right = list.env("OS_PASSWORD", password.trim()).output().unwrap();
        assert_eq!(right.stdout, b"[]\n", "{right:?}");
        let wrong = list.env("OS_PASSWORD", "guess").output().unwrap();
        assert!(!wrong.status.success());

        let (report, _) = host.json(&format!("{DOCTOR} --dhcp-wait 1"));
        let ports = of_check(&report, "ports");
        assert!(ports.len() >= 4, "{ports:?}");
        assert!(ports.iter().all(|(level, _)| level == "ok"), "{ports:?}");
        assert!(
            ports
                .iter()
                .all(|(_, what)| what.contains("held by Corten")),
            "{ports:?}"
        );
        let database = of_check(&report, "database");
        assert_eq!(database[0].0, "ok", "{database:?}");
        service.stop().await;

        // Without the service, another program in its place is named.
        let taken = std::net::TcpListener::bind("10.77.0.1:8080").unwrap();
        let (report, content) = host.json(&format!("{DOCTOR} --dhcp-wait 1"));
        let ports = of_check(&report, "ports");
        let held: Vec<_> = ports
            .iter()
            .filter(|(level, _)| level == "broken")
            .collect();
        assert_eq!((held.len(), content), (1, false), "{ports:?}");
        let own = format!("(process {})", std::process::id());
        assert!(held[0].1.contains(&own), "{held:?}");
        drop(taken);

        // An address that is gone is told with the command that brings it back.
        run("ip", "addr del 10.77.0.1/24 dev prov0");
        let (report, _) = host.json(&format!("{DOCTOR} --dhcp-wait 0"));
        let interfaces = of_check(&report, "interfaces");
        let remedy = "ip address add 10.77.0.1/24 dev prov0";
        assert!(
            interfaces.iter().any(|(_, text)| text.contains(remedy)),
            "{interfaces:?}"
        );
    });
}
