//! Other services of OpenStack. How to log in to them is the business of their client library,
//! whose options in these sections have no rows.

use crate::config::{Seconds, Secret, Url, section::section};

section! {
    /// Networks.
    Neutron = "neutron" {
        /// How long to wait after a port was changed.
        port_setup_delay: Seconds [0..] = "0",
        /// Fail when a port could not be bound.
        fail_on_port_binding_failure: bool = "true",
        /// How many times a call is tried; no longer used upstream.
        retries: i64 = "3",
        /// Network for cleaning.
        cleaning_network: Option<String>,
        /// Security groups on it.
        cleaning_network_security_groups: Vec<String>,
        /// Network for deploying.
        provisioning_network: Option<String>,
        /// Security groups on it.
        provisioning_network_security_groups: Vec<String>,
        /// Network for rescue.
        rescuing_network: Option<String>,
        /// Security groups on it.
        rescuing_network_security_groups: Vec<String>,
        /// Network for inspection.
        inspection_network: Option<String>,
        /// Security groups on it.
        inspection_network_security_groups: Vec<String>,
        /// Network for servicing.
        servicing_network: Option<String>,
        /// Security groups on it.
        servicing_network_security_groups: Vec<String>,
        /// Time-out of a call.
        request_timeout: Seconds = "45",
        /// Attach ports that no machine boots from, too.
        add_all_ports: bool = "false",
        /// How many addresses a port gets by stateful DHCPv6.
        dhcpv6_stateful_address_count: i64 = "4",
        /// Let nodes forbid switching off while networks change.
        allow_disabling_power_off: bool = "false",
    }
}

section! {
    /// Images.
    Glance = "glance" {
        /// Schemes of direct addresses that may be used.
        allowed_direct_url_schemes: Vec<String>,
        /// Secret that links to images in Swift are signed with.
        swift_temp_url_key: Option<Secret>,
        /// How long such links are good for.
        swift_temp_url_duration: Seconds = "1200",
        /// Use a link again while it is good.
        swift_temp_url_cache_enabled: bool = "false",
        /// How long a download may take to begin.
        swift_temp_url_expected_download_start_delay: Seconds [0..] = "0",
        /// Address of Swift.
        swift_endpoint_url: Option<Url>,
        /// Version of its API.
        swift_api_version: String = "v1",
        /// Account that holds images; that of the service if unset.
        swift_account: Option<String>,
        /// What account names begin with.
        swift_account_prefix: String = "AUTH",
        /// Container that holds images.
        swift_container: String = "glance",
        /// How many letters of an image's id are part of its container's name.
        swift_store_multiple_containers_seed: i64 = "0",
        /// How many times a call is repeated.
        num_retries: i64 = "0",
    }
}

section! {
    /// Volumes.
    Cinder = "cinder" {
        /// How many times a call is tried; no longer used upstream.
        retries: i64 = "3",
        /// How many times an action is tried.
        action_retries: i64 = "3",
        /// How long to wait between those.
        action_retry_interval: Seconds = "5",
    }
}

section! {
    /// Instances.
    Nova = "nova" {
        /// Tell about changes of power states.
        send_power_notifications: bool = "true",
    }
}

section! {
    /// How agents find the API.
    ServiceCatalog = "service_catalog" {
        /// Address of the API for agents; looked up or guessed if unset.
        endpoint_override: Option<Url>,
    }
}
