//! The `intel-ipmitool` management interface: that of every BMC, and a step that chooses a
//! performance profile of Intel's processors (Speed Select).

use super::IpmiManagement;
use crate::{
    DriverError, Failure,
    iface::{Interface, Machine, Management},
};
use async_trait::async_trait;
use proto::ipmi::message::{NetFn, Request};
use types::{
    JsonMap, LeaseProof, pyrepr,
    rpc::{BootDevice, Indicator},
    step::{ArgSpec, OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

/// Management by IPMI, with Intel's Speed Select.
#[derive(Debug, Clone)]
pub struct IntelManagement(pub IpmiManagement);

const SPEED_SELECT: &str = "configure_intel_speedselect";
const CONFIG: &str = "intel_speedselect_config";
const SOCKETS: &str = "socket_count";

const INTEL_STEPS: &[StepSpec] = &[StepSpec {
    kind: StepKind::Deploy,
    step: SPEED_SELECT,
    priority: 200,
    abortable: false,
    requires_ramdisk: true,
    args: &[
        ArgSpec {
            name: CONFIG,
            description: "Hexadecimal code of Intel SST-PP configuration provided. Input value should be string. Accepted values are 0x00, 0x01, 0x02.",
            required: true,
        },
        ArgSpec {
            name: SOCKETS,
            description: "Number of sockets. Input value should be a positive integer.",
            required: false,
        },
    ],
    on_restart: OnRestart::Repeat,
}];

/// Intel's functions.
const INTEL_OEM: NetFn = NetFn(0x2c);

impl IntelManagement {
    async fn configure(&self, machine: &Machine<'_>, step: &Step) -> Result<(), DriverError> {
        let (level, sockets) = speed_select(&step.args)?;
        let info = self.0.0.info(machine)?;
        let talk = self.0.0.talk(&info, "raw").await?;
        for socket in 0..sockets {
            let request = Request::new(INTEL_OEM, 0x41, [0x04, 0x00, socket, level]);
            talk.ask(&request).await.map_err(|error| {
                let why = types::error::chain(&error);
                error.variant()(Failure::new(format!(
                    "Failed to set Intel SST-PP configuration level {level:#04x} on socket number {socket} due to reason {why}."
                )))
            })?;
        }
        Ok(())
    }
}

/// The level and the number of sockets that a step asks for.
fn speed_select(arguments: &JsonMap) -> Result<(u8, u8), DriverError> {
    let config = arguments.get(CONFIG).map(pyrepr::to_str);
    let level = match config.as_deref() {
        Some("0x00") => 0,
        Some("0x01") => 1,
        Some("0x02") => 2,
        other => {
            let other = other.unwrap_or("None");
            return Err(DriverError::InvalidParameter(format!(
                "Invalid Intel SST-PP configuration value {other} specified. Valid values are ['0x00', '0x01', '0x02']."
            )));
        }
    };
    let sockets = arguments.get(SOCKETS);
    let count = sockets.map_or(Some(1), |value| pyrepr::to_str(value).trim().parse().ok());
    match count {
        Some(count) if count > 0 => Ok((level, count)),
        _ => Err(DriverError::InvalidParameter(format!(
            "Invalid number of socket {} value specified. Expected a positive integer.",
            sockets.map(pyrepr::to_str).unwrap_or_default()
        ))),
    }
}

#[async_trait]
impl Interface for IntelManagement {
    fn name(&self) -> &'static str {
        "intel-ipmitool"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        self.0.properties()
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.0.validate(machine).await
    }

    fn steps(&self) -> &'static [StepSpec] {
        INTEL_STEPS
    }

    async fn run_step(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        if step.step != SPEED_SELECT {
            return Err(DriverError::no_step(step));
        }
        self.configure(machine, step).await?;
        Ok(StepOutcome::Done)
    }

    fn on_restart(&self) -> OnRestart {
        self.0.on_restart()
    }
}

/// Everything but the step is that of [`IpmiManagement`].
#[async_trait]
impl Management for IntelManagement {
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
    async fn vendor(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        self.0.vendor(machine).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn speed_select_is_checked() {
        let read = |value: Value| {
            let arguments = value.as_object().unwrap();
            speed_select(arguments).map_err(|error| error.to_string())
        };
        assert_eq!(read(json!({CONFIG: "0x02"})), Ok((2, 1)));
        assert_eq!(read(json!({CONFIG: "0x01", SOCKETS: "4"})), Ok((1, 4)));
        assert_eq!(
            read(json!({CONFIG: "2"})).unwrap_err(),
            "Invalid Intel SST-PP configuration value 2 specified. Valid values are ['0x00', '0x01', '0x02']."
        );
        for sockets in [json!(0), json!(-1), json!("two")] {
            let text = read(json!({CONFIG: "0x00", SOCKETS: sockets})).unwrap_err();
            assert!(text.starts_with("Invalid number of socket"), "{text}");
        }
    }
}
