//! What a user is allowed at this moment, read at once.

use super::{group, role, token};
use crate::{
    Db, StoreError,
    conn::{Conn, Reader},
};
use types::account::{AccessToken, PasswordHash, RoleHolder, Standing, UserName};

/// The standing of a user; `None` if there is no such user.
pub async fn standing(db: &Db, user: &UserName) -> Result<Option<Standing>, StoreError> {
    let user = user.clone();
    db.get(move |conn| load(conn, &user)).await
}

/// The token whose secret has this hash, and the standing of its owner.
pub async fn standing_of_token(
    db: &Db,
    hash: &str,
) -> Result<Option<(AccessToken, Standing)>, StoreError> {
    let hash = hash.to_owned();
    db.get(move |conn| {
        let Some(token) = token::by_hash(conn, &hash)? else {
            return Ok(None);
        };
        let owner = load(conn, &token.user)?;
        Ok(owner.map(|owner| (token, owner)))
    })
    .await
}

fn load(conn: &mut Conn, user: &UserName) -> Result<Option<Standing>, StoreError> {
    const SQL: &str = "SELECT enabled, password FROM local_users WHERE name = $1";
    let found = conn.query_opt(SQL, &[user.as_str().into()], |row| {
        let r = &mut Reader::new(row, "local_users", &["enabled", "password"]);
        Ok((r.boolean()?, r.opt_text()?))
    })?;
    let Some((enabled, password)) = found else {
        return Ok(None);
    };
    let mut grants = role::of_holder(conn, &RoleHolder::User(user.clone()))?;
    for group in group::of_user(conn, user)? {
        grants.extend(role::of_holder(conn, &RoleHolder::Group(group))?);
    }
    grants.sort();
    grants.dedup();
    Ok(Some(Standing {
        user: user.clone(),
        enabled,
        password: password.map(PasswordHash::new),
        grants,
    }))
}
