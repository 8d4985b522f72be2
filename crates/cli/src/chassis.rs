//! `corten chassis …`: groups of machines that share a rack or a case.

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::Value;

use crate::attribute::{Attribute, Chosen, Form, Table, Verb as Doing};
use crate::client::Call;
use crate::error::Error;
use crate::listing::{self, PageArgs, field_names};
use crate::output::{self, OutputArgs};
use crate::{Session, help_footer, record};

const BRIEF: &[&str] = &["uuid", "description"];
const DETAILED: &[&str] = &["uuid", "description", "created_at", "updated_at", "extra"];

const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        field: "description",
        option: "description",
        metavar: "TEXT",
        create: Form::Text,
        set: Form::Text,
        unset: Form::Clear,
        help: "A note for people",
    },
    Attribute {
        field: "extra",
        option: "extra",
        metavar: "KEY=VALUE",
        create: Form::Pairs,
        set: Form::Pairs,
        unset: Form::Keys,
        help: "Anything you want to remember about it",
    },
    Attribute {
        field: "uuid",
        option: "uuid",
        metavar: "UUID",
        create: Form::Text,
        set: Form::Absent,
        unset: Form::Absent,
        help: "UUID to create the chassis under",
    },
];

macro_rules! tables {
    ($($name:ident: $verb:ident),*) => {$(
        #[derive(Debug)]
        struct $name;
        impl Table for $name {
            const ATTRIBUTES: &'static [Attribute] = ATTRIBUTES;
            const VERB: Doing = Doing::$verb;
        }
    )*};
}

tables!(Creating: Create, Setting: Set, Unsetting: Unset);

/// Groups of machines that share a rack or a case.
#[derive(Debug, Args)]
#[command(after_help = help_footer())]
pub struct Chassis {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List chassis
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
    /// Show all about one chassis
    Show {
        /// UUID
        chassis: String,
        #[command(flatten)]
        fields: Fields,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Create a chassis
    Create {
        #[command(flatten)]
        attributes: Chosen<Creating>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Change a chassis
    Set {
        /// UUID
        chassis: String,
        #[command(flatten)]
        attributes: Chosen<Setting>,
    },
    /// Clear settings of a chassis
    Unset {
        /// UUID
        chassis: String,
        #[command(flatten)]
        attributes: Chosen<Unsetting>,
    },
    /// Delete chassis
    Delete {
        /// UUIDs
        #[arg(required = true)]
        chassis: Vec<String>,
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

impl Chassis {
    pub(crate) async fn run(self, session: &mut Session) -> Result<(), Error> {
        match self.verb {
            Verb::List {
                page,
                long,
                fields,
                output,
            } => {
                let path: &[&str] = if long {
                    &["chassis", "detail"]
                } else {
                    &["chassis"]
                };
                let call = Call::get(path)?.fields(&fields.fields);
                let asked: Vec<&str> = fields.fields.iter().map(String::as_str).collect();
                let shown = match (long, asked.is_empty()) {
                    (true, _) => DETAILED,
                    (false, true) => BRIEF,
                    (false, false) => &asked,
                };
                listing::fetch_and_print(session, call, "chassis", &page, shown, &output).await
            }
            Verb::Show {
                chassis,
                fields,
                output,
            } => {
                let call = Call::get(&["chassis", &chassis])?.fields(&fields.fields);
                let answer = session.client.send(&call).await;
                let answer = answer.map_err(|error| about(error, &chassis))?;
                let mut shown = record(answer, &["links", "nodes"])?;
                shown.sort_keys();
                output::print_record(&mut session.console, &output, &shown)
            }
            Verb::Create { attributes, output } => {
                let call = Call::new(Method::POST, &["chassis"])?.body(attributes.body()?);
                let answer = session.client.send(&call).await?;
                let shown = record(answer, &["links", "nodes"])?;
                output::print_record(&mut session.console, &output, &shown)
            }
            Verb::Set {
                chassis,
                attributes,
            } => change(session, &chassis, attributes.patch()?).await,
            Verb::Unset {
                chassis,
                attributes,
            } => change(session, &chassis, attributes.patch()?).await,
            Verb::Delete { chassis } => delete(session, &chassis).await,
        }
    }
}

async fn change(session: &Session, chassis: &str, patch: Vec<Value>) -> Result<(), Error> {
    if patch.is_empty() {
        session
            .console
            .note("nothing to change: name a setting, see --help");
        return Ok(());
    }
    let call = Call::new(Method::PATCH, &["chassis", chassis])?.body(patch);
    session
        .client
        .send(&call)
        .await
        .map_err(|error| about(error, chassis))?;
    Ok(())
}

async fn delete(session: &mut Session, chassis: &[String]) -> Result<(), Error> {
    let mut failures = Vec::new();
    for one in chassis {
        let call = Call::new(Method::DELETE, &["chassis", one])?;
        match session.client.send(&call).await {
            Ok(_) => session.console.line(&format!("Deleted chassis {one}"))?,
            Err(error) => failures.push(about(error, one)),
        }
    }
    Error::all(failures)
}

fn about(error: Error, chassis: &str) -> Error {
    error.about(format!("chassis {chassis}"))
}
