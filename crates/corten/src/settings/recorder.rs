//! What is kept of conversations with machines: the flight recorder, and logs of consoles.

use config::Config;
use drivers::{LogSettings, RecorderSettings};

pub(super) fn recorder(config: &Config) -> RecorderSettings {
    let options = &config.corten;
    let bytes = |count: u32, unit: usize| {
        usize::try_from(count)
            .unwrap_or(usize::MAX)
            .saturating_mul(unit)
    };
    RecorderSettings {
        node_bytes: bytes(*options.recorder_node_size, 1 << 10),
        total_bytes: bytes(*options.recorder_total_size, 1 << 20),
    }
}

pub(super) fn console_log(config: &Config) -> Option<LogSettings> {
    let options = &config.corten;
    Some(LogSettings {
        folder: (*options.console_log_dir).clone()?,
        bytes: u64::from(*options.console_log_size) << 20,
        kept: *options.console_log_files,
    })
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    #[test]
    fn sizes_are_written_in_larger_units() {
        let usual = recorder(&filed("[DEFAULT]\nhost = h\n"));
        assert_eq!(usual, RecorderSettings::default());
        let config = filed("[corten]\nrecorder_node_size = 3\nrecorder_total_size = 0\n");
        let settings = recorder(&config);
        assert_eq!((settings.node_bytes, settings.total_bytes), (3 << 10, 0));
    }
}
