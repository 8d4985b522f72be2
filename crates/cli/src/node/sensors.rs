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
            all.map(move |(name, fields)| {
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
    let field = |name: &str| fields.get(name).filter(|value| !value.is_null());
    if let Some(value) = field("Sensor Reading").or_else(|| field("Sensor Value")) {
        return text(value);
    }
    if let Some(value) = field("reading") {
        let unit = field("reading_units").map(text).unwrap_or_default();
        return format!("{} {unit}", text(value)).trim_end().to_owned();
    }
    let units = [
        ("reading_celsius", "degrees C"),
        ("last_power_output_watts", "Watts"),
        ("line_input_voltage", "Volts"),
        ("capacity_bytes", "bytes"),
    ];
    let known = units
        .iter()
        .find_map(|(name, unit)| Some((field(name)?, unit)));
    known.map_or_else(String::new, |(value, unit)| {
        format!("{} {unit}", text(value))
    })
}

fn status(fields: &Value) -> String {
    match fields.get("Status").or_else(|| fields.get("status")) {
        Some(Value::Object(status)) => {
            let part = |name: &str| status.get(name).map(text).filter(|text| !text.is_empty());
            let parts: Vec<String> = [part("state"), part("health")]
                .into_iter()
                .flatten()
                .collect();
            parts.join(", ")
        }
        Some(status) => text(status),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_protocols_make_rows() {
        let sensors = json!({
            "Temperature": {
                "CPU (0x1)": {"Sensor Reading": "40 (+/- 1) degrees C", "Status": "ok"},
                "x@1": {"reading_celsius": 21.5, "status": {"state": "Enabled", "health": "OK"}},
            },
            "Fan": {"f@1": {"reading": 1200, "reading_units": "RPM", "status": null}},
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
            ["Temperature", "x@1", "21.5 degrees C", "Enabled, OK"]
        );
        assert_eq!(cells(2), ["Fan", "f@1", "1200 RPM", ""]);
        assert_eq!(rows.len(), 3);
    }
}
