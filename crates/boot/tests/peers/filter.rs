//! A real dnsmasq reads the folder of hosts that says whom it answers.

use crate::{
    lan::{machine, on_lan},
    site::{command, has, shown},
};
use boot::pxe_filter::HostFolder;
use std::{
    collections::BTreeSet,
    process::{Child, Stdio},
    time::Duration,
};
use types::port::MacAddress;

const KNOWN: &str = "52:54:00:77:00:21";
const UNKNOWN: &str = "52:54:00:77:00:22";

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether a machine gets an address within some attempts.
async fn is_answered(name: &'static str) -> bool {
    let asked = tokio::task::spawn_blocking(move || {
        command("ip")
            .args([
                "netns", "exec", name, "udhcpc", "-i", "eth0", "-n", "-q", "-f",
            ])
            .args(["-t", "2", "-T", "1", "-s", "/bin/true"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    });
    asked.await.unwrap().unwrap().success()
}

/// dnsmasq reads a file a moment after it was written.
async fn becomes(name: &'static str, answered: bool) {
    for _ in 0..20 {
        if is_answered(name).await == answered {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{name} should be answered: {answered}");
}

#[test]
fn dnsmasq_answers_whom_the_folder_names() {
    if !has("dnsmasq") || !has("udhcpc") {
        return;
    }
    on_lan(
        "filter::dnsmasq_answers_whom_the_folder_names",
        async || {
            let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let hosts = HostFolder(dir.path().to_owned());
            let known: BTreeSet<MacAddress> = [KNOWN.parse().unwrap()].into();
            let none = BTreeSet::new();
            hosts.sync(&none, &known, false).unwrap();
            let dnsmasq = command("dnsmasq")
                .args([
                    "--keep-in-foreground",
                    "--conf-file=/dev/null",
                    "--port=0",
                    "--log-facility=-",
                ])
                .args(["--interface=br0", "--bind-interfaces", "--user=root"])
                .args([
                    "--dhcp-range=10.77.0.100,10.77.0.120,2m",
                    "--pid-file=",
                    "--no-ping",
                ])
                .arg(format!(
                    "--dhcp-leasefile={}",
                    shown(&state.path().join("leases"))
                ))
                .arg(format!("--dhcp-hostsdir={}", shown(dir.path())))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            let _dnsmasq = Running(dnsmasq.unwrap());
            machine("known", KNOWN);
            machine("other", UNKNOWN);
            assert!(!is_answered("known").await);
            assert!(!is_answered("other").await);
            // An inspection begins: its machine and unknown ones are answered.
            hosts.admit(&known).unwrap();
            becomes("known", true).await;
            becomes("other", true).await;
            // It is over.
            hosts.sync(&none, &known, false).unwrap();
            becomes("known", false).await;
            becomes("other", false).await;
        },
    );
}
