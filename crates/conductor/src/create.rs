//! Enrolling nodes and taking them out again.

use crate::{
    core::Core,
    lock,
    misspelt::{Slip, slips},
    objects,
    record::ChangeLog,
};
use serde_json::{Value, json};
use std::sync::Arc;
use types::{
    Caller, Fault, Node, NodeId, ProvisionState as S,
    event::EventKind,
    internal_info::NetworkNotes,
    notification::{Action, Status},
    pyrepr,
};

impl Core {
    pub(crate) async fn insert_node(&self, who: &Caller, mut node: Node) -> Result<Node, Fault> {
        self.check_host(&node.driver, &node.conductor_group)?;
        self.registry
            .fill_interfaces(&mut node)
            .map_err(|error| Fault::InvalidParameter(error.to_string()))?;
        check_properties(&node)?;
        let id = node.id;
        let mut story = ChangeLog::new(who);
        let text = format!("enrolled with driver {}", node.driver);
        let data = json!({"driver": node.driver, "state": node.provision_state});
        story.tell(&node, EventKind::Created, text, data);
        self.warn_of_slips(None, &node, &mut story);
        story.notice(Action::Create, Status::End);
        tracing::info!(node = %id, name = node.name, driver = node.driver, "enrolled");
        store::node::insert(&self.db, node, story.into_log())
            .await
            .map_err(|e| lock::fault(e, id))
    }

    /// Tells of keys that are probably misspelt and were not there before. They are taken all the
    /// same.
    pub(crate) fn warn_of_slips(&self, old: Option<&Node>, node: &Node, story: &mut ChangeLog) {
        let known = |node: &Node| self.registry.driver_properties(&node.driver);
        let before = old.map(|old| slips(old, &known(old).unwrap_or_default()));
        let before = before.unwrap_or_default();
        for slip in slips(node, &known(node).unwrap_or_default()) {
            if before.contains(&slip) {
                continue;
            }
            let Slip { field, key, meant } = slip;
            let text = format!("{field} has {key}, which means nothing; did you mean {meant}?");
            tracing::warn!(node = %node.id, name = node.name, "{text}");
            story.tell(
                node,
                EventKind::Warning,
                text,
                json!({"field": field, "key": key, "meant": meant}),
            );
        }
    }

    pub(crate) async fn remove_node(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
    ) -> Result<(), Fault> {
        let mut node = self.load_free(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        if let Some(instance) = &node.instance_uuid
            && !node.maintenance
        {
            return Err(Fault::NodeAssociated {
                node: id,
                instance: instance.clone(),
            });
        }
        if node.protected {
            return Err(Fault::Protected(id));
        }
        let mut allowed = vec![S::Manageable, S::Enroll, S::AdoptFailed];
        if self.settings.allow_deleting_available_nodes {
            allowed.push(S::Available);
        }
        if !node.maintenance && !allowed.contains(&node.provision_state) {
            let names: Vec<String> = allowed
                .iter()
                .map(|s| pyrepr::repr_str(s.as_str()))
                .collect();
            return Err(Fault::InvalidState(format!(
                "Can not delete node \"{id}\" while it is in provision state \"{}\". Valid provision states to perform deletion are: \"({})\", or set the node into maintenance mode",
                node.provision_state,
                names.join(", ")
            )));
        }
        if node.driver_internal_info.networks() != NetworkNotes::default() {
            // Before the row goes, which is all that tells of its ports in Neutron.
            self.leave_networks(who, &node).await?;
            node = self.load_free(id).await?;
        }
        let mut story = ChangeLog::new(who);
        story.tell(&node, EventKind::Deleted, "deleted", json!({}));
        story.notice(Action::Delete, Status::End);
        tracing::info!(node = %id, name = node.name, "deleted");
        // Before the row goes, which is all that tells of them.
        objects::remove_all(self, &node).await;
        store::node::delete(&self.db, &node, story.into_log())
            .await
            .map_err(|e| lock::fault(e, id))?;
        if node.console_enabled
            && let Ok(hardware) = self.hardware(&node)
        {
            hardware.console.forget(id).await;
        }
        self.registry.recorder().forget(id);
        Ok(())
    }
}

/// Sizes must be numbers: schedulers calculate with them.
pub(crate) fn check_properties(node: &Node) -> Result<(), Fault> {
    let mut wrong = Vec::new();
    for name in ["cpus", "local_gb", "memory_mb"] {
        let Some(value) = node.properties.get(name) else {
            continue;
        };
        let number = match value {
            Value::Null => continue,
            Value::String(text) => text.trim().parse::<i64>().ok(),
            Value::Number(number) => number.as_i64().or_else(|| {
                // Fractions are cut, as an integer conversion does.
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "only the sign matters here"
                )]
                number.as_f64().map(|f| f as i64)
            }),
            _ => None,
        };
        if number.is_none_or(|n| n < 0) {
            wrong.push(format!("{name}={}", pyrepr::to_str(value)));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Fault::InvalidParameter(format!(
        "The following properties for node {} should be non-negative integers, but provided values are: {}",
        node.id,
        wrong.join(", ")
    )))
}
