//! What the service is set up with, has and serves: `corten settings`, `corten boot`,
//! `corten image cache`.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};
use crate::watch::status::text;

pub(crate) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "settings",
            "Show the configuration of the running service, and where each value is from",
            Settings::run,
        ),
        Leaf::new(
            "boot",
            "Show what the boot services serve: networks, leases, published machines",
            Boot::run,
        ),
        Leaf::new(
            "image cache",
            "Show what conductors have in their caches of images",
            Cache::run,
        ),
    ]
}

fn list<'a>(answer: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    let found = answer.get(key).and_then(Value::as_array);
    found.into_iter().flatten()
}

fn texts(answer: &Value, key: &str) -> String {
    let words: Vec<&str> = list(answer, key).filter_map(Value::as_str).collect();
    words.join(", ")
}

/// Tells of conductors that did not answer.
fn complain(session: &Session, answer: &Value) {
    for conductor in list(answer, "conductors") {
        let error = text(conductor, "error");
        if !error.is_empty() {
            let host = text(conductor, "host");
            session.console.note(&format!("conductor {host}: {error}"));
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
  corten settings                       options that somebody has set
  corten settings --all --where cache   all options about caches
This is what the process runs with that answers; `corten config show` reads files.
")]
struct Settings {
    /// Also options that have their default
    #[arg(long)]
    all: bool,
    /// Only those with this text in section, name, value or help
    #[arg(long = "where", value_name = "TEXT")]
    part: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Settings {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["config"])?;
        let answer = session.client.send(&call).await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        let part = self.part.map(|part| part.to_lowercase());
        let fits = |option: &Value| {
            let words = ["section", "name", "about"].map(|key| text(option, key));
            part.as_ref().is_none_or(|part| {
                let mut words = words.iter().cloned().chain([texts(option, "values")]);
                words.any(|word| word.to_lowercase().contains(part))
            })
        };
        let wanted = list(&answer, "options")
            .filter(|option| self.all || option["is_set"] == json!(true))
            .filter(|option| fits(option));
        let rows = wanted.map(|option| {
            vec![
                json!(text(option, "section")),
                json!(text(option, "name")),
                json!(texts(option, "values")),
                json!(text(option, "source")),
                json!(text(option, "effect")),
            ]
        });
        let titles = ["section", "option", "value", "from", "note"];
        output::print_list(&mut session.console, &self.output, &titles, rows.collect())
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
  corten boot                       services, and networks with how full they are
  corten boot --leases --where 52:54:00
  corten boot --published
")]
struct Boot {
    /// The leases
    #[arg(long, conflicts_with = "published")]
    leases: bool,
    /// The machines that boot from here
    #[arg(long)]
    published: bool,
    /// Only leases and machines with this text
    #[arg(long = "where", value_name = "TEXT")]
    part: Option<String>,
    /// Only this conductor
    #[arg(long, value_name = "HOST")]
    conductor: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Boot {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["boot"])?;
        let call = call
            .query_if("conductor", self.conductor.as_ref())
            .query_if("q", self.part.as_ref())
            .query("limit", 1000);
        let answer = session.client.send(&call).await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        complain(session, &answer);
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for conductor in list(&answer, "conductors") {
            let host = json!(text(conductor, "host"));
            if self.leases {
                rows.extend(list(conductor, "leases").map(|lease| {
                    let cells = ["address", "mac", "used", "until", "name"];
                    let cells = cells.map(|key| json!(text(lease, key)));
                    [host.clone()].into_iter().chain(cells).collect::<Vec<_>>()
                }));
            } else if self.published {
                rows.extend(list(conductor, "published").map(|node| {
                    vec![
                        host.clone(),
                        json!(named(node)),
                        json!(texts(node, "macs")),
                        json!(text(node, "way")),
                        json!(text(node, "mode")),
                        json!(text(node, "starts")),
                    ]
                }));
            } else {
                rows.extend(list(conductor, "services").map(|service| {
                    let cells = [text(service, "name"), texts(service, "addresses")];
                    let cells = cells
                        .into_iter()
                        .chain([text(service, "detail"), String::new()]);
                    [host.clone()]
                        .into_iter()
                        .chain(cells.map(|cell| json!(cell)))
                        .collect::<Vec<_>>()
                }));
                rows.extend(list(conductor, "networks").map(|network| {
                    let (used, size) = (&network["used"], &network["size"]);
                    vec![
                        host.clone(),
                        json!("network"),
                        json!(text(network, "network")),
                        json!(text(network, "interface")),
                        json!(format!("{used} of {size} addresses in use")),
                    ]
                }));
            }
        }
        let titles: &[&str] = match (self.leases, self.published) {
            (true, _) => &["conductor", "address", "mac", "used", "until", "machine"],
            (_, true) => &["conductor", "machine", "macs", "way", "mode", "starts"],
            _ => &["conductor", "what", "where", "detail", "use"],
        };
        output::print_list(&mut session.console, &self.output, titles, rows)
    }
}

fn named(node: &Value) -> String {
    match text(node, "name") {
        name if name.is_empty() => text(node, "node"),
        name => name,
    }
}

#[derive(Debug, Args)]
struct Cache {
    /// Only this conductor
    #[arg(long, value_name = "HOST")]
    conductor: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Cache {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["image-caches"])?;
        let call = call.query_if("conductor", self.conductor.as_ref());
        let answer = session.client.send(&call).await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        complain(session, &answer);
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for conductor in list(&answer, "conductors") {
            for cache in list(conductor, "caches") {
                let row = |what: String, bytes: &Value, users: Value, used: String| {
                    vec![
                        json!(text(conductor, "host")),
                        json!(text(cache, "purpose")),
                        json!(what),
                        bytes.clone(),
                        users,
                        json!(used),
                    ]
                };
                for download in list(cache, "downloads") {
                    let what = format!("{} (arriving)", text(download, "source"));
                    rows.push(row(
                        what,
                        &download["bytes"],
                        json!(""),
                        text(download, "since"),
                    ));
                }
                for copy in list(cache, "copies") {
                    let what = [text(copy, "source"), text(copy, "file")];
                    let what = what.into_iter().find(|what| !what.is_empty());
                    let users = copy["users"].clone();
                    let used = text(copy, "used_at");
                    rows.push(row(what.unwrap_or_default(), &copy["bytes"], users, used));
                }
            }
        }
        let titles = ["conductor", "for", "image", "bytes", "users", "last used"];
        output::print_list(&mut session.console, &self.output, &titles, rows)
    }
}

#[cfg(test)]
mod tests {
    use crate::canned::Answer;
    use crate::tests::ran;
    use serde_json::json;

    #[test]
    fn settings_that_are_set_are_shown_with_their_place() {
        let option = |name: &str, is_set: bool| {
            json!({"section": "api", "name": name, "values": ["1"], "is_set": is_set,
                "source": "/etc/corten/corten.conf:7", "about": "", "effect": null})
        };
        let config = json!({"options": [option("port", true), option("max_limit", false)]});
        let (shown, asked) = ran("settings", [Answer::new(200, config.clone())]);
        assert_eq!(asked[0].line, "GET /corten/v1/config");
        assert!(shown.out.contains("port") && shown.out.contains("corten.conf:7"));
        assert!(!shown.out.contains("max_limit"));
        let (shown, _) = ran("settings --all --where LIMIT", [Answer::new(200, config)]);
        assert!(shown.out.contains("max_limit") && !shown.out.contains("port"));
    }

    #[test]
    fn networks_leases_and_copies_are_tables() {
        let boot = json!({"conductors": [{"host": "c1", "error": null,
            "services": [{"name": "tftp", "addresses": ["10.0.0.1:69"], "detail": "serves /t"}],
            "networks": [{"network": "10.0.0.0/24", "interface": "eth0", "size": 9, "used": 4}],
            "leases": [{"address": "10.0.0.7", "mac": "m", "used": "leased", "until": "u",
                "name": "n1"}], "published": []}]});
        let (shown, _) = ran("boot", [Answer::new(200, boot.clone())]);
        assert!(
            shown.out.contains("4 of 9 addresses in use"),
            "{}",
            shown.out
        );
        let (shown, asked) = ran("boot --leases --where n1", [Answer::new(200, boot)]);
        assert_eq!(asked[0].line, "GET /corten/v1/boot?q=n1&limit=1000");
        assert!(shown.out.contains("10.0.0.7"), "{}", shown.out);
        let caches = json!({"conductors": [{"host": "c1", "error": null, "caches": [
            {"purpose": "instance", "copies": [{"file": "f", "source": "http://h/i", "bytes": 7,
                "users": 2, "used_at": "t"}], "downloads": []}]}]});
        let (shown, _) = ran("image cache", [Answer::new(200, caches)]);
        assert!(shown.out.contains("http://h/i"), "{}", shown.out);
    }
}
