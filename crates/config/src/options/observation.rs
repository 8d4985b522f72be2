//! What the service tells about itself and about sensors.

use super::reasons::NO_MDNS;
use crate::{Seconds, choice::MetricsBackend, section::section};
use std::{collections::BTreeMap, path::PathBuf};

section! {
    /// Sensors of machines.
    SensorData = "sensor_data" {
        /// Read them and send what they say.
        acts send_sensor_data: bool = "false",
        /// How often.
        acts interval: Seconds [1..] = "600",
        /// How many machines are asked at a time.
        acts workers: u32 [1..] = "4",
        /// How long one round may take.
        acts wait_timeout: Seconds = "300",
        /// Kinds of sensors to read, or `ALL`.
        acts data_types: Vec<String> = "ALL",
        /// Ask machines without an instance, too.
        acts enable_for_undeployed_nodes: bool = "false",
        /// Send what the conductor knows about itself.
        acts enable_for_conductor: bool = "true",
        /// Send what machines say.
        acts enable_for_nodes: bool = "true",
    }
}

section! {
    /// Metrics.
    Metrics = "metrics" {
        /// Where metrics of the service go.
        acts backend: MetricsBackend = "noop",
        /// Put the host's name before those of metrics.
        acts prepend_host: bool = "false",
        /// Turn the parts of that name round.
        acts prepend_host_reverse: bool = "true",
        /// Put this before the names of metrics.
        acts global_prefix: Option<String>,
        /// Where metrics of agents go.
        acts agent_backend: String = "noop",
        /// Tell agents to put the host's name first.
        acts agent_prepend_host: bool = "false",
        /// Tell agents to put the node's id first.
        acts agent_prepend_uuid: bool = "false",
        /// Tell agents to turn the parts of the host's name round.
        acts agent_prepend_host_reverse: bool = "true",
        /// Tell agents to put this before the names of metrics.
        acts agent_global_prefix: Option<String>,
    }
}

section! {
    /// Metrics sent to statsd.
    MetricsStatsd = "metrics_statsd" {
        /// Host of the server.
        acts statsd_host: String = "localhost",
        /// Port of the server.
        acts statsd_port: u16 = "8125",
        /// Host of the server for agents.
        acts agent_statsd_host: String = "localhost",
        /// Port of the server for agents.
        acts agent_statsd_port: u16 = "8125",
    }
}

section! {
    /// Announcements by multicast DNS.
    Mdns = "mdns" {
        /// How many times an announcement is tried.
        warns(NO_MDNS)
        registration_attempts: u32 [1..] = "5",
        /// How many times a look-up is tried.
        warns(NO_MDNS)
        lookup_attempts: u32 [1..] = "3",
        /// Parameters to announce with the service.
        warns(NO_MDNS)
        params: BTreeMap<String, String>,
        /// Addresses of the interfaces to announce on; all if unset.
        warns(NO_MDNS)
        interfaces: Option<Vec<String>>,
    }
}

section! {
    /// Audit of API calls.
    Audit = "audit" {
        /// Record requests that only read, too; changes are always recorded.
        acts enabled: bool = "false",
        /// Ironic's audit map file; Corten does not read it.
        warns("calls are recorded by their routes, which need no map")
        audit_map_file: PathBuf = "/etc/ironic/api_audit_map.conf",
        /// Methods left out, separated by commas.
        acts ignore_req_list: String = "",
    }
}

section! {
    /// A page for load balancers.
    Healthcheck = "healthcheck" {
        /// Serve `/healthcheck`, without authentication.
        acts enabled: bool = "false",
        /// Tell more than the bare result.
        acts detailed: bool = "false",
        /// Checks to make: `disable_by_file`, `disable_by_files_ports`, `enable_by_files`.
        acts backends: Vec<String>,
        /// Networks that may ask; all if empty.
        acts allowed_source_ranges: Vec<String>,
        /// Leave requests that came through a proxy to the rest of the API.
        acts ignore_proxied_requests: bool = "false",
        /// File that takes the service out while it exists.
        acts disable_by_file_path: Option<PathBuf>,
        /// Such files as `port:path`, of which the one for our port counts.
        acts disable_by_file_paths: Vec<String>,
        /// Files that must exist.
        acts enable_by_file_paths: Vec<PathBuf>,
    }
}

section! {
    /// Errors of the service itself.
    Errors = "errors" {
        /// Fail on an error text that cannot be put together.
        warns("error texts are put together by the compiler")
        fatal_exception_format_errors: bool = "false",
    }
}
