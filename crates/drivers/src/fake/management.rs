//! Fake management: boots from the network only, and has two lights.

use super::Fake;
use crate::{
    DriverError,
    iface::{Machine, Management},
};
use async_trait::async_trait;
use types::{
    InterfaceKind, LeaseProof,
    rpc::{BootDevice, Indicator},
};

const KIND: InterfaceKind = InterfaceKind::Management;
const BOOT_DEVICE: &str = "pxe";

/// A light: component, name, whether it cannot be changed, and the states that it has.
type Light = (&'static str, &'static str, bool, &'static [&'static str]);

const LIGHTS: &[Light] = &[
    ("chassis", "led-0", true, &["off", "on"]),
    ("system", "led", false, &["blinking", "off", "on"]),
];

#[async_trait]
impl Management for Fake {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        &[BOOT_DEVICE]
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        self.bench.read(machine, KIND, "boot_device").await?;
        Ok(BootDevice {
            device: Some(BOOT_DEVICE.to_owned()),
            persistent: Some(false),
        })
    }

    async fn set_boot_device(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        _persistent: bool,
    ) -> Result<(), DriverError> {
        if device != BOOT_DEVICE {
            return Err(DriverError::InvalidParameter(format!(
                "Invalid boot device {device} specified."
            )));
        }
        self.bench
            .change(lease, machine, KIND, "set_boot_device")
            .await
    }

    async fn indicators(&self, machine: &Machine<'_>) -> Result<Vec<Indicator>, DriverError> {
        self.bench.read(machine, KIND, "indicators").await?;
        Ok(LIGHTS
            .iter()
            .map(|&(component, name, readonly, states)| Indicator {
                component: component.to_owned(),
                name: name.to_owned(),
                readonly,
                states: states.iter().map(|&state| state.to_owned()).collect(),
            })
            .collect())
    }

    async fn indicator(
        &self,
        machine: &Machine<'_>,
        component: &str,
        name: &str,
    ) -> Result<String, DriverError> {
        self.bench.read(machine, KIND, "indicator").await?;
        let mut of_component = LIGHTS.iter().filter(|l| l.0 == component).peekable();
        let wrong = if of_component.peek().is_none() {
            format!("Invalid component {component} specified.")
        } else if of_component.any(|light| light.1 == name) {
            return Ok("on".to_owned());
        } else {
            format!("Invalid indicator {name} specified.")
        };
        Err(DriverError::InvalidParameter(wrong))
    }
}
