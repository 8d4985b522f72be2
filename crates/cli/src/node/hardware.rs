//! `corten node hardware`: what machines have, as inspection found it: a line for each machine, or the
//! parts of one.

use clap::Args;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

use super::about;
use super::inventory::{binary, decimal, get, number, parts};
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};
use crate::watch::status::text;

/// How many inventories are asked for at a time.
const AT_A_TIME: usize = 8;
const COLUMNS: [&str; 6] = ["Node", "Model", "Cores", "Memory", "Disks", "NICs"];

pub(super) fn leaf() -> Leaf {
    Leaf::new(
        "node hardware",
        "Show cores, memory, disks and network cards, of all machines or of one in detail",
        Hardware::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = "\
  corten node hardware            a line for each machine; columns are empty before its inspection
  corten node hardware m1         its parts
  corten node hardware m1 m2 -f json
")]
struct Hardware {
    /// Names or UUIDs; without any, all
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Hardware {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        if let [node] = &*self.nodes {
            let answer = get(session, node).await?;
            let rows = parts(answer.get("inventory").unwrap_or(&Value::Null));
            let titles = ["Part", "Name", "Size", "Details"];
            return output::print_list(&mut session.console, &self.output, &titles, rows);
        }
        let nodes = match self.nodes.is_empty() {
            true => all(session).await?,
            false => self.nodes,
        };
        let asked: &Session = session;
        let rows = stream::iter(nodes).map(|node| line(asked, node));
        let rows: Vec<Result<Vec<Value>, Error>> = rows.buffered(AT_A_TIME).collect().await;
        let rows: Result<Vec<Vec<Value>>, Error> = rows.into_iter().collect();
        output::print_list(&mut session.console, &self.output, &COLUMNS, rows?)
    }
}

/// What all nodes are called.
async fn all(session: &Session) -> Result<Vec<String>, Error> {
    let call = Call::get(&["nodes"])?.fields(&["uuid", "name"]);
    let nodes = session.client.list(&call, "nodes", Some(0)).await?;
    let called = nodes.iter().map(|node| match text(node, "name") {
        name if name.is_empty() => text(node, "uuid"),
        name => name,
    });
    Ok(called.collect())
}

/// The line of a machine; only its name, if it was not inspected yet.
async fn line(session: &Session, node: String) -> Result<Vec<Value>, Error> {
    let call = Call::get(&["nodes", &node, "inventory"])?;
    let found = match session.client.send(&call).await {
        Ok(found) => found,
        Err(error) if error.status() == Some(404) => Value::Null,
        Err(error) => return Err(about(error, &node)),
    };
    let columns = columns(found.get("inventory").unwrap_or(&Value::Null));
    Ok([Value::from(node)].into_iter().chain(columns).collect())
}

fn columns(inventory: &Value) -> [Value; 5] {
    let part = |key: &str| inventory.get(key).unwrap_or(&Value::Null);
    let list = |key: &str| part(key).as_array();
    let memory = number(part("memory"), "physical_mb").map(|mb| mb.saturating_mul(1 << 20));
    [
        json!(text(part("system_vendor"), "product_name")),
        json!(number(part("cpu"), "count")),
        json!(memory.map(binary).unwrap_or_default()),
        json!(list("disks").map_or_else(String::new, |disks| sizes(disks))),
        json!(list("interfaces").map(Vec::len)),
    ]
}

/// `2 x 480.1 GB, 4 TB`: sizes as they come, those beside each other together.
fn sizes(disks: &[Value]) -> String {
    let mut runs: Vec<(String, usize)> = Vec::new();
    for disk in disks {
        let size = number(disk, "size").map_or_else(|| "?".to_owned(), decimal);
        match runs.last_mut() {
            Some((last, count)) if *last == size => *count += 1,
            _ => runs.push((size, 1)),
        }
    }
    let told = runs.into_iter().map(|(size, count)| match count {
        1 => size,
        count => format!("{count} x {size}"),
    });
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::canned::{self, Answer, Canned};
    use crate::tests::{corten, ran};
    use serde_json::{Value, json};

    fn inventory() -> Value {
        json!({"inventory": {
            "system_vendor": {"product_name": "R650"},
            "cpu": {"count": 8},
            "memory": {"physical_mb": 16384},
            "disks": [{"size": 480_103_981_056_u64}, {"size": 480_103_981_056_u64},
                {"size": 4_000_000_000_000_u64}],
            "interfaces": [{}, {}],
        }})
    }

    #[test]
    fn each_machine_has_a_line_and_one_that_is_not_inspected_its_name() {
        let ran = canned::run(async {
            let server = Canned::with(|asked| match asked.line.as_str() {
                line if line.starts_with("GET /v1/nodes?") => Answer::new(
                    200,
                    json!({"nodes": [{"uuid": "u1", "name": "m1"}, {"uuid": "u2", "name": null}]}),
                ),
                "GET /v1/nodes/m1/inventory" => Answer::new(200, inventory()),
                _ => Answer::fault(404, "Could not find inventory"),
            })
            .await;
            corten(&server, "node hardware -f json").await
        });
        assert_eq!(ran.code, 0, "{}", ran.notes);
        let rows: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(
            rows[0],
            json!({"Node": "m1", "Model": "R650", "Cores": 8, "Memory": "16 GiB",
                "Disks": "2 x 480.1 GB, 4 TB", "NICs": 2})
        );
        assert_eq!(
            (&rows[1]["Node"], &rows[1]["Cores"]),
            (&json!("u2"), &Value::Null)
        );
    }

    #[test]
    fn one_machine_is_shown_in_parts() {
        let (one, asked) = ran("node hardware m1 -f value", [Answer::new(200, inventory())]);
        assert_eq!(asked[0].line, "GET /v1/nodes/m1/inventory");
        assert!(one.out.starts_with("machine R650"), "{}", one.out);
        assert_eq!(one.out.matches("disk ").count(), 3, "{}", one.out);
    }
}
