//! The networks of the database, on a conductor that gives addresses.
//!
//! A network is served by one conductor at a time, which has put its name into the row: two that did
//! would give one address twice. Another one takes it over when that one is gone, with the leases that
//! it wrote down.

use super::round::Round;
use crate::core::Core;
use boot::Boot;
use std::{collections::HashMap, net::IpAddr, pin::Pin, sync::Arc};
use store::{StoreError, dhcp_lease, site_network};
use tokio::sync::Mutex;
use types::{
    Timestamp,
    site_network::{DhcpLease, NetworkName, SiteNetwork},
};

/// How long a lease that ended is remembered: the machine may come back.
const REMEMBERED_S: i64 = 86_400;
/// After how many rounds, of two seconds each, old leases of conductors that are gone are removed.
const PURGE_ROUNDS: u64 = 1800;

/// What the last rounds came to.
#[derive(Debug, Default)]
struct Kept {
    rounds: u64,
    /// What the DHCP servers were given: the networks and how often anything was changed by then.
    given: Option<(i64, Vec<(NetworkName, i64)>)>,
    /// The leases that the database has of us, once it was asked.
    written: Option<HashMap<IpAddr, DhcpLease>>,
    /// The number of changes of leases that are written down.
    written_changes: Option<u64>,
}

type Rounds = Pin<Box<dyn Future<Output = Round> + Send>>;

pub(super) fn pass() -> impl FnMut(Arc<Core>) -> Rounds + Send {
    let kept = Arc::new(Mutex::new(Kept::default()));
    move |core| {
        let kept = Arc::clone(&kept);
        Box::pin(async move {
            let Some(boot) = core.registry.boot().filter(|boot| boot.gives_addresses()) else {
                return Round::default();
            };
            let mut kept = kept.lock().await;
            match round(&core, boot, &mut kept).await {
                Ok(visited) => Round { visited, failed: 0 },
                Err(error) => {
                    let error = types::error::chain(&error);
                    tracing::error!(
                        error,
                        "networks cannot be read, or leases not be written down"
                    );
                    Round::FAILED
                }
            }
        })
    }
}

async fn round(core: &Core, boot: &Boot, kept: &mut Kept) -> Result<u64, StoreError> {
    let me = &core.settings.host;
    if kept.written.is_none() {
        // What this conductor gave before is known even if its own file was lost.
        let before = dhcp_lease::of_conductor(&core.db, me).await?;
        boot.adopt_leases(&before);
        let by_address = before.into_iter().map(|lease| (lease.address, lease));
        kept.written = Some(by_address.collect());
    }
    // Read first: what changes meanwhile is seen in the next round.
    let number = site_network::changes(&core.db).await?;
    let mut served = Vec::new();
    for network in site_network::list(&core.db).await? {
        if is_served(core, boot, &network).await? {
            served.push(network);
        }
    }
    let names = served
        .iter()
        .map(|network| (network.name.clone(), network.version));
    let wanted = (number, names.collect());
    if kept.given.as_ref() != Some(&wanted) {
        let reservations = site_network::reservations(&core.db, None).await?;
        let plans: Vec<_> = served.into_iter().map(|network| network.plan).collect();
        boot.set_networks(&plans, &reservations);
        kept.given = Some(wanted);
    }
    write_down(core, boot, kept).await?;
    kept.rounds += 1;
    if kept.rounds.is_multiple_of(PURGE_ROUNDS) {
        dhcp_lease::purge(&core.db, Timestamp::now().plus_seconds(-REMEMBERED_S)).await?;
    }
    Ok(kept
        .given
        .as_ref()
        .map_or(0, |(_, given)| given.len() as u64))
}

/// Whether this conductor serves a network from now on; takes it where it may and no other has it.
async fn is_served(core: &Core, boot: &Boot, network: &SiteNetwork) -> Result<bool, StoreError> {
    let me = &core.settings.host;
    let plan = &network.plan;
    let is_named = plan.conductor.as_ref().is_none_or(|name| name == me);
    let is_here = plan.interface.as_deref().is_none_or(Boot::has_interface);
    let may = is_named && is_here;
    match &network.served_by {
        Some(host) if host == me && may => return Ok(true),
        Some(host) if host == me => {
            let name = Some(network.name.clone());
            site_network::yield_to_others(&core.db, me, name).await?;
            return Ok(false);
        }
        _ if !may => return Ok(false),
        Some(host) if core.view.is_alive(host) == Some(true) => return Ok(false),
        _ => {}
    }
    if !site_network::claim(&core.db, network, me).await? {
        return Ok(false);
    }
    let leases = dhcp_lease::of_others(&core.db, me, &plan.prefix).await?;
    boot.adopt_leases(&leases);
    let before = network.served_by.as_deref().unwrap_or("none");
    tracing::info!(network = %network.name, prefix = %plan.prefix, before, leases = leases.len(),
        "this conductor serves the network from now on");
    Ok(true)
}

/// Brings the database's copy of our leases up to date.
async fn write_down(core: &Core, boot: &Boot, kept: &mut Kept) -> Result<(), StoreError> {
    let changes = boot.lease_changes();
    let (Some(written), false) = (&mut kept.written, kept.written_changes == Some(changes)) else {
        return Ok(());
    };
    let me = &core.settings.host;
    let oldest = Timestamp::now().plus_seconds(-REMEMBERED_S);
    let leases = boot.lease_book().leases.into_iter();
    let now: HashMap<IpAddr, DhcpLease> = leases
        .filter(|lease| lease.until > oldest)
        .map(|lease| (lease.address, lease))
        .collect();
    let gone: Vec<IpAddr> = written
        .keys()
        .filter(|address| !now.contains_key(*address))
        .copied()
        .collect();
    for some in gone.chunks(dhcp_lease::BATCH) {
        dhcp_lease::apply(&core.db, me, Vec::new(), some.to_vec()).await?;
        some.iter().for_each(|address| {
            written.remove(address);
        });
    }
    let changed = now.into_values();
    let changed: Vec<DhcpLease> = changed
        .filter(|lease| written.get(&lease.address) != Some(lease))
        .collect();
    for some in changed.chunks(dhcp_lease::BATCH) {
        dhcp_lease::apply(&core.db, me, some.to_vec(), Vec::new()).await?;
        let some = some.iter().map(|lease| (lease.address, lease.clone()));
        written.extend(some);
    }
    kept.written_changes = Some(changes);
    Ok(())
}
