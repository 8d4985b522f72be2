//! Waiting states that waited too long.

use super::round::{Round, Visit, Visits, unreadable};
use crate::{core::Core, flow, last_error::ErrorCode, lock, record::ChangeLog, steps};
use std::{sync::Arc, time::Duration};
use types::{
    Caller, Fault, Node, NodeId, ProvisionState as S, Timestamp, Verb, Work, node::NodeFault,
    step::StepKind,
};

/// Deploy, clean, service and inspection.
pub(crate) async fn pass(core: Arc<Core>) -> Round {
    let settings = &core.settings;
    let mut all = Round::default();
    for (state, limit) in [
        (S::DeployWait, settings.deploy_callback_timeout),
        (S::CleanWait, settings.clean_callback_timeout),
        (S::ServiceWait, settings.service_callback_timeout),
        (S::InspectWait, settings.inspect_wait_timeout),
    ] {
        for round in [
            check(&core, state, limit, Whom::All).await,
            check(&core, state, settings.boot_silence_timeout, Whom::Silent).await,
        ] {
            all.visited += round.visited;
            all.failed += round.failed;
        }
    }
    all
}

/// Who is not waited for any longer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whom {
    All,
    /// Machines whose firmware never asked for anything: no ramdisk comes from there.
    Silent,
}

pub(crate) async fn rescue_pass(core: Arc<Core>) -> Round {
    let settings = &core.settings;
    let (limit, silence) = (
        settings.rescue_callback_timeout,
        settings.boot_silence_timeout,
    );
    let late = check(&core, S::RescueWait, limit, Whom::All).await;
    let silent = check(&core, S::RescueWait, silence, Whom::Silent).await;
    Round {
        visited: late.visited + silent.visited,
        failed: late.failed + silent.failed,
    }
}

async fn check(core: &Arc<Core>, state: S, limit: Duration, whom: Whom) -> Round {
    if limit.is_zero() {
        return Round::default();
    }
    let seconds = i64::try_from(limit.as_secs()).unwrap_or(i64::MAX);
    let before = Timestamp::now().plus_seconds(-seconds);
    let late = match store::candidate::late(&core.db, state, before, core.mine()).await {
        Ok(late) => late,
        Err(error) => return unreadable(&error),
    };
    let mut visits = Visits::new(core.settings.periodic_max_workers);
    let boot = core.registry.boot();
    for id in late {
        if whom == Whom::Silent && !boot.is_some_and(|boot| boot.is_silent(id)) {
            continue;
        }
        let core = Arc::clone(core);
        visits
            .begin(async move {
                match fail(&core, id, state, before).await {
                    Ok(()) => Visit::Done,
                    Err(Fault::Locked { .. } | Fault::Stale(_) | Fault::NodeNotFound(_)) => {
                        Visit::Skipped
                    }
                    Err(fault) => {
                        tracing::warn!(node = %id, %fault, "a time-out could not be handled");
                        Visit::Failed
                    }
                }
            })
            .await;
    }
    visits.end().await
}

async fn fail(core: &Arc<Core>, id: NodeId, state: S, before: Timestamp) -> Result<(), Fault> {
    let place = core.workers.wait().await;
    let mut node = core.load(id).await?;
    // Somebody may have reported since the list was made.
    let still = node.provision_state == state
        && node.reservation.is_none()
        && node.provision_updated_at.is_some_and(|at| at < before)
        && core.is_mine(id, &node.driver, &node.conductor_group);
    if !still {
        return Ok(());
    }
    let caller = Caller::service();
    let mut story = ChangeLog::new(&caller);
    let (event_type, mut text) = explain(&node);
    let mut code = ErrorCode::Timeout { detail: None };
    if let Some((more, boot)) = core.awaited(&node).await {
        text = format!("{} {more}", text.trim_end());
        code = ErrorCode::Timeout { detail: boot };
    }
    // Ironic writes a deploy's entry after the move and the others' before it.
    if state == S::DeployWait {
        process(&mut node, &mut story);
        story.error_with(&core.settings, &mut node, event_type, &text, code);
    } else {
        story.error_with(&core.settings, &mut node, event_type, &text, code);
        put_into_maintenance(&mut node, state);
        process(&mut node, &mut story);
    }
    if state == S::RescueWait {
        flow::rescue::forget_password(&mut node);
    }
    node.work = Some(Work::CleanUp { after: state });
    core.accept(node, &caller, story, place)
        .await
        .map_err(|fault| match fault {
            Fault::Internal(_) => lock::fault(store::StoreError::Stale, id),
            other => other,
        })
}

fn process(node: &mut Node, story: &mut ChangeLog) {
    let from = node.provision_state;
    if node.process(Verb::Fail, Timestamp::now()).is_ok() {
        story.moved(node, from, Verb::Fail);
    }
}

fn explain(node: &Node) -> (&'static str, String) {
    let ramdisk = |what: &str, kind: StepKind| {
        let last = match steps::current(node, kind) {
            Some(step) => format!("Failed on step {}.", step.name()),
            None => "No step was begun.".to_owned(),
        };
        format!(
            "Timeout reached while {what} the node. Please check if the ramdisk responsible for the {what} is running on the node. {last}"
        )
    };
    match node.provision_state {
        S::CleanWait => ("cleaning", ramdisk("cleaning", StepKind::Clean)),
        S::ServiceWait => ("servicing", ramdisk("servicing", StepKind::Service)),
        S::InspectWait => (
            "introspection",
            "Timeout reached while inspecting the node. Please check if the ramdisk responsible for the inspection is running on the node.".into(),
        ),
        S::RescueWait => {
            ("rescue", "Timeout reached while waiting for rescue ramdisk callback for node".into())
        }
        _ => (
            "deploying",
            format!("Timeout reached while waiting for callback for node {}", node.id),
        ),
    }
}

/// A step that was under way may have left the machine in any state.
fn put_into_maintenance(node: &mut Node, state: S) {
    let (kind, fault) = match state {
        S::CleanWait => (StepKind::Clean, NodeFault::Clean),
        S::ServiceWait => (StepKind::Service, NodeFault::Service),
        _ => return,
    };
    if !steps::current_field(node, kind).is_empty() {
        node.maintenance = true;
        node.fault = Some(fault);
        node.maintenance_reason = node.last_error.clone();
    }
}
