//! Power strips to talk to: our simulator in this process, and snmpsim.

use crate::port;
use drivers::{
    SnmpSettings,
    iface::Machine,
    snmp::{Snmp, SnmpPower},
};
use proto::snmp::usm::{Auth, Hiding, Privacy, Secret, Signing, User};
use serde_json::{Value, json};
use sim::pdu::{self, Accounts, Agent, Strip};
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, OnceLock, mpsc},
    time::Duration,
};
use tokio::{net::UdpSocket, task::JoinHandle};
use types::{JsonMap, LeaseProof, Node, NodeId};

pub(super) const ENGINE: &[u8; 14] = b"\x80\x00\x1f\x88\x04simulator";
const AUTH_KEY: &str = "maplesyrup";
const PRIV_KEY: &str = "pancakes-more";
/// As long as the programs take to start on a busy machine.
const START: Duration = Duration::from_secs(60);

/// A user of version 3, by the names of the protocols in `driver_info`.
pub(super) struct Known {
    pub(super) name: &'static str,
    auth: Option<(&'static str, Auth)>,
    privacy: Option<(&'static str, Privacy)>,
}

const fn known(
    name: &'static str,
    auth: (&'static str, Auth),
    privacy: Option<(&'static str, Privacy)>,
) -> Known {
    Known {
        name,
        auth: Some(auth),
        privacy,
    }
}

const MD5: (&str, Auth) = ("md5", Auth::Md5);
const SHA: (&str, Auth) = ("sha", Auth::Sha1);

/// Every hash alone, and every cipher with some hash: each of those that stretch keys with the
/// shortest one.
pub(super) const USERS: &[Known] = &[
    Known {
        name: "plain",
        auth: None,
        privacy: None,
    },
    known("md5", MD5, None),
    known("sha", SHA, None),
    known("sha224", ("sha224", Auth::Sha224), None),
    known("sha256", ("sha256", Auth::Sha256), None),
    known("sha384", ("sha384", Auth::Sha384), None),
    known("sha512", ("sha512", Auth::Sha512), None),
    known("md5-des", MD5, Some(("des", Privacy::Des))),
    known("sha-des", SHA, Some(("des", Privacy::Des))),
    known("sha-3des", SHA, Some(("3des", Privacy::TripleDes))),
    known("sha-aes", SHA, Some(("aes", Privacy::Aes128))),
    known("md5-aes192", MD5, Some(("aes192", Privacy::Aes192Reeder))),
    known("md5-aes256", MD5, Some(("aes256", Privacy::Aes256Reeder))),
    known(
        "sha-aes192blmt",
        SHA,
        Some(("aes192blmt", Privacy::Aes192Blumenthal)),
    ),
    known(
        "sha-aes256blmt",
        SHA,
        Some(("aes256blmt", Privacy::Aes256Blumenthal)),
    ),
    known(
        "sha256-aes256blmt",
        ("sha256", Auth::Sha256),
        Some(("aes256blmt", Privacy::Aes256Blumenthal)),
    ),
    known(
        "sha512-aes256",
        ("sha512", Auth::Sha512),
        Some(("aes256", Privacy::Aes256Reeder)),
    ),
];

/// The users of these names; all of them where none is named.
pub(super) fn users(names: &[&str]) -> Vec<&'static Known> {
    let all = USERS.iter();
    all.filter(|user| names.is_empty() || names.contains(&user.name))
        .collect()
}

impl Known {
    pub(super) fn driver_info(&self) -> Value {
        let mut info = json!({
            "snmp_driver": "apc_rackpdu", "snmp_version": "3", "snmp_user": self.name,
        });
        if let Some((name, _)) = self.auth {
            info["snmp_auth_protocol"] = json!(name);
            info["snmp_auth_key"] = json!(AUTH_KEY);
        }
        if let Some((name, _)) = self.privacy {
            info["snmp_priv_protocol"] = json!(name);
            info["snmp_priv_key"] = json!(PRIV_KEY);
        }
        info
    }

    fn user(&self) -> User {
        let secret = |text: &str| Secret(text.as_bytes().to_vec());
        User {
            name: self.name.as_bytes().to_vec(),
            signing: self.auth.map(|(_, auth)| Signing {
                auth,
                password: secret(AUTH_KEY),
                hiding: self.privacy.map(|(_, privacy)| Hiding {
                    privacy,
                    password: secret(PRIV_KEY),
                }),
            }),
        }
    }

    /// What snmpsim is told about the user.
    fn arguments(&self) -> Vec<String> {
        let mut all = vec!["--v3-user".to_owned(), self.name.to_owned()];
        if let Some((name, _)) = self.auth {
            all.extend(["--v3-auth-key", AUTH_KEY, "--v3-auth-proto"].map(str::to_owned));
            all.push(name.to_uppercase());
        }
        if let Some((name, _)) = self.privacy {
            all.extend(["--v3-priv-key", PRIV_KEY, "--v3-priv-proto"].map(str::to_owned));
            all.push(name.to_uppercase());
        }
        all
    }

    /// What net-snmp's clients are told about the user, if they know its protocols.
    pub(super) fn options(&self) -> Option<Vec<String>> {
        let mut all = vec!["-v3".to_owned(), "-u".to_owned(), self.name.to_owned()];
        let mut option = |letter: &str, value: &str| {
            all.extend([letter.to_owned(), value.to_owned()]);
        };
        if let Some((name, _)) = self.auth {
            let name = name.to_uppercase();
            let digits = name.trim_start_matches("SHA");
            let is_long = name.starts_with("SHA") && !digits.is_empty();
            option("-A", AUTH_KEY);
            option(
                "-a",
                &if is_long {
                    format!("SHA-{digits}")
                } else {
                    name
                },
            );
        }
        if let Some((_, privacy)) = self.privacy {
            let name = match privacy {
                Privacy::Des => "DES",
                Privacy::Aes128 => "AES",
                Privacy::Aes192Blumenthal => "AES-192",
                Privacy::Aes256Blumenthal => "AES-256",
                _ => return None,
            };
            option("-X", PRIV_KEY);
            option("-x", name);
        }
        let level = match (self.auth, self.privacy) {
            (None, _) => "noAuthNoPriv",
            (_, None) => "authNoPriv",
            _ => "authPriv",
        };
        option("-l", level);
        Some(all)
    }
}

fn agent(make: &str, users: &[&Known], engine: &[u8], boots: i32) -> Arc<Agent> {
    let strip = Strip::new(pdu::make::find(make).unwrap(), 4);
    let accounts = Accounts {
        read: b"public".to_vec(),
        write: b"private".to_vec(),
        users: users.iter().map(|user| user.user()).collect(),
    };
    Arc::new(Agent::new(strip, accounts, engine, boots, 1))
}

/// Our simulator, serving one strip.
pub(super) struct Sim {
    pub(super) port: u16,
    pub(super) agent: Arc<Agent>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Drop for Sim {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Sim {
    pub(super) async fn start(make: &str, users: &[&Known]) -> Self {
        // Another one may come to the same place.
        let port = port::free();
        let socket = UdpSocket::bind(("127.0.0.1", port)).await.unwrap();
        let agent = agent(make, users, ENGINE, 3);
        Self {
            port,
            serving: tokio::spawn(pdu::serve(socket, Arc::clone(&agent))),
            agent,
        }
    }

    /// Puts another device at the same address.
    pub(super) async fn replace(&mut self, make: &str, users: &[&Known], id: &[u8], boots: i32) {
        self.serving.abort();
        let _ = (&mut self.serving).await;
        let socket = UdpSocket::bind(("127.0.0.1", self.port)).await.unwrap();
        self.agent = agent(make, users, id, boots);
        self.serving = tokio::spawn(pdu::serve(socket, Arc::clone(&self.agent)));
    }

    pub(super) fn bench(&self, changes: Value) -> Bench {
        Bench::new(driver_info(self.port, changes), settings())
    }
}

/// snmpsim with a strip of one's own making: objects that remember what was written.
pub(super) struct Snmpsim {
    port: u16,
    process: Child,
    _data: tempfile::TempDir,
}

impl Drop for Snmpsim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An APC of two makes and an Eaton.
const OBJECTS: &str = "1.3.6.1.2.1.1.2.0|6|1.3.6.1.4.1.318.1.1.12
1.3.6.1.4.1.318.1.1.4.4.2.1.3.1|2:writecache|value=2
1.3.6.1.4.1.318.1.1.12.3.3.1.1.4.2|2:writecache|value=2
1.3.6.1.4.1.534.6.6.7.6.6.1.2.0.1|2:writecache|value=0
";

impl Snmpsim {
    pub(super) fn start(users: &[&Known]) -> Option<Self> {
        let program = program()?;
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("public.snmprec"), OBJECTS).unwrap();
        let port = port::free();
        let mut command = Command::new(program);
        command
            .args(["--logging-method", "stdout", "--data-dir"])
            .arg(data.path())
            .arg("--cache-dir")
            .arg(data.path().join("cache"))
            .args(["--agent-udpv4-endpoint", &format!("127.0.0.1:{port}")]);
        // It insists on changing its user when it runs as root, be it to the same.
        if whoami("-u") == "0" {
            command.args(["--process-user", "root", "--process-group", &whoami("-gn")]);
        }
        for user in users {
            command.args(user.arguments());
        }
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, told) = mpsc::channel();
        let errors = process.stderr.take().unwrap();
        listen(process.stdout.take().unwrap(), lines.clone());
        listen(errors, lines);
        let mut heard = Vec::new();
        while let Ok(line) = told.recv_timeout(START) {
            if line.contains("Listening at") {
                return Some(Self {
                    port,
                    process,
                    _data: data,
                });
            }
            heard.push(line);
        }
        let _ = process.kill();
        let _ = process.wait();
        panic!("snmpsim does not start: {}", heard.join("\n"));
    }

    pub(super) fn bench(&self, changes: Value) -> Bench {
        // It is slow on a busy machine.
        let settings = SnmpSettings {
            timeout: Duration::from_secs(5),
            power_wait: Duration::from_secs(5),
            ..settings()
        };
        Bench::new(driver_info(self.port, changes), settings)
    }
}

/// Passes lines on for as long as somebody wants them, and reads what comes after, so that the
/// process is never held up.
fn listen(output: impl std::io::Read + Send + 'static, lines: mpsc::Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
}

fn whoami(what: &str) -> String {
    let output = Command::new("id").arg(what).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// snmpsim's agent, in a virtual environment of the tests' own.
fn program() -> Option<PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/with-snmpsim");
        let done = Command::new(script).output().ok()?;
        let path = String::from_utf8(done.stdout).ok()?;
        let path = PathBuf::from(path.trim_end());
        done.status.success().then_some(path)
    });
    if program.is_none() {
        crate::ipmi::peer::missing("snmpsim (it needs python3 with venv, and PyPI)");
    }
    program.clone()
}

pub(super) fn driver_info(port: u16, changes: Value) -> JsonMap {
    let mut info = json!({
        "snmp_driver": "apc_rackpdu", "snmp_address": "127.0.0.1", "snmp_port": port,
        "snmp_outlet": 1, "snmp_community": "private",
    });
    for (key, value) in changes.as_object().unwrap() {
        info[key] = value.clone();
    }
    let Value::Object(info) = info else {
        unreachable!()
    };
    info
}

/// Waits that fit programs on the same machine.
pub(super) fn settings() -> SnmpSettings {
    let mut settings = SnmpSettings {
        timeout: Duration::from_secs(1),
        retries: 2,
        power_wait: Duration::from_millis(100),
        look_every: Duration::from_millis(10),
        ..SnmpSettings::default()
    };
    settings.gate.interval = Duration::ZERO;
    settings
}

/// A node with an outlet, without a service around it.
pub(super) struct Bench {
    pub(super) power: SnmpPower,
    pub(super) node: Node,
    pub(super) info: JsonMap,
    pub(super) lease: LeaseProof,
}

impl Bench {
    pub(super) fn new(info: JsonMap, settings: SnmpSettings) -> Self {
        let id = NodeId::generate();
        Self {
            power: SnmpPower(Arc::new(Snmp::new(settings))),
            node: Node::new(id, "snmp"),
            info,
            lease: LeaseProof::granted(id, 1),
        }
    }

    pub(super) fn machine(&mut self) -> Machine<'_> {
        Machine::new(&mut self.node, &self.info, &[])
    }
}
