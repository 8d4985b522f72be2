//! `corten node history`: what went wrong with a machine before.

use clap::{Args, Subcommand};

use super::about;
use crate::client::Call;
use crate::error::Error;
use crate::listing::print_items;
use crate::output::{self, Column, OutputArgs};
use crate::{Session, record};

const BRIEF: &[&str] = &["uuid", "created_at", "severity", "event"];
const DETAILED: &[&str] = &[
    "uuid",
    "created_at",
    "severity",
    "event_type",
    "event",
    "conductor",
    "user",
    "project",
    "state",
    "target_provision_state",
    "duration_seconds",
];

#[derive(Debug, Args)]
pub(crate) struct History {
    #[command(subcommand)]
    verb: HistoryVerb,
}

#[derive(Debug, Subcommand)]
enum HistoryVerb {
    /// List what is remembered of a machine
    List {
        /// Name or UUID
        node: String,
        /// Show everything about each event
        #[arg(long)]
        long: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Show one event
    Get {
        /// Name or UUID
        node: String,
        /// UUID of the event
        event: String,
        #[command(flatten)]
        output: OutputArgs,
    },
}

impl History {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        match self.verb {
            HistoryVerb::List { node, long, output } => {
                let call = Call::get(&["nodes", &node, "history"])?;
                let call = call.query_if("detail", long.then_some("True"));
                let events = session.client.list(&call, "history", None).await;
                let events = events.map_err(|error| about(error, &node))?;
                let shown = if long { DETAILED } else { BRIEF };
                let columns: Vec<Column> = shown.iter().map(|field| Column::field(field)).collect();
                print_items(session, &output, &columns, &events)
            }
            HistoryVerb::Get {
                node,
                event,
                output,
            } => {
                let call = Call::get(&["nodes", &node, "history", &event])?;
                let answer = session.client.send(&call).await;
                let shown = record(answer.map_err(|error| about(error, &node))?, &["links"])?;
                output::print_record(&mut session.console, &output, &shown)
            }
        }
    }
}
