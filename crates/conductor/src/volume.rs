//! Volume connectors and targets: what a machine boots from must not change under it.

use crate::{belongings::Belonging, core::Core, lock, record::ChangeLog};
use drivers::{
    iface::Hardware,
    storage::{NO_VOLUMES, Volumes},
};
use serde_json::json;
use store::StoreError;
use types::{
    Caller, Fault, Node, NodeId, PowerState, ProvisionState as S, VolumeConnector,
    VolumeConnectorId, VolumeTarget, VolumeTargetId,
    event::EventKind,
    notification::{Action, Notice, Status, Subject},
};

/// Where volumes may be taken from a machine whatever its power state.
const REMOVABLE: &[S] = &[S::Manageable, S::Enroll, S::AdoptFailed];

/// The handlers of one of the two kinds: they differ in nothing but their names.
macro_rules! handlers {
    ($kind:ident: $Row:ident, $Id:ident, $insert:ident, $change:ident, $remove:ident, $missing:ident) => {
        impl Core {
            pub(crate) async fn $insert(&self, who: &Caller, new: $Row) -> Result<$Row, Fault> {
                let node = self.load(new.node).await?;
                if !new.is_small() {
                    let others = store::volume::$kind::of_node(&self.db, node.id).await;
                    new.check_room(node.id, &others.map_err(unavailable)?)?;
                }
                let text = format!(concat!("volume ", stringify!($kind), " {} added"), new.id);
                let data = json!({stringify!($kind): new.id});
                let story = told(who, &node, Action::Create, text, data);
                store::volume::$kind::insert(&self.db, new, story.into_log())
                    .await
                    .map_err(|error| lock::fault(error, node.id))
            }

            pub(crate) async fn $change(
                &self,
                who: &Caller,
                mut new: $Row,
                base_version: i64,
            ) -> Result<$Row, Fault> {
                let found = store::volume::$kind::find(&self.db, new.id).await;
                let old = found
                    .map_err(unavailable)?
                    .ok_or_else(|| Fault::$missing(new.id.to_string()))?;
                // The machine that gets it decides, as in Ironic.
                let node = self.load_free(new.node).await?;
                check_off(&node, concat!("volume ", stringify!($kind), " update"))?;
                if new == old {
                    self.told_same(who, &old).await;
                    return Ok(old);
                }
                if old.version != base_version {
                    return Err(Fault::Stale(node.id));
                }
                if !new.is_small() {
                    let others = store::volume::$kind::of_node(&self.db, node.id).await;
                    new.check_room(node.id, &others.map_err(unavailable)?)?;
                }
                let text = format!(concat!("volume ", stringify!($kind), " {} changed"), new.id);
                let data = json!({stringify!($kind): new.id});
                let mut story = told(who, &node, Action::Update, text, data);
                if new.node != old.node {
                    let left = self.load(old.node).await?;
                    // Who may see the machine that lost it may not see the one that has it now.
                    let text = concat!("a volume ", stringify!($kind), " was moved to another node");
                    story.tell(&left, EventKind::Updated, text, json!({}));
                }
                new.version = old.version;
                store::volume::$kind::update(&self.db, new, story.into_log())
                    .await
                    .map_err(|error| lock::fault(error, node.id))
            }

            pub(crate) async fn $remove(&self, who: &Caller, id: $Id) -> Result<(), Fault> {
                let found = store::volume::$kind::find(&self.db, id).await;
                let row = found
                    .map_err(unavailable)?
                    .ok_or_else(|| Fault::$missing(id.to_string()))?;
                let node = self.load_free(row.node).await?;
                check_removable(&node, concat!("volume ", stringify!($kind), " deletion"))?;
                let text = format!(concat!("volume ", stringify!($kind), " {} removed"), id);
                let data = json!({stringify!($kind): id});
                let story = told(who, &node, Action::Delete, text, data);
                match store::volume::$kind::delete(&self.db, id, story.into_log()).await {
                    Err(StoreError::NotFound) => Err(Fault::$missing(id.to_string())),
                    other => other.map_err(|error| lock::fault(error, node.id)),
                }
            }
        }
    };
}

handlers! {
    connector: VolumeConnector, VolumeConnectorId,
    insert_connector, change_connector, remove_connector, ConnectorNotFound
}

handlers! {
    target: VolumeTarget, VolumeTargetId,
    insert_target, change_target, remove_target, TargetNotFound
}

impl Core {
    /// The volumes of a node, for a storage interface that uses them.
    pub(crate) async fn volumes(
        &self,
        node: NodeId,
        hardware: &Hardware,
    ) -> Result<Volumes, Fault> {
        if !hardware.storage.uses_volumes() {
            return Ok(NO_VOLUMES.clone());
        }
        let connectors = store::volume::connector::of_node(&self.db, node).await;
        let targets = store::volume::target::of_node(&self.db, node).await;
        let mut targets = targets.map_err(unavailable)?;
        for target in &mut targets {
            let opened = self
                .db
                .keys()
                .open_map(&target.properties, &target.id.to_string());
            target.properties = opened.map_err(|error| {
                tracing::error!(%node, target = %target.id, error = %types::error::chain(&error), "the properties of a volume target cannot be opened");
                Fault::Internal(format!("A secret of volume target {} cannot be opened; see the log.", target.id))
            })?;
        }
        Ok(Volumes {
            connectors: connectors.map_err(unavailable)?,
            targets,
            are_bootable: hardware.boot.boots_volumes(),
        })
    }

    /// A change that changes nothing has come to its end.
    async fn told_same(&self, who: &Caller, subject: &impl Subject) {
        let notice = Notice::new(Action::Update, Status::End);
        store::notification::tell(&self.db, who, subject, notice).await;
    }
}

fn unavailable(error: StoreError) -> Fault {
    tracing::error!(error = %types::error::chain(&error), "the database failed us");
    Fault::Unavailable
}

fn told(
    who: &Caller,
    node: &Node,
    action: Action,
    text: String,
    data: serde_json::Value,
) -> ChangeLog {
    let mut story = ChangeLog::new(who);
    story.tell(node, EventKind::Updated, text, data);
    story.notice(action, Status::End);
    story
}

fn check_off(node: &Node, action: &str) -> Result<(), Fault> {
    if node.power_state == Some(PowerState::Off) {
        return Ok(());
    }
    Err(refused(node.id, node.power_state, action))
}

fn check_removable(node: &Node, action: &str) -> Result<(), Fault> {
    if REMOVABLE.contains(&node.provision_state) {
        return Ok(());
    }
    check_off(node, action)
}

fn refused(node: NodeId, power: Option<PowerState>, action: &str) -> Fault {
    Fault::InvalidStateRequested {
        action: action.to_owned(),
        node: node.to_string(),
        state: power.map_or("None", PowerState::as_str).to_owned(),
    }
}

#[cfg(test)]
mod tests;
