//! One machine of the demo that is real as far as a program can be: a QEMU process with a BMC.
//!
//! It is deployed like any server: its firmware asks the network what to boot, the agent's ramdisk
//! is handed to it, the agent writes an image to its disk, and the image starts. The network is the
//! one that QEMU makes up for a process, so nothing of this needs root: this machine is 10.0.2.2
//! there, QEMU itself answers DHCP, and the agent is reached through a port of this machine.

use super::rack;
use crate::console::print;
use anyhow::{Context, ensure};
use conductor::Service;
use image::checksum::{Algorithm, Hasher};
use serde_json::{Value, json};
use sim::{
    Layout, Machines,
    backend::qemu::{self, Qemu},
    ipmi::{Options, server::Server},
};
use std::{
    env,
    fs::{self, File},
    io,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use store::Db;
use tokio::task::JoinHandle;
use types::{Conductor, Node, NodeId, Port, PortId, Verb, rpc::ProvisionRequest as Request};

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
#[derive(Debug)]
pub(super) struct Plan {
    kernel: PathBuf,
    ramdisk: PathBuf,
    image: PathBuf,
    disk: PathBuf,
    sockets: PathBuf,
    /// What its serial port says.
    pub(super) serial: PathBuf,
    /// Where its boot files are served, and where its agent is reached.
    http_port: u16,
    agent_port: u16,
}

impl Plan {
    /// Prepares the machine, if everything for it is there; otherwise the reason why not.
    pub(super) fn new(files: &Path, folder: &Path) -> anyhow::Result<Self> {
        let file = |name: &str| {
            let path = files.join(name);
            let found = path.is_file().then(|| fs::canonicalize(&path));
            found
                .with_context(|| format!("there is no {}", path.display()))?
                .with_context(|| path.display().to_string())
        };
        let found = env::var_os("PATH").is_some_and(|path| {
            env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file())
        });
        ensure!(found, "{PROGRAM} is not installed");
        let plan = Self {
            kernel: file("kernel")?,
            ramdisk: file("initramfs")?,
            image: file("image.qcow2")?,
            disk: folder.join("real-disk.raw"),
            sockets: folder.to_owned(),
            serial: folder.join("real-serial.log"),
            http_port: free_port()?,
            agent_port: free_port()?,
        };
        File::create(&plan.disk)?.set_len(DISK_BYTES)?;
        File::create(&plan.serial)?;
        Ok(plan)
    }

    /// The configuration that the machine needs beside that of the simulated ones.
    pub(super) fn sets(&self, folder: &Path, port: u16) -> Vec<String> {
        let roots = |name: &str| folder.join(name).display().to_string();
        let address = format!("{HOST}:{}", self.http_port);
        let append = format!(
            "console=ttyS0 no_timer_check ipa-advertise-host=127.0.0.1 ipa-advertise-port={}",
            self.agent_port
        );
        [
            (
                "DEFAULT.enabled_hardware_types",
                "fake-hardware,ipmi".to_owned(),
            ),
            (
                "DEFAULT.enabled_power_interfaces",
                "fake,ipmitool".to_owned(),
            ),
            (
                "DEFAULT.enabled_management_interfaces",
                "fake,ipmitool".to_owned(),
            ),
            (
                "DEFAULT.enabled_console_interfaces",
                "fake,ipmitool-socat,no-console".to_owned(),
            ),
            ("DEFAULT.enabled_boot_interfaces", "fake,ipxe".to_owned()),
            (
                "DEFAULT.enabled_deploy_interfaces",
                "fake,direct".to_owned(),
            ),
            (
                "DEFAULT.enabled_inspect_interfaces",
                "fake,agent,no-inspect".to_owned(),
            ),
            (
                "DEFAULT.enabled_rescue_interfaces",
                "fake,agent,no-rescue".to_owned(),
            ),
            (
                "DEFAULT.enabled_raid_interfaces",
                "fake,agent,no-raid".to_owned(),
            ),
            ("DEFAULT.enabled_bios_interfaces", "fake,no-bios".to_owned()),
            (
                "DEFAULT.enabled_firmware_interfaces",
                "fake,no-firmware".to_owned(),
            ),
            (
                "DEFAULT.enabled_vendor_interfaces",
                "fake,ipmitool,no-vendor".to_owned(),
            ),
            ("DEFAULT.my_ip", HOST.to_owned()),
            ("console.socat_address", "127.0.0.1".to_owned()),
            (
                "service_catalog.endpoint_override",
                format!("http://{HOST}:{port}"),
            ),
            ("dhcp.dhcp_provider", "none".to_owned()),
            ("deploy.http_url", format!("http://{address}")),
            ("deploy.http_root", roots("http")),
            ("deploy.iso_master_path", roots("iso")),
            ("pxe.tftp_root", roots("tftp")),
            ("pxe.tftp_master_path", roots("masters")),
            ("pxe.images_path", roots("images")),
            ("pxe.instance_master_path", roots("instances")),
            ("pxe.kernel_append_params", append),
            (
                "corten.http_listen",
                format!("127.0.0.1:{}", self.http_port),
            ),
            ("conductor.deploy_kernel", url(&self.kernel)),
            ("conductor.deploy_ramdisk", url(&self.ramdisk)),
            ("conductor.rescue_kernel", url(&self.kernel)),
            ("conductor.rescue_ramdisk", url(&self.ramdisk)),
            // Others on this computer reach the API, and must not read this user's files by it.
            ("conductor.file_url_allowed_paths", self.files()),
        ]
        .into_iter()
        // A dollar begins the name of another option.
        .map(|(name, value)| format!("{name}={}", value.replace('$', "$$")))
        .collect()
    }

    /// The files that the service is given by their names, and no others.
    fn files(&self) -> String {
        let files = [&self.kernel, &self.ramdisk, &self.image];
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
    _machines: Machines,
    _server: Server,
    life: JoinHandle<()>,
}

impl Real {
    /// Enrols the machine and takes it to the end of a deploy in the background.
    pub(super) async fn start(plan: &Plan, service: Arc<Service>, db: Db) -> anyhow::Result<Self> {
        let (machines, server) = plan.start().await.context("the BMC cannot be started")?;
        let port = server.endpoint(0).context("the BMC has no address")?.port();
        let mac = machines[0]
            .mac(0)
            .map(|byte| format!("{byte:02x}"))
            .join(":");
        let id = enrol(&service, plan, port, &mac).await?;
        let life = tokio::spawn(async move {
            if let Err(error) = live(&service, &db, id).await {
                tracing::error!("the real machine: {error:#}");
            }
        });
        Ok(Self {
            _machines: machines,
            _server: server,
            life,
        })
    }

    pub(super) fn stop(self) {
        self.life.abort();
    }
}

async fn enrol(service: &Service, plan: &Plan, port: u16, mac: &str) -> anyhow::Result<NodeId> {
    let mut node = Node::new(NodeId::generate(), "ipmi");
    node.name = Some(NAME.to_owned());
    for (name, value) in [
        ("ipmi_address", json!("127.0.0.1")),
        ("ipmi_port", json!(port)),
        ("ipmi_username", json!("admin")),
        ("ipmi_password", json!("password")),
        ("ipmi_terminal_port", json!(free_port()?)),
    ] {
        node.driver_info.insert(name.to_owned(), value);
    }
    for (name, value) in [
        ("cpu_arch", json!("x86_64")),
        ("capabilities", json!("boot_mode:bios")),
        // Without hints an agent takes no disk below 4 GiB.
        ("root_device", json!({"serial": "DEMO0"})),
    ] {
        node.properties.insert(name.to_owned(), value);
    }
    let checksum = checksum(&plan.image)?;
    for (name, value) in [
        ("image_source", json!(url(&plan.image))),
        ("image_os_hash_algo", json!("sha256")),
        ("image_os_hash_value", json!(checksum)),
    ] {
        node.instance_info.insert(name.to_owned(), value);
    }
    let who = rack::caller();
    let id = service.create_node(&who, node).await?.id;
    let port = Port::new(PortId::generate(), id, mac.parse()?);
    service.create_port(&who, port).await?;
    Ok(id)
}

/// From enrolled to in use.
async fn live(service: &Service, db: &Db, id: NodeId) -> anyhow::Result<()> {
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
        rack::ask(service, id, request).await?;
        let node = rack::at_rest_within(db, id, PATIENCE).await?;
        if let Some(error) = node.last_error {
            anyhow::bail!("{verb}: {error}");
        }
        if verb == Verb::Manage {
            service.set_console(&rack::caller(), id, true).await?;
            rack::at_rest_within(db, id, PATIENCE).await?;
        }
    }
    print(&format!("{NAME} is deployed and boots from its disk"))?;
    Ok(())
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

fn checksum(path: &Path) -> anyhow::Result<String> {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(&fs::read(path)?);
    Ok(hasher.finish())
}

/// A port that nobody uses at the moment.
pub(super) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}
