//! What the operator can change about the API.
//!
//! Plain data with the defaults of Ironic. The binary fills it from the
//! configuration file; nothing here reads files or knows option names.

use crate::{
    audit::Audit,
    auth::Auth,
    cors::Cors,
    discovery::DiscoveryGate,
    fleet::index::WaitLimits,
    health::Health,
    policy::Policy,
    schema::node::NodeShapes,
    stream::{Readers, StreamSettings},
    webhook::WebhookSettings,
};
use outbound::Network;
use std::{path::PathBuf, sync::Arc, time::Duration};
use types::ApiVersion;

/// The largest bodies we read, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyLimits {
    pub general: usize,
    /// Paths that end in `states/provision`: they carry config drives.
    pub provision: usize,
    /// Paths that end in `continue_inspection`: they carry a ramdisk's logs.
    pub inspection: usize,
    /// How deep JSON may be nested.
    pub depth: usize,
    /// How long a client may take to send one.
    pub time: Duration,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self {
            general: 1024 * 1024,
            provision: 64 * 1024 * 1024,
            inspection: 16 * 1024 * 1024,
            depth: 25,
            time: Duration::from_secs(300),
        }
    }
}

/// What a ramdisk is told when it finds its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// Seconds without a report after which an agent counts as gone.
    pub heartbeat_timeout: u64,
    pub allow_md5_checksum: bool,
    pub disable_deep_image_inspection: bool,
    pub permitted_image_formats: Vec<String>,
    pub enable_bios_bootloader_install: bool,
    pub tls_minimum_version: String,
    pub tls_ciphers: Option<String>,
    pub metrics: AgentMetrics,
    pub containers: AgentContainers,
}

/// Where agents send their metrics, and under which names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentMetrics {
    pub backend: String,
    pub prepend_host: bool,
    pub prepend_uuid: bool,
    pub prepend_host_reverse: bool,
    pub global_prefix: Option<String>,
    pub statsd_host: String,
    pub statsd_port: u16,
}

impl Default for AgentMetrics {
    fn default() -> Self {
        Self {
            backend: "noop".to_owned(),
            prepend_host: false,
            prepend_uuid: false,
            prepend_host_reverse: true,
            global_prefix: None,
            statsd_host: "localhost".to_owned(),
            statsd_port: 8125,
        }
    }
}

/// Which containers agents may run as steps, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentContainers {
    pub allow_arbitrary: bool,
    pub allowed: Vec<String>,
    pub steps_file: String,
    pub runner: String,
    pub pull_options: Vec<String>,
    pub run_options: Vec<String>,
}

impl Default for AgentContainers {
    fn default() -> Self {
        Self {
            allow_arbitrary: false,
            allowed: Vec::new(),
            steps_file: "/etc/ironic-python-agent.d/mysteps.yaml".to_owned(),
            runner: "podman".to_owned(),
            pull_options: Vec::new(),
            run_options: ["--rm", "--network=host"].map(str::to_owned).to_vec(),
        }
    }
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            heartbeat_timeout: 300,
            allow_md5_checksum: true,
            disable_deep_image_inspection: false,
            permitted_image_formats: ["raw", "gpt", "qcow2", "iso"].map(str::to_owned).to_vec(),
            enable_bios_bootloader_install: false,
            tls_minimum_version: "1.3".to_owned(),
            tls_ciphers: None,
            metrics: AgentMetrics::default(),
            containers: AgentContainers::default(),
        }
    }
}

/// An option of the configuration as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownOption {
    pub section: String,
    pub name: String,
    /// None if it is not set; several only for options that may be repeated. Without secrets.
    pub values: Vec<String>,
    /// Whether something is hidden in them.
    pub is_masked: bool,
    /// Whether a person chose the value.
    pub is_set: bool,
    /// Where it is from: a line of a file, a variable, a flag, or that it is the default.
    pub source: String,
    pub default: Option<String>,
    /// What it is for.
    pub about: String,
    /// Why it does nothing, if so.
    pub effect: Option<String>,
}

/// Everything the operator can set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Who may talk to us.
    pub auth: Auth,
    /// What they may do. Open unless callers are verified by Keystone.
    pub policy: Arc<Policy>,
    /// Which pages of other sites may call us.
    pub cors: Cors,
    /// What load balancers are told.
    pub health: Health,
    /// What is recorded about requests.
    pub audit: Audit,
    pub limits: BodyLimits,
    /// How answers behave that do not end.
    pub stream: StreamSettings,
    /// Who reads them.
    pub readers: Arc<Readers>,
    /// How events are posted.
    pub webhooks: WebhookSettings,
    /// The networks of the configuration, which those of the database must not overlap.
    pub configured_networks: Vec<types::site_network::Prefix>,
    /// The longest page of a list.
    pub max_limit: u32,
    /// The newest version offered; lower than ours while a cluster is being upgraded.
    pub max_version: ApiVersion,
    /// What links start with, when it is not what the client asked for.
    pub public_endpoint: Option<String>,
    /// Names under which we may be asked without authentication, besides those of this machine.
    pub allowed_hosts: Vec<String>,
    /// Whether only this machine reaches us.
    pub is_local_only: bool,
    /// Whether we speak TLS ourselves, so that links say `https`.
    pub tls: bool,
    /// Whether `Forwarded` and `X-Forwarded-*` describe the client's view of us.
    pub parse_proxy_headers: bool,
    /// Whether administrators of a project may create and delete nodes of that project.
    pub project_admin_can_manage_own_nodes: bool,
    /// Whether somebody who moves a node's BMC must bring its secrets along.
    pub bmc_change_needs_secrets: bool,
    /// Files and folders of authorities that everybody may name.
    pub verify_ca_paths: Vec<PathBuf>,
    /// What nodes look like, `network_data` among it.
    pub node_shapes: NodeShapes,
    pub default_resource_class: Option<String>,
    pub default_conductor_group: String,
    /// Mode of port groups that name none.
    pub default_portgroup_mode: String,
    /// Boot modes that nodes may not be enrolled with.
    pub disallowed_enrollment_boot_modes: Vec<String>,
    /// Steps (`interface.step`) that users may not ask for.
    pub disallow_clean_steps: Vec<String>,
    pub disallow_deploy_steps: Vec<String>,
    pub disallow_service_steps: Vec<String>,
    /// Whether ramdisks may look their node up and report.
    pub enable_ramdisk_endpoints: bool,
    /// Whether a ramdisk only finds nodes that expect one.
    pub restrict_lookup: bool,
    /// Proxies in front of us, and networks whose agents are not known by their address.
    pub agent_proxies: Vec<Network>,
    /// Whether ramdisks of releases up to 6 are served.
    pub legacy_ramdisk: bool,
    /// Agents stay up between operations, so that nodes at rest expect them too.
    pub fast_track: bool,
    /// The hardware type of machines that nobody enrolled and that send inspection data; without
    /// one they are turned away.
    pub auto_discovery: Option<String>,
    /// How many of them, and how fast.
    pub discovery: Arc<DiscoveryGate>,
    /// What ramdisks are told about how to behave.
    pub agent: AgentSettings,
    /// How long a conductor may be silent before it is shown as not alive.
    pub heartbeat_timeout_s: u64,
    /// How long nodes may wait before their conductor fails them.
    pub wait_limits: WaitLimits,
    /// How long a session of the web page lasts at most.
    pub session_seconds: i64,
    /// The key of `extra` that nodes can be grouped by.
    pub group_key: Option<String>,
    /// How this process is called, and what it is: `serve` or `api`.
    pub host: String,
    pub role: String,
    /// The configuration that all this was made from, for those who may read it.
    pub shown_options: Arc<[ShownOption]>,
}

impl Default for Settings {
    fn default() -> Self {
        let raw = vec!["vendor.send_raw".to_owned()];
        Self {
            auth: Auth::NoAuth,
            policy: Arc::new(Policy::open()),
            cors: Cors::default(),
            health: Health::default(),
            audit: Audit::default(),
            limits: BodyLimits::default(),
            stream: StreamSettings::default(),
            readers: Arc::default(),
            webhooks: WebhookSettings::default(),
            configured_networks: Vec::new(),
            max_limit: 1000,
            max_version: ApiVersion::MAX,
            public_endpoint: None,
            allowed_hosts: Vec::new(),
            is_local_only: false,
            tls: false,
            parse_proxy_headers: false,
            project_admin_can_manage_own_nodes: true,
            bmc_change_needs_secrets: true,
            verify_ca_paths: vec!["/etc/ssl/certs".into()],
            node_shapes: NodeShapes::default(),
            default_resource_class: None,
            default_conductor_group: String::new(),
            default_portgroup_mode: types::portgroup::DEFAULT_MODE.to_owned(),
            disallowed_enrollment_boot_modes: Vec::new(),
            disallow_clean_steps: raw.clone(),
            disallow_deploy_steps: raw.clone(),
            disallow_service_steps: raw,
            enable_ramdisk_endpoints: true,
            restrict_lookup: true,
            agent_proxies: Vec::new(),
            legacy_ramdisk: false,
            fast_track: false,
            auto_discovery: None,
            discovery: Arc::default(),
            agent: AgentSettings::default(),
            heartbeat_timeout_s: 60,
            wait_limits: WaitLimits::default(),
            session_seconds: 8 * 3600,
            group_key: None,
            host: String::new(),
            role: "serve".to_owned(),
            shown_options: Arc::from([]),
        }
    }
}
