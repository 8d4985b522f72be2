//! What operators can set about a conductor; the binary fills it from `ironic.conf`.

use std::time::Duration;

/// Names and defaults follow the options of the original service.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `[DEFAULT]host`: the name in reservations.
    pub host: String,
    /// `[conductor]conductor_group`, in lower case.
    pub conductor_group: String,
    pub workers_pool_size: usize,
    pub reserved_workers_pool_percentage: usize,
    /// How often the sign of life is renewed.
    pub heartbeat_interval: Duration,
    /// A conductor silent for this long is dead.
    pub heartbeat_timeout: Duration,
    pub node_locked_retry_attempts: u32,
    pub node_locked_retry_interval: Duration,
    pub automated_clean: bool,
    pub allow_provisioning_in_maintenance: bool,
    pub allow_deleting_available_nodes: bool,
    pub max_concurrent_deploy: i64,
    pub max_concurrent_clean: i64,
    pub check_provision_state_interval: Duration,
    pub check_rescue_state_interval: Duration,
    /// Zero switches a time-out off, here and below.
    pub deploy_callback_timeout: Duration,
    pub clean_callback_timeout: Duration,
    pub service_callback_timeout: Duration,
    pub rescue_callback_timeout: Duration,
    pub inspect_wait_timeout: Duration,
    pub periodic_max_workers: usize,
    pub node_history: bool,
    pub node_history_max_entries: i64,
    pub node_history_cleanup_interval: Duration,
    pub node_history_cleanup_batch_count: i64,
    pub record_step_flows_in_history: bool,
    pub log_in_db_max_size: usize,
    pub max_conductor_wait_step_seconds: u64,
    /// `interface.step:priority`.
    pub clean_step_priority_override: Vec<(String, i64)>,
    pub verify_step_priority_override: Vec<(String, i64)>,
    /// Steps that automatic lists leave out, `interface.step`.
    pub disallow_clean_steps: Vec<String>,
    pub disallow_deploy_steps: Vec<String>,
    pub automatic_lessee: bool,
    pub rescue_password_sha512: bool,
    /// `[agent]require_tls`: agents must serve https.
    pub agent_require_tls: bool,
    /// `[deploy]fast_track`: agents stay up between operations.
    pub fast_track: bool,
    pub graceful_shutdown_timeout: Duration,
    /// `[corten]event_retention_days`.
    pub event_retention: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            host: "localhost".into(),
            conductor_group: String::new(),
            workers_pool_size: 300,
            reserved_workers_pool_percentage: 5,
            heartbeat_interval: seconds(10),
            heartbeat_timeout: seconds(60),
            node_locked_retry_attempts: 3,
            node_locked_retry_interval: seconds(1),
            automated_clean: true,
            allow_provisioning_in_maintenance: true,
            allow_deleting_available_nodes: true,
            max_concurrent_deploy: 250,
            max_concurrent_clean: 50,
            check_provision_state_interval: seconds(60),
            check_rescue_state_interval: seconds(60),
            deploy_callback_timeout: seconds(1800),
            clean_callback_timeout: seconds(1800),
            service_callback_timeout: seconds(1800),
            rescue_callback_timeout: seconds(1800),
            inspect_wait_timeout: seconds(1800),
            periodic_max_workers: 8,
            node_history: true,
            node_history_max_entries: 300,
            node_history_cleanup_interval: seconds(86400),
            node_history_cleanup_batch_count: 1000,
            record_step_flows_in_history: true,
            log_in_db_max_size: 4096,
            max_conductor_wait_step_seconds: 30,
            clean_step_priority_override: Vec::new(),
            verify_step_priority_override: Vec::new(),
            disallow_clean_steps: vec!["vendor.send_raw".into()],
            disallow_deploy_steps: vec!["vendor.send_raw".into()],
            automatic_lessee: true,
            rescue_password_sha512: false,
            agent_require_tls: true,
            fast_track: false,
            graceful_shutdown_timeout: seconds(60),
            event_retention: seconds(30 * 86400),
        }
    }
}
