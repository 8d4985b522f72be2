//! The settings that say where the service is and who we are, as a table.
//!
//! Each has an option, a variable and a place in clouds.yaml. Three sources of the same shape can
//! then be laid over each other, whatever there is to set.

use std::collections::BTreeMap;
use std::fmt;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use super::Secret;

/// A setting and its names.
struct Setting {
    /// In clouds.yaml, and in this program.
    key: &'static str,
    option: &'static str,
    aliases: &'static [&'static str],
    variables: &'static [&'static str],
    /// Whether it stands in the part of a cloud's entry that says who we are.
    in_auth: bool,
    secret: bool,
}

macro_rules! setting {
    ($key:literal, $option:literal, $variable:literal) => {
        Setting {
            key: $key,
            option: $option,
            aliases: &[],
            variables: &[$variable],
            in_auth: true,
            secret: false,
        }
    };
}

const SETTINGS: &[Setting] = &[
    Setting {
        aliases: &["os-endpoint-override"],
        ..setting!("endpoint", "os-endpoint", "OS_ENDPOINT")
    },
    Setting {
        aliases: &["os-baremetal-endpoint"],
        in_auth: false,
        ..setting!(
            "baremetal_endpoint_override",
            "os-baremetal-endpoint-override",
            "OS_BAREMETAL_ENDPOINT_OVERRIDE"
        )
    },
    Setting {
        aliases: &["os-auth-plugin"],
        in_auth: false,
        ..setting!("auth_type", "os-auth-type", "OS_AUTH_TYPE")
    },
    setting!("auth_url", "os-auth-url", "OS_AUTH_URL"),
    Setting {
        aliases: &["os-user-name"],
        ..setting!("username", "os-username", "OS_USERNAME")
    },
    setting!("user_id", "os-user-id", "OS_USER_ID"),
    Setting {
        secret: true,
        ..setting!("password", "os-password", "OS_PASSWORD")
    },
    Setting {
        aliases: &["os-auth-token"],
        variables: &["OS_TOKEN", "OS_AUTH_TOKEN"],
        secret: true,
        ..setting!("token", "os-token", "OS_TOKEN")
    },
    setting!(
        "user_domain_name",
        "os-user-domain-name",
        "OS_USER_DOMAIN_NAME"
    ),
    setting!("user_domain_id", "os-user-domain-id", "OS_USER_DOMAIN_ID"),
    Setting {
        aliases: &["os-tenant-name"],
        variables: &["OS_PROJECT_NAME", "OS_TENANT_NAME"],
        ..setting!("project_name", "os-project-name", "OS_PROJECT_NAME")
    },
    Setting {
        aliases: &["os-tenant-id"],
        variables: &["OS_PROJECT_ID", "OS_TENANT_ID"],
        ..setting!("project_id", "os-project-id", "OS_PROJECT_ID")
    },
    setting!(
        "project_domain_name",
        "os-project-domain-name",
        "OS_PROJECT_DOMAIN_NAME"
    ),
    setting!(
        "project_domain_id",
        "os-project-domain-id",
        "OS_PROJECT_DOMAIN_ID"
    ),
    setting!(
        "default_domain_name",
        "os-default-domain-name",
        "OS_DEFAULT_DOMAIN_NAME"
    ),
    Setting {
        aliases: &["os-default-domain"],
        variables: &["OS_DEFAULT_DOMAIN_ID", "OS_DEFAULT_DOMAIN"],
        ..setting!(
            "default_domain_id",
            "os-default-domain-id",
            "OS_DEFAULT_DOMAIN_ID"
        )
    },
    setting!("domain_name", "os-domain-name", "OS_DOMAIN_NAME"),
    setting!("domain_id", "os-domain-id", "OS_DOMAIN_ID"),
    setting!("system_scope", "os-system-scope", "OS_SYSTEM_SCOPE"),
    setting!("trust_id", "os-trust-id", "OS_TRUST_ID"),
    setting!(
        "application_credential_id",
        "os-application-credential-id",
        "OS_APPLICATION_CREDENTIAL_ID"
    ),
    setting!(
        "application_credential_name",
        "os-application-credential-name",
        "OS_APPLICATION_CREDENTIAL_NAME"
    ),
    Setting {
        secret: true,
        ..setting!(
            "application_credential_secret",
            "os-application-credential-secret",
            "OS_APPLICATION_CREDENTIAL_SECRET"
        )
    },
    Setting {
        in_auth: false,
        ..setting!("region_name", "os-region-name", "OS_REGION_NAME")
    },
    Setting {
        aliases: &["os-endpoint-type"],
        variables: &["OS_INTERFACE", "OS_ENDPOINT_TYPE"],
        in_auth: false,
        ..setting!("interface", "os-interface", "OS_INTERFACE")
    },
    Setting {
        in_auth: false,
        ..setting!("cacert", "os-cacert", "OS_CACERT")
    },
    Setting {
        in_auth: false,
        ..setting!("cert", "os-cert", "OS_CERT")
    },
    Setting {
        in_auth: false,
        ..setting!("key", "os-key", "OS_KEY")
    },
    Setting {
        in_auth: false,
        ..setting!(
            "baremetal_api_version",
            "os-baremetal-api-version",
            "OS_BAREMETAL_API_VERSION"
        )
    },
];

/// What one source says; what it does not say, the next one may.
#[derive(Clone, Default)]
pub(super) struct Settings(BTreeMap<&'static str, String>);

impl Settings {
    fn collect(value: impl Fn(&Setting) -> Option<String>) -> Self {
        let found = SETTINGS
            .iter()
            .filter_map(|setting| Some((setting.key, value(setting)?)));
        let mut found: BTreeMap<&'static str, String> = found.collect();
        // The more special name wins, but only over the other of the same source.
        if let Some(address) = found.remove("baremetal_endpoint_override") {
            found.insert("endpoint", address);
        }
        Self(found)
    }

    pub(super) fn of_variables(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        Self::collect(|setting| setting.variables.iter().find_map(|name| variable(name)))
    }

    /// The entry of a cloud in clouds.yaml.
    pub(super) fn of_cloud(cloud: &Value) -> Self {
        let text = |value: Option<&Value>| match value? {
            Value::String(text) => Some(text.clone()),
            // A password of digits is a number to YAML.
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let top = |key: &str| text(cloud.get(key));
        let auth = |key: &str| text(cloud.get("auth").and_then(|auth| auth.get(key)));
        Self::collect(|setting| match setting.key {
            "baremetal_api_version" => top("baremetal_default_microversion")
                .or_else(|| top(setting.key))
                // How clouds.yaml names the major version, which says nothing new.
                .filter(|version| version != "1"),
            key if setting.in_auth => auth(key).or_else(|| top(key)),
            key => top(key),
        })
    }

    pub(super) fn of_values(values: Vec<(&'static str, String)>) -> Self {
        Self(values.into_iter().collect())
    }

    pub(super) fn or(mut self, next: Self) -> Self {
        for (key, value) in next.0 {
            self.0.entry(key).or_insert(value);
        }
        self
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    pub(super) fn secret(&self, key: &str) -> Option<Secret> {
        self.get(key).map(|text| Secret(text.to_owned()))
    }
}

#[cfg(test)]
impl Settings {
    pub(super) fn with(mut self, key: &'static str, value: &str) -> Self {
        self.0.insert(key, value.to_owned());
        self
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secret = |key: &str| {
            SETTINGS
                .iter()
                .any(|known| known.key == key && known.secret)
        };
        f.debug_map()
            .entries(self.0.iter().map(|(key, value)| {
                let shown = if secret(key) { "***" } else { value.as_str() };
                (key, shown)
            }))
            .finish()
    }
}

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        command.args(SETTINGS.iter().map(|setting| {
            let arg = Arg::new(setting.option)
                .long(setting.option)
                .aliases(setting.aliases)
                .global(true);
            if setting.key == "endpoint" {
                arg.value_name("URL").help(
                    "Address of the service; the help of a whole kind (`corten KIND --help`) \
                     ends with more such options \
                     [env: OS_ENDPOINT] [default: http://127.0.0.1:6385]",
                )
            } else {
                arg.hide(true)
            }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self::collect(|setting| {
            matches.get_one::<String>(setting.option).cloned()
        }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
