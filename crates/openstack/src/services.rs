//! All services of one configuration.

use crate::{
    Deadline, Error, Reached, Service, ServiceSettings, SettingsError, cinder::Cinder,
    glance::Glance, identity::Identity, login::Auth, neutron::Neutron, nova::Nova,
    session::Session, swift::Swift, transport::TransportSettings,
};
use std::sync::Arc;

/// A client for each service. Sections that log in alike share a login.
#[derive(Debug, Clone)]
pub struct Services {
    glance: Glance,
    swift: Swift,
    neutron: Neutron,
    cinder: Cinder,
    nova: Nova,
    baremetal: Arc<Session>,
    keystone: Arc<Session>,
}

/// The sections. A section without `auth_type` is fine: calls to its service fail and say so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServicesSettings {
    pub glance: ServiceSettings,
    pub swift: ServiceSettings,
    pub neutron: ServiceSettings,
    pub cinder: ServiceSettings,
    pub nova: ServiceSettings,
    pub service_catalog: ServiceSettings,
    /// Our login for checking the tokens of users. The API does that by a client of its own; here
    /// it is for looking whether it works.
    pub keystone_authtoken: ServiceSettings,
}

impl Services {
    /// Reads the options. Nothing is connected to, and no file is read, before the first call.
    pub fn from_settings(settings: &ServicesSettings) -> Result<Self, SettingsError> {
        let mut identities = Vec::new();
        let mut session = |service, settings: &ServiceSettings| {
            Ok(Arc::new(Session::new(
                service,
                settings,
                identity(&mut identities, service, settings)?,
            )?))
        };
        Ok(Self {
            glance: Glance::new(session(Service::Glance, &settings.glance)?),
            swift: Swift::new(session(Service::Swift, &settings.swift)?),
            neutron: Neutron::new(session(Service::Neutron, &settings.neutron)?),
            cinder: Cinder::new(session(Service::Cinder, &settings.cinder)?),
            nova: Nova::new(session(Service::Nova, &settings.nova)?),
            baremetal: session(Service::Baremetal, &settings.service_catalog)?,
            keystone: session(Service::Keystone, &settings.keystone_authtoken)?,
        })
    }

    pub fn glance(&self) -> &Glance {
        &self.glance
    }

    pub fn swift(&self) -> &Swift {
        &self.swift
    }

    pub fn neutron(&self) -> &Neutron {
        &self.neutron
    }

    pub fn cinder(&self) -> &Cinder {
        &self.cinder
    }

    pub fn nova(&self) -> &Nova {
        &self.nova
    }

    /// Whether the section of a service says how to log in.
    pub fn has_login(&self, service: Service) -> bool {
        self.session(service).has_login()
    }

    /// Logs in to a service and finds it; the service itself is not asked anything.
    pub async fn reach(&self, service: Service, deadline: Deadline) -> Result<Reached, Error> {
        self.session(service).reach(deadline).await
    }

    pub(crate) fn session(&self, service: Service) -> &Session {
        match service {
            Service::Glance => &self.glance.session,
            Service::Swift => &self.swift.session,
            Service::Neutron => &self.neutron.session,
            Service::Cinder => &self.cinder.session,
            Service::Nova => &self.nova.session,
            Service::Baremetal => &self.baremetal,
            Service::Keystone => &self.keystone,
        }
    }

    /// Where agents find the Bare Metal API, without a slash at the end.
    pub async fn baremetal_url(&self, deadline: Deadline) -> Result<String, Error> {
        let url = self.baremetal.endpoint(deadline).await?;
        Ok(url.as_str().trim_end_matches('/').to_owned())
    }
}

fn identity(
    identities: &mut Vec<Arc<Identity>>,
    service: Service,
    settings: &ServiceSettings,
) -> Result<Arc<Identity>, SettingsError> {
    let auth = settings.auth.read(service.section())?;
    let address = match &auth {
        Auth::Keystone(login) => Some(login.auth_url.as_str()),
        _ => settings.endpoint_override.as_deref(),
    };
    let transport = TransportSettings {
        tls: settings.tls.clone(),
        timeout: settings.timeout,
        address: address.and_then(|address| address.parse().ok()),
    };
    let same = |identity: &&Arc<Identity>| {
        // The error for a missing login names its section.
        auth != Auth::Unset && identity.is_same(&auth, &transport)
    };
    if let Some(shared) = identities.iter().find(same) {
        return Ok(Arc::clone(shared));
    }
    let retry = settings.retry(service);
    let identity = Arc::new(Identity::new(service.section(), auth, transport, retry));
    identities.push(Arc::clone(&identity));
    Ok(identity)
}
