//! Ports: changes that must not surprise a machine in use.

use crate::{belongings::Belonging, core::Core, lock, record::ChangeLog};
use serde_json::json;
use std::sync::Arc;
use store::{StoreError, Unique};
use types::{
    Caller, Fault, Node, Port, PortId, ProvisionState as S,
    event::EventKind,
    notification::{Action, Status},
};

/// Where the wiring of a node may be described anew.
pub(crate) const CONNECTIVITY: &[S] = &[S::Enroll, S::Inspecting, S::InspectWait, S::Manageable];

impl Core {
    pub(crate) async fn insert_port(&self, who: &Caller, port: Port) -> Result<Port, Fault> {
        let node = self.load(port.node).await?;
        self.check_room(&port).await?;
        let group = self.group_for(&port).await?;
        let mut story = ChangeLog::new(who);
        let text = format!("port {} added", port.address);
        story.tell(&node, EventKind::Updated, text, json!({"port": port.id}));
        story.notice(Action::Create, Status::End);
        let id = port.id;
        let port = store::port::insert(&self.db, port, story.into_log())
            .await
            .map_err(|error| match error {
                // Ironic blames the UUID for a name that is taken, and only here.
                StoreError::Duplicate(Unique::PortName(_)) => {
                    Fault::Duplicate(format!("A port with UUID {id} already exists."))
                }
                other => lock::fault(other, node.id),
            })?;
        self.adopt_network(group, &port).await;
        Ok(port)
    }

    /// Whether there is room for a port beside the others of its node.
    async fn check_room(&self, port: &Port) -> Result<(), Fault> {
        if port.is_small() {
            return Ok(());
        }
        let others = store::port::of_node(&self.db, port.node).await;
        let others = others.map_err(|error| lock::fault(error, port.node))?;
        port.check_room(port.node, &others)
    }

    pub(crate) async fn change_port(
        self: &Arc<Self>,
        who: &Caller,
        mut port: Port,
        base_version: i64,
    ) -> Result<Port, Fault> {
        let old = self.find_port(port.id).await?;
        let node = self.load_free(old.node).await?;
        if old.version != base_version {
            return Err(Fault::Stale(node.id));
        }
        check_address(&node, &old, &port)?;
        check_connectivity(&node, &old, &port)?;
        self.check_room(&port).await?;
        let moved =
            port.portgroup != old.portgroup || port.physical_network != old.physical_network;
        let group = if moved {
            self.group_for(&port).await?
        } else {
            None
        };
        let mut story = ChangeLog::new(who);
        let text = format!("port {} changed", port.address);
        story.tell(&node, EventKind::Updated, text, json!({"port": port.id}));
        story.notice(Action::Update, Status::End);
        port.version = old.version;
        let port = self.store_port(who, old, port, story.into_log()).await?;
        self.adopt_network(group, &port).await;
        Ok(port)
    }

    pub(crate) async fn remove_port(&self, who: &Caller, id: PortId) -> Result<(), Fault> {
        let port = self.find_port(id).await?;
        let node = self.load_free(port.node).await?;
        if let Some(vif) = port.vif()
            && !node.maintenance
        {
            return Err(Fault::InvalidState(format!(
                "Cannot delete the port {id} as it is bound to VIF {vif} for use."
            )));
        }
        let mut story = ChangeLog::new(who);
        let text = format!("port {} removed", port.address);
        story.tell(&node, EventKind::Updated, text, json!({"port": id}));
        story.notice(Action::Delete, Status::End);
        match store::port::delete(&self.db, id, story.into_log()).await {
            Ok(()) => Ok(()),
            Err(StoreError::NotFound) => Err(Fault::PortNotFound(id.to_string())),
            Err(error) => Err(lock::fault(error, node.id)),
        }
    }

    async fn find_port(&self, id: PortId) -> Result<Port, Fault> {
        let found = store::port::find(&self.db, id).await.map_err(|error| {
            tracing::error!(port = %id, error = %types::error::chain(&error), "the database failed us");
            Fault::Unavailable
        })?;
        found.ok_or_else(|| Fault::PortNotFound(id.to_string()))
    }
}

fn check_address(node: &Node, old: &Port, new: &Port) -> Result<(), Fault> {
    let in_use = node.provision_state == S::Active || node.instance_uuid.is_some();
    if old.address != new.address && in_use && !node.maintenance {
        return Err(Fault::InvalidState(format!(
            "Cannot update hardware address for port {} as node {} is active or has instance UUID assigned",
            new.id, node.id
        )));
    }
    Ok(())
}

fn check_connectivity(node: &Node, old: &Port, new: &Port) -> Result<(), Fault> {
    let same = old.portgroup == new.portgroup
        && old.pxe_enabled == new.pxe_enabled
        && old.local_link_connection == new.local_link_connection
        && old.physical_network == new.physical_network;
    if same || node.maintenance || CONNECTIVITY.contains(&node.provision_state) {
        return Ok(());
    }
    let states = CONNECTIVITY
        .iter()
        .map(|s| s.as_str())
        .collect::<Vec<_>>()
        .join(", ");
    Err(Fault::InvalidState(format!(
        "Port {} can not have any connectivity attributes (local_link_connection, physical_network, pxe_enabled, portgroup_id) updated unless node {} is in a {states} state or in maintenance mode. The current state is {}.",
        new.id, node.id, node.provision_state
    )))
}
