//! The worker: from what a ramdisk sent to a node that knows it.

use super::{
    hook,
    http::Http,
    rule::{self, Rule},
    settings::InspectionSettings,
    subject::Subject,
};
use crate::{
    core::Core,
    flow::{self, networks, power},
    inband::{
        logs::{self, Moment},
        restore,
    },
    last_error, objects,
    record::truncated,
    task::{Attempt, Stop, Task},
};
use drivers::iface::NetworkPurpose;
use serde_json::{Value, json};
use std::{collections::HashSet, future::Future};
use store::{Page, StoreError, inspection::Findings, port::PortFilter};
use types::{
    Fault, InspectionDataId, Inventory, Node, PowerTarget, ProvisionState as S, Timestamp, Verb,
    Work, event::EventKind, inspection_rule::MAIN_PHASE, port::MacAddress,
};

/// Processes data, or goes on where an earlier worker had written what came of it.
pub(crate) async fn run(
    task: &mut Task,
    data: Option<InspectionDataId>,
    mut error: Option<String>,
) -> Result<(), Stop> {
    if let Some(name) = data {
        // Boxed because not every flow is to carry what this one needs.
        error = Box::pin(digest(task, name)).await?;
    }
    let away = put_away(task).await;
    let discovered = task.node.provision_state == S::Enroll;
    match away {
        Err(why) if discovered => {
            // Nobody has told us yet how to reach the BMC of a machine that was just discovered.
            tracing::info!(node = %task.id(), error = why, "a discovered machine stays on");
        }
        Err(why) if error.is_none() => error = Some(format!("Inspection clean up failed: {why}")),
        _ => {}
    }
    let mut story = task.story();
    match error {
        None => {
            let text = "inspection data was processed";
            story.tell(
                &task.node,
                EventKind::Updated,
                text,
                json!({"kind": "inspect"}),
            );
            if !discovered {
                task.process(Verb::Done, &mut story);
            }
        }
        Some(error) => {
            task.node.driver_internal_info.forget_bmc_addresses();
            let text = format!("Failed to finish inspection: {error}");
            task.error(&mut story, "introspection", &text);
            // Ironic overwrites what it has just put into the history.
            let last = format!("Async execution of continue_inspection failed with error: {error}");
            let last = truncated(&last, task.settings().log_in_db_max_size);
            last_error::set(&mut task.node, last);
            if !discovered {
                task.process(Verb::Fail, &mut story);
            }
        }
    }
    task.end(story).await
}

/// Takes away the ramdisk that we booted, and switches the machine off where that is wanted after an
/// inspection by its own software. What fails does not keep the rest from being done.
pub(crate) async fn put_away(task: &mut Task) -> Result<(), String> {
    let managed = task.node.driver_internal_info.take_inspection_boot();
    let mut errors = Vec::new();
    if managed {
        restore::forget(&mut task.node);
        let hardware = task.hardware.clone();
        let cleaned = match task.hands() {
            Ok((lease, mut machine)) => hardware.boot.clean_up_ramdisk(lease, &mut machine).await,
            Err(error) => Err(error),
        };
        if let Err(error) = cleaned {
            let why = flow::reason(&task.node, &error);
            errors.push(format!("unable to clean up ramdisk boot: {why}"));
        }
        if let Err(error) = networks::leave(task, NetworkPurpose::Inspection).await {
            let why = flow::reason(&task.node, &error);
            errors.push(format!("unable to remove inspection ports: {why}"));
        }
    }
    // An agent that is to be used again stays.
    let stays = task.core.is_fast_track(&task.node);
    let wanted = task.settings().inspection.power_off && !stays;
    if task.hardware.inspect.takes_report() && wanted {
        let (target, what) = if task.node.stays_on() {
            (PowerTarget::Reboot, "reboot")
        } else {
            (PowerTarget::Off, "power off")
        };
        if let Err(error) = power::act(task, target, None).await {
            let why = flow::reason(&task.node, &error);
            errors.push(format!("unable to {what} the node: {why}"));
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors.join(", "))
    }
}

/// Runs hooks and rules on the data and writes what came of it; answers why that failed.
async fn digest(task: &mut Task, name: InspectionDataId) -> Result<Option<String>, Stop> {
    let db = task.core.db.clone();
    let found = ask(task, || store::inspection::received(&db, name)).await?;
    let (mut subject, outcome) = match found {
        Ok(Some(_)) if !task.hardware.inspect.takes_report() => {
            let fault = Fault::Unsupported {
                driver: task.node.driver.clone(),
                extension: "continue_inspection".into(),
            };
            (None, Err(fault.to_string()))
        }
        Ok(Some(data)) => match begin(task, data).await? {
            Ok(mut subject) => {
                let settings = task.settings().inspection.clone();
                let outcome = judge(task, &mut subject, &settings).await?;
                let moment = match outcome {
                    Ok(()) => Moment::End,
                    Err(_) => Moment::Failure,
                };
                if let Some(logs) = subject.plugin_data.get("logs") {
                    logs::keep_sent(task, moment, logs, "inspect").await;
                }
                (Some(subject), outcome)
            }
            Err(error) => (None, Err(error)),
        },
        Ok(None) => (
            None,
            Err("the data that the ramdisk sent is gone".to_owned()),
        ),
        Err(error) => (None, Err(unreadable(task, &error))),
    };
    let mut findings = Findings::default();
    let before = task.node.clone();
    let mut error = outcome.err();
    if let Some(subject) = &mut subject {
        let keep = kept(task, subject, error.is_none());
        let keep = match keep_elsewhere(task, keep).await {
            Ok(keep) => keep,
            Err(why) => {
                error = Some(why);
                None
            }
        };
        findings = subject.findings(keep);
        task.node = subject.node.clone();
    }
    note(task, error.clone());
    let mut refused = task.save_findings(&findings).await?;
    if let Err(refusal) = &refused {
        // Rules may give a node anything, and the database takes what fits: then nothing changes.
        task.node = before;
        error = Some(unwritable(task, refusal));
        note(task, error.clone());
        refused = task.save_findings(&Findings::default()).await?;
    }
    if let Err(error) = refused {
        return Ok(Some(unwritable(task, &error)));
    }
    Ok(error)
}

/// What must be known of a machine after an inspection without a ramdisk.
const ESSENTIAL: [&str; 3] = ["cpu_arch", "local_gb", "memory_mb"];

/// Runs hooks and rules on what an inspection without a ramdisk found, and writes what came of it;
/// answers why that failed. Work that is interrupted starts again with the inspection itself.
pub(crate) async fn judge_found(task: &mut Task, data: Inventory) -> Result<Option<String>, Stop> {
    let mut settings = task.settings().inspection.clone();
    settings.hooks = settings.redfish_hooks.clone();
    let mut subject = match begin(task, data).await? {
        Ok(subject) => subject,
        Err(error) => return Ok(Some(error)),
    };
    let mut outcome = judge(task, &mut subject, &settings).await?;
    let properties = &subject.node.properties;
    let missing: Vec<&str> = ESSENTIAL
        .into_iter()
        .filter(|key| !properties.contains_key(*key))
        .collect();
    if outcome.is_ok() && !missing.is_empty() {
        outcome = Err(format!(
            "Failed to discover the following properties: {} on node {}",
            missing.join(", "),
            task.id()
        ));
    }
    let keep = kept(task, &subject, outcome.is_ok());
    let keep = match keep_elsewhere(task, keep).await {
        Ok(keep) => keep,
        Err(why) => {
            outcome = Err(why);
            None
        }
    };
    let findings = subject.findings(keep);
    let before = std::mem::replace(&mut task.node, subject.node.clone());
    if let Err(refusal) = task.save_findings(&findings).await? {
        task.node = before;
        return Ok(Some(unwritable(task, &refusal)));
    }
    Ok(outcome.err())
}

/// Notes in the row how far the work is.
fn note(task: &mut Task, error: Option<String>) {
    let info = &mut task.node.driver_internal_info;
    info.set_agent_last_heartbeat(Timestamp::now());
    task.node.work = Some(Work::ProcessInspection { data: None, error });
}

/// What is to be kept of the data.
fn kept(task: &Task, subject: &Subject, processed: bool) -> Option<Inventory> {
    if !processed || !task.settings().inspection.keep_data {
        return None;
    }
    let mut plugin_data = subject.plugin_data.clone();
    // Logs are for those who look for mistakes, and large.
    plugin_data.shift_remove("logs");
    Some(Inventory {
        inventory: subject.inventory.clone(),
        plugin_data,
    })
}

/// Keeps data in Swift, if that is its place; returns what is left for the database.
async fn keep_elsewhere(task: &Task, data: Option<Inventory>) -> Result<Option<Inventory>, String> {
    match (&task.settings().objects.inspection_data, data) {
        (Some(container), Some(data)) => {
            objects::put_inspection_data(&task.core, container, task.id(), &data).await?;
            Ok(None)
        }
        (_, data) => Ok(data),
    }
}

/// Notes where data will be kept, then as [`prepare`].
async fn begin(task: &mut Task, data: Inventory) -> Attempt<Subject, String> {
    if let Some(container) = task.settings().objects.inspection_data.clone() {
        let objects = objects::inspection_data(&container, task.id());
        objects::note(task, &objects).await?;
    }
    prepare(task, data).await
}

/// Everything that hooks and rules work on.
async fn prepare(task: &Task, data: Inventory) -> Attempt<Subject, String> {
    let db = &task.core.db;
    let mut subject = Subject::new(task.node.clone(), task.ports().to_vec(), data);
    let (node, id) = (&mut subject.node, task.id().to_string());
    for map in [
        &mut node.driver_info,
        node.driver_internal_info.raw_json_mut(),
        &mut node.instance_info,
    ] {
        match db.keys().open_map(map, &id) {
            Ok(opened) => *map = opened,
            Err(error) => return Ok(Err(unreadable(task, &error))),
        }
    }
    for address in addresses(&subject) {
        let filter = PortFilter {
            address: Some(address),
            ..PortFilter::default()
        };
        let query = || store::port::list(db, filter.clone(), Page::first(1));
        match ask(task, query).await? {
            Ok(ports) if ports.iter().any(|port| port.node != task.id()) => {
                subject.taken.insert(address);
            }
            Ok(_) => {}
            Err(error) => return Ok(Err(unreadable(task, &error))),
        }
    }
    match ask(task, || store::inventory::find(db, task.id())).await? {
        Ok(previous) => subject.previous = previous.map(|found| found.inventory),
        Err(error) => return Ok(Err(unreadable(task, &error))),
    }
    Ok(Ok(subject))
}

/// The addresses of the machine's interfaces.
fn addresses(subject: &Subject) -> HashSet<MacAddress> {
    let interfaces = subject
        .inventory
        .get("interfaces")
        .and_then(Value::as_array);
    let addresses = interfaces.into_iter().flatten().filter_map(|interface| {
        let address = interface.get("mac_address")?.as_str()?;
        address.parse().ok()
    });
    addresses.collect()
}

/// Hooks, then rules; what they changed before one failed stays.
async fn judge(
    task: &Task,
    subject: &mut Subject,
    settings: &InspectionSettings,
) -> Attempt<(), String> {
    if let Err(error) = hook::run(subject, settings) {
        return Ok(Err(error));
    }
    let db = &task.core.db;
    let mut rules: Vec<Rule> =
        match ask(task, || store::inspection_rule::of_phase(db, MAIN_PHASE)).await? {
            Ok(stored) => stored.into_iter().map(Rule::of).collect(),
            Err(error) => return Ok(Err(unreadable(task, &error))),
        };
    if let Some(file) = settings.built_in_rules.clone() {
        let read = tokio::task::spawn_blocking(move || rule::file::read(&file)).await;
        match read.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(built_in) => rules.extend(built_in),
            Err(error) => return Ok(Err(error)),
        }
    }
    let fetch = Http::new(settings);
    if let Err(error) = rule::apply(subject, rules, settings.mask_secrets, &fetch).await {
        return Ok(Err(error));
    }
    Ok(check_hardware(&task.core, &task.node, &mut subject.node))
}

/// A rule may choose other hardware; the node must still work.
pub(super) fn check_hardware(core: &Core, old: &Node, new: &mut Node) -> Result<(), String> {
    if old.driver == new.driver && old.interfaces == new.interfaces {
        return Ok(());
    }
    let checked = core.registry.fill_interfaces(new);
    checked.map_err(|error| {
        new.driver = old.driver.clone();
        new.interfaces = old.interfaces.clone();
        error.to_string()
    })
}

/// Asks the database until it answers.
async fn ask<T, F>(task: &Task, query: impl Fn() -> F) -> Attempt<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    loop {
        match query().await {
            Err(StoreError::Unavailable(_)) => task.pause().await?,
            answer => return Ok(answer),
        }
    }
}

fn unreadable(task: &Task, error: &StoreError) -> String {
    let cause = types::error::chain(error);
    tracing::error!(node = %task.id(), error = cause, "inspection data cannot be processed");
    "the database cannot serve what is needed; see the log of the conductor".into()
}

fn unwritable(task: &Task, error: &StoreError) -> String {
    match error {
        StoreError::Duplicate(unique) => unique.to_string(),
        StoreError::DoesNotFit { .. } => error.to_string(),
        other => {
            let cause = types::error::chain(other);
            tracing::error!(node = %task.id(), error = cause, "what inspection found cannot be stored");
            "what was found cannot be stored; see the log of the conductor".into()
        }
    }
}
