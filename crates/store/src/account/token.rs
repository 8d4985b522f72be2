//! Tokens of local users. Only a hash of the secret is kept.

use super::{Added, Author, change::record, taken_if_violated, user};
use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
};
use std::sync::LazyLock;
use types::{
    AccessTokenId, Timestamp,
    account::{AccessToken, AccountChangeKind as Kind, RoleName, UserName},
};

/// How many tokens a user may have.
pub const MOST_OF_USER: i64 = 100;

const COLUMNS: &[&str] = &[
    "uuid",
    "user_name",
    "name",
    "place",
    "role_name",
    "created_at",
    "expires_at",
    "last_used_at",
];
static SELECT: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM local_tokens", COLUMNS.join(", ")));

/// All tokens, or those of one user, by user and name.
pub async fn list(db: &Db, user: Option<&UserName>) -> Result<Vec<AccessToken>, StoreError> {
    let user = user.cloned();
    db.read(move |conn| match &user {
        Some(user) => {
            let sql = format!("{} WHERE user_name = $1 ORDER BY name", *SELECT);
            conn.query(&sql, &[user.as_str().into()], decode)
        }
        None => conn.query(
            &format!("{} ORDER BY user_name, name", *SELECT),
            &[],
            decode,
        ),
    })
    .await
}

/// The token with this UUID.
pub async fn find(db: &Db, id: AccessTokenId) -> Result<Option<AccessToken>, StoreError> {
    db.get(move |conn| {
        let sql = format!("{} WHERE uuid = $1", *SELECT);
        conn.query_opt(&sql, &[id.to_string().into()], decode)
    })
    .await
}

/// The token whose secret has this hash.
pub(super) fn by_hash(conn: &mut Conn, hash: &str) -> Result<Option<AccessToken>, StoreError> {
    let sql = format!("{} WHERE secret_hash = $1", *SELECT);
    conn.query_opt(&sql, &[hash.into()], decode)
}

/// Stores a new token; [`StoreError::NotFound`] if its user is not there.
pub async fn insert(
    db: &Db,
    token: AccessToken,
    hash: String,
    author: Author,
) -> Result<Added, StoreError> {
    let added = db
        .write(move |conn| {
            if user::load(conn, &token.user)?.is_none() {
                return Err(StoreError::NotFound);
            }
            let of_user = [P::from(token.user.as_str())];
            let count = "SELECT COUNT(*) FROM local_tokens WHERE user_name = $1";
            if conn.number(count, &of_user)?.unwrap_or(0) >= MOST_OF_USER {
                return Ok(Added::TooMany);
            }
            let named = "SELECT COUNT(*) FROM local_tokens WHERE user_name = $1 AND name = $2";
            let is_named = [token.user.as_str().into(), token.name.as_str().into()];
            if conn.number(named, &is_named)? != Some(0) {
                return Ok(Added::Taken);
            }
            const INSERT: &str = "INSERT INTO local_tokens (uuid, user_name, name, secret_hash, \
                place, role_name, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
            let values: [P<'_>; 8] = [
                token.id.to_string().into(),
                token.user.as_str().into(),
                token.name.as_str().into(),
                hash.as_str().into(),
                token.place.as_ref().map(ToString::to_string).into(),
                token.role.as_ref().map(RoleName::as_str).into(),
                token.created_at.into(),
                token.expires_at.into(),
            ];
            conn.execute(INSERT, &values)?;
            let text = format!("token {} of user {} was created", token.name, token.user);
            let subject = user::subject(&token.user);
            record(conn, &author, Kind::TokenCreated, &subject, &text)?;
            Ok(Added::Done)
        })
        .await;
    taken_if_violated(added)
}

/// Revokes a token; [`StoreError::NotFound`] if there is none.
pub async fn delete(db: &Db, token: &AccessToken, author: Author) -> Result<(), StoreError> {
    let token = token.clone();
    db.write(move |conn| {
        conn.execute_on(
            "DELETE FROM local_tokens WHERE uuid = $1",
            &[token.id.to_string().into()],
        )?;
        let text = format!("token {} of user {} was revoked", token.name, token.user);
        let subject = user::subject(&token.user);
        record(conn, &author, Kind::TokenRevoked, &subject, &text)
    })
    .await
}

/// Remembers that a token was used at this time.
pub async fn used(db: &Db, id: AccessTokenId, at: Timestamp) -> Result<(), StoreError> {
    db.write(move |conn| {
        conn.execute(
            "UPDATE local_tokens SET last_used_at = $1 WHERE uuid = $2",
            &[at.into(), id.to_string().into()],
        )?;
        Ok(())
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<AccessToken, StoreError> {
    let r = &mut Reader::new(row, "local_tokens", COLUMNS);
    Ok(AccessToken {
        id: r.parsed()?,
        user: r.parsed()?,
        name: r.parsed()?,
        place: r.opt_parsed()?,
        role: r.opt_parsed()?,
        created_at: r.time()?,
        expires_at: r.opt_time()?,
        last_used_at: r.opt_time()?,
    })
}
