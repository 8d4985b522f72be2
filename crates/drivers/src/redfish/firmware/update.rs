//! Updates under way: which one it is, and how far.

use super::{
    arguments::{self, FirmwareComponent, Update},
    components,
};
use crate::{
    DriverError, Failure,
    iface::Machine,
    redfish::{Info, Redfish, RedfishError, Resource, Talk, monitor, task::Progress},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;
use types::{JsonMap, Timestamp, step::StepOutcome};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    /// Noting what is so before anything is sent.
    Note,
    Send,
    /// The BMC works on it.
    Work,
    /// The BMC's own version is watched.
    Version,
    /// The time that the user or the operator wants to pass.
    Wait,
    /// Until the BMC answers everything again, and again.
    Steady,
    Read,
}

/// All updates of a step, and how far they are; kept in the node's row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    updates: Vec<Update>,
    begun: String,
    phase: Phase,
    phase_begun: String,
    /// Tasks that were there before.
    known_tasks: Vec<String>,
    version_before: Option<String>,
    monitor: Option<String>,
    /// When the task was first seen in state starting.
    starting: Option<String>,
    rebooted: bool,
    successes: u32,
}

impl Order {
    fn new(updates: Vec<Update>) -> Self {
        let now = Timestamp::now().to_string();
        Self {
            updates,
            begun: now.clone(),
            phase: Phase::Note,
            phase_begun: now,
            known_tasks: Vec::new(),
            version_before: None,
            monitor: None,
            starting: None,
            rebooted: false,
            successes: 0,
        }
    }

    /// From the argument of the firmware interface's step.
    pub(super) fn of_settings(settings: Option<&Value>) -> Result<Self, DriverError> {
        arguments::settings(settings).map(Self::new)
    }

    /// From the argument of the management interface's step.
    pub(super) fn of_images(images: Option<&Value>) -> Result<Self, DriverError> {
        arguments::images(images).map(Self::new)
    }

    pub(super) fn read(state: JsonMap) -> Result<Self, DriverError> {
        let read = serde_json::from_value(Value::Object(state));
        read.map_err(|error| {
            DriverError::Environment(Failure::because("the step's state cannot be read", error))
        })
    }

    pub(super) fn write(&self) -> Result<JsonMap, DriverError> {
        match serde_json::to_value(self) {
            Ok(Value::Object(state)) => Ok(state),
            _ => Err(DriverError::Environment(
                "the step's state cannot be kept".into(),
            )),
        }
    }

    fn enter(&mut self, phase: Phase) -> StepOutcome {
        self.phase = phase;
        self.phase_begun = Timestamp::now().to_string();
        self.again(Duration::ZERO, false)
    }

    fn again(&self, after: Duration, reboot: bool) -> StepOutcome {
        let name = self.updates.first().map_or("firmware", Update::name);
        let reason = match self.phase {
            Phase::Note | Phase::Send | Phase::Work => format!("until {name} is updated"),
            Phase::Version => "until the BMC has its new version".into(),
            Phase::Wait => format!("a while after the update of {name}"),
            Phase::Steady | Phase::Read => "until the BMC is steady".into(),
        };
        StepOutcome::Again {
            reason,
            after,
            reboot,
        }
    }

    /// Does what comes next.
    pub(super) async fn go_on(
        &mut self,
        redfish: &Redfish,
        info: &Info,
        machine: &mut Machine<'_>,
    ) -> Result<StepOutcome, DriverError> {
        let steps = &redfish.settings.steps;
        let limit = steps.overall_timeout;
        let elapsed = since(&self.begun);
        if !limit.is_zero() && elapsed >= limit {
            return Err(DriverError::Unfinished(Failure::new(format!(
                "Firmware update on node {} has exceeded the overall timeout of {} seconds. Elapsed time: {} seconds.",
                info.node,
                limit.as_secs(),
                elapsed.as_secs()
            ))));
        }
        let Some(current) = self.updates.first().cloned() else {
            return Ok(StepOutcome::Done);
        };
        let phase = self.phase;
        match self.act(redfish, info, machine, &current).await {
            Ok(outcome) => Ok(outcome),
            Err(error) if is_passing(phase, &error) => {
                let error = types::error::chain(&error);
                tracing::warn!(node = %info.node, error, "a BMC that is updated does not answer");
                self.silence(redfish, info, &error)
            }
            Err(error) => Err(error),
        }
    }

    /// What to do about a BMC that does not answer.
    fn silence(
        &mut self,
        redfish: &Redfish,
        info: &Info,
        error: &str,
    ) -> Result<StepOutcome, DriverError> {
        let steps = &redfish.settings.steps;
        match self.phase {
            Phase::Version if since(&self.phase_begun) >= steps.bmc_version_wait => {
                // Nobody can tell whether it took; a restart of the machine may bring it back.
                self.enter(Phase::Wait);
                let reboot = !std::mem::replace(&mut self.rebooted, true);
                Ok(self.again(steps.version_check_interval, reboot))
            }
            Phase::Version => Ok(self.again(steps.version_check_interval, false)),
            Phase::Steady => {
                self.successes = 0;
                let limit = steps.validation_timeout;
                if since(&self.phase_begun) >= limit {
                    return Err(DriverError::Unreachable(Failure::new(format!(
                        "BMC resources failed to stabilize within {} seconds for node {}, last error: {error}",
                        limit.as_secs(),
                        info.node
                    ))));
                }
                Ok(self.again(steps.validation_interval, false))
            }
            _ => Ok(self.again(steps.status_interval, false)),
        }
    }

    async fn act(
        &mut self,
        redfish: &Redfish,
        info: &Info,
        machine: &mut Machine<'_>,
        current: &Update,
    ) -> Result<StepOutcome, DriverError> {
        let steps = &redfish.settings.steps;
        if self.phase == Phase::Wait {
            let asked = current.wait.map(Duration::from_secs);
            let wait = asked.unwrap_or_else(|| match current.kind() {
                FirmwareComponent::Unknown => {
                    unresponsive_wait(machine, steps.unresponsive_bmc_wait)
                }
                _ => Duration::ZERO,
            });
            let left = wait.saturating_sub(since(&self.phase_begun));
            if !left.is_zero() {
                return Ok(self.again(left.max(Duration::from_secs(1)), false));
            }
            return Ok(self.enter(Phase::Steady));
        }
        let talk = redfish.talk(info, "firmware update").await?;
        match self.phase {
            Phase::Note => {
                self.known_tasks = tasks(&talk).await?;
                self.version_before = version(&talk, current).await?;
                Ok(self.enter(Phase::Send))
            }
            Phase::Send => self.send(&talk, current).await,
            Phase::Work => self.work(&talk, current).await,
            Phase::Version => {
                let now = version(&talk, current).await?;
                let waited = since(&self.phase_begun) >= steps.bmc_version_wait;
                if (now.is_some() && now != self.version_before) || waited {
                    return Ok(self.enter(Phase::Wait));
                }
                Ok(self.again(steps.version_check_interval, false))
            }
            Phase::Wait | Phase::Steady => {
                if steps.required_successes > 0 && !steps.validation_timeout.is_zero() {
                    look_around(&talk).await?;
                    self.successes += 1;
                    if self.successes < steps.required_successes {
                        return Ok(self.again(steps.validation_interval, false));
                    }
                }
                Ok(self.enter(Phase::Read))
            }
            Phase::Read => self.finish(&talk, machine, current).await,
        }
    }

    async fn send(
        &mut self,
        talk: &Talk<'_>,
        current: &Update,
    ) -> Result<StepOutcome, DriverError> {
        // A conductor that was stopped after the request finds the task of it.
        let new = tasks(talk).await?;
        let mut new = new
            .into_iter()
            .filter(|task| !self.known_tasks.contains(task));
        self.monitor = match new.next() {
            Some(found) => Some(found),
            None => post(talk, current).await?,
        };
        self.enter(Phase::Work);
        let pause = talk
            .settings
            .steps
            .status_interval
            .min(Duration::from_secs(5));
        Ok(self.again(pause, false))
    }

    async fn work(
        &mut self,
        talk: &Talk<'_>,
        current: &Update,
    ) -> Result<StepOutcome, DriverError> {
        let steps = &talk.settings.steps;
        let look = match &self.monitor {
            Some(monitor) => monitor::look(talk, monitor).await?,
            None => None,
        };
        let kind = current.kind();
        let Some(look) = look else {
            tracing::warn!(
                bmc = talk.peer(),
                url = current.url,
                "the task of an update is gone"
            );
            return Ok(self.worked(kind));
        };
        let state = look.state.as_deref().unwrap_or_default();
        match look.progress {
            Progress::Done => Ok(self.worked(kind)),
            Progress::Failed(why) => Err(talk.rejected(format!(
                "Firmware update failed for node {}, firmware {}. Error: {why}",
                talk.info.node, current.url
            ))),
            Progress::Running(_) => {
                let starts = match kind {
                    FirmwareComponent::Bios => matches!(state, "Starting" | "Running" | "Pending"),
                    FirmwareComponent::Nic | FirmwareComponent::Unknown
                        if matches!(state, "Starting" | "Pending") =>
                    {
                        let now = Timestamp::now().to_string();
                        let seen = self.starting.get_or_insert(now);
                        since(seen) >= steps.nic_starting_wait
                    }
                    _ => false,
                };
                let reboot = starts && !self.rebooted;
                self.rebooted |= starts;
                Ok(self.again(steps.status_interval, reboot))
            }
        }
    }

    /// The BMC has done its part.
    fn worked(&mut self, kind: FirmwareComponent) -> StepOutcome {
        match kind {
            FirmwareComponent::Bmc => return self.enter(Phase::Version),
            // It may be the BMC that gets new firmware: it must be back before anything else.
            FirmwareComponent::Unknown => return self.enter(Phase::Wait),
            FirmwareComponent::Bios | FirmwareComponent::Nic => {}
        }
        // What was only put in its place takes effect when the machine starts.
        let reboot = !std::mem::replace(&mut self.rebooted, true);
        self.enter(Phase::Wait);
        let pause = if reboot {
            Duration::from_secs(1)
        } else {
            Duration::ZERO
        };
        self.again(pause, reboot)
    }

    async fn finish(
        &mut self,
        talk: &Talk<'_>,
        machine: &mut Machine<'_>,
        current: &Update,
    ) -> Result<StepOutcome, DriverError> {
        if current.kind() == FirmwareComponent::Unknown && !self.rebooted {
            self.rebooted = true;
            return Ok(self.again(Duration::from_secs(1), true));
        }
        let now = version(talk, current).await?;
        if current.component.is_some() && now == self.version_before {
            let version = now.as_deref().unwrap_or("unknown");
            machine.found.warnings.push(format!(
                "The firmware of {} is of version {version}, as it was before the update from {}",
                current.name(),
                current.url
            ));
        }
        self.updates.remove(0);
        if self.updates.is_empty() {
            machine.found.firmware = Some(components::read(talk).await?);
            return Ok(StepOutcome::Done);
        }
        let begun = std::mem::take(&mut self.begun);
        *self = Self {
            begun,
            ..Self::new(std::mem::take(&mut self.updates))
        };
        // Some machines take further updates only when they have started with the new BMC.
        let reboot = current.kind() == FirmwareComponent::Bmc;
        let pause = if reboot {
            Duration::from_secs(1)
        } else {
            Duration::ZERO
        };
        Ok(self.again(pause, reboot))
    }
}

/// Whether an error may be gone when the BMC is asked again. A wrong password is never tried twice:
/// the BMC would lock the account.
fn is_passing(phase: Phase, error: &DriverError) -> bool {
    match phase {
        // Nothing is under way yet that could keep the BMC from answering.
        Phase::Note | Phase::Send => false,
        Phase::Work | Phase::Wait | Phase::Read => error.may_pass(),
        // The BMC starts with its new firmware: it says 404 or 500 for what it has not found yet.
        Phase::Version | Phase::Steady => {
            let is_odd = matches!(error, DriverError::Rejected(_) | DriverError::Protocol(_));
            error.may_pass() || is_odd
        }
    }
}

fn since(noted: &str) -> Duration {
    let then = Timestamp::parse(noted);
    let seconds = then.map_or(0, |then| Timestamp::now().seconds_since(then));
    Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
}

/// How long to leave the BMC alone: what the node says, or else the configuration.
fn unresponsive_wait(machine: &Machine<'_>, default: Duration) -> Duration {
    let told = machine
        .driver_info
        .get("firmware_update_unresponsive_bmc_wait");
    let seconds = told.and_then(|told| match told {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    });
    seconds.map_or(default, Duration::from_secs)
}

/// Where the tasks are that the service has; none where it does not tell.
async fn tasks(talk: &Talk<'_>) -> Result<Vec<String>, RedfishError> {
    let root = talk.root().await?;
    let Some(service) = talk.look(&root, "Tasks").await? else {
        return Ok(Vec::new());
    };
    let Some(tasks) = service.link("Tasks") else {
        return Ok(Vec::new());
    };
    match talk.members(tasks).await {
        // Some only show a task to those who know of it.
        Err(error) if error.is_missing() => Ok(Vec::new()),
        other => other,
    }
}

/// The version that a component has now.
async fn version(talk: &Talk<'_>, update: &Update) -> Result<Option<String>, RedfishError> {
    let Some(name) = &update.component else {
        return Ok(None);
    };
    let all = components::read(talk).await?;
    let found = all
        .into_iter()
        .find(|component| component.component == *name);
    Ok(found.and_then(|component| component.current_version))
}

/// Has the BMC fetch and flash an image; answers where to see how far it is.
async fn post(talk: &Talk<'_>, update: &Update) -> Result<Option<String>, DriverError> {
    let root = talk.root().await?;
    let service = talk.follow(&root, "UpdateService").await?;
    let action = "#UpdateService.SimpleUpdate";
    let allowed = talk.allowed(&service, action, "TransferProtocol").await?;
    let is_secure = update.url.to_lowercase().starts_with("https:");
    let takes = |protocol: &str| {
        let allowed = allowed.as_ref();
        allowed.is_none_or(|allowed| allowed.iter().any(|one| one == protocol))
    };
    let protocol = if is_secure && takes("HTTPS") && !takes("HTTP") {
        "HTTPS"
    } else {
        "HTTP"
    };
    let mut body = JsonMap::new();
    body.insert("ImageURI".into(), update.url.as_str().into());
    body.insert("TransferProtocol".into(), protocol.into());
    if several_systems(talk, &root).await?
        && let Some(system) = &talk.info.system
    {
        body.insert("Targets".into(), json!([system]));
    }
    tracing::info!(node = %talk.info.node, component = update.name(), "firmware is updated");
    let answer = talk.action(&service, action, &body).await?;
    Ok(answer.task.or(answer.location))
}

async fn several_systems(talk: &Talk<'_>, root: &Resource) -> Result<bool, RedfishError> {
    match root.link("Systems") {
        Some(systems) => Ok(talk.members(systems).await?.len() > 1),
        None => Ok(false),
    }
}

/// Reads what a BMC that has come back must be able to tell.
async fn look_around(talk: &Talk<'_>) -> Result<(), RedfishError> {
    let system = talk.system().await?;
    talk.manager(&system).await?;
    if let Some(chassis) = talk.chassis(&system).await?.first()
        && let Some(adapters) = chassis.link("NetworkAdapters")
    {
        talk.members(adapters).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> Order {
        let settings = json!([{"component": "bios", "url": "http://h/f", "wait": 5}]);
        Order::of_settings(Some(&settings)).unwrap()
    }

    #[test]
    fn only_errors_that_may_pass_are_waited_for() {
        let all = [
            Phase::Note,
            Phase::Send,
            Phase::Work,
            Phase::Version,
            Phase::Wait,
            Phase::Steady,
            Phase::Read,
        ];
        let passing = |error: DriverError| {
            let phases = all.into_iter().filter(|phase| is_passing(*phase, &error));
            phases.collect::<Vec<_>>()
        };
        let under_way = &all[2..];
        assert_eq!(passing(DriverError::Unreachable("x".into())), under_way);
        assert_eq!(passing(DriverError::Busy("x".into())), under_way);
        let restarting = [Phase::Version, Phase::Steady];
        assert_eq!(passing(DriverError::Rejected("x".into())), restarting);
        assert_eq!(passing(DriverError::Protocol("x".into())), restarting);
        assert_eq!(passing(DriverError::Refused("x".into())), []);
        assert_eq!(passing(DriverError::InvalidParameter("x".into())), []);
        assert_eq!(passing(DriverError::LeaseLapsed), []);
    }

    #[test]
    fn what_is_kept_in_the_row_reads_back() {
        let order = order();
        assert_eq!(Order::read(order.write().unwrap()).unwrap(), order);
        assert!(Order::read(JsonMap::new()).is_err());
    }

    #[test]
    fn a_machine_is_rebooted_once_for_what_was_put_in_its_place() {
        let mut order = order();
        let reboots =
            |outcome: &StepOutcome| matches!(outcome, StepOutcome::Again { reboot: true, .. });
        assert!(reboots(&order.worked(FirmwareComponent::Bios)));
        assert_eq!(order.phase, Phase::Wait);
        assert!(!reboots(&order.worked(FirmwareComponent::Bios)));
        assert!(!reboots(&order.worked(FirmwareComponent::Bmc)));
        assert_eq!(order.phase, Phase::Version);
    }
}
