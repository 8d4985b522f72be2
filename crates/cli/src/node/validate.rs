//! `corten node validate`: which parts of a machine's configuration would work.

use clap::Args;
use serde_json::{Value, json};

use super::about;
use crate::client::Call;
use crate::error::Error;
use crate::output::{self, Column, OutputArgs};
use crate::{Session, record};

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Name or UUID
    node: String,
    #[command(flatten)]
    output: OutputArgs,
}

impl Validate {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::get(&["nodes", &self.node, "validate"])?;
        let answer = session.client.send(&call).await;
        let mut interfaces = record(answer.map_err(|error| about(error, &self.node))?, &[])?;
        interfaces.sort_keys();
        let rows: Vec<Vec<Value>> = interfaces
            .iter()
            .map(|(name, verdict)| {
                let part = |key: &str| verdict.get(key).cloned().unwrap_or_else(|| json!(""));
                vec![json!(name), part("result"), part("reason")]
            })
            .collect();
        // The stock client titles this list in every format.
        let columns = ["Interface", "Result", "Reason"].map(|title| Column::new(title, title));
        output::print_list(&mut session.console, &self.output, &columns, &rows)
    }
}
