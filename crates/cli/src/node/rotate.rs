//! `corten node rotate-password`: new passwords for the BMCs of machines.

use clap::Args;
use futures_util::{StreamExt, stream};
use reqwest::Method;
use serde_json::{Map, Value};

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;

pub(super) fn leaf() -> Leaf {
    Leaf::new(
        "node rotate-password",
        "Replace the passwords of BMC accounts by random ones, which are not shown",
        RotatePassword::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = "\
The service logs in with the new password before it forgets the old one, and finds out which of the
two a BMC has if it is interrupted.

Examples:
  corten node rotate-password m1 m2
  corten node rotate-password --class gold --at-once 20
")]
struct RotatePassword {
    /// Names or UUIDs
    #[arg(
        value_name = "NODE",
        conflicts_with = "class",
        required_unless_present = "class"
    )]
    nodes: Vec<String>,
    /// All machines of this resource class
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// How many characters the passwords have, from 12 to 20; 16 fit every BMC
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(12..=20))]
    length: Option<u8>,
    /// How many BMCs are changed at a time
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 5,
        value_parser = clap::value_parser!(u16).range(1..=100)
    )]
    at_once: u16,
}

impl RotatePassword {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let nodes = match &self.class {
            Some(class) => of_class(session, class).await?,
            None => self.nodes.clone(),
        };
        let mut errors = Vec::new();
        let Session {
            client, console, ..
        } = session;
        let client = &*client;
        let changes = nodes.iter().map(|node| {
            let call = self.call(node);
            async move {
                let answer = match call {
                    Ok(call) => client.send(&call).await,
                    Err(error) => Err(error),
                };
                (node, answer)
            }
        });
        let mut changes = stream::iter(changes).buffer_unordered(self.at_once.into());
        while let Some((node, answer)) = changes.next().await {
            match answer {
                Ok(_) => console.line(&format!("The BMC of {node} has a new password"))?,
                Err(error) => errors.push(about(error, node)),
            }
        }
        Error::all(errors)
    }

    fn call(&self, node: &str) -> Result<Call, Error> {
        let mut body = Map::new();
        if let Some(length) = self.length {
            body.insert("length".to_owned(), Value::from(length));
        }
        Ok(Call::own(Method::POST, &["nodes", node, "bmc-password"])?.body(body))
    }
}

/// The machines of a resource class, by name where they have one.
async fn of_class(session: &Session, class: &str) -> Result<Vec<String>, Error> {
    let call = Call::get(&["nodes"])?
        .query("resource_class", class)
        .fields(&["uuid", "name"]);
    let found = session.client.list(&call, "nodes", Some(0)).await?;
    let named = found.iter().filter_map(|node| {
        let text = |key: &str| node.get(key).and_then(Value::as_str);
        text("name").or_else(|| text("uuid")).map(str::to_owned)
    });
    let nodes: Vec<String> = named.collect();
    if nodes.is_empty() {
        return Err(Error::failed(format!(
            "no machine has the resource class {class}"
        )));
    }
    Ok(nodes)
}
