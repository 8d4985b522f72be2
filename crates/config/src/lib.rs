//! The configuration of the service: `ironic.conf`, read as Ironic reads it.
//!
//! The options are tables ([`options`]) that become plain structs, so a value is read as
//! `*config.api.port` and a misspelt name does not compile. All of it is checked while it is
//! loaded; afterwards nothing can fail. Each value knows who set it.
//!
//! ```
//! use config::{Config, Sources};
//!
//! let sources = Sources { sets: vec!["api.port=8080".into()], ..Sources::default() };
//! let (config, warnings) = Config::load(sources)?;
//! assert_eq!(*config.api.port, 8080);
//! assert!(config.api.port.is_set() && !config.api.host_ip.is_set());
//! assert!(warnings.is_empty());
//! # Ok::<(), config::ConfigError>(())
//! ```
//!
//! What an option does, and how options depend on each other (no file means loopback and no
//! authentication), is not decided here.

mod address;
pub mod choice;
mod collection;
mod error;
mod foreign;
mod ini;
mod layers;
mod listing;
mod machine;
mod mask;
pub mod options;
mod renamed;
mod resolver;
mod section;
mod situation;
mod source;
mod unknown;
mod value;

pub use address::{HostAddress, PortRange, Url, VerifyCa};
pub use collection::Multi;
pub use error::{ConfigError, InvalidOption, InvalidOptions, Reason, SyntaxFault};
pub use listing::{Row, Shown};
pub use machine::Machine;
pub use section::{Definition, Mark, Setting};
pub use source::Source;
pub use unknown::{Hint, Warning};
pub use value::{AbsolutePath, Octal, OptionValue, Ranged, Seconds, Secret, SecretUrl, ValueKind};

use layers::Layers;
use resolver::Resolver;
use std::{ffi::OsString, path::PathBuf};

/// Everything a configuration is made of, from the weakest voice to the strongest.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Computed defaults of options that are not set.
    pub machine: Machine,
    /// Files, of which later ones win.
    pub files: Vec<PathBuf>,
    /// All environment variables; those named `CORTEN_SECTION__OPTION` count.
    pub env: Vec<(OsString, OsString)>,
    /// `section.option=value`, of which later ones win.
    pub sets: Vec<String>,
}

macro_rules! config {
    ($($field:ident: $section:ident),* $(,)?) => {
        /// The value of every option, by section.
        #[derive(Debug, Clone)]
        pub struct Config {
            $(pub $field: options::$section,)*
            files: Vec<PathBuf>,
            stopping: InvalidOptions,
        }

        const TABLES: &[&[Definition]] = &[$(options::$section::DEFINITIONS),*];

        impl Config {
            /// Reads all sections before giving up, so that all mistakes are found.
            fn read(from: &mut Resolver<'_>, files: Vec<PathBuf>) -> Option<Self> {
                $(let $field = options::$section::read(from);)*
                Some(Self { $($field: $field?,)* files, stopping: InvalidOptions(Vec::new()) })
            }

            /// Every option as it may be shown, in the order of the tables.
            pub fn rows(&self) -> Vec<Row> {
                let mut rows = Vec::new();
                $(self.$field.list(&mut rows);)*
                rows
            }

            /// Section and name of each option whose value was read so far: what is marked as
            /// acting and is never read does nothing.
            pub fn read_options(&self) -> Vec<(&'static str, &'static str)> {
                let mut read = Vec::new();
                $(self.$field.add_read(&mut read);)*
                read
            }
        }
    };
}

config! {
    default: General,
    corten: Corten,
    api: Api,
    database: Database,
    conductor: Conductor,
    json_rpc: JsonRpc,
    keystone_authtoken: KeystoneAuthtoken,
    agent: Agent,
    agent_containers: AgentContainers,
    anaconda: Anaconda,
    ansible: Ansible,
    deploy: Deploy,
    disk_utils: DiskUtils,
    oci: Oci,
    nfs: Nfs,
    cifs: Cifs,
    pxe: Pxe,
    dhcp: Dhcp,
    dnsmasq: Dnsmasq,
    pxe_filter: PxeFilter,
    ipmi: Ipmi,
    redfish: Redfish,
    snmp: Snmp,
    iboot: Iboot,
    cisco_ucs: CiscoUcs,
    cimc: Cimc,
    seamicro: Seamicro,
    ssh: Ssh,
    amt: Amt,
    iscsi: Iscsi,
    fake: Fake,
    console: Console,
    vnc: Vnc,
    inspector: Inspector,
    auto_discovery: AutoDiscovery,
    inventory: Inventory,
    inspection_rules: InspectionRules,
    neutron: Neutron,
    glance: Glance,
    swift: Swift,
    cinder: Cinder,
    nova: Nova,
    service_catalog: ServiceCatalog,
    oslo_messaging_notifications: OsloMessagingNotifications,
    oslo_messaging_rabbit: OsloMessagingRabbit,
    oslo_middleware: OsloMiddleware,
    oslo_policy: OsloPolicy,
    cors: Cors,
    ssl: Ssl,
    sensor_data: SensorData,
    metrics: Metrics,
    metrics_statsd: MetricsStatsd,
    mdns: Mdns,
    audit: Audit,
    healthcheck: Healthcheck,
    errors: Errors,
}

/// Every option there is, in the order of the tables.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    TABLES.iter().copied().flatten()
}

impl Config {
    /// Reads all sources. Oddities that need no mending to start come back as warnings.
    pub fn load(sources: Sources) -> Result<(Self, Vec<Warning>), ConfigError> {
        let mut layers = Layers::default();
        layers.add_machine(&sources.machine);
        layers.add_files(&sources.files)?;
        layers.add_environment(sources.env)?;
        layers.add_flags(&sources.sets)?;
        layers.add_situation(!sources.files.is_empty());
        let mut warnings = unknown::warnings(layers.all(), definitions());
        let mut resolver = Resolver::new(&layers, definitions());
        match Self::read(&mut resolver, sources.files) {
            Some(mut config) => {
                let (without_effect, stopping) = resolver.into_judged();
                warnings.extend(without_effect);
                config.stopping = stopping;
                Ok((config, warnings))
            }
            None => Err(resolver.into_invalid().into()),
        }
    }

    /// Refuses to start with options that ask for what is not there: see [`Mark::Stops`]. Commands
    /// that only look at a configuration, or at its database, do not mind them.
    pub fn check_served(&self) -> Result<(), InvalidOptions> {
        if self.stopping.0.is_empty() {
            return Ok(());
        }
        Err(self.stopping.clone())
    }

    /// Whether a configuration file was given: without one, the service keeps to itself.
    pub fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// The configuration files, of which later ones win.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }
}

#[cfg(test)]
mod tests;
