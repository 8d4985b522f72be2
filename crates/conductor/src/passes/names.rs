//! The names of machines that have an address of this conductor's DHCP server: in a file of hosts, and
//! told to a DNS server.
//!
//! What is to be known is computed anew in every round, so there is no queue that could grow, and a
//! server that was away is told what holds when it is back. What it was told is in the database
//! before it is, so that a name ends with its lease also where this process was killed in between.

use super::round::Round;
use crate::core::Core;
use boot::{
    Boot,
    dns::{DnsError, Updater},
    hosts_file::{self, HostLine},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
    pin::Pin,
    sync::Arc,
    time::Duration,
};
use store::{
    StoreError,
    dhcp_lease::{self, NamedLease},
    dns_name::{self, DnsName},
};
use tokio::{sync::Mutex, time::Instant};
use types::site_network::is_dns_name;

/// How many names a DNS server is told in a round.
const MOST_CHANGES: usize = 200;
/// How long a DNS server that failed is left alone, at first and at most.
const PAUSE: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(300));
/// How long a name that others have is left alone.
const FOREIGN_PAUSE: Duration = Duration::from_secs(600);

#[derive(Debug, Default)]
struct Kept {
    /// What the file says, once it was written.
    hosts: Option<Vec<HostLine>>,
    /// Why it could not be written, as it was logged.
    hosts_error: Option<String>,
    pause: Option<Pause>,
    /// Names that others have in the zone, and when they are tried again.
    foreign: HashMap<String, Instant>,
}

/// A DNS server that failed.
#[derive(Debug)]
struct Pause {
    until: Instant,
    length: Duration,
    /// What was logged.
    error: String,
}

type Rounds = Pin<Box<dyn Future<Output = Round> + Send>>;

pub(super) fn pass() -> impl FnMut(Arc<Core>) -> Rounds + Send {
    let kept = Arc::new(Mutex::new(Kept::default()));
    move |core| {
        let kept = Arc::clone(&kept);
        Box::pin(async move {
            let mut kept = kept.lock().await;
            match round(&core, &mut kept).await {
                Ok(round) => round,
                Err(error) => {
                    let error = types::error::chain(&error);
                    tracing::error!(error, "the names of machines cannot be read");
                    Round::FAILED
                }
            }
        })
    }
}

async fn round(core: &Core, kept: &mut Kept) -> Result<Round, StoreError> {
    let Some(boot) = core.registry.boot().filter(|boot| boot.gives_addresses()) else {
        return Ok(Round::default());
    };
    let mut named = dhcp_lease::named(&core.db).await?;
    // Ironic's names of nodes may have an underscore, which no host name has.
    named.retain(|one| is_dns_name(&one.node_name));
    let mut round = Round {
        visited: named.len() as u64,
        failed: 0,
    };
    let me = &core.settings.host;
    if let Some(path) = &core.settings.names.hosts_file {
        let ours = named.iter().filter(|one| one.conductor == *me);
        let lines = ours.map(|one| line(boot, one)).collect();
        round.failed += u64::from(!write_hosts(path, lines, kept).await);
    }
    if let Some(dns) = &core.settings.names.dns {
        let updater = Updater::new(dns.clone());
        round.failed += u64::from(!tell(core, &updater, &named, kept).await?);
    }
    Ok(round)
}

fn line(boot: &Boot, lease: &NamedLease) -> HostLine {
    HostLine {
        address: lease.address,
        name: lease.node_name.clone(),
        domain: boot.domain_of(lease.address),
    }
}

async fn write_hosts(path: &Path, lines: Vec<HostLine>, kept: &mut Kept) -> bool {
    if kept.hosts.as_ref() == Some(&lines) {
        return true;
    }
    let (to, text) = (path.to_owned(), lines.clone());
    let written = tokio::task::spawn_blocking(move || hosts_file::write(&to, &text)).await;
    match written {
        Ok(Ok(())) => {
            kept.hosts = Some(lines);
            kept.hosts_error = None;
            true
        }
        Ok(Err(error)) => {
            let error = types::error::chain(&error);
            if kept.hosts_error.as_ref() != Some(&error) {
                tracing::error!(error, "[corten]hosts_file cannot be written");
                kept.hosts_error = Some(error);
            }
            false
        }
        Err(error) => {
            tracing::error!(%error, "a worker ended early");
            false
        }
    }
}

/// Tells the DNS server what changed; whether it took all of it.
async fn tell(
    core: &Core,
    updater: &Updater,
    named: &[NamedLease],
    kept: &mut Kept,
) -> Result<bool, StoreError> {
    let now = Instant::now();
    if kept.pause.as_ref().is_some_and(|pause| pause.until > now) {
        return Ok(true);
    }
    kept.foreign.retain(|_, until| *until > now);
    match tell_changes(core, updater, named, kept).await? {
        Ok(()) => {
            if kept.pause.take().is_some() {
                tracing::info!("the DNS server takes names of machines again");
            }
            Ok(true)
        }
        Err(error) => {
            let error = types::error::chain(&error);
            let before = kept.pause.take();
            if before.as_ref().is_none_or(|before| before.error != error) {
                tracing::error!(error, "names of machines cannot be told to the DNS server");
            }
            let length = before.map_or(PAUSE.0, |before| (before.length * 2).min(PAUSE.1));
            let until = Instant::now() + length;
            kept.pause = Some(Pause {
                until,
                length,
                error,
            });
            Ok(false)
        }
    }
}

async fn tell_changes(
    core: &Core,
    updater: &Updater,
    named: &[NamedLease],
    kept: &mut Kept,
) -> Result<Result<(), DnsError>, StoreError> {
    let (db, me) = (&core.db, &core.settings.host);
    let (mut ours, mut others) = (BTreeSet::new(), BTreeSet::new());
    for lease in named {
        let Ok(name) = updater.full_name(&lease.node_name) else {
            continue;
        };
        let name = DnsName {
            name: name.to_string(),
            address: lease.address,
        };
        match lease.conductor == *me {
            true => ours.insert(name),
            false => others.insert(name),
        };
    }
    let known = dns_name::of_conductor(db, me).await?;
    let known: BTreeMap<DnsName, bool> = known
        .into_iter()
        .map(|one| (one.name, one.is_told))
        .collect();
    let gone = known.keys().filter(|name| !ours.contains(*name));
    for one in gone.take(MOST_CHANGES) {
        // The conductor that has the machine's network now tells it.
        if !others.contains(one)
            && let Ok(name) = one.name.parse()
            && let Err(error) = updater.remove(&name, one.address).await
        {
            return Ok(Err(error));
        }
        dns_name::forget(db, me, one.clone()).await?;
        tracing::info!(name = one.name, address = %one.address, "removed from DNS");
    }
    let mut told: BTreeSet<&str> = known
        .iter()
        .filter(|(name, is_told)| **is_told && ours.contains(*name))
        .map(|(name, _)| name.name.as_str())
        .collect();
    let new = ours.iter().filter(|name| known.get(*name) != Some(&true));
    let new = new.filter(|name| !kept.foreign.contains_key(&name.name));
    let new: Vec<&DnsName> = new.take(MOST_CHANGES).collect();
    for one in new {
        let Ok(name) = one.name.parse() else {
            continue;
        };
        dns_name::begin(db, me, one.clone()).await?;
        let is_ours = told.contains(one.name.as_str());
        match updater.add(&name, one.address, is_ours).await {
            Ok(()) => {
                dns_name::told(db, me, one.clone()).await?;
                tracing::info!(name = one.name, address = %one.address, "told to DNS");
                told.insert(&one.name);
            }
            Err(error) if error.is_of_name() => {
                dns_name::forget(db, me, one.clone()).await?;
                let error = types::error::chain(&error);
                tracing::warn!(name = one.name, address = %one.address, error, "not told to DNS");
                let until = Instant::now() + FOREIGN_PAUSE;
                kept.foreign.insert(one.name.clone(), until);
            }
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(()))
}
