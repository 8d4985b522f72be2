//! Which conductor has which bytes.
//!
//! A row is written before the file gets its name and removed after the file is: there may be a row
//! without a file, which costs a reader one question in vain, but no file without a row.

use crate::{
    Db, StoreError,
    conn::{Reader, Row},
};
use std::collections::HashSet;
use types::{
    Timestamp,
    image::{ContentId, ImageCopy},
};

/// Notes that a conductor has, or is about to have, a content.
pub async fn add_copy(db: &Db, copy: ImageCopy) -> Result<(), StoreError> {
    db.write(move |conn| {
        const UPDATE: &str =
            "UPDATE image_copies SET url = $1 WHERE content = $2 AND conductor = $3";
        const INSERT: &str = "INSERT INTO image_copies (url, content, conductor, created_at) \
            VALUES ($1, $2, $3, $4)";
        let known = [
            copy.url.as_deref().into(),
            copy.content.as_str().into(),
            copy.conductor.as_str().into(),
        ];
        if conn.execute(UPDATE, &known)? > 0 {
            return Ok(());
        }
        let mut values = known.to_vec();
        values.push(Timestamp::now().into());
        conn.execute(INSERT, &values).map(|_| ())
    })
    .await
}

/// Forgets that a conductor has a content.
pub async fn remove_copy(db: &Db, content: &ContentId, conductor: &str) -> Result<(), StoreError> {
    let (content, conductor) = (content.clone(), conductor.to_owned());
    db.write(move |conn| {
        const SQL: &str = "DELETE FROM image_copies WHERE content = $1 AND conductor = $2";
        conn.execute(SQL, &[content.as_str().into(), (&conductor).into()])
            .map(|_| ())
    })
    .await
}

/// Who has a content.
pub async fn copies_of(db: &Db, content: &ContentId) -> Result<Vec<ImageCopy>, StoreError> {
    let content = content.clone();
    db.read(move |conn| {
        const SQL: &str = "SELECT content, conductor, url, created_at FROM image_copies \
            WHERE content = $1 ORDER BY id";
        conn.query(SQL, &[content.as_str().into()], |row| {
            let columns = &["content", "conductor", "url", "created_at"];
            let r = &mut Reader::new(row, "image_copies", columns);
            Ok(ImageCopy {
                content: r.parsed()?,
                conductor: r.text()?,
                url: r.opt_text()?,
                created_at: r.time()?,
            })
        })
    })
    .await
}

/// What a conductor has.
pub async fn held_by(db: &Db, conductor: &str) -> Result<HashSet<ContentId>, StoreError> {
    let conductor = conductor.to_owned();
    db.read(move |conn| {
        const SQL: &str = "SELECT content FROM image_copies WHERE conductor = $1";
        let read = |row: &Row<'_>| Reader::new(row, "image_copies", &["content"]).parsed();
        let held = conn.query(SQL, &[(&conductor).into()], read)?;
        Ok(held.into_iter().collect())
    })
    .await
}
