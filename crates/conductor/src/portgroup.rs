//! Port groups: which node they may belong to, and which ports may belong to them.
//!
//! All ports of a group are in one physical network. A group that has none takes over that of the
//! first port that comes with one.

use crate::{core::Core, lock, port::CONNECTIVITY, record::ChangeLog};
use serde_json::json;
use std::sync::Arc;
use store::{Db, StoreError, node::Log};
use types::{
    Caller, Fault, Node, Port, Portgroup, PortgroupId,
    event::EventKind,
    notification::{Action, Status},
};

/// Writes a port group that a client changed.
pub(crate) async fn update(db: &Db, portgroup: Portgroup, log: Log) -> Result<Portgroup, Fault> {
    let (id, node) = (portgroup.id, portgroup.node);
    let stored = store::portgroup::update(db, portgroup, log).await;
    stored.map_err(|error| match error {
        StoreError::NotEmpty => Fault::InvalidParameter(format!(
            "Portgroup {id} can not be associated with node {node} because there are ports associated with this portgroup."
        )),
        other => lock::fault(other, node),
    })
}

impl Core {
    pub(crate) async fn insert_portgroup(
        &self,
        who: &Caller,
        portgroup: Portgroup,
    ) -> Result<Portgroup, Fault> {
        let node = self.load(portgroup.node).await?;
        let story = told(who, &node, &portgroup, Action::Create);
        store::portgroup::insert(&self.db, portgroup, story.into_log())
            .await
            .map_err(|error| lock::fault(error, node.id))
    }

    pub(crate) async fn change_portgroup(
        self: &Arc<Self>,
        who: &Caller,
        mut portgroup: Portgroup,
        base_version: i64,
    ) -> Result<Portgroup, Fault> {
        let old = self.find_portgroup(portgroup.id).await?;
        let node = self.load_free(old.node).await?;
        if old.version != base_version {
            return Err(Fault::Stale(node.id));
        }
        if portgroup.node != old.node {
            let target = self.load(portgroup.node).await?;
            check_move(&portgroup, &target)?;
        }
        let story = told(who, &node, &portgroup, Action::Update);
        portgroup.version = old.version;
        self.store_portgroup(who, old, portgroup, story.into_log())
            .await
    }

    pub(crate) async fn remove_portgroup(
        &self,
        who: &Caller,
        id: PortgroupId,
    ) -> Result<(), Fault> {
        let portgroup = self.find_portgroup(id).await?;
        let node = self.load_free(portgroup.node).await?;
        let story = told(who, &node, &portgroup, Action::Delete);
        match store::portgroup::delete(&self.db, id, story.into_log()).await {
            Ok(()) => Ok(()),
            Err(StoreError::NotFound) => Err(Fault::PortgroupNotFound(id.to_string())),
            Err(StoreError::NotEmpty) => Err(Fault::InvalidParameter(format!(
                "Cannot complete the requested action because portgroup {} contains ports.",
                portgroup.row
            ))),
            Err(error) => Err(lock::fault(error, node.id)),
        }
    }

    /// The group that a port is about to enter or stay in, once their networks agree.
    pub(crate) async fn group_for(&self, port: &Port) -> Result<Option<Portgroup>, Fault> {
        let Some(uuid) = &port.portgroup else {
            return Ok(None);
        };
        let missing =
            || Fault::InvalidParameter(Fault::PortgroupNotFound(uuid.clone()).to_string());
        let id = uuid.parse().map_err(|_| missing())?;
        let found = store::portgroup::find(&self.db, id).await;
        let group = found
            .map_err(|error| lock::fault(error, port.node))?
            .ok_or_else(missing)?;
        let members = store::port::of_portgroup(&self.db, id)
            .await
            .map_err(|error| lock::fault(error, port.node))?;
        let others = members.iter().find(|member| member.id != port.id);
        let network = match (&group.physical_network, others) {
            (Some(network), _) => Some(network),
            (None, Some(other)) => other.physical_network.as_ref(),
            (None, None) => return Ok(Some(group)),
        };
        if network == port.physical_network.as_ref() {
            return Ok(Some(group));
        }
        let shown = |network: Option<&String>| network.map_or("None", String::as_str).to_owned();
        Err(Fault::InvalidState(format!(
            "Port with physical network {} cannot become a member of port group {uuid} which has ports in physical network {}.",
            shown(port.physical_network.as_ref()),
            shown(network)
        )))
    }

    /// Gives a group without a network that of the port that entered it.
    pub(crate) async fn adopt_network(&self, group: Option<Portgroup>, port: &Port) {
        let Some(mut group) = group else { return };
        if group.physical_network.is_some() || port.physical_network.is_none() {
            return;
        }
        group.physical_network.clone_from(&port.physical_network);
        let id = group.id;
        let stored = store::portgroup::update(&self.db, group, store::node::Log::default()).await;
        // The port is where it belongs already; somebody else changed the group meanwhile.
        if let Err(error) = stored {
            tracing::warn!(portgroup = %id, error = %types::error::chain(&error), "the group keeps its network");
        }
    }

    async fn find_portgroup(&self, id: PortgroupId) -> Result<Portgroup, Fault> {
        let found = store::portgroup::find(&self.db, id).await.map_err(|error| {
            tracing::error!(portgroup = %id, error = %types::error::chain(&error), "the database failed us");
            Fault::Unavailable
        })?;
        found.ok_or_else(|| Fault::PortgroupNotFound(id.to_string()))
    }
}

fn told(who: &Caller, node: &Node, portgroup: &Portgroup, action: Action) -> ChangeLog {
    let mut story = ChangeLog::new(who);
    let what = match action {
        Action::Create => "added",
        Action::Delete => "removed",
        _ => "changed",
    };
    let text = format!("port group {} {what}", portgroup.id);
    let data = json!({"portgroup": portgroup.id});
    story.tell(node, EventKind::Updated, text, data);
    story.notice(action, Status::End);
    story
}

fn check_move(portgroup: &Portgroup, target: &Node) -> Result<(), Fault> {
    if target.maintenance || CONNECTIVITY.contains(&target.provision_state) {
        return Ok(());
    }
    let states: Vec<&str> = CONNECTIVITY.iter().map(|state| state.as_str()).collect();
    Err(Fault::InvalidState(format!(
        "Portgroup {} can not be associated to node {} unless the node is in a {} state or in maintenance mode. Current state is '{}'.",
        portgroup.id,
        target.id,
        states.join(", "),
        target.provision_state
    )))
}

#[cfg(test)]
mod tests;
