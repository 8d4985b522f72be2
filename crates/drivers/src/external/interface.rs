//! The interfaces of a program, as the conductor calls them.

mod management;

use super::{
    ExternalDriver, Feature, InterfaceSpec,
    answer::{Answered, refused},
    host::HostError,
    link::Outcome,
    parameters::{Parameters, check},
};
use crate::{
    DriverError, Failure,
    gate::{GateSettings, Gates},
    iface::{Bios, Firmware, Inspect, Inspection, Interface, Machine, Power, Raid, Vendor},
    recorder::{self, Recorder},
};
use async_trait::async_trait;
use proto::driver::Code;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;
use types::{
    BiosSetting, FirmwareComponent, Inventory, JsonMap, LeaseProof, PowerState, PowerTarget,
    Timestamp,
    recording::{Answer, DriverAnswer, DriverQuestion, Exchange, Question},
    rpc::VendorMethod,
    step::{OnRestart, Step, StepOutcome, StepSpec},
};

/// How long an answer to `validate` may take: somebody waits for it.
const VALIDATE: Duration = Duration::from_secs(10);
/// What a program gets on top of the time that a client grants the machine.
const MARGIN: Duration = Duration::from_secs(10);
/// No client makes a call last longer.
const LONGEST: Duration = Duration::from_secs(3600);

/// One interface of a program.
#[derive(Debug, Clone)]
pub(crate) struct External {
    spec: &'static InterfaceSpec,
    driver: ExternalDriver,
    gates: Arc<Gates>,
    recorder: Recorder,
}

impl External {
    /// All interfaces of a program.
    pub(crate) fn all(driver: &ExternalDriver, recorder: &Recorder) -> Vec<Self> {
        let timeout = driver.host.settings().timeout;
        let usual = GateSettings::default();
        // A machine that does not answer holds one of the calls for all of that time. Its rests are
        // so much longer that many of them leave room for the others.
        let gates = Arc::new(Gates::new(GateSettings {
            rest: usual.rest.max(timeout),
            longest_rest: usual.longest_rest.max(timeout * 10),
            ..usual
        }));
        let of = |spec: &&'static InterfaceSpec| Self {
            spec,
            driver: driver.clone(),
            gates: Arc::clone(&gates),
            recorder: recorder.clone(),
        };
        driver.declaration.interfaces.iter().map(of).collect()
    }

    pub(crate) fn spec(&self) -> &'static InterfaceSpec {
        self.spec
    }

    fn needs(&self, feature: Feature, what: &'static str) -> Result<(), DriverError> {
        match self.spec.features.contains(&feature) {
            true => Ok(()),
            false => Err(DriverError::Unsupported { what }),
        }
    }

    fn timeout(&self) -> Duration {
        self.driver.host.settings().timeout
    }

    /// Asks the program about a machine.
    async fn ask(
        &self,
        machine: &Machine<'_>,
        method: &'static str,
        more: Value,
    ) -> Result<Answered, DriverError> {
        let within = self.timeout();
        self.talk(machine, None, method, more, within).await
    }

    /// Has the program change something.
    async fn change(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        method: &'static str,
        more: Value,
        within: Duration,
    ) -> Result<Answered, DriverError> {
        if lease.node() != machine.node.id {
            return Err(DriverError::LeaseLapsed);
        }
        let answered = self.talk(machine, Some(lease), method, more, within).await;
        let mut answered = answered?;
        let warnings = answered.warnings()?;
        machine.found.warnings.extend(warnings);
        Ok(answered)
    }

    async fn talk(
        &self,
        machine: &Machine<'_>,
        lease: Option<&LeaseProof>,
        method: &'static str,
        more: Value,
        within: Duration,
    ) -> Result<Answered, DriverError> {
        check(self.spec, machine)?;
        let Value::Object(mut more) = more else {
            return Err(DriverError::Unsupported { what: method });
        };
        more.insert("timeout_s".into(), within.as_secs().into());
        let known = Parameters::of(&self.driver, self.spec, machine, lease, more).await?;
        let tried = || format!("{method} of {}", known.peer);
        let permit = self.gates.of(&known.peer).enter().await;
        let permit = permit.map_err(|error| error.variant()(Failure::because(tried(), error)))?;
        let began = Instant::now();
        let host = &self.driver.host;
        let outcome = host.call(method, &known.params, &known.secrets, within);
        let outcome = outcome.await;
        self.note(machine, method, &known, &outcome, began);
        match &outcome {
            Ok(Err(refusal)) if refusal.code == Code::Unreachable => {
                // Whether it is left alone from now on is for the next call to find out.
                let _ = permit.silent();
            }
            Ok(_) => permit.heard(),
            Err(HostError::Deadline { .. }) => {
                if let Err(rest) = permit.given_up() {
                    tracing::warn!(node = %machine.node.id, bmc = known.peer, method, "{rest}");
                }
            }
            // That says nothing about the machine.
            Err(_) => {}
        }
        let outcome = outcome.map_err(|error| error.variant()(Failure::because(tried(), error)))?;
        let program = host.name();
        let result = outcome.map_err(|said| refused(program, method, &said, &known.secrets))?;
        Ok(Answered {
            program: program.to_owned(),
            method,
            result,
            secrets: known.secrets,
        })
    }

    /// Keeps a call for the flight recorder.
    fn note(
        &self,
        machine: &Machine<'_>,
        method: &'static str,
        known: &Parameters,
        outcome: &Result<Outcome, HostError>,
        began: Instant,
    ) {
        let secrets = known.secrets.iter().map(String::as_bytes);
        let tape = self.recorder.of(machine.node.id).hiding(secrets);
        if !tape.is_running() {
            return;
        }
        let body = |map: &JsonMap| {
            let bytes = Value::Object(map.clone()).to_string().into_bytes();
            recorder::body(&bytes)
        };
        let Some(params) = body(&known.params) else {
            return;
        };
        let answer = match outcome {
            Ok(Ok(result)) => Some(DriverAnswer {
                result: body(result),
                error: None,
            }),
            Ok(Err(refusal)) => Some(DriverAnswer {
                result: None,
                error: Some((refusal.code.as_str().into(), refusal.message.clone())),
            }),
            Err(_) => None,
        };
        let failure = outcome
            .as_ref()
            .err()
            .map(|error| types::error::chain(error));
        let exchange = Exchange {
            peer: known.peer.clone(),
            operation: method.into(),
            question: Question::Driver(DriverQuestion {
                method: method.into(),
                params,
            }),
            answer: answer.map(Answer::Driver),
            failure,
        };
        tape.note(exchange, began.elapsed());
    }
}

#[async_trait]
impl Interface for External {
    fn name(&self) -> &'static str {
        self.spec.name
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        self.spec.meanings
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        check(self.spec, machine)?;
        if !self.spec.features.contains(&Feature::Validate) {
            return Ok(());
        }
        let within = VALIDATE.min(self.timeout());
        let asked = self.talk(machine, None, "validate", json!({}), within);
        asked.await.map(|_| ())
    }

    fn steps(&self) -> &'static [StepSpec] {
        self.spec.steps
    }

    async fn run_step(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        let Some(spec) = self.spec.steps.iter().find(|spec| spec.step == step.step) else {
            return Err(DriverError::no_step(step));
        };
        let mut more = json!({"step": spec.step, "args": step.args});
        let handle = machine
            .step_state()
            .and_then(|mut state| state.remove("handle"));
        let method = match handle {
            Some(handle) => {
                more["handle"] = handle;
                "step.poll"
            }
            None => "step.run",
        };
        let within = self.timeout();
        let answered = self.change(lease, machine, method, more, within).await?;
        let (outcome, state) = answered.outcome()?;
        if let Some(state) = state {
            machine.set_step_state(state);
        }
        Ok(outcome)
    }

    fn on_restart(&self) -> OnRestart {
        self.spec.on_restart
    }
}

#[async_trait]
impl Power for External {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        self.ask(machine, "power.get", json!({}))
            .await?
            .find("state")
    }

    async fn set(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let asked_for = timeout_s.map(|seconds| Duration::from_secs(seconds) + MARGIN);
        let within = asked_for
            .unwrap_or_default()
            .max(self.timeout())
            .min(LONGEST);
        let targets = match target {
            // Flows restart machines without looking at what there is.
            PowerTarget::Reboot if !self.spec.targets.contains(&target) => {
                &[PowerTarget::Off, PowerTarget::On][..]
            }
            _ => &[target],
        };
        for target in targets {
            let more = json!({"target": target});
            self.change(lease, machine, "power.set", more, within)
                .await?;
        }
        Ok(())
    }

    fn supported(&self) -> &'static [PowerTarget] {
        self.spec.targets
    }
}

#[async_trait]
impl Vendor for External {
    fn methods(&self) -> Vec<VendorMethod> {
        let methods = self.spec.methods.iter();
        methods.map(|method| method.about.clone()).collect()
    }

    fn check(&self, method: &str, arguments: &JsonMap) -> Result<(), DriverError> {
        let wrong = |text| Err(DriverError::InvalidParameter(text));
        let mut methods = self.spec.methods.iter();
        let Some(known) = methods.find(|known| known.about.name == method) else {
            return wrong(format!("No handler for method {method}"));
        };
        let missing = known
            .required
            .iter()
            .find(|arg| !arguments.contains_key(*arg));
        if let Some(missing) = missing {
            return wrong(format!(
                "Parameter '{missing}' not passed to method '{method}'."
            ));
        }
        let is_known =
            |arg: &&String| known.required.contains(*arg) || known.optional.contains(*arg);
        match arguments.keys().find(|arg| !is_known(arg)) {
            Some(odd) => wrong(format!("Method '{method}' has no parameter '{odd}'.")),
            None => Ok(()),
        }
    }

    async fn call(
        &self,
        lease: Option<&LeaseProof>,
        machine: &mut Machine<'_>,
        method: &str,
        arguments: &JsonMap,
    ) -> Result<Value, DriverError> {
        Vendor::check(self, method, arguments)?;
        let more = json!({"method": method, "arguments": arguments});
        let within = self.timeout();
        let mut answered = match lease {
            Some(lease) => {
                self.change(lease, machine, "vendor.call", more, within)
                    .await?
            }
            None => self.ask(machine, "vendor.call", more).await?,
        };
        Ok(answered.find("value")?.unwrap_or_default())
    }
}

#[async_trait]
impl Bios for External {
    async fn cache_settings(&self, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        let mut answered = self.ask(machine, "bios.settings", json!({})).await?;
        let settings: Vec<JsonMap> = answered.take("settings")?;
        let now = Timestamp::now();
        let read = settings.into_iter().map(|mut setting| {
            answered.result = std::mem::take(&mut setting);
            let name: String = answered.take("name")?;
            let value = answered.find("value")?;
            Ok(BiosSetting {
                attribute_type: answered.find("attribute_type")?,
                allowable_values: answered.find("allowable_values")?,
                lower_bound: answered.find("lower_bound")?,
                upper_bound: answered.find("upper_bound")?,
                min_length: answered.find("min_length")?,
                max_length: answered.find("max_length")?,
                read_only: answered.find("read_only")?,
                reset_required: answered.find("reset_required")?,
                unique: answered.find("unique")?,
                created_at: now,
                ..BiosSetting::new(name, value)
            })
        });
        machine.found.bios = Some(read.collect::<Result<_, DriverError>>()?);
        Ok(())
    }
}

#[async_trait]
impl Firmware for External {
    async fn cache_components(&self, machine: &mut Machine<'_>) -> Result<(), DriverError> {
        let mut answered = self.ask(machine, "firmware.components", json!({})).await?;
        let components: Vec<JsonMap> = answered.take("components")?;
        let read = components.into_iter().map(|component| {
            answered.result = component;
            let name: String = answered.take("component")?;
            let version = answered.find("version")?;
            Ok(FirmwareComponent {
                vendor: answered.find("vendor")?,
                model: answered.find("model")?,
                serial_number: answered.find("serial_number")?,
                ..FirmwareComponent::new(name, version)
            })
        });
        machine.found.firmware = Some(read.collect::<Result<_, DriverError>>()?);
        Ok(())
    }
}

#[async_trait]
impl Inspect for External {
    async fn inspect(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<Inspection, DriverError> {
        let within = self.timeout();
        let answered = self.change(lease, machine, "inspect", json!({}), within);
        let mut answered = answered.await?;
        machine.found.inventory = Some(Inventory {
            inventory: answered.take("inventory")?,
            plugin_data: answered.find("plugin_data")?.unwrap_or_default(),
        });
        Ok(Inspection::Done)
    }
}

#[async_trait]
impl Raid for External {
    fn logical_disk_properties(&self) -> &'static [(&'static str, &'static str)] {
        match self.spec.disk_properties {
            [] => crate::logical_disk::LOGICAL_DISK_PROPERTIES,
            own => own,
        }
    }
}
