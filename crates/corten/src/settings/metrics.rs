//! Where metrics are shown, and where they are sent.

use super::{SettingsError, boot::listeners};
use crate::metrics::Statsd;
use config::{Config, choice::MetricsBackend};
use std::net::SocketAddr;

pub(crate) fn metrics(config: &Config) -> Result<Vec<SocketAddr>, SettingsError> {
    let option = &config.corten.metrics_listen;
    listeners("metrics_listen", option, option.source())
}

/// Where alerts of BMCs are taken.
pub(crate) fn traps(config: &Config) -> Result<Vec<SocketAddr>, SettingsError> {
    let option = &config.corten.trap_listen;
    listeners("trap_listen", option, option.source())
}

/// The statsd server that numbers are sent to, if that is wanted.
pub(crate) fn statsd(config: &Config) -> Option<Statsd> {
    let (metrics, server) = (&config.metrics, &config.metrics_statsd);
    if *metrics.backend != MetricsBackend::Statsd {
        return None;
    }
    let host = metrics.prepend_host.then(|| {
        let mut parts: Vec<_> = config.default.host.split('.').collect();
        if *metrics.prepend_host_reverse {
            parts.reverse();
        }
        parts.join(".")
    });
    let parts = [(*metrics.global_prefix).clone(), host];
    let prefix: Vec<_> = parts.into_iter().flatten().map(|part| part + ".").collect();
    Some(Statsd {
        host: server.statsd_host.to_string(),
        port: *server.statsd_port,
        prefix: prefix.concat(),
    })
}

#[cfg(test)]
mod tests {
    use super::{super::tests::alone, *};

    #[test]
    fn names_for_statsd_begin_as_operators_want() {
        assert_eq!(statsd(&alone(&[])), None);
        let sets = [
            "metrics.backend=statsd",
            "metrics.prepend_host=true",
            "metrics.global_prefix=lab",
            "DEFAULT.host=c1.example.org",
            "metrics_statsd.statsd_port=1",
        ];
        let wanted = statsd(&alone(&sets)).unwrap();
        assert_eq!((wanted.host.as_str(), wanted.port), ("localhost", 1));
        assert_eq!(wanted.prefix, "lab.org.example.c1.");
        let straight = [&sets[..], &["metrics.prepend_host_reverse=false"]].concat();
        assert_eq!(
            statsd(&alone(&straight)).unwrap().prefix,
            "lab.c1.example.org."
        );
    }

    #[test]
    fn nothing_is_open_unless_it_is_named() {
        assert!(metrics(&alone(&[])).unwrap().is_empty());
        let named = alone(&["corten.metrics_listen=127.0.0.1:9785,[::1]:9785"]);
        assert_eq!(metrics(&named).unwrap().len(), 2);
        assert!(traps(&named).unwrap().is_empty());
        let listens = alone(&["corten.trap_listen=10.0.0.1:162"]);
        assert_eq!(traps(&listens).unwrap(), ["10.0.0.1:162".parse().unwrap()]);
        let wrong = alone(&["corten.trap_listen=10.0.0.1"]);
        let text = traps(&wrong).unwrap_err().to_string();
        assert!(text.contains("[corten]trap_listen"), "{text}");
        let wrong = alone(&["corten.metrics_listen=here"]);
        let text = metrics(&wrong).unwrap_err().to_string();
        assert!(
            text.contains("[corten]metrics_listen: invalid address 'here'"),
            "{text}"
        );
    }
}
