//! Groups of local users.

use super::{
    Added, Author, Changed,
    change::record,
    taken_if_violated,
    user::{self, subject},
};
use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    fit::Widths,
};
use std::sync::LazyLock;
use types::{
    Timestamp,
    account::{AccountChangeKind as Kind, GroupName, LocalGroup, RoleHolder, UserName},
};

/// How many groups there may be.
pub const MOST: i64 = 1000;
/// In how many groups a user may be: each of them is looked at with every request of the user.
pub const MOST_OF_USER: i64 = 64;

const COLUMNS: &[&str] = &["name", "description", "created_at"];
const SELECT: &str = "SELECT name, description, created_at FROM local_groups";
static WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::of("local_groups"));
static INSERTED: [&str; 2] = ["name", "description"];

/// All groups by name.
pub async fn list(db: &Db) -> Result<Vec<LocalGroup>, StoreError> {
    db.read(|conn| conn.query(&format!("{SELECT} ORDER BY name"), &[], decode))
        .await
}

/// The group of this name.
pub async fn find(db: &Db, name: &GroupName) -> Result<Option<LocalGroup>, StoreError> {
    let name = name.clone();
    db.get(move |conn| load(conn, &name)).await
}

pub(super) fn load(conn: &mut Conn, name: &GroupName) -> Result<Option<LocalGroup>, StoreError> {
    let sql = format!("{SELECT} WHERE name = $1");
    conn.query_opt(&sql, &[name.as_str().into()], decode)
}

/// Who is in a group, by name.
pub async fn members(db: &Db, name: &GroupName) -> Result<Vec<UserName>, StoreError> {
    let name = name.clone();
    db.read(move |conn| {
        const SQL: &str = "SELECT user_name FROM local_members WHERE group_name = $1 \
            ORDER BY user_name";
        conn.query(SQL, &[name.as_str().into()], |row| {
            Reader::new(row, "local_members", &["user_name"]).parsed()
        })
    })
    .await
}

/// The groups of a user, by name.
pub async fn of(db: &Db, user: &UserName) -> Result<Vec<GroupName>, StoreError> {
    let user = user.clone();
    db.read(move |conn| of_user(conn, &user)).await
}

pub(super) fn of_user(conn: &mut Conn, user: &UserName) -> Result<Vec<GroupName>, StoreError> {
    const SQL: &str = "SELECT group_name FROM local_members WHERE user_name = $1 \
        ORDER BY group_name";
    conn.query(SQL, &[user.as_str().into()], |row| {
        Reader::new(row, "local_members", &["group_name"]).parsed()
    })
}

pub async fn insert(
    db: &Db,
    name: &GroupName,
    description: Option<String>,
    author: Author,
) -> Result<Added, StoreError> {
    let name = name.clone();
    let added = db
        .write(move |conn| {
            let count = conn.number("SELECT COUNT(*) FROM local_groups", &[])?;
            if load(conn, &name)?.is_some() {
                return Ok(Added::Taken);
            }
            if count.unwrap_or(0) >= MOST {
                return Ok(Added::TooMany);
            }
            const INSERT: &str = "INSERT INTO local_groups (name, description, created_at) \
                VALUES ($1, $2, $3)";
            let values: [P<'_>; 3] = [
                name.as_str().into(),
                description.as_deref().into(),
                Timestamp::now().into(),
            ];
            WIDTHS.check(&INSERTED, &values)?;
            conn.execute(INSERT, &values)?;
            let (subject, text) = (holder(&name), format!("group {name} was added"));
            record(conn, &author, Kind::GroupAdded, &subject, &text)?;
            Ok(Added::Done)
        })
        .await;
    taken_if_violated(added)
}

/// Removes a group with its roles; [`StoreError::NotFound`] if there is none.
pub async fn delete(db: &Db, name: &GroupName, author: Author) -> Result<(), StoreError> {
    let name = name.clone();
    db.write(move |conn| {
        let is = [P::from(name.as_str())];
        conn.execute_on("DELETE FROM local_groups WHERE name = $1", &is)?;
        conn.execute("DELETE FROM local_members WHERE group_name = $1", &is)?;
        let subject = holder(&name);
        conn.execute(
            "DELETE FROM local_roles WHERE holder = $1",
            &[subject.as_str().into()],
        )?;
        let text = format!("group {name} was removed, with its roles");
        record(conn, &author, Kind::GroupRemoved, &subject, &text)
    })
    .await
}

/// Puts a user into a group.
pub async fn add_member(
    db: &Db,
    group: &GroupName,
    member: &UserName,
    author: Author,
) -> Result<Changed, StoreError> {
    let (group, member) = (group.clone(), member.clone());
    db.write(move |conn| {
        if load(conn, &group)?.is_none() || user::load(conn, &member)?.is_none() {
            return Ok(Changed::Nobody);
        }
        let groups = of_user(conn, &member)?;
        if groups.contains(&group) {
            return Ok(Changed::Already);
        }
        if i64::try_from(groups.len()).unwrap_or(i64::MAX) >= MOST_OF_USER {
            return Ok(Changed::TooMany);
        }
        conn.execute(
            "INSERT INTO local_members (group_name, user_name) VALUES ($1, $2)",
            &[group.as_str().into(), member.as_str().into()],
        )?;
        let text = format!("user {member} is in group {group} now");
        record(conn, &author, Kind::MemberAdded, &subject(&member), &text)?;
        Ok(Changed::Done)
    })
    .await
}

/// Takes a user out of a group.
pub async fn remove_member(
    db: &Db,
    group: &GroupName,
    member: &UserName,
    author: Author,
) -> Result<Changed, StoreError> {
    let (group, member) = (group.clone(), member.clone());
    db.write(move |conn| {
        let removed = conn.execute(
            "DELETE FROM local_members WHERE group_name = $1 AND user_name = $2",
            &[group.as_str().into(), member.as_str().into()],
        )?;
        if removed == 0 {
            return Ok(Changed::Already);
        }
        let text = format!("user {member} is no longer in group {group}");
        record(conn, &author, Kind::MemberRemoved, &subject(&member), &text)?;
        Ok(Changed::Done)
    })
    .await
}

fn holder(name: &GroupName) -> String {
    RoleHolder::Group(name.clone()).to_string()
}

fn decode(row: &Row<'_>) -> Result<LocalGroup, StoreError> {
    let r = &mut Reader::new(row, "local_groups", COLUMNS);
    Ok(LocalGroup {
        name: r.parsed()?,
        description: r.opt_text()?,
        created_at: r.time()?,
    })
}
