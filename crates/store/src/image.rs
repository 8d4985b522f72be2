//! The image store's rows: what each image is, who works on it, and which conductor has its bytes.
//!
//! A writer names the version of the row that it read. Who fetches an image raises the version when
//! it begins ([`claim`]) and names that one with everything it writes; so a request to fetch it
//! again, or to remove it, ends the work under way: its next write is refused.

mod copies;

pub use copies::{add_copy, copies_of, held_by, remove_copy};

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    fit::Widths,
};
use serde_json::Value;
use std::{collections::HashSet, sync::LazyLock};
use types::{
    ImageId, NodeId, Timestamp,
    image::{ContentId, ImageContent, ImageName, ImageSource, ImageState, SCHEME, StoredImage},
    lease::Holder,
};

/// How many images there may be.
pub const MOST: i64 = 1000;
/// The longest error that is kept.
const MOST_ERROR: usize = 2000;

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "name",
    "origin",
    "checksum_origin",
    "checksum",
    "source",
    "state",
    "content",
    "content_size",
    "survey",
    "fetched_at",
    "holder",
    "holder_epoch",
    "done_bytes",
    "total_bytes",
    "last_error",
    "created_at",
    "updated_at",
];
static WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::of("images"));
static SELECT: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM images", COLUMNS.join(", ")));

/// What came of storing a new image.
#[derive(Debug)]
pub enum Inserted {
    Row(Box<StoredImage>),
    NameTaken,
    /// There are [`MOST`] already.
    TooMany,
}

/// All images by name.
pub async fn list(db: &Db) -> Result<Vec<StoredImage>, StoreError> {
    db.read(|conn| conn.query(&format!("{} ORDER BY name", *SELECT), &[], decode))
        .await
}

/// The image with this UUID.
pub async fn find(db: &Db, id: ImageId) -> Result<Option<StoredImage>, StoreError> {
    db.get(move |conn| load(conn, id)).await
}

/// The image of this name.
pub async fn named(db: &Db, name: &ImageName) -> Result<Option<StoredImage>, StoreError> {
    let name = name.as_str().to_owned();
    db.get(move |conn| {
        let sql = format!("{} WHERE name = $1", *SELECT);
        conn.query_opt(&sql, &[name.as_str().into()], decode)
    })
    .await
}

/// The images that something is to be done about, or being done.
pub async fn unsettled(db: &Db) -> Result<Vec<StoredImage>, StoreError> {
    db.read(|conn| {
        let sql = format!("{} WHERE state IN ($1, $2, $3) ORDER BY id", *SELECT);
        let states = [
            ImageState::Queued,
            ImageState::Fetching,
            ImageState::Uploading,
        ];
        conn.query(&sql, &states.map(|state| state.as_str().into()), decode)
    })
    .await
}

fn load(conn: &mut Conn, id: ImageId) -> Result<Option<StoredImage>, StoreError> {
    let sql = format!("{} WHERE uuid = $1", *SELECT);
    conn.query_opt(&sql, &[id.to_string().into()], decode)
}

/// Stores a new image that comes from `source`.
pub async fn insert(
    db: &Db,
    image: StoredImage,
    source: ImageSource,
) -> Result<Inserted, StoreError> {
    let keys = db.keys().clone();
    let stored = db
        .write(move |conn| {
            if conn
                .number("SELECT COUNT(*) FROM images", &[])?
                .unwrap_or(0)
                >= MOST
            {
                return Ok(Inserted::TooMany);
            }
            let taken = "SELECT COUNT(*) FROM images WHERE name = $1";
            if conn.number(taken, &[image.name.as_str().into()])? != Some(0) {
                return Ok(Inserted::NameTaken);
            }
            let id = image.id.to_string();
            let open = serde_json::to_value(&source)
                .map_err(|error| StoreError::Secret(error.to_string()))?;
            let sealed = keys.seal(&open, &id)?;
            const INSERT: &str = "INSERT INTO images (uuid, name, origin, checksum_origin, \
                checksum, source, state, total_bytes, version, done_bytes, created_at) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, $9)";
            let values: [P<'_>; 9] = [
                id.as_str().into(),
                image.name.as_str().into(),
                image.origin.as_deref().into(),
                image.checksum_origin.as_deref().into(),
                image.checksum.as_deref().into(),
                P::json(&sealed),
                image.state.as_str().into(),
                image.total_bytes.map(signed).into(),
                image.created_at.into(),
            ];
            WIDTHS.check(&INSERTED, &values)?;
            conn.execute(INSERT, &values)?;
            match load(conn, image.id)? {
                Some(row) => Ok(Inserted::Row(Box::new(row))),
                None => Err(StoreError::NotFound),
            }
        })
        .await;
    match stored {
        // Another process was faster.
        Err(error) if error.violated_index().as_deref() == Some("images_name") => {
            Ok(Inserted::NameTaken)
        }
        other => other,
    }
}

/// The columns of an insert that a client fills, for what does not fit.
static INSERTED: [&str; 5] = ["uuid", "name", "origin", "checksum_origin", "checksum"];

/// Where an image comes from.
pub fn source_of(db: &Db, image: &StoredImage) -> Result<ImageSource, StoreError> {
    let open = db.keys().open(&image.source, &image.id.to_string())?;
    serde_json::from_value(open).map_err(|error| StoreError::Corrupt {
        table: "images",
        column: "source".to_owned(),
        reason: error.to_string(),
    })
}

/// Has an image fetched again; what it has stays until then. Ends work under way.
pub async fn requeue(db: &Db, id: ImageId) -> Result<StoredImage, StoreError> {
    db.write(move |conn| {
        const AGAIN: &str = "UPDATE images SET state = $1, holder = NULL, holder_epoch = NULL, \
            done_bytes = 0, total_bytes = NULL, last_error = NULL, version = version + 1, \
            updated_at = $2 WHERE uuid = $3";
        let values = [
            ImageState::Queued.as_str().into(),
            Timestamp::now().into(),
            id.to_string().into(),
        ];
        conn.execute_on(AGAIN, &values)?;
        load(conn, id)?.ok_or(StoreError::NotFound)
    })
    .await
}

/// Removes an image. Its bytes go when the conductors that have them notice.
pub async fn delete(db: &Db, id: ImageId) -> Result<(), StoreError> {
    db.write(move |conn| {
        conn.execute_on(
            "DELETE FROM images WHERE uuid = $1",
            &[id.to_string().into()],
        )
    })
    .await
}

/// The right to write about an image: its row has this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageFence {
    pub id: ImageId,
    pub version: i64,
}

/// Takes on the work on an image as it was read; fails as stale if that has changed.
pub async fn claim(
    db: &Db,
    image: &StoredImage,
    me: &Holder,
    state: ImageState,
) -> Result<ImageFence, StoreError> {
    let (id, version, me) = (image.id, image.version, me.clone());
    db.write(move |conn| {
        const CLAIM: &str = "UPDATE images SET state = $1, holder = $2, holder_epoch = $3, \
            done_bytes = 0, version = version + 1, updated_at = $4 \
            WHERE uuid = $5 AND version = $6";
        let values = [
            state.as_str().into(),
            me.host.as_str().into(),
            me.epoch.into(),
            Timestamp::now().into(),
        ];
        fenced(conn, CLAIM, &values, ImageFence { id, version })?;
        let version = version + 1;
        Ok(ImageFence { id, version })
    })
    .await
}

/// Writes how far the work is.
pub async fn progress(
    db: &Db,
    fence: ImageFence,
    done: u64,
    total: Option<u64>,
) -> Result<(), StoreError> {
    db.write(move |conn| {
        const MOVE: &str = "UPDATE images SET done_bytes = $1, total_bytes = $2, updated_at = $3 \
            WHERE uuid = $4 AND version = $5";
        let values = [
            signed(done).into(),
            total.map(signed).into(),
            Timestamp::now().into(),
        ];
        fenced(conn, MOVE, &values, fence)
    })
    .await
}

/// The work is done: the image is this from now on.
pub async fn finish(db: &Db, fence: ImageFence, content: ImageContent) -> Result<(), StoreError> {
    db.write(move |conn| {
        const DONE: &str = "UPDATE images SET state = $1, content = $2, content_size = $3, \
            survey = $4, fetched_at = $5, holder = NULL, holder_epoch = NULL, done_bytes = $6, \
            total_bytes = $7, last_error = NULL, version = version + 1, updated_at = $8 \
            WHERE uuid = $9 AND version = $10";
        let size = signed(content.size);
        let values = [
            ImageState::Ready.as_str().into(),
            content.id.as_str().into(),
            size.into(),
            P::json(&content.survey),
            content.fetched_at.into(),
            size.into(),
            size.into(),
            Timestamp::now().into(),
        ];
        fenced(conn, DONE, &values, fence)
    })
    .await
}

/// The work failed. An image that had content keeps it and stays ready.
pub async fn fail(db: &Db, fence: ImageFence, error: &str) -> Result<(), StoreError> {
    let error: String = error.chars().take(MOST_ERROR).collect();
    db.write(move |conn| {
        const FAILED: &str = "UPDATE images SET \
            state = CASE WHEN content IS NULL THEN $1 ELSE $2 END, last_error = $3, \
            holder = NULL, holder_epoch = NULL, version = version + 1, updated_at = $4 \
            WHERE uuid = $5 AND version = $6";
        let values = [
            ImageState::Failed.as_str().into(),
            ImageState::Ready.as_str().into(),
            error.as_str().into(),
            Timestamp::now().into(),
        ];
        fenced(conn, FAILED, &values, fence)
    })
    .await
}

/// Every content that an image has.
pub async fn wanted(db: &Db) -> Result<HashSet<ContentId>, StoreError> {
    db.read(|conn| {
        const SQL: &str = "SELECT DISTINCT content FROM images WHERE content IS NOT NULL";
        let read = |row: &Row<'_>| Reader::new(row, "images", &["content"]).parsed();
        Ok(conn.query(SQL, &[], read)?.into_iter().collect())
    })
    .await
}

/// The nodes whose instance is of this image, with their names.
pub async fn users(db: &Db, name: &ImageName) -> Result<Vec<(NodeId, Option<String>)>, StoreError> {
    let reference = format!("{SCHEME}{name}");
    db.read(move |conn| {
        const SQL: &str =
            "SELECT uuid, name, instance_info FROM nodes WHERE instance_info LIKE $1 ORDER BY id";
        let like = format!("%\"{reference}\"%");
        let found = conn.query(SQL, &[like.as_str().into()], |row| {
            let r = &mut Reader::new(row, "nodes", &["uuid", "name", "instance_info"]);
            let node = (r.parsed()?, r.opt_text()?);
            let source = r.map()?.remove("image_source");
            // An underscore in the name stands for any letter above.
            Ok((source == Some(Value::from(reference.as_str()))).then_some(node))
        })?;
        Ok(found.into_iter().flatten().collect())
    })
    .await
}

/// Runs a statement whose last two values are those of the fence.
fn fenced(
    conn: &mut Conn,
    sql: &str,
    values: &[P<'_>],
    fence: ImageFence,
) -> Result<(), StoreError> {
    let mut params = values.to_vec();
    params.extend([fence.id.to_string().into(), fence.version.into()]);
    match conn.execute(sql, &params)? {
        0 => Err(StoreError::Stale),
        _ => Ok(()),
    }
}

/// Sizes fit: no file is larger.
fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

fn decode(row: &Row<'_>) -> Result<StoredImage, StoreError> {
    let r = &mut Reader::new(row, "images", COLUMNS);
    let (id, version, name) = (r.parsed()?, r.int()?, r.parsed()?);
    let (origin, checksum_origin, checksum) = (r.opt_text()?, r.opt_text()?, r.opt_text()?);
    let (source, state) = (r.json()?, r.parsed()?);
    let content: Option<ContentId> = r.opt_parsed()?;
    let (size, survey, fetched_at) = (r.opt_int()?, r.opt_text()?, r.opt_time()?);
    let content = match (content, size, survey, fetched_at) {
        (Some(id), Some(size), Some(survey), Some(fetched_at)) => Some(ImageContent {
            id,
            size: size.unsigned_abs(),
            survey: serde_json::from_str(&survey).map_err(|error| StoreError::Corrupt {
                table: "images",
                column: "survey".to_owned(),
                reason: error.to_string(),
            })?,
            fetched_at,
        }),
        _ => None,
    };
    let (holder, epoch) = (r.opt_text()?, r.opt_int()?);
    Ok(StoredImage {
        id,
        version,
        name,
        origin,
        checksum_origin,
        checksum,
        source,
        state,
        content,
        holder: holder
            .zip(epoch)
            .map(|(host, epoch)| Holder { host, epoch }),
        done_bytes: r.int()?.unsigned_abs(),
        total_bytes: r.opt_int()?.map(i64::unsigned_abs),
        last_error: r.opt_text()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
    })
}
