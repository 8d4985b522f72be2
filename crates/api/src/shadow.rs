//! A copy of an Ironic that goes on (`corten migrate from-ironic --shadow`) is only looked at: what was
//! changed in it would be lost with the next copy, and would look done.

use crate::error::ApiError;
use store::Db;

const REFUSAL: &str = "Nothing can be changed here: this service shows a copy of an Ironic that goes on \
    ('corten migrate from-ironic --shadow'). Ask that Ironic; or stop its conductors and import again \
    without --shadow.";

/// Routes that change nothing of the copy by any method: questions, and who may ask.
const HARMLESS: &[&str] = &[
    "corten/v1/session",
    "corten/v1/users",
    "corten/v1/users/{user}",
    "corten/v1/users/{user}/password",
    "corten/v1/groups",
    "corten/v1/groups/{group}",
    "corten/v1/groups/{group}/members/{user}",
    "corten/v1/roles",
    "corten/v1/tokens",
    "corten/v1/tokens/{token}",
    "corten/v1/nodes/{node}/plan",
    "corten/v1/inspection_rules/try",
];

/// Refuses a request that would change something, by its route, if the database is such a copy.
pub(crate) async fn refuse(db: &Db, route: &str) -> Result<(), ApiError> {
    if HARMLESS.contains(&route) || !db.is_shadow().await? {
        return Ok(());
    }
    Err(ApiError::forbidden(REFUSAL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route_table::ROUTES;

    #[test]
    fn harmless_routes_exist() {
        for path in HARMLESS {
            assert!(ROUTES.iter().any(|route| route.path == *path), "{path}");
        }
    }
}
