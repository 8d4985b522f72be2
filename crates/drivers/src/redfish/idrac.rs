//! What the `idrac-redfish` management interface has besides that of every Redfish machine: steps
//! that put a Dell controller back into order.

use super::{
    Info, Redfish, Resource, Talk,
    management::{self, put},
};
use crate::{DriverError, iface::Machine};
use tokio::time::Instant;
use types::{
    ProvisionState,
    step::{OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

const CLEAR_JOBS: &str = "clear_job_queue";
const RESET: &str = "reset_idrac";
const GOOD_STATE: &str = "known_good_state";

const fn step(kind: StepKind, step: &'static str) -> StepSpec {
    StepSpec {
        kind,
        step,
        priority: 0,
        abortable: false,
        requires_ramdisk: false,
        args: &[],
        on_restart: OnRestart::Repeat,
    }
}

/// In the order in which Ironic lists them.
pub(super) const STEPS: [StepSpec; 14] = {
    let [a, b, c, d, e, f, g, h] = management::STEPS;
    [
        step(StepKind::Clean, CLEAR_JOBS),
        step(StepKind::Verify, CLEAR_JOBS),
        a,
        b,
        step(StepKind::Clean, GOOD_STATE),
        step(StepKind::Verify, GOOD_STATE),
        step(StepKind::Clean, RESET),
        step(StepKind::Verify, RESET),
        c,
        d,
        e,
        f,
        g,
        h,
    ]
};

/// The controller, and one of the services that Dell added to it.
async fn service(talk: &Talk<'_>, name: &str) -> Result<Resource, DriverError> {
    let system = talk.system().await?;
    let manager = talk.manager(&system).await?;
    let place = format!("Links/Oem/Dell/{name}");
    match manager.link(&place) {
        Some(reference) => Ok(talk.get(reference).await?),
        None => Err(talk.lacks(&manager, &place)),
    }
}

async fn clear_jobs(redfish: &Redfish, info: &Info) -> Result<(), DriverError> {
    let mut talk = redfish.talk(info, "clearing the job queue").await?;
    let jobs = service(&talk, "DellJobService").await?;
    let body = put("JobID", "JID_CLEARALL".into());
    let posted = talk
        .action(&jobs, "#DellJobService.DeleteJobQueue", &body)
        .await?;
    if let Some(task) = posted.task {
        talk.wait_task(&task, redfish.settings.bmc_reset_wait)
            .await?;
    }
    Ok(())
}

async fn reset(redfish: &Redfish, info: &Info) -> Result<(), DriverError> {
    {
        let talk = redfish.talk(info, "resetting the iDRAC").await?;
        let card = service(&talk, "DelliDRACCardService").await?;
        let body = put("Force", "Graceful".into());
        talk.action(&card, "#DelliDRACCardService.iDRACReset", &body)
            .await?;
    }
    // It answers for a moment before it goes away.
    tokio::time::sleep(redfish.settings.bmc_reset_pause).await;
    let until = Instant::now() + redfish.settings.bmc_reset_wait;
    loop {
        let look = async {
            let talk = redfish.talk(info, "waiting for the iDRAC").await?;
            talk.system().await.map_err(DriverError::from)
        };
        match look.await {
            Ok(_) => return Ok(()),
            Err(error) if Instant::now() >= until => return Err(error),
            Err(_) => tokio::time::sleep(redfish.settings.bmc_reset_look).await,
        }
    }
}

/// Carries out a step; `None` for one that is not Dell's.
pub(super) async fn run_step(
    redfish: &Redfish,
    machine: &Machine<'_>,
    step: &Step,
) -> Option<Result<StepOutcome, DriverError>> {
    let info = match redfish.info(machine) {
        Ok(info) => info,
        Err(error) => return Some(Err(error)),
    };
    let outcome = match step.step.as_str() {
        CLEAR_JOBS => clear_jobs(redfish, &info).await,
        RESET => reset(redfish, &info).await,
        GOOD_STATE => match reset(redfish, &info).await {
            Ok(()) => clear_jobs(redfish, &info).await,
            failed => failed,
        },
        _ => return None,
    };
    // A controller that cannot do this is still good enough to be managed.
    if let Err(error) = &outcome
        && machine.node.provision_state == ProvisionState::Verifying
    {
        tracing::warn!(node = %machine.node.id, step = step.step, error = types::error::chain(error), "left out");
        return Some(Ok(StepOutcome::Done));
    }
    Some(outcome.map(|()| StepOutcome::Done))
}
