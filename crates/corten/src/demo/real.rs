//! One machine of the demo that is real as far as a program can be: a QEMU process with a BMC.
//!
//! It is deployed like any server: its firmware asks the network what to boot, the agent's ramdisk
//! is handed to it, the agent writes an image to its disk, and the image starts. The network is the
//! one that QEMU makes up for a process, so nothing of this needs root: this machine is 10.0.2.2
//! there, QEMU itself answers DHCP, and the agent is reached through a port of this machine.
//!
//! What it boots may take minutes to make the first time, so the rest of the demo does not wait for
//! it.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files are only touched from a thread that may wait; the program that makes them is the demo's own"
)]

use super::rack;
use crate::console::print;
use anyhow::{Context, ensure};
use conductor::Service;
use image::checksum::{Algorithm, Hasher};
use serde_json::{Value, json};
use sim::{
    Layout, Machine, Machines,
    backend::qemu::{self, Qemu},
    ipmi::{Options, server::Server},
};
use std::{
    env,
    fs::File,
    io,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};
use store::Db;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
    task::JoinHandle,
};
use types::{
    Conductor, Node, NodeId, Port, PortId, Verb, port::MacAddress, rpc::ProvisionRequest as Request,
};

/// What the machine is called.
pub(super) const NAME: &str = "real";

const PROGRAM: &str = "qemu-system-x86_64";
/// Where this machine is, seen from inside.
const HOST: &str = "10.0.2.2";
/// The port of agents.
const AGENT_PORT: u16 = 9999;
const DISK_BYTES: u64 = 512 * 1024 * 1024;
/// How long one stage may take: this is a whole computer, done in software.
const PATIENCE: Duration = Duration::from_secs(1800);

/// Everything that the machine is made of.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Where kernel, ramdisk and image are, or will be.
    files: PathBuf,
    disk: PathBuf,
    sockets: PathBuf,
    /// What its serial port says.
    pub(super) serial: PathBuf,
    /// Where its boot files are served, and where its agent is reached.
    http_port: u16,
    agent_port: u16,
}

impl Plan {
    /// A machine whose files need not be there yet.
    pub(super) fn new(files: &Path, folder: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            files: std::path::absolute(files)?,
            disk: folder.join("real-disk.raw"),
            sockets: folder.to_owned(),
            serial: folder.join("real-serial.log"),
            http_port: free_port()?,
            agent_port: free_port()?,
        })
    }

    fn kernel(&self) -> PathBuf {
        self.files.join("kernel")
    }

    fn ramdisk(&self) -> PathBuf {
        self.files.join("initramfs")
    }

    fn image(&self) -> PathBuf {
        self.files.join("image.qcow2")
    }

    /// Makes the disk, if everything else for the machine is there.
    fn complete(&self) -> anyhow::Result<()> {
        for file in [self.kernel(), self.ramdisk(), self.image()] {
            ensure!(file.is_file(), "file not found: {}", file.display());
        }
        let found = env::var_os("PATH").is_some_and(|path| {
            env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file())
        });
        ensure!(found, "{PROGRAM} is not installed");
        File::create(&self.disk)?.set_len(DISK_BYTES)?;
        File::create(&self.serial)?;
        Ok(())
    }

    /// The configuration that the machine needs beside that of the simulated ones.
    pub(super) fn sets(&self, port: u16) -> Vec<String> {
        let append = format!(
            "console=ttyS0 no_timer_check ipa-advertise-host=127.0.0.1 ipa-advertise-port={}",
            self.agent_port
        );
        [
            ("DEFAULT.my_ip", HOST.to_owned()),
            (
                "service_catalog.endpoint_override",
                format!("http://{HOST}:{port}"),
            ),
            // The name under which the machine asks, which is no address of this computer.
            ("corten.allowed_hosts", HOST.to_owned()),
            ("dhcp.dhcp_provider", "none".to_owned()),
            (
                "deploy.http_url",
                format!("http://{HOST}:{}", self.http_port),
            ),
            ("pxe.kernel_append_params", append),
            (
                "corten.http_listen",
                format!("127.0.0.1:{}", self.http_port),
            ),
            ("conductor.deploy_kernel", url(&self.kernel())),
            ("conductor.deploy_ramdisk", url(&self.ramdisk())),
            ("conductor.rescue_kernel", url(&self.kernel())),
            ("conductor.rescue_ramdisk", url(&self.ramdisk())),
            // Others on this computer reach the API, and must not read this user's files by it.
            ("conductor.file_url_allowed_paths", self.named_files()),
        ]
        .into_iter()
        // A dollar begins the name of another option.
        .map(|(name, value)| format!("{name}={}", value.replace('$', "$$")))
        .collect()
    }

    /// The files that the service is given by their names, and no others.
    fn named_files(&self) -> String {
        let files = [self.kernel(), self.ramdisk(), self.image()];
        let files = files.map(|path| path.display().to_string());
        files.join(",")
    }

    /// Starts the BMC; the machine is off.
    async fn start(&self) -> io::Result<(Machines, Server)> {
        let (http, agent) = (self.http_port, self.agent_port);
        let disk = self.disk.display().to_string().replace(',', ",,");
        let words = [
            "-accel",
            "tcg",
            "-cpu",
            // TCG reads too far when it emulates one of the instructions of AVX2.
            "max,avx2=off",
            "-m",
            "512",
            "-nodefaults",
            "-device",
            "virtio-rng-pci",
            "-netdev",
            &format!(
                "user,id=n0,bootfile=http://{HOST}:{http}/boot.ipxe,\
                 hostfwd=tcp:127.0.0.1:{agent}-:{AGENT_PORT}"
            ),
            "-device",
            "virtio-net-pci,netdev=n0,mac={mac},bootindex={boot-net}",
            "-drive",
            &format!("file={disk},format=raw,if=none,id=d0,cache=unsafe"),
            "-device",
            "virtio-blk-pci,drive=d0,serial=DEMO0,bootindex={boot-disk}",
        ]
        .map(str::to_owned);
        let qemu = Qemu {
            program: PROGRAM.into(),
            arguments: words.into(),
            uefi: None,
            serial_log: Some(self.serial.display().to_string()),
            folder: self.sockets.clone(),
        };
        let machine = qemu::machine(0, Arc::default(), qemu);
        let machines: Machines = Arc::new([machine]);
        let layout = Layout::Ports {
            address: Ipv4Addr::LOCALHOST.into(),
            first: 0,
        };
        let server = Server::start(&machines, Options::default(), layout).await?;
        Ok((machines, server))
    }
}

/// The machine, for as long as the demo runs.
pub(super) struct Real {
    life: JoinHandle<()>,
}

impl Real {
    /// Has the machine made, enrols it and takes it to the end of a deploy, all in the background.
    pub(super) fn come(
        plan: Plan,
        prepare: Option<PathBuf>,
        about: String,
        service: Arc<Service>,
        db: Db,
    ) -> Self {
        let life = tokio::spawn(async move {
            let present = async {
                if let Some(program) = prepare {
                    prepared(&program, &plan.files).await?;
                }
                let plan = plan.clone();
                tokio::task::spawn_blocking(move || plan.complete()).await?
            };
            if let Err(error) = present.await {
                say(&format!(
                    "cannot add a virtual machine to the demo: {error:#}"
                ));
                return;
            }
            let _ = print(&format!("\n{about}\n"));
            if let Err(error) = live(&plan, &service, &db).await {
                say(&format!(
                    "deployment of the virtual machine failed: {error:#}"
                ));
            }
        });
        Self { life }
    }

    pub(super) fn stop(self) {
        self.life.abort();
    }
}

/// What happens to the machine, beside everything else that is printed. Nobody may be there to read
/// it, which is no reason to end its life.
fn say(line: &str) {
    let _ = print(&format!("{NAME}: {line}"));
}

/// Runs the program that makes the files, and shows what it prints; that is where it says why it
/// cannot.
async fn prepared(program: &Path, files: &Path) -> anyhow::Result<()> {
    let mut child = Command::new(program)
        .arg(files)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if let Some(output) = child.stdout.take() {
        let mut lines = BufReader::new(output).lines();
        while let Some(line) = lines.next_line().await? {
            say(&line);
        }
    }
    let status = child.wait().await?;
    ensure!(status.success(), "building the ramdisk failed, see above");
    Ok(())
}

async fn enrol(
    service: &Service,
    plan: &Plan,
    machine: &Machine,
    port: u16,
) -> anyhow::Result<NodeId> {
    let mut node = Node::new(NodeId::generate(), "ipmi");
    node.name = Some(NAME.to_owned());
    for (name, value) in [
        ("ipmi_address", json!("127.0.0.1")),
        ("ipmi_port", json!(port)),
        ("ipmi_username", json!("admin")),
        ("ipmi_password", json!("password")),
    ] {
        node.driver_info.insert(name.to_owned(), value);
    }
    if let Some(screen) = machine.screen() {
        // For those who give it the console interface `fake-graphical`.
        for (name, value) in [
            ("vnc_address", json!(screen.ip().to_string())),
            ("vnc_port", json!(screen.port())),
            ("vnc_password", json!("password")),
        ] {
            node.driver_info.insert(name.to_owned(), value);
        }
    }
    for (name, value) in [
        ("cpu_arch", json!("x86_64")),
        ("capabilities", json!("boot_mode:bios")),
        // Without hints an agent takes no disk below 4 GiB.
        ("root_device", json!({"serial": "DEMO0"})),
    ] {
        node.properties.insert(name.to_owned(), value);
    }
    let image = plan.image();
    let checksum = checksum(&image).await?;
    for (name, value) in [
        ("image_source", json!(url(&image))),
        ("image_os_hash_algo", json!("sha256")),
        ("image_os_hash_value", json!(checksum)),
    ] {
        node.instance_info.insert(name.to_owned(), value);
    }
    let who = rack::caller();
    let id = service.create_node(&who, node).await?.id;
    let mac = MacAddress::from(machine.mac(0));
    let port = Port::new(PortId::generate(), id, mac);
    service.create_port(&who, port).await?;
    Ok(id)
}

/// From nothing to in use, and on.
async fn live(plan: &Plan, service: &Service, db: &Db) -> anyhow::Result<()> {
    let (machines, server) = plan.start().await.context("cannot start the BMC")?;
    let port = server.endpoint(0).context("the BMC has no address")?.port();
    let id = enrol(service, plan, &machines[0], port).await?;
    let begin = Instant::now();
    for request in [
        Request::Manage,
        Request::Inspect,
        Request::Provide,
        Request::Deploy {
            configdrive: Some(config_drive()),
            steps: Vec::new(),
        },
    ] {
        let verb = request.verb();
        say(&format!("{verb} …"));
        rack::ask(service, id, request).await?;
        let node = rack::at_rest_within(db, id, PATIENCE).await?;
        if let Some(error) = node.last_error {
            anyhow::bail!("{verb}: {error}");
        }
        let seconds = begin.elapsed().as_secs();
        say(&format!("{} after {seconds} s", node.provision_state));
        if verb == Verb::Manage {
            service.set_console(&rack::caller(), id, true).await?;
            rack::at_rest_within(db, id, PATIENCE).await?;
        }
    }
    say("it boots from its disk; its console has a shell");
    // The BMC stays up as long as the demo runs.
    std::future::pending().await
}

fn config_drive() -> Value {
    json!({
        "meta_data": {"name": NAME, "greeting": "hello from the config drive"},
        "user_data": "#!/bin/sh\necho hello\n",
    })
}

fn url(path: &Path) -> String {
    format!("file://{}", path.display())
}

async fn checksum(path: &Path) -> anyhow::Result<String> {
    let bytes = tokio::fs::read(path).await?;
    let hash = move || {
        let mut hasher = Hasher::new(Algorithm::Sha256);
        hasher.update(&bytes);
        hasher.finish()
    };
    Ok(tokio::task::spawn_blocking(hash).await?)
}

/// A free port.
pub(super) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_cannot_be_made_is_said_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let prepare = async |program: &str| {
            let outcome = prepared(Path::new(program), folder.path()).await;
            outcome.map_err(|error| error.to_string())
        };
        assert_eq!(prepare("true").await, Ok(()));
        let failed = prepare("false").await.unwrap_err();
        assert!(failed.contains("see above"), "{failed}");
        let absent = prepare("/nonexistent/program").await.unwrap_err();
        assert!(absent.contains("/nonexistent/program"), "{absent}");

        let plan = Plan::new(&folder.path().join("files"), folder.path()).unwrap();
        let incomplete = plan.complete().unwrap_err().to_string();
        assert!(incomplete.contains("files/kernel"), "{incomplete}");
        assert!(!plan.disk.exists());
    }

    #[test]
    fn the_service_reads_no_other_files_than_the_machines() {
        let plan = Plan::new(Path::new("/f"), Path::new("/d")).unwrap();
        let sets = plan.sets(3);
        let allowed = "conductor.file_url_allowed_paths=/f/kernel,/f/initramfs,/f/image.qcow2";
        assert!(sets.iter().any(|set| set == allowed), "{sets:?}");
        let asked_as = format!("corten.allowed_hosts={HOST}");
        assert!(sets.contains(&asked_as), "{sets:?}");
    }
}
