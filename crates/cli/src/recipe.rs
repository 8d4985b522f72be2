//! What helps to write runbooks, deploy templates and inspection rules: the steps there are, what
//! rules can say, and what a rule would do.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::console::printable;
use crate::error::Error;
use crate::input;
use crate::output::{self, LineFormat, LineOutput, ListOutput};
use crate::watch::status::text;

pub(crate) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "step list",
            "List the steps that runbooks and deploy templates can have",
            Steps::run,
        ),
        Leaf::new(
            "inspection rule operators",
            "List what conditions and actions there are",
            Operators::run,
        ),
        Leaf::new(
            "inspection rule try",
            "Show what inspection rules would do to a machine; nothing happens",
            Try::run,
        ),
    ]
}

fn list<'a>(answer: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    let found = answer.get(key).and_then(Value::as_array);
    found.into_iter().flatten()
}

fn joined(answer: &Value, key: &str) -> String {
    let words: Vec<&str> = list(answer, key).filter_map(Value::as_str).collect();
    words.join(", ")
}

#[derive(Debug, Args)]
#[command(after_help = "\
  corten step list --driver redfish --kind clean
An agent may have more steps than the stock ones that are listed.
")]
struct Steps {
    /// Only those of this hardware type
    #[arg(long, value_name = "DRIVER")]
    driver: Option<String>,
    /// Only those for this: clean, deploy, service or verify
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Steps {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["steps"])?;
        let call = call.query_if("driver", self.driver.as_ref());
        let answer = session.client.send(&call).await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        let kind = self.kind.as_deref();
        let wanted = list(&answer, "steps")
            .filter(|step| kind.is_none_or(|kind| text(step, "kind") == kind));
        let rows = wanted.map(|step| {
            let args = list(step, "args").map(|arg| match arg["required"] == json!(true) {
                true => text(arg, "name"),
                false => format!("[{}]", text(arg, "name")),
            });
            vec![
                json!(text(step, "kind")),
                json!(format!(
                    "{}.{}",
                    text(step, "interface"),
                    text(step, "step")
                )),
                json!(args.collect::<Vec<_>>().join(" ")),
                step["priority"].clone(),
                json!(text(step, "implementation")),
                json!(joined(step, "drivers")),
            ]
        });
        let titles = ["for", "step", "arguments", "priority", "of", "drivers"];
        output::print_list(&mut session.console, &self.output, &titles, rows.collect())
    }
}

#[derive(Debug, Args)]
struct Operators {
    #[command(flatten)]
    output: ListOutput,
}

impl Operators {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["inspection_rules", "operators"])?;
        let answer = session.client.send(&call).await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        let rows = ["conditions", "actions"].into_iter().flat_map(|kind| {
            list(&answer, kind).map(move |row| {
                vec![
                    json!(kind.trim_end_matches('s')),
                    json!(text(row, "op")),
                    json!(joined(row, "required")),
                    json!(joined(row, "optional")),
                    json!(text(row, "about")),
                ]
            })
        });
        let titles = ["in a", "op", "needs", "takes", "meaning"];
        output::print_list(&mut session.console, &self.output, &titles, rows.collect())
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
The rule is tried on what the last inspection of the machine found. Nothing is written and nobody is
called; secrets are masked.
  corten inspection rule try m1                       all rules that are in force
  corten inspection rule try m1 --rule rule.json      one that is not stored yet
  corten inspection rule try m1 --uuid 6e0f1a52-4a0b-4d6e-9a32-3c1c9f7b1e02
")]
struct Try {
    /// Name or UUID of the machine
    node: String,
    /// The rule: an object with actions and conditions
    #[arg(long, value_name = "JSON|FILE|-", conflicts_with = "uuid")]
    rule: Option<String>,
    /// A rule that is stored
    #[arg(long, value_name = "UUID")]
    uuid: Option<String>,
    #[command(flatten)]
    output: LineOutput,
}

impl Try {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = json!({"node": self.node});
        if let Some(rule) = &self.rule {
            body["rule"] = input::json(rule, "--rule")?;
        }
        if let Some(uuid) = self.uuid {
            body["uuid"] = json!(uuid);
        }
        let call = Call::own(Method::POST, &["inspection_rules", "try"])?.body(body);
        let answer = session.client.send(&call).await?;
        match self.output.format {
            LineFormat::Json => output::print_document(&mut session.console, &answer),
            LineFormat::Table => {
                for line in lines(&answer) {
                    session.console.line(&printable(&line))?;
                }
                Ok(())
            }
        }
    }
}

fn lines(answer: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in list(answer, "rules") {
        let name = [text(rule, "description"), text(rule, "uuid")];
        let name = name.into_iter().find(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "The rule".to_owned());
        let verdict = match rule["applies"] == json!(true) {
            true => "applies",
            false => "does not apply",
        };
        lines.push(format!("{name} {verdict}"));
        for condition in list(rule, "conditions") {
            let holds = match condition["holds"].as_bool() {
                Some(true) => "holds",
                Some(false) => "does not hold",
                None => "cannot be judged",
            };
            let seen: Vec<String> = list(condition, "seen").map(Value::to_string).collect();
            let error = text(condition, "error");
            lines.push(format!(
                "  if {} {holds}: {} {error}",
                text(condition, "op"),
                seen.join(", ")
            ));
        }
        for action in list(rule, "actions") {
            let done = match action["done"] == json!(true) {
                true => "done",
                false => "not done",
            };
            let error = text(action, "error");
            lines.push(format!("  then {}: {done} {error}", text(action, "op")));
            lines.extend(
                list(action, "effects")
                    .filter_map(|effect| Some(format!("    {}", effect.as_str()?))),
            );
        }
    }
    if lines.is_empty() {
        lines.push("There are no rules.".to_owned());
    }
    let changes: Vec<String> = list(answer, "changes").map(change).collect();
    match changes.is_empty() {
        true => lines.push("Nothing would be changed.".to_owned()),
        false => {
            lines.push("Changes:".to_owned());
            lines.extend(changes);
        }
    }
    let error = text(answer, "error");
    if !error.is_empty() {
        lines.push(format!("The inspection would fail: {error}"));
    }
    lines
        .into_iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

fn change(change: &Value) -> String {
    let (subject, path) = (text(change, "subject"), text(change, "path"));
    match (&change["before"], &change["after"]) {
        (Value::Null, after) => format!("  {subject} {path}: {after}"),
        (before, Value::Null) => format!("  {subject} {path}: {before} is removed"),
        (before, after) => format!("  {subject} {path}: {before} becomes {after}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::canned::Answer;
    use crate::tests::ran;
    use serde_json::json;

    #[test]
    fn steps_and_operators_are_tables() {
        let steps = json!({"steps": [
            {"kind": "clean", "interface": "bios", "step": "apply", "priority": 0,
             "implementation": "redfish", "drivers": ["redfish"],
             "args": [{"name": "settings", "required": true}, {"name": "more", "required": false}]},
            {"kind": "deploy", "interface": "raid", "step": "other", "args": []}]});
        let (shown, asked) = ran(
            "step list --driver redfish --kind clean",
            [Answer::new(200, steps)],
        );
        assert_eq!(asked[0].line, "GET /corten/v1/steps?driver=redfish");
        assert!(shown.out.contains("bios.apply"), "{}", shown.out);
        assert!(shown.out.contains("settings [more]"), "{}", shown.out);
        assert!(!shown.out.contains("other"), "{}", shown.out);
        let known = json!({"conditions": [{"op": "eq", "required": ["values"], "optional": [],
            "about": "equal"}], "actions": []});
        let (shown, _) = ran("inspection rule operators", [Answer::new(200, known)]);
        assert!(shown.out.contains("condition") && shown.out.contains("equal"));
    }

    #[test]
    fn a_trial_tells_what_would_change() {
        let report = json!({"rules": [{"uuid": null, "description": null, "applies": true,
            "conditions": [{"op": "eq", "holds": true, "seen": [{"values": [1, 1]}]}],
            "actions": [{"op": "log", "done": true, "effects": ["would log (info): x"]}]}],
            "changes": [{"subject": "node", "path": "resource_class", "before": null,
                "after": "gpu"}], "error": null});
        let (shown, asked) = ran(
            "inspection rule try m1 --rule {\"actions\":[]}",
            [Answer::new(200, report)],
        );
        assert_eq!(asked[0].line, "POST /corten/v1/inspection_rules/try");
        for part in [
            "The rule applies",
            "if eq holds",
            "would log (info): x",
            "node resource_class: \"gpu\"",
        ] {
            assert!(shown.out.contains(part), "{part}: {}", shown.out);
        }
    }
}
