//! Virtual interfaces: which of them are attached to a node, and changes of that.

use crate::{
    core::Core,
    flow,
    flow::networks,
    lock,
    manage::answer,
    portgroup,
    task::{Stop, Task},
};
use drivers::{DriverError, iface::NetworkPurpose};
use std::sync::Arc;
use store::node::Log;
use types::{
    Caller, Fault, JsonMap, Node, NodeId, Port, Portgroup, ProvisionState, Work,
    network::{VifHolder, VifNote},
    pyrepr,
};

impl Core {
    pub(crate) async fn vifs(&self, id: NodeId) -> Result<Vec<String>, Fault> {
        let mut node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        let hardware = self.hardware(&node)?;
        self.ask(&mut node, async |machine| {
            hardware.network.validate(machine).await?;
            hardware.network.vifs(machine).await
        })
        .await
    }

    pub(crate) async fn attach_vif(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        vif: JsonMap,
    ) -> Result<(), Fault> {
        let work = Work::Vif {
            vif: vif.get("id").map(pyrepr::to_str).unwrap_or_default(),
            is_attached: true,
        };
        self.exclusively_for(work, id, who, move |mut task| async move {
            let outcome = attach(&mut task, &vif).await;
            answer(task, outcome)
        })
        .await
    }

    pub(crate) async fn detach_vif(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        vif: String,
    ) -> Result<(), Fault> {
        let work = Work::Vif {
            vif: vif.clone(),
            is_attached: false,
        };
        self.exclusively_for(work, id, who, move |mut task| async move {
            let outcome = detach(&mut task, &vif).await;
            answer(task, outcome)
        })
        .await
    }

    /// Writes a port that a client changed, once Neutron knows of it.
    pub(crate) async fn store_port(
        self: &Arc<Self>,
        who: &Caller,
        old: Port,
        new: Port,
        log: Log,
    ) -> Result<Port, Fault> {
        let node = self.load(old.node).await?;
        let is_wanted = self
            .hardware(&node)
            .is_ok_and(|hardware| hardware.network.uses_neutron());
        let says = |port: &Port| (port.address, port.client_id().map(str::to_owned));
        let is_moved = (&old.portgroup, old.pxe_enabled) != (&new.portgroup, new.pxe_enabled);
        if !is_wanted || says(&old) == says(&new) && !is_moved {
            let stored = store::port::update(&self.db, new, log).await;
            return stored.map_err(|error| lock::fault(error, node.id));
        }
        let work = settling(new.vif());
        self.exclusively_for(work, node.id, who, move |mut task| async move {
            if let Err(error) = tell_port(&mut task, &old, &new).await {
                return answer(task, Err(error));
            }
            let stored = store::port::update(&task.core.db, new.clone(), log).await;
            if stored.is_err() {
                let undone = tell_port(&mut task, &new, &old).await;
                report_undo(&task, undone, new.vif());
            }
            let stored = stored.map_err(|error| lock::fault(error, task.id()));
            (task, stored)
        })
        .await
    }

    /// The same for a port group.
    pub(crate) async fn store_portgroup(
        self: &Arc<Self>,
        who: &Caller,
        old: Portgroup,
        new: Portgroup,
        log: Log,
    ) -> Result<Portgroup, Fault> {
        if old.address == new.address || new.vif().is_none() {
            return portgroup::update(&self.db, new, log).await;
        }
        let work = settling(new.vif());
        self.exclusively_for(work, old.node, who, move |mut task| async move {
            if let Err(error) = tell_group(&mut task, &old, &new).await {
                return answer(task, Err(error));
            }
            let stored = portgroup::update(&task.core.db, new.clone(), log).await;
            if stored.is_err() {
                let undone = tell_group(&mut task, &new, &old).await;
                report_undo(&task, undone, new.vif());
            }
            (task, stored)
        })
        .await
    }

    /// Takes a node that is to be deleted off all networks. In maintenance it is deleted though that
    /// fails.
    pub(crate) async fn leave_networks(
        self: &Arc<Self>,
        who: &Caller,
        node: &Node,
    ) -> Result<(), Fault> {
        let left = self
            .exclusively(node.id, who, |mut task| async move {
                let outcome = leave_all(&mut task).await;
                answer(task, outcome)
            })
            .await;
        match left {
            Err(fault) if node.maintenance => {
                tracing::warn!(node = %node.id, %fault, "ports of a node that is deleted may stay in Neutron");
                Ok(())
            }
            other => other,
        }
    }
}

/// The work that is resumed after a crash in the middle of a change to a port that has a virtual
/// interface (VIF) attached.
fn settling(vif: Option<&str>) -> Work {
    vif.map_or(Work::Exclusive, |vif| Work::Vif {
        vif: vif.to_owned(),
        is_attached: true,
    })
}

async fn tell_port(task: &mut Task, old: &Port, new: &Port) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let (lease, mut machine) = task.hands()?;
    let network = &hardware.network;
    network.port_changed(lease, &mut machine, old, new).await
}

async fn tell_group(task: &mut Task, old: &Portgroup, new: &Portgroup) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let (lease, mut machine) = task.hands()?;
    let network = &hardware.network;
    network
        .portgroup_changed(lease, &mut machine, old, new)
        .await
}

/// After a change was taken back because it could not be stored.
fn report_undo(task: &Task, undone: Result<(), DriverError>, vif: Option<&str>) {
    if let Err(error) = undone {
        let why = flow::reason(&task.node, &error);
        tracing::error!(node = %task.id(), port = vif, error = why, "a change could not be stored, and Neutron keeps it: make the change again");
    }
}

/// Resumes a VIF attach, VIF detach or change of address after a crash. No client waits for the
/// answer any more.
pub(crate) async fn go_on(task: &mut Task, vif: &str, is_attached: bool) -> Result<(), Stop> {
    let outcome = match noted(task, vif) {
        // It was interrupted before anything was done, or after all was.
        None => Ok(()),
        Some(note) if is_attached => settle(task, &note).await,
        Some(_) => networks::detach(task, vif).await,
    };
    let mut story = task.story();
    if let Err(error) = outcome {
        let why = flow::reason(&task.node, &error);
        let text = format!(
            "A change of virtual interface {vif} was interrupted and could not be finished: {why}; detach it, and attach it again if it is wanted"
        );
        task.error(&mut story, "UNKNOWN", &text);
    }
    task.end(story).await
}

/// Where a virtual interface of the instance is noted.
fn noted(task: &mut Task, vif: &str) -> Option<VifNote> {
    let (ports, groups) = task.wires_mut();
    let of_port = |port: &Port| (port.vif() == Some(vif)).then_some(VifHolder::Port(port.id));
    let of_group =
        |group: &Portgroup| (group.vif() == Some(vif)).then_some(VifHolder::Group(group.id));
    let mut holders = ports.iter().filter_map(of_port);
    let holder = holders
        .next()
        .or_else(|| groups.iter().find_map(of_group))?;
    Some(VifNote {
        holder,
        purpose: NetworkPurpose::Tenant,
        vif: Some(vif.to_owned()),
    })
}

async fn settle(task: &mut Task, note: &VifNote) -> Result<(), DriverError> {
    announce(task).await?;
    let hardware = task.hardware.clone();
    let (lease, mut machine) = task.hands()?;
    hardware.network.settle_vif(lease, &mut machine, note).await
}

async fn leave_all(task: &mut Task) -> Result<(), DriverError> {
    for network in task.node.driver_internal_info.networks().boot {
        networks::leave(task, network.purpose).await?;
    }
    detach_all(task).await?;
    networks::leave(task, NetworkPurpose::Tenant).await
}

async fn attach(task: &mut Task, vif: &JsonMap) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let network = &hardware.network;
    network.validate(&task.machine()).await?;
    let Some(note) = network.place_vif(&task.machine(), vif).await? else {
        return Ok(());
    };
    // After a crash from here on `go_on` finds it.
    networks::keep_vifs(task, vec![note.clone()]).await?;
    let attached = change(task, &note).await;
    if attached.is_err() {
        let gone = VifNote { vif: None, ..note };
        networks::keep_vifs(task, vec![gone]).await?;
    }
    attached
}

/// Writes into the row of an active machine that it is about to be on its instance's networks.
async fn announce(task: &mut Task) -> Result<(), DriverError> {
    match task.node.provision_state {
        ProvisionState::Active => networks::announce(task, NetworkPurpose::Tenant).await,
        _ => Ok(()),
    }
}

async fn change(task: &mut Task, note: &VifNote) -> Result<(), DriverError> {
    announce(task).await?;
    let hardware = task.hardware.clone();
    let (lease, mut machine) = task.hands()?;
    hardware.network.attach_vif(lease, &mut machine, note).await
}

async fn detach(task: &mut Task, id: &str) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    hardware.network.validate(&task.machine()).await?;
    networks::detach(task, id).await
}

/// Detaches all virtual interfaces: the instance is gone, and clients rely on theirs going with it. One
/// that cannot be detached does not keep the others.
pub(crate) async fn detach_all(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let vifs = hardware.network.vifs(&task.machine()).await?;
    let mut outcome = Ok(());
    for vif in vifs {
        if let Err(error) = networks::detach(task, &vif).await {
            let why = flow::reason(&task.node, &error);
            tracing::warn!(node = %task.id(), vif, error = why, "a virtual interface is still attached");
            outcome = outcome.and(Err(error));
        }
    }
    outcome
}
