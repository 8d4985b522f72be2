//! Types that all crates share: identifiers, states, the transition table, resources, API versions,
//! steps, log events, leases, and the `Conductor` trait that the API calls.
//!
//! Everything here is plain data and pure functions, so that it can be tested in microseconds and
//! shared by the service, the agent, the CLI and the simulators. No I/O, no async runtime, no SQL
//! and no HTTP belongs here.

pub mod account;
pub mod allocation;
pub mod baseline;
pub mod batch;
pub mod bios;
pub mod bmc_password;
pub mod burnin;
pub mod caller;
pub mod canonical;
pub mod chassis;
pub mod console;
pub mod deploy_template;
pub mod erasure;
pub mod error;
pub mod event;
pub mod fault;
pub mod firmware;
pub mod hardware_log;
pub mod hex;
pub mod hint;
pub mod id;
pub mod image;
pub mod inspection_rule;
pub mod interface;
pub mod internal_info;
pub mod inventory;
pub mod json_shape;
pub mod lease;
pub mod mask;
pub mod member;
pub mod memory_budget;
pub mod metrics;
pub mod network;
pub mod node;
pub mod notification;
pub mod oci;
pub mod pass;
pub mod path;
pub mod percent;
pub mod port;
pub mod portgroup;
pub mod power;
pub mod progress;
pub mod provision;
pub mod pyrepr;
pub mod recording;
pub mod ring;
pub mod rpc;
pub mod runbook;
pub mod sensor;
pub mod site_network;
pub mod status;
pub mod step;
pub mod time;
pub mod traits;
pub mod version;
pub mod volume;
pub mod webhook;
pub mod wire;
pub mod words;
pub mod work;

pub use allocation::Allocation;
pub use bios::BiosSetting;
pub use caller::{Caller, UserToken};
pub use chassis::Chassis;
pub use deploy_template::DeployTemplate;
pub use fault::Fault;
pub use firmware::FirmwareComponent;
pub use id::{
    AccessTokenId, AllocationId, BatchId, CertificateId, ChassisId, DeployTemplateId, HistoryId,
    ImageId, InspectionDataId, InspectionRuleId, NodeId, PortId, PortgroupId, ReportId, RunbookId,
    VolumeConnectorId, VolumeTargetId, WebhookId,
};
pub use inspection_rule::InspectionRule;
pub use interface::InterfaceKind;
pub use internal_info::InternalInfo;
pub use inventory::Inventory;
pub use lease::LeaseProof;
pub use node::Node;
pub use port::Port;
pub use portgroup::Portgroup;
pub use power::{PowerState, PowerTarget};
pub use provision::{ProvisionState, Verb};
pub use rpc::Conductor;
pub use runbook::Runbook;
pub use time::Timestamp;
pub use version::ApiVersion;
pub use volume::{VolumeConnector, VolumeTarget};
pub use work::Work;

/// A JSON object whose keys keep the order in which they were written.
pub type JsonMap = serde_json::Map<String, serde_json::Value>;
