//! Components with firmware, and the versions they have.

use crate::redfish::{RedfishError, Resource, Talk};
use serde_json::Value;
use types::{FirmwareComponent, JsonMap};

/// What comes before the name of a network card.
pub(super) const NIC: &str = "nic:";

/// All components of a machine.
pub(super) async fn read(talk: &Talk<'_>) -> Result<Vec<FirmwareComponent>, RedfishError> {
    let system = talk.system().await?;
    let mut all = Vec::new();
    if let Some(version) = system.str("BiosVersion").filter(|v| !v.is_empty()) {
        all.push(FirmwareComponent::new("bios", Some(version.to_owned())));
    }
    match talk.manager(&system).await {
        Ok(manager) => all.extend(bmc(&manager)),
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::warn!(
                bmc = talk.peer(),
                error,
                "the BMC's own version cannot be read"
            );
        }
    }
    match cards(talk, &system).await {
        Ok(cards) => all.extend(cards),
        // Some services refuse this while the machine is not running.
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::warn!(
                bmc = talk.peer(),
                error,
                "versions of network cards cannot be read"
            );
        }
    }
    Ok(all)
}

fn bmc(manager: &Resource) -> Option<FirmwareComponent> {
    let version = manager.str("FirmwareVersion").filter(|v| !v.is_empty())?;
    let mut component = FirmwareComponent::new("bmc", Some(version.to_owned()));
    component.model = manager.str("Model").map(str::to_owned);
    Some(component)
}

async fn cards(talk: &Talk<'_>, system: &Resource) -> Result<Vec<FirmwareComponent>, RedfishError> {
    let mut all = Vec::new();
    let Some(chassis) = talk.chassis(system).await?.into_iter().next() else {
        return Ok(all);
    };
    let Some(adapters) = chassis.link("NetworkAdapters") else {
        return Ok(all);
    };
    for adapter in talk.collection(adapters).await? {
        all.extend(
            adapter
                .list("Controllers")
                .filter_map(|c| card(&adapter, c)),
        );
    }
    Ok(all)
}

fn card(adapter: &Resource, controller: &JsonMap) -> Option<FirmwareComponent> {
    let version = controller
        .get("FirmwarePackageVersion")
        .and_then(Value::as_str);
    let version = version.filter(|version| !version.is_empty())?;
    let serial = adapter
        .str("SerialNumber")
        .filter(|serial| !serial.is_empty());
    let name = format!("{NIC}{}", serial.unwrap_or(adapter.id()));
    let mut component = FirmwareComponent::new(name, Some(version.to_owned()));
    let text = |key: &str| adapter.str(key).map(str::to_owned);
    component.vendor = text("Manufacturer");
    component.model = text("Model");
    component.serial_number = text("SerialNumber");
    Some(component)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_card_is_called_by_its_serial_number_if_it_has_one() {
        let adapter =
            |body: Value| Resource::new("/a/NIC.1", None, body.as_object().cloned().unwrap());
        let controller = json!({"FirmwarePackageVersion": "8.2"});
        let controller = controller.as_object().unwrap();
        let named = adapter(json!({"SerialNumber": "MY1", "Manufacturer": "I", "Model": "X710"}));
        let component = card(&named, controller).unwrap();
        assert_eq!(component.component, "nic:MY1");
        assert_eq!(component.current_version.as_deref(), Some("8.2"));
        assert_eq!(component.vendor.as_deref(), Some("I"));
        assert_eq!(
            card(&adapter(json!({})), controller).unwrap().component,
            "nic:NIC.1"
        );
        assert_eq!(card(&named, &JsonMap::new()), None);
    }
}
