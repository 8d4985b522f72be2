//! `[keystone_authtoken]`: where Keystone is and how we log in to it.
//!
//! The options are those of Ironic and of the library it logs in with. What can never work is
//! refused at the start: a name without its domain, a way of logging in that we do not have, a
//! secret that is missing. Whether Keystone agrees is not known before it is asked.

use super::SettingsError;
use ::api::auth::keystone::{
    Binding, Credential, Domain, KeystoneSettings, Login, LoginScope, Method, Named, TlsFiles,
};
use config::{Config, Secret, Setting, Source, options::KeystoneAuthtoken};
use std::time::Duration;

/// How long checking a token may take if nothing is said; Ironic waits for ever.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn keystone(config: &Config) -> Result<KeystoneSettings, SettingsError> {
    let options = &config.keystone_authtoken;
    let Some(auth_url) = &*options.auth_url else {
        let strategy = &config.default.auth_strategy;
        return Err(SettingsError::NoKeystone {
            place: strategy.source().clone(),
        });
    };
    if !auth_url.as_str().starts_with("http") {
        return Err(wrong(
            &options.auth_url,
            "auth_url",
            "must be an http or https URL",
        ));
    }
    if let Some(section) = &*options.auth_section {
        let reason =
            format!("is not supported; move the options of [{section}] to [keystone_authtoken]");
        return Err(wrong(&options.auth_section, "auth_section", reason));
    }
    if options.keyfile.is_some() && options.certfile.is_none() {
        return Err(wrong(&options.keyfile, "keyfile", "needs certfile"));
    }
    Ok(KeystoneSettings {
        www_authenticate_uri: options
            .www_authenticate_uri
            .as_ref()
            .map(ToString::to_string),
        interface: options.interface.trim_end_matches("URL").to_owned(),
        region: (*options.region_name).clone(),
        tls: TlsFiles {
            authorities: (*options.cafile).clone(),
            certificate: (*options.certfile).clone(),
            key: (*options.keyfile).clone(),
            insecure: *options.insecure,
        },
        deadline: options
            .http_connect_timeout
            .map_or(PATIENCE, |time| time.duration()),
        retries: *options.http_request_max_retries,
        cache_time: options.token_cache_time.positive(),
        service_roles: options.service_token_roles.to_vec(),
        service_roles_required: *options.service_token_roles_required,
        service_type: (*options.service_type).clone(),
        catalog: *options.include_service_catalog,
        binding: match options.enforce_token_bind.as_str() {
            "disabled" => Binding::Disabled,
            "permissive" => Binding::Permissive,
            "strict" => Binding::Strict,
            "required" => Binding::Required,
            kind => Binding::Named(kind.to_owned()),
        },
        delay_auth_decision: *options.delay_auth_decision,
        ..KeystoneSettings::new(auth_url.as_str(), login(options)?)
    })
}

/// What an operator should know about options that are valid and still no good.
pub fn keystone_remarks(config: &Config) -> Vec<String> {
    let options = &config.keystone_authtoken;
    let mut remarks = Vec::new();
    let mut remark = |place: &Source, text: &str| {
        remarks.push(format!("{place}: [keystone_authtoken]{text}"));
    };
    if *options.insecure {
        let text = "insecure disables certificate verification: an attacker between here and Keystone can forge tokens";
        remark(options.insecure.source(), text);
    }
    if !*options.service_token_roles_required {
        let text =
            "service_token_roles_required is false: every token is accepted as a service token";
        remark(options.service_token_roles_required.source(), text);
    }
    if options.www_authenticate_uri.is_none() {
        let text = "www_authenticate_uri is not set: clients are told auth_url, which they may not \
                    be able to reach";
        remark(options.www_authenticate_uri.source(), text);
    }
    remarks
}

fn login(options: &KeystoneAuthtoken) -> Result<Login, SettingsError> {
    let kind = options.auth_type.as_deref().unwrap_or("password");
    let method = match kind {
        "password" | "v3password" => Method::Password {
            user: user(options)?,
            password: secret(&options.password, "password", kind)?,
        },
        "token" | "v3token" => Method::Token(secret(&options.token, "token", kind)?),
        "v3applicationcredential" => Method::ApplicationCredential {
            credential: credential(options)?,
            secret: secret(
                &options.application_credential_secret,
                "application_credential_secret",
                kind,
            )?,
        },
        _ => {
            let reason = format!(
                "is {kind}, which this build does not have; it has password, token and \
                 v3applicationcredential"
            );
            return Err(wrong(&options.auth_type, "auth_type", reason));
        }
    };
    let scope = match method {
        // It has its scope in itself, and Keystone refuses to hear of another.
        Method::ApplicationCredential { .. } => LoginScope::Default,
        _ => scope(options)?,
    };
    Ok(Login { method, scope })
}

fn scope(options: &KeystoneAuthtoken) -> Result<LoginScope, SettingsError> {
    let project = options.project_id.is_some() || options.project_name.is_some();
    let wanted = [
        options.trust_id.is_some(),
        options.system_scope.is_some(),
        project,
        options.domain_id.is_some() || options.domain_name.is_some(),
    ];
    if wanted.iter().filter(|&&scope| scope).count() > 1 {
        let reason = "excludes the other scopes: give one of system_scope, a project, a domain and \
                      trust_id";
        let places = [
            (options.trust_id.source(), "trust_id"),
            (options.system_scope.source(), "system_scope"),
            (options.domain_id.source(), "domain_id"),
            (options.domain_name.source(), "domain_name"),
        ];
        let given = places.into_iter().find(|(place, _)| place.is_given());
        let (place, option) = given.unwrap_or((options.project_id.source(), "project_id"));
        return Err(wrong_at(place, option, reason));
    }
    if let Some(trust) = &*options.trust_id {
        return Ok(LoginScope::Trust(trust.clone()));
    }
    if let Some(system) = &*options.system_scope {
        return match system.as_str() {
            "all" => Ok(LoginScope::System),
            _ => Err(wrong(
                &options.system_scope,
                "system_scope",
                "can only be all",
            )),
        };
    }
    if let Some(domain) = domain(&options.domain_id, &options.domain_name) {
        return Ok(LoginScope::Domain(domain));
    }
    if let Some(id) = &*options.project_id {
        return Ok(LoginScope::Project(Named::Id(id.clone())));
    }
    let Some(name) = &*options.project_name else {
        return Ok(LoginScope::Default);
    };
    let domain = domain(&options.project_domain_id, &options.project_domain_name)
        .or_else(|| default_domain(options))
        .ok_or_else(|| {
            let reason = "needs project_domain_id or project_domain_name";
            wrong(&options.project_name, "project_name", reason)
        })?;
    Ok(LoginScope::Project(Named::Name {
        name: name.clone(),
        domain,
    }))
}

fn credential(options: &KeystoneAuthtoken) -> Result<Credential, SettingsError> {
    if let Some(id) = &*options.application_credential_id {
        return Ok(Credential::Id(id.clone()));
    }
    match &*options.application_credential_name {
        Some(name) => Ok(Credential::Name {
            name: name.clone(),
            user: user(options)?,
        }),
        None => Err(wrong(
            &options.auth_type,
            "auth_type",
            "needs application_credential_id or application_credential_name",
        )),
    }
}

fn user(options: &KeystoneAuthtoken) -> Result<Named, SettingsError> {
    if let Some(id) = &*options.user_id {
        return Ok(Named::Id(id.clone()));
    }
    let Some(name) = &*options.username else {
        let reason = "is not set, nor is user_id: one of them says who we are";
        return Err(wrong(&options.username, "username", reason));
    };
    let domain = domain(&options.user_domain_id, &options.user_domain_name)
        .or_else(|| default_domain(options))
        .ok_or_else(|| {
            let reason = "needs user_domain_id or user_domain_name";
            wrong(&options.username, "username", reason)
        })?;
    Ok(Named::Name {
        name: name.clone(),
        domain,
    })
}

fn default_domain(options: &KeystoneAuthtoken) -> Option<Domain> {
    domain(&options.default_domain_id, &options.default_domain_name)
}

fn domain(id: &Option<String>, name: &Option<String>) -> Option<Domain> {
    match (id, name) {
        (Some(id), _) => Some(Domain::Id(id.clone())),
        (None, Some(name)) => Some(Domain::Name(name.clone())),
        (None, None) => None,
    }
}

fn secret(
    setting: &Setting<Option<Secret>>,
    option: &'static str,
    kind: &str,
) -> Result<::api::auth::keystone::Secret, SettingsError> {
    match &**setting {
        Some(secret) => Ok(secret.expose().into()),
        None => Err(wrong(
            setting,
            option,
            format!("is not set, which auth_type {kind} needs"),
        )),
    }
}

fn wrong<T>(setting: &Setting<T>, option: &str, reason: impl Into<String>) -> SettingsError {
    wrong_at(setting.source(), option, reason)
}

fn wrong_at(place: &Source, option: &str, reason: impl Into<String>) -> SettingsError {
    SettingsError::KeystoneOption {
        place: place.clone(),
        option: option.to_owned(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::tests::{alone, filed},
        *,
    };

    const PASSWORD: &str = "[keystone_authtoken]\nauth_url = http://k/\nauth_type = password\n\
        username = ironic\nuser_domain_id = default\npassword = hunter2\n";

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        let error = keystone(&filed(text)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[test]
    fn options_reach_their_settings() {
        let settings = keystone(&filed(&format!(
            "{PASSWORD}project_name = service\nproject_domain_name = Default\n\
             www_authenticate_uri = https://p/v3\ntoken_cache_time = -1\nhttp_connect_timeout = 7\n\
             service_token_roles = a, b\nservice_type = baremetal\ninterface = adminURL\n\
             enforce_token_bind = kerberos\ncafile = /ca\nregion_name = R\n\
             include_service_catalog = no\nhttp_request_max_retries = 1\n"
        )))
        .unwrap();
        let user = Named::Name {
            name: "ironic".into(),
            domain: Domain::Id("default".into()),
        };
        let login = Login {
            method: Method::Password {
                user,
                password: "hunter2".into(),
            },
            scope: LoginScope::Project(Named::Name {
                name: "service".into(),
                domain: Domain::Name("Default".into()),
            }),
        };
        let expected = KeystoneSettings {
            www_authenticate_uri: Some("https://p/v3".into()),
            interface: "admin".into(),
            region: Some("R".into()),
            tls: TlsFiles {
                authorities: Some("/ca".into()),
                ..TlsFiles::default()
            },
            deadline: Duration::from_secs(7),
            retries: 1,
            cache_time: None,
            service_roles: vec!["a".into(), "b".into()],
            service_type: Some("baremetal".into()),
            catalog: false,
            binding: Binding::Named("kerberos".into()),
            ..KeystoneSettings::new("http://k/", login)
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn the_defaults_of_both_sides_agree() {
        let settings = keystone(&filed(PASSWORD)).unwrap();
        let login = settings.login.clone();
        assert_eq!(settings, KeystoneSettings::new("http://k/", login));
    }

    #[test]
    fn other_ways_of_logging_in() {
        let scope = |more: &str| {
            keystone(&filed(&format!("{PASSWORD}{more}")))
                .unwrap()
                .login
                .scope
        };
        assert_eq!(scope("system_scope = all\n"), LoginScope::System);
        assert_eq!(
            scope("tenant_id = p\n"),
            LoginScope::Project(Named::Id("p".into()))
        );
        assert_eq!(
            scope("domain_id = d\n"),
            LoginScope::Domain(Domain::Id("d".into()))
        );
        assert_eq!(scope("trust_id = t\n"), LoginScope::Trust("t".into()));
        assert_eq!(scope(""), LoginScope::Default);
        let config = filed(
            "[keystone_authtoken]\nauth_url = http://k/\nauth_type = v3applicationcredential\n\
             application_credential_id = a\napplication_credential_secret = hunter2\n",
        );
        let method = Method::ApplicationCredential {
            credential: Credential::Id("a".into()),
            secret: "hunter2".into(),
        };
        assert_eq!(keystone(&config).unwrap().login.method, method);
        let config = filed(
            "[keystone_authtoken]\nauth_url = http://k/\nauth_type = v3token\ntoken = hunter2\n",
        );
        let method = Method::Token("hunter2".into());
        assert_eq!(keystone(&config).unwrap().login.method, method);
    }

    #[test]
    fn what_can_never_work_is_refused_with_its_place() {
        refused("[DEFAULT]\n", "noauth, http_basic or local");
        refused(
            "[keystone_authtoken]\nauth_url = http://k\n",
            "]username is not set",
        );
        refused(
            "[keystone_authtoken]\nauth_url = http://k\nusername = u\n",
            ":3: [keystone_authtoken]username needs user_domain_id",
        );
        refused(
            "[keystone_authtoken]\nauth_url = http://k\nuser_id = u\n",
            "default: [keystone_authtoken]password is not set",
        );
        refused(
            &format!("{PASSWORD}project_name = p\n"),
            ":7: [keystone_authtoken]project_name needs project_domain_id",
        );
        refused(
            &format!("{PASSWORD}project_id = p\nsystem_scope = all\n"),
            ":8: [keystone_authtoken]system_scope excludes",
        );
        refused(
            &format!("{PASSWORD}system_scope = some\n"),
            ":7: [keystone_authtoken]system_scope can only be all",
        );
        refused(
            &PASSWORD.replace("= password", "= v2password"),
            ":3: [keystone_authtoken]auth_type is v2password",
        );
        refused(
            &format!("{PASSWORD}auth_section = mine\n"),
            "move the options of [mine]",
        );
        refused(
            &format!("{PASSWORD}keyfile = /k\n"),
            "]keyfile needs certfile",
        );
    }

    #[test]
    fn dangerous_options_are_told() {
        let config = filed(&format!("{PASSWORD}insecure = true\n"));
        let remarks = keystone_remarks(&config).join("\n");
        assert!(remarks.contains("insecure disables"), "{remarks}");
        let quiet = alone(&["keystone_authtoken.www_authenticate_uri=http://k"]);
        assert_eq!(keystone_remarks(&quiet), Vec::<String>::new());
    }
}
