//! What a deploy or rebuild is checked for, and the list of steps it becomes.

use crate::{core::Core, flow, steps};
use drivers::iface::{Hardware, Machine};
use serde_json::Value;
use types::{
    Caller, Fault, Node,
    step::{Step, StepKind, UserStep, sort},
};

impl Core {
    pub(crate) async fn prepare_deploy(
        &self,
        node: &mut Node,
        who: &Caller,
        hardware: &Hardware,
        configdrive: &Option<Value>,
        asked: &[UserStep],
        rebuild: bool,
    ) -> Result<(), Fault> {
        if let Some(drive) = configdrive {
            node.instance_info
                .insert("configdrive".into(), drive.clone());
        }
        if !rebuild {
            self.choose_lessee(node, who);
        }
        note_image_type(node);
        let refused = |text: String| {
            Fault::InvalidParameter(format!(
                "Failed to validate deploy or power info for node {}: {text}",
                node.id
            ))
        };
        let checked = async {
            let mut copy = node.clone();
            let driver_info = self.opened_driver_info(&copy)?;
            let machine = Machine {
                node: &mut copy,
                driver_info: &driver_info,
                ports: &[],
            };
            for validated in [
                hardware.power.validate(&machine).await,
                hardware.deploy.validate(&machine).await,
            ] {
                validated.map_err(|error| flow::fault(node, &error))?;
            }
            Ok::<(), Fault>(())
        };
        checked.await.map_err(|fault| refused(fault.to_string()))?;
        check_instance_traits(node).map_err(&refused)?;
        let list = self.deploy_steps(node, hardware, asked).map_err(&refused)?;
        steps::store_list(node, StepKind::Deploy, &list);
        Ok(())
    }

    /// The driver's steps, with the user's in place of those they override.
    fn deploy_steps(
        &self,
        node: &Node,
        hardware: &Hardware,
        asked: &[UserStep],
    ) -> Result<Vec<Step>, String> {
        let mut complaints = Vec::new();
        let mut list = Vec::new();
        for (i, user) in asked.iter().enumerate() {
            if asked[..i].iter().any(|other| other.name() == user.name()) {
                complaints.push(format!(
                    "deploy steps from \"deploy steps\" argument cannot have the same interface and step. Duplicate deploy steps for {}",
                    user.name()
                ));
            }
            let spec = steps::find(hardware, StepKind::Deploy, user.interface, &user.step);
            let step = Step::asked(user, spec);
            if user.name() == "deploy.deploy" && step.priority > 0 {
                complaints.push(
                    "deploy step deploy on interface deploy is a core step and cannot be \
                     overridden by user steps. It may be disabled by setting the priority to 0"
                        .into(),
                );
            } else if let Some(spec) = spec {
                complaints.extend(steps::argument_complaints(StepKind::Deploy, &step, spec));
            } else if step.reserved().is_none() {
                // Only a ramdisk could know it, and with this driver none comes: the original
                // drops such a step silently; we say so.
                tracing::warn!(node = %node.id, step = user.name(), "no interface offers this deploy step; it is left out");
                continue;
            }
            list.push(step);
        }
        if !complaints.is_empty() {
            return Err(format!(
                "Validation of deploy steps from \"deploy steps\" argument failed.{}",
                complaints.join("; ")
            ));
        }
        let own = steps::automatic(hardware, &self.settings, StepKind::Deploy);
        list.extend(
            own.into_iter()
                .filter(|s| !asked.iter().any(|user| user.name() == s.name())),
        );
        list.retain(|step| step.priority > 0);
        sort(StepKind::Deploy, &mut list);
        Ok(list)
    }

    /// The project that asked for the machine may use it from now on.
    fn choose_lessee(&self, node: &mut Node, _who: &Caller) {
        if !self.settings.automatic_lessee || node.lessee.is_some() {
            return;
        }
        let project = node.instance_info.get("project_id").and_then(Value::as_str);
        if let Some(project) = project.filter(|p| !p.is_empty()).map(str::to_owned) {
            node.lessee = Some(project);
            node.driver_internal_info
                .insert("automatic_lessee".into(), true.into());
        }
    }
}

/// Records whether the image is one of a whole disk, as far as the node itself tells.
fn note_image_type(node: &mut Node) {
    let info = &node.instance_info;
    if info
        .get("image_source")
        .and_then(Value::as_str)
        .is_none_or(str::is_empty)
    {
        return;
    }
    let whole = match info.get("image_type").and_then(Value::as_str) {
        Some(kind) => kind == "whole-disk",
        None => !(info.contains_key("kernel") || info.contains_key("ramdisk")),
    };
    let word = if whole { "whole-disk" } else { "partition" };
    node.instance_info
        .entry("image_type")
        .or_insert_with(|| word.into());
    node.driver_internal_info
        .insert("is_whole_disk_image".into(), whole.into());
}

fn check_instance_traits(node: &Node) -> Result<(), String> {
    let wanted = node.instance_info.get("traits").and_then(Value::as_array);
    let missing: Vec<&str> = wanted
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|name| !node.traits.iter().any(|t| t == name))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "Cannot specify instance traits that are not also set on the node. Node {} is missing traits {}",
        node.id,
        missing.join(", ")
    ))
}
