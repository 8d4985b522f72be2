//! Local users: people and scripts that the service itself knows, without Keystone.
//!
//! A user has roles in places: in the whole system, or in a project. A project is nothing but the
//! text that stands as `owner` or `lessee` of nodes. What a role may do is said by the policy, as for
//! users of Keystone.

use crate::{AccessTokenId, Timestamp, wire_enum};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A text that cannot name what it is to name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' cannot be the name of a {kind}: {rule}")]
pub struct BadName {
    kind: &'static str,
    rule: &'static str,
    text: String,
}

impl BadName {
    fn new(kind: &'static str, rule: &'static str, text: &str) -> Self {
        Self {
            kind,
            rule,
            // What was given may be anything, of any length.
            text: text.chars().take(80).collect(),
        }
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $is_valid:ident, $rule:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = BadName;

            fn from_str(text: &str) -> Result<Self, BadName> {
                match $is_valid(text) {
                    true => Ok(Self(text.to_owned())),
                    false => Err(BadName::new($kind, $rule, text)),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadName;

            fn try_from(text: String) -> Result<Self, BadName> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }
    };
}

const NAME_RULE: &str = "a name has 1 to 64 letters of ASCII, digits and . _ - @ +, and begins with \
    a letter or digit";

fn is_name(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@+".contains(&byte);
    let first = text.bytes().next();
    text.len() <= 64
        && text.bytes().all(is_inner)
        && first.is_some_and(|byte| byte.is_ascii_alphanumeric())
}

/// The longest project: it has room in the column of places behind its prefix.
const LONGEST_PROJECT: usize = 200;

fn is_project(text: &str) -> bool {
    !text.is_empty()
        && text.chars().count() <= LONGEST_PROJECT
        && text.trim() == text
        && !text.contains(char::is_control)
}

name! {
    /// The name of a user, which is also the id that policies and records know the user by.
    UserName, "user", is_name, NAME_RULE
}
name! {
    /// The name of a group.
    GroupName, "group", is_name, NAME_RULE
}
name! {
    /// The name of a role, such as `admin`. Policy files may name any.
    RoleName, "role", is_name, NAME_RULE
}
name! {
    /// What a user calls a token.
    TokenName, "token", is_name, NAME_RULE
}
name! {
    /// The name or id of a project, as it stands in `owner` and `lessee`.
    ProjectName, "project", is_project,
        "it has 1 to 200 characters, none of them control characters, and no spaces around it"
}

/// Of these roles each implies those behind it, where Keystone was set up as usual.
const LADDER: [&str; 4] = ["admin", "manager", "member", "reader"];

/// Roles, in lower case, and those that they imply.
pub fn implied<'r>(roles: impl IntoIterator<Item = &'r str>) -> Vec<String> {
    let mut all: Vec<String> = roles.into_iter().map(str::to_lowercase).collect();
    let top = LADDER
        .iter()
        .position(|step| all.iter().any(|role| role == step));
    for step in LADDER.iter().skip(top.unwrap_or(LADDER.len())) {
        if !all.iter().any(|role| role == step) {
            all.push((*step).to_owned());
        }
    }
    all
}

/// Where somebody has a role.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RoleScope {
    /// Everywhere.
    System,
    Project(ProjectName),
}

impl fmt::Display for RoleScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System => f.write_str("system"),
            Self::Project(project) => write!(f, "project:{project}"),
        }
    }
}

/// A text that is no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPlace {
    #[error("write system, or project:NAME")]
    Form,
    #[error(transparent)]
    Project(#[from] BadName),
}

impl FromStr for RoleScope {
    type Err = BadPlace;

    fn from_str(text: &str) -> Result<Self, BadPlace> {
        match text.split_once(':') {
            None if text == "system" => Ok(Self::System),
            Some(("project", name)) => Ok(Self::Project(name.parse()?)),
            _ => Err(BadPlace::Form),
        }
    }
}

/// Who has a role.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RoleHolder {
    User(UserName),
    Group(GroupName),
}

impl fmt::Display for RoleHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(name) => write!(f, "user:{name}"),
            Self::Group(name) => write!(f, "group:{name}"),
        }
    }
}

/// A text that is nobody who can have a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRoleHolder {
    #[error("write user:NAME or group:NAME")]
    Form,
    #[error(transparent)]
    Name(#[from] BadName),
}

impl FromStr for RoleHolder {
    type Err = BadRoleHolder;

    fn from_str(text: &str) -> Result<Self, BadRoleHolder> {
        match text.split_once(':') {
            Some(("user", name)) => Ok(Self::User(name.parse()?)),
            Some(("group", name)) => Ok(Self::Group(name.parse()?)),
            _ => Err(BadRoleHolder::Form),
        }
    }
}

/// A role in a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Grant {
    pub place: RoleScope,
    pub role: RoleName,
}

/// A role that somebody was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleRow {
    pub holder: RoleHolder,
    pub grant: Grant,
    pub created_at: Timestamp,
}

/// A user, without what proves who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalUser {
    pub name: UserName,
    pub description: Option<String>,
    pub enabled: bool,
    pub has_password: bool,
    pub password_changed_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

/// A bcrypt hash of a password; its `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    pub fn new(hash: impl Into<String>) -> Self {
        Self(hash.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PasswordHash").finish_non_exhaustive()
    }
}

/// What a user is allowed at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    pub user: UserName,
    pub enabled: bool,
    /// Users without one only have tokens.
    pub password: Option<PasswordHash>,
    /// The user's own roles and those of its groups, each once.
    pub grants: Vec<Grant>,
}

/// Users that get roles together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalGroup {
    pub name: GroupName,
    pub description: Option<String>,
    pub created_at: Timestamp,
}

/// A token of a user, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    pub id: AccessTokenId,
    pub user: UserName,
    pub name: TokenName,
    /// The only place where it is good for anything; every place of its owner if unset.
    pub place: Option<RoleScope>,
    /// No role beyond this one; all of its owner's if unset.
    pub role: Option<RoleName>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

wire_enum! {
    /// What was done to users and their kin.
    pub enum AccountChangeKind {
        UserAdded = "user_added",
        UserChanged = "user_changed",
        UserEnabled = "user_enabled",
        UserDisabled = "user_disabled",
        UserRemoved = "user_removed",
        PasswordChanged = "password_changed",
        GroupAdded = "group_added",
        GroupRemoved = "group_removed",
        MemberAdded = "member_added",
        MemberRemoved = "member_removed",
        RoleGranted = "role_granted",
        RoleRevoked = "role_revoked",
        TokenCreated = "token_created",
        TokenRevoked = "token_revoked",
    }
}

/// One entry of the log of changes; it never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountChange {
    pub id: i64,
    pub at: Timestamp,
    pub kind: AccountChangeKind,
    /// `user:NAME` or `group:NAME`.
    pub subject: String,
    pub text: String,
    pub actor: Option<String>,
    pub request_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_a_path_and_a_header_can_hold() {
        for good in ["ada", "Ada.Lovelace", "a@example.org", "1", "svc+x_y-z"] {
            assert!(good.parse::<UserName>().is_ok(), "{good}");
        }
        let long = "x".repeat(65);
        for bad in ["", ".a", "a b", "a:b", "a/b", "ä", "a\n", long.as_str()] {
            assert!(bad.parse::<UserName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn places_and_holders_are_written_one_way() {
        for text in ["system", "project:P1", "project:a:b", "project:Größe 1"] {
            assert_eq!(text.parse::<RoleScope>().unwrap().to_string(), text);
        }
        for bad in [
            "",
            "System",
            "project:",
            "project: a",
            "project",
            "domain:x",
        ] {
            assert!(bad.parse::<RoleScope>().is_err(), "{bad:?}");
        }
        for text in ["user:ada", "group:ops"] {
            assert_eq!(text.parse::<RoleHolder>().unwrap().to_string(), text);
        }
        for bad in ["ada", "user:", "team:x", "user:a b"] {
            assert!(bad.parse::<RoleHolder>().is_err(), "{bad:?}");
        }
    }
}
