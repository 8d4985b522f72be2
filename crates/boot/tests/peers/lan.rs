//! A network of one's own: a bridge in a namespace, and machines on it.
//!
//! A test that needs one starts itself again inside the namespace. That takes root, or a kernel that
//! lets everybody have user namespaces; elsewhere the test is skipped.

use crate::site::{command, has, run};
use std::env;

const INSIDE: &str = "CORTEN_TEST_LAN";
/// Set for a process that a test starts in its namespace.
pub(super) const PART: &str = "CORTEN_TEST_PART";

/// Runs `inside` in a network namespace with the bridge `br0` (10.77.0.1/24 and fd77::1/64).
pub(super) fn on_lan(test: &str, inside: impl AsyncFnOnce()) {
    if env::var_os(INSIDE).is_some() {
        if env::var_os(PART).is_none() {
            set_up();
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build();
        return runtime.unwrap().block_on(inside());
    }
    if !has("ip") || !has("unshare") {
        return;
    }
    let ways: [&[&str]; 2] = [
        &["--net", "--mount"],
        &["--user", "--map-root-user", "--net", "--mount"],
    ];
    let works = |way: &&&[&str]| {
        let probe = command("unshare").args(**way).arg("true").output();
        probe.is_ok_and(|output| output.status.success())
    };
    let Some(way) = ways.iter().find(works) else {
        assert!(
            env::var_os("CI").is_none(),
            "network namespaces are not allowed here"
        );
        println!("SKIPPED: network namespaces are not allowed here");
        return;
    };
    let status = command("unshare")
        .args(*way)
        // Whatever the test leaves behind ends with it.
        .args(["--pid", "--mount-proc", "--kill-child", "--fork"])
        .arg(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(INSIDE, "1")
        .status()
        .unwrap();
    assert!(status.success(), "{test} failed in its namespace");
}

fn set_up() {
    // Named namespaces live below /run, which is to be ours alone.
    run("mount", &["-t", "tmpfs", "tmpfs", "/run"]);
    run("mount", &["-t", "sysfs", "sysfs", "/sys"]);
    ip("link set lo up");
    ip("link add br0 type bridge forward_delay 0");
    ip("addr add 10.77.0.1/24 dev br0");
    ip("addr add fd77::1/64 dev br0 nodad");
    ip("link set br0 up");
}

pub(super) fn ip(words: &str) -> String {
    run("ip", &words.split_whitespace().collect::<Vec<_>>())
}

/// A machine on the bridge: a namespace of that name with the interface `eth0`.
pub(super) fn machine(name: &str, mac: &str) {
    ip(&format!("netns add {name}"));
    ip(&format!(
        "link add v-{name} type veth peer name eth0 netns {name}"
    ));
    ip(&format!("link set v-{name} master br0 up"));
    // Without waiting for duplicates, the link-local address is there at once.
    for option in ["accept_dad", "dad_transmits"] {
        let path = format!("/proc/sys/net/ipv6/conf/eth0/{option}");
        run(
            "ip",
            &[
                "netns",
                "exec",
                name,
                "sh",
                "-c",
                &format!("echo 0 > {path}"),
            ],
        );
    }
    ip(&format!("-n {name} link set lo up"));
    ip(&format!("-n {name} link set eth0 address {mac} up"));
}

/// A tap on the bridge, for QEMU.
pub(super) fn tap(name: &str) {
    ip(&format!("tuntap add {name} mode tap"));
    ip(&format!("link set {name} master br0 up"));
}
