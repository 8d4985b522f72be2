//! Nodes, what belongs to them and what describes work on them as JSON lines: to move between
//! services, to keep, to review.
//!
//! The first line says what the file is. Each other line is an object with one member: the kind of a
//! resource, and the resource. Secrets are sealed one by one under a passphrase, so that everything
//! else can be read, or left out.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{BufRead, Read, Write};
use store::{
    KeyRing, StoreError,
    dump::{Dump, Numbered},
    load::{Inventoried, Load, OfNode, Rows},
};
use types::{
    Allocation, BiosSetting, Chassis, DeployTemplate, FirmwareComponent, InspectionRule, JsonMap,
    Node, Port, Portgroup, Runbook, VolumeConnector, VolumeTarget, event::HistoryEntry, hex,
    json_shape::Shape, mask,
};

/// The format that is written, and the only one that is read.
const FORMAT: u32 = 2;
/// The longest line that is read. A node has its config drive in it.
const LONGEST: u64 = 256 << 20;
/// So many resources are written to the database at once.
const BATCH: usize = 256;
/// What the parts of a sensitive rule are called in a file: the name makes them secrets.
const HIDDEN: [(&str, &str); 2] = [
    ("conditions", "secret_conditions"),
    ("actions", "secret_actions"),
];

/// What becomes of secrets.
#[derive(Debug, Clone)]
pub enum Secrets {
    LeftOut,
    Sealed { passphrase: String },
}

/// Why a file was not written or read.
#[derive(Debug, thiserror::Error)]
pub enum LinesFault {
    #[error("the database")]
    Store(#[from] StoreError),
    #[error("the file")]
    File(#[from] std::io::Error),
    #[error("line {line}: {reason}")]
    Line { line: u64, reason: String },
    #[error("this is no export of Corten: its first line does not say so")]
    NoHeader,
    #[error("the export has format {0}, and this program reads {FORMAT}")]
    Format(u32),
    #[error("the secrets of this export are sealed: name the file with its passphrase")]
    Locked,
    #[error(
        "line {0}: the passphrase is not that of this export, or the line has a secret of another one"
    )]
    WrongPassphrase(u64),
    #[error("line {line}: the database refuses it: {reason}")]
    Refused { line: u64, reason: String },
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    corten_export: u32,
    /// In hex; absent where secrets are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
}

/// A resource.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Item {
    Chassis(Chassis),
    Node(Box<Node>),
    Portgroup(Portgroup),
    Port(Port),
    VolumeConnector(VolumeConnector),
    VolumeTarget(VolumeTarget),
    BiosSetting(OfNode<BiosSetting>),
    FirmwareComponent(OfNode<FirmwareComponent>),
    Inventory(OfNode<Inventoried>),
    History(HistoryEntry),
    Allocation(Allocation),
    DeployTemplate(DeployTemplate),
    Runbook(Runbook),
    InspectionRule(InspectionRule),
}

/// Writes everything; returns how many resources. Blocks; must not be called on a runtime thread.
pub fn write(mut own: Dump, secrets: &Secrets, out: &mut dyn Write) -> Result<u64, LinesFault> {
    let (keys, salt) = match secrets {
        Secrets::LeftOut => (None, None),
        Secrets::Sealed { passphrase } => {
            let salt = KeyRing::salt()?;
            let keys = KeyRing::from_passphrase(passphrase, &salt)?;
            (Some(keys), Some(hex::encode(&salt)))
        }
    };
    let header = Header {
        corten_export: FORMAT,
        salt,
    };
    line(out, &serde_json::to_value(&header).unwrap_or_default())?;
    let mut writer = Writer {
        keys,
        out,
        written: 0,
    };
    let own = &mut own;
    writer.each(own, Dump::chassis, Item::Chassis)?;
    writer.each(own, Dump::nodes, |mut node| {
        // Who works on a node is known only to the service that does.
        (node.reservation, node.work, node.conductor_affinity) = (None, None, None);
        Item::Node(Box::new(node))
    })?;
    writer.each(own, Dump::portgroups, Item::Portgroup)?;
    writer.each(own, Dump::ports, Item::Port)?;
    writer.each(own, Dump::connectors, Item::VolumeConnector)?;
    writer.each(own, Dump::targets, Item::VolumeTarget)?;
    writer.each(own, Dump::bios, Item::BiosSetting)?;
    writer.each(own, Dump::firmware, Item::FirmwareComponent)?;
    writer.each(own, Dump::inventories, Item::Inventory)?;
    writer.each(own, Dump::history, Item::History)?;
    writer.each(own, Dump::allocations, Item::Allocation)?;
    writer.each(own, Dump::deploy_templates, Item::DeployTemplate)?;
    writer.each(own, Dump::runbooks, Item::Runbook)?;
    writer.each(own, Dump::inspection_rules, Item::InspectionRule)?;
    writer.out.flush()?;
    Ok(writer.written)
}

struct Writer<'a> {
    keys: Option<KeyRing>,
    out: &'a mut dyn Write,
    written: u64,
}

impl Writer<'_> {
    fn each<T>(
        &mut self,
        own: &mut Dump,
        read: fn(&mut Dump, i64) -> Result<Numbered<T>, StoreError>,
        item: impl Fn(T) -> Item,
    ) -> Result<(), LinesFault> {
        let mut after = i64::MIN;
        loop {
            let page = read(own, after)?;
            let Some((last, _)) = page.last() else {
                return Ok(());
            };
            after = *last;
            for (_, row) in page {
                self.write(&item(row))?;
            }
        }
    }

    fn write(&mut self, item: &Item) -> Result<(), LinesFault> {
        // Plain values always serialise.
        let mut value = serde_json::to_value(item).unwrap_or_default();
        let is_sensitive = matches!(item, Item::InspectionRule(rule) if rule.sensitive);
        if let Some((subject, document)) = resource(&mut value) {
            if is_sensitive {
                rename(document, HIDDEN);
            }
            match &self.keys {
                Some(keys) => seal(keys, document, &subject)?,
                None => leave_out(document),
            }
        }
        // A rule without its actions is none.
        if is_sensitive && self.keys.is_none() {
            return Ok(());
        }
        self.written += 1;
        line(self.out, &value)
    }
}

fn line(out: &mut dyn Write, value: &Value) -> Result<(), LinesFault> {
    writeln!(out, "{value}")?;
    Ok(())
}

/// The one member of a line, and what its sealed values are bound to.
fn resource(value: &mut Value) -> Option<(String, &mut JsonMap)> {
    let (kind, document) = value.as_object_mut()?.iter_mut().next()?;
    let document = document.as_object_mut()?;
    Some((subject(kind, document), document))
}

/// The kind of a resource, and which one it is: a secret opens nowhere else.
fn subject(kind: &str, document: &JsonMap) -> String {
    let own = ["id", "node"].iter().find_map(|name| document.get(*name));
    let row = document.get("row");
    let part = ["name", "component"]
        .iter()
        .find_map(|name| row?.get(*name));
    let text = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    format!("corten export {kind} {} {}", text(own), text(part))
}

fn rename(document: &mut JsonMap, names: [(&str, &str); 2]) {
    for (from, to) in names {
        if let Some(value) = document.remove(from) {
            document.insert(to.to_owned(), value);
        }
    }
}

fn instance_info(document: &mut JsonMap) -> Option<&mut JsonMap> {
    document.get_mut("instance_info")?.as_object_mut()
}

fn seal(keys: &KeyRing, document: &mut JsonMap, subject: &str) -> Result<(), StoreError> {
    if let Some(info) = instance_info(document) {
        keys.seal_keys(info, mask::INSTANCE_SECRETS, subject)?;
    }
    keys.seal_map(document, subject)
}

fn open(keys: &KeyRing, document: &mut JsonMap, subject: &str) -> Result<(), StoreError> {
    if let Some(info) = instance_info(document) {
        for key in mask::INSTANCE_SECRETS {
            if let Some(value) = info.get_mut(*key).filter(|value| !value.is_null()) {
                *value = keys.open(value, subject)?;
            }
        }
    }
    *document = keys.open_map(document, subject)?;
    Ok(())
}

/// Removes secrets, and the passwords of addresses.
fn leave_out(document: &mut JsonMap) {
    if let Some(info) = instance_info(document) {
        info.retain(|key, _| !mask::INSTANCE_SECRETS.contains(&key.as_str()));
    }
    document.retain(|key, _| !mask::is_secret_key(key));
    for value in document.values_mut() {
        leave_out_below(value);
    }
}

fn leave_out_below(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|key, _| !mask::is_secret_key(key));
            map.values_mut().for_each(leave_out_below);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_below),
        Value::String(text) => {
            if let std::borrow::Cow::Owned(masked) = mask::address(text) {
                *text = masked;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Loads what [`write`] wrote, all or nothing; returns how many resources.
pub fn read(
    input: &mut dyn BufRead,
    passphrase: Option<&str>,
    load: Load,
) -> Result<u64, LinesFault> {
    let mut reader = Reader {
        input,
        line: 0,
        load,
        batch: Batch::default(),
        read: 0,
    };
    let keys = reader.header(passphrase)?;
    while let Some(mut value) = reader.next()? {
        if let Some((subject, document)) = resource(&mut value) {
            if let Some(keys) = &keys {
                open(keys, document, &subject)
                    .map_err(|_| LinesFault::WrongPassphrase(reader.line))?;
            }
            rename(document, HIDDEN.map(|(shown, hidden)| (hidden, shown)));
            // Here nothing has changed them yet.
            if let Some(version) = document.get_mut("version") {
                *version = 0.into();
            }
        }
        let item = serde_json::from_value(value).map_err(|error| LinesFault::Line {
            line: reader.line,
            reason: error.to_string(),
        })?;
        reader.take(item)?;
    }
    reader.flush()?;
    reader.load.commit()?;
    Ok(reader.read)
}

struct Reader<'a> {
    input: &'a mut dyn BufRead,
    line: u64,
    load: Load,
    batch: Batch,
    read: u64,
}

/// Resources of one kind that wait to be written, and where they stand.
#[derive(Default)]
struct Batch {
    rows: Option<Rows>,
    lines: Vec<u64>,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<Option<Value>, LinesFault> {
        loop {
            let mut text = String::new();
            self.line += 1;
            let length = (&mut *self.input).take(LONGEST).read_line(&mut text)?;
            if length == 0 {
                return Ok(None);
            }
            if text.trim().is_empty() {
                continue;
            }
            let line = self.line;
            return parsed(&text)
                .map(Some)
                .map_err(|reason| LinesFault::Line { line, reason });
        }
    }

    /// Reads the first line; returns the keys of the secrets.
    fn header(&mut self, passphrase: Option<&str>) -> Result<Option<KeyRing>, LinesFault> {
        let first = self.next()?.ok_or(LinesFault::NoHeader)?;
        let header: Header = serde_json::from_value(first).map_err(|_| LinesFault::NoHeader)?;
        if header.corten_export != FORMAT {
            return Err(LinesFault::Format(header.corten_export));
        }
        let Some(salt) = header.salt else {
            return Ok(None);
        };
        let salt = hex::decode(&salt).ok_or(LinesFault::NoHeader)?;
        let passphrase = passphrase.ok_or(LinesFault::Locked)?;
        Ok(Some(KeyRing::from_passphrase(passphrase, &salt)?))
    }

    fn take(&mut self, item: Item) -> Result<(), LinesFault> {
        self.read += 1;
        // A batch has one kind, and rows keep their order.
        if self.batch.lines.len() >= BATCH {
            self.flush()?;
        }
        let other_kind = match &mut self.batch.rows {
            Some(rows) => push(rows, item),
            None => Some(item),
        };
        if let Some(item) = other_kind {
            self.flush()?;
            self.batch.rows = Some(first(item));
        }
        self.batch.lines.push(self.line);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), LinesFault> {
        let lines = std::mem::take(&mut self.batch.lines);
        let Some(rows) = self.batch.rows.take() else {
            return Ok(());
        };
        match self.load.put(rows)?.into_iter().next() {
            None => Ok(()),
            Some(rejection) => Err(LinesFault::Refused {
                line: lines.get(rejection.at).copied().unwrap_or(0),
                reason: rejection.reason,
            }),
        }
    }
}

/// One line. Somebody else may have written it, so what it takes of the memory is counted before.
fn parsed(text: &str) -> Result<Value, String> {
    Shape::within_bounds(text.as_bytes()).map_err(|error| error.to_string())?;
    // Where, but not what: it may be a secret.
    serde_json::from_str(text)
        .map_err(|error| format!("not JSON from column {} on", error.column()))
}

/// Adds a resource to rows of its kind; gives back one of another kind.
fn push(rows: &mut Rows, item: Item) -> Option<Item> {
    match (rows, item) {
        (Rows::Chassis(rows), Item::Chassis(row)) => rows.push(row),
        (Rows::Nodes(rows), Item::Node(row)) => rows.push(*row),
        (Rows::Portgroups(rows), Item::Portgroup(row)) => rows.push(row),
        (Rows::Ports(rows), Item::Port(row)) => rows.push(row),
        (Rows::Connectors(rows), Item::VolumeConnector(row)) => rows.push(row),
        (Rows::Targets(rows), Item::VolumeTarget(row)) => rows.push(row),
        (Rows::Bios(rows), Item::BiosSetting(row)) => rows.push(row),
        (Rows::Firmware(rows), Item::FirmwareComponent(row)) => rows.push(row),
        (Rows::Inventories(rows), Item::Inventory(row)) => rows.push(row),
        (Rows::History(rows), Item::History(row)) => rows.push(row),
        (Rows::Allocations(rows), Item::Allocation(row)) => rows.push(row),
        (Rows::DeployTemplates(rows), Item::DeployTemplate(row)) => rows.push(row),
        (Rows::Runbooks(rows), Item::Runbook(row)) => rows.push(row),
        (Rows::InspectionRules(rows), Item::InspectionRule(row)) => rows.push(row),
        (_, item) => return Some(item),
    }
    None
}

/// Rows of the kind of a resource, with that one.
fn first(item: Item) -> Rows {
    match item {
        Item::Chassis(row) => Rows::Chassis(vec![row]),
        Item::Node(row) => Rows::Nodes(vec![*row]),
        Item::Portgroup(row) => Rows::Portgroups(vec![row]),
        Item::Port(row) => Rows::Ports(vec![row]),
        Item::VolumeConnector(row) => Rows::Connectors(vec![row]),
        Item::VolumeTarget(row) => Rows::Targets(vec![row]),
        Item::BiosSetting(row) => Rows::Bios(vec![row]),
        Item::FirmwareComponent(row) => Rows::Firmware(vec![row]),
        Item::Inventory(row) => Rows::Inventories(vec![row]),
        Item::History(row) => Rows::History(vec![row]),
        Item::Allocation(row) => Rows::Allocations(vec![row]),
        Item::DeployTemplate(row) => Rows::DeployTemplates(vec![row]),
        Item::Runbook(row) => Rows::Runbooks(vec![row]),
        Item::InspectionRule(row) => Rows::InspectionRules(vec![row]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sealed(keys: &KeyRing, value: Value) -> Value {
        let mut value = value;
        let (subject, document) = resource(&mut value).unwrap();
        seal(keys, document, &subject).unwrap();
        value
    }

    fn opened(keys: &KeyRing, value: &Value) -> Option<Value> {
        let mut value = value.clone();
        let (subject, document) = resource(&mut value).unwrap();
        open(keys, document, &subject).ok()?;
        Some(value)
    }

    #[test]
    fn a_line_takes_no_more_memory_than_its_size_justifies() {
        assert!(parsed("{\"node\": {\"extra\": [[0], [0]]}}").is_ok());
        let dense = format!("[{}0]", "[0],".repeat(2 << 20));
        let told = parsed(&dense).unwrap_err();
        assert!(told.contains("too many values for its size"), "{told}");
        let told = parsed("{\"admin_password\": nonsense}").unwrap_err();
        let is_brief = told.starts_with("not JSON from column ") && !told.contains("nonsense");
        assert!(is_brief, "{told}");
    }

    #[test]
    fn a_secret_opens_in_its_own_resource_only() {
        let keys = KeyRing::ephemeral().unwrap();
        let node = |id: &str| json!({"node": {"id": id, "driver_info": {"ipmi_password": id}}});
        let (first, second) = (sealed(&keys, node("a")), sealed(&keys, node("b")));
        assert_eq!(opened(&keys, &first), Some(node("a")));
        let mut moved = second.clone();
        moved["node"]["driver_info"] = first["node"]["driver_info"].clone();
        assert_eq!(opened(&keys, &moved), None);
        let mut other_kind = json!({"volume_target": second["node"]});
        assert_eq!(opened(&keys, &other_kind), None);
        other_kind = json!({"node": second["node"]});
        assert_eq!(opened(&keys, &other_kind), Some(node("b")));

        let part = |name: &str| {
            let row = json!({"name": name, "admin_password": "x"});
            json!({"bios_setting": {"node": "a", "row": row}})
        };
        let mut renamed = sealed(&keys, part("one"));
        assert_eq!(opened(&keys, &renamed), Some(part("one")));
        renamed["bios_setting"]["row"]["name"] = "two".into();
        assert_eq!(opened(&keys, &renamed), None);
    }
}
