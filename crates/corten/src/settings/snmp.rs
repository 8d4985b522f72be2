//! How PDUs are talked to over SNMP.

use config::Config;
use drivers::SnmpSettings;
use std::time::Duration;

pub(super) fn snmp(config: &Config) -> SnmpSettings {
    let options = &config.snmp;
    let timeout = Duration::try_from_secs_f64(*options.udp_transport_timeout);
    SnmpSettings {
        // A timeout of zero would always fail.
        timeout: timeout
            .unwrap_or(Duration::MAX)
            .max(Duration::from_millis(1)),
        retries: *options.udp_transport_retries,
        power_wait: options.power_timeout.duration(),
        reboot_delay: options.reboot_delay.duration(),
        action_delay: options.power_action_delay.duration(),
        ..SnmpSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    #[test]
    fn options_become_settings() {
        let config = filed(
            "[snmp]\npower_timeout = 7\nreboot_delay = 3\npower_action_delay = 2\n\
             udp_transport_timeout = 0.5\nudp_transport_retries = 1\n",
        );
        let settings = snmp(&config);
        assert_eq!(settings.power_wait, Duration::from_secs(7));
        assert_eq!(settings.reboot_delay, Duration::from_secs(3));
        assert_eq!(settings.action_delay, Duration::from_secs(2));
        assert_eq!(settings.timeout, Duration::from_millis(500));
        assert_eq!(settings.retries, 1);
    }

    #[test]
    fn what_nobody_wrote_is_as_usual() {
        assert_eq!(
            snmp(&filed("[DEFAULT]\nhost = h\n")),
            SnmpSettings::default()
        );
    }
}
