//! What the operator says about one service: keystoneauth's session and adapter options.
//!
//! Plain data; the binary fills it from the section. Unset options are `None`, so that each keeps
//! the default that belongs to it here.

use crate::{Service, endpoint, login::AuthOptions, retry::RetryPolicy};
use std::{path::PathBuf, time::Duration};

/// Ironic's number of retries for 429 and 503 of Glance; that of the others is ours.
const GLANCE_STATUS_RETRIES: u32 = 5;

/// A section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceSettings {
    pub auth: AuthOptions,
    pub service_type: Option<String>,
    pub service_name: Option<String>,
    pub region_name: Option<String>,
    /// In the order of preference; `internal`, `public` if empty.
    pub valid_interfaces: Vec<String>,
    pub endpoint_override: Option<String>,
    pub min_version: Option<String>,
    pub max_version: Option<String>,
    pub tls: TlsFiles,
    /// For a connection, and for each wait for further bytes of an answer.
    pub timeout: Option<Duration>,
    pub connect_retries: Option<u32>,
    pub connect_retry_delay: Option<Duration>,
    pub status_code_retries: Option<u32>,
    pub status_code_retry_delay: Option<Duration>,
}

/// Files for services behind TLS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// CA certificates to trust instead of the machine's.
    pub cafile: Option<PathBuf>,
    /// Our own certificate, and its key unless that is in the same file.
    pub certfile: Option<PathBuf>,
    pub keyfile: Option<PathBuf>,
    /// Accept any certificate.
    pub insecure: bool,
}

/// Options that cannot be used together, or at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("{option} is not set in [{section}]")]
    Missing {
        section: &'static str,
        option: &'static str,
    },
    #[error(
        "auth_type '{auth_type}' in [{section}] is not supported; there are password, v3password, \
         token, v3token, v3applicationcredential, http_basic and none"
    )]
    AuthType {
        section: &'static str,
        auth_type: String,
    },
    #[error("{option} in [{section}]: {reason}")]
    Invalid {
        section: &'static str,
        option: &'static str,
        reason: String,
    },
    #[error(
        "min_version or max_version in [{section}] excludes version {spoken} of the API of \
         {service}, which is the only one that is supported"
    )]
    Version {
        section: &'static str,
        service: Service,
        spoken: u32,
    },
}

/// A version of an API: `3` or `3.59`; `3.latest` is the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ApiVersion {
    pub(crate) major: u32,
    pub(crate) minor: Option<u32>,
}

impl ApiVersion {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('v');
        let (major, minor) = match text.split_once('.') {
            Some((major, "latest")) => (major, None),
            Some((major, minor)) => (major, Some(minor.parse().ok()?)),
            None => (text, None),
        };
        let major = major.parse().ok()?;
        Some(Self { major, minor })
    }
}

impl ServiceSettings {
    pub(crate) fn interfaces(&self) -> Vec<String> {
        if self.valid_interfaces.is_empty() {
            return vec!["internal".into(), "public".into()];
        }
        let names = self.valid_interfaces.iter();
        names
            .map(|name| name.trim_end_matches("URL").to_owned())
            .collect()
    }

    pub(crate) fn retry(&self, service: Service) -> RetryPolicy {
        let default = RetryPolicy::default();
        RetryPolicy {
            connect: self.connect_retries,
            connect_delay: self.connect_retry_delay,
            status: self.status_code_retries,
            status_delay: self.status_code_retry_delay,
            default_status: match service {
                Service::Glance => GLANCE_STATUS_RETRIES,
                _ => default.default_status,
            },
        }
    }

    /// The newest microversion that the operator allows, for services that have some.
    pub(crate) fn check_versions(&self, service: Service) -> Result<Option<u32>, SettingsError> {
        let section = service.section();
        let spoken = service.major_version();
        let read = |option: &'static str, text: &Option<String>| {
            let text = text.as_deref().filter(|text| *text != "latest");
            let version = text.map(|text| {
                ApiVersion::parse(text).ok_or_else(|| SettingsError::Invalid {
                    section,
                    option,
                    reason: format!("'{text}' is not a version"),
                })
            });
            version.transpose()
        };
        let minimum = read("min_version", &self.min_version)?;
        let maximum = read("max_version", &self.max_version)?;
        let too_new = minimum.is_some_and(|minimum| minimum.major > spoken);
        let too_old = maximum.is_some_and(|maximum| maximum.major < spoken);
        if too_new || too_old {
            return Err(SettingsError::Version {
                section,
                service,
                spoken,
            });
        }
        let same_major = maximum.filter(|maximum| maximum.major == spoken);
        Ok(same_major.and_then(|maximum| maximum.minor))
    }

    /// The address that is used instead of one from the catalogue.
    pub(crate) fn fixed_endpoint(
        &self,
        service: Service,
    ) -> Result<Option<reqwest::Url>, SettingsError> {
        let section = service.section();
        let (option, address) = match (&self.endpoint_override, &self.auth.endpoint) {
            (Some(address), _) => ("endpoint_override", address),
            (None, Some(address)) => ("endpoint", address),
            (None, None) => return Ok(None),
        };
        let root = endpoint::api_root(service, address, self.auth.project_id.as_deref());
        root.map(Some).map_err(|error| SettingsError::Invalid {
            section,
            option,
            reason: error.to_string(),
        })
    }
}

impl TlsFiles {
    pub(crate) fn client(&self) -> tls::Client {
        let trust = match (&self.cafile, self.insecure) {
            (_, true) => tls::Trust::Anyone,
            (Some(path), false) => tls::Trust::Path(path.clone()),
            (None, false) => tls::Trust::Machine,
        };
        let certificate = self.certfile.as_ref().map(|certificate| {
            let key = self.keyfile.as_ref().unwrap_or(certificate);
            (certificate.clone(), key.clone())
        });
        tls::Client { trust, certificate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_outside_of_what_we_speak_are_refused() {
        let versions = |min: Option<&str>, max: Option<&str>| {
            let settings = ServiceSettings {
                min_version: min.map(str::to_owned),
                max_version: max.map(str::to_owned),
                ..ServiceSettings::default()
            };
            settings.check_versions(Service::Cinder)
        };
        assert_eq!(versions(None, None), Ok(None));
        assert_eq!(versions(Some("3"), Some("3.latest")), Ok(None));
        assert_eq!(versions(Some("2"), Some("3.44")), Ok(Some(44)));
        assert_eq!(versions(None, Some("latest")), Ok(None));
        assert!(versions(Some("4"), None).is_err());
        assert!(versions(None, Some("2.9")).is_err());
        let error = versions(Some("new"), None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "min_version in [cinder]: 'new' is not a version"
        );
    }

    #[test]
    fn an_override_replaces_the_catalogue() {
        let settings = ServiceSettings {
            endpoint_override: Some("http://n:9696/".into()),
            valid_interfaces: vec!["publicURL".into()],
            ..ServiceSettings::default()
        };
        let root = settings.fixed_endpoint(Service::Neutron).unwrap().unwrap();
        assert_eq!(root.as_str(), "http://n:9696/v2.0");
        assert_eq!(settings.interfaces(), ["public"]);
        assert_eq!(
            ServiceSettings::default().interfaces(),
            ["internal", "public"]
        );
        let wrong = ServiceSettings {
            endpoint_override: Some("neutron".into()),
            ..ServiceSettings::default()
        };
        assert_eq!(
            wrong
                .fixed_endpoint(Service::Neutron)
                .unwrap_err()
                .to_string(),
            "endpoint_override in [neutron]: 'neutron' is not an http or https URL of a service"
        );
    }
}
