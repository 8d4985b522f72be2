//! The network: links up, an address for each, and what comes with addresses.
//!
//! Every Ethernet link of a device is switched on and asks for an IPv4 address as soon as it has a
//! carrier, all at once; IPv6 addresses come from routers by the kernel's own doing. Where several
//! links lead somewhere, the one that the machine was booted from is preferred. What an operator said
//! about bonds, VLANs and addresses ([`Layout`]) comes first.

mod joined;

use super::{
    Parameters, console,
    dhcp::{Client, Leases},
    dhcp6::{Client6, Lease6, Leases6},
    layout::{Addressing, Layout, Seen},
    lease::Lease,
};
use crate::netlink::{Change, Link, Netlink};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt::Write as _,
    fs, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Routes by the link that was booted from, and by the others.
const PREFERRED: u32 = 100;
const OTHERS: u32 = 1000;
/// How long the link that was booted from has for its address when another has one already.
const GRACE: Duration = Duration::from_secs(10);
/// How often the addresses are looked at that the kernel makes.
const LOOK: Duration = Duration::from_millis(250);
/// How often it is looked at what routers say, at first and later.
const ROUTERS: Duration = Duration::from_secs(1);
const NEW_ROUTERS: Duration = Duration::from_secs(60);

/// The network of this machine.
#[derive(Debug)]
pub(super) struct Network {
    boot: Option<[u8; 6]>,
    layout: Layout,
    /// Links that were switched on. Whoever switches one off later means it.
    seen: Mutex<HashSet<u32>>,
    clients: Mutex<HashMap<u32, (bool, Arc<Restart>)>>,
    leases: Mutex<BTreeMap<u32, (Link, Lease)>>,
    clients6: Mutex<HashMap<u32, Arc<Restart>>>,
    leases6: Mutex<BTreeMap<u32, Lease6>>,
    changed: Condvar,
}

/// Tells a client that its link may be in another network now.
#[derive(Debug, Default)]
pub(super) struct Restart(Mutex<bool>, Condvar);

impl Restart {
    fn ask(&self) {
        *guard(&self.0) = true;
        self.1.notify_all();
    }

    /// Forgets what was asked so far.
    pub(super) fn take(&self) {
        *guard(&self.0) = false;
    }

    /// Whether it was asked within this time.
    pub(super) fn wait(&self, limit: Duration) -> bool {
        let asked = guard(&self.0);
        // The clock of condition variables cannot count that far.
        let limit = limit.min(Duration::from_secs(u32::MAX.into()));
        let waited = self.1.wait_timeout_while(asked, limit, |asked| !*asked);
        let (mut asked, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *asked)
    }
}

/// Starts to look after all links.
pub(super) fn spawn(parameters: &Parameters, layout: Layout) -> io::Result<Arc<Network>> {
    let network = Arc::new(Network {
        boot: parameters.boot_link(),
        layout,
        seen: Mutex::default(),
        clients: Mutex::default(),
        leases: Mutex::default(),
        clients6: Mutex::default(),
        leases6: Mutex::default(),
        changed: Condvar::new(),
    });
    let events = Netlink::listening()?;
    network.make_bonds();
    let asking = Arc::clone(&network);
    super::spawn("routers", move || asking.follow_routers())?;
    let watching = Arc::clone(&network);
    super::spawn("links", move || watching.watch(events))?;
    Ok(network)
}

impl Network {
    /// Waits until there is an address to work with.
    pub(super) fn wait(&self, limit: Duration) {
        let started = Instant::now();
        let mut leases = guard(&self.leases);
        loop {
            let boot_has_one = leases.values().any(|(link, _)| self.preferred(link));
            let any = !leases.is_empty() || has_global_v6();
            let is_told = self.boot.is_some() || !self.layout.is_empty();
            let patient = is_told && started.elapsed() < GRACE;
            if boot_has_one || (any && !patient) {
                return;
            }
            if started.elapsed() > limit {
                console::say(
                    "timeout: no network interface has an address yet, continuing without",
                );
                return;
            }
            let waited = self.changed.wait_timeout(leases, LOOK);
            leases = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Every link may have been moved to another network.
    pub(super) fn start_over(&self) {
        for (_, restart) in guard(&self.clients).values() {
            restart.ask();
        }
        for restart in guard(&self.clients6).values() {
            restart.ask();
        }
    }

    fn watch(self: &Arc<Self>, mut events: Netlink) {
        loop {
            // Asked anew after a failure, since messages may have been lost.
            let listed = Netlink::open().and_then(|mut kernel| kernel.links());
            for link in listed.unwrap_or_default() {
                self.consider(&link);
            }
            while let Ok(changes) = events.changes() {
                for change in changes {
                    match change {
                        Change::Seen(link) => self.consider(&link),
                        // A client without its link asks in vain; there are few of them.
                        Change::Gone(index) => {
                            guard(&self.seen).remove(&index);
                            guard(&self.clients).remove(&index);
                            guard(&self.clients6).remove(&index);
                        }
                    }
                }
            }
        }
    }

    fn consider(self: &Arc<Self>, link: &Link) {
        let device = Path::new("/sys/class/net").join(&link.name).join("device");
        let is_card = link.mac.is_some() && device.exists();
        let is_made = self.layout.makes(&link.name);
        let wanted = is_card || is_made || link.name == "lo";
        let new = wanted && guard(&self.seen).insert(link.index);
        if is_card && let Some(bond) = self.layout.bond_of(self.seen_as(link)) {
            // A member has no address of its own.
            if link.master.is_some() || !new || self.join(link, bond) {
                return;
            }
        }
        let addressing = self.layout.addressing(self.seen_as(link));
        if new {
            self.prepare(link, &addressing);
        }
        if new && !link.up {
            let up = Netlink::open().and_then(|mut kernel| kernel.set_up(link.index, true));
            if let Err(error) = up {
                console::say(&format!(
                    "cannot bring up network interface {}: {error}",
                    link.name
                ));
            }
            return;
        }
        let Some(mac) = link.mac.filter(|_| is_card || is_made) else {
            return;
        };
        if link.carrier && addressing.asks_dhcp6 {
            self.attend6(link, mac);
        }
        let mut clients = guard(&self.clients);
        if let Some((carrier, restart)) = clients.get_mut(&link.index) {
            let back = link.carrier && !*carrier;
            *carrier = link.carrier;
            if back {
                restart.ask();
            }
        } else if link.carrier {
            let restart = Arc::new(Restart::default());
            match self.attend(link, mac, &addressing, Arc::clone(&restart)) {
                Ok(()) => drop(clients.insert(link.index, (true, restart))),
                Err(error) => console::say(&format!("DHCP failed on {}: {error}", link.name)),
            }
        }
    }

    /// A link as people name it.
    fn seen_as<'a>(&self, link: &'a Link) -> Seen<'a> {
        let own = link.permanent.or(link.mac);
        Seen {
            name: &link.name,
            mac: link.mac,
            permanent: link.permanent,
            is_boot: self.boot.is_some() && own == self.boot,
        }
    }

    fn attend(
        self: &Arc<Self>,
        link: &Link,
        mac: [u8; 6],
        addressing: &Addressing,
        restart: Arc<Restart>,
    ) -> io::Result<()> {
        self.set_fixed(link, addressing);
        if !addressing.asks_dhcp4 {
            return Ok(());
        }
        let client = Client::open(link, mac)?;
        let network = Arc::clone(self);
        super::spawn("dhcp", move || client.run(&*network, &restart))
    }

    /// Starts to ask for an IPv6 address, unless that has been done.
    fn attend6(self: &Arc<Self>, link: &Link, mac: [u8; 6]) {
        let mut clients = guard(&self.clients6);
        if clients.contains_key(&link.index) {
            return;
        }
        let restart = Arc::new(Restart::default());
        let (network, waiting) = (Arc::clone(self), Arc::clone(&restart));
        let begun = Client6::open(link, mac)
            .and_then(|client| super::spawn("dhcp6", move || client.run(&*network, &waiting)));
        match begun {
            Ok(()) => drop(clients.insert(link.index, restart)),
            Err(error) => console::say(&format!("DHCPv6 failed on {}: {error}", link.name)),
        }
    }

    /// Asks servers for addresses where routers say that these give them (RFC 4861, the M flag). Only
    /// where nobody said how links are addressed.
    fn follow_routers(self: &Arc<Self>) {
        if !self.layout.is_empty() {
            return;
        }
        let started = Instant::now();
        loop {
            let listed = Netlink::open().and_then(|mut kernel| {
                let managed = kernel.managed_links()?;
                let mut links = kernel.links()?;
                links.retain(|link| managed.contains(&link.index) && link.carrier);
                Ok(links)
            });
            for link in listed.unwrap_or_default() {
                if let Some(mac) = link.mac {
                    self.attend6(&link, mac);
                }
            }
            let is_young = started.elapsed() < NEW_ROUTERS;
            std::thread::park_timeout(if is_young { ROUTERS } else { NEW_ROUTERS });
        }
    }

    fn preferred(&self, link: &Link) -> bool {
        // What an operator described is how the machine is reached.
        let is_boot = self.boot.is_some() && link.mac == self.boot;
        is_boot || self.layout.makes(&link.name)
    }

    fn apply(&self, link: &Link, lease: &Lease) -> io::Result<()> {
        let mut kernel = Netlink::open()?;
        let index = link.index;
        if let Some(mtu) = lease.mtu {
            kernel.set_mtu(index, mtu.into())?;
        }
        let seconds = lease.lasts.map(|lasts| lasts.as_secs());
        let seconds = seconds.and_then(|seconds| u32::try_from(seconds).ok());
        kernel.add_address(index, lease.address.into(), lease.prefix, seconds)?;
        let metric = if self.preferred(link) {
            PREFERRED
        } else {
            OTHERS.saturating_add(index)
        };
        for route in &lease.routes {
            let gateway = Some(route.gateway).filter(|gateway| !gateway.is_unspecified());
            if let Some(gateway) = gateway.filter(|gateway| !within(lease, *gateway)) {
                kernel.add_route(index, (gateway.into(), 32), None, metric)?;
            }
            let network = (IpAddr::from(route.network), route.prefix);
            kernel.add_route(index, network, gateway.map(IpAddr::from), metric)?;
        }
        Ok(())
    }

    /// Writes down what all leases say together, the preferred link's first.
    fn write_down(&self, leases: &BTreeMap<u32, (Link, Lease)>) {
        let mut all: Vec<_> = leases.values().collect();
        all.sort_by_key(|(link, _)| (!self.preferred(link), link.index));
        let of_servers = guard(&self.leases6);
        let of_servers = of_servers.values().flat_map(|lease| &lease.dns);
        let said = self.layout.dns.iter().copied();
        let dns: Vec<IpAddr> = said
            .chain(of_servers.map(|one| IpAddr::from(*one)))
            .collect();
        let _ = fs::write(
            "/etc/resolv.conf",
            resolver(&dns, all.iter().map(|(_, lease)| lease)),
        );
        let ntp = all.iter().flat_map(|(_, lease)| &lease.ntp);
        let ntp: Vec<String> = ntp.map(Ipv4Addr::to_string).collect();
        let _ = fs::create_dir_all("/run/corten");
        let _ = fs::write("/run/corten/ntp-servers", ntp.join("\n"));
        let name = all.iter().find_map(|(_, lease)| lease.host_name.as_ref());
        if let Some(name) = name {
            let short = name.split('.').next().unwrap_or(name);
            let _ = rustix::system::sethostname(short.as_bytes());
        }
    }
}

impl Leases for Network {
    fn granted(&self, link: &Link, lease: &Lease) {
        let mut leases = guard(&self.leases);
        if let Err(error) = self.apply(link, lease) {
            console::say(&format!(
                "{}: cannot set the address {}: {error}",
                link.name, lease.address
            ));
            return;
        }
        let known = leases.insert(link.index, (link.clone(), lease.clone()));
        if known.is_none_or(|(_, known)| known.address != lease.address) {
            let from = match lease.server.is_unspecified() {
                true => "as configured".to_owned(),
                false => format!("from {}", lease.server),
            };
            console::say(&format!(
                "{} has {}/{} {from}",
                link.name, lease.address, lease.prefix
            ));
        }
        self.write_down(&leases);
        self.changed.notify_all();
    }

    fn lost(&self, link: &Link, lease: &Lease) {
        let mut leases = guard(&self.leases);
        leases.remove(&link.index);
        self.write_down(&leases);
        console::say(&format!(
            "DHCP lease lost: {} no longer has {}",
            link.name, lease.address
        ));
        // The kernel may have dropped it by itself when its time was over.
        let _ = Netlink::open().and_then(|mut kernel| {
            kernel.remove_address(link.index, lease.address.into(), lease.prefix)
        });
    }
}

impl Leases6 for Network {
    fn granted6(&self, link: &Link, lease: &Lease6) {
        let seconds = lease.lasts.map(|lasts| lasts.as_secs());
        let seconds = seconds.and_then(|seconds| u32::try_from(seconds).ok());
        // What else is on the link, routers say (RFC 5942 §4).
        let added = Netlink::open().and_then(|mut kernel| {
            kernel.add_address(link.index, lease.address.into(), 128, seconds)
        });
        if let Err(error) = added {
            console::say(&format!(
                "{}: cannot set the address {}: {error}",
                link.name, lease.address
            ));
            return;
        }
        let leases = guard(&self.leases);
        let known = guard(&self.leases6).insert(link.index, lease.clone());
        if known.is_none_or(|known| known.address != lease.address) {
            console::say(&format!("{} has {} by DHCPv6", link.name, lease.address));
        }
        self.write_down(&leases);
        self.changed.notify_all();
    }

    fn lost6(&self, link: &Link, lease: &Lease6) {
        let leases = guard(&self.leases);
        guard(&self.leases6).remove(&link.index);
        self.write_down(&leases);
        console::say(&format!(
            "DHCPv6 lease lost: {} no longer has {}",
            link.name, lease.address
        ));
        let _ = Netlink::open()
            .and_then(|mut kernel| kernel.remove_address(link.index, lease.address.into(), 128));
    }
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn within(lease: &Lease, address: Ipv4Addr) -> bool {
    let shift = 32 - u32::from(lease.prefix.min(32));
    let network = |address: Ipv4Addr| address.to_bits().checked_shr(shift).unwrap_or(0);
    network(lease.address) == network(address)
}

/// The text of /etc/resolv.conf.
fn resolver<'a>(dns: &[IpAddr], leases: impl Iterator<Item = &'a Lease>) -> String {
    let (mut domains, mut servers) = (Vec::new(), dns.to_vec());
    for lease in leases {
        for server in lease.dns.iter().map(|server| IpAddr::from(*server)) {
            if !servers.contains(&server) {
                servers.push(server);
            }
        }
        domains.extend(lease.domain.as_deref());
    }
    let mut text = String::new();
    if !domains.is_empty() {
        domains.dedup();
        let _ = writeln!(text, "search {}", domains.join(" "));
    }
    for server in servers {
        let _ = writeln!(text, "nameserver {server}");
    }
    text
}

/// Whether a router gave this machine an address that others can reach.
fn has_global_v6() -> bool {
    let table = fs::read_to_string("/proc/net/if_inet6").unwrap_or_default();
    table.lines().any(|line| {
        let digits = line.split_whitespace().next().unwrap_or_default();
        u128::from_str_radix(digits, 16)
            .map(Ipv6Addr::from_bits)
            .is_ok_and(|address| !address.is_loopback() && !address.is_unicast_link_local())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lease(dns: &[Ipv4Addr], domain: &str) -> Lease {
        Lease {
            address: Ipv4Addr::new(10, 0, 0, 9),
            prefix: 24,
            server: Ipv4Addr::new(10, 0, 0, 1),
            routes: Vec::new(),
            dns: dns.to_vec(),
            domain: Some(domain.to_owned()),
            host_name: None,
            mtu: None,
            ntp: Vec::new(),
            lasts: None,
            renew_after: Duration::MAX,
            rebind_after: Duration::MAX,
        }
    }

    #[test]
    fn name_servers_of_all_links_once_each() {
        let (a, b) = (Ipv4Addr::new(10, 0, 0, 2), Ipv4Addr::new(10, 0, 0, 3));
        let leases = [lease(&[a, b], "x.example"), lease(&[b], "x.example")];
        assert_eq!(
            resolver(&[], leases.iter()),
            "search x.example\nnameserver 10.0.0.2\nnameserver 10.0.0.3\n"
        );
        let said = ["2001:db8::53".parse().unwrap(), b.into()];
        assert_eq!(
            resolver(&said, leases[..1].iter()),
            "search x.example\nnameserver 2001:db8::53\nnameserver 10.0.0.3\nnameserver 10.0.0.2\n"
        );
    }

    #[test]
    fn gateways_outside_the_network() {
        let mut lease = lease(&[], "");
        assert!(within(&lease, Ipv4Addr::new(10, 0, 0, 254)));
        assert!(!within(&lease, Ipv4Addr::new(10, 0, 1, 1)));
        lease.prefix = 0;
        assert!(within(&lease, Ipv4Addr::new(99, 0, 1, 1)));
        lease.prefix = 32;
        assert!(!within(&lease, Ipv4Addr::new(10, 0, 0, 8)));
    }
}
