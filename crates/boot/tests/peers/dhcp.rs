//! DHCP with the clients and servers of others.

use crate::{
    lan::{PART, ip, machine, on_lan},
    site::{Site, command, has, run, run_beside, shown},
    words,
};
use boot::{
    Artifact, BootFiles, BootMethod, BootMode, BootPort, BootServices, NodeBoot, Start,
    dhcp4::Role, dhcp6, lease::Range, log::Event,
};
use std::{
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
};
use types::{NodeId, port::MacAddress};

pub(super) const MAC: &str = "52:54:00:77:00:01";

pub(super) fn mac() -> MacAddress {
    MAC.parse().unwrap()
}

pub(super) fn node(way: BootMethod, mode: BootMode) -> NodeBoot {
    let url = |name: &str| Artifact::Url(format!("http://10.77.0.1:8080/{name}"));
    NodeBoot {
        node: NodeId::generate(),
        ports: vec![BootPort::new(mac())],
        system_uuid: None,
        way,
        mode,
        cpu_arch: Some("x86_64".to_owned()),
        start: Start::Agent {
            kernel: url("kernel"),
            ramdisk: url("ramdisk"),
        },
        append: "nofb".to_owned(),
        addresses: Vec::new(),
        tells_address: false,
    }
}

/// A script that udhcpc calls with what it got.
fn script(site: &Site) -> String {
    let path = site.path("script");
    let text = format!("#!/bin/sh\nenv > {}/env-$1\n", shown(site.dir.path()));
    fs::write(&path, text).unwrap();
    run("chmod", &["+x", &shown(&path)]);
    shown(&path)
}

#[test]
fn udhcpc_gets_an_address_and_a_boot_file() {
    if !has("udhcpc") {
        return;
    }
    on_lan("dhcp::udhcpc_gets_an_address_and_a_boot_file", async || {
        let site = Site::on_lan(BootFiles::default(), Role::Server, 8080).await;
        site.boot
            .publish(node(BootMethod::Ipxe, BootMode::Uefi))
            .await
            .unwrap();
        machine("client", MAC);
        let script = script(&site);
        // As firmware: a class and an architecture.
        run_beside(
            "ip",
            words![
                "netns",
                "exec",
                "client",
                "udhcpc",
                "-i",
                "eth0",
                "-n",
                "-q",
                "-f",
                "-t",
                "5",
                "-V",
                "PXEClient:Arch:00007",
                "-x",
                "0x5d:0007",
                "-O",
                "bootfile",
                "-O",
                "tftp",
                "-s",
                script
            ],
        )
        .await;
        let env = fs::read_to_string(site.path("env-bound")).unwrap();
        let line = |name: &str| {
            env.lines()
                .find_map(|line| line.strip_prefix(name))
                .unwrap_or_default()
        };
        assert!(line("ip=").starts_with("10.77.0.1"), "{env}");
        assert_eq!(
            (line("mask="), line("router="), line("domain=")),
            ("24", "10.77.0.1", "example.org"),
            "{env}"
        );
        assert_eq!(
            (line("boot_file="), line("siaddr=")),
            ("snponly.efi", "10.77.0.1"),
            "{env}"
        );
        site.wait_for(&mac(), 5, |event| matches!(event, Event::Ack { .. }))
            .await;
    });
}

#[test]
fn dhclient_renews_and_releases() {
    if !has("dhclient") {
        return;
    }
    on_lan("dhcp::dhclient_renews_and_releases", async || {
        let site = Site::on_lan(BootFiles::default(), Role::Server, 8080).await;
        site.boot
            .publish(node(BootMethod::Ipxe, BootMode::Bios))
            .await
            .unwrap();
        machine("client", MAC);
        let (leases, pid) = (
            shown(&site.path("dhclient.leases")),
            shown(&site.path("dhclient.pid")),
        );
        // It gives its address back by unicast, for which it must have it.
        let script = site.path("configure");
        let add = "[ -z \"$new_ip_address\" ] || ip addr add $new_ip_address/24 dev eth0";
        fs::write(&script, format!("#!/bin/sh\n{add}\n")).unwrap();
        run("chmod", &["+x", &shown(&script)]);
        let dhclient = |more: &[&str]| {
            let mut words = words![
                "netns",
                "exec",
                "client",
                "dhclient",
                "-v",
                "-lf",
                leases,
                "-pf",
                pid,
                "-sf",
                shown(&script)
            ];
            words.extend(more.iter().map(|word| (*word).to_owned()));
            run_beside("ip", words)
        };
        let told = dhclient(&["-1", "eth0"]).await;
        assert!(told.contains("bound to 10.77.0.1"), "{told}");
        let text = fs::read_to_string(&leases).unwrap();
        // A system that runs is given an address, and nothing to boot.
        assert!(
            text.contains("option domain-name \"example.org\"") && !text.contains("filename"),
            "{text}"
        );
        dhclient(&["-r", "eth0"]).await;
        site.wait_for(&mac(), 5, |event| matches!(event, Event::Released { .. }))
            .await;
    });
}

#[test]
fn a_machine_that_nobody_published_gets_nothing() {
    if !has("udhcpc") {
        return;
    }
    on_lan(
        "dhcp::a_machine_that_nobody_published_gets_nothing",
        async || {
            let site = Site::on_lan(BootFiles::default(), Role::Server, 8080).await;
            machine("client", MAC);
            let script = script(&site);
            let asking = tokio::task::spawn_blocking(move || {
                let words = [
                    "netns", "exec", "client", "udhcpc", "-i", "eth0", "-n", "-q", "-f", "-t", "1",
                    "-T", "1", "-s",
                ];
                command("ip").args(words).arg(script).output().unwrap()
            });
            assert!(!asking.await.unwrap().status.success());
            site.wait_for(&mac(), 5, |event| matches!(event, Event::Ignored { .. }))
                .await;
        },
    );
}

#[test]
fn dhclient_gets_an_address_of_version_6() {
    if !has("dhclient") {
        return;
    }
    on_lan("dhcp::dhclient_gets_an_address_of_version_6", async || {
        let files = BootFiles {
            tftp_server_v6: Some("fd77::1".to_owned()),
            http_url: Some("http://[fd77::1]:8080".to_owned()),
            ..BootFiles::default()
        };
        let site = Site::start(files, |settings| {
            let subnet = dhcp6::Subnet {
                interface: Some("br0".to_owned()),
                ranges: vec![Range {
                    first: "fd77::100".parse().unwrap(),
                    last: "fd77::1ff".parse().unwrap(),
                }],
                dns: vec!["fd77::53".parse().unwrap()],
                lease_seconds: 600,
                ..dhcp6::Subnet::new("fd77::".parse().unwrap(), 64)
            };
            let listener = dhcp6::Listener {
                interface: Some("br0".to_owned()),
                address: dhcp6::wire::any(547),
            };
            let (listeners, subnets) = (vec![listener], vec![subnet]);
            settings.dhcp6 = Some(dhcp6::Settings {
                listeners,
                subnets,
                ..dhcp6::Settings::default()
            });
        })
        .await;
        site.boot
            .publish(node(BootMethod::Ipxe, BootMode::Uefi))
            .await
            .unwrap();
        machine("client", MAC);
        let (leases, pid, config) = (
            shown(&site.path("leases6")),
            shown(&site.path("pid")),
            shown(&site.path("conf")),
        );
        // The client asks as UEFI does, and writes down the boot file.
        fs::write(&config, "option dhcp6.client-arch code 61 = unsigned integer 16;\n\
            option dhcp6.bootfile-url code 59 = text;\nsend dhcp6.client-arch 7;\nalso request dhcp6.bootfile-url;\n").unwrap();
        let words = words![
            "netns",
            "exec",
            "client",
            "dhclient",
            "-6",
            "-1",
            "-v",
            "-cf",
            config,
            "-lf",
            leases,
            "-pf",
            pid,
            "-sf",
            "/bin/true",
            "eth0"
        ];
        run_beside("ip", words).await;
        let text = fs::read_to_string(&leases).unwrap();
        assert!(text.contains("iaaddr fd77::1"), "{text}");
        assert!(text.contains("tftp://[fd77::1]/snponly.efi"), "{text}");
        assert!(text.contains("dhcp6.name-servers fd77::53"), "{text}");
        run(
            "ip",
            &[
                "netns",
                "exec",
                "client",
                "dhclient",
                "-6",
                "-x",
                "-pf",
                &pid,
                "-lf",
                &leases,
                "-sf",
                "/bin/true",
                "eth0",
            ],
        );
        ip("netns del client");
    });
}

const CAPABILITIES: &str = "-all,+net_bind_service,+net_raw";

/// The server as a process of its own, until nobody listens to it any more.
async fn serve() {
    let site = Site::on_lan(BootFiles::default(), Role::Server, 8080).await;
    site.boot
        .publish(node(BootMethod::Ipxe, BootMode::Uefi))
        .await
        .unwrap();
    println!("ready");
    let waiting = tokio::task::spawn_blocking(|| std::io::read_to_string(std::io::stdin()));
    waiting.await.unwrap().unwrap();
}

#[test]
fn two_capabilities_are_enough() {
    const NAME: &str = "dhcp::two_capabilities_are_enough";
    if !has("udhcpc") || !has("setpriv") {
        return;
    }
    on_lan(NAME, async || {
        if std::env::var_os(PART).is_some() {
            return serve().await;
        }
        machine("client", MAC);
        let mut server = command("setpriv")
            .arg(format!("--bounding-set={CAPABILITIES}"))
            .arg(format!("--inh-caps={CAPABILITIES}"))
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", NAME, "--nocapture"])
            .env(PART, "server")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().ends_with("ready")));
        let words = "netns exec client udhcpc -i eth0 -n -q -f -t 5 -s /bin/true";
        let words = words.split(' ').map(str::to_owned).collect();
        let told = run_beside("ip", words).await;
        assert!(told.contains("lease of 10.77.0.1"), "{told}");
        drop(server.stdin.take());
        assert!(server.wait().unwrap().success());
    });
}
