//! How BMCs are talked to over Redfish.

use config::{
    Config, VerifyCa,
    choice::{BmcTlsVersion, BootMode, RedfishAuth},
};
use drivers::{
    RedfishSettings,
    redfish::{
        StepSettings,
        info::{Auth, TlsVersion},
    },
};
use std::time::Duration;

pub(super) fn redfish(config: &Config) -> RedfishSettings {
    let options = &config.redfish;
    RedfishSettings {
        attempts: *options.connection_attempts,
        attempt_pause: options.connection_retry_interval.duration(),
        connect_timeout: options.connect_timeout.duration(),
        read_timeout: options.read_timeout.duration(),
        sessions: usize::try_from(*options.connection_cache_size).unwrap_or(usize::MAX),
        auth: match *options.auth_type {
            RedfishAuth::Basic => Auth::Basic,
            RedfishAuth::Session => Auth::Session,
            RedfishAuth::Auto => Auth::Auto,
        },
        verify: options.verify_ca.as_ref().map(VerifyCa::trust),
        require_tls: *config.corten.bmc_require_tls,
        tls_minimum: options.tls_minimum_version.map(|version| match version {
            BmcTlsVersion::V1_1 => TlsVersion::V11,
            BmcTlsVersion::V1_2 => TlsVersion::V12,
            BmcTlsVersion::V1_3 => TlsVersion::V13,
        }),
        tls_ciphers: options.tls_ciphers.as_ref().cloned(),
        power_wait: config.conductor.power_state_change_timeout.duration(),
        soft_off_wait: config.conductor.soft_power_off_timeout.duration(),
        power_on_conflicts: *options.power_on_conflict_retry_attempts,
        power_on_conflict_pause: options.power_on_conflict_retry_interval.duration(),
        post_attempts: *options.post_boot_retry_attempts,
        post_pause: options.post_boot_retry_delay.duration(),
        boot_mode_wait: options.boot_mode_config_timeout.duration(),
        verify_clock: *options.enable_verify_bmc_clock,
        watch_insert: *options.enable_vmedia_insert_polling,
        insert_wait: options.vmedia_insert_timeout.duration(),
        insert_pause: options.vmedia_insert_poll_interval.duration(),
        default_uefi: *config.deploy.default_boot_mode == BootMode::Uefi,
        steps: steps(config),
        ..RedfishSettings::default()
    }
}

/// How often work that takes its time is looked at, and how long it may take.
fn steps(config: &Config) -> StepSettings {
    let options = &config.redfish;
    let default = StepSettings::default();
    // Zero switches the looking off in Ironic, and nothing would ever end.
    let interval = |asked: Duration, usual: Duration| if asked.is_zero() { usual } else { asked };
    StepSettings {
        status_interval: interval(
            options.firmware_update_status_interval.duration(),
            default.status_interval,
        ),
        raid_interval: interval(
            options.raid_config_status_interval.duration(),
            default.raid_interval,
        ),
        unresponsive_bmc_wait: options.firmware_update_wait_unresponsive_bmc.duration(),
        required_successes: *options.firmware_update_required_successes,
        validation_interval: options.firmware_update_validation_interval.duration(),
        validation_timeout: options
            .firmware_update_resource_validation_timeout
            .duration(),
        bmc_version_wait: options.firmware_update_reboot_delay.duration(),
        version_check_interval: options
            .firmware_update_bmc_version_check_interval
            .duration(),
        nic_starting_wait: options.firmware_update_nic_starting_wait.duration(),
        overall_timeout: options.firmware_update_overall_timeout.duration(),
        ..default
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    #[test]
    fn options_become_settings() {
        let config = filed(
            "[redfish]\nconnection_attempts = 2\nconnection_retry_interval = 3\n\
             connect_timeout = 4\nread_timeout = 5\nconnection_cache_size = 6\n\
             auth_type = basic\nverify_ca = false\ntls_minimum_version = 1.3\n\
             tls_ciphers = HIGH\npower_on_conflict_retry_attempts = 7\n\
             post_boot_retry_attempts = 8\nboot_mode_config_timeout = 9\n\
             firmware_update_status_interval = 12\nraid_config_status_interval = 0\n\
             firmware_update_overall_timeout = 13\n\
             enable_verify_bmc_clock = true\nenable_vmedia_insert_polling = true\n\
             [conductor]\npower_state_change_timeout = 10\nsoft_power_off_timeout = 11\n\
             [deploy]\ndefault_boot_mode = bios\n",
        );
        let settings = redfish(&config);
        let seconds = Duration::from_secs;
        assert_eq!((settings.attempts, settings.attempt_pause), (2, seconds(3)));
        assert_eq!(settings.connect_timeout, seconds(4));
        assert_eq!(settings.read_timeout, seconds(5));
        assert_eq!((settings.sessions, settings.auth), (6, Auth::Basic));
        assert_eq!(settings.verify, Some(tls::Trust::Anyone));
        assert_eq!(settings.tls_minimum, Some(TlsVersion::V13));
        assert_eq!(settings.tls_ciphers.as_deref(), Some("HIGH"));
        assert_eq!(settings.power_on_conflicts, 7);
        assert_eq!(settings.post_attempts, 8);
        assert_eq!(settings.boot_mode_wait, seconds(9));
        assert!(settings.verify_clock && settings.watch_insert && !settings.default_uefi);
        let steps = &settings.steps;
        assert_eq!(steps.status_interval, seconds(12));
        assert_eq!(steps.raid_interval, seconds(60));
        assert_eq!(steps.overall_timeout, seconds(13));
        assert_eq!(settings.power_wait, seconds(10));
        assert_eq!(settings.soft_off_wait, seconds(11));
    }

    #[test]
    fn defaults_are_those_of_the_options() {
        let config = filed("[DEFAULT]\nhost = h\n");
        assert_eq!(redfish(&config), RedfishSettings::default());
    }
}
