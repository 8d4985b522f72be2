//! `corten node plan`: what a change of state would do. Nothing happens.

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::console::printable;
use crate::error::Error;
use crate::output::{self, LineFormat, LineOutput};
use crate::watch::status::text;

/// The verbs of the command line, and what the service calls them.
const VERBS: &[(&str, &str)] = &[
    ("manage", "manage"),
    ("provide", "provide"),
    ("inspect", "inspect"),
    ("adopt", "adopt"),
    ("deploy", "active"),
    ("rebuild", "rebuild"),
    ("undeploy", "deleted"),
    ("clean", "clean"),
    ("service", "service"),
    ("rescue", "rescue"),
    ("unrescue", "unrescue"),
    ("abort", "abort"),
    ("unhold", "unhold"),
];

pub(super) fn leaf() -> Leaf {
    Leaf::new(
        "node plan",
        "Show what a change of state would do, without doing it",
        Plan::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = "\
Whether it would be accepted, the states and steps to come, what the drivers say about the node, and
which of its disks the root device hints mean. Nothing is written and no machine is asked.
  corten node plan deploy m1
  corten node plan clean m1 --with '{\"clean_steps\": [{\"interface\": \"deploy\", \"step\": \"erase_devices\"}]}'

Exit codes:
  0  it would be accepted
  1  it would be refused, or the service refused to tell
")]
struct Plan {
    /// manage, provide, inspect, adopt, deploy, rebuild, undeploy, clean, service, rescue, unrescue,
    /// abort or unhold
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(VERBS.iter().map(|verb| verb.0)))]
    verb: String,
    /// Name or UUID
    node: String,
    /// Further fields of the request, as a JSON object
    #[arg(long, value_name = "JSON")]
    with: Option<String>,
    #[command(flatten)]
    output: LineOutput,
}

impl Plan {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let target = VERBS.iter().find(|verb| verb.0 == self.verb);
        let target = target.map_or(self.verb.as_str(), |verb| verb.1);
        let mut body = match &self.with {
            None => Map::new(),
            Some(given) => serde_json::from_str(given)
                .map_err(|error| Error::usage(format!("--with is no JSON object: {error}")))?,
        };
        body.insert("target".to_owned(), json!(target));
        let call = Call::own(Method::POST, &["nodes", &self.node, "plan"])?;
        let answer = session.client.send(&call.body(body)).await;
        let plan = answer.map_err(|error| about(error, &self.node))?;
        match self.output.format {
            LineFormat::Json => output::print_document(&mut session.console, &plan)?,
            LineFormat::Table => {
                for line in lines(&plan) {
                    session.console.line(&printable(&line))?;
                }
            }
        }
        match plan.get("is_accepted").and_then(Value::as_bool) {
            Some(true) => Ok(()),
            _ => Err(Error::failed("it would be refused")),
        }
    }
}

fn list<'a>(plan: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    plan.get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn lines(plan: &Value) -> Vec<String> {
    let refusal = plan.get("refusal").filter(|one| one.is_object());
    let mut lines = vec![match refusal {
        None => "accepted".to_owned(),
        Some(refusal) => format!("refused: {}", text(refusal, "text")),
    }];
    let states: Vec<&str> = list(plan, "states").filter_map(Value::as_str).collect();
    if !states.is_empty() {
        lines.push(states.join(" → "));
    }
    for (number, step) in list(plan, "steps").enumerate() {
        let name = format!("{}.{}", text(step, "interface"), text(step, "step"));
        lines.push(format!(
            "{:>3} {name} ({})",
            number + 1,
            text(step, "source")
        ));
    }
    let more = text(plan, "more_steps");
    if !more.is_empty() {
        lines.push(format!("    {more}"));
    }
    for verdict in list(plan, "validation") {
        let reason = text(verdict, "reason");
        if verdict.get("result").and_then(Value::as_bool) == Some(false) {
            lines.push(format!("{}: {reason}", text(verdict, "interface")));
        }
    }
    for disk in list(plan, "disks") {
        if disk.get("fits").and_then(Value::as_bool) == Some(true) {
            lines.push(format!(
                "the root device is {} ({})",
                text(disk, "name"),
                text(disk, "model")
            ));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::canned::Answer;
    use crate::tests::ran;
    use serde_json::{Value, json};

    fn plan(is_accepted: bool) -> Value {
        let refusal = json!({"status": 400, "text": "no kernel"});
        json!({
            "is_accepted": is_accepted,
            "refusal": if is_accepted { Value::Null } else { refusal },
            "states": ["available", "deploying", "active"],
            "steps": [{"interface": "deploy", "step": "deploy", "source": "driver"}],
            "more_steps": null,
            "validation": [{"interface": "boot", "result": false, "reason": "no kernel"},
                {"interface": "power", "result": true, "reason": null}],
            "disks": [{"name": "/dev/sda", "model": "M", "fits": true}],
        })
    }

    #[test]
    fn a_plan_is_shown_and_its_refusal_is_the_exit_code() {
        let (fine, asked) = ran("node plan deploy m1", [Answer::new(200, plan(true))]);
        assert_eq!(asked[0].line, "POST /corten/v1/nodes/m1/plan");
        assert_eq!(fine.code, 0);
        for line in [
            "accepted\n",
            "available → deploying → active\n",
            "  1 deploy.deploy (driver)\n",
            "boot: no kernel\n",
            "the root device is /dev/sda (M)\n",
        ] {
            assert!(fine.out.contains(line), "{}", fine.out);
        }
        assert!(!fine.out.contains("power:"));
        let (refused, _) = ran("node plan deploy m1", [Answer::new(200, plan(false))]);
        assert_eq!(refused.code, 1);
        assert!(refused.out.contains("refused: no kernel\n"));
    }
}
