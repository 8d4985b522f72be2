//! BMCs that others wrote: OpenIPMI's `ipmi_sim`, and one made of pyghmi's server.
//!
//! Both end when their standard input does, so nothing survives a test. Where a program is not
//! installed the tests that need it say so and do nothing, except in CI, where they fail.

use crate::port;
use drivers::{
    iface::Machine,
    ipmi::{Ipmi, IpmiManagement, IpmiPower, IpmiSettings},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    net::UdpSocket,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, OnceLock, mpsc},
    time::{Duration, Instant},
};
use types::{JsonMap, LeaseProof, Node, NodeId};

pub(super) const PASSWORD: &str = "test";
/// As long as the programs take to start on a busy machine.
const START: Duration = Duration::from_secs(60);

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// Whether a program is there.
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new("which").arg(program).output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        missing(program);
    }
    found
}

pub(crate) fn missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what} is not installed");
    println!("SKIPPED: {what} is not installed");
}

/// A running BMC.
pub(super) struct Bmc {
    pub(super) port: u16,
    pub(super) user: &'static str,
    process: Child,
    /// What the process prints.
    told: Option<mpsc::Receiver<String>>,
    state: Option<tempfile::TempDir>,
}

impl Drop for Bmc {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Bmc {
    /// OpenIPMI's simulator with one sensor. It keeps boot devices, but none of their flags.
    pub(super) fn sim() -> Option<Self> {
        if !has("ipmi_sim") {
            return None;
        }
        let (state, port) = (tempfile::tempdir().unwrap(), port::free());
        let file = |name: &str, text: &str| {
            let path = state.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let chassis = peers().join("chassis");
        let auths: String = ["callback", "user", "operator", "admin"]
            .iter()
            .map(|level| format!("allowed_auths_{level} none md2 md5 straight\n"))
            .collect();
        let config = file(
            "lan.conf",
            &format!(
                "name \"lab\"\nset_working_mc 0x20\nstartlan 1\naddr 127.0.0.1 {port}\n\
                 priv_limit admin\n{auths}guid a123456789abcdefa123456789abcdef\nendlan\n\
                 chassis_control \"{}\"\n\
                 user 1 true \"\" \"{PASSWORD}\" user 10 none md2 md5 straight\n\
                 user 2 true \"ipmiusr\" \"{PASSWORD}\" admin 10 none md2 md5 straight\n",
                chassis.display()
            ),
        );
        let commands = file("commands", SIM_COMMANDS);
        let mut process = Command::new("ipmi_sim")
            .args(["-p", "-c"])
            .arg(config)
            .arg("-f")
            .arg(commands)
            .arg("-s")
            .arg(state.path())
            .env("CHASSIS_STATE", state.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It stops when nobody reads what it prints.
        let mut output = process.stdout.take().unwrap();
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        await_answer(port);
        Some(Self {
            port,
            user: "ipmiusr",
            process,
            told: None,
            state: Some(state),
        })
    }

    pub(super) fn pyghmi(options: &[&str]) -> Option<Self> {
        Self::pyghmi_at(port::free(), options)
    }

    pub(super) fn pyghmi_at(port: u16, options: &[&str]) -> Option<Self> {
        let python = pyghmi()?;
        let mut process = Command::new(python)
            .arg(peers().join("pyghmi-bmc.py"))
            .args(["--port", &port.to_string(), "--password", PASSWORD])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, told) = mpsc::channel();
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if lines.send(line).is_err() {
                    return;
                }
            }
        });
        let first = told.recv_timeout(START).expect("the BMC starts");
        assert_eq!(first, "ready");
        Some(Self {
            port,
            user: "admin",
            process,
            told: Some(told),
            state: None,
        })
    }

    /// What arrived since the last look.
    pub(super) fn told(&mut self) -> Vec<String> {
        if let Some(state) = &self.state {
            let log = state.path().join("log");
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            let _ = std::fs::remove_file(log);
            return text.lines().map(str::to_owned).collect();
        }
        let (input, told) = (self.process.stdin.as_mut(), self.told.as_ref());
        let (input, told) = (input.unwrap(), told.unwrap());
        input.write_all(b"mark\n").unwrap();
        let lines = std::iter::from_fn(|| Some(told.recv_timeout(START).unwrap()));
        lines.take_while(|line| line != "mark").collect()
    }

    pub(super) fn driver_info(&self) -> JsonMap {
        driver_info(self.port, self.user)
    }

    pub(super) fn bench(&self) -> Bench {
        Bench::new(self.driver_info(), unhurried())
    }

    /// What ipmitool prints.
    pub(super) fn ipmitool(&self, arguments: &[&str]) -> String {
        let port = self.port.to_string();
        let output = Command::new("ipmitool")
            .args(["-I", "lanplus", "-C", "3", "-H", "127.0.0.1", "-p", &port])
            .args(["-U", self.user, "-P", PASSWORD])
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Waits until a BMC that does not say when it is ready answers the first question that all ask.
fn await_answer(port: u16) {
    // Get Channel Authentication Capabilities, outside of any session.
    const QUESTION: [u8; 23] = [
        0x06, 0, 0xff, 0x07, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0x20, 0x18, 0xc8, 0x81, 0, 0x38, 0x8e,
        4, 0xb5,
    ];
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(("127.0.0.1", port)).unwrap();
    let moment = Duration::from_millis(50);
    socket.set_read_timeout(Some(moment)).unwrap();
    let deadline = Instant::now() + START;
    // Where nobody listens yet the system says so at once.
    while socket.send(&QUESTION).is_err() || socket.recv(&mut [0; 64]).is_err() {
        assert!(Instant::now() < deadline, "the BMC does not answer");
        std::thread::park_timeout(moment);
    }
}

/// A temperature sensor with its record.
const SIM_COMMANDS: &str = "mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
sel_enable 0x20 1000 0x0a
sensor_add 0x20 0 1 1 1
sensor_set_value 0x20 0 1 42 0
sensor_set_event_support 0x20 0 1 enable scanning per-state 000000000000000 000000000000000 000000000000000 000000000000000
main_sdr_add 0x20 0x00 0x00 0x51 0x01 0x33 0x20 0x00 0x01 0x03 0x01 0x7f 0x68 0x01 0x01 0x80 0x0a 0x80 0x0a 0x38 0x38 0x00 0x01 0x00 0x00 0x01 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0xff 0x00 0x5f 0x5a 0x55 0x00 0x00 0x00 0x02 0x02 0x00 0x00 0x00 0xc8 0x43 0x50 0x55 0x20 0x54 0x65 0x6d 0x70
mc_enable 0x20
";

/// A Python with pyghmi, in a virtual environment of the tests' own.
fn pyghmi() -> Option<PathBuf> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let python = PYTHON.get_or_init(|| {
        let done = Command::new(peers().join("with-pyghmi")).output().ok()?;
        let path = String::from_utf8(done.stdout).ok()?;
        done.status
            .success()
            .then(|| PathBuf::from(path.trim_end()))
    });
    if python.is_none() {
        missing("pyghmi (it needs python3 with venv, and PyPI)");
    }
    python.clone()
}

pub(super) fn driver_info(port: u16, user: &str) -> JsonMap {
    let Value::Object(info) = json!({
        "ipmi_address": "127.0.0.1", "ipmi_port": port, "ipmi_username": user,
        "ipmi_password": PASSWORD, "ipmi_cipher_suite": 3,
    }) else {
        unreachable!()
    };
    info
}

/// Waits that fit programs on the same machine.
pub(crate) fn settings() -> IpmiSettings {
    let mut settings = IpmiSettings {
        first_wait: Duration::from_millis(300),
        tries: 5,
        retry_pause: Duration::from_millis(50),
        retry_for: Duration::from_secs(20),
        reset_pause: Duration::from_millis(10),
        power_wait: Duration::from_secs(20),
        soft_off_wait: Duration::from_secs(20),
        ..IpmiSettings::default()
    };
    settings.gate.interval = Duration::ZERO;
    settings
}

/// The same, for programs of others that do again what they are asked again: on a busy machine
/// their answers come late now and then.
pub(crate) fn unhurried() -> IpmiSettings {
    IpmiSettings {
        first_wait: Duration::from_secs(3),
        tries: 2,
        ..settings()
    }
}

/// A node with a BMC, without a service around it.
pub(crate) struct Bench {
    pub(crate) ipmi: Arc<Ipmi>,
    pub(crate) node: Node,
    pub(crate) info: JsonMap,
    pub(crate) lease: LeaseProof,
}

impl Bench {
    pub(crate) fn new(info: JsonMap, settings: IpmiSettings) -> Self {
        let id = NodeId::generate();
        Self {
            ipmi: Arc::new(Ipmi::new(settings)),
            node: Node::new(id, "ipmi"),
            info,
            lease: LeaseProof::granted(id, 1),
        }
    }

    pub(crate) fn machine(&mut self) -> Machine<'_> {
        Machine::new(&mut self.node, &self.info, &[])
    }

    pub(crate) fn power(&self) -> IpmiPower {
        IpmiPower(Arc::clone(&self.ipmi))
    }

    pub(crate) fn management(&self) -> IpmiManagement {
        IpmiManagement::new(&self.ipmi)
    }
}
