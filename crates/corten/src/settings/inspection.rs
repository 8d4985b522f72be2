//! The options of inspection by a ramdisk.

use super::SettingsError;
use ::conductor::inspection::{self, Hook, InspectionSettings, MaskSecrets, PxeFilter};
use config::{
    Config,
    choice::{AddPorts, InventoryBackend, KeepPorts, RuleMask},
};

pub(super) fn inspection(config: &Config) -> Result<InspectionSettings, SettingsError> {
    let (options, rules) = (&config.inspector, &config.inspection_rules);
    let hooks = Hook::list(&options.hooks).map_err(|source| SettingsError::Hooks {
        place: options.hooks.source().clone(),
        source,
    })?;
    let redfish = &config.redfish.inspection_hooks;
    let redfish_hooks = Hook::list(redfish).map_err(|source| SettingsError::Hooks {
        place: redfish.source().clone(),
        source,
    })?;
    let discovery = &config.auto_discovery;
    if *discovery.enabled && discovery.driver.is_none() {
        let place = discovery.enabled.source().clone();
        return Err(SettingsError::Discovery { place });
    }
    Ok(InspectionSettings {
        hooks,
        redfish_hooks,
        pre_create_ports: *options.pre_create_ports,
        add_ports: match *options.add_ports {
            AddPorts::All => inspection::AddPorts::All,
            AddPorts::Active => inspection::AddPorts::Active,
            AddPorts::Pxe => inspection::AddPorts::Pxe,
            AddPorts::Disabled => inspection::AddPorts::Disabled,
        },
        keep_ports: match *options.keep_ports {
            KeepPorts::All => inspection::KeepPorts::All,
            KeepPorts::Present => inspection::KeepPorts::Present,
            KeepPorts::Added => inspection::KeepPorts::Added,
        },
        update_pxe_enabled: *options.update_pxe_enabled,
        power_off: *options.power_off,
        extra_kernel_params: kernel_parameters(&options.extra_kernel_params),
        force_dhcp: *options.force_dhcp,
        cpu_capabilities: (*options.cpu_capabilities).clone().into_iter().collect(),
        extra_hardware_strict: *options.extra_hardware_strict,
        pci_device_alias: options.pci_device_alias.to_vec(),
        physical_network_cidr_map: options.physical_network_cidr_map.to_vec(),
        disk_partitioning_spacing: *options.disk_partitioning_spacing,
        known_accelerators: (*options.known_accelerators).clone(),
        auto_discovery: *config.auto_discovery.enabled,
        pxe_filter: pxe_filter(config)?,
        keep_data: *config.inventory.data_backend != InventoryBackend::None,
        built_in_rules: (*rules.built_in_rules).clone(),
        mask_secrets: match *rules.mask_secrets {
            RuleMask::Always => MaskSecrets::Always,
            RuleMask::Never => MaskSecrets::Never,
            RuleMask::Sensitive => MaskSecrets::Sensitive,
        },
        trust: config.default.webserver_verify_ca.trust(),
        outbound: super::outbound::outbound(config)?,
    })
}

/// The folder of hosts that a dnsmasq reads, if there is one.
#[expect(
    clippy::disallowed_methods,
    reason = "settings are read before anything is served"
)]
fn pxe_filter(config: &Config) -> Result<Option<PxeFilter>, SettingsError> {
    let options = &config.pxe_filter;
    let interfaces = options.supported_inspect_interfaces.to_vec();
    let sync_period = options.sync_period.duration();
    let Some(folder) = (*options.dhcp_hostsdir).clone() else {
        return Ok(None);
    };
    if !folder.is_dir() {
        let place = options.dhcp_hostsdir.source().clone();
        return Err(SettingsError::PxeFilter { place });
    }
    Ok(Some(PxeFilter {
        folder,
        interfaces,
        sync_period,
    }))
}

/// `a=b c` as pairs; what has no value gets an empty one.
fn kernel_parameters(text: &str) -> Vec<(String, String)> {
    let pair = |word: &str| match word.split_once('=') {
        Some((key, value)) => (key.to_owned(), value.to_owned()),
        None => (word.to_owned(), String::new()),
    };
    text.split_whitespace().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    #[test]
    fn options_reach_their_settings() {
        let settings = inspection(&filed(
            "[inspector]\nhooks = $default_hooks,root-device\nadd_ports = all\n\
             extra_kernel_params = a=b=c quiet\nkeep_ports = present\npci_device_alias = {}\npci_device_alias = {\"a\": 1}\n\
             [auto_discovery]\nenabled = true\ndriver = fake-hardware\n\
             [inventory]\ndata_backend = none\n[inspection_rules]\nmask_secrets = sensitive\n",
        ))
        .unwrap();
        let names: Vec<&str> = settings.hooks.iter().map(|hook| hook.name()).collect();
        assert_eq!(
            names,
            [
                "ramdisk-error",
                "validate-interfaces",
                "ports",
                "architecture",
                "root-device"
            ]
        );
        assert_eq!(settings.add_ports, inspection::AddPorts::All);
        assert_eq!(settings.keep_ports, inspection::KeepPorts::Present);
        assert_eq!(settings.pci_device_alias.len(), 2);
        assert!(settings.auto_discovery && !settings.keep_data);
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            settings.extra_kernel_params,
            [pair("a", "b=c"), pair("quiet", "")]
        );
        assert_eq!(settings.mask_secrets, MaskSecrets::Sensitive);
    }

    #[test]
    fn a_filter_for_dnsmasq_needs_its_folder() {
        assert_eq!(inspection(&filed("[DEFAULT]\n")).unwrap().pxe_filter, None);
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "[pxe_filter]\ndhcp_hostsdir = {}\nsync_period = 5\n\
             supported_inspect_interfaces = agent,redfish\n",
            folder.path().display()
        );
        let filter = inspection(&filed(&text)).unwrap().pxe_filter.unwrap();
        assert_eq!(filter.interfaces, ["agent", "redfish"]);
        assert_eq!(filter.sync_period.as_secs(), 5);
        let gone = "[pxe_filter]\ndhcp_hostsdir = /nonexistent/hosts\n";
        let refused = inspection(&filed(gone)).unwrap_err().to_string();
        let told = "The path in [pxe_filter]dhcp_hostsdir does not exist";
        assert!(refused.contains(told), "{refused}");
    }

    #[test]
    fn what_cannot_be_served_stops_the_start() {
        for (text, expected) in [
            ("[inspector]\nhooks = nope\n", "[inspector]hooks"),
            ("[inspector]\nhooks = ports\n", "[inspector]hooks"),
            (
                "[auto_discovery]\nenabled = true\n",
                "[auto_discovery]driver",
            ),
        ] {
            let error = inspection(&filed(text)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
