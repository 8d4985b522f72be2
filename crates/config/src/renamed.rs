//! Options of Ironic that once had another name, or stood in another section.
//!
//! Ironic still accepts these, so an operator's file may use them. Names it has dropped
//! altogether are not here: they are unknown there too.

/// A former place of an option, and its present one.
#[derive(Debug)]
pub(super) struct Renamed {
    former_section: &'static str,
    former_option: &'static str,
    pub(super) section: &'static str,
    pub(super) option: &'static str,
}

macro_rules! renamed {
    ($($former_section:ident.$former_option:ident => $section:ident.$option:ident;)*) => {
        &[$(Renamed {
            former_section: stringify!($former_section),
            former_option: stringify!($former_option),
            section: stringify!($section),
            option: stringify!($option),
        }),*]
    };
}

const RENAMED: &[Renamed] = renamed! {
    api.tls_minimum_version => api.server_tls_minimum_version;
    api.tls_ciphers => api.server_tls_ciphers;
    cinder.auth_plugin => cinder.auth_type;
    cinder.tenant_id => cinder.project_id;
    cinder.tenant_name => cinder.project_name;
    cinder.user_name => cinder.username;
    conductor.configdrive_use_swift => deploy.configdrive_use_object_store;
    DEFAULT.graceful_shutdown_timeout => conductor.graceful_shutdown_timeout;
    glance.auth_plugin => glance.auth_type;
    glance.tenant_id => glance.project_id;
    glance.tenant_name => glance.project_name;
    glance.user_name => glance.username;
    ironic_lib.fatal_exception_format_errors => errors.fatal_exception_format_errors;
    json_rpc.tls_minimum_version => json_rpc.server_tls_minimum_version;
    keystone_authtoken.auth_plugin => keystone_authtoken.auth_type;
    keystone_authtoken.memcache_servers => keystone_authtoken.memcached_servers;
    keystone_authtoken.tenant_id => keystone_authtoken.project_id;
    keystone_authtoken.tenant_name => keystone_authtoken.project_name;
    keystone_authtoken.user_name => keystone_authtoken.username;
    neutron.auth_plugin => neutron.auth_type;
    neutron.tenant_id => neutron.project_id;
    neutron.tenant_name => neutron.project_name;
    neutron.user_name => neutron.username;
    neutron.cleaning_network_uuid => neutron.cleaning_network;
    neutron.provisioning_network_uuid => neutron.provisioning_network;
    nova.auth_plugin => nova.auth_type;
    nova.tenant_id => nova.project_id;
    nova.tenant_name => nova.project_name;
    nova.user_name => nova.username;
    pxe.pxe_append_params => pxe.kernel_append_params;
    service_catalog.auth_plugin => service_catalog.auth_type;
    service_catalog.tenant_id => service_catalog.project_id;
    service_catalog.tenant_name => service_catalog.project_name;
    service_catalog.user_name => service_catalog.username;
    swift.auth_plugin => swift.auth_type;
    swift.tenant_id => swift.project_id;
    swift.tenant_name => swift.project_name;
    swift.user_name => swift.username;
    vnc.ssl_cert_file => vnc.cert_file;
    vnc.ssl_key_file => vnc.key_file;
    vnc.ssl_minimum_version => vnc.tls_minimum_version;
    vnc.ssl_ciphers => vnc.tls_ciphers;
};

/// Where an option went, if this is a former place of one.
pub(super) fn find(section: &str, option: &str) -> Option<&'static Renamed> {
    RENAMED
        .iter()
        .find(|row| row.former_section == section && row.former_option == option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions;

    #[test]
    fn every_row_leads_from_no_option_to_one() {
        let exists = |section: &str, option: &str| {
            definitions().any(|d| d.section == section && d.name == option)
        };
        for row in RENAMED {
            assert!(exists(row.section, row.option), "{row:?}");
            assert!(!exists(row.former_section, row.former_option), "{row:?}");
        }
    }
}
