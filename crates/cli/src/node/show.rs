//! `corten node show`: all about one machine.

use clap::Args;
use serde_json::{Map, Value};

use super::{about, field};
use crate::client::Call;
use crate::error::Error;
use crate::listing::field_names;
use crate::output::{self, OutputArgs};
use crate::{Session, record};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  corten node show m1
  corten node show m1 --fields provision_state last_error
  corten node show m1 -f value -c power_state
")]
pub(crate) struct Show {
    /// Name or UUID, or with --instance the UUID of an instance
    node: String,
    /// NODE is the UUID of the instance on it
    #[arg(long)]
    instance: bool,
    /// Fetch and show only these fields; a wrong name is answered with all there are
    #[arg(
        long,
        value_name = "FIELD",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = field_names(field::NAMES),
        hide_possible_values = true
    )]
    fields: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

impl Show {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        let answer = if self.instance {
            self.by_instance(session).await?
        } else {
            let call = Call::get(&["nodes", &self.node])?.fields(&self.fields);
            session
                .client
                .send(&call)
                .await
                .map_err(|error| about(error, &self.node))?
        };
        let with_chassis =
            self.fields.is_empty() || self.fields.iter().any(|f| f == "chassis_uuid");
        let mut node = plain(answer)?;
        if with_chassis {
            // Left out by the service for a node outside any chassis; a fixed set of lines is
            // easier to read and to compare.
            node.entry("chassis_uuid")
                .or_insert_with(|| Value::String(String::new()));
        }
        output::print_record(&mut session.console, &self.output, &node)
    }

    async fn by_instance(&self, session: &Session) -> Result<Value, Error> {
        let path: &[&str] = if self.fields.is_empty() {
            &["nodes", "detail"]
        } else {
            &["nodes"]
        };
        let call = Call::get(path)?
            .fields(&self.fields)
            .query("instance_uuid", &self.node);
        let mut found = session.client.list(&call, "nodes", None).await?;
        match (found.pop(), found.is_empty()) {
            (Some(node), true) => Ok(node),
            _ => Err(Error::failed(format!(
                "no node has the instance {}",
                self.node
            ))),
        }
    }
}

/// A node without the members that only lead to other requests.
pub(super) fn plain(answer: Value) -> Result<Map<String, Value>, Error> {
    record(
        answer,
        &["links", "ports", "portgroups", "states", "volume"],
    )
}
