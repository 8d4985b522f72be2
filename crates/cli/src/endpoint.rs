//! Where the service is and how to show who we are.
//!
//! The names are the stock client's: options, then `OS_…` variables, then the cloud that
//! `--os-cloud` or `OS_CLOUD` names in clouds.yaml, then this machine. A service behind Keystone
//! is found in Keystone's catalog, unless its address is given.

mod clouds;
pub(crate) mod keystone;
mod setting;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use crate::error::Error;
use crate::version::ApiVersion;
use keystone::Login;
use setting::Settings;

const THIS_MACHINE: &str = "http://127.0.0.1:6385";

/// The connection options, for the help of each kind of resource. In the help of every single
/// command they would bury what is special about it, so there only the first is listed.
pub(crate) const CONNECTION_HELP: &str = "\
Connection options, which may stand anywhere. A variable says the same as each: OS_ENDPOINT and so
on, but OS_INSECURE for --insecure, and none for the last two.
  --os-endpoint URL        the service [default: the catalog's, or http://127.0.0.1:6385]
  --os-baremetal-endpoint-override URL   the same, before any other
  --os-cloud NAME          a cloud from clouds.yaml, which may say all of this
  --os-auth-type TYPE      none, http_basic, password, token or v3applicationcredential
  --os-username NAME       user, for http_basic and password
  --os-password PASSWORD   and the password; the variable keeps it out of the list of processes
  --os-token TOKEN         a Keystone token you already have
  --os-cacert FILE         certificate authorities to trust
  --os-cert FILE           our own certificate
  --os-key FILE            the key of our certificate
  --insecure               do not verify the certificates of services
  --os-baremetal-api-version VERSION     1.N, or latest: the newest both sides know
  --max-retries NUMBER     how often to try again while a node is locked or the service is
                           overloaded [default: 5]
  --retry-interval SECONDS time between two tries [default: 2]
Keystone:
  --os-auth-url URL        Keystone itself
  --os-user-id ID          instead of --os-username; a user name is one of a domain:
  --os-user-domain-name NAME, --os-user-domain-id ID
  --os-project-name NAME   for which project we ask; its name is one of a domain, too:
  --os-project-domain-name NAME, --os-project-domain-id ID
  --os-project-id ID       the same by ID, without a domain
  --os-default-domain-name NAME, --os-default-domain-id ID
                           the domain of whatever has none [default: default]
  --os-system-scope all    ask for the whole system, and no project
  --os-domain-name NAME, --os-domain-id ID, --os-trust-id ID
                           ask for a domain, or by a trust
  --os-application-credential-id ID, --os-application-credential-name NAME,
  --os-application-credential-secret SECRET
                           instead of user, password and project
  --os-region-name NAME    the region to find the service in
  --os-interface NAME      public, internal or admin [default: public]";

// Not documented with `///`, which the command line parser would take for the description of the
// program this is part of.
//
// The options every client command takes, wherever they stand on the command line.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub struct Global {
    #[command(flatten)]
    settings: Settings,
    #[arg(long, global = true, hide = true)]
    os_cloud: Option<String>,
    #[arg(long, global = true, hide = true)]
    insecure: bool,
    #[arg(long, global = true, hide = true, default_value_t = 5)]
    pub(crate) max_retries: u32,
    #[arg(long, global = true, hide = true, default_value_t = 2)]
    pub(crate) retry_interval: u32,
}

impl Global {
    pub(crate) fn with_retries(max_retries: u32, retry_interval: u32) -> Self {
        Self {
            max_retries,
            retry_interval,
            ..Self::default()
        }
    }
}

/// A password or token: used, never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

/// The service, found as far as that goes without asking anybody.
#[derive(Debug)]
pub(crate) struct Endpoint {
    /// Without a slash at the end and without the API's own prefix. If there is none, Keystone
    /// knows it.
    pub(crate) address: Option<String>,
    pub(crate) auth: Auth,
    pub(crate) tls: Tls,
    /// The version somebody insists on.
    pub(crate) version: Option<ApiVersion>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Auth {
    None,
    Basic { username: String, password: Secret },
    Token(Secret),
    Keystone(Box<Login>),
}

#[derive(Debug, Default)]
pub(crate) struct Tls {
    pub(crate) insecure: bool,
    pub(crate) cacert: Option<PathBuf>,
    /// Our certificate, and its key if that is in another file.
    pub(crate) identity: Option<(PathBuf, PathBuf)>,
}

/// The outside world as far as finding the service needs it.
pub(crate) struct Surroundings<'a> {
    /// A variable of the environment.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
    /// Folders that may hold clouds.yaml, the first that does wins.
    pub(crate) folders: Vec<PathBuf>,
}

impl Surroundings<'static> {
    pub(crate) fn real() -> Self {
        let mut folders = vec![PathBuf::from(".")];
        let config = std::env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::home_dir().map(|home| home.join(".config")));
        folders.extend(config.map(|config| config.join("openstack")));
        folders.push(PathBuf::from("/etc/openstack"));
        Self {
            variable: &|name| std::env::var(name).ok(),
            folders,
        }
    }
}

impl Endpoint {
    /// Finds the service.
    pub(crate) fn find(global: &Global, around: &Surroundings<'_>) -> Result<Self, Error> {
        let variable = |name: &str| (around.variable)(name).filter(|value| !value.is_empty());
        let mut insecure = global.insecure.then_some(true);
        if let Some(text) = variable("OS_INSECURE") {
            insecure = insecure.or(Some(truth("OS_INSECURE", &text)?));
        }
        let mut settings = global
            .settings
            .clone()
            .or(Settings::of_variables(&variable));
        if let Some(name) = global.os_cloud.clone().or_else(|| variable("OS_CLOUD")) {
            let file = variable("OS_CLIENT_CONFIG_FILE").map(PathBuf::from);
            let cloud = clouds::find(&name, file, &around.folders)?;
            let verify = cloud.get("verify").and_then(serde_json::Value::as_bool);
            insecure = insecure.or(verify.map(|verify| !verify));
            settings = settings.or(Settings::of_cloud(&cloud));
        }
        Self::resolve(&settings, insecure.unwrap_or(false))
    }

    /// The service by settings that have been found elsewhere, under their names in clouds.yaml.
    pub(crate) fn of_values(
        values: Vec<(&'static str, String)>,
        insecure: bool,
    ) -> Result<Self, Error> {
        Self::resolve(&Settings::of_values(values), insecure)
    }

    fn resolve(settings: &Settings, insecure: bool) -> Result<Self, Error> {
        let auth = Auth::resolve(settings)?;
        let version = match settings.get("baremetal_api_version") {
            None | Some("latest") => None,
            Some(text) => Some(text.parse().map_err(Error::usage)?),
        };
        let identity = match (settings.get("cert"), settings.get("key")) {
            (Some(cert), key) => Some((cert.into(), key.unwrap_or(cert).into())),
            (None, Some(_)) => {
                return Err(Error::usage(
                    "--os-key is the key of a certificate; add --os-cert",
                ));
            }
            (None, None) => None,
        };
        let address = settings.get("endpoint");
        let address = match auth {
            Auth::Keystone(_) => address,
            _ => address.or(Some(THIS_MACHINE)),
        };
        Ok(Self {
            address: address.map(base).transpose()?,
            auth,
            tls: Tls {
                insecure,
                cacert: settings.get("cacert").map(PathBuf::from),
                identity,
            },
            version,
        })
    }
}

fn truth(name: &str, text: &str) -> Result<bool, Error> {
    match text.to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        _ => Err(Error::usage(format!(
            "{name} is '{text}'; write true or false"
        ))),
    }
}

impl Auth {
    fn resolve(settings: &Settings) -> Result<Self, Error> {
        let keystone = settings.get("auth_url").is_some();
        let implied = match (settings.secret("token"), keystone) {
            (Some(_), _) => "token",
            (None, true) if settings.secret("application_credential_secret").is_some() => {
                "v3applicationcredential"
            }
            (None, true) => "password",
            (None, false) => "none",
        };
        match settings.get("auth_type").unwrap_or(implied) {
            "none" => Ok(Self::None),
            "http_basic" => match (settings.get("username"), settings.secret("password")) {
                (Some(username), Some(password)) => Ok(Self::Basic {
                    username: username.to_owned(),
                    password,
                }),
                _ => Err(Error::usage(
                    "http_basic needs a user name and a password: OS_USERNAME and OS_PASSWORD",
                )),
            },
            "token" | "v3token" | "admin_token" if !keystone => match settings.secret("token") {
                Some(token) => Ok(Self::Token(token)),
                None => Err(Error::usage("token authentication needs a token: OS_TOKEN")),
            },
            // A token that fits as it is and an address: there is nothing left to ask Keystone.
            "admin_token" => match (settings.secret("token"), settings.get("endpoint")) {
                (Some(token), Some(_)) => Ok(Self::Token(token)),
                _ => Err(Error::usage(
                    "admin_token needs a token and an address: OS_TOKEN and OS_ENDPOINT",
                )),
            },
            method => Ok(Self::Keystone(Box::new(Login::resolve(method, settings)?))),
        }
    }
}

/// The address without what every request adds to it.
fn base(address: &str) -> Result<String, Error> {
    let url = reqwest::Url::parse(address)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| {
            Error::usage(format!(
                "'{address}' is no address of a service; write http://HOST:PORT"
            ))
        })?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(Error::usage(format!(
            "'{address}' has more than an address in it"
        )));
    }
    let trimmed = address.trim_end_matches('/');
    Ok(trimmed
        .strip_suffix("/v1")
        .unwrap_or(trimmed)
        .trim_end_matches('/')
        .to_owned())
}

#[cfg(test)]
mod tests;
