//! Graphical consoles: `[vnc]`.

use config::Config;
use drivers::ScreenSettings;

/// Who is let in, and for how long.
pub(super) fn tokens(config: &Config) -> conductor::ScreenTokens {
    let vnc = &config.vnc;
    conductor::ScreenTokens {
        public_url: (*vnc.public_url).clone(),
        token_timeout: vnc.token_timeout.duration(),
        expire_interval: vnc.expire_console_session_interval.duration(),
    }
}

/// How screens are passed on. Where servers may be is added by others.
pub(super) fn screens(config: &Config) -> ScreenSettings {
    let vnc = &config.vnc;
    ScreenSettings {
        is_on: *vnc.enabled,
        is_read_only: *vnc.read_only,
        wait: vnc.wait_for_ready_timeout.duration(),
        idle: config.console.terminal_timeout.positive(),
        ..ScreenSettings::default()
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
            "[vnc]\nenabled = true\nread_only = true\npublic_url = https://c/vnc.html\n\
             token_timeout = 77\nexpire_console_session_interval = 7\n\
             wait_for_ready_timeout = 3\n[console]\nterminal_timeout = 0\n",
        );
        let settings = screens(&config);
        assert!(settings.is_on && settings.is_read_only);
        assert_eq!(settings.wait, Duration::from_secs(3));
        assert_eq!(settings.idle, None);
        let tokens = tokens(&config);
        assert_eq!(tokens.public_url.as_deref(), Some("https://c/vnc.html"));
        assert_eq!(tokens.token_timeout, Duration::from_secs(77));
        assert_eq!(tokens.expire_interval, Duration::from_secs(7));
    }

    #[test]
    fn without_a_file_consoles_are_served() {
        assert!(screens(&alone(&[])).is_on);
        assert!(!screens(&filed("")).is_on);
    }
}
