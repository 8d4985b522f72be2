//! Cisco's own clients in Python against the simulators: what the driver is proved on is what others
//! take for such a device.

use super::bench::{PASSWORD, Stand};
use crate::ipmi::peer::missing;
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::OnceLock,
};
use tokio::process::Command;

/// A Python that has the clients.
fn python() -> Option<PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/with-cisco");
        let done = std::process::Command::new(script).output().ok()?;
        let path = String::from_utf8(done.stdout).ok()?;
        let path = PathBuf::from(path.trim_end());
        done.status.success().then_some(path)
    });
    if program.is_none() {
        missing("ucsmsdk and imcsdk (they need python3 with venv, and PyPI)");
    }
    program.clone()
}

async fn run(script: &str, address: SocketAddr) -> Option<()> {
    let done = Command::new(python()?)
        .args(["-c", script])
        .args([&address.ip().to_string(), &address.port().to_string()])
        .args(["admin", PASSWORD])
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    Some(())
}

#[tokio::test]
async fn the_client_of_ucs_manager_is_served() {
    const SCRIPT: &str = r#"
import sys
from ucsmsdk.ucshandle import UcsHandle
from ucsmsdk.mometa.ls.LsPower import LsPower
from ucsmsdk.mometa.lsboot.LsbootPolicy import LsbootPolicy
from ucsmsdk.mometa.lsboot.LsbootLan import LsbootLan

host, port, user, password = sys.argv[1:]
handle = UcsHandle(host, user, password, port=int(port), secure=False)
assert handle.login()
power = handle.query_dn("org-root/ls-node1/power")
assert power.state == "down", power.state
power.state = "up"
handle.set_mo(power)
handle.commit()
assert handle.query_dn("org-root/ls-node1/power").state == "up"
assert len(handle.query_classid("lsPower")) == 4
policy = LsbootPolicy(parent_mo_or_dn="org-root", name="own")
LsbootLan(parent_mo_or_dn=policy, order="1", prot="pxe")
handle.add_mo(policy, True)
handle.commit()
[lan] = handle.query_children(in_dn="org-root/boot-policy-own")
assert (lan.rn, lan.order) == ("lan", "1"), lan
assert handle.query_dn("org-root/ls-none") is None
assert handle.logout()
wrong = UcsHandle(host, user, "wrong", port=int(port), secure=False)
try:
    wrong.login()
except Exception as error:
    assert "551" in str(error) or "Authentication" in str(error), error
else:
    raise SystemExit("a wrong password is accepted")
"#;
    let (stand, device) = Stand::ucsm().await;
    if run(SCRIPT, stand.address).await.is_some() {
        let state = device.attribute("org-root/ls-node1/power", "state");
        assert_eq!(state.as_deref(), Some("up"));
        assert_eq!(device.sessions(), 0);
    }
}

#[tokio::test]
async fn the_client_of_an_imc_is_served() {
    const SCRIPT: &str = r#"
import sys
from imcsdk.imchandle import ImcHandle

host, port, user, password = sys.argv[1:]
handle = ImcHandle(host, user, password, port=int(port), secure=False)
assert handle.login()
unit = handle.query_dn("sys/rack-unit-1")
assert unit.oper_power == "off", unit.oper_power
unit.admin_power = "up"
handle.set_mo(unit)
assert handle.query_dn("sys/rack-unit-1").oper_power == "on"
assert handle.logout()
"#;
    let (stand, device) = Stand::cimc().await;
    if run(SCRIPT, stand.address).await.is_some() {
        let power = device.attribute("sys/rack-unit-1", "operPower");
        assert_eq!(power.as_deref(), Some("on"));
        assert_eq!(device.sessions(), 0);
    }
}
