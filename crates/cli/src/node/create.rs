//! `corten node create`: a machine becomes known.

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use super::field::Creating;
use super::show;
use crate::Session;
use crate::attribute::Chosen;
use crate::client::Call;
use crate::error::Error;
use crate::output::{self, OutputArgs};

const EXAMPLES: &str = "\
Example:
  corten node create --driver redfish --name m1 \\
    --driver-info redfish_address=https://10.0.0.7 \\
    --driver-info redfish_username=admin --driver-info redfish_password=… \\
    --property cpu_arch=x86_64 --resource-class baremetal

A value that reads as JSON is sent as such: cpus=4 is a number, x='{\"a\": 1}' an object.
`corten driver property list DRIVER` says what a driver wants to know.
";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Create {
    /// What to drive the machine with; `corten driver list` says what there is
    #[arg(long, value_name = "DRIVER")]
    driver: String,
    #[command(flatten)]
    attributes: Chosen<Creating>,
    #[command(flatten)]
    output: OutputArgs,
}

impl Create {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = self.attributes.body()?;
        body.insert("driver".to_owned(), Value::String(self.driver));
        let call = Call::new(Method::POST, &["nodes"])?.body(body);
        let answer = session.client.send(&call).await.map_err(|error| {
            match self.attributes.text("name") {
                Some(name) => super::about(error, name),
                None => error,
            }
        })?;
        let mut node = show::plain(answer)?;
        node.entry("chassis_uuid")
            .or_insert_with(|| Value::String(String::new()));
        output::print_record(&mut session.console, &self.output, &node)
    }
}
