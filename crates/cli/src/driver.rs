//! `corten driver …`: what the service can drive machines with.

use clap::{Args, Subcommand};
use serde_json::Value;

use crate::client::Call;
use crate::error::Error;
use crate::listing::{field_names, print_items};
use crate::output::{self, Column, OutputArgs};
use crate::{Session, help_footer, record};

const BRIEF: &[&str] = &["name", "hosts"];
const DETAILED: &[&str] = &[
    "name",
    "type",
    "hosts",
    "default_bios_interface",
    "default_boot_interface",
    "default_console_interface",
    "default_deploy_interface",
    "default_firmware_interface",
    "default_inspect_interface",
    "default_management_interface",
    "default_network_interface",
    "default_power_interface",
    "default_raid_interface",
    "default_rescue_interface",
    "default_storage_interface",
    "default_vendor_interface",
    "enabled_bios_interfaces",
    "enabled_boot_interfaces",
    "enabled_console_interfaces",
    "enabled_deploy_interfaces",
    "enabled_firmware_interfaces",
    "enabled_inspect_interfaces",
    "enabled_management_interfaces",
    "enabled_network_interfaces",
    "enabled_power_interfaces",
    "enabled_raid_interfaces",
    "enabled_rescue_interfaces",
    "enabled_storage_interfaces",
    "enabled_vendor_interfaces",
];

/// What the service can drive machines with.
#[derive(Debug, Args)]
#[command(after_help = help_footer())]
pub struct Driver {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the drivers in use
    List {
        /// Only drivers of this kind; today all are dynamic
        #[arg(long = "type", value_name = "TYPE", value_parser = ["classic", "dynamic"])]
        kind: Option<String>,
        /// Show everything about them
        #[arg(long, conflicts_with = "fields")]
        long: bool,
        #[command(flatten)]
        fields: Fields,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Show all about one driver: its interfaces and their defaults
    Show {
        /// Name of the driver
        driver: String,
        #[command(flatten)]
        fields: Fields,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// What a driver wants to know of a machine
    Property(Property),
}

#[derive(Debug, Args)]
struct Property {
    #[command(subcommand)]
    verb: PropertyVerb,
}

#[derive(Debug, Subcommand)]
enum PropertyVerb {
    /// List what goes into a node's driver_info
    List {
        /// Name of the driver
        driver: String,
        #[command(flatten)]
        output: OutputArgs,
    },
}

#[derive(Debug, Args)]
struct Fields {
    /// Fetch and show only these fields; a wrong name is answered with all there are
    #[arg(
        long,
        value_name = "FIELD",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = field_names(DETAILED),
        hide_possible_values = true
    )]
    fields: Vec<String>,
}

impl Driver {
    pub(crate) async fn run(self, session: &mut Session) -> Result<(), Error> {
        match self.verb {
            Verb::List {
                kind,
                long,
                fields,
                output,
            } => {
                let asked: Vec<&str> = fields.fields.iter().map(String::as_str).collect();
                let shown = match (long, asked.is_empty()) {
                    (true, _) => DETAILED,
                    (false, true) => BRIEF,
                    (false, false) => &asked,
                };
                let call = Call::get(&["drivers"])?
                    .query_if("type", kind)
                    .query_if("detail", long.then_some("True"))
                    .fields(&fields.fields);
                let mut drivers = session.client.list(&call, "drivers", None).await?;
                for driver in &mut drivers {
                    if let Value::Object(driver) = driver {
                        output::join_lists(driver);
                    }
                }
                drivers.sort_by_key(|driver| driver.get("name").map(Value::to_string));
                print_items(session, &output, &columns(shown), &drivers)
            }
            Verb::Show {
                driver,
                fields,
                output,
            } => {
                let call = Call::get(&["drivers", &driver])?.fields(&fields.fields);
                let answer = session.client.send(&call).await;
                let answer = answer.map_err(|error| about(error, &driver))?;
                let mut shown = record(answer, &["links", "properties"])?;
                output::join_lists(&mut shown);
                shown.sort_keys();
                output::print_record(&mut session.console, &output, &shown)
            }
            Verb::Property(property) => {
                let PropertyVerb::List { driver, output } = property.verb;
                properties(session, &driver, &output).await
            }
        }
    }
}

async fn properties(session: &mut Session, driver: &str, output: &OutputArgs) -> Result<(), Error> {
    let answer = session
        .client
        .send(&Call::get(&["drivers", driver, "properties"])?)
        .await;
    let mut properties = record(answer.map_err(|error| about(error, driver))?, &[])?;
    properties.sort_keys();
    let rows: Vec<Vec<Value>> = properties
        .into_iter()
        .map(|(name, description)| vec![Value::String(name), description])
        .collect();
    let columns = ["property", "description"].map(Column::field);
    output::print_list(&mut session.console, output, &columns, &rows)
}

fn columns(fields: &[&str]) -> Vec<Column> {
    let column = |field: &&str| match *field {
        "name" => Column::new("name", "Supported driver(s)"),
        other => Column::field(other),
    };
    fields.iter().map(column).collect()
}

fn about(error: Error, driver: &str) -> Error {
    error.about(format!("driver {driver}"))
}
