//! Management by a program: boot devices, and what else it has.

use super::External;
use crate::{
    DriverError,
    external::Feature,
    iface::{Machine, Management},
};
use async_trait::async_trait;
use serde_json::json;
use types::{
    JsonMap, LeaseProof,
    port::MacAddress,
    rpc::{BootDevice, Indicator},
};

#[async_trait]
impl Management for External {
    fn supported_boot_devices(&self) -> &'static [&'static str] {
        self.spec.boot_devices
    }

    async fn boot_device(&self, machine: &Machine<'_>) -> Result<BootDevice, DriverError> {
        let asked = self.ask(machine, "management.boot_device", json!({}));
        let mut answered = asked.await?;
        Ok(BootDevice {
            device: answered.find("device")?,
            persistent: answered.find("persistent")?,
        })
    }

    async fn set_boot_device(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        device: &str,
        persistent: bool,
    ) -> Result<(), DriverError> {
        if !self.spec.boot_devices.contains(&device) {
            return Err(DriverError::InvalidParameter(format!(
                "Invalid boot device {device} specified, supported are {}.",
                self.spec.boot_devices.join(", ")
            )));
        }
        let more = json!({"device": device, "persistent": persistent});
        let method = "management.set_boot_device";
        let within = self.timeout();
        let changed = self.change(lease, machine, method, more, within);
        changed.await.map(|_| ())
    }

    async fn boot_mode(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        if !self.spec.features.contains(&Feature::BootMode) {
            return Ok(None);
        }
        let asked = self.ask(machine, "management.boot_mode", json!({}));
        asked.await?.find("mode")
    }

    async fn set_boot_mode(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        mode: &str,
    ) -> Result<(), DriverError> {
        self.needs(Feature::SetBootMode, "set_boot_mode")?;
        let method = "management.set_boot_mode";
        let within = self.timeout();
        let changed = self.change(lease, machine, method, json!({"mode": mode}), within);
        changed.await.map(|_| ())
    }

    async fn secure_boot(&self, machine: &Machine<'_>) -> Result<Option<bool>, DriverError> {
        if !self.spec.features.contains(&Feature::SecureBoot) {
            return Ok(None);
        }
        let asked = self.ask(machine, "management.secure_boot", json!({}));
        asked.await?.find("on")
    }

    async fn set_secure_boot(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        on: bool,
    ) -> Result<(), DriverError> {
        self.needs(Feature::SetSecureBoot, "set_secure_boot_state")?;
        let method = "management.set_secure_boot";
        let within = self.timeout();
        let changed = self.change(lease, machine, method, json!({"on": on}), within);
        changed.await.map(|_| ())
    }

    async fn inject_nmi(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        self.needs(Feature::InjectNmi, "inject_nmi")?;
        let within = self.timeout();
        let changed = self.change(lease, machine, "management.inject_nmi", json!({}), within);
        changed.await.map(|_| ())
    }

    async fn indicators(&self, machine: &Machine<'_>) -> Result<Vec<Indicator>, DriverError> {
        self.needs(Feature::Indicators, "get_supported_indicators")?;
        let asked = self.ask(machine, "management.indicators", json!({}));
        asked.await?.take("indicators")
    }

    async fn indicator(
        &self,
        machine: &Machine<'_>,
        component: &str,
        name: &str,
    ) -> Result<String, DriverError> {
        self.needs(Feature::Indicators, "get_indicator_state")?;
        let more = json!({"component": component, "indicator": name});
        let asked = self.ask(machine, "management.indicator", more);
        asked.await?.take("state")
    }

    async fn set_indicator(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        component: &str,
        name: &str,
        state: &str,
    ) -> Result<(), DriverError> {
        self.needs(Feature::Indicators, "set_indicator_state")?;
        let more = json!({"component": component, "indicator": name, "state": state});
        let within = self.timeout();
        let changed = self.change(lease, machine, "management.set_indicator", more, within);
        changed.await.map(|_| ())
    }

    async fn sensors(&self, machine: &Machine<'_>) -> Result<JsonMap, DriverError> {
        self.needs(Feature::Sensors, "get_sensors_data")?;
        let asked = self.ask(machine, "management.sensors", json!({}));
        asked.await?.take("sensors")
    }

    async fn health(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        self.needs(Feature::Health, "get_node_health")?;
        let asked = self.ask(machine, "management.health", json!({}));
        asked.await?.find("health")
    }

    async fn vendor(&self, machine: &Machine<'_>) -> Result<Option<String>, DriverError> {
        if !self.spec.features.contains(&Feature::Vendor) {
            return Ok(None);
        }
        let asked = self.ask(machine, "management.vendor", json!({}));
        asked.await?.find("vendor")
    }

    async fn mac_addresses(&self, machine: &Machine<'_>) -> Result<Vec<MacAddress>, DriverError> {
        self.needs(Feature::MacAddresses, "get_mac_addresses")?;
        let asked = self.ask(machine, "management.mac_addresses", json!({}));
        asked.await?.take("addresses")
    }
}
