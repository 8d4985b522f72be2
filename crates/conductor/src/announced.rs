//! Changes that notifications tell of: each is announced before it begins, and told of if it fails.
//! Its end is told by the transaction that makes the change.

use crate::core::Core;
use std::sync::Arc;
use store::notification::{Announced, begin, begin_with};
use types::{
    Allocation, AllocationId, Caller, Fault, Node, NodeId, Port, PortId, Portgroup, PortgroupId,
    VolumeConnector, VolumeConnectorId, VolumeTarget, VolumeTargetId, notification::Action,
    rpc::NodeUpdate,
};

impl Core {
    pub(crate) async fn create_node(&self, who: &Caller, node: Node) -> Result<Node, Fault> {
        let told = begin(&self.db, who, Action::Create, &node).await;
        told.failed(self.insert_node(who, node).await).await
    }

    pub(crate) async fn update_node(
        &self,
        who: &Caller,
        update: NodeUpdate,
    ) -> Result<Node, Fault> {
        let told = begin(&self.db, who, Action::Update, &update.node).await;
        told.failed(self.change_node(who, update).await).await
    }

    pub(crate) async fn destroy_node(&self, who: &Caller, node: NodeId) -> Result<(), Fault> {
        let told = self.about(who, node, Action::Delete, |_| {}).await;
        told.failed(self.remove_node(who, node).await).await
    }

    pub(crate) async fn set_maintenance(
        &self,
        who: &Caller,
        node: NodeId,
        on: bool,
        reason: Option<String>,
    ) -> Result<(), Fault> {
        let wanted = reason.clone().filter(|_| on);
        let change = |node: &mut Node| (node.maintenance, node.maintenance_reason) = (on, wanted);
        let told = self.about(who, node, Action::Maintenance, change).await;
        let outcome = self.change_maintenance(who, node, on, reason).await;
        told.failed(outcome).await
    }

    pub(crate) async fn set_traits(
        &self,
        who: &Caller,
        node: NodeId,
        traits: Vec<String>,
    ) -> Result<(), Fault> {
        self.announced_traits(who, node, |_| Ok(traits.clone()))
            .await
    }

    pub(crate) async fn add_trait(
        &self,
        who: &Caller,
        node: NodeId,
        name: String,
    ) -> Result<(), Fault> {
        self.announced_traits(who, node, |node| {
            Ok(node.traits.iter().cloned().chain([name.clone()]).collect())
        })
        .await
    }

    pub(crate) async fn remove_trait(
        &self,
        who: &Caller,
        node: NodeId,
        name: String,
    ) -> Result<(), Fault> {
        self.announced_traits(who, node, |node| {
            if !node.traits.contains(&name) {
                return Err(Fault::TraitNotFound {
                    node: node.id,
                    name: name.clone(),
                });
            }
            let others = node.traits.iter().filter(|t| **t != name);
            Ok(others.cloned().collect())
        })
        .await
    }

    pub(crate) async fn create_port(&self, who: &Caller, port: Port) -> Result<Port, Fault> {
        let told = begin(&self.db, who, Action::Create, &port).await;
        told.failed(self.insert_port(who, port).await).await
    }

    pub(crate) async fn update_port(
        &self,
        who: &Caller,
        port: Port,
        base_version: i64,
    ) -> Result<Port, Fault> {
        let told = begin(&self.db, who, Action::Update, &port).await;
        told.failed(self.change_port(who, port, base_version).await)
            .await
    }

    pub(crate) async fn destroy_port(&self, who: &Caller, port: PortId) -> Result<(), Fault> {
        let db = &self.db;
        let told = begin_with(db, who, Action::Delete, store::port::find(db, port)).await;
        told.failed(self.remove_port(who, port).await).await
    }

    pub(crate) async fn create_portgroup(
        &self,
        who: &Caller,
        portgroup: Portgroup,
    ) -> Result<Portgroup, Fault> {
        let told = begin(&self.db, who, Action::Create, &portgroup).await;
        told.failed(self.insert_portgroup(who, portgroup).await)
            .await
    }

    pub(crate) async fn update_portgroup(
        &self,
        who: &Caller,
        portgroup: Portgroup,
        base_version: i64,
    ) -> Result<Portgroup, Fault> {
        let told = begin(&self.db, who, Action::Update, &portgroup).await;
        let outcome = self.change_portgroup(who, portgroup, base_version).await;
        told.failed(outcome).await
    }

    pub(crate) async fn destroy_portgroup(
        &self,
        who: &Caller,
        portgroup: PortgroupId,
    ) -> Result<(), Fault> {
        let db = &self.db;
        let find = store::portgroup::find(db, portgroup);
        let told = begin_with(db, who, Action::Delete, find).await;
        told.failed(self.remove_portgroup(who, portgroup).await)
            .await
    }

    pub(crate) async fn create_connector(
        &self,
        who: &Caller,
        connector: VolumeConnector,
    ) -> Result<VolumeConnector, Fault> {
        let told = begin(&self.db, who, Action::Create, &connector).await;
        told.failed(self.insert_connector(who, connector).await)
            .await
    }

    pub(crate) async fn update_connector(
        &self,
        who: &Caller,
        connector: VolumeConnector,
        base_version: i64,
    ) -> Result<VolumeConnector, Fault> {
        let told = begin(&self.db, who, Action::Update, &connector).await;
        let outcome = self.change_connector(who, connector, base_version).await;
        told.failed(outcome).await
    }

    pub(crate) async fn destroy_connector(
        &self,
        who: &Caller,
        connector: VolumeConnectorId,
    ) -> Result<(), Fault> {
        let db = &self.db;
        let find = store::volume::connector::find(db, connector);
        let told = begin_with(db, who, Action::Delete, find).await;
        told.failed(self.remove_connector(who, connector).await)
            .await
    }

    pub(crate) async fn create_target(
        &self,
        who: &Caller,
        target: VolumeTarget,
    ) -> Result<VolumeTarget, Fault> {
        let told = begin(&self.db, who, Action::Create, &target).await;
        told.failed(self.insert_target(who, target).await).await
    }

    pub(crate) async fn update_target(
        &self,
        who: &Caller,
        target: VolumeTarget,
        base_version: i64,
    ) -> Result<VolumeTarget, Fault> {
        let told = begin(&self.db, who, Action::Update, &target).await;
        let outcome = self.change_target(who, target, base_version).await;
        told.failed(outcome).await
    }

    pub(crate) async fn destroy_target(
        &self,
        who: &Caller,
        target: VolumeTargetId,
    ) -> Result<(), Fault> {
        let db = &self.db;
        let find = store::volume::target::find(db, target);
        let told = begin_with(db, who, Action::Delete, find).await;
        told.failed(self.remove_target(who, target).await).await
    }

    pub(crate) async fn create_allocation(
        self: &Arc<Self>,
        who: &Caller,
        allocation: Allocation,
    ) -> Result<Allocation, Fault> {
        let told = begin(&self.db, who, Action::Create, &allocation).await;
        told.failed(self.insert_allocation(who, allocation).await)
            .await
    }

    pub(crate) async fn destroy_allocation(
        &self,
        who: &Caller,
        id: AllocationId,
    ) -> Result<(), Fault> {
        let db = &self.db;
        let told = begin_with(db, who, Action::Delete, store::allocation::find(db, &id)).await;
        told.failed(self.remove_allocation(who, id).await).await
    }

    async fn announced_traits(
        &self,
        who: &Caller,
        node: NodeId,
        change: impl Fn(&Node) -> Result<Vec<String>, Fault> + Send + Sync,
    ) -> Result<(), Fault> {
        let wanted = |node: &mut Node| {
            if let Ok(traits) = change(node) {
                node.traits = traits;
            }
        };
        let told = self.about(who, node, Action::Update, wanted).await;
        told.failed(self.change_traits(who, node, &change).await)
            .await
    }

    /// Tells that a request about a node begins; `change` is what it wants.
    async fn about(
        &self,
        who: &Caller,
        node: NodeId,
        action: Action,
        change: impl FnOnce(&mut Node) + Send,
    ) -> Announced {
        let find = async {
            let mut found = store::node::find(&self.db, node).await;
            if let Ok(Some(node)) = &mut found {
                change(node);
            }
            found
        };
        begin_with(&self.db, who, action, find).await
    }
}
