//! The `idrac-redfish` management interface: that of every Redfish machine, and steps that put a
//! Dell controller back into order.

use super::{
    Info, Redfish, RedfishManagement, Resource, Talk,
    management::{STEPS, put},
};
use crate::{
    DriverError,
    iface::{Interface, Machine, Management},
};
use async_trait::async_trait;
use tokio::time::Instant;
use types::{
    JsonMap, LeaseProof, ProvisionState,
    rpc::{BootDevice, Indicator, VirtualMedia},
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

const ALL_STEPS: [StepSpec; 14] = {
    let [a, b, c, d, e, f, g, h] = STEPS;
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

/// Management of Dell machines.
#[derive(Debug, Clone)]
pub struct IdracManagement(pub RedfishManagement);

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

#[async_trait]
impl Interface for IdracManagement {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        self.0.properties()
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.0.validate(machine).await
    }

    fn steps(&self) -> &'static [StepSpec] {
        &ALL_STEPS
    }

    async fn run_step(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        let redfish = &self.0.redfish;
        let info = redfish.info(machine)?;
        let outcome = match step.step.as_str() {
            CLEAR_JOBS => clear_jobs(redfish, &info).await,
            RESET => reset(redfish, &info).await,
            GOOD_STATE => match reset(redfish, &info).await {
                Ok(()) => clear_jobs(redfish, &info).await,
                failed => failed,
            },
            _ => return self.0.run_step(lease, machine, step).await,
        };
        // A controller that cannot do this is still good enough to be managed.
        if let Err(error) = &outcome
            && machine.node.provision_state == ProvisionState::Verifying
        {
            tracing::warn!(node = %machine.node.id, step = step.step, error = types::error::chain(error), "left out");
            return Ok(StepOutcome::Done);
        }
        outcome.map(|()| StepOutcome::Done)
    }

    fn on_restart(&self) -> OnRestart {
        self.0.on_restart()
    }
}

#[async_trait]
impl Management for IdracManagement {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        self.0.supported_boot_devices()
    }
    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        self.0.boot_device(machine).await
    }
    async fn set_boot_device(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        persistent: bool,
    ) -> Result<(), DriverError> {
        self.0
            .set_boot_device(lease, machine, device, persistent)
            .await
    }
    async fn boot_mode(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        self.0.boot_mode(machine).await
    }
    async fn set_boot_mode(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        mode: &str,
    ) -> Result<(), DriverError> {
        self.0.set_boot_mode(lease, machine, mode).await
    }
    async fn secure_boot(&self, machine: &Machine<'_>) -> Result<Option<bool>, DriverError> {
        self.0.secure_boot(machine).await
    }
    async fn set_secure_boot(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        on: bool,
    ) -> Result<(), DriverError> {
        self.0.set_secure_boot(lease, machine, on).await
    }
    async fn inject_nmi(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.0.inject_nmi(lease, machine).await
    }
    async fn indicators(&self, machine: &Machine<'_>) -> Result<Vec<Indicator>, DriverError> {
        self.0.indicators(machine).await
    }
    async fn indicator(
        &self,
        machine: &Machine<'_>,
        component: &str,
        name: &str,
    ) -> Result<String, DriverError> {
        self.0.indicator(machine, component, name).await
    }
    async fn set_indicator(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        component: &str,
        name: &str,
        state: &str,
    ) -> Result<(), DriverError> {
        self.0
            .set_indicator(lease, machine, component, name, state)
            .await
    }
    async fn sensors(&self, machine: &Machine<'_>) -> Result<JsonMap, DriverError> {
        self.0.sensors(machine).await
    }
    async fn health(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        self.0.health(machine).await
    }
    async fn vendor(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        self.0.vendor(machine).await
    }
    async fn virtual_media(&self, machine: &Machine<'_>) -> Result<Vec<JsonMap>, DriverError> {
        self.0.virtual_media(machine).await
    }
    async fn attach_virtual_media(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        media: &VirtualMedia,
    ) -> Result<(), DriverError> {
        self.0.attach_virtual_media(lease, machine, media).await
    }
    async fn detach_virtual_media(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        devices: Option<&[String]>,
    ) -> Result<(), DriverError> {
        self.0.detach_virtual_media(lease, machine, devices).await
    }
}
