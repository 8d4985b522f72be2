//! Which hardware is served.
//!
//! Without a configuration file that is simulated hardware and machines with IPMI and Redfish, with
//! every interface that needs no other service; with one, the stock lists of Ironic hold where
//! nothing is written.

use super::SettingsError;
use config::{Config, Setting, options::General};
use drivers::RegistrySettings;
use types::InterfaceKind;

/// Simulated machines.
pub const FAKE_HARDWARE: &str = "fake-hardware";

const IPMI: &str = "ipmi";
const REDFISH: &str = "redfish";

pub fn hardware(config: &Config) -> Result<RegistrySettings, SettingsError> {
    let general = &config.default;
    let mut settings = RegistrySettings::default();
    if let Some(names) = written(&general.enabled_hardware_types) {
        settings.enable_hardware_types(names);
    } else if !config.has_files() {
        settings.enable_hardware_types([FAKE_HARDWARE, IPMI, REDFISH].map(str::to_owned).into());
    }
    settings.enable_old_names(general.enabled_drivers.to_vec());
    for &kind in InterfaceKind::ALL {
        if let Some(names) = enabled(general, kind) {
            settings.enable_interfaces(kind, names);
        } else if !config.has_files() {
            settings.enable_supported_interfaces(kind);
        }
        settings.set_default(kind, default(general, kind).clone());
    }
    if !config.has_files() {
        // Both hardware types put what the stock agent lacks last; Corten's ramdisk can do it.
        settings.prefer(IPMI, InterfaceKind::Rescue, "agent");
        settings.prefer(REDFISH, InterfaceKind::Rescue, "agent");
        // The other console of such machines speaks IPMI, for which most of them have no address.
        settings.prefer(REDFISH, InterfaceKind::Console, "no-console");
    }
    for (kind, option, delay) in delays(config) {
        let parsed = delay.parse().map_err(|source| SettingsError::Delay {
            place: delay.source().clone(),
            option: option.to_owned(),
            source,
        })?;
        settings.fake.set_delay(kind, parsed);
    }
    settings.ansible = super::ansible::ansible(config);
    settings.ipmi = super::ipmi::ipmi(config);
    settings.recorder = super::recorder::recorder(config);
    settings.redfish = super::redfish::redfish(config);
    settings.snmp = super::snmp::snmp(config);
    settings.screens = super::screen::screens(config);
    let outbound = super::outbound::outbound(config)?;
    settings.ipmi.outbound = outbound.clone();
    settings.redfish.outbound = outbound.clone();
    settings.snmp.outbound = outbound.clone();
    settings.screens.outbound = outbound.clone();
    settings.iboot = super::old_protocols::iboot(config);
    settings.iboot.outbound = outbound.clone();
    settings.chassis = super::old_protocols::chassis(&settings.redfish);
    settings.cisco = super::old_protocols::cisco(config, settings.chassis.clone());
    settings.seamicro = super::old_protocols::seamicro(config, settings.chassis.clone());
    settings.ssh = super::old_protocols::ssh(config);
    settings.ssh.outbound = outbound.clone();
    settings.amt = super::old_protocols::amt(config, settings.chassis.clone());
    settings.outbound = outbound;
    settings.cinder.action_retries = *config.cinder.action_retries;
    settings.cinder.action_retry_interval = config.cinder.action_retry_interval.duration();
    let openstack = super::openstack::openstack(config)?;
    settings.networks = super::network::networks(config);
    settings.glance = super::glance::glance(config);
    settings.agent.require_managed_boot = *config.inspector.require_managed_boot;
    settings.agent.fast_track = *config.deploy.fast_track;
    let fast_track_timeout = config.deploy.fast_track_timeout.duration().as_secs();
    settings.agent.fast_track_timeout_s = fast_track_timeout.try_into().unwrap_or(i64::MAX);
    settings.fake.host = general.host.to_string();
    settings.fake.journal = (*config.corten.fake_journal).clone();
    settings.boot_images = super::image::boot_images(config);
    settings.netboot = super::image::netboot(config);
    settings.netboot.neutron = super::network::dhcp(config, &openstack);
    settings.openstack = Some(openstack);
    settings.discs = super::image::discs(config);
    settings.autodetect = general.autodetect_deploy_interfaces.to_vec();
    Ok(settings)
}

/// The value if it was set.
fn written<T: Clone>(setting: &Setting<T>) -> Option<T> {
    setting.is_set().then(|| (**setting).clone())
}

fn enabled(general: &General, kind: InterfaceKind) -> Option<Vec<String>> {
    use InterfaceKind as K;
    match kind {
        K::Bios => written(&general.enabled_bios_interfaces),
        K::Boot => written(&general.enabled_boot_interfaces),
        K::Console => written(&general.enabled_console_interfaces),
        K::Deploy => written(&general.enabled_deploy_interfaces),
        K::Firmware => written(&general.enabled_firmware_interfaces),
        K::Inspect => written(&general.enabled_inspect_interfaces),
        K::Management => {
            written(&general.enabled_management_interfaces).map(Option::unwrap_or_default)
        }
        K::Network => written(&general.enabled_network_interfaces),
        K::Power => written(&general.enabled_power_interfaces).map(Option::unwrap_or_default),
        K::Raid => written(&general.enabled_raid_interfaces),
        K::Rescue => written(&general.enabled_rescue_interfaces),
        K::Storage => written(&general.enabled_storage_interfaces),
        K::Vendor => written(&general.enabled_vendor_interfaces),
    }
}

fn default(general: &General, kind: InterfaceKind) -> &Option<String> {
    use InterfaceKind as K;
    match kind {
        K::Bios => &general.default_bios_interface,
        K::Boot => &general.default_boot_interface,
        K::Console => &general.default_console_interface,
        K::Deploy => &general.default_deploy_interface,
        K::Firmware => &general.default_firmware_interface,
        K::Inspect => &general.default_inspect_interface,
        K::Management => &general.default_management_interface,
        K::Network => &general.default_network_interface,
        K::Power => &general.default_power_interface,
        K::Raid => &general.default_raid_interface,
        K::Rescue => &general.default_rescue_interface,
        K::Storage => &general.default_storage_interface,
        K::Vendor => &general.default_vendor_interface,
    }
}

/// How long simulated hardware takes, by the name of the option.
fn delays(config: &Config) -> [(InterfaceKind, &'static str, &Setting<String>); 11] {
    use InterfaceKind as K;
    let fake = &config.fake;
    [
        (K::Power, "power_delay", &fake.power_delay),
        (K::Boot, "boot_delay", &fake.boot_delay),
        (K::Deploy, "deploy_delay", &fake.deploy_delay),
        (K::Vendor, "vendor_delay", &fake.vendor_delay),
        (K::Management, "management_delay", &fake.management_delay),
        (K::Inspect, "inspect_delay", &fake.inspect_delay),
        (K::Raid, "raid_delay", &fake.raid_delay),
        (K::Bios, "bios_delay", &fake.bios_delay),
        (K::Storage, "storage_delay", &fake.storage_delay),
        (K::Rescue, "rescue_delay", &fake.rescue_delay),
        (K::Firmware, "firmware_delay", &fake.firmware_delay),
    ]
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alone, filed},
        *,
    };
    use drivers::Registry;

    fn registry(config: &Config) -> Registry {
        Registry::new(&hardware(config).unwrap()).unwrap()
    }

    #[track_caller]
    fn check_defaults(config: &Config, driver: &str, expected: &[(InterfaceKind, &str)]) {
        let defaults = registry(config).defaults(driver).unwrap();
        for (kind, name) in expected {
            assert_eq!(defaults.get(*kind), *name, "{driver} {kind}");
        }
    }

    #[test]
    fn without_a_file_fake_hardware_is_simulated_throughout() {
        let defaults = registry(&alone(&[])).defaults(FAKE_HARDWARE).unwrap();
        for (kind, name) in defaults.iter() {
            let expected = match kind {
                InterfaceKind::Network | InterfaceKind::Storage => "noop",
                _ => "fake",
            };
            assert_eq!(name, expected, "{kind}");
        }
    }

    #[test]
    fn without_a_file_machines_with_bmcs_are_served_with_all_that_there_is() {
        use InterfaceKind as K;
        let config = alone(&[]);
        let served = registry(&config);
        let types: Vec<_> = served.hardware_types().collect();
        assert_eq!(types, [FAKE_HARDWARE, IPMI, REDFISH]);
        assert_eq!(served.reductions(), []);
        assert_eq!(served.enabled(K::Rescue), ["agent", "fake", "no-rescue"]);
        assert_eq!(
            served.enabled(K::Console),
            [
                "fake",
                "fake-graphical",
                "ipmitool-socat",
                "no-console",
                "redfish-graphical"
            ]
        );
        let alike = [
            (K::Boot, "ipxe"),
            (K::Deploy, "autodetect"),
            (K::Network, "noop"),
            (K::Rescue, "agent"),
            (K::Storage, "noop"),
        ];
        let ipmi = [
            (K::Console, "ipmitool-socat"),
            (K::Inspect, "agent"),
            (K::Power, "ipmitool"),
            (K::Vendor, "ipmitool"),
        ];
        let redfish = [
            (K::Bios, "redfish"),
            (K::Console, "no-console"),
            (K::Firmware, "redfish"),
            (K::Inspect, "redfish"),
            (K::Raid, "redfish"),
        ];
        check_defaults(&config, IPMI, &alike);
        check_defaults(&config, IPMI, &ipmi);
        check_defaults(&config, REDFISH, &alike);
        check_defaults(&config, REDFISH, &redfish);
    }

    /// Each of them with what its own defaults need, as Ironic computes them.
    #[test]
    fn hardware_types_need_nothing_written_besides() {
        let written = "DEFAULT.enabled_hardware_types=fake-hardware,ipmi,redfish";
        assert_eq!(registry(&alone(&[written])).hardware_types().count(), 3);
        let old = registry(&alone(&["DEFAULT.enabled_hardware_types=ilo,irmc"]));
        assert_eq!(old.hardware_types().count(), 2);
        let file = "[DEFAULT]\nenabled_hardware_types = fake-hardware,ipmi,redfish\n";
        let config = filed(file);
        assert_eq!(registry(&config).hardware_types().count(), 3);
        use InterfaceKind as K;
        let stock = [
            (K::Boot, "ipxe"),
            (K::Console, "no-console"),
            (K::Deploy, "autodetect"),
            (K::Inspect, "no-inspect"),
            (K::Rescue, "no-rescue"),
        ];
        check_defaults(&config, FAKE_HARDWARE, &stock);
        check_defaults(&config, IPMI, &stock);
        check_defaults(&config, FAKE_HARDWARE, &[(K::Power, "fake")]);
    }

    #[test]
    fn without_a_file_what_is_said_still_counts() {
        let config = alone(&[
            "DEFAULT.enabled_bios_interfaces=no-bios",
            "DEFAULT.default_raid_interface=no-raid",
        ]);
        let defaults = registry(&config).defaults(FAKE_HARDWARE).unwrap();
        assert_eq!(defaults.get(InterfaceKind::Bios), "no-bios");
        assert_eq!(defaults.get(InterfaceKind::Raid), "no-raid");
    }

    #[test]
    fn with_a_file_the_stock_lists_hold() {
        let config = filed("[DEFAULT]\nhost = h\n");
        assert!(
            registry(&config)
                .hardware_types()
                .any(|name| name == "ipmi")
        );
        let config = filed(
            "[DEFAULT]\nenabled_hardware_types = fake-hardware\nenabled_management_interfaces = noop\n",
        );
        let refused = Registry::new(&hardware(&config).unwrap()).unwrap_err();
        assert!(refused.to_string().contains("fake-hardware"), "{refused}");
    }

    #[test]
    fn a_bad_delay_names_its_place() {
        let refused = hardware(&filed("[fake]\npower_delay = soon\n")).unwrap_err();
        let text = types::error::chain(&refused);
        assert!(
            text.contains(":2: [fake]power_delay: 'soon' is not a delay"),
            "{text}"
        );
    }

    #[test]
    fn every_delay_option_has_a_kind_of_its_own() {
        let config = alone(&[]);
        for (kind, option, _) in delays(&config) {
            assert_eq!(option, format!("{kind}_delay"));
        }
    }
}
