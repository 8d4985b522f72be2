//! Readings of sensors, in the shape that Ironic's consumers know.
//!
//! Fans, temperatures and power supplies come from the first chassis, drives from the simple
//! storage where there is one, else from the storage. A part that cannot be read is left out.
//! Beside what Ironic tells there is the `name` that the service has for a sensor, for people.

use crate::{
    DriverError,
    redfish::{Info, Redfish, RedfishError, Resource, Talk, resource},
};
use serde_json::{Map, Value};
use types::JsonMap;

/// A field of a reading, and where it comes from.
type Field = (&'static str, &'static str, ReadingForm);

#[derive(Debug, Clone, Copy)]
enum ReadingForm {
    /// As it is.
    Plain,
    /// Without what follows the point.
    Whole,
}

const FAN: &[Field] = &[
    ("identity", "MemberId", ReadingForm::Plain),
    ("max_reading_range", "MaxReadingRange", ReadingForm::Whole),
    ("min_reading_range", "MinReadingRange", ReadingForm::Whole),
    ("reading", "Reading", ReadingForm::Whole),
    ("reading_units", "ReadingUnits", ReadingForm::Plain),
    ("serial_number", "SerialNumber", ReadingForm::Plain),
    ("physical_context", "PhysicalContext", ReadingForm::Plain),
];
const TEMPERATURE: &[Field] = &[
    ("identity", "MemberId", ReadingForm::Plain),
    (
        "max_reading_range_temp",
        "MaxReadingRangeTemp",
        ReadingForm::Plain,
    ),
    (
        "min_reading_range_temp",
        "MinReadingRangeTemp",
        ReadingForm::Plain,
    ),
    ("reading_celsius", "ReadingCelsius", ReadingForm::Plain),
    ("physical_context", "PhysicalContext", ReadingForm::Plain),
    ("sensor_number", "SensorNumber", ReadingForm::Whole),
];
const SUPPLY: &[Field] = &[
    (
        "power_capacity_watts",
        "PowerCapacityWatts",
        ReadingForm::Whole,
    ),
    ("line_input_voltage", "LineInputVoltage", ReadingForm::Whole),
    (
        "last_power_output_watts",
        "LastPowerOutputWatts",
        ReadingForm::Whole,
    ),
    ("serial_number", "SerialNumber", ReadingForm::Plain),
];
const DRIVE: &[Field] = &[
    ("name", "Name", ReadingForm::Plain),
    ("model", "Model", ReadingForm::Plain),
    ("capacity_bytes", "CapacityBytes", ReadingForm::Plain),
];

/// What people call a sensor. Ironic's consumers know it of drives only.
const NAME: &str = "name";

fn reading(body: &JsonMap, fields: &[Field]) -> JsonMap {
    let mut found = JsonMap::new();
    for (name, place, kind) in fields {
        let value = resource::at(body, place).cloned().unwrap_or(Value::Null);
        let value = match kind {
            ReadingForm::Plain => value,
            ReadingForm::Whole => whole(value),
        };
        found.insert((*name).to_owned(), value);
    }
    if let Some(status) = resource::at(body, "Status").and_then(Value::as_object) {
        for (name, key) in [("state", "State"), ("health", "Health")] {
            let value = status.get(key).cloned().unwrap_or(Value::Null);
            found.insert(name.to_owned(), value);
        }
    }
    if let Some(name) = resource::at(body, "Name").filter(|name| name.is_string()) {
        found.insert(NAME.to_owned(), name.clone());
    }
    found
}

fn whole(value: Value) -> Value {
    match value.as_f64() {
        // What a service reports fits; what does not is no reading.
        #[allow(clippy::cast_possible_truncation, reason = "saturates")]
        Some(number) if number.is_finite() => Value::from(number as i64),
        _ => Value::Null,
    }
}

pub(super) async fn read(redfish: &Redfish, info: &Info) -> Result<JsonMap, DriverError> {
    let talk = redfish.talk(info, "reading the sensors").await?;
    let system = talk.system().await?;
    let text = |place: &str| system.at(place).cloned().unwrap_or(Value::Null);
    let extra = Map::from_iter([
        ("Manufacturer".to_owned(), text("Manufacturer")),
        ("Model".to_owned(), text("Model")),
        ("UUID".to_owned(), text("UUID")),
    ]);
    let mut all = JsonMap::new();
    all.insert("Extra".into(), Value::Object(extra));
    let mut chassis = None;
    if let Some(reference) = system.links("Links/Chassis").first() {
        chassis = readable(&talk, talk.get(reference).await)?;
    }
    let (mut fans, mut temperatures, mut supplies) = Default::default();
    if let Some(chassis) = &chassis {
        if let Some(thermal) = readable(&talk, talk.follow(chassis, "Thermal").await)? {
            fans = of_list(&thermal, "Fans", FAN, chassis);
            temperatures = of_list(&thermal, "Temperatures", TEMPERATURE, chassis);
        }
        if let Some(power) = readable(&talk, talk.follow(chassis, "Power").await)? {
            supplies = of_supplies(&power, chassis);
        }
    }
    all.insert("Fan".into(), Value::Object(fans));
    all.insert("Temperature".into(), Value::Object(temperatures));
    all.insert("Power".into(), Value::Object(supplies));
    all.insert("Drive".into(), Value::Object(drives(&talk, &system).await?));
    Ok(all)
}

/// What could be read; only a service that cannot be talked to at all is an error.
fn readable<T>(
    talk: &Talk<'_>,
    outcome: Result<T, RedfishError>,
) -> Result<Option<T>, RedfishError> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(error @ RedfishError::Failed(DriverError::LeaseLapsed)) => Err(error),
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::debug!(
                bmc = talk.peer(),
                error,
                "a part of the sensors cannot be read"
            );
            Ok(None)
        }
    }
}

/// The sensors of a list; none if one of them has no name, as in Ironic.
fn of_list(from: &Resource, place: &str, fields: &[Field], chassis: &Resource) -> JsonMap {
    let mut all = JsonMap::new();
    for body in from.list(place) {
        let Some(id) = name(body, "MemberId") else {
            return JsonMap::new();
        };
        let key = format!("{id}@{}", chassis.id());
        all.insert(key, Value::Object(reading(body, fields)));
    }
    all
}

fn of_supplies(power: &Resource, chassis: &Resource) -> JsonMap {
    let mut all = JsonMap::new();
    for body in power.list("PowerSupplies") {
        let id = name(body, "MemberId").unwrap_or_else(|| "None".to_owned());
        let key = format!("{id}:{}@{}", power.id(), chassis.id());
        all.insert(key, Value::Object(reading(body, SUPPLY)));
    }
    all
}

fn name(body: &JsonMap, key: &str) -> Option<String> {
    match body.get(key)? {
        Value::Null => None,
        other => Some(types::pyrepr::to_str(other)),
    }
}

async fn drives(talk: &Talk<'_>, system: &Resource) -> Result<JsonMap, RedfishError> {
    let path = system.path.trim_end_matches('/');
    let machine = path.rsplit('/').next().unwrap_or_default();
    let mut all = JsonMap::new();
    let mut add = |body: &JsonMap, storage: &Resource| {
        let mut drive = reading(body, DRIVE);
        let is_told = |key: &str| drive.get(key).is_some_and(types::pyrepr::truth);
        // Some leave out the state of a drive that is well.
        if !is_told("state") && is_told("health") {
            drive.insert("state".into(), "Enabled".into());
        }
        let name = name(body, "Name").unwrap_or_else(|| "None".to_owned());
        all.insert(
            format!("{name}:{}@{machine}", storage.id()),
            Value::Object(drive),
        );
    };
    if let Some(simple) = system.link("SimpleStorage") {
        let found = readable(talk, talk.collection(simple).await)?;
        for storage in found.unwrap_or_default() {
            for device in storage.list("Devices") {
                // Backplanes and the like are no drives.
                if resource::at(device, "CapacityBytes").is_some_and(types::pyrepr::truth) {
                    add(device, &storage);
                }
            }
        }
        return Ok(all);
    }
    if let Some(storages) = system.link("Storage") {
        let found = readable(talk, talk.collection(storages).await)?;
        for storage in found.unwrap_or_default() {
            let drives = readable(talk, talk.all(&storage, "Drives").await)?;
            for drive in drives.unwrap_or_default() {
                add(&drive.body, &storage);
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn resource(body: Value) -> Resource {
        Resource::new("/c/1", None, body.as_object().cloned().unwrap())
    }

    #[test]
    fn readings_have_the_known_shape() {
        let chassis = resource(json!({"Id": "Chassis"}));
        let thermal = resource(json!({"Fans": [{
            "MemberId": "0", "Name": "Fan 1A", "Reading": 5600.7, "ReadingUnits": "RPM",
            "Status": {"State": "Enabled", "Health": "OK"},
        }]}));
        assert_eq!(
            Value::Object(of_list(&thermal, "Fans", FAN, &chassis)),
            json!({"0@Chassis": {
                "identity": "0", "max_reading_range": null, "min_reading_range": null,
                "reading": 5600, "reading_units": "RPM", "serial_number": null,
                "physical_context": null, "state": "Enabled", "health": "OK", "name": "Fan 1A",
            }})
        );
        let nameless = resource(json!({"Fans": [{"MemberId": "0"}, {"Reading": 1}]}));
        assert!(of_list(&nameless, "Fans", FAN, &chassis).is_empty());
        let power = resource(json!({"Id": "Power", "PowerSupplies": [
            {"MemberId": "0", "PowerCapacityWatts": 800}]}));
        let supplies = of_supplies(&power, &chassis);
        assert_eq!(
            supplies["0:Power@Chassis"]["power_capacity_watts"],
            json!(800)
        );
        assert!(supplies["0:Power@Chassis"].get("state").is_none());
        assert_eq!(whole(json!(1e300)), json!(i64::MAX));
        assert_eq!(whole(json!("x")), Value::Null);
    }
}
