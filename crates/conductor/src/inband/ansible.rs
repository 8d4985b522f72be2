//! Deployment and cleaning by playbooks, in place of the agent's own steps.
//!
//! The agent in the operator's ramdisk only reports that the machine is up. Which steps a cleaning has
//! is in a file of the operator. A playbook runs as long as it takes, in the worker that has the node;
//! one that is interrupted with its service fails its step, because it is not known how far it came.

use super::{drive, image, publish, ramdisk};
use crate::{
    flow::power,
    steps::StepResult,
    task::{Attempt, Stop, Task},
};
use drivers::{
    DriverError, Failure,
    agent::AgentError,
    ansible::{Action, PlaybookInput, Playbooks, hints, variables},
    iface::BootFrom,
};
use outbound::Refused;
use serde_json::{Value, json};
use types::{
    JsonMap, PowerState, PowerTarget, Timestamp, pyrepr,
    step::{Step, StepKind},
    words,
};

/// Whether playbooks do the work.
pub(super) fn is_writer(task: &Task) -> bool {
    task.hardware.deploy.playbooks().is_some()
}

fn playbooks(deploy: &dyn drivers::iface::Deploy) -> Result<&Playbooks, DriverError> {
    deploy.playbooks().ok_or_else(|| {
        DriverError::InvalidParameter("this node is not deployed by playbooks".to_owned())
    })
}

/// The port of SSH, which playbooks use.
const SSH: u16 = 22;

/// Where the ramdisk is, by what its agent said. A name becomes the address that was judged, so that
/// SSH does not ask a name server once more.
async fn address(task: &Task) -> Result<String, DriverError> {
    let url = task.node.driver_internal_info.agent_url();
    let url = url.and_then(|url| reqwest::Url::parse(url).ok());
    let host = url.as_ref().and_then(|url| url.host_str());
    let host = host.map(|host| host.trim_matches(['[', ']']).to_owned());
    let host = host.ok_or_else(|| {
        DriverError::Environment(Failure::new("it is not known where the ramdisk is"))
    })?;
    // SSH gets it, which takes more than hosts for its arguments.
    if !drivers::ansible::is_host(&host) {
        return Err(DriverError::Rejected(Failure::new(format!(
            "the agent says that its host is {host:?}, which is neither an IP address nor a name"
        ))));
    }
    let outbound = &task.settings().ramdisk.client.outbound;
    match outbound.resolve(&host, SSH).await {
        Ok(found) => Ok(found.ip().to_string()),
        Err(error) if error.get_ref().is_some_and(|cause| cause.is::<Refused>()) => {
            Err(DriverError::InvalidParameter(format!(
                "no playbook is run on the agent's host {host}: {error}"
            )))
        }
        Err(error) => Err(DriverError::Unreachable(Failure::because(
            format!("the address of the agent's host {host} is not known"),
            error,
        ))),
    }
}

/// Runs a playbook; a service that stops kills it.
async fn run(task: &mut Task, action: Action, told: PlaybookInput, tags: &[String]) -> Attempt {
    let core = std::sync::Arc::clone(&task.core);
    let hardware = task.hardware.clone();
    let played = async {
        let playbooks = playbooks(&*hardware.deploy)?;
        let (_, machine) = task.hands()?;
        playbooks.run(&machine, action, told, tags).await
    };
    match core.stop.run_until_cancelled(played).await {
        Some(done) => Ok(done),
        None => Err(Stop::Shutdown),
    }
}

/// What every playbook is told.
async fn told(task: &mut Task) -> Result<PlaybookInput, DriverError> {
    let address = address(task).await?;
    let hardware = task.hardware.clone();
    let user = playbooks(&*hardware.deploy)?.remote(&task.machine()).user;
    let nodes = variables::nodes(&task.node, &address, &user);
    let mut variables = JsonMap::from_iter([("nodes".to_owned(), nodes)]);
    if !task.node.target_raid_config.is_empty() {
        let raid = Value::Object(task.node.target_raid_config.clone());
        variables.insert("raid_config".to_owned(), raid);
    }
    Ok(PlaybookInput {
        variables,
        drive: None,
    })
}

/// What the playbook that deploys is told besides.
async fn told_to_deploy(task: &mut Task) -> Result<PlaybookInput, DriverError> {
    let mut told = told(task).await?;
    let hardware = task.hardware.clone();
    let playbooks = playbooks(&*hardware.deploy)?;
    let said = task.instance_addresses()?;
    let (info, _) = image::described(task).await?;
    let info = info.as_object().cloned().unwrap_or_default();
    let mut image = variables::image(&said, &info);
    for (key, value) in playbooks.0.image_server() {
        image.insert(key.to_owned(), value);
    }
    let whole = task.node.driver_internal_info.is_whole_disk_image();
    let kind = if whole { "whole-disk" } else { "partition" };
    image.insert("type".to_owned(), kind.into());
    let url = image.get("url").map(pyrepr::to_str).unwrap_or_default();
    if let Some(size) = size(task, &url).await {
        let needed = (size >> 20).saturating_add(playbooks.0.extra_memory);
        image.insert("mem_req".to_owned(), needed.into());
    }
    told.variables
        .insert("image".to_owned(), Value::Object(image));
    let hints = hints::of(&task.node)?;
    if !hints.is_empty() {
        told.variables
            .insert("root_device_hints".to_owned(), Value::Object(hints));
    }
    let drive = drive::text(task).await?;
    if !whole {
        let partitions = variables::partitions(&task.node, drive.is_some())?;
        told.variables
            .insert("partition_info".to_owned(), partitions);
    }
    match drive {
        Some(address) if ::image::configdrive::is_address(&address) => {
            let drive = json!({"type": "url", "location": address});
            told.variables.insert("configdrive".to_owned(), drive);
        }
        drive => told.drive = drive,
    }
    Ok(told)
}

/// How large the image is, where its server says.
async fn size(task: &Task, url: &str) -> Option<u64> {
    use ::image::source::Source;
    let store = task.core.registry.images()?;
    let opened = store.http().open(url).await.ok()?;
    opened.stat().size
}

/// Deploys the machine. It boots from its disk afterwards.
pub(super) async fn write_image(task: &mut Task) -> Attempt<StepResult> {
    let told = match told_to_deploy(task).await {
        Ok(told) => told,
        Err(error) => return Ok(Err(error)),
    };
    if let Err(error) = run(task, Action::Deploy, told, &[]).await? {
        return Ok(Err(error));
    }
    publish::remove(task).await;
    drive::withdraw(task).await;
    let set = ramdisk::boot_from(task, BootFrom::DISK).await;
    Ok(set.map(|()| StepResult::Done))
}

/// Shuts the machine down, by a playbook or through its BMC.
pub(super) async fn tear_down(task: &mut Task) -> Attempt {
    let forced = task.driver_info().get("deploy_forces_oob_reboot");
    if forced.and_then(words::boolean_value) != Some(true) {
        match shut_down(task).await? {
            Ok(()) => {}
            Err(error) => {
                let error = types::error::chain(&error);
                tracing::warn!(node = %task.id(), error, "a playbook did not switch the machine off");
            }
        }
    }
    // Does nothing but note the state if the machine is off.
    let off = power::act(task, PowerTarget::Off, None).await;
    Ok(off.map_err(|error| match error {
        lapsed @ DriverError::LeaseLapsed => lapsed,
        error => {
            let why = types::error::chain(&error);
            error.variant()(Failure::new(format!(
                "Error rebooting node {} after deploy. Error: {why}",
                task.id()
            )))
        }
    }))
}

async fn shut_down(task: &mut Task) -> Attempt {
    let told = match told(task).await {
        Ok(told) => told,
        Err(error) => return Ok(Err(error)),
    };
    if let Err(error) = run(task, Action::Shutdown, told, &[]).await? {
        return Ok(Err(error));
    }
    let hardware = task.hardware.clone();
    let (looks, pause) = match playbooks(&*hardware.deploy) {
        Ok(playbooks) => (playbooks.0.power_off_looks, playbooks.0.power_off_pause),
        Err(error) => return Ok(Err(error)),
    };
    for _ in 0..=looks {
        let state = hardware.power.get(&task.machine()).await;
        if matches!(state, Ok(Some(PowerState::Off))) {
            return Ok(Ok(()));
        }
        let pause = tokio::time::sleep(pause);
        if task.core.stop.run_until_cancelled(pause).await.is_none() {
            return Err(Stop::Shutdown);
        }
    }
    Ok(Err(DriverError::Unfinished(Failure::new(
        "the machine is still on",
    ))))
}

/// Carries out a step of a cleaning.
pub(super) async fn clean(task: &mut Task, step: &Step) -> Attempt<StepResult> {
    let told = match told(task).await {
        Ok(told) => told,
        Err(error) => return Ok(Err(error)),
    };
    let tags = step.args.get("tags").and_then(Value::as_array);
    let tags: Vec<String> = tags.into_iter().flatten().map(pyrepr::to_str).collect();
    let played = run(task, Action::Clean, told, &tags).await?;
    Ok(played.map(|()| StepResult::Done))
}

/// Reads the steps of a cleaning from the operator's file, and keeps them with the node. Other flows
/// have none.
pub(super) async fn refresh(task: &mut Task, kind: StepKind) -> Result<(), AgentError> {
    let mut by_interface = JsonMap::new();
    if kind == StepKind::Clean {
        let nonsense = |reason: String| AgentError::Nonsense {
            command: "the steps of a cleaning".to_owned(),
            reason,
        };
        let hardware = task.hardware.clone();
        let steps = async {
            let playbooks = playbooks(&*hardware.deploy)?;
            let (path, text) = playbooks.clean_steps(&task.machine()).await?;
            let read = read_steps(&text);
            read.map_err(|why| {
                DriverError::InvalidParameter(match why {
                    StepsError::Unreadable(why) => {
                        format!(
                            "Failed to load clean steps from file {}: {why}",
                            path.display()
                        )
                    }
                    StepsError::Malformed(why) => why,
                })
            })
        };
        let steps = steps.await.map_err(|error| nonsense(error.to_string()))?;
        by_interface.insert("deploy".to_owned(), Value::Array(steps));
    }
    let info = &mut task.node.driver_internal_info;
    info.set_agent_steps(kind, by_interface, Timestamp::now());
    Ok(())
}

/// Why a file has no steps.
#[derive(Debug, PartialEq, Eq)]
enum StepsError {
    Unreadable(String),
    Malformed(String),
}

/// The steps in a file of an operator: those of the deploy interface, as agents tell theirs.
fn read_steps(text: &str) -> Result<Vec<Value>, StepsError> {
    let listed: Vec<JsonMap> =
        serde_saphyr::from_str(text).map_err(|error| StepsError::Unreadable(error.to_string()))?;
    let mut missing = Vec::new();
    let mut names = Vec::new();
    let mut steps = Vec::new();
    for given in &listed {
        let Some(name) = given.get("name").filter(|name| pyrepr::truth(name)) else {
            missing.push("name undefined, field name".to_owned());
            continue;
        };
        let name = pyrepr::to_str(name);
        if !given.contains_key("interface") {
            missing.push(format!("name {name}, field interface"));
        }
        let no_args = JsonMap::new();
        let about = given
            .get("args")
            .and_then(Value::as_object)
            .unwrap_or(&no_args);
        let (mut args, mut argsinfo) = (JsonMap::new(), JsonMap::new());
        for (key, arg) in about {
            let required = arg.get("required").is_some_and(pyrepr::truth);
            if required && arg.get("value").is_none() {
                missing.push(format!("name {name}, field {key}.value"));
            }
            args.insert(key.clone(), arg.get("value").cloned().unwrap_or_default());
            let mut arg = arg.as_object().cloned().unwrap_or_default();
            arg.remove("value");
            argsinfo.insert(key.clone(), Value::Object(arg));
        }
        names.push(name.clone());
        if given.get("interface").and_then(Value::as_str) == Some("deploy") {
            steps.push(json!({
                "interface": "deploy", "step": name, "abortable": false,
                "priority": given.get("priority").cloned().unwrap_or_else(|| 0.into()),
                "argsinfo": argsinfo, "args": args,
            }));
        }
    }
    if !missing.is_empty() {
        let missing = missing.join(", ");
        return Err(StepsError::Malformed(format!(
            "Malformed clean_steps file: {missing}"
        )));
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    match names.len() == count {
        true => Ok(steps),
        false => Err(StepsError::Malformed(
            "Cleaning steps do not have unique names.".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_the_bundled_file_are_those_of_ironic() {
        let file = drivers::ansible::bundled::FILES.iter();
        let mut file = file.filter(|(name, _)| *name == "clean_steps.yaml");
        let (_, text) = file.next_back().unwrap();
        let steps = read_steps(text).unwrap();
        let brief = |step: &Value| {
            (
                step["step"].clone(),
                step["priority"].clone(),
                step["args"].clone(),
            )
        };
        assert_eq!(
            steps.iter().map(brief).collect::<Vec<_>>(),
            [
                (
                    json!("erase_devices_metadata"),
                    json!(99),
                    json!({"tags": ["zap"]})
                ),
                (
                    json!("erase_devices"),
                    json!(10),
                    json!({"tags": ["shred"]})
                ),
            ]
        );
        assert_eq!(steps[0]["argsinfo"]["tags"]["required"], true);
        assert_eq!(steps[0]["argsinfo"]["tags"].get("value"), None);
    }

    #[test]
    fn malformed_files_are_told_in_the_words_of_ironic() {
        let told = |text: &str| read_steps(text).unwrap_err();
        let malformed = |text: &str| StepsError::Malformed(text.to_owned());
        assert_eq!(
            told("- name: a\n  args: {t: {required: true}}\n- priority: 1\n"),
            malformed(
                "Malformed clean_steps file: name a, field interface, name a, field t.value, name undefined, field name"
            )
        );
        assert_eq!(
            told("- {name: a, interface: deploy}\n- {name: a, interface: deploy}\n"),
            malformed("Cleaning steps do not have unique names.")
        );
        assert!(matches!(told("a: ["), StepsError::Unreadable(_)));
        assert_eq!(read_steps("- {name: a, interface: raid}\n"), Ok(Vec::new()));
    }
}
