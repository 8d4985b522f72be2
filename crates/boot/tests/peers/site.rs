//! A set of boot services with folders of their own, and the programs that talk to them.

use boot::{
    BootFiles, Settings,
    dhcp4::{self, Subnet},
    lease::Range,
    log::{BootLogEntry, Event},
    service::{Boot, Running},
};
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use types::port::MacAddress;

/// A program, also one of those that only administrators have on their path.
pub(super) fn command(program: &str) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("env");
    command
        .arg(format!("PATH={path}:/usr/sbin:/sbin"))
        .arg(program);
    command
}

/// Whether a program is there.
pub(super) fn has(program: &str) -> bool {
    let found = command("which").arg(program).output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        skip(&format!("{program} is not installed"));
    }
    found
}

pub(super) fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    println!("SKIPPED: {why}");
}

/// Runs a program, which must succeed, and gives what it said.
pub(super) fn run(program: &str, arguments: &[&str]) -> String {
    let output = command(program).args(arguments).output().unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{program} {arguments:?}: {text}");
    text
}

/// The address of the service in a LAN of ours.
pub(super) const SERVER: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);

/// Services that run until they go out of scope.
pub(super) struct Site {
    pub(super) dir: tempfile::TempDir,
    pub(super) boot: Boot,
    pub(super) running: Running,
    stop: CancellationToken,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Site {
    /// Files only, on the loopback.
    pub(super) async fn of_files() -> Self {
        let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
        Self::start(BootFiles::default(), |settings| {
            settings.tftp.get_or_insert_default().listeners = vec![loopback];
            settings.http.get_or_insert_default().listeners = vec![loopback];
        })
        .await
    }

    /// Everything, on the bridge of a LAN.
    pub(super) async fn on_lan(files: BootFiles, role: dhcp4::Role, port: u16) -> Self {
        let files = BootFiles {
            tftp_server: SERVER.to_string(),
            http_url: Some(format!("http://{SERVER}:{port}")),
            ..files
        };
        Self::start(files, |settings| {
            let mut subnet = Subnet::new([10, 77, 0, 0].into(), 24, SERVER);
            subnet.interface = Some("br0".to_owned());
            subnet.ranges = vec![Range {
                first: [10, 77, 0, 100].into(),
                last: [10, 77, 0, 199].into(),
            }];
            subnet.routers = vec![SERVER];
            subnet.domain = Some("example.org".to_owned());
            let listener = dhcp4::Listener {
                interface: Some("br0".to_owned()),
                address: "0.0.0.0:67".parse().unwrap(),
            };
            settings.dhcp4 = Some(dhcp4::Settings {
                role,
                listeners: vec![listener],
                proxy_listener: (role == dhcp4::Role::Proxy)
                    .then(|| format!("{SERVER}:4011").parse().unwrap()),
                subnets: vec![subnet],
                ..dhcp4::Settings::default()
            });
            settings.tftp.get_or_insert_default().listeners = vec![(SERVER, 69).into()];
            settings.http.get_or_insert_default().listeners = vec![(SERVER, port).into()];
        })
        .await
    }

    pub(super) async fn start(files: BootFiles, change: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let files = BootFiles {
            tftp_root: dir.path().join("tftp"),
            http_root: dir.path().join("http"),
            ..files
        };
        let boot = Boot::open(files, &dir.path().join("state")).unwrap();
        let mut settings = Settings::default();
        change(&mut settings);
        let stop = CancellationToken::new();
        let running = boot.start(&settings, stop.clone()).await.unwrap();
        Self {
            dir,
            boot,
            running,
            stop,
        }
    }

    /// Puts a file into both roots.
    pub(super) fn put(&self, name: &str, content: &[u8]) {
        for root in ["tftp", "http"] {
            fs::write(self.dir.path().join(root).join(name), content).unwrap();
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Waits for an event of a machine; what came instead is shown when it takes too long.
    pub(super) async fn wait_for(
        &self,
        mac: &MacAddress,
        seconds: u64,
        wanted: impl Fn(&Event) -> bool,
    ) -> Vec<BootLogEntry> {
        let looking = async {
            loop {
                let timeline = self.boot.log().timeline(mac);
                if timeline.iter().any(|entry| wanted(&entry.event)) {
                    return timeline;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let found = tokio::time::timeout(Duration::from_secs(seconds), looking).await;
        found.unwrap_or_else(|_| panic!("it did not happen; instead\n{}", self.told(mac)))
    }

    /// The timeline as text.
    pub(super) fn told(&self, mac: &MacAddress) -> String {
        let entries = self.boot.log().timeline(mac).into_iter();
        entries
            .map(|entry| format!("  {} × {:?}\n", entry.times, entry.event))
            .collect()
    }
}

/// Runs a program in the background without keeping the servers from answering.
pub(super) async fn run_beside(program: &'static str, arguments: Vec<String>) -> String {
    let running = tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run(program, &arguments)
    });
    running.await.unwrap()
}

/// Arguments from words that are texts, paths or numbers.
#[macro_export]
macro_rules! words {
    ($($word:expr),* $(,)?) => { vec![$($word.to_string()),*] };
}

pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}
