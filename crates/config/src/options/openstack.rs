//! Other services of OpenStack. How to log in to them is the business of their client library,
//! whose options in these sections have no rows.

use super::reasons::{NO_GLANCE, NO_NEUTRON};
use crate::{Seconds, Secret, Url, section::section};

section! {
    /// Networks.
    Neutron = "neutron" {
        /// How long to wait after a port was changed.
        warns(NO_NEUTRON)
        port_setup_delay: Seconds [0..] = "0",
        /// Fail when a port could not be bound.
        warns(NO_NEUTRON)
        fail_on_port_binding_failure: bool = "true",
        /// How many times a call is tried; no longer used upstream.
        warns(NO_NEUTRON)
        retries: i64 = "3",
        /// Network for cleaning.
        warns(NO_NEUTRON)
        cleaning_network: Option<String>,
        /// Security groups on it.
        warns(NO_NEUTRON)
        cleaning_network_security_groups: Vec<String>,
        /// Network for deploying.
        warns(NO_NEUTRON)
        provisioning_network: Option<String>,
        /// Security groups on it.
        warns(NO_NEUTRON)
        provisioning_network_security_groups: Vec<String>,
        /// Network for rescue.
        warns(NO_NEUTRON)
        rescuing_network: Option<String>,
        /// Security groups on it.
        warns(NO_NEUTRON)
        rescuing_network_security_groups: Vec<String>,
        /// Network for inspection.
        warns(NO_NEUTRON)
        inspection_network: Option<String>,
        /// Security groups on it.
        warns(NO_NEUTRON)
        inspection_network_security_groups: Vec<String>,
        /// Network for servicing.
        warns(NO_NEUTRON)
        servicing_network: Option<String>,
        /// Security groups on it.
        warns(NO_NEUTRON)
        servicing_network_security_groups: Vec<String>,
        /// Time-out of a call.
        warns(NO_NEUTRON)
        request_timeout: Seconds = "45",
        /// Attach ports that no machine boots from, too.
        warns(NO_NEUTRON)
        add_all_ports: bool = "false",
        /// How many addresses a port gets by stateful DHCPv6.
        warns(NO_NEUTRON)
        dhcpv6_stateful_address_count: i64 = "4",
        /// Let nodes forbid switching off while networks change.
        warns(NO_NEUTRON)
        allow_disabling_power_off: bool = "false",
    }
}

section! {
    /// Images.
    Glance = "glance" {
        /// Schemes of direct addresses that may be used.
        warns(NO_GLANCE)
        allowed_direct_url_schemes: Vec<String>,
        /// Secret that links to images in Swift are signed with.
        warns(NO_GLANCE)
        swift_temp_url_key: Option<Secret>,
        /// How long such links are good for.
        warns(NO_GLANCE)
        swift_temp_url_duration: Seconds = "1200",
        /// Use a link again while it is good.
        warns(NO_GLANCE)
        swift_temp_url_cache_enabled: bool = "false",
        /// How long a download may take to begin.
        warns(NO_GLANCE)
        swift_temp_url_expected_download_start_delay: Seconds [0..] = "0",
        /// Address of Swift.
        warns(NO_GLANCE)
        swift_endpoint_url: Option<Url>,
        /// Version of its API.
        warns(NO_GLANCE)
        swift_api_version: String = "v1",
        /// Account that holds images; that of the service if unset.
        warns(NO_GLANCE)
        swift_account: Option<String>,
        /// What account names begin with.
        warns(NO_GLANCE)
        swift_account_prefix: String = "AUTH",
        /// Container that holds images.
        warns(NO_GLANCE)
        swift_container: String = "glance",
        /// How many letters of an image's id are part of its container's name.
        warns(NO_GLANCE)
        swift_store_multiple_containers_seed: i64 = "0",
        /// How many times a call is repeated.
        warns(NO_GLANCE)
        num_retries: i64 = "0",
    }
}

section! {
    /// Volumes.
    Cinder = "cinder" {
        /// How many times a call is tried; no longer used upstream.
        warns("this build does not use Cinder yet")
        retries: i64 = "3",
        /// How many times an action is tried.
        warns("this build does not use Cinder yet")
        action_retries: i64 = "3",
        /// How long to wait between those.
        warns("this build does not use Cinder yet")
        action_retry_interval: Seconds = "5",
    }
}

section! {
    /// Instances.
    Nova = "nova" {
        /// Tell about changes of power states.
        warns("this build does not tell Nova about power states yet")
        send_power_notifications: bool = "true",
    }
}

section! {
    /// How agents find the API.
    ServiceCatalog = "service_catalog" {
        /// Address of the API for agents; looked up or guessed if unset.
        acts endpoint_override: Option<Url>,
    }
}
