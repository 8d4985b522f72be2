//! Large config drives, stored in parts beside the row of their node.
//!
//! A node is read and written whole, and copied on its way. A config drive of 64 MiB must not travel
//! with it. One larger than [`INLINE`] is stored here before the node is written, and the node's
//! `instance_info` gets a short [`DriveRef`] instead. Reading and writing hold one part in memory.
//!
//! A request may be refused after its drive was stored, and a node may lose its drive: [`purge`]
//! removes drives that no node refers to.

use crate::{
    Db, KeyRing, StoreError,
    conn::{Conn, Reader},
    node,
};
use serde_json::{Value, json};
use std::{fmt, io, str::FromStr};
use types::{Node, NodeId, Timestamp};
use uuid::Uuid;

/// A drive of at most so many bytes stays in `instance_info`.
pub const INLINE: usize = 64 << 10;
/// Bytes in a part. It must fit into a packet of a database server, which is 16 MiB by default.
const PART: usize = 1 << 20;
/// So much memory is reserved for a drive before its parts are read.
const MOST_RESERVED: usize = 128 << 20;
/// The key of `instance_info` that has the drive.
pub(crate) const KEY: &str = "configdrive";
/// How a reference begins. No config drive does: this is neither base64 nor an address.
const PREFIX: &str = "corten:config-drive:";

/// What a node has instead of a large config drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriveRef {
    drive: Uuid,
    /// The length of the drive as JSON text.
    bytes: u64,
}

impl DriveRef {
    /// The reference in an opened `configdrive`, if it is one.
    pub fn of(value: &Value) -> Option<Self> {
        value.as_str()?.parse().ok()
    }

    /// The length of the drive as JSON text.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many parts the drive can have at most: a cut never falls into a character.
    fn most_parts(&self) -> u64 {
        self.bytes / (PART as u64 - 4) + 1
    }
}

impl fmt::Display for DriveRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}:{}", self.drive, self.bytes)
    }
}

impl FromStr for DriveRef {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (drive, bytes) = text
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split_once(':'))
            .ok_or(())?;
        Ok(Self {
            drive: drive.parse().map_err(|_| ())?,
            bytes: bytes.parse().map_err(|_| ())?,
        })
    }
}

/// Stores a large config drive of a node that exists; returns what the node gets as `configdrive`:
/// a reference, or the drive itself if it is small.
pub async fn put(db: &Db, node: NodeId, drive: Value) -> Result<Value, StoreError> {
    if drive.as_str().is_some_and(|text| text.len() <= INLINE) {
        return Ok(drive);
    }
    let keys = db.keys().clone();
    // One part is written while the next one is sealed.
    let (sender, mut sealed) = tokio::sync::mpsc::channel(1);
    let cut = tokio::task::spawn_blocking(move || {
        cut(&keys, node, drive, |part| {
            // The other end is gone when a part could not be written, and says why.
            sender
                .blocking_send(part)
                .map_err(|_| StoreError::Secret("a part of the config drive was not stored".into()))
        })
    });
    while let Some(part) = sealed.recv().await {
        insert(db, part).await?;
    }
    cut.await.unwrap_or(Err(StoreError::Panicked))
}

/// As [`put`], as part of a transaction that will add the node's row.
pub(crate) fn put_within(
    conn: &mut Conn,
    keys: &KeyRing,
    node: NodeId,
    drive: Value,
) -> Result<Value, StoreError> {
    cut(keys, node, drive, |part| write(conn, &part))
}

/// Hands the parts of a large drive to `emit`; returns what the node gets.
fn cut(
    keys: &KeyRing,
    node: NodeId,
    drive: Value,
    emit: impl FnMut(Sealed) -> Result<(), StoreError>,
) -> Result<Value, StoreError> {
    let mut length = Counter(0);
    serialize(&drive, &mut length)?;
    if length.0 <= INLINE as u64 {
        return Ok(drive);
    }
    let stored = DriveRef {
        drive: Uuid::new_v4(),
        bytes: length.0,
    };
    let mut cutter = Cutter {
        pending: Vec::with_capacity(PART),
        next: 0,
        drive: stored.drive,
        node,
        keys,
        emit,
    };
    serialize(&drive, &mut cutter)?;
    let pending = std::mem::take(&mut cutter.pending);
    cutter.send(pending)?;
    Ok(Value::from(stored.to_string()))
}

/// A part of a drive as text, if the drive has so many.
pub async fn part(
    db: &Db,
    node: NodeId,
    drive: &DriveRef,
    number: u64,
) -> Result<Option<String>, StoreError> {
    let keys = db.keys().clone();
    let drive = drive.drive;
    // On a thread that may wait: a part takes some milliseconds to read and open.
    db.read(move |conn| part_within(conn, &keys, node, drive, number))
        .await
}

/// As [`part`], on a connection.
fn part_within(
    conn: &mut Conn,
    keys: &KeyRing,
    node: NodeId,
    drive: Uuid,
    number: u64,
) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT uuid, sealed FROM config_drive_parts \
        WHERE drive_uuid = $1 AND part = $2 AND node_uuid = $3";
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    let params = [
        drive.to_string().into(),
        number.into(),
        node.to_string().into(),
    ];
    let found = conn.query_opt(SQL, &params, |row| {
        let r = &mut Reader::new(row, "config_drive_parts", &["uuid", "sealed"]);
        Ok((r.text()?, r.json::<Value>()?))
    })?;
    let Some((uuid, sealed)) = found else {
        return Ok(None);
    };
    let damaged = || {
        StoreError::Secret(
            "a part of a config drive is damaged or was moved from another row".into(),
        )
    };
    match keys.open(&sealed, &uuid)? {
        Value::Array(mut opened)
            if opened.len() == 2 && opened[0] == place(node, drive, number) =>
        {
            match opened.pop() {
                Some(Value::String(text)) => Ok(Some(text)),
                _ => Err(damaged()),
            }
        }
        _ => Err(damaged()),
    }
}

/// As [`read`], on a connection.
pub(crate) fn read_within(
    conn: &mut Conn,
    keys: &KeyRing,
    node: NodeId,
    drive: &DriveRef,
) -> Result<Value, StoreError> {
    let mut text = String::new();
    for number in 0..drive.most_parts() {
        match part_within(conn, keys, node, drive.drive, number)? {
            Some(part) => text.push_str(&part),
            None => break,
        }
    }
    if text.len() as u64 != drive.bytes {
        return Err(incomplete(node, drive, text.len() as u64));
    }
    parse(text)
}

/// The whole drive.
pub async fn read(db: &Db, node: NodeId, drive: &DriveRef) -> Result<Value, StoreError> {
    // A client may write a text like a reference into `instance_info`, with a length that no memory
    // holds. So the length is believed only once the drive is known to be there, and up to a limit.
    let mut text = part(db, node, drive, 0).await?.unwrap_or_default();
    if !text.is_empty() {
        let length = usize::try_from(drive.bytes).unwrap_or(usize::MAX);
        text.reserve_exact(length.min(MOST_RESERVED).saturating_sub(text.len()));
    }
    for number in 1..drive.most_parts() {
        match part(db, node, drive, number).await? {
            Some(part) => text.push_str(&part),
            None => break,
        }
    }
    if text.len() as u64 != drive.bytes {
        return Err(incomplete(node, drive, text.len() as u64));
    }
    let parsed = tokio::task::spawn_blocking(move || parse(text)).await;
    parsed.unwrap_or(Err(StoreError::Panicked))
}

/// Whether all of a drive is there and opens.
pub async fn check(db: &Db, node: NodeId, drive: &DriveRef) -> Result<(), StoreError> {
    let mut found = 0;
    for number in 0..drive.most_parts() {
        match part(db, node, drive, number).await? {
            Some(part) => found += part.len() as u64,
            None => break,
        }
    }
    if found == drive.bytes {
        return Ok(());
    }
    Err(incomplete(node, drive, found))
}

/// Removes a drive that no node refers to.
pub async fn remove(db: &Db, node: NodeId, drive: &DriveRef) -> Result<(), StoreError> {
    remove_drive(db, node.to_string(), drive.drive.to_string()).await
}

/// Removes drives that were stored before a moment and that no node refers to; returns how many.
pub async fn purge(db: &Db, before: Timestamp) -> Result<u64, StoreError> {
    let stored: Vec<(NodeId, String)> = db
        .read(move |conn| {
            const SQL: &str = "SELECT node_uuid, drive_uuid FROM config_drive_parts \
                WHERE part = 0 AND created_at < $1 ORDER BY id";
            conn.query(SQL, &[before.into()], |row| {
                let columns = &["node_uuid", "drive_uuid"];
                let r = &mut Reader::new(row, "config_drive_parts", columns);
                Ok((r.parsed()?, r.text()?))
            })
        })
        .await?;
    let mut removed = 0;
    for (id, drive) in stored {
        let node = node::find(db, id).await?;
        let used = match &node {
            Some(node) => match referred(db.keys(), node) {
                Ok(used) => used,
                // Without its key it is not known which drive the node has.
                Err(_) => continue,
            },
            None => None,
        };
        if used.is_none_or(|used| used.drive.to_string() != drive) {
            remove_drive(db, id.to_string(), drive).await?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// How many parts of drives are stored.
pub async fn count(db: &Db) -> Result<i64, StoreError> {
    let sql = "SELECT COUNT(*) FROM config_drive_parts";
    Ok(db.read(|conn| conn.number(sql, &[])).await?.unwrap_or(0))
}

/// The stored drive that a node refers to.
pub fn referred(keys: &KeyRing, node: &Node) -> Result<Option<DriveRef>, StoreError> {
    match node.instance_info.get(KEY) {
        None | Some(Value::Null) => Ok(None),
        Some(sealed) => Ok(DriveRef::of(&keys.open(sealed, &node.id.to_string())?)),
    }
}

async fn remove_drive(db: &Db, node: String, drive: String) -> Result<(), StoreError> {
    db.write(move |conn| {
        const DELETE: &str =
            "DELETE FROM config_drive_parts WHERE drive_uuid = $1 AND node_uuid = $2";
        conn.execute(DELETE, &[(&drive).into(), (&node).into()])
            .map(|_| ())
    })
    .await
}

/// A part on its way to the database.
struct Sealed {
    uuid: Uuid,
    drive: Uuid,
    node: NodeId,
    number: i64,
    text: String,
}

async fn insert(db: &Db, part: Sealed) -> Result<(), StoreError> {
    db.write(move |conn: &mut Conn| {
        // The parts of a node go when it goes.
        node::hold(conn, &part.node.to_string())?;
        write(conn, &part)
    })
    .await
}

fn write(conn: &mut Conn, part: &Sealed) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO config_drive_parts \
        (uuid, version, drive_uuid, node_uuid, part, sealed, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let params = [
        part.uuid.to_string().into(),
        1.into(),
        part.drive.to_string().into(),
        part.node.to_string().into(),
        part.number.into(),
        (&part.text).into(),
        Timestamp::now().into(),
    ];
    conn.execute(INSERT, &params).map(|_| ())
}

/// What is sealed with a part, so that parts cannot be exchanged.
fn place(node: NodeId, drive: Uuid, number: i64) -> Value {
    json!(format!("{node} {drive} {number}"))
}

fn incomplete(node: NodeId, drive: &DriveRef, found: u64) -> StoreError {
    StoreError::Secret(format!(
        "the config drive of node {node} is incomplete: the database has {found} of {} bytes",
        drive.bytes
    ))
}

fn serialize(drive: &Value, to: &mut impl io::Write) -> Result<(), StoreError> {
    serde_json::to_writer(to, drive)
        .map_err(|error| StoreError::Secret(format!("cannot store a config drive: {error}")))
}

/// Most drives are base64, whose JSON text is the drive between quotes.
fn parse(mut text: String) -> Result<Value, StoreError> {
    if text.starts_with('"') && !text.contains('\\') {
        text.pop();
        text.remove(0);
        return Ok(Value::String(text));
    }
    serde_json::from_str(&text)
        .map_err(|error| StoreError::Secret(format!("a stored config drive is damaged: {error}")))
}

struct Counter(u64);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Cuts text into parts, seals them and hands them on.
struct Cutter<'k, F> {
    pending: Vec<u8>,
    next: i64,
    drive: Uuid,
    node: NodeId,
    keys: &'k KeyRing,
    emit: F,
}

impl<F: FnMut(Sealed) -> Result<(), StoreError>> Cutter<'_, F> {
    fn send(&mut self, bytes: Vec<u8>) -> Result<(), StoreError> {
        let text = String::from_utf8(bytes)
            .map_err(|_| StoreError::Secret("a config drive is not UTF-8 text".into()))?;
        let (uuid, number) = (Uuid::new_v4(), self.next);
        self.next += 1;
        let value = json!([place(self.node, self.drive, number), text]);
        drop(text);
        let sealed = self.keys.seal(&value, &uuid.to_string())?;
        let part = Sealed {
            uuid,
            drive: self.drive,
            node: self.node,
            number,
            text: sealed.to_string(),
        };
        (self.emit)(part)
    }
}

impl<F: FnMut(Sealed) -> Result<(), StoreError>> io::Write for Cutter<'_, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = PART - self.pending.len();
        let (now, _) = bytes.split_at(room.min(bytes.len()));
        self.pending.extend_from_slice(now);
        if self.pending.len() == PART {
            let is_middle = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
            let mut end = PART;
            // A character that is not complete yet belongs to the next part.
            let first = self.pending.iter().rposition(|byte| !is_middle(byte));
            if let Some(first) = first
                && std::str::from_utf8(&self.pending[first..]).is_err()
            {
                end = first;
            }
            let rest = self.pending.split_off(end);
            let whole = std::mem::replace(&mut self.pending, rest);
            self.send(whole).map_err(io::Error::other)?;
        }
        Ok(now.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Location, Upgrade, node::Log, rotate_secrets};

    struct Fixture {
        db: Db,
        node: NodeId,
        _folder: tempfile::TempDir,
    }

    async fn scene() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let keys = KeyRing::load_or_create(&folder.path().join("keys")).unwrap();
        let location = Location::Sqlite(folder.path().join("db"));
        let db = Db::open(&location, keys, Upgrade::Run).unwrap();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let node = node::insert(&db, node, Log::default()).await.unwrap().id;
        Fixture {
            db,
            node,
            _folder: folder,
        }
    }

    async fn rows(db: &Db) -> i64 {
        count(db).await.unwrap()
    }

    #[tokio::test]
    async fn every_drive_is_read_as_it_was_stored() {
        let s = scene().await;
        for (drive, parts) in [
            (json!("a".repeat(INLINE + 1)), 1),
            (json!("b".repeat(PART - 2)), 2),
            (json!("c".repeat(3 * PART + 7)), 4),
            (
                json!(format!("x{}", "ä€\u{1f600}\n\"\\".repeat(PART / 8))),
                2,
            ),
            (
                json!({"user_data": "d".repeat(PART), "meta_data": {"a": [1, null]}}),
                2,
            ),
        ] {
            let before = rows(&s.db).await;
            let stored = put(&s.db, s.node, drive.clone()).await.unwrap();
            let stored = DriveRef::of(&stored).expect("a reference");
            assert_eq!(rows(&s.db).await - before, parts);
            assert_eq!(stored.bytes(), drive.to_string().len() as u64);
            assert!(read(&s.db, s.node, &stored).await.unwrap() == drive);
            // It belongs to its node alone.
            let stranger = NodeId::generate();
            assert!(read(&s.db, stranger, &stored).await.is_err());
        }
        // A reference that a client made up names a length that no memory holds.
        let forged = format!("{PREFIX}{}:{}", Uuid::new_v4(), u64::MAX);
        let forged = DriveRef::of(&json!(forged)).expect("a reference");
        assert!(read(&s.db, s.node, &forged).await.is_err());
    }

    #[tokio::test]
    async fn small_drives_stay_where_they_are() {
        let s = scene().await;
        for drive in [
            json!("a".repeat(INLINE)),
            json!({"user_data": "b"}),
            json!(""),
        ] {
            assert_eq!(put(&s.db, s.node, drive.clone()).await.unwrap(), drive);
        }
        assert_eq!(rows(&s.db).await, 0);
        for client in ["corten:config-drive:", "corten:config-drive:a:1", "aGk="] {
            assert_eq!(DriveRef::of(&json!(client)), None);
        }
    }

    #[tokio::test]
    async fn parts_are_sealed_with_the_newest_key_and_cannot_be_exchanged() {
        let s = scene().await;
        let drive = json!("hush".repeat(PART / 2));
        let stored = put(&s.db, s.node, drive.clone()).await.unwrap();
        let stored = DriveRef::of(&stored).unwrap();
        s.db.keys().add_key().unwrap();
        assert_eq!(rotate_secrets(&s.db).await.unwrap().rewritten, 3);
        assert!(read(&s.db, s.node, &stored).await.unwrap() == drive);
        let clear = "SELECT COUNT(*) FROM config_drive_parts WHERE sealed LIKE '%hushhush%'";
        let clear =
            s.db.read(move |conn| conn.number(clear, &[]))
                .await
                .unwrap();
        assert_eq!(clear, Some(0));
        s.db.write(|conn| {
            conn.batch(
                "UPDATE config_drive_parts SET part = 9 WHERE part = 0; \
                 UPDATE config_drive_parts SET part = 0 WHERE part = 1; \
                 UPDATE config_drive_parts SET part = 1 WHERE part = 9;",
            )
        })
        .await
        .unwrap();
        let refused = read(&s.db, s.node, &stored).await.unwrap_err();
        assert!(
            refused.to_string().contains("moved from another row"),
            "{refused}"
        );
    }

    #[tokio::test]
    async fn drives_that_no_node_has_go() {
        let s = scene().await;
        let drive = async || {
            let stored = put(&s.db, s.node, json!("a".repeat(INLINE + 1))).await;
            stored.unwrap()
        };
        let (lost, kept) = (drive().await, drive().await);
        let mut node = node::find(&s.db, s.node).await.unwrap().unwrap();
        node.instance_info.insert(KEY.into(), kept.clone());
        node::save(&s.db, node, node::Fence::Free, Log::default())
            .await
            .unwrap();
        let later = Timestamp::now().plus_seconds(60);
        let earlier = Timestamp::now().plus_seconds(-60);
        assert_eq!(purge(&s.db, earlier).await.unwrap(), 0);
        assert_eq!(purge(&s.db, later).await.unwrap(), 1);
        let found = async |drive: &Value| {
            let drive = DriveRef::of(drive).unwrap();
            read(&s.db, s.node, &drive).await.is_ok()
        };
        assert!(!found(&lost).await && found(&kept).await);
        // With its node a drive goes at once.
        let node = node::find(&s.db, s.node).await.unwrap().unwrap();
        node::delete(&s.db, &node, Log::default()).await.unwrap();
        assert_eq!(rows(&s.db).await, 0);
        let orphan = put(&s.db, s.node, json!("a".repeat(INLINE + 1))).await;
        assert!(matches!(orphan, Err(StoreError::NotFound)));
    }
}
