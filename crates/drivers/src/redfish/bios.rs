//! BIOS settings over Redfish.
//!
//! Changes are written where the service keeps settings for later, the machine is rebooted, and
//! the step looks again until they are in effect. One that the service has dropped on the way is
//! named. Everything that the step must remember meanwhile is in the node's row, so that a restart
//! of the conductor costs nothing.

mod attributes;

use super::{Redfish, RedfishError, Resource, Talk, info::PROPERTIES, monitor};
use crate::{
    DriverError, Failure,
    iface::{Bios, Interface, Machine},
};
use async_trait::async_trait;
use attributes::Registry;
use serde_json::{Value, json};
use std::sync::Arc;
use types::{
    JsonMap, LeaseProof, pyrepr,
    step::{ArgSpec, OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

const WANTED: &str = "requested_bios_attrs";
const SINCE: &str = "since";

const SETTINGS: &[ArgSpec] = &[ArgSpec {
    name: "settings",
    description: "A list of BIOS settings to be applied",
    required: true,
}];

const fn step(kind: StepKind, step: &'static str, args: &'static [ArgSpec]) -> StepSpec {
    StepSpec {
        kind,
        step,
        priority: 0,
        abortable: false,
        requires_ramdisk: false,
        args,
        on_restart: OnRestart::Repeat,
    }
}

const STEPS: &[StepSpec] = &[
    step(StepKind::Clean, "apply_configuration", SETTINGS),
    step(StepKind::Clean, "factory_reset", &[]),
    step(StepKind::Deploy, "apply_configuration", SETTINGS),
    step(StepKind::Deploy, "factory_reset", &[]),
    step(StepKind::Service, "apply_configuration", SETTINGS),
    step(StepKind::Service, "factory_reset", &[]),
];

/// The `redfish` BIOS interface, also under the name of a maker.
#[derive(Debug, Clone)]
pub struct RedfishBios {
    redfish: Arc<Redfish>,
    name: &'static str,
}

impl RedfishBios {
    pub fn new(redfish: &Arc<Redfish>, name: &'static str) -> Self {
        Self {
            redfish: Arc::clone(redfish),
            name,
        }
    }

    async fn apply(
        &self,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "apply_configuration").await?;
        let (_, bios) = machine_and_bios(&talk).await?;
        let registry = registry(&talk, &bios).await;
        let current = attributes_of(&bios);
        let asked = step.args.get("settings");
        let wanted = attributes::wanted(machine.node.id, asked, &current, &registry)?;
        let later = later(&talk, &bios).await?;
        let pending = later.as_ref().map(attributes_of).unwrap_or_default();
        if attributes::is_so(&wanted, &current, &pending) {
            tracing::info!(node = %machine.node.id, "the BIOS settings are so already");
            if current.len() > attributes::MOST_SETTINGS {
                machine.found.warnings.push(format!(
                    "The BIOS has {} settings, of which only the first {} are kept",
                    current.len(),
                    attributes::MOST_SETTINGS
                ));
            }
            machine.found.bios = Some(attributes::settings(&current, &registry));
            return Ok(StepOutcome::Done);
        }
        let body = change(&bios, &wanted);
        let changed = match &later {
            Some(later) => talk.patch(later, &body).await,
            None => talk.patch(&bios, &body).await,
        };
        changed.map_err(|error| {
            let error = DriverError::from(error);
            error.variant()(talk.failure(format!(
                "Redfish BIOS apply configuration failed for node {}. Error: {}",
                machine.node.id,
                types::error::chain(&error)
            )))
        })?;
        let unseen = unseen(&talk, &bios, &wanted).await?;
        if !unseen.is_empty() {
            machine.found.warnings.push(format!(
                "BMC {} accepted BIOS settings and does not show these as pending: {}",
                talk.peer(),
                unseen.join(", ")
            ));
        }
        self.begin(machine, Some(wanted), "new BIOS settings take effect");
        Ok(self.again("new BIOS settings take effect", true))
    }

    async fn reset(&self, machine: &mut Machine<'_>) -> Result<StepOutcome, DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "factory_reset").await?;
        let (_, bios) = machine_and_bios(&talk).await?;
        let reset = talk.action(&bios, "#Bios.ResetBios", &JsonMap::new()).await;
        reset.map_err(|error| {
            let error = DriverError::from(error);
            error.variant()(talk.failure(format!(
                "Redfish BIOS factory reset failed for node {}. Error: {}",
                machine.node.id,
                types::error::chain(&error)
            )))
        })?;
        self.begin(machine, None, "the BIOS is reset");
        Ok(self.again("the BIOS is reset", true))
    }

    fn begin(&self, machine: &mut Machine<'_>, wanted: Option<JsonMap>, what: &str) {
        let mut state = JsonMap::new();
        state.insert(SINCE.into(), monitor::now());
        if let Some(wanted) = wanted {
            state.insert(WANTED.into(), wanted.into());
        }
        tracing::info!(node = %machine.node.id, "the machine is rebooted until {what}");
        machine.set_step_state(state);
    }

    fn again(&self, what: &str, reboot: bool) -> StepOutcome {
        StepOutcome::Again {
            reason: format!("until {what}"),
            after: self.redfish.settings.steps.status_interval,
            reboot,
        }
    }

    /// Looks whether what was begun is done. A BMC that does not answer is given time.
    async fn check(
        &self,
        machine: &mut Machine<'_>,
        state: &JsonMap,
    ) -> Result<StepOutcome, DriverError> {
        let wanted = state.get(WANTED).and_then(Value::as_object);
        let is_late = monitor::since(state, SINCE) >= self.redfish.settings.steps.bios_wait;
        let looked = match wanted {
            Some(wanted) => self.is_applied(machine, wanted).await,
            None => self.is_reset(machine, is_late).await,
        };
        let what = if wanted.is_some() {
            "new BIOS settings take effect"
        } else {
            "the BIOS is reset"
        };
        match looked {
            Ok(Verdict::Done) => Ok(StepOutcome::Done),
            Ok(Verdict::NotYet(_)) if !is_late => Ok(self.again(what, false)),
            Ok(Verdict::NotYet(missing) | Verdict::Never(missing)) => {
                let attributes = pyrepr::repr(&Value::Object(missing));
                Err(DriverError::Unfinished(Failure::new(format!(
                    "Redfish BIOS apply_configuration step failed. Attributes {attributes} are not updated."
                ))))
            }
            Err(error) if !is_late => {
                let error = types::error::chain(&error);
                tracing::warn!(node = %machine.node.id, error, "the BIOS cannot be looked at yet");
                Ok(self.again(what, false))
            }
            Err(error) => Err(error),
        }
    }

    async fn is_applied(
        &self,
        machine: &mut Machine<'_>,
        wanted: &JsonMap,
    ) -> Result<Verdict, DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "apply_configuration").await?;
        let (system, bios) = machine_and_bios(&talk).await?;
        let current = attributes_of(&bios);
        let later = later(&talk, &bios).await?;
        let pending = later.as_ref().map(attributes_of).unwrap_or_default();
        let missing = attributes::missing(wanted, &current, &pending);
        if missing.is_empty() {
            let registry = registry(&talk, &bios).await;
            if current.len() > attributes::MOST_SETTINGS {
                machine.found.warnings.push(format!(
                    "The BIOS has {} settings, of which only the first {} are kept",
                    current.len(),
                    attributes::MOST_SETTINGS
                ));
            }
            machine.found.bios = Some(attributes::settings(&current, &registry));
            return Ok(Verdict::Done);
        }
        // What is neither in effect nor going to be will not come by itself.
        let dropped = missing
            .iter()
            .all(|(name, value)| pending.get(name) != Some(value));
        let booted = monitor::is_booted(&system) != Some(false);
        if dropped && booted {
            return Ok(Verdict::Never(missing));
        }
        Ok(Verdict::NotYet(missing))
    }

    async fn is_reset(
        &self,
        machine: &mut Machine<'_>,
        is_late: bool,
    ) -> Result<Verdict, DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "factory_reset").await?;
        let (system, bios) = machine_and_bios(&talk).await?;
        if bios.bool("ResetBiosToDefaultsPending") == Some(true) {
            if is_late {
                return Err(talk.unfinished("the BIOS is still not reset"));
            }
            return Ok(Verdict::NotYet(JsonMap::new()));
        }
        if monitor::is_booted(&system) == Some(false) && !is_late {
            return Ok(Verdict::NotYet(JsonMap::new()));
        }
        let registry = registry(&talk, &bios).await;
        let current = attributes_of(&bios);
        if current.len() > attributes::MOST_SETTINGS {
            machine.found.warnings.push(format!(
                "The BIOS has {} settings, of which only the first {} are kept",
                current.len(),
                attributes::MOST_SETTINGS
            ));
        }
        machine.found.bios = Some(attributes::settings(&current, &registry));
        Ok(Verdict::Done)
    }
}

/// What a look at the BIOS came to, with the attributes that are not as wanted.
enum Verdict {
    Done,
    NotYet(JsonMap),
    Never(JsonMap),
}

/// The machine and its BIOS.
async fn machine_and_bios(talk: &Talk<'_>) -> Result<(Resource, Resource), DriverError> {
    let system = talk.system().await?;
    match talk.look(&system, "Bios").await? {
        Some(bios) => Ok((system, bios)),
        None => Err(talk.rejected(format!(
            "Redfish BIOS factory reset failed for node {}, because BIOS settings are not supported.",
            talk.info.node
        ))),
    }
}

fn attributes_of(bios: &Resource) -> JsonMap {
    bios.map("Attributes").cloned().unwrap_or_default()
}

/// Where settings wait for the next start of the machine.
async fn later(talk: &Talk<'_>, bios: &Resource) -> Result<Option<Resource>, RedfishError> {
    match bios.pending() {
        Some(path) => talk.get(path).await.map(Some),
        None => Ok(None),
    }
}

/// The body of a change of settings.
fn change(bios: &Resource, wanted: &JsonMap) -> JsonMap {
    let mut body = JsonMap::new();
    body.insert("Attributes".into(), wanted.clone().into());
    let times = bios.texts("@Redfish.Settings/SupportedApplyTimes");
    if times.contains(&"OnReset") {
        body.insert(
            "@Redfish.SettingsApplyTime".into(),
            json!({
                "@odata.type": "#Settings.v1_0_0.PreferredApplyTime",
                "ApplyTime": "OnReset",
            }),
        );
    }
    body
}

/// The attributes that are neither in effect nor shown to be going to be, after a change.
async fn unseen<'w>(
    talk: &Talk<'_>,
    bios: &Resource,
    wanted: &'w JsonMap,
) -> Result<Vec<&'w str>, RedfishError> {
    let now = talk.get(&bios.path).await?;
    let later = later(talk, &now).await?;
    let (now, later) = (
        attributes_of(&now),
        later.as_ref().map(attributes_of).unwrap_or_default(),
    );
    let is_seen =
        |name: &str, value: &Value| now.get(name) == Some(value) || later.get(name) == Some(value);
    let unseen = wanted.iter().filter(|(name, value)| !is_seen(name, value));
    Ok(unseen.map(|(name, _)| name.as_str()).collect())
}

/// What the service tells about its attributes; nothing if it does not.
async fn registry(talk: &Talk<'_>, bios: &Resource) -> Registry {
    match read_registry(talk, bios).await {
        Ok(Some(found)) => Registry::read(&found.body),
        Ok(None) => Registry::default(),
        Err(error) => {
            let error = types::error::chain(&DriverError::from(error));
            tracing::info!(
                bmc = talk.peer(),
                error,
                "there is no registry of BIOS attributes"
            );
            Registry::default()
        }
    }
}

async fn read_registry(talk: &Talk<'_>, bios: &Resource) -> Result<Option<Resource>, RedfishError> {
    let Some(name) = bios.str("AttributeRegistry") else {
        return Ok(None);
    };
    let root = talk.root().await?;
    let Some(registries) = root.link("Registries") else {
        return Ok(None);
    };
    let mut close = None;
    for member in talk.members(registries).await? {
        let file = talk.get(&member).await?;
        let names: Vec<&str> = [file.str("Registry"), file.str("Id")]
            .into_iter()
            .flatten()
            .collect();
        if names.contains(&name) {
            return read_file(talk, &file).await;
        }
        // Some call it by another version, or another family, than the BIOS does.
        let is_close = |name: &&str| name.starts_with("Bios") && name.contains("AttributeRegistry");
        if names.iter().any(is_close) {
            close = close.or(Some(file));
        }
    }
    match close {
        Some(file) => read_file(talk, &file).await,
        None => Ok(None),
    }
}

/// The registry that a file of registries leads to.
async fn read_file(talk: &Talk<'_>, file: &Resource) -> Result<Option<Resource>, RedfishError> {
    let locations: Vec<_> = file.list("Location").collect();
    let english = locations.iter().find(|location| {
        let language = location.get("Language").and_then(Value::as_str);
        language.is_some_and(|language| language.to_lowercase().starts_with("en"))
    });
    let location = english.or_else(|| locations.first());
    match location.and_then(|location| location.get("Uri")?.as_str()) {
        Some(place) => talk.get(place).await.map(Some),
        None => Ok(None),
    }
}

#[async_trait]
impl Interface for RedfishBios {
    fn name(&self) -> &'static str {
        self.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.redfish.info(machine).map(|_| ())
    }

    fn steps(&self) -> &'static [StepSpec] {
        STEPS
    }

    async fn run_step(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        if let Some(state) = machine.step_state() {
            return self.check(machine, &state).await;
        }
        match step.step.as_str() {
            "apply_configuration" => self.apply(machine, step).await,
            "factory_reset" => self.reset(machine).await,
            _ => Err(DriverError::no_step(step)),
        }
    }
}

#[async_trait]
impl Bios for RedfishBios {
    async fn cache_settings(&self, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        let info = self.redfish.info(machine)?;
        let talk = self.redfish.talk(&info, "cache_bios_settings").await?;
        let system = talk.system().await?;
        let Some(bios) = talk.look(&system, "Bios").await? else {
            return Err(DriverError::Unsupported {
                what: "cache_bios_settings",
            });
        };
        let registry = registry(&talk, &bios).await;
        let current = attributes_of(&bios);
        if current.len() > attributes::MOST_SETTINGS {
            machine.found.warnings.push(format!(
                "The BIOS has {} settings, of which only the first {} are kept",
                current.len(),
                attributes::MOST_SETTINGS
            ));
        }
        machine.found.bios = Some(attributes::settings(&current, &registry));
        Ok(())
    }
}
