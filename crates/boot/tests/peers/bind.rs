//! BIND as a process of its own, on the loopback, with zones that take updates.

use boot::dns::DnsSettings;
use proto::dns::tsig::Key;
use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Command, Stdio},
};

pub(crate) const KEY: &str = "corten";
pub(crate) const SECRET: &str = "c2VjcmV0IG9mIHRoZSB0ZXN0LCBvZiAzMiBieXRlcyE=";
const REVERSE4: &str = "0.77.10.in-addr.arpa";
const REVERSE6: &str = "0.0.0.0.0.0.0.0.0.0.0.0.7.7.d.f.ip6.arpa";
/// Debian's programs for administrators are here.
const SBIN: &str = "/usr/sbin/named";

/// BIND with `example.org` and reverse zones, until it goes out of scope.
pub(crate) struct Bind {
    named: Child,
    port: u16,
    _dir: tempfile::TempDir,
}

impl Drop for Bind {
    fn drop(&mut self) {
        let _ = self.named.kill();
        let _ = self.named.wait();
    }
}

impl Bind {
    /// Nothing where it is not installed, except in CI, where that is a failure.
    pub(crate) fn start() -> Option<Self> {
        let has_dig = Command::new("dig").arg("-v").output().is_ok();
        if !has_dig || !std::path::Path::new(SBIN).exists() {
            assert!(std::env::var_os("CI").is_none(), "BIND is not installed");
            println!("SKIPPED: BIND is not installed");
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let at = dir.path().display();
        let mut config = format!(
            "options {{ directory \"{at}\"; pid-file \"{at}/pid\"; session-keyfile \"{at}/session\";\n\
             listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};\n\
             recursion no; dnssec-validation no; allow-transfer {{ none; }}; notify no; }};\n\
             controls {{ }};\n\
             key \"{KEY}\" {{ algorithm hmac-sha256; secret \"{SECRET}\"; }};\n"
        );
        for zone in ["example.org", REVERSE4, REVERSE6] {
            config += &format!(
                "zone \"{zone}\" {{ type primary; file \"{zone}.db\"; allow-update {{ key {KEY}; }}; }};\n"
            );
            let records = match zone {
                "example.org" => "ns IN A 127.0.0.1\nwww IN A 192.0.2.1\n",
                _ => "",
            };
            let text = format!(
                "$TTL 60\n@ IN SOA ns.example.org. root.example.org. 1 3600 600 86400 60\n\
                 @ IN NS ns.example.org.\n{records}"
            );
            fs::write(dir.path().join(format!("{zone}.db")), text).unwrap();
        }
        let file = dir.path().join("named.conf");
        fs::write(&file, config).unwrap();
        let mut named = Command::new(SBIN)
            .args(["-g", "-n", "1", "-c"])
            .arg(&file)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(named.stderr.take().unwrap()).lines();
        let mut told = String::new();
        loop {
            let Some(Ok(line)) = lines.next() else {
                panic!("named ended:\n{told}");
            };
            told += &format!("{line}\n");
            if line.ends_with(" running") {
                break;
            }
        }
        // The pipe must not fill.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self {
            named,
            port,
            _dir: dir,
        })
    }

    pub(crate) fn settings(&self, key: &str, secret: &str) -> DnsSettings {
        DnsSettings {
            server: ("127.0.0.1".to_owned(), self.port),
            zone: "example.org".parse().unwrap(),
            reverse_zones: vec![REVERSE4.parse().unwrap(), REVERSE6.parse().unwrap()],
            key: Key::of_base64(key.parse().unwrap(), secret).unwrap(),
        }
    }

    /// What a client gets to hear.
    pub(crate) fn dig(&self, words: &[&str]) -> String {
        let output = Command::new("dig")
            .args(["@127.0.0.1", "-p", &self.port.to_string(), "+short"])
            .args(words)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}
