//! Other services of OpenStack.
//!
//! The options for logging in and for finding a service belong to the client library of Ironic and
//! are alike in all of these sections: `service_section!` adds their rows.

use crate::{Seconds, Secret, Url, section::section};
use std::path::PathBuf;

/// What the library measures and logs about its own requests.
const OWN_LOG: &str = "requests to other services are in the log and in traces";

/// A section with the options of a service, and those of keystoneauth besides.
macro_rules! service_section {
    ($(#[$doc:meta])* $struct:ident = $section:literal { $($rows:tt)* }) => {
        section! {
            $(#[$doc])*
            $struct = $section {
                $($rows)*

                /// How to log in: password, v3token, v3applicationcredential, http_basic or none.
                acts auth_type: Option<String>,
                /// Section that has the options for logging in.
                acts auth_section: Option<String>,
                /// Address of Keystone to log in at.
                acts auth_url: Option<Url>,
                /// Our name.
                acts username: Option<String>,
                /// Our id, instead of the name.
                acts user_id: Option<String>,
                /// Name of the domain that our name is from.
                acts user_domain_name: Option<String>,
                /// Id of that domain.
                acts user_domain_id: Option<String>,
                /// Our password.
                acts password: Option<Secret>,
                /// Project to log in to.
                acts project_name: Option<String>,
                /// Id of it, instead of its name.
                acts project_id: Option<String>,
                /// Name of the project's domain.
                acts project_domain_name: Option<String>,
                /// Id of that domain.
                acts project_domain_id: Option<String>,
                /// Name of a domain to log in to instead.
                acts domain_name: Option<String>,
                /// Id of a domain to log in to instead.
                acts domain_id: Option<String>,
                /// Log in to the whole system instead, if `all`.
                acts system_scope: Option<String>,
                /// Trust to log in with.
                acts trust_id: Option<String>,
                /// Domain of user and project where theirs is not given.
                acts default_domain_id: Option<String>,
                /// Name of that domain.
                acts default_domain_name: Option<String>,
                /// Token to log in with, for `v3token`.
                acts token: Option<Secret>,
                /// Application credential, for `v3applicationcredential`.
                acts application_credential_id: Option<String>,
                /// Its name, instead of its id.
                acts application_credential_name: Option<String>,
                /// Its secret.
                acts application_credential_secret: Option<Secret>,
                /// Address of the service, for `none` and `http_basic`.
                acts endpoint: Option<Url>,

                /// Type of the service in the catalogue, if it is not the usual one.
                acts service_type: Option<String>,
                /// Name of the service in the catalogue; any if unset.
                acts service_name: Option<String>,
                /// Region of the service; any if unset.
                acts region_name: Option<String>,
                /// Which addresses of the catalogue may be used, the best first.
                acts valid_interfaces: Vec<String> = "internal,public",
                /// Address of the service, instead of one from the catalogue.
                acts endpoint_override: Option<Url>,
                /// Oldest version of the API that may be used.
                acts min_version: Option<String>,
                /// Newest version of the API that may be used.
                acts max_version: Option<String>,
                /// Authorities to trust, as a PEM file; those of the machine if unset.
                acts cafile: Option<PathBuf>,
                /// Our certificate, if the service wants one, as a PEM file.
                acts certfile: Option<PathBuf>,
                /// Its private key, unless that is in the same file.
                acts keyfile: Option<PathBuf>,
                /// Take any certificate of the service.
                acts insecure: bool = "false",
                /// How long to wait for a connection, and for each further part of an answer.
                acts timeout: Option<Seconds> [1..],
                /// How many times to try again when the service cannot be reached.
                acts connect_retries: Option<u32> [..=100],
                /// How long to wait before that; longer each time if unset.
                acts connect_retry_delay: Option<f64> [0.0..=3600.0],
                /// How many times to try again when the service answers 429 or 503.
                acts status_code_retries: Option<u32> [..=100],
                /// How long to wait before that; longer each time if unset.
                acts status_code_retry_delay: Option<f64> [0.0..=3600.0],
                /// Log requests, answers and their bodies apart.
                warns(OWN_LOG)
                split_loggers: bool = "false",
                /// Measure how long requests take.
                warns(OWN_LOG)
                collect_timing: bool = "false",
            }
        }
    };
}

service_section! {
    /// Networks.
    Neutron = "neutron" {
        /// How long to wait after a port was changed.
        acts port_setup_delay: Seconds [0..] = "0",
        /// Fail when a port could not be bound.
        acts fail_on_port_binding_failure: bool = "true",
        /// How many times a call is tried; no longer used upstream.
        warns("connect_retries and status_code_retries say how often requests are repeated")
        retries: i64 = "3",
        /// Network for cleaning.
        acts cleaning_network: Option<String>,
        /// Security groups on it.
        acts cleaning_network_security_groups: Vec<String>,
        /// Network for deploying.
        acts provisioning_network: Option<String>,
        /// Security groups on it.
        acts provisioning_network_security_groups: Vec<String>,
        /// Network for rescue.
        acts rescuing_network: Option<String>,
        /// Security groups on it.
        acts rescuing_network_security_groups: Vec<String>,
        /// Network for inspection.
        acts inspection_network: Option<String>,
        /// Security groups on it.
        acts inspection_network_security_groups: Vec<String>,
        /// Network for servicing.
        acts servicing_network: Option<String>,
        /// Security groups on it.
        acts servicing_network_security_groups: Vec<String>,
        /// Time-out of a call.
        warns("timeout says how long to wait for an answer")
        request_timeout: Seconds = "45",
        /// Attach ports that no machine boots from, too.
        acts add_all_ports: bool = "false",
        /// How many addresses a port gets by stateful DHCPv6.
        acts dhcpv6_stateful_address_count: u32 [..=100] = "4",
        /// Let nodes forbid switching off while networks change.
        acts allow_disabling_power_off: bool = "false",
    }
}

service_section! {
    /// Images.
    Glance = "glance" {
        /// Schemes of direct addresses that may be used.
        acts allowed_direct_url_schemes: Vec<String>,
        /// Secret that links to images in Swift are signed with.
        acts swift_temp_url_key: Option<Secret>,
        /// How long such links are good for.
        acts swift_temp_url_duration: Seconds = "1200",
        /// Use a link again while it is good.
        acts swift_temp_url_cache_enabled: bool = "false",
        /// How long a download may take to begin.
        acts swift_temp_url_expected_download_start_delay: Seconds [0..] = "0",
        /// Address of Swift.
        acts swift_endpoint_url: Option<Url>,
        /// Version of its API.
        acts swift_api_version: String = "v1",
        /// Account that holds images; that of the service if unset.
        acts swift_account: Option<String>,
        /// What account names begin with.
        acts swift_account_prefix: String = "AUTH",
        /// Container that holds images.
        acts swift_container: String = "glance",
        /// How many letters of an image's id are part of its container's name.
        acts swift_store_multiple_containers_seed: u32 [..=32] = "0",
        /// How many times a call is repeated.
        acts num_retries: u32 [..=100] = "0",
    }
}

service_section! {
    /// Objects.
    Swift = "swift" {}
}

service_section! {
    /// Volumes.
    Cinder = "cinder" {
        /// How many times a call is tried; no longer used upstream.
        warns("connect_retries and status_code_retries say how often requests are repeated")
        retries: i64 = "3",
        /// How many times detaching a volume is tried again.
        acts action_retries: u32 [..=100] = "3",
        /// How long to wait before that.
        acts action_retry_interval: Seconds = "5",
    }
}

service_section! {
    /// Instances.
    Nova = "nova" {
        /// Tell about changes of power states.
        acts send_power_notifications: bool = "true",
    }
}

service_section! {
    /// How agents find the API.
    ServiceCatalog = "service_catalog" {
    }
}
