//! How machines are talked to that speak the protocols of older drivers.

use config::{Config, choice::AmtProtocol};
use drivers::{
    AmtSettings, ChassisSettings, CiscoSettings, IbootSettings, RedfishSettings, SeaMicroSettings,
    SshSettings,
};
use std::env;

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

pub(super) fn seamicro(config: &Config, chassis: ChassisSettings) -> SeaMicroSettings {
    SeaMicroSettings {
        chassis,
        retries: *config.seamicro.max_retry,
        action_timeout: config.seamicro.action_timeout.duration(),
        ..SeaMicroSettings::default()
    }
}

pub(super) fn ssh(config: &Config) -> SshSettings {
    SshSettings {
        askpass: env::current_exe().ok(),
        state: config.corten.data_dir.join("ssh"),
        known_hosts: (*config.corten.ssh_known_hosts).clone(),
        key_folders: config.corten.ssh_key_paths.to_vec(),
        libvirt_uri: config.ssh.libvirt_uri.to_string(),
        ..SshSettings::default()
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
    use std::{path::Path, time::Duration};

    #[test]
    fn options_become_settings() {
        let config = filed(
            "[iboot]\nmax_retry = 1\nretry_interval = 2\nreboot_delay = 3\n\
             [cisco_ucs]\nmax_retry = 4\naction_interval = 6\n\
             [cimc]\nmax_retry = 7\naction_interval = 8\n\
             [seamicro]\nmax_retry = 9\naction_timeout = 11\n\
             [ssh]\nlibvirt_uri = test:///default\n\
             [corten]\ndata_dir = /d\nssh_key_paths = /keys,/more\nssh_known_hosts = /hosts\n\
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
        let cisco = cisco(&config, chassis.clone());
        assert!(cisco.chassis.require_tls);
        assert_eq!((cisco.ucs_looks, cisco.ucs_pause), (4, seconds(6)));
        assert_eq!((cisco.cimc_looks, cisco.cimc_pause), (7, seconds(8)));
        let seamicro = seamicro(&config, chassis);
        assert!(seamicro.chassis.require_tls);
        let found = (seamicro.retries, seamicro.action_timeout);
        assert_eq!(found, (9, seconds(11)));
        let ssh = ssh(&config);
        assert_eq!(ssh.libvirt_uri, "test:///default");
        assert_eq!(ssh.state, Path::new("/d/ssh"));
        assert_eq!(ssh.known_hosts.as_deref(), Some(Path::new("/hosts")));
        assert_eq!(ssh.key_folders, [Path::new("/keys"), Path::new("/more")]);
    }

    #[test]
    fn options_that_are_not_set_have_their_defaults() {
        let config = filed("[DEFAULT]\nhost = h\n");
        assert_eq!(iboot(&config), IbootSettings::default());
        let chassis = ChassisSettings::default();
        assert_eq!(amt(&config, chassis.clone()), AmtSettings::default());
        assert_eq!(cisco(&config, chassis.clone()), CiscoSettings::default());
        assert_eq!(seamicro(&config, chassis), SeaMicroSettings::default());
    }
}
