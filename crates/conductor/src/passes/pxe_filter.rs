//! Which machines the operator's dnsmasq answers: those that are being inspected, and no others
//! (`[pxe_filter]`).
//!
//! Ironic has a program of its own for this. Here every conductor that names a folder keeps it, beside
//! the dnsmasq on its host. An inspection that begins is told at once; the pass puts right what else
//! changed.

use super::round::{Round, unreadable};
use crate::{core::Core, inspection::PxeFilter, task::Task};
use boot::pxe_filter::HostFolder;
use drivers::{DriverError, Failure};
use std::{collections::BTreeSet, sync::Arc};
use types::{ProvisionState as S, port::MacAddress};

/// Brings the folder up to date.
pub(super) async fn pass(core: Arc<Core>) -> Round {
    let Some(filter) = core.settings.inspection.pxe_filter.clone() else {
        return Round::default();
    };
    let ports = match store::port::inspections(&core.db).await {
        Ok(ports) => ports,
        Err(error) => return unreadable(&error),
    };
    let visited = ports.len() as u64;
    let (mut admitted, mut denied) = (BTreeSet::new(), BTreeSet::new());
    for (address, state, interface) in ports {
        let is_inspected = matches!(state, S::Inspecting | S::InspectWait)
            && filter.interfaces.contains(&interface);
        match is_inspected {
            true => admitted.insert(address),
            false => denied.insert(address),
        };
    }
    let admits_unknown = !admitted.is_empty() || core.settings.inspection.auto_discovery;
    let folder = HostFolder(filter.folder);
    let work = move || folder.sync(&admitted, &denied, admits_unknown);
    let failed = match tokio::task::spawn_blocking(work).await {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => {
            let error = types::error::chain(&error);
            tracing::error!(error, "the hosts of dnsmasq cannot be brought up to date");
            1
        }
        Err(error) => {
            tracing::error!(%error, "a worker ended early");
            1
        }
    };
    Round { visited, failed }
}

/// Has dnsmasq answer a machine whose inspection begins: it may ask before the pass comes.
pub(crate) async fn admit(task: &Task) -> Result<(), DriverError> {
    let Some(filter) = task.settings().inspection.pxe_filter.clone() else {
        return Ok(());
    };
    let interface = task.hardware.inspect.name();
    if !filter.interfaces.iter().any(|name| name == interface) {
        return Ok(());
    }
    let addresses: BTreeSet<MacAddress> = task.ports().iter().map(|port| port.address).collect();
    let PxeFilter { folder, .. } = filter;
    let failed = |why: String| {
        let tried = "dnsmasq cannot be told to answer the machine";
        DriverError::Environment(Failure::because(tried, why))
    };
    let work = move || HostFolder(folder).admit(&addresses);
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| failed(types::error::chain(&error))),
        Err(error) => Err(failed(error.to_string())),
    }
}
