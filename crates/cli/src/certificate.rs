//! `corten certificate` and `corten node certificate`: how disks were erased, and whether a document
//! that says so is genuine.
//!
//! Verifying needs nothing but the file and a public key: the signature is Ed25519 (RFC 8032) over the
//! document in the form of RFC 8785.

use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clap::Args;
use reqwest::Method;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::{Map, Value, json};

use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::console::printable;
use crate::error::Error;
use crate::output::{self, ListOutput};
use crate::resource::NODE;
use crate::watch::status::text;

/// No certificate is larger.
const LARGEST: u64 = 16 << 20;

pub(crate) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "node certificate",
            "Show how the disks of a machine were erased last",
            OfNode::run,
        ),
        Leaf::new(
            "certificate list",
            "List erase certificates, also of machines that are gone",
            List::run,
        ),
        Leaf::new("certificate show", "Show an erase certificate", Show::run),
        Leaf::new(
            "certificate keys",
            "Print the public keys that certificates are verified with",
            Keys::run,
        ),
        Leaf::new(
            "certificate verify",
            "Verify the signature of an erase certificate",
            Verify::run,
        ),
    ]
}

#[derive(Debug, Args)]
#[command(after_help = "\
  corten node certificate m1                    the last one
  corten node certificate m1 --json > m1.json   the signed document, to be kept
  corten certificate verify m1.json
")]
struct OfNode {
    /// Name or UUID
    node: String,
    /// Print the signed document
    #[arg(long)]
    json: bool,
}

impl OfNode {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["nodes", &self.node, "certificates"])?;
        let answer = session.client.send(&call.query("limit", 1)).await;
        let answer = answer.map_err(|error| NODE.about(error, &self.node))?;
        let Some(newest) = certificates(&answer).first() else {
            return Err(Error::failed(format!(
                "node {} has no erase certificate: none of its disks was erased by an agent of \
                 this service",
                self.node
            )));
        };
        show(session, newest, self.json)
    }
}

#[derive(Debug, Args)]
struct List {
    /// Only those of this machine (UUID, or the name that it had)
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// How many at most, the newest ones
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: u32,
    #[command(flatten)]
    output: ListOutput,
}

impl List {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["certificates"])?;
        let call = call.query("limit", self.limit);
        let call = call.query_if("node", self.node.as_deref());
        let answer = session.client.send(&call).await?;
        let columns = ["UUID", "Node", "Issued at", "Step", "Disks"];
        let rows = certificates(&answer).iter().map(|envelope| {
            let document = part(envelope, "certificate");
            let node = part(document, "node");
            let name = match text(node, "name") {
                name if name.is_empty() => text(node, "uuid"),
                name => name,
            };
            vec![
                json!(text(document, "uuid")),
                json!(name),
                json!(text(document, "issued_at")),
                json!(text(part(document, "operation"), "step")),
                json!(summary(disks(document))),
            ]
        });
        output::print_list(&mut session.console, &self.output, &columns, rows.collect())
    }
}

#[derive(Debug, Args)]
struct Show {
    /// UUID
    certificate: String,
    /// Print the signed document
    #[arg(long)]
    json: bool,
}

impl Show {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["certificates", &self.certificate])?;
        let envelope = session.client.send(&call).await?;
        show(session, &envelope, self.json)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Keep the keys apart from the service, with the certificates: they are what the signatures of today can
be verified with when the service is gone. `corten db rotate-key` adds one.
  corten certificate keys > keys.pem
")]
struct Keys {}

impl Keys {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        for key in trusted_by_service(session).await? {
            session.console.line(&format!("# key {}", key.name))?;
            session.console.line(printable(&key.pem).trim_end())?;
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without --key the service is asked for its keys; with it, nobody is asked.
  corten certificate verify m1.json
  corten certificate verify m1.json --key keys.pem
")]
struct Verify {
    /// Signed document, as `corten node certificate --json` prints it
    file: PathBuf,
    /// File with public keys (PEM), as `corten certificate keys` prints them
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Verify {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let shown = self.file.display().to_string();
        let given: Value = serde_json::from_str(&contents(&self.file)?)
            .map_err(|error| Error::failed(format!("{shown} is no JSON document: {error}")))?;
        let keys = match &self.key {
            Some(file) => of_pem(&contents(file)?, file)?,
            None => trusted_by_service(session).await?,
        };
        let key = signer(&given, &keys).map_err(|why| Error::failed(format!("{shown}: {why}")))?;
        let told = format!("the signature is good, by key {}", printable(key));
        session.console.line(&told)?;
        show(session, &given, false)
    }
}

/// A public key that is trusted.
struct Key {
    /// What it is called where it is from.
    name: String,
    bytes: Vec<u8>,
    pem: String,
}

async fn trusted_by_service(session: &Session) -> Result<Vec<Key>, Error> {
    let call = Call::own(Method::GET, &["certificate-keys"])?;
    let answer = session.client.send(&call).await?;
    let keys = answer.get("keys").and_then(Value::as_array);
    let keys = keys.into_iter().flatten().filter_map(|key| {
        Some(Key {
            name: printable(&text(key, "key")),
            bytes: BASE64_STANDARD.decode(text(key, "public_key")).ok()?,
            pem: key.get("pem")?.as_str()?.to_owned(),
        })
    });
    Ok(keys.collect())
}

/// The keys of a file. A line before a key may name it, as ours do.
fn of_pem(file: &str, path: &Path) -> Result<Vec<Key>, Error> {
    const BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
    const END: &str = "-----END PUBLIC KEY-----";
    /// SubjectPublicKeyInfo of Ed25519 (RFC 8410, section 4); the key is what follows.
    const HEAD: [u8; 12] = [
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    ];
    let mut keys = Vec::new();
    let mut rest = file;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (inside, behind) = after.split_once(END).unwrap_or((after, ""));
        rest = behind;
        let letters: String = inside.split_whitespace().collect();
        let der = BASE64_STANDARD.decode(&letters).ok();
        let bytes = der.and_then(|der| Some(der.strip_prefix(&HEAD)?.to_vec()));
        let bytes = bytes.ok_or_else(|| {
            Error::failed(format!("{} has a key that is not Ed25519", path.display()))
        })?;
        let name = before
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("# key "));
        let name = name.map_or_else(|| letters.clone(), |name| name.trim().to_owned());
        keys.push(Key {
            name,
            bytes,
            pem: String::new(),
        });
    }
    if keys.is_empty() {
        let text = format!("{} has no public key in PEM form", path.display());
        return Err(Error::failed(text));
    }
    Ok(keys)
}

/// The name of the key that signed a document, if it is one of those that are trusted.
fn signer<'k>(given: &Value, keys: &'k [Key]) -> Result<&'k str, String> {
    let (document, signature) = (part(given, "certificate"), part(given, "signature"));
    if !document.is_object() || !signature.is_object() {
        return Err("it is no signed certificate: certificate and signature are missing".into());
    }
    let algorithm = text(signature, "algorithm");
    if algorithm != "ed25519" {
        let algorithm = printable(&algorithm);
        return Err(format!("unknown signature algorithm '{algorithm}'"));
    }
    let value = BASE64_STANDARD.decode(text(signature, "value"));
    let value = value.map_err(|_| "the signature is not base64".to_owned())?;
    let message = ordered(document).to_string();
    let signed = keys.iter().find(|key| {
        let key = UnparsedPublicKey::new(&ED25519, &key.bytes);
        key.verify(message.as_bytes(), &value).is_ok()
    });
    signed.map(|key| key.name.as_str()).ok_or_else(|| {
        let claimed = text(signature, "public_key");
        let is_known = keys
            .iter()
            .any(|key| BASE64_STANDARD.encode(&key.bytes) == claimed);
        match is_known {
            true => "the signature is bad: the document is not what was signed".to_owned(),
            false => "the signature is by none of the trusted keys".to_owned(),
        }
    })
}

/// With the keys of objects in order, as they are signed (RFC 8785).
fn ordered(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries = entries.into_iter();
            let entries = entries.map(|(key, value)| (key.clone(), ordered(value)));
            Value::Object(entries.collect::<Map<String, Value>>())
        }
        Value::Array(items) => items.iter().map(ordered).collect(),
        plain => plain.clone(),
    }
}

fn contents(path: &Path) -> Result<String, Error> {
    let fail = |why: String| Error::usage(format!("cannot read {}: {why}", path.display()));
    let file = std::fs::File::open(path).map_err(|error| fail(error.to_string()))?;
    let mut text = String::new();
    let read = file.take(LARGEST + 1).read_to_string(&mut text);
    match read {
        Err(error) => Err(fail(error.to_string())),
        Ok(length) if length as u64 > LARGEST => Err(fail("it is too large".to_owned())),
        Ok(_) => Ok(text),
    }
}

fn part<'v>(value: &'v Value, key: &str) -> &'v Value {
    value.get(key).unwrap_or(&Value::Null)
}

fn certificates(answer: &Value) -> &[Value] {
    let list = part(answer, "certificates").as_array();
    list.map_or(&[], Vec::as_slice)
}

fn disks(document: &Value) -> &[Value] {
    let list = part(part(document, "agent"), "disks").as_array();
    list.map_or(&[], Vec::as_slice)
}

/// What was done with a disk, in a word.
fn method(disk: &Value) -> String {
    match text(disk, "result").as_str() {
        "erased" => printable(&text(disk, "method")),
        other => printable(other),
    }
}

/// `2 overwrite, 1 skipped`.
fn summary(disks: &[Value]) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for disk in disks {
        let method = method(disk);
        match counts.iter_mut().find(|(known, _)| *known == method) {
            Some((_, count)) => *count += 1,
            None => counts.push((method, 1)),
        }
    }
    let told = counts
        .iter()
        .map(|(method, count)| format!("{count} {method}"));
    told.collect::<Vec<_>>().join(", ")
}

fn show(session: &mut Session, envelope: &Value, as_json: bool) -> Result<(), Error> {
    if as_json {
        // Only what belongs to the document: its place in the list does not.
        let signed = json!({
            "certificate": part(envelope, "certificate"),
            "signature": part(envelope, "signature"),
        });
        return output::print_document(&mut session.console, &signed);
    }
    let document = part(envelope, "certificate");
    let node = part(document, "node");
    let line = format!(
        "certificate {} of node {} ({}), issued {} by {} for {}",
        text(document, "uuid"),
        text(node, "name"),
        text(node, "uuid"),
        text(document, "issued_at"),
        text(document, "issuer"),
        text(part(document, "operation"), "step"),
    );
    session.console.line(&printable(&line))?;
    let statement = printable(&text(document, "statement"));
    session.console.line(&statement)?;
    let columns = ["Disk", "Model", "Serial", "Bytes", "Erased by", "Verified"];
    let rows = disks(document).iter().map(|disk| {
        vec![
            json!(text(disk, "name")),
            json!(text(disk, "model")),
            json!(text(disk, "serial")),
            part(disk, "size").clone(),
            json!(method(disk)),
            json!(verified(disk)),
        ]
    });
    let rows: Vec<Vec<Value>> = rows.collect();
    output::print_table(&mut session.console, &columns, &rows)
}

/// What reading samples showed, or why the disk was left alone.
fn verified(disk: &Value) -> String {
    if text(disk, "result") != "erased" {
        return text(disk, "reason");
    }
    let samples = part(disk, "verification");
    if samples.is_null() {
        return "no: the data is still there".to_owned();
    }
    let number = |key: &str| part(samples, key).as_u64().unwrap_or_default();
    let undecided = match number("undecided") {
        0 => String::new(),
        count => format!(", {count} undecided"),
    };
    format!(
        "{} samples: {} blank, {} changed{undecided}",
        number("samples"),
        number("blank"),
        number("changed")
    )
}

#[cfg(test)]
mod tests;
