//! Virtual interfaces: which of them are attached to a node, and changes of that.

use crate::{core::Core, flow, flow::networks, manage::answer, task::Task};
use drivers::{DriverError, iface::NetworkPurpose};
use std::sync::Arc;
use types::{
    Caller, Fault, JsonMap, Node, NodeId, Port, Portgroup, ProvisionState, network::VifNote,
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
        self.exclusively(id, who, move |mut task| async move {
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
        self.exclusively(id, who, move |mut task| async move {
            let outcome = detach(&mut task, &vif).await;
            answer(task, outcome)
        })
        .await
    }

    /// Tells Neutron of a change of a port that has a virtual interface.
    pub(crate) async fn announce_port(
        self: &Arc<Self>,
        who: &Caller,
        old: &Port,
        new: &Port,
    ) -> Result<(), Fault> {
        let node = self.load(old.node).await?;
        let is_wanted = self
            .hardware(&node)
            .is_ok_and(|hardware| hardware.network.uses_neutron());
        let says = |port: &Port| (port.address, port.client_id().map(str::to_owned));
        let is_moved = (&old.portgroup, old.pxe_enabled) != (&new.portgroup, new.pxe_enabled);
        if !is_wanted || says(old) == says(new) && !is_moved {
            return Ok(());
        }
        let (old, new) = (old.clone(), new.clone());
        self.exclusively(node.id, who, move |mut task| async move {
            let hardware = task.hardware.clone();
            let outcome = match task.hands() {
                Ok((lease, mut machine)) => {
                    let network = &hardware.network;
                    network.port_changed(lease, &mut machine, &old, &new).await
                }
                Err(error) => Err(error),
            };
            answer(task, outcome)
        })
        .await
    }

    /// The same for a port group.
    pub(crate) async fn announce_portgroup(
        self: &Arc<Self>,
        who: &Caller,
        old: &Portgroup,
        new: &Portgroup,
    ) -> Result<(), Fault> {
        if old.address == new.address || new.vif().is_none() {
            return Ok(());
        }
        let (old, new) = (old.clone(), new.clone());
        self.exclusively(old.node, who, move |mut task| async move {
            let hardware = task.hardware.clone();
            let outcome = match task.hands() {
                Ok((lease, mut machine)) => {
                    let network = &hardware.network;
                    network
                        .portgroup_changed(lease, &mut machine, &old, &new)
                        .await
                }
                Err(error) => Err(error),
            };
            answer(task, outcome)
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
    // A crash from here on leaves it attached to a machine whose deployment sets it right, or to one
    // that it can be detached from.
    networks::keep_vifs(task, vec![note.clone()]).await?;
    let attached = change(task, &note).await;
    if attached.is_err() {
        let gone = VifNote { vif: None, ..note };
        networks::keep_vifs(task, vec![gone]).await?;
    }
    attached
}

async fn change(task: &mut Task, note: &VifNote) -> Result<(), DriverError> {
    if task.node.provision_state == ProvisionState::Active {
        networks::announce(task, NetworkPurpose::Tenant).await?;
    }
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
