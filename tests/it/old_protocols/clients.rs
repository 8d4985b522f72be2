//! Cisco's and SeaMicro's own clients in Python against the simulators: what the driver is proved on is what others
//! take for such a device.

use super::bench::{Kind, PASSWORD, Stand, account};
use crate::ipmi::peer::missing;
use sim::device::{Account, seamicro};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::OnceLock,
};
use tokio::process::Command;

/// A script that makes a Python with clients, and which these are.
struct Clients {
    script: &'static str,
    named: &'static str,
    program: OnceLock<Option<PathBuf>>,
}

static CISCO: Clients = Clients {
    script: "peers/with-cisco",
    named: "ucsmsdk and imcsdk (they need python3 with venv, and PyPI)",
    program: OnceLock::new(),
};

static SEAMICRO: Clients = Clients {
    script: "peers/with-seamicro",
    named: "python-seamicroclient (it needs python3 with venv, and PyPI)",
    program: OnceLock::new(),
};

/// A Python that has the clients.
fn python(clients: &Clients) -> Option<PathBuf> {
    let program = clients.program.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(clients.script);
        let done = std::process::Command::new(script).output().ok()?;
        let path = String::from_utf8(done.stdout).ok()?;
        let path = PathBuf::from(path.trim_end());
        done.status.success().then_some(path)
    });
    if program.is_none() {
        missing(clients.named);
    }
    program.clone()
}

async fn run(clients: &Clients, script: &str, address: SocketAddr) -> Option<()> {
    let done = Command::new(python(clients)?)
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
    if run(&CISCO, SCRIPT, stand.address).await.is_some() {
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
    if run(&CISCO, SCRIPT, stand.address).await.is_some() {
        let power = device.attribute("sys/rack-unit-1", "operPower");
        assert_eq!(power.as_deref(), Some("on"));
        assert_eq!(device.sessions(), 0);
    }
}

/// The client is for Python 2, of which it uses two words that Python 3 does not have, and writes names
/// and passwords into the query as they are, so that this one has no odd letters.
#[tokio::test]
async fn the_client_of_a_seamicro_chassis_is_served() {
    const SCRIPT: &str = r#"
import builtins, json, sys
builtins.basestring = str

class Pairs(dict):
    iteritems = dict.items

from seamicroclient import client
class Json:
    dumps = staticmethod(json.dumps)
    @staticmethod
    def loads(text):
        read = json.loads(text)
        return Pairs(read) if isinstance(read, dict) else read
client.json = Json
from seamicroclient.v2 import client

host, port, user, _ = sys.argv[1:]
def chassis(password):
    return client.Client(user, password, f"http://{host}:{port}/v2.0")

mine = chassis("plain")
server = mine.servers.get("1/0")
assert server.active is False
server.power_on()
assert mine.servers.get("1/0").active is True
server.set_boot_order("pxe")
assert mine.servers.get_boot_order(server)[1] == "pxe,hd0"
server.set_untagged_vlan(7)
assert mine.servers.get("1/0").nic["1"]["untaggedVlan"] == "7"
server.unset_untagged_vlan(7)
assert mine.servers.get("1/0").nic["1"]["untaggedVlan"] == ""
assert [pool.id for pool in mine.pools.list()] == ["0/ironic-p0", "0/other"]
volume = mine.volumes.create(10, "0/ironic-p0", "abc")
assert volume == "0/ironic-p0/abc", volume
server.attach_volume(volume)
server.detach_volume()
server.reset()
server.power_off()
assert mine.servers.get("1/0").active is False
from seamicroclient import exceptions
for wrong, expected in [(lambda: mine.servers.get("9/0"), exceptions.NotFound),
                        (lambda: chassis("wrong").servers.get("1/0"), exceptions.Unauthorized)]:
    try:
        wrong()
    except expected as error:
        assert error.message, error
    else:
        raise SystemExit("it is not refused")
"#;
    let account = Account {
        password: "plain".to_owned(),
        ..account()
    };
    let chassis = seamicro::Chassis::new(account, 2);
    let stand = Stand::http(Kind::SeaMicro, chassis.router()).await;
    if run(&SEAMICRO, SCRIPT, stand.address).await.is_some() {
        assert_eq!(chassis.server(1).unwrap().boot_order, "pxe,hd0");
        assert_eq!(chassis.volumes().len(), 1);
    }
}
