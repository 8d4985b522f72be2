//! In-band work: what an agent does that runs on the machine itself.
//!
//! Deploy interfaces say who does their work ([`DeployBy`]). Where that is an agent, this is the
//! place from which its ramdisk is booted ([`ramdisk`]), asked for its steps ([`steps`]), told to
//! carry them out, and listened to when it reports ([`report`]); what it boots from is made again
//! where that is lost ([`restore`]); the steps that every deployment has
//! are here as well ([`deploy`]), because they need all interfaces of a node. Flows call the
//! functions of this module and do not ask who does the work.

mod ansible;
mod bash;
mod bootc;
mod burnin;
mod certificate;
mod deploy;
mod drive;
mod erasure;
mod glance;
mod image;
mod image_peers;
pub(crate) mod installer;
mod iscsi;
pub(crate) mod logs;
mod prepared;
mod publish;
mod raid;
pub(crate) mod report;
pub(crate) mod rescue;
pub(crate) mod restore;
pub(crate) mod steps;
mod stored;
mod told;

pub(crate) mod ramdisk;

pub(crate) use image_peers::ImagePeers;

use crate::{
    flow::{networks, volumes},
    objects,
    steps::StepResult,
    task::{Attempt, Task},
};
use drivers::{
    DriverError, Failure,
    agent::{Agent, AgentError, CommandStatus},
    iface::{Awaited, DeployBy, NetworkPurpose, Readiness},
};
use tls::Trust;
use types::{
    InterfaceKind, JsonMap, PowerState, Timestamp,
    node::NodeFault,
    pyrepr,
    step::{Step, StepKind},
    words,
};

/// What a flow waits for when it has booted a ramdisk.
pub(crate) const FIRST_REPORT: &str = "the ramdisk's first heartbeat";

/// Everything about a deployment that can be found out while the machine is left alone: a rebuild
/// that cannot work must not take an instance down.
pub(crate) async fn check_deploy(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let by = hardware.deploy.by();
    if by == DeployBy::Itself {
        return Ok(());
    }
    if hardware.storage.uses_volumes() {
        hardware.storage.validate(&task.machine()).await?;
    }
    drive::build(task).await?;
    if by == DeployBy::Installer {
        return installer::check(task).await;
    }
    if by == DeployBy::Agent && deploy::writes(task) {
        if deploy::writes_image(task) {
            publish::prepare(task).await?;
            if iscsi::is_writer(task) {
                iscsi::check(task).await?;
            }
        }
        if !is_fast(task).await? {
            ramdisk::check(task, NetworkPurpose::Provisioning).await?;
        }
    }
    Ok(())
}

/// What is made outside of this service for a deployment, once it is certain that it can begin.
pub(crate) async fn upload_for_deploy(task: &mut Task) -> Attempt {
    match task.hardware.deploy.by() == DeployBy::Agent && deploy::writes_drive(task) {
        true => drive::upload(task).await,
        false => Ok(Ok(())),
    }
}

/// What [`check_deploy`] and [`upload_for_deploy`] made goes; the machine stays as it is.
pub(crate) async fn abandon_deploy(task: &mut Task) {
    drive::withdraw(task).await;
    if task.hardware.deploy.by() == DeployBy::Agent {
        publish::remove(task).await;
        publish::forget_cached(task).await;
    }
}

/// Before the first step of a deployment.
pub(crate) async fn prepare_deploy(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    match hardware.deploy.by() {
        DeployBy::Itself => {
            let (lease, mut machine) = task.hands()?;
            hardware.deploy.prepare(lease, &mut machine).await
        }
        DeployBy::Agent => {
            volumes::note_root(task);
            if !deploy::writes(task) {
                ramdisk::switch_off(task).await?;
                return volumes::attach(task).await;
            }
            if is_fast(task).await? {
                networks::leave(task, NetworkPurpose::Tenant).await?;
                networks::join(task, NetworkPurpose::Provisioning).await?;
                return volumes::attach(task).await;
            }
            ramdisk::prepare(task, NetworkPurpose::Provisioning).await
        }
        DeployBy::Ramdisk => {
            ramdisk::switch_off(task).await?;
            volumes::attach(task).await
        }
        DeployBy::Installer => {
            volumes::note_root(task);
            ramdisk::switch_off(task).await?;
            // A rebuild finds the instance's networks still there.
            networks::leave(task, NetworkPurpose::Tenant).await?;
            networks::join(task, NetworkPurpose::Provisioning).await?;
            volumes::attach(task).await
        }
    }
}

/// After a deployment that failed or was aborted.
pub(crate) async fn clean_up_failed(task: &mut Task) -> Result<(), DriverError> {
    let cleaned = clean_up(task).await;
    if task.hardware.deploy.by() == DeployBy::Agent {
        publish::forget_cached(task).await;
    }
    cleaned
}

/// Before an instance is taken off.
pub(crate) async fn clean_up(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    restore::forget(&mut task.node);
    drive::withdraw(task).await;
    if hardware.deploy.by() == DeployBy::Itself {
        let (lease, mut machine) = task.hands()?;
        return hardware.deploy.clean_up(lease, &mut machine).await;
    }
    if ramdisk::is_managed(task, NetworkPurpose::Provisioning) {
        let (lease, mut machine) = task.hands()?;
        hardware.boot.clean_up_ramdisk(lease, &mut machine).await?;
    }
    let (lease, mut machine) = task.hands()?;
    hardware.boot.clean_up_instance(lease, &mut machine).await?;
    task.node.driver_internal_info.forget_installer();
    publish::remove(task).await;
    ramdisk::sync_secure_boot(task, false).await
}

/// A machine whose agent failed to deploy it need not stay on.
pub(crate) async fn switch_off_after_failure(task: &mut Task) -> Result<(), DriverError> {
    let by = task.hardware.deploy.by();
    let reports = matches!(by, DeployBy::Agent | DeployBy::Installer);
    if reports && task.settings().ramdisk.off_after_failure {
        return ramdisk::switch_off(task).await;
    }
    Ok(())
}

/// Takes the instance off the machine.
pub(crate) async fn tear_down(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    if hardware.deploy.by() == DeployBy::Itself {
        {
            let (lease, mut machine) = task.hands()?;
            hardware.deploy.tear_down(lease, &mut machine).await?;
        }
        if hardware.storage.uses_volumes() {
            volumes::detach(task).await?;
            volumes::forget_targets(task).await?;
        }
        return Ok(());
    }
    ramdisk::switch_off(task).await?;
    volumes::detach(task).await?;
    volumes::forget_targets(task).await?;
    for purpose in [NetworkPurpose::Tenant, NetworkPurpose::Provisioning] {
        networks::leave(task, purpose).await?;
    }
    Ok(())
}

/// Makes this conductor serve what an active machine needs.
pub(crate) async fn take_over(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    if hardware.deploy.by() == DeployBy::Itself {
        let (lease, mut machine) = task.hands()?;
        hardware.deploy.prepare(lease, &mut machine).await?;
        return hardware.deploy.take_over(lease, &mut machine).await;
    }
    if hardware.deploy.by() == DeployBy::Installer {
        // What was installed boots from the disk, and nothing else is to reach the machine.
        return Ok(());
    }
    let addresses = task.instance_addresses()?;
    let _awaits = objects::note_media(task).await?;
    let (lease, mut machine) = task.hands()?;
    machine.instance_addresses = Some(addresses);
    // A machine that runs is not told what to boot from.
    hardware.boot.prepare_instance(lease, &mut machine).await?;
    Ok(())
}

/// Gets the machine ready for cleaning or servicing.
pub(crate) async fn ready(
    task: &mut Task,
    purpose: NetworkPurpose,
) -> Result<Readiness, DriverError> {
    let hardware = task.hardware.clone();
    if hardware.deploy.by() == DeployBy::Itself {
        let (lease, mut machine) = task.hands()?;
        return match purpose {
            NetworkPurpose::Servicing => hardware.deploy.prepare_service(lease, &mut machine).await,
            _ => hardware.deploy.prepare_cleaning(lease, &mut machine).await,
        };
    }
    if purpose == NetworkPurpose::Cleaning {
        steps::note_erasure(task);
        if is_fast(task).await? {
            networks::join(task, purpose).await?;
            match steps::refresh(task, StepKind::Clean).await {
                Ok(()) => return Ok(Readiness::Ready),
                // It is not there any more: it is booted like any other.
                Err(AgentError::Connection(why)) => {
                    tracing::info!(node = %task.id(), why, "an agent that was to be used again is gone");
                }
                Err(error) => return Err(failed(&error)),
            }
        }
    }
    ramdisk::check(task, purpose).await?;
    ramdisk::prepare(task, purpose).await?;
    ramdisk::start(task).await?;
    Ok(Readiness::Wait(Awaited::Ramdisk(FIRST_REPORT)))
}

/// Puts the machine back after cleaning or servicing.
pub(crate) async fn put_away(task: &mut Task, purpose: NetworkPurpose) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    if hardware.deploy.by() == DeployBy::Itself {
        let (lease, mut machine) = task.hands()?;
        return match purpose {
            NetworkPurpose::Servicing => {
                hardware.deploy.tear_down_service(lease, &mut machine).await
            }
            _ => {
                let deploy = &hardware.deploy;
                deploy.tear_down_cleaning(lease, &mut machine).await
            }
        };
    }
    if booted_none(task, purpose) {
        return Ok(());
    }
    let stays = purpose == NetworkPurpose::Cleaning
        // Whoever looks into a failure finds the machine as it was.
        && (task.node.fault == Some(NodeFault::Clean) || is_fast(task).await?);
    ramdisk::put_away(task, purpose, !stays).await?;
    if purpose == NetworkPurpose::Servicing {
        volumes::attach_again(task).await?;
        deploy::prepare_boot(task).await?;
        networks::join(task, NetworkPurpose::Tenant).await?;
        ramdisk::start(task).await?;
    }
    Ok(())
}

/// Whether the user asked to leave the machine as it is.
fn booted_none(task: &Task, purpose: NetworkPurpose) -> bool {
    let info = &task.node.driver_internal_info;
    match purpose {
        NetworkPurpose::Servicing => info.services_without_ramdisk(),
        _ => info.cleans_without_ramdisk(),
    }
}

/// Carries out a step if it is one of a deployment by agents, or an agent's own.
pub(crate) async fn carry_out(task: &mut Task, step: &Step) -> Attempt<Option<StepResult>> {
    let by = task.hardware.deploy.by();
    if by == DeployBy::Itself {
        return Ok(Ok(None));
    }
    let kind = steps::kind_of(&task.node);
    let core = step.interface == InterfaceKind::Deploy
        && crate::steps::find(&task.hardware, kind, step.interface, &step.step).is_some();
    if core {
        // Boxed, as below it are the largest futures there are.
        let done = Box::pin(deploy::carry_out(task, step)).await?;
        return Ok(done.map(Some));
    }
    if steps::is_agents(&task.node, &task.hardware, kind, step) {
        if let Err(error) = raid::prepare(task, step) {
            return Ok(Err(error));
        }
        if ansible::is_writer(task) {
            return Ok(ansible::clean(task, step).await?.map(Some));
        }
        erasure::warn(task, step).await;
        return Ok(steps::execute(task, kind, step).await.map(Some));
    }
    Ok(Ok(None))
}

/// Whether the agent that the last operation left running can be used at once.
pub(crate) async fn is_fast(task: &mut Task) -> Result<bool, DriverError> {
    let servicing = task.node.provision_state.is_servicing();
    let erred = task.node.last_error.is_some();
    if !task.core.is_fast_track(&task.node) || servicing || erred || !is_alive(task) {
        return Ok(false);
    }
    let hardware = task.hardware.clone();
    if !hardware.storage.should_write_image(&task.machine()) {
        return Ok(false);
    }
    let power = hardware.power.get(&task.machine()).await?;
    Ok(power == Some(PowerState::On))
}

/// Whether an agent has reported recently enough to be there still.
fn is_alive(task: &Task) -> bool {
    let info = &task.node.driver_internal_info;
    let limit = i64::try_from(task.settings().ramdisk.fast_track_timeout.as_secs());
    let oldest = Timestamp::now().plus_seconds(-limit.unwrap_or(i64::MAX));
    info.has_agent() && info.agent_last_heartbeat().is_some_and(|at| at >= oldest)
}

/// Has the agent restart its machine.
pub(crate) async fn restart(task: &Task) -> Result<(), DriverError> {
    let told = match agent(task).await {
        Ok(agent) => {
            agent
                .command("standby.run_image", JsonMap::new(), true)
                .await
        }
        Err(error) => Err(error),
    };
    match told {
        Ok(answer) if answer.status == CommandStatus::Failed => {
            Err(DriverError::Rejected(Failure::new(answer.complaint())))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}

/// The agent on the machine.
pub(crate) async fn agent(task: &Task) -> Result<Agent<'_>, AgentError> {
    let info = &task.node.driver_internal_info;
    let url = info
        .agent_url()
        .ok_or_else(|| AgentError::Connection("no agent of this machine has called".into()))?;
    let token = match info.is_agent_token_withheld() {
        true => None,
        false => {
            let token = secret_token(task);
            Some(token.ok_or_else(|| AgentError::Connection("it has no token".into()))?)
        }
    };
    let verify = task
        .driver_info()
        .get("agent_verify_ca")
        .map(|value| match words::boolean_value(value) {
            Some(true) => Trust::Machine,
            Some(false) => Trust::Anyone,
            None => Trust::Named(pyrepr::to_str(value).into()),
        });
    task.core
        .agents
        .agent(url, info.agent_certificate(), verify, token.as_deref())
        .await
}

/// The token of the node's agent.
fn secret_token(task: &Task) -> Option<String> {
    let sealed = task.node.driver_internal_info.agent_token()?;
    let opened = task.core.db.keys().open(sealed, &task.id().to_string());
    opened.ok()?.as_str().map(str::to_owned)
}

/// What went wrong with the agent, as other hardware says it.
pub(crate) fn failed(error: &AgentError) -> DriverError {
    let failure = Failure::new(types::error::chain(error));
    match error {
        AgentError::Connection(_) => DriverError::Unreachable(failure),
        AgentError::Busy(_) => DriverError::Busy(failure),
        AgentError::Refused {
            status: 401 | 403, ..
        } => DriverError::Refused(failure),
        AgentError::Refused { .. } => DriverError::Rejected(failure),
        AgentError::Nonsense { .. } => DriverError::Protocol(failure),
        AgentError::Timeout { .. } => DriverError::Unfinished(failure),
    }
}
