//! What the configuration means for each part of the service.
//!
//! Pure functions from options to the settings of the parts, and the rules that depend on several
//! options at once: without a configuration file the service keeps to this machine and to
//! simulated hardware; with one, what is unset has the default of Ironic. Nothing is opened, bound
//! or resolved here.

mod access;
mod ansible;
mod api;
mod boot;
mod cluster;
mod conductor;
mod connection;
mod database;
mod drivers_outside;
mod glance;
mod hardware;
mod health;
mod image;
mod inspection;
mod ipmi;
mod keystone;
#[cfg(test)]
mod marks;
mod metrics;
mod names;
mod network;
mod notifications;
mod objects;
mod old_protocols;
mod openstack;
mod outbound;
mod policy;
mod ramdisk;
mod recorder;
mod redfish;
mod screen;
mod sensors;
mod snmp;
mod traces;

pub(crate) use access::auth_strategy;
pub use access::{Access, Address, access, address};
pub use api::api;
pub use boot::boot;
pub(crate) use cluster::{Cluster, cluster};
pub use conductor::conductor;
pub(crate) use conductor::silence;
pub(crate) use connection::limits;
pub use connection::{Tls, tls};
pub(crate) use database::DATABASE;
pub use database::{database, database_at, key_file};
pub(crate) use drivers_outside::with_drivers;
pub use hardware::{FAKE_HARDWARE, hardware};
pub use image::{RAMDISK, images};
pub use keystone::keystone_remarks;
pub(crate) use metrics::{metrics, statsd, traps};
pub use notifications::{Notifications, notification_remark, notifications};
pub use objects::inspection_data as inspection_container;
pub(crate) use objects::objects;
pub use openstack::openstack;
pub(crate) use openstack::openstack_with_keystone;
pub use policy::{PolicyFileError, policy};
pub use traces::traces;

use ::api::auth::{AuthFileError, keystone::KeystoneError, oidc::OidcError};
use config::Source;

/// Options that are valid one by one and still cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error(
        "[DEFAULT]auth_strategy is keystone ({place}), but [keystone_authtoken]auth_url is not \
         set; set that, or auth_strategy to noauth, http_basic or local"
    )]
    NoKeystone { place: Source },
    #[error("{place}: [corten]{option} {reason}")]
    Oidc {
        place: Source,
        option: &'static str,
        reason: String,
    },
    #[error("[corten]oidc_issuer cannot be used")]
    Provider(#[from] OidcError),
    #[error("{place}: [keystone_authtoken]{option} {reason}")]
    KeystoneOption {
        place: Source,
        option: String,
        reason: String,
    },
    #[error("invalid [keystone_authtoken]")]
    Keystone(#[from] KeystoneError),
    #[error(transparent)]
    OpenStack(#[from] ::openstack::SettingsError),
    #[error(transparent)]
    Policy(#[from] PolicyFileError),
    #[error(
        "{place}: [api]enable_ssl_api needs both a certificate and a key: set cert_file and \
         key_file in [api]"
    )]
    Tls { place: Source },
    #[error("{place}: [api]network_data_schema: {reason}")]
    NetworkData { place: Source, reason: String },
    #[error("{place}: [healthcheck]{option}: {reason}")]
    Health {
        place: Source,
        option: &'static str,
        reason: String,
    },
    #[error("{place}: [corten]{option}: {reason}")]
    Boot {
        place: Source,
        option: &'static str,
        reason: String,
    },
    #[error("{place}: [pxe]{option}: {reason}")]
    Template {
        place: Source,
        option: &'static str,
        reason: String,
    },
    #[error("{place}: [conductor]{option}: {reason}")]
    Image {
        place: Source,
        option: &'static str,
        reason: String,
    },
    #[error("{place}: {option}: {reason}")]
    Bus {
        place: Source,
        option: &'static str,
        reason: String,
    },
    #[error("{place}: [corten]otlp_endpoint is not a URL")]
    Traces { place: Source },
    #[error(transparent)]
    Users(#[from] AuthFileError),
    #[error("{place}: [database]connection: {reason}")]
    Database { place: Source, reason: String },
    #[error("{place}: {option}: {reason}")]
    Cluster {
        place: Source,
        option: &'static str,
        reason: String,
    },
    #[error("{0}")]
    NoCluster(&'static str),
    #[error("{place}: [inspector]hooks")]
    Hooks {
        place: Source,
        #[source]
        source: ::conductor::inspection::InvalidHooks,
    },
    #[error("{place}: [auto_discovery]enabled needs [auto_discovery]driver")]
    Discovery { place: Source },
    #[error("{place}: The path in [pxe_filter]dhcp_hostsdir does not exist")]
    PxeFilter { place: Source },
    #[error("{place}: {option}")]
    Ciphers {
        place: Source,
        option: &'static str,
        #[source]
        source: ::tls::TlsError,
    },
    #[error("{place}: [corten]driver_user: there is no user '{user}' on this host")]
    DriverUser { place: Source, user: String },
    #[error("{place}: [fake]{option}")]
    Delay {
        place: Source,
        option: String,
        #[source]
        source: drivers::fake::InvalidDelay,
    },
}

#[cfg(test)]
mod tests {
    use config::{Config, Sources};
    use std::io::Write;

    /// A configuration without a file.
    pub(super) fn alone(sets: &[&str]) -> Config {
        let sets = sets.iter().map(|&set| set.to_owned()).collect();
        let sources = Sources {
            sets,
            ..Sources::default()
        };
        Config::load(sources).unwrap().0
    }

    /// A configuration with a file of this text.
    pub(super) fn filed(text: &str) -> Config {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let sources = Sources {
            files: vec![file.path().to_owned()],
            ..Sources::default()
        };
        Config::load(sources).unwrap().0
    }
}
