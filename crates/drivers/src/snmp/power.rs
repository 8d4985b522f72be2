//! The `snmp` power interface.
//!
//! An outlet is switched and then looked at until it says what it was told to be. Whether there is
//! a machine behind it, and what it does, the PDU cannot know.

use super::{
    Info, Snmp, Talk,
    model::{self, Model},
};
use crate::{
    DriverError,
    iface::{Interface, Machine, Power},
    power::wait_for_state,
};
use async_trait::async_trait;
use proto::snmp::{Oid, Value};
use std::{sync::Arc, time::Duration};
use types::{LeaseProof, PowerState, PowerTarget, step::OnRestart};

/// Power by outlets.
#[derive(Debug, Clone)]
pub struct SnmpPower(pub Arc<Snmp>);

#[async_trait]
impl Interface for SnmpPower {
    fn name(&self) -> &'static str {
        "snmp"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        super::info::PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        info(machine).map(|_| ())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

fn info(machine: &Machine<'_>) -> Result<Info, DriverError> {
    Info::of(machine.node.id, machine.driver_info)
}

#[async_trait]
impl Power for SnmpPower {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        self.state(&info(machine)?).await.map(Some)
    }

    async fn set(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        let info = info(machine)?;
        let limit = timeout_s.map_or(self.0.settings.power_wait, Duration::from_secs);
        match target {
            PowerTarget::On => self.on(&info, limit).await,
            PowerTarget::Off => self.off(&info, limit).await,
            PowerTarget::Reboot if machine.node.stays_on() => Err(DriverError::must_stay_on(
                machine.node.id,
                "a PDU cannot reboot a machine otherwise",
            )),
            PowerTarget::Reboot => {
                self.off(&info, limit).await?;
                tokio::time::sleep(self.0.settings.reboot_delay).await;
                self.on(&info, limit).await
            }
            PowerTarget::SoftOff | PowerTarget::SoftReboot => {
                Err(DriverError::no_power_target(target))
            }
        }
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::On, PowerTarget::Off, PowerTarget::Reboot]
    }
}

impl SnmpPower {
    async fn state(&self, info: &Info) -> Result<PowerState, DriverError> {
        let mut talk = self.0.talk(info, "power status").await?;
        let model = model_of(&mut talk, info).await?;
        let (_, value) = status(&mut talk, info, model).await?;
        let known = value.as_number().and_then(|number| model.meaning(number));
        Ok(known.unwrap_or_else(|| {
            tracing::warn!(
                pdu = info.peer(),
                outlet = info.outlet,
                model = model.name,
                %value,
                "an outlet is neither on nor off"
            );
            PowerState::Error
        }))
    }

    async fn on(&self, info: &Info, limit: Duration) -> Result<(), DriverError> {
        tokio::time::sleep(self.0.settings.action_delay).await;
        self.switch(info, "power on", PowerState::On).await?;
        self.wait(info, PowerState::On, limit).await
    }

    async fn off(&self, info: &Info, limit: Duration) -> Result<(), DriverError> {
        self.switch(info, "power off", PowerState::Off).await?;
        tokio::time::sleep(self.0.settings.action_delay).await;
        self.wait(info, PowerState::Off, limit).await
    }

    async fn switch(
        &self,
        info: &Info,
        purpose: &'static str,
        state: PowerState,
    ) -> Result<(), DriverError> {
        let mut talk = self.0.talk(info, purpose).await?;
        let model = model_of(&mut talk, info).await?;
        let first = model.status_objects(info.outlet).next();
        let place = match first.filter(|_| model.has_one_place()) {
            Some(first) => first,
            None => status(&mut talk, info, model).await?.0,
        };
        let is_on = state == PowerState::On;
        let Some((oid, value)) = model.command(info.outlet, &place, is_on) else {
            return Err(talk.rejected("SET", "the outlet has no object of its own"));
        };
        talk.set(&oid, Value::Integer(value)).await
    }

    /// Looks at the outlet until it is in a state.
    async fn wait(
        &self,
        info: &Info,
        state: PowerState,
        limit: Duration,
    ) -> Result<(), DriverError> {
        let named = format!("Outlet {} of PDU {}", info.outlet, info.peer());
        let pause = self.0.settings.look_every;
        wait_for_state(&named, state, limit, pause, || self.state(info)).await
    }
}

/// The model that the node names, or that the PDU says it is.
async fn model_of(talk: &mut Talk<'_>, info: &Info) -> Result<&'static Model, DriverError> {
    if let Some(model) = info.model {
        return Ok(model);
    }
    let Some(oid) = model::system_id() else {
        return Err(talk.protocol("GET", "there is no name for what it is"));
    };
    match talk.get(&oid).await? {
        Some(Value::ObjectId(id)) => match model::of_system_id(&id) {
            Some(model) => {
                tracing::debug!(model = model.name, %id, "a PDU says what it is");
                Ok(model)
            }
            None => Err(DriverError::InvalidParameter(format!(
                "SNMPDriverAuto: no driver matching {id}"
            ))),
        },
        _ => Err(talk.protocol("GET", "it does not say what it is (sysObjectID)")),
    }
}

/// The state of the outlet, and the object that tells it.
async fn status(
    talk: &mut Talk<'_>,
    info: &Info,
    model: &Model,
) -> Result<(Oid, Value), DriverError> {
    for oid in model.status_objects(info.outlet) {
        if let Some(value) = talk.get(&oid).await? {
            return Ok((oid, value));
        }
    }
    let tried: Vec<String> = model
        .status_objects(info.outlet)
        .map(|oid| oid.to_string())
        .collect();
    let cause = format!(
        "it has no such outlet, or is no {} (there is no {})",
        model.name,
        tried.join(" and no ")
    );
    Err(talk.rejected("GET", &cause))
}
