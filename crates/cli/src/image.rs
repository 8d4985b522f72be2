//! `corten image add|list|show|rm|refresh|catalogue`: images that the service keeps under names.
//!
//! An image comes from an address that the service fetches it from, from a file that is sent from
//! here, or from the catalogue of well-known ones, which is a list of addresses. `corten image
//! inspect` and `build` are the program's own and ask no service.

mod catalogue;
mod progress;
mod upload;

use std::path::Path;

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
            "image add",
            "Keep an image under a name, for image://NAME",
            Add::run,
        ),
        Leaf::new("image list", "List the images that are kept", List::run),
        Leaf::new(
            "image show",
            "Show an image, and which conductors have it",
            Show::run,
        ),
        Leaf::new("image rm", "Remove images", Remove::run),
        Leaf::new("image refresh", "Fetch images again", Refresh::run),
        Leaf::new(
            "image catalogue",
            "List well-known images that need no address",
            Catalogue::run,
        ),
    ]
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without an address the catalogue says where the image is: `corten image catalogue`.
  corten image add debian-13
  corten image add own https://images.example/own.qcow2 --checksum-url https://images.example/SHA256SUMS
  corten image add own build/own.qcow2
")]
struct Add {
    /// Name: lower-case letters, digits, dots, hyphens and underscores
    name: String,
    /// Address that the service fetches it from, or a file to send
    #[arg(value_name = "URL|FILE")]
    source: Option<String>,
    /// SHA-256 that it must have
    #[arg(long, value_name = "DIGITS", conflicts_with = "checksum_url")]
    sha256: Option<String>,
    /// Address of a file that lists checksums, such as SHA256SUMS
    #[arg(long, value_name = "URL")]
    checksum_url: Option<String>,
    /// Architecture, for images of the catalogue
    #[arg(long, value_name = "ARCH", default_value = catalogue::DEFAULT_ARCH)]
    arch: String,
    /// Do not wait until it is there
    #[arg(long)]
    no_wait: bool,
}

/// Where a new image is.
#[derive(Debug, PartialEq, Eq)]
enum Origin<'a> {
    Url(&'a str),
    File(&'a Path),
    Catalogue,
}

fn origin(source: Option<&str>) -> Result<Origin<'_>, Error> {
    let Some(source) = source else {
        return Ok(Origin::Catalogue);
    };
    if source.contains("://") {
        return Ok(Origin::Url(source));
    }
    let path = Path::new(source);
    match path.is_file() {
        true => Ok(Origin::File(path)),
        false => Err(Error::usage(format!(
            "'{source}' is neither an address nor a file"
        ))),
    }
}

impl Add {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = Map::new();
        let mut put = |key: &str, value: &str| body.insert(key.to_owned(), json!(value));
        put("name", &self.name);
        match origin(self.source.as_deref())? {
            Origin::File(path) => {
                if self.checksum_url.is_some() {
                    let text = "--checksum-url is for images that the service fetches";
                    return Err(Error::usage(text));
                }
                return upload::send(session, &self.name, path, self.sha256.as_deref()).await;
            }
            Origin::Url(url) => {
                put("url", url);
                if let Some(list) = &self.checksum_url {
                    put("checksum_url", list);
                }
            }
            Origin::Catalogue => {
                let entry = catalogue::find(&self.name, &self.arch)?;
                put("url", entry.url);
                if self.sha256.is_none() {
                    let list = self.checksum_url.as_deref().unwrap_or(entry.checksum_url);
                    put("checksum_url", list);
                }
            }
        }
        if let Some(sum) = &self.sha256 {
            put("checksum", &format!("sha256:{sum}"));
        }
        let call = Call::own(Method::POST, &["images"])?.body(body);
        let made = session.client.send(&call).await;
        made.map_err(|error| about(error, &self.name))?;
        if self.no_wait {
            return Ok(());
        }
        progress::follow(session, &self.name).await
    }
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    output: ListOutput,
}

impl List {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["images"])?;
        let answer = session.client.send(&call).await?;
        let columns = [
            "name",
            "state",
            "format",
            "size",
            "disk_size",
            "arch",
            "bios",
            "uefi",
            "sha256",
        ];
        let images = answer.get("images").and_then(Value::as_array);
        let rows: Vec<Vec<Value>> = images.into_iter().flatten().map(row).collect();
        output::print_list(&mut session.console, &self.output, &columns, rows)
    }
}

/// What a list shows of an image.
fn row(image: &Value) -> Vec<Value> {
    let at = |pointer: &str| image.pointer(pointer).cloned().unwrap_or_default();
    let sum = image.get("sha256").and_then(Value::as_str);
    let sum = sum.and_then(|sum| sum.get(..12));
    vec![
        at("/name"),
        at("/state"),
        at("/survey/format"),
        at("/size"),
        at("/survey/disk_size"),
        json!(architectures(image)),
        at("/survey/bios/boots"),
        at("/survey/uefi/boots"),
        json!(sum),
    ]
}

fn architectures(image: &Value) -> String {
    let known = image.pointer("/survey/architectures");
    let known = known.and_then(Value::as_array).into_iter().flatten();
    let known: Vec<&str> = known.filter_map(Value::as_str).collect();
    known.join(", ")
}

#[derive(Debug, Args)]
struct Show {
    /// Name or UUID
    #[arg(value_name = "IMAGE")]
    image: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl Show {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let shown = session.client.send(&one(Method::GET, &self.image)?).await;
        let shown = record(shown.map_err(|error| about(error, &self.image))?, &[])?;
        output::print_record(&mut session.console, &self.output, &shown)
    }
}

#[derive(Debug, Args)]
struct Remove {
    /// Names or UUIDs
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<String>,
    /// Also where nodes have the image, which cannot be rebuilt afterwards
    #[arg(long)]
    force: bool,
}

impl Remove {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut errors = Vec::new();
        for image in &self.images {
            let call = one(Method::DELETE, image)?;
            let call = call.query_if("force", self.force.then_some("true"));
            match session.client.send(&call).await {
                Ok(_) => session.console.line(&format!("Removed image {image}"))?,
                Err(error) if error.status() == Some(409) => {
                    let hint = "name another image for these nodes, or say --force";
                    errors.push(about(error, image).with_hint(hint));
                }
                Err(error) => errors.push(about(error, image)),
            }
        }
        Error::all(errors)
    }
}

#[derive(Debug, Args)]
struct Refresh {
    /// Names or UUIDs
    #[arg(value_name = "IMAGE", required = true)]
    images: Vec<String>,
    /// Do not wait until they are there
    #[arg(long)]
    no_wait: bool,
}

impl Refresh {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        for image in &self.images {
            let call = Call::own(Method::POST, &["images", image, "refresh"])?;
            let asked = session.client.send(&call).await;
            asked.map_err(|error| about(error, image))?;
        }
        let waited: &[String] = if self.no_wait { &[] } else { &self.images };
        for image in waited {
            progress::follow(session, image).await?;
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
struct Catalogue {
    #[command(flatten)]
    output: ListOutput,
}

impl Catalogue {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let columns = ["name", "arch", "system", "url"];
        let rows = catalogue::all().map(|entry| {
            let cells = [entry.name, entry.arch, entry.system, entry.url];
            cells.map(Value::from).to_vec()
        });
        let rows = rows.collect();
        output::print_list(&mut session.console, &self.output, &columns, rows)
    }
}

fn one(method: Method, image: &str) -> Result<Call, Error> {
    Call::own(method, &["images", image])
}

fn about(error: Error, image: &str) -> Error {
    error.about(format!("image {image}"))
}

#[cfg(test)]
mod tests;
