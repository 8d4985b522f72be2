//! How BMCs are talked to over IPMI.

use config::{Config, choice::BootMode};
use drivers::{GateSettings, IpmiSettings};

pub(super) fn ipmi(config: &Config) -> IpmiSettings {
    let (options, console) = (&config.ipmi, &config.console);
    let usual = IpmiSettings::default();
    // Ironic's interval is one between two logins, of which each of its commands has
    // its own. Here one session serves many, so only a written interval is kept to.
    let interval = if options.min_command_interval.is_set() {
        options.min_command_interval.duration()
    } else {
        usual.gate.interval
    };
    IpmiSettings {
        gate: GateSettings {
            interval,
            ..usual.gate
        },
        retry_for: options.command_retry_timeout.duration(),
        disable_boot_timeout: *options.disable_boot_timeout,
        cipher_suites: options.cipher_suite_versions.to_vec(),
        power_wait: config.conductor.power_state_change_timeout.duration(),
        soft_off_wait: config.conductor.soft_power_off_timeout.duration(),
        default_uefi: *config.deploy.default_boot_mode == BootMode::Uefi,
        console_address: *console.socat_address,
        console_ports: console.port_range.as_ref().map(|ranges| {
            let ranges = ranges.iter();
            ranges.map(|range| range.start..range.end).collect()
        }),
        console_needs_port: *config.corten.console_needs_port,
        console_idle: console.terminal_timeout.positive(),
        console_log: super::recorder::console_log(config),
        ..usual
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alone, filed},
        *,
    };
    use std::time::Duration;

    #[test]
    fn options_become_settings() {
        let config = filed(
            "[ipmi]\ncommand_retry_timeout = 7\nmin_command_interval = 3\n\
             disable_boot_timeout = false\ncipher_suite_versions = 3,17\n\
             [conductor]\npower_state_change_timeout = 8\nsoft_power_off_timeout = 9\n\
             [deploy]\ndefault_boot_mode = bios\n\
             [console]\nterminal_timeout = 0\nsocat_address = 10.1.2.3\nport_range = 5:7,9:9\n\
             [corten]\nconsole_log_dir = /logs\nconsole_log_size = 3\nconsole_log_files = 4\n",
        );
        let settings = ipmi(&config);
        assert_eq!(settings.gate.interval, Duration::from_secs(3));
        assert_eq!(settings.retry_for, Duration::from_secs(7));
        assert!(!settings.disable_boot_timeout && !settings.default_uefi);
        assert_eq!(settings.cipher_suites, [3, 17]);
        assert_eq!(settings.power_wait, Duration::from_secs(8));
        assert_eq!(settings.soft_off_wait, Duration::from_secs(9));
        assert_eq!(settings.console_idle, None);
        assert_eq!(settings.console_address.to_string(), "10.1.2.3");
        assert_eq!(settings.console_ports, Some(vec![5..7, 9..9]));
        let log = settings.console_log.unwrap();
        assert_eq!(log.folder.to_str(), Some("/logs"));
        assert_eq!((log.bytes, log.kept), (3 << 20, 4));
    }

    #[test]
    fn an_interval_that_nobody_wrote_is_ours() {
        let settings = ipmi(&filed("[DEFAULT]\nhost = h\n"));
        assert_eq!(settings.gate, GateSettings::default());
        assert_eq!(settings.retry_for, Duration::from_secs(60));
        assert_eq!(settings.console_ports, None);
        assert!(settings.console_needs_port);
        assert!(!ipmi(&alone(&[])).console_needs_port);
        assert_eq!(settings.console_log, None);
    }
}
