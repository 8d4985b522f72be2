//! Neutron's networks, and its DHCP agents.

use config::Config;
use drivers::network::{NetworkSettings, NeutronDhcp, PurposeNetwork};
use openstack::{Service, Services};
use std::sync::Arc;

/// The networks of ramdisks, and how Neutron is waited for.
pub(super) fn networks(config: &Config) -> NetworkSettings {
    let (neutron, agent) = (&config.neutron, &config.agent);
    let of = |network: &Option<String>, groups: &[String]| PurposeNetwork {
        network: network.clone(),
        security_groups: groups.to_vec(),
    };
    NetworkSettings {
        cleaning: of(
            &neutron.cleaning_network,
            &neutron.cleaning_network_security_groups,
        ),
        provisioning: of(
            &neutron.provisioning_network,
            &neutron.provisioning_network_security_groups,
        ),
        rescuing: of(
            &neutron.rescuing_network,
            &neutron.rescuing_network_security_groups,
        ),
        inspection: of(
            &neutron.inspection_network,
            &neutron.inspection_network_security_groups,
        ),
        servicing: of(
            &neutron.servicing_network,
            &neutron.servicing_network_security_groups,
        ),
        add_all_ports: *neutron.add_all_ports,
        fail_on_binding_failure: *neutron.fail_on_port_binding_failure,
        allow_disabling_power_off: *neutron.allow_disabling_power_off,
        dhcpv6_address_count: usize::try_from(*neutron.dhcpv6_stateful_address_count).unwrap_or(1),
        max_attempts: u32::try_from(*agent.neutron_agent_max_attempts).unwrap_or(1),
        retry_interval: agent.neutron_agent_status_retry_interval.duration(),
        poll_interval: agent.neutron_agent_poll_interval.duration(),
    }
}

/// Neutron as DHCP server. That is Ironic's default; whoever does not say how to log in to Neutron has
/// another one.
pub(super) fn dhcp(config: &Config, services: &Arc<Services>) -> Option<NeutronDhcp> {
    let port_setup_delay = config.neutron.port_setup_delay.duration();
    let is_provider = config.dhcp.dhcp_provider.as_str() == "neutron";
    let is_wanted = is_provider && services.has_login(Service::Neutron);
    is_wanted.then(|| NeutronDhcp {
        services: Arc::clone(services),
        port_setup_delay,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{hardware, tests::filed};
    use drivers::Registry;
    use std::time::Duration;
    use types::InterfaceKind;

    /// As Ironic's installation guide has it.
    const GUIDE: &str = "[DEFAULT]\nenabled_hardware_types = ipmi\n\
        enabled_network_interfaces = flat,neutron,noop\n[dhcp]\ndhcp_provider = neutron\n";
    const LOGIN: &str = "[neutron]\nauth_type = password\nauth_url = http://k:5000\n\
        username = ironic\npassword = p\nproject_name = service\nproject_domain_id = default\n\
        user_domain_id = default\ncleaning_network = c\nprovisioning_network = p\n\
        provisioning_network_security_groups = a,b\nport_setup_delay = 15\n\
        dhcpv6_stateful_address_count = 2\n[agent]\nneutron_agent_max_attempts = 3\n";

    #[test]
    fn a_cloud_as_in_the_installation_guide_is_served() {
        let config = filed(&format!("{GUIDE}{LOGIN}"));
        let settings = hardware::hardware(&config).unwrap();
        assert_eq!(settings.networks.cleaning.network.as_deref(), Some("c"));
        assert_eq!(settings.networks.provisioning.security_groups, ["a", "b"]);
        assert_eq!(settings.networks.dhcpv6_address_count, 2);
        assert_eq!(settings.networks.max_attempts, 3);
        let dhcp = settings.netboot.neutron.as_ref().unwrap();
        assert_eq!(dhcp.port_setup_delay, Duration::from_secs(15));
        let registry = Registry::new(&settings).unwrap();
        assert_eq!(
            registry.enabled(InterfaceKind::Network),
            ["flat", "neutron", "noop"]
        );
        let defaults = registry.defaults("ipmi").unwrap();
        assert_eq!(defaults.get(InterfaceKind::Network), "flat");
    }

    #[test]
    fn without_a_login_neutron_is_used_by_nobody_who_did_not_ask() {
        let network = |text: &str| {
            let settings = hardware::hardware(&filed(text)).unwrap();
            let registry = Registry::new(&settings).unwrap();
            let defaults = registry.defaults("ipmi").unwrap();
            (
                defaults.get(InterfaceKind::Network).to_owned(),
                settings.netboot.neutron.is_some(),
            )
        };
        let stock = "[DEFAULT]\nenabled_hardware_types = ipmi\n";
        assert_eq!(network(stock), ("noop".to_owned(), false));
        assert_eq!(
            network(&format!("{stock}{LOGIN}")),
            ("flat".to_owned(), true)
        );
        assert_eq!(network(GUIDE), ("flat".to_owned(), false));
        let other = format!("{stock}[dhcp]\ndhcp_provider = none\n{LOGIN}");
        assert_eq!(network(&other), ("flat".to_owned(), false));
    }
}
