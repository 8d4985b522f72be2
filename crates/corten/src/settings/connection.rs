//! How clients connect: the certificate of HTTPS, and what a connection may take of us.

use super::SettingsError;
use crate::listen::Limits;
use config::{Config, choice::TlsVersion};
use std::path::PathBuf;

/// What HTTPS is served with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Whose signature the certificates of clients must have, if they need any.
    pub clients: Option<PathBuf>,
    /// Whether TLS 1.2 is good enough.
    pub tls_1_2: bool,
    /// The names of cipher suites, separated by colons.
    pub ciphers: Option<String>,
}

/// What to serve HTTPS with, if that is asked for.
pub fn tls(config: &Config) -> Result<Option<Tls>, SettingsError> {
    let (api, ssl) = (&config.api, &config.ssl);
    if !*api.enable_ssl_api {
        return Ok(None);
    }
    // A pair is taken from one place: half of each would hardly fit together.
    let pair = match (&*api.cert_file, &*api.key_file) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        _ => ssl.cert_file.as_ref().zip(ssl.key_file.as_ref()),
    };
    let (certificate, key) = pair.ok_or_else(|| SettingsError::Tls {
        place: api.enable_ssl_api.source().clone(),
    })?;
    Ok(Some(Tls {
        certificate: certificate.clone(),
        key: key.clone(),
        clients: (*ssl.ca_file).clone(),
        tls_1_2: *api.server_tls_minimum_version == TlsVersion::V1_2,
        ciphers: (*api.server_tls_ciphers).clone(),
    }))
}

pub(crate) fn limits(config: &Config) -> Limits {
    let corten = &config.corten;
    let number = |option: u32| usize::try_from(option).unwrap_or(usize::MAX);
    Limits {
        patience: corten.client_timeout.duration(),
        head: number(*corten.max_head_size).saturating_mul(1024),
        connections: number(*corten.max_connections),
        by_proxy: *config.oslo_middleware.enable_proxy_headers_parsing,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alone, filed},
        *,
    };

    #[test]
    fn limits_have_the_defaults_of_their_type() {
        assert_eq!(limits(&alone(&[])), Limits::default());
    }

    #[test]
    fn plain_text_is_never_served_where_tls_was_asked_for() {
        assert_eq!(tls(&filed("[api]\ncert_file = /c\n")).unwrap(), None);
        let config = filed("[api]\n\nenable_ssl_api = true\ncert_file = /c\n");
        let refused = tls(&config).unwrap_err().to_string();
        assert!(refused.contains(":3: [api]enable_ssl_api"), "{refused}");
    }

    #[test]
    fn a_pair_comes_from_one_section() {
        let both = "[api]\nenable_ssl_api = true\ncert_file = /c\n";
        let ssl = "[ssl]\ncert_file = /sc\nkey_file = /sk\nca_file = /ca\n";
        let pair = |text: String| {
            let tls = tls(&filed(&text)).unwrap().unwrap();
            (tls.certificate, tls.key, tls.clients)
        };
        let old = pair(format!("{both}{ssl}"));
        assert_eq!(old, ("/sc".into(), "/sk".into(), Some("/ca".into())));
        let new = pair(format!("{both}key_file = /k\n{ssl}"));
        assert_eq!(new, ("/c".into(), "/k".into(), Some("/ca".into())));
    }
}
