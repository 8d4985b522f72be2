//! The tables of options.
//!
//! Names, types, limits and defaults are those of Ironic 39, with the sections of two drivers that
//! older releases had, and `[corten]` for what is ours alone. Every row says in a sentence what
//! the option is for, and by its mark whether it does that here: an operator's file must be readable
//! as a whole, but nothing in it may be dropped in silence. See [`super::section::Mark`].
//!
//! A default of Ironic that is a file inside its Python package is left unset here: unset
//! means the text built into this program.

mod agent;
mod ansible;
mod api;
mod boot;
mod conductor;
mod corten;
mod deploy;
mod general;
mod hardware;
mod identity;
mod inspection;
mod messaging;
mod observation;
mod openstack;
pub(crate) mod reasons;
mod redfish;
mod terminal;

pub use agent::{Agent, AgentContainers, Anaconda};
pub use ansible::Ansible;
pub use api::{Api, Cors, Database, JsonRpc, OsloMiddleware, OsloPolicy, Ssl};
pub use boot::{Dhcp, Dnsmasq, Pxe, PxeFilter};
pub use conductor::Conductor;
pub use corten::Corten;
pub use deploy::{Cifs, Deploy, DiskUtils, Nfs, Oci};
pub use general::General;
pub use hardware::{Amt, Cimc, CiscoUcs, Fake, Iboot, Ipmi, Iscsi, Seamicro, Snmp, Ssh};
pub use identity::KeystoneAuthtoken;
pub use inspection::{AutoDiscovery, InspectionRules, Inspector, Inventory};
pub use messaging::{OsloMessagingNotifications, OsloMessagingRabbit};
pub use observation::{Audit, Errors, Healthcheck, Mdns, Metrics, MetricsStatsd, SensorData};
pub use openstack::{Cinder, Glance, Neutron, Nova, ServiceCatalog, Swift};
pub use redfish::Redfish;
pub use terminal::{Console, Vnc};
