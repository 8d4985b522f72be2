//! Where metrics are shown.

use super::{SettingsError, boot::listeners};
use crate::config::Config;
use std::net::SocketAddr;

pub(crate) fn metrics(config: &Config) -> Result<Vec<SocketAddr>, SettingsError> {
    let option = &config.corten.metrics_listen;
    listeners("metrics_listen", option, option.source())
}

#[cfg(test)]
mod tests {
    use super::{super::tests::alone, *};

    #[test]
    fn nothing_is_open_unless_it_is_named() {
        assert!(metrics(&alone(&[])).unwrap().is_empty());
        let named = alone(&["corten.metrics_listen=127.0.0.1:9785,[::1]:9785"]);
        assert_eq!(metrics(&named).unwrap().len(), 2);
        let wrong = alone(&["corten.metrics_listen=here"]);
        let text = metrics(&wrong).unwrap_err().to_string();
        assert!(text.contains("[corten]metrics_listen: 'here'"), "{text}");
    }
}
