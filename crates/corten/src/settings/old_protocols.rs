//! How machines are talked to that speak the protocols of older drivers.

use config::{Config, choice::AmtProtocol};
use drivers::{AmtSettings, ChassisSettings, CiscoSettings, IbootSettings, RedfishSettings};

pub(super) fn iboot(config: &Config) -> IbootSettings {
    let options = &config.iboot;
    IbootSettings {
        retries: *options.max_retry,
        pause: options.retry_interval.duration(),
        reboot_delay: options.reboot_delay.duration(),
        ..IbootSettings::default()
    }
}

/// Managers of chassis are trusted as BMCs with Redfish are.
pub(super) fn chassis(redfish: &RedfishSettings) -> ChassisSettings {
    ChassisSettings {
        outbound: redfish.outbound.clone(),
        verify: redfish.verify.clone(),
        require_tls: redfish.require_tls,
        ..ChassisSettings::default()
    }
}

pub(super) fn cisco(config: &Config, chassis: ChassisSettings) -> CiscoSettings {
    CiscoSettings {
        chassis,
        ucs_looks: *config.cisco_ucs.max_retry,
        ucs_pause: config.cisco_ucs.action_interval.duration(),
        cimc_looks: *config.cimc.max_retry,
        cimc_pause: config.cimc.action_interval.duration(),
    }
}

pub(super) fn amt(config: &Config, chassis: ChassisSettings) -> AmtSettings {
    AmtSettings {
        chassis,
        attempts: *config.amt.max_attempts,
        pause: config.amt.action_wait.duration(),
        is_secure: *config.amt.protocol == AmtProtocol::Https,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};
    use std::time::Duration;

    #[test]
    fn options_become_settings() {
        let config = filed(
            "[iboot]\nmax_retry = 1\nretry_interval = 2\nreboot_delay = 3\n\
             [cisco_ucs]\nmax_retry = 4\naction_interval = 6\n\
             [cimc]\nmax_retry = 7\naction_interval = 8\n\
             [amt]\nprotocol = https\nmax_attempts = 9\naction_wait = 10\n",
        );
        let seconds = Duration::from_secs;
        let iboot = iboot(&config);
        assert_eq!(iboot.retries, 1);
        assert_eq!((iboot.pause, iboot.reboot_delay), (seconds(2), seconds(3)));
        let redfish = RedfishSettings {
            require_tls: true,
            ..RedfishSettings::default()
        };
        let chassis = chassis(&redfish);
        let amt = amt(&config, chassis.clone());
        assert!(amt.chassis.require_tls && amt.is_secure);
        assert_eq!((amt.attempts, amt.pause), (9, seconds(10)));
        let cisco = cisco(&config, chassis);
        assert!(cisco.chassis.require_tls);
        assert_eq!((cisco.ucs_looks, cisco.ucs_pause), (4, seconds(6)));
        assert_eq!((cisco.cimc_looks, cisco.cimc_pause), (7, seconds(8)));
    }

    #[test]
    fn options_that_are_not_set_have_their_defaults() {
        let config = filed("[DEFAULT]\nhost = h\n");
        assert_eq!(iboot(&config), IbootSettings::default());
        let chassis = ChassisSettings::default();
        assert_eq!(amt(&config, chassis.clone()), AmtSettings::default());
        assert_eq!(cisco(&config, chassis), CiscoSettings::default());
    }
}
