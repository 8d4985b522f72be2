//! `corten baseline`: what firmware and BIOS settings the machines of a resource class are to have,
//! and which machines deviate.

use std::path::PathBuf;

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::input;
use crate::output::{self, ListOutput, RecordOutput};
use crate::watch::status::text;
use crate::{Session, record};

pub(crate) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "baseline set",
            "Say what firmware and BIOS settings a resource class is to have",
            Set::run,
        ),
        Leaf::new("baseline list", "List baselines", List::run),
        Leaf::new("baseline show", "Show a baseline", Show::run),
        Leaf::new("baseline rm", "Remove baselines", Remove::run),
        Leaf::new(
            "baseline check",
            "Report which machines deviate from the baseline of their class",
            Check::run,
        ),
    ]
}

#[derive(Debug, Args)]
#[command(after_help = "\
A baseline is replaced as a whole: what is not named is not compared.
  corten baseline set gold --firmware bmc=2.14 --firmware bios=1.8 --bios ProcVirtualization=Enabled
  corten baseline set gold --file gold.yaml
")]
struct Set {
    /// Resource class
    #[arg(value_name = "CLASS")]
    resource_class: String,
    /// Version of a component, as `corten node firmware list` names it; can be given several times
    #[arg(long, value_name = "COMPONENT=VERSION")]
    firmware: Vec<String>,
    /// BIOS setting, as `corten node bios setting list` names it; can be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    bios: Vec<String>,
    /// YAML or JSON file with `firmware`, `bios_settings` and `description`
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    output: RecordOutput,
}

impl Set {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = match &self.file {
            Some(file) => {
                let shown = file.display();
                let text = std::fs::read_to_string(file)
                    .map_err(|error| Error::usage(format!("cannot read {shown}: {error}")))?;
                let given = input::yaml(&text)
                    .map_err(|error| Error::usage(format!("{shown}: {error}")))?;
                match given {
                    Value::Object(given) => given,
                    _ => return Err(Error::usage(format!("{shown} is no mapping"))),
                }
            }
            None => Map::new(),
        };
        // What the command line says is said over the file.
        for (key, words) in [("firmware", &self.firmware), ("bios_settings", &self.bios)] {
            for word in words {
                let (name, value) = word.split_once('=').ok_or_else(|| {
                    Error::usage(format!("'{word}' is not of the form NAME=VALUE"))
                })?;
                let values = body.entry(key).or_insert_with(|| json!({}));
                let values = values
                    .as_object_mut()
                    .ok_or_else(|| Error::usage(format!("{key} in the file is no mapping")))?;
                values.insert(name.to_owned(), json!(value));
            }
        }
        if let Some(description) = self.description {
            body.insert("description".to_owned(), json!(description));
        }
        let call = Call::own(Method::PUT, &["baselines", &self.resource_class])?.body(body);
        let stored = record(session.client.send(&call).await?, &[])?;
        output::print_record(&mut session.console, &self.output, &stored)
    }
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    output: ListOutput,
}

impl List {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let columns = ["Class", "Firmware", "BIOS settings", "Description"];
        let count = |value: &Value, key: &str| {
            let values = value.get(key).and_then(Value::as_object);
            json!(values.map(Map::len))
        };
        let all = all(session).await?;
        let rows = all.iter().map(|baseline| {
            vec![
                json!(text(baseline, "resource_class")),
                count(baseline, "firmware"),
                count(baseline, "bios_settings"),
                json!(text(baseline, "description")),
            ]
        });
        output::print_list(&mut session.console, &self.output, &columns, rows.collect())
    }
}

async fn all(session: &Session) -> Result<Vec<Value>, Error> {
    let call = Call::own(Method::GET, &["baselines"])?;
    let answer = session.client.send(&call).await?;
    let all = answer.get("baselines").and_then(Value::as_array);
    Ok(all.cloned().unwrap_or_default())
}

#[derive(Debug, Args)]
struct Show {
    /// Resource class
    #[arg(value_name = "CLASS")]
    resource_class: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl Show {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["baselines", &self.resource_class])?;
        let found = record(session.client.send(&call).await?, &[])?;
        output::print_record(&mut session.console, &self.output, &found)
    }
}

#[derive(Debug, Args)]
struct Remove {
    /// Resource classes
    #[arg(value_name = "CLASS", required = true)]
    resource_classes: Vec<String>,
}

impl Remove {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut errors = Vec::new();
        for class in &self.resource_classes {
            let call = Call::own(Method::DELETE, &["baselines", class])?;
            match session.client.send(&call).await {
                Ok(_) => session
                    .console
                    .line(&format!("Removed the baseline of {class}"))?,
                Err(error) => errors.push(error.about(format!("resource class {class}"))),
            }
        }
        Error::all(errors)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Compared is what the service has stored of the machines; nothing is asked of them. `corten node manage`
and every cleaning read it anew. Exits with 1 if a machine differs.
  corten baseline check           all classes that have a baseline
  corten baseline check gold
  corten baseline check gold --all -f json
")]
struct Check {
    /// Resource classes; without any, all that have a baseline
    #[arg(value_name = "CLASS")]
    resource_classes: Vec<String>,
    /// Also show machines that match
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: ListOutput,
}

impl Check {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let classes = match self.resource_classes.is_empty() {
            false => self.resource_classes,
            true => {
                let all = all(session).await?;
                all.iter().map(|one| text(one, "resource_class")).collect()
            }
        };
        let mut nodes = Vec::new();
        for class in classes {
            let found = report(session, &class).await?;
            nodes.extend(found.into_iter().map(|node| (class.clone(), node)));
        }
        let rows = nodes
            .iter()
            .flat_map(|(class, node)| lines(class, node, self.all));
        let columns = ["Node", "Class", "Verdict", "Part", "Wanted", "Found"];
        output::print_list(&mut session.console, &self.output, &columns, rows.collect())?;
        let count = |verdict: &str| {
            let verdicts = nodes.iter().map(|(_, node)| text(node, "verdict"));
            verdicts.filter(|found| found == verdict).count()
        };
        let (differ, unknown) = (count("differs"), count("unknown"));
        let told = format!(
            "of {} machines {} match, {differ} differ, of {unknown} not everything is known",
            nodes.len(),
            count("matches")
        );
        if differ > 0 {
            return Err(Error::failed(told));
        }
        session.console.note(&told);
        Ok(())
    }
}

/// All machines of a class.
async fn report(session: &Session, class: &str) -> Result<Vec<Value>, Error> {
    let mut nodes = Vec::new();
    let mut marker: Option<String> = None;
    loop {
        let call = Call::own(Method::GET, &["baselines", class, "report"])?;
        let call = call.query("limit", 1000).query_if("marker", marker.take());
        let answer = session.client.send(&call).await?;
        let page = answer.get("nodes").and_then(Value::as_array);
        nodes.extend(page.into_iter().flatten().cloned());
        match answer.get("next").and_then(Value::as_str) {
            Some(next) => marker = Some(next.to_owned()),
            None => return Ok(nodes),
        }
    }
}

/// A line for each deviation of a machine, or one for a machine that has none.
fn lines(class: &str, node: &Value, all: bool) -> Vec<Vec<Value>> {
    let name = match text(node, "node_name") {
        name if name.is_empty() => text(node, "node_uuid"),
        name => name,
    };
    let head = || vec![json!(name), json!(class), json!(text(node, "verdict"))];
    let deviations = node.get("deviations").and_then(Value::as_array);
    let mut rows: Vec<Vec<Value>> = deviations
        .into_iter()
        .flatten()
        .map(|one| {
            let part = format!(
                "{} {}",
                text(one, "part").replace('_', " "),
                text(one, "name")
            );
            let found = one.get("found").cloned().unwrap_or_default();
            let mut row = head();
            row.extend([json!(part), json!(text(one, "wanted")), found]);
            row
        })
        .collect();
    if rows.is_empty() && all {
        let mut row = head();
        row.extend([Value::Null, Value::Null, Value::Null]);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use crate::canned::Answer;
    use crate::tests::ran;
    use serde_json::{Value, json};
    use std::io::Write as _;

    #[test]
    fn a_file_and_the_command_line_make_one_baseline() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let text = "description: d\nfirmware:\n  bmc: '1.0'\n  bios: '3'\n";
        file.write_all(text.as_bytes()).unwrap();
        let line = format!(
            "baseline set gold --file {} --firmware bmc=2.0 --bios A=B=C -f json",
            file.path().display()
        );
        let (done, asked) = ran(&line, [Answer::new(200, json!({"resource_class": "gold"}))]);
        assert_eq!(done.code, 0, "{}", done.notes);
        assert_eq!(asked[0].line, "PUT /corten/v1/baselines/gold");
        assert_eq!(
            asked[0].body,
            json!({"description": "d", "firmware": {"bmc": "2.0", "bios": "3"},
                "bios_settings": {"A": "B=C"}})
        );
        let (wrong, asked) = ran("baseline set gold --firmware bmc", []);
        assert_eq!((wrong.code, asked.len()), (2, 0), "{}", wrong.notes);
    }

    fn node(name: &str, verdict: &str, deviations: Value) -> Value {
        json!({"node_uuid": "u", "node_name": name, "verdict": verdict, "deviations": deviations})
    }

    #[test]
    fn a_machine_that_differs_fails_the_check() {
        let deviation = json!([{"part": "bios_setting", "name": "A", "wanted": "1", "found": "2"}]);
        let first = json!({"nodes": [node("n1", "matches", json!([]))], "next": "u1"});
        let last = json!({"nodes": [node("n2", "differs", deviation)], "next": null});
        let answers = || {
            let classes = json!({"baselines": [{"resource_class": "gold"}]});
            [classes, first.clone(), last.clone()].map(|answer| Answer::new(200, answer))
        };
        let (found, asked) = ran("baseline check -f value", answers());
        let report = "GET /corten/v1/baselines/gold/report?limit=1000";
        assert_eq!(asked[1].line, report);
        assert_eq!(asked[2].line, format!("{report}&marker=u1"));
        assert_eq!(found.out, "n2 gold differs bios setting A 1 2\n");
        assert_eq!(found.code, 1);
        assert!(found.notes.contains("of 2 machines 1 match, 1 differ"));
        let (all, _) = ran("baseline check --all -f value", answers());
        assert!(all.out.starts_with("n1 gold matches"), "{}", all.out);
    }

    #[test]
    fn what_is_not_known_is_told_and_is_no_failure() {
        let deviation = json!([{"part": "firmware", "name": "bmc", "wanted": "1", "found": null}]);
        let answer = json!({"nodes": [node("n1", "unknown", deviation)], "next": null});
        let (found, _) = ran("baseline check gold -f value", [Answer::new(200, answer)]);
        assert_eq!(found.out, "n1 gold unknown firmware bmc 1 None\n");
        assert_eq!(found.code, 0, "{}", found.notes);
        assert!(found.notes.contains("of 1 not everything is known"));
    }
}
