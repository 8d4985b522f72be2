//! On whose behalf a call is made, and whose tokens are therefore sent.
//!
//! A user who may not see a port, an image or a volume must not reach it through us. So requests
//! that a user caused carry the user's token where the service decides by it, and ours as
//! `X-Service-Token`, which makes the service accept the user's token when it expires during a long
//! deployment.

use crate::{Secret, Service, glance::access::ImageUser};

/// Whoever causes a call.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    user: Option<(Secret, TokenScope)>,
    /// The user has the role `admin`.
    is_admin: bool,
    request_id: Option<String>,
}

/// What a user's token is scoped to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenScope {
    Project,
    /// The whole system, as Nova's is. Neutron has no use for such tokens.
    System,
}

/// Whether a request only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Which tokens a request carries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Credentials<'a> {
    /// That of the section alone.
    Own,
    /// The user's as `X-Auth-Token`, that of the section as `X-Service-Token`.
    UserWithOwn(&'a Secret),
}

impl Caller {
    /// The service itself: periodic work, heartbeats, and work that survived a restart.
    pub fn service() -> Self {
        Self::default()
    }

    /// A user, by the token that came with the request.
    pub fn user(token: Secret, scope: TokenScope) -> Self {
        Self {
            user: Some((token, scope)),
            ..Self::default()
        }
    }

    /// Whether nobody asked for what is done, or nobody knows any more who did.
    pub fn is_service(&self) -> bool {
        self.user.is_none() && self.request_id.is_none()
    }

    /// Says whether the user has the role `admin`.
    pub fn with_admin_role(mut self, is_admin: bool) -> Self {
        self.is_admin = is_admin;
        self
    }

    /// Whether it is a user without the role `admin`, who may not see everything that we do.
    pub fn is_limited_user(&self) -> bool {
        self.user.is_some() && !self.is_admin
    }

    /// What decides whether the caller may use an image. The service itself has no more rights than
    /// its project.
    pub fn image_user(&self) -> ImageUser {
        let has_token = self.user.is_some();
        ImageUser {
            has_token,
            is_admin: has_token && self.is_admin,
        }
    }

    /// Passes the id of the request on, which other services then write into their logs.
    pub fn with_request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Some(id.into());
        self
    }

    pub(crate) fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    pub(crate) fn credentials(&self, service: Service, access: Access) -> Credentials<'_> {
        let Some((token, scope)) = &self.user else {
            return Credentials::Own;
        };
        match (service, access, scope) {
            (Service::Glance | Service::Cinder, _, _)
            | (Service::Neutron, Access::Read, TokenScope::Project) => {
                Credentials::UserWithOwn(token)
            }
            // Only the role `service` may write bindings (`binding:profile`).
            (Service::Neutron, Access::Write, _) | (Service::Neutron, _, TokenScope::System) => {
                Credentials::Own
            }
            (Service::Swift | Service::Nova | Service::Keystone | Service::Baremetal, _, _) => {
                Credentials::Own
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Access::{Read, Write};

    #[test]
    fn each_service_gets_the_tokens_that_it_decides_by() {
        let token = Secret::from("t");
        let project = Caller::user(token.clone(), TokenScope::Project);
        let system = Caller::user(token.clone(), TokenScope::System);
        let both = Credentials::UserWithOwn(&token);
        for (service, access, by_project, by_system) in [
            (Service::Glance, Read, &both, &both),
            (Service::Neutron, Read, &both, &Credentials::Own),
            (
                Service::Neutron,
                Write,
                &Credentials::Own,
                &Credentials::Own,
            ),
            (Service::Cinder, Read, &both, &both),
            (Service::Cinder, Write, &both, &both),
            (Service::Swift, Write, &Credentials::Own, &Credentials::Own),
            (Service::Nova, Write, &Credentials::Own, &Credentials::Own),
        ] {
            assert_eq!(project.credentials(service, access), *by_project);
            assert_eq!(system.credentials(service, access), *by_system);
            let own = Caller::service();
            assert_eq!(own.credentials(service, access), Credentials::Own);
        }
        assert!(!format!("{project:?}").contains("\"t\""));
    }
}
