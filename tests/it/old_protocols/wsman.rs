//! Machines with Intel AMT, and Dell's with an iDRAC ([`drac`]), by WS-Management: against our
//! simulators, and other people's clients against these.

mod drac;

use super::{
    bench::{PASSWORD, Stand},
    every_power_action,
};
use crate::ipmi::peer::missing;
use serde_json::json;
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::OnceLock,
};
use tokio::process::Command;
use types::{PowerState, PowerTarget};

const PXE: &str = "Intel(r) AMT: Force PXE Boot";

#[tokio::test]
async fn a_machine_with_amt_is_switched_and_booted() {
    let (stand, device) = Stand::amt().await;
    let mut bench = stand.bench(json!({}));
    every_power_action(&mut bench).await;
    // On, and again after a reboot that switches off first.
    assert_eq!(device.starts(), [None, None]);
    let found = bench.device().await.unwrap();
    assert_eq!(
        (found.device.as_deref(), found.persistent),
        (Some("disk"), Some(true))
    );
    // Once, and then the disk again.
    bench.boot_from("pxe", false).await.unwrap();
    assert_eq!(device.starts().len(), 2, "nothing is said to the machine");
    bench.switch(PowerTarget::On).await.unwrap();
    assert_eq!(device.starts()[2].as_deref(), Some(PXE));
    let found = bench.device().await.unwrap();
    assert_eq!(found.device.as_deref(), Some("disk"));
    bench.switch(PowerTarget::Reboot).await.unwrap();
    assert_eq!(device.starts()[3], None);
    // For good, which is at each start.
    bench.boot_from("cdrom", true).await.unwrap();
    for _ in 0..2 {
        bench.switch(PowerTarget::Reboot).await.unwrap();
    }
    let cdrom = Some("Intel(r) AMT: Force CD/DVD Boot".to_owned());
    assert_eq!(device.starts()[4..], [cdrom.clone(), cdrom]);
    let found = bench.device().await.unwrap();
    assert_eq!(
        (found.device.as_deref(), found.persistent),
        (Some("cdrom"), Some(true))
    );
    let refused = bench.boot_from("bios", false).await.unwrap_err();
    assert_eq!(refused.kind(), "invalid");
    assert_eq!(bench.management().supported_boot_devices().len(), 3);
    bench.node.disable_power_off = Some(true);
    let refused = bench.switch(PowerTarget::Reboot).await.unwrap_err();
    assert!(refused.to_string().contains("must never be without power"));
}

#[tokio::test]
async fn orders_that_amt_loses_are_given_again() {
    let (stand, device) = Stand::amt().await;
    let mut bench = stand.bench(json!({}));
    device.lose(1);
    bench.switch(PowerTarget::On).await.unwrap();
    assert_eq!(device.orders(), 2);
    // No more often than was set.
    device.lose(9);
    let error = bench.switch(PowerTarget::Off).await.unwrap_err();
    assert_eq!(error.kind(), "unfinished");
    assert_eq!(device.orders(), 4);
    // A boot device that could not be set stays for the next time.
    let (stand, device) = Stand::amt().await;
    let mut bench = stand.bench(json!({"amt_password": "covert"}));
    bench.boot_from("pxe", false).await.unwrap();
    bench.switch(PowerTarget::On).await.unwrap_err();
    let found = bench.device().await.unwrap();
    assert_eq!(found.device.as_deref(), Some("pxe"));
    assert!(!device.is_on());
}

#[tokio::test]
async fn a_machine_that_sleeps_is_neither_on_nor_off() {
    let (stand, device) = Stand::amt().await;
    let mut bench = stand.bench(json!({}));
    for state in [3, 4, 6, 7] {
        device.set_power(state);
        assert_eq!(bench.state().await.unwrap(), Some(PowerState::Error));
    }
    bench.switch(PowerTarget::On).await.unwrap();
    assert_eq!(device.starts(), [None]);
}

/// A controller that finds its challenge too old asks again, which is no wrong password.
#[tokio::test]
async fn a_login_that_comes_too_late_is_repeated() {
    let (stand, device) = Stand::amt().await;
    device.be_brief();
    let mut bench = stand.bench(json!({}));
    // Its boot device takes two questions in one conversation.
    bench.boot_from("pxe", false).await.unwrap();
    bench.switch(PowerTarget::On).await.unwrap();
    assert_eq!(device.starts(), [Some(PXE.to_owned())]);
}

/// A Python that has the clients.
fn python() -> Option<PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/with-wsman");
        let done = std::process::Command::new(script).output().ok()?;
        let path = String::from_utf8(done.stdout).ok()?;
        let path = PathBuf::from(path.trim_end());
        done.status.success().then_some(path)
    });
    if program.is_none() {
        missing("python-dracclient and amt (they need python3 with venv, and PyPI)");
    }
    program.clone()
}

async fn run(script: &str, address: SocketAddr) -> bool {
    let Some(python) = python() else {
        return false;
    };
    let done = Command::new(python)
        .args(["-c", script])
        .args([&address.ip().to_string(), &address.port().to_string()])
        .args(["admin", PASSWORD])
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    true
}

#[tokio::test]
async fn the_client_of_amt_is_served() {
    const SCRIPT: &str = r#"
import sys
import amt.client
import requests

host, port, user, password = sys.argv[1:]
amt.client.AMT_PROTOCOL_PORT_MAP["http"] = int(port)
machine = amt.client.Client(host, password, username=user)
assert machine.power_status() == "8", machine.power_status()
machine.pxe_next_boot()
assert machine.power_on() == 0
assert machine.power_status() == "2", machine.power_status()
assert machine.power_cycle() == 0
assert machine.power_off() == 0
assert machine.power_status() == "8", machine.power_status()
try:
    amt.client.Client(host, "wrong", username=user).power_status()
except requests.HTTPError as error:
    assert error.response.status_code == 401, error
else:
    raise SystemExit("a wrong password is accepted")
"#;
    let (stand, device) = Stand::amt().await;
    if run(SCRIPT, stand.address).await {
        assert_eq!(device.starts(), [Some(PXE.to_owned()), None]);
    }
}
