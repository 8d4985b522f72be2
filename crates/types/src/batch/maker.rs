//! The local user who made a batch, and whether the user may still have it run.

use crate::account::{Grant, Standing, UserName, implied};
use serde::{Deserialize, Serialize};

/// A local user, and the roles that a batch was made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maker {
    pub user: UserName,
    /// The place of the roles, as it is written.
    pub place: String,
    pub roles: Vec<String>,
}

impl Maker {
    /// Why the user may have the batch run no longer; `None` while it may.
    pub fn lost(&self, standing: Option<&Standing>) -> Option<String> {
        let user = &self.user;
        let Some(standing) = standing else {
            return Some(format!("user {user}, who made it, was removed"));
        };
        if !standing.enabled {
            return Some(format!("user {user}, who made it, is disabled"));
        }
        let here = |grant: &&Grant| grant.place.to_string() == self.place;
        let grants = standing.grants.iter().filter(here);
        let left = implied(grants.map(|grant| grant.role.as_str()));
        let is_left = |role: &String| left.contains(&role.to_lowercase());
        let missing = self.roles.iter().find(|role| !is_left(role))?;
        Some(format!(
            "user {user}, who made it, does not have the role {missing} in {} any more",
            self.place
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(enabled: bool, grants: &[(&str, &str)]) -> Standing {
        let grant = |(place, role): &(&str, &str)| Grant {
            place: place.parse().unwrap(),
            role: role.parse().unwrap(),
        };
        Standing {
            user: "ada".parse().unwrap(),
            enabled,
            password: None,
            grants: grants.iter().map(grant).collect(),
        }
    }

    #[test]
    fn whoever_made_a_batch_must_still_have_what_it_was_made_with() {
        let maker = Maker {
            user: "ada".parse().unwrap(),
            place: "project:p1".to_owned(),
            roles: ["Member", "reader"].map(str::to_owned).to_vec(),
        };
        let lost = |standing: Option<Standing>| maker.lost(standing.as_ref());
        for grants in [[("project:p1", "member")], [("project:p1", "Admin")]] {
            assert_eq!(lost(Some(standing(true, &grants))), None, "{grants:?}");
        }
        for (now, text) in [
            (None, "removed"),
            (
                Some(standing(false, &[("project:p1", "admin")])),
                "disabled",
            ),
            (Some(standing(true, &[])), "role Member in project:p1"),
            (
                Some(standing(true, &[("project:p1", "reader")])),
                "role Member in project:p1",
            ),
            // The same role elsewhere is another one.
            (
                Some(standing(true, &[("project:p2", "admin")])),
                "role Member in project:p1",
            ),
        ] {
            let why = lost(now).unwrap();
            assert!(why.starts_with("user ada") && why.contains(text), "{why}");
        }
    }
}
