//! Changing a node's description: the rules of each field.

use crate::{core::Core, create::check_properties, lock, record::ChangeLog};
use serde_json::{Value, json};
use store::node::Fence;
use types::{
    Caller, Fault, InterfaceKind, Node, NodeId, ProvisionState as S,
    event::EventKind,
    notification::{Action, Status},
    rpc::NodeUpdate,
    traits::MAX_PER_NODE,
};

/// Where the parts of a node that flows rely on may be changed.
const CHANGEABLE: &[S] = &[
    S::Enroll,
    S::Inspecting,
    S::InspectWait,
    S::Manageable,
    S::Available,
];

impl Core {
    pub(crate) async fn change_node(
        &self,
        who: &Caller,
        update: NodeUpdate,
    ) -> Result<Node, Fault> {
        let NodeUpdate {
            node: mut new,
            base_version,
            reset_interfaces,
        } = update;
        let id = new.id;
        let old = self.load_free(id).await?;
        if old.version != base_version {
            return Err(Fault::Stale(id));
        }
        self.check_host(&new.driver, &new.conductor_group)?;
        check_console(&old, &new)?;
        check_states(&old, &new)?;
        check_flags(&old, &mut new)?;
        if let (Some(was), Some(now)) = (&old.instance_uuid, &new.instance_uuid)
            && was != now
        {
            return Err(Fault::NodeAssociated {
                node: id,
                instance: was.clone(),
            });
        }
        // Interfaces belong to a driver: without a new one there is nothing to reset.
        if reset_interfaces && new.driver != old.driver {
            for &kind in InterfaceKind::ALL {
                if new.interfaces.get(kind) == old.interfaces.get(kind) {
                    new.interfaces.clear(kind);
                }
            }
        }
        let deploy = InterfaceKind::Deploy;
        if new.interfaces.get(deploy) != old.interfaces.get(deploy) {
            // Somebody chose: nothing is left to go back to.
            new.driver_internal_info.take_original_deploy_interface();
        }
        // What an instance overrides is looked at when the node is worked on.
        if new.driver != old.driver || new.interfaces != old.interfaces {
            self.registry
                .fill_interfaces(&mut new)
                .map_err(|error| Fault::InvalidParameter(error.to_string()))?;
        }
        if new.properties != old.properties {
            check_properties(&new)?;
        }
        if new.instance_info != old.instance_info && new.instance_name.is_none() {
            let name = new
                .instance_info
                .get("display_name")
                .and_then(Value::as_str);
            new.instance_name = name.map(str::to_owned);
        }
        let mut story = ChangeLog::new(who);
        let fields = changed_fields(&old, &new);
        if old.maintenance != new.maintenance {
            story.maintenance(&new);
        }
        if !fields.is_empty() {
            let text = format!("changed {}", fields.join(", "));
            story.tell(&new, EventKind::Updated, text, json!({"fields": fields}));
        }
        if old.driver_info != new.driver_info
            || old.instance_info != new.instance_info
            || old.properties != new.properties
        {
            self.warn_of_slips(Some(&old), &new, &mut story);
        }
        story.notice(Action::Update, Status::End);
        new.version = old.version;
        let saved = store::node::save(&self.db, new, Fence::Free, story.into_log()).await;
        saved.map_err(|error| lock::fault(error, id))
    }

    pub(crate) async fn change_maintenance(
        &self,
        who: &Caller,
        id: NodeId,
        on: bool,
        reason: Option<String>,
    ) -> Result<(), Fault> {
        let node = self.load(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        self.change(id, |node, log| {
            if on {
                node.maintenance = true;
                node.maintenance_reason = reason.clone();
            } else {
                node.clear_maintenance();
            }
            let mut story = ChangeLog::new(who);
            story.maintenance(node);
            story.notice(Action::Maintenance, Status::End);
            *log = story.into_log();
            Ok(())
        })
        .await
        .map(|_| ())
    }

    pub(crate) async fn set_target_raid(
        &self,
        who: &Caller,
        id: NodeId,
        config: types::JsonMap,
    ) -> Result<(), Fault> {
        // Whatever can do nothing with a wish can still be left without one.
        if !config.is_empty() {
            self.check_raid(id).await?;
        }
        self.change(id, |node, log| {
            node.target_raid_config = config.clone();
            let mut story = ChangeLog::new(who);
            let text = "changed target_raid_config";
            story.tell(
                node,
                EventKind::Updated,
                text,
                json!({"fields": ["target_raid_config"]}),
            );
            *log = story.into_log();
            Ok(())
        })
        .await
        .map(|_| ())
    }

    /// Changes the traits of a node; `change` gets them and says what they become.
    pub(crate) async fn change_traits(
        &self,
        who: &Caller,
        id: NodeId,
        change: impl Fn(&Node) -> Result<Vec<String>, Fault>,
    ) -> Result<(), Fault> {
        self.change(id, |node, log| {
            let mut traits = change(node)?;
            traits.sort();
            traits.dedup();
            if traits.len() > MAX_PER_NODE {
                return Err(Fault::InvalidParameter(format!(
                    "Could not modify traits for node {} as it would exceed the maximum number of traits per node ({} vs. {MAX_PER_NODE})",
                    node.row,
                    traits.len()
                )));
            }
            node.traits = traits;
            let mut story = ChangeLog::new(who);
            story.tell(node, EventKind::Updated, "changed traits", json!({"fields": ["traits"]}));
            story.notice(Action::Update, Status::End);
            *log = story.into_log();
            Ok(())
        })
        .await
        .map(|_| ())
    }
}

fn check_console(old: &Node, new: &Node) -> Result<(), Fault> {
    if old.driver != new.driver && old.console_enabled {
        return Err(Fault::InvalidState(format!(
            "Node {} can not update the driver while the console is enabled. Please stop the console first.",
            old.id
        )));
    }
    Ok(())
}

fn check_states(old: &Node, new: &Node) -> Result<(), Fault> {
    let changeable = CHANGEABLE.contains(&old.provision_state);
    let allowed = CHANGEABLE
        .iter()
        .map(|s| s.as_str())
        .collect::<Vec<_>>()
        .join(", ");
    let refused = |field: &str, or: &str| {
        Fault::InvalidState(format!(
            "Node {} can not have {field} updated unless it is in one of allowed ({allowed}) states{or}. Current state is '{}'.",
            old.id, old.provision_state
        ))
    };
    if !changeable && old.resource_class.is_some() && old.resource_class != new.resource_class {
        return Err(refused("resource_class", ""));
    }
    if !changeable
        && !old.maintenance
        && old.allocation_uuid.is_some()
        && old.instance_uuid.is_some()
        && new.instance_uuid.is_none()
    {
        // Otherwise the allocation would go with its instance while the machine is in use.
        return Err(Fault::InvalidState(format!(
            "Node {} with an allocation can not have instance_uuid removed unless it is in one of allowed ({allowed}) states or in maintenance mode. Current state is '{}'.",
            old.id, old.provision_state
        )));
    }
    if !changeable && !old.maintenance {
        for (kind, name) in new.interfaces.iter() {
            if old.interfaces.get(kind) != name {
                return Err(refused(kind.field(), " or in maintenance mode"));
            }
        }
    }
    Ok(())
}

fn check_flags(old: &Node, new: &mut Node) -> Result<(), Fault> {
    let state = old.provision_state;
    if new.protected && !old.protected && !matches!(state, S::Active | S::Rescue) {
        return Err(Fault::InvalidState(format!(
            "Node {} can only be made protected in provision states 'active' or 'rescue', the current state is '{state}'",
            old.id
        )));
    }
    if new.protected_reason.is_some()
        && !new.protected
        && new.protected_reason != old.protected_reason
    {
        return Err(Fault::InvalidParameter(
            "The protected_reason field can only be set when protected is True".into(),
        ));
    }
    if new.is_retired() && !old.is_retired() && state == S::Available {
        return Err(Fault::InvalidState(format!(
            "Node {} can not have 'retired' set in provision state 'available', the current state is '{state}'",
            old.id
        )));
    }
    if new.retired_reason.is_some() && !new.is_retired() && new.retired_reason != old.retired_reason
    {
        return Err(Fault::InvalidParameter(
            "The retired_reason field can only be set when retired is True".into(),
        ));
    }
    if !new.protected {
        new.protected_reason = None;
    }
    if !new.is_retired() {
        new.retired_reason = None;
    }
    if !new.maintenance && old.maintenance {
        new.clear_maintenance();
    }
    Ok(())
}

/// Names of the fields that differ; values are not told, some of them are secrets.
fn changed_fields(old: &Node, new: &Node) -> Vec<&'static str> {
    macro_rules! compared {
        ($($field:ident),* $(,)?) => {
            [$((stringify!($field), old.$field == new.$field)),*]
        };
    }
    let first = compared![
        name,
        driver,
        driver_info,
        properties,
        extra,
        instance_info,
        instance_uuid,
        instance_name,
    ];
    let chassis = [("chassis_uuid", old.chassis == new.chassis)];
    let others = compared![
        conductor_group,
        resource_class,
        owner,
        lessee,
        shard,
        parent_node,
        description,
        automated_clean,
        protected,
        protected_reason,
        retired,
        retired_reason,
        disable_power_off,
        network_data,
    ];
    let interfaces = InterfaceKind::ALL.iter().map(|&kind| {
        let same = old.interfaces.get(kind) == new.interfaces.get(kind);
        (kind.field(), same)
    });
    let fields = first.into_iter().chain(chassis).chain(others);
    let changed = fields.chain(interfaces).filter(|(_, same)| !same);
    changed.map(|(name, _)| name).collect()
}
