//! `corten node vif` and `passthru`: networks a machine is attached to, and its vendor's methods.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::driver::{self, PassthruArgs};
use crate::error::Error;
use crate::listing;
use crate::output::ListOutput;
use crate::patch;

pub(super) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new("node vif list", "List virtual interfaces", List::run),
        Leaf::new("node vif attach", "Attach a virtual interface", Attach::run),
        Leaf::new("node vif detach", "Detach a virtual interface", Detach::run),
        Leaf::new(
            "node passthru list",
            "List the methods of the machine's vendor",
            PassthruList::run,
        ),
        Leaf::new(
            "node passthru call",
            "Call a method of the machine's vendor",
            PassthruCall::run,
        ),
    ]
}

#[derive(Debug, Args)]
struct List {
    /// Name or UUID
    node: String,
    #[command(flatten)]
    output: ListOutput,
}

impl List {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::get(&["nodes", &self.node, "vifs"])?;
        let found = session.client.list(&call, "vifs", None).await;
        let found = found.map_err(|error| about(error, &self.node))?;
        listing::print(session, &self.output, &["id"], &found)
    }
}

#[derive(Debug, Args)]
struct Attach {
    /// Name or UUID
    node: String,
    /// ID of the interface, such as the UUID of a Neutron port
    #[arg(value_name = "VIF")]
    vif_id: String,
    /// Port to attach it to; the service chooses one if not given
    #[arg(long, value_name = "UUID")]
    port_uuid: Option<String>,
    /// Port group to attach it to
    #[arg(long, value_name = "UUID")]
    portgroup_uuid: Option<String>,
    /// Anything else the network interface wants to know (repeat for more)
    #[arg(long, value_name = "KEY=VALUE")]
    vif_info: Vec<String>,
}

impl Attach {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = patch::object(&self.vif_info)?;
        if body.contains_key("id") {
            return Err(Error::usage(
                "--vif-info cannot set the id; it stands by itself",
            ));
        }
        body.extend(
            self.port_uuid
                .map(|port| ("port_uuid".to_owned(), json!(port))),
        );
        body.extend(
            self.portgroup_uuid
                .map(|group| ("portgroup_uuid".to_owned(), json!(group))),
        );
        body.insert("id".to_owned(), Value::String(self.vif_id));
        let call = Call::new(Method::POST, &["nodes", &self.node, "vifs"])?.body(body);
        let answer = session.client.send(&call).await;
        answer.map_err(|error| about(error, &self.node))?;
        Ok(())
    }
}

#[derive(Debug, Args)]
struct Detach {
    /// Name or UUID
    node: String,
    /// ID of the interface
    #[arg(value_name = "VIF")]
    vif_id: String,
}

impl Detach {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::new(Method::DELETE, &["nodes", &self.node, "vifs", &self.vif_id])?;
        let answer = session.client.send(&call).await;
        answer.map_err(|error| about(error, &self.node))?;
        Ok(())
    }
}

#[derive(Debug, Args)]
struct PassthruList {
    /// Name or UUID
    node: String,
    #[command(flatten)]
    output: ListOutput,
}

impl PassthruList {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let path = ["nodes", &self.node, "vendor_passthru", "methods"];
        let answer = session.client.send(&Call::get(&path)?).await;
        let answer = answer.map_err(|error| about(error, &self.node))?;
        // This list has titles and not field names, as the stock client's has.
        let titles = [
            "Name",
            "Supported HTTP methods",
            "Async",
            "Description",
            "Response is attachment",
        ];
        driver::print_methods(session, &self.output, answer, &titles)
    }
}

#[derive(Debug, Args)]
struct PassthruCall {
    /// Name or UUID
    node: String,
    #[command(flatten)]
    call: PassthruArgs,
}

impl PassthruCall {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let path = ["nodes", &self.node, "vendor_passthru"];
        let answer = session.client.send(&self.call.call(&path)?).await;
        match answer.map_err(|error| about(error, &self.node))? {
            Value::Null => Ok(()),
            // Nobody knows what it looks like, so it is printed as it came.
            answer => session.console.line(&answer.to_string()),
        }
    }
}
