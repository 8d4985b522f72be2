//! The services of OpenStack around this one: how to log in to each and where it is.
//!
//! What can never work is refused at the start: a name without its domain, a way of logging in that
//! we do not have, a secret that is missing. Whether the services are there and agree is not known
//! before they are asked, and the start does not wait for them.

use super::SettingsError;
use ::openstack::{
    ServiceSettings, Services, ServicesSettings, login::AuthOptions, settings::TlsFiles,
};
use config::{Config, Secret, Setting, choice::AuthStrategy};
use std::{sync::Arc, time::Duration};

/// Reads the options for logging in that all sections have.
macro_rules! auth {
    ($options:ident, $auth_type:expr, $endpoint:expr) => {
        AuthOptions {
            auth_type: $auth_type,
            auth_url: text(&$options.auth_url),
            username: (*$options.username).clone(),
            user_id: (*$options.user_id).clone(),
            password: secret(&$options.password),
            user_domain_id: (*$options.user_domain_id).clone(),
            user_domain_name: (*$options.user_domain_name).clone(),
            project_id: (*$options.project_id).clone(),
            project_name: (*$options.project_name).clone(),
            project_domain_id: (*$options.project_domain_id).clone(),
            project_domain_name: (*$options.project_domain_name).clone(),
            default_domain_id: (*$options.default_domain_id).clone(),
            default_domain_name: (*$options.default_domain_name).clone(),
            system_scope: (*$options.system_scope).clone(),
            domain_id: (*$options.domain_id).clone(),
            domain_name: (*$options.domain_name).clone(),
            trust_id: (*$options.trust_id).clone(),
            token: secret(&$options.token),
            application_credential_id: (*$options.application_credential_id).clone(),
            application_credential_name: (*$options.application_credential_name).clone(),
            application_credential_secret: secret(&$options.application_credential_secret),
            endpoint: $endpoint,
        }
    };
}

/// Reads the options that all sections of services have.
macro_rules! service {
    ($config:ident.$section:ident) => {{
        let options = &$config.$section;
        let name = stringify!($section);
        refuse_section(name, &options.auth_section)?;
        ServiceSettings {
            auth: auth!(
                options,
                (*options.auth_type).clone(),
                text(&options.endpoint)
            ),
            service_type: (*options.service_type).clone(),
            service_name: (*options.service_name).clone(),
            region_name: (*options.region_name).clone(),
            valid_interfaces: options.valid_interfaces.to_vec(),
            endpoint_override: text(&options.endpoint_override),
            min_version: (*options.min_version).clone(),
            max_version: (*options.max_version).clone(),
            tls: TlsFiles {
                cafile: (*options.cafile).clone(),
                certfile: (*options.certfile).clone(),
                keyfile: (*options.keyfile).clone(),
                insecure: *options.insecure,
            },
            timeout: options.timeout.map(|time| time.duration()),
            connect_retries: *options.connect_retries,
            connect_retry_delay: options.connect_retry_delay.map(Duration::from_secs_f64),
            status_code_retries: *options.status_code_retries,
            status_code_retry_delay: options.status_code_retry_delay.map(Duration::from_secs_f64),
        }
    }};
}

/// Clients of all services, which share their logins. A service whose section has no `auth_type`
/// cannot be called: an error then names the section.
pub fn openstack(config: &Config) -> Result<Arc<Services>, SettingsError> {
    Ok(Arc::new(Services::from_settings(&sections(config)?)?))
}

/// The same, with the login that users' tokens are checked with.
pub(crate) fn openstack_with_keystone(config: &Config) -> Result<Services, SettingsError> {
    let mut settings = sections(config)?;
    let options = &config.keystone_authtoken;
    if super::auth_strategy(config) == AuthStrategy::Keystone && options.auth_url.is_some() {
        let auth_type = (*options.auth_type).clone();
        let auth_type = auth_type.unwrap_or_else(|| "password".to_owned());
        settings.keystone_authtoken = ServiceSettings {
            auth: auth!(options, Some(auth_type), None),
            // Tokens are checked where we log in, unless the catalogue has a nearer place.
            endpoint_override: text(&options.auth_url),
            tls: TlsFiles {
                cafile: (*options.cafile).clone(),
                certfile: (*options.certfile).clone(),
                keyfile: (*options.keyfile).clone(),
                insecure: *options.insecure,
            },
            ..ServiceSettings::default()
        };
    }
    Ok(Services::from_settings(&settings)?)
}

fn sections(config: &Config) -> Result<ServicesSettings, SettingsError> {
    let mut glance: ServiceSettings = service!(config.glance);
    let retries = *config.glance.num_retries;
    if retries > 0 && glance.connect_retries.is_none() {
        // Ironic's own loop around the library, for connections that fail.
        glance.connect_retries = Some(retries);
        glance.connect_retry_delay = glance.connect_retry_delay.or(Some(Duration::from_secs(1)));
    }
    Ok(ServicesSettings {
        glance,
        swift: service!(config.swift),
        neutron: service!(config.neutron),
        cinder: service!(config.cinder),
        nova: service!(config.nova),
        service_catalog: service!(config.service_catalog),
        keystone_authtoken: ServiceSettings::default(),
    })
}

fn text<T: ToString>(setting: &Option<T>) -> Option<String> {
    setting.as_ref().map(ToString::to_string)
}

fn secret(setting: &Option<Secret>) -> Option<::openstack::Secret> {
    let secret = setting.as_ref();
    secret.map(|secret| ::openstack::Secret::new(secret.expose()))
}

fn refuse_section(
    section: &'static str,
    setting: &Setting<Option<String>>,
) -> Result<(), SettingsError> {
    match &**setting {
        None => Ok(()),
        Some(other) => Err(SettingsError::OpenStack(
            ::openstack::SettingsError::Invalid {
                section,
                option: "auth_section",
                reason: format!("is not supported; move the options of [{other}] to [{section}]"),
            },
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Sources;

    fn read(sets: &[&str]) -> Result<Arc<Services>, String> {
        let sources = Sources {
            sets: sets.iter().map(|&set| set.to_owned()).collect(),
            ..Sources::default()
        };
        let (config, _) = Config::load(sources).unwrap();
        openstack(&config).map_err(|error| error.to_string())
    }

    #[test]
    fn what_cannot_work_is_refused_with_section_and_option() {
        assert!(read(&[]).is_ok());
        let refusal = |sets: &[&str]| read(sets).unwrap_err();
        assert_eq!(
            refusal(&["neutron.auth_type=password"]),
            "username is not set in [neutron]"
        );
        assert_eq!(
            refusal(&["swift.auth_type=v3oidc"]),
            "auth_type 'v3oidc' in [swift] is not supported; there are password, v3password, \
             token, v3token, v3applicationcredential, http_basic and none"
        );
        assert_eq!(
            refusal(&["glance.auth_section=keystone"]),
            "auth_section in [glance]: is not supported; move the options of [keystone] to [glance]"
        );
    }

    #[test]
    fn former_names_of_the_library_are_read() {
        let login = [
            "cinder.auth_plugin=password",
            "cinder.auth_url=http://k/v3",
            "cinder.user_name=ironic",
            "cinder.user_domain_id=default",
            "cinder.password=p",
            "cinder.tenant_name=service",
            "cinder.project_domain_id=default",
        ];
        assert!(read(&login).is_ok());
    }
}
