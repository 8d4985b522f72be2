//! The two sides of a policy question: who asks, and about what.
//!
//! Attributes have the names that policy files use for them. A missing attribute and one without a
//! value are different things: a comparison with the first fails, while the second is written
//! `None`, and equals another without a value, as Ironic has it. So a caller without a
//! project counts as the owner of a node without an owner. No tenant gains by that: a token without
//! any scope is refused before rules are looked at, and only those for the whole system are left.

use types::Node;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Credentials {
    pub roles: Roles,
    pub user_id: Option<String>,
    pub user_domain_id: Option<String>,
    pub project_id: Option<String>,
    pub project_name: Option<String>,
    pub project_domain_id: Option<String>,
    /// Set only when the token is for a domain.
    pub domain_id: Option<String>,
    /// `all` when the token is for the whole system.
    pub system_scope: Option<String>,
    /// Whether the token's project is the administrators' one; Keystone says so of every project
    /// unless it is told otherwise.
    pub is_admin_project: bool,
    /// Whether the route is open to everybody and nobody was asked for credentials.
    pub is_public_api: bool,
    /// The service that passes a user's request on, if it has shown a token of its own.
    pub service: ServiceCredentials,
}

impl Default for Credentials {
    /// Nobody: no roles and no scope.
    fn default() -> Self {
        Self {
            roles: Roles::default(),
            user_id: None,
            user_domain_id: None,
            project_id: None,
            project_name: None,
            project_domain_id: None,
            domain_id: None,
            system_scope: None,
            is_admin_project: true,
            is_public_api: false,
            service: ServiceCredentials::default(),
        }
    }
}

/// A service that speaks for a user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ServiceCredentials {
    pub user_id: Option<String>,
    pub user_domain_id: Option<String>,
    pub project_id: Option<String>,
    pub project_domain_id: Option<String>,
    pub roles: Roles,
}

/// Names of roles. Case does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Roles {
    listed: Vec<String>,
    folded: Vec<String>,
}

impl Roles {
    /// Exactly these.
    pub fn listed<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let listed: Vec<String> = names.into_iter().map(Into::into).collect();
        let folded = listed.iter().map(|name| name.to_lowercase()).collect();
        Self { listed, folded }
    }

    /// The names as they were given.
    pub fn names(&self) -> &[String] {
        &self.listed
    }

    /// These and what they imply where Keystone was set up as usual: admin is also manager,
    /// manager is also member, member is also reader. Tokens list implied roles themselves, so
    /// this is for roles that a person typed.
    pub fn with_implied<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let mut roles = Self::listed(names);
        let all = types::account::implied(roles.listed.iter().map(String::as_str));
        for name in all.into_iter().skip(roles.listed.len()) {
            roles.listed.push(name.clone());
            roles.folded.push(name);
        }
        roles
    }

    /// Whether a role, given in lower case, is among them.
    pub fn contains(&self, folded: &str) -> bool {
        self.folded.iter().any(|role| role == folded)
    }

    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }
}

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    System,
    Domain,
    Project,
    /// Nothing: nobody was asked to log in, or the token is one that only buys other tokens.
    None,
}

impl Credentials {
    pub fn scope(&self) -> Scope {
        let has = |value: &Option<String>| value.as_deref().is_some_and(|text| !text.is_empty());
        if has(&self.system_scope) {
            Scope::System
        } else if has(&self.domain_id) {
            Scope::Domain
        } else if has(&self.project_id) {
            Scope::Project
        } else {
            Scope::None
        }
    }
}

/// An attribute of the caller that expressions can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attribute {
    Roles,
    UserId,
    UserDomainId,
    ProjectId,
    ProjectName,
    ProjectDomainId,
    DomainId,
    SystemScope,
    /// `system`: as `system_scope`, but absent when the token is not for the system.
    System,
    IsAdminProject,
    IsPublicApi,
    ServiceUserId,
    ServiceUserDomainId,
    ServiceProjectId,
    ServiceProjectDomainId,
    ServiceRoles,
}

impl Attribute {
    pub(super) fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "roles" => Self::Roles,
            "user_id" => Self::UserId,
            "user_domain_id" => Self::UserDomainId,
            "project_id" => Self::ProjectId,
            "project_name" => Self::ProjectName,
            "project_domain_id" => Self::ProjectDomainId,
            "domain_id" => Self::DomainId,
            "system_scope" => Self::SystemScope,
            "system" => Self::System,
            "is_admin_project" => Self::IsAdminProject,
            "is_public_api" => Self::IsPublicApi,
            "service_user_id" => Self::ServiceUserId,
            "service_user_domain_id" => Self::ServiceUserDomainId,
            "service_project_id" => Self::ServiceProjectId,
            "service_project_domain_id" => Self::ServiceProjectDomainId,
            "service_roles" => Self::ServiceRoles,
            _ => return None,
        })
    }

    pub(super) fn of(self, caller: &Credentials) -> Value<'_> {
        match self {
            Self::Roles => Value::List(&caller.roles.listed),
            Self::UserId => Value::nullable(caller.user_id.as_deref()),
            Self::UserDomainId => Value::nullable(caller.user_domain_id.as_deref()),
            Self::ProjectId => Value::nullable(caller.project_id.as_deref()),
            Self::ProjectName => Value::nullable(caller.project_name.as_deref()),
            Self::ProjectDomainId => Value::nullable(caller.project_domain_id.as_deref()),
            Self::DomainId => Value::nullable(caller.domain_id.as_deref()),
            Self::SystemScope => Value::nullable(caller.system_scope.as_deref()),
            Self::System => Value::optional(caller.system_scope.as_deref()),
            Self::IsAdminProject => Value::flag(caller.is_admin_project),
            Self::IsPublicApi => Value::flag(caller.is_public_api),
            Self::ServiceUserId => Value::nullable(caller.service.user_id.as_deref()),
            Self::ServiceUserDomainId => Value::nullable(caller.service.user_domain_id.as_deref()),
            Self::ServiceProjectId => Value::nullable(caller.service.project_id.as_deref()),
            Self::ServiceProjectDomainId => {
                Value::nullable(caller.service.project_domain_id.as_deref())
            }
            Self::ServiceRoles => Value::List(&caller.service.roles.listed),
        }
    }
}

/// An attribute as expressions see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Absent,
    Null,
    Text(&'a str),
    List(&'a [String]),
}

impl<'a> Value<'a> {
    fn nullable(value: Option<&'a str>) -> Self {
        value.map_or(Self::Null, Self::Text)
    }

    fn optional(value: Option<&'a str>) -> Self {
        value.map_or(Self::Absent, Self::Text)
    }

    fn flag(value: bool) -> Self {
        Self::Text(if value { "True" } else { "False" })
    }

    /// The value as it is filled into a text. Lists cannot be.
    pub(super) fn as_text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null => Some("None"),
            Self::Absent | Self::List(_) => None,
        }
    }

    /// Whether the attribute, or an item of it, is written `text` in an expression.
    pub(super) fn is_written(self, text: &str) -> bool {
        match self {
            Self::List(items) => items.iter().any(|item| item == text),
            other => other.as_text() == Some(text),
        }
    }

    /// Whether two attributes are the same. A project that is called `None` is not the same as no
    /// project, though both are written alike.
    pub(super) fn is_same(self, other: Value<'_>) -> bool {
        match (self, other) {
            (Self::Null, Value::Null) => true,
            (Self::Text(_) | Self::List(_), Value::Text(text)) => self.is_written(text),
            _ => false,
        }
    }
}

/// What is asked about.
///
/// Only the attributes of the resource at hand are there; rules about others fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Target<'a> {
    node_owner: Option<Option<&'a str>>,
    node_lessee: Option<&'a str>,
    allocation_owner: Option<Option<&'a str>>,
    runbook_owner: Option<Option<&'a str>>,
}

impl<'a> Target<'a> {
    /// Nothing in particular: a collection, or something that has no owner.
    pub const NONE: Self = Self {
        node_owner: None,
        node_lessee: None,
        allocation_owner: None,
        runbook_owner: None,
    };

    /// A node, or something that belongs to it: a port, a port group, a volume.
    pub fn node(node: &'a Node) -> Self {
        Self::owned_node(node.owner.as_deref(), node.lessee.as_deref())
    }

    /// A node by the two attributes that matter. One that does not exist has neither.
    pub fn owned_node(owner: Option<&'a str>, lessee: Option<&'a str>) -> Self {
        Self {
            node_owner: Some(owner),
            // A node that nobody has leased has no such attribute, not an empty one.
            node_lessee: lessee.filter(|lessee| !lessee.is_empty()),
            ..Self::NONE
        }
    }

    /// Something of which only this much is known: whatever it is, it has this owner, if any.
    /// Without either it is nothing in particular.
    pub fn of_all_kinds(owner: Option<&'a str>, lessee: Option<&'a str>) -> Self {
        if owner.is_none() && lessee.is_none() {
            return Self::NONE;
        }
        Self {
            allocation_owner: Some(owner),
            runbook_owner: Some(owner),
            ..Self::owned_node(owner, lessee)
        }
    }

    pub fn allocation(owner: Option<&'a str>) -> Self {
        Self {
            allocation_owner: Some(owner),
            ..Self::NONE
        }
    }

    pub fn runbook(owner: Option<&'a str>) -> Self {
        Self {
            runbook_owner: Some(owner),
            ..Self::NONE
        }
    }
}

/// What `%(…)s` can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variable {
    NodeOwner,
    NodeLessee,
    AllocationOwner,
    RunbookOwner,
    ServiceProjectName,
    /// Attributes of the caller are attributes of every target as well.
    Caller(Attribute),
}

impl Variable {
    pub(super) fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "node.owner" => Self::NodeOwner,
            "node.lessee" => Self::NodeLessee,
            "allocation.owner" => Self::AllocationOwner,
            "runbook.owner" => Self::RunbookOwner,
            "config.service_project_name" => Self::ServiceProjectName,
            // Only the check's left side knows this spelling.
            "system" => return None,
            _ => Self::Caller(Attribute::of_name(name)?),
        })
    }

    /// Its value for this question. `service_project` is the project whose services have elevated
    /// access, if any has.
    pub(super) fn of<'a>(
        self,
        caller: &'a Credentials,
        target: &Target<'a>,
        service_project: Option<&'a str>,
    ) -> Value<'a> {
        let owner = |owner: Option<Option<&'a str>>| owner.map_or(Value::Absent, Value::nullable);
        match self {
            Self::NodeOwner => owner(target.node_owner),
            Self::NodeLessee => Value::optional(target.node_lessee),
            Self::AllocationOwner => owner(target.allocation_owner),
            Self::RunbookOwner => owner(target.runbook_owner),
            Self::ServiceProjectName => Value::optional(service_project),
            Self::Caller(attribute) => attribute.of(caller),
        }
    }
}
