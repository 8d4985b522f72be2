//! The commands there are, by IPA's names.

mod params;
mod power;
mod rescue;
mod standby;
mod steps;

pub(crate) use params::Params;
pub(crate) use rescue::RESCUED;

use crate::{
    AgentError,
    agent::Agent,
    command::{Commands, State, invalid_command, invalid_params, not_found},
    config::Config,
    disk,
    service::LookupAnswer,
};
use serde_json::{Value, json};
use std::{pin::Pin, sync::Arc};
use types::JsonMap;

/// A command.
#[derive(Debug)]
pub struct CommandSpec {
    extension: &'static str,
    name: &'static str,
    /// Whether it is asynchronous: it continues after the request was answered.
    pub is_async: bool,
    /// The parameters it takes.
    params: &'static [&'static str],
    /// The required ones.
    needed: &'static [&'static str],
    /// Whether it accepts further parameters: those of the step.
    takes_more: bool,
}

const fn entry(
    extension: &'static str,
    name: &'static str,
    is_async: bool,
    params: &'static [&'static str],
    needed: &'static [&'static str],
) -> CommandSpec {
    CommandSpec {
        extension,
        name,
        is_async,
        params,
        needed,
        takes_more: false,
    }
}

const fn step(
    extension: &'static str,
    name: &'static str,
    version: &'static [&'static str],
) -> CommandSpec {
    CommandSpec {
        takes_more: true,
        ..entry(extension, name, true, version, &["step", "node", "ports"])
    }
}

const NODE: &[&str] = &["node", "ports"];

const ENTRIES: &[CommandSpec] = &[
    entry("clean", "get_clean_steps", false, NODE, NODE),
    step("clean", "execute_clean_step", &["clean_version"]),
    entry("deploy", "get_deploy_steps", false, NODE, NODE),
    step("deploy", "execute_deploy_step", &["deploy_version"]),
    entry("service", "get_service_steps", false, NODE, NODE),
    step("service", "execute_service_step", &["service_version"]),
    entry(
        "standby",
        "prepare_image",
        true,
        &["image_info", "configdrive"],
        &["image_info"],
    ),
    entry(
        "standby",
        "cache_image",
        true,
        &["image_info", "force", "configdrive"],
        &["image_info"],
    ),
    entry("standby", "run_image", true, &[], &[]),
    entry("standby", "power_off", true, &[], &[]),
    entry("standby", "sync", false, &[], &[]),
    entry("standby", "kexec", false, &[], &[]),
    entry("standby", "get_partition_uuids", false, &[], &[]),
    entry(
        "standby",
        "execute_bootc_install",
        true,
        &[
            "image_source",
            "instance_info",
            "pull_secret",
            "configdrive",
        ],
        &["image_source"],
    ),
    entry(
        "image",
        "install_bootloader",
        true,
        &[
            "root_uuid",
            "efi_system_part_uuid",
            "prep_boot_part_uuid",
            "target_boot_mode",
            "ignore_bootloader_failure",
        ],
        &["root_uuid"],
    ),
    entry(
        "rescue",
        "finalize_rescue",
        false,
        &["rescue_password", "hashed"],
        &["rescue_password"],
    ),
    entry("log", "collect_system_logs", false, &[], &[]),
    entry("poll", "get_hardware_info", false, &[], &[]),
    entry(
        "poll",
        "set_node_info",
        false,
        &["node_info"],
        &["node_info"],
    ),
    entry("flow", "start_flow", true, &["flow"], &["flow"]),
    entry("system", "lockdown", false, &[], &[]),
    CommandSpec {
        // What it does not know is refused in other words than everywhere else.
        takes_more: true,
        ..entry("iscsi", "start_iscsi_target", false, &[], &[])
    },
    entry("iscsi", "stop_iscsi_target", false, &[], &[]),
];

/// The command of this name.
pub(crate) fn find(extension: &str, name: &str) -> Result<&'static CommandSpec, AgentError> {
    let mut of_extension = ENTRIES
        .iter()
        .filter(|entry| entry.extension == extension)
        .peekable();
    if of_extension.peek().is_none() {
        return Err(not_found("Extension", extension));
    }
    of_extension
        .find(|entry| entry.name == name)
        .ok_or_else(|| invalid_command(format!("Unknown command: {name}")))
}

/// Validates the parameters of a command.
pub(crate) fn validate(
    entry: &CommandSpec,
    params: &JsonMap,
    config: &Config,
) -> Result<(), AgentError> {
    let name = entry.name;
    for needed in entry.needed {
        if !params.contains_key(*needed) {
            return Err(invalid_params(format!(
                "{name} requires the parameter {needed}"
            )));
        }
    }
    for given in params.keys() {
        let is_known = entry.params.contains(&given.as_str())
            || entry.needed.contains(&given.as_str())
            || entry.takes_more;
        if !is_known {
            return Err(invalid_params(format!("{name} has no parameter {given}")));
        }
    }
    let params = Params::new(entry.name, params.clone());
    match (entry.extension, entry.name) {
        (_, "prepare_image" | "cache_image") => {
            disk::image::validate(&params.object("image_info")?, config)
        }
        ("flow", _) => validate_flow(&params.list("flow")?),
        _ => Ok(()),
    }
}

/// Carries a command out.
pub(crate) fn run<'a>(
    agent: &'a Arc<Agent>,
    entry: &'static CommandSpec,
    params: JsonMap,
) -> Pin<Box<dyn Future<Output = Result<Value, AgentError>> + Send + 'a>> {
    // Boxed, because flows run commands and are commands.
    Box::pin(async move {
        let params = Params::new(entry.name, params);
        match (entry.extension, entry.name) {
            ("clean", name) => steps::run(agent, &steps::CLEAN, name, params).await,
            ("deploy", name) => steps::run(agent, &steps::DEPLOY, name, params).await,
            ("service", name) => steps::run(agent, &steps::SERVICE, name, params).await,
            ("standby", "run_image") => power::reboot(agent).await,
            ("standby", "power_off") => power::off(agent).await,
            ("standby" | "image" | "iscsi", name) => standby::run(agent, name, &params).await,
            ("rescue", _) => rescue::finalize(agent, &params),
            ("log", _) => collect_logs(agent).await,
            ("poll", "get_hardware_info") => agent.managers().inventory(&agent.context()).await,
            ("poll", _) => set_node_info(agent, &params),
            ("flow", _) => run_flow(agent, &params).await,
            ("system", _) => power::lock_down(agent),
            _ => Err(invalid_command(format!("Unknown command: {}", entry.name))),
        }
    })
}

async fn collect_logs(agent: &Arc<Agent>) -> Result<Value, AgentError> {
    let inventory = agent.managers().inventory(&agent.context()).await.ok();
    let logs = crate::logs::collect(&agent.config().root, agent.journal(), inventory.as_ref());
    Ok(json!({"system_logs": logs}))
}

fn set_node_info(agent: &Agent, params: &Params) -> Result<Value, AgentError> {
    if !agent.config().standalone {
        return Err(invalid_command(
            "Node lookup data can only be set when the agent is running in standalone mode.",
        ));
    }
    let mut info = params.object("node_info")?;
    let mut part = |name: &str| match info.remove(name) {
        Some(Value::Object(part)) => Ok(part),
        _ => Err(invalid_params(format!("node_info has no {name}"))),
    };
    let (node, config) = (part("node")?, part("config")?);
    let refused = |error: crate::agent::Untrusted| invalid_params(error.to_string());
    agent
        .adopt(&LookupAnswer { node, config })
        .map_err(refused)?;
    Ok(Value::Null)
}

/// The commands of a flow: each item holds one or more, by name.
fn tasks(flow: &[Value]) -> Result<Vec<(&str, &JsonMap)>, AgentError> {
    let mut tasks = Vec::new();
    for item in flow {
        let commands = item
            .as_object()
            .ok_or_else(|| invalid_params("flow must be a list of objects"))?;
        for (name, params) in commands {
            let params = params.as_object().ok_or_else(|| {
                invalid_params(format!("the parameters of {name} must be an object"))
            })?;
            tasks.push((name.as_str(), params));
        }
    }
    Ok(tasks)
}

fn validate_flow(flow: &[Value]) -> Result<(), AgentError> {
    for (name, _) in tasks(flow)? {
        let (extension, short) = name.split_once('.').ok_or_else(|| {
            invalid_command("Command name must be of the form <extension>.<name>")
        })?;
        if extension == "flow" {
            return Err(invalid_params("a flow cannot contain a flow"));
        }
        if ENTRIES.iter().any(|entry| entry.extension == extension) {
            find(extension, short).map_err(|_| {
                invalid_params(format!(
                    "Extension {extension} doesn't provide {short} method"
                ))
            })?;
        } else {
            return Err(not_found("Extension", extension));
        }
    }
    Ok(())
}

/// Runs commands one after the other; the first that fails ends the flow.
async fn run_flow(agent: &Arc<Agent>, params: &Params) -> Result<Value, AgentError> {
    let flow = params.list("flow")?;
    let commands = Commands::default();
    for (name, params) in tasks(&flow)? {
        let command = commands.begin(agent, name, params.clone()).await?;
        command.join().await;
        if let State::Failed(error) = command.state() {
            return Err(AgentError::failed(
                "CommandExecutionError",
                "Command execution failed",
                format!("{name} was failed: {error}"),
            ));
        }
    }
    Ok(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(value: Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    fn validate(entry: &CommandSpec, params: &JsonMap) -> Result<(), AgentError> {
        super::validate(entry, params, &Config::from_parameters("").unwrap())
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        assert_eq!(find("nothing", "x").unwrap_err().code, 404);
        let error = find("standby", "nothing").unwrap_err();
        assert_eq!((error.code, error.kind), (400, "InvalidCommandError"));
        let clean = find("clean", "get_clean_steps").unwrap();
        assert!(validate(clean, &params(json!({"node": {}}))).is_err());
        let more = params(json!({"node": {}, "ports": [], "odd": 1}));
        assert_eq!(
            validate(clean, &more).unwrap_err().kind,
            "InvalidCommandParamsError"
        );
        let step = find("clean", "execute_clean_step").unwrap();
        let more = params(json!({"step": {}, "node": {}, "ports": [], "odd": 1}));
        validate(step, &more).unwrap();
    }

    #[test]
    fn a_flow_is_looked_at_before_it_begins() {
        let flow = find("flow", "start_flow").unwrap();
        let check = |value: Value| validate(flow, &params(json!({"flow": value})));
        check(json!([{"standby.sync": {}}, {"poll.get_hardware_info": {}}])).unwrap();
        assert_eq!(check(json!([{"none.sync": {}}])).unwrap_err().code, 404);
        assert_eq!(check(json!([{"standby.none": {}}])).unwrap_err().code, 400);
        for odd in [
            json!(3),
            json!([1]),
            json!([{"standby.sync": 1}]),
            json!([{"sync": {}}]),
        ] {
            assert_eq!(check(odd).unwrap_err().code, 400);
        }
        assert!(check(json!([{"flow.start_flow": {"flow": []}}])).is_err());
    }
}
