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

/// Creation, update and deletion of resources: the name of each, and the method that does it.
macro_rules! announced {
    ($(
        $Row:ident, $Id:ident, $find:path:
        $create:ident as $insert:ident,
        $update:ident as $change:ident,
        $destroy:ident as $remove:ident;
    )*) => {
        impl Core {$(
            pub(crate) async fn $create(&self, who: &Caller, row: $Row) -> Result<$Row, Fault> {
                let told = begin(&self.db, who, Action::Create, &row).await;
                told.failed(self.$insert(who, row).await).await
            }

            pub(crate) async fn $update(
                self: &Arc<Self>,
                who: &Caller,
                row: $Row,
                base_version: i64,
            ) -> Result<$Row, Fault> {
                let told = begin(&self.db, who, Action::Update, &row).await;
                told.failed(self.$change(who, row, base_version).await).await
            }

            pub(crate) async fn $destroy(&self, who: &Caller, id: $Id) -> Result<(), Fault> {
                let told = begin_with(&self.db, who, Action::Delete, $find(&self.db, id)).await;
                told.failed(self.$remove(who, id).await).await
            }
        )*}
    };
}

announced! {
    Port, PortId, store::port::find:
        create_port as insert_port,
        update_port as change_port,
        destroy_port as remove_port;
    Portgroup, PortgroupId, store::portgroup::find:
        create_portgroup as insert_portgroup,
        update_portgroup as change_portgroup,
        destroy_portgroup as remove_portgroup;
    VolumeConnector, VolumeConnectorId, store::volume::connector::find:
        create_connector as insert_connector,
        update_connector as change_connector,
        destroy_connector as remove_connector;
    VolumeTarget, VolumeTargetId, store::volume::target::find:
        create_target as insert_target,
        update_target as change_target,
        destroy_target as remove_target;
}

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

    pub(crate) async fn destroy_node(
        self: &Arc<Self>,
        who: &Caller,
        node: NodeId,
    ) -> Result<(), Fault> {
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
