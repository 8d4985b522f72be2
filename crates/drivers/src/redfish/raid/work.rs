//! A RAID step under way.

use super::{
    dell,
    plan::{self, Volume, Wish},
    volume::{drives_of, is_of, is_raid, makes_volumes, note, payload, subsystems, volume_paths},
};
use crate::{
    DriverError, Failure,
    iface::Machine,
    redfish::{Resource, Talk, monitor, task::Progress},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use types::{JsonMap, NodeId, Timestamp, step::StepOutcome};

const GIB: u64 = 1 << 30;
/// How often volumes are looked for that should be there.
const LOOKS: u32 = 3;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    /// The controllers of some makers take their time until they can be worked with.
    Ready,
    Delete,
    /// What is left behind on drives by others, and controllers that are in another mode.
    Tidy,
    Plan,
    /// Drives that are in another mode.
    Convert,
    Create,
    Check,
}

/// Work that a controller does in its own time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Running {
    monitor: String,
    /// In words.
    what: String,
}

/// What a step is to do, and how far it is; kept in the node's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Order {
    phase: Phase,
    since: String,
    is_dell: bool,
    /// The logical disks to make; none for a step that only deletes.
    wishes: Vec<JsonMap>,
    deletes: bool,
    running: Vec<Running>,
    /// What runs does so when the machine starts.
    reboot: bool,
    /// Controllers that cannot take more work before the machine has started.
    busy: Vec<String>,
    /// Volumes that the service said it has deleted.
    deleted: Vec<String>,
    /// Volumes that were there before those that are made.
    known: Vec<String>,
    to_make: Vec<Volume>,
    made: Vec<Volume>,
    converted: bool,
    tidied: bool,
    looks: u32,
}

impl Order {
    fn new(wishes: Vec<JsonMap>, deletes: bool, is_dell: bool) -> Self {
        Self {
            phase: Phase::Ready,
            since: Timestamp::now().to_string(),
            is_dell,
            wishes,
            deletes,
            running: Vec::new(),
            reboot: false,
            busy: Vec::new(),
            deleted: Vec::new(),
            known: Vec::new(),
            to_make: Vec::new(),
            made: Vec::new(),
            converted: false,
            tidied: false,
            looks: 0,
        }
    }

    pub(super) fn deletion(is_dell: bool) -> Self {
        Self::new(Vec::new(), true, is_dell)
    }

    /// Refuses wishes that no machine could fulfil.
    pub(super) fn creation(
        node: NodeId,
        wishes: Vec<JsonMap>,
        deletes: bool,
        is_dell: bool,
    ) -> Result<Self, String> {
        for wish in &wishes {
            Wish::read(node, wish)?;
        }
        Ok(Self::new(wishes, deletes, is_dell))
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

    /// Does what comes next.
    pub(super) async fn go_on(
        &mut self,
        talk: &Talk<'_>,
        machine: &mut Machine<'_>,
    ) -> Result<StepOutcome, DriverError> {
        let steps = &talk.settings.steps;
        let since = Timestamp::parse(&self.since);
        let elapsed = since.map_or(0, |since| Timestamp::now().seconds_since(since));
        let elapsed = Duration::from_secs(u64::try_from(elapsed).unwrap_or(0));
        if elapsed >= steps.raid_wait {
            let left: Vec<&str> = self.running.iter().map(|r| r.what.as_str()).collect();
            return Err(talk.unfinished(format!(
                "the RAID configuration is not done after {} s; waiting for: {}",
                elapsed.as_secs(),
                if left.is_empty() {
                    "volumes".into()
                } else {
                    left.join(", ")
                }
            )));
        }
        let system = talk.system().await?;
        match self.phase {
            Phase::Ready => {
                if self.is_dell
                    && let Some(wait) = dell::readiness(talk, &system, elapsed).await?
                {
                    return Ok(wait);
                }
                self.phase = if self.deletes {
                    Phase::Delete
                } else {
                    Phase::Plan
                };
                Ok(at_once())
            }
            Phase::Delete => self.delete(talk, &system).await,
            Phase::Tidy => self.tidy(talk, &system).await,
            Phase::Plan => self.plan(talk, &system, machine).await,
            Phase::Convert => self.convert(talk, &system).await,
            Phase::Create => self.create(talk, &system).await,
            Phase::Check => self.check(talk, &system, machine).await,
        }
    }

    /// Looks after what runs. `None` when all of it is done.
    async fn wait(&mut self, talk: &Talk<'_>) -> Result<Option<StepOutcome>, DriverError> {
        if self.running.is_empty() {
            return Ok(None);
        }
        let reason = format!("until RAID tasks are done: {}", self.running.len());
        if std::mem::take(&mut self.reboot) {
            return Ok(Some(StepOutcome::Again {
                reason,
                after: talk.settings.steps.raid_interval,
                reboot: true,
            }));
        }
        let mut left = Vec::new();
        for running in std::mem::take(&mut self.running) {
            match monitor::look(talk, &running.monitor).await? {
                // A service that has forgotten its task has done it; the volumes will show.
                None => {}
                Some(look) => match look.progress {
                    Progress::Done => {}
                    Progress::Running(_) => left.push(running),
                    Progress::Failed(why) => {
                        return Err(talk.rejected(format!(
                            "Failed RAID configuration tasks: Task {} ({}). Message: '{why}'.",
                            running.monitor, running.what
                        )));
                    }
                },
            }
        }
        self.running = left;
        if self.running.is_empty() {
            self.busy.clear();
            return Ok(None);
        }
        Ok(Some(StepOutcome::Again {
            reason,
            after: talk.settings.steps.raid_interval,
            reboot: false,
        }))
    }

    fn started(&mut self, controller: &str, monitor: String, what: String, at_start: bool) {
        self.running.push(Running { monitor, what });
        self.busy.push(controller.to_owned());
        self.reboot |= at_start;
    }

    async fn delete(
        &mut self,
        talk: &Talk<'_>,
        system: &Resource,
    ) -> Result<StepOutcome, DriverError> {
        if let Some(wait) = self.wait(talk).await? {
            return Ok(wait);
        }
        let mut left = Vec::new();
        for storage in subsystems(talk, system).await? {
            let Some(volumes) = talk.look(&storage, "Volumes").await? else {
                continue;
            };
            let time = monitor::apply_time(&volumes);
            for volume in talk.collection(&volumes.path).await? {
                if !is_raid(&volume) {
                    continue;
                }
                left.push(volume.path.clone());
                if self.deleted.contains(&volume.path)
                    || self.busy.iter().any(|c| c == storage.id())
                {
                    continue;
                }
                let mut body = JsonMap::new();
                if let Some(time) = time {
                    body.insert("@Redfish.OperationApplyTime".into(), time.into());
                }
                tracing::info!(node = %talk.info.node, volume = volume.path, "deleting a volume");
                match talk.delete_with(&volume.path, &body).await {
                    Ok(answer) => match answer.task {
                        Some(task) => {
                            let what = format!("deletion of volume {}", volume.id());
                            self.started(storage.id(), task, what, time != Some("Immediate"));
                        }
                        None => self.deleted.push(volume.path.clone()),
                    },
                    Err(error) if error.is_missing() => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        if left.is_empty() {
            self.phase = if self.is_dell {
                Phase::Tidy
            } else {
                self.after_deletion()
            };
            return Ok(at_once());
        }
        if !self.running.is_empty() {
            return self
                .wait(talk)
                .await
                .map(|wait| wait.unwrap_or_else(at_once));
        }
        self.looks += 1;
        if self.looks > LOOKS {
            return Err(DriverError::NotKept {
                peer: talk.peer().to_owned(),
                what: "RAID configuration",
                asked: "no volumes".into(),
                found: left.join(", "),
            });
        }
        let after = if self.looks == 1 {
            Duration::ZERO
        } else {
            talk.settings.steps.raid_interval
        };
        Ok(again("until volumes are gone", after))
    }

    fn after_deletion(&mut self) -> Phase {
        self.looks = 0;
        if self.wishes.is_empty() {
            Phase::Check
        } else {
            Phase::Plan
        }
    }

    /// What iDRACs want cleaned up before new volumes are made.
    async fn tidy(
        &mut self,
        talk: &Talk<'_>,
        system: &Resource,
    ) -> Result<StepOutcome, DriverError> {
        if let Some(wait) = self.wait(talk).await? {
            return Ok(wait);
        }
        let storages = subsystems(talk, system).await?;
        let begun = if self.tidied {
            self.phase = self.after_deletion();
            dell::convert_controllers(talk, &storages).await?
        } else {
            self.tidied = true;
            dell::clear_foreign(talk, system, &storages).await?
        };
        for job in begun {
            self.started(&job.controller, job.monitor, job.what, job.at_start);
        }
        Ok(at_once())
    }

    async fn plan(
        &mut self,
        talk: &Talk<'_>,
        system: &Resource,
        machine: &Machine<'_>,
    ) -> Result<StepOutcome, DriverError> {
        if let Some(wait) = self.wait(talk).await? {
            return Ok(wait);
        }
        let storages = subsystems(talk, system).await?;
        let mut drives = Vec::new();
        self.known = volume_paths(talk, system).await?;
        for storage in &storages {
            if makes_volumes(storage) {
                drives.extend(drives_of(talk, storage).await?);
            }
        }
        let node = machine.node.id;
        let wishes: Result<Vec<Wish>, String> = self
            .wishes
            .iter()
            .map(|wish| Wish::read(node, wish))
            .collect();
        let volumes = wishes.and_then(|wishes| plan::plan(&wishes, &drives));
        self.to_make = volumes.map_err(|why| talk.rejected(why))?;
        self.phase = if self.is_dell && !self.converted {
            Phase::Convert
        } else {
            Phase::Create
        };
        Ok(at_once())
    }

    async fn convert(
        &mut self,
        talk: &Talk<'_>,
        system: &Resource,
    ) -> Result<StepOutcome, DriverError> {
        self.converted = true;
        let storages = subsystems(talk, system).await?;
        let jobs = dell::convert_drives(talk, system, &storages, &self.to_make).await?;
        // Drives that were converted may have become smaller.
        self.phase = if jobs.is_empty() {
            Phase::Create
        } else {
            Phase::Plan
        };
        for job in jobs {
            self.started(&job.controller, job.monitor, job.what, job.at_start);
        }
        Ok(at_once())
    }

    async fn create(
        &mut self,
        talk: &Talk<'_>,
        system: &Resource,
    ) -> Result<StepOutcome, DriverError> {
        let free = |volume: &Volume| !self.busy.contains(&volume.controller);
        let Some(next) = self.to_make.iter().position(free) else {
            if let Some(wait) = self.wait(talk).await? {
                return Ok(wait);
            }
            if self.to_make.is_empty() {
                self.phase = Phase::Check;
            } else {
                // What the tasks made is there by now.
                self.known = volume_paths(talk, system).await?;
            }
            return Ok(at_once());
        };
        let volume = self.to_make[next].clone();
        let storages = subsystems(talk, system).await?;
        let storage = storages.iter().find(|s| s.id() == volume.controller);
        let storage = storage.ok_or_else(|| {
            talk.rejected(format!(
                "No storage controller found for node {}",
                talk.info.node
            ))
        })?;
        let volumes = talk.follow(storage, "Volumes").await?;
        let present = talk.collection(&volumes.path).await?;
        // A conductor that was stopped after the request finds what it asked for.
        if let Some(found) = present
            .iter()
            .find(|v| !self.is_known(v) && is_of(v, &volume))
        {
            self.known.push(found.path.clone());
            self.made.push(self.to_make.remove(next));
            return Ok(at_once());
        }
        let time = monitor::apply_time(&volumes);
        tracing::info!(node = %talk.info.node, level = volume.raid_level,
            drives = volume.physical_disks.join(" "), "creating a volume");
        let answer = talk.post(&volumes.path, &payload(&volume, time)).await?;
        self.made.push(self.to_make.remove(next));
        match (answer.task, answer.location) {
            (Some(task), _) => {
                let what = format!(
                    "RAID {} volume on {}",
                    volume.raid_level,
                    volume.physical_disks.join(", ")
                );
                self.started(&volume.controller, task, what, time != Some("Immediate"));
            }
            (None, Some(path)) => self.known.push(path),
            (None, None) => {}
        }
        Ok(at_once())
    }

    fn is_known(&self, volume: &Resource) -> bool {
        let path = volume.path.trim_end_matches('/');
        self.known
            .iter()
            .any(|known| known.trim_end_matches('/') == path)
    }

    /// Reads back what was made, and notes it.
    async fn check(
        &mut self,
        talk: &Talk<'_>,
        system: &Resource,
        machine: &mut Machine<'_>,
    ) -> Result<StepOutcome, DriverError> {
        if let Some(wait) = self.wait(talk).await? {
            return Ok(wait);
        }
        let mut present = Vec::new();
        for storage in subsystems(talk, system).await? {
            if let Some(volumes) = talk.look(&storage, "Volumes").await? {
                for volume in talk.collection(&volumes.path).await? {
                    present.push((storage.id().to_owned(), volume));
                }
            }
        }
        let mut root = None;
        let mut taken: Vec<&str> = Vec::new();
        let mut missing = Vec::new();
        for wanted in &self.made {
            let found = present.iter().find(|(controller, volume)| {
                *controller == wanted.controller
                    && !taken.contains(&volume.path.as_str())
                    && is_of(volume, wanted)
            });
            let Some((_, found)) = found else {
                missing.push(format!(
                    "RAID {} on {}",
                    wanted.raid_level,
                    wanted.physical_disks.join(", ")
                ));
                continue;
            };
            taken.push(&found.path);
            if let (Some(asked), Some(is)) = (wanted.size_bytes, found.u64("CapacityBytes"))
                && asked / GIB > is.div_ceil(GIB)
            {
                machine.found.warnings.push(format!(
                    "BMC {} made volume {} of {is} bytes where {asked} were asked for",
                    talk.peer(),
                    found.id()
                ));
            }
            if wanted.is_root_volume {
                root = Some((found.path.clone(), wanted.clone()));
            }
        }
        if !missing.is_empty() {
            self.looks += 1;
            if self.looks <= LOOKS {
                let after = talk.settings.steps.raid_interval;
                return Ok(again("until new volumes are there", after));
            }
            let all = present.iter().map(|(_, volume)| {
                let level = volume.str("RAIDType").unwrap_or("no RAID");
                format!("{} ({level})", volume.id())
            });
            return Err(DriverError::NotKept {
                peer: talk.peer().to_owned(),
                what: "RAID configuration",
                asked: missing.join("; "),
                found: all.collect::<Vec<_>>().join(", "),
            });
        }
        note(machine, &present, root.as_ref());
        Ok(StepOutcome::Done)
    }
}

fn at_once() -> StepOutcome {
    again("", Duration::ZERO)
}

fn again(reason: &str, after: Duration) -> StepOutcome {
    StepOutcome::Again {
        reason: reason.into(),
        after,
        reboot: false,
    }
}
