//! All of it together: what drivers ask for, and the servers that run.

use crate::{
    dhcp4::{self, Knowledge, wire::Dhcp4},
    dhcp6::{self, wire::Dhcp6},
    doctor,
    enrolment::{Enrolment, Register},
    error::BootError,
    http::Http,
    lease::{Address, Journal, Lease, Leases},
    listeners::Places,
    loader,
    log::{BootLog, Event},
    networks,
    node::{NodeBoot, Start},
    overview::Started,
    place, report,
    root::Root,
    roster::Roster,
    settings::{BootFiles, Settings},
    tftp::{self, Tftp},
    tree,
};
use async_trait::async_trait;
use std::{
    fmt, fs,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;
use types::{
    JsonMap, NodeId,
    port::MacAddress,
    site_network::{DhcpLease, NetworkPlan, Reservation},
    time::Timestamp,
};

/// What a boot interface needs: a node boots this, or its disk, or nothing from here.
///
/// All three may be repeated at will, and a later call takes the place of an earlier one.
#[async_trait]
pub trait BootServices: Send + Sync + fmt::Debug {
    /// Makes a node boot from the network.
    async fn publish(&self, boot: NodeBoot) -> Result<(), BootError>;

    /// Makes a published node boot from its disk; one that is not published stays so.
    async fn switch_to_disk(
        &self,
        node: NodeId,
        identifier: Option<String>,
    ) -> Result<(), BootError>;

    /// Takes everything of a node away.
    async fn withdraw(&self, node: NodeId) -> Result<(), BootError>;
}

/// The services of this process.
#[derive(Debug, Clone)]
pub struct Boot {
    know: Knowledge,
    state_dir: PathBuf,
    servers: Arc<Servers>,
}

/// The DHCP servers of this process, once they run.
#[derive(Debug, Default)]
struct Servers {
    v4: OnceLock<Server4>,
    v6: OnceLock<Server6>,
    /// Where networks of the database are listened for.
    places4: OnceLock<watch::Sender<Places>>,
    places6: OnceLock<watch::Sender<Places>>,
    started: OnceLock<Started>,
}

/// What the DHCP servers have given, and a number that changes with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeaseBook {
    pub changes: u64,
    pub leases: Vec<DhcpLease>,
}

type Server4 = Arc<Mutex<dhcp4::server::Server>>;
type Server6 = Arc<Mutex<dhcp6::server::Server>>;

impl Boot {
    /// Prepares the folders and remembers what was published before.
    pub fn open(files: BootFiles, state_dir: &Path) -> Result<Self, BootError> {
        loader::place_common(&files)?;
        place::folder(state_dir, Some(0o700))?;
        let roster = Roster::load(&state_dir.join("nodes"))?;
        let know = Knowledge {
            files: Arc::new(files),
            roster: Arc::new(roster),
            log: Arc::new(BootLog::default()),
            register: Register::default(),
        };
        Ok(Self {
            know,
            servers: Arc::default(),
            state_dir: state_dir.to_owned(),
        })
    }

    pub(crate) fn started(&self) -> Option<&Started> {
        self.servers.started.get()
    }

    /// The servers that give addresses.
    pub(crate) fn leases_of_servers(&self) -> (Option<&Server4>, Option<&Server6>) {
        (self.servers.v4.get(), self.servers.v6.get())
    }

    pub fn log(&self) -> &Arc<BootLog> {
        &self.know.log
    }

    /// Says whom the DHCP servers ask which machines belong to a node.
    pub fn ask_about_ports(&self, source: Arc<dyn Enrolment>) {
        self.know.register.ask(source);
    }

    pub fn roster(&self) -> &Arc<Roster> {
        &self.know.roster
    }

    pub fn files(&self) -> &BootFiles {
        &self.know.files
    }

    /// What is known of the boots of a machine with these ports, and what it means.
    pub fn report(&self, ports: &[MacAddress]) -> JsonMap {
        report::report(&self.know.log, ports, Timestamp::now())
    }

    /// The addresses that our DHCP servers gave to the ports of a node, if they are what its
    /// ramdisk has its address from: a node that boots from the network here has none else, and any
    /// other one has them where it has some.
    pub fn addresses_of(&self, node: NodeId, ports: &[MacAddress]) -> Option<Vec<IpAddr>> {
        let (v4, v6) = (self.servers.v4.get(), self.servers.v6.get());
        if v4.is_none() && v6.is_none() {
            return None;
        }
        let mut addresses = Vec::new();
        if let Some(server) = v4 {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            let given = ports.iter().filter_map(|mac| server.leases().latest(mac));
            addresses.extend(given.map(IpAddr::V4));
        }
        if let Some(server) = v6 {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            let given = ports.iter().filter_map(|mac| server.leases().latest(mac));
            addresses.extend(given.map(IpAddr::V6));
        }
        let boots_here = self.know.roster.by_node(node).is_some();
        (boots_here || !addresses.is_empty()).then_some(addresses)
    }

    /// Whether addresses are given here at all.
    pub fn gives_addresses(&self) -> bool {
        self.servers.v4.get().is_some()
    }

    /// Takes the networks of the database that are served here, in the place of those before.
    pub fn set_networks(&self, plans: &[NetworkPlan], reservations: &[Reservation]) {
        let (Some(v4), Some(v6)) = (self.servers.v4.get(), self.servers.v6.get()) else {
            return;
        };
        let mut v4 = v4.lock().unwrap_or_else(PoisonError::into_inner);
        let sorted = networks::sort(plans, reservations, v4.own());
        v4.set_networks(sorted.v4, sorted.fixed4);
        drop(v4);
        let mut v6 = v6.lock().unwrap_or_else(PoisonError::into_inner);
        v6.set_networks(sorted.v6, sorted.fixed6);
        drop(v6);
        for (sender, places) in [
            (&self.servers.places4, sorted.places4),
            (&self.servers.places6, sorted.places6),
        ] {
            if let Some(sender) = sender.get() {
                sender.send_if_modified(|before| {
                    let is_other = *before != places;
                    *before = places;
                    is_other
                });
            }
        }
    }

    /// Whether this machine has an interface of this name.
    pub fn has_interface(name: &str) -> bool {
        networks::has_interface(name)
    }

    /// The domain of the network that an address is in.
    pub fn domain_of(&self, address: IpAddr) -> Option<String> {
        match address {
            IpAddr::V4(address) => {
                let server = self.servers.v4.get()?;
                let server = server.lock().unwrap_or_else(PoisonError::into_inner);
                server.domain_of(address)
            }
            IpAddr::V6(address) => {
                let server = self.servers.v6.get()?;
                let server = server.lock().unwrap_or_else(PoisonError::into_inner);
                server.domain_of(address)
            }
        }
    }

    /// How often leases were changed so far.
    pub fn lease_changes(&self) -> u64 {
        let v4 = self.servers.v4.get().map_or(0, |server| {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            server.leases().changes()
        });
        let v6 = self.servers.v6.get().map_or(0, |server| {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            server.leases().changes()
        });
        v4 + v6
    }

    /// All leases of the DHCP servers.
    pub fn lease_book(&self) -> LeaseBook {
        let mut book = LeaseBook::default();
        if let Some(server) = self.servers.v4.get() {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            book.add(server.leases());
        }
        if let Some(server) = self.servers.v6.get() {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            book.add(server.leases());
        }
        book
    }

    /// Takes over what the DHCP server of another conductor gave.
    pub fn adopt_leases(&self, leases: &[DhcpLease]) {
        let now = Timestamp::now();
        for lease in leases {
            match (lease.address, self.servers.v4.get(), self.servers.v6.get()) {
                (IpAddr::V4(address), Some(server), _) => {
                    let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
                    server
                        .leases_mut()
                        .adopt(address, lease.mac, lease.until, now);
                }
                (IpAddr::V6(address), _, Some(server)) => {
                    let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
                    server
                        .leases_mut()
                        .adopt(address, lease.mac, lease.until, now);
                }
                _ => {}
            }
        }
    }

    /// Whether nothing was heard from a machine that is to boot from here, though our DHCP server
    /// would have heard it.
    pub fn is_silent(&self, node: NodeId) -> bool {
        let listens = self.has_networks();
        let published = self.know.roster.by_node(node);
        published.is_some_and(|boot| {
            let silent = |mac| doctor::is_silent(&self.know.log.timeline(mac));
            listens && boot.ports.iter().all(|port| silent(&port.mac))
        })
    }

    /// Whether there is a network that we would hear machines of.
    fn has_networks(&self) -> bool {
        let v4 = self.servers.v4.get().is_some_and(|server| {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            server.has_networks()
        });
        let v6 = self.servers.v6.get().is_some_and(|server| {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            server.has_networks()
        });
        v4 || v6
    }

    /// Whether all files of a node are there, and say what they would if they were written now.
    pub async fn is_published(&self, node: NodeId) -> bool {
        let know = self.know.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let boot = know.roster.by_node(node);
            boot.is_some_and(|boot| tree::is_complete(&know.files, &boot))
        });
        looked.await.unwrap_or(false)
    }

    /// The ramdisk of a node called.
    pub fn note_agent(&self, node: NodeId, what: &str) {
        let boot = self.know.roster.by_node(node);
        for port in boot.iter().flat_map(|boot| &boot.ports) {
            let what = what.to_owned();
            self.know.log.note(&port.mac, Event::Agent { what });
        }
    }

    /// Opens all sockets, then starts to answer. If one cannot be opened, none is.
    pub async fn start(
        &self,
        settings: &Settings,
        stop: CancellationToken,
    ) -> Result<Running, BootError> {
        let mut running = Running::default();
        let files = &self.know.files;
        let log = || self.know.log.clone();
        let dhcp4 = settings
            .dhcp4
            .clone()
            .map(|settings| self.dhcp4(settings))
            .transpose()?;
        let dhcp6 = settings
            .dhcp6
            .clone()
            .map(|settings| self.dhcp6(settings))
            .transpose()?;
        let tftp = match settings.tftp.clone() {
            Some(settings) => Some(self.tftp(settings).await?),
            None => None,
        };
        let http = match settings.http.clone() {
            Some(settings) => {
                let root = self.root(&files.http_root);
                Some(Http::bind(settings, root, log(), &files.config_subdir).await?)
            }
            None => None,
        };
        if let Some(dhcp4) = dhcp4 {
            if let Some(server) = dhcp4.server() {
                let _ = self.servers.v4.set(server);
                let _ = self.servers.places4.set(dhcp4.places());
            }
            running.dhcp4 = dhcp4.addresses();
            if let Some(settings) = settings
                .dhcp4
                .as_ref()
                .filter(|dhcp| !dhcp.subnets.is_empty())
            {
                tracing::info!("{}", told_of_dhcp4(settings, &running.dhcp4));
            }
            running.tasks.spawn(dhcp4.run(stop.clone()));
        }
        if let Some(dhcp6) = dhcp6 {
            let _ = self.servers.v6.set(dhcp6.server());
            let _ = self.servers.places6.set(dhcp6.places());
            running.dhcp6 = dhcp6.addresses();
            if !running.dhcp6.is_empty() {
                tracing::info!("DHCP for IPv6 is served at {}", shown(&running.dhcp6));
            }
            running.tasks.spawn(dhcp6.run(stop.clone()));
        }
        if let Some(tftp) = tftp {
            running.tftp = tftp.addresses();
            let (at, root) = (shown(&running.tftp), files.tftp_root.display());
            tracing::info!("TFTP is served at {at}, from {root}");
            running.tasks.spawn(tftp.run(stop.clone()));
        }
        if let Some(http) = http {
            running.http = http.addresses();
            let (at, root) = (shown(&running.http), files.http_root.display());
            tracing::info!("boot files are served by HTTP at {at}, from {root}");
            running.tasks.spawn(http.run(stop));
        }
        let started = Started::of(self, settings, &running);
        let _ = self.servers.started.set(started);
        Ok(running)
    }

    fn dhcp4(&self, settings: dhcp4::Settings) -> Result<Dhcp4, BootError> {
        Dhcp4::bind(settings, self.know.clone(), self.leases("leases")?)
    }

    fn dhcp6(&self, settings: dhcp6::Settings) -> Result<Dhcp6, BootError> {
        let identifier = identifier(&self.state_dir.join("duid"))?;
        Dhcp6::bind(
            settings,
            self.know.clone(),
            self.leases("leases6")?,
            identifier,
        )
    }

    async fn tftp(&self, settings: tftp::Settings) -> Result<Tftp, BootError> {
        let files = &self.know.files;
        let root = self.root(&files.tftp_root);
        Tftp::bind(settings, root, self.know.log.clone(), &files.config_subdir).await
    }

    fn leases<A: Address + 'static>(&self, name: &str) -> Result<Leases<A>, BootError> {
        let (journal, kept) = Journal::open(&self.state_dir.join(name))?;
        Ok(Leases::new(kept, Box::new(journal)))
    }

    /// A root, which loaders may name by the whole path of either.
    fn root(&self, dir: &Path) -> Root {
        let files = &self.know.files;
        let aliases = vec![files.tftp_root.clone(), files.http_root.clone()];
        Root::new(dir, aliases, files.linked.clone())
    }

    async fn blocking(
        &self,
        work: impl FnOnce(&Knowledge) -> Result<(), BootError> + Send + 'static,
    ) -> Result<(), BootError> {
        let know = self.know.clone();
        let done = tokio::task::spawn_blocking(move || work(&know)).await;
        done.unwrap_or_else(|error| {
            Err(BootError::Settings(format!(
                "writing boot files failed: {error}"
            )))
        })
    }
}

#[async_trait]
impl BootServices for Boot {
    async fn publish(&self, boot: NodeBoot) -> Result<(), BootError> {
        self.blocking(move |know| {
            let before = know.roster.by_node(boot.node);
            // Remembered first, so that whatever is written can also be taken away after a crash.
            know.roster.put(boot.clone())?;
            if let Err(error) = tree::publish(&know.files, &boot, before.as_deref()) {
                match before {
                    Some(before) => know.roster.put(NodeBoot::clone(&before))?,
                    None => know.roster.forget(boot.node)?,
                }
                return Err(error);
            }
            for port in &boot.ports {
                know.log.note(&port.mac, event(&boot));
            }
            Ok(())
        })
        .await
    }

    async fn switch_to_disk(
        &self,
        node: NodeId,
        identifier: Option<String>,
    ) -> Result<(), BootError> {
        match self.know.roster.by_node(node) {
            Some(boot) => {
                let start = Start::Disk { identifier };
                self.publish(NodeBoot {
                    start,
                    ..NodeBoot::clone(&boot)
                })
                .await
            }
            None => Ok(()),
        }
    }

    async fn withdraw(&self, node: NodeId) -> Result<(), BootError> {
        self.blocking(move |know| {
            let boot = know.roster.by_node(node);
            tree::withdraw(&know.files, node, boot.as_deref())?;
            know.roster.forget(node)?;
            for port in boot.iter().flat_map(|boot| &boot.ports) {
                know.log.note(&port.mac, Event::Withdrawn);
            }
            Ok(())
        })
        .await
    }
}

impl LeaseBook {
    fn add<A: Address + Into<IpAddr>>(&mut self, leases: &Leases<A>) {
        self.changes += leases.changes();
        let lease = |lease: &Lease<A>| DhcpLease {
            address: lease.address.into(),
            mac: lease.mac,
            until: lease.until,
        };
        self.leases.extend(leases.leased().map(lease));
    }
}

fn event(boot: &NodeBoot) -> Event {
    match boot.start {
        Start::Disk { .. } => Event::SwitchedToDisk,
        _ => Event::Published {
            boot: format!("{}, {}", boot.way.name(), boot.mode.name()),
        },
    }
}

fn told_of_dhcp4(settings: &dhcp4::Settings, at: &[SocketAddr]) -> String {
    let network = |subnet: &dhcp4::Subnet| {
        let interface = subnet.interface.as_deref().unwrap_or("relays");
        format!("{}/{} ({interface})", subnet.network, subnet.prefix)
    };
    let networks: Vec<String> = settings.subnets.iter().map(network).collect();
    let what = match settings.role {
        dhcp4::Role::Server => "DHCP is served",
        dhcp4::Role::Proxy => "boot files are offered beside another DHCP server",
    };
    format!("{what} at {}, for {}", shown(at), networks.join(", "))
}

fn shown(addresses: &[SocketAddr]) -> String {
    let shown: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    shown.join(", ")
}

/// Servers that run, and where.
#[derive(Debug, Default)]
pub struct Running {
    pub dhcp4: Vec<SocketAddr>,
    pub dhcp6: Vec<SocketAddr>,
    pub tftp: Vec<SocketAddr>,
    pub http: Vec<SocketAddr>,
    tasks: JoinSet<()>,
}

impl Running {
    /// Waits until all have stopped.
    pub async fn wait(mut self) {
        while self.tasks.join_next().await.is_some() {}
    }
}

/// The identifier by which DHCPv6 clients know this server: made once, then kept.
#[expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]
fn identifier(path: &Path) -> Result<Vec<u8>, BootError> {
    if let Ok(kept) = fs::read(path)
        && kept.len() == 18
    {
        return Ok(kept);
    }
    // Kind 4: a UUID.
    let mut identifier = vec![0, 4];
    identifier.extend(uuid::Uuid::new_v4().into_bytes());
    place::write(path, &identifier, 0o644)?;
    Ok(identifier)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        choice::tests::node,
        doctor::{Cause, diagnose},
        http,
        node::{Artifact, BootMethod, BootMode},
    };

    fn files(dir: &Path) -> BootFiles {
        for name in ["k", "r"] {
            fs::write(dir.join(name), name).unwrap();
        }
        BootFiles {
            tftp_root: dir.join("tftp"),
            http_root: dir.join("http"),
            http_url: Some("http://h".to_owned()),
            ..BootFiles::default()
        }
    }

    #[tokio::test]
    async fn a_node_is_published_switched_and_withdrawn() {
        let dir = tempfile::tempdir().unwrap();
        let boot = Boot::open(files(dir.path()), &dir.path().join("state")).unwrap();
        let artifact = |name: &str| Artifact::File(dir.path().join(name));
        let start = Start::Agent {
            kernel: artifact("k"),
            ramdisk: artifact("r"),
        };
        let node = NodeBoot {
            start,
            ..node(BootMethod::Ipxe, BootMode::Bios)
        };
        let (id, mac) = (node.node, node.ports[0].mac);
        boot.publish(node.clone()).await.unwrap();
        boot.publish(node.clone()).await.unwrap();
        let config = dir.path().join("http/pxelinux.cfg/52-54-00-01-02-03");
        let goto = |name: &str| {
            fs::read_to_string(&config)
                .unwrap()
                .contains(&format!("\ngoto {name}\n"))
        };
        assert!(goto("deploy"));
        let look = || diagnose(&boot.log().timeline(&mac), Timestamp::now()).cause;
        assert_eq!(look(), Cause::UnderWay);
        let told = &boot.log().timeline(&mac)[0].event;
        assert_eq!(told.to_string(), "is to boot (iPXE, bios)");

        // A service that starts again knows the node, and can go on with it.
        let again = Boot::open(files(dir.path()), &dir.path().join("state")).unwrap();
        assert!(again.is_published(id).await);
        again.switch_to_disk(id, None).await.unwrap();
        assert!(goto("boot_whole_disk"));
        again.withdraw(id).await.unwrap();
        again.withdraw(id).await.unwrap();
        assert!(!config.exists() && !dir.path().join("http").join(id.to_string()).exists());
        again.switch_to_disk(id, None).await.unwrap();
        assert!(again.roster().by_node(id).is_none());
    }

    #[tokio::test]
    async fn what_is_lost_of_a_node_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let open = |files| Boot::open(files, &dir.path().join("state")).unwrap();
        let boot = open(files(dir.path()));
        let artifact = |name: &str| Artifact::File(dir.path().join(name));
        let start = Start::Agent {
            kernel: artifact("k"),
            ramdisk: artifact("r"),
        };
        let node = NodeBoot {
            start,
            ..node(BootMethod::Ipxe, BootMode::Bios)
        };
        let id = node.node;
        assert!(!boot.is_published(id).await);
        let folder = dir.path().join("http").join(id.to_string());
        for lost in [
            folder.join("config"),
            folder.join("deploy_kernel"),
            dir.path().join("http/pxelinux.cfg/52-54-00-01-02-03"),
        ] {
            boot.publish(node.clone()).await.unwrap();
            assert!(boot.is_published(id).await);
            fs::remove_file(&lost).unwrap();
            assert!(!boot.is_published(id).await, "{}", lost.display());
        }
        boot.publish(node.clone()).await.unwrap();
        // The same folder under another address: machines are sent to the wrong place.
        let moved = BootFiles {
            http_url: Some("http://elsewhere".to_owned()),
            ..files(dir.path())
        };
        let moved = open(moved);
        assert!(!moved.is_published(id).await);
        moved.publish(node).await.unwrap();
        assert!(moved.is_published(id).await);
    }

    #[tokio::test]
    async fn a_port_in_use_is_told_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let boot = Boot::open(files(dir.path()), &dir.path().join("state")).unwrap();
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let listeners = vec![taken.local_addr().unwrap()];
        let http = Some(http::Settings {
            listeners,
            ..http::Settings::default()
        });
        let settings = Settings {
            http,
            ..Settings::default()
        };
        let error = boot
            .start(&settings, CancellationToken::new())
            .await
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("cannot listen for HTTP on 127.0.0.1:"),
            "{error}"
        );
    }

    #[test]
    fn the_log_says_where_dhcp_is_served() {
        let mut subnet = dhcp4::Subnet::new([10, 0, 0, 0].into(), 24, [10, 0, 0, 1].into());
        subnet.interface = Some("eth1".to_owned());
        let mut settings = dhcp4::Settings {
            subnets: vec![subnet],
            ..dhcp4::Settings::default()
        };
        let told =
            |settings: &dhcp4::Settings| told_of_dhcp4(settings, &["0.0.0.0:67".parse().unwrap()]);
        let where_to = "at 0.0.0.0:67, for 10.0.0.0/24 (eth1)";
        assert_eq!(told(&settings), format!("DHCP is served {where_to}"));
        settings.role = dhcp4::Role::Proxy;
        assert!(told(&settings).ends_with(where_to));
    }

    /// A machine whose node is not published asks through a relay.
    #[tokio::test]
    async fn a_machine_of_a_node_gets_an_address_which_is_known_afterwards() {
        use crate::{enrolment::tests::Ports, lease::Range};
        use proto::dhcp::{
            options::code,
            v4::{Message, MessageType},
        };
        use std::net::Ipv4Addr;

        const MAC: [u8; 6] = [2, 0, 0, 0, 0, 7];
        let relay = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let mut subnet = dhcp4::Subnet::new([127, 0, 0, 0].into(), 8, Ipv4Addr::LOCALHOST);
        let first = [127, 1, 0, 1].into();
        subnet.ranges = vec![Range { first, last: first }];
        let dhcp4 = dhcp4::Settings {
            listeners: vec![dhcp4::Listener {
                interface: None,
                address: "127.0.0.1:0".parse().unwrap(),
            }],
            subnets: vec![subnet],
            relay_port: relay.local_addr().unwrap().port(),
            ..dhcp4::Settings::default()
        };
        let settings = Settings {
            dhcp4: Some(dhcp4),
            ..Settings::default()
        };
        let dir = tempfile::tempdir().unwrap();
        let boot = Boot::open(files(dir.path()), &dir.path().join("state")).unwrap();
        let (id, mac) = (
            node(BootMethod::Ipxe, BootMode::Bios).node,
            MacAddress::from(MAC),
        );
        boot.ask_about_ports(Arc::new(Ports {
            enrolled: vec![mac],
            ..Ports::default()
        }));
        assert_eq!(boot.addresses_of(id, std::slice::from_ref(&mac)), None);
        let stop = CancellationToken::new();
        let running = boot.start(&settings, stop.clone()).await.unwrap();
        let server = running.dhcp4[0];
        // Nothing is published, so the address may come from anywhere.
        assert_eq!(boot.addresses_of(id, std::slice::from_ref(&mac)), None);
        let mut ask = Message::request(MessageType::Discover, 1, MAC);
        ask.giaddr = Ipv4Addr::LOCALHOST;
        let mut buffer = [0; 2048];
        for kind in [MessageType::Offer, MessageType::Ack] {
            relay
                .send_to(&ask.encode(548).unwrap(), server)
                .await
                .unwrap();
            let length = relay.recv(&mut buffer).await.unwrap();
            let answer = Message::decode(&buffer[..length]).unwrap();
            assert_eq!((answer.kind(), answer.yiaddr), (Some(kind), first));
            ask = Message::request(MessageType::Request, 2, MAC);
            ask.giaddr = Ipv4Addr::LOCALHOST;
            ask.options.set_address(code::REQUESTED_ADDRESS, first);
            ask.options
                .set_address(code::SERVER_ID, Ipv4Addr::LOCALHOST);
        }
        let known = boot.addresses_of(id, std::slice::from_ref(&mac));
        assert_eq!(known, Some(vec![IpAddr::V4(first)]));
        stop.cancel();
        running.wait().await;
    }

    /// Without an address of ours, whoever says to be a machine that boots here is not.
    #[tokio::test]
    async fn a_node_that_boots_here_has_its_address_from_here() {
        let dir = tempfile::tempdir().unwrap();
        let boot = Boot::open(files(dir.path()), &dir.path().join("state")).unwrap();
        let listener = dhcp4::Listener {
            interface: None,
            address: "127.0.0.1:0".parse().unwrap(),
        };
        let settings = Settings {
            dhcp4: Some(dhcp4::Settings {
                listeners: vec![listener],
                ..dhcp4::Settings::default()
            }),
            ..Settings::default()
        };
        let artifact = |name: &str| Artifact::File(dir.path().join(name));
        let published = NodeBoot {
            start: Start::Agent {
                kernel: artifact("k"),
                ramdisk: artifact("r"),
            },
            ..node(BootMethod::Ipxe, BootMode::Bios)
        };
        let (id, mac) = (published.node, published.ports[0].mac);
        boot.publish(published).await.unwrap();
        assert_eq!(boot.addresses_of(id, std::slice::from_ref(&mac)), None);
        let stop = CancellationToken::new();
        let running = boot.start(&settings, stop.clone()).await.unwrap();
        assert_eq!(boot.addresses_of(id, &[mac]), Some(Vec::new()));
        stop.cancel();
        running.wait().await;
    }

    #[test]
    fn the_identifier_is_made_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("duid");
        assert_eq!(identifier(&path).unwrap(), identifier(&path).unwrap());
    }
}
