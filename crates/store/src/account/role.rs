//! Which roles users and groups have, and where.

use super::{Author, Changed, change::record, group, user};
use crate::{
    Db, StoreError,
    conn::{Conn, Reader, Row},
};
use types::{
    Timestamp,
    account::{AccountChangeKind as Kind, Grant, RoleHolder, RoleRow},
};

/// How many roles a user or a group may have: all are read with every request of a user.
pub const MOST: usize = 200;

const COLUMNS: &[&str] = &["holder", "place", "role_name", "created_at"];
const SELECT: &str = "SELECT holder, place, role_name, created_at FROM local_roles";

/// All roles, by who has them.
pub async fn list(db: &Db) -> Result<Vec<RoleRow>, StoreError> {
    db.read(|conn| {
        let sql = format!("{SELECT} ORDER BY holder, place, role_name");
        conn.query(&sql, &[], decode)
    })
    .await
}

/// The roles of a user or a group itself.
pub async fn of(db: &Db, holder: &RoleHolder) -> Result<Vec<Grant>, StoreError> {
    let holder = holder.clone();
    db.read(move |conn| of_holder(conn, &holder)).await
}

pub(super) fn of_holder(conn: &mut Conn, holder: &RoleHolder) -> Result<Vec<Grant>, StoreError> {
    let sql = format!("{SELECT} WHERE holder = $1 ORDER BY place, role_name");
    let rows = conn.query(&sql, &[holder.to_string().into()], decode)?;
    Ok(rows.into_iter().map(|row| row.grant).collect())
}

/// Gives somebody a role.
pub async fn grant(
    db: &Db,
    holder: &RoleHolder,
    grant: &Grant,
    author: Author,
) -> Result<Changed, StoreError> {
    let (holder, grant) = (holder.clone(), grant.clone());
    db.write(move |conn| {
        let is_there = match &holder {
            RoleHolder::User(name) => user::load(conn, name)?.is_some(),
            RoleHolder::Group(name) => group::load(conn, name)?.is_some(),
        };
        if !is_there {
            return Ok(Changed::Nobody);
        }
        let before = of_holder(conn, &holder)?;
        if before.contains(&grant) {
            return Ok(Changed::Already);
        }
        if before.len() >= MOST {
            return Ok(Changed::TooMany);
        }
        const INSERT: &str = "INSERT INTO local_roles (holder, place, role_name, created_at) \
            VALUES ($1, $2, $3, $4)";
        let subject = holder.to_string();
        let values = [
            subject.as_str().into(),
            grant.place.to_string().into(),
            grant.role.as_str().into(),
            Timestamp::now().into(),
        ];
        conn.execute(INSERT, &values)?;
        let text = format!("{subject} is {} in {} now", grant.role, grant.place);
        record(conn, &author, Kind::RoleGranted, &subject, &text)?;
        Ok(Changed::Done)
    })
    .await
}

/// Takes a role from somebody.
pub async fn revoke(
    db: &Db,
    holder: &RoleHolder,
    grant: &Grant,
    author: Author,
) -> Result<Changed, StoreError> {
    let (holder, grant) = (holder.clone(), grant.clone());
    db.write(move |conn| {
        let subject = holder.to_string();
        let values = [
            subject.as_str().into(),
            grant.place.to_string().into(),
            grant.role.as_str().into(),
        ];
        const DELETE: &str =
            "DELETE FROM local_roles WHERE holder = $1 AND place = $2 AND role_name = $3";
        if conn.execute(DELETE, &values)? == 0 {
            return Ok(Changed::Already);
        }
        let text = format!("{subject} is no longer {} in {}", grant.role, grant.place);
        record(conn, &author, Kind::RoleRevoked, &subject, &text)?;
        Ok(Changed::Done)
    })
    .await
}

fn decode(row: &Row<'_>) -> Result<RoleRow, StoreError> {
    let r = &mut Reader::new(row, "local_roles", COLUMNS);
    Ok(RoleRow {
        holder: r.parsed()?,
        grant: Grant {
            place: r.parsed()?,
            role: r.parsed()?,
        },
        created_at: r.time()?,
    })
}
