//! Access to the service: the address it listens on, and the authentication of callers.
//!
//! Whether an address is beyond this machine is not known before names are resolved, so that rule
//! is in [`crate::listen`].

use super::{SettingsError, keystone::keystone};
use ::api::auth::{
    keystone::KeystoneSettings,
    oidc::{OidcSettings, roles::BadRoleRule},
};
use config::{Config, Source, choice::AuthStrategy};
use std::path::PathBuf;

/// Authentication of callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Not at all.
    Open,
    /// By a name and a password from this file.
    Basic { users: PathBuf },
    /// By a token that Keystone vouches for.
    Keystone(Box<KeystoneSettings>),
    /// As a user in the database, by a password or a token; or by one of a provider.
    Local(Option<Box<OidcSettings>>),
}

/// How callers prove who they are. Without a file, not at all: only this machine reaches the service.
pub(crate) fn auth_strategy(config: &Config) -> AuthStrategy {
    let strategy = &config.default.auth_strategy;
    if !config.has_files() && !strategy.is_set() {
        return AuthStrategy::Noauth;
    }
    **strategy
}

pub fn access(config: &Config) -> Result<Access, SettingsError> {
    let general = &config.default;
    match auth_strategy(config) {
        AuthStrategy::Noauth => Ok(Access::Open),
        AuthStrategy::HttpBasic => Ok(Access::Basic {
            users: general.http_basic_auth_user_file.to_path_buf(),
        }),
        AuthStrategy::Local => Ok(Access::Local(oidc(config)?.map(Box::new))),
        AuthStrategy::Keystone => Ok(Access::Keystone(Box::new(keystone(config)?))),
    }
}

/// The provider of OpenID Connect, if one is named.
fn oidc(config: &Config) -> Result<Option<OidcSettings>, SettingsError> {
    let corten = &config.corten;
    let wrong = |place: &Source, option: &'static str, reason: String| SettingsError::Oidc {
        place: place.clone(),
        option,
        reason,
    };
    let Some(issuer) = &*corten.oidc_issuer else {
        return Ok(None);
    };
    let Some(audience) = &*corten.oidc_audience else {
        let place = corten.oidc_issuer.source();
        let reason = "is not set, and oidc_issuer is: tokens for others would be accepted";
        return Err(wrong(place, "oidc_audience", reason.to_owned()));
    };
    let rules = corten.oidc_roles.iter().map(|text| {
        let rule = text.parse();
        rule.map_err(|error: BadRoleRule| {
            let reason = format!("has {text}, which makes no sense: {error}");
            wrong(corten.oidc_roles.source(), "oidc_roles", reason)
        })
    });
    Ok(Some(OidcSettings {
        issuer: issuer.clone(),
        audience: audience.clone(),
        roles_claim: corten.oidc_roles_claim.to_string(),
        rules: rules.collect::<Result<_, _>>()?,
        ca_file: (*corten.oidc_ca_file).clone(),
    }))
}

/// Where requests come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Tcp {
        /// An IP address or a name.
        host: String,
        /// Zero takes any free one.
        port: u16,
    },
    Unix {
        path: PathBuf,
        mode: Option<u32>,
    },
}

pub fn address(config: &Config) -> Address {
    let api = &config.api;
    if let Some(path) = &*api.unix_socket {
        return Address::Unix {
            path: path.clone(),
            mode: api.unix_socket_mode.map(|mode| mode.mode()),
        };
    }
    let host = if config.has_files() || api.host_ip.is_set() {
        api.host_ip.as_str()
    } else {
        "127.0.0.1"
    };
    Address::Tcp {
        host: host.to_owned(),
        port: *api.port,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alone, filed},
        *,
    };

    fn tcp(host: &str, port: u16) -> Address {
        Address::Tcp {
            host: host.into(),
            port,
        }
    }

    #[test]
    fn without_a_file_the_service_keeps_to_this_machine() {
        let config = alone(&[]);
        assert_eq!(access(&config).unwrap(), Access::Open);
        assert_eq!(address(&config), tcp("127.0.0.1", 6385));
        let config = alone(&["api.host_ip=0.0.0.0", "api.port=0"]);
        assert_eq!(address(&config), tcp("0.0.0.0", 0));
    }

    #[test]
    fn with_a_file_the_defaults_are_those_of_the_original() {
        let config = filed("[api]\nport = 80\n");
        assert_eq!(address(&config), tcp("0.0.0.0", 80));
        let refused = access(&config).unwrap_err().to_string();
        assert!(refused.contains("(default)"), "{refused}");
        assert!(refused.contains("noauth, http_basic or local"), "{refused}");
    }

    #[test]
    fn users_come_from_the_file_that_is_named() {
        let config =
            filed("[DEFAULT]\nauth_strategy = http_basic\nhttp_basic_auth_user_file = /u\n");
        let users = PathBuf::from("/u");
        assert_eq!(access(&config).unwrap(), Access::Basic { users });
        let config = filed("[DEFAULT]\nauth_strategy = local\n");
        assert_eq!(access(&config).unwrap(), Access::Local(None));
        let config = filed("[DEFAULT]\nauth_strategy = noauth\n");
        assert_eq!(access(&config).unwrap(), Access::Open);
    }

    #[test]
    fn a_provider_has_an_audience_and_rules_that_make_sense() {
        const ISSUER: &str = "[DEFAULT]\nauth_strategy = local\n\
            [corten]\noidc_issuer = https://id.example.org\n";
        let refused = access(&filed(ISSUER)).unwrap_err().to_string();
        assert!(
            refused.contains("[corten]oidc_audience is not set"),
            "{refused}"
        );
        let text = format!("{ISSUER}oidc_audience = corten\noidc_roles = a=>admin@nowhere\n");
        let refused = access(&filed(&text)).unwrap_err().to_string();
        assert!(refused.contains("a=>admin@nowhere"), "{refused}");
        let text = format!(
            "{ISSUER}oidc_audience = corten\noidc_roles = a=>admin@system, b=>reader@project:P1\n"
        );
        let Ok(Access::Local(Some(oidc))) = access(&filed(&text)) else {
            panic!("there is a provider");
        };
        assert_eq!((oidc.rules.len(), oidc.roles_claim.as_str()), (2, "groups"));
    }

    #[test]
    fn keystone_needs_an_address() {
        let refused = access(&alone(&["DEFAULT.auth_strategy=keystone"])).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("--set DEFAULT.auth_strategy"), "{refused}");
        let config = alone(&[
            "DEFAULT.auth_strategy=keystone",
            "keystone_authtoken.auth_url=http://k",
            "keystone_authtoken.user_id=u",
            "keystone_authtoken.password=p",
        ]);
        assert!(matches!(access(&config), Ok(Access::Keystone(_))));
    }

    #[test]
    fn a_socket_takes_the_place_of_a_port() {
        let config = alone(&["api.unix_socket=/s", "api.unix_socket_mode=0660"]);
        let expected = Address::Unix {
            path: "/s".into(),
            mode: Some(0o660),
        };
        assert_eq!(address(&config), expected);
    }
}
