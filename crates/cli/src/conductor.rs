//! `corten conductor …`: the processes that do the work.

use clap::{Args, Subcommand};

use crate::client::Call;
use crate::error::Error;
use crate::listing::{self, PageArgs, field_names};
use crate::output::{self, OutputArgs};
use crate::{Session, help_footer, record};

const BRIEF: &[&str] = &["hostname", "conductor_group", "alive"];
const DETAILED: &[&str] = &[
    "hostname",
    "conductor_group",
    "alive",
    "drivers",
    "created_at",
    "updated_at",
];

/// The processes that do the work.
#[derive(Debug, Args)]
#[command(after_help = help_footer())]
pub struct Conductor {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List conductors
    List {
        #[command(flatten)]
        page: PageArgs,
        /// Show everything about them
        #[arg(long, conflicts_with = "fields")]
        long: bool,
        #[command(flatten)]
        fields: Fields,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Show all about one conductor
    Show {
        /// Its host name
        conductor: String,
        #[command(flatten)]
        fields: Fields,
        #[command(flatten)]
        output: OutputArgs,
    },
}

#[derive(Debug, Args)]
struct Fields {
    /// Fetch and show only these fields
    #[arg(
        long,
        value_name = "FIELD",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = field_names(DETAILED)
    )]
    fields: Vec<String>,
}

impl Conductor {
    pub(crate) async fn run(self, session: &mut Session) -> Result<(), Error> {
        match self.verb {
            Verb::List {
                page,
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
                let call = Call::get(&["conductors"])?
                    .fields(&fields.fields)
                    .query_if("detail", long.then_some("True"));
                listing::fetch_and_print(session, call, "conductors", &page, shown, &output).await
            }
            Verb::Show {
                conductor,
                fields,
                output,
            } => {
                let call = Call::get(&["conductors", &conductor])?.fields(&fields.fields);
                let answer = session.client.send(&call).await;
                let answer =
                    answer.map_err(|error| error.about(format!("conductor {conductor}")))?;
                let shown = record(answer, &["links"])?;
                output::print_record(&mut session.console, &output, &shown)
            }
        }
    }
}
