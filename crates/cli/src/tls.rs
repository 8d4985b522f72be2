//! The HTTP client, with its roots of trust spelled out.
//!
//! The roots are the machine's, or those of the file named; they are only read when the address
//! is https, because reading them takes longer than most commands. Redirects are not followed: a
//! token must not travel to a host nobody named.

use std::time::Duration;

use ::tls::{Client, Trust};
use rustls::ClientConfig;

use crate::endpoint::Tls;
use crate::error::Error;

/// Longer than any answer the service takes its time for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// A client for the service at this address.
pub(crate) fn http_client(base: &str, tls: &Tls) -> Result<reqwest::Client, Error> {
    let secure = base.starts_with("https://");
    outbound::client_for(base)
        .connect_timeout(Duration::from_secs(20))
        .timeout(PATIENCE)
        .tls_backend_preconfigured(config(tls, secure)?)
        .build()
        .map_err(|error| Error::failed(format!("cannot set up HTTP: {error}")))
}

/// What is wrong with a file that was named is for whoever named it.
fn config(tls: &Tls, secure: bool) -> Result<ClientConfig, Error> {
    let client = if secure {
        Client {
            trust: match &tls.cacert {
                _ if tls.insecure => Trust::Anyone,
                Some(file) => Trust::Path(file.clone()),
                None => Trust::Machine,
            },
            certificate: tls.identity.clone(),
        }
    } else {
        Trust::Nobody.into()
    };
    client
        .config()
        .map_err(|error| Error::usage(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_file_without_certificates_is_a_usage_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for path in [file.path(), Path::new("/no/such/file.pem")] {
            let tls = Tls {
                cacert: Some(path.to_owned()),
                ..Tls::default()
            };
            assert_eq!(config(&tls, true).unwrap_err().exit_code(), 2);
            assert!(config(&tls, false).is_ok());
        }
    }

    #[test]
    fn the_machines_roots_and_no_roots_at_all_both_build() {
        assert!(config(&Tls::default(), true).is_ok());
        assert!(
            config(
                &Tls {
                    insecure: true,
                    ..Tls::default()
                },
                true
            )
            .is_ok()
        );
    }
}
