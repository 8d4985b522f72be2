//! A machine is on one network at a time.
//!
//! A machine on two networks would join a tenant's network to ours. So binding a port takes an
//! [`Unplugged`], of which there is one source, [`clear`]: it takes the machine off every network that
//! its row, or Neutron, says it may be on. The proof is given away by value, for one network.

use super::{NodeNetwork, boot_port, tenant};
use crate::{
    DriverError,
    iface::{Machine, NetworkPurpose},
};
use types::internal_info::BootNetwork;

/// The machine is on no network but the one it is to be put on.
#[must_use]
#[derive(Debug)]
pub(super) struct Unplugged(());

/// Takes the machine off all networks but those it is to be put on: a ramdisk's, or the instance's.
pub(super) async fn clear(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    for_ramdisk: Option<&BootNetwork>,
) -> Result<Unplugged, DriverError> {
    let notes = machine.node.driver_internal_info.networks();
    for noted in &notes.boot {
        let stays = for_ramdisk
            .is_some_and(|to| to.purpose == noted.purpose && to.network == noted.network);
        if !stays {
            boot_port::remove(network, machine, noted).await?;
        }
    }
    for &purpose in NetworkPurpose::ALL {
        let is_noted = notes.boot_networks(purpose).next().is_some();
        if purpose != NetworkPurpose::Tenant && !is_noted {
            boot_port::remove_imported(network, machine, purpose).await?;
        }
    }
    if for_ramdisk.is_some() && tenant::may_be_bound(network, machine).await? {
        tenant::unbind_all(network, machine).await?;
    }
    Ok(Unplugged(()))
}

/// Notes whether the ports of the instance may be bound; says whether that is news.
pub(super) fn note_tenant(machine: &mut Machine<'_>, is_bound: bool) -> bool {
    let info = &mut machine.node.driver_internal_info;
    let mut notes = info.networks();
    let is_news = notes.is_tenant_bound != is_bound;
    notes.is_tenant_bound = is_bound;
    info.set_networks(&notes);
    is_news
}
