//! Names that the service knows, for shells that complete what is being typed.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;

use crate::client::{Call, Client};
use crate::console::Notes;
use crate::endpoint::{Endpoint, Global, Surroundings};
use crate::error::Error;

/// Of what there are names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    Nodes,
    Drivers,
    Conductors,
    Allocations,
    Runbooks,
    DeployTemplates,
    Images,
}

impl Names {
    /// What a place of the command line is for, by what the help calls it.
    pub fn of(value_name: &str) -> Option<Self> {
        Some(match value_name {
            "NODE" | "NODES" => Self::Nodes,
            "DRIVER" => Self::Drivers,
            "CONDUCTOR" => Self::Conductors,
            "ALLOCATION" => Self::Allocations,
            "RUNBOOK" => Self::Runbooks,
            "DEPLOY_TEMPLATE" => Self::DeployTemplates,
            "IMAGE" => Self::Images,
            _ => return None,
        })
    }

    /// The collection in the API, and the field that is the name.
    fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Nodes => ("nodes", "name"),
            Self::Drivers => ("drivers", "name"),
            Self::Conductors => ("conductors", "hostname"),
            Self::Allocations => ("allocations", "name"),
            Self::Runbooks => ("runbooks", "name"),
            Self::DeployTemplates => ("deploy_templates", "name"),
            Self::Images => ("images", "name"),
        }
    }
}

/// The names there are, as far as the service tells them within this time; none if it does not.
/// Starts a runtime of its own, so call it from a plain thread.
pub fn names(kind: Names, global: &Global, patience: Duration) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else {
        return Vec::new();
    };
    let around = Surroundings::real();
    let asked = async { tokio::time::timeout(patience, ask(kind, global, &around)).await };
    // Whoever completes a word wants no explanation in its place.
    match runtime.block_on(asked) {
        Ok(Ok(names)) => names,
        Ok(Err(_)) | Err(_) => Vec::new(),
    }
}

pub(crate) async fn ask(
    kind: Names,
    global: &Global,
    around: &Surroundings<'_>,
) -> Result<Vec<String>, Error> {
    let notes = Notes::new(Box::new(std::io::sink()), false);
    let client = Client::new(Endpoint::find(global, around)?, global, notes).await?;
    let (collection, field) = kind.place();
    let call = match kind {
        Names::Nodes => Call::get(&[collection])?.fields(&["uuid", "name"]),
        Names::Images => Call::own(Method::GET, &[collection])?,
        _ => Call::get(&[collection])?,
    };
    let answer = client.send_once(&call).await?;
    let items = answer.get(collection).and_then(Value::as_array);
    let text = |item: &Value, field: &str| item.get(field)?.as_str().map(str::to_owned);
    let name = |item: &Value| text(item, field).or_else(|| text(item, "uuid"));
    let names = items.into_iter().flatten().filter_map(name);
    Ok(names.filter(|name| is_plain(name)).collect())
}

/// Whether a name is a plain word for a shell, without expansion or substitution. Completion puts it
/// on a command line, and the server that sent it is not trusted.
fn is_plain(name: &str) -> bool {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || "-_.:@+/".contains(c);
    !name.is_empty() && !name.starts_with('-') && name.chars().all(is_harmless)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canned::{self, Answer, Canned};
    use serde_json::json;

    #[test]
    fn what_a_shell_would_act_on_is_no_name() {
        for name in [
            "m1",
            "rack-7.node_3",
            "CUSTOM_RAID1",
            "1be26c0b-03f2-4d2e-ae87-c02d7f33c123",
        ] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "",
            "-f",
            "$(reboot)",
            "`reboot`",
            "a;b",
            "a b",
            "*",
            "a\nb",
            "\u{1b}[31m",
            "a'b",
            "~root",
            "\u{202e}a",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }

    #[test]
    fn a_node_without_a_name_is_offered_by_its_uuid() {
        let nodes =
            json!({"nodes": [{"uuid": "u-1", "name": "m1"}, {"uuid": "u-2", "name": null}]});
        let (names, asked) = canned::run(async {
            let server = Canned::answers([Answer::new(200, nodes)]).await;
            let variable = |name: &str| (name == "OS_ENDPOINT").then(|| server.base.clone());
            let around = Surroundings {
                variable: &variable,
                folders: Vec::new(),
            };
            let names = ask(Names::Nodes, &Global::default(), &around)
                .await
                .unwrap();
            (names, server.lines())
        });
        assert_eq!(names, ["m1", "u-2"]);
        assert_eq!(asked, ["GET /v1/nodes?fields=uuid%2Cname"]);
    }
}
