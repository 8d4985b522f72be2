//! `corten node sensors`: what a machine's sensors say.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};

pub(super) fn leaf() -> Leaf {
    Leaf::new("node sensors", "Read a machine's sensors", Sensors::run)
}

#[derive(Debug, Args)]
#[command(after_help = "\
With -f json, all that is known of each sensor, by type and name, as the driver tells it.
")]
struct Sensors {
    /// Name or UUID
    node: String,
    #[command(flatten)]
    output: ListOutput,
}

impl Sensors {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["nodes", &self.node, "sensors"])?;
        let answer = session.client.send(&call).await;
        let mut answer = answer.map_err(|error| about(error, &self.node))?;
        let sensors = answer.get_mut("sensors").map(Value::take);
        let sensors = sensors.unwrap_or_default();
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &sensors);
        }
        let titles = ["Type", "Sensor", "Reading", "Status"];
        output::print_list(&mut session.console, &self.output, &titles, rows(&sensors))
    }
}

/// A row for each sensor of each type.
fn rows(sensors: &Value) -> Vec<Vec<Value>> {
    let kinds = sensors.as_object().into_iter().flatten();
    kinds
        .flat_map(|(kind, all)| {
            let all = all.as_object().into_iter().flatten();
            // What a machine does not tell of itself is no row.
            let told = all.filter(|(_, fields)| !text(fields).is_empty());
            told.map(move |(key, fields)| {
                let name = fields.get("name").and_then(Value::as_str).unwrap_or(key);
                let (reading, status) = (reading(fields), status(fields));
                vec![json!(kind), json!(name), json!(reading), json!(status)]
            })
        })
        .collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The reading, by the names that drivers have for it.
fn reading(fields: &Value) -> String {
    if let Value::String(told) = fields {
        return told.clone();
    }
    let field = |name: &str| fields.get(name).filter(|value| !value.is_null());
    if let Some(value) = field("Sensor Reading").or_else(|| field("Sensor Value")) {
        return text(value);
    }
    if let Some(value) = field("reading") {
        let unit = field("reading_units").map(text).unwrap_or_default();
        return format!("{} {unit}", text(value)).trim_end().to_owned();
    }
    if let Some(bytes) = field("capacity_bytes").and_then(Value::as_f64) {
        return format!("{:.1} GB", bytes / 1e9);
    }
    let units = [
        ("reading_celsius", "degrees C"),
        ("last_power_output_watts", "Watts"),
        ("line_input_voltage", "Volts"),
    ];
    let known = units
        .iter()
        .filter_map(|(name, unit)| Some(format!("{} {unit}", text(field(name)?))));
    known.collect::<Vec<_>>().join(", ")
}

/// What is said of how a sensor fares: a word of IPMI, or state and health of Redfish.
fn status(fields: &Value) -> String {
    if let Some(status) = fields.get("Status") {
        return text(status);
    }
    let part = |name: &str| fields.get(name).map(text).filter(|text| !text.is_empty());
    let parts = [part("state"), part("health")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_protocols_make_rows() {
        let sensors = json!({
            "Temperature": {
                "CPU (0x1)": {"Sensor Reading": "40 (+/- 1) degrees C", "Status": "ok"},
                "x@1": {"reading_celsius": 21.5, "state": "Enabled", "health": "OK",
                    "name": "Inlet"},
            },
            "Fan": {"f@1": {"reading": 1200, "reading_units": "RPM", "state": null}},
            "Power": {"p@1": {"last_power_output_watts": 300, "line_input_voltage": 230}},
            "Drive": {"d@1": {"capacity_bytes": 480_103_981_056_u64, "health": "OK"}},
            "Extra": {"Manufacturer": null, "Model": "R640"},
            "Odd": 3,
        });
        let rows = rows(&sensors);
        let cells = |index: usize| -> Vec<&str> {
            let row: &Vec<Value> = &rows[index];
            row.iter().map(|cell| cell.as_str().unwrap()).collect()
        };
        assert_eq!(
            cells(0),
            ["Temperature", "CPU (0x1)", "40 (+/- 1) degrees C", "ok"]
        );
        assert_eq!(
            cells(1),
            ["Temperature", "Inlet", "21.5 degrees C", "Enabled, OK"]
        );
        assert_eq!(cells(2), ["Fan", "f@1", "1200 RPM", ""]);
        assert_eq!(cells(3), ["Power", "p@1", "300 Watts, 230 Volts", ""]);
        assert_eq!(cells(4), ["Drive", "d@1", "480.1 GB", "OK"]);
        assert_eq!(cells(5), ["Extra", "Model", "R640", ""]);
        assert_eq!(rows.len(), 6);
    }
}
