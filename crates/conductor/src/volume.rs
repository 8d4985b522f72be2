//! Volume connectors and targets: what a machine boots from must not change under it.

use crate::{core::Core, lock, record::Story};
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

impl Core {
    pub(crate) async fn insert_connector(
        &self,
        who: &Caller,
        connector: VolumeConnector,
    ) -> Result<VolumeConnector, Fault> {
        let node = self.load(connector.node).await?;
        let text = format!("volume connector {} added", connector.id);
        let story = told(
            who,
            &node,
            Action::Create,
            text,
            json!({"connector": connector.id}),
        );
        store::volume::connector::insert(&self.db, connector, story.into_log())
            .await
            .map_err(|error| lock::fault(error, node.id))
    }

    pub(crate) async fn change_connector(
        &self,
        who: &Caller,
        mut connector: VolumeConnector,
        base_version: i64,
    ) -> Result<VolumeConnector, Fault> {
        let old = self.find_connector(connector.id).await?;
        // The machine that gets it decides, as in the original.
        let node = self.load_free(connector.node).await?;
        check_off(&node, "volume connector update")?;
        if connector == old {
            self.told_same(who, &old).await;
            return Ok(old);
        }
        if old.version != base_version {
            return Err(Fault::Stale(node.id));
        }
        let text = format!("volume connector {} changed", connector.id);
        let mut story = told(
            who,
            &node,
            Action::Update,
            text,
            json!({"connector": connector.id}),
        );
        if connector.node != old.node {
            let left = self.load(old.node).await?;
            // Who may see the machine that lost it may not see the one that has it now.
            let text = "a volume connector was moved to another node".to_owned();
            story.tell(&left, EventKind::Updated, text, json!({}));
        }
        connector.version = old.version;
        store::volume::connector::update(&self.db, connector, story.into_log())
            .await
            .map_err(|error| lock::fault(error, node.id))
    }

    pub(crate) async fn remove_connector(
        &self,
        who: &Caller,
        id: VolumeConnectorId,
    ) -> Result<(), Fault> {
        let connector = self.find_connector(id).await?;
        let node = self.load_free(connector.node).await?;
        check_removable(&node, "volume connector deletion")?;
        let text = format!("volume connector {id} removed");
        let story = told(who, &node, Action::Delete, text, json!({"connector": id}));
        match store::volume::connector::delete(&self.db, id, story.into_log()).await {
            Err(StoreError::NotFound) => Err(Fault::ConnectorNotFound(id.to_string())),
            other => other.map_err(|error| lock::fault(error, node.id)),
        }
    }

    pub(crate) async fn insert_target(
        &self,
        who: &Caller,
        target: VolumeTarget,
    ) -> Result<VolumeTarget, Fault> {
        let node = self.load(target.node).await?;
        let text = format!("volume target {} added", target.id);
        let story = told(
            who,
            &node,
            Action::Create,
            text,
            json!({"target": target.id}),
        );
        store::volume::target::insert(&self.db, target, story.into_log())
            .await
            .map_err(|error| lock::fault(error, node.id))
    }

    pub(crate) async fn change_target(
        &self,
        who: &Caller,
        mut target: VolumeTarget,
        base_version: i64,
    ) -> Result<VolumeTarget, Fault> {
        let old = self.find_target(target.id).await?;
        // The machine that gets it decides, as in the original.
        let node = self.load_free(target.node).await?;
        check_off(&node, "volume target update")?;
        if target == old {
            self.told_same(who, &old).await;
            return Ok(old);
        }
        if old.version != base_version {
            return Err(Fault::Stale(node.id));
        }
        let text = format!("volume target {} changed", target.id);
        let mut story = told(
            who,
            &node,
            Action::Update,
            text,
            json!({"target": target.id}),
        );
        if target.node != old.node {
            let left = self.load(old.node).await?;
            // Who may see the machine that lost it may not see the one that has it now.
            let text = "a volume target was moved to another node".to_owned();
            story.tell(&left, EventKind::Updated, text, json!({}));
        }
        target.version = old.version;
        store::volume::target::update(&self.db, target, story.into_log())
            .await
            .map_err(|error| lock::fault(error, node.id))
    }

    pub(crate) async fn remove_target(
        &self,
        who: &Caller,
        id: VolumeTargetId,
    ) -> Result<(), Fault> {
        let target = self.find_target(id).await?;
        let node = self.load_free(target.node).await?;
        check_removable(&node, "volume target deletion")?;
        let text = format!("volume target {id} removed");
        let story = told(who, &node, Action::Delete, text, json!({"target": id}));
        match store::volume::target::delete(&self.db, id, story.into_log()).await {
            Err(StoreError::NotFound) => Err(Fault::TargetNotFound(id.to_string())),
            other => other.map_err(|error| lock::fault(error, node.id)),
        }
    }

    /// A change that changes nothing has come to its end.
    async fn told_same(&self, who: &Caller, subject: &impl Subject) {
        let notice = Notice::new(Action::Update, Status::End);
        store::notification::tell(&self.db, who, subject, notice).await;
    }

    async fn find_connector(&self, id: VolumeConnectorId) -> Result<VolumeConnector, Fault> {
        let found = store::volume::connector::find(&self.db, id).await;
        found
            .map_err(unavailable)?
            .ok_or_else(|| Fault::ConnectorNotFound(id.to_string()))
    }

    async fn find_target(&self, id: VolumeTargetId) -> Result<VolumeTarget, Fault> {
        let found = store::volume::target::find(&self.db, id).await;
        found
            .map_err(unavailable)?
            .ok_or_else(|| Fault::TargetNotFound(id.to_string()))
    }
}

fn unavailable(error: StoreError) -> Fault {
    tracing::error!(error = %types::error::chain(&error), "the database failed us");
    Fault::Unavailable
}

fn told(who: &Caller, node: &Node, action: Action, text: String, data: serde_json::Value) -> Story {
    let mut story = Story::new(who);
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
