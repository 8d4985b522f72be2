//! What is to be served, found to be sound, with nothing opened yet but the files of users,
//! certificates and secrets.

use crate::{
    config::Config,
    db::Place,
    listen::{Certificate, Limits},
    settings::{self, Access, Address, Cluster, Notifications, SettingsError},
};
use anyhow::Context;
use drivers::RegistrySettings;

/// Which parts of the service are in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    All,
    Api,
    Conductor,
}

pub(crate) struct Plan {
    pub(super) front: Option<Front>,
    pub(super) back: Option<Back>,
    pub(super) cluster: Option<Cluster>,
    pub(super) notifications: Option<Notifications>,
    pub(super) database: Place,
}

/// The API.
pub(super) struct Front {
    pub(super) access: Access,
    pub(super) address: Address,
    pub(super) limits: Limits,
    pub(super) certificate: Option<Certificate>,
    pub(super) api: api::Settings,
}

/// The conductor and what it hands out to machines.
pub(super) struct Back {
    pub(super) conductor: conductor::Settings,
    pub(super) hardware: RegistrySettings,
    pub(super) boot: Option<boot::Settings>,
    pub(super) images: image::store::StoreSettings,
}

impl Plan {
    pub(crate) fn new(config: &Config, role: Role) -> anyhow::Result<Self> {
        config.check_served()?;
        let cluster = settings::cluster(config)?;
        if role != Role::All && cluster.is_none() {
            return Err(SettingsError::NoCluster(ALONE).into());
        }
        if let Some(remark) = settings::notification_remark(config) {
            tracing::warn!("{remark}");
        }
        Ok(Self {
            front: match role {
                Role::All | Role::Api => Some(Front::new(config, role)?),
                Role::Conductor => None,
            },
            back: match role {
                Role::All | Role::Conductor => Some(Back::new(config)?),
                Role::Api => None,
            },
            cluster,
            notifications: settings::notifications(config)?,
            database: Place::of(config)?,
        })
    }
}

const ALONE: &str = "an API or a conductor by itself needs others: set cluster_secret_file (or \
    cluster_secret) in [corten] and a [database]connection on a server, the same for all of them; \
    'corten serve' needs neither";

impl Front {
    fn new(config: &Config, role: Role) -> anyhow::Result<Self> {
        let access = settings::access(config)?;
        if matches!(access, Access::Keystone(_)) {
            for remark in settings::keystone_remarks(config) {
                tracing::warn!("{remark}");
            }
        }
        let mut api = settings::api(config, &access)?;
        if role == Role::Api {
            api.role = "api".to_owned();
        }
        for warning in api.policy.warnings() {
            tracing::warn!("policy: {warning}");
        }
        Ok(Self {
            address: settings::address(config),
            limits: settings::limits(config),
            certificate: settings::tls(config)?
                .map(Certificate::open)
                .transpose()
                .context("HTTPS cannot be served")?,
            api,
            access,
        })
    }
}

impl Back {
    fn new(config: &Config) -> anyhow::Result<Self> {
        Ok(Self {
            conductor: settings::conductor(config)?,
            hardware: settings::hardware(config)?,
            boot: settings::boot(config)?,
            images: settings::images(config)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    fn refusal(role: Role, sets: &[&str]) -> String {
        let sources = Sources {
            sets: sets.iter().map(|&set| set.to_owned()).collect(),
            ..Sources::default()
        };
        let (config, _) = Config::load(sources).unwrap();
        match Plan::new(&config, role) {
            Ok(_) => panic!("{role:?} is not refused"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_part_alone_is_refused_and_so_is_one_on_a_file() {
        let secret = "corten.cluster_secret=0123456789abcdef";
        for role in [Role::Api, Role::Conductor] {
            let refused = refusal(role, &[]);
            assert!(refused.contains("cluster_secret_file"), "{refused}");
            let refused = refusal(role, &[secret]);
            assert!(refused.contains("SQLite"), "{refused}");
        }
        assert!(refusal(Role::All, &[secret]).contains("SQLite"));
    }
}
