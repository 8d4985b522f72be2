//! Local users.

use super::{Added, Author, change::record, taken_if_violated};
use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    fit::Widths,
};
use std::sync::LazyLock;
use types::{
    Timestamp,
    account::{AccountChangeKind as Kind, LocalUser, PasswordHash, RoleHolder, UserName},
};

/// How many users there may be.
pub const MOST: i64 = 10_000;

const COLUMNS: &[&str] = &[
    "name",
    "description",
    "enabled",
    "password",
    "password_changed_at",
    "created_at",
    "updated_at",
];
static WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::of("local_users"));
static SELECT: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM local_users", COLUMNS.join(", ")));
static INSERTED: [&str; 2] = ["name", "description"];

/// A user to be added.
#[derive(Debug, Clone)]
pub struct NewUser {
    pub name: UserName,
    pub description: Option<String>,
    pub password: Option<PasswordHash>,
}

/// What is to be changed about a user; what is not given stays.
#[derive(Debug, Clone, Default)]
pub struct UserChange {
    pub description: Option<Option<String>>,
    pub enabled: Option<bool>,
}

/// All users by name.
pub async fn list(db: &Db) -> Result<Vec<LocalUser>, StoreError> {
    db.read(|conn| conn.query(&format!("{} ORDER BY name", *SELECT), &[], decode))
        .await
}

/// The user of this name.
pub async fn find(db: &Db, name: &UserName) -> Result<Option<LocalUser>, StoreError> {
    let name = name.clone();
    db.get(move |conn| load(conn, &name)).await
}

/// Whether there is any user.
pub async fn is_any(db: &Db) -> Result<bool, StoreError> {
    db.read(|conn| Ok(conn.number("SELECT COUNT(*) FROM local_users", &[])? != Some(0)))
        .await
}

pub(super) fn load(conn: &mut Conn, name: &UserName) -> Result<Option<LocalUser>, StoreError> {
    let sql = format!("{} WHERE name = $1", *SELECT);
    conn.query_opt(&sql, &[name.as_str().into()], decode)
}

pub async fn insert(db: &Db, new: NewUser, author: Author) -> Result<Added, StoreError> {
    let added = db
        .write(move |conn| {
            let count = conn.number("SELECT COUNT(*) FROM local_users", &[])?;
            if load(conn, &new.name)?.is_some() {
                return Ok(Added::Taken);
            }
            if count.unwrap_or(0) >= MOST {
                return Ok(Added::TooMany);
            }
            const INSERT: &str = "INSERT INTO local_users (name, description, enabled, password, \
                password_changed_at, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
            let now = Timestamp::now();
            let values: [P<'_>; 6] = [
                new.name.as_str().into(),
                new.description.as_deref().into(),
                true.into(),
                new.password.as_ref().map(PasswordHash::expose).into(),
                new.password.as_ref().map(|_| now).into(),
                now.into(),
            ];
            WIDTHS.check(&INSERTED, &values)?;
            conn.execute(INSERT, &values)?;
            let text = format!("user {} was added", new.name);
            record(conn, &author, Kind::UserAdded, &subject(&new.name), &text)?;
            Ok(Added::Done)
        })
        .await;
    taken_if_violated(added)
}

/// Changes a user; [`StoreError::NotFound`] if there is none.
pub async fn update(
    db: &Db,
    name: &UserName,
    change: UserChange,
    author: Author,
) -> Result<LocalUser, StoreError> {
    let name = name.clone();
    db.write(move |conn| {
        let before = load(conn, &name)?.ok_or(StoreError::NotFound)?;
        let description = change
            .description
            .clone()
            .unwrap_or_else(|| before.description.clone());
        let enabled = change.enabled.unwrap_or(before.enabled);
        const UPDATE: &str = "UPDATE local_users SET description = $1, enabled = $2, \
            updated_at = $3 WHERE name = $4";
        let values: [P<'_>; 4] = [
            description.as_deref().into(),
            enabled.into(),
            Timestamp::now().into(),
            name.as_str().into(),
        ];
        WIDTHS.check(&["description"], &values)?;
        conn.execute_on(UPDATE, &values)?;
        let (kind, what) = match (before.enabled, enabled) {
            (false, true) => (Kind::UserEnabled, "enabled"),
            (true, false) => (Kind::UserDisabled, "disabled"),
            _ => (Kind::UserChanged, "changed"),
        };
        let text = format!("user {name} was {what}");
        record(conn, &author, kind, &subject(&name), &text)?;
        load(conn, &name)?.ok_or(StoreError::NotFound)
    })
    .await
}

/// Gives a user another password; [`StoreError::NotFound`] if there is no such user.
pub async fn set_password(
    db: &Db,
    name: &UserName,
    password: PasswordHash,
    author: Author,
) -> Result<(), StoreError> {
    let name = name.clone();
    db.write(move |conn| {
        const UPDATE: &str = "UPDATE local_users SET password = $1, password_changed_at = $2, \
            updated_at = $3 WHERE name = $4";
        let now = Timestamp::now();
        let values = [
            password.expose().into(),
            now.into(),
            now.into(),
            name.as_str().into(),
        ];
        conn.execute_on(UPDATE, &values)?;
        let text = format!("user {name} has another password");
        record(conn, &author, Kind::PasswordChanged, &subject(&name), &text)
    })
    .await
}

/// Removes a user with its roles and tokens; [`StoreError::NotFound`] if there is none.
pub async fn delete(db: &Db, name: &UserName, author: Author) -> Result<(), StoreError> {
    let name = name.clone();
    db.write(move |conn| {
        let is = [P::from(name.as_str())];
        conn.execute_on("DELETE FROM local_users WHERE name = $1", &is)?;
        conn.execute("DELETE FROM local_members WHERE user_name = $1", &is)?;
        conn.execute("DELETE FROM local_tokens WHERE user_name = $1", &is)?;
        let subject = subject(&name);
        conn.execute(
            "DELETE FROM local_roles WHERE holder = $1",
            &[subject.as_str().into()],
        )?;
        let text = format!("user {name} was removed, with its roles and tokens");
        record(conn, &author, Kind::UserRemoved, &subject, &text)
    })
    .await
}

pub(super) fn subject(name: &UserName) -> String {
    RoleHolder::User(name.clone()).to_string()
}

fn decode(row: &Row<'_>) -> Result<LocalUser, StoreError> {
    let r = &mut Reader::new(row, "local_users", COLUMNS);
    Ok(LocalUser {
        name: r.parsed()?,
        description: r.opt_text()?,
        enabled: r.boolean()?,
        has_password: r.opt_text()?.is_some(),
        password_changed_at: r.opt_time()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
    })
}
