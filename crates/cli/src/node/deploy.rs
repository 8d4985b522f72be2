//! `corten node deploy m1 --image debian-13 --ssh-key … --hostname …`: from an image to a login.
//!
//! Everything that can be wrong is found before anything is written: files are read and checked
//! here, then the node and the image are looked at. What the instance is to be is written, the
//! service is asked whether it can deploy that, and only then is it told to. If it cannot, or says
//! no, what was written is put back: the node is as it was, and its power was not touched.

mod disk;
mod drive;
mod network;

use std::path::PathBuf;

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::about;
use crate::Session;
use crate::client::Call;
use crate::error::Error;
use crate::patch;
use crate::watch::status::text;
use drive::{Drive, Wishes};

/// What an instance may say about an image, and what must not outlive it.
const ABOUT_IMAGE: &[&str] = &[
    "image_checksum",
    "image_os_hash_algo",
    "image_os_hash_value",
    "image_disk_format",
    "image_type",
];
/// The interfaces without which nothing is deployed.
const NEEDED: &[&str] = &[
    "power",
    "management",
    "boot",
    "deploy",
    "network",
    "storage",
];

/// What the instance is to be.
#[derive(Debug, Args)]
pub(super) struct Instance {
    /// Image: a name of the image store (`corten image list`), or an address
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// Checksum of an image that is given by its address: a value or the address of a list
    #[arg(long, value_name = "SUM", requires = "image")]
    checksum: Option<String>,
    /// File with SSH public keys that may log in; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "config_drive")]
    ssh_key: Vec<PathBuf>,
    /// Host name of the machine
    #[arg(long, value_name = "NAME", conflicts_with = "config_drive")]
    hostname: Option<String>,
    /// File for cloud-init: a script or a #cloud-config
    #[arg(long, value_name = "FILE", conflicts_with = "config_drive")]
    user_data: Option<PathBuf>,
    /// File that describes links, bonds, VLANs and addresses (YAML or JSON)
    #[arg(long, value_name = "FILE", conflicts_with = "config_drive")]
    network: Option<PathBuf>,
    /// Disk to install on: /dev/sda, serial=…, wwn=…, size>=100 and more, with commas
    #[arg(long, value_name = "DISK")]
    disk: Option<String>,
}

/// What an instance is to be, read and checked.
#[derive(Debug)]
pub(super) struct Prepared {
    image: Option<Image>,
    disk: Option<Value>,
    drive: Option<Drive>,
}

#[derive(Debug)]
enum Image {
    Stored(String),
    Address { href: String, sum: Option<String> },
}

impl Prepared {
    /// The address that the machine will have for certain.
    pub(super) fn address(&self) -> Option<&str> {
        self.drive.as_ref()?.address.as_deref()
    }

    fn writes(&self) -> bool {
        self.image.is_some() || self.disk.is_some()
    }
}

impl Instance {
    /// Reads what the options name; nothing if none was given.
    pub(super) fn prepare(&self, nodes: &[String]) -> Result<Option<Prepared>, Error> {
        let own = self.hostname.is_some() || self.network.is_some();
        if own && nodes.len() > 1 {
            let text = "--hostname and --network are for one node only";
            return Err(Error::usage(text));
        }
        let wishes = Wishes {
            ssh_keys: &self.ssh_key,
            hostname: self.hostname.as_deref(),
            user_data: self.user_data.as_deref(),
            network: self.network.as_deref(),
        };
        let image = self
            .image
            .as_deref()
            .map(|given| image(given, self.checksum.as_ref()));
        let prepared = Prepared {
            image: image.transpose()?,
            disk: self.disk.as_deref().map(disk::hints).transpose()?,
            drive: wishes.drive()?,
        };
        let is_plain = !prepared.writes() && prepared.drive.is_none();
        Ok((!is_plain).then_some(prepared))
    }
}

fn image(given: &str, sum: Option<&String>) -> Result<Image, Error> {
    let name = given.strip_prefix("image://");
    let is_address = given.contains("://") || given.starts_with('/') || is_uuid(given);
    match (name, is_address) {
        (None, true) => Ok(Image::Address {
            href: given.to_owned(),
            sum: sum.cloned(),
        }),
        (name, _) if sum.is_none() => Ok(Image::Stored(name.unwrap_or(given).to_owned())),
        _ => Err(Error::usage(
            "--checksum is for images that are given by an address; the image store knows those of its own",
        )),
    }
}

/// Images of Glance are named so.
fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

/// Deploys or rebuilds one node by what was prepared.
pub(super) async fn deploy(
    session: &Session,
    node: &str,
    target: &str,
    prepared: &Prepared,
    extra: &Map<String, Value>,
) -> Result<(), Error> {
    let fields = ["uuid", "provision_state", "instance_info"];
    let asked = Call::get(&["nodes", node])?.fields(&fields);
    let shown = session.client.send(&asked).await;
    let shown = shown.map_err(|error| about(error, node))?;
    check_state(&shown, node, target)?;
    if let Some(Image::Stored(name)) = &prepared.image {
        check_image(session, name).await?;
    }
    let before = shown.get("instance_info");
    let kept = before.and_then(|info| info.get("root_device"));
    if let (None, Some(hints)) = (&prepared.disk, kept) {
        let text = format!("{node}: the disk is that of its instance_info/root_device: {hints}");
        session.console.note(&text);
    }
    let change = Change::of(prepared, before);
    change.make(session, node).await?;
    let outcome = async {
        let mut body = Map::new();
        body.insert("target".to_owned(), json!(target));
        body.extend(extra.clone());
        if let Some(drive) = &prepared.drive {
            body.insert("configdrive".to_owned(), drive.object.clone());
        }
        check_node(session, node, &body).await?;
        let call = Call::new(Method::PUT, &["nodes", node, "states", "provision"])?;
        let asked = session.client.send(&call.body(body)).await;
        asked.map(|_| ()).map_err(|error| about(error, node))
    };
    match outcome.await {
        Ok(()) => Ok(()),
        // Whether the service took it is not known, and what it deploys must stay.
        Err(error) if error.is_unreachable() => Err(error),
        Err(error) => {
            change.undo(session, node).await?;
            Err(error)
        }
    }
}

/// Whether a node is where such work begins.
fn check_state(shown: &Value, node: &str, target: &str) -> Result<(), Error> {
    let state = shown.get("provision_state").and_then(Value::as_str);
    let state = state.unwrap_or("unknown");
    let (fitting, hint) = match target {
        "rebuild" => (&["active", "deploy failed", "error"][..], None),
        _ => (
            &["available", "deploy failed"][..],
            match state {
                "enroll" => Some(format!("first `corten node manage {node} --wait`")),
                "manageable" => Some(format!("first `corten node provide {node} --wait`")),
                _ => None,
            },
        ),
    };
    if fitting.contains(&state) {
        return Ok(());
    }
    let text = format!(
        "it is {state}, and this begins in {}; nothing was changed",
        fitting.join(" or ")
    );
    let error = about(Error::failed(text), node);
    Err(match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    })
}

/// Whether the image store has an image that can be deployed.
async fn check_image(session: &Session, name: &str) -> Result<(), Error> {
    let call = Call::own(Method::GET, &["images", name])?;
    let subject = format!("image {name}");
    let shown = match session.client.send(&call).await {
        Ok(shown) => shown,
        Err(error) if error.status() == Some(404) => {
            let hint = format!(
                "`corten image list` tells which there are, `corten image add {name}` adds one"
            );
            return Err(error.about(subject).with_hint(hint));
        }
        // Who may deploy need not be allowed to look at the store; the service looks again.
        Err(error) if error.status() == Some(403) => return Ok(()),
        Err(error) => return Err(error.about(subject)),
    };
    if shown.get("sha256").is_some_and(Value::is_string) {
        return Ok(());
    }
    let state = shown.get("state").and_then(Value::as_str);
    let text = format!("it is {}, not ready", state.unwrap_or("unknown"));
    let hint = format!("`corten image show {name}` tells how far it is");
    Err(Error::failed(text).about(subject).with_hint(hint))
}

/// Whether the service would take the request for the node as it is now.
async fn check_node(session: &Session, node: &str, body: &Map<String, Value>) -> Result<(), Error> {
    let call = Call::own(Method::POST, &["nodes", node, "plan"])?.body(body.clone());
    let plan = match session.client.send(&call).await {
        Ok(plan) => plan,
        // Ironic has no plans, and not everybody may ask for one.
        Err(error) if matches!(error.status(), Some(403 | 404)) => validated(session, node).await?,
        Err(error) => return Err(about(error, node)),
    };
    let verdicts = plan.get("validation").and_then(Value::as_array);
    let mut reasons: Vec<String> = verdicts
        .into_iter()
        .flatten()
        .filter(|verdict| verdict.get("result") == Some(&Value::Bool(false)))
        .filter(|verdict| NEEDED.contains(&text(verdict, "interface").as_str()))
        .map(|verdict| {
            let (interface, reason) = (text(verdict, "interface"), text(verdict, "reason"));
            match reason.as_str() {
                "" => format!("\n  {interface}: not valid"),
                reason => format!("\n  {interface}: {reason}"),
            }
        })
        .collect();
    // What interfaces say is in the refusal as well, in other words.
    if reasons.is_empty()
        && let Some(refusal) = plan.get("refusal").filter(|refusal| refusal.is_object())
    {
        reasons.push(format!(" {}", text(refusal, "text")));
    }
    match reasons.is_empty() {
        true => Ok(()),
        false => {
            let text = format!(
                "it cannot be deployed, and nothing was changed:{}",
                reasons.concat()
            );
            Err(about(Error::failed(text), node))
        }
    }
}

/// What the interfaces of a node say, in the form of a plan.
async fn validated(session: &Session, node: &str) -> Result<Value, Error> {
    let call = Call::get(&["nodes", node, "validate"])?;
    let verdicts = session.client.send(&call).await;
    let verdicts = verdicts.map_err(|error| about(error, node))?;
    let verdicts = verdicts.as_object().into_iter().flatten();
    let all = verdicts.map(|(interface, verdict)| {
        json!({"interface": interface, "result": verdict.get("result"),
            "reason": verdict.get("reason")})
    });
    Ok(json!({"validation": all.collect::<Vec<_>>()}))
}

/// What is written to a node, and what puts it back.
#[derive(Debug, Default, PartialEq)]
struct Change {
    forth: Vec<Value>,
    back: Vec<Value>,
}

impl Change {
    fn of(prepared: &Prepared, before: Option<&Value>) -> Self {
        let mut wanted: Vec<(&str, Option<Value>)> = Vec::new();
        match &prepared.image {
            Some(Image::Stored(name)) => {
                wanted.push(("image_source", Some(json!(format!("image://{name}")))));
                wanted.extend(ABOUT_IMAGE.iter().map(|key| (*key, None)));
            }
            Some(Image::Address { href, sum }) => {
                wanted.push(("image_source", Some(json!(href))));
                let said = sum.as_ref().map(|sum| json!(sum));
                let is_said = |key: &str| key == "image_checksum" && said.is_some();
                let others = ABOUT_IMAGE.iter().filter(|key| !is_said(key));
                wanted.extend(others.map(|key| (*key, None)));
                wanted.extend(said.clone().map(|sum| ("image_checksum", Some(sum))));
            }
            None => {}
        }
        if let Some(hints) = &prepared.disk {
            wanted.push(("root_device", Some(hints.clone())));
        }
        let mut change = Self::default();
        for (key, value) in wanted {
            let path = format!("instance_info/{key}");
            let old = before.and_then(|info| info.get(key));
            let put = |value: Option<&Value>| match value {
                Some(value) => patch::add(&path, value.clone()),
                None => patch::remove(&path),
            };
            if old != value.as_ref() {
                change.forth.push(put(value.as_ref()));
                change.back.push(put(old));
            }
        }
        change
    }

    async fn make(&self, session: &Session, node: &str) -> Result<(), Error> {
        send(session, node, &self.forth).await
    }

    async fn undo(&self, session: &Session, node: &str) -> Result<(), Error> {
        send(session, node, &self.back).await
    }
}

async fn send(session: &Session, node: &str, patch: &[Value]) -> Result<(), Error> {
    if patch.is_empty() {
        return Ok(());
    }
    let call = Call::new(Method::PATCH, &["nodes", node])?.body(patch.to_vec());
    let sent = session.client.send(&call).await;
    sent.map(|_| ()).map_err(|error| about(error, node))
}

#[cfg(test)]
mod tests;
