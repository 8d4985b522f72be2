//! `corten driver …` beyond listing and showing: properties, and methods of the vendor's own.

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput, RecordOutput};
use crate::{Session, patch, record};

pub(crate) fn leaves() -> [Leaf; 4] {
    [
        Leaf::new(
            "driver property list",
            "List what goes into a node's driver_info",
            async |list: List, session: &mut Session| {
                list.properties(&["properties"], session).await
            },
        ),
        Leaf::new(
            "driver raid property list",
            "List what can be asked of a RAID volume",
            async |list: List, session: &mut Session| {
                list.properties(&["raid", "logical_disk_properties"], session)
                    .await
            },
        ),
        Leaf::new(
            "driver passthru list",
            "List the methods of the driver's vendor",
            List::methods,
        ),
        Leaf::new(
            "driver passthru call",
            "Call a method of the driver's vendor",
            PassthruCall::run,
        ),
    ]
}

const METHODS: [&str; 5] = ["name", "http_methods", "async", "description", "attach"];

#[derive(Debug, Args)]
struct List {
    /// Name of the driver
    driver: String,
    #[command(flatten)]
    output: ListOutput,
}

impl List {
    async fn get(&self, path: &[&str], session: &Session) -> Result<Value, Error> {
        let below = ["drivers", &self.driver];
        let path: Vec<&str> = below.iter().chain(path).copied().collect();
        let answer = session.client.send(&Call::get(&path)?).await;
        answer.map_err(|error| about(error, &self.driver))
    }

    async fn properties(self, path: &[&str], session: &mut Session) -> Result<(), Error> {
        let mut properties = record(self.get(path, session).await?, &[])?;
        properties.sort_keys();
        let rows: Vec<Vec<Value>> = properties
            .into_iter()
            .map(|(name, description)| vec![Value::String(name), description])
            .collect();
        let titles = ["property", "description"];
        output::print_list(&mut session.console, &self.output, &titles, rows)
    }

    async fn methods(self, session: &mut Session) -> Result<(), Error> {
        let answer = self.get(&["vendor_passthru", "methods"], session).await?;
        print_methods(session, &self.output, answer, &METHODS)
    }
}

/// Prints the methods of a vendor under these titles.
pub(crate) fn print_methods(
    session: &mut Session,
    output: &ListOutput,
    answer: Value,
    titles: &[&str],
) -> Result<(), Error> {
    let row = |(name, method): (String, Value)| {
        let Value::Object(mut method) = method else {
            return vec![Value::String(name)];
        };
        output::join_lists(&mut method);
        method.insert("name".to_owned(), Value::String(name));
        let cell = |field: &&str| {
            let value = method.get(*field).cloned();
            value.unwrap_or_else(|| Value::String(String::new()))
        };
        METHODS.iter().map(cell).collect()
    };
    let rows = record(answer, &[])?.into_iter().map(row).collect();
    output::print_list(&mut session.console, output, titles, rows)
}

/// A method to call and what to call it with.
#[derive(Debug, Args)]
pub(crate) struct PassthruArgs {
    /// Name of the method
    method: String,
    /// An argument (repeat for more)
    #[arg(long, value_name = "KEY=VALUE")]
    arg: Vec<String>,
    /// How to call it
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "POST",
        value_parser = ["POST", "PUT", "GET", "DELETE", "PATCH"],
        ignore_case = true
    )]
    http_method: String,
}

impl PassthruArgs {
    /// The request, below this path.
    pub(crate) fn call(&self, path: &[&str]) -> Result<Call, Error> {
        let method = match self.http_method.to_uppercase().as_str() {
            "PUT" => Method::PUT,
            "GET" => Method::GET,
            "DELETE" => Method::DELETE,
            "PATCH" => Method::PATCH,
            _ => Method::POST,
        };
        let takes_body = !matches!(method, Method::GET | Method::DELETE);
        let path: Vec<&str> = path.iter().copied().chain([self.method.as_str()]).collect();
        let call = Call::new(method, &path)?;
        Ok(if takes_body {
            call.body(patch::object(&self.arg)?)
        } else {
            call
        })
    }
}

#[derive(Debug, Args)]
struct PassthruCall {
    /// Name of the driver
    driver: String,
    #[command(flatten)]
    call: PassthruArgs,
    #[command(flatten)]
    output: RecordOutput,
}

impl PassthruCall {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let path = ["drivers", &self.driver, "vendor_passthru"];
        let answer = session.client.send(&self.call.call(&path)?).await;
        match answer.map_err(|error| about(error, &self.driver))? {
            Value::Null => Ok(()),
            answer => {
                let mut shown = record(answer, &["links"])?;
                shown.sort_keys();
                output::print_record(&mut session.console, &self.output, &shown)
            }
        }
    }
}

fn about(error: Error, driver: &str) -> Error {
    error.about(format!("driver {driver}"))
}
