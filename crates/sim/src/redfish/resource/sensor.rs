//! Sensors, in the old form (`Thermal` and `Power`) and the new (`Sensors` and the subsystems).

use crate::{
    machine::sensor::{Sensor, SensorKind},
    redfish::{
        call::{Call, add, healthy, link},
        message::Problem,
    },
};
use serde_json::{Value, json};

/// How a sensor is called within a path.
fn id(sensor: &Sensor) -> String {
    sensor.name.replace(' ', "")
}

fn of_kind(kind: SensorKind) -> impl Iterator<Item = &'static Sensor> {
    Sensor::ALL.iter().filter(move |sensor| sensor.kind == kind)
}

fn sensor_uri(call: &Call<'_>, sensor: &Sensor) -> String {
    format!("{}/Sensors/{}", call.chassis(), id(sensor))
}

/// Rounded to what the wire shows.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn reading(call: &Call<'_>, sensor: &Sensor) -> Value {
    call.machine
        .reading(sensor)
        .map_or(Value::Null, |value| json!(rounded(value)))
}

/// What the limits say of the present value.
fn status(call: &Call<'_>, sensor: &Sensor) -> Value {
    let Some(raw) = call.machine.raw_reading(sensor) else {
        return json!({"State": "UnavailableOffline"});
    };
    if sensor.kind == SensorKind::Supply {
        let health = if raw & 1 == 1 { "OK" } else { "Critical" };
        return json!({"State": "Enabled", "Health": health});
    }
    let crossed = call.machine.limits(sensor).crossed(raw);
    let health = match crossed {
        0 => "OK",
        // Only the mildest of each side.
        bits if bits & !0b00_1001 == 0 => "Warning",
        _ => "Critical",
    };
    json!({"State": "Enabled", "Health": health})
}

/// The limits, in the names of the old form.
fn thresholds(call: &Call<'_>, sensor: &Sensor) -> Value {
    let limits = call.machine.limits(sensor);
    let mut shown = json!({});
    for (name, raw) in [
        ("LowerThresholdNonCritical", limits.lower[0]),
        ("LowerThresholdCritical", limits.lower[1]),
        ("LowerThresholdFatal", limits.lower[2]),
        ("UpperThresholdNonCritical", limits.upper[0]),
        ("UpperThresholdCritical", limits.upper[1]),
        ("UpperThresholdFatal", limits.upper[2]),
    ] {
        if let Some(raw) = raw {
            shown[name] = json!(rounded(sensor.value(raw)));
        }
    }
    shown
}

fn context(sensor: &Sensor) -> &'static str {
    match sensor.entity.0 {
        0x03 => "CPU",
        0x37 => "Intake",
        0x0a => "PowerSupply",
        0x1d => "Fan",
        _ => "SystemBoard",
    }
}

/// An item of an array of the old form.
fn item(call: &Call<'_>, array: &str, place: usize, sensor: &Sensor) -> Value {
    let mut item = json!({
        "@odata.id": format!("{}#/{array}/{place}", call.path),
        "MemberId": place.to_string(),
        "Name": sensor.name,
        "SensorNumber": sensor.number,
        "PhysicalContext": context(sensor),
        "Status": status(call, sensor),
    });
    add(&mut item, thresholds(call, sensor));
    item
}

pub(crate) fn thermal(call: &Call<'_>) -> Result<Value, Problem> {
    let temperatures: Vec<Value> = of_kind(SensorKind::Temperature)
        .enumerate()
        .map(|(place, sensor)| {
            let mut item = item(call, "Temperatures", place, sensor);
            add(&mut item, json!({"ReadingCelsius": reading(call, sensor)}));
            item
        })
        .collect();
    let fans: Vec<Value> = of_kind(SensorKind::Fan)
        .enumerate()
        .map(|(place, sensor)| {
            let mut item = item(call, "Fans", place, sensor);
            let shown = json!({
                "Reading": call.machine.reading(sensor).map_or(Value::Null, whole),
                "ReadingUnits": "RPM",
            });
            add(&mut item, shown);
            for name in [
                "LowerThresholdNonCritical",
                "LowerThresholdCritical",
                "LowerThresholdFatal",
            ] {
                if let Some(limit) = item[name].as_f64() {
                    item[name] = whole(limit);
                }
            }
            item
        })
        .collect();
    let mut body = call.resource("#Thermal.v1_7_1.Thermal", "Thermal", "Thermal");
    add(
        &mut body,
        json!({"Temperatures": temperatures, "Fans": fans, "Status": healthy()}),
    );
    Ok(body)
}

/// A number without a fraction.
fn whole(value: f64) -> Value {
    format!("{value:.0}")
        .parse::<i64>()
        .map_or(Value::Null, |number| json!(number))
}

pub(crate) fn power(call: &Call<'_>) -> Result<Value, Problem> {
    let watts = of_kind(SensorKind::Power)
        .next()
        .and_then(|sensor| call.machine.reading(sensor));
    let supplies: Vec<Value> = of_kind(SensorKind::Supply)
        .enumerate()
        .map(|(place, sensor)| {
            json!({
                "@odata.id": format!("{}#/PowerSupplies/{place}", call.path),
                "MemberId": place.to_string(),
                "Name": sensor.name,
                "PowerSupplyType": "AC",
                "LineInputVoltage": 230,
                "LineInputVoltageType": "AC240V",
                "PowerCapacityWatts": 750,
                "LastPowerOutputWatts": watts.map(|watts| rounded(watts / 2.0)),
                "Manufacturer": "Corten",
                "Model": "SIM750",
                "SerialNumber": format!("PS{:06X}", call.machine.draw(u32::from(sensor.number)) & 0xff_ffff),
                "FirmwareVersion": "1.0",
                "InputRanges": [{
                    "InputType": "AC",
                    "MinimumVoltage": 180,
                    "MaximumVoltage": 264,
                    "OutputWattage": 750,
                }],
                "Status": status(call, sensor),
            })
        })
        .collect();
    let voltages: Vec<Value> = of_kind(SensorKind::Voltage)
        .enumerate()
        .map(|(place, sensor)| {
            let mut item = item(call, "Voltages", place, sensor);
            add(&mut item, json!({"ReadingVolts": reading(call, sensor)}));
            item
        })
        .collect();
    let mut body = call.resource("#Power.v1_7_1.Power", "Power", "Power");
    add(
        &mut body,
        json!({
            "PowerControl": [{
                "@odata.id": format!("{}#/PowerControl/0", call.path),
                "MemberId": "0",
                "Name": "System Power Control",
                "PowerConsumedWatts": watts.map(rounded),
                "PowerCapacityWatts": 1500,
            }],
            "PowerSupplies": supplies,
            "Voltages": voltages,
        }),
    );
    Ok(body)
}

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let shown = Sensor::ALL
        .iter()
        .filter(|sensor| sensor.kind != SensorKind::Supply);
    Ok(call.collection("SensorCollection", "Sensors", shown.map(id)))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let wanted = call.param("sensor");
    let shown = Sensor::ALL
        .iter()
        .filter(|sensor| sensor.kind != SensorKind::Supply);
    let sensor = shown.into_iter().find(|sensor| id(sensor) == wanted);
    let sensor = sensor.ok_or_else(|| call.absent())?;
    let (kind, units) = match sensor.kind {
        SensorKind::Temperature => ("Temperature", "Cel"),
        SensorKind::Fan => ("Rotational", "{rev}/min"),
        SensorKind::Voltage => ("Voltage", "V"),
        SensorKind::Power | SensorKind::Supply => ("Power", "W"),
    };
    let limits = call.machine.limits(sensor);
    let mut thresholds = json!({});
    for (name, raw) in [
        ("LowerCaution", limits.lower[0]),
        ("LowerCritical", limits.lower[1]),
        ("LowerFatal", limits.lower[2]),
        ("UpperCaution", limits.upper[0]),
        ("UpperCritical", limits.upper[1]),
        ("UpperFatal", limits.upper[2]),
    ] {
        if let Some(raw) = raw {
            thresholds[name] = json!({"Reading": rounded(sensor.value(raw))});
        }
    }
    let mut body = call.resource("#Sensor.v1_8_0.Sensor", wanted, sensor.name);
    add(
        &mut body,
        json!({
            "Reading": reading(call, sensor),
            "ReadingType": kind,
            "ReadingUnits": units,
            "PhysicalContext": context(sensor),
            "Thresholds": thresholds,
            "Status": status(call, sensor),
        }),
    );
    Ok(body)
}

pub(crate) fn thermal_subsystem(call: &Call<'_>) -> Result<Value, Problem> {
    let mut body = call.resource(
        "#ThermalSubsystem.v1_3_1.ThermalSubsystem",
        "ThermalSubsystem",
        "Thermal Subsystem",
    );
    add(
        &mut body,
        json!({
            "Fans": link(&format!("{}/Fans", call.path)),
            "ThermalMetrics": link(&format!("{}/ThermalMetrics", call.path)),
            "Status": healthy(),
        }),
    );
    Ok(body)
}

pub(crate) fn thermal_metrics(call: &Call<'_>) -> Result<Value, Problem> {
    let temperatures: Vec<Value> = of_kind(SensorKind::Temperature)
        .map(|sensor| {
            json!({
                "DeviceName": sensor.name,
                "DataSourceUri": sensor_uri(call, sensor),
                "Reading": reading(call, sensor),
            })
        })
        .collect();
    let mut body = call.resource(
        "#ThermalMetrics.v1_3_1.ThermalMetrics",
        "ThermalMetrics",
        "Thermal Metrics",
    );
    add(
        &mut body,
        json!({"TemperatureReadingsCelsius": temperatures}),
    );
    Ok(body)
}

pub(crate) fn fans(call: &Call<'_>) -> Result<Value, Problem> {
    Ok(call.collection("FanCollection", "Fans", of_kind(SensorKind::Fan).map(id)))
}

pub(crate) fn fan(call: &Call<'_>) -> Result<Value, Problem> {
    let wanted = call.param("fan");
    let sensor = of_kind(SensorKind::Fan).find(|sensor| id(sensor) == wanted);
    let sensor = sensor.ok_or_else(|| call.absent())?;
    let mut body = call.resource("#Fan.v1_5_1.Fan", wanted, sensor.name);
    add(
        &mut body,
        json!({
            "PhysicalContext": "Chassis",
            "SpeedPercent": {
                "DataSourceUri": sensor_uri(call, sensor),
                "SpeedRPM": reading(call, sensor),
            },
            "Status": status(call, sensor),
        }),
    );
    Ok(body)
}

pub(crate) fn power_subsystem(call: &Call<'_>) -> Result<Value, Problem> {
    let mut body = call.resource(
        "#PowerSubsystem.v1_1_1.PowerSubsystem",
        "PowerSubsystem",
        "Power Subsystem",
    );
    add(
        &mut body,
        json!({
            "CapacityWatts": 1500,
            "PowerSupplies": link(&format!("{}/PowerSupplies", call.path)),
            "Status": healthy(),
        }),
    );
    Ok(body)
}

pub(crate) fn supplies(call: &Call<'_>) -> Result<Value, Problem> {
    Ok(call.collection(
        "PowerSupplyCollection",
        "Power Supplies",
        of_kind(SensorKind::Supply).map(id),
    ))
}

pub(crate) fn supply(call: &Call<'_>) -> Result<Value, Problem> {
    let wanted = call.param("supply");
    let sensor = of_kind(SensorKind::Supply).find(|sensor| id(sensor) == wanted);
    let sensor = sensor.ok_or_else(|| call.absent())?;
    let mut body = call.resource("#PowerSupply.v1_5_3.PowerSupply", wanted, sensor.name);
    add(
        &mut body,
        json!({
            "PowerSupplyType": "AC",
            "PowerCapacityWatts": 750,
            "Manufacturer": "Corten",
            "Model": "SIM750",
            "FirmwareVersion": "1.0",
            "Status": status(call, sensor),
        }),
    );
    Ok(body)
}
