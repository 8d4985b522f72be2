//! What a deploy or rebuild is checked for, and the list of steps it becomes.

use crate::{
    core::Core,
    inband::{self, steps::Offer},
    lock,
    settings::LesseeSource,
    steps,
};
use drivers::{glance::Reference, iface::Hardware};
use serde_json::Value;
use types::{
    Caller, DeployTemplate, Fault, InterfaceKind, JsonMap, Node,
    deploy_template::TemplateStep,
    image::ImageKind,
    pyrepr,
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
        let stored = self.stored_image(node).await;
        let kind = match &stored {
            Ok(Some((_, content))) => Some(content.survey.kind),
            _ => None,
        };
        note_image_type(node, kind);
        let id = node.id;
        let refused = |text: String| {
            Fault::InvalidParameter(format!(
                "Failed to validate deploy or power info for node {id}: {text}"
            ))
        };
        let checked = self.ask_for(who, node, async |machine| {
            hardware.power.validate(machine).await?;
            let boots = self.settings.ramdisk.manages_boot;
            hardware
                .validate(InterfaceKind::Deploy, machine, boots)
                .await
        });
        let checked = checked.await.and(stored.map(|_| ()));
        checked.map_err(|fault| match fault {
            // Nobody's parameters are wrong when the database is away.
            Fault::Unavailable => fault,
            other => refused(other.to_string()),
        })?;
        let networks = self.ask_for(who, node, async |machine| {
            hardware.network.validate(machine).await
        });
        networks.await.map_err(|fault| match fault {
            Fault::InvalidParameter(why) => refused(why),
            other => other,
        })?;
        instance_traits(node).map_err(&refused)?;
        let brought = self.template_steps(node, hardware).await;
        let brought = brought.map_err(|fault| match fault {
            Fault::Unavailable => fault,
            other => refused(other.to_string()),
        })?;
        let offer = self.deploy_offer(node, hardware);
        let (own, complaints) = check(node, hardware, asked, &offer);
        if !complaints.is_empty() {
            return Err(refused(format!(
                "Validation of deploy steps from \"deploy steps\" argument failed.{}",
                complaints.join("; ")
            )));
        }
        if !asked.is_empty() {
            node.driver_internal_info.set_user_deploy_steps(asked);
        }
        let offer = self.deploy_offer(node, hardware);
        let driver = steps::automatic(hardware, &self.settings, StepKind::Deploy, &offer);
        steps::store_list(node, StepKind::Deploy, &merged(own, brought, driver));
        Ok(())
    }

    fn deploy_offer(&self, node: &Node, hardware: &Hardware) -> Offer {
        inband::steps::offer(node, hardware, &self.settings, StepKind::Deploy)
    }

    /// The list of a deployment under way, with the steps of the agent that has just told them.
    pub(crate) async fn relist_deploy(
        &self,
        node: &mut Node,
        hardware: &Hardware,
    ) -> Result<(), Fault> {
        let offer = self.deploy_offer(node, hardware);
        let brought = self.template_steps(node, hardware).await?;
        let asked = node.driver_internal_info.user_deploy_steps();
        let (own, complaints) = check(node, hardware, &asked, &offer);
        if !complaints.is_empty() {
            return Err(Fault::InvalidParameter(format!(
                "Validation of deploy steps from \"deploy steps\" argument failed.{}",
                complaints.join("; ")
            )));
        }
        let driver = steps::automatic(hardware, &self.settings, StepKind::Deploy, &offer);
        steps::store_list(node, StepKind::Deploy, &merged(own, brought, driver));
        node.driver_internal_info.mark_steps_validated();
        self.seal_steps(node)
    }

    /// Seals the secrets among the arguments of templates. The list is used before the node is next
    /// written, and the current step, which is a column of its own, is copied from it.
    fn seal_steps(&self, node: &mut Node) -> Result<(), Fault> {
        let (keys, id) = (self.db.keys(), node.id.to_string());
        let sealed = keys.seal_map(node.driver_internal_info.raw_json_mut(), &id);
        sealed.map_err(|error| lock::fault(error, node.id))
    }

    /// What `validate` finds wrong with the image of the store and with the steps that a deployment
    /// would have.
    pub(crate) async fn check_deployment(
        &self,
        node: &Node,
        hardware: &Hardware,
    ) -> Result<(), Fault> {
        self.stored_image(node).await?;
        instance_traits(node).map_err(Fault::InvalidParameter)?;
        self.template_steps(node, hardware).await.map(|_| ())
    }

    /// The steps that the traits of the instance bring along.
    async fn template_steps(&self, node: &Node, hardware: &Hardware) -> Result<Vec<Step>, Fault> {
        let traits = instance_traits(node).map_err(Fault::InvalidParameter)?;
        if traits.is_empty() {
            return Ok(Vec::new());
        }
        let templates = store::deploy_template::named(&self.db, traits)
            .await
            .map_err(|error| lock::fault(error, node.id))?;
        let mut asked = Vec::new();
        for template in &templates {
            for step in &template.steps {
                asked.push(self.template_step(template, step)?);
            }
        }
        let offer = self.deploy_offer(node, hardware);
        let (steps, complaints) = check(node, hardware, &asked, &offer);
        if complaints.is_empty() {
            return Ok(steps);
        }
        let names: Vec<&str> = templates.iter().map(|t| t.name.as_str()).collect();
        Err(Fault::InvalidParameter(format!(
            "Validation of deploy steps from deploy templates matching this node's instance traits failed. Matching deploy templates: {}. Errors: {}",
            names.join(","),
            complaints.join("; ")
        )))
    }

    /// The steps that templates bring along, by name, and the templates that they are of.
    pub(crate) async fn template_names(&self, node: &Node) -> Result<Vec<(String, String)>, Fault> {
        let traits = instance_traits(node).unwrap_or_default();
        if traits.is_empty() {
            return Ok(Vec::new());
        }
        let templates = store::deploy_template::named(&self.db, traits)
            .await
            .map_err(|error| lock::fault(error, node.id))?;
        let named = templates.iter().flat_map(|template| {
            let steps = template.steps.iter();
            steps.map(|step| {
                (
                    format!("{}.{}", step.interface, step.step),
                    template.name.clone(),
                )
            })
        });
        Ok(named.collect())
    }

    fn template_step(
        &self,
        template: &DeployTemplate,
        step: &TemplateStep,
    ) -> Result<UserStep, Fault> {
        let args = self.opened_args(&step.args, &template.id.to_string())?;
        let mut given = JsonMap::new();
        given.insert("interface".into(), step.interface.as_str().into());
        given.insert("step".into(), step.step.clone().into());
        given.insert("args".into(), Value::Object(args));
        given.insert("priority".into(), step.priority.value().into());
        UserStep::from_map(given)
            .ok_or_else(|| Fault::Internal(format!("Template {} is damaged.", template.name)))
    }

    /// The project that asked for the machine may use it from now on.
    fn choose_lessee(&self, node: &mut Node, who: &Caller) {
        if !self.settings.automatic_lessee || node.lessee.is_some() {
            return;
        }
        let project = match self.settings.automatic_lessee_source {
            LesseeSource::Instance => node.instance_info.get("project_id").and_then(Value::as_str),
            LesseeSource::Request => who.project.as_deref(),
            LesseeSource::None => None,
        };
        if let Some(project) = project.filter(|p| !p.is_empty()).map(str::to_owned) {
            node.lessee = Some(project);
            node.driver_internal_info.mark_automatic_lessee();
        }
    }
}

/// Records whether the image is one of a whole disk, as far as the node itself and the image store
/// tell.
fn note_image_type(node: &mut Node, kind: Option<ImageKind>) {
    node.driver_internal_info.forget_glance_image();
    let info = &node.instance_info;
    let source = info.get("image_source").and_then(Value::as_str);
    let Some(source) = source.filter(|source| !source.is_empty()) else {
        return;
    };
    let is_said = info.get("image_type").is_some_and(pyrepr::truth);
    if !is_said && matches!(Reference::read(source), Ok(Reference::Glance(_))) {
        // Glance knows, and is asked when the deployment begins.
        node.driver_internal_info.forget_whole_disk_image();
        return;
    }
    let whole = match kind {
        Some(kind) if !is_said => kind != ImageKind::Partition,
        _ => drivers::boot_image::is_of_whole_disk(info),
    };
    let word = if whole { "whole-disk" } else { "partition" };
    node.instance_info
        .entry("image_type")
        .or_insert_with(|| word.into());
    node.driver_internal_info.set_whole_disk_image(whole);
}

/// Checks steps of a user or of templates against what the hardware offers. The second part are the
/// complaints.
fn check(
    node: &Node,
    hardware: &Hardware,
    asked: &[UserStep],
    offer: &Offer,
) -> (Vec<Step>, Vec<String>) {
    let (mut list, mut complaints) = (Vec::new(), Vec::new());
    let (mut seen, mut twice) = (Vec::new(), Vec::new());
    for user in asked {
        let name = user.name();
        let spec = steps::find(hardware, StepKind::Deploy, user.interface, &user.step);
        let step = Step::asked(user, spec);
        if step.reserved().is_some() {
            list.push(step);
            continue;
        }
        let Some(spec) = spec else {
            let known = match offer {
                Offer::Known(inband) => inband.iter().find(|known| known.name() == name),
                Offer::Later | Offer::None => None,
            };
            if let Some(offered) = known {
                let shown = pyrepr::repr(&step.to_json());
                complaints.extend(inband::steps::complaints(
                    StepKind::Deploy,
                    user,
                    offered,
                    &shown,
                ));
            }
            if known.is_some() || matches!(offer, Offer::Later) {
                list.push(step);
                continue;
            }
            // Only a ramdisk could know it, and with this driver none comes: Ironic drops
            // such a step silently; we say so.
            tracing::warn!(node = %node.id, step = name, "no interface offers this deploy step; it is left out");
            continue;
        };
        let shown = pyrepr::repr(&step.to_json());
        let wrong = steps::argument_complaints(StepKind::Deploy, &step, &shown, spec);
        complaints.extend(wrong);
        if name == "deploy.deploy" && step.priority > 0 {
            complaints.push(
                "deploy step deploy on interface deploy is a core step and cannot be overridden by user steps. It may be disabled by setting the priority to 0"
                    .into(),
            );
        }
        if seen.contains(&name) {
            if !twice.contains(&name) {
                twice.push(name);
            }
        } else {
            seen.push(name);
        }
        list.push(step);
    }
    if !twice.is_empty() {
        complaints.push(format!(
            "deploy steps from all deploy templates matching this node's instance traits cannot have the same interface and step. Duplicate deploy steps for {}",
            twice.join(", ")
        ));
    }
    (list, complaints)
}

/// The list that a deployment runs. A user's step takes the place of a template's, and both that of
/// the driver's; one of priority 0 only takes the other out.
fn merged(user: Vec<Step>, template: Vec<Step>, driver: Vec<Step>) -> Vec<Step> {
    let mut asked = user;
    for step in template {
        // Reserved steps are not of any interface: each of them is its own.
        let overridden = step.reserved().is_none() && asked.iter().any(|s| s.name() == step.name());
        if !overridden {
            asked.push(step);
        }
    }
    let mut list: Vec<Step> = driver
        .into_iter()
        .filter(|own| !asked.iter().any(|s| s.name() == own.name()))
        .collect();
    list.extend(asked.into_iter().filter(|step| step.priority > 0));
    sort(StepKind::Deploy, &mut list);
    list
}

/// The traits that the instance asks for; the node must have them.
fn instance_traits(node: &Node) -> Result<Vec<String>, String> {
    let wanted = match node.instance_info.get("traits") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(value) => value,
    };
    let names: Option<Vec<String>> = wanted.as_array().and_then(|items| {
        let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
        texts.collect()
    });
    let names = names.ok_or_else(|| {
        format!(
            "Error parsing traits from Node {} instance_info field. A list of strings is expected.",
            node.id
        )
    })?;
    let missing: Vec<&str> = names
        .iter()
        .filter(|name| !node.traits.contains(name))
        .map(String::as_str)
        .collect();
    if missing.is_empty() {
        return Ok(names);
    }
    Err(format!(
        "Cannot specify instance traits that are not also set on the node. Node {} is missing traits {}",
        node.id,
        missing.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Lab;
    use serde_json::json;
    use types::NodeId;

    #[tokio::test]
    async fn secrets_of_steps_are_sealed_before_they_run() {
        let lab = Lab::new().await;
        let core = &lab.service.core;
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        let args = json!({"settings": [{"name": "a", "password": "hunter2"}]});
        let given = json!({
            "interface": "bios", "step": "apply_configuration", "args": args, "priority": 50
        });
        let user = UserStep::from_map(given.as_object().cloned().unwrap()).unwrap();
        let asked = [Step::asked(&user, None)];
        steps::store_list(&mut node, StepKind::Deploy, &asked);
        core.seal_steps(&mut node).unwrap();
        let sealed = node.driver_internal_info.steps(StepKind::Deploy);
        assert!(!format!("{sealed:?}").contains("hunter2"), "{sealed:?}");
        let opened = core.opened_args(&sealed[0].args, &node.id.to_string());
        assert_eq!(json!(opened.unwrap()), args);
    }
}
