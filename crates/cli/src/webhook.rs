//! `corten webhook`: addresses that the service posts events to.

use std::path::{Path, PathBuf};

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput, RecordOutput};
use crate::{Session, record};

pub(crate) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "webhook create",
            "Have events posted to an address",
            Create::run,
        ),
        Leaf::new("webhook list", "List webhooks", List::run),
        Leaf::new(
            "webhook show",
            "Show a webhook and how far it is",
            Show::run,
        ),
        Leaf::new("webhook set", "Change a webhook", Set::run),
        Leaf::new("webhook delete", "Delete webhooks", Delete::run),
        Leaf::new(
            "webhook test",
            "Have a test posted at once, and tell what came of it",
            Test::run,
        ),
        Leaf::new(
            "webhook dead-letters",
            "List what could not be delivered",
            DeadLetters::run,
        ),
        Leaf::new("webhook replay", "Have events delivered again", Replay::run),
    ]
}

/// What can be said about a webhook.
#[derive(Debug, Args)]
struct Attributes {
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Only events of this kind, such as provision, power or error; can be given several times
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Only what happens to this machine (name or UUID)
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Only what happens to machines that this project owns or leases
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// File with the secret that deliveries are signed with; without one the service makes a secret
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// File with the certificates (PEM) of the authorities that the receiver's is checked with
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Do not check the receiver's certificate
    #[arg(long, conflicts_with = "ca_file")]
    no_verify: bool,
}

impl Attributes {
    fn into_body(self) -> Result<Map<String, Value>, Error> {
        let mut body = Map::new();
        let mut put = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                body.insert(name.to_owned(), Value::String(value));
            }
        };
        put("description", self.description);
        put("node", self.node);
        put("project", self.project);
        let secret = self.secret_file.as_deref().map(contents).transpose()?;
        put("secret", secret.map(|text| text.trim_end().to_owned()));
        put(
            "verify_ca",
            self.ca_file.as_deref().map(contents).transpose()?,
        );
        if self.no_verify {
            body.insert("verify_ca".into(), json!(false));
        }
        if !self.kind.is_empty() {
            body.insert("kinds".into(), json!(self.kind));
        }
        Ok(body)
    }
}

fn contents(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path)
        .map_err(|error| Error::usage(format!("cannot read {}: {error}", path.display())))
}

#[derive(Debug, Args)]
#[command(after_help = "\
The secret is shown now and never again.
  corten webhook create https://hooks.example/corten
  corten webhook create https://hooks.example/corten --kind error --kind warning --after 0
")]
struct Create {
    /// Address, such as https://hooks.example/corten
    url: String,
    #[command(flatten)]
    attributes: Attributes,
    /// Begin after this cursor, and not at this moment
    #[arg(long, value_name = "CURSOR")]
    after: Option<u64>,
    #[command(flatten)]
    output: RecordOutput,
}

impl Create {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = self.attributes.into_body()?;
        body.insert("url".into(), Value::String(self.url));
        if let Some(after) = self.after {
            body.insert("after".into(), json!(after));
        }
        let call = Call::own(Method::POST, &["webhooks"])?.body(body);
        let made = record(session.client.send(&call).await?, &[])?;
        output::print_record(&mut session.console, &self.output, &made)
    }
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    output: ListOutput,
}

impl List {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["webhooks"])?;
        let answer = session.client.send(&call).await?;
        let columns = ["uuid", "url", "enabled", "cursor", "failures", "last_error"];
        let rows = rows(&answer, "webhooks", &columns);
        output::print_list(&mut session.console, &self.output, &columns, rows)
    }
}

/// These members of each thing in a list.
fn rows(answer: &Value, key: &str, columns: &[&str]) -> Vec<Vec<Value>> {
    let things = answer.get(key).and_then(Value::as_array);
    let row = |thing: &Value| {
        let cell = |column: &&str| thing.get(*column).cloned().unwrap_or_default();
        columns.iter().map(cell).collect()
    };
    things.into_iter().flatten().map(row).collect()
}

#[derive(Debug, Args)]
struct Show {
    /// UUID
    webhook: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl Show {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["webhooks", &self.webhook])?;
        let shown = record(session.client.send(&call).await?, &[])?;
        output::print_record(&mut session.console, &self.output, &shown)
    }
}

#[derive(Debug, Args)]
struct Set {
    /// UUID
    webhook: String,
    /// Another address
    #[arg(long)]
    url: Option<String>,
    #[command(flatten)]
    attributes: Attributes,
    /// Deliver events (again)
    #[arg(long, conflicts_with = "disable")]
    enable: bool,
    /// Deliver no events for now; none is lost
    #[arg(long)]
    disable: bool,
    #[command(flatten)]
    output: RecordOutput,
}

impl Set {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = self.attributes.into_body()?;
        if let Some(url) = self.url {
            body.insert("url".into(), Value::String(url));
        }
        if self.enable || self.disable {
            body.insert("enabled".into(), json!(self.enable));
        }
        if body.is_empty() {
            return Err(Error::usage("nothing to change was named"));
        }
        let call = Call::own(Method::PATCH, &["webhooks", &self.webhook])?.body(body);
        let changed = record(session.client.send(&call).await?, &[])?;
        output::print_record(&mut session.console, &self.output, &changed)
    }
}

#[derive(Debug, Args)]
struct Delete {
    /// UUIDs
    #[arg(required = true)]
    webhooks: Vec<String>,
}

impl Delete {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut errors = Vec::new();
        for webhook in &self.webhooks {
            let call = Call::own(Method::DELETE, &["webhooks", webhook])?;
            match session.client.send(&call).await {
                Ok(_) => session
                    .console
                    .line(&format!("Deleted webhook {webhook}"))?,
                Err(error) => errors.push(error.about(format!("webhook {webhook}"))),
            }
        }
        Error::all(errors)
    }
}

#[derive(Debug, Args)]
struct Test {
    /// UUID
    webhook: String,
}

impl Test {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::POST, &["webhooks", &self.webhook, "test"])?;
        let answer = session.client.send(&call).await?;
        let took = answer.get("duration_ms").and_then(Value::as_u64);
        let took = took.unwrap_or_default();
        if let Some(error) = answer.get("error").and_then(Value::as_str) {
            return Err(Error::failed(format!("{error} (after {took} ms)")));
        }
        let status = answer.get("status").cloned().unwrap_or_default();
        session
            .console
            .line(&format!("the receiver answered {status} after {took} ms"))
    }
}

#[derive(Debug, Args)]
struct DeadLetters {
    /// UUID
    webhook: String,
    #[command(flatten)]
    output: ListOutput,
}

impl DeadLetters {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let path = ["webhooks", &*self.webhook, "dead-letters"];
        let answer = session.client.send(&Call::own(Method::GET, &path)?).await?;
        if self.output.is_json() {
            let letters = answer.get("dead_letters").cloned().unwrap_or_default();
            return output::print_json(&mut session.console, &self.output, &letters);
        }
        let columns = ["cursor", "created_at", "attempts", "last_error", "replay"];
        let mut rows = rows(&answer, "dead_letters", &columns);
        let letters = answer.get("dead_letters").and_then(Value::as_array);
        for (row, letter) in rows.iter_mut().zip(letters.into_iter().flatten()) {
            let text = letter.pointer("/event/text").cloned();
            row.push(text.unwrap_or_default());
        }
        let columns = [&columns[..], &["event"]].concat();
        output::print_list(&mut session.console, &self.output, &columns, rows)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
  corten webhook replay UUID --dead-letter 4711   one that was given up
  corten webhook replay UUID --dead-letters       all that were given up
  corten webhook replay UUID --after 4000         everything behind a cursor, in order
")]
struct Replay {
    /// UUID
    webhook: String,
    #[command(flatten)]
    what: What,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct What {
    /// The dead letter of this cursor
    #[arg(long, value_name = "CURSOR")]
    dead_letter: Option<u64>,
    /// All dead letters
    #[arg(long)]
    dead_letters: bool,
    /// Everything that came after this cursor
    #[arg(long, value_name = "CURSOR")]
    after: Option<u64>,
}

impl Replay {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let body = match (self.what.dead_letter, self.what.after) {
            (Some(cursor), _) => json!({"dead_letter": cursor}),
            (_, Some(after)) => json!({"after": after}),
            _ => json!({"dead_letters": true}),
        };
        let path = ["webhooks", &*self.webhook, "replay"];
        let call = Call::own(Method::POST, &path)?.body(body);
        session.client.send(&call).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use crate::canned::{self, Answer, Canned, RecordedRequest};
    use crate::tests::{Ran, corten};
    use serde_json::{Value, json};

    fn ran(answer: Value, line: &str) -> (Ran, RecordedRequest) {
        canned::run(async {
            let server = Canned::answers([Answer::new(200, answer)]).await;
            let ran = corten(&server, &format!("webhook {line}")).await;
            let mut asked = server.asked();
            (ran, asked.remove(0))
        })
    }

    #[test]
    fn creating_sends_what_was_said_and_shows_the_secret() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "sixteen letters!\n").unwrap();
        let line = format!(
            "create http://h/x --kind error --kind power --node m1 --after 0 --no-verify \
             --secret-file {} -f json",
            file.path().display()
        );
        let (ran, asked) = ran(json!({"uuid": "u", "secret": "s"}), &line);
        assert_eq!(asked.line, "POST /corten/v1/webhooks");
        assert_eq!(
            asked.body,
            json!({"url": "http://h/x", "kinds": ["error", "power"], "node": "m1", "after": 0,
                "verify_ca": false, "secret": "sixteen letters!"})
        );
        assert!(ran.out.contains("\"secret\": \"s\""), "{}", ran.out);
    }

    #[test]
    fn a_failed_test_is_a_failure() {
        let fine = json!({"delivered": true, "status": 204, "error": null, "duration_ms": 7});
        let (done, asked) = ran(fine, "test u");
        assert_eq!(asked.line, "POST /corten/v1/webhooks/u/test");
        assert_eq!(
            (done.code, done.out.as_str()),
            (0, "the receiver answered 204 after 7 ms\n")
        );
        let bad = json!({"delivered": false, "status": null, "error": "no", "duration_ms": 7});
        let (failed, _) = ran(bad, "test u");
        assert_eq!(
            (failed.code, failed.notes.as_str()),
            (1, "error: no (after 7 ms)\n")
        );
    }

    #[test]
    fn what_is_to_be_delivered_again_is_said() {
        for (line, body) in [
            ("--dead-letter 3", json!({"dead_letter": 3})),
            ("--dead-letters", json!({"dead_letters": true})),
            ("--after 0", json!({"after": 0})),
        ] {
            let (ran, asked) = ran(Value::Null, &format!("replay u {line}"));
            assert_eq!((ran.code, asked.body), (0, body), "{line}");
        }
    }

    #[test]
    fn dead_letters_are_listed_with_what_they_tell_of() {
        let letters = json!({"dead_letters": [{"cursor": 7, "created_at": "t", "attempts": 12,
            "last_error": "no", "replay": false, "event": {"text": "power on"}}]});
        let (ran, _) = ran(letters, "dead-letters u -f value");
        assert_eq!(ran.out, "7 t 12 no False power on\n");
    }
}
