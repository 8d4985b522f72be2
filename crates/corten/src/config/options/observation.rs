//! What the service tells about itself and about sensors.

use crate::config::{Seconds, choice::MetricsBackend, section::section};
use std::{collections::BTreeMap, path::PathBuf};

section! {
    /// Sensors of machines.
    SensorData = "sensor_data" {
        /// Read them and send what they say.
        send_sensor_data: bool = "false",
        /// How often.
        interval: Seconds [1..] = "600",
        /// How many machines are asked at a time.
        workers: u32 [1..] = "4",
        /// How long one round may take.
        wait_timeout: Seconds = "300",
        /// Kinds of sensors to read, or `ALL`.
        data_types: Vec<String> = "ALL",
        /// Ask machines without an instance, too.
        enable_for_undeployed_nodes: bool = "false",
        /// Send what the conductor knows about itself.
        enable_for_conductor: bool = "true",
        /// Send what machines say.
        enable_for_nodes: bool = "true",
    }
}

section! {
    /// Metrics.
    Metrics = "metrics" {
        /// Where metrics of the service go.
        backend: MetricsBackend = "noop",
        /// Put the host's name before those of metrics.
        prepend_host: bool = "false",
        /// Turn the parts of that name round.
        prepend_host_reverse: bool = "true",
        /// Put this before the names of metrics.
        global_prefix: Option<String>,
        /// Where metrics of agents go.
        agent_backend: String = "noop",
        /// Tell agents to put the host's name first.
        agent_prepend_host: bool = "false",
        /// Tell agents to put the node's id first.
        agent_prepend_uuid: bool = "false",
        /// Tell agents to turn the parts of the host's name round.
        agent_prepend_host_reverse: bool = "true",
        /// Tell agents to put this before the names of metrics.
        agent_global_prefix: Option<String>,
    }
}

section! {
    /// Metrics sent to statsd.
    MetricsStatsd = "metrics_statsd" {
        /// Host of the server.
        statsd_host: String = "localhost",
        /// Port of the server.
        statsd_port: u16 = "8125",
        /// Host of the server for agents.
        agent_statsd_host: String = "localhost",
        /// Port of the server for agents.
        agent_statsd_port: u16 = "8125",
    }
}

section! {
    /// Announcements by multicast DNS.
    Mdns = "mdns" {
        /// How many times an announcement is tried.
        registration_attempts: u32 [1..] = "5",
        /// How many times a look-up is tried.
        lookup_attempts: u32 [1..] = "3",
        /// Parameters to announce with the service.
        params: BTreeMap<String, String>,
        /// Addresses of the interfaces to announce on; all if unset.
        interfaces: Option<Vec<String>>,
    }
}

section! {
    /// Audit of API calls.
    Audit = "audit" {
        /// Record requests that only read, too; changes are always recorded.
        enabled: bool = "false",
        /// File that says what calls mean to the reference; not read here.
        audit_map_file: PathBuf = "/etc/ironic/api_audit_map.conf",
        /// Methods left out, separated by commas.
        ignore_req_list: String = "",
    }
}

section! {
    /// A page for load balancers.
    Healthcheck = "healthcheck" {
        /// Serve `/healthcheck`, without authentication.
        enabled: bool = "false",
        /// Tell more than the bare result.
        detailed: bool = "false",
        /// Checks to make: `disable_by_file`, `disable_by_files_ports`, `enable_by_files`.
        backends: Vec<String>,
        /// Networks that may ask; all if empty.
        allowed_source_ranges: Vec<String>,
        /// Leave requests that came through a proxy to the rest of the API.
        ignore_proxied_requests: bool = "false",
        /// File that takes the service out while it exists.
        disable_by_file_path: Option<PathBuf>,
        /// Such files as `port:path`, of which the one for our port counts.
        disable_by_file_paths: Vec<String>,
        /// Files that must exist.
        enable_by_file_paths: Vec<PathBuf>,
    }
}

section! {
    /// Errors of the service itself.
    Errors = "errors" {
        /// Fail on an error text that cannot be put together.
        fatal_exception_format_errors: bool = "false",
    }
}
